/* SPDX-License-Identifier: MIT */
#include "cells.h"

#include <math.h>
#include <stdlib.h>

#include "answer.h"
#include "level.h"
#include "util/xalloc.h"

static const double much = 1.3; /* or less than 1 / much: a ratio whose causes are listed */

enum { BLAMED = 3 /* entries listed of a machine with such a ratio */ };

/* One row a machine; text has only the first columns. */
/* clang-format off */
static const struct table_column cell_columns[] = {
	{ "machine", "machine", TABLE_NAME }, { "predicted", "predicted", TABLE_RIGHT },
	{ "from", "low", TABLE_RIGHT }, { "to", "high", TABLE_RIGHT },
	{ "rank", "predicted_rank", TABLE_RIGHT },
	{ "measured", "measured", TABLE_RIGHT }, { "from", "measured_low", TABLE_RIGHT },
	{ "to", "measured_high", TABLE_RIGHT }, { "rank", "measured_rank", TABLE_RIGHT },
	{ "ratio", "ratio", TABLE_RIGHT }, { "inside", "inside", TABLE_LEFT },
	{ "reference", "reference", TABLE_LEFT }, { "calibrated", "calibrated", TABLE_LEFT },
	{ "repetitions", "repetitions", TABLE_RIGHT }, { "application", "application", TABLE_LEFT },
	{ "kind", "kind", TABLE_LEFT }, { "file", "file", TABLE_LEFT },
};
/* clang-format on */

static struct table *new_table(const struct query *q)
{
	return table_new(cell_columns,
			 query_for_people(q) ? 11 : sizeof(cell_columns) / sizeof(*cell_columns));
}

static bool is_reference(const struct trial *t, const struct cell *c)
{
	return c->machine->vector == t->q.reference;
}

static void put_rows(struct table *table, const struct trial *t)
{
	for (const struct cell *c = t->cells; c < t->cells + t->n; c++) {
		bool marked = query_for_people(&t->q) && is_reference(t, c);
		char *name = xasprintf("%s%s", c->machine->label, marked ? " *" : "");

		table_text(table, name);
		free(name);
		table_seconds(table, c->predicted);
		table_seconds(table, c->interval.low);
		table_seconds(table, c->interval.high);
		table_count(table, c->predicted_place);
		table_seconds(table, c->measured->median);
		table_seconds(table, c->measured->low);
		table_seconds(table, c->measured->high);
		table_count(table, c->measured_place);
		table_number(table, c->ratio, "%.2f");
		table_text(table, c->tried ? answer_bool(c->inside) : NULL);
		if (query_for_people(&t->q))
			continue;
		table_text(table, answer_bool(is_reference(t, c)));
		table_text(table, answer_bool(c->prediction->known));
		table_count(table, c->measured->repetitions);
		table_text(table, t->q.application->name);
		table_text(table, measured_kind_names[t->kind]);
		table_text(table, c->machine->vector->path);
	}
}

/* The largest lines of a prediction that is far off; text names the machine once. */
static void put_blame(struct table *table, const struct trial *t, const struct cell *c)
{
	const struct prediction *p = c->prediction;
	const struct prediction_line **order = prediction_largest(p);

	for (size_t i = 0; i < p->nlines && i < BLAMED && order[i]->seconds > 0; i++) {
		bool named = !i || !query_for_people(&t->q);

		table_text(table, named ? c->machine->label : "");
		if (named)
			table_number(table, c->ratio, "%.2f");
		else
			table_text(table, "");
		table_text(table, answer_line_name(order[i]));
		answer_time(&t->q, table, order[i]->seconds);
		table_percent(table, order[i]->seconds / p->total, "%.1f %%");
	}
	free(order);
}

static void print_blame(const struct trial *t)
{
	static const struct table_column columns[] = {
		{ "machine", "machine", TABLE_NAME },	    { "ratio", "ratio", TABLE_RIGHT },
		{ "largest entries", "entry", TABLE_LEFT }, { "time", "seconds", TABLE_RIGHT },
		{ "share", "share", TABLE_RIGHT },
	};
	struct table *table = table_of(columns);
	bool any = false;

	for (size_t i = 0; i < t->n; i++)
		if (fabs(log(t->cells[i].ratio)) > log(much)) {
			put_blame(table, t, &t->cells[i]);
			any = true;
		}
	if (!any && query_for_people(&t->q)) {
		table_free(table);
		return;
	}
	answer_say(&t->q,
		   "\nOff by more than %.0f %%.  Totals do not show whether kernel or user "
		   "time is wrong; the largest parts of these predictions:",
		   100 * (much - 1));
	answer_table(&t->q, "off", table, false);
}

void cells_print(const struct trial *t)
{
	answer_say(&t->q, "%s: %s time per %s, predicted and measured, level %s",
		   t->q.application->name,
		   t->kind == MEASURED_CPU ? "CPU" : measured_kind_names[t->kind], t->q.unit,
		   level_name(&t->q));
	answer_say(&t->q, "%s", "");
	struct table *cells = new_table(&t->q);
	put_rows(cells, t);
	answer_table(&t->q, "machines", cells, false);
	for (size_t i = 0; i < t->n; i++)
		if (is_reference(t, &t->cells[i]))
			answer_say(&t->q, "* the reference, on which it was recorded");
	print_blame(t);
}

void cells_print_rows(const struct query *q, const struct trials *all)
{
	struct table *cells = new_table(q);

	for (size_t i = 0; i < all->n; i++)
		put_rows(cells, all->v[i]);
	answer_table(q, "machines", cells, true);
}
