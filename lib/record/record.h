/* SPDX-License-Identifier: MIT */
/*
 * record.h - records the system calls of a command or of running processes by the best backend that
 * works here.
 *
 * A backend is one kernel interface for observing system calls: a folder here and a row in
 * record.c.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/sink.h"
#include "trace/pairing.h"
#include "util/error.h"

struct record_target {
	const char *path;  /* program of the command (program_find()); NULL: running processes */
	char *const *argv; /* of the command */
	const pid_t *pids; /* running processes */
	size_t npids;

	/* Only bpf can do what the following ask for, up to stacks. */
	const char *cgroup; /* directory of a control group whose processes are recorded; or NULL */
	bool aggregate;	    /* calls that are alike are counted in the kernel */
	const char *const
	    *events; /* nevents names of libpfm4, counted while threads run; or NULL */
	size_t nevents, carriers, most_events; /* carriers and most in a group: see group.h */
	bool counts_calls;		       /* the events are read at the ends of calls, too */
	bool stacks;			       /* where calls waited or woke others is recorded */

	const char *const *only; /* nonly names of programs (see program_is()) to be recorded */
	size_t nonly;		 /* 0: all programs */
	const char *backend;	 /* its name, or NULL: the best that works */
	sink_take *take;	 /* receives the events when no trace is written */
	void *take_arg;		 /* for take and take_usage */
	/* Receives what each program used, when it ends.  Unless NULL only processes are recorded
	 * and, with aggregate, calls: by bpf or, for running processes and their descendants, by
	 * ptrace. */
	sink_take_usage *take_usage;
};

struct recording {
	pid_t command;	/* process of the command; 0: running processes */
	bool ended;	/* the command */
	bool unstarted; /* its execve failed, and so did poll() */
	int status;	/* wait(2) status of the command when it has ended */
	int paused; /* the signal that stopped the command (job control) in the last poll, or 0 */
	uint64_t call_cost; /* ns that recording adds to the duration of a call; 0: unknown */
	const struct backend *backend;
	struct error passed; /* why a better backend does not work here, or "" */
	struct sink sink;
	void *state; /* the backend's own */
};

struct backend {
	const char *name;
	const char *lacks; /* what its traces do not have, in words */
	bool stops;	   /* it stops threads at each call, which takes longer; see callcost.h */
	/*
	 * Returns 0 if the backend works here; *reason then says what would make it work better, or
	 * is "".  Otherwise returns -1 and sets *reason and errno: ENOSYS if this kernel lacks it.
	 */
	int (*probe)(struct error *reason);
	/* Starts the command, or attaches to the processes, and sets r->command and, even if it
	 * fails, r->state.  Returns 0, or -1 and sets *e and errno. */
	int (*start)(struct recording *r, const struct record_target *t, struct error *e);
	/*
	 * Stores the next events in r->sink, with their losses, and sets r->ended, r->status and
	 * r->paused.  Returns 1, also when a signal arrives; 0 if no process is left; or -1 and
	 * sets *e.
	 */
	int (*poll)(struct recording *r, struct error *e);
	/* Stores what is left.  A command that still runs goes on unrecorded. */
	void (*stop)(struct recording *r);
	/* Frees r->state. */
	void (*release)(struct recording *r);
	/* Does what record_settle() says. */
	void (*settle)(struct recording *r, pairing_emit *take, void *arg);
};

extern const struct backend bpf_backend, perf_backend, ptrace_backend;

/* How a backend does on this machine. */
struct backend_state {
	const struct backend *backend;
	bool works, used;
	struct error reason; /* what its probe() said, or "" */
};

/* Stores the states of all backends, best first, in *states, which the caller frees, and returns
 * their number.  The one that is used by default is the first that works and that nothing could
 * make work better, or else the first that works. */
size_t record_survey(struct backend_state **states);

/* Returns 0 if t can be asked for.  If its backend does not exist or cannot do what t wants
 * anywhere, returns -1 and sets *e, and errno to EINVAL. */
int record_check(const struct record_target *t, struct error *e);
/*
 * Starts to record t: writes a trace to fd or, if that is -1, passes the events to t->take.  Before
 * that it measures how much a backend that stops threads adds to a call.  Returns 0, or -1 and sets
 * *e and errno: ENOSYS if no backend works on this kernel, EPERM if they are forbidden.  After 0
 * the caller must call record_end(); fd stays the caller's.
 */
int record_start(struct recording *r, int fd, const struct record_target *t, struct error *e);
/* Records what has happened meanwhile; returns what poll() of the backend returns. */
int record_poll(struct recording *r, struct error *e);
/* Stores the calls that the kernel has counted so far (aggregate), which would otherwise come when
 * their thread ends, and passes the calls that still last to `take`, with arg: unfinished, with the
 * duration that they have by now.  Then stores what ended before, unless tens of thousands of
 * calls wait to be read, and perhaps the end of one that was passed. */
void record_settle(struct recording *r, pairing_emit *take, void *arg);
/* Writes what is buffered to the trace; call it once a second.  A failure is noted in r->sink. */
void record_flush(struct recording *r);
/* Ends the recording and the trace, and frees all but the numbers in r.  Returns 0, or -1 and sets
 * *e if the trace could not be written completely. */
int record_end(struct recording *r, struct error *e);

#endif
