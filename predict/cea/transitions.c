/* SPDX-License-Identifier: MIT */
#include "transitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/dot.h"
#include "util/number.h"
#include "util/wrap.h"
#include "util/xalloc.h"

void transitions_check(const struct transitions *t, const struct opt_usage *usage)
{
	opt_check_formats(usage, t->json, t->csv);
	if (t->dot && (t->json || t->csv))
		opt_bad_usage(usage, "--dot cannot be combined with --json or --csv");
}

enum table_format transitions_format(const struct transitions *t)
{
	return table_format(t->json, t->csv);
}

const char *transitions_state_name(char *out, size_t n, unsigned state)
{
	if (state == MOVEMENT_NOBODY)
		return "nowhere";
	if (state == MOVEMENT_OWN)
		return "here";
	snprintf(out, n, "at %u other%s%s", state - MOVEMENT_OTHERS + 1,
		 state == MOVEMENT_OTHERS ? "" : "s",
		 state == MOVEMENT_STATES - 1 ? " or more" : "");
	return out;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static uint64_t steps_of(const struct movement *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->edges.n; i++)
		sum += s->edges.v[i].count;
	return sum;
}

static void print_dot(const struct movement *s, transitions_place *place)
{
	uint64_t uses = s->accesses - s->left_out, steps = steps_of(s);
	char name[NUMBER_MAX];

	printf("digraph sharing {\n\tnode [shape=ellipse];\n");
	for (size_t i = 0; i < s->vertices.n; i++) {
		const struct movement_vertex *v = &s->vertices.v[i];
		char *at = place ? place(v->place) : xstrdup("");

		printf("\ts%zu [label=\"%s\\n", i,
		       transitions_state_name(name, sizeof(name), v->state));
		dot_label(at);
		printf("%s%.1f%% of uses\", penwidth=%.1f];\n", *at ? "\\n" : "",
		       percent(v->count, uses), 1 + percent(v->count, uses) / 20);
		free(at);
	}
	for (size_t i = 0; i < s->edges.n; i++) {
		const struct movement_edge *e = &s->edges.v[i];

		printf("\ts%zu -> s%zu [label=\" %.1f%%\", penwidth=%.1f];\n", e->from, e->to,
		       percent(e->count, steps), 1 + percent(e->count, steps) / 20);
	}
	printf("}\n");
}

static int more_often(const void *a, const void *b)
{
	const struct movement_edge *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

static void put_place(struct table *table, transitions_place *place, uint64_t number)
{
	char *name = place(number);

	table_text(table, *name ? name : NULL);
	free(name);
}

static void print_table(const struct transitions *t, struct movement *s, transitions_place *place)
{
	static const struct table_column columns[] = {
		{ "OBJECT WAS", "from", TABLE_LEFT },	 { "THEN", "to", TABLE_LEFT },
		{ "TIMES", "count", TABLE_RIGHT },	 { "SHARE", "share", TABLE_RIGHT },
		{ "USED IN", "from_place", TABLE_NAME }, { "THEN IN", "to_place", TABLE_NAME },
	};
	uint64_t steps = steps_of(s);
	struct table *table = table_new(columns, place ? 6 : 4);
	char name[NUMBER_MAX];

	vec_sort(&s->edges, more_often);
	for (size_t i = 0; i < s->edges.n; i++) {
		const struct movement_edge *e = &s->edges.v[i];
		const struct movement_vertex *from = &s->vertices.v[e->from],
					     *to = &s->vertices.v[e->to];

		table_text(table, transitions_state_name(name, sizeof(name), from->state));
		table_text(table, transitions_state_name(name, sizeof(name), to->state));
		table_count(table, e->count);
		table_percent(table, (double)e->count / (double)steps, "%.1f%%");
		if (!place)
			continue;
		put_place(table, place, from->place);
		put_place(table, place, to->place);
	}
	table_end(table, stdout, transitions_format(t));
}

bool transitions_print(const struct transitions *t, struct movement *s, transitions_place *place)
{
	if (t->dot)
		print_dot(s, place);
	else if (t->table)
		print_table(t, s, place);
	return t->dot || t->table;
}

void transitions_print_states(const struct movement *s)
{
	uint64_t counts[MOVEMENT_STATES] = { 0 };
	char name[NUMBER_MAX], *text = xstrdup("when it was used, a page was");

	for (size_t i = 0; i < s->vertices.n; i++)
		counts[s->vertices.v[i].state] += s->vertices.v[i].count;
	for (unsigned i = 0; i < MOVEMENT_STATES; i++)
		if (counts[i])
			text = xappend(text, "%s %s: %.1f %%", strchr(text, ':') ? "," : "",
				       transitions_state_name(name, sizeof(name), i),
				       percent(counts[i], s->accesses - s->left_out));
	wrap_print(stdout, text, 4);
	free(text);
}
