/* SPDX-License-Identifier: MIT */
#include "network/process.h"

#include <stdio.h>
#include <string.h>

#include "network/collective.h"
#include "util/vec.h"

uint32_t process_open(struct process *p, uint32_t request)
{
	p->outstanding++;
	if (request != REQUEST_ANONYMOUS) {
		struct request r = { request, false };

		vec_push(&p->open, r);
	}
	return request;
}

/* Returns the first open request of that number which is done, or not done. */
static struct request *find(struct process *p, uint32_t id, bool done)
{
	for (size_t i = 0; i < p->open.n; i++)
		if (p->open.v[i].id == id && p->open.v[i].done == done)
			return &p->open.v[i];
	return NULL;
}

static void forget(struct process *p, struct request *r)
{
	*r = p->open.v[--p->open.n];
}

bool process_complete(struct process *p, uint32_t request)
{
	bool go = false;

	if (request == REQUEST_SELF)
		go = p->waiting == WAITING_SELF;
	else if (request == REQUEST_PIECE)
		go = --p->pieces == 0 && p->waiting == WAITING_PIECES;
	else {
		struct request *r = request ? find(p, request, false) : NULL;

		p->outstanding--;
		if (r)
			r->done = true;
		go = p->waiting == WAITING_ALL && !p->outstanding;
		if (r && p->waiting == WAITING_REQUEST && p->awaited == request) {
			forget(p, r);
			go = true;
		}
		if (go && p->waiting == WAITING_ALL)
			p->open.n = 0;
	}
	if (go)
		p->waiting = WAITING_NOTHING;
	return go;
}

int process_wait(struct process *p, uint32_t request)
{
	struct request *r;

	if (!request) {
		if (p->outstanding) {
			p->waiting = WAITING_ALL;
			return 1;
		}
		p->open.n = 0;
		return 0;
	}
	r = find(p, request, true);
	if (r) {
		forget(p, r);
		return 0;
	}
	if (!find(p, request, false))
		return -1;
	p->waiting = WAITING_REQUEST;
	p->awaited = request;
	return 1;
}

void process_free(struct process *p)
{
	free(p->open.v);
}

/* Returns the rank that p waits for if there is exactly one, or PEER_ANY. */
static uint32_t waits_for(const struct process *p, uint32_t rank, uint32_t ranks)
{
	struct round round;

	if (p->finished)
		return PEER_ANY;
	if (p->waiting == WAITING_SELF)
		return p->op.peer < ranks ? p->op.peer : PEER_ANY;
	if (p->waiting == WAITING_PIECES && p->round &&
	    collective_round(&p->op, ranks, rank, p->round - 1, &round))
		return round.from != PEER_ANY ? round.from : round.to;
	return p->waiting == WAITING_REQUEST || p->waiting == WAITING_ALL ? p->blocker : PEER_ANY;
}

static void describe(const struct process *p, uint32_t rank, uint32_t ranks, FILE *f)
{
	const char *word = op_forms[p->op.kind].word;
	uint32_t peer = waits_for(p, rank, ranks);

	fprintf(f, "rank %u waits in %s", rank, word);
	if (p->waiting == WAITING_REQUEST)
		fprintf(f, " for request %u", p->awaited);
	if (p->waiting == WAITING_ALL)
		fprintf(f, " for %u message%s", p->outstanding, p->outstanding > 1 ? "s" : "");
	if (peer != PEER_ANY)
		fprintf(f, "%s rank %u",
			p->waiting == WAITING_REQUEST ? " with"
			: p->waiting == WAITING_ALL   ? ", one with"
						      : " for",
			peer);
	if (p->waiting == WAITING_SELF && p->op.tag != TAG_ANY && p->op.tag)
		fprintf(f, " (tag %u)", p->op.tag);
}

/* Returns a rank on a cycle of ranks that wait for each other, or UINT32_MAX. */
static uint32_t find_cycle(const struct process *p, uint32_t ranks)
{
	uint32_t *seen = xcalloc(ranks, sizeof(*seen)), found = UINT32_MAX;

	for (uint32_t r = 0; r < ranks && found == UINT32_MAX; r++) {
		uint32_t at = r;

		while (at != PEER_ANY && !seen[at]) {
			seen[at] = r + 1;
			at = waits_for(&p[at], at, ranks);
		}
		if (at != PEER_ANY && seen[at] == r + 1)
			found = at;
	}
	free(seen);
	return found;
}

void process_deadlock(const struct process *p, uint32_t ranks, double now, struct error *e)
{
	char text[400] = "";
	FILE *f = fmemopen(text, sizeof(text) - 1, "w");
	uint32_t stuck = 0, first = find_cycle(p, ranks), shown = 0;
	bool cycle = first != UINT32_MAX;

	for (uint32_t r = 0; r < ranks; r++)
		stuck += !p[r].finished;
	for (uint32_t r = cycle ? first : 0; r < ranks && shown < 4;) {
		if (!p[r].finished) {
			fprintf(f, "%s", shown++ ? "; " : "");
			describe(&p[r], r, ranks, f);
		}
		r = cycle ? waits_for(&p[r], r, ranks) : r + 1;
		if (cycle && r == first)
			break;
	}
	fclose(f);
	error_set(e, "deadlock at %.6g s, %u of %u ranks cannot go on: %s%s", now, stuck, ranks,
		  text,
		  shown == 4 ? "; ..."
		  : cycle    ? " (a cycle)"
			     : "");
}
