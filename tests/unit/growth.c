/* SPDX-License-Identifier: MIT */
/* Which calls make a file longer, and which syncs follow such a call. */
#include "trace/growth.h"

#include "../tap.h"
#include "trace/syscalls.h"

static struct growth growth;

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

static bool grows(const char *name, uint32_t object, int64_t result, uint64_t offset)
{
	struct event e = call(name, object, result, offset);

	return growth_event(&growth, &e);
}

int main(void)
{
	struct event e;

	ok(grows("write", 1, 100, 0), "the first write");
	ok(grows("write", 1, 100, 0), "the second behind it");
	ok(grows("fsync", 1, 0, 0), "so the sync has to log it");
	ok(!grows("fsync", 1, 0, 0), "the next sync has not");
	ok(!grows("lseek", 1, 50, 50), "seeking changes nothing");
	ok(!grows("write", 1, 150, 0), "150 bytes from 50 reach the end");
	ok(grows("write", 1, 1, 0), "one more goes beyond");
	ok(grows("pwrite64", 1, 1, 201), "an offset at the end");
	ok(!grows("pwrite64", 1, 200, 2), "an offset before it");
	ok(grows("fdatasync", 1, 0, 0), "fdatasync too");
	ok(!grows("pwrite64", 1, 200, 2) && !grows("fdatasync", 1, 0, 0), "overwritten and synced");
	ok(!grows("ftruncate", 1, 0, 10) && grows("pwrite64", 1, 1, 10), "cut off, it grows again");
	ok(!grows("ftruncate", 2, 0, 10) && grows("fsync", 2, 0, 0),
	   "truncating upwards is growth");
	ok(!grows("write", 3, -28, 0) && !grows("fsync", 3, 0, 0), "a write that failed");
	ok(!grows("write", 0, 5, 0), "a write to nobody knows what");
	e = call("write", 4, 5, 0);
	e.call.kind = FD_PIPE;
	ok(!growth_event(&growth, &e), "a pipe is no file");
	e = call("write", 4, 5, 0);
	e.call.flags = CALL_UNFINISHED;
	ok(!growth_event(&growth, &e), "a write that never ended");
	e = (struct event){ .type = EVENT_FD, .fd = { .object = 1 } };
	ok(!growth_event(&growth, &e) && grows("write", 1, 1, 0), "the number is used again");
	ok(!grows("read", 1, 7, 0) && grows("write", 1, 1, 0), "reading moves on, too");
	growth_free(&growth);
	return done_testing();
}
