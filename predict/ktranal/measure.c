/* SPDX-License-Identifier: MIT */
#include "measure.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/program.h"
#include "record/ptrace/tracer.h"
#include "record/usage.h"
#include "../common/signals.h"
#include "util/map.h"
#include "util/monotonic.h"
#include "util/vec.h"

/* A measurement in progress. */
struct watch {
	const struct measure *m;
	struct tracer *tracer;
	struct usage_log log;
	pid_t command;	    /* 0: none */
	int64_t start, end; /* ns; end: of the command, 0 before */
	int status;
};

static double seconds(int64_t ns)
{
	return (double)ns * 1e-9;
}

/* False when a signal asks to stop, or time is up. */
static bool goes_on(const struct watch *w)
{
	int64_t t = monotonic_ns();

	if (signals_end_watch(w->command, w->end != 0))
		return false;
	if (w->end && seconds(t - w->end) >= w->m->patience)
		return false;
	return w->command || seconds(t - w->start) < w->m->length;
}

/* ---- by ptrace ---- */

/* Attaches to the children of the processes followed so far; returns how many are new, or -1. */
static int attach_children(struct watch *w, struct map *followed, struct error *e)
{
	int added = 0;
	DIR *dir = opendir("/proc");

	if (!dir)
		return error_set(e, "/proc: %s", strerror(errno));
	for (struct dirent *d; added >= 0 && (d = readdir(dir));) {
		pid_t pid = (pid_t)strtol(d->d_name, NULL, 10), process, parent;

		if (pid <= 0 || map_find(followed, (uint64_t)pid) ||
		    program_parent(pid, &process, &parent) || !map_find(followed, (uint64_t)parent))
			continue;
		*map_at(followed, (uint64_t)pid) = 1;
		if (!tracer_attach(w->tracer, pid, e)) {
			usage_log_attach(&w->log, pid, w->start);
			added++;
		} else if (errno != ESRCH) {
			added = -1;
		}
	}
	int why = errno;
	closedir(dir);
	errno = why;
	return added;
}

static int attach(struct watch *w, struct error *e)
{
	struct map followed = { 0 };
	int added = 0;

	for (size_t i = 0; i < w->m->target.npids && added >= 0; i++) {
		pid_t pid = w->m->target.pids[i];

		*map_at(&followed, (uint64_t)pid) = 1;
		added = tracer_attach(w->tracer, pid, e);
		if (!added)
			usage_log_attach(&w->log, pid, w->start);
	}
	do
		added = added < 0 ? -1 : attach_children(w, &followed, e);
	while (added > 0);
	map_free(&followed);
	return added;
}

static int follow(struct watch *w, struct error *e)
{
	struct stop stop;
	int more;

	while ((more = tracer_next(w->tracer, &stop, e)) > 0) {
		usage_log_stop(&w->log, &stop);
		if (stop.kind == STOP_DEATH && stop.tracee->tid == w->command) {
			w->end = stop.time;
			w->status = stop.death.status;
		}
		if (stop.kind == STOP_PAUSE && stop.tracee->tid == w->command)
			signals_pause(w->command, stop.signal.number);
		if (!goes_on(w))
			break;
	}
	return more < 0 ? -1 : 0;
}

/* Seconds of ticks from which the share of user time of one program can be taken. */
static const double enough_ticks = 0.2;

static double share_of(const struct usage *u, double otherwise)
{
	return u->ticks > 0 ? u->user_ticks / u->ticks : otherwise;
}

/*
 * The share of user time of each entry: that of all processes of its program together, or of all
 * programs with few ticks together (see usage.h).  The caller frees.
 */
static double *user_shares(const struct usage_entry *entries, size_t n)
{
	struct names programs = { 0 };
	size_t *program = xcalloc(n, sizeof(*program));
	struct usage *sums = xcalloc(n, sizeof(*sums)), all = { 0 }, few = { 0 };
	double *shares = xcalloc(n, sizeof(*shares));

	for (size_t i = 0; i < n; i++) {
		program[i] = names_add(&programs, entries[i].program.name);
		usage_add(&sums[program[i]], &entries[i].usage, 1);
		usage_add(&all, &entries[i].usage, 1);
	}
	for (size_t i = 0; i < programs.n; i++)
		if (sums[i].ticks < enough_ticks)
			usage_add(&few, &sums[i], 1);
	for (size_t i = 0; i < n; i++) {
		const struct usage *sum = &sums[program[i]];

		shares[i] = share_of(sum->ticks < enough_ticks ? &few : sum, share_of(&all, 1));
	}
	names_free(&programs);
	free(program);
	free(sums);
	return shares;
}

static struct time_program row_of(const struct measure *m, const struct usage_entry *e,
				  int64_t start, double share)
{
	static const enum time_end ends[] = {
		[USAGE_RUNNING] = TIME_RUNNING,
		[USAGE_EXIT] = TIME_EXIT,
		[USAGE_EXEC] = TIME_EXEC,
	};
	const struct usage *u = &e->usage;

	return (struct time_program){
		.program = xstrdup(e->program.name),
		.pid = e->pid,
		.start = seconds(e->begin - start),
		.wall = seconds(e->end - e->begin),
		.threads = e->threads,
		.end = ends[e->how],
		.counted =
		    !m->target.nonly || program_is(&e->program, m->target.only, m->target.nonly),
		.usage = { u->cpu * share, u->cpu * (1 - share), (double)u->voluntary,
			   (double)u->involuntary, (double)u->minor_faults,
			   (double)u->major_faults },
	};
}

void measure_report(const struct measure *m, const struct usage_log *log, int64_t start,
		    struct time_run *r)
{
	struct map processes = { 0 };
	const struct usage_entry *entries = log->entries.v;
	size_t n = log->entries.n;
	double *shares = user_shares(entries, n);

	r->complete = true;
	r->programs = xcalloc(n, sizeof(*r->programs));
	for (; r->nprograms < n; r->nprograms++) {
		const struct usage_entry *e = &entries[r->nprograms];
		struct time_program *p = &r->programs[r->nprograms];

		*p = row_of(m, e, start, shares[r->nprograms]);
		if (!p->counted)
			continue;
		time_usage_add(&r->usage, &p->usage);
		/* After an exec it is the same process and the same first thread. */
		r->threads += p->threads - (double)*map_at(&processes, e->process);
		*map_at(&processes, e->process) = 1;
		r->complete &= e->known && (!m->target.path || e->how != USAGE_RUNNING);
	}
	r->processes = (double)processes.n;
	free(shares);
	map_free(&processes);
}

int measure_by_ptrace(const struct measure *m, struct time_run *r, int *status, struct error *e)
{
	struct watch w = {
		.m = m,
		.start = monotonic_ns(),
		.tracer = tracer_new(&(struct tracer_options){ .corpses = true }),
	};
	int failed = 0;

	signals_hold();
	if (!usage_of_dead()) {
		failed = error_set(e, "this kernel does not show what a dead process used");
		errno = ENOSYS;
	} else if (m->target.path) {
		failed =
		    (w.command = tracer_launch(w.tracer, m->target.path, m->target.argv, e)) < 0
			? -1
			: 0;
	} else {
		failed = attach(&w, e);
	}
	if (!failed) {
		signals_catch();
		failed = follow(&w, e);
		errno = 0; /* no reason to try another way */
	}
	if (!failed) {
		int64_t end = monotonic_ns();

		usage_log_close(&w.log, end);
		measure_report(m, &w.log, w.start, r);
		r->wall = seconds((w.end ? w.end : end) - w.start);
		*status = w.status;
	}
	int why = errno;
	/* Nobody handles their stops any more, and the next run is not about them. */
	if (tracer_threads(w.tracer))
		tracer_detach(w.tracer);
	usage_log_free(&w.log);
	tracer_free(w.tracer);
	errno = why;
	return failed;
}

/* ---- by wait ---- */

static struct time_usage usage_of(const struct rusage *u)
{
	return (struct time_usage){
		(double)u->ru_utime.tv_sec + (double)u->ru_utime.tv_usec * 1e-6,
		(double)u->ru_stime.tv_sec + (double)u->ru_stime.tv_usec * 1e-6,
		(double)u->ru_nvcsw,
		(double)u->ru_nivcsw,
		(double)u->ru_minflt,
		(double)u->ru_majflt,
	};
}

int measure_by_wait(const struct measure *m, struct time_run *r, int *status, struct error *e)
{
	struct watch w = { .m = m, .start = monotonic_ns() };
	struct rusage usage;
	struct held_child child;
	pid_t pid;
	int ended;

	/* Orphans become our children, so that we can wait for them. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signals_hold();
	if (child_start(&child, m->target.path, m->target.argv, e))
		return -1;
	w.command = child.pid;
	child_release(&child);
	signals_catch();
	do {
		pid = wait4(-1, &ended, 0, &usage);
		if (pid > 0) {
			struct time_usage u = usage_of(&usage);

			time_usage_add(&r->usage, &u);
			r->processes++;
			r->threads++;
		}
		if (pid == w.command) {
			w.end = monotonic_ns();
			*status = ended;
		}
	} while ((pid > 0 || errno == EINTR) && goes_on(&w));
	int failed = child_failed(&child, e);
	child_close(&child);
	r->wall = seconds((w.end ? w.end : monotonic_ns()) - w.start);
	r->complete = pid < 0 && errno == ECHILD;
	errno = 0;
	return failed;
}
