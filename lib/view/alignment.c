/* SPDX-License-Identifier: MIT */
#include "view/alignment.h"

#include <math.h>
#include <stddef.h>

static int64_t by_wall(const struct alignment *a, size_t host, int64_t time)
{
	bool known = a->v[host].has_wall && a->v[0].has_wall;

	return known ? time + (a->v[host].wall - a->v[0].wall) : time;
}

int64_t alignment_time(const struct alignment *a, size_t host, int64_t time)
{
	while (host && a->v[host].beside != SIZE_MAX) {
		time = clock_map(&a->v[host].fit, time);
		host = a->v[host].beside;
	}
	return by_wall(a, host, time);
}

/* Fits the clock of `beside` as seen from that of `host` to the messages between them. */
static struct clock_fit fit_pair(const struct messages *m, size_t host, size_t beside)
{
	VEC(struct clock_point) points = { 0 };

	for (size_t i = 0; i < m->list.n; i++) {
		const struct message *x = &m->list.v[i];

		if (x->from == beside && x->to == host)
			vec_push(&points,
				 (struct clock_point){ x->received, x->sent - x->received, false });
		else if (x->from == host && x->to == beside)
			vec_push(&points,
				 (struct clock_point){ x->sent, x->received - x->sent, true });
	}
	struct clock_fit fit = clock_fit(points.v, points.n);
	vec_free(&points);
	return fit;
}

static double worst(const struct clock_fit *fit)
{
	double bound = 0;

	for (size_t i = 0; i < fit->n; i++)
		bound = fmax(bound, fit->v[i].bound);
	return bound;
}

/* Prim's algorithm: always adds the host whose clock is known best relative to a host in the
 * tree. */
static void align(struct alignment *a, const struct messages *m)
{
	bool *placed = xcalloc(a->n, sizeof(*placed));
	size_t last = 0;

	for (size_t i = 0; i < a->n; i++)
		a->v[i].beside = SIZE_MAX;
	for (; last != SIZE_MAX;) {
		size_t best = SIZE_MAX;

		placed[last] = true;
		for (size_t i = 1; i < a->n; i++) {
			struct aligned_host *h = &a->v[i];
			struct clock_fit fit = { 0 };

			if (!placed[i])
				fit = fit_pair(m, i, last);
			if (fit.n && (h->beside == SIZE_MAX || worst(&fit) < worst(&h->fit))) {
				struct clock_fit former = h->fit;

				h->fit = fit;
				h->beside = last;
				fit = former;
			}
			free(fit.v);
			if (!placed[i] && h->beside != SIZE_MAX &&
			    (best == SIZE_MAX || worst(&h->fit) < worst(&a->v[best].fit)))
				best = i;
		}
		last = best;
	}
	free(placed);
}

static struct aligned_pair *pair_of(struct alignment *a, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < a->pairs.n; i++)
		if (a->pairs.v[i].from == from && a->pairs.v[i].to == to)
			return &a->pairs.v[i];
	vec_push(&a->pairs, (struct aligned_pair){ .from = from, .to = to });
	return &a->pairs.v[a->pairs.n - 1];
}

void alignment_make(struct alignment *a, const struct messages *m)
{
	align(a, m);
	for (size_t i = 0; i < m->list.n; i++) {
		const struct message *x = &m->list.v[i];
		bool back = x->from > x->to;
		struct aligned_pair *p = pair_of(a, back ? x->to : x->from, back ? x->from : x->to);

		p->messages[back]++;
		p->before += by_wall(a, x->to, x->received) < by_wall(a, x->from, x->sent);
		p->after +=
		    alignment_time(a, x->to, x->received) < alignment_time(a, x->from, x->sent);
	}
}

/* The members that hold numbers of processes, objects and CPUs, and whether 0 means none. */
static const struct {
	enum event_type type;
	uint16_t offset; /* in struct event */
	bool zero_is_none;
} numbers[] = {
#define NUMBER(type, member, none) \
	{ \
		EVENT_##type, offsetof(struct event, member), none \
	}
	NUMBER(SYSCALL, call.object, true),   NUMBER(SYSCALL, call.cpu, true),
	NUMBER(SWITCH, change.cpu, false),    NUMBER(SWITCH, change.next, false),
	NUMBER(WAKE, wake.target, false),     NUMBER(WAKE, wake.cpu, true),
	NUMBER(FORK, fork.child_pid, false),  NUMBER(FORK, fork.child_tid, false),
	NUMBER(FD, fd.object, true),	      NUMBER(URING, uring.object, true),
	NUMBER(URING, uring.file, true),      NUMBER(INTERRUPT, interrupt.cpu, false),
	NUMBER(ATTACH, attach.parent, false), NUMBER(ADDRESS, address.object, true),
	NUMBER(WAKE, wake.from, true),	      NUMBER(BLOCK, block.cpu, true),
#undef NUMBER
};

static void number_event(struct event *e, uint32_t host)
{
	const uint32_t add = host << HOST_SHIFT;

	e->pid += add;
	e->tid += add;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		uint32_t *n = (uint32_t *)(void *)((char *)e + numbers[i].offset);

		if (numbers[i].type == e->type && (*n || !numbers[i].zero_is_none))
			*n += add;
	}
}

void alignment_event(const struct alignment *a, size_t host, struct event *e)
{
	int64_t end = event_end(e);

	number_event(e, (uint32_t)host);
	e->time = alignment_time(a, host, e->time);
	if (e->type == EVENT_LOST)
		e->lost.until = alignment_time(a, host, e->lost.until);
	int64_t *duration = e->type == EVENT_SYSCALL	 ? &e->call.duration
			    : e->type == EVENT_INTERRUPT ? &e->interrupt.duration
			    : e->type == EVENT_URING	 ? &e->uring.duration
							 : NULL;
	if (duration && *duration >= 0)
		*duration = alignment_time(a, host, end) - e->time;
}

void alignment_free(struct alignment *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->v[i].fit.v);
	vec_free(&a->pairs);
}
