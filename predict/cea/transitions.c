/* SPDX-License-Identifier: MIT */
#include "transitions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/number.h"
#include "util/wrap.h"
#include "util/xalloc.h"

void transitions_check(const struct transitions *t, const struct opt_usage *usage)
{
	if (t->json && t->csv)
		opt_bad_usage(usage, "--json and --csv exclude each other");
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

static uint64_t sum_of(const uint64_t *v, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum;
}

static void print_dot(const struct movement *s)
{
	uint64_t all = sum_of(s->states, MOVEMENT_STATES),
		 steps = sum_of(s->next[0], sizeof(s->next) / sizeof(**s->next));
	char name[NUMBER_MAX];

	printf("digraph sharing {\n\tnode [shape=ellipse];\n");
	for (unsigned i = 0; i < MOVEMENT_STATES; i++)
		if (s->states[i])
			printf("\ts%u [label=\"%s\\n%.1f%% of uses\", penwidth=%.1f];\n", i,
			       transitions_state_name(name, sizeof(name), i),
			       percent(s->states[i], all), 1 + percent(s->states[i], all) / 20);
	for (unsigned i = 0; i < MOVEMENT_STATES; i++)
		for (unsigned k = 0; k < MOVEMENT_STATES; k++)
			if (s->next[i][k])
				printf("\ts%u -> s%u [label=\" %.1f%%\", penwidth=%.1f];\n", i, k,
				       percent(s->next[i][k], steps),
				       1 + percent(s->next[i][k], steps) / 20);
	printf("}\n");
}

static void print_table(const struct transitions *t, const struct movement *s)
{
	static const struct table_column columns[] = {
		{ "OBJECT WAS", "from", TABLE_LEFT },
		{ "THEN", "to", TABLE_LEFT },
		{ "TIMES", "count", TABLE_RIGHT },
		{ "SHARE", "share", TABLE_RIGHT },
	};
	uint64_t steps = sum_of(s->next[0], sizeof(s->next) / sizeof(**s->next));
	struct table *table = table_new(columns, 4);
	char name[NUMBER_MAX];

	for (unsigned i = 0; i < MOVEMENT_STATES; i++)
		for (unsigned k = 0; k < MOVEMENT_STATES; k++) {
			if (!s->next[i][k])
				continue;
			table_text(table, transitions_state_name(name, sizeof(name), i));
			table_text(table, transitions_state_name(name, sizeof(name), k));
			table_count(table, s->next[i][k]);
			table_percent(table, (double)s->next[i][k] / (double)steps, "%.1f%%");
		}
	table_end(table, stdout, transitions_format(t));
}

bool transitions_print(const struct transitions *t, const struct movement *s)
{
	if (t->dot)
		print_dot(s);
	else if (t->table)
		print_table(t, s);
	return t->dot || t->table;
}

void transitions_print_states(const struct movement *s)
{
	uint64_t all = sum_of(s->states, MOVEMENT_STATES);
	char name[NUMBER_MAX], *text = xstrdup("when it was used, a page was");

	for (unsigned i = 0; i < MOVEMENT_STATES; i++)
		if (s->states[i])
			text = xappend(text, "%s %s: %.1f %%", strchr(text, ':') ? "," : "",
				       transitions_state_name(name, sizeof(name), i),
				       percent(s->states[i], all));
	wrap_print(stdout, text, 4);
	free(text);
}
