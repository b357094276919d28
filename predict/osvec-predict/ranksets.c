/* SPDX-License-Identifier: MIT */
#include "ranksets.h"

#include <stdlib.h>

#include "ranked.h"
#include "util/xalloc.h"

/* What of a trial is ranked: machines, the fastest first as measured, with their predictions, the
 * draws of these, and their times. */
struct ranking {
	double *centre, *draws, *measured;
	struct rank *ranks;
	size_t n;
};

static struct ranking ranking_of(const struct trial *t, const bool *in, size_t n)
{
	struct ranking f = {
		.centre = xcalloc(t->n, sizeof(*f.centre)),
		.draws = xcalloc(t->n * t->ndraws, sizeof(*f.draws)),
		.measured = xcalloc(t->n, sizeof(*f.measured)),
		.ranks = xcalloc(t->n, sizeof(*f.ranks)),
	};

	for (size_t i = 0; i < t->n; i++) {
		if (!in[i])
			continue;
		f.centre[f.n] = t->cells[i].predicted;
		f.measured[f.n] = t->cells[i].measured->median;
		for (size_t d = 0; d < t->ndraws; d++)
			f.draws[d * n + f.n] = t->draws[d * t->n + i];
		f.n++;
	}
	ranking(f.centre, f.draws, t->ndraws, n, t->level, ranked_equivalence, f.ranks);
	return f;
}

static void ranking_free(struct ranking *f)
{
	free(f->centre);
	free(f->draws);
	free(f->measured);
	free(f->ranks);
}

/* Whether a set holds the measured rank; machines that differ by less than matters share ranks. */
static bool holds(const struct ranking *f, size_t i)
{
	size_t faster = 0, slower = 0;

	for (size_t k = 0; k < f->n; k++) {
		faster += f->measured[k] * ranked_equivalence < f->measured[i];
		slower += f->measured[k] > f->measured[i] * ranked_equivalence;
	}
	return f->ranks[i].low <= f->n - slower && f->ranks[i].high >= faster + 1;
}

void ranksets_add(struct ranksets *s, const struct trial *t, const bool *in)
{
	size_t n = 0, first = 0, inside = 0;
	bool left_out = true;

	for (size_t i = 0; i < t->n; i++)
		n += in[i];
	if (n < 2 || !t->ndraws)
		return;
	struct ranking f = ranking_of(t, in, n);
	const double fastest = f.measured[0];
	for (size_t i = 0; i < f.n; i++) {
		first = f.centre[i] < f.centre[first] ? i : first;
		inside += holds(&f, i);
	}
	for (size_t i = 0; i < f.n; i++) {
		const bool slower = f.measured[i] > fastest * (1 + trial_apart);

		s->slower += slower;
		s->told += slower && f.ranks[i].low > 1;
		left_out = left_out &&
			   (f.measured[i] > fastest * ranked_equivalence || f.ranks[i].low > 1);
	}
	s->applications++;
	s->all_inside += inside == f.n;
	s->machines += f.n;
	s->inside += inside;
	s->fastest_left_out += left_out;
	s->losses_inside += f.measured[first] / fastest - 1 <= f.ranks[first].loss;
	ranking_free(&f);
}
