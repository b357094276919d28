/* SPDX-License-Identifier: MIT */
#include "view/view.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"
#include "util/number.h"
#include "util/vec.h"

/* A call of no ABI is a typing error, unless a source can have made the name from a number. */
static bool is_call(unsigned id)
{
	const struct syscall *call = syscall_get(id);

	for (int abi = 0; abi < ABIS; abi++)
		if (call->number[abi] >= 0)
			return true;
	return !strncmp(call->name, "syscall_", 8);
}

static void select_call(struct view *v, const struct opt_usage *usage, const char *name)
{
	unsigned id = syscall_by_name(name);

	if (!is_call(id))
		opt_bad_usage(usage, "-s %s: no such system call", name);
	if (id >= v->ncalls) {
		v->calls = xreallocarray(v->calls, id + 1, sizeof(*v->calls));
		memset(v->calls + v->ncalls, 0, (id + 1 - v->ncalls) * sizeof(*v->calls));
		v->ncalls = id + 1;
	}
	v->calls[id] = true;
}

static void select_calls(struct view *v, const struct opt_usage *usage)
{
	for (size_t i = 0; i < v->names.n; i++) {
		char *list = xstrdup(v->names.v[i]), *rest = list, *name;

		while ((name = strsep(&rest, ",")))
			select_call(v, usage, name);
		free(list);
	}
}

/* opt_parse() stops at an operand; what follows it is parsed as if it began a command line. */
static void parse_operands(struct view *v, int argc, char **argv, const struct opt_usage *usage,
			   const struct opt *options)
{
	int at = opt_parse(argc, argv, usage, options, NULL);

	while (at < argc && strcmp(argv[at - 1], "--")) {
		vec_push(&v->traces, argv[at]);
		at += opt_parse(argc - at, argv + at, usage, options, NULL);
	}
	for (; at < argc; at++)
		vec_push(&v->traces, argv[at]);
}

void view_parse(struct view *v, int argc, char **argv, const struct opt_usage *usage,
		const struct opt *options, bool several)
{
	parse_operands(v, argc, argv, usage, options);
	if (!v->traces.n)
		opt_bad_usage(usage, "which trace? ('-' reads standard input)");
	if (v->traces.n > 1 && !several)
		opt_bad_usage(usage, "unexpected operand '%s': one trace at a time",
			      v->traces.v[1]);
	if (v->json && v->csv)
		opt_bad_usage(usage, "--json and --csv exclude each other");
	select_calls(v, usage);
}

enum table_format view_format(const struct view *v)
{
	return v->json ? TABLE_JSON : v->csv ? TABLE_CSV : TABLE_TEXT;
}

bool view_selects_call(const struct view *v, unsigned id)
{
	id = syscall_same(id);
	return !v->calls || (id < v->ncalls && v->calls[id]);
}

bool view_selects_process(const struct view *v, uint32_t pid, const char *program)
{
	uint64_t number;

	for (size_t i = 0; i < v->only.n; i++)
		if (!strcmp(v->only.v[i], program) ||
		    (number_parse_u64(v->only.v[i], &number) && number == pid))
			return true;
	return !v->only.n;
}

static bool has_process(const struct processes *p, const char *wanted)
{
	uint64_t pid;

	if (names_find(&p->names, wanted) != SIZE_MAX)
		return true;
	if (!number_parse_u64(wanted, &pid))
		return false;
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].pid == pid)
			return true;
	return false;
}

bool view_check_processes(const struct view *v, const struct processes *p)
{
	bool all = true;

	for (size_t i = 0; i < v->only.n; i++)
		if (!has_process(p, v->only.v[i])) {
			warnx("-p or -O %s: the trace has no such process (summary --by-process "
			      "lists them)",
			      v->only.v[i]);
			all = false;
		}
	return all;
}

void view_print_begin(const struct view *v)
{
	if (v->json)
		printf("{\"calls\": ");
}

void view_print_end(const struct view *v, const struct completeness *c)
{
	if (v->json) {
		json_t *o = completeness_json(c);

		printf(", \"completeness\": ");
		json_dumpf(o, stdout, 0);
		printf("}\n");
		json_decref(o);
	}
	completeness_print(c, stdout, view_format(v));
}

void view_free(struct view *v)
{
	free(v->calls);
	vec_free(&v->names);
	vec_free(&v->only);
	vec_free(&v->traces);
}
