/* SPDX-License-Identifier: MIT */
/*
 * Contention for links.  A message uses a link from when it could have arrived, had the link been
 * empty and long, until it arrives.  Two kinds of messages are known: those between two hosts that
 * somebody waited for, and those that a thread carries whose state is "contention LINK" in the end,
 * as ccmod writes them.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/contention_share.h"
#include "trace/event.h"

enum { MESSAGES_MOST = 1 << 16 };

struct message {
	uint64_t link;
	struct contention use;
};

/* What a thread carries. */
struct carrier {
	struct party sender;
	int64_t from, until; /* its last piece but waits */
};

struct pass {
	struct graph *graph;
	struct carrier *carriers; /* by thread */
	bool *is_link;		  /* by word: it begins with "contention " */
	VEC(struct message) messages;
	struct share share;
};

static int by_link_and_end(const void *a, const void *b)
{
	const struct message *x = a, *y = b;

	if (x->link != y->link)
		return x->link < y->link ? -1 : 1;
	return (x->use.until < y->use.until) - (x->use.until > y->use.until);
}

/* Reports the messages so far.  What others arrive later does not share with them. */
static void flush(struct pass *s)
{
	const struct message *v = s->messages.v;
	size_t n = s->messages.n;

	vec_sort(&s->messages, by_link_and_end);
	for (size_t i = 0; i < n; i++) {
		if (i && v[i].link != v[i - 1].link)
			share_flush(&s->share);
		share_use(&s->share, &v[i].use);
	}
	share_flush(&s->share);
	s->messages.n = 0;
}

static void add_message(struct pass *s, uint64_t link, struct contention use)
{
	if (use.until <= use.from)
		return;
	use.resource = RESOURCE_LINK;
	if (s->messages.n == MESSAGES_MOST)
		flush(s);
	vec_push(&s->messages, (struct message){ link, use });
}

static void come_by_wire(struct pass *s, const struct piece *p, const struct piece *cause)
{
	uint64_t from = s->graph->threads.v[cause->thread].tid >> HOST_SHIFT;
	uint64_t to = s->graph->threads.v[p->thread].tid >> HOST_SHIFT;

	if (from != to)
		add_message(s, UINT64_MAX - (from << 32 | to),
			    (struct contention){
				.waiter = { cause->thread, { cause->before, cause->before } },
				.at = p->thread,
				.link = GRAPH_NOBODY,
				.from = cause->end + s->graph->queues.v[p->queue].way,
				.until = p->end });
}

static void take_piece(struct pass *s, const struct piece *p, const struct piece *cause)
{
	struct carrier *c = &s->carriers[p->thread];
	uint32_t word = s->graph->states.v[p->state].word;

	if (p->kind == PIECE_WAIT && p->flags & PIECE_WIRE && cause)
		come_by_wire(s, p, cause);
	if (p->kind == PIECE_GET && cause && c->sender.thread == GRAPH_NOBODY)
		c->sender = (struct party){ cause->thread, { cause->before, cause->before } };
	if (p->kind == PIECE_RUN) {
		if (s->is_link[word] && c->sender.thread != GRAPH_NOBODY)
			add_message(
			    s, word,
			    (struct contention){ .waiter = c->sender,
						 .at = p->thread,
						 .link = word,
						 .from = c->until == p->start ? c->from : p->start,
						 .until = p->end });
		c->from = p->start;
		c->until = p->end;
	}
	if (p->kind == PIECE_PUT)
		c->sender.thread = GRAPH_NOBODY;
}

void contention_link(struct graph *g, contention_take *take, void *arg)
{
	struct pass s = { .graph = g };
	bool any = false;

	s.is_link = xcalloc(g->words.n + 1, sizeof(*s.is_link));
	for (size_t i = 0; i < g->words.n; i++)
		any |= s.is_link[i] = !strncmp(g->words.v[i], "contention ", 11);
	for (size_t i = 0; i < g->threads.n; i++)
		any |= g->threads.v[i].tid >> HOST_SHIFT > 0;
	if (any) {
		s.share = share_begin(g, take, arg);
		s.carriers = xcalloc(g->threads.n + 1, sizeof(*s.carriers));
		for (size_t i = 0; i < g->threads.n; i++)
			s.carriers[i].sender.thread = GRAPH_NOBODY;
		for (uint64_t number = 0; number < g->tape.n; number++) {
			const struct piece p = *tape_read(&g->tape, number);

			take_piece(&s, &p, tape_cause(&g->tape, &p, number));
		}
		flush(&s);
		share_free(&s.share);
	}
	vec_free(&s.messages);
	free(s.carriers);
	free(s.is_link);
}
