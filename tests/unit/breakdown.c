/* SPDX-License-Identifier: MIT */
/* Tests of what time went to, by interval, CPU and class of call. */
#include "view/breakdown.h"

#include <stdio.h>
#include <string.h>

#include "trace/syscalls.h"

#include "../tap.h"

static struct breakdown b;
static const struct idle_thread threads[2] = { { .pid = 10, .tid = 10 },
					       { .pid = 11, .tid = 11, .process = 1 } };

static void add(int thread, enum activity activity, int64_t from, int64_t to, uint32_t cpu,
		const char *call, enum fd_kind kind)
{
	struct event e = { .type = EVENT_SYSCALL, .call = { .kind = kind } };

	if (call)
		e.call.id = syscall_by_name(call);
	breakdown_take(&b, &(struct idle_piece){ &threads[thread], activity, from, to, cpu,
						 call ? &e : NULL });
}

static int64_t ns(int64_t interval, size_t unit, const char *class)
{
	return breakdown_ns(&b, interval, unit, names_find(&b.classes, class));
}

static void test_intervals(void)
{
	b = (struct breakdown){ .by = BREAKDOWN_CPU, .interval = 100 };
	add(0, RUNS_CALL, 50, 60, 1, "read", FD_TCP);
	add(0, RUNS_USER, -150, 50, 1, NULL, 0);
	add(0, RUNS_CALL, 60, 70, 1, "openat", FD_UNKNOWN);
	add(1, RUNS_CALL, 60, 190, 2, "mmap", FD_FILE);
	add(1, WAITS_PIPE, 190, 400, 0, "read", FD_PIPE);
	cmp_int(b.units.n, 2, "CPUs; what waits is on none");
	ok(b.first == -2 && b.last == 1, "intervals: %d ... %d", (int)b.first, (int)b.last);
	ok(ns(-2, 0, "user") == 50 && ns(-1, 0, "user") == 100 && ns(0, 0, "user") == 50,
	   "a piece is cut at the bounds");
	ok(ns(0, 0, "net") == 10 && ns(0, 0, "file") == 10, "classes by kind and by path");
	ok(ns(0, 1, "memory") == 40 && ns(1, 1, "memory") == 90 && ns(0, 0, "memory") == 0,
	   "a class by name, on the other CPU");
	ok(breakdown_length(&b, -2) == 50 && breakdown_length(&b, -1) == 100 &&
	       breakdown_length(&b, 1) == 90 && breakdown_length(&b, 7) == 0,
	   "what of an interval the trace covers");
	cmp_int(b.cpus.n, 2, "CPUs");
	breakdown_free(&b);
}

/* The class of a call by its name, of which some are parts of others, or else by its descriptor. */
static void test_classes(void)
{
	static const struct {
		const char *call, *class;
		enum fd_kind kind;
	} calls[] = {
		{ "sync", "file", FD_UNKNOWN }, /* not msync */
		{ "msync", "memory", FD_UNKNOWN },   { "poll", "poll", FD_UNKNOWN },
		{ "clone3", "process", FD_UNKNOWN }, { "flock", "lock", FD_FILE },
		{ "read", "lock", FD_EVENTFD },	     { "getpid", "other", FD_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		b = (struct breakdown){ .interval = 100 };
		add(0, RUNS_CALL, 0, 10, 1, calls[i].call, calls[i].kind);
		ok(ns(0, 0, calls[i].class) == 10, "%s is of class %s", calls[i].call,
		   calls[i].class);
		breakdown_free(&b);
	}
}

static bool only_first(const struct idle_piece *piece)
{
	return piece->thread == &threads[0];
}

static void test_growth(void)
{
	int64_t sum = 0;

	b = (struct breakdown){ .by = BREAKDOWN_PROCESS, .names = true, .wants = only_first };
	for (int64_t i = -500; i < 5000; i++) {
		add(0, RUNS_CALL, i * 1000, i * 1000 + 700, 1, i % 2 ? "read" : "write", FD_TCP);
		add(0, WAITS_PEER, i * 1000 + 700, i * 1000 + 1000, 0, "read", FD_TCP);
		add(1, RUNS_USER, i * 1000, i * 1000 + 1000, 1, NULL, 0);
	}
	cmp_int(b.units.n, 1, "a process that is not wanted does not count");
	cmp_int(b.interval, 200000, "1, 2, 10, ... us until 5.5 ms are 40 at most");
	ok(b.first == -3 && b.last == 24, "intervals");
	for (int64_t i = b.first; i <= b.last; i++)
		sum += ns(i, 0, "read");
	cmp_int(sum, 2750 * 700, "calls by name, each once");
	cmp_int(ns(0, 0, "waiting"), 200 * 300, "waits of an interval");
	breakdown_free(&b);
	b = (struct breakdown){ 0 };
	add(0, RUNS_USER, 0, 3000000, 1, NULL, 0);
	cmp_int(b.interval, 100000, "five times as long after 20 us and 2 us");
	breakdown_free(&b);
	b = (struct breakdown){ .interval = 1000 };
	add(0, RUNS_USER, 0, 10, 1, NULL, 0);
	add(0, RUNS_USER, 0, (int64_t)1000 * BREAKDOWN_MOST + 1, 1, NULL, 0);
	ok(b.too_fine, "too many intervals");
	breakdown_free(&b);
	b = (struct breakdown){ 0 };
	add(0, RUNS_USER, (int64_t)1 << 54, ((int64_t)1 << 54) + 5000, 1, NULL, 0);
	ok(!b.too_fine && b.to - b.from == 5000, "far from the beginning");
	breakdown_free(&b);
}

/* More calls than there are classes: those beyond are of class "other", each ns in one cell. */
static void test_many_classes(void)
{
	enum { CALLS = 1100, ROOM = 1024 };
	struct breakdown_cell c;
	char name[16];
	int64_t sum = 0;

	b = (struct breakdown){ .by = BREAKDOWN_THREAD, .names = true, .interval = 100 };
	for (int i = 0; i < CALLS; i++) {
		snprintf(name, sizeof(name), "odd_%d", i);
		add(1, RUNS_CALL, -10, -7, 1, name, FD_UNKNOWN);
	}
	for (size_t at = 0; breakdown_next(&b, &at, &c);) {
		sum += c.ns;
		if (c.interval != -1 || c.unit || c.ns != ns(-1, 0, b.classes.v[c.class]))
			fail("cell of class %zu", c.class);
	}
	cmp_int(sum, CALLS * 3, "every call is in a class");
	cmp_int(ns(-1, 0, "other"), (CALLS - ROOM + BREAKDOWN_OTHER + 1) * 3, "the last are other");
	breakdown_free(&b);
}

int main(void)
{
	test_many_classes();
	test_intervals();
	test_classes();
	test_growth();
	return done_testing();
}
