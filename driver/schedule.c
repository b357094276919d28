/* SPDX-License-Identifier: MIT */
#include "schedule.h"

#include <math.h>
#include <stdlib.h>

#include "stats/estimate.h"
#include "stats/random.h"
#include "stats/sample.h"
#include "util/vec.h"

enum { PILOT_PART = 3 }; /* the first third decides */

/* Of the deciding intervals, which may have five values: a signed-rank interval of five has at most
 * 1 - 2 / 2^5 = 0.9375. */
static const double level = 0.93;
static const double first_guess = 0.1; /* seconds of a process, before any has run */
static const size_t checkpoints[] = { 15, 20, 30, 45, 60, 90, 120 };

struct schedule *schedule_new(size_t n, uint64_t seed, size_t min, size_t max, double precision)
{
	struct schedule *s = xcalloc(1, sizeof(*s));

	s->seed = seed;
	s->rule = (struct schedule_rule){ min, max, precision };
	s->entries = xcalloc(n, sizeof(*s->entries));
	s->n = n;
	for (size_t i = 0; i < n; i++)
		s->entries[i].wanted = NAN;
	return s;
}

void schedule_free(struct schedule *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->entries[i].values);
	free(s->entries);
	free(s);
}

/* Seconds of one process of x; one not yet measured counts as the mean of the others. */
static double process_time(const struct schedule *s, const struct schedule_entry *x)
{
	double wall = 0;
	size_t n = 0;

	if (x->processes)
		return x->wall / (double)x->processes;
	for (size_t i = 0; i < s->n; i++) {
		wall += s->entries[i].wall;
		n += s->entries[i].processes;
	}
	return n ? wall / (double)n : first_guess;
}

/* The median over the unfinished entries; INFINITY: there is none. */
static double usual_time(const struct schedule *s)
{
	double *times = xcalloc(s->n, sizeof(*times)), usual = INFINITY;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (!s->entries[i].finished)
			times[n++] = process_time(s, &s->entries[i]);
	if (n)
		usual = sample_median(times, n);
	free(times);
	return usual;
}

/* Canaries alone need no further round. */
static bool others_left(const struct schedule *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->entries[i].finished && !s->entries[i].always)
			return true;
	return false;
}

/*
 * Every round, until it has the least number of processes; then, where its processes take k times
 * as long as the usual one, every k-th, so that all entries get about the same time.
 */
static bool is_due(const struct schedule *s, const struct schedule_entry *x, uint64_t round,
		   double usual)
{
	double times = process_time(s, x) / usual;

	if (x->always && others_left(s))
		return true;
	return !x->finished && (x->n < s->rule.min || times < 2 ||
				(round + (uint64_t)(x - s->entries)) % (uint64_t)times == 0);
}

size_t schedule_round(const struct schedule *s, uint64_t round, size_t *order)
{
	double usual = usual_time(s);
	struct random r;
	size_t n = 0;

	random_seed(&r, s->seed + round);
	for (size_t i = 0; i < s->n; i++)
		order[i] = i;
	random_shuffle(&r, order, s->n);
	for (size_t i = 0; i < s->n; i++)
		if (is_due(s, &s->entries[order[i]], round, usual))
			order[n++] = order[i];
	return n;
}

void schedule_add(struct schedule *s, size_t i, double value, double wall)
{
	struct schedule_entry *x = &s->entries[i];

	x->wall += wall;
	x->processes++;
	if (isnan(value))
		return;
	if (x->n == x->cap) {
		x->cap = x->cap ? 2 * x->cap : 16;
		x->values = xreallocarray(x->values, x->cap, sizeof(*x->values));
	}
	x->values[x->n++] = value;
}

void schedule_give_up(struct schedule *s, size_t i)
{
	s->entries[i].finished = true;
	s->entries[i].always = false;
}

/* The number of processes, after end, that an entry can end with. */
static size_t next_end(const struct schedule_rule *rule, size_t end)
{
	for (size_t i = 0; i < sizeof(checkpoints) / sizeof(*checkpoints); i++)
		if (checkpoints[i] > end && checkpoints[i] < rule->max)
			return checkpoints[i];
	return rule->max;
}

/* The relative half-width that the other values will have when an entry ends with end processes, by
 * the first ones; NaN: too few to tell. */
static double forecast(const double *values, size_t pilot, size_t end)
{
	struct estimate e = estimate_hodges_lehmann(values, pilot, level);

	return estimate_precision(&e) * sqrt((double)pilot / (double)(end - pilot));
}

/* The number of processes after which the entry ends, as far as n values show.  *pilot: how many of
 * them decided that; *wanted: how many the last forecast asks for, NaN without one. */
static size_t find_end(const struct schedule_rule *rule, const double *values, size_t n,
		       size_t *pilot, double *wanted)
{
	*wanted = NAN;
	for (size_t end = rule->min; end < rule->max; end = next_end(rule, end)) {
		*pilot = end / PILOT_PART;
		if (*pilot > n)
			break;
		double ratio = forecast(values, *pilot, end) / rule->precision;

		*wanted = (double)end * (ratio <= 1 ? 1 : ratio * ratio);
		if (ratio <= 1)
			return end;
	}
	*pilot = 0;
	return rule->max;
}

size_t schedule_pilot(const struct schedule_rule *rule, const double *values, size_t n)
{
	size_t pilot = 0;
	double wanted;

	if (n >= rule->min)
		find_end(rule, values, n, &pilot, &wanted);
	return 2 * pilot <= n ? pilot : 0;
}

/* Whether n values show more than n - 1 did. */
static bool is_check_due(const struct schedule_rule *rule, size_t n)
{
	for (size_t end = rule->min; end < rule->max; end = next_end(rule, end))
		if (n == end || n == end / PILOT_PART)
			return true;
	return n >= rule->max;
}

void schedule_check(struct schedule *s, size_t i)
{
	struct schedule_entry *x = &s->entries[i];
	size_t pilot;

	if (!x->finished && is_check_due(&s->rule, x->n))
		x->finished = x->n >= find_end(&s->rule, x->values, x->n, &pilot, &x->wanted);
}

double schedule_round_time(const struct schedule *s, uint64_t round)
{
	double sum = 0, usual = usual_time(s);

	for (size_t i = 0; i < s->n; i++)
		if (is_due(s, &s->entries[i], round, usual))
			sum += process_time(s, &s->entries[i]);
	return sum;
}

/* Processes that x will need in all. */
static double wanted(const struct schedule *s, const struct schedule_entry *x)
{
	double least = fmax((double)s->rule.min, (double)x->n + 1);

	return fmin(fmax(x->wanted, least), (double)s->rule.max); /* fmax leaves NaN out */
}

double schedule_time_left(const struct schedule *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct schedule_entry *x = &s->entries[i];

		if (!x->finished)
			sum += (wanted(s, x) - (double)x->n) * process_time(s, x);
	}
	return sum;
}

double schedule_processes_left(const struct schedule *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		if (!s->entries[i].finished)
			sum += wanted(s, &s->entries[i]) - (double)s->entries[i].n;
	return sum;
}
