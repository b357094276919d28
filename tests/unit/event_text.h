/* SPDX-License-Identifier: MIT */
/* event_text.h - events as text, a line each, for the tests of readers. */
#ifndef UNIT_EVENT_TEXT_H
#define UNIT_EVENT_TEXT_H

#include <inttypes.h>
#include <stdio.h>

#include "trace/event.h"
#include "trace/source.h"
#include "trace/syscalls.h"

/* The words for the CALL_ flags from the lowest on; those of the whole log are not shown. */
static const char *const flags[] = { " unfinished", " orphan",	"",	   "",
				     " restarted",  " textual", " nothing" };

/* "read(3,0,10)=5 <2000>": arguments up to the last that is not 0, result, duration. */
static inline void add_call(FILE *t, const struct event *e)
{
	int n = 6;

	while (n && !e->call.args[n - 1])
		n--;
	fprintf(t, "%s(", syscall_get(e->call.id)->name);
	for (int i = 0; i < n; i++)
		fprintf(t, "%s%" PRId64, i ? "," : "", (int64_t)e->call.args[i]);
	fprintf(t, ")=%" PRId64, e->call.result);
	if (e->call.duration >= 0)
		fprintf(t, " <%" PRId64 ">", e->call.duration);
	if (e->call.path)
		fprintf(t, " '%s'", e->call.path);
	for (unsigned i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		fprintf(t, "%s", e->call.flags & 1 << i ? flags[i] : "");
}

/* One line; the pid is left out if it is the tid, and so is the time if it is 0. */
static inline void add_event(FILE *t, const struct event *e)
{
	if (e->pid != e->tid)
		fprintf(t, "%u/", e->pid);
	fprintf(t, "%u ", e->tid);
	if (e->time)
		fprintf(t, "@%" PRId64 " ", e->time);
	switch (e->type) {
	case EVENT_SYSCALL: add_call(t, e); break;
	case EVENT_FORK:
		fprintf(t, "fork %u/%u%s", e->fork.child_pid, e->fork.child_tid,
			e->fork.shares_files ? " shares files" : "");
		break;
	case EVENT_EXEC: fprintf(t, "exec %s", e->exec.command); break;
	case EVENT_EXIT:
		fprintf(t, "exit %d%s", e->exit.status, e->exit.last ? " last" : "");
		break;
	case EVENT_SIGNAL: fprintf(t, "signal %d", e->signal.signal); break;
	case EVENT_COMM: fprintf(t, "comm %s", e->comm.name); break;
	case EVENT_LOST:
		fprintf(t, "lost %" PRIu64 " class %d", e->lost.count, e->lost.class);
		break;
	case EVENT_SWITCH:
		fprintf(t, "%s cpu %u state %d next %u", e->change.out ? "out" : "in",
			e->change.cpu, e->change.state, e->change.next);
		break;
	case EVENT_MARK:
		fprintf(t, "mark %u %s %" PRIu64 " %" PRIu64, e->mark.verb, e->mark.name,
			e->mark.amount, e->mark.tag);
		break;
	case EVENT_WAKE:
		fprintf(t, "wakes %u cpu %u from %u", e->wake.target, e->wake.cpu, e->wake.from);
		break;
	case EVENT_INTERRUPT:
		fprintf(t, "interrupt %u soft %d cpu %u <%" PRId64 ">", e->interrupt.number,
			e->interrupt.soft, e->interrupt.cpu, e->interrupt.duration);
		break;
	case EVENT_FAULT:
		fprintf(t, "fault %" PRIx64 "%s %s", e->fault.address,
			e->fault.write ? " write" : "", fault_kind_name(e->fault.kind));
		break;
	case EVENT_CLOCK: fprintf(t, "clock %" PRId64, e->clock.realtime); break;
	case EVENT_FD:
		fprintf(t, "fd %u %s %s", e->fd.object, fd_kind_name(e->fd.kind), e->fd.name);
		break;
	default: fprintf(t, "event %d", e->type);
	}
	fprintf(t, "\n");
}

#endif
