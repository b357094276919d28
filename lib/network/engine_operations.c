/* SPDX-License-Identifier: MIT */
/* Executes the operations of processes. */
#include <math.h>

#include "network/collective.h"
#include "network/engine_state.h"

/* Before a message leaves, its sender spends CPU time on it.  Returns true if that time has just
 * begun. */
static bool charge_send(struct engine *en, uint32_t rank, uint64_t bytes)
{
	struct process *p = &en->processes[rank];
	double seconds = overhead_seconds(&en->net->send, (double)bytes);

	p->charged = !p->charged && seconds > 0;
	if (p->charged)
		engine_busy(en, rank, RANK_OVERHEAD, seconds);
	return p->charged;
}

/* Executes one round of a collective operation; true: the process has to stop. */
static bool do_round(struct engine *en, uint32_t rank)
{
	struct process *p = &en->processes[rank];
	struct round round;

	if (!collective_round(&p->op, en->w->ranks, rank, p->round, &round)) {
		p->has_op = false;
		return false;
	}
	if (round.to != PEER_ANY && charge_send(en, rank, round.bytes))
		return true;
	p->round++;
	if (round.from != PEER_ANY) {
		p->pieces++;
		engine_receive(en, rank, round.from, TAG_COLLECTIVE + p->op.kind, REQUEST_PIECE);
	}
	if (round.to != PEER_ANY) {
		p->pieces++;
		if (engine_send(en, rank, round.to, round.bytes, TAG_COLLECTIVE + p->op.kind,
				REQUEST_PIECE, false))
			p->pieces--;
	}
	if (!round.wait || !p->pieces)
		return false;
	p->waiting = WAITING_PIECES;
	return true;
}

/* Blocking sends and receives set p->waiting before they start, because they may complete at
 * once. */
static bool do_send(struct engine *en, uint32_t rank)
{
	struct process *p = &en->processes[rank];
	bool blocking = p->op.kind != OP_ISEND;

	if (p->op.peer == PEER_LAST)
		p->op.peer = p->last;
	struct op op = p->op;
	if (op.peer == PEER_LAST) {
		error_set(en->e, "rank %u sends to 'last', but has received nothing", rank);
		en->failed = true;
		return true;
	}
	if (charge_send(en, rank, op.amount))
		return true;
	p->has_op = false;
	uint32_t request = blocking ? REQUEST_SELF : process_open(p, op.request);
	if (blocking)
		p->waiting = WAITING_SELF;
	if (engine_send(en, rank, op.peer, op.amount, op.tag, request, op.kind == OP_SSEND)) {
		p->waiting = WAITING_NOTHING;
		if (!blocking)
			process_complete(p, request);
		return false;
	}
	return blocking;
}

static bool do_receive(struct engine *en, uint32_t rank)
{
	struct process *p = &en->processes[rank];
	struct op op = p->op;
	bool blocking = op.kind == OP_RECV;

	p->has_op = false;
	if (blocking)
		p->waiting = WAITING_SELF;
	engine_receive(en, rank, op.peer, op.tag,
		       blocking ? REQUEST_SELF : process_open(p, op.request));
	return blocking;
}

static bool do_wait(struct engine *en, uint32_t rank)
{
	struct process *p = &en->processes[rank];
	uint32_t request = p->op.kind == OP_WAIT ? p->op.request : 0;

	p->has_op = false;
	switch (process_wait(p, request)) {
	case 0: break;
	case 1: return true;
	default:
		error_set(en->e, "rank %u waits for request %u, which it did not open", rank,
			  request);
		en->failed = true;
		return true;
	}
	if (!(p->debt > 0))
		return false;
	double debt = p->debt;
	p->debt = 0;
	engine_busy(en, rank, RANK_OVERHEAD, debt);
	return true;
}

void engine_go_on(struct engine *en, uint32_t rank)
{
	struct process *p = &en->processes[rank];
	bool stop = false;

	engine_account(en, rank, p->state, en->now);
	while (!stop && !en->failed) {
		if (!p->has_op) {
			if (!cursor_next(&p->cursor, &p->op)) {
				en->r->rank[rank].finish = en->now;
				p->finished = true;
				en->running--;
				return;
			}
			p->has_op = true;
			p->round = 0;
			en->r->events++;
		}
		switch (p->op.kind) {
		case OP_COMPUTE:
			p->has_op = false;
			engine_busy(en, rank, RANK_COMPUTE,
				    (double)p->op.amount * 1e-12 * en->o->stretch);
			stop = true;
			break;
		case OP_SEND:
		case OP_SSEND:
		case OP_ISEND: stop = do_send(en, rank); break;
		case OP_RECV:
		case OP_IRECV: stop = do_receive(en, rank); break;
		case OP_WAIT:
		case OP_WAITALL: stop = do_wait(en, rank); break;
		default: stop = do_round(en, rank); break;
		}
		p = &en->processes[rank];
	}
}
