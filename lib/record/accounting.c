/* SPDX-License-Identifier: MIT */
#include "record/accounting.h"

#include <stdlib.h>

#include "record/usage.h"
#include "util/xalloc.h"

struct process {
	struct usage dead;   /* its threads that have ended */
	struct usage stored; /* all, up to the last event that says so */
};

static struct process *process_of(struct accounting *u, uint32_t pid)
{
	struct process *p = map_pointer(&u->processes, pid);

	if (!p)
		*map_at(&u->processes, pid) = (uintptr_t)(p = xcalloc(1, sizeof(*p)));
	return p;
}

static struct usage usage_of(const struct record_usage *r)
{
	return (struct usage){
		.cpu = (double)r->runtime * 1e-9,
		.ticks = (double)(r->user + r->system) * 1e-9,
		.user_ticks = (double)r->user * 1e-9,
		.voluntary = (int64_t)r->voluntary,
		.involuntary = (int64_t)r->involuntary,
		.minor_faults = (int64_t)r->minor_faults,
		.major_faults = (int64_t)r->major_faults,
		.wakeups = (int64_t)r->wakeups,
	};
}

int accounting_read(const struct accounting *u, uint32_t pid, struct record_usage *r)
{
	struct usage all = { 0 };
	int failed =
	    (u->sink->take_usage ? usage_read : usage_read_without_switches)((pid_t)pid, &all);

	*r = (struct record_usage){
		.runtime = (uint64_t)(all.cpu * 1e9 + 0.5),
		.user = (uint64_t)(all.user_ticks * 1e9 + 0.5),
		.system = (uint64_t)((all.ticks - all.user_ticks) * 1e9 + 0.5),
		.minor_faults = (uint64_t)all.minor_faults,
		.major_faults = (uint64_t)all.major_faults,
		.voluntary = (uint64_t)all.voluntary,
		.involuntary = (uint64_t)all.involuntary,
	};
	return failed;
}

/* Returns what all threads of a process have used; alive: its only living one, or NULL. */
static struct usage all_of(struct accounting *u, uint32_t pid, const struct record_usage *alive)
{
	struct usage all = process_of(u, pid)->dead;

	if (alive) {
		const struct usage usage = usage_of(alive);

		usage_add(&all, &usage, 1);
	}
	return all;
}

void accounting_begin(struct accounting *u, uint32_t pid, const struct record_usage *alive)
{
	process_of(u, pid)->stored = all_of(u, pid, alive);
}

/* Reads it from /proc, which knows neither the context switches of threads that have ended, nor how
 * often any woke others: see follower_woke(). */
static int read_present(struct accounting *u, uint32_t pid, struct usage *all)
{
	const struct process *p = process_of(u, pid);
	struct record_usage r;
	int failed = accounting_read(u, pid, &r);

	*all = usage_of(&r);
	all->voluntary += p->dead.voluntary;
	all->involuntary += p->dead.involuntary;
	all->wakeups += p->dead.wakeups;
	return failed;
}

void accounting_attach(struct accounting *u, uint32_t pid)
{
	read_present(u, pid, &process_of(u, pid)->stored);
}

void accounting_past(struct accounting *u, uint32_t pid, const struct record_usage *dead)
{
	process_of(u, pid)->dead = usage_of(dead);
}

void accounting_thread_ends(struct accounting *u, uint32_t pid, const struct record_usage *thread)
{
	const struct usage usage = usage_of(thread);

	usage_add(&process_of(u, pid)->dead, &usage, 1);
}

/* Stores what a process that has used `all` so far used since the last such event. */
static void store(struct accounting *u, uint32_t pid, int64_t time, const struct usage *all)
{
	struct usage *last = &process_of(u, pid)->stored;
	const struct usage since = usage_since(all, last);

	sink_store_usage(u->sink, (pid_t)pid, time, &since);
	*last = *all;
}

void accounting_store(struct accounting *u, uint32_t pid, int64_t time,
		      const struct record_usage *alive)
{
	const struct usage all = all_of(u, pid, alive);

	/* The kernel has not charged any CPU time yet to a process that has just begun, but it has
	 * had page faults. */
	if (all.cpu > 0 || all.minor_faults > 0)
		store(u, pid, time, &all);
	else
		sink_store_usage(u->sink, (pid_t)pid, time, NULL);
}

int accounting_store_present(struct accounting *u, uint32_t pid, int64_t time)
{
	struct usage all;

	if (read_present(u, pid, &all))
		return -1;
	store(u, pid, time, &all);
	return 0;
}

void accounting_end(struct accounting *u, uint32_t pid)
{
	free(map_pointer(&u->processes, pid));
	map_remove(&u->processes, pid);
}

void accounting_free(struct accounting *u)
{
	void *p;

	for (size_t at = 0; (p = map_next_pointer(&u->processes, &at));)
		free(p);
	map_free(&u->processes);
}
