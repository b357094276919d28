/* SPDX-License-Identifier: MIT */
/* Tests of the .ktr writer and reader: every event, the information about a trace, blocks and
 * streams. */
#include "ktr_trace.h"

#include <limits.h>

/* One event of each type with ordinary values, one with the largest and one with the smallest. */
static const struct event *every_event(size_t *n)
{
	static struct event events[80];
	static const int64_t extremes[] = { 12345678, INT64_MAX, INT64_MIN };

	*n = 0;
	for (int x = 0; x < 3; x++) {
		int64_t t = extremes[x];
		uint32_t u = (uint32_t)t;
		uint64_t v = (uint64_t)t;
		/* clang-format off */
		const struct event some[] = {
			{ .type = EVENT_SYSCALL,
			  .call = { .duration = t, .result = t, .args = { v, 0, 1, UINT64_MAX, -v, 7 },
				    .flags = u, .kind = FD_MEMFD, .object = u, .cpu = u,
				    .more = u & CALL_SEVERAL ? u : 0,
				    .path = "/tmp/\xff x", .text = "3, \"x\"" } },
			{ .type = EVENT_SYSCALL, .call = { .duration = -1, .path = "" } },
			{ .type = EVENT_SWITCH, .change = { u, x & 1, x != 1, u, STATES - 1 } },
			{ .type = EVENT_WAKE, .wake = { u, WAKE_CONTEXTS - 1, u, u - 1 } },
			{ .type = EVENT_FORK, .fork = { u, u + 1, x == 1 } },
			{ .type = EVENT_EXEC, .exec.command = x ? "" : "sh -c 'a b'" },
			{ .type = EVENT_EXIT, .exit = { (int)t, x == 0 } },
			{ .type = EVENT_FD, .fd = { u, FD_KINDS - 1, "socket:[1]" } },
			{ .type = EVENT_LOST, .lost = { v, t, x ? LOST_RING_FULL : 0 } },
			{ .type = EVENT_CLOCK, .clock = { t } },
			{ .type = EVENT_MARK, .mark = { u, "queue", v, UINT64_MAX } },
			{ .type = EVENT_COUNTER, .counter = { "cycles", x ? -INFINITY : 1.5 } },
			{ .type = EVENT_SIGNAL, .signal = { (int)t } },
			{ .type = EVENT_FAULT, .fault = { v, x == 0, x == 1, FAULT_KINDS - 1 } },
			{ .type = EVENT_URING, .uring = { x == 1, u, v, u, t, t, (int)u, FD_KINDS - 1, u } },
			{ .type = EVENT_INTERRUPT, .interrupt = { x == 1, u, u, t } },
			{ .type = EVENT_BLOCK, .block = { x == 0, x == 1, v, v, UINT64_MAX, u } },
			{ .type = EVENT_COMM, .comm = { x ? "" : "worker 1" } },
			{ .type = EVENT_CGROUP, .cgroup = { "/user.slice" } },
			{ .type = EVENT_ATTACH, .attach = { u } },
			{ .type = EVENT_ADDRESS, .address = { u, { 4, { 127, 0, 0, 1 }, 80 },
							      { 16, { 0xfe, 0x80 }, 65535 } } },
			{ .type = EVENT_ADDRESS, .address = { u, { 0 }, { 0 } } },
			{ .type = EVENT_HOST, .host = { u, "web 1" } },
			{ .type = EVENT_STACK, .stack = { "/a b+0x1 < /c+0x2" } },
		};
		/* clang-format on */

		for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++) {
			struct event *e = &events[(*n)++];

			*e = some[i];
			e->pid = u;
			e->tid = u + (uint32_t)i % 3;
			e->time = t - (int64_t)i * (t > 0);
			if (e->type == EVENT_SYSCALL)
				e->call.id = syscall_by_name(i ? "frobnicate" : "openat");
		}
	}
	return events;
}

static void test_round_trip(void)
{
	size_t n;
	const struct event *events = every_event(&n);
	struct bytes file = write_trace(events, n, 5);
	read_trace(file.v, file.n);

	cmp_int(r.end, 0, "a trace with every event at its extremes is read to its end");
	cmp_int(r.events.n, n, "no event is missing or new");
	cmp_int(count_same(events, n), n, "each is what it was");
	cmp_int(r.losses.torn_bytes, 0, "nothing torn");
	ok(!r.losses.unclosed, "the end was in order");

	read_trace(file.v, file.n - 1);
	ok(r.losses.unclosed && r.losses.torn_bytes > 0, "without its last byte it was not");
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
	ok(!got->aggregated, "each call is there");
	ok(got->abi == info.abi && got->has_time && got->has_duration && got->stream == 3 &&
	       got->clock == info.clock,
	   "ABI, times, stream, clock");
	cmp_int(source_next(s, &out, &e), 0, "it has no events");
	source_position(s, &at, &total);
	ok(at == file.n && total == file.n, "and was read to its end");
	source_close(s);
}

/* Each block has each name of a counter once; values are what they were, bit by bit. */
static void test_counters(void)
{
	static const double values[] = {
		0,     1,    126, 127, 1e6,	 0x1p53,    0x1p53 + 2,
		1e300, -0.0, -1,  0.5, INFINITY, -INFINITY, NAN,
	};
	static const char name[] = "perf::PERF_COUNT_HW_STALLED_CYCLES_BACKEND", *other = "cpu_ns";
	enum { COUNTERS = 1400, VALUES = sizeof(values) / sizeof(*values) };
	static struct event events[COUNTERS];

	for (size_t i = 0; i < COUNTERS; i++) {
		events[i] = (struct event){ .type = EVENT_COUNTER, .pid = 7, .tid = 7 };
		events[i].counter.name = i % 3 ? name : other;
		events[i].counter.value = values[i % VALUES];
	}
	struct bytes file = write_trace(events, COUNTERS, COUNTERS / 2);
	read_trace(file.v, file.n);
	cmp_int(count_same(events, COUNTERS), COUNTERS, "counters come back");
	size_t found = 0;
	for (const unsigned char *p = file.v;
	     (p = memmem(p, (size_t)(file.v + file.n - p), name, sizeof(name))); p++)
		found++;
	cmp_int(found, 2, "each of two blocks has a name once");
	ok(file.n < 13 * COUNTERS, "%.1f bytes each", (double)file.n / COUNTERS);
}

/* A recorder may not know the CPU of some calls. */
static void test_cpus(void)
{
	static const uint32_t cpus[] = { 3, 3, 0, 0, 4 };
	enum { CALLS = sizeof(cpus) / sizeof(*cpus) };
	struct event events[CALLS];

	for (size_t i = 0; i < CALLS; i++)
		events[i] = (struct event){ .type = EVENT_SYSCALL, .call.cpu = cpus[i] };
	struct bytes file = write_trace(events, CALLS, 0);
	read_trace(file.v, file.n);
	cmp_int(count_same(events, CALLS), CALLS, "known and unknown CPUs");
}

/* What recorders counted at the end, of two hosts in one trace; a process may count, too. */
static void test_noted(void)
{
	struct event events[] = {
		{ .type = EVENT_COUNTER, .counter = { "missing_calls", 3 } },
		{ .type = EVENT_COUNTER,
		  .pid = 1 << HOST_SHIFT,
		  .counter = { "missing_calls", 4 } },
		{ .type = EVENT_COUNTER, .pid = 7, .tid = 7, .counter = { "missing_calls", 100 } },
	};
	struct bytes file = write_trace(events, 3, 0);

	read_trace(file.v, file.n);
	cmp_int(r.losses.noted[LOST_UNKNOWN], 7, "losses that recorders counted");
}

/* A trace of counted calls says so; more calls than can have been made are no number. */
static void test_several(void)
{
	struct source_info counted = info;
	struct event e = { .type = EVENT_SYSCALL,
			   .call = { .flags = CALL_SEVERAL, .more = (1ull << 50) - 1 } };
	struct error error;

	counted.aggregated = true;
	struct bytes file = write_stream(&counted, &e, 1, 0);
	struct source *s = source_open_memory(file.v, file.n, "x.ktr", &error);
	ok(s && source_info(s)->aggregated, "calls are counted");
	source_close(s);
	read_trace(file.v, file.n);
	cmp_int(count_same(&e, 1), 1, "an event that stands for many");
	e.call.more++;
	file = write_trace(&e, 1, 0);
	read_trace(file.v, file.n);
	ok(!r.events.n && r.losses.torn_bytes, "one that stands for too many is damage");
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
	struct ktr_writer *w = ktr_writer_new(fd, &local, NULL);
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
	size_t n = 100003;
	struct event *events = numbered_calls(n);
	struct bytes file = write_trace(events, n, 0);
	read_trace(file.v, file.n);

	ok(file.n > 4 * KTR_PAYLOAD_TARGET, "a long trace has several blocks");
	cmp_int(r.events.n, n, "all calls come back");
	cmp_int(count_same(events, n), n, "each is what it was");
	ok(!r.losses.lost_unknown && !r.losses.torn_bytes, "nothing lost");

	/* Every block can be read without the others: drop the first. */
	size_t first = KTR_HEADER + ktr_get(file.v + KTR_AT_PAYLOAD_LENGTH, 4);
	read_trace(file.v + first, file.n - first);
	size_t good = count_known(events, n);
	ok(good == r.events.n && good > n / 2 && good < n, "the rest is read without it");
	ok(r.losses.lost_unknown, "and its absence is noticed");
}

/* The blocks of both files in turn, without those of the second from skip_from to skip_to. */
static struct bytes interleave(const struct bytes files[2], unsigned skip_from, unsigned skip_to)
{
	struct bytes all = bytes_new(files[0].n + files[1].n);
	size_t at[2] = { 0, 0 };

	all.n = 0;

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
	static struct event part[2][CALLS];
	size_t n[2] = { 0, 0 };
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
	read_trace(all.v, all.n);
	cmp_int(r.events.n, CALLS, "two streams in one file are read");
	cmp_int(count_same(events, CALLS), CALLS, "in order of time");
	ok(!r.gaps && !r.losses.lost_unknown && !r.losses.unclosed, "nothing is lost");

	all = interleave(files, 3, 5);
	read_trace(all.v, all.n);
	cmp_int(r.events.n, CALLS - 2 * BLOCK, "without two blocks of one stream the rest is read");
	ok(r.gaps == 1 && r.losses.lost_unknown, "and the gap is one loss");

	all = interleave(files, n[1] / BLOCK, UINT_MAX);
	read_trace(all.v, all.n);
	ok(r.losses.unclosed, "a stream without its last block is unclosed");
}

/* A call that has no name is known by its number. */
static void test_unnamed(void)
{
	struct event e = { .type = EVENT_SYSCALL };

	e.call.id = syscall_by_number(info.abi, 9999);
	struct bytes file = write_trace(&e, 1, 0);
	read_trace(file.v, file.n);
	is_string(r.events.n == 1 ? syscall_get(r.events.v[0].call.id)->name : NULL, "syscall_9999",
		  "a call without a name");
}

/* Kinds of descriptors that a newer version may know. */
static void test_newer_kinds(void)
{
	struct event events[] = {
		{ .type = EVENT_SYSCALL, .call = { .kind = FD_KINDS, .object = 1 } },
		{ .type = EVENT_FD, .fd = { 1, FD_KINDS, "new" } },
		{ .type = EVENT_SYSCALL, .call = { .kind = FD_KINDS - 1, .object = 1 } },
	};

	events[0].call.id = events[2].call.id = syscall_by_name("read");
	struct bytes file = write_trace(events, 3, 0);
	read_trace(file.v, file.n);
	if (!ok(r.events.n == 3, "a trace with kinds of a newer version"))
		return;
	cmp_int(r.events.v[0].call.kind, FD_UNKNOWN, "such a kind of a call is unknown");
	cmp_int(r.events.v[1].fd.kind, FD_UNKNOWN, "and of an object");
	cmp_int(r.events.v[2].call.kind, FD_KINDS - 1, "the last of ours is not");
}

/* For tests/cli: a process in a control group, and its child, of which it is known what each used.
 * They work on an object that the trace does not name, and the child on connections. */
static int write_known(const char *path)
{
	enum { PARENT = 10, CHILD = 11 };
	static const char *const names[] = { "user", "system" };
	/* clang-format off */
	const struct event first[] = {
		{ .type = EVENT_EXEC, .pid = PARENT, .tid = PARENT, .exec.command = "a" },
		{ .type = EVENT_CGROUP, .pid = PARENT, .tid = PARENT, .cgroup = { "/group" } },
		{ .type = EVENT_FORK, .pid = PARENT, .tid = PARENT, .fork = { CHILD, CHILD, false } },
	};
	/* clang-format on */
	struct event events[24];
	size_t n = sizeof(first) / sizeof(*first);

	memcpy(events, first, sizeof(first));
	/* Two sockets, of which only the addresses say more. */
	for (uint32_t object = 2; object <= 3; object++) {
		enum fd_kind kind = object == 2 ? FD_TCP : FD_UDP;
		const struct event socket[] = {
			{ .type = EVENT_FD, .fd = { object, kind, "socket:[9]" } },
			{ .type = EVENT_ADDRESS,
			  .address = { object,
				       { 4, { 192, 0, 2, 1 }, 5000 },
				       { 4, { 192, 0, 2, 7 }, 80 } } },
			{ .type = EVENT_SYSCALL,
			  .call = { .id = syscall_by_name("fstat"),
				    .kind = kind,
				    .object = object } },
		};

		for (int i = 0; i < 3; i++) {
			events[n] = socket[i];
			events[n].pid = events[n].tid = CHILD;
			n++;
		}
	}
	for (uint32_t pid = CHILD; pid >= PARENT; pid--) {
		struct event e = { .pid = pid, .tid = pid, .time = 1000000 * (CHILD + 1 - pid) };

		e.type = EVENT_SYSCALL;
		e.call.id = syscall_by_name("fsync");
		e.call.kind = FD_FILE;
		e.call.object = 1;
		e.call.duration = 1000;
		events[n++] = e;
		for (int i = 0; i < 2; i++) {
			e.type = EVENT_COUNTER;
			e.counter.name = names[i];
			e.counter.value = pid * (1 + i) / 100.0;
			events[n++] = e;
		}
		e.type = EVENT_EXIT;
		e.exit.status = 0;
		e.exit.last = true;
		events[n++] = e;
	}
	struct bytes file = write_trace(events, n, 0);
	FILE *out = fopen(path, "w");
	return !out || fwrite(file.v, 1, file.n, out) != file.n || fclose(out);
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

int main(int argc, char **argv)
{
	if (argc > 1)
		return write_known(argv[1]);
	test_small_primitives();
	test_round_trip();
	test_info();
	test_cpus();
	test_unnamed();
	test_noted();
	test_newer_kinds();
	test_several();
	test_counters();
	test_example();
	test_many_blocks();
	test_streams();
	return done_testing();
}
