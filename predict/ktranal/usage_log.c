/* SPDX-License-Identifier: MIT */
#include "usage_log.h"

#include <stdio.h>

#include "util/vec.h"

void usage_log_free(struct usage_log *l)
{
	map_free(&l->present);
	vec_free(&l->entries);
}

ptrdiff_t usage_log_present(const struct usage_log *l, pid_t pid)
{
	const uint64_t *at = map_find(&l->present, (uint64_t)pid);

	return at ? (ptrdiff_t)*at - 1 : -1;
}

static struct usage_entry *present(struct usage_log *l, pid_t pid)
{
	ptrdiff_t at = usage_log_present(l, pid);

	return at < 0 ? NULL : &l->entries.v[at];
}

/* Of process number `process`, or that of a new one. */
static struct usage_entry *begin(struct usage_log *l, pid_t pid, const size_t *process, int64_t now)
{
	vec_push(&l->entries, (struct usage_entry){
				  .pid = pid,
				  .process = process ? *process : l->processes++,
				  .begin = now,
				  .end = now,
				  .threads = 1,
			      });
	*map_at(&l->present, (uint64_t)pid) = l->entries.n;
	return &l->entries.v[l->entries.n - 1];
}

void usage_log_used(struct usage_log *l, pid_t pid, int64_t now, const struct usage *u)
{
	struct usage_entry *e = present(l, pid);

	if (!e)
		return; /* the command before its execve */
	e->end = now;
	e->known = u;
	if (u)
		e->usage = *u;
}

static void on_fork(struct usage_log *l, const struct event *e)
{
	struct usage_entry *parent = present(l, (pid_t)e->pid);

	if (!parent)
		return;
	if (e->fork.child_pid == e->pid) {
		parent->threads++;
		return;
	}
	const struct program program = parent->program;
	begin(l, (pid_t)e->fork.child_pid, NULL, e->time)->program = program;
}

static void on_exec(struct usage_log *l, const struct event *e)
{
	struct usage_entry *former = present(l, (pid_t)e->pid);
	size_t process = former ? former->process : 0;

	if (former)
		former->how = USAGE_EXEC;
	struct program *p = &begin(l, (pid_t)e->pid, former ? &process : NULL, e->time)->program;
	if (e->exec.name) {
		snprintf(p->name, sizeof(p->name), "%s", e->exec.name);
		snprintf(p->file, sizeof(p->file), "%s", e->exec.file);
	} else {
		program_of((pid_t)e->pid, p); /* it ran before */
	}
}

void usage_log_event(struct usage_log *l, const struct event *e)
{
	struct usage_entry *entry = present(l, (pid_t)e->pid);

	if (e->type == EVENT_FORK) {
		on_fork(l, e);
	} else if (e->type == EVENT_EXEC) {
		on_exec(l, e);
	} else if (e->type == EVENT_EXIT && entry && e->exit.last) {
		entry->how = USAGE_EXIT;
		map_remove(&l->present, e->pid);
	}
}
