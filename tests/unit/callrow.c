/* SPDX-License-Identifier: MIT */
/* Tests of rows of calls: their order and memory, and calls as text. */
#include "view/callrow.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "trace/reorder.h"
#include "util/xalloc.h"

#include "../random.h"
#include "../tap.h"
#include "calls.h"

/* Rows end in the order in which they are pushed, and began up to spread earlier.  Some are long.
 */
static uint64_t run_order(size_t window, int64_t spread, unsigned *wrong)
{
	enum { ROWS = 20011 };
	char *longer = xasprintf("%0*d", 100000, 1);
	struct reorder o = { .window = window };
	struct callrow_pool pool = { 0 };
	struct callrow *row;
	int64_t last = INT64_MIN;
	uint64_t late = 0, out = 0;

	for (int64_t i = 0; i < ROWS + 1; i++) {
		if (i < ROWS) {
			int64_t duration = below(spread);
			struct event e = call("read", i * 10 - duration, duration, 0);
			const char *const texts[CALLROW_TEXTS] = { "program", i % 1000 == 7
										  ? longer
										  : "arguments" };

			row = callrow_new(&pool, &e, texts);
			reorder_push(&o, row->time, (uint64_t)i, row->size, row);
		}
		while ((row = reorder_pop(&o, i == ROWS))) {
			late += row->time < last;
			if (row->time > last)
				last = row->time;
			*wrong += strcmp(callrow_text(row, CALLROW_PROGRAM), "program") ||
				  (strcmp(callrow_text(row, CALLROW_ARGUMENTS), "arguments") &&
				   strcmp(callrow_text(row, CALLROW_ARGUMENTS), longer));
			out++;
			callrow_free(&pool, row);
		}
	}
	*wrong += out != ROWS || late != o.late;
	reorder_free(&o);
	callrow_pool_free(&pool);
	free(longer);
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

static struct object_names objects;
static struct text text;

static void is_arguments(const struct event *e, const char *want, const char *what)
{
	text.n = 0;
	arguments_put(&text, &objects, syscall_native_abi(), e);
	is_string(text.v, want, "%s", what);
}

static void test_arguments(void)
{
	const struct event file = { .type = EVENT_FD, .fd = { 5, FD_FILE, "/etc/passwd" } },
			   nameless = { .type = EVENT_FD, .fd = { 6, FD_FILE, "" } };
	struct event e = call("read", 0, 1, 1024);

	object_names_event(&objects, &file);
	object_names_event(&objects, &nameless);
	e.call.args[0] = 3;
	e.call.args[1] = 0x7fff0000;
	e.call.args[2] = 4096;
	e.call.object = 5;
	e.call.kind = FD_FILE;
	is_arguments(&e, "3</etc/passwd>, ..., 4096", "descriptor, pointer, size");
	e.call.object = 6;
	is_arguments(&e, "3<file>, ..., 4096", "an object without a name shows its kind");
	e = call("openat", 0, 1, 3);
	e.call.args[0] = (uint64_t)AT_FDCWD;
	e.call.args[2] = O_CREAT | O_WRONLY;
	e.call.args[3] = 0644;
	e.call.path = "/tmp/x";
	is_arguments(&e, "AT_FDCWD, \"/tmp/x\", O_WRONLY|O_CREAT, 0644",
		     "directory, path, flags, mode");
	e.call.text = "as it was";
	is_arguments(&e, "as it was", "text of the source comes first");
	text_free(&text);
	object_names_free(&objects);
}

static void test_connection(enum fd_kind kind, const char *want)
{
	const struct event fd = { .type = EVENT_FD, .fd = { 7, kind, "socket:[1]" } };
	struct event ends = { .type = EVENT_ADDRESS,
			      .address = {
				  7, { 4, { 192, 0, 2, 1 }, 80 }, { 4, { 192, 0, 2, 7 }, 5000 } } };
	struct event e = call("read", 0, 1, 1024);

	object_names_event(&objects, &fd);
	object_names_event(&objects, &ends);
	ends.address.remote.length = 0;
	object_names_event(&objects, &ends);
	e.call.object = 7;
	is_string(object_names_find(&objects, &e), want,
		  "a connection is named by its addresses, if both are known");
	object_names_free(&objects);
}

static void test_results(void)
{
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

	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
		is_string(result_format(out, syscall_by_name(results[i].call), results[i].flags,
					results[i].result),
			  results[i].want, "result");
}

int main(void)
{
	test_order();
	test_arguments();
	test_connection(FD_TCP, "tcp:[192.0.2.1:80->192.0.2.7:5000]");
	test_connection(FD_UDP, "udp:[192.0.2.1:80->192.0.2.7:5000]");
	test_results();
	return done_testing();
}
