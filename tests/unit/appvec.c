/* SPDX-License-Identifier: MIT */
/* Tests of the application vector: what is written reads back, what is wrong is refused by name. */
#include "vector/appvec.h"

#include <unistd.h>

#include "util/file.h"
#include "util/xalloc.h"

#include "../tap.h"

#define ITEM \
	"{\"entry\": \"lat_a\", \"weight\": 1, \"part\": \"kernel\", \"calls\": 7, " \
	"\"bytes\": 0, \"time\": 1e-3}"
#define TRACE(items) \
	"{\"counts\": \"measured\", \"user\": 1, \"system\": 2, \"wall\": null, " \
	"\"processes\": 1, \"threads\": 1, \"calls\": 7, \"mapped_calls\": 7, \"lost\": 0, " \
	"\"unfinished\": 0, \"items\": [" items "]}"
#define FILE_OF(units, traces) \
	"{\"schema\": \"osvec-application/1\", \"units\": " units ", \"traces\": [" traces \
	"], \"runs\": []}"

static void fill_trace(struct appvec_trace *r)
{
	static const struct appvec_size sizes[] = { { 5, 1009 }, { 4096.1, 3 } };

	*r = (struct appvec_trace){
		.trace = xstrdup("a \xff.ktr"),
		.counted = true,
		.run = { 1, NAN, 3, 4, 5, 6, 7 },
		.processes = 2,
		.threads = 5,
		.calls = 1013,
		.call_time = 0.25,
		.mapped_calls = 1012,
		.mapped_time = 0.2,
		.lost = 0,
		.unfinished = 1,
		.nitems = 2,
		.items = xcalloc(2, sizeof(*r->items)),
		.nunmapped = 1,
		.unmapped = xcalloc(1, sizeof(*r->unmapped)),
	};
	r->items[0] = (struct appvec_item){
		.entry = xstrdup("lat_send_tcp_*"),
		.weight = -0.5,
		.part = PART_WAIT,
		.calls = 1012,
		.bytes = 1009 * 5 + 3 * 4096.1,
		.time = 0.2,
		.nsizes = 2,
		.sizes = xcalloc(2, sizeof(*sizes)),
		.from = xstrdup("write writev"),
	};
	memcpy(r->items[0].sizes, sizes, sizeof(sizes));
	r->items[1] = (struct appvec_item){
		.entry = xstrdup("lat_syscall_getppid"),
		.weight = 1,
		.part = PART_KERNEL,
		.fallback = true,
		.calls = 1,
		.time = NAN,
		.from = xstrdup("fancy"),
	};
	r->unmapped[0] = (struct appvec_unmapped){ xstrdup("fancy tcp"), 1, NAN };
}

static void check_trace(const struct appvec_trace *r)
{
	is_string(r->trace, "a \xc3\xbf.ktr", "a byte that is no UTF-8 becomes its character");
	ok(r->counted && r->run.user == 1 && isnan(r->run.system) && r->run.major_faults == 7,
	   "what the traced run used");
	ok(r->processes == 2 && r->threads == 5 && r->unfinished == 1, "processes, threads");
	cmp_int(r->nitems, 2, "two items");
	const struct appvec_item *a = &r->items[0], *b = &r->items[1];
	ok(!strcmp(a->entry, "lat_send_tcp_*") && a->weight == -0.5 && a->part == PART_WAIT &&
	       !a->fallback && a->calls == 1012 && a->bytes == 1009 * 5 + 3 * 4096.1,
	   "first item");
	ok(a->nsizes == 2 && a->sizes[1].size == 4096.1 && a->sizes[1].calls == 3, "its sizes");
	is_string(a->from, "write writev", "where it comes from");
	ok(b->fallback && isnan(b->time) && !b->nsizes, "second item");
	ok(r->nunmapped == 1 && !strcmp(r->unmapped[0].call, "fancy tcp"), "what fell back");
}

static void test_round_trip(void)
{
	char path[] = "/tmp/osvec-appvec.XXXXXX";
	struct appvec *a = appvec_new("redis");
	struct error e = { "" };

	close(mkstemp(path));
	a->units = 100000;
	a->user_entries = xcalloc(1, sizeof(*a->user_entries));
	a->user_entries[a->nuser_entries++] = xstrdup("cpu_int");
	a->fault_entry = xstrdup("lat_pagefault_anon");
	ok(appvec_write(a, path, &e) == -1, "a vector without traces is not written: %s", e.text);
	a->traces = xcalloc(1, sizeof(*a->traces));
	a->ntraces = 1;
	fill_trace(&a->traces[0]);
	a->runs = xcalloc(2, sizeof(*a->runs));
	a->nruns = 2;
	a->runs[1] = (struct appvec_run){ .user = 0.1, .system = 1.0 / 3, .involuntary = NAN };
	ok(!appvec_write(a, path, &e), "written");
	struct appvec *b = appvec_read(path, &e);
	ok(b != NULL, "read back");
	if (b) {
		is_string(b->name, "redis", "name");
		is_string(b->path, path, "path");
		ok(b->units == 100000 && b->ntraces == 1 && b->nuser_entries == 1, "units, traces");
		is_string(b->fault_entry, "lat_pagefault_anon", "fault entry");
		is_string(b->switch_entry, NULL, "no switch entry");
		check_trace(&b->traces[0]);
		ok(b->nruns == 2 && b->runs[1].user == 0.1 && b->runs[1].system == 1.0 / 3 &&
		       isnan(b->runs[1].involuntary),
		   "times keep all digits, unknown stays unknown");
	}
	a->traces[0].calls = INFINITY;
	ok(appvec_write(a, path, &e) == -1, "infinity is not written: %s", e.text);
	appvec_free(a);
	appvec_free(b);
	unlink(path);
}

static void test_refusals(void)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "", "is empty" },
		{ "\x89"
		  "ktr\r\n\x1a\n",
		  "is not text" },
		{ "[1, 2]", "schema" },
		{ "{\"schema\": \"osvec/1\"}", "schema is 'osvec/1'" },
		{ "{\"schema\": 1}", "schema" },
		{ FILE_OF("1", ""), "traces: empty" },
		{ FILE_OF("0", TRACE(ITEM)), "units: 0 is outside" },
		{ FILE_OF("null", TRACE(ITEM)), "units: missing" },
		{ FILE_OF("\"many\"", TRACE(ITEM)), "units: not a number" },
		{ FILE_OF("1e999", TRACE(ITEM)), "not JSON" },
		{ FILE_OF("NaN", TRACE(ITEM)), "not JSON" },
		{ FILE_OF("1", "7"), "traces[0].processes: missing" },
		{ FILE_OF("1", TRACE("7")), "traces[0].items[0].entry: missing" },
		{ FILE_OF("1", TRACE(ITEM "," ITEM)),
		  "traces[0].items: [0] and [1] are both 'lat_a'" },
		{ FILE_OF("1", TRACE("{\"entry\": \"lat_a\", \"weight\": 1, \"part\": \"user\", "
				     "\"calls\": 1, \"bytes\": 0}")),
		  "part: neither" },
		{ FILE_OF("1", TRACE("{\"entry\": \"lat_a\", \"weight\": 1, \"part\": \"kernel\", "
				     "\"calls\": -1, \"bytes\": 0}")),
		  "calls: -1 is outside" },
		{ FILE_OF("1", TRACE("{\"entry\": \"lat_*\", \"weight\": 1, \"part\": \"kernel\", "
				     "\"calls\": 1, \"bytes\": 0}")),
		  "sizes: missing" },
		{ FILE_OF("1", TRACE("{\"entry\": \"lat_*\", \"weight\": 1, \"part\": \"kernel\", "
				     "\"calls\": 3, \"bytes\": 0, \"sizes\": [[4, 2]]}")),
		  "sizes: hold 2 calls, the item has 3" },
		{ FILE_OF("1", TRACE("{\"entry\": \"lat_*\", \"weight\": 1, \"part\": \"kernel\", "
				     "\"calls\": 3, \"bytes\": 0, \"sizes\": [[4, 2], 9]}")),
		  "sizes: [1] is not" },
	};
	struct error e = { "" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct appvec *a = appvec_parse(bad[i].text, strlen(bad[i].text), "app.json", &e);

		ok(!a && strstr(e.text, bad[i].message) && !strncmp(e.text, "app.json: ", 10),
		   "refused: %s", e.text);
		appvec_free(a);
	}
	struct appvec *a = appvec_parse(FILE_OF("1", TRACE(ITEM)),
					strlen(FILE_OF("1", TRACE(ITEM))), "app.json", &e);
	ok(a && isnan(a->traces[0].run.wall) && a->traces[0].items[0].calls == 7,
	   "the same file without a fault is read");
	appvec_free(a);
	/* 1e9 fractions added up class by class and all together differ in the last digits. */
	const char *many = FILE_OF(
	    "1", TRACE("{\"entry\": \"lat_*\", \"weight\": 1, \"part\": \"kernel\", "
		       "\"calls\": 1e9, \"bytes\": 0, \"sizes\": [[4, 500000010], [5, 5e8]]}"));
	const char *few = FILE_OF(
	    "1", TRACE("{\"entry\": \"lat_*\", \"weight\": 1, \"part\": \"kernel\", "
		       "\"calls\": 1, \"bytes\": 0, \"sizes\": [[4, 0.50000001], [5, 0.5]]}"));
	a = appvec_parse(many, strlen(many), "app.json", &e);
	ok(a != NULL, "what rounding makes of many calls is read %s", a ? "" : e.text);
	appvec_free(a);
	a = appvec_parse(few, strlen(few), "app.json", &e);
	ok(!a, "the same difference of few calls is refused");
	appvec_free(a);
	ok(!appvec_read("/nowhere/app.json", &e), "missing file: %s", e.text);
}

/* The example of the manual page is a vector. */
static void test_page(void)
{
	struct error e = { "" };
	size_t n;
	char *page = file_read("docs/appvec.5", 1 << 20, &n, &e);
	char *begin = page ? strstr(page, "\n{\"schema\"") : NULL;
	char *end = begin ? strstr(begin, "\n.Ed") : NULL;

	if (!ok(end != NULL, "appvec.5 has an example %s", e.text))
		return;
	struct appvec *a = appvec_parse(begin, (size_t)(end - begin), "appvec.5", &e);
	ok(a && a->units == 1009 && a->nruns == 2 && a->traces[0].nitems == 2, "it is sound %s",
	   e.text);
	appvec_free(a);
	free(page);
}

int main(void)
{
	test_round_trip();
	test_page();
	test_refusals();
	return done_testing();
}
