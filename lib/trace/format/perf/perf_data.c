/* SPDX-License-Identifier: MIT */
/*
 * perf.data, as a file or from a pipe, as tools/perf/Documentation/perf.data-file-format.txt of
 * Linux describes it.
 *
 * perf writes what it finds in the buffer of one CPU after another.  All that was written up to the
 * end of a round is complete up to the latest time of the round before.  Within a round, each
 * stretch in order of time is a run; runs are merged.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/format/perf/perf_data.h"
#include "trace/syscalls.h"

enum {
	ROUND_MAX = 64 << 20, /* bytes to wait for the end of a round */
	PREEMPTED = 1 << 14,  /* PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, Linux 4.17 */
};

static const char magics[2][9] = { "PERFILE2", "2ELIFREP" }; /* a number, little-endian first */

/* ---- records of perf itself ---- */

/* An event's attributes, behind which are the ids. */
static void take_attr(struct perf_data *d, const struct perf_record *r)
{
	size_t n = r->n >= 8 ? (size_t)input_get(d->swapped, r->body + 4, 4) : 0;

	if (n <= r->n && d->attrs.v.n < PERF_ATTRS_MAX)
		perf_attrs_add(&d->attrs, r->body, n, r->body + n, (r->n - n) / 8);
}

/* What follows a record in the file and is not counted in its size, as its first number says. */
static uint64_t bytes_behind(const struct perf_data *d, const unsigned char *p, unsigned type,
			     size_t size)
{
	if (type == PERF_TRACING_DATA && size >= PERF_HEADER + 4)
		return (input_get(d->swapped, p + PERF_HEADER, 4) + 7) & ~(uint64_t)7;
	if (type == PERF_AUXTRACE && size >= PERF_HEADER + 8)
		return input_get(d->swapped, p + PERF_HEADER, 8);
	return 0;
}

/* Skips the record and n bytes behind it, which it takes if they are formats.  0, or -1 and *e. */
static int take_behind(struct source *s, unsigned type, size_t size, uint64_t n, struct error *e)
{
	struct perf_data *d = s->reader;
	bool formats = type == PERF_TRACING_DATA && n <= PERF_FEATURE_MAX;

	input_skip(&s->in, size);
	while (n) {
		uint64_t want = formats ? n : n < ROUND_MAX ? n : ROUND_MAX;

		if (input_fill(&s->in, (size_t)want, e) < 0)
			return -1;
		if (input_waiting(&s->in) < want)
			want = input_waiting(&s->in);
		if (!want)
			break;
		if (formats)
			perf_formats_parse(&d->formats, input_at(&s->in), (size_t)want);
		formats = false;
		input_skip(&s->in, (size_t)want);
		n -= want;
	}
	return 0;
}

/* A record of perf's own, at p.  0, or -1 and *e. */
static int take_own(struct source *s, const struct perf_record *r, struct error *e)
{
	struct perf_data *d = s->reader;

	switch (r->type) {
	case PERF_ATTR: take_attr(d, r); break;
	case PERF_FEATURE:
		if (r->n >= 8)
			perf_take_feature(d, (unsigned)input_get(d->swapped, r->body, 8),
					  r->body + 8, r->n - 8);
		break;
	case PERF_COMPRESSED:
	case PERF_COMPRESSED2:
		return error_set(e,
				 "%s: is compressed (perf record -z), which is not read here; give "
				 "the output of perf script -i %s",
				 s->in.name, s->in.name);
	default: break;
	}
	return 0;
}

/* ---- rounds ---- */

static int64_t time_of(const struct perf_data *d, const unsigned char *p, size_t size)
{
	return (int64_t)(perf_time(&d->attrs, p, size) & INT64_MAX);
}

/* Copies a record into the block: into its last run, unless that is later. */
static void add_record(struct perf_data *d, struct block *b, const unsigned char *p, size_t size)
{
	int64_t time = time_of(d, p, size);

	vec_reserve(b, size);
	memcpy(b->v + b->n, p, size);
	if (!b->last || time < b->latest) {
		b->last = xmalloc(sizeof(*b->last));
		*b->last = (struct run){ b, b->n, b->n, d->sequence++ };
		reorder_push(&d->runs, time, b->last->sequence, 0, b->last);
		b->runs++;
	}
	b->n += size;
	b->last->end = b->n;
	b->latest = time;
	if (time > d->latest)
		d->latest = time;
}

/* The size of the next record, of which all is waiting; 0 at the end; or -1 and *e. */
static ssize_t next_size(struct source *s, struct error *e)
{
	struct perf_data *d = s->reader;
	size_t size = PERF_HEADER;

	if (!d->left || input_fill(&s->in, PERF_HEADER, e) < 0)
		return d->left ? -1 : 0;
	if (input_waiting(&s->in) < PERF_HEADER) {
		s->losses.unclosed = !d->is_pipe || input_waiting(&s->in);
	} else {
		size = (size_t)input_get(d->swapped, input_at(&s->in) + 6, 2);
		if (input_fill(&s->in, size, e) < 0)
			return -1;
		if (size >= PERF_HEADER && size <= input_waiting(&s->in))
			return (ssize_t)size;
		s->losses.unclosed = true;
	}
	if (input_waiting(&s->in))
		source_count_torn(&s->losses, s->in.offset, input_waiting(&s->in),
				  size < PERF_HEADER ? "no record begins here"
						     : "the file ends within a record");
	return 0;
}

/* Reads up to the end of the round.  0, or -1 and *e. */
static int read_round(struct source *s, struct error *e)
{
	struct perf_data *d = s->reader;
	struct block *b = xcalloc(1, sizeof(*b));
	int64_t before = d->latest;
	unsigned type = 0;
	int status = 0;

	while (type != PERF_ROUND && b->n < ROUND_MAX) {
		ssize_t size = next_size(s, e);
		if (size <= 0) {
			status = (int)size;
			d->ended = true;
			break;
		}
		const unsigned char *p = input_at(&s->in);
		type = (unsigned)input_get(d->swapped, p, 4);
		uint64_t behind = bytes_behind(d, p, type, (size_t)size);
		if (type < PERF_ATTR) {
			add_record(d, b, p, (size_t)size);
		} else {
			struct perf_record r = { .type = type,
						 .body = p + PERF_HEADER,
						 .n = (size_t)size - PERF_HEADER };
			status = take_own(s, &r, e);
		}
		if (!status)
			status = take_behind(s, type, (size_t)size, behind, e);
		if (status)
			break;
		d->left -= (uint64_t)size + behind < d->left ? (uint64_t)size + behind : d->left;
	}
	d->limit = d->ended ? INT64_MAX : before;
	if (!b->runs) {
		vec_free(b);
		free(b);
	}
	return status;
}

/* ---- records of the kernel ---- */

/* At its end perf says again, as samples, what the kernel said to have lost: each only counts as
 * far as it is more. */
static void take_lost(struct perf_data *d, const struct perf_record *r)
{
	const bool samples = r->type == PERF_RECORD_LOST_SAMPLES;
	const size_t at = samples ? 0 : 8;
	const uint64_t told = d->lost[0] > d->lost[1] ? d->lost[0] : d->lost[1];

	if (r->n < at + 8)
		return;
	d->lost[samples] += input_get(d->swapped, r->body + at, 8);
	if (d->lost[samples] > told)
		perf_lose(&d->perf, d->lost[samples] - told, r->time);
}

static void take_comm(struct perf_data *d, const struct perf_record *r)
{
	struct kernel *k = &d->perf.kernel;
	const char *name = (const char *)r->body + 8;

	if (r->n <= 8)
		return;
	uint32_t pid = (uint32_t)input_get(d->swapped, r->body, 4),
		 tid = (uint32_t)input_get(d->swapped, r->body + 4, 4);
	size_t n = strnlen(name, r->n - 8);
	kernel_set_pid(k, tid, pid);
	kernel_name(k, tid, name, n);
	if (r->misc & PERF_RECORD_MISC_COMM_EXEC && !d->samples_execs)
		kernel_exec(k, tid, arena_copy(&k->im.arena, name, n));
}

/* What was there when the recording began has no time. */
static void take_birth(struct perf_data *d, const struct perf_record *r)
{
	struct kernel *k = &d->perf.kernel;
	uint32_t ids[4];

	if (r->n < sizeof(ids))
		return;
	for (int i = 0; i < 4; i++)
		ids[i] = (uint32_t)input_get(d->swapped, r->body + 4 * i, 4);
	uint32_t pid = ids[0], parent_pid = ids[1], tid = ids[2], parent = ids[3];
	kernel_set_pid(k, tid, pid);
	if (r->time) {
		kernel_set_pid(k, parent, parent_pid);
		d->perf.kernel.knows_births = true;
		kernel_fork(k, parent, tid);
	} else if (pid == tid) {
		struct event e = kernel_event(k, EVENT_ATTACH, tid);

		e.attach.parent = parent_pid;
		importer_emit(&k->im, &e);
	}
}

static void take_death(struct perf_data *d, const struct perf_record *r)
{
	uint32_t tid = r->n >= 16 ? (uint32_t)input_get(d->swapped, r->body + 8, 4) : 0;

	if (!d->perf.kernel.sees_exits && pairing_find(&d->perf.kernel.im.calls, tid))
		kernel_exit(&d->perf.kernel, tid);
}

static void take_switch(struct perf_data *d, const struct perf_record *r)
{
	struct kernel *k = &d->perf.kernel;
	bool out = r->misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool known = k->sees_switches && (out || kernel_cpu(k, r->cpu)->tid == r->tid);

	if (!known && r->tid)
		kernel_switch(k, r->cpu, out ? r->tid : 0,
			      !(r->misc & PREEMPTED) /* TASK_RUNNING is 0 */, out ? 0 : r->tid);
}

static void take_record(struct source *s, const unsigned char *p, size_t size)
{
	struct perf_data *d = s->reader;
	struct perf_record r;

	if (!perf_parse(&d->attrs, p, size, &r)) {
		source_count_torn(&s->losses, s->in.offset, size,
				  "a record is not as its event says");
		return;
	}
	if (r.type != PERF_RECORD_LOST && r.type != PERF_RECORD_LOST_SAMPLES)
		perf_go_to(&d->perf, r.time);
	switch (r.type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES: take_lost(d, &r); break;
	case PERF_RECORD_COMM: take_comm(d, &r); break;
	case PERF_RECORD_FORK: take_birth(d, &r); break;
	case PERF_RECORD_EXIT: take_death(d, &r); break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE: take_switch(d, &r); break;
	case PERF_RECORD_SAMPLE:
		d->sample.pid = r.pid;
		d->sample.tid = r.tid;
		d->sample.cpu = r.cpu;
		d->sample.time = r.time;
		if (r.raw && perf_formats_read(&d->formats, r.raw, r.raw_n, &d->sample))
			perf_take(&d->perf, &d->sample);
		break;
	default: break;
	}
}

/* ---- the file ---- */

static void end_run(struct run *run)
{
	struct block *b = run->block;

	free(run);
	if (--b->runs)
		return;
	vec_free(b);
	free(b);
}

/* Takes the earliest record of all runs; false: none may leave yet. */
static bool take_earliest(struct source *s)
{
	struct perf_data *d = s->reader;
	struct run *run = d->current;

	d->current = NULL;
	if (!run) {
		if (reorder_is_after(&d->runs, d->limit, UINT64_MAX))
			return false;
		run = reorder_pop(&d->runs, true);
	}
	const unsigned char *p = run->block->v + run->at;
	size_t size = (size_t)input_get(d->swapped, p + 6, 2);
	take_record(s, p, size);
	run->at += size;
	if (run->at == run->end) {
		end_run(run);
		return true;
	}
	p += size;
	int64_t time = time_of(d, p, (size_t)input_get(d->swapped, p + 6, 2));
	if (time <= d->limit && reorder_is_after(&d->runs, time, run->sequence))
		d->current = run;
	else
		reorder_push(&d->runs, time, run->sequence, 0, run);
	return true;
}

static int data_next(struct source *s, struct event *out, struct error *e)
{
	struct perf_data *d = s->reader;

	while (!importer_next(&d->perf.kernel.im, out)) {
		if (take_earliest(s))
			continue;
		if (d->done)
			return 0;
		if (d->ended) {
			d->done = true;
			kernel_end(&d->perf.kernel);
		} else if (read_round(s, e) < 0) {
			return -1;
		} else if (d->is_pipe) {
			perf_survey(d);
		}
	}
	return 1;
}

static bool recognize(const char *path, const unsigned char *data, size_t n)
{
	(void)path;
	return n >= PERF_PIPE_HEADER &&
	       (!memcmp(data, magics[0], 8) || !memcmp(data, magics[1], 8));
}

static int data_open(struct source *s, struct error *e)
{
	struct perf_data *d = s->reader = xcalloc(1, sizeof(*d));
	uint64_t start;
	int status = 0;

	kernel_init(&d->perf.kernel, syscall_native_abi());
	d->perf.kernel.partial = true;
	bool is_big = !memcmp(input_at(&s->in), magics[1], 8);
	d->swapped = is_big != INPUT_IS_BIG;
	d->attrs.swapped = d->formats.swapped = d->swapped;
	d->is_pipe = input_get(d->swapped, input_at(&s->in) + 8, 8) == PERF_PIPE_HEADER;
	d->left = UINT64_MAX;
	if (d->is_pipe) {
		input_skip(&s->in, PERF_PIPE_HEADER);
		status = read_round(s, e);
		perf_survey(d);
	} else {
		status = perf_read_head(s, &start, e);
		if (!status)
			status = take_behind(s, 0, 0, start, e);
	}
	s->info.recorder = "perf";
	s->info.host = d->host;
	s->info.kernel = d->kernel;
	s->info.abi = d->perf.kernel.abi;
	s->info.has_time = s->info.has_duration = true;
	return status;
}

static void data_close(struct source *s)
{
	struct perf_data *d = s->reader;
	struct run *run = d->current;

	do {
		if (run)
			end_run(run);
		run = reorder_pop(&d->runs, true);
	} while (run);
	reorder_free(&d->runs);
	perf_attrs_free(&d->attrs);
	perf_formats_free(&d->formats);
	kernel_free(&d->perf.kernel);
	free(d);
}

const struct format perf_data_format = {
	.name = "perf",
	.recognize = recognize,
	.open = data_open,
	.next = data_next,
	.close = data_close,
};
