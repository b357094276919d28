/* SPDX-License-Identifier: MIT */
#include "stats/score.h"

#include <math.h>
#include <stdlib.h>

#include "stats/sample.h"
#include "util/xalloc.h"

static bool are_positive(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(x[i] > 0 && isfinite(x[i])))
			return false;
	return true;
}

static int sign(double a, double b)
{
	return (a > b) - (a < b);
}

static void score_pairs(struct score *s, const double *predicted, const double *measured,
			double apart)
{
	double agree = 0, in_predicted = 0, in_measured = 0;

	s->exact_order = true;
	for (size_t i = 1; i < s->n; i++)
		for (size_t k = 0; k < i; k++) {
			int p = sign(predicted[i], predicted[k]);
			int m = sign(measured[i], measured[k]);
			double ratio =
			    fmax(measured[i], measured[k]) / fmin(measured[i], measured[k]);

			agree += p * m;
			in_predicted += p != 0;
			in_measured += m != 0;
			s->exact_order = s->exact_order && p == m;
			s->pairs += ratio > 1 + apart;
			s->pairs_right += ratio > 1 + apart && p == m;
		}
	s->tau_b = in_predicted > 0 && in_measured > 0
		       ? agree / (sqrt(in_predicted) * sqrt(in_measured))
		       : NAN;
}

static void score_ratios(struct score *s, const double *predicted, const double *measured)
{
	double *log_ratio = xcalloc(s->n, sizeof(*log_ratio));
	double *error = xcalloc(s->n, sizeof(*error));

	for (size_t i = 0; i < s->n; i++) {
		log_ratio[i] = log(predicted[i]) - log(measured[i]);
		error[i] = fabs(expm1(log_ratio[i]));
	}
	double *sorted = sample_sorted(error, s->n);
	s->median_error = sample_quantile(sorted, s->n, 0.5);
	s->factor = exp(sample_mean(log_ratio, s->n));
	s->spread = s->n > 1 ? sample_sd(log_ratio, s->n) : NAN;
	free(sorted);
	sorted = sample_sorted(log_ratio, s->n);
	s->scaled_error = tanh((sorted[s->n - 1] - sorted[0]) / 2);
	free(sorted);
	free(error);
	free(log_ratio);
}

static void score_best(struct score *s, const double *predicted, const double *measured)
{
	double best = INFINITY, least = INFINITY, chosen = 0;

	for (size_t i = 0; i < s->n; i++) {
		best = fmin(best, predicted[i]);
		least = fmin(least, measured[i]);
	}
	for (size_t i = 0; i < s->n; i++)
		if (predicted[i] <= best)
			chosen = fmax(chosen, measured[i]);
	s->best_found = chosen <= least;
	s->deficiency = chosen / least - 1;
}

struct score score(const double *predicted, const double *measured, size_t n, double apart)
{
	struct score s = { .n = n,
			   .tau_b = NAN,
			   .median_error = NAN,
			   .factor = NAN,
			   .scaled_error = NAN,
			   .spread = NAN,
			   .deficiency = NAN };

	if (!n || !are_positive(predicted, n) || !are_positive(measured, n))
		return s;
	score_pairs(&s, predicted, measured, apart);
	score_ratios(&s, predicted, measured);
	score_best(&s, predicted, measured);
	return s;
}

void score_places(const double *value, size_t n, size_t *place)
{
	for (size_t i = 0; i < n; i++) {
		place[i] = 1;
		for (size_t k = 0; k < n; k++)
			place[i] += value[k] < value[i];
	}
}
