/* SPDX-License-Identifier: MIT */
#include "model/host.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "model/kind.h"
#include "model/prediction.h"

static const double alike = 1.25;   /* the ratios of the user entries of one processor */
static const double most_moved = 2; /* between two states of one host */
/* The deviation of osvec_host_spread() from which a host counts as shared: those in results/ have
 * more than 0.06. */
static const double shared = 0.05;

struct host host_of(const struct osvec *v)
{
	const double state = osvec_host_spread(v);

	return (struct host){
		.first = v,
		.vectors = 1,
		.factor = 1,
		.moves = kind_of(v) == KIND_VIRTUAL ? 0
			 : state > 0		    ? fmin(1, state / shared)
						    : 1,
	};
}

static bool has_equal_facts(const struct osvec *a, const struct osvec *b)
{
	static const struct {
		const char *name;
		bool needed;
	} facts[] = {
		{ "host.name", true },	 { "kernel.release", true },	{ "cpu.model", true },
		{ "cpu.family", false }, { "cpu.model_number", false }, { "host.identity", false },
	};

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		bool known = *osvec_fact(a, facts[i].name) && *osvec_fact(b, facts[i].name);

		if ((facts[i].needed && !known) || osvec_is_other(a, b, facts[i].name))
			return false;
	}
	return true;
}

/* How much longer user code took for v than for w; NaN: they are not of one host. */
static double slower(const struct osvec *v, const struct osvec *w, char *const *user, size_t nuser)
{
	double sum = 0, least = INFINITY, most = 0;
	size_t n = 0;

	if (!has_equal_facts(v, w))
		return NAN;
	for (size_t i = 0; i < nuser; i++) {
		const struct osvec_entry *x = osvec_find(v, user[i]), *y = osvec_find(w, user[i]);

		if (!x || !y)
			continue;
		double ratio = x->seconds / y->seconds;
		sum += ratio;
		least = fmin(least, ratio);
		most = fmax(most, ratio);
		n++;
	}
	double mean = sum / (double)n;
	return n && most < alike * least && fabs(log(mean)) < log(most_moved) ? mean : NAN;
}

/* The host of v[i] and how much slower it was than the first vector of that host; one that is given
 * twice counts once. */
static struct host join(const struct osvec *const *v, size_t i, char *const *user, size_t nuser,
			const struct host *earlier)
{
	struct host h = host_of(v[i]);

	for (size_t k = 0; k < i; k++) {
		if (!prediction_is_same(v[i], v[k]))
			continue;
		h = earlier[k];
		h.vectors = 0;
		return h;
	}
	for (size_t k = 0; k < i && h.first == v[i]; k++) {
		double ratio = slower(v[i], v[k], user, nuser);

		if (earlier[k].first != v[k] || isnan(ratio))
			continue;
		h.first = v[k];
		h.factor = ratio;
	}
	return h;
}

/* Makes the factors of the host of v[first] relative to their geometric mean. */
static void centre(struct host *all, size_t n, const struct osvec *first)
{
	double sum = 0;
	size_t vectors = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i].first == first && all[i].vectors) {
			sum += log(all[i].factor);
			vectors++;
		}
	for (size_t i = 0; i < n; i++)
		if (all[i].first == first) {
			all[i].factor = exp(sum / (double)vectors) / all[i].factor;
			all[i].vectors = vectors;
		}
}

void hosts_find(const struct osvec *const *v, size_t n, char *const *user, size_t nuser,
		struct host *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = join(v, i, user, nuser, out);
	for (size_t i = 0; i < n; i++)
		if (out[i].first == v[i] && out[i].vectors)
			centre(out, n, v[i]);
}
