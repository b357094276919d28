/* SPDX-License-Identifier: MIT */
#include "rounds.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "levels.h"
#include "process.h"
#include "util/monotonic.h"
#include "util/number.h"
#include "util/xalloc.h"

struct attempts {
	unsigned failures; /* in a row */
	size_t processes, repeated;
};

/* Failures in a row before an entry is given up: once it has values it may fail through a round. */
enum { FAILURES_AT_FIRST = 2, FAILURES_LATER = 4 };

/* At most this share of an entry's processes is repeated: what is always disturbed is measured as
 * it is. */
static const double repeat_share = 0.3;

/* -- one entry in one round -------------------------------------------------------------------- */

static int give_up(struct run *run, size_t i, const char *reason, struct error *e)
{
	schedule_give_up(run->schedule, i);
	progress_line(&run->progress, "%s: %s", run->suite->entries[i].name, reason);
	if (run->schedule->entries[i].n)
		return 0; /* it ends as numbers, fewer than wanted */
	return results_add_skipped(&run->results, run->suite->entries[i].name, reason, e);
}

static int count(struct run *run, size_t i, const struct outcome *o, struct error *e)
{
	run->attempts[i].failures = 0;
	schedule_add(run->schedule, i, o->seconds, o->wall);
	return results_add_value(&run->results, run->suite->entries[i].name, o->seconds, e);
}

/* Books an outcome; *again: the process is to be repeated. */
static int book(struct run *run, size_t i, struct outcome *o, bool *again, struct error *e)
{
	struct attempts *a = &run->attempts[i];
	bool first = !*again;

	*again = false;
	a->processes++;
	if (o->verdict == HISTORY_DISTURBED &&
	    (!first || (double)a->repeated > repeat_share * (double)a->processes))
		outcome_accept(o);
	if (results_add_run(&run->results, o->run, e))
		return -1;
	if (o->verdict == HISTORY_COUNTED)
		return count(run, i, o, e);
	schedule_add(run->schedule, i, NAN, o->wall);
	if (o->verdict == HISTORY_DISTURBED) {
		a->repeated++;
		*again = true;
		return 0;
	}
	unsigned limit = run->schedule->entries[i].n ? FAILURES_LATER : FAILURES_AT_FIRST;
	if (o->verdict == HISTORY_UNSUPPORTED || o->hopeless || ++a->failures >= limit)
		return give_up(run, i, o->reason, e);
	*again = first;
	return 0;
}

static int measure(struct run *run, size_t i, struct error *e)
{
	bool again = false;
	int failed;

	do {
		struct outcome o;

		outcome_take(&o, &run->plan, &run->suite->entries[i], run->round);
		failed = process_interrupted() ? 0 : book(run, i, &o, &again, e);
		outcome_done(&o);
	} while (again && !failed && !process_interrupted());
	return failed;
}

/* -- rounds ------------------------------------------------------------------------------------ */

static double time_left(const struct run *run)
{
	double left = schedule_time_left(run->schedule), budget = run->suite->settings.budget;

	return budget > 0 ? fmin(left, fmax(0, budget - (monotonic_seconds() - run->started)))
			  : left;
}

/* "412/1680 processes, 3/112 entries" */
static const char *describe_state(const struct run *run, char *out, size_t n)
{
	size_t done = 0, finished = 0;

	for (size_t i = 0; i < run->schedule->n; i++) {
		done += run->schedule->entries[i].n;
		finished += run->schedule->entries[i].finished;
	}
	snprintf(out, n, "%zu/%.0f processes, %zu/%zu entries", done,
		 (double)done + schedule_processes_left(run->schedule), finished, run->schedule->n);
	return out;
}

static void show(struct run *run, const char *entry)
{
	double gone = monotonic_seconds() - run->started, left = time_left(run);
	char state[100], note[200];

	snprintf(note, sizeof(note), "%s  %s", describe_state(run, state, sizeof(state)), entry);
	progress_show(&run->progress, gone / (gone + left + 1e-9), left, note);
}

static void report_round(struct run *run)
{
	char state[100], left[NUMBER_MAX];

	if (!run->progress.terminal)
		progress_line(&run->progress, "round %" PRIu64 ": %s, about %s left",
			      run->round + 1, describe_state(run, state, sizeof(state)),
			      number_format_duration(left, round(time_left(run))));
}

/* Whether entry i already has its value of this round: a resumed run. */
static bool has_value(const struct history *before, const struct run *run, size_t i)
{
	const struct history_entry *x = history_find(before, run->suite->entries[i].name);

	return x && x->n && x->runs[x->n - 1].round == run->round;
}

static int run_round(struct run *run, const struct history *before, size_t *order, size_t n,
		     struct error *e)
{
	for (size_t i = 0; i < n && !process_interrupted(); i++) {
		if (has_value(before, run, order[i]))
			continue;
		show(run, run->suite->entries[order[i]].name);
		if (measure(run, order[i], e))
			return -1;
	}
	if (process_interrupted())
		return 0;
	for (size_t i = 0; i < run->schedule->n; i++)
		schedule_check(run->schedule, i);
	report_round(run);
	return results_sync(&run->results, e);
}

int rounds_measure(struct run *run, const struct history *before, const char **status,
		   struct error *e)
{
	size_t *order = xcalloc(run->schedule->n, sizeof(*order)), n;
	uint64_t first = run->round;
	int failed = 0;

	*status = "complete";
	while (!failed && (n = schedule_round(run->schedule, run->round, order)) > 0) {
		double gone = monotonic_seconds() - run->started;

		if (run->suite->settings.budget > 0 && run->round > first &&
		    gone + schedule_round_time(run->schedule, run->round) >
			run->suite->settings.budget) {
			*status = "budget";
			break;
		}
		failed = run_round(run, before, order, n, e);
		if (process_interrupted()) {
			*status = "interrupted";
			break;
		}
		run->round++;
	}
	free(order);
	return failed;
}

/* -- before the first -------------------------------------------------------------------------- */

void rounds_prepare(struct run *run, bool quiet)
{
	const struct suite *suite = run->suite;
	const struct settings *s = &suite->settings;

	run->plan.batch = s->batch;
	run->plan.batches = (uint64_t)s->batches;
	run->plan.timeout = s->timeout;
	run->schedule = schedule_new(suite->n, run->plan.seed, (size_t)s->processes_min,
				     (size_t)s->processes_max, s->precision);
	run->attempts = xcalloc(suite->n, sizeof(*run->attempts));
	for (size_t i = 0; i < suite->n; i++)
		run->schedule->entries[i].always = suite->entries[i].role == SUITE_CANARY;
	progress_start(&run->progress, "measuring", quiet);
	run->started = monotonic_seconds();
}

int rounds_resolve_levels(struct run *run, struct error *e)
{
	json_t *facts = json_object_get(run->meta, "environment");

	if (!levels_wanted(run->suite))
		return 0;
	if (!json_object_get(facts, "level.source")) {
		progress_show(&run->progress, 0, NAN, "finding the levels of the memory hierarchy");
		levels_find(facts, &run->plan);
	}
	levels_apply(run->suite, facts);
	for (size_t i = 0; i < run->suite->n; i++) {
		char reason[80];

		if (!run->suite->entries[i].lacks || run->schedule->entries[i].finished)
			continue;
		snprintf(reason, sizeof(reason), "no %s: this machine has fewer levels of caches",
			 run->suite->entries[i].lacks);
		if (give_up(run, i, reason, e))
			return -1;
	}
	return 0;
}

/* Gives the schedule the values that entry i has; x is its log, or NULL. */
static int recall_entry(struct run *run, size_t i, const struct history_entry *x, struct error *e)
{
	const char *name = run->suite->entries[i].name;
	size_t n;
	double *values;

	if (!results_has_entry(run->results.path, name))
		return 0;
	if (results_read_values(run->results.path, name, &values, &n, e))
		return -1;
	for (size_t j = 0; j < n; j++) {
		schedule_add(run->schedule, i, values[j],
			     x && x->processes ? x->wall / (double)x->processes : 0);
		schedule_check(run->schedule, i); /* as it was judged then */
	}
	run->started -= run->schedule->entries[i].wall;
	free(values);
	return 0;
}

int rounds_recall(struct run *run, const struct history *before, struct error *e)
{
	struct skipped *skipped;
	size_t nskipped;
	int failed = 0;

	if (results_read_skipped(run->results.path, &skipped, &nskipped, e))
		return -1;
	for (size_t i = 0; i < run->suite->n; i++) {
		const struct history_entry *x = history_find(before, run->suite->entries[i].name);

		if (recall_entry(run, i, x, e))
			failed = -1;
		for (size_t j = 0; j < nskipped; j++)
			if (!strcmp(skipped[j].entry, run->suite->entries[i].name))
				schedule_give_up(run->schedule, i);
	}
	results_free_skipped(skipped, nskipped);
	/* The last round may be half done; run_round leaves out the entries that have their value.
	 */
	run->round = before->rounds ? before->rounds - 1 : 0;
	return failed;
}
