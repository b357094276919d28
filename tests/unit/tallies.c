/* SPDX-License-Identifier: MIT */
/* Calls that the kernel only counts: each is stored once, however often its kind is looked at. */
#include "record/stream/tallies.h"

#include <string.h>

#include "../tap.h"
#include "trace/syscalls.h"

static struct record_tally kernel; /* of the only kind */
static bool has_kind;
static struct {
	uint64_t calls;
	int64_t ns, least, most, bytes;
	int64_t end; /* of the last */
} seen;

static bool take_tally(void *arg, const struct record_kind *kind, struct record_tally *tally,
		       bool keep)
{
	bool had = has_kind;

	(void)arg, (void)kind;
	*tally = kernel;
	has_kind &= keep;
	return had;
}

static void take_event(void *arg, const struct event *e)
{
	int64_t n = (int64_t)event_calls(e);

	(void)arg;
	if (e->type != EVENT_SYSCALL)
		return;
	if (!seen.calls || e->call.duration < seen.least)
		seen.least = e->call.duration;
	if (e->call.duration > seen.most)
		seen.most = e->call.duration;
	seen.end = e->time + e->call.duration;
	seen.calls += (uint64_t)n;
	seen.ns += n * e->call.duration;
	seen.bytes += n * (int64_t)e->call.result;
}

static void count(unsigned long long ns, unsigned long long bytes)
{
	unsigned i = record_time(ns);

	kernel.times[i].calls++;
	kernel.times[i].ns += ns;
	kernel.size += bytes;
	if (!kernel.least || ns < kernel.least)
		kernel.least = ns;
	if (ns > kernel.most)
		kernel.most = ns;
}

static void begin(struct tallies *a, struct sink *sink)
{
	const struct record_kind kind = { .tid = 7 };
	const struct event first = {
		.type = EVENT_SYSCALL, .pid = 7, .tid = 7, .call = { .id = syscall_by_name("read") }
	};

	memset(&kernel, 0, sizeof(kernel));
	memset(&seen, 0, sizeof(seen));
	has_kind = true;
	*a = (struct tallies){ .sink = sink, .take = take_tally };
	tallies_add(a, &kind, &first);
}

static void is_seen(uint64_t calls, int64_t ns, int64_t bytes, const char *what)
{
	cmp_int((int64_t)seen.calls, (int64_t)calls, "%s: calls", what);
	cmp_int(seen.ns, ns, "%s: ns", what);
	cmp_int(seen.bytes, bytes, "%s: bytes", what);
}

int main(void)
{
	struct sink sink;
	struct tallies a;

	sink_begin(&sink, NULL, take_event, NULL);
	begin(&a, &sink);
	count(100, 10), count(110, 11), count(111, 11), count(1000, 12);
	cmp_int((int64_t)tallies_store(&a, 7, 5000), 4, "at once: four calls");
	is_seen(4, 1321, 44, "at once");
	cmp_int(seen.end, 5000, "at once: they end when they are stored");
	cmp_int(seen.least, 100, "at once: the shortest is exact");
	cmp_int(seen.most, 1000, "at once: the longest is exact");
	cmp_int((int64_t)tallies_store(&a, 7, 5000), 0, "they are gone");
	tallies_free(&a);

	begin(&a, &sink);
	count(100, 10), count(1000, 12);
	cmp_int((int64_t)tallies_store_so_far(&a, 5000), 2, "so far: two calls");
	is_seen(2, 1100, 22, "so far");
	cmp_int((int64_t)tallies_store_so_far(&a, 5000), 0, "again: none");
	is_seen(2, 1100, 22, "again");
	count(100, 9), count(1000, 13), count(50000, 14);
	cmp_int((int64_t)tallies_store_so_far(&a, 6000), 3, "later: three more");
	is_seen(5, 52200, 58, "later");
	count(300, 1);
	memset(&seen, 0, sizeof(seen));
	cmp_int((int64_t)tallies_store_all(&a, 7000), 1, "at the end: the last");
	is_seen(1, 300, 1, "at the end");
	cmp_int(seen.least, 300, "at the end: the extremes of those before are not among them");
	tallies_free(&a);
	sink_end(&sink);
	done_testing();
}
