/* SPDX-License-Identifier: MIT */
/* Tests of statistics of calls. */
#include "view/tally.h"

#include <math.h>

#include "../random.h"
#include "../tap.h"
#include "calls.h"

static void test_tally(void)
{
	enum { CALLS = 10007 };
	struct tally t = { 0 };
	double sum = 0, squares = 0;
	static double values[CALLS];

	struct event none = call("read", 0, -1, -2);
	tally_add(&t, &none);
	ok(t.calls == 1 && t.errors == 1 && isnan(tally_seconds(&t, TALLY_TOTAL)) &&
	       isnan(tally_seconds(&t, TALLY_MIN)) && isnan(tally_seconds(&t, TALLY_MEAN)) &&
	       isnan(tally_seconds(&t, TALLY_P50)),
	   "a call without a duration has no time, but counts");
	/* Far from 0 and close together: the sum of squares would cancel. */
	for (int i = 0; i < CALLS; i++) {
		struct event e = call("read", 0, (int64_t)1e12 + below(1000), 1);

		values[i] = (double)e.call.duration;
		sum += values[i];
		tally_add(&t, &e);
		if (i == 0)
			ok(isnan(tally_seconds(&t, TALLY_DEVIATION)), "one value has no deviation");
	}
	for (int i = 0; i < CALLS; i++)
		squares += (values[i] - sum / CALLS) * (values[i] - sum / CALLS);
	ok(t.calls == CALLS + 1 && t.timed == CALLS && t.errors == 1, "counts");
	cmp_near(tally_seconds(&t, TALLY_TOTAL), sum * 1e-9, 1e-12, "total");
	cmp_near(tally_seconds(&t, TALLY_MEAN), sum / CALLS * 1e-9, 1e-12, "mean");
	cmp_near(tally_seconds(&t, TALLY_DEVIATION), sqrt(squares / (CALLS - 1)) * 1e-9, 1e-6,
		 "deviation");
	ok(tally_seconds(&t, TALLY_MIN) >= 1e3 && tally_seconds(&t, TALLY_MAX) < 1e3 + 1e-6 &&
	       tally_seconds(&t, TALLY_MIN) < tally_seconds(&t, TALLY_MAX),
	   "extremes");
	ok(tally_seconds(&t, TALLY_P50) >= tally_seconds(&t, TALLY_MIN) &&
	       tally_seconds(&t, TALLY_P99) <= tally_seconds(&t, TALLY_MAX),
	   "quantiles stay between the extremes");
	tally_free(&t);
}

/* Events that stand for several calls are those calls. */
static void test_tally_of_several(void)
{
	static const struct {
		int64_t duration;
		uint64_t n;
	} calls[] = { { 100, 3 }, { 5000, 1 }, { 200, 7 }, { 100, 2 }, { -1, 5 } };
	struct tally one = { 0 }, several = { 0 };

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct event e = call("read", 0, calls[i].duration, -1);

		for (uint64_t k = 0; k < calls[i].n; k++)
			tally_add(&one, &e);
		e.call.more = calls[i].n - 1;
		tally_add(&several, &e);
	}
	ok(several.calls == 18 && several.errors == 18 && several.timed == 13, "counts of several");
	for (enum tally_time which = TALLY_TOTAL; which <= TALLY_P99; which++)
		cmp_near(tally_seconds(&several, which), tally_seconds(&one, which), 1e-12,
			 "statistic %d of several", (int)which);
	tally_free(&one);
	tally_free(&several);
}

static void test_merge(void)
{
	enum { CALLS = 5003, PARTS = 5 };
	static const int64_t least[PARTS - 1] = { 1000000, 500, 2000000,
						  700 }; /* the last is empty */
	struct tally parts[PARTS] = { 0 }, whole = { 0 }, sum = { 0 };

	for (int i = 0; i < CALLS; i++) {
		int64_t duration = below(1000) + least[i % (PARTS - 1)];
		struct event e = call("read", 0, duration, i % 7 ? 1 : -2);

		tally_add(&whole, &e);
		tally_add(&parts[i % (PARTS - 1)], &e);
	}
	for (int i = 0; i < PARTS; i++)
		tally_merge(&sum, &parts[i]);
	ok(sum.calls == whole.calls && sum.errors == whole.errors && sum.timed == whole.timed &&
	       sum.min == whole.min && sum.max == whole.max,
	   "the calls of several tallies");
	for (int t = TALLY_TOTAL; t <= TALLY_P99; t++)
		cmp_near(tally_seconds(&sum, t), tally_seconds(&whole, t), 1e-12,
			 "their statistics: %d", t);
	for (int i = 0; i < PARTS; i++)
		tally_free(&parts[i]);
	tally_free(&sum);
	tally_free(&whole);
}

int main(void)
{
	test_tally();
	test_tally_of_several();
	test_merge();
	return done_testing();
}
