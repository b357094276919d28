/* SPDX-License-Identifier: MIT */
/* Tests of driver/difference: how two costs differ, and which differences are said to be some. */
#include "../../driver/difference.h"

#include "../tap.h"
#include "stats/estimate.h"
#include "stats/random.h"

static struct osvec_entry entry_of(double seconds, double error, size_t n)
{
	return (struct osvec_entry){ .seconds = seconds, .error = error, .n = n };
}

static void test_ratio(void)
{
	struct osvec_entry a = entry_of(2e-6, 0.01, 30), b = entry_of(2.1e-6, 0.01, 30);
	struct difference d = difference_between(&a, &b), back = difference_between(&b, &a);
	const double width = 2.00172 * 0.0141421; /* Student's t at 58 degrees */

	cmp_near(d.ratio.centre, 1.05, 1e-9, "b / a");
	cmp_near(d.ratio.low, 1.05 * exp(-width), 1e-5, "its lower end");
	cmp_near(d.ratio.high, 1.05 * exp(width), 1e-5, "its upper end");
	cmp_near(d.p, 0.00105, 0.01, "p of 3.450 standard errors");
	cmp_near(back.p, d.p, 1e-6, "the same in the other direction");
	cmp_near(difference_between(&a, &a).p, 1, 1e-6, "no difference");

	struct osvec_entry unknown = entry_of(3e-6, NAN, 30), one = entry_of(3e-6, 0.01, 1);
	d = difference_between(&a, &unknown);
	ok(isnan(d.p) && isnan(d.ratio.low) && d.ratio.centre > 1.4, "an unknown error: no p");
	ok(isnan(difference_between(&one, &a).p), "one process: no p");
	struct osvec_entry small = a, large = b;
	small.bytes = 1 << 20;
	large.bytes = 2 << 20;
	cmp_near(difference_between(&small, &large).ratio.centre, 1.05 / 2, 1e-9,
		 "bytes count, not operations of several sizes");
	small.bytes = 0;
	cmp_near(difference_between(&small, &large).ratio.centre, 1.05, 1e-9,
		 "unless one moves none");
	struct osvec_entry exact = entry_of(2e-6, 0, 15), other = entry_of(2.0001e-6, 0, 15);
	ok(difference_between(&exact, &other).p < 1e-6, "deterministic costs differ for sure");
	struct osvec_entry x = entry_of(1, 0.01, 0), y = entry_of(exp(0.02), 0, 0);
	cmp_near(difference_between(&x, &y).p, 0.0455, 0.01, "n unknown: the normal distribution");
}

/* p and the interval never contradict. */
static void test_consistency(void)
{
	size_t wrong = 0;

	for (int i = 0; i < 400; i++) {
		struct osvec_entry a = entry_of(1, 0.01, 15),
				   b = entry_of(1 + (i - 200) * 5e-4, 0.02, 40);
		struct difference d = difference_between(&a, &b);

		wrong += (d.p < 0.05) != (d.ratio.low > 1 || d.ratio.high < 1);
	}
	cmp_int(wrong, 0, "p < 0.05 where the 95 %% interval leaves 1 out");
}

/* Of equal machines, 5 in 100 entries have p < 0.05; of machines 10 % apart, most. */
static void test_level(void)
{
	enum { TRIALS = 1500, N = 20 };
	size_t hits = 0, found = 0;
	struct random r;

	random_seed(&r, 11);
	for (int i = 0; i < TRIALS; i++) {
		double v[2][N];
		struct osvec_entry x[2];

		for (int side = 0; side < 2; side++) {
			for (int j = 0; j < N; j++)
				v[side][j] = exp(0.1 * random_normal(&r));
			x[side] = entry_of(estimate_hodges_lehmann(v[side], N, 0.95).centre,
					   estimate_log_error(v[side], N), N);
		}
		hits += difference_between(&x[0], &x[1]).p < 0.05;
		x[1].seconds *= 1.1;
		found += difference_between(&x[0], &x[1]).p < 0.05;
	}
	ok(hits > 0.03 * TRIALS && hits < 0.07 * TRIALS, "false differences: %zu of %d", hits,
	   TRIALS);
	ok(found > 0.75 * TRIALS, "true ones of 10 %%: %zu", found);
}

/* Which of the p-values are differences at this rate, as a string of 0 and 1. */
static const char *control(const double *p, size_t n, double rate)
{
	static char out[16];
	struct difference d[16] = { { 0 } };

	for (size_t i = 0; i < n; i++)
		d[i].p = p[i];
	difference_decide(d, n, rate);
	for (size_t i = 0; i < n; i++)
		out[i] = d[i].differs ? '1' : '0';
	out[n] = '\0';
	return out;
}

static void test_control(void)
{
	is_string(control((double[]){ 0.2, 0.01, 0.04, 0.02, 0.03 }, 5, 0.05), "01111",
		  "each below its line");
	is_string(control((double[]){ 0.05, 0.04, 0.03, 0.049 }, 4, 0.05), "1111",
		  "the largest below its line takes all smaller ones along");
	is_string(control((double[]){ 0.02, 0.5, 0.6, 0.7 }, 4, 0.05), "0000",
		  "0.02 is none among four");
	is_string(control((double[]){ 0.02, 0.5, NAN, NAN }, 4, 0.05), "1000",
		  "unknown ones do not count");
	is_string(control((double[]){ 0.02, 0.5 }, 2, 0.01), "00", "at a smaller rate");
}

static void test_matters(void)
{
	const struct {
		double low, high;
		bool differs, matters;
	} rows[] = {
		{ 1.001, 1.02, true, false }, { 1.001, 1.04, true, true },
		{ 1.2, 1.3, false, false },   { 0.98, 0.99, true, false },
		{ 0.96, 0.99, true, true },   { 1.2, 1.3, true, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct difference d = { .ratio = { 1, rows[i].low, rows[i].high },
					.differs = rows[i].differs };

		cmp_int(difference_matters(&d, 0.03), rows[i].matters, "%g to %g, %d", rows[i].low,
			rows[i].high, rows[i].differs);
	}
}

int main(void)
{
	test_ratio();
	test_consistency();
	test_level();
	test_control();
	test_matters();
	return done_testing();
}
