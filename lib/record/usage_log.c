/* SPDX-License-Identifier: MIT */
#include "record/usage_log.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/map.h"
#include "util/vec.h"

enum { NO_ENTRY = -1 };

struct logged_process {
	size_t number;
	ptrdiff_t entry;     /* of its present program, or NO_ENTRY */
	uint32_t threads;    /* alive */
	struct usage before; /* used when that program began */
	struct usage dead;   /* context switches of its threads that have ended */
	uint64_t stops;	     /* of all its threads: context switches that tracing caused */
};

struct usage_log {
	struct map processes; /* pid -> struct logged_process * */
	size_t numbers;
	struct callcount *callcount; /* NULL: calls are not counted */
	VEC(struct usage_entry) entries;
};

struct usage_log *usage_log_new(struct callcount *c)
{
	struct usage_log *l = xcalloc(1, sizeof(*l));

	l->callcount = c;
	return l;
}

const struct usage_entry *usage_log_entries(const struct usage_log *l, size_t *n)
{
	*n = l->entries.n;
	return l->entries.v;
}

static struct logged_process *find(const struct usage_log *l, pid_t pid)
{
	uint64_t *at = map_find(&l->processes, (uint64_t)pid);

	return at ? (struct logged_process *)(uintptr_t)*at : NULL;
}

static struct logged_process *add(struct usage_log *l, pid_t pid)
{
	struct logged_process *p = xcalloc(1, sizeof(*p));

	p->number = l->numbers++;
	p->entry = NO_ENTRY;
	p->threads = 1;
	*map_at(&l->processes, (uint64_t)pid) = (uintptr_t)p;
	return p;
}

void usage_log_free(struct usage_log *l)
{
	uint64_t pid, p;

	if (!l)
		return;
	for (size_t at = 0; map_next(&l->processes, &at, &pid, &p);)
		free((struct logged_process *)(uintptr_t)p);
	map_free(&l->processes);
	for (size_t i = 0; i < l->entries.n; i++)
		free(l->entries.v[i].calls);
	vec_free(&l->entries);
	free(l);
}

/* What process pid has used since it was born, without the context switches that tracing caused. */
static bool read_all(const struct logged_process *p, pid_t pid, struct usage *u)
{
	if (usage_read(pid, u, NULL))
		return false;
	usage_add(u, &p->dead);
	u->voluntary -= (int64_t)p->stops;
	return true;
}

static void begin_entry(struct usage_log *l, struct logged_process *p, pid_t pid, int64_t now)
{
	p->entry = (ptrdiff_t)l->entries.n;
	vec_push(&l->entries, (struct usage_entry){
				  .pid = pid,
				  .process = p->number,
				  .begin = now,
				  .end = now,
				  .threads = p->threads,
			      });
	program_of(pid, &l->entries.v[p->entry].program);
}

/* Moves the calls that process pid has made since the last time to entry (NULL: drops them). */
static void take_calls(struct usage_log *l, pid_t pid, struct usage_entry *entry)
{
	struct call_count *calls;

	if (!l->callcount)
		return;
	size_t n = callcount_take(l->callcount, pid, &calls);
	if (entry) {
		entry->calls = calls;
		entry->ncalls = n;
	} else {
		free(calls);
	}
}

/* The context switches of a thread whose end was not seen are missing: the difference may become negative. */
static void at_least_zero(struct usage *u)
{
	u->voluntary = u->voluntary > 0 ? u->voluntary : 0;
	u->involuntary = u->involuntary > 0 ? u->involuntary : 0;
}

static void end_entry(struct usage_log *l, struct logged_process *p, pid_t pid, int64_t now,
		      enum usage_end how)
{
	struct usage all;
	bool known = read_all(p, pid, &all);

	if (!known)
		all = p->before;
	take_calls(l, pid, p->entry == NO_ENTRY ? NULL : &l->entries.v[p->entry]);
	if (p->entry != NO_ENTRY) {
		struct usage_entry *e = &l->entries.v[p->entry];

		e->end = now;
		e->how = how;
		e->known = known;
		e->usage = all;
		usage_subtract(&e->usage, &p->before);
		at_least_zero(&e->usage);
	}
	p->entry = NO_ENTRY;
	p->before = all;
}

static uint32_t count_threads(pid_t pid)
{
	char path[32];
	uint32_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *dir = opendir(path);
	for (struct dirent *d; dir && (d = readdir(dir));)
		n += *d->d_name != '.';
	if (dir)
		closedir(dir);
	return n ? n : 1;
}

void usage_log_attach(struct usage_log *l, pid_t pid, int64_t now)
{
	struct logged_process *p = find(l, pid) ? NULL : add(l, pid);

	if (!p)
		return;
	p->threads = count_threads(pid);
	read_all(p, pid, &p->before);
	take_calls(l, pid, NULL);
	begin_entry(l, p, pid, now);
}

static void on_birth(struct usage_log *l, struct logged_process *p, const struct stop *s)
{
	const struct tracee *child = s->birth.child;

	if (child->pid == child->tid) {
		take_calls(l, child->pid, NULL); /* of an earlier process with this number */
		begin_entry(l, add(l, child->pid), child->pid, s->time);
		return;
	}
	p->threads++;
	if (p->entry != NO_ENTRY)
		l->entries.v[p->entry].threads++;
}

static void on_death(struct usage_log *l, struct logged_process *p, const struct stop *s)
{
	const struct tracee *c = s->tracee;
	struct usage switches = { 0 };

	if (s->death.last) {
		end_entry(l, p, c->pid, s->time, USAGE_EXIT);
		map_remove(&l->processes, (uint64_t)c->pid);
		free(p);
		return;
	}
	p->threads--;
	if (!usage_switches(c->pid, c->tid, &switches.voluntary, &switches.involuntary))
		usage_add(&p->dead, &switches);
}

void usage_log_stop(struct usage_log *l, const struct stop *s)
{
	struct tracee *c = s->tracee;
	struct logged_process *p;

	if (!c)
		return;
	p = find(l, c->pid);
	if (!p)
		p = add(l, c->pid);
	p->stops += c->stops - (uint64_t)(uintptr_t)c->state; /* those since its last stop here */
	c->state = (void *)(uintptr_t)c->stops;
	switch (s->kind) {
	case STOP_BIRTH: on_birth(l, p, s); break;
	case STOP_EXEC:
		end_entry(l, p, c->pid, s->time, USAGE_EXEC);
		p->threads = 1;
		begin_entry(l, p, c->pid, s->time);
		break;
	case STOP_DEATH: on_death(l, p, s); break;
	default: break;
	}
}

void usage_log_close(struct usage_log *l, int64_t now)
{
	uint64_t pid, p;

	for (size_t at = 0; map_next(&l->processes, &at, &pid, &p);)
		end_entry(l, (struct logged_process *)(uintptr_t)p, (pid_t)pid, now, USAGE_RUNNING);
}
