/* SPDX-License-Identifier: MIT */
/* Tests of lib/trace/exists: which opens find the file that they would make. */
#include "trace/exists.h"

#include <errno.h>
#include <fcntl.h>

#include "../tap.h"
#include "trace/syscalls.h"

static struct exists state;
static uint32_t object = 1;

static bool call(const char *name, const char *path, int flags, int64_t result)
{
	struct event e = { .type = EVENT_SYSCALL,
			   .call = { .id = syscall_by_name(name),
				     .path = path,
				     .object = object,
				     .result = result } };

	e.call.args[!strcmp(name, "openat") ? 2 : 1] = (uint64_t)flags;
	return exists_event(&state, &e);
}

static void test_logs(void)
{
	const int append = O_WRONLY | O_CREAT | O_APPEND;

	ok(!call("openat", "log", append, 3), "what was never seen may be new");
	ok(call("openat", "log", append, 3), "the next time it is there");
	ok(call("open", "log", append, 3), "by another call, too");
	ok(!call("openat", "other", append, 3), "but no other file");
	ok(!call("openat", "log", append | O_TRUNC, 3), "cutting it off costs more");
	ok(!call("openat", "log", O_WRONLY, 3), "an open that makes nothing is one anyway");
	ok(!call("creat", "log", 0, 3), "creat cuts off");
}

static void test_bsd(void)
{
	enum { CREATE = 0x201, TRUNCATE = 0x400 };
	struct event e = { .type = EVENT_SYSCALL,
			   .call = { .id = syscall_of_name(&os_freebsd, "open"),
				     .path = "bsd",
				     .object = object,
				     .args = { 0, CREATE } } };

	exists_event(&state, &e);
	ok(exists_event(&state, &e), "FreeBSD's O_CREAT");
	e.call.args[1] |= TRUNCATE;
	ok(!exists_event(&state, &e), "its O_TRUNC");
}

static void test_names(void)
{
	const int create = O_RDWR | O_CREAT;

	call("stat", "a", 0, 0);
	ok(call("openat", "a", create, 3), "a file that a call has looked at");
	ok(!call("stat", "b", 0, -ENOENT) && !call("openat", "b", create, 3),
	   "not one that was not there");
	call("unlink", "a", 0, -EPERM);
	ok(call("openat", "a", create, 3), "nor gone because it could not be removed");
	call("unlink", "a", 0, 0);
	ok(!call("openat", "a", create, 3), "one that was removed is made again");
	call("rename", "a", 0, 0);
	ok(!call("openat", "a", create, 3), "and one that was renamed");
	ok(!call("openat", NULL, create, 3) && !call("openat", NULL, create, 3),
	   "without a path nothing is known");
	object = 0;
	ok(!call("openat", "b", create, 3), "nor without what it opened");
	object = 1;
	ok(!call("openat", "c", create | O_EXCL, -EEXIST), "a call that failed opens nothing");
}

int main(void)
{
	test_logs();
	test_bsd();
	test_names();
	exists_free(&state);
	ok(!call("openat", "log", O_RDWR | O_CREAT, 3), "nothing is known after it is freed");
	exists_free(&state);
	return done_testing();
}
