/* SPDX-License-Identifier: MIT */
#include "cpu_events.h"

#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/stacks.h"
#include "util/home.h"
#include "util/number.h"
#include "util/xalloc.h"

enum { INSTRUCTIONS = 1 }; /* as conf/events.conf has them */

int cpu_events_read(struct formula_file *events)
{
	struct error e;
	char *path = home_find(HOME_CONF, "events.conf", &e);
	int status = path ? formulas_read(events, path, &e) : -1;

	if (status < 0)
		warnx("%s", e.text);
	else if (events->stacks.n != 1 || events->stacks.v->events.n != APPVEC_EVENTS) {
		warnx("%s: not one stack of %d events", path, APPVEC_EVENTS);
		status = -1;
	}
	free(path);
	return status;
}

/* Counts and modes of a file. */
static int count_file(const struct formula_file *events, const char *file, double *all,
		      unsigned *modes)
{
	struct counter_estimate of_mode[APPVEC_EVENTS];
	struct counts counts = { 0 };
	struct error e;
	int status = counts_read(&counts, file, &e);

	for (int mode = 0; mode <= COUNTS_MODES && !status; mode++) { /* the last is all of them */
		stacks_events(&counts, events->stacks.v, (enum counts_mode)mode, of_mode);
		for (size_t k = 0; k < APPVEC_EVENTS; k++) {
			all[k] = of_mode[k].count;
			modes[k] |= isnan(all[k]) || mode == COUNTS_MODES ? 0 : 1U << mode;
		}
	}
	if (!status && isnan(all[INSTRUCTIONS]))
		status = error_set(&e, "%s: no instructions were counted", file);
	counts_free(&counts);
	if (status)
		warnx("%s", e.text);
	return status;
}

/* Their means in the traces in which they were counted. */
static void count_traces(struct profile *const *profiles, size_t n, double *all, unsigned *modes)
{
	double runs[APPVEC_EVENTS] = { 0 }, one[APPVEC_EVENTS];
	unsigned seen[APPVEC_EVENTS];

	for (size_t k = 0; k < APPVEC_EVENTS; k++)
		all[k] = NAN;
	for (size_t i = 0; i < n; i++) {
		profile_events(profiles[i], one, seen);
		for (size_t k = 0; k < APPVEC_EVENTS; k++) {
			if (isnan(one[k]))
				continue;
			all[k] = runs[k] > 0 ? all[k] + (one[k] - all[k]) / (runs[k] + 1) : one[k];
			runs[k]++;
			modes[k] |= seen[k];
		}
	}
}

int cpu_events_make(struct appvec *a, const struct formula_file *events, const char *file,
		    struct profile *const *profiles, size_t n)
{
	double *const to[APPVEC_EVENTS] = { &a->events.cycles, &a->events.instructions,
					    &a->events.cache_misses, &a->events.branch_misses };
	double all[APPVEC_EVENTS];
	unsigned modes[APPVEC_EVENTS] = { 0 };
	size_t first = INSTRUCTIONS;

	if (!file)
		count_traces(profiles, n, all, modes);
	else if (count_file(events, file, all, modes))
		return -1;
	for (size_t k = 0; k < APPVEC_EVENTS && isnan(all[first]); k++)
		first = k;
	free(a->events.mode);
	a->events.mode = xstrdup(counts_modes(modes[first]));
	for (size_t k = 0; k < APPVEC_EVENTS; k++) {
		const char *mode = counts_modes(modes[k]);

		if (!isnan(all[k]) && strcmp(mode, a->events.mode) != 0)
			warnx("%s: left out, since it was counted in mode %s, and %s in %s",
			      events->stacks.v->events.v[k], mode,
			      events->stacks.v->events.v[first], a->events.mode);
		else
			*to[k] = all[k];
	}
	return 0;
}

void cpu_events_print(const struct appvec *a)
{
	const struct {
		const char *what;
		double count;
	} counted[] = { { "instructions", a->events.instructions },
			{ "cycles", a->events.cycles },
			{ "misses of the last cache", a->events.cache_misses },
			{ "mispredicted branches", a->events.branch_misses } };
	const bool alone = strcmp(a->events.mode, "all") != 0;
	const char *before = "";
	char n[NUMBER_MAX];

	for (size_t i = 0; i < APPVEC_EVENTS; i++)
		if (!isnan(counted[i].count)) {
			if (!*before)
				printf("counted%s%s%s: ", alone ? " in " : "",
				       alone ? a->events.mode : "", alone ? " mode alone" : "");
			printf("%s%s %s", before,
			       number_format_si(n, counted[i].count / (a->start ? 1 : a->units)),
			       counted[i].what);
			before = ", ";
		}
	if (*before)
		printf(" per %s\n", a->start ? "run, its start included" : a->unit);
}
