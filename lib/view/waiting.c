/* SPDX-License-Identifier: MIT */
#include "view/waiting.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>

#include "trace/event.h"
#include "trace/syscalls.h"
#include "util/map.h"
#include "util/xalloc.h"

static const struct {
	const char *name;
	const char *calls; /* names of calls that wait for this, whatever their descriptor is */
} activities[ACTIVITIES] = {
	[RUNS_USER] = { "user", "" },
	[RUNS_CALL] = { "call", "execve execveat exit exit_group epoll_ctl" },
	[RUNNABLE] = { "runnable", "" },
	[WAITS_WORK] = { "work",
			 "accept accept4 epoll_wait epoll_pwait epoll_pwait2 poll ppoll "
			 "select pselect6 io_uring_accept io_uring_poll_add io_uring_epoll_wait" },
	[WAITS_LOCK] = { "lock", "futex futex_waitv semop semtimedop flock fcntl "
				 "io_uring_futex_wait io_uring_futex_waitv" },
	[WAITS_CONDITION] = { "condition", "msgrcv msgsnd" },
	[WAITS_TIMER] = { "timer", "nanosleep clock_nanosleep io_uring_timeout" },
	[WAITS_CHILD] = { "child", "wait4 waitid vfork io_uring_waitid" },
	[WAITS_SIGNAL] = { "signal", "pause rt_sigsuspend rt_sigtimedwait" },
	[WAITS_DISK] = { "disk", "sync syncfs msync io_getevents io_pgetevents" },
	[WAITS_PIPE] = { "pipe", "" },
	[WAITS_PEER] = { "peer", "connect io_uring_connect" },
	[WAITS_TERMINAL] = { "terminal", "" },
	[WAITS_FAULT] = { "fault", "" },
	[WAITS_OTHER] = { "other", "io_uring_enter restart_syscall" },
	[WAITS_QUEUE] = { "queue", "" },
};

static const enum activity of_kind[FD_KINDS] = {
	[FD_UNKNOWN] = RUNS_CALL,     [FD_FILE] = WAITS_DISK,	      [FD_DIRECTORY] = WAITS_DISK,
	[FD_PIPE] = WAITS_PIPE,	      [FD_UNIX] = WAITS_PEER,	      [FD_TCP] = WAITS_PEER,
	[FD_UDP] = WAITS_PEER,	      [FD_NETLINK] = WAITS_PEER,      [FD_SOCKET] = WAITS_PEER,
	[FD_EPOLL] = WAITS_WORK,      [FD_EVENTFD] = WAITS_CONDITION, [FD_TIMERFD] = WAITS_TIMER,
	[FD_SIGNALFD] = WAITS_SIGNAL, [FD_INOTIFY] = WAITS_WORK,      [FD_PIDFD] = WAITS_CHILD,
	[FD_IOURING] = WAITS_OTHER,   [FD_TTY] = WAITS_TERMINAL,      [FD_DEVICE] = WAITS_DISK,
	[FD_ANON] = WAITS_OTHER,      [FD_MEMFD] = RUNS_CALL,
};

const char *activity_name(enum activity activity)
{
	return activities[activity].name;
}

/* Returns the activity of listed calls plus one, by id. */
static const struct map *listed_calls(void)
{
	static struct map listed;

	if (listed.n)
		return &listed;
	for (int i = 0; i < ACTIVITIES; i++) {
		char *list = xstrdup(activities[i].calls), *rest = list, *word;
		while ((word = strsep(&rest, " ")))
			if (*word)
				*map_at(&listed, syscall_by_name(word)) = (uint64_t)i + 1;
		free(list);
	}
	return &listed;
}

static bool takes_path(const struct syscall *call)
{
	return strchr(call->argument, ARG_PATH);
}

/* Whether e waits for a futex and expects another value than that of a mutex for which threads
 * wait: 2 for the C library, Go and Rust, a bit of its own for musl, robust and priority-inheriting
 * ones.
 */
static bool waits_for_condition(const struct event *e, const char *variant)
{
	uint32_t expected = (uint32_t)e->call.args[2];

	return variant && !strcmp(variant, "wait") &&
	       !strcmp(syscall_get(e->call.id)->name, "futex") && expected != 2 &&
	       !(expected & FUTEX_WAITERS);
}

/* Whether the call's time limit ended it, whatever else it waited for. */
static bool timed_out(const struct event *e, enum activity activity)
{
	bool polls = activity == WAITS_WORK && syscall_get(e->call.id)->returns == RETURNS_INT;

	if (polls && !(e->call.flags & CALL_UNFINISHED) && e->call.result == 0)
		return true;
	return event_failed(e) && syscall_errno_is(e->call.id, e->call.result, ETIMEDOUT);
}

enum activity waiting_for(const struct event *e)
{
	const struct syscall *call = syscall_get(e->call.id);
	const char *variant = syscall_variant(e);
	const uint64_t *at = map_find(listed_calls(), call->same);
	enum activity activity = at ? (enum activity)(*at - 1) : of_kind[e->call.kind % FD_KINDS];

	if (variant && !strcmp(variant, "vfork"))
		return WAITS_CHILD;
	if (variant &&
	    (!strcmp(variant, "wake") || !strcmp(variant, "requeue") || !strcmp(variant, "unlock")))
		return RUNS_CALL;
	/* A call that never ended waits, even if a log leaves out arguments that would show it. */
	if (variant && !strcmp(variant, "nowait") && !(e->call.flags & CALL_UNFINISHED))
		return RUNS_CALL;
	/* fcntl waits only for locks. */
	if (!strcmp(call->name, "fcntl") && (!variant || strcmp(variant, "lock")))
		return RUNS_CALL;
	if (waits_for_condition(e, variant))
		activity = WAITS_CONDITION;
	if (!at && activity == RUNS_CALL && takes_path(call))
		activity = WAITS_DISK;
	return timed_out(e, activity) ? WAITS_TIMER : activity;
}
