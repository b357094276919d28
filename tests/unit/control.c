/* SPDX-License-Identifier: MIT */
/*
 * Tests of driver/control and lib/stats/slope on simulated runs of a host whose state wanders: are
 * costs that are moved to the state of another run nearer to that run's, and do their intervals
 * hold what they promise?
 */
#include "../../driver/control.h"

#include "stats/random.h"
#include "stats/slope.h"
#include "util/xalloc.h"

#include "../tap.h"

enum { SHORT = 20, LONG = 60, RUNS = 200, POPULATION = 20000 };

/* A run of one entry, from state on; how much the entry and the canary "call" follow the state. */
struct simulated {
	char name[8];
	struct history_run runs[LONG];
	struct history_entry log;
	struct reduction reduction;
	struct history history;
	struct reduced entry;
};

/* The state is that of a queue that drains slowly: correlated over about 30 processes. */
static double wander(struct random *r, double state)
{
	return 0.97 * state + 0.02 * random_normal(r);
}

/* What is the process's own: one in ten is hit. */
static double noise(struct random *r)
{
	double hit = random_below(r, 10) ? 0 : 0.3 * random_uniform(r);

	return exp(0.01 * random_normal(r) + hit);
}

static void simulate(struct simulated *s, struct random *r, size_t n, double state, double follows)
{
	*s = (struct simulated){
		.name = "lat_a",
		.log = { .name = s->name, .runs = s->runs, .n = n, .flags = &s->name[5] },
		.entry = { .name = xstrdup("lat_a"), .processes = n, .log = &s->log }
	};
	s->entry.all = xcalloc(n, sizeof(*s->entry.all));
	for (size_t i = 0; i < n; i++) {
		state = wander(r, state);
		s->entry.all[i] = 1e-6 * exp(follows * state) * noise(r);
		s->runs[i] = (struct history_run){
			.round = (unsigned)i,
			.seconds = s->entry.all[i],
			.mean = 1.1 * s->entry.all[i],
			.cpu = s->entry.all[i],
			.canaries = { 1e-9 * exp(0.01 * random_normal(r)),
				      1e-7 * exp(state + 0.005 * random_normal(r)), NAN },
		};
	}
	s->history = (struct history){ .entries = &s->log, .n = 1 };
	s->reduction = (struct reduction){ .path = s->name,
					   .rule = { n, n, 0.02 },
					   .history = &s->history,
					   .entries = &s->entry,
					   .n = 1 };
	reduced_describe(&s->entry, &s->reduction.rule, ESTIMATE_HODGES_LEHMANN);
	reduced_set_flags(&s->entry, &s->reduction.rule, true);
}

static void done(struct simulated *s)
{
	reduced_done(&s->entry);
	free(s->reduction.state_of);
}

/* Squared errors and intervals that hold, plain and moved, of many short runs against a long one.
 */
struct tally {
	double plain, moved, plain_width, moved_width;
	size_t plain_held, moved_held, stayed;
};

static bool holds(const struct estimate *e, double value)
{
	return e->low <= value && value <= e->high;
}

/* The level of the canary that tells the state. */
static double median_state(const struct simulated *s)
{
	double logs[LONG];

	for (size_t i = 0; i < s->entry.processes; i++)
		logs[i] = log(s->runs[i].canaries[1] / 1e-7);
	return estimate_hodges_lehmann(logs, s->entry.processes, 0.95).centre;
}

static struct tally compare(struct random *r, double follows)
{
	struct simulated *a = xcalloc(1, sizeof(*a)), *b = xcalloc(1, sizeof(*b));
	double *own = xcalloc(POPULATION, sizeof(*own)), state = 0;
	struct tally t = { 0 };

	for (size_t i = 0; i < POPULATION; i++)
		own[i] = noise(r);
	double typical = estimate_hodges_lehmann(own, POPULATION, 0.95).centre;
	free(own);

	for (size_t i = 0; i < RUNS; i++) {
		simulate(b, r, LONG, 0, follows);
		simulate(a, r, SHORT, state, follows);
		for (size_t j = 0; j < 100; j++) /* later */
			state = wander(r, state);
		/* What is true of the other run but for the noise of its processes. */
		double want = 1e-6 * typical * exp(follows * median_state(b));
		t.plain += pow(log(a->entry.centre.centre / want), 2) / RUNS;
		t.plain_width += a->entry.precision / RUNS;
		t.plain_held += holds(&a->entry.centre, want);
		t.stayed += control_move(&a->reduction, &b->reduction) == 0;
		t.moved += pow(log(a->entry.centre.centre / want), 2) / RUNS;
		t.moved_width += a->entry.precision / RUNS;
		t.moved_held += holds(&a->entry.centre, want);
		done(a);
		done(b);
	}
	free(a);
	free(b);
	return t;
}

static void test_moving(void)
{
	struct random r;

	random_seed(&r, 2026);
	struct tally t = compare(&r, 1.5);
	printf("# plain: error %.2f %%, width %.2f %%, holds in %zu; moved: %.2f %%, %.2f %%, %zu "
	       "of %d\n",
	       100 * sqrt(t.plain), 100 * t.plain_width, t.plain_held, 100 * sqrt(t.moved),
	       100 * t.moved_width, t.moved_held, RUNS);
	ok(t.moved < t.plain / 16, "moved costs are nearer to a long run, by more than four times");
	ok(t.moved_width < t.plain_width / 1.5, "with narrower intervals");
	ok((double)t.moved_held >= 0.91 * RUNS && (double)t.moved_held <= 0.985 * RUNS,
	   "of which %.1f %% hold its value", 100.0 * (double)t.moved_held / RUNS);
	ok((double)t.plain_held < 0.5 * RUNS, "the plain ones know only their own state: %.1f %%",
	   100.0 * (double)t.plain_held / RUNS);
	ok(t.stayed < RUNS / 50, "few stay");
	t = compare(&r, 0);
	ok((double)t.moved_held >= 0.91 * RUNS && t.stayed > RUNS * 8 / 10,
	   "an entry that follows no canary stays in %zu of %d and holds in %zu", t.stayed, RUNS,
	   t.moved_held);
}

static void test_details(void)
{
	struct simulated *a = xcalloc(1, sizeof(*a)), *b = xcalloc(1, sizeof(*b));
	struct random r;

	random_seed(&r, 7);
	simulate(a, &r, SHORT, 0.1, 1);
	simulate(b, &r, LONG, 0, 1);
	double before = a->entry.mean.centre / a->entry.centre.centre;
	ok(reduce_has_flag(a->entry.flags, "WIDE"), "wide");
	cmp_int(control_move(&a->reduction, &b->reduction), 1, "one entry is moved");
	ok(!reduce_has_flag(a->entry.flags, "WIDE"), "and no longer wide");
	cmp_near(a->entry.mean.centre / a->entry.centre.centre, before, 0.06,
		 "mean and centre alike");
	cmp_near(a->entry.cpu / a->entry.mean.centre, 1 / 1.1, 1e-9, "and CPU seconds");
	json_t *state = control_state(&b->reduction), *call = json_object_get(state, "call");
	double median = json_number_value(json_array_get(call, 0)),
	       low = json_number_value(json_array_get(call, 1)),
	       high = json_number_value(json_array_get(call, 2));
	ok(median > 0.8e-7 && median < 1.2e-7 && low < median && median < high,
	   "the state of a run: median and tenths of each canary");
	ok(json_object_get(state, "integer") && !json_object_get(state, "memory"),
	   "but of one that never was");
	json_decref(state);
	done(a);
	for (size_t i = 0; i < 9; i++)
		a->runs[i].canaries[1] = NAN;
	simulate(a, &r, 9, 0.3, 1);
	cmp_int(control_move(&a->reduction, &b->reduction), 0, "nine processes make no line");
	done(a);
	done(b);
	free(a);
	free(b);
}

static void test_slope(void)
{
	double x[12], y[12];

	for (size_t i = 0; i < 12; i++) {
		x[i] = (double)i;
		y[i] = 3 - 2 * (double)i + (i % 2 ? 0.1 : -0.1);
	}
	y[11] = 1000;
	struct slope s = slope_fit(x, y, 12);
	ok(fabs(s.slope + 2) < 0.05, "one point far off does not bend the line: %.3f", s.slope);
	ok(s.error > 0.002 && s.error < 0.02, "its error: %.4f", s.error);
	ok(isnan(slope_fit(x, y, 2).slope), "two points make no line");
	for (size_t i = 0; i < 12; i++)
		x[i] = 1;
	ok(isnan(slope_fit(x, y, 12).slope), "nor does one x");
	x[3] = NAN;
	ok(isnan(slope_fit(x, y, 12).slope), "nor a number that is none");
}

int main(void)
{
	test_slope();
	test_moving();
	test_details();
	return done_testing();
}
