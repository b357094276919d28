/* SPDX-License-Identifier: MIT */
/* Tests of the .ktr writer and reader: what goes in comes out, whatever happens to the file. */
#include "trace/format/ktr/ktr.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/format/ktr/ktr_block.h"
#include "trace/format/ktr/ktr_record.h"
#include "util/vec.h"

#include "../tap.h"

/* clang-format off */
static const struct source_info info = {
	.recorder = "ptrace", .host = "tester", .command = "sh -c true", .kernel = "Linux 6.1",
	.os = &os_linux, .abi = ABI_ARM64, .has_time = true, .has_duration = true, .clock = TRACE_CLOCK_MONOTONIC,
	.host_id = "6d5cf6ae2f1a9c07", .cpu = "Z80 at 4 MHz",
	.boot = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", .stream = 3, .call_cost = 5600,
};
/* clang-format on */

struct bytes {
	unsigned char *v;
	size_t n;
};

/* Writes events into memory as one file. */
static struct bytes write_stream(const struct source_info *about, const struct event *events,
				 size_t n, size_t flush_every)
{
	int fd = memfd_create("ktr", MFD_CLOEXEC);
	struct ktr_writer *w = ktr_writer_new(fd, about);
	struct bytes file;
	struct error e;
	int bad = 0;

	for (size_t i = 0; i < n; i++) {
		bad |= ktr_write(w, &events[i], &e);
		if (flush_every && i % flush_every == flush_every - 1)
			bad |= ktr_flush(w, &e);
	}
	bad |= ktr_writer_free(w, &e);
	file.n = (size_t)lseek(fd, 0, SEEK_CUR);
	file.v = xmalloc(file.n + 1);
	if (bad || pread(fd, file.v, file.n, 0) != (ssize_t)file.n)
		fail("the trace could be written");
	close(fd);
	return file;
}

static struct bytes write_trace(const struct event *events, size_t n, size_t flush_every)
{
	return write_stream(&info, events, n, flush_every);
}

/* All fields of all events, to compare them. */
#define M(type, member) \
	{ \
		EVENT_##type, offsetof(struct event, member), sizeof(((struct event *)0)->member), \
		    false \
	}
#define S(type, member) \
	{ \
		EVENT_##type, offsetof(struct event, member), 0, true \
	}
/* clang-format off */
static const struct { enum event_type type; size_t offset, size; bool string; } members[] = {
	M(SYSCALL, call.id), M(SYSCALL, call.flags), M(SYSCALL, call.duration), M(SYSCALL, call.args),
	M(SYSCALL, call.result), M(SYSCALL, call.kind), M(SYSCALL, call.object), M(SYSCALL, call.cpu),
	S(SYSCALL, call.path), S(SYSCALL, call.text),
	M(SWITCH, change.cpu), M(SWITCH, change.out), M(SWITCH, change.preempted), M(SWITCH, change.next),
	M(SWITCH, change.state),
	M(WAKE, wake.target), M(WAKE, wake.context), M(WAKE, wake.cpu),
	M(FORK, fork.child_pid), M(FORK, fork.child_tid), M(FORK, fork.shares_files),
	S(EXEC, exec.command), M(EXIT, exit.status), M(EXIT, exit.last),
	M(FD, fd.object), M(FD, fd.kind), S(FD, fd.name),
	M(LOST, lost.count), M(LOST, lost.until), M(LOST, lost.class), M(CLOCK, clock.realtime),
	M(MARK, mark.verb), S(MARK, mark.name), M(MARK, mark.amount), M(MARK, mark.tag),
	S(COUNTER, counter.name), M(COUNTER, counter.value), M(SIGNAL, signal.signal),
	M(FAULT, fault.address), M(FAULT, fault.major), M(FAULT, fault.write),
	M(URING, uring.complete), M(URING, uring.object), M(URING, uring.request), M(URING, uring.opcode),
	M(URING, uring.result),
	M(INTERRUPT, interrupt.soft), M(INTERRUPT, interrupt.number), M(INTERRUPT, interrupt.cpu),
	M(INTERRUPT, interrupt.duration),
	M(BLOCK, block.complete), M(BLOCK, block.write), M(BLOCK, block.device), M(BLOCK, block.sector),
	M(BLOCK, block.bytes),
	S(COMM, comm.name), S(CGROUP, cgroup.path), M(ATTACH, attach.parent),
	M(ADDRESS, address.object), M(ADDRESS, address.local), M(ADDRESS, address.remote),
};
/* clang-format on */
enum { MEMBERS = sizeof(members) / sizeof(*members) };

static const char **string_of(const struct event *e, size_t member)
{
	if (members[member].type != e->type || !members[member].string)
		return NULL;
	return (const char **)(uintptr_t)((const char *)e + members[member].offset);
}

/* Strings that are read live only until the next event: copies of them. */
static struct event keep(const struct event *e)
{
	struct event copy = *e;

	for (size_t i = 0; i < MEMBERS; i++) {
		const char **string = string_of(&copy, i);

		if (string && *string)
			*string = xstrdup(*string);
	}
	return copy;
}

struct reading {
	VEC(struct event) events; /* without LOST of missing blocks */
	unsigned gaps;		  /* these */
	struct source_losses losses;
	int end; /* what the last source_next said; -2: not opened */
};

static struct reading read_trace(const void *data, size_t n)
{
	struct reading r = { .end = -2 };
	struct error e;
	struct source *s = source_open_memory(data, n, "memory", &e);
	struct event out;

	if (!s)
		return r;
	while ((r.end = source_next(s, &out, &e)) == 1)
		if (out.type == EVENT_LOST && out.lost.class == LOST_BLOCKS)
			r.gaps++;
		else
			vec_push(&r.events, keep(&out));
	r.losses = *source_losses(s);
	source_close(s);
	return r;
}

static void reading_free(struct reading *r)
{
	for (size_t i = 0; i < r->events.n; i++)
		for (size_t m = 0; m < MEMBERS; m++) {
			const char **string = string_of(&r->events.v[i], m);

			free(string ? (void *)(uintptr_t)*string : NULL);
		}
	vec_free(&r->events);
}

static int same(const struct event *a, const struct event *b)
{
	bool differ =
	    a->type != b->type || a->pid != b->pid || a->tid != b->tid || a->time != b->time;

	for (size_t i = 0; i < MEMBERS && !differ; i++) {
		const char **x = string_of(a, i), **y = string_of(b, i);
		size_t at = members[i].offset;

		if (x)
			differ = *x != *y && (!*x || !*y || strcmp(*x, *y));
		else if (members[i].type == a->type)
			differ =
			    memcmp((const char *)a + at, (const char *)b + at, members[i].size);
	}
	return !differ;
}

/* One event of each type with ordinary values, one with the largest and one with the smallest. */
static const struct event *every_event(size_t *n)
{
	static struct event events[80];
	static const int64_t extremes[] = { 12345678, INT64_MAX, INT64_MIN };

	*n = 0;
	for (int x = 0; x < 3; x++) {
		int64_t t = extremes[x];
		uint32_t u = (uint32_t)t;
		struct event *e = events + *n;
		const struct event some[] = {
			{ .type = EVENT_SYSCALL,
			  .call = { .duration = t,
				    .result = t,
				    .args = { (uint64_t)t, 0, 1, UINT64_MAX, -(uint64_t)t, 7 },
				    .flags = u,
				    .kind = FD_MEMFD,
				    .object = u,
				    .cpu = u,
				    .path = "/tmp/\xff x",
				    .text = "3, \"x\"" } },
			{ .type = EVENT_SYSCALL, .call = { .duration = -1, .path = "" } },
			{ .type = EVENT_SWITCH, .change = { u, x & 1, x != 1, u, STATES - 1 } },
			{ .type = EVENT_WAKE, .wake = { u, WAKE_CONTEXTS - 1, u } },
			{ .type = EVENT_FORK, .fork = { u, u + 1, x == 1 } },
			{ .type = EVENT_EXEC, .exec = { x ? "" : "sh -c 'a b'" } },
			{ .type = EVENT_EXIT, .exit = { (int)t, x == 0 } },
			{ .type = EVENT_FD, .fd = { u, FD_KINDS - 1, "socket:[1]" } },
			{ .type = EVENT_LOST, .lost = { (uint64_t)t, t, x ? LOST_RING_FULL : 0 } },
			{ .type = EVENT_CLOCK, .clock = { t } },
			{ .type = EVENT_MARK, .mark = { u, "queue", (uint64_t)t, UINT64_MAX } },
			{ .type = EVENT_COUNTER, .counter = { "cycles", x ? -INFINITY : 1.5 } },
			{ .type = EVENT_SIGNAL, .signal = { (int)t } },
			{ .type = EVENT_FAULT, .fault = { (uint64_t)t, x == 0, x == 1 } },
			{ .type = EVENT_URING, .uring = { x == 1, u, (uint64_t)t, u, t } },
			{ .type = EVENT_INTERRUPT, .interrupt = { x == 1, u, u, t } },
			{ .type = EVENT_BLOCK,
			  .block = { x == 0, x == 1, (uint64_t)t, (uint64_t)t, UINT64_MAX } },
			{ .type = EVENT_COMM, .comm = { x ? "" : "worker 1" } },
			{ .type = EVENT_CGROUP, .cgroup = { "/user.slice" } },
			{ .type = EVENT_ATTACH, .attach = { u } },
			{ .type = EVENT_ADDRESS,
			  .address = { u,
				       { 4, { 127, 0, 0, 1 }, 80 },
				       { 16, { 0xfe, 0x80 }, 65535 } } },
			{ .type = EVENT_ADDRESS, .address = { u, { 0 }, { 0 } } },
		};

		memcpy(e, some, sizeof(some));
		*n += sizeof(some) / sizeof(*some);
		for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++) {
			e[i].pid = u;
			e[i].tid = u + (uint32_t)i % 3;
			e[i].time = t - (int64_t)i * (t > 0);
			if (e[i].type == EVENT_SYSCALL)
				e[i].call.id = syscall_by_name(i ? "frobnicate" : "openat");
		}
	}
	return events;
}

static void test_round_trip(void)
{
	size_t n, same_events = 0;
	const struct event *events = every_event(&n);
	struct bytes file = write_trace(events, n, 5);
	struct reading r = read_trace(file.v, file.n);

	cmp_int(r.end, 0, "a trace with every event at its extremes is read to its end");
	cmp_int(r.events.n, n, "no event is missing or new");
	for (size_t i = 0; i < n && i < r.events.n; i++)
		same_events += same(&events[i], &r.events.v[i]);
	cmp_int(same_events, n, "each is what it was");
	cmp_int(r.losses.torn_bytes, 0, "nothing torn");
	ok(!r.losses.unclosed, "the end was in order");
	reading_free(&r);

	r = read_trace(file.v, file.n - 1);
	ok(r.losses.unclosed && r.losses.torn_bytes > 0, "without its last byte it was not");
	reading_free(&r);
	free(file.v);
}

static void test_info(void)
{
	struct bytes file = write_trace(NULL, 0, 0);
	struct error e;
	struct source *s = source_open_memory(file.v, file.n, "x.ktr", &e);
	struct event out;
	uint64_t at, total;

	if (!ok(s != NULL, "a trace without events opens"))
		return;
	const struct source_info *got = source_info(s);
	is_string(got->format, "ktr", "format");
	is_string(got->recorder, info.recorder, "recorder");
	is_string(got->host, info.host, "host");
	is_string(got->command, info.command, "command");
	is_string(got->kernel, info.kernel, "kernel");
	is_string(got->host_id, info.host_id, "identity of the host");
	is_string(got->cpu, info.cpu, "its processor");
	is_string(got->boot, info.boot, "boot id");
	cmp_int(got->call_cost, 5600, "cost of recording a call");
	ok(got->abi == info.abi && got->has_time && got->has_duration && got->stream == 3 &&
	       got->clock == info.clock,
	   "ABI, times, stream, clock");
	cmp_int(source_next(s, &out, &e), 0, "it has no events");
	source_position(s, &at, &total);
	ok(at == file.n && total == file.n, "and was read to its end");
	source_close(s);
	free(file.v);
}

/* Calls that can be told apart, numbered by result, some with paths. */
static struct event *numbered_calls(size_t n)
{
	struct event *events = xcalloc(n, sizeof(*events));
	static const char *const names[] = { "read", "openat", "futex", "invented", "write" };

	for (size_t i = 0; i < n; i++) {
		struct event *e = &events[i];

		e->type = EVENT_SYSCALL;
		e->pid = 100;
		e->tid = 100 + (uint32_t)(i % 7);
		e->time = (int64_t)i * 1000 - (int64_t)(i % 3) * 300;
		e->call.id = syscall_by_name(names[i % 5]);
		e->call.duration = (int64_t)(i % 11) * 100 - 1;
		e->call.args[0] = i % 13;
		e->call.args[1] = 0x7ffe00000000 + i;
		e->call.result = (int64_t)i;
		e->call.path = i % 5 == 1 ? "/etc/passwd" : NULL;
	}
	return events;
}

static int is_one_of(const struct event *got, const struct event *events, size_t n)
{
	size_t i = (size_t)got->call.result;

	return i < n && same(got, &events[i]);
}

/* The example of docs/ktr.5, byte by byte: what is written today can be read for ever. */
static void test_example(void)
{
	static const unsigned char payload[] = {
		KTR_INFO, 27,  3,	   6,	 'p',  't',	 'r',  'a',  'c',  'e',	 0,    1,
		'h',	  0,   2,	   'l',	 's',  0,	 9,    'L',  'i',  'n',	 'u',  'x',
		' ',	  '6', '.',	   '1',	 0,    KTR_CALL, 7,    1,    4,	   'r',	 'e',  'a',
		'd',	  0,   KTR_THREAD, 2,	 7,    7,	 0x91, 0x0f, 0,	   0xd0, 0x0f, 0xad,
		2,	  0,   7,	   6,	 0x80, 0x40,	 0x80, 1,    0x80, 1,	 1,    1,
		0x87,	  4,   0,	   0xf8, 0x0a, 0xad,	 2,    0x7f,
	};
	const struct source_info local = {
		.recorder = "ptrace",
		.host = "h",
		.command = "ls",
		.kernel = "Linux 6.1",
		.os = &os_linux,
		.abi = ABI_X86_64,
		.has_time = true,
		.has_duration = true,
	};
	struct event e = { .type = EVENT_SYSCALL,
			   .pid = 7,
			   .tid = 7,
			   .time = 1000,
			   .call = { .id = syscall_by_name("read"),
				     .duration = 300,
				     .args = { 3, 0x1000, 64 },
				     .result = 64,
				     .kind = FD_FILE,
				     .object = 1 } };
	unsigned char file[512];
	int fd = memfd_create("ktr", MFD_CLOEXEC);
	struct ktr_writer *w = ktr_writer_new(fd, &local);
	int status = ktr_write(w, &e, NULL);

	e.time = 2000;
	e.call.result = 0;
	status |= ktr_write(w, &e, NULL) | ktr_writer_free(w, NULL);
	ssize_t n = pread(fd, file, sizeof(file), 0);
	close(fd);
	ok(status == 0 && n == (ssize_t)(KTR_HEADER + sizeof(payload)) &&
	       !memcmp(file + KTR_HEADER, payload, sizeof(payload)),
	   "the example of the manual");
	struct source *s = source_open_memory(file, (size_t)n, "x.ktr", NULL);
	if (ok(s != NULL, "a trace without the identity of its host is read"))
		is_string(source_info(s)->host_id, "", "it is empty then");
	source_close(s);
}

static void test_many_blocks(void)
{
	size_t n = 100003, same_events = 0;
	struct event *events = numbered_calls(n);
	struct bytes file = write_trace(events, n, 0);
	struct reading r = read_trace(file.v, file.n);

	ok(file.n > 4 * KTR_PAYLOAD_TARGET, "a long trace has several blocks");
	cmp_int(r.events.n, n, "all calls come back");
	for (size_t i = 0; i < n && i < r.events.n; i++)
		same_events += same(&events[i], &r.events.v[i]);
	cmp_int(same_events, n, "each is what it was");
	ok(!r.losses.lost_unknown && !r.losses.torn_bytes, "nothing lost");
	reading_free(&r);

	/* Every block can be read without the others: drop the first. */
	size_t first = KTR_HEADER + ktr_get(file.v + KTR_AT_PAYLOAD_LENGTH, 4);
	r = read_trace(file.v + first, file.n - first);
	size_t good = 0;
	for (size_t i = 0; i < r.events.n; i++)
		good += is_one_of(&r.events.v[i], events, n);
	ok(good == r.events.n && good > n / 2 && good < n, "the rest is read without it");
	ok(r.losses.lost_unknown, "and its absence is noticed");
	reading_free(&r);
	free(file.v);
	free(events);
}

/* The blocks of both files in turn, without those of the second from skip_from to skip_to. */
static struct bytes interleave(const struct bytes files[2], unsigned skip_from, unsigned skip_to)
{
	struct bytes all = { xmalloc(files[0].n + files[1].n), 0 };
	size_t at[2] = { 0, 0 };

	for (unsigned block = 0; at[0] < files[0].n || at[1] < files[1].n; block++)
		for (int f = 0; f < 2; f++) {
			const unsigned char *b = files[f].v + at[f];

			if (at[f] == files[f].n)
				continue;
			size_t n = KTR_HEADER + ktr_get(b + KTR_AT_PAYLOAD_LENGTH, 4);
			at[f] += n;
			if (f == 1 && block >= skip_from && block < skip_to)
				continue;
			memcpy(all.v + all.n, b, n);
			all.n += n;
		}
	return all;
}

static void test_streams(void)
{
	enum { CALLS = 3000, BLOCK = 100 };
	struct event *events = numbered_calls(CALLS);
	struct event *part[2] = { xcalloc(CALLS, sizeof(*events)),
				  xcalloc(CALLS, sizeof(*events)) };
	size_t n[2] = { 0, 0 }, early = 0;
	struct source_info stream = info;
	struct bytes files[2];

	for (size_t i = 0; i < CALLS; i++) {
		events[i].time = (int64_t)i * 1000;
		events[i].call.duration = 10;
		part[i * 7 / 3 % 2][n[i * 7 / 3 % 2]++] = events[i];
	}
	for (unsigned f = 0; f < 2; f++) {
		stream.stream = f;
		files[f] = write_stream(&stream, part[f], n[f], BLOCK);
	}
	struct bytes all = interleave(files, 0, 0);
	struct reading r = read_trace(all.v, all.n);
	cmp_int(r.events.n, CALLS, "two streams in one file are read");
	for (size_t i = 0; i < r.events.n; i++)
		early += !same(&r.events.v[i], &events[i]);
	cmp_int(early, 0, "in order of time");
	ok(!r.gaps && !r.losses.lost_unknown && !r.losses.unclosed, "nothing is lost");
	reading_free(&r);
	free(all.v);

	all = interleave(files, 3, 5);
	r = read_trace(all.v, all.n);
	cmp_int(r.events.n, CALLS - 2 * BLOCK, "without two blocks of one stream the rest is read");
	ok(r.gaps == 1 && r.losses.lost_unknown, "and the gap is one loss");
	reading_free(&r);
	free(all.v);

	all = interleave(files, n[1] / BLOCK, UINT_MAX);
	r = read_trace(all.v, all.n);
	ok(r.losses.unclosed, "a stream without its last block is unclosed");
	reading_free(&r);
	for (int f = 0; f < 2; f++) {
		free(files[f].v);
		free(part[f]);
	}
	free(all.v);
	free(events);
}

static void test_torn(void)
{
	size_t n = 60, wrong = 0, whole = 0;
	struct event *events = numbered_calls(n);
	struct bytes file = write_trace(events, n, 20);

	for (size_t cut = 0; cut < file.n; cut++) {
		unsigned char *copy = xmalloc(cut + 1);
		memcpy(copy, file.v, cut);
		struct reading r = read_trace(copy, cut);

		wrong += r.events.n % 20 != 0 || (r.end != 0 && r.end != -2) ||
			 (r.end == 0 && !r.losses.unclosed);
		for (size_t i = 0; i < r.events.n; i++)
			wrong += !same(&events[i], &r.events.v[i]);
		whole += r.events.n;
		reading_free(&r);
		free(copy);
	}
	cmp_int(wrong, 0, "cut at any of %zu bytes, what is read are the blocks before", file.n);
	ok(whole > 0, "and there are some");
	free(file.v);
	free(events);
}

static void test_flipped(void)
{
	size_t n = 60, wrong = 0, missed = 0, most = 0;
	struct event *events = numbered_calls(n);
	struct bytes file = write_trace(events, n, 20);

	for (size_t bit = 0; bit < file.n * 8; bit++) {
		file.v[bit / 8] ^= (unsigned char)(1 << bit % 8);
		struct reading r = read_trace(file.v, file.n);

		for (size_t i = 0; i < r.events.n; i++)
			wrong += !is_one_of(&r.events.v[i], events, n);
		missed += r.end == 0 && r.losses.torn_bytes == 0;
		most += r.events.n >= n - 20;
		reading_free(&r);
		file.v[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	cmp_int(wrong, 0, "with any bit flipped, no event is wrong");
	cmp_int(missed, 0, "the damage is always noticed");
	cmp_int(most, file.n * 8, "and at most one block is lost");
	free(file.v);
	free(events);
}

static void test_damage_in_the_middle(void)
{
	size_t n = 300, good = 0;
	struct event *events = numbered_calls(n);
	struct bytes file = write_trace(events, n, 100);
	size_t first = KTR_HEADER + ktr_get(file.v + KTR_AT_PAYLOAD_LENGTH, 4);
	struct bytes joined = { xmalloc(2 * file.n), 0 };

	/* A torn file with a whole one behind it. */
	joined.n = first + 200 + file.n;
	memcpy(joined.v, file.v, first + 200);
	memcpy(joined.v + first + 200, file.v, file.n);
	struct reading r = read_trace(joined.v, joined.n);
	for (size_t i = 0; i < r.events.n; i++)
		good += is_one_of(&r.events.v[i], events, n);
	ok(good == 400 && r.events.n == 400, "the torn block is skipped, all behind it is read");
	cmp_int(r.losses.torn_bytes, 200, "its bytes are counted");
	cmp_int(r.losses.first_bad, first, "and its place is told");
	ok(r.losses.first_bad_reason[0] != '\0', "with a reason");
	reading_free(&r);

	/* Rubbish in front. */
	memset(joined.v, 0x89, 1000);
	memcpy(joined.v + 1000, file.v, file.n);
	r = read_trace(joined.v, 1000 + file.n);
	ok(r.events.n == n && r.losses.torn_bytes == 1000 && r.losses.first_bad == 0,
	   "rubbish in front is skipped and counted");
	reading_free(&r);
	free(joined.v);
	free(file.v);
	free(events);
}

/* A block around a payload made by hand. */
static struct bytes make_block(const unsigned char *payload, size_t n, uint64_t records)
{
	struct bytes b = { xcalloc(1, KTR_HEADER + n), KTR_HEADER + n };

	memcpy(b.v, KTR_MAGIC, 8);
	ktr_put(b.v + KTR_AT_VERSION, KTR_VERSION, 2);
	ktr_put(b.v + KTR_AT_HEADER_LENGTH, KTR_HEADER, 2);
	ktr_put(b.v + KTR_AT_PAYLOAD_LENGTH, n, 4);
	ktr_put(b.v + KTR_AT_PAYLOAD_CRC, crc32c(payload, n), 4);
	ktr_put(b.v + KTR_AT_RECORDS, records, 4);
	ktr_put(b.v + KTR_AT_ABI, KTR_ABI_X86_64, 1);
	ktr_put(b.v + KTR_AT_OS, os_linux.number, 1);
	ktr_put(b.v + KTR_AT_FLAGS, KTR_FLAG_LAST, 2);
	ktr_put(b.v + KTR_AT_HEADER_CRC, crc32c(b.v, KTR_AT_HEADER_CRC), 4);
	if (n)
		memcpy(b.v + KTR_HEADER, payload, n);
	return b;
}

static void test_foreign_records(void)
{
	/* clang-format off */
	static const unsigned char payload[] = {
		90, 3, 'n', 'e', 'w', /* of a newer version */
		KTR_THREAD, 2, 8, 9,
		KTR_CALL, 7, 1, 4, 'r', 'e', 'a', 'd', 0,
		KTR_SYSCALL | 5, KTR_HAS_THREAD, 0, 20, 6, 0,
		12, 1, 'x',
		KTR_SYSCALL | 6, 0, 0, 2, 1, 'n', 'e', /* with something behind what is known */
	};
	/* clang-format on */
	struct bytes b = make_block(payload, sizeof(payload), 6);
	struct reading r = read_trace(b.v, b.n);

	if (ok(r.events.n == 2, "records of unknown types are skipped, by their length")) {
		const struct event *e = r.events.v;

		ok(e[0].pid == 8 && e[0].tid == 9 && e[0].time == 10 && e[0].call.duration == 5 &&
		       e[0].call.id == syscall_by_name("read"),
		   "those between them are read");
		ok(e[1].time == 16 && e[1].call.duration == 0, "a longer record too");
	}
	ok(!r.losses.lost_unknown && !r.losses.torn_bytes, "and nothing is lost");
	reading_free(&r);
	free(b.v);

	b = make_block(payload, sizeof(payload), UINT32_MAX);
	r = read_trace(b.v, b.n);
	ok(r.events.n == 2 && r.losses.lost_unknown, "a wrong count of records is told as a loss");
	reading_free(&r);
	free(b.v);
}

static void test_senseless_records(void)
{
	static const struct {
		const char *what;
		unsigned char bytes[16];
		size_t n;
	} cases[] = {
		{ "a call that was not introduced", { KTR_SYSCALL | 5, 1, 0, 20, 6, 0 }, 6 },
		{ "a thread that was not introduced", { KTR_EVENT + EVENT_SIGNAL, 3, 0, 2, 4 }, 5 },
		{ "a record of length 0", { KTR_INFO, 0 }, 2 },
		{ "a record beyond the block", { KTR_EVENT + EVENT_EXEC, 100, 0, 0 }, 4 },
		{ "a length of 2^63",
		  { 90, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f },
		  10 },
		{ "a call beyond the block", { KTR_SYSCALL | 100, 0, 0 }, 3 },
		{ "a name without its end", { KTR_CALL, 4, 1, 2, 'a', 'b' }, 6 },
		{ "a name of 2^64 bytes",
		  { KTR_CALL, 12, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 'a' },
		  14 },
		{ "a thread without its end", { KTR_THREAD, 1, 0x80 }, 3 },
		{ "nothing but a tag", { KTR_SYSCALL | KTR_LONG }, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes b = make_block(cases[i].bytes, cases[i].n, 1);
		struct reading r = read_trace(b.v, b.n);

		ok(r.end == 0 && r.events.n == 0 && r.losses.torn_bytes == cases[i].n &&
		       r.losses.lost_unknown,
		   "%s is torn and told", cases[i].what);
		reading_free(&r);
		free(b.v);
	}
}

static void test_bad_headers(void)
{
	struct error e;
	struct bytes b = make_block(NULL, 0, 0);

	struct source *s = source_open_memory(b.v, b.n, "x.ktr", &e);
	ok(s != NULL, "a block without records opens");
	source_close(s);
	ktr_put(b.v + KTR_AT_VERSION, 2, 2);
	ktr_put(b.v + KTR_AT_HEADER_CRC, crc32c(b.v, KTR_AT_HEADER_CRC), 4);
	ok(!source_open_memory(b.v, b.n, "x.ktr", &e) && strstr(e.text, "version 2"),
	   "a newer version is refused by name");
	ktr_put(b.v + KTR_AT_VERSION, 1, 2);
	ktr_put(b.v + KTR_AT_PAYLOAD_LENGTH, UINT32_MAX, 4);
	ktr_put(b.v + KTR_AT_HEADER_CRC, crc32c(b.v, KTR_AT_HEADER_CRC), 4);
	ok(!source_open_memory(b.v, b.n, "x.ktr", &e), "a block of 4 GB is refused");
	ktr_put(b.v + KTR_AT_PAYLOAD_LENGTH, 1000, 4);
	ktr_put(b.v + KTR_AT_HEADER_CRC, crc32c(b.v, KTR_AT_HEADER_CRC), 4);
	ok(!source_open_memory(b.v, b.n, "x.ktr", &e) && strstr(e.text, "no block"),
	   "so is a file whose only block is torn");
	free(b.v);
}

static void test_long_strings(void)
{
	char *name = xmalloc(200001);
	struct event e = { .type = EVENT_SYSCALL, .call = { .duration = 1 } };

	memset(name, 'x', 200000);
	name[200000] = '\0';
	e.call.path = e.call.text = name;
	struct bytes file = write_trace(&e, 1, 0);
	struct reading r = read_trace(file.v, file.n);
	if (ok(r.events.n == 1, "a call with long strings is written"))
		ok(strlen(r.events.v[0].call.path) == KTR_STRING_MAX &&
		       strlen(r.events.v[0].call.text) == KTR_STRING_MAX,
		   "they are cut");
	reading_free(&r);
	free(file.v);
	free(name);
}

static void test_write_failure(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct error e = { "" };
	unsigned failures = 0;

	if (fd < 0) {
		skip("no /dev/full", 2);
		return;
	}
	struct ktr_writer *w = ktr_writer_new(fd, &info);
	struct event *events = numbered_calls(60000);
	for (int i = 0; i < 60000; i++)
		failures += ktr_write(w, &events[i], &e) < 0;
	ok(failures >= 2 && strstr(e.text, strerror(ENOSPC)), "a full disk is told");
	cmp_int(ktr_writer_free(w, &e), -1, "at the end too");
	free(events);
	close(fd);
}

static void test_small_primitives(void)
{
	cmp_int(crc32c("123456789", 9), 0xe3069283, "CRC32C of the check string");
	cmp_int(crc32c_portable("123456789", 9), 0xe3069283, "by tables");
	unsigned char data[300];
	unsigned wrong = 0;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i * i * 7);
	for (size_t n = 0; n < sizeof(data); n++)
		wrong += crc32c(data, n) != crc32c_portable(data, n);
	cmp_int(wrong, 0, "both ways agree at every length");

	static const uint64_t values[] = { 0, 1, 127, 128, 16383, 16384, INT64_MAX, UINT64_MAX };
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		unsigned char *end = varint_put(data, values[i]);
		const unsigned char *p = data;

		wrong += varint_get(&p) != values[i] || p != end || end - data > VARINT_MAX ||
			 varint_unfold(varint_fold(values[i])) != values[i];
	}
	cmp_int(wrong, 0, "integers come back from their bytes");
	memset(data, 0xff, sizeof(data));
	const unsigned char *p = data;
	varint_get(&p);
	cmp_int(p - data, VARINT_MAX, "an endless integer is cut");
}

int main(void)
{
	test_small_primitives();
	test_round_trip();
	test_info();
	test_example();
	test_many_blocks();
	test_streams();
	test_torn();
	test_flipped();
	test_damage_in_the_middle();
	test_foreign_records();
	test_senseless_records();
	test_bad_headers();
	test_long_strings();
	test_write_failure();
	return done_testing();
}
