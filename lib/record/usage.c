/* SPDX-License-Identifier: MIT */
#include "record/usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/file.h"
#include "util/vec.h"

/* The CPU clocks of another process, as in the kernel's <linux/posix-timers.h>. */
enum cpu_clock {
	CLOCK_TICKS = 0, /* user and system ticks */
	CLOCK_USER_TICKS = 1,
	CLOCK_SCHEDULER = 2, /* exact */
};

static int read_clock(pid_t pid, enum cpu_clock which, double *seconds)
{
	clockid_t id = (clockid_t)(~(unsigned)pid << 3 | which);
	struct timespec t;

	if (clock_gettime(id, &t))
		return -1;
	*seconds = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
	return 0;
}

static int read_times(pid_t pid, struct usage *u)
{
	return read_clock(pid, CLOCK_SCHEDULER, &u->cpu) | read_clock(pid, CLOCK_TICKS, &u->ticks) |
	       read_clock(pid, CLOCK_USER_TICKS, &u->user_ticks);
}

/* minflt and majflt of /proc/PID/stat: fields 10 and 12, the third being the first after ')'. */
static int read_faults(pid_t pid, struct usage *u)
{
	enum { COMMAND = 2, MINFLT = 10, MAJFLT = 12 };
	char path[64], line[1024];
	int64_t *const wanted[] = { [MINFLT] = &u->minor_faults, [MAJFLT] = &u->major_faults };

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file_first_line(path, line, sizeof(line));
	const char *p = strrchr(line, ')'); /* the name may hold anything */
	/* By hand, since the recorder reads this at each exec and exit: scanf takes longer than the
	 * kernel. */
	for (int field = COMMAND + 1; p && (p = strchr(p, ' ')) && field <= MAJFLT; field++) {
		p++;
		if (wanted[field])
			*wanted[field] = strtoll(p, NULL, 10);
	}
	return p ? 0 : -1;
}

/* Adds the context switches of one thread. */
static void add_switches(pid_t tid, struct usage *u)
{
	static const char *const fields[] = { "voluntary_ctxt_switches",
					      "nonvoluntary_ctxt_switches" };
	uint64_t values[2] = { 0, 0 };

	program_status(tid, fields, 10, values, 2);
	u->voluntary += (int64_t)values[0];
	u->involuntary += (int64_t)values[1];
}

static void sum_switches(pid_t pid, struct usage *u)
{
	pid_t *tids;
	int n = program_threads(pid, &tids);

	for (int i = 0; i < n; i++)
		add_switches(tids[i], u);
	free(tids);
}

int usage_read_without_switches(pid_t pid, struct usage *u)
{
	*u = (struct usage){ 0 };
	return read_times(pid, u) || read_faults(pid, u) ? -1 : 0;
}

int usage_read(pid_t pid, struct usage *u)
{
	if (usage_read_without_switches(pid, u))
		return -1;
	sum_switches(pid, u);
	return 0;
}

bool usage_of_dead(void)
{
	siginfo_t info;
	struct usage u;
	pid_t pid = fork();

	if (pid < 0)
		return false;
	if (pid == 0)
		_exit(0);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	bool known = !usage_read(pid, &u);
	waitpid(pid, NULL, 0);
	return known;
}

void usage_add(struct usage *a, const struct usage *b, int factor)
{
	a->cpu += factor * b->cpu;
	a->ticks += factor * b->ticks;
	a->user_ticks += factor * b->user_ticks;
	a->voluntary += factor * b->voluntary;
	a->involuntary += factor * b->involuntary;
	a->minor_faults += factor * b->minor_faults;
	a->major_faults += factor * b->major_faults;
}

struct usage usage_since(const struct usage *now, const struct usage *then)
{
	const double rounding = 0.5e-9;
	struct usage u = *now;
	double *const seconds[] = { &u.cpu, &u.ticks, &u.user_ticks };
	int64_t *const counts[] = { &u.voluntary, &u.involuntary, &u.minor_faults,
				    &u.major_faults };

	usage_add(&u, then, -1);
	for (int i = 0; i < 3; i++)
		*seconds[i] = *seconds[i] > rounding ? *seconds[i] : 0;
	for (int i = 0; i < 4; i++)
		*counts[i] = *counts[i] > 0 ? *counts[i] : 0;
	return u;
}

/* ---- the log ---- */

enum { NO_ENTRY = -1 };

struct logged_process {
	size_t number;
	ptrdiff_t entry;     /* of its present program, or NO_ENTRY */
	uint32_t threads;    /* alive */
	struct usage before; /* used when that program began */
	struct usage dead;   /* context switches of its threads that have ended */
	uint64_t stops;	     /* of all its threads: context switches that tracing caused */
};

static struct logged_process *add(struct usage_log *l, pid_t pid)
{
	struct logged_process *p = xcalloc(1, sizeof(*p));

	p->number = l->numbers++;
	p->entry = NO_ENTRY;
	p->threads = 1;
	*map_at(&l->processes, (uint64_t)pid) = (uintptr_t)p;
	return p;
}

static void remove_process(struct usage_log *l, pid_t pid)
{
	free(map_pointer(&l->processes, (uint64_t)pid));
	map_remove(&l->processes, (uint64_t)pid);
}

void usage_log_free(struct usage_log *l)
{
	void *p;

	for (size_t at = 0; (p = map_next_pointer(&l->processes, &at));)
		free(p);
	map_free(&l->processes);
	vec_free(&l->entries);
}

/* What process pid has used since it was born, without the context switches that tracing caused. */
static bool read_all(const struct logged_process *p, pid_t pid, struct usage *u)
{
	if (usage_read(pid, u))
		return false;
	usage_add(u, &p->dead, 1);
	u->voluntary -= (int64_t)p->stops;
	return true;
}

static struct program *begin_entry(struct usage_log *l, struct logged_process *p, pid_t pid,
				   int64_t now)
{
	p->entry = (ptrdiff_t)l->entries.n;
	vec_push(&l->entries, (struct usage_entry){
				  .pid = pid,
				  .process = p->number,
				  .begin = now,
				  .end = now,
				  .threads = p->threads,
			      });
	return &l->entries.v[p->entry].program;
}

static void begin_present(struct usage_log *l, struct logged_process *p, pid_t pid, int64_t now)
{
	program_of(pid, begin_entry(l, p, pid, now));
}

static void end_entry(struct usage_log *l, struct logged_process *p, pid_t pid, int64_t now,
		      enum usage_end how)
{
	struct usage all;
	bool known = read_all(p, pid, &all);

	if (!known)
		all = p->before;
	if (p->entry != NO_ENTRY) {
		struct usage_entry *e = &l->entries.v[p->entry];

		e->end = now;
		e->how = how;
		e->known = known;
		e->usage = usage_since(&all, &p->before);
	}
	p->entry = NO_ENTRY;
	p->before = all;
}

static uint32_t count_threads(pid_t pid)
{
	pid_t *tids;
	int n = program_threads(pid, &tids);

	free(tids);
	return n > 0 ? (uint32_t)n : 1;
}

void usage_log_attach(struct usage_log *l, pid_t pid, int64_t now)
{
	struct logged_process *p;

	if (map_pointer(&l->processes, (uint64_t)pid))
		return;
	p = add(l, pid);
	p->threads = count_threads(pid);
	read_all(p, pid, &p->before);
	begin_present(l, p, pid, now);
}

static void add_thread(struct usage_log *l, struct logged_process *p)
{
	p->threads++;
	if (p->entry != NO_ENTRY)
		l->entries.v[p->entry].threads++;
}

static void on_birth(struct usage_log *l, struct logged_process *p, const struct stop *s)
{
	const struct tracee *child = s->birth.child;

	if (child->pid == child->tid) {
		begin_present(l, add(l, child->pid), child->pid, s->time);
		return;
	}
	add_thread(l, p);
}

static void on_death(struct usage_log *l, struct logged_process *p, const struct stop *s)
{
	const struct tracee *c = s->tracee;

	if (s->death.last) {
		end_entry(l, p, c->pid, s->time, USAGE_EXIT);
		remove_process(l, c->pid);
		return;
	}
	p->threads--;
	add_switches(c->tid, &p->dead);
}

void usage_log_stop(struct usage_log *l, const struct stop *s)
{
	struct tracee *c = s->tracee;
	struct logged_process *p;

	if (!c)
		return;
	p = map_pointer(&l->processes, (uint64_t)c->pid);
	if (!p)
		p = add(l, c->pid);
	p->stops += c->stops - (uint64_t)(uintptr_t)c->state; /* those since its last stop here */
	c->state = (void *)(uintptr_t)c->stops;
	switch (s->kind) {
	case STOP_BIRTH: on_birth(l, p, s); break;
	case STOP_EXEC:
		end_entry(l, p, c->pid, s->time, USAGE_EXEC);
		p->threads = 1;
		begin_present(l, p, c->pid, s->time);
		break;
	case STOP_DEATH: on_death(l, p, s); break;
	default: break;
	}
}

void usage_log_used(struct usage_log *l, pid_t pid, int64_t now, const struct usage *u)
{
	struct logged_process *p = map_pointer(&l->processes, (uint64_t)pid);

	if (!p)
		return; /* the command before its execve */
	struct usage_entry *e = &l->entries.v[p->entry];
	e->end = now;
	e->known = u;
	if (u)
		e->usage = *u;
}

ptrdiff_t usage_log_present(const struct usage_log *l, pid_t pid)
{
	const struct logged_process *p = map_pointer(&l->processes, (uint64_t)pid);

	return p ? p->entry : NO_ENTRY;
}

static void on_fork(struct usage_log *l, const struct event *e, int64_t now)
{
	struct logged_process *p = map_pointer(&l->processes, e->pid);

	if (!p)
		return;
	if (e->fork.child_pid == e->pid) {
		add_thread(l, p);
		return;
	}
	struct program program = l->entries.v[p->entry].program;
	pid_t child = (pid_t)e->fork.child_pid;
	remove_process(l, child);
	*begin_entry(l, add(l, child), child, now) = program;
}

static void on_exec(struct usage_log *l, const struct event *e, int64_t now)
{
	struct logged_process *p = map_pointer(&l->processes, e->pid);

	if (p)
		l->entries.v[p->entry].how = USAGE_EXEC;
	else
		p = add(l, (pid_t)e->pid);
	p->threads = 1;
	struct program *program = begin_entry(l, p, (pid_t)e->pid, now);
	snprintf(program->name, sizeof(program->name), "%s", e->exec.name);
	snprintf(program->file, sizeof(program->file), "%s", e->exec.file);
}

void usage_log_event(struct usage_log *l, const struct event *e, int64_t now)
{
	struct logged_process *p = map_pointer(&l->processes, e->pid);

	if (e->type == EVENT_FORK) {
		on_fork(l, e, now);
	} else if (e->type == EVENT_EXEC) {
		on_exec(l, e, now);
	} else if (e->type == EVENT_EXIT && p && e->exit.last) {
		l->entries.v[p->entry].how = USAGE_EXIT;
		remove_process(l, (pid_t)e->pid);
	}
}

void usage_log_close(struct usage_log *l, int64_t now)
{
	uint64_t pid, p;

	for (size_t at = 0; map_next(&l->processes, &at, &pid, &p);)
		end_entry(l, (struct logged_process *)(uintptr_t)p, (pid_t)pid, now, USAGE_RUNNING);
}
