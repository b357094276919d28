/* SPDX-License-Identifier: MIT */
/* osvec-predict explain - splits the difference between two machines exactly. */
#include <math.h>
#include <stdlib.h>

#include "commands.h"
#include "answer.h"
#include "level.h"
#include "util/xalloc.h"

static struct query q;
static struct {
	uint64_t top;
} set = { .top = 20 };

static const struct opt options[] = {
	QUERY_OPTIONS(q),
	QUERY_STATE(q),
	QUERY_FORMATS(q),
	{ 0, "top", OPT_COUNT, &set.top, "N", 1, 1e6, "lines to print (default 20)" },
	{ 0 },
};

static const struct opt_usage usage = {
	"osvec-predict explain",
	"A B",
	"Splits the ratio of the times on A and B into what each entry, user time, switches, "
	"faults\n"
	"and waiting contribute.",
	"osvec-predict explain -a redis-set.json native zen4-gvisor",
};

static void put_row(struct table *t, const char *name, double calls, double a, double b,
		    double log_ratio, double all)
{
	table_text(t, name);
	table_number(t, calls / q.units_per_run, "%.4g");
	answer_time(&q, t, a);
	answer_time(&q, t, b);
	table_number(t, log_ratio, "%+.4f");
	table_number(t, all != 0 ? 100 * log_ratio / all : NAN, "%.1f %%");
}

static bool is_nothing(const struct prediction_part *part)
{
	return part->a->seconds == 0 && part->b->seconds == 0;
}

static void print_parts(struct prediction_part *parts, double all)
{
	static const struct table_column columns[] = {
		{ "entry", "entry", TABLE_LEFT },
		{ "calls", "calls", TABLE_RIGHT },
		{ "on A", "a", TABLE_RIGHT },
		{ "on B", "b", TABLE_RIGHT },
		{ "log ratio", "log_ratio", TABLE_RIGHT },
		{ "share", "percent", TABLE_RIGHT },
		{ "if A x", "flip_a", TABLE_RIGHT },
		{ "or B x", "flip_b", TABLE_RIGHT },
	};
	const struct prediction *a = q.predictions[0], *b = q.predictions[1];
	struct table *t = table_of(columns);
	struct prediction_line x = { .name = "the rest" }, y = x;
	double rest = 0;
	bool people = query_for_people(&q);

	for (size_t i = 0; i < a->nlines; i++) {
		if (is_nothing(&parts[i]))
			continue;
		if (i >= set.top) {
			x.seconds += parts[i].a->seconds;
			y.seconds += parts[i].b->seconds;
			rest += parts[i].log_ratio;
			continue;
		}
		put_row(t, answer_line_name(parts[i].a), parts[i].a->calls, parts[i].a->seconds,
			parts[i].b->seconds, parts[i].log_ratio, all);
		table_number(t, parts[i].flip_a, "%.3g");
		table_number(t, parts[i].flip_b, "%.3g");
	}
	if (x.seconds != 0 || y.seconds != 0) {
		put_row(t, x.name, NAN, x.seconds, y.seconds, rest, all);
		table_text(t, NULL);
		table_text(t, NULL);
	}
	if (people) {
		put_row(t, "all", NAN, a->total, b->total, all, all);
		table_text(t, NULL);
		table_text(t, NULL);
	}
	answer_table(&q, "parts", t, true);
	answer_say(
	    &q, "log ratio: what the entry adds to the logarithm of A / B, and its share of that; "
		"if A x, or B x: at which multiple of its cost there both would be equally fast");
}

/* The line whose change by the smallest factor makes both equal. */
static void say_flip(const struct prediction_part *parts, size_t n)
{
	const struct prediction_part *best = NULL;
	double smallest = INFINITY;
	bool on_a = false;

	for (size_t i = 0; i < n; i++)
		for (int side = 0; side < 2; side++) {
			double flip = side ? parts[i].flip_b : parts[i].flip_a;

			if (!isnan(flip) && fabs(log(flip)) < smallest) {
				smallest = fabs(log(flip));
				best = &parts[i];
				on_a = !side;
			}
		}
	if (best && smallest > 0)
		answer_say(&q,
			   "The order flips soonest when %s on %s costs %.3g times what it does.",
			   answer_line_name(best->a), q.machines.v[on_a ? 0 : 1].label,
			   on_a ? best->flip_a : best->flip_b);
}

int command_explain(int argc, char **argv)
{
	query_parse(&q, argc, argv, &usage, options, 2);
	query_read(&q);
	if (q.machines.n != 2)
		opt_bad_usage(&usage, "the operands stand for %zu machines, not 2", q.machines.n);
	query_answer(&q);

	const struct prediction *a = q.predictions[0], *b = q.predictions[1];
	const char *name_a = q.machines.v[0].label, *name_b = q.machines.v[1].label;
	struct prediction_part *parts = xcalloc(a->nlines, sizeof(*parts));
	double all = prediction_difference(a, b, parts);

	answer_begin(&q);
	answer_word(&q, "a", name_a);
	answer_word(&q, "b", name_b);
	answer_number(&q, "seconds_a", query_time(&q, a->total));
	answer_number(&q, "seconds_b", query_time(&q, b->total));
	answer_number(&q, "log_ratio", all);
	answer_say(&q, "%s, time per %s, level %s: A = %s takes %.4g times as long as B = %s",
		   q.application->name, q.unit, level_name(&q), name_a, exp(all), name_b);
	answer_say(&q, "%s", "");
	print_parts(parts, all);
	answer_say(&q, "%s", "");
	say_flip(parts, a->nlines);
	answer_end(&q);
	free(parts);
	query_free(&q);
	return 0;
}
