/* SPDX-License-Identifier: MIT */
#include "stats/law.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

static double one(double x)
{
	(void)x;
	return 1;
}
static double linear(double x)
{
	return x;
}
static double less_one(double x)
{
	return x - 1;
}
static double logarithm(double x)
{
	return log2(x);
}
static double linear_logarithm(double x)
{
	return x * log2(x);
}
static double square(double x)
{
	return x * x;
}
static double cube(double x)
{
	return x * x * x;
}
static double inverse(double x)
{
	return 1 / x;
}

struct function {
	const char *name;
	double (*at)(double x);
};

/* The simplest first. */
static const struct function of_p[] = {
	{ "", one },
	{ "P", linear },
	{ "(P - 1)", less_one },
	{ "log P", logarithm },
	{ "P log P", linear_logarithm },
	{ "sqrt P", sqrt },
	{ "P^2", square },
	{ "/ P", inverse },
};
static const struct function of_n[] = {
	{ "", one },	   { "N", linear },	   { "N log N", linear_logarithm },
	{ "N^2", square }, { "log N", logarithm }, { "sqrt N", sqrt },
	{ "N^3", cube },
};

enum { OF_P = sizeof(of_p) / sizeof(*of_p), OF_N = sizeof(of_n) / sizeof(*of_n) };
enum form { ALONE, AND_CONSTANT, AND_SIZE, FORMS };

/* The two terms of a law: of the constant, and of the factor. */
static void terms(const struct law *law, double p, double n, double out[2])
{
	double g = of_n[law->n].at(n);

	out[0] = law->form == ALONE ? 0 : law->form == AND_CONSTANT ? 1 : g;
	out[1] = of_p[law->p].at(p) * g;
}

double law_at(const struct law *law, double p, double n)
{
	double t[2];

	terms(law, p, n, t);
	return law->constant * t[0] + law->factor * t[1];
}

static double or_zero(double x, double by)
{
	return by > 0 && x > 0 ? x / by : 0;
}

/* Least squares with constants >= 0, of the points that have another P or N than the one that is
 * left out; NULL: of all. */
static void fit(struct law *law, const struct law_point *v, size_t n, const struct law_point *out)
{
	double aa = 0, ab = 0, bb = 0, ay = 0, by = 0, t[2];

	for (size_t i = 0; i < n; i++) {
		if (out && v[i].p == out->p && v[i].n == out->n)
			continue;
		double w = 1 / (v[i].scale * v[i].scale);
		terms(law, v[i].p, v[i].n, t);
		aa += w * t[0] * t[0];
		ab += w * t[0] * t[1];
		bb += w * t[1] * t[1];
		ay += w * t[0] * v[i].value;
		by += w * t[1] * v[i].value;
	}
	double det = aa * bb - ab * ab;
	bool both = det > 1e-12 * aa * bb;
	law->constant = both ? (ay * bb - by * ab) / det : 0;
	law->factor = both ? (by * aa - ay * ab) / det : or_zero(by, bb);
	if (law->constant < 0) {
		law->constant = 0;
		law->factor = or_zero(by, bb);
	} else if (law->factor < 0) {
		law->factor = 0;
		law->constant = or_zero(ay, aa);
	}
}

static void judge(struct law *law, const struct law_point *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		fit(law, v, n, &v[i]);
		double error = (law_at(law, v[i].p, v[i].n) - v[i].value) / v[i].scale;
		sum += error * error;
	}
	law->error = sqrt(sum / (double)n);
	fit(law, v, n, NULL);
}

/* How many different values of P, or N, and of both there are. */
static size_t settings(const struct law_point *v, size_t n, bool by_p, bool by_n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < i && !((!by_p || v[k].p == v[i].p) && (!by_n || v[k].n == v[i].n)))
			k++;
		count += k == i;
	}
	return count;
}

size_t law_fit(const struct law_point *v, size_t n, struct law *laws)
{
	size_t both = settings(v, n, true, true), count = 0, kept = 0;
	unsigned ps = settings(v, n, true, false) > 1 ? OF_P : 1;
	unsigned ns = settings(v, n, false, true) > 1 ? OF_N : 1;
	struct law all[FORMS * OF_P * OF_N], *best = all;

	/* Two constants need a third point to be judged by. */
	for (unsigned form = 0; form < (both > 2 ? FORMS : 1u); form++)
		for (unsigned g = 0; g < ns; g++)
			for (unsigned f = 0; f < ps; f++)
				if (form == ALONE || (form == AND_CONSTANT && f + g) || (f && g)) {
					all[count] = (struct law){ .p = f, .n = g, .form = form };
					judge(&all[count++], v, n);
				}
	for (size_t i = 1; i < count; i++)
		if (all[i].error < best->error)
			best = &all[i];
	/* A simpler one that is as good to a tenth, or to a thousandth of the whole. */
	const struct law *chosen = all;
	while (chosen->error > 1.1 * best->error + 1e-3)
		chosen++;
	laws[kept++] = *chosen;
	for (size_t i = 0; i < count && kept < LAW_MOST; i++)
		if (&all[i] != chosen && all[i].error <= 1.25 * best->error + 1e-3)
			laws[kept++] = all[i];
	if (both == 1)
		laws[0].error = NAN;
	return kept;
}

char *law_text(const struct law *law)
{
	const char *p = of_p[law->p].name, *n = of_n[law->n].name;
	char *factor, *text;

	factor = xasprintf("%.3g%s%s%s%s", law->factor, *n ? " " : "", n, *p ? " " : "", p);
	if (law->form == ALONE || law->constant == 0)
		return factor;
	if (law->factor == 0)
		text = xasprintf("%.3g%s%s", law->constant, law->form == AND_SIZE ? " " : "",
				 law->form == AND_SIZE ? n : "");
	else
		text = xasprintf("%.3g%s%s + %s", law->constant, law->form == AND_SIZE ? " " : "",
				 law->form == AND_SIZE ? n : "", factor);
	free(factor);
	return text;
}
