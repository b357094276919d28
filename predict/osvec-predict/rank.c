/* SPDX-License-Identifier: MIT */
/* osvec-predict rank - orders machines by the predicted time of an application. */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "intervals.h"
#include "answer.h"
#include "level.h"
#include "next.h"
#include "ranked.h"
#include "util/number.h"
#include "util/vec.h"

static struct query q;
static struct intervals intervals = INTERVALS_DEFAULT;
static struct {
	const char *against;
	bool no_intervals, next;
	uint64_t top;
} set = { .top = 5 };

static const struct opt options[] = {
	QUERY_OPTIONS(q),
	QUERY_STATE(q),
	QUERY_FORMATS(q),
	{ 0, "against", OPT_STRING, &set.against, "MACHINE", 0, 0,
	  "ratios to this machine (default: to the fastest)" },
	{ 0, "measure-next", OPT_FLAG, &set.next, NULL, 0, 0,
	  "list what would tell the first two, or the one of --against, apart best" },
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

static const char *label(const struct place *place)
{
	return q.machines.v[place->machine].label;
}

/* The mark of machines that the model serves badly, explained. */
static void say_marks(const struct ranked *r)
{
	double worst = 0;

	for (size_t i = 0; i < r->n; i++)
		worst = fmax(worst, r->places[i].reach);
	if (worst > ranked_badly)
		answer_say(
		    &q,
		    "! predicted badly: in one case of ten its time relative to the reference is "
		    "wrong by more than a factor of %.1f; for the worst machine here, of %.1f",
		    ranked_badly, worst);
}

static void put_rank(struct table *t, const struct rank *rank)
{
	char shown[64];

	snprintf(shown, sizeof(shown), rank->low == rank->high ? "%zu" : "%zu-%zu", rank->low,
		 rank->high);
	table_text(t, shown);
}

static const struct table_column machine_columns[] = {
	{ "rank", "rank", TABLE_LEFT },
	{ "machine", "machine", TABLE_NAME },
	{ "time", "seconds", TABLE_RIGHT },
	{ "ratio", "ratio", TABLE_RIGHT },
	{ "from", "ratio_low", TABLE_RIGHT },
	{ "to", "ratio_high", TABLE_RIGHT },
	{ "P(slower)", "slower", TABLE_RIGHT },
	{ "kernel", "kernel", TABLE_RIGHT },
	{ "user", "user", TABLE_RIGHT },
	{ "wait", "wait", TABLE_RIGHT },
	/* Only for programs. */
	{ "best", "best", TABLE_RIGHT },
	{ "low", "low", TABLE_RIGHT },
	{ "high", "high", TABLE_RIGHT },
	{ "median", "median", TABLE_RIGHT },
	{ "measured from", "measured_low", TABLE_RIGHT },
	{ "measured to", "measured_high", TABLE_RIGHT },
	{ "loss", "loss", TABLE_RIGHT },
	{ "coverage", "coverage", TABLE_RIGHT },
	{ "user ratio", "user_ratio", TABLE_RIGHT },
	{ "kind", "kind", TABLE_LEFT },
	{ "file", "file", TABLE_LEFT },
};

enum { FOR_PEOPLE = 10 }; /* columns */

/* What only programs want to know. */
static void put_more(struct table *t, const struct place *place)
{
	const struct prediction *p = place->p;

	table_number(t, place->rank.best, "%.2f");
	answer_time(&q, t, place->full.low);
	answer_time(&q, t, place->full.high);
	answer_time(&q, t, place->full.median);
	answer_time(&q, t, place->measured.low);
	answer_time(&q, t, place->measured.high);
	table_number(t, place->rank.loss, "%.3f");
	table_number(t, p->coverage, "%.2f");
	table_number(t, p->user_ratio, "%.2f");
	table_text(t, kind_names[p->kind]);
	table_text(t, q.machines.v[place->machine].vector->path);
}

/* Ratios to a slow or a fast machine have about as many digits as others. */
static void put_ratio(struct table *t, double ratio)
{
	table_number(t, ratio, ratio < 0.1 ? "%.2g" : ratio < 100 ? "%.2f" : "%.0f");
}

static void print_machines(const struct ranked *r)
{
	const struct prediction *base = q.predictions[r->base];
	bool people = query_for_people(&q);
	struct table *t =
	    table_new(machine_columns,
		      people ? FOR_PEOPLE : sizeof(machine_columns) / sizeof(*machine_columns));

	for (size_t i = 0; i < r->n; i++) {
		const struct place *place = &r->places[i];
		const struct prediction *p = place->p;
		bool other = place->machine != r->base;

		put_rank(t, &place->rank);
		char *name = xasprintf("%s%s", label(place),
				       people && place->reach > ranked_badly ? " !" : "");
		table_text(t, name);
		free(name);
		answer_time(&q, t, p->total);
		put_ratio(t, p->total / base->total);
		put_ratio(t, other ? place->ratio.low : NAN);
		put_ratio(t, other ? place->ratio.high : NAN);
		table_number(t, other ? place->slower : NAN, "%.2f");
		answer_time(&q, t, p->kernel);
		answer_time(&q, t, p->user);
		answer_time(&q, t, p->wait);
		if (!people)
			put_more(t, place);
	}
	answer_table(&q, "machines", t, true);
}

/* What the numbers of the table mean. */
static void say_words(const struct ranked *r)
{
	const struct samples_interval *full = &r->places[0].full;
	char low[NUMBER_MAX], high[NUMBER_MAX];

	say_marks(r);
	if (r->n == 1) {
		answer_say(&q, "time: %s to %s with probability %.2g",
			   number_format_duration(low, query_time(&q, full->low)),
			   number_format_duration(high, query_time(&q, full->high)),
			   intervals.level);
		return;
	}
	answer_say(
	    &q,
	    "ratio: the time relative to %s, from - to: where the true ratio is with "
	    "probability %.2g; P(slower): how probably it takes longer; both are of this pair "
	    "alone; rank: the places that it can have, all pairs judged at once",
	    q.machines.v[r->base].label, intervals.level);
}

/* "B, C and 3 more": those that are not told apart from the first; NULL: none. */
static char *list_rivals(const struct ranked *r)
{
	enum { MOST = 5 };
	char *list = NULL;
	size_t n = 0;

	for (size_t i = 1; i < r->n; i++)
		if (r->places[i].rank.low == 1 && n++ < MOST)
			answer_join(&list, label(&r->places[i]));
	return n > MOST ? xappend(list, " and %zu more", n - MOST) : list;
}

/* The place that decides: the second, or that of the machine to compare with. */
static const struct place *find_rival(const struct ranked *r)
{
	size_t i = 1;

	while (r->places[0].machine != r->base && r->places[i].machine != r->base)
		i++;
	return &r->places[i];
}

/* The ratio of the rival's time to that of the first. */
static struct samples_interval rival_ratio(const struct ranked *r)
{
	const struct samples_interval *x = &r->places[0].ratio;

	if (r->places[0].machine == r->base)
		return r->places[1].ratio;
	return (struct samples_interval){ 1 / x->median, 1 / x->high, 1 / x->low };
}

static void say_ratio(const struct ranked *r)
{
	const struct place *best = &r->places[0], *rival = find_rival(r);
	const struct samples_interval x = rival_ratio(r);

	answer_say(&q,
		   "%s is %.2f x [%.2f - %.2f] as fast as %s, faster with P = %.2f for "
		   "this pair alone",
		   label(best), rival->p->total / best->p->total, x.low, x.high, label(rival),
		   best->machine == r->base ? rival->slower : 1 - best->slower);
}

/* The greatest part of the doubt in the ratio that decides, and what would help. */
static char *name_cause(const struct next_parts *parts)
{
	const struct {
		double variance;
		const char *words;
	} causes[] = {
		{ parts->measured, "measurement: more rounds or traced runs would help "
				   "(--measure-next)" },
		{ parts->model,
		  "the model's error, which more rounds do not make smaller: time the "
		  "application (--measure-next)" },
		{ parts->hosts,
		  "the state that shared hosts will be in: --vector-state compares them in the "
		  "states of their vectors" },
	};
	const double all = parts->measured + parts->model + parts->hosts;
	size_t most = 0;

	for (size_t i = 1; i < sizeof(causes) / sizeof(*causes); i++)
		if (causes[i].variance > causes[most].variance)
			most = i;
	if (!(all > 0))
		return xstrdup("they are one machine");
	return xasprintf("%.0f %% of the variance of the first ratio is due to %s",
			 100 * causes[most].variance / all, causes[most].words);
}

static void say_decision(const struct ranked *r)
{
	const struct place *best = &r->places[0];
	char low[NUMBER_MAX], high[NUMBER_MAX], *rivals = list_rivals(r);
	const struct next_parts parts =
	    next_split(&q, &intervals, find_rival(r)->machine, best->machine);
	char *cause = name_cause(&parts);

	answer_number(&q, "ratio_variance_measured", parts.measured);
	answer_number(&q, "ratio_variance_model", parts.model);
	answer_number(&q, "ratio_variance_hosts", parts.hosts);

	number_format_duration(low, query_time(&q, best->full.low));
	number_format_duration(high, query_time(&q, best->full.high));
	answer_say(&q,
		   "\ndecision: %s, P(best) = %.2f; with probability %.2g it is at most %.1f %% "
		   "slower than the best",
		   label(best), best->rank.best, intervals.level, 100 * best->rank.loss);
	say_ratio(r);
	if (rivals)
		answer_say(&q,
			   "with probability %.2g for all pairs at once, it is not told apart "
			   "from: %s; %s",
			   intervals.level, rivals, cause);
	answer_say(
	    &q,
	    "%s takes %s to %s per %s; the part of its error that all machines share is in no "
	    "ratio",
	    label(best), low, high, q.unit);
	free(cause);
	free(rivals);
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
		{ "entry", "entry", TABLE_LEFT },  { "calls", "calls", TABLE_RIGHT },
		{ "each", "each", TABLE_RIGHT },   { "time", "seconds", TABLE_RIGHT },
		{ "share", "share", TABLE_RIGHT }, { "", "mark", TABLE_LEFT },
	};
	const struct prediction_line **order = prediction_largest(p);
	size_t n = 0;
	bool marked = query_format(&q) != TABLE_TEXT;

	for (size_t i = 0; i < p->nlines && n < set.top; i++)
		if (order[i]->seconds != 0)
			order[n++] = order[i];
	for (size_t i = 0; i < n; i++)
		marked = marked || *mark(order[i]);
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

	if (a->total == b->total)
		return;
	struct prediction_part *parts = xcalloc(a->nlines, sizeof(*parts));
	double all = prediction_difference(a, b, parts), percent = 100 * (b->total / a->total - 1);
	char *why = xasprintf("%s beats %s by %.1f %%", label(&r->places[0]), label(&r->places[1]),
			      percent);

	for (size_t i = 0; i < 3 && i < a->nlines && parts[i].log_ratio != 0; i++)
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
	if (set.next && (set.no_intervals || q.machines.n < 2))
		opt_bad_usage(&usage, "--measure-next needs two machines and their intervals");
	if (set.no_intervals && intervals_are_set(&intervals))
		opt_bad_usage(&usage, "--no-intervals, and an option that is about intervals");
	query_answer(&q);
	struct ranked r = ranked_new(&q, set.no_intervals ? NULL : &intervals, set.against);
	answer_begin(&q);
	if (r.intervals) {
		intervals_note(&intervals, &q, r.measured_share, r.measured_share);
		intervals_note_runs(&q);
		intervals_facts(&intervals, &q, r.measured_share);
	}
	answer_say(&q, "%s: predicted time per %s on %zu machine%s, level %s", q.application->name,
		   q.unit, r.n, r.n == 1 ? "" : "s", level_name(&q));
	answer_say(&q, "%s", "");
	print_machines(&r);
	if (r.intervals)
		say_words(&r);
	if (r.n > 1 && r.intervals)
		say_decision(&r);
	if (set.next)
		next_print(&q, &intervals, find_rival(&r)->machine, r.places[0].machine,
			   rival_ratio(&r));
	answer_say(&q, "\nwhere the time goes on %s, per %s", label(&r.places[0]), q.unit);
	print_top(r.places[0].p);
	if (r.n > 1)
		say_why(&r);
	answer_end(&q);
	ranked_free(&r);
	query_free(&q);
	return 0;
}
