/* SPDX-License-Identifier: MIT */
#include "stats/ranking.h"

#include <math.h>
#include <stdlib.h>

#include "stats/sample.h"
#include "util/xalloc.h"

/* Standard errors of log ratios below this are rounding, not noise. */
static const double no_noise = 1e-12;
/* Of many things, fewer draws are compared, for each pair looks at each: at 1,000 draws the
 * critical value is that of a level that is off by 1 %. */
static const double most_comparisons = 5e8;
enum { LEAST_DRAWS = 500 };

struct comparison {
	size_t m, ndraws;
	double *logs;	    /* [m] of the centres */
	double *deviations; /* [m][ndraws]: log draw - log centre */
	double *means;	    /* [m] of these */
	double *errors;	    /* [m][m], i < j used: standard error of log i - log j */
	double critical;    /* the level quantile of the largest |t| */
};

/* The root mean square of a - b about its mean, without the last of an odd number. */
static double standard_error(const double *a, const double *b, double mean, size_t n)
{
	double even = 0, odd = 0; /* apart, so that one does not wait for the other */

	for (size_t d = 0; d + 1 < n; d += 2) {
		double x = a[d] - b[d] - mean, y = a[d + 1] - b[d + 1] - mean;

		even += x * x;
		odd += y * y;
	}
	return sqrt((even + odd) / (double)(n - 1));
}

static void raise_largest_t(double *largest, const double *a, const double *b, size_t n,
			    double error)
{
	double scale = 1 / error;

	for (size_t d = 0; d < n; d++) {
		double t = fabs(a[d] - b[d]) * scale;

		largest[d] = largest[d] > t ? largest[d] : t;
	}
}

/* Fills errors and critical from the draws. */
static void studentize(struct comparison *c, double level)
{
	double *largest = xcalloc(c->ndraws, sizeof(*largest));

	for (size_t i = 0; i < c->m; i++)
		for (size_t j = i + 1; j < c->m; j++) {
			const double *a = c->deviations + i * c->ndraws;
			const double *b = c->deviations + j * c->ndraws;
			double error = standard_error(a, b, c->means[i] - c->means[j], c->ndraws);

			if (error > no_noise)
				raise_largest_t(largest, a, b, c->ndraws, error);
			c->errors[i * c->m + j] = error > no_noise || isnan(error) ? error : 0;
		}
	double *sorted = sample_sorted(largest, c->ndraws);
	c->critical = sample_quantile(sorted, c->ndraws, level);
	free(sorted);
	free(largest);
}

/* 1 when i is surely more than margin (a log ratio) above j, -1 when below, 0 if undecided. */
static int compare(const struct comparison *c, size_t i, size_t j, double margin)
{
	double error = i < j ? c->errors[i * c->m + j] : c->errors[j * c->m + i];
	double difference = c->logs[i] - c->logs[j], reach = margin + c->critical * error;

	return (difference > reach) - (difference < -reach);
}

static void rank_sets(const struct comparison *c, double margin, struct rank *out)
{
	for (size_t i = 0; i < c->m; i++) {
		out[i].low = 1;
		out[i].high = c->m;
	}
	for (size_t i = 0; i < c->m; i++)
		for (size_t j = i + 1; j < c->m; j++) {
			int order = compare(c, i, j, margin);

			if (!order)
				continue;
			out[order > 0 ? i : j].low++;
			out[order > 0 ? j : i].high--;
		}
}

/* Shares of first places and bounds of losses; NaN without draws. */
static void outcomes(const double *draws, size_t ndraws, size_t m, double level, struct rank *out)
{
	double *least = xcalloc(ndraws + 1, sizeof(double));
	double *losses = xcalloc(ndraws + 1, sizeof(double));

	for (size_t i = 0; i < m; i++)
		out[i].best = 0;
	for (size_t d = 0; d < ndraws; d++) {
		const double *value = draws + d * m;
		double winners = 0;

		least[d] = INFINITY;
		for (size_t i = 0; i < m; i++)
			least[d] = fmin(least[d], value[i]);
		for (size_t i = 0; i < m; i++)
			winners += value[i] == least[d];
		for (size_t i = 0; i < m; i++)
			out[i].best += value[i] == least[d] ? 1 / winners : 0;
	}
	for (size_t i = 0; i < m; i++) {
		for (size_t d = 0; d < ndraws; d++)
			losses[d] = draws[d * m + i] / least[d] - 1;
		double *sorted = sample_sorted(losses, ndraws);

		out[i].best /= (double)ndraws; /* 0 / 0 is NaN: nothing is known without draws */
		out[i].loss = ndraws ? sample_quantile(sorted, ndraws, level) : NAN;
		free(sorted);
	}
	free(least);
	free(losses);
}

void ranking(const double *centre, const double *draws, size_t ndraws, size_t m, double level,
	     double equivalence, struct rank *out)
{
	if (ndraws < 2)
		ndraws = 0;
	double wanted = fmax(LEAST_DRAWS, 2 * most_comparisons / (double)(m * m));
	struct comparison c = {
		.m = m,
		.ndraws = wanted < (double)ndraws ? (size_t)wanted : ndraws,
		.logs = xcalloc(m, sizeof(double)),
		.means = xcalloc(m, sizeof(double)),
		.errors = xcalloc(m * m, sizeof(double)),
	};
	for (size_t i = 0; i < m; i++)
		c.logs[i] = log(centre[i]);
	c.deviations = xcalloc(m * c.ndraws, sizeof(double));
	for (size_t d = 0; d < c.ndraws; d++)
		for (size_t i = 0; i < m; i++) {
			double x = log(draws[d * m + i]) - c.logs[i];

			c.deviations[i * c.ndraws + d] = x;
			c.means[i] += x / (double)c.ndraws;
		}
	if (c.ndraws)
		studentize(&c, level);
	rank_sets(&c, fabs(log(equivalence)), out);
	outcomes(draws, ndraws, m, level, out);
	free(c.logs);
	free(c.means);
	free(c.deviations);
	free(c.errors);
}
