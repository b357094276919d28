/* SPDX-License-Identifier: MIT */
/* Tests of the start of an application: of runs of two lengths, known sums come apart again. */
#include "vector/start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

#include "../tap.h"

/* What a run does once, and for each unit. */
enum { ONCE = 30, EACH = 7, SMALL = 2, FAILS = 5 };

/* A run of n units: calls of two sizes, of one of them for each unit; some that only the start
 * makes; some that only units make; and noise more of one kind. */
static char *text_of(double n, double noise)
{
	return xasprintf(
	    "{\"schema\": \"osvec-application/1\", \"name\": \"a\", \"units\": %.17g, \"unit\": "
	    "\"u\","
	    " \"basis\": \"b\", \"machine\": {}, \"user_entries\": [], \"switch_entry\": null,"
	    " \"fault_entry\": null, \"runs\": [{\"user\": %.17g, \"system\": %.17g, \"wall\": "
	    "null,"
	    " \"voluntary\": %.17g, \"involuntary\": 0, \"minor_faults\": 11, \"major_faults\": "
	    "0}],"
	    " \"traces\": [{\"trace\": \"t\", \"processes\": 3, \"threads\": 4, \"calls\": %.17g,"
	    " \"call_time\": null, \"mapped_calls\": %.17g, \"mapped_time\": null, \"lost\": 0,"
	    " \"unfinished\": 0, \"asleep\": %.17g, \"items\": ["
	    "{\"entry\": \"read_*\", \"weight\": 1, \"part\": \"kernel\", \"calls\": %.17g,"
	    " \"bytes\": %.17g, \"sizes\": [[64, %.17g], [4096, %d]], \"from\": \"read\"},"
	    "{\"entry\": \"execve\", \"weight\": 1, \"part\": \"kernel\", \"calls\": %.17g, "
	    "\"bytes\":"
	    " 0, \"from\": \"execve\"},"
	    "{\"entry\": \"send\", \"weight\": 2, \"part\": \"wait\", \"calls\": %.17g, \"bytes\": "
	    "0, \"time\": %.17g,"
	    " \"from\": \"send\"}],"
	    " \"unmapped\": [{\"call\": \"x\", \"calls\": %d, \"time\": %.17g}]}]}",
	    n, 0.5 + n * 1e-3, 0.25 + n * 2e-3, 3 + 4 * n,
	    ONCE + SMALL + (EACH + 1) * n + FAILS + noise, ONCE + SMALL + (EACH + 1) * n + noise,
	    0.5 + n * 1e-2, SMALL + ONCE + EACH * n, 64 * (EACH * n + SMALL) + 4096 * ONCE,
	    EACH * n + SMALL, ONCE, 1 + noise, n, 2e-3 * n, FAILS, 1e-3 * FAILS);
}

/* Ends text. */
static struct appvec *parse(char *text)
{
	struct error e = { "" };
	struct appvec *a = appvec_parse(text, strlen(text), "app.json", &e);

	free(text);
	if (!a) {
		fail("%s", e.text);
		exit(1);
	}
	return a;
}

static struct appvec *vector_of(double n, double noise)
{
	return parse(text_of(n, noise));
}

/* The same with a second trace. */
static struct appvec *vector_of_two(double n, double noise, double more)
{
	static const char before[] = "\"traces\": [";
	char *one = text_of(n, noise), *two = text_of(n, more);
	char *both =
	    xasprintf("%.*s, %s", (int)strlen(one) - 2, one, strstr(two, before) + strlen(before));

	free(one);
	free(two);
	return parse(both);
}

static const struct appvec_item *item_of(const struct appvec *a, const char *entry)
{
	for (size_t i = 0; i < a->traces[0].nitems; i++)
		if (!strcmp(a->traces[0].items[i].entry, entry))
			return &a->traces[0].items[i];
	return NULL;
}

static void check_units(const struct appvec *a)
{
	const struct appvec_item *read = item_of(a, "read_*"), *send = item_of(a, "send");

	cmp_near(a->units, 100, 0, "as many units as before");
	ok(read && read->nsizes == 1 && read->sizes[0].size == 64, "units read by one size alone");
	cmp_near(read->calls, 100 * EACH, 1e-9, "so often");
	cmp_near(read->bytes, 64 * 100 * EACH, 1e-6, "so much");
	ok(send && send->weight == 2 && send->part == PART_WAIT, "units wait");
	cmp_near(send->calls, 100, 1e-9, "once each");
	cmp_near(send->time, 0.2, 1e-12, "so long");
	ok(!item_of(a, "execve") && !a->traces[0].nunmapped, "no unit starts a program");
	cmp_near(a->runs[0].user, 0.1, 1e-12, "their user time");
	cmp_near(a->runs[0].system, 0.2, 1e-12, "their system time");
	cmp_near(a->runs[0].voluntary, 400, 1e-9, "their switches");
	ok(a->runs[0].minor_faults == 0 && isnan(a->runs[0].wall), "no faults, unknown wall time");
	ok(a->traces[0].processes == 3 && a->traces[0].threads == 4, "in the same processes");
	cmp_near(a->traces[0].mapped_calls, 100 * (EACH + 1), 1e-9, "calls that are mapped");
	cmp_near(a->traces[0].asleep, 1, 1e-9, "their sleep");
}

static void check_start(const struct appvec *a)
{
	const struct appvec_item *read = item_of(a, "read_*");

	ok(read && read->nsizes == 2, "the start reads by both sizes");
	cmp_near(read->sizes[0].calls, SMALL, 1e-9, "a few by the small one");
	cmp_near(read->sizes[1].calls, ONCE, 1e-9, "the others by the large one");
	ok(item_of(a, "execve")->calls == 1 && !item_of(a, "send"),
	   "it starts a program, and sends nothing");
	cmp_near(a->runs[0].user, 0.5, 1e-12, "its user time");
	cmp_near(a->traces[0].asleep, 0.5, 1e-12, "its sleep");
	cmp_near(a->runs[0].minor_faults, 11, 1e-9, "its faults");
	cmp_near(a->runs[0].voluntary, 3, 1e-9, "its switches");
	cmp_near(a->traces[0].unmapped[0].calls, FAILS, 1e-9, "its calls without an entry");
	cmp_near(a->traces[0].unmapped[0].time, 1e-3 * FAILS, 1e-9, "and their time");
}

/* What is written is read back. */
static struct appvec *again(struct appvec *a)
{
	char *path = xasprintf("%s/start.json", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	struct error e = { "" };
	struct appvec *b = appvec_write(a, path, &e) ? NULL : appvec_read(path, &e);

	ok(b && b->start, "written and read again %s", e.text);
	remove(path);
	free(path);
	appvec_free(a);
	return b;
}

/* Each trace has the start of the one beside it. */
static void test_two_traces(void)
{
	struct appvec *a = vector_of_two(100, 3, 5), *fewer = vector_of_two(10, 3, 5);
	struct error e = { "" };

	cmp_near(start_split(a, fewer, &e), 0, 0, "nothing is odd %s", e.text);
	for (size_t t = 0; t < 2; t++) {
		const struct appvec_trace *units = &a->traces[t], *start = &a->start->traces[t];
		double starts = 0;

		cmp_int(units->nitems, 2, "units read and send, in trace %zu", t);
		for (size_t i = 0; i < start->nitems; i++)
			if (!strcmp(start->items[i].entry, "execve"))
				starts += start->items[i].calls;
		cmp_near(starts, t ? 6 : 4, 1e-9, "programs started");
	}
	appvec_free(a);
	appvec_free(fewer);
}

static void test_split(void)
{
	struct appvec *a = vector_of(100, 0), *fewer = vector_of(10, 0);
	struct error e = { "" };

	cmp_near(start_split(a, fewer, &e), 0, 0, "nothing is odd %s", e.text);
	a = again(a);
	check_units(a);
	check_start(a->start);
	start_join(a);
	ok(!a->start && item_of(a, "execve") && item_of(a, "send"), "joined again");
	cmp_near(item_of(a, "read_*")->calls, ONCE + SMALL + 100 * EACH, 1e-9, "all calls");
	cmp_near(a->runs[0].user, 0.6, 1e-12, "all user time");
	cmp_near(a->traces[0].calls, ONCE + SMALL + 100 * (EACH + 1) + FAILS, 1e-9, "none twice");
	start_join(a);
	cmp_near(a->runs[0].user, 0.6, 1e-12, "which is whole already");
	start_split(a, fewer, &e);
	start_only(a);
	check_start(a);
	ok(a->units == 1 && !strcmp(a->unit, "start") && !a->start,
	   "the start is a unit of its own");
	appvec_free(a);
	appvec_free(fewer);
}

static void refused(struct appvec *a, struct appvec *fewer, const char *want)
{
	struct error e = { "" };

	ok(start_split(a, fewer, &e) < 0 && strstr(e.text, want) && !a->start, "refused: %s",
	   e.text);
	appvec_free(a);
	appvec_free(fewer);
}

static void test_refusals(void)
{
	struct appvec *a, *b;
	struct error e;

	refused(vector_of(100, 0), vector_of(51, 0), "at most half");
	a = vector_of(100, 0);
	a->unit[0] = 'v';
	refused(a, vector_of(10, 0), "at most half");
	a = vector_of(100, 0);
	a->basis[0] = 'c';
	refused(a, vector_of(10, 0), "mapped by b");
	a = vector_of(100, 0);
	a->nruns = 0;
	refused(a, vector_of(10, 0), "timed");
	b = vector_of(10, 0);
	b->runs[0].user = 9;
	refused(vector_of(100, 0), b, "no more");
	a = vector_of(100, 0);
	b = vector_of(10, 0);
	start_split(a, b, &e);
	struct appvec_trace *kept = a->traces;
	ok(start_split(a, b, &e) < 0 && strstr(e.text, "apart already") && a->traces == kept,
	   "refused: %s", e.text);
	appvec_free(a);
	appvec_free(b);
}

/* The start of runs that were timed was timed, too. */
static void test_untimed(void)
{
	struct error e = { "" };
	char *text = text_of(100, 0), *traces = strstr(text, "\"traces\"");
	char *whole =
	    xasprintf("%.*s, \"start\": {\"runs\": [], %s}", (int)strlen(text) - 1, text, traces);

	ok(!appvec_parse(whole, strlen(whole), "app.json", &e) && strstr(e.text, "start: timed"),
	   "refused: %s", e.text);
	free(whole);
	free(text);
}

static void test_noise(void)
{
	struct appvec *a = vector_of(100, 0), *fewer = vector_of(10, 9);
	struct error e;

	fewer->runs[0].minor_faults = 20;
	cmp_near(start_split(a, fewer, &e), 9.0 / (SMALL + ONCE + 10 * EACH + 10 + 10), 1e-12,
		 "calls that only the shorter run makes");
	ok(!item_of(a, "execve") && item_of(a->start, "execve")->calls == 1,
	   "are no less than none");
	ok(a->runs[0].minor_faults == 0 && a->start->runs[0].minor_faults == 11, "nor are faults");
	appvec_free(a);
	appvec_free(fewer);
}

int main(void)
{
	test_split();
	test_two_traces();
	test_refusals();
	test_untimed();
	test_noise();
	return done_testing();
}
