/* SPDX-License-Identifier: MIT */
/* Computes the levels of links (sharing.h). */
#include <math.h>
#include <string.h>

#include "network/sharing_state.h"

void sharing_touch(struct sharing *s, uint32_t flow)
{
	if (sharing_flow(s, flow)->touched)
		return;
	sharing_flow(s, flow)->touched = true;
	vec_push(&s->touched, flow);
}

void sharing_mark(struct sharing *s, uint32_t link)
{
	if (!keyheap_has(&s->dirty, link))
		keyheap_push(&s->dirty, s->level[link], link);
}

/*
 * Returns the level at which the link is full if each flow gets the level or, if that is less, its
 * limit elsewhere; the limits must add up to more than the capacity.  Starting from the equal
 * share, flows below the level leave room for the others, which can only raise it.
 */
static double fill(double capacity, const double *limits, size_t n)
{
	double level = capacity / (double)n, small;
	size_t below = 0, before;

	do {
		before = below;
		below = 0;
		small = 0;
		for (size_t i = 0; i < n; i++)
			if (limits[i] <= level) {
				small += limits[i];
				below++;
			}
		if (below == n) /* all fit after all, because of rounding */
			return NOT_FULL;
		level = (capacity - small) / (double)(n - below);
	} while (below > before);
	return level;
}

static double link_level(struct sharing *s, uint32_t link)
{
	struct channel *c = &s->channels[link];
	const struct member *v = channel_members(c);
	double total = 0;

	if (s->rule == SHARING_ARTICLE)
		return c->n ? c->capacity / c->n : NOT_FULL;
	s->limits.n = 0;
	vec_reserve(&s->limits, c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		s->limits.v[i] = flow_rest(sharing_flow(s, v[i].flow), v[i].hop);
		total += s->limits.v[i];
	}
	s->spare[link] = c->capacity - total;
	if (total <= c->capacity * (1 + SHARING_SAME))
		return NOT_FULL;
	return fill(c->capacity, s->limits.v, c->n);
}

static bool is_same(double a, double b)
{
	return a == b || fabs(a - b) <= SHARING_SAME * (a < b ? a : b);
}

/* After the level of a link changed from old to new, updates another link of its flow, if that
 * link's level depends on it. `rest` is what limits the flow on links other than the first. */
static void pass_to(struct sharing *s, uint32_t link, double rest, double old, double new)
{
	double level = s->level[link], before = rest < old ? rest : old;
	double after = rest < new ? rest : new, lower = before < after ? before : after;

	/* If the link limits the flow below both values, the change does not matter to it. */
	if (level <= lower || is_same(before, after))
		return;
	if (level == NOT_FULL)
		sharing_use(s, link, after - before);
	else
		sharing_mark(s, link);
}

void sharing_find_lowest(const struct sharing *s, struct flow *f)
{
	f->least = f->second = INFINITY;
	f->lowest = NO_HOP;
	for (uint8_t h = 0; h < f->n; h++) {
		double level = s->level[f->hops[h].link];

		if (level < f->least) {
			f->second = f->least;
			f->least = level;
			f->lowest = h;
		} else if (level < f->second)
			f->second = level;
	}
}

/* Updates the flow's lowest levels after the level of a hop changed from old to new. */
static void follow(const struct sharing *s, struct flow *f, uint32_t hop, double old, double new)
{
	if (hop == f->lowest && new <= f->second)
		f->least = new;
	else if (old <= f->second || new < f->second)
		sharing_find_lowest(s, f);
}

/* Passes a change of level on to all other links of the flow. */
static void pass_on(struct sharing *s, const struct flow *f, uint32_t hop, double old, double new)
{
	double rest = flow_rest(f, hop);

	/* Another link limits the flow at least as much, before and after. */
	if (old >= rest && new >= rest)
		return;
	for (uint32_t h = 0; h < f->n; h++)
		if (h != hop)
			pass_to(s, f->hops[h].link, rest, old, new);
}

/* What is still to be given away when all levels are computed from scratch. */
struct filling {
	double *left;		      /* by link: capacity */
	uint32_t *count;	      /* by link: flows without a rate */
	bool *done;		      /* by flow: has a rate */
	struct keyheap links, limits; /* links by left / count, flows by their own rate */
};

/* Gives the flow its rate, unless it has one. */
static void give(struct sharing *s, struct filling *g, uint32_t flow, double rate)
{
	const struct flow *f = sharing_flow(s, flow);

	for (uint8_t h = 0; h < f->n && !g->done[flow]; h++) {
		uint32_t l = f->hops[h].link;

		g->left[l] = fmax(g->left[l] - rate, 0);
		if (--g->count[l] && keyheap_has(&g->links, l))
			keyheap_set(&g->links, g->left[l] / g->count[l], l);
	}
	g->done[flow] = true;
}

/* Computes all levels of max-min sharing from scratch by progressive filling: the rates of all
 * flows rise together until each is stopped by its own limit or a full link. */
static void fill_all(struct sharing *s)
{
	struct filling g = { .left = xmalloc(s->nchannels * sizeof(*g.left)),
			     .count = xmalloc(s->nchannels * sizeof(*g.count)),
			     .done = xcalloc(s->nflows, sizeof(*g.done)) };

	for (uint32_t l = 0; l < s->nchannels; l++) {
		g.left[l] = s->channels[l].capacity;
		g.count[l] = s->channels[l].n;
		s->level[l] = NOT_FULL;
		if (g.count[l])
			keyheap_push(&g.links, g.left[l] / g.count[l], l);
	}
	for (uint32_t f = 0; f < s->nflows; f++)
		if (sharing_flow(s, f)->live)
			keyheap_push(&g.limits, sharing_flow(s, f)->limit, f);
	while (g.links.n) {
		double least = keyheap_key(&g.links);

		if (g.limits.n && keyheap_key(&g.limits) <= least) {
			double limit = keyheap_key(&g.limits);

			give(s, &g, keyheap_pop(&g.limits), limit);
			continue;
		}
		uint32_t full = keyheap_pop(&g.links);
		struct channel *c = &s->channels[full];
		if (!g.count[full])
			continue;
		s->level[full] = least;
		for (uint32_t i = 0; i < c->n; i++)
			give(s, &g, channel_members(c)[i].flow, least);
	}
	memcpy(s->spare, g.left, s->nchannels * sizeof(*g.left));
	for (uint32_t f = 0; f < s->nflows; f++)
		if (sharing_flow(s, f)->live) {
			sharing_find_lowest(s, sharing_flow(s, f));
			sharing_touch(s, f);
		}
	keyheap_free(&g.links);
	keyheap_free(&g.limits);
	free(g.left);
	free(g.count);
	free(g.done);
}

void sharing_set_levels(struct sharing *s)
{
	uint64_t most = 4000 + 8 * (uint64_t)s->dirty.n, steps = 0;

	while (s->dirty.n && steps++ < most) {
		uint32_t link = keyheap_pop(&s->dirty);
		struct channel *c = &s->channels[link];
		const struct member *v = channel_members(c);
		double old = s->level[link], new;

		/* Full links come first and may have left it enough room in the meantime. */
		if (old == NOT_FULL && s->rule == SHARING_MAXMIN && !sharing_is_tight(s, link))
			continue;
		new = link_level(s, link);
		s->levels_set++;
		if (is_same(old, new))
			continue;
		s->level[link] = new;
		for (uint32_t i = 0; i < c->n; i++) {
			struct flow *f = sharing_flow(s, v[i].flow);

			sharing_touch(s, v[i].flow);
			follow(s, f, v[i].hop, old, new);
			if (s->rule == SHARING_MAXMIN)
				pass_on(s, f, v[i].hop, old, new);
		}
	}
	if (!s->dirty.n)
		return;
	while (s->dirty.n)
		keyheap_pop(&s->dirty);
	s->fallbacks++;
	fill_all(s);
}
