/* SPDX-License-Identifier: MIT */
/*
 * Writer of the format of docs/ktr.5.  A block's payload is built in memory; threads, calls, stacks
 * and names of counters are introduced in each block where they first occur, so that a reader needs
 * no other block.
 */
#include "trace/format/ktr/ktr.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/format/ktr/ktr_block.h"
#include "trace/format/ktr/ktr_record.h"
#include "util/file.h"
#include "util/map.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* What the last record of a call held: the next one stores differences. */
struct last_call {
	uint64_t block; /* where this is valid */
	uint64_t index;
	uint64_t args[6];
	int64_t result;
	enum fd_kind kind;
	uint32_t object, cpu;
};

struct ktr_writer {
	int fd;
	uint64_t *unwritten;	  /* calls; or NULL */
	struct source_info info;  /* only numbers and boot are used after the start */
	unsigned char *start;	  /* header, then payload */
	unsigned char *p, *limit; /* the next byte; where a block is full enough */
	unsigned char *info_record;
	size_t info_length;
	uint64_t block; /* number of the one being built, from 1 */
	uint32_t records;
	uint64_t base, end; /* end of the preceding event; times wrap like counters */
	struct map threads; /* pid << 32 | tid -> index + 1 */
	uint64_t thread;    /* of the preceding event, as in threads */
	uint64_t thread_key;
	VEC(struct last_call) calls; /* by id */
	uint64_t known_calls;	     /* in this block */
	struct names names;	     /* of counters and stacks, in this block */
};

/* Room for the longest record: two strings and some integers. */
enum { RECORD_MAX = 2 * (KTR_STRING_MAX + 16) + 512 };

static unsigned char *put_signed(unsigned char *p, uint64_t v)
{
	return varint_put(p, varint_fold(v));
}

/*
 * A record is written with its length left open: three bytes behind the tag are enough for any
 * record, and those not needed are closed up.
 */
static void close_record(struct ktr_writer *w, unsigned type, unsigned char *body,
			 unsigned char *end)
{
	size_t n = (size_t)(end - body);
	unsigned char *p = w->p;

	*p++ = (unsigned char)type;
	p = varint_put(p, n);
	memmove(p, body, n);
	w->p = p + n;
	w->records++;
}

static unsigned char *open_record(struct ktr_writer *w)
{
	return w->p + 4;
}

static void start_block(struct ktr_writer *w)
{
	w->block++;
	w->records = 1;
	w->base = w->end;
	w->thread = 0;
	w->known_calls = 0;
	map_free(&w->threads);
	names_free(&w->names);
	w->p = w->start + KTR_HEADER;
	memcpy(w->p, w->info_record, w->info_length);
	w->p += w->info_length;
}

static void make_info_record(struct ktr_writer *w, const struct source_info *info)
{
	const char *const strings[] = { info->recorder, info->host,    info->command,
					info->kernel,	info->host_id, info->cpu };
	size_t n = sizeof(strings) / sizeof(*strings);
	unsigned char *body = open_record(w), *p = body;

	while (n && !(strings[n - 1] && *strings[n - 1]))
		n--;
	*p++ = (unsigned char)((info->has_time ? KTR_INFO_TIME : 0) |
			       (info->has_duration ? KTR_INFO_DURATION : 0) |
			       (info->call_cost ? KTR_INFO_COST : 0) |
			       (info->aggregated ? KTR_INFO_AGGREGATED : 0));
	if (info->call_cost)
		p = varint_put(p, info->call_cost);
	for (size_t i = 0; i < n; i++) {
		/* Repeated in each block, so kept short. */
		char *s = xstrndup(strings[i] ? strings[i] : "", 1000);

		p = ktr_put_string(p, s);
		free(s);
	}
	close_record(w, KTR_INFO, body, p);
	w->info_length = (size_t)(w->p - w->start);
	w->info_record = xmalloc(w->info_length);
	memcpy(w->info_record, w->start, w->info_length);
}

struct ktr_writer *ktr_writer_new(int fd, const struct source_info *info, uint64_t *unwritten)
{
	struct ktr_writer *w = xcalloc(1, sizeof(*w));

	w->fd = fd;
	w->unwritten = unwritten;
	w->info = *info;
	w->start = xmalloc(KTR_HEADER + KTR_PAYLOAD_TARGET + RECORD_MAX);
	w->limit = w->start + KTR_HEADER + KTR_PAYLOAD_TARGET;
	w->p = w->start;
	make_info_record(w, info);
	start_block(w);
	return w;
}

/* "f81d4fae-7dec-11d0-a765-00a0c91e6bf6" into 16 bytes; zeros when it is not one. */
static void put_boot(unsigned char *out, const char *boot)
{
	memset(out, 0, 16);
	for (unsigned i = 0; i < 16; i++, boot += 2) {
		boot += *boot == '-';
		if (strlen(boot) < 2 || sscanf(boot, "%2hhx", &out[i]) != 1) {
			memset(out, 0, 16);
			return;
		}
	}
}

static void make_header(struct ktr_writer *w, unsigned flags)
{
	unsigned char *h = w->start, *payload = h + KTR_HEADER;
	size_t n = (size_t)(w->p - payload);

	memset(h, 0, KTR_HEADER);
	memcpy(h + KTR_AT_MAGIC, KTR_MAGIC, sizeof(KTR_MAGIC) - 1);
	ktr_put(h + KTR_AT_VERSION, KTR_VERSION, 2);
	ktr_put(h + KTR_AT_HEADER_LENGTH, KTR_HEADER, 2);
	ktr_put(h + KTR_AT_PAYLOAD_LENGTH, n, 4);
	ktr_put(h + KTR_AT_PAYLOAD_CRC, crc32c(payload, n), 4);
	ktr_put(h + KTR_AT_RECORDS, w->records, 4);
	ktr_put(h + KTR_AT_STREAM, w->info.stream, 4);
	ktr_put(h + KTR_AT_ABI, w->info.abi + 1, 1);
	ktr_put(h + KTR_AT_OS, w->info.os->number, 1);
	ktr_put(h + KTR_AT_CLOCK, w->info.clock, 1);
	ktr_put(h + KTR_AT_FLAGS, flags, 2);
	ktr_put(h + KTR_AT_SEQUENCE, w->block - 1, 8);
	ktr_put(h + KTR_AT_TIME, w->base, 8);
	put_boot(h + KTR_AT_BOOT, w->info.boot);
	ktr_put(h + KTR_AT_HEADER_CRC, crc32c(h, KTR_AT_HEADER_CRC), 4);
}

/* The calls with results in the block, which has a header. */
static uint64_t count_calls(const struct ktr_writer *w)
{
	struct source *s = source_open_memory(w->start, (size_t)(w->p - w->start), "block", NULL);
	struct event e;
	uint64_t n = 0;

	while (s && source_next(s, &e, NULL) > 0)
		if (e.type == EVENT_SYSCALL && !(e.call.flags & (CALL_UNFINISHED | CALL_NO_RESULT)))
			n += event_calls(&e);
	source_close(s);
	return n;
}

/*
 * The disk had room for the first n bytes of the block: in their place go the records that end
 * there, as a block of their own.  The others are lost; the reader sees a gap in the numbers.
 */
static void keep_what_fits(struct ktr_writer *w, size_t n)
{
	off_t at = lseek(w->fd, -(off_t)n, SEEK_CUR);
	uint64_t lost = count_calls(w);
	const unsigned char *end = w->start + KTR_HEADER;

	w->records = 0;
	for (w->p = w->start + KTR_HEADER;; w->records++) {
		uint64_t length = ktr_get_length(&end); /* moves end, too */
		end += length;
		if (end > w->start + n)
			break;
		w->p = w->start + (end - w->start);
	}
	make_header(w, 0);
	n = w->records ? (size_t)(w->p - w->start) : 0;
	if (at >= 0 && !ftruncate(w->fd, at) && file_write_all(w->fd, w->start, n) == n)
		lost -= count_calls(w);
	if (w->unwritten)
		*w->unwritten += lost;
	w->block++; /* the number of the lost rest */
}

static int write_block(struct ktr_writer *w, unsigned flags, struct error *e)
{
	int status = 0;

	make_header(w, flags);
	size_t n = (size_t)(w->p - w->start), written = file_write_all(w->fd, w->start, n);
	if (written < n) {
		status = error_set(e, "cannot write the trace: %s", strerror(errno));
		keep_what_fits(w, written);
	}
	start_block(w);
	return status;
}

/* The index of a thread in this block, introduced when it is new. */
static uint64_t thread_index(struct ktr_writer *w, uint32_t pid, uint32_t tid)
{
	uint64_t key = (uint64_t)pid << 32 | tid;

	if (w->thread && w->thread_key == key)
		return w->thread;
	uint64_t *index = map_at(&w->threads, key);
	if (!*index) {
		unsigned char *body = open_record(w);

		*index = w->threads.n;
		close_record(w, KTR_THREAD, body, varint_put(varint_put(body, pid), tid));
	}
	return *index;
}

/* The state of a call in this block, introduced when it is new. */
static struct last_call *last_call(struct ktr_writer *w, unsigned id)
{
	while (w->calls.n <= id)
		vec_push(&w->calls, (struct last_call){ 0 });
	struct last_call *last = &w->calls.v[id];
	if (last->block != w->block) {
		const struct syscall *row = syscall_get(id);
		unsigned char *body = open_record(w);
		unsigned char *p = varint_put(body, (uint64_t)(row->number[w->info.abi] + 1));

		*last = (struct last_call){ .block = w->block, .index = w->known_calls++ };
		close_record(w, KTR_CALL, body, ktr_put_string(p, row->name));
	}
	return last;
}

/* The number of a name in this block, introduced when it is new. */
static uint64_t name_index(struct ktr_writer *w, const char *name)
{
	uint64_t known = w->names.n, index = names_add(&w->names, name ? name : "");

	if (index == known) {
		unsigned char *body = open_record(w);

		close_record(w, KTR_NAME, body, ktr_put_string(body, name));
	}
	return index;
}

static unsigned char *put_args(unsigned char *p, const uint64_t *args, uint64_t *last)
{
	unsigned char *mask = p++;

	*mask = 0;
	for (int i = 0; i < 6; i++)
		if (args[i] != last[i]) {
			*mask |= (unsigned char)(1 << i);
			p = put_signed(p, args[i] - last[i]);
			last[i] = args[i];
		}
	return p;
}

static void write_syscall(struct ktr_writer *w, const struct event *event)
{
	struct last_call *last = last_call(w, event->call.id);
	uint64_t thread = thread_index(w, event->pid, event->tid);
	uint64_t time = (uint64_t)event->time, duration = (uint64_t)event->call.duration;
	unsigned char *what = open_record(w), *p = what;

	*p++ = 0;
	p = varint_put(p, last->index);
	p = put_signed(p, time - w->end);
	p = varint_put(p, duration + 1);
	if (thread != w->thread) {
		*what |= KTR_HAS_THREAD;
		p = varint_put(p, thread - 1);
	}
	if (memcmp(event->call.args, last->args, sizeof(last->args))) {
		*what |= KTR_HAS_ARGS;
		p = put_args(p, event->call.args, last->args);
	}
	if (event->call.result != last->result) {
		*what |= KTR_HAS_RESULT;
		p = put_signed(p, (uint64_t)event->call.result - (uint64_t)last->result);
		last->result = event->call.result;
	}
	if (event->call.kind != last->kind || event->call.object != last->object) {
		*what |= KTR_HAS_OBJECT;
		*p++ = (unsigned char)event->call.kind;
		p = varint_put(p, event->call.object);
		last->kind = event->call.kind;
		last->object = event->call.object;
	}
	if (event->call.flags) {
		*what |= KTR_HAS_FLAGS;
		p = varint_put(p, event->call.flags);
	}
	if (event->call.path) {
		*what |= KTR_HAS_PATH;
		p = ktr_put_string(p, event->call.path);
	}
	if (event->call.text) {
		*what |= KTR_HAS_TEXT;
		p = ktr_put_string(p, event->call.text);
	}
	if (event->call.cpu != last->cpu) {
		*what |= KTR_HAS_CPU;
		p = varint_put(p, event->call.cpu);
		last->cpu = event->call.cpu;
	}
	if (event->call.flags & CALL_SEVERAL)
		p = varint_put(p, event->call.more);

	size_t n = (size_t)(p - what);
	unsigned char *out = w->p;
	*out++ = (unsigned char)(KTR_SYSCALL | (n < KTR_LONG ? n : KTR_LONG));
	if (n >= KTR_LONG)
		out = varint_put(out, n - KTR_LONG);
	memmove(out, what, n);
	w->p = out + n;
	w->records++;
	w->thread = thread;
	w->thread_key = (uint64_t)event->pid << 32 | event->tid;
	w->end = time + (event->call.duration > 0 ? duration : 0);
}

int ktr_write(struct ktr_writer *w, const struct event *event, struct error *e)
{
	if (event->type == EVENT_SYSCALL) {
		write_syscall(w, event);
	} else {
		bool counter = event->type == EVENT_COUNTER, stack = event->type == EVENT_STACK;
		uint64_t name = counter ? name_index(w, event->counter.name)
				: stack ? name_index(w, event->stack.frames)
					: 0;
		unsigned type = counter ? KTR_COUNTER
				: stack ? KTR_STACK
					: KTR_EVENT + (unsigned)event->type;
		uint64_t thread = thread_index(w, event->pid, event->tid);
		unsigned char *body = open_record(w);
		unsigned char *p =
		    put_signed(varint_put(body, thread - 1), (uint64_t)event->time - w->end);

		if (counter)
			p = ktr_put_value(varint_put(p, name), event->counter.value);
		else if (stack)
			p = varint_put(p, name);
		else if (!ktr_put_fields(&p, event))
			return error_set(e, "cannot write an event of type %d", (int)event->type);
		close_record(w, type, body, p);
		w->thread = thread;
		w->thread_key = (uint64_t)event->pid << 32 | event->tid;
		w->end = (uint64_t)event->time;
	}
	return w->p < w->limit ? 0 : write_block(w, 0, e);
}

int ktr_flush(struct ktr_writer *w, struct error *e)
{
	return w->records > 1 ? write_block(w, 0, e) : 0;
}

void ktr_writer_drop(struct ktr_writer *w)
{
	map_free(&w->threads);
	names_free(&w->names);
	vec_free(&w->calls);
	free(w->info_record);
	free(w->start);
	free(w);
}

int ktr_writer_free(struct ktr_writer *w, struct error *e)
{
	int status = write_block(w, KTR_FLAG_LAST, e);

	ktr_writer_drop(w);
	return status;
}
