/* SPDX-License-Identifier: MIT */
#include "schedule.h"

#include <math.h>
#include <stdlib.h>

#include "stats/estimate.h"
#include "stats/random.h"
#include "stats/sample.h"
#include "util/vec.h"

enum { BIMODAL_MIN = 30 }; /* processes before two modes are judged */

static const double level = 0.95;
static const double first_guess = 0.1; /* seconds of a process, before any has run */
static const size_t checkpoints[] = { 15, 20, 30, 45, 60 };

struct schedule *schedule_new(size_t n, uint64_t seed, size_t min, size_t max, double precision)
{
	struct schedule *s = xcalloc(1, sizeof(*s));

	s->seed = seed;
	s->min = min;
	s->max = max;
	s->precision = precision;
	s->entries = xcalloc(n, sizeof(*s->entries));
	s->n = n;
	for (size_t i = 0; i < n; i++)
		s->entries[i].precision = NAN;
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

/* Canaries alone need no further round. */
static bool others_left(const struct schedule *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->entries[i].finished && !s->entries[i].always)
			return true;
	return false;
}

static bool is_due(const struct schedule *s, const struct schedule_entry *x)
{
	return !x->finished || (x->always && others_left(s));
}

size_t schedule_round(const struct schedule *s, uint64_t round, size_t *order)
{
	struct random r;
	size_t n = 0;

	random_seed(&r, s->seed + round);
	for (size_t i = 0; i < s->n; i++)
		order[i] = i;
	random_shuffle(&r, order, s->n);
	for (size_t i = 0; i < s->n; i++)
		if (is_due(s, &s->entries[order[i]]))
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

static bool is_check_due(const struct schedule *s, size_t n)
{
	if (n == s->min || n >= s->max)
		return true;
	for (size_t i = 0; i < sizeof(checkpoints) / sizeof(*checkpoints); i++)
		if (n == checkpoints[i])
			return n > s->min;
	return false;
}

static void check_precision(const struct schedule *s, struct schedule_entry *x)
{
	struct modes modes = sample_modes(x->values, x->n);
	struct estimate e = estimate(modes.bimodal ? ESTIMATE_MEAN : ESTIMATE_HODGES_LEHMANN,
				     x->values, x->n, level);

	x->bimodal = modes.bimodal;
	x->precision = estimate_precision(&e);
	if (x->n >= s->max)
		x->finished = true;
	else if (x->bimodal && x->n < BIMODAL_MIN)
		x->finished = false;
	else
		x->finished = x->precision <= s->precision; /* false for NaN */
}

void schedule_check(struct schedule *s, size_t i)
{
	struct schedule_entry *x = &s->entries[i];

	if (!x->finished && is_check_due(s, x->n))
		check_precision(s, x);
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

double schedule_round_time(const struct schedule *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		if (is_due(s, &s->entries[i]))
			sum += process_time(s, &s->entries[i]);
	return sum;
}

/* Processes that x will need in all. */
static double wanted(const struct schedule *s, const struct schedule_entry *x)
{
	double n = (double)x->n, least = x->n < s->min ? (double)s->min : n + 1;

	if (!isnan(x->precision) && s->precision > 0) {
		double ratio = x->precision / s->precision;

		n *= ratio * ratio;
	}
	return fmin(fmax(n, least), (double)s->max);
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
