/* SPDX-License-Identifier: MIT */
/* Makes hits of tracepoints of the events of LTTng's kernel tracer. */
#include <string.h>

#include "trace/format/ctf/ctf.h"
#include "util/xalloc.h"

int64_t ctf_time(const struct ctf *k, uint64_t ticks)
{
	const uint64_t second = 1000000000;

	if (k->m.frequency != second)
		ticks = ticks / k->m.frequency * second +
			(uint64_t)((double)(ticks % k->m.frequency) * 1e9 / (double)k->m.frequency);
	return (int64_t)(ticks & (UINT64_MAX >> 2));
}

void ctf_begin(struct ctf *k)
{
	k->field = xcalloc(k->m.names.n, sizeof(*k->field));
	for (size_t i = 0; i < k->m.names.n; i++)
		k->field[i] =
		    (uint8_t)field_named(TRACER_LTTNG, k->m.names.v[i], strlen(k->m.names.v[i]));
	for (size_t i = 0; i < k->m.events.n; i++)
		k->m.events.v[i].meaning = meaning_of(TRACER_LTTNG, k->m.events.v[i].name);
}

static void begin_clock(struct ctf *k, uint64_t ns)
{
	struct event e = { .type = EVENT_CLOCK };

	k->begun = true;
	k->origin = ns;
	e.clock.realtime = (int64_t)((uint64_t)ctf_time(k, k->m.offset) +
				     k->m.offset_seconds % (1u << 31) * 1000000000u + ns);
	importer_emit(&k->kernel.im, &e);
}

/* ---- fields ---- */

void ctf_take_value(struct tracepoint_hit *p, enum field field, const struct ctf_value *v)
{
	p->has |= 1u << field;
	p->value[field].number = (int64_t)v->number;
	p->value[field].text = v->text;
	p->value[field].n = v->length;
}

/* The values from v to end become the fields of the hit; of several with a name, the first. */
static void take_values(const struct ctf *k, const struct ctf_value *v, const struct ctf_value *end,
			struct tracepoint_hit *p)
{
	p->has = 0;
	for (; v < end; v++) {
		enum field field = v->name < k->m.names.n ? k->field[v->name] : FIELDS;

		if (field == FIELDS || p->has & 1u << field)
			continue;
		ctf_take_value(p, field, v);
		if (field != FIELD_ARGS && field != FIELD_FILDES)
			continue;
		int64_t n = v->type->kind == CTF_ARRAY ? (int64_t)v->number : 0, i = 0;
		for (; i < n && i < 6 && v + 1 + i < end; i++)
			p->args[i] = v[1 + i].number;
		p->value[field].number = i;
	}
}

/* The thread of the hit, whose fields are what the trace adds to every event. */
static uint32_t thread_of(struct ctf *k, const struct tracepoint_hit *p)
{
	bool global = p->has & 1u << FIELD_TID;
	enum field tid = global ? FIELD_TID : FIELD_VTID, pid = global ? FIELD_PID : FIELD_VPID;
	const struct kernel_cpu *cpu = kernel_cpu(&k->kernel, p->cpu);

	if (!(p->has & 1u << tid))
		return cpu->known ? cpu->tid : 0;
	if (p->has & 1u << pid)
		kernel_set_pid(&k->kernel, (uint32_t)p->value[tid].number,
			       (uint32_t)p->value[pid].number);
	return (uint32_t)p->value[tid].number;
}

/* ---- events ---- */

void ctf_take(struct ctf *k, struct ctf_stream *s)
{
	uint64_t ns = (uint64_t)ctf_time(k, s->now);
	struct tracepoint_hit p;

	if (!k->begun)
		begin_clock(k, ns);
	k->kernel.now = (int64_t)(ns - k->origin);
	if (!s->event->meaning.take)
		return;
	p.meaning = s->event->meaning;
	p.context = WAKE_UNKNOWN;
	p.cpu = s->packet.cpu;
	take_values(k, s->values + s->context, s->values + s->own, &p);
	p.tid = thread_of(k, &p);
	memset(p.args, 0, sizeof(p.args));
	take_values(k, s->values + s->own, s->values + s->n, &p);
	if (p.meaning.entry && p.meaning.call != UINT32_MAX)
		ctf_take_arguments(k, s, &p);
	p.meaning.take(&k->kernel, &p);
}

void ctf_take_packet(struct ctf *k, const struct ctf_stream *s)
{
	const struct ctf_packet *p = &s->packet, *before = &s->before;
	int64_t origin = k->begun ? (int64_t)k->origin : ctf_time(k, p->begin),
		from = ctf_time(k, s->packets > 1 ? before->end : p->begin) - origin,
		until = ctf_time(k, p->end) - origin;

	if (s->packets > 1 && p->has_sequence && p->sequence != before->sequence + 1)
		importer_lose(&k->kernel.im, LOST_BLOCKS, 0, from, until);
	/* The total counts from the beginning of the recording, where the first packet has the
	 * number 0. */
	bool from_start = s->packets == 1 && p->has_sequence && p->sequence == 0;
	if ((s->packets > 1 || from_start) && p->discarded > before->discarded)
		importer_lose(&k->kernel.im, LOST_RING_FULL, p->discarded - before->discarded, from,
			      until);
}
