/* SPDX-License-Identifier: MIT */
/* Tests of the profile of a run: calls come out exactly, each counted once; sizes in bounded
 * memory. */
#include "vector/profile.c"

#include <errno.h>
#include <fcntl.h>

#include "../tap.h"

static const char rules[] = "@null lat_null\n@user cpu\n@wake lat_wake\n@fault lat_fault\n"
			    "@fault.read lat_around\n@fault.copy lat_copy\n"
			    "read tcp if=EAGAIN -> lat_try\n"
			    "read,recvfrom tcp size=ret -> lat_recv_tcp_*\n"
			    "write tcp size=ret -> lat_send_tcp_*\n"
			    "fsync file size=4k -> wait lat_fsync_* - 0.5 lat_send_tcp_*\n"
			    "close tcp -> counted lat_accept_tcp\n"
			    "accept4 tcp -> lat_accept_tcp\n"
			    "munmap - size=arg1 -> lat_mmap_*\n"
			    "exit_group - -> counted lat_proc\n";

static void add_calls(struct profile *p, int n, const char *name, enum fd_kind kind, int64_t result,
		      int64_t duration)
{
	struct event e = { .type = EVENT_SYSCALL,
			   .pid = 10,
			   .tid = 11,
			   .time = 1000,
			   .call = { .id = syscall_by_name(name),
				     .kind = kind,
				     .result = result,
				     .duration = duration } };

	while (n--)
		profile_add(p, &e);
}

static const struct appvec_item *item_of(const struct appvec_trace *r, const char *entry,
					 enum part part, bool fallback)
{
	for (size_t i = 0; i < r->nitems; i++)
		if (!strcmp(r->items[i].entry, entry) && r->items[i].part == part &&
		    r->items[i].fallback == fallback)
			return &r->items[i];
	fail("no item %s", entry);
	exit(1);
}

static void check_sums(const struct appvec_trace *r)
{
	double calls = 0, time = 0, fallback = 0, unmapped = 0;

	for (size_t i = 0; i < r->nitems; i++) {
		const struct appvec_item *item = &r->items[i];
		double bytes = 0, sized = 0;

		/* The second term of fsync's rule is no further call. */
		if (item->weight > 0) {
			calls += item->calls;
			time += item->time;
		}
		if (item->fallback)
			fallback += item->calls;
		for (size_t k = 0; k < item->nsizes; k++) {
			bytes += item->sizes[k].calls * item->sizes[k].size;
			sized += item->sizes[k].calls;
		}
		if (item->nsizes)
			ok(bytes == item->bytes && sized == item->calls, "%s: sizes add up",
			   item->entry);
	}
	for (size_t i = 0; i < r->nunmapped; i++)
		unmapped += r->unmapped[i].calls;
	cmp_near(calls, r->calls, 0, "mapped and fallback are all calls");
	cmp_near(time, r->call_time, 1e-12, "and all time");
	cmp_near(fallback, r->calls - r->mapped_calls, 0, "fallback is what is not mapped");
	cmp_near(unmapped, fallback, 0, "and is listed by call");
}

static void test_counts(struct profile *p)
{
	struct appvec_trace r;

	add_calls(p, 1009, "read", FD_TCP, 5, 2000);
	add_calls(p, 211, "recvfrom", FD_TCP, 7, 3000);
	add_calls(p, 307, "read", FD_TCP, -EAGAIN, 100);
	add_calls(p, 13, "read", FD_TCP, -ECONNRESET, 100);
	for (int64_t size = 1; size <= 101; size++)
		add_calls(p, 1, "write", FD_TCP, size, 10);
	add_calls(p, 17, "fsync", FD_FILE, 0, 1000000);
	add_calls(p, 19, "accept4", FD_TCP, 9, 500);
	add_calls(p, 19, "close", FD_TCP, 0, 400);
	add_calls(p, 23, "getpid", FD_UNKNOWN, 10, 50);
	add_calls(p, 29, "read", FD_PIPE, 1, 60);
	add_calls(p, 3, "exit_group", FD_UNKNOWN, 0, -1);
	struct event e = { .type = EVENT_SYSCALL,
			   .pid = 12,
			   .tid = 12,
			   .time = 2000000,
			   .call = { .id = syscall_by_name("munmap"), .flags = CALL_NO_ARGS } };
	for (int i = 0; i < 31; i++)
		profile_add(p, &e);
	e.call.flags = CALL_UNFINISHED;
	for (int i = 0; i < 37; i++)
		profile_add(p, &e);
	e = (struct event){ .type = EVENT_LOST, .lost = { .count = 41 } };
	profile_add(p, &e);
	profile_trace(p, &r);

	cmp_near(r.calls, 1009 + 211 + 307 + 13 + 101 + 17 + 2 * 19 + 23 + 29 + 3 + 31, 0, "calls");
	cmp_near(r.calls - r.mapped_calls, 23 + 29 + 31, 0, "fell back");
	ok(r.unfinished == 37 && r.lost == 41 && r.processes == 2 && r.threads == 2,
	   "unfinished, lost, processes, threads");
	const struct appvec_item *recv = item_of(&r, "lat_recv_tcp_*", PART_KERNEL, false);
	ok(recv->calls == 1009 + 211 + 13 && recv->bytes == 1009 * 5 + 211 * 7, "receive");
	is_string(recv->from, "read recvfrom", "from two calls");
	cmp_int(recv->nsizes, 3, "sizes 0, 5, 7");
	const struct appvec_item *send = item_of(&r, "lat_send_tcp_*", PART_KERNEL, false);
	ok(send->calls == 101 && send->bytes == 101 * 102 / 2 && send->nsizes < 32,
	   "101 sizes in %zu classes", send->nsizes);
	const struct appvec_item *sync = item_of(&r, "lat_fsync_*", PART_WAIT, false);
	ok(sync->calls == 17 && sync->time == 0.017 && sync->sizes[0].size == 4096, "wait");
	const struct appvec_item *minus = item_of(&r, "lat_send_tcp_*", PART_WAIT, false);
	ok(minus->weight == -0.5 && minus->calls == 17 && minus->time == 0, "subtracted");
	ok(item_of(&r, "lat_accept_tcp", PART_COUNTED, false)->calls == 19 &&
	       item_of(&r, "lat_accept_tcp", PART_KERNEL, false)->calls == 19,
	   "counted elsewhere");
	cmp_near(item_of(&r, "lat_proc", PART_COUNTED, false)->calls, 3, 0, "exits count as calls");
	ok(item_of(&r, "lat_null", PART_KERNEL, true)->calls == 83, "the null entry stands in");
	ok(r.nunmapped == 3 && !strcmp(r.unmapped[0].call, "read pipe") &&
	       r.unmapped[0].calls == 29 && !strcmp(r.unmapped[1].call, "getpid"),
	   "listed by time: %s, %s, %s", r.unmapped[0].call, r.unmapped[1].call,
	   r.unmapped[2].call);
	ok(isnan(r.run.user) && isnan(r.run.voluntary) && isnan(r.run.minor_faults),
	   "what no process reported is unknown");
	check_sums(&r);
	appvec_trace_free(&r);
}

static void test_times(struct profile *p)
{
	struct appvec_trace r;
	struct event e = { .type = EVENT_COUNTER,
			   .time = 5000000,
			   .counter = { .name = "minor_faults", .value = 43 } };

	profile_add(p, &e);
	profile_add(p, &e);
	e.counter.name = "major_faults";
	profile_add(p, &e);
	e.counter.value = NAN;
	profile_add(p, &e);
	e.counter.name = "wakeups";
	profile_add(p, &e);
	e.counter.value = 3;
	profile_add(p, &e);
	profile_add(p, &e);
	e.counter.name = "user";
	e.counter.value = -1;
	profile_add(p, &e);
	e = (struct event){
		.type = EVENT_SWITCH, .pid = 10, .tid = 11, .time = 47000, .change = { .out = true }
	};
	profile_add(p, &e);
	e.change.preempted = true;
	profile_add(p, &e);
	e.change.out = false;
	profile_add(p, &e);
	profile_trace(p, &r);
	cmp_near(r.run.minor_faults, 86, 0, "counters add up");
	ok(isnan(r.run.user), "a negative one is none");
	ok(isnan(r.run.major_faults), "one that is not known makes the sum unknown");
	ok(r.run.voluntary == 1 && r.run.involuntary == 1, "switches");
	const struct appvec_item *wakes = item_of(&r, "lat_wake", PART_KERNEL, false);
	ok(wakes && wakes->calls == 6 && wakes->weight == 1 && wakes->time == 0, "wake-ups");
	const struct appvec_item *no_call = item_of(&r, "lat_null", PART_KERNEL, false);
	ok(no_call && no_call->calls == 6 && no_call->weight == -1, "are no calls of their own");
	cmp_near(r.run.wall, 0.005, 1e-9, "from the first start to the last end");
	appvec_trace_free(&r);
}

/* Two processes sleep, of which one has a second thread. */
static void test_asleep(struct basis *b)
{
	struct profile *p = profile_new(b);
	struct appvec_trace r;
	struct event e = { .type = EVENT_COUNTER,
			   .pid = 10,
			   .tid = 11,
			   .counter = { .name = "user", .value = 0.001 } };

	add_calls(p, 2, "clock_nanosleep", FD_UNKNOWN, 0, 5000000);
	add_calls(p, 1, "nanosleep", FD_UNKNOWN, -EINTR, 2000000);
	add_calls(p, 1, "read", FD_TCP, 1, 30000000);
	profile_trace(p, &r);
	cmp_near(r.asleep, 0.012, 1e-12, "asleep as it wished, if not for as long");
	appvec_trace_free(&r);
	e.time = 20000;
	profile_add(p, &e);
	e.counter.name = "system";
	e.counter.value = 0.02;
	profile_add(p, &e);
	profile_trace(p, &r);
	cmp_near(r.asleep, 0.030 - 0.021, 1e-12, "not when somebody has the CPU");
	appvec_trace_free(&r);
	e = (struct event){ .type = EVENT_SWITCH, .pid = e.pid, .tid = 12, .time = e.time };
	profile_add(p, &e);
	profile_trace(p, &r);
	cmp_near(r.asleep, 0, 0, "nor if another thread may work meanwhile");
	appvec_trace_free(&r);
	profile_free(p);
	p = profile_new(b);
	e = (struct event){ .type = EVENT_SYSCALL,
			    .call = { .id = syscall_by_name("nanosleep"), .duration = 3000 } };
	profile_add(p, &e);
	profile_trace(p, &r);
	cmp_near(r.asleep, 3e-6, 1e-15, "a trace without numbers of processes is of one");
	appvec_trace_free(&r);
	profile_free(p);
}

/* Beside any number of other items: their array moves when it grows. */
static void test_uncalled(struct basis *b, const struct event *e, const char *entry, double calls,
			  const char *from)
{
	static const char *const others[] = { "recvfrom", "write", "accept4", "munmap", "getpid" };

	for (size_t n = 0; n <= sizeof(others) / sizeof(*others); n++) {
		struct profile *p = profile_new(b);
		struct appvec_trace r;

		for (size_t i = 0; i < n; i++)
			add_calls(p, 1, others[i], FD_TCP, 1, 1000);
		profile_add(p, e);
		profile_trace(p, &r);
		const struct appvec_item *item = item_of(&r, entry, PART_KERNEL, false);
		ok(item->calls == calls && item->weight == 1 && !strcmp(item->from, from),
		   "%s beside %zu others", from, n);
		cmp_near(r.calls, (double)n, 0, "it is no call");
		appvec_trace_free(&r);
		profile_free(p);
	}
}

static void test_faults_and_wakeups(struct basis *b)
{
	struct profile *p = profile_new(b);
	struct event e = { .type = EVENT_FAULT, .pid = 10, .tid = 11 };
	struct appvec_trace r;

	e.fault.kind = FAULT_WRITE;
	profile_add(p, &e);
	e.fault.kind = FAULT_KINDS; /* of a newer version */
	profile_add(p, &e);
	profile_trace(p, &r);
	cmp_int(r.nitems, 0, "faults of other kinds are left to @fault");
	appvec_trace_free(&r);
	profile_free(p);
	p = profile_new(b);
	for (int i = 0; i < 6; i++) {
		e.fault.kind = i < 4 ? FAULT_READ : FAULT_COPY;
		profile_add(p, &e);
	}
	profile_add(p, &(struct event){ .type = EVENT_COUNTER,
					.pid = 10,
					.tid = 11,
					.counter = { .name = "minor_faults", .value = 3 } });
	profile_trace(p, &r);
	cmp_near(item_of(&r, "lat_around", PART_KERNEL, false)->calls, 2, 1e-12,
		 "of six faults three were minor ones");
	cmp_near(item_of(&r, "lat_copy", PART_KERNEL, false)->calls, 1, 1e-12, "of each kind half");
	appvec_trace_free(&r);
	profile_free(p);
	e.fault.kind = FAULT_READ;
	test_uncalled(b, &e, "lat_around", 1, "(faults)");
	e.fault.kind = FAULT_COPY;
	test_uncalled(b, &e, "lat_copy", 1, "(faults)");
	e = (struct event){ .type = EVENT_COUNTER,
			    .pid = 10,
			    .tid = 11,
			    .counter = { .name = "wakeups", .value = 6 } };
	test_uncalled(b, &e, "lat_wake", 6, "(wakeups)");
}

static void test_without_times(struct basis *b)
{
	struct profile *p = profile_new(b);
	struct appvec_trace r;

	add_calls(p, 5, "read", FD_TCP, 1, -1);
	profile_trace(p, &r);
	ok(r.calls == 5 && isnan(r.call_time) && isnan(r.run.wall) && isnan(r.items[0].time),
	   "a trace without durations has no times");
	ok(isnan(r.asleep), "nor sleep");
	appvec_trace_free(&r);
	add_calls(p, 5, "read", FD_TCP, 1, INT64_MAX);
	profile_trace(p, &r);
	ok(isfinite(r.call_time) && r.call_time > 0, "absurd durations stay finite");
	appvec_trace_free(&r);
	profile_free(p);
}

static void test_weights(struct basis *b)
{
	struct profile *p = profile_new(b);
	unsigned read = syscall_by_name("read");
	double(*weights)[OUTCOMES] = calloc(read + 1, sizeof(*weights));
	struct appvec_trace r;

	for (unsigned i = 0; i <= read; i++)
		weights[i][OUTCOME_DONE] = 2.5, weights[i][OUTCOME_FAILED] = 0.5;
	profile_weigh(p, weights, read + 1);
	free(weights);
	add_calls(p, 7, "read", FD_TCP, 3, 100);
	profile_trace(p, &r);
	const struct appvec_item *item = item_of(&r, "lat_recv_tcp_*", PART_KERNEL, false);
	ok(r.calls == 17.5 && r.mapped_calls == 17.5 && item->calls == 17.5 &&
	       item->bytes == 52.5 && item->nsizes == 1 && item->sizes[0].calls == 17.5 &&
	       item->sizes[0].size == 3,
	   "7 calls that count as 2.5 each");
	cmp_near(r.call_time, 1750e-9, 1e-15, "so does their time");
	appvec_trace_free(&r);
	struct event several = { .type = EVENT_SYSCALL,
				 .call = { .id = read,
					   .kind = FD_TCP,
					   .result = 4,
					   .duration = 200,
					   .flags = CALL_SEVERAL,
					   .more = 9 } };
	profile_add(p, &several);
	profile_trace(p, &r);
	item = item_of(&r, "lat_recv_tcp_*", PART_KERNEL, false);
	ok(r.calls == 42.5 && item->calls == 42.5 && item->bytes == 152.5,
	   "an event that stands for 10 calls adds 25");
	cmp_near(r.call_time, 6750e-9, 1e-15, "and their time");
	appvec_trace_free(&r);
	add_calls(p, 11, "read", FD_TCP, -EAGAIN, 100);
	profile_trace(p, &r);
	item = item_of(&r, "lat_recv_tcp_*", PART_KERNEL, false);
	ok(item_of(&r, "lat_try", PART_KERNEL, false)->calls == 5.5 && item->calls == 42.5,
	   "11 calls that failed count as half a call each, and no other does");
	appvec_trace_free(&r);
	profile_free(p);
}

static void read_counters(struct profile *p, double ns, const char *name, double value)
{
	struct event e = {
		.type = EVENT_COUNTER, .pid = 10, .tid = 11, .counter = { "cpu_ns", ns }
	};

	profile_add(p, &e);
	e.counter.name = name;
	e.counter.value = value;
	profile_add(p, &e);
}

/* Events of which one has a turn while the other has not. */
static void test_events(struct basis *b)
{
	struct profile *p = profile_new(b);
	struct formula_file f;
	struct error e = { "" };
	double all[APPVEC_EVENTS];
	unsigned modes[APPVEC_EVENTS];

	if (!ok(!formulas_read(&f, "conf/events.conf", &e), "conf/events.conf %s", e.text))
		return;
	profile_count_events(p, f.stacks.v);
	read_counters(p, 100, "perf::PERF_COUNT_HW_INSTRUCTIONS:u", 50);
	read_counters(p, 300, "skl::BR_MISP_RETIRED:ALL_BRANCHES", 6);
	read_counters(p, 100, "instructions", 70);
	read_counters(p, 500, "PERF_COUNT_SW_PAGE_FAULTS", 9);
	profile_events(p, all, modes);
	cmp_near(all[1], 120 * 1000.0 / 200, 1e-12, "instructions, counted in a fifth of the time");
	cmp_near(all[3], 6 * 1000.0 / 300, 1e-12, "mispredicted branches, in three tenths");
	ok(isnan(all[0]) && isnan(all[2]), "what was not counted is not known");
	is_string(counts_modes(modes[1]), "all", "counted in user mode, and in all");
	profile_free(p);
	formulas_free(&f);
}

static void test_few_sizes(void)
{
	struct sizes s = { 0 };
	size_t n;

	ok(!sizes_rows(&s, &n) && n == 0, "nothing has no rows");
	for (uint64_t i = 0; i < SIZES_EXACT; i++)
		for (uint64_t k = 0; k <= i; k++)
			sizes_add(&s, 1000003 * (SIZES_EXACT - i), 1);
	struct appvec_size *rows = sizes_rows(&s, &n);
	cmp_int(n, SIZES_EXACT, "as many rows as sizes");
	size_t wrong = 0;
	for (size_t i = 0; i < n; i++)
		wrong += rows[i].size != 1000003.0 * (double)(i + 1) ||
			 rows[i].calls != (double)(SIZES_EXACT - i);
	cmp_int(wrong, 0, "ascending, each with its own size and count");
	free(rows);
	vec_free(&s);
}

static void test_many_sizes(void)
{
	struct sizes s = { 0 };
	double calls = 0, sum = 0, worst = 1;
	size_t n;

	/* Every size up to 5000 and every power of two: more than 32 from the start. */
	for (uint64_t i = 0; i < 5000; i++)
		sizes_add(&s, i, 1);
	for (unsigned i = 0; i < 50; i++)
		sizes_add(&s, UINT64_C(1) << i, 3);
	struct appvec_size *rows = sizes_rows(&s, &n);
	ok(n < 4 * 64 + 1, "%zu rows", n);
	for (size_t i = 0; i < n; i++) {
		calls += rows[i].calls;
		sum += rows[i].calls * rows[i].size;
		if (i && !(rows[i].size > rows[i - 1].size))
			fail("row %zu is not above the one before", i);
		if (i && i + 1 < n && rows[i].size > 8 && rows[i + 1].size < 4096 &&
		    rows[i + 1].size / rows[i].size > worst)
			worst = rows[i + 1].size / rows[i].size;
	}
	cmp_near(calls, 5150, 0, "no call is lost");
	cmp_near(sum, 5000.0 * 4999 / 2 + 3 * (0x1p50 - 1), 1e-15, "the sum of the sizes is exact");
	ok(worst < 1.3, "neighbouring classes are at most a quarter of an octave apart (%.3f)",
	   worst);
	free(rows);
	sizes_add(&s, UINT64_MAX, 1);
	rows = sizes_rows(&s, &n);
	cmp_near(rows[n - 1].size, 0x1p64, 1e-15, "the largest size");
	free(rows);
	vec_free(&s);
}

/* Three opens with O_CREAT of one file, of which the second finds it. */
static void test_creating(void)
{
	static const char creating[] = "@null lat_null\n"
				       "openat.create - if=exists -> lat_open\n"
				       "openat.create - if=ok -> lat_create\n"
				       "unlink - -> lat_unlink\n";
	static const char *const calls[] = { "openat", "openat", "unlink", "openat" };
	struct error e = { "" };
	struct basis *b = basis_parse(creating, sizeof(creating) - 1, "b.conf", &e);

	if (!ok(b != NULL, "basis %s", e.text))
		return;
	struct profile *p = profile_new(b);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		profile_add(p, &(struct event){ .type = EVENT_SYSCALL,
						.call = { .id = syscall_by_name(calls[i]),
							  .args = { 0, 0, O_CREAT },
							  .object = 1,
							  .path = "log" } });
	struct appvec_trace r = { 0 };
	profile_trace(p, &r);
	cmp_near(item_of(&r, "lat_open", PART_KERNEL, false)->calls, 1, 0, "opened once");
	cmp_near(item_of(&r, "lat_create", PART_KERNEL, false)->calls, 2, 0, "made twice");
	appvec_trace_free(&r);
	profile_free(p);
	basis_free(b);
}

int main(void)
{
	struct error e = { "" };
	struct basis *b = basis_parse(rules, sizeof(rules) - 1, "b.conf", &e);

	if (!ok(b != NULL, "basis %s", e.text))
		return done_testing();
	struct profile *p = profile_new(b);
	test_counts(p);
	test_times(p);
	profile_free(p);
	test_asleep(b);
	test_faults_and_wakeups(b);
	test_without_times(b);
	test_weights(b);
	test_creating();
	test_events(b);
	test_few_sizes();
	test_many_sizes();
	basis_free(b);
	return done_testing();
}
