/* SPDX-License-Identifier: MIT */
#include "hypotheses.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/number.h"

/* Times stay small enough to be simulated. */
enum { FACTOR_MOST = 1000 };

/* A factor of 1 for each state, to be freed. */
static double *unchanged(const struct graph *g)
{
	double *factor = xcalloc(g->states.n + 1, sizeof(*factor));

	for (size_t i = 0; i < g->states.n; i++)
		factor[i] = 1;
	return factor;
}

size_t hypotheses_add(struct hypotheses *h, const struct graph *g)
{
	struct hypothesis c = { 0 };

	c.scale = unchanged(g);
	c.removed = xcalloc(g->states.n + 1, sizeof(*c.removed));
	vec_push(h, c);
	return h->n - 1;
}

/* Adds a copy of hypothesis 0 of `base`, whose capacities and workers are unchanged. */
static void add_from(struct hypotheses *h, const struct graph *g, const struct hypotheses *base)
{
	size_t to = hypotheses_add(h, g);

	memcpy(h->v[to].scale, base->v[0].scale, g->states.n * sizeof(*h->v[to].scale));
	memcpy(h->v[to].removed, base->v[0].removed, g->states.n * sizeof(*h->v[to].removed));
}

void hypotheses_remove(struct hypotheses *h, const struct graph *g, size_t number, uint16_t state)
{
	if (state >= g->states.n)
		return;
	h->v[number].scale[state] = 0;
	h->v[number].removed[state] = true;
}

void hypotheses_remove_way(struct hypotheses *h, const struct graph *g, size_t number,
			   uint16_t state)
{
	struct hypothesis *c = &h->v[number];

	if (!c->way)
		c->way = unchanged(g);
	c->way[state] = 0;
}

/* Whether a pattern such as "gzip user", "user" or "gzip *" matches a state. */
static bool means(const struct graph *g, size_t state, const char *pattern)
{
	char *name = graph_state_name(g, (uint16_t)state);
	bool yes =
	    !fnmatch(pattern, name, 0) || !fnmatch(pattern, g->words.v[g->states.v[state].word], 0);

	free(name);
	return yes;
}

/* Scales, and perhaps removes, the states that match the pattern.  Returns how many there are. */
static size_t change(struct hypothesis *c, const struct graph *g, const char *pattern, double scale,
		     bool removed)
{
	size_t found = 0;

	for (size_t s = 0; s < g->states.n; s++)
		if (means(g, s, pattern)) {
			c->scale[s] *= scale;
			c->removed[s] |= removed;
			found++;
		}
	return found;
}

/* Splits "NAME=NUMBER" at the last '='; the number may be a size, such as 64k.  Returns NAME, which
 * the caller frees; NULL if there is no '=' or no number >= 0. */
static char *split(const char *words, double *number)
{
	const char *equals = strrchr(words, '=');
	uint64_t size;

	if (equals && equals != words && !strcmp(equals + 1, "inf"))
		*number = INFINITY;
	else if (equals && equals != words && number_parse_size(equals + 1, &size))
		*number = (double)size;
	else if (!equals || equals == words || !number_parse_double(equals + 1, number) ||
		 *number < 0)
		return NULL;
	return xstrndup(words, (size_t)(equals - words));
}

static int malformed(const char *option, const char *words, const char *form, struct error *e)
{
	error_set(e, "%s %s: not %s", option, words, form);
	return HYPOTHESIS_MALFORMED;
}

int hypotheses_no_state(const struct graph *g, const char *option, const char *pattern,
			struct error *e)
{
	char *all = names_join(&g->words, ", ");

	error_set(e, "%s %s: the trace has no such state; it has %s, each of some program", option,
		  pattern, all);
	free(all);
	return -1;
}

int hypotheses_scale(struct hypotheses *h, const struct graph *g, size_t number, const char *words,
		     struct error *e)
{
	double factor = NAN;
	char *name = split(words, &factor);
	int status = 0;

	if (!name || factor > FACTOR_MOST)
		status = malformed("--scale", words, "STATE=FACTOR, from 0 to 1000", e);
	else if (!change(&h->v[number], g, name, factor, false))
		status = hypotheses_no_state(g, "--scale", words, e);
	for (size_t s = 0; !status && s < g->states.n; s++)
		if (h->v[number].scale[s] > FACTOR_MOST)
			status = error_set(e,
					   "--scale %s: with the others, a state takes more than "
					   "%d times as long",
					   words, FACTOR_MOST);
	free(name);
	return status;
}

int hypotheses_remove_state(struct hypotheses *h, const struct graph *g, size_t number,
			    const char *words, struct error *e)
{
	if (change(&h->v[number], g, words, 0, true))
		return 0;
	return hypotheses_no_state(g, "--remove", words, e);
}

int hypotheses_capacity(struct hypotheses *h, const struct graph *g, size_t number,
			const char *words, struct error *e)
{
	struct hypothesis *c = &h->v[number];
	double units = NAN;
	size_t n = strlen(words), found = 0;
	bool times = n && words[n - 1] == 'x';
	char *plain = xstrndup(words, n - times), *name = split(plain, &units);

	free(plain);
	if (!name || (times ? !(units > 0 && isfinite(units)) : units < 1)) {
		free(name);
		return malformed("--capacity", words,
				 "QUEUE=N with N from 1, such as 4096 or 64k, QUEUE=Nx, such as "
				 "2x, or QUEUE=inf",
				 e);
	}
	if (!c->capacity) {
		c->capacity = xcalloc(g->queues.n + 1, sizeof(*c->capacity));
		for (size_t q = 0; q < g->queues.n; q++)
			c->capacity[q] = NAN;
	}
	for (size_t q = 0; q < g->queues.n; q++)
		if (!fnmatch(name, g->queue_names.v[g->queues.v[q].name], 0)) {
			c->capacity[q] =
			    times ? fmax(units * (double)g->queues.v[q].most, 1) : units;
			found++;
		}
	free(name);
	if (found)
		return 0;
	char *all = names_join(&g->queue_names, ", ");
	error_set(e, "--capacity %s: no such queue; the trace has %s", words, *all ? all : "none");
	free(all);
	return -1;
}

int hypotheses_workers(struct hypotheses *h, const struct graph *g, size_t number,
		       const char *words, struct error *e)
{
	struct hypothesis *c = &h->v[number];
	double workers = NAN;
	char *name = split(words, &workers);
	size_t found = 0;

	if (!name || !(workers >= 1 && workers <= 1000) || workers != floor(workers)) {
		free(name);
		return malformed("--workers", words, "PROGRAM=N, from 1 to 1000", e);
	}
	if (!c->workers)
		c->workers = xcalloc(g->threads.n + 1, sizeof(*c->workers));
	for (size_t t = 0; t < g->threads.n; t++)
		if (!fnmatch(name, g->programs.v[g->threads.v[t].program], 0)) {
			c->workers[t] = (uint32_t)workers;
			found++;
		}
	free(name);
	if (found)
		return 0;
	char *all = names_join(&g->programs, ", "), *named = all + strspn(all, ", ");
	error_set(e, "--workers %s: no such program; the trace has %s", words,
		  *named ? named : "none");
	free(all);
	return -1;
}

bool *hypotheses_candidates(struct graph *g, double share)
{
	bool *states = xcalloc(g->states.n + 1, sizeof(*states));
	int64_t *totals = xcalloc(g->states.n + 1, sizeof(*totals));

	replay_totals(g, true, totals);
	for (size_t s = 0; s < g->states.n; s++)
		states[s] =
		    totals[s] > 0 && (double)totals[s] >= share * (double)(g->end - g->begin);
	free(totals);
	return states;
}

size_t hypotheses_best(struct graph *g, const struct hypotheses *base, const bool *states,
		       double *ns)
{
	size_t found = SIZE_MAX, next = 0;

	/* Tries as many states at a time as one replay has lanes. */
	while (next < g->states.n) {
		struct hypotheses h = { 0 };
		size_t number[REPLAY_LANES];
		double all[REPLAY_LANES];

		for (; next < g->states.n && h.n < REPLAY_LANES; next++)
			if (states[next]) {
				number[h.n] = next;
				add_from(&h, g, base);
				hypotheses_remove(&h, g, h.n - 1, (uint16_t)next);
			}
		replay(g, h.v, h.n, all);
		for (size_t i = 0; i < h.n; i++)
			if (found == SIZE_MAX || all[i] < *ns) {
				found = number[i];
				*ns = all[i];
			}
		hypotheses_free(&h);
	}
	return found;
}

void hypotheses_free(struct hypotheses *h)
{
	for (size_t i = 0; i < h->n; i++) {
		free(h->v[i].scale);
		free(h->v[i].way);
		free(h->v[i].removed);
		free(h->v[i].capacity);
		free(h->v[i].workers);
	}
	vec_free(h);
}
