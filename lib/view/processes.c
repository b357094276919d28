/* SPDX-License-Identifier: MIT */
#include "view/processes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/number.h"
#include "util/vec.h"

/* Returns the program of a command line of shell words: the last component of the first word. */
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
	p->v[number].within |=
	    processes_listed(&p->roots, processes_host(p, number), p->v[number].pid, program);
	free(program);
}

/* parent: number plus one; 0: unknown. */
static size_t add(struct processes *p, uint32_t pid, size_t parent)
{
	const struct process from = parent ? p->v[parent - 1] : (struct process){ 0 };
	const uint64_t *host = map_find(&p->host_numbers, pid >> HOST_SHIFT);

	vec_push(p, (struct process){ pid, host ? *host : 0, from.name, parent, from.within });
	p->v[p->n - 1].within |= processes_listed(&p->roots, processes_host(p, p->n - 1), pid, "");
	*map_at(&p->by_pid, pid) = p->n;
	return p->n - 1;
}

bool processes_listed(const struct opt_list *list, const char *host, uint32_t pid,
		      const char *program)
{
	uint32_t wanted = host ? host_local(pid) : pid;
	size_t n = host ? strlen(host) : 0;
	uint64_t number;

	for (size_t i = 0; i < list->n; i++) {
		const char *word = list->v[i];

		if (!strcmp(word, program))
			return true;
		if (host && !strncmp(word, host, n) && word[n] == ':')
			word += n + 1;
		if (number_parse_u64(word, &number) && number == wanted)
			return true;
	}
	return false;
}

const char *processes_host_of(const struct processes *p, uint32_t id)
{
	const uint64_t *host = map_find(&p->host_numbers, id >> HOST_SHIFT);

	return host ? p->hosts.v[*host - 1] : NULL;
}

const char *processes_host(const struct processes *p, size_t number)
{
	size_t host = p->v[number].host;

	return host ? p->hosts.v[host - 1] : NULL;
}

const char *processes_id(const struct processes *p, size_t number, uint32_t id,
			 char out[PROCESSES_ID])
{
	const char *host = processes_host(p, number);

	if (host)
		snprintf(out, PROCESSES_ID, "%.80s:%" PRIu32, host, host_local(id));
	else
		snprintf(out, PROCESSES_ID, "%" PRIu32, id);
	return out;
}

size_t processes_find(const struct processes *p, uint32_t pid)
{
	const uint64_t *at = map_find(&p->by_pid, pid);

	return at ? *at - 1 : SIZE_MAX;
}

static size_t find(struct processes *p, uint32_t pid)
{
	if (pid == p->last_pid && p->last < p->n)
		return p->last;
	size_t number = processes_find(p, pid);
	bool is_new = number == SIZE_MAX;
	if (is_new)
		number = add(p, pid, 0);
	if (is_new && p->command) {
		rename_process(p, number, p->command);
		free(p->command);
		p->command = NULL;
	}
	p->last_pid = pid;
	p->last = number;
	return number;
}

void processes_begin(struct processes *p, const char *command)
{
	map_free(&p->by_pid);
	map_free(&p->host_numbers);
	p->last = SIZE_MAX;
	free(p->command);
	p->command = xstrdup(command);
}

bool processes_own(const struct event *e)
{
	switch (e->type) {
	case EVENT_SYSCALL: return true; /* a log may lack process IDs; then all are 0 */
	case EVENT_WAKE:
	case EVENT_INTERRUPT:
	case EVENT_BLOCK:
	case EVENT_LOST:
	case EVENT_CLOCK:
	case EVENT_HOST: return false;
	default: return host_local(e->pid) != 0;
	}
}

size_t processes_event(struct processes *p, const struct event *e)
{
	if (e->type == EVENT_HOST)
		*map_at(&p->host_numbers, e->host.number) = names_add(&p->hosts, e->host.name) + 1;
	if (!processes_own(e))
		return SIZE_MAX;
	size_t number = find(p, e->pid);

	if (e->type == EVENT_EXEC) {
		rename_process(p, number, e->exec.command);
	} else if (e->type == EVENT_FORK && e->fork.child_pid != e->pid) {
		add(p, e->fork.child_pid, number + 1);
		p->last = SIZE_MAX;
	} else if (e->type == EVENT_COMM && e->tid == e->pid && !p->v[number].name) {
		p->v[number].name = names_add(&p->names, e->comm.name) + 1;
	} else if (e->type == EVENT_ATTACH) {
		size_t parent = processes_find(p, e->attach.parent);

		/* A parent has a lower number than its children, so that every walk to the root
		 * ends. */
		if (parent < number && !p->v[number].parent) {
			p->v[number].parent = parent + 1;
			p->v[number].within |= p->v[parent].within;
		}
	}
	return number;
}

const char *processes_name(const struct processes *p, size_t number)
{
	size_t name = p->v[number].name;

	return name ? p->names.v[name - 1] : "";
}

const char *processes_shown(const struct processes *p, size_t number)
{
	const char *name = processes_name(p, number);

	return *name ? name : NULL;
}

void processes_free(struct processes *p)
{
	free(p->command);
	p->command = NULL;
	vec_free(p);
	map_free(&p->by_pid);
	map_free(&p->host_numbers);
	names_free(&p->names);
	names_free(&p->hosts);
}
