/* SPDX-License-Identifier: MIT */
/* Reader of the format of docs/ktr.5: what the records of a sound block mean. */
#include "trace/format/ktr/ktr.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format/ktr/ktr_block.h"
#include "trace/format/ktr/ktr_fields.h"
#include "trace/format/ktr/ktr_format.h"
#include "trace/reader.h"
#include "trace/format/ktr/varint.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* A call as this block introduced it, and what its last record held. */
struct block_call {
	unsigned id;
	uint32_t object;
	enum fd_kind kind;
	uint64_t result;
	uint64_t args[6];
};

struct block_thread {
	uint32_t pid, tid;
};

struct ktr {
	const unsigned char *p, *end; /* what is left of the payload in s->in */
	size_t length;		      /* of the whole block, to be skipped after it */
	uint64_t records;	      /* still expected in the block */
	uint64_t time;		      /* end of the preceding event */
	size_t thread;		      /* of the preceding event */
	VEC(struct block_call) calls;
	VEC(struct block_thread) threads;
	struct ktr_block_finder finder;
	uint64_t sequence; /* expected next in this stream */
	uint32_t stream;
	enum abi abi;
	bool begun;		    /* a block was seen */
	bool last;		    /* the stream was ended in order */
	unsigned char *info_record; /* strings of s->info, and what they were read from */
	size_t info_length;
};

static bool parse_abi(unsigned number, enum abi *out)
{
	static const enum abi abis[] = {
		[KTR_ABI_X86_64] = ABI_X86_64,
		[KTR_ABI_ARM64] = ABI_ARM64,
		[KTR_ABI_I386] = ABI_I386,
	};

	if (number < KTR_ABI_X86_64 || number > KTR_ABI_I386)
		return false;
	*out = abis[number];
	return true;
}

/* A gap in the numbers of a stream's blocks is a loss that nobody counted. */
static void check_sequence(struct source *s, const unsigned char *header)
{
	struct ktr *k = s->reader;
	uint64_t sequence = ktr_get(header + KTR_AT_SEQUENCE, 8);
	uint32_t stream = (uint32_t)ktr_get(header + KTR_AT_STREAM, 4);

	if ((!k->begun || stream == k->stream) && sequence > k->sequence)
		s->losses.lost_unknown = true;
	k->begun = true;
	k->stream = stream;
	k->sequence = sequence + 1;
	k->last = ktr_get(header + KTR_AT_FLAGS, 2) & KTR_FLAG_LAST;
}

/* Leaves the finished block and enters the next.  As ktr_find_block. */
static int next_block(struct source *s, struct error *e)
{
	struct ktr *k = s->reader;
	struct ktr_header h;

	input_skip(&s->in, k->length);
	k->length = 0;
	k->p = k->end = NULL;
	int found = ktr_find_block(s, &k->finder, &h, e);
	if (found <= 0) {
		s->losses.unclosed = !k->last;
		return found;
	}
	const unsigned char *header = input_at(&s->in);
	unsigned version = (unsigned)ktr_get(header + KTR_AT_VERSION, 2);
	if (version != KTR_VERSION ||
	    !parse_abi((unsigned)ktr_get(header + KTR_AT_ABI, 1), &k->abi))
		return error_set(e,
				 "%s: version %u of the format, or its machine, is not known "
				 "here; use a newer program",
				 s->in.name, version);
	check_sequence(s, header);
	k->length = h.length + h.payload;
	k->p = header + h.length;
	k->end = k->p + h.payload;
	k->records = ktr_get(header + KTR_AT_RECORDS, 4);
	k->time = ktr_get(header + KTR_AT_TIME, 8);
	k->calls.n = k->threads.n = k->thread = 0;
	return 1;
}

static void read_info(struct source *s, const unsigned char *p, const unsigned char *end)
{
	struct ktr *k = s->reader;
	const char **strings[] = {
		&s->info.recorder, &s->info.host,    &s->info.command,
		&s->info.kernel,   &s->info.host_id, &s->info.cpu, /* not in the oldest traces */
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
	if (*p++ & KTR_INFO_COST)
		s->info.call_cost = varint_get(&p);
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++) {
		const char *string = ktr_get_string(&p, end);

		if (!string)
			return;
		*strings[i] = string;
	}
}

static bool read_call(struct ktr *k, const unsigned char *p, const unsigned char *end)
{
	uint64_t number = varint_get(&p);
	const char *name = ktr_get_string(&p, end);
	struct block_call call = { 0 };

	if (!name)
		return false;
	/* The name says it; a number without a name has to be learnt as one. */
	if (number > 0 && number <= INT32_MAX && !strncmp(name, "syscall_", 8))
		call.id = syscall_by_number(k->abi, (unsigned)number - 1);
	else
		call.id = syscall_by_name(name);
	vec_push(&k->calls, call);
	return true;
}

static bool read_thread(struct ktr *k, const unsigned char *p, const unsigned char *end)
{
	struct block_thread thread = { .pid = (uint32_t)varint_get(&p) };

	thread.tid = (uint32_t)varint_get(&p);
	vec_push(&k->threads, thread);
	return p <= end;
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
				      unsigned what, struct event *out)
{
	if (what & KTR_HAS_FLAGS)
		out->call.flags = (unsigned)varint_get(&p);
	if (what & KTR_HAS_PATH && !(out->call.path = ktr_get_string(&p, end)))
		return NULL;
	if (what & KTR_HAS_TEXT && !(out->call.text = ktr_get_string(&p, end)))
		return NULL;
	return p;
}

/* The body of a SYSCALL record; false when it makes no sense. */
static bool read_syscall(struct ktr *k, const unsigned char *p, const unsigned char *end,
			 struct event *out)
{
	unsigned what = *p++;
	uint64_t index = varint_get(&p);

	if (index >= k->calls.n)
		return false;
	struct block_call *call = &k->calls.v[index];
	uint64_t time = k->time + varint_unfold(varint_get(&p));
	uint64_t duration = varint_get(&p) - 1;
	if (what & KTR_HAS_THREAD)
		k->thread = varint_get(&p);
	if (k->thread >= k->threads.n)
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
	k->time = time + ((int64_t)duration > 0 ? duration : 0);

	out->type = EVENT_SYSCALL;
	out->pid = k->threads.v[k->thread].pid;
	out->tid = k->threads.v[k->thread].tid;
	out->time = (int64_t)time;
	out->call.id = call->id;
	out->call.flags = 0;
	out->call.duration = (int64_t)duration;
	memcpy(out->call.args, call->args, sizeof(call->args));
	out->call.result = (int64_t)call->result;
	out->call.kind = call->kind;
	out->call.object = call->object;
	out->call.path = out->call.text = NULL;
	if (what & (KTR_HAS_FLAGS | KTR_HAS_PATH | KTR_HAS_TEXT))
		p = read_rare(p, end, what, out);
	return p && p <= end;
}

static bool read_event(struct ktr *k, const unsigned char *p, const unsigned char *end,
		       unsigned record, struct event *out)
{
	k->thread = varint_get(&p);
	if (k->thread >= k->threads.n)
		return false;
	k->time += varint_unfold(varint_get(&p));
	out->pid = k->threads.v[k->thread].pid;
	out->tid = k->threads.v[k->thread].tid;
	out->time = (int64_t)k->time;
	return ktr_get_fields(&p, end, record, out) && p <= end;
}

/* 1: *out is an event; 0: the record told the reader something; -1: it makes no sense. */
static int read_record(struct source *s, struct event *out)
{
	struct ktr *k = s->reader;
	const unsigned char *p = k->p;
	unsigned tag = *p++;
	uint64_t length = tag & KTR_SYSCALL ? tag & ~KTR_SYSCALL : varint_get(&p);

	if (tag == (KTR_SYSCALL | KTR_LONG))
		length += varint_get(&p);
	if (p > k->end || length > (uint64_t)(k->end - p) || length == 0)
		return -1;
	const unsigned char *end = p + length;
	k->p = end;
	k->records--;
	if (tag & KTR_SYSCALL)
		return read_syscall(k, p, end, out) ? 1 : -1;
	switch (tag) {
	case KTR_INFO: read_info(s, p, end); return 0;
	case KTR_CALL: return read_call(k, p, end) ? 0 : -1;
	case KTR_THREAD: return read_thread(k, p, end) ? 0 : -1;
	}
	if (tag < KTR_SWITCH || tag > KTR_SIGNAL)
		return 0; /* of a newer version: its length is enough to go on */
	return read_event(k, p, end, tag, out) ? 1 : -1;
}

/* Gives up what is left of a block from a record on that makes no sense. */
static void abandon_block(struct source *s, const unsigned char *record)
{
	struct ktr *k = s->reader;

	ktr_count_torn(&s->losses, s->in.offset + (uint64_t)(record - input_at(&s->in)),
		       (size_t)(k->end - record), "a record makes no sense");
	s->losses.lost_unknown = true;
	k->p = k->end;
	k->records = 0;
}

static int ktr_next(struct source *s, struct event *out, struct error *e)
{
	struct ktr *k = s->reader;

	for (;;) {
		while (k->p < k->end) {
			const unsigned char *record = k->p;
			int got = read_record(s, out);

			if (got > 0)
				return 1;
			if (got < 0)
				abandon_block(s, record);
		}
		s->losses.lost_unknown |= k->records != 0;
		int got = next_block(s, e);
		if (got <= 0)
			return got;
	}
}

/* 16 bytes as the kernel writes a boot id; "" for zeros. */
static void format_boot(char *out, const unsigned char *boot)
{
	static const unsigned char unknown[16];

	if (memcmp(boot, unknown, sizeof(unknown)))
		for (unsigned i = 0; i < 16; i++) {
			if (i == 4 || i == 6 || i == 8 || i == 10)
				*out++ = '-';
			*out++ = "0123456789abcdef"[boot[i] >> 4];
			*out++ = "0123456789abcdef"[boot[i] & 15];
		}
	*out = '\0';
}

static int ktr_open(struct source *s, struct error *e)
{
	struct ktr *k = s->reader = xcalloc(1, sizeof(*k));
	int found = next_block(s, e);

	if (found < 0)
		return -1;
	if (found == 0)
		return error_set(e, "%s: no block of this .ktr is whole", s->in.name);
	const unsigned char *header = input_at(&s->in);
	s->info.abi = k->abi;
	s->info.stream = k->stream;
	s->info.clock = (enum trace_clock)ktr_get(header + KTR_AT_CLOCK, 1);
	if (s->info.clock > TRACE_CLOCK_REALTIME)
		s->info.clock = TRACE_CLOCK_UNKNOWN;
	format_boot(s->info.boot, header + KTR_AT_BOOT);
	struct event none;
	if (k->p < k->end && *k->p == KTR_INFO)
		read_record(s, &none);
	return 0;
}

static void ktr_close(struct source *s)
{
	struct ktr *k = s->reader;

	vec_free(&k->calls);
	vec_free(&k->threads);
	free(k->info_record);
	free(k);
}

static bool recognize(const unsigned char *data, size_t n)
{
	return ktr_recognize(data, n);
}

const struct format ktr_format = {
	.name = "ktr",
	.recognize = recognize,
	.open = ktr_open,
	.next = ktr_next,
	.close = ktr_close,
};
