/* SPDX-License-Identifier: MIT */
/*
 * record.h - records the system calls of a command or of running processes by the best backend that
 * works here.
 *
 * A backend is one kernel interface for observing system calls: a folder here and a row in
 * record.c.
 */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/sink.h"
#include "trace/pairing.h"
#include "util/error.h"

struct record_target {
	const char *path;  /* program of the command (see program_find); NULL: running processes */
	char *const *argv; /* of the command */
	const pid_t *pids; /* running processes */
	size_t npids;
	const char
	    *cgroup;	/* directory of a control group: all its processes, by bpf alone; or NULL */
	bool aggregate; /* calls that are alike are counted in the kernel, by bpf alone */
	const char *const *events; /* of libpfm4, counted while threads run, by bpf alone */
	size_t nevents, carriers, most_events; /* carriers and most in a group: see group.h */
	bool counts_calls;		       /* ... and read at the ends of calls, too */
	const char *const *only; /* record only processes of these programs (see program_is) */
	size_t nonly;		 /* 0: all */
	const char *backend;	 /* its name; NULL: the best that works */
	sink_take *take;	 /* gets the events when no trace is written; and its argument */
	void *take_arg;
	/* Gets what each program used, and when it ends; then nothing but processes, and calls with
	 * aggregate, is recorded, by bpf or, for running processes with their descendants, by
	 * ptrace. */
	sink_take_usage *take_usage;
};

struct recording {
	pid_t command; /* process of the command; 0: running processes */
	bool ended;    /* the command */
	int status;    /* wait(2) status of the command when it has ended */
	int paused; /* signal by which job control stopped the command during the last poll, or 0 */
	uint64_t call_cost; /* ns that recording adds to the duration of a call; 0: unknown */
	const struct backend *backend;
	struct error passed; /* why a better backend does not work here; "" */
	struct sink sink;
	void *state; /* of the backend */
};

struct backend {
	const char *name;
	const char *lacks; /* what its traces do not have, in words */
	bool stops; /* it stops threads at each call, which lasts longer by a time to be measured */
	/*
	 * 0 when it works here, and *reason may say what would make it better.  -1, *reason and
	 * errno when it does not: ENOSYS when this kernel lacks it.
	 */
	int (*probe)(struct error *reason);
	/* Starts the command, or attaches to the processes, and sets r->command and, also when it
	 * fails, r->state.  0, or -1, *e and errno. */
	int (*start)(struct recording *r, const struct record_target *t, struct error *e);
	/*
	 * Stores the next events in r->sink, with their losses, and sets r->ended, status and
	 * paused.  Returns early when a signal arrives.  1; 0 when no process is left; -1 and *e.
	 */
	int (*poll)(struct recording *r, struct error *e);
	/* Stores what is left.  A command that still runs goes on unrecorded. */
	void (*stop)(struct recording *r);
	/* Frees r->state. */
	void (*release)(struct recording *r);
	/* Stores what has only been counted so far, and hands take the calls that go on. */
	void (*settle)(struct recording *r, pairing_emit *take, void *arg);
};

extern const struct backend bpf_backend, perf_backend, ptrace_backend;

/* A backend on this machine. */
struct backend_state {
	const struct backend *backend;
	bool works, used;
	struct error reason; /* of probe; "" */
};

/* The states of all backends, best first, in fresh memory; the one used by default is the first
 * that works without a reason that something could make it better, else the first that works.
 * Returns their number. */
size_t record_survey(struct backend_state **states);

/* Whether t can be asked for: 0, or -1, *e and EINVAL when its backend does not exist, or never
 * does what t wants. */
int record_check(const struct record_target *t, struct error *e);
/*
 * Writes a trace to fd or, if that is -1, gives the events to t->take.  What the stops of a backend
 * cost is measured before.  0, or -1, *e and errno: ENOSYS when no backend works on this kernel,
 * EPERM when they are forbidden.
 */
int record_start(struct recording *r, int fd, const struct record_target *t, struct error *e);
/* As poll of struct backend. */
int record_poll(struct recording *r, struct error *e);
/* Stores the calls that the kernel has counted so far (aggregate), which come later otherwise, and
 * hands take, with its argument, those that go on: unfinished, and as long as they are by now. */
void record_settle(struct recording *r, pairing_emit *take, void *arg);
/* Writes what is buffered: due once a second.  A failure is in r->sink. */
void record_flush(struct recording *r);
/* Ends the trace; r keeps its numbers.  0, or -1 and *e when the trace is not complete. */
int record_end(struct recording *r, struct error *e);

#endif
