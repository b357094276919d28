/* SPDX-License-Identifier: MIT */
#include "record/stream/plain.h"

static void fill_switch(struct event *e, const struct record *head)
{
	const struct record_switch *r = (const void *)head;

	e->change.cpu = head->cpu;
	e->change.out = r->out;
	e->change.preempted = r->preempted;
	e->change.next = r->next;
	e->change.state = r->state;
}

static void fill_wake(struct event *e, const struct record *head)
{
	const struct record_wake *r = (const void *)head;

	e->wake.target = r->target;
	e->wake.context = (uint8_t)r->context;
	e->wake.from = head->cpu + 1u;
}

static void fill_signal(struct event *e, const struct record *head)
{
	e->signal.signal = (int)((const struct record_signal *)head)->number;
}

static void fill_fault(struct event *e, const struct record *head)
{
	const struct record_fault *r = (const void *)head;

	e->fault.address = r->address;
	e->fault.write = r->write;
}

static void fill_softirq(struct event *e, const struct record *head)
{
	const struct record_softirq *r = (const void *)head;

	e->time -= (int64_t)(head->time - r->begin);
	e->interrupt.soft = true;
	e->interrupt.number = r->number;
	e->interrupt.cpu = head->cpu;
	e->interrupt.duration = (int64_t)(head->time - r->begin);
}

static void fill_block(struct event *e, const struct record *head)
{
	const struct record_block *r = (const void *)head;

	e->block.complete = r->complete;
	e->block.write = r->write;
	e->block.device = r->device;
	e->block.sector = r->sector;
	e->block.bytes = r->bytes;
	e->block.cpu = head->cpu + 1u;
}

static const struct {
	enum event_type type;
	void (*fill)(struct event *e, const struct record *r);
} kinds[] = {
	[RECORD_SWITCH] = { EVENT_SWITCH, fill_switch },
	[RECORD_WAKE] = { EVENT_WAKE, fill_wake },
	[RECORD_SIGNAL] = { EVENT_SIGNAL, fill_signal },
	[RECORD_FAULT] = { EVENT_FAULT, fill_fault },
	[RECORD_SOFTIRQ] = { EVENT_INTERRUPT, fill_softirq },
	[RECORD_BLOCK] = { EVENT_BLOCK, fill_block },
};

void plain_event(struct event *e, const struct record *r)
{
	e->type = kinds[r->type].type;
	kinds[r->type].fill(e, r);
}
