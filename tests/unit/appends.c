/* SPDX-License-Identifier: MIT */
/* Tests of appends: which calls write behind the end of a file, and which syncs follow such a call.
 */
#include "trace/extents.h"

#include <inttypes.h>

#include "../tap.h"
#include "trace/syscalls.h"

static struct extents state;

static struct event call(const char *name, uint32_t object, int64_t result, uint64_t offset)
{
	return (struct event){ .type = EVENT_SYSCALL,
			       .call = {
				   .id = syscall_by_name(name),
				   .kind = FD_FILE,
				   .object = object,
				   .result = result,
				   .args = { [1] = offset, [3] = offset },
			       } };
}

static bool appends(const char *name, uint32_t object, int64_t result, uint64_t offset)
{
	struct event e = call(name, object, result, offset);

	return extents_flags(&state, &e) & CALL_APPENDS;
}

/* Who appends writes behind what others have written, O_APPEND being what its system says. */
static void test_opens(void)
{
	static const struct {
		const struct os *os;
		const char *call;
		unsigned argument;
		uint64_t flags;
		bool appends;
	} cases[] = {
		{ &os_linux, "openat", 2, 02001, true },   { &os_linux, "openat2", 4, 02001, true },
		{ &os_linux, "openat", 2, 01001, false },  { &os_freebsd, "open", 1, 0x9, true },
		{ &os_netbsd, "openat", 2, 0x401, false }, { &os_macos, "open", 1, 0x601, false },
	};

	for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct event e = { .type = EVENT_FD, .fd = { 100 + i, FD_FILE, "log" } };
		struct extent out = { 0 };

		extents_event(&state, &e, &out);
		e = call("write", 100 + i, 1000, 0);
		extents_event(&state, &e, &out);
		e = call(cases[i].call, 100 + i, 3, 0);
		e.call.id = syscall_of_name(cases[i].os, cases[i].call);
		e.call.args[cases[i].argument] = cases[i].flags;
		extents_event(&state, &e, &out);
		e = call("lseek", 100 + i, 0, 0);
		extents_event(&state, &e, &out);
		e = call("write", 100 + i, 10, 0);
		extents_event(&state, &e, &out);
		ok((out.from > 0) == cases[i].appends, "%s of %s with flags %#" PRIx64,
		   cases[i].call, cases[i].os->name, cases[i].flags);
	}
	extents_free(&state);
	state = (struct extents){ 0 };
}

/* A write that is synced leaves nothing for the next sync. */
static void test_synced(void)
{
	const unsigned both = CALL_APPENDS | CALL_SYNCED;
	struct event e = call("openat", 1, 3, 0);

	e.call.args[2] = 010001 /* O_DSYNC | O_WRONLY */;
	ok(!extents_flags(&state, &e), "an open is not synced");
	e = call("pwrite64", 1, 100, 0);
	ok(extents_flags(&state, &e) == both, "a write behind the end, O_DSYNC");
	ok(extents_flags(&state, &e) == CALL_SYNCED, "the same again");
	e = call("read", 1, 100, 0);
	ok(!extents_flags(&state, &e), "a read is not synced");
	e = call("fsync", 1, 0, 0);
	ok(!extents_flags(&state, &e), "nor has a sync to write the size");
	e = call("pwrite64", 1, -28, 0);
	ok(!extents_flags(&state, &e), "a write that failed");
	extents_free(&state);
	state = (struct extents){ 0 };
}

int main(void)
{
	struct event e;

	test_opens();
	test_synced();
	ok(appends("write", 1, 100, 0), "the first write");
	ok(appends("write", 1, 100, 0), "the second behind it");
	ok(appends("fsync", 1, 0, 0), "so the sync has to write the size");
	ok(!appends("fsync", 1, 0, 0), "the next sync has not to");
	ok(!appends("lseek", 1, 50, 50), "seeking changes nothing");
	ok(!appends("write", 1, 150, 0), "150 bytes from 50 reach the end");
	ok(appends("write", 1, 1, 0), "one more goes beyond");
	ok(appends("pwrite64", 1, 1, 201), "an offset at the end");
	ok(!appends("pwrite64", 1, 200, 2), "an offset before it");
	ok(appends("fdatasync", 1, 0, 0), "fdatasync too");
	ok(!appends("pwrite64", 1, 200, 2) && !appends("fdatasync", 1, 0, 0),
	   "overwritten and synced");
	ok(!appends("ftruncate", 1, 0, 10) && appends("pwrite64", 1, 1, 10),
	   "a truncated file is appended to again");
	ok(!appends("ftruncate", 2, 0, 10) && appends("fsync", 2, 0, 0),
	   "truncating upwards is appending");
	ok(appends("write", 6, 100, 0) && !appends("ftruncate", 6, 0, 10) &&
	       appends("fsync", 6, 0, 0),
	   "cutting it does not undo that it grew");
	ok(!appends("write", 3, -28, 0) && !appends("fsync", 3, 0, 0), "a write that failed");
	ok(!appends("write", 0, 5, 0), "a write without a known object");
	e = call("write", 4, 5, 0);
	e.call.kind = FD_PIPE;
	ok(!extents_flags(&state, &e), "a pipe is no file");
	e = call("write", 4, 5, 0);
	e.call.flags = CALL_UNFINISHED;
	ok(!extents_flags(&state, &e), "a write that never ended");
	e = (struct event){ .type = EVENT_FD, .fd = { .object = 1 } };
	ok(!extents_flags(&state, &e) && appends("write", 1, 1, 0), "the number is used again");
	ok(!appends("read", 1, 7, 0) && appends("write", 1, 1, 0), "reading moves on, too");
	struct extent read = { 0 };
	e = (struct event){ .type = EVENT_FD,
			    .fd = { .object = 5, .kind = FD_FILE, .name = "/log" } };
	extents_event(&state, &e, &read);
	appends("open", 5, 3, 02000 /* O_APPEND */);
	ok(appends("write", 5, 10, 0), "a file that is always appended to");
	appends("lseek", 5, 2, 2);
	e = call("read", 5, 4, 0);
	ok(extents_event(&state, &e, &read) && read.from == 2 && read.until == 6,
	   "is read where it is");
	ok(appends("write", 5, 1, 0), "and written at its end again");
	extents_free(&state);
	return done_testing();
}
