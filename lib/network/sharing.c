/* SPDX-License-Identifier: MIT */
#include "network/sharing.h"

#include <math.h>
#include <string.h>

#include "network/sharing_state.h"
#include "util/vec.h"

const char *const sharing_names[SHARING_RULES] = { "maxmin", "article" };

struct sharing *sharing_new(enum sharing_rule rule, const double *capacity, size_t links)
{
	struct sharing *s = xcalloc(1, sizeof(*s));

	s->rule = rule;
	s->nchannels = links;
	s->channels = xcalloc(links, sizeof(*s->channels));
	s->level = xmalloc(links * sizeof(*s->level));
	s->accounts = xcalloc(links, sizeof(*s->accounts));
	for (size_t i = 0; i < links; i++) {
		s->channels[i].capacity = rule == SHARING_ARTICLE ? 1 : capacity[i];
		s->level[i] = INFINITY;
	}
	return s;
}

void sharing_free(struct sharing *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nchannels; i++)
		free(s->channels[i].v);
	for (size_t i = 0; i < s->flows.n; i++)
		free(s->flows.v[i].hops);
	free(s->channels);
	free(s->level);
	free(s->accounts);
	free(s->flows.v);
	free(s->free_flows.v);
	free(s->touched.v);
	free(s->limits.v);
	keyheap_free(&s->dirty);
	keyheap_free(&s->ends);
	free(s);
}

/* Brings the flow's account up to now, at the rate it had. */
static void settle(struct sharing *s, struct flow *f)
{
	double seconds = s->now - f->since;

	if (!(seconds > 0))
		return;
	f->left -= f->rate * seconds;
	if (f->bottleneck != FLOW_NONE)
		f->hops[f->bottleneck].lost += seconds * (1 - f->rate / f->limit);
	for (uint32_t h = 0; s->moved && h < f->n; h++)
		s->moved(s->arg, f->hops[h].link, f->since, s->now, f->rate * f->per_work);
	f->since = s->now;
}

static void set_rate(struct sharing *s, uint32_t flow)
{
	struct flow *f = &s->flows.v[flow];
	double rate = f->limit;
	uint32_t bottleneck = FLOW_NONE;

	f->touched = false;
	if (!f->live)
		return;
	for (uint32_t h = 0; h < f->n; h++)
		if (s->level[f->hops[h].link] < rate) {
			rate = s->level[f->hops[h].link];
			bottleneck = h;
		}
	if (rate == f->rate && bottleneck == f->bottleneck)
		return;
	settle(s, f);
	f->rate = rate;
	f->bottleneck = bottleneck;
	if (isinf(f->left))
		return;
	f->end = s->now + fmax(f->left, 0) / rate;
	keyheap_set(&s->ends, f->end, flow);
}

/* Nothing happens from s->now to now: first settles what happened until then. */
static void resolve(struct sharing *s)
{
	if (s->dirty.n)
		sharing_set_levels(s);
	for (size_t i = 0; i < s->touched.n; i++)
		set_rate(s, s->touched.v[i]);
	s->touched.n = 0;
}

static void advance(struct sharing *s, double now)
{
	if (now > s->now) {
		resolve(s);
		s->now = now;
	}
}

static void enter(struct sharing *s, uint32_t flow, uint32_t hop)
{
	struct channel *c = &s->channels[s->flows.v[flow].hops[hop].link];
	struct member m = { flow, hop };

	if (!c->n)
		c->since = s->now;
	s->flows.v[flow].hops[hop].slot = c->n;
	vec_push(c, m);
	sharing_mark(s, s->flows.v[flow].hops[hop].link);
}

static void leave(struct sharing *s, struct flow *f, uint32_t hop)
{
	uint32_t link = f->hops[hop].link, slot = f->hops[hop].slot;
	struct channel *c = &s->channels[link];
	struct member last = c->v[--c->n];

	c->v[slot] = last;
	s->flows.v[last.flow].hops[last.hop].slot = slot;
	if (!c->n)
		c->account.busy += s->now - c->since;
	c->account.bytes += f->bytes;
	c->account.lost += f->hops[hop].lost;
	sharing_mark(s, link);
}

uint32_t sharing_start(struct sharing *s, double now, const uint32_t *links, size_t n,
		       const struct flow_demand *demand, uint32_t owner)
{
	uint32_t id;

	advance(s, now);
	if (s->free_flows.n)
		id = s->free_flows.v[--s->free_flows.n];
	else {
		id = (uint32_t)s->flows.n;
		vec_push(&s->flows, (struct flow){ 0 });
	}
	struct flow *f = &s->flows.v[id];
	if (f->cap < n) {
		f->hops = xreallocarray(f->hops, n, sizeof(*f->hops));
		f->cap = (uint32_t)n;
	}
	f->limit = demand->rate;
	f->rate = 0;
	f->left = demand->work;
	f->bytes = demand->bytes;
	f->per_work = isinf(demand->work) ? 1 : demand->bytes / demand->work;
	f->since = s->now;
	f->end = INFINITY;
	f->n = (uint32_t)n;
	f->owner = owner;
	f->bottleneck = FLOW_NONE;
	f->live = true;
	for (uint32_t h = 0; h < n; h++) {
		f->hops[h] = (struct hop){ .link = links[h] };
		enter(s, id, h);
	}
	sharing_touch(s, id);
	return id;
}

void sharing_set_capacity(struct sharing *s, double now, uint32_t link, double capacity)
{
	advance(s, now);
	s->channels[link].capacity = capacity;
	if (s->channels[link].n)
		sharing_mark(s, link);
}

double sharing_next(struct sharing *s)
{
	resolve(s);
	return s->ends.n ? keyheap_key(&s->ends) : INFINITY;
}

bool sharing_finish(struct sharing *s, double now, uint32_t *owner, struct flow_account *account)
{
	/* Equal flows end together, whatever the last digits of their ends. */
	if (!s->ends.n || keyheap_key(&s->ends) > now + SHARING_SAME * now)
		return false;
	s->now = fmax(s->now, now);
	uint32_t id = keyheap_pop(&s->ends);
	struct flow *f = &s->flows.v[id];
	struct flow_account a = { 0, UINT32_MAX };
	double most = 0;

	settle(s, f);
	for (uint32_t h = 0; h < f->n; h++) {
		a.lost += f->hops[h].lost;
		if (f->hops[h].lost > most) {
			most = f->hops[h].lost;
			a.bottleneck = f->hops[h].link;
		}
		leave(s, f, h);
	}
	f->live = false;
	*owner = f->owner;
	if (account)
		*account = a;
	vec_push(&s->free_flows, id);
	return true;
}

const struct link_account *sharing_accounts(struct sharing *s, double now)
{
	advance(s, now);
	for (size_t i = 0; i < s->nchannels; i++) {
		const struct channel *c = &s->channels[i];

		s->accounts[i] = c->account;
		if (c->n)
			s->accounts[i].busy += now - c->since;
	}
	return s->accounts;
}

void sharing_watch(struct sharing *s,
		   void (*moved)(void *arg, uint32_t link, double from, double to, double rate),
		   void *arg)
{
	s->moved = moved;
	s->arg = arg;
}

void sharing_effort(const struct sharing *s, uint64_t *levels, uint64_t *fallbacks)
{
	*levels = s->levels_set;
	*fallbacks = s->fallbacks;
}

/* The sum of the rates on a link, and the highest of them. */
static double link_load(const struct sharing *s, uint32_t link, double *highest)
{
	const struct channel *c = &s->channels[link];
	double sum = 0;

	*highest = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		sum += s->flows.v[c->v[i].flow].rate;
		*highest = fmax(*highest, s->flows.v[c->v[i].flow].rate);
	}
	return sum;
}

/* Whether a link holds up a flow of this rate. */
static bool holds_up(const struct sharing *s, uint32_t link, double rate)
{
	const struct channel *c = &s->channels[link];
	double highest, sum = link_load(s, link, &highest);

	if (s->rule == SHARING_ARTICLE)
		return fabs(rate - c->capacity / c->n) <= 1e-9 * rate;
	return sum >= c->capacity * (1 - 1e-9) && highest <= rate * (1 + 1e-9);
}

int sharing_check(struct sharing *s, struct error *e)
{
	double highest;

	resolve(s);
	for (uint32_t l = 0; l < s->nchannels; l++)
		if (s->channels[l].n && s->rule == SHARING_MAXMIN &&
		    link_load(s, l, &highest) > s->channels[l].capacity * (1 + 1e-9))
			return error_set(e, "at %.9g s link %u is over its capacity", s->now, l);
	for (uint32_t i = 0; i < s->flows.n; i++) {
		const struct flow *f = &s->flows.v[i];
		bool held = f->rate >= f->limit * (1 - 1e-9);

		for (uint32_t h = 0; h < f->n && f->live && !held; h++)
			held = holds_up(s, f->hops[h].link, f->rate);
		if (f->live && !held)
			return error_set(e, "at %.9g s no link holds up flow %u of rate %g", s->now,
					 i, f->rate);
	}
	return 0;
}
