/* SPDX-License-Identifier: MIT */
/* osvec-predict rank - orders machines by the predicted time of an application. */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "intervals.h"
#include "answer.h"
#include "stats/random.h"
#include "stats/ranking.h"
#include "util/number.h"
#include "util/vec.h"

static struct query q;
static struct intervals intervals = INTERVALS_DEFAULT;
static struct {
	bool no_intervals;
	uint64_t top;
} set = { .top = 5 };

static const double equivalence = 1.03;

static const struct opt options[] = {
	QUERY_OPTIONS(q),
	{ 0, "no-intervals", OPT_FLAG, &set.no_intervals, NULL, 0, 0,
	  "times and their order only, fast" },
	{ 0, "top", OPT_COUNT, &set.top, "N", 0, 1000, "entries to list of the best machine" },
	INTERVALS_OPTIONS(intervals),
	{ 0 },
};

static const struct opt_usage usage = {
	"osvec-predict rank",
	"[MACHINE...]",
	"Orders machines by the time the application would take on them.  A MACHINE is a vector, "
	"a\n"
	"directory of results or the name of a reference platform; without one, all of the latter\n"
	"and ./results.",
	"osvec-predict rank -a redis-set.json results/* native",
};

/* A machine in its place. */
struct place {
	size_t machine;
	const struct prediction *p;
	struct rank rank;
	struct samples_interval full, measured;
};

struct ranked {
	struct place *places; /* the fastest first */
	size_t n;
	bool intervals;
	double measured_share;
};

static int by_total(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->p->total != y->p->total)
		return x->p->total < y->p->total ? -1 : 1;
	return (x->machine > y->machine) - (x->machine < y->machine);
}

/* Ranks by the point values alone; equal ones share a rank. */
static void rank_points(struct ranked *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct place *place = &r->places[i];
		size_t low =
		    i && place->p->total == place[-1].p->total ? place[-1].rank.low : i + 1;

		place->rank = (struct rank){
			.low = low, .high = low, .tie_group = low - 1, .best = NAN, .regret = NAN
		};
		place->full = place->measured = (struct samples_interval){ NAN, NAN, NAN };
	}
}

static void rank_samples(struct ranked *r)
{
	struct samples d = intervals_sample(&intervals, &q);
	double *centre = xcalloc(r->n, sizeof(*centre));
	struct rank *rank = xcalloc(r->n, sizeof(*rank));

	for (size_t i = 0; i < r->n; i++)
		centre[i] = q.predictions[i]->total;
	ranking(centre, d.full, d.n, r->n, intervals.level, equivalence, rank);
	for (size_t i = 0; i < r->n; i++) {
		struct place *place = &r->places[i];

		place->rank = rank[place->machine];
		place->full = samples_interval(&d, d.full, place->machine, intervals.level);
		place->measured = samples_interval(&d, d.measured, place->machine, intervals.level);
	}
	r->measured_share = samples_measured_share(&d);
	free(centre);
	free(rank);
	samples_free(&d);
}

static struct ranked make_ranks(void)
{
	struct ranked r = { xcalloc(q.machines.n, sizeof(*r.places)), q.machines.n,
			    !set.no_intervals, NAN };

	for (size_t i = 0; i < r.n; i++)
		r.places[i] = (struct place){ .machine = i, .p = q.predictions[i] };
	qsort(r.places, r.n, sizeof(*r.places), by_total);
	if (r.intervals)
		rank_samples(&r);
	else
		rank_points(&r);
	return r;
}

static const char *label(const struct place *place)
{
	return q.machines.v[place->machine].label;
}

static void put_rank(struct table *t, const struct rank *rank)
{
	char shown[64];

	snprintf(shown, sizeof(shown), rank->low == rank->high ? "%zu" : "%zu-%zu", rank->low,
		 rank->high);
	table_text(t, shown);
}

static void print_machines(const struct ranked *r)
{
	static const struct table_column text[] = {
		{ "rank", "rank", true },
		{ "machine", "machine", TABLE_NAME },
		{ "time", "seconds", false },
		{ "from", "low", false },
		{ "to", "high", false },
		{ "kernel", "kernel", false },
		{ "user", "user", false },
		{ "wait", "wait", false },
		{ "best", "best", false },
		{ "ratio", "ratio", false },
		/* Only for programs. */
		{ "median", "median", false },
		{ "measured from", "measured_low", false },
		{ "measured to", "measured_high", false },
		{ "regret", "regret", false },
		{ "group", "tie_group", false },
		{ "coverage", "coverage", false },
		{ "user ratio", "user_ratio", false },
		{ "file", "file", true },
	};
	bool people = query_format(&q) == TABLE_TEXT;
	struct table *t = table_new(text, people ? 10 : sizeof(text) / sizeof(*text));

	for (size_t i = 0; i < r->n; i++) {
		const struct place *place = &r->places[i];
		const struct prediction *p = place->p;

		put_rank(t, &place->rank);
		table_text(t, label(place));
		answer_time(&q, t, p->total);
		answer_time(&q, t, place->full.low);
		answer_time(&q, t, place->full.high);
		answer_time(&q, t, p->kernel);
		answer_time(&q, t, p->user);
		answer_time(&q, t, p->wait);
		table_number(t, place->rank.best, "%.2f");
		table_number(t, p->total / r->places[0].p->total, "%.2f");
		if (people)
			continue;
		answer_time(&q, t, place->full.median);
		answer_time(&q, t, place->measured.low);
		answer_time(&q, t, place->measured.high);
		table_number(t, place->rank.regret, "%.3f");
		table_count(t, place->rank.tie_group);
		table_number(t, p->coverage, "%.2f");
		table_number(t, p->user_ratio, "%.2f");
		table_text(t, q.machines.v[place->machine].vector->path);
	}
	answer_table(&q, "machines", t, true);
}

/* "1: A; 2-3: B, C" by tie groups; of many machines the first. */
static char *list_order(const struct ranked *r)
{
	enum { MOST = 30 };
	char *order = xstrdup("");

	for (size_t i = 0, next; i < r->n && i < MOST; i = next) {
		char head[64];

		for (next = i + 1;
		     next < r->n && r->places[next].rank.tie_group == r->places[i].rank.tie_group;
		     next++)
			;
		snprintf(head, sizeof(head),
			 next == i + 1 ? "%s%zu: " : "%s%zu-%zu: ", i ? "; " : "", i + 1, next);
		for (size_t k = i; k < next && k < MOST; k++)
			order = xappend(order, "%s%s", k > i ? ", " : head, label(&r->places[k]));
	}
	return order;
}

static void say_order(const struct ranked *r)
{
	const struct place *best = &r->places[0];
	char *order = list_order(r);

	answer_say(&q, "\n%s", order);
	free(order);
	if (!r->intervals || r->n == 1)
		return;
	answer_say(&q, "decision: %s, P(best) = %.2f, expected regret %.1f %%", label(best),
		   best->rank.best, 100 * best->rank.regret);
	if (r->places[1].rank.tie_group == best->rank.tie_group)
		answer_say(&q, "%s",
			   r->measured_share > 0.5 ? "the first are not distinguished: more rounds "
						     "or traced runs would help most"
						   : "the first are not distinguished: the model "
						     "error decides, more measuring would "
						     "not help");
}

/* A warning about the cost of a line; "": none. */
static const char *mark(const struct prediction_line *line)
{
	return line->borrowed ? "borrowed" : line->lower_bound ? "at least" : "";
}

static void put_line(struct table *t, const struct prediction_line *line, double total)
{
	double each = line->seconds / line->calls;
	char shown[NUMBER_MAX];

	table_text(t, answer_line_name(line));
	table_number(t, line->calls / q.units_per_run, "%.4g");
	table_shown(t, each, number_format_duration(shown, each));
	answer_time(&q, t, line->seconds);
	table_number(t, line->seconds / total, "%.3f");
}

static void print_top(const struct prediction *p)
{
	static const struct table_column columns[] = {
		{ "entry", "entry", true },  { "calls", "calls", false },
		{ "each", "each", false },   { "time", "seconds", false },
		{ "share", "share", false }, { "", "mark", true },
	};
	const struct prediction_line **order = prediction_largest(p);
	size_t n = 0;
	bool marked = query_format(&q) != TABLE_TEXT;

	for (; n < p->nlines && n < set.top && order[n]->seconds != 0; n++)
		marked = marked || *mark(order[n]);
	struct table *t = table_new(columns, marked ? 6 : 5);
	for (size_t i = 0; i < n; i++) {
		put_line(t, order[i], p->total);
		if (marked)
			table_text(t, mark(order[i]));
	}
	answer_table(&q, "top", t, false);
	free(order);
}

/* "A beats B by 22 %: 13 from lat_sendfile_*, 6 from lat_accept_tcp, 3 from user time" */
static void say_why(const struct ranked *r)
{
	const struct prediction *a = r->places[0].p, *b = r->places[1].p;
	struct prediction_part *parts = xcalloc(a->nlines, sizeof(*parts));
	double all = prediction_difference(a, b, parts), percent = 100 * (b->total / a->total - 1);
	char *why = xasprintf("%s beats %s by %.1f %%", label(&r->places[0]), label(&r->places[1]),
			      percent);

	for (size_t i = 0; all != 0 && i < 3 && i < a->nlines && parts[i].log_ratio != 0; i++)
		why = xappend(why, "%s %.1f from %s", i ? "," : ":",
			      percent * parts[i].log_ratio / all, answer_line_name(parts[i].a));
	answer_say(&q, "\n%s", why);
	free(why);
	free(parts);
}

int command_rank(int argc, char **argv)
{
	query_parse(&q, argc, argv, &usage, options, SIZE_MAX);
	query_read(&q);
	query_answer(&q);
	struct ranked r = make_ranks();
	answer_begin(&q);
	if (r.intervals) {
		intervals_note(&intervals, &q, r.measured_share, r.measured_share);
		intervals_note_runs(&q);
		intervals_facts(&intervals, &q, r.measured_share);
	}
	answer_say(&q, "%s: predicted time per %s on %zu machine%s, level %s", q.application->name,
		   q.unit, r.n, r.n == 1 ? "" : "s", query_level(&q));
	answer_say(&q, "%s", "");
	print_machines(&r);
	if (r.n > 1)
		say_order(&r);
	answer_say(&q, "\nwhere the time goes on %s, per %s", label(&r.places[0]), q.unit);
	print_top(r.places[0].p);
	if (r.n > 1)
		say_why(&r);
	answer_end(&q);
	free(r.places);
	query_free(&q);
	return 0;
}
