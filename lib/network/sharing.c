/* SPDX-License-Identifier: MIT */
#include "network/sharing.h"

#include <math.h>
#include <string.h>

#include "network/sharing_state.h"
#include "util/vec.h"

const char *const sharing_names[SHARING_RULES] = { "maxmin", "article" };

struct sharing *sharing_new(enum sharing_rule rule, const double *capacity, size_t links,
			    size_t longest)
{
	struct sharing *s = xcalloc(1, sizeof(*s));

	s->rule = rule;
	s->flow_bytes = sizeof(struct flow) + longest * sizeof(struct hop);
	s->nchannels = links;
	s->memory = xcalloc(links + 1, sizeof(*s->channels));
	s->channels = (void *)(((uintptr_t)s->memory + LINE - 1) & ~(uintptr_t)(LINE - 1));
	s->level = xmalloc(links * sizeof(*s->level));
	s->spare = xmalloc(links * sizeof(*s->spare));
	s->accounts = xcalloc(links, sizeof(*s->accounts));
	for (size_t i = 0; i < links; i++) {
		s->channels[i].capacity = s->spare[i] = rule == SHARING_ARTICLE ? 1 : capacity[i];
		s->level[i] = NOT_FULL;
	}
	return s;
}

void sharing_free(struct sharing *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nchannels; i++)
		if (s->channels[i].cap)
			free(s->channels[i].many);
	free(s->memory);
	free(s->level);
	free(s->spare);
	free(s->accounts);
	free(s->flows);
	free(s->free_flows.v);
	free(s->touched.v);
	free(s->limits.v);
	keyheap_free(&s->dirty);
	keyheap_free(&s->ends);
	free(s);
}

/* Updates the flow's progress to the present time at its rate so far. */
static void settle(struct sharing *s, struct flow *f)
{
	double seconds = s->now - f->since;

	if (!(seconds > 0))
		return;
	f->left -= f->rate * seconds;
	if (f->bottleneck != NO_HOP)
		f->hops[f->bottleneck].lost += seconds * (1 - f->rate / f->limit);
	for (uint32_t h = 0; s->moved && h < f->n; h++)
		s->moved(s->arg, f->hops[h].link, f->since, s->now, f->rate * f->per_work);
	f->since = s->now;
}

static void set_rate(struct sharing *s, uint32_t flow)
{
	struct flow *f = sharing_flow(s, flow);
	bool held = f->least < f->limit;
	double rate = held ? f->least : f->limit;
	uint8_t bottleneck = held ? f->lowest : NO_HOP;

	f->touched = false;
	if (!f->live)
		return;
	if (rate == f->rate && bottleneck == f->bottleneck)
		return;
	settle(s, f);
	f->rate = rate;
	f->bottleneck = bottleneck;
	if (isinf(f->left))
		return;
	keyheap_set(&s->ends, s->now + fmax(f->left, 0) / rate, flow);
}

/* Recomputes levels and rates after the changes made at s->now; must be done before time
 * advances. */
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

static void add_member(struct channel *c, struct member m)
{
	enum { FEW = sizeof(c->few) / sizeof(*c->few) };

	if (c->n == (c->cap ? c->cap : FEW)) {
		uint32_t cap = 2 * c->n;
		struct member *many = xreallocarray(c->cap ? c->many : NULL, cap, sizeof(*many));

		if (!c->cap)
			memcpy(many, c->few, sizeof(c->few));
		c->many = many;
		c->cap = cap;
	}
	channel_members(c)[c->n++] = m;
}

static void enter(struct sharing *s, uint32_t flow, uint32_t hop)
{
	uint32_t link = sharing_flow(s, flow)->hops[hop].link;
	struct channel *c = &s->channels[link];

	sharing_flow(s, flow)->hops[hop].slot = c->n;
	add_member(c, (struct member){ flow, hop });
	if (c->n == 1)
		c->since = s->now;
	if (s->level[link] == NOT_FULL && s->rule == SHARING_MAXMIN)
		sharing_use(s, link, flow_rest(sharing_flow(s, flow), hop));
	else
		sharing_mark(s, link);
}

static void leave(struct sharing *s, struct flow *f, uint32_t hop)
{
	uint32_t link = f->hops[hop].link, slot = f->hops[hop].slot;
	struct channel *c = &s->channels[link];
	struct member *v = channel_members(c), last = v[--c->n];

	v[slot] = last;
	sharing_flow(s, last.flow)->hops[last.hop].slot = slot;
	if (!c->n)
		c->account.busy += s->now - c->since;
	c->account.bytes += f->bytes;
	c->account.lost += f->hops[hop].lost;
	if (s->level[link] == NOT_FULL) /* and stays not full */
		s->spare[link] = c->n ? s->spare[link] + f->rate : c->capacity;
	else
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
		id = (uint32_t)s->nflows++;
		if (s->nflows > s->flows_cap) {
			s->flows_cap = 2 * s->nflows;
			s->flows = xreallocarray(s->flows, s->flows_cap, s->flow_bytes);
		}
	}
	struct flow *f = sharing_flow(s, id);
	*f = (struct flow){ .limit = demand->rate,
			    .left = demand->work,
			    .since = s->now,
			    .bytes = demand->bytes,
			    .per_work = isinf(demand->work) ? 1 : demand->bytes / demand->work,
			    .owner = owner,
			    .n = (uint8_t)n,
			    .bottleneck = NO_HOP,
			    .live = true };
	for (uint32_t h = 0; h < n; h++)
		f->hops[h] = (struct hop){ .link = links[h] };
	sharing_find_lowest(s, f);
	for (uint32_t h = 0; h < n; h++)
		enter(s, id, h);
	sharing_touch(s, id);
	return id;
}

void sharing_set_capacity(struct sharing *s, double now, uint32_t link, double capacity)
{
	advance(s, now);
	s->channels[link].capacity = s->spare[link] = capacity;
	if (s->channels[link].n) {
		s->spare[link] = -INFINITY; /* unknown */
		sharing_mark(s, link);
	}
}

double sharing_next(struct sharing *s)
{
	resolve(s);
	return s->ends.n ? keyheap_key(&s->ends) : INFINITY;
}

bool sharing_finish(struct sharing *s, double now, uint32_t *owner, struct flow_account *account)
{
	/* Equal flows must end together in spite of rounding errors. */
	if (!s->ends.n || keyheap_key(&s->ends) > now + SHARING_SAME * now)
		return false;
	s->now = fmax(s->now, now);
	uint32_t id = keyheap_pop(&s->ends);
	struct flow *f = sharing_flow(s, id);
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

/* Returns the sum of the rates on a link, and the largest of them in *highest. */
static double link_load(const struct sharing *s, uint32_t link, double *highest)
{
	struct channel *c = &s->channels[link];
	const struct member *v = channel_members(c);
	double sum = 0;

	*highest = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		sum += sharing_flow(s, v[i].flow)->rate;
		*highest = fmax(*highest, sharing_flow(s, v[i].flow)->rate);
	}
	return sum;
}

/* Whether the flows on the link, or one of them with the rule of the article, get more than it has.
 */
static bool is_over(const struct sharing *s, uint32_t link)
{
	const struct channel *c = &s->channels[link];
	double highest, sum = link_load(s, link, &highest);

	return (s->rule == SHARING_ARTICLE ? highest * c->n : sum) > c->capacity * (1 + 1e-9);
}

/* Whether the link is a bottleneck for a flow of this rate. */
static bool holds_up(const struct sharing *s, uint32_t link, double rate)
{
	const struct channel *c = &s->channels[link];
	double highest, sum = link_load(s, link, &highest);

	if (s->rule == SHARING_ARTICLE)
		return rate >= c->capacity / c->n * (1 - 1e-9);
	return sum >= c->capacity * (1 - 1e-9) && highest <= rate * (1 + 1e-9);
}

int sharing_check(struct sharing *s, struct error *e)
{
	resolve(s);
	for (uint32_t l = 0; l < s->nchannels; l++)
		if (s->channels[l].n && is_over(s, l))
			return error_set(e, "at %.9g s link %u is over its capacity", s->now, l);
	for (uint32_t i = 0; i < s->nflows; i++) {
		const struct flow *f = sharing_flow(s, i);
		bool held = f->rate >= f->limit * (1 - 1e-9);

		for (uint32_t h = 0; h < f->n && f->live && !held; h++)
			held = holds_up(s, f->hops[h].link, f->rate);
		if (f->live && !held)
			return error_set(e, "at %.9g s no link holds up flow %u of rate %g", s->now,
					 i, f->rate);
	}
	return 0;
}
