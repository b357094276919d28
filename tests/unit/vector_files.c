/* SPDX-License-Identifier: MIT */
/*
 * Tests of the JSON files of lib/vector and of json.h below them: what is written reads back in the
 * promised layout, what is wrong is refused by name, and the examples of the manual pages can be
 * read.
 */
#include "json/json.h"
#include "vector/appvec.h"
#include "vector/basis.h"
#include "vector/timefile.h"

#include <unistd.h>

#include "util/file.h"
#include "util/xalloc.h"

#include "../tap.h"
#include "../vector_texts.h"

/* ---- json.h ---- */

static void test_format(void)
{
	static const char text[] = "{\n"
				   " \"a \\\"b\\\"\": 0.1,\n"
				   " \"none\": [],\n"
				   " \"pairs\": [[1, 0.30000000000000004], [null, true]],\n"
				   " \"machine\": {\n"
				   "  \"host\": \"\xc3\xa4\"\n"
				   " },\n"
				   " \"runs\": [\n"
				   "  {\"user\": 1, \"sizes\": [[4, 5e-300]]},\n"
				   "  {\n"
				   "   \"items\": [\n"
				   "    {\"entry\": \"x\"}\n"
				   "   ]\n"
				   "  }\n"
				   " ]\n"
				   "}\n";
	json_t *document = json_loads(text, 0, NULL);
	char *got = json_format(document, 17);

	is_string(got, text, "rows and arrays of numbers on one line, all digits");
	free(got);
	json_decref(document);
	document =
	    json_pack("[f,f,o,o]", 0.123456789012, 1e15 / 3, json_double(7.0), json_text("\xe4"));
	got = json_format(document, 9);
	is_string(got, "[0.123456789, 3.33333333e+14, 7, \"\xc3\xa4\"]\n", "nine digits");
	free(got);
	json_decref(document);
}

static void test_schema(void)
{
	static const struct {
		const char *text, *message;
		unsigned version;
	} cases[] = {
		{ "{\"schema\": \"x/1\"}", NULL, 1 },
		{ "{\"schema\": \"x/2\"}", NULL, 2 },
		{ "{\"schema\": \"x/3\"}", "f: schema is 'x/3', this program reads 'x/2'", 0 },
		{ "{\"schema\": \"x/0\"}", "f: schema is 'x/0', this program reads 'x/2'", 0 },
		{ "{\"schema\": 2}", "f: no \"schema\" member: not a file of schema x/2", 0 },
		{ "[]", "f: no \"schema\" member: not a file of schema x/2", 0 },
		{ "", "f: is empty, not a file of schema x/2", 0 },
		{ "\001", "f: is not text, and so not a file of schema x/2", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error e = { "" };
		struct fields f = { .name = "f", .error = &e };
		json_t *root = fields_load(&f, cases[i].text, strlen(cases[i].text), "x/2");

		ok(!root == f.failed && f.version == cases[i].version, "version %u", f.version);
		is_string(e.text, cases[i].message ? cases[i].message : "", "message");
		json_decref(root);
	}
}

/* ---- values ---- */

static void check_appvec(const struct appvec *a)
{
	const struct appvec_trace *t = &a->traces[0];
	const struct appvec_item *x = &t->items[0], *y = &t->items[1];

	is_string(a->name, "redis", "name");
	is_string(a->host_id, "00c0ffee", "machine");
	is_string(a->switch_entry, NULL, "no switch entry");
	is_string(a->fault_entry, "lat_pagefault_anon", "fault entry");
	ok(a->units == 100000 && a->ntraces == 1 && a->nuser_entries == 1 && a->nruns == 2,
	   "units, traces, runs");
	ok(a->runs[0].user == 0.1 && a->runs[0].wall == 1.0 / 3 && isnan(a->runs[1].involuntary),
	   "times keep all digits, unknown stays unknown");
	ok(a->loops.code == 1.25e-7 && a->loops.call == 1e-6, "state of the host");
	ok(t->counted && t->run.system == 0.25 && isnan(t->run.wall) && t->run.major_faults == 6,
	   "what the traced run used");
	ok(t->processes == 2 && t->threads == 5 && t->unfinished == 1 && t->nitems == 2,
	   "processes, threads, items");
	ok(!strcmp(x->entry, "lat_send_tcp_*") && x->weight == -0.5 && x->part == PART_WAIT &&
	       !x->fallback && x->calls == 1012 && x->bytes == 17333.3 && x->nsizes == 2 &&
	       x->sizes[1].size == 4096.1 && x->sizes[1].calls == 3,
	   "an item with sizes");
	is_string(x->from, "write writev", "the calls it comes from");
	ok(y->fallback && isnan(y->time) && !y->nsizes, "a fallback without time");
	ok(t->nunmapped == 1 && !strcmp(t->unmapped[0].call, "fancy tcp"), "an unmapped call");
}

static void check_timefile(const struct timefile *t)
{
	const struct time_run *r = &t->runs[0];
	const struct time_program *p = r->programs;
	struct time_usage sum = { .user = 1, .minor_faults = 2 };

	is_string(t->command, "sh -c 'exit 3'", "command");
	is_string(t->only, NULL, "nothing selected");
	ok(t->call_user == 4e-8 && !strcmp(t->host_id, "00c0ffee") && !strcmp(t->cpu, "Z80"),
	   "user time of a call, machine");
	ok(t->loops.code == 1.25e-7 && t->loops.call == 1e-6, "state of the host");
	ok(t->nruns == 1 && r->wall == 1.5 && r->status == 3 && r->processes == 1 &&
	       r->threads == 2 && r->complete && r->usage.user == 0.1 && r->usage.major_faults == 6,
	   "a run");
	ok(r->nprograms == 1 && !strcmp(p->program, "sh") && p->pid == 17 && p->wall == 1.25 &&
	       p->end == TIME_RUNNING && p->counted && p->usage.voluntary == 3,
	   "a program");
	p = t->calls->programs;
	ok(!t->calls->complete && !p->counted && p->ncalls == 2 && p->calls[0].calls == 1009,
	   "a run whose calls were counted");
	ok(p->calls[0].failed == 211 && p->calls[1].failed == 0, "and those that failed");
	time_usage_add(&sum, &p->usage);
	ok(sum.user == 1.1 && sum.minor_faults == 7 && sum.system == 0.25, "usage is added up");
}

static struct timefile *example_times(void)
{
	struct error e;

	return timefile_parse(TIMEFILE_TEXT, strlen(TIMEFILE_TEXT), "app.time", &e);
}

/* Three files of one run each: the means are of runs, not of files. */
static void test_append(void)
{
	struct timefile *t = example_times(), *more = example_times(), *last = example_times();
	struct error e;

	t->runs[0].wall = 1;
	more->loops.code = 3.75e-7;
	last->loops.call = 4e-6;
	last->call_user = 1e-8;
	last->runs[0].wall = 3;
	time_run_free(t->calls);
	free(t->calls);
	t->calls = NULL;
	const struct time_run *calls = more->calls;
	ok(!timefile_append(t, more, "more", &e) && !timefile_append(t, last, "last", &e),
	   "files of one command are one");
	ok(t->nruns == 3 && t->runs[0].wall == 1 && t->runs[1].wall == 1.5 && t->runs[2].wall == 3,
	   "with all runs, in order");
	ok(t->calls == calls, "the calls that were counted first");
	cmp_near(t->loops.code, (1.25e-7 + 3.75e-7 + 1.25e-7) / 3, 1e-12, "the state of the host");
	cmp_near(t->loops.call, 2e-6, 1e-12, "by both loops");
	cmp_near(t->call_user, 3e-8, 1e-12, "user time of a call");
	char **const facts[] = { &t->command, &t->host, &t->host_id, &t->kernel, &t->only };
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		char *was = *facts[i];

		*facts[i] = xstrdup("another");
		struct timefile *other = example_times();
		ok(timefile_append(t, other, "b.time", &e) &&
		       strstr(e.text, "b.time: of another") && t->nruns == 3 && other->nruns == 1,
		   "not with %s", e.text);
		timefile_free(other);
		free(*facts[i]);
		*facts[i] = was;
	}
	timefile_free(t);
}

/* ---- reading and writing ---- */

static void *read_appvec(const char *text, size_t n, const char *name, struct error *e)
{
	return appvec_parse(text, n, name, e);
}

static void *read_timefile(const char *text, size_t n, const char *name, struct error *e)
{
	return timefile_parse(text, n, name, e);
}

static void *read_basis(const char *text, size_t n, const char *name, struct error *e)
{
	return basis_parse(text, n, name, e);
}

typedef void *reader(const char *text, size_t n, const char *name, struct error *e);

static void discard(reader *read, void *file)
{
	if (read == read_appvec)
		appvec_free(file);
	else if (read == read_timefile)
		timefile_free(file);
	else
		basis_free(file);
}

/* The file holds what the text does. */
static void is_written(const char *path, const char *text)
{
	json_t *want = json_loads(text, 0, NULL), *got = json_load_file(path, 0, NULL);

	ok(json_equal(want, got), "%s: it is written as it was read", path);
	json_decref(want);
	json_decref(got);
	unlink(path);
}

static void test_round_trips(void)
{
	char path[] = "/tmp/osvec-files.XXXXXX";
	struct error e = { "" };
	struct appvec *a = appvec_parse(APPVEC_TEXT, strlen(APPVEC_TEXT), "app.json", &e);
	struct timefile *t = timefile_parse(TIMEFILE_TEXT, strlen(TIMEFILE_TEXT), "app.time", &e);

	close(mkstemp(path));
	if (!ok(a && t, "what is complete is read %s", e.text))
		return;
	check_appvec(a);
	ok(!appvec_write(a, path, &e), "an application vector is written");
	is_written(path, APPVEC_TEXT);
	a->traces[0].calls = INFINITY;
	ok(appvec_write(a, path, &e) == -1, "infinity is not: %s", e.text);
	appvec_free(a);
	a = appvec_new("empty");
	ok(appvec_write(a, path, &e) == -1, "nor is a vector without traces: %s", e.text);
	appvec_free(a);
	check_timefile(t);
	ok(!timefile_write(t, path, &e), "a time file is written");
	is_written(path, TIMEFILE_TEXT);
	t->runs[0].usage.user = NAN;
	ok(timefile_write(t, path, &e) == -1 && access(path, F_OK), "not without a time: %s",
	   e.text);
	timefile_free(t);
	ok(!appvec_read("/nowhere/app.json", &e), "missing file: %s", e.text);
	ok(!timefile_read("/nowhere/app.time", &e), "missing file: %s", e.text);
}

/* ---- right and wrong files ---- */

#define ITEM_OF(entry, part, calls, rest) \
	"{\"entry\": \"" entry "\", \"weight\": 1, \"part\": \"" part "\", \"calls\": " calls \
	", \"bytes\": 0" rest "}"
#define ITEM ITEM_OF("lat_a", "kernel", "7", ", \"time\": 1e-3")
#define CURVE(calls, sizes) ITEM_OF("lat_*", "kernel", calls, ", \"sizes\": " sizes)
#define TRACE(items) \
	"{\"processes\": 1, \"threads\": 1, \"calls\": 7, \"mapped_calls\": 7, \"lost\": 0, " \
	"\"unfinished\": 0, \"items\": [" items "]}"
#define VECTOR(units, traces) \
	"{\"schema\": \"osvec-application/1\", \"units\": " units ", \"traces\": [" traces \
	"], \"runs\": []}"
#define HEAD(version) \
	"{\"schema\": \"osvec-time/" version "\", \"command\": \"c\", \"created\": \"\", " \
	"\"host\": \"\", \"kernel\": \"\", \"method\": \"wait\""
#define TIMES HEAD("2") ", \"host_id\": \"id\", \"cpu\": \"\""
#define RUN "\"wall\": 1, \"status\": 0, \"processes\": 1, \"threads\": 1, " RUN_USAGE
#define RUNS(run) ", \"runs\": [{ " run " }] }"

static void test_refusals(void)
{
	static const struct {
		reader *read;
		const char *text, *message; /* NULL: it is right */
	} cases[] = {
		{ read_appvec, VECTOR("1", TRACE(ITEM)), NULL },
		/* The sum of 1e9 fractions and that of each class differ in the last digits. */
		{ read_appvec, VECTOR("1", TRACE(CURVE("1e9", "[[4, 500000010], [5, 5e8]]"))),
		  NULL },
		{ read_appvec, VECTOR("1", TRACE(CURVE("1", "[[4, 0.50000001], [5, 0.5]]"))),
		  "sizes: hold 1.0000000" },
		{ read_appvec, "", "is empty" },
		{ read_appvec, "{\"schema\": \"osvec/1\"}", "schema is 'osvec/1'" },
		{ read_appvec, VECTOR("1", ""), "traces: empty" },
		{ read_appvec, VECTOR("0", TRACE(ITEM)), "units: 0 is outside" },
		{ read_appvec, VECTOR("null", TRACE(ITEM)), "units: missing" },
		{ read_appvec, VECTOR("\"many\"", TRACE(ITEM)), "units: not a number" },
		{ read_appvec, VECTOR("1e999", TRACE(ITEM)), "not JSON" },
		{ read_appvec, VECTOR("NaN", TRACE(ITEM)), "not JSON" },
		{ read_appvec, VECTOR("1", "7"), "traces[0].processes: missing" },
		{ read_appvec, VECTOR("1", TRACE("7")), "traces[0].items[0].entry: missing" },
		{ read_appvec, VECTOR("1", TRACE(ITEM "," ITEM)),
		  "traces[0].items: [0] and [1] are both 'lat_a'" },
		{ read_appvec, VECTOR("1", TRACE(ITEM_OF("lat_a", "idle", "1", ""))),
		  "part: neither" },
		{ read_appvec, VECTOR("1", TRACE(ITEM_OF("lat_a", "kernel", "-1", ""))),
		  "calls: -1 is outside" },
		{ read_appvec, VECTOR("1", TRACE(ITEM_OF("lat_*", "kernel", "1", ""))),
		  "sizes: missing" },
		{ read_appvec, VECTOR("1", TRACE(CURVE("3", "[[4, 2]]"))),
		  "sizes: hold 2 calls, the item has 3" },
		{ read_appvec, VECTOR("1", TRACE(CURVE("3", "[[4, 2], 9]"))), "sizes: [1] is not" },
		{ read_appvec, VECTOR("1", TRACE(CURVE("3", "[[4, 4], [8, -1]]"))),
		  "sizes: [1] is not" },
		{ read_timefile, TIMES RUNS(RUN ", \"programs\": []"), NULL },
		{ read_timefile, HEAD("1") RUNS(RUN ", \"programs\": []"), NULL },
		{ read_timefile, HEAD("2") RUNS(RUN ", \"programs\": []"), "host_id: missing" },
		{ read_timefile, HEAD("3") RUNS(RUN ", \"programs\": []"), "schema is" },
		{ read_timefile, TIMES ", \"runs\": [] }", "runs: empty" },
		{ read_timefile, TIMES " }", "runs: missing" },
		{ read_timefile, TIMES RUNS(RUN), "programs: missing" },
		{ read_timefile, TIMES RUNS(RUN ", \"programs\": 3"), "programs: not an array" },
		{ read_timefile, TIMES RUNS(RUN ", \"programs\": [3]"), "program: missing" },
		{ read_timefile, TIMES RUNS("\"wall\": -1"), "wall: -1 is outside" },
		{ read_timefile, TIMES RUNS("\"wall\": \"1\""), "wall: not a number" },
		{ read_timefile, TIMES RUNS("\"wall\": 1e300"), "wall: 1e+300 is outside" },
		{ read_timefile,
		  TIMES RUNS(RUN ", \"programs\": [{ \"program\": \"x\", \"pid\": 1, "
				 "\"start\": 0, " RUN ", \"end\": \"never\" }]"),
		  "end: neither" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error e = { "" };
		const char *message = cases[i].message;
		void *file = cases[i].read(cases[i].text, strlen(cases[i].text), "f", &e);

		if (message)
			ok(!file && strstr(e.text, message) && !strncmp(e.text, "f: ", 3),
			   "refused: %s", e.text);
		else
			ok(file != NULL, "read %s", e.text);
		discard(cases[i].read, file);
	}
}

static void test_pages(void)
{
	static const struct {
		const char *page, *begin;
		reader *read;
	} pages[] = {
		{ "docs/appvec.5", "\n{\"schema\"", read_appvec },
		{ "docs/osvec-time.5", "\n{\n", read_timefile },
		{ "docs/basis.5", "\n@null", read_basis },
	};

	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		struct error e = { "" };
		size_t n;
		char *page = file_read(pages[i].page, 1 << 20, &n, &e);
		char *begin = page ? strstr(page, pages[i].begin) : NULL;
		char *end = begin ? strstr(begin, "\n.Ed") : NULL;
		void *file =
		    end ? pages[i].read(begin, (size_t)(end - begin), "example", &e) : NULL;

		ok(file != NULL, "%s: the example can be read %s", pages[i].page, e.text);
		discard(pages[i].read, file);
		free(page);
	}
}

int main(void)
{
	test_format();
	test_schema();
	test_append();
	test_round_trips();
	test_refusals();
	test_pages();
	return done_testing();
}
