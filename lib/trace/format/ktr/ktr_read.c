/* SPDX-License-Identifier: MIT */
/*
 * Reader of the format of docs/ktr.5.  Each stream has a state of its own and holds one block; the
 * streams are merged by time.  A block is read as soon as its stream has no events left, so that
 * streams whose blocks alternate in the file come out in order, with one block a stream in memory.
 */
#include "trace/format/ktr/ktr.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format/ktr/ktr_block.h"
#include "trace/format/ktr/ktr_record.h"
#include "trace/format.h"
#include "trace/reorder.h"
#include "util/map.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { STREAMS_MAX = 4096 };

/* Calls that one event may stand for: years of them, and no sum overflows. */
static const uint64_t more_max = 1ull << 50;

/* A call as this block introduced it, and what its last record held. */
struct block_call {
	unsigned id;
	uint32_t object, cpu;
	enum fd_kind kind;
	uint64_t result;
	uint64_t args[6];
};

struct block_thread {
	uint32_t pid, tid;
};

struct stream {
	uint32_t index;	     /* in the order in which the streams appear */
	unsigned char *data; /* a copy of the payload of its block, and INPUT_PAD */
	size_t cap;
	const unsigned char *p, *end; /* what is left of it */
	uint64_t offset;	      /* of data in the file */
	uint64_t records;	      /* still expected in the block */
	uint64_t time;		      /* end of the preceding event */
	size_t thread;		      /* of the preceding event */
	VEC(struct block_call) calls;
	VEC(struct block_thread) threads;
	VEC(const char *) names; /* in data */
	const struct os *os;
	enum abi abi;
	uint64_t sequence; /* number of the next block */
	bool last;	   /* the stream was ended in order */
	bool waits;	   /* its next event is `head`, in `waiting` */
	bool lost;	   /* events are missing between lost_from and `time` */
	uint64_t lost_from;
	struct event head;
};

struct ktr {
	VEC(struct stream *) streams;
	struct map by_number;	  /* stream number -> struct stream * */
	struct reorder waiting;	  /* streams by the end of their next event */
	struct stream *current;	  /* the one that gave the last event */
	bool pending;		  /* s->in is at an intact block, not taken in yet */
	bool ended;		  /* ... or at the end */
	struct ktr_header header; /* of the pending block */
	struct ktr_block_finder finder;
	unsigned char *info_record; /* strings of s->info, and what they were read from */
	size_t info_length;
};

static void read_info(struct source *s, const unsigned char *p, const unsigned char *end)
{
	struct ktr *k = s->reader;
	const char **strings[] = {
		&s->info.recorder, &s->info.host,    &s->info.command,
		&s->info.kernel,   &s->info.host_id, &s->info.cpu,
	};

	if (k->info_record)
		return;
	k->info_length = (size_t)(end - p);
	k->info_record = xmalloc(k->info_length + INPUT_PAD);
	memcpy(k->info_record, p, k->info_length);
	memset(k->info_record + k->info_length, 0, INPUT_PAD);
	p = k->info_record;
	end = p + k->info_length;
	s->info.has_time = *p & KTR_INFO_TIME;
	s->info.has_duration = *p & KTR_INFO_DURATION;
	s->info.aggregated = *p & KTR_INFO_AGGREGATED;
	if (*p++ & KTR_INFO_COST)
		s->info.call_cost = varint_get(&p);
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++) {
		const char *string = ktr_get_string(&p, end);

		if (!string)
			return;
		*strings[i] = string;
	}
}

static bool read_call(struct stream *st, const unsigned char *p, const unsigned char *end)
{
	uint64_t number = varint_get(&p);
	const char *name = ktr_get_string(&p, end);
	struct block_call call = { 0 };

	if (!name)
		return false;
	/* The name identifies the call, unless it stands for a number. */
	if (number > 0 && number <= INT32_MAX && !strncmp(name, "syscall_", 8))
		call.id = syscall_of_number(st->os, st->abi, (unsigned)number - 1);
	else
		call.id = syscall_of_name(st->os, name);
	vec_push(&st->calls, call);
	return true;
}

static bool read_thread(struct stream *st, const unsigned char *p, const unsigned char *end)
{
	struct block_thread thread = { .pid = (uint32_t)varint_get(&p) };

	thread.tid = (uint32_t)varint_get(&p);
	vec_push(&st->threads, thread);
	return p <= end;
}

static bool read_name(struct stream *st, const unsigned char *p, const unsigned char *end)
{
	const char *name = ktr_get_string(&p, end);

	if (name)
		vec_push(&st->names, name);
	return name;
}

static const unsigned char *read_args(const unsigned char *p, uint64_t *args)
{
	unsigned mask = *p++;

	for (int i = 0; i < 6; i++)
		if (mask & 1u << i)
			args[i] += varint_unfold(varint_get(&p));
	return p;
}

/* The parts that most calls lack. */
static const unsigned char *read_rare(const unsigned char *p, const unsigned char *end,
				      unsigned what, struct block_call *call, struct event *out)
{
	if (what & KTR_HAS_FLAGS)
		out->call.flags = (unsigned)varint_get(&p);
	if (what & KTR_HAS_PATH && !(out->call.path = ktr_get_string(&p, end)))
		return NULL;
	if (what & KTR_HAS_TEXT && !(out->call.text = ktr_get_string(&p, end)))
		return NULL;
	if (what & KTR_HAS_CPU)
		out->call.cpu = call->cpu = (uint32_t)varint_get(&p);
	if (out->call.flags & CALL_SEVERAL)
		out->call.more = varint_get(&p);
	return out->call.more < more_max ? p : NULL;
}

/* The body of a SYSCALL record; false if it is malformed. */
static bool read_syscall(struct stream *st, const unsigned char *p, const unsigned char *end,
			 struct event *out)
{
	unsigned what = *p++;
	uint64_t index = varint_get(&p);

	if (index >= st->calls.n)
		return false;
	struct block_call *call = &st->calls.v[index];
	uint64_t time = st->time + varint_unfold(varint_get(&p));
	uint64_t duration = varint_get(&p) - 1;
	if (what & KTR_HAS_THREAD)
		st->thread = varint_get(&p);
	if (st->thread >= st->threads.n)
		return false;
	if (what & KTR_HAS_ARGS)
		p = read_args(p, call->args);
	if (what & KTR_HAS_RESULT)
		call->result += varint_unfold(varint_get(&p));
	if (what & KTR_HAS_OBJECT) {
		call->kind = *p < FD_KINDS ? (enum fd_kind) * p : FD_UNKNOWN;
		p++;
		call->object = (uint32_t)varint_get(&p);
	}
	st->time = time + ((int64_t)duration > 0 ? duration : 0);

	out->type = EVENT_SYSCALL;
	out->pid = st->threads.v[st->thread].pid;
	out->tid = st->threads.v[st->thread].tid;
	out->time = (int64_t)time;
	out->call.id = call->id;
	out->call.flags = 0;
	out->call.duration = (int64_t)duration;
	memcpy(out->call.args, call->args, sizeof(call->args));
	out->call.result = (int64_t)call->result;
	out->call.kind = call->kind;
	out->call.object = call->object;
	out->call.path = out->call.text = NULL;
	out->call.cpu = call->cpu;
	out->call.more = 0;
	if (what & (KTR_HAS_FLAGS | KTR_HAS_PATH | KTR_HAS_TEXT | KTR_HAS_CPU))
		p = read_rare(p, end, what, call, out);
	return p && p <= end;
}

/* What all events but calls begin with; false if it is malformed. */
static bool read_head(struct stream *st, const unsigned char **p, struct event *out)
{
	st->thread = varint_get(p);
	if (st->thread >= st->threads.n)
		return false;
	st->time += varint_unfold(varint_get(p));
	out->pid = st->threads.v[st->thread].pid;
	out->tid = st->threads.v[st->thread].tid;
	out->time = (int64_t)st->time;
	return true;
}

static bool read_event(struct stream *st, const unsigned char *p, const unsigned char *end,
		       unsigned type, struct event *out)
{
	return read_head(st, &p, out) && ktr_get_fields(&p, end, type, out) && p <= end;
}

/* Of an event with the number of a name. */
static bool read_named(struct stream *st, const unsigned char *p, const unsigned char *end,
		       enum event_type type, struct event *out)
{
	uint64_t name;

	if (!read_head(st, &p, out) || (name = varint_get(&p)) >= st->names.n)
		return false;
	out->type = type;
	if (type == EVENT_STACK) {
		out->stack.frames = st->names.v[name];
		return p <= end;
	}
	out->counter.name = st->names.v[name];
	out->counter.value = ktr_get_value(&p);
	return p <= end;
}

/* 1: *out is an event; 0: the record describes others, or is unknown; -1: it is malformed. */
static int read_record(struct source *s, struct stream *st, struct event *out)
{
	const unsigned char *p = st->p;
	unsigned tag = *p;
	uint64_t length = ktr_get_length(&p);

	if (p > st->end || length > (uint64_t)(st->end - p) || length == 0)
		return -1;
	const unsigned char *end = p + length;
	st->p = end;
	st->records--;
	if (tag & KTR_SYSCALL)
		return read_syscall(st, p, end, out) ? 1 : -1;
	switch (tag) {
	case KTR_INFO: read_info(s, p, end); return 0;
	case KTR_CALL: return read_call(st, p, end) ? 0 : -1;
	case KTR_THREAD: return read_thread(st, p, end) ? 0 : -1;
	case KTR_NAME: return read_name(st, p, end) ? 0 : -1;
	case KTR_COUNTER: return read_named(st, p, end, EVENT_COUNTER, out) ? 1 : -1;
	case KTR_STACK: return read_named(st, p, end, EVENT_STACK, out) ? 1 : -1;
	}
	if (tag <= KTR_EVENT + EVENT_SYSCALL || tag >= KTR_EVENT + EVENT_TYPES)
		return 0; /* of a newer version: its length is enough to go on */
	return read_event(st, p, end, tag - KTR_EVENT, out) ? 1 : -1;
}

static void lose(struct stream *st, uint64_t from)
{
	if (!st->lost)
		st->lost_from = from;
	st->lost = true;
}

/* Skips the rest of a block, from a malformed record on. */
static void abandon_block(struct source *s, struct stream *st, const unsigned char *record)
{
	source_count_torn(&s->losses, st->offset + (uint64_t)(record - st->data),
			  (size_t)(st->end - record), "a record is malformed");
	lose(st, st->time);
	st->p = st->end;
	st->records = 0;
}

/* The next event of a stream's block; false at its end. */
static bool next_of_block(struct source *s, struct stream *st, struct event *out)
{
	for (;;) {
		if (st->lost) {
			*out = (struct event){ .type = EVENT_LOST, .time = (int64_t)st->lost_from };
			out->lost.until = (int64_t)st->time;
			out->lost.class = LOST_BLOCKS;
			st->lost = false;
			return true;
		}
		if (st->p == st->end && !st->records)
			return false;
		if (st->p == st->end) { /* fewer records than the header said */
			lose(st, st->time);
			st->records = 0;
			continue;
		}
		const unsigned char *record = st->p;
		int got = read_record(s, st, out);
		if (got > 0)
			return true;
		if (got < 0)
			abandon_block(s, st, record);
	}
}

/* Decodes the next event of a stream and lets it wait for its turn. */
static void wait_for_turn(struct source *s, struct stream *st)
{
	struct ktr *k = s->reader;

	st->waits = next_of_block(s, st, &st->head);
	if (st->waits)
		reorder_push(&k->waiting, event_end(&st->head), st->index, 0, st);
}

/* The stream with that number; NULL: there are too many. */
static struct stream *stream_of(struct ktr *k, uint32_t number)
{
	uint64_t *at = map_at(&k->by_number, number);

	if (!*at && k->streams.n < STREAMS_MAX) {
		struct stream *st = xcalloc(1, sizeof(*st));

		st->index = (uint32_t)k->streams.n;
		vec_push(&k->streams, st);
		*at = (uintptr_t)st;
	}
	return (struct stream *)(uintptr_t)*at;
}

/* The stream of the pending block, or NULL and *e if the block cannot be read here. */
static struct stream *stream_of_block(struct source *s, struct error *e)
{
	struct ktr *k = s->reader;
	const unsigned char *h = input_at(&s->in);
	unsigned version = (unsigned)ktr_get(h + KTR_AT_VERSION, 2);

	if (version != KTR_VERSION || h[KTR_AT_ABI] - 1u >= ABIS || !os_by_number(h[KTR_AT_OS])) {
		error_set(e,
			  "%s: version %u of the format, or its machine or operating system, is "
			  "not supported; use a newer program",
			  s->in.name, version);
		return NULL;
	}
	struct stream *st = stream_of(k, (uint32_t)ktr_get(h + KTR_AT_STREAM, 4));
	if (!st)
		error_set(e, "%s: has more than %d streams", s->in.name, STREAMS_MAX);
	if (st && st->last) {
		error_set(e,
			  "%s: at byte %lld another trace begins: traces cannot be joined by "
			  "appending them, so analyse each by itself",
			  s->in.name, (long long)s->in.offset);
		return NULL;
	}
	return st;
}

/* Copies the pending block into its stream, which has no events left.  A gap in the numbers is a
 * loss. */
static void take_block(struct source *s, struct stream *st)
{
	struct ktr *k = s->reader;
	const unsigned char *h = input_at(&s->in);
	size_t n = k->header.payload;
	uint64_t sequence = ktr_get(h + KTR_AT_SEQUENCE, 8), time = ktr_get(h + KTR_AT_TIME, 8);

	if (sequence > st->sequence)
		lose(st, st->os ? st->time : time);
	st->sequence = sequence + 1;
	st->last = ktr_get(h + KTR_AT_FLAGS, 2) & KTR_FLAG_LAST;
	st->os = os_by_number(h[KTR_AT_OS]);
	st->abi = (enum abi)(h[KTR_AT_ABI] - 1);
	st->records = ktr_get(h + KTR_AT_RECORDS, 4);
	st->time = time;
	st->calls.n = st->threads.n = st->names.n = st->thread = 0;
	if (st->cap < n + INPUT_PAD) {
		st->cap = n + INPUT_PAD;
		free(st->data);
		st->data = xmalloc(st->cap);
	}
	memcpy(st->data, h + k->header.length, n);
	memset(st->data + n, 0, INPUT_PAD);
	st->p = st->data;
	st->end = st->data + n;
	st->offset = s->in.offset + k->header.length;
	input_skip(&s->in, k->header.length + n);
	k->pending = false;
	wait_for_turn(s, st);
}

/* Takes blocks in until the next one's stream has events waiting, or the file ends.  0, or -1 and
 * *e. */
static int take_blocks(struct source *s, struct error *e)
{
	struct ktr *k = s->reader;

	while (!k->ended) {
		if (!k->pending) {
			int found = ktr_find_block(s, &k->finder, &k->header, e);

			if (found < 0)
				return -1;
			k->pending = found;
			k->ended = !found;
			continue;
		}
		struct stream *st = stream_of_block(s, e);
		if (!st)
			return -1;
		if (st->waits)
			break;
		take_block(s, st);
	}
	return 0;
}

static int end_of_trace(struct source *s)
{
	struct ktr *k = s->reader;

	s->losses.unclosed = k->streams.n == 0;
	for (size_t i = 0; i < k->streams.n; i++)
		s->losses.unclosed |= !k->streams.v[i]->last;
	return 0;
}

static int ktr_next(struct source *s, struct event *out, struct error *e)
{
	struct ktr *k = s->reader;
	struct stream *st = k->current;

	if (st && next_of_block(s, st, out)) {
		int64_t end = k->waiting.n ? event_end(out) : 0;

		if (!k->waiting.n || reorder_is_after(&k->waiting, end, st->index))
			return 1;
		st->head = *out;
		st->waits = true;
		reorder_push(&k->waiting, end, st->index, 0, st);
	} else if (take_blocks(s, e) < 0 && !k->waiting.n) { /* what came before an error is told */
		return -1;
	}
	k->current = st = reorder_pop(&k->waiting, true);
	if (!st)
		return end_of_trace(s);
	*out = st->head;
	st->waits = false;
	return 1;
}

/* 16 bytes as the kernel writes a boot id; "" for zeros. */
static void format_boot(char *out, const unsigned char *boot)
{
	static const unsigned char unknown[16];

	*out = '\0';
	for (unsigned i = 0; i < 16 && memcmp(boot, unknown, sizeof(unknown)); i++)
		out += sprintf(out, "%s%02x", i >= 4 && i <= 10 && i % 2 == 0 ? "-" : "", boot[i]);
}

static int ktr_open(struct source *s, struct error *e)
{
	struct ktr *k = s->reader = xcalloc(1, sizeof(*k));
	int found = ktr_find_block(s, &k->finder, &k->header, e);

	if (found < 0)
		return -1;
	if (found == 0)
		return error_set(e, "%s: no block of this .ktr is intact", s->in.name);
	const unsigned char *h = input_at(&s->in);
	struct stream *st = stream_of_block(s, e);
	if (!st)
		return -1;
	s->info.stream = (uint32_t)ktr_get(h + KTR_AT_STREAM, 4);
	s->info.clock = (enum trace_clock)ktr_get(h + KTR_AT_CLOCK, 1);
	if (s->info.clock > TRACE_CLOCK_REALTIME)
		s->info.clock = TRACE_CLOCK_UNKNOWN;
	format_boot(s->info.boot, h + KTR_AT_BOOT);
	take_block(s, st);
	s->info.os = st->os;
	s->info.abi = st->abi;
	return 0;
}

static void ktr_close(struct source *s)
{
	struct ktr *k = s->reader;

	for (size_t i = 0; i < k->streams.n; i++) {
		struct stream *st = k->streams.v[i];

		vec_free(&st->calls);
		vec_free(&st->threads);
		vec_free(&st->names);
		free(st->data);
		free(st);
	}
	vec_free(&k->streams);
	map_free(&k->by_number);
	reorder_free(&k->waiting);
	free(k->info_record);
	free(k);
}

const struct format ktr_format = {
	.name = "ktr",
	.recognize = ktr_recognize,
	.open = ktr_open,
	.next = ktr_next,
	.close = ktr_close,
};
