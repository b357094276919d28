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

/* Computes all levels from scratch by progressive filling: the rates of all flows rise together
 * until each is stopped by its own limit or a full link. */
static void fill_all(struct sharing *s)
{
	double *left = xmalloc(s->nchannels * sizeof(*left));
	uint32_t *count = xmalloc(s->nchannels * sizeof(*count));
	bool *done = xcalloc(s->nflows, sizeof(*done));

	for (size_t l = 0; l < s->nchannels; l++) {
		left[l] = s->channels[l].capacity;
		count[l] = s->channels[l].n;
		s->level[l] = NOT_FULL;
	}
	for (;;) {
		double least = INFINITY;
		size_t full = SIZE_MAX, own = SIZE_MAX;

		for (size_t l = 0; l < s->nchannels; l++)
			if (count[l] && left[l] / count[l] < least) {
				least = left[l] / count[l];
				full = l;
			}
		for (size_t f = 0; f < s->nflows; f++)
			if (sharing_flow(s, f)->live && !done[f] &&
			    sharing_flow(s, f)->limit <= least) {
				least = sharing_flow(s, f)->limit;
				own = f;
			}
		if (full == SIZE_MAX)
			break;
		if (own == SIZE_MAX)
			s->level[full] = least;
		for (uint32_t i = 0; i < (own == SIZE_MAX ? s->channels[full].n : 1); i++) {
			size_t f =
			    own == SIZE_MAX ? channel_members(&s->channels[full])[i].flow : own;

			for (uint32_t h = 0; !done[f] && h < sharing_flow(s, f)->n; h++) {
				uint32_t l = sharing_flow(s, f)->hops[h].link;

				left[l] = fmax(left[l] - least, 0);
				count[l]--;
			}
			done[f] = true;
		}
	}
	memcpy(s->spare, left, s->nchannels * sizeof(*left));
	for (uint32_t f = 0; f < s->nflows; f++)
		if (sharing_flow(s, f)->live) {
			sharing_find_lowest(s, sharing_flow(s, f));
			sharing_touch(s, f);
		}
	free(left);
	free(count);
	free(done);
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
