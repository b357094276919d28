/* SPDX-License-Identifier: MIT */
#include "view/selection.h"

#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"
#include "util/vec.h"

/* A name that no ABI has is a typing error, unless a source may have made it from a number. */
static bool is_call(unsigned id)
{
	return syscall_is_known(id) || !strncmp(syscall_get(id)->name, "syscall_", 8);
}

static int select_call(struct selection *s, const char *name, struct error *e)
{
	unsigned id = syscall_by_name(name);

	if (!is_call(id))
		return error_set(e, "-e %s: no such system call", name);
	*map_at(&s->calls, syscall_same(id)) = 1;
	return 0;
}

int selection_prepare(struct selection *s, struct error *e)
{
	int status = 0;

	for (size_t i = 0; i < s->names.n; i++) {
		char *list = xstrdup(s->names.v[i]), *rest = list, *name;

		while (status == 0 && (name = strsep(&rest, ",")))
			status = select_call(s, name, e);
		free(list);
	}
	return status;
}

bool selection_has_call(const struct selection *s, unsigned id)
{
	return !s->calls.n || map_find(&s->calls, syscall_same(id));
}

bool selection_has_program(const struct selection *s, const char *program)
{
	return !s->processes.n || processes_listed(&s->processes, NULL, 0, program);
}

bool selection_has_process(const struct selection *s, const struct processes *p, size_t number)
{
	if (!s->roots.n && !s->processes.n)
		return true;
	return number != SIZE_MAX && (!s->roots.n || p->v[number].within) &&
	       selection_lists(s, p, number);
}

bool selection_lists(const struct selection *s, const struct processes *p, size_t number)
{
	return !s->processes.n || processes_listed(&s->processes, processes_host(p, number),
						   p->v[number].pid, processes_name(p, number));
}

static bool has_process(const struct processes *p, const char *wanted)
{
	const struct opt_list list = { &wanted, 1, 1 };

	if (names_find(&p->names, wanted) != SIZE_MAX)
		return true;
	for (size_t i = 0; i < p->n; i++)
		if (processes_listed(&list, processes_host(p, i), p->v[i].pid, ""))
			return true;
	return false;
}

/* Appends the entries of the list that match no process. */
static char *add_missing(char *missing, const struct opt_list *list, const struct processes *p)
{
	for (size_t i = 0; i < list->n; i++)
		if (!has_process(p, list->v[i]))
			missing = xappend(missing, "%s%s", missing ? ", " : "", list->v[i]);
	return missing;
}

int selection_check(const struct selection *s, const struct processes *p, struct error *e)
{
	char *missing = add_missing(NULL, &s->processes, p);
	const char *options = missing ? "-p or -O" : "--subtree";

	missing = missing ? missing : add_missing(NULL, &s->roots, p);
	if (!missing)
		return 0;
	error_set(e, "%s %s: the trace has no such process (ktranal tree lists them)", options,
		  missing);
	free(missing);
	return -1;
}

void selection_free(struct selection *s)
{
	map_free(&s->calls);
	vec_free(&s->names);
	vec_free(&s->processes);
	vec_free(&s->roots);
}
