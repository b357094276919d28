/* SPDX-License-Identifier: MIT */
#include "record/stream/plain.h"

union plain {
	struct record head;
	struct record_switch change;
	struct record_wake wake;
	struct record_signal signal;
	struct record_fault fault;
	struct record_softirq softirq;
	struct record_block block;
};

void plain_event(struct event *e, const struct record *head)
{
	const union plain *r = (const void *)head;

	switch (head->type) {
	case RECORD_SWITCH:
		e->type = EVENT_SWITCH;
		e->change.cpu = head->cpu;
		e->change.out = r->change.out;
		e->change.preempted = r->change.preempted;
		e->change.next = r->change.next;
		e->change.state = r->change.state;
		break;
	case RECORD_WAKE:
		e->type = EVENT_WAKE;
		e->wake.target = r->wake.target;
		e->wake.context = (uint8_t)r->wake.context;
		e->wake.from = head->cpu + 1u;
		break;
	case RECORD_SIGNAL:
		e->type = EVENT_SIGNAL;
		e->signal.signal = (int)r->signal.number;
		break;
	case RECORD_FAULT:
		e->type = EVENT_FAULT;
		e->fault.address = r->fault.address;
		e->fault.write = r->fault.write;
		break;
	case RECORD_SOFTIRQ:
		e->type = EVENT_INTERRUPT;
		e->interrupt.duration = (int64_t)(head->time - r->softirq.begin);
		e->time -= e->interrupt.duration;
		e->interrupt.soft = true;
		e->interrupt.number = r->softirq.number;
		e->interrupt.cpu = head->cpu;
		break;
	case RECORD_BLOCK:
		e->type = EVENT_BLOCK;
		e->block.complete = r->block.complete;
		e->block.write = r->block.write;
		e->block.device = r->block.device;
		e->block.sector = r->block.sector;
		e->block.bytes = r->block.bytes;
		e->block.cpu = head->cpu + 1u;
		break;
	}
}
