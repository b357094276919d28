/* SPDX-License-Identifier: MIT */
/* Tests of what calls wait for. */
#include "view/waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <string.h>

#include "../tap.h"
#include "calls.h"

static void test_reasons(void)
{
	static const struct {
		const char *call;
		enum fd_kind kind;
		uint64_t args[6];
		int64_t result;
		enum activity want;
	} cases[] = {
		{ "read", FD_TCP, { 0 }, 1, WAITS_PEER },
		{ "read", FD_FILE, { 0 }, 1, WAITS_DISK },
		{ "read", FD_EVENTFD, { 0 }, 8, WAITS_CONDITION },
		{ "msgrcv", FD_UNKNOWN, { 0 }, 8, WAITS_CONDITION },
		{ "read", FD_TIMERFD, { 0 }, 8, WAITS_TIMER },
		{ "read", FD_TTY, { 0 }, 1, WAITS_TERMINAL },
		{ "read", FD_UNKNOWN, { 0 }, 1, RUNS_CALL },
		{ "accept4", FD_TCP, { 0 }, 0, WAITS_WORK },
		{ "epoll_wait", FD_EPOLL, { 0, 0, 0, 50 }, 1, WAITS_WORK },
		{ "epoll_wait", FD_EPOLL, { 0, 0, 0, 50 }, 0, WAITS_TIMER },
		{ "epoll_wait", FD_EPOLL, { 0, 0, 0, 0 }, 0, RUNS_CALL },
		{ "epoll_ctl", FD_EPOLL, { 0, 1 }, 0, RUNS_CALL },
		{ "futex", FD_UNKNOWN, { 0, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2 }, 0, WAITS_LOCK },
		{ "futex", FD_UNKNOWN, { 0, FUTEX_WAIT, FUTEX_WAITERS | 7 }, 0, WAITS_LOCK },
		{ "futex", FD_UNKNOWN, { 0, FUTEX_LOCK_PI }, 0, WAITS_LOCK },
		{ "futex", FD_UNKNOWN, { 0, FUTEX_WAIT_BITSET, 4 }, 0, WAITS_CONDITION },
		{ "futex", FD_UNKNOWN, { 0, FUTEX_WAIT }, -ETIMEDOUT, WAITS_TIMER },
		{ "futex", FD_UNKNOWN, { 0, FUTEX_WAKE | FUTEX_PRIVATE_FLAG }, 1, RUNS_CALL },
		{ "fcntl", FD_FILE, { 3, F_SETLKW }, 0, WAITS_LOCK },
		{ "fcntl", FD_PIPE, { 3, F_GETFL }, 0, RUNS_CALL },
		{ "openat", FD_FILE, { 0 }, 3, WAITS_DISK },
		{ "unlink", FD_UNKNOWN, { 0 }, 0, WAITS_DISK },
		{ "execve", FD_UNKNOWN, { 0 }, 0, RUNS_CALL },
		{ "fsync", FD_FILE, { 0 }, 0, WAITS_DISK },
		{ "clone", FD_UNKNOWN, { 0x4000 }, 9, WAITS_CHILD },
		{ "clone", FD_UNKNOWN, { 17 }, 9, RUNS_CALL },
		{ "getpid", FD_UNKNOWN, { 0 }, 9, RUNS_CALL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct event e = call(cases[i].call, 0, 1, cases[i].result);

		e.call.kind = cases[i].kind;
		memcpy(e.call.args, cases[i].args, sizeof(e.call.args));
		is_string(activity_name(waiting_for(&e)), activity_name(cases[i].want),
			  "%s on %s = %" PRId64, cases[i].call, fd_kind_name(cases[i].kind),
			  cases[i].result);
	}
}

int main(void)
{
	test_reasons();
	return done_testing();
}
