/* SPDX-License-Identifier: MIT */
#include "record/used.h"

#include <stdlib.h>

#include "record/usage.h"
#include "util/xalloc.h"

struct process {
	struct record_usage dead;   /* its threads that have ended */
	struct record_usage stored; /* all, up to the last event that says so */
};

static struct process *process_of(struct used *u, uint32_t pid)
{
	struct process *p = map_pointer(&u->processes, pid);

	if (!p)
		*map_at(&u->processes, pid) = (uintptr_t)(p = xcalloc(1, sizeof(*p)));
	return p;
}

static void add(struct record_usage *sum, const struct record_usage *u)
{
	sum->runtime += u->runtime;
	sum->user += u->user;
	sum->system += u->system;
	sum->minor_faults += u->minor_faults;
	sum->major_faults += u->major_faults;
	sum->voluntary += u->voluntary;
	sum->involuntary += u->involuntary;
}

/* What process pid has used so far, from /proc.  0 or -1. */
static int read_present(uint32_t pid, struct record_usage *out)
{
	struct usage u;

	if (usage_read_without_switches((pid_t)pid, &u))
		return -1;
	*out = (struct record_usage){
		.runtime = (uint64_t)(u.cpu * 1e9),
		.user = (uint64_t)(u.user_ticks * 1e9),
		.system = (uint64_t)((u.ticks - u.user_ticks) * 1e9),
		.minor_faults = (uint64_t)u.minor_faults,
		.major_faults = (uint64_t)u.major_faults,
	};
	return 0;
}

void used_begin(struct used *u, uint32_t pid)
{
	process_of(u, pid);
}

void used_attach(struct used *u, uint32_t pid)
{
	read_present(pid, &process_of(u, pid)->stored);
}

void used_past(struct used *u, uint32_t pid, const struct record_usage *dead)
{
	process_of(u, pid)->dead = *dead;
}

void used_thread_ends(struct used *u, uint32_t pid, const struct record_usage *thread)
{
	add(&process_of(u, pid)->dead, thread);
}

static double difference(uint64_t now, uint64_t then)
{
	return now > then ? (double)(now - then) : 0;
}

/* Stores what it used since the last such event, if it is `all` so far. */
static void store(struct used *u, uint32_t pid, int64_t time, const struct record_usage *all)
{
	struct record_usage *last = &process_of(u, pid)->stored;
	double user = difference(all->user, last->user) * 1e-9;
	const struct usage since = {
		.cpu = difference(all->runtime, last->runtime) * 1e-9,
		.user_ticks = user,
		.ticks = user + difference(all->system, last->system) * 1e-9,
		.minor_faults = (int64_t)difference(all->minor_faults, last->minor_faults),
		.major_faults = (int64_t)difference(all->major_faults, last->major_faults),
		.voluntary = (int64_t)difference(all->voluntary, last->voluntary),
		.involuntary = (int64_t)difference(all->involuntary, last->involuntary),
	};

	sink_store_usage(u->sink, (pid_t)pid, time, &since);
	*last = *all;
}

void used_store(struct used *u, uint32_t pid, int64_t time, const struct record_usage *alive)
{
	struct record_usage all = process_of(u, pid)->dead;

	if (u->unknown) {
		sink_store_usage(u->sink, (pid_t)pid, time, NULL);
		return;
	}
	if (alive)
		add(&all, alive);
	store(u, pid, time, &all);
}

int used_store_present(struct used *u, uint32_t pid, int64_t time)
{
	struct record_usage all;

	if (read_present(pid, &all))
		return -1;
	store(u, pid, time, &all);
	return 0;
}

void used_end(struct used *u, uint32_t pid)
{
	free(map_pointer(&u->processes, pid));
	map_remove(&u->processes, pid);
}

void used_free(struct used *u)
{
	void *p;

	for (size_t at = 0; (p = map_next_pointer(&u->processes, &at));)
		free(p);
	map_free(&u->processes);
}
