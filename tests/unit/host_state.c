/* SPDX-License-Identifier: MIT */
/*
 * Tests of driver/host_state on simulated runs of a host whose state wanders: are costs that are
 * moved to the mean state of the run, or to that of another run, nearer to the truth, and do their
 * intervals hold what they promise?
 */
#include "../../driver/host_state.h"

#include "stats/random.h"
#include "util/xalloc.h"

#include "../tap.h"

enum { SHORT = 20, LONG = 60, RUNS = 200, POPULATION = 20000, OTHERS = 30 };

/* A run of one entry, from state on; how much the entry and the canary "call" follow the state. */
struct simulated {
	char name[8];
	struct history_run runs[LONG], others[LONG * OTHERS];
	struct history_entry
	    log[2]; /* of the entry, and of all others, of which only canaries count */
	struct reduction reduction;
	struct history history;
	struct cost entry;
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

static struct history_run find_canaries(struct random *r, double state)
{
	return (struct history_run){ .canaries = { 1e-9 * exp(0.01 * random_normal(r)),
						   1e-7 * exp(state + 0.005 * random_normal(r)) } };
}

/* offset: what the entry itself adds to the logarithm of its canary. */
static void simulate(struct simulated *s, struct random *r, size_t n, double state, double follows,
		     double offset)
{
	*s = (struct simulated){
		.name = "lat_a",
		.log = { { .name = s->name, .runs = s->runs, .n = n, .flags = &s->name[5] },
			 { .name = s->name, .runs = s->others, .n = n * OTHERS } },
		.entry = { .name = xstrdup("lat_a"), .processes = n, .history = s->log }
	};
	s->entry.all = xcalloc(n, sizeof(*s->entry.all));
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < OTHERS; j++) {
			state = wander(r, state);
			s->others[i * OTHERS + j] = find_canaries(r, state);
			s->others[i * OTHERS + j].round = (unsigned)i;
		}
		state = wander(r, state);
		s->entry.all[i] = 1e-6 * exp(follows * state) * noise(r);
		s->runs[i] = find_canaries(r, state + offset);
		s->runs[i].round = (unsigned)i;
		s->runs[i].seconds = s->entry.all[i];
		s->runs[i].mean = 1.1 * s->entry.all[i];
		s->runs[i].cpu = s->entry.all[i];
	}
	s->history = (struct history){ .entries = s->log, .n = 2, .rounds = (unsigned)n };
	s->reduction = (struct reduction){ .path = s->name,
					   .rule = { n, n, 0.02 },
					   .history = &s->history,
					   .costs = &s->entry,
					   .n = 1 };
	cost_describe(&s->entry, &s->reduction.rule, ESTIMATE_HODGES_LEHMANN);
	cost_set_flags(&s->entry, &s->reduction.rule, true);
}

static void done(struct simulated *s)
{
	cost_done(&s->entry);
	free(s->reduction.state_of);
}

/* Squared errors and intervals that hold, plain and moved, of many short runs against a long one.
 */
struct tally {
	double plain, moved, plain_width, moved_width, mean, claimed;
	size_t plain_held, moved_held, stayed;
};

static bool holds(const struct estimate *e, double value)
{
	return e->low <= value && value <= e->high;
}

/* The mean of the canary that tells the state, and of what follows it.  An entry that changes its
 * canary does not tell. */
static double mean_state(const struct simulated *s, double follows, bool tells, double *mean)
{
	double sum = 0, n = 0;

	*mean = 0;
	for (size_t i = tells ? 0 : 1; i < 2; i++)
		for (size_t j = 0; j < s->log[i].n; j++) {
			double state = log(s->log[i].runs[j].canaries[1] / 1e-7);

			sum += state;
			*mean += exp(follows * state);
			n++;
		}
	*mean /= n;
	return sum / n;
}

/* Short runs, moved to their own mean state, or to that of a long one, whose entry may change its
 * canary. */
static struct tally compare(struct random *r, double follows, double offset, bool own)
{
	struct simulated *a = xcalloc(1, sizeof(*a)), *b = xcalloc(1, sizeof(*b));
	double *noises = xcalloc(POPULATION, sizeof(*noises)), state = 0;
	struct tally t = { 0 };

	for (size_t i = 0; i < POPULATION; i++)
		noises[i] = noise(r);
	double typical = estimate_hodges_lehmann(noises, POPULATION, 0.95).centre, over_states,
	       average = sample_mean(noises, POPULATION);
	free(noises);

	for (size_t i = 0; i < RUNS; i++) {
		struct simulated *like = own ? a : b;

		simulate(b, r, LONG, 0, follows, offset);
		simulate(a, r, SHORT, state, follows, 0);
		for (size_t j = 0; j < 100; j++) /* later */
			state = wander(r, state);
		/* What is true of that run but for the noise of its processes. */
		double want =
		    1e-6 * typical *
		    exp(follows * mean_state(like, follows, own || offset <= 0, &over_states));
		t.plain += pow(log(a->entry.centre.centre / want), 2) / RUNS;
		t.plain_width += a->entry.precision / RUNS;
		t.plain_held += holds(&a->entry.centre, want);
		t.stayed += host_state_adjust(&a->reduction, &like->reduction) == 0;
		t.moved += pow(log(a->entry.centre.centre / want), 2) / RUNS;
		t.moved_width += a->entry.precision / RUNS;
		t.moved_held += holds(&a->entry.centre, want);
		t.mean += log(a->entry.mean.centre / (1.1e-6 * average * over_states)) / RUNS;
		t.claimed += a->entry.error * a->entry.error / RUNS;
		done(a);
		done(b);
	}
	free(a);
	free(b);
	printf("# plain: error %.2f %%, width %.2f %%, holds in %zu; moved: %.2f %%, %.2f %%, %zu "
	       "of %d\n",
	       100 * sqrt(t.plain), 100 * t.plain_width, t.plain_held, 100 * sqrt(t.moved),
	       100 * t.moved_width, t.moved_held, RUNS);
	return t;
}

/* 95 %, but for three standard errors. */
static void holds_mostly(const struct tally *t, const char *what)
{
	ok((double)t->moved_held >= 0.91 * RUNS && (double)t->moved_held <= 0.985 * RUNS,
	   "%s: %.1f %% of the intervals hold the truth", what,
	   100.0 * (double)t->moved_held / RUNS);
}

static void test_moving(void)
{
	struct random r;

	random_seed(&r, 2026);
	struct tally t = compare(&r, 1.5, 0, true);
	ok(t.moved < t.plain / 4, "in the mean state of the run, errors are less than half");
	ok(t.moved_width < t.plain_width / 2, "and intervals half as wide");
	holds_mostly(&t, "of the run itself");
	ok(fabs(t.mean) < 0.0035, "the mean is that over all states: %+.2f %% off", 100 * t.mean);
	t = compare(&r, 0, 0, true);
	holds_mostly(&t, "of an entry that follows no canary");
	ok(t.stayed > RUNS * 8 / 10 && sqrt(t.moved) < sqrt(t.plain) + 0.003,
	   "which stays in %zu of %d", t.stayed, RUNS);
	t = compare(&r, 1.5, 0, false);
	ok(t.moved < t.plain / 9, "in the state of another run they are nearer by three times");
	holds_mostly(&t, "of the other run");
	ok(fabs(log(t.claimed / t.moved)) < 0.5, "the error is what is claimed: %.2f of %.2f %%",
	   100 * sqrt(t.claimed), 100 * sqrt(t.moved));
	ok(t.stayed < RUNS / 50, "few entries are left as measured");
	t = compare(&r, 1.5, 0.97, false);
	ok(t.moved < t.plain / 9, "nor does an entry tell its state that changes its canary");
	holds_mostly(&t, "of a run with such an entry");
}

static void test_details(void)
{
	struct simulated *a = xcalloc(1, sizeof(*a)), *b = xcalloc(1, sizeof(*b));
	struct random r;

	random_seed(&r, 7);
	simulate(a, &r, SHORT, 0.1, 1, 0);
	simulate(b, &r, LONG, 0, 1, 0);
	double before = a->entry.mean.centre / a->entry.centre.centre;
	a->reduction.rule.precision = 0.3 * a->entry.precision;
	ok(osvec_has_flag(a->entry.flags, "WIDE"), "wide");
	cmp_int(host_state_adjust(&a->reduction, &b->reduction), 1, "one entry is moved");
	ok(!osvec_has_flag(a->entry.flags, "WIDE"), "and no longer wide");
	cmp_near(a->entry.mean.centre / a->entry.centre.centre, before, 0.06,
		 "mean and centre alike");
	cmp_near(a->entry.cpu / a->entry.mean.centre, 1 / 1.1, 1e-9, "and CPU seconds");
	struct osvec *v = osvec_new("a");
	host_state_describe(&a->reduction, v);
	struct osvec_canary call = osvec_canary(v, 1);
	ok(call.median > 0.8e-7 && call.median < 1.2e-7 && call.low < call.median &&
	       call.median < call.high,
	   "the state of a run: median and tenths of each canary");
	cmp_near(osvec_canary(v, 0).median, 1e-9, 0.01, "of both");
	double logs = 0;
	for (size_t i = 0; i < (size_t)LONG * OTHERS; i++)
		logs += log(b->others[i].canaries[1]) / (LONG * OTHERS);
	cmp_near(osvec_canary(v, 1).mean, exp(logs), 0.01,
		 "and the state that costs are in, of the other run");
	osvec_free(v);
	done(a);
	simulate(a, &r, SHORT, 0.1, 1, 0);
	double raw = a->entry.precision;
	for (size_t i = 0; i < SHORT - 10; i += 2)
		a->runs[i].canaries[1] = NAN;
	cmp_int(host_state_adjust(&a->reduction, &b->reduction), 1, "values without canaries");
	cmp_near(a->entry.values[0], a->entry.all[0], 0, "stay");
	ok(a->entry.values[1] != a->entry.all[1] && a->entry.precision < raw, "others are moved");
	done(a);
	simulate(a, &r, SHORT, 0.1, 1, 0.2);
	cmp_int(host_state_adjust(&a->reduction, &a->reduction), 0,
		"an entry that changes its canary stays");
	done(a);
	/* A process that the host kept waiting, in a state that no process of the entry saw. */
	simulate(a, &r, SHORT, 0.1, 1, 0);
	a->others[0].canaries[1] *= 1e6;
	cmp_int(host_state_adjust(&a->reduction, &a->reduction), 1, "a state far from all others");
	cmp_near(a->entry.mean.centre / a->entry.centre.centre, before, 0.1,
		 "is no reason to believe that operations cost more there");
	done(a);
	for (size_t left = 9; left <= 10; left++) {
		simulate(a, &r, SHORT, 0.3, 9, 0);
		for (size_t i = 0; i < SHORT - left; i++)
			a->runs[i].canaries[1] = NAN;
		cmp_int(host_state_adjust(&a->reduction, &b->reduction), left == 10,
			"%zu values with reference loops: ten are enough", left);
		if (left == 9)
			done(a);
	}
	done(a);
	done(b);
	free(a);
	free(b);
}

int main(void)
{
	test_moving();
	test_details();
	return done_testing();
}
