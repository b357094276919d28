/* SPDX-License-Identifier: MIT */
/* Tests of what the views of ktranal are made of: tallies, order of time, processes, calls as text.
 */
#include "view/callrow.c"
#include "view/processes.c"
#include "trace/reorder.h"
#include "view/tally.c"

#include "../tap.h"

/* xorshift64 */
static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static struct event call(const char *name, int64_t time, int64_t duration, int64_t result)
{
	return (struct event){
		.type = EVENT_SYSCALL,
		.pid = 10,
		.tid = 11,
		.time = time,
		.call = { .id = syscall_by_name(name), .duration = duration, .result = result }
	};
}

static void test_tally(void)
{
	enum { CALLS = 10007 };
	struct tally t = { 0 };
	double sum = 0, squares = 0;
	static double values[CALLS];

	struct event none = call("read", 0, -1, -2);
	tally_add(&t, &none);
	ok(t.calls == 1 && t.errors == 1 && isnan(tally_seconds(&t, TALLY_TOTAL)) &&
	       isnan(tally_seconds(&t, TALLY_MIN)) && isnan(tally_seconds(&t, TALLY_MEAN)) &&
	       isnan(tally_seconds(&t, TALLY_P50)),
	   "a call without a duration has no time, but counts");
	/* Far from 0 and close together: the sum of squares would cancel. */
	for (int i = 0; i < CALLS; i++) {
		struct event e =
		    call("read", 0, (int64_t)1e12 + (int64_t)(next_random() % 1000), 1);

		values[i] = (double)e.call.duration;
		sum += values[i];
		tally_add(&t, &e);
		if (i == 0)
			ok(isnan(tally_seconds(&t, TALLY_DEVIATION)), "one value has no deviation");
	}
	for (int i = 0; i < CALLS; i++)
		squares += (values[i] - sum / CALLS) * (values[i] - sum / CALLS);
	ok(t.calls == CALLS + 1 && t.timed == CALLS && t.errors == 1, "counts");
	cmp_near(tally_seconds(&t, TALLY_TOTAL), sum * 1e-9, 1e-12, "total");
	cmp_near(tally_seconds(&t, TALLY_MEAN), sum / CALLS * 1e-9, 1e-12, "mean");
	cmp_near(tally_seconds(&t, TALLY_DEVIATION), sqrt(squares / (CALLS - 1)) * 1e-9, 1e-6,
		 "deviation");
	ok(tally_seconds(&t, TALLY_MIN) >= 1e3 && tally_seconds(&t, TALLY_MAX) < 1e3 + 1e-6 &&
	       tally_seconds(&t, TALLY_MIN) < tally_seconds(&t, TALLY_MAX),
	   "extremes");
	ok(tally_seconds(&t, TALLY_P50) >= tally_seconds(&t, TALLY_MIN) &&
	       tally_seconds(&t, TALLY_P99) <= tally_seconds(&t, TALLY_MAX),
	   "quantiles stay between the extremes");
	tally_free(&t);
}

/* Rows end in the order in which they are pushed, and began up to spread earlier. */
static uint64_t run_order(size_t window, int64_t spread, unsigned *wrong)
{
	enum { ROWS = 20011 };
	struct reorder o = { .window = window };
	struct callrow *row;
	int64_t last = INT64_MIN;
	uint64_t late = 0, out = 0;

	for (int64_t i = 0; i < ROWS + 1; i++) {
		if (i < ROWS) {
			int64_t duration = (int64_t)(next_random() % (uint64_t)spread);
			struct event e = call("read", i * 10 - duration, duration, 0);

			row = callrow_new(&e, (uint64_t)i, "program", "arguments");
			reorder_push(&o, row->time, row->sequence, row->size, row);
		}
		while ((row = reorder_pop(&o, i == ROWS))) {
			late += row->time < last;
			if (row->time > last)
				last = row->time;
			*wrong += strcmp(callrow_program(row), "program") ||
				  strcmp(callrow_arguments(row), "arguments");
			out++;
			free(row);
		}
	}
	*wrong += out != ROWS || late != o.late;
	reorder_free(&o);
	return late;
}

static void test_order(void)
{
	unsigned wrong = 0;

	cmp_int(run_order(SIZE_MAX, 100000, &wrong), 0, "a window for all: the order is right");
	cmp_int(run_order(1 << 20, 10000, &wrong), 0, "a window for the longest call: it still is");
	uint64_t late = run_order(1000, 100000, &wrong);
	ok(late > 0, "a small window: %llu rows are late", (unsigned long long)late);
	cmp_int(wrong, 0, "and counted, no row is lost or damaged");
}

static void test_processes(void)
{
	struct processes p = { 0 };
	struct event e = { .type = EVENT_SYSCALL, .pid = 10 };

	processes_begin(&p, "'/opt/my server/bin/my server' -f x");
	cmp_int(processes_event(&p, &e), 0, "the first process");
	is_string(processes_name(&p, 0), "my server", "takes the name of the command");
	e = (struct event){ .type = EVENT_FORK, .pid = 10, .fork = { 11, 11, false } };
	processes_event(&p, &e);
	e = (struct event){ .type = EVENT_SYSCALL, .pid = 11 };
	is_string(processes_name(&p, processes_event(&p, &e)), "my server", "a child inherits it");
	e = (struct event){ .type = EVENT_EXEC, .pid = 11, .exec = { "/bin/ls -l" } };
	cmp_int(processes_event(&p, &e), 1, "exec keeps the process");
	is_string(processes_name(&p, 1), "ls", "and changes the name");
	e = (struct event){ .type = EVENT_FORK, .pid = 10, .fork = { 10, 12, false } };
	processes_event(&p, &e);
	cmp_int(p.n, 2, "a thread is no process");
	e = (struct event){ .type = EVENT_FORK, .pid = 10, .fork = { 11, 11, false } };
	processes_event(&p, &e);
	e = (struct event){ .type = EVENT_SYSCALL, .pid = 11 };
	cmp_int(processes_event(&p, &e), 2, "a pid that is used again is another process");
	is_string(processes_name(&p, 1), "ls", "the earlier one keeps its name");
	processes_begin(&p, "");
	cmp_int(processes_event(&p, &e), 3, "another trace, other processes");
	is_string(processes_name(&p, 3), "", "of unknown name");
	processes_free(&p);
}

static void test_call_text(void)
{
	struct object_names objects = { 0 };
	struct event e = { .type = EVENT_FD, .fd = { 5, FD_FILE, "/etc/passwd" } };
	static const struct {
		const char *call, *want;
		unsigned flags;
		int64_t result;
	} results[] = {
		{ "read", "1024", 0, 1024 },
		{ "read", "-1 EAGAIN", 0, -11 },
		{ "read", "-1 (errno 4000)", 0, -4000 },
		{ "read", "?", CALL_UNFINISHED, 0 },
		{ "mmap", "0x7f0000001000", 0, 0x7f0000001000 },
		{ "mmap", "-1 ENOMEM", 0, -12 },
	};
	char out[RESULT_MAX];

	object_names_event(&objects, &e);
	e = call("read", 0, 1, 1024);
	e.call.args[0] = 3;
	e.call.args[1] = 0x7fff0000;
	e.call.args[2] = 4096;
	e.call.object = 5;
	e.call.kind = FD_FILE;
	char *s = arguments_format(&objects, &e);
	is_string(s, "3</etc/passwd>, ..., 4096", "descriptor, pointer, size");
	free(s);
	e.call.object = 6;
	s = arguments_format(&objects, &e);
	is_string(s, "3<file>, ..., 4096", "an object without a name shows its kind");
	free(s);
	e = call("openat", 0, 1, 3);
	e.call.args[0] = (uint64_t)AT_FDCWD;
	e.call.args[2] = O_CREAT | O_WRONLY;
	e.call.args[3] = 0644;
	e.call.path = "/tmp/x";
	s = arguments_format(&objects, &e);
	is_string(s, "AT_FDCWD, \"/tmp/x\", 0x41, 0644", "directory, path, flags, mode");
	free(s);
	e.call.text = "as it was";
	s = arguments_format(&objects, &e);
	is_string(s, "as it was", "text of the source comes first");
	free(s);
	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
		is_string(result_format(out, syscall_by_name(results[i].call), results[i].flags,
					results[i].result),
			  results[i].want, "result");
	object_names_free(&objects);
}

int main(void)
{
	test_tally();
	test_order();
	test_processes();
	test_call_text();
	return done_testing();
}
