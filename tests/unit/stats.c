/* SPDX-License-Identifier: MIT */
/* Tests of lib/stats against vectors made by R (tests/data/stats/generate.R) and by hand. */
#include "stats/distribution.h"
#include "stats/estimate.h"
#include "stats/pairs.h"
#include "stats/random.h"
#include "stats/sample.h"
#include "stats/score.h"
#include "util/file.h"
#include "util/map.h"
#include "util/vec.h"

#include "../tap.h"

enum { WORDS_MAX = 256 };

/* A stored line, cut at blanks; "NA" is R's word for no value. */
struct stored_line {
	const char *word[WORDS_MAX];
	size_t n;
};

static double number(const struct stored_line *l, size_t i)
{
	if (i >= l->n)
		return -1e300;
	return strcmp(l->word[i], "NA") ? strtod(l->word[i], NULL) : NAN;
}

/* True when the numbers of the line from the first on are got[n], to the tolerance. */
static bool agrees(const struct stored_line *l, size_t first, const double *got, size_t n,
		   double tolerance)
{
	bool all = l->n == first + n;

	for (size_t i = 0; i < n; i++) {
		double want = number(l, first + i), scale = want != 0 ? fabs(want) : 1;

		if (got[i] == want || (isnan(got[i]) && isnan(want)) ||
		    fabs(got[i] - want) <= tolerance * scale)
			continue;
		printf("# column %zu: got %.17g, want %.17g\n", first + i + 1, got[i], want);
		all = false;
	}
	return all;
}

/* Calls check for each line of a stored file that is not a comment; one test each. */
static void each_line(const char *name, size_t least, bool (*check)(const struct stored_line *l))
{
	char path[128];
	struct error e = { "" };
	size_t size, lines = 0;

	snprintf(path, sizeof(path), "tests/data/stats/%s", name);
	char *text = file_read(path, 1 << 20, &size, &e);
	if (!text) {
		fail("%s", e.text);
		return;
	}
	for (char *at = text, *row; (row = strsep(&at, "\n"));) {
		struct stored_line l = { .n = 0 };

		if (*row == '#' || !*row)
			continue;
		char *rest = row, *title = xstrndup(row, 40);
		for (char *w; l.n < WORDS_MAX && (w = strsep(&rest, " "));)
			l.word[l.n++] = w;
		ok(check(&l), "%s: %s", name, title);
		free(title);
		lines++;
	}
	ok(lines >= least, "%s: has its %zu lines (%zu)", name, least, lines);
	free(text);
}

struct sample {
	double *v;
	size_t n;
};

static struct names sample_names;
static VEC(struct sample) samples;

static bool store_sample(const struct stored_line *l)
{
	double *v = xcalloc(l->n, sizeof(*v));

	for (size_t i = 1; i < l->n; i++)
		v[i - 1] = number(l, i);
	vec_push(&samples, (struct sample){ v, l->n - 1 });
	return l->n > 1 && names_add(&sample_names, l->word[0]) == samples.n - 1;
}

static const double *sample(const struct stored_line *l, size_t word, size_t *n)
{
	size_t i = word < l->n ? names_find(&sample_names, l->word[word]) : SIZE_MAX;

	if (i == SIZE_MAX) {
		printf("# no such sample\n");
		exit(1);
	}
	*n = samples.v[i].n;
	return samples.v[i].v;
}

static bool check_estimate(const struct stored_line *l)
{
	size_t n;
	const double *x = sample(l, 2, &n);
	struct estimate e =
	    estimate((enum estimator)estimator_parse(l->word[0]), x, n, number(l, 1));

	return agrees(l, 3, (double[]){ e.centre, e.low, e.high }, 3, 1e-9);
}

static bool check_shape(const struct stored_line *l)
{
	size_t n;
	const double *x = sample(l, 0, &n);
	double *sorted = sample_sorted(x, n);
	struct modes m = sample_modes(x, n);
	struct outliers o = sample_outliers(x, n);
	double got[] = {
		sample_mean(x, n),
		sample_sd(x, n),
		sample_quantile(sorted, n, 0.1),
		sample_quantile(sorted, n, 0.25),
		sample_quantile(sorted, n, 0.5),
		sample_quantile(sorted, n, 0.99),
		m.measure,
		m.low,
		m.high,
		m.weight_low,
		(double)o.mild,
		(double)o.severe,
	};

	free(sorted);
	return agrees(l, 1, got, sizeof(got) / sizeof(*got), 1e-11);
}

static bool check_quantile(const struct stored_line *l)
{
	double nu = number(l, 1), x = distribution_student_quantile(number(l, 0), nu);

	double above = 1 - number(l, 0);

	if (isinf(nu) && x != distribution_normal_quantile(number(l, 0)))
		return false;
	if (!(fabs(distribution_student_tail(x, nu) - above) <= 1e-9 * above + 1e-15))
		return false;
	return agrees(l, 2, &x, 1, 1e-9);
}

/* By how much the depth of an interval differs from the stored one. */
static double depth_error(const struct stored_line *l)
{
	size_t n = (size_t)number(l, 1), k;
	double alpha = number(l, 2);

	if (!strcmp(l->word[0], "signed_rank"))
		k = distribution_signed_rank_depth(n, alpha);
	else
		k = distribution_sign_depth(n, alpha);
	return fabs((double)k - number(l, 3));
}

static bool check_depth(const struct stored_line *l)
{
	return depth_error(l) == 0;
}

static bool check_approximate_depth(const struct stored_line *l)
{
	return depth_error(l) <= 1;
}

/* Every order statistic of the pairs of small samples full of ties, against sorting them all. */
static void test_pairs(void)
{
	struct random r;
	size_t wrong = 0, checked = 0;

	random_seed(&r, 11);
	for (size_t n = 1; n <= 12; n++) {
		double x[12], all[78];
		size_t count = 0;

		for (size_t i = 0; i < n; i++)
			x[i] = n % 2 ? (double)random_below(&r, 7) * 1e-9
				     : ldexp(1, -(int)random_below(&r, 60));
		double *row = sample_sorted(x, n);
		for (size_t i = 0; i < n; i++)
			for (size_t j = i; j < n; j++)
				all[count++] = row[i] + row[j];
		double *sorted = sample_sorted(all, count);
		for (size_t k = 1; k <= count; k++, checked++)
			wrong += pairs_select(row, n, k) != sorted[k - 1];
		wrong += pairs_count(n) != count;
		free(sorted);
		free(row);
	}
	cmp_int(wrong, 0, "pairs: %zu order statistics equal those of the sorted pairs", checked);
	double wide[] = { -1e308, -1e-308, 0, 1e-308, 1e308 };
	ok(pairs_select(wide, 5, 8) == 0 && isinf(pairs_select(wide, 5, 15)),
	   "pairs: values from 1e-308 to 1e308 end, overflow gives infinity");
}

static void test_estimates(void)
{
	static const char *const name[] = { "hl", "trimmed", "median", "mean" };
	double x[] = { 4, 1, 3, 2, 100, 5 };

	for (int i = 0; i < 4; i++)
		ok(estimator_parse(name[i]) == i && !strcmp(estimator_name(i), name[i]),
		   "estimator %s has its name", name[i]);
	cmp_int(estimator_parse("mode"), -1, "an unknown estimator is -1");
	struct estimate e = estimate_hodges_lehmann(x, 6, 0.95);
	ok(e.low == 1 && e.high == 100, "6 values: the interval is the range");
	ok(x[0] == 4 && x[4] == 100, "the values are left alone");
	cmp_near(estimate_precision(&e), 49.5 / e.centre, 1e-15, "precision is the half-width");
	e = (struct estimate){ -2, -3, -1 };
	ok(estimate_precision(&e) == 0.5, "a negative centre has a positive precision");
}

/* NaN and infinities among the values, levels and sizes out of range: NaN, never a number. */
static void test_hostile(void)
{
	static const double bad[] = { NAN, INFINITY, -INFINITY };
	static const double levels[] = { 0, 1, -1, 2, NAN, INFINITY };
	double x[20], z[20];
	size_t numbers = 0;

	for (size_t b = 0; b < 3; b++) {
		for (size_t i = 0; i < 20; i++)
			x[i] = 1 + (double)i;
		x[7 * b] = bad[b];
		double y[] = {
			sample_mean(x, 20),
			sample_sd(x, 20),
			sample_modes(x, 20).measure,
		};
		for (size_t i = 0; i < sizeof(y) / sizeof(*y); i++)
			numbers += !isnan(y[i]);
		for (int e = 0; e <= ESTIMATE_MEAN; e++) {
			struct estimate got = estimate((enum estimator)e, x, 20, 0.95);

			numbers += !isnan(got.centre) + !isnan(got.low) + !isnan(got.high);
		}
		estimate_pseudo_values(x, 20, z);
		for (size_t i = 0; i < 20; i++)
			numbers += !isnan(z[i]);
		numbers += sample_outliers(x, 20).severe + sample_modes(x, 20).bimodal;
	}
	cmp_int(numbers, 0, "a value that is not finite makes every result NaN");
	for (size_t i = 0; i < 20; i++)
		x[i] = 1 + (double)i;
	for (size_t l = 0; l < sizeof(levels) / sizeof(*levels); l++)
		for (int e = 0; e <= ESTIMATE_MEAN; e++) {
			struct estimate got = estimate((enum estimator)e, x, 20, levels[l]);

			numbers += isnan(got.centre) + !isnan(got.low) + !isnan(got.high);
		}
	cmp_int(numbers, 0, "a level outside (0, 1) has a centre but no interval");
	for (int e = 0; e <= ESTIMATE_MEAN; e++)
		numbers += !isnan(estimate((enum estimator)e, x, 0, 0.95).centre);
	ok(!numbers && isnan(sample_quantile(x, 0, 0.5)) && isnan(sample_quantile(x, 20, 1.5)) &&
	       isnan(sample_quantile(x, 20, NAN)) && isnan(sample_mean(x, 0)),
	   "nothing has no centre and no quantile");
	ok(isnan(distribution_student_quantile(1.5, 3)) &&
	       isnan(distribution_student_quantile(NAN, 3)) &&
	       isnan(distribution_student_quantile(0.5, 0)),
	   "quantiles outside the domain are NaN");
	ok(distribution_student_quantile(1, 3) == INFINITY &&
	       distribution_student_quantile(0, 3) == -INFINITY,
	   "the ends of the distribution are infinite");
	estimate_pseudo_values(x, 2, z);
	ok(isnan(z[0]) && isnan(z[1]), "two values have no pseudo-values");
}

static void test_modes(void)
{
	double two[20], wide[20], near[20];

	for (size_t i = 0; i < 20; i++) {
		two[i] = (i % 10 < 7 ? 1 : 1.08) + 0.0005 * (double)i;
		wide[i] = (i % 10 < 7 ? 1 : 1.08) + 0.002 * (double)i;
		near[i] = (i % 10 < 7 ? 1 : 1.015) + 0.0001 * (double)i;
	}
	struct modes m = sample_modes(two, 20);
	ok(m.bimodal && m.weight_low == 0.7, "70/30 modes 8 %% apart are found");
	m = sample_modes(wide, 20);
	ok(m.bimodal && m.measure < 60, "so are some seven standard deviations apart");
	m = sample_modes(near, 20);
	ok(!m.bimodal && m.measure > 13, "modes less than 2 %% apart do not count");
	ok(!sample_modes(two, 5).bimodal && isnan(sample_modes(two, 5).measure),
	   "five values cannot show two modes");
	double split[8] = { 1, 1, 1, 1, 2, 2, 2, 2 };
	m = sample_modes(split, 8);
	ok(m.bimodal && isinf(m.measure) && m.low == 1 && m.high == 2,
	   "two constants are two modes");
}

/* The definition, word for word, with the centre from estimate.h. */
static void test_pseudo_values(void)
{
	double x[15], logs[15], z[15], mean = 0;
	size_t wrong = 0;
	struct random r;

	random_seed(&r, 3);
	for (size_t i = 0; i < 15; i++)
		x[i] = 1e-7 * (1 + (double)random_below(&r, 12) / 100);
	estimate_pseudo_values(x, 15, z);
	for (size_t i = 0; i < 15; i++)
		logs[i] = log(x[i]);
	double all = estimate_hodges_lehmann(logs, 15, 0.9).centre;
	for (size_t p = 0; p < 15; p++) {
		double swapped = logs[p], others;

		logs[p] = logs[14];
		others = estimate_hodges_lehmann(logs, 14, 0.9).centre;
		logs[p] = swapped;
		wrong += fabs(z[p] - (15 * all - 14 * others)) > 1e-12;
		mean += z[p] / 15;
	}
	cmp_int(wrong, 0, "pseudo-values are n HL - (n - 1) HL without one");
	ok(fabs(mean - all) < 0.02, "their mean is near the centre");
}

/* First outputs for the state 1, 2, 3, 4 and first states of splitmix64, as other
 * implementations of the published generators give them. */
static void test_random(void)
{
	static const uint64_t xoshiro[] = { 11520,
					    0,
					    1509978240,
					    1215971899390074240,
					    1216172134540287360,
					    607988272756665600,
					    UINT64_C(16172922978634559625) };
	static const uint64_t splitmix[] = { 1985237415132408290, 2979275885539914483,
					     UINT64_C(13511426838097143398), 8488337342461049707 };
	struct random r = { { 1, 2, 3, 4 } };
	size_t wrong = 0, seen[6] = { 0 }, order[100], beyond = 0;
	double sum = 0, squares = 0;

	for (size_t i = 0; i < sizeof(xoshiro) / sizeof(*xoshiro); i++)
		wrong += random_next(&r) != xoshiro[i];
	cmp_int(wrong, 0, "xoshiro256** gives its published sequence");
	random_seed(&r, 1477776061723855037);
	ok(!memcmp(r.s, splitmix, sizeof(splitmix)), "the seed is spread by splitmix64");
	for (int i = 0; i < 60000; i++) {
		double u = random_uniform(&r);

		wrong += !(u >= 0 && u < 1);
		seen[random_below(&r, 6)]++;
	}
	for (int i = 0; i < 6; i++)
		wrong += seen[i] < 9600 || seen[i] > 10400;
	cmp_int(wrong, 0, "uniform numbers in [0, 1), dice within 4 sd of fair");
	uint64_t huge = (UINT64_C(1) << 63) + 1, low = 0;
	for (int i = 0; i < 10000; i++) {
		uint64_t v = random_below(&r, huge);

		wrong += v >= huge;
		low += v < huge / 2;
	}
	ok(!wrong && low > 4800 && low < 5200 && random_below(&r, 1) == 0,
	   "a range that does not divide 2^64 is covered evenly");
	for (int i = 0; i < 40000; i++) {
		double x = random_normal(&r);

		sum += x;
		squares += x * x;
		beyond += fabs(random_student(&r, 3)) > 3.182446305284263;
	}
	ok(fabs(sum / 40000) < 0.02 && fabs(squares / 40000 - 1) < 0.03, "normal: mean 0, sd 1");
	ok(beyond > 1800 && beyond < 2200, "Student's t(3): 5 %% beyond its 97.5 %% point (%zu)",
	   beyond);
	for (size_t i = 0; i < 100; i++)
		order[i] = i;
	random_shuffle(&r, order, 100);
	size_t fixed = 0, total = 0;
	for (size_t i = 0; i < 100; i++) {
		fixed += order[i] == i;
		total += order[i];
	}
	ok(total == 4950 && fixed < 10, "a shuffle is another order of the same numbers");
	enum { SHUFFLES = 6000, SIX_ERRORS = 174 }; /* of a sixth */
	size_t first[3][3] = { 0 }, worst = 0;
	for (size_t i = 0; i < SHUFFLES; i++) {
		size_t three[] = { 0, 1, 2 };

		random_shuffle(&r, three, 3);
		first[three[0]][three[1]]++;
	}
	for (size_t i = 0; i < 9; i++)
		if (i % 4) {
			size_t n = first[i / 3][i % 3];
			size_t off = n > SHUFFLES / 6 ? n - SHUFFLES / 6 : SHUFFLES / 6 - n;

			worst = off > worst ? off : worst;
		}
	ok(worst < SIX_ERRORS, "six orders of three come equally often, but for %zu of %d", worst,
	   SHUFFLES);
	ok(random_fresh_seed() != random_fresh_seed(), "fresh seeds differ");
}

/* The standard error of the centre of normal logarithms is theirs over sqrt(n), and a little more.
 */
static void test_log_error(void)
{
	enum { N = 60 };
	double x[N], two[] = { 1, 1.02 };
	struct random r;

	random_seed(&r, 5);
	for (size_t i = 0; i < N; i++)
		x[i] = 1e-6 * exp(0.01 * random_normal(&r));
	cmp_near(estimate_log_error(x, N), 0.01 / sqrt(N), 0.25, "the error of 60 costs");
	cmp_near(estimate_log_error(two, 2), log(1.02) / 2, 1e-9,
		 "of two: half of what they differ by");
	ok(isnan(estimate_log_error(two, 1)), "of one: not known");
}

/* NAME n PREDICTED... MEASURED... and the score. */
static bool check_score(const struct stored_line *l)
{
	size_t n = (size_t)number(l, 1);
	double *predicted = xcalloc(2 * n, sizeof(*predicted)), *measured = predicted + n;

	for (size_t i = 0; i < 2 * n; i++)
		predicted[i] = number(l, 2 + i);
	struct score s = score(predicted, measured, n, 0.05);
	double got[] = { s.exact_order,	 s.tau_b,     (double)s.pairs, (double)s.pairs_right,
			 s.median_error, s.factor,    s.scaled_error,  s.spread,
			 s.best_found,	 s.deficiency };
	free(predicted);
	return s.n == n && agrees(l, 2 + 2 * n, got, 10, 1e-12);
}

static void test_scores(void)
{
	const double value[] = { 3, 1, 2, 1, 5 }, bad[] = { 1, NAN, 2, 0, INFINITY };
	const size_t want[] = { 4, 1, 3, 1, 5 };
	size_t place[5], right = 0;

	score_places(value, 5, place);
	for (size_t i = 0; i < 5; i++)
		right += place[i] == want[i];
	cmp_int(right, 5, "equal values share a place");
	for (int swap = 0; swap < 2; swap++) {
		const double tied[] = { 1, 1, 2 }, took[] = { swap ? 1 : 3, swap ? 3 : 1, 2 };
		const struct score s = score(tied, took, 3, 0.05);

		ok(!s.best_found && s.deficiency == 2, "of equal predictions the worse is chosen");
	}
	for (size_t n = 0; n <= 5; n++) {
		struct score a = score(value, bad, n, 0.05), b = score(bad, value, n, 0.05);

		if (n == 1)
			continue;
		ok(isnan(a.tau_b) && isnan(a.scaled_error) && isnan(a.deficiency) && !a.pairs &&
		       !a.exact_order && isnan(b.median_error) && isnan(b.factor) && !b.best_found,
		   "no score of %zu values that are no times", n);
	}
}

int main(void)
{
	each_line("samples.txt", 26, store_sample);
	each_line("estimates.txt", 64, check_estimate);
	each_line("shapes.txt", 26, check_shape);
	each_line("quantiles.txt", 30, check_quantile);
	each_line("depths.txt", 30, check_depth);
	each_line("approximate.txt", 4, check_approximate_depth);
	each_line("scores.txt", 16, check_score);
	test_scores();
	test_pairs();
	test_estimates();
	test_hostile();
	test_modes();
	test_log_error();
	test_pseudo_values();
	test_random();
	for (size_t i = 0; i < samples.n; i++)
		free(samples.v[i].v);
	vec_free(&samples);
	names_free(&sample_names);
	return done_testing();
}
