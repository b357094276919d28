/* SPDX-License-Identifier: MIT */
/* Tests of the .ktr writer and reader: what goes in comes out, whatever happens to the file. */
#include "trace/format/ktr/ktr.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/format/ktr/crc32c.h"
#include "trace/format/ktr/ktr_format.h"
#include "trace/format/ktr/varint.h"
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
static struct bytes write_trace(const struct event *events, size_t n, size_t flush_every)
{
	int fd = memfd_create("ktr", MFD_CLOEXEC);
	struct ktr_writer *w = ktr_writer_new(fd, &info);
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

/* Strings that are read live only until the next event: copies of them. */
static struct event keep(const struct event *e)
{
	struct event copy = *e;
	const char **strings[] = { NULL, NULL };

	switch (e->type) {
	case EVENT_SYSCALL:
		strings[0] = &copy.call.path;
		strings[1] = &copy.call.text;
		break;
	case EVENT_EXEC: strings[0] = &copy.exec.command; break;
	case EVENT_FD: strings[0] = &copy.fd.name; break;
	case EVENT_MARK: strings[0] = &copy.mark.name; break;
	case EVENT_COUNTER: strings[0] = &copy.counter.name; break;
	default: break;
	}
	for (int i = 0; i < 2; i++)
		if (strings[i] && *strings[i])
			*strings[i] = xstrdup(*strings[i]);
	return copy;
}

struct reading {
	VEC(struct event) events;
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
		vec_push(&r.events, keep(&out));
	r.losses = *source_losses(s);
	source_close(s);
	return r;
}

static void reading_free(struct reading *r)
{
	for (size_t i = 0; i < r->events.n; i++) {
		struct event *e = &r->events.v[i];

		if (e->type == EVENT_SYSCALL) {
			free((void *)(uintptr_t)e->call.path);
			free((void *)(uintptr_t)e->call.text);
		} else if (e->type == EVENT_EXEC) {
			free((void *)(uintptr_t)e->exec.command);
		} else if (e->type == EVENT_FD) {
			free((void *)(uintptr_t)e->fd.name);
		} else if (e->type == EVENT_MARK || e->type == EVENT_COUNTER) {
			free((void *)(uintptr_t)(e->type == EVENT_MARK ? e->mark.name
								       : e->counter.name));
		}
	}
	vec_free(&r->events);
}

static int same_string(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static int same_call(const struct event *a, const struct event *b)
{
	return a->call.id == b->call.id && a->call.flags == b->call.flags &&
	       a->call.duration == b->call.duration &&
	       !memcmp(a->call.args, b->call.args, sizeof(a->call.args)) &&
	       a->call.result == b->call.result && a->call.kind == b->call.kind &&
	       a->call.object == b->call.object && same_string(a->call.path, b->call.path) &&
	       same_string(a->call.text, b->call.text);
}

static int same(const struct event *a, const struct event *b)
{
	if (a->type != b->type || a->pid != b->pid || a->tid != b->tid || a->time != b->time)
		return 0;
	switch (a->type) {
	case EVENT_SYSCALL: return same_call(a, b);
	case EVENT_SWITCH:
		return a->change.cpu == b->change.cpu && a->change.out == b->change.out &&
		       a->change.preempted == b->change.preempted &&
		       a->change.next == b->change.next;
	case EVENT_WAKE: return a->wake.target == b->wake.target;
	case EVENT_FORK:
		return a->fork.child_pid == b->fork.child_pid &&
		       a->fork.child_tid == b->fork.child_tid &&
		       a->fork.shares_files == b->fork.shares_files;
	case EVENT_EXEC: return same_string(a->exec.command, b->exec.command);
	case EVENT_EXIT: return a->exit.status == b->exit.status && a->exit.last == b->exit.last;
	case EVENT_FD:
		return a->fd.object == b->fd.object && a->fd.kind == b->fd.kind &&
		       same_string(a->fd.name, b->fd.name);
	case EVENT_LOST: return a->lost.count == b->lost.count && a->lost.until == b->lost.until;
	case EVENT_CLOCK: return a->clock.realtime == b->clock.realtime;
	case EVENT_MARK:
		return a->mark.verb == b->mark.verb && same_string(a->mark.name, b->mark.name) &&
		       a->mark.amount == b->mark.amount && a->mark.tag == b->mark.tag;
	case EVENT_COUNTER:
		return same_string(a->counter.name, b->counter.name) &&
		       !memcmp(&a->counter.value, &b->counter.value, 8);
	case EVENT_SIGNAL: return a->signal.signal == b->signal.signal;
	}
	return 0;
}

/* One event of each type with ordinary values, one with the largest and one with the smallest. */
static const struct event *every_event(size_t *n)
{
	static struct event events[40];
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
				    .path = "/tmp/\xff x",
				    .text = "3, \"x\"" } },
			{ .type = EVENT_SYSCALL, .call = { .duration = -1, .path = "" } },
			{ .type = EVENT_SWITCH, .change = { u, x & 1, x != 1, u } },
			{ .type = EVENT_WAKE, .wake = { u } },
			{ .type = EVENT_FORK, .fork = { u, u + 1, x == 1 } },
			{ .type = EVENT_EXEC, .exec = { x ? "" : "sh -c 'a b'" } },
			{ .type = EVENT_EXIT, .exit = { (int)t, x == 0 } },
			{ .type = EVENT_FD, .fd = { u, FD_KINDS - 1, "socket:[1]" } },
			{ .type = EVENT_LOST, .lost = { (uint64_t)t, t } },
			{ .type = EVENT_CLOCK, .clock = { t } },
			{ .type = EVENT_MARK, .mark = { u, "queue", (uint64_t)t, UINT64_MAX } },
			{ .type = EVENT_COUNTER, .counter = { "cycles", x ? -INFINITY : 1.5 } },
			{ .type = EVENT_SIGNAL, .signal = { (int)t } },
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
	if (ok(s != NULL, "a trace without the identity of its host, as they once were"))
		is_string(source_info(s)->host_id, "", "does not know it");
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
	ktr_put(b.v + KTR_AT_FLAGS, KTR_FLAG_LAST, 2);
	ktr_put(b.v + KTR_AT_HEADER_CRC, crc32c(b.v, KTR_AT_HEADER_CRC), 4);
	if (n)
		memcpy(b.v + KTR_HEADER, payload, n);
	return b;
}

static void test_foreign_records(void)
{
	static const unsigned char payload[] = {
		90,
		3,
		'n',
		'e',
		'w', /* of a newer version */
		KTR_THREAD,
		2,
		8,
		9,
		KTR_CALL,
		7,
		1,
		4,
		'r',
		'e',
		'a',
		'd',
		0,
		KTR_SYSCALL | 5,
		KTR_HAS_THREAD,
		0,
		20,
		6,
		0,
		12,
		1,
		'x',
		KTR_SYSCALL | 6,
		0,
		0,
		2,
		1,
		'n',
		'e', /* with something behind what is known */
	};
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
		{ "a thread that was not introduced", { KTR_SIGNAL, 3, 0, 2, 4 }, 5 },
		{ "a record of length 0", { KTR_INFO, 0 }, 2 },
		{ "a record beyond the block", { KTR_EXEC, 100, 0, 0 }, 4 },
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
