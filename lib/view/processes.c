/* SPDX-License-Identifier: MIT */
#include "view/processes.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

/* The program of a command line of shell words: the last component of the first word. */
static char *program_of(const char *command)
{
	bool quoted = *command == '\'';
	const char *word = command + quoted;
	size_t n = strcspn(word, quoted ? "'" : " ");

	for (size_t i = n; i > 0; i--)
		if (word[i - 1] == '/' && i < n)
			return xstrndup(word + i, n - i);
	return xstrndup(word, n);
}

static void rename_process(struct processes *p, size_t number, const char *command)
{
	char *program = program_of(command);

	p->v[number].name = *program ? names_add(&p->names, program) + 1 : 0;
	free(program);
}

static size_t add(struct processes *p, uint32_t pid, size_t name)
{
	vec_push(p, (struct process){ pid, name });
	*map_at(&p->by_pid, pid) = p->n;
	return p->n - 1;
}

static size_t find(struct processes *p, uint32_t pid)
{
	if (pid == p->last_pid && p->last < p->n)
		return p->last;
	const uint64_t *at = map_find(&p->by_pid, pid);
	size_t number = at ? *at - 1 : add(p, pid, 0);
	if (!at && p->command) {
		rename_process(p, number, p->command);
		p->command = NULL;
	}
	p->last_pid = pid;
	p->last = number;
	return number;
}

void processes_begin(struct processes *p, const char *command)
{
	map_free(&p->by_pid);
	p->last = SIZE_MAX;
	p->command = command;
}

size_t processes_event(struct processes *p, const struct event *e)
{
	size_t number = find(p, e->pid);

	if (e->type == EVENT_EXEC) {
		rename_process(p, number, e->exec.command);
	} else if (e->type == EVENT_FORK && e->fork.child_pid != e->pid) {
		add(p, e->fork.child_pid, p->v[number].name);
		p->last = SIZE_MAX;
	}
	return number;
}

const char *processes_name(const struct processes *p, size_t number)
{
	size_t name = p->v[number].name;

	return name ? p->names.v[name - 1] : "";
}

void processes_free(struct processes *p)
{
	vec_free(p);
	map_free(&p->by_pid);
	names_free(&p->names);
}
