/* SPDX-License-Identifier: MIT */
/* Tests of lib/vector/osvec. */
#include "vector/osvec.h"
#include "vector/aggregate.h"

#include <math.h>
#include <unistd.h>

#include "../tap.h"
#include "util/xalloc.h"

static struct osvec *parse(const char *text, struct error *e)
{
	e->text[0] = '\0';
	return osvec_parse(text, strlen(text), "t.json", e);
}

#define HEAD "{\"schema\": \"osvec/1\", \"machine\": \"m\", \"entries\": ["
#define ROWS \
	"{\"schema\": \"osvec/1\", \"machine\": \"m\", \"columns\": [\"entry\", \"seconds\", " \
	"\"error\"], \"entries\": ["
#define TAIL "]}"
/* A vector of one entry "a" with these members. */
#define ONE(members) HEAD "{\"entry\": \"a\", " members "}" TAIL

#define ROWS_OF_FAULTS \
	HEAD "{\"entry\": \"lat_page\", \"seconds\": 1, \"faults\": 3}, " \
	     "{\"entry\": \"lat_pagefault_a\", \"seconds\": 1}, " \
	     "{\"entry\": \"lat_pagefault_b\", \"seconds\": 1, \"faults\": 3}" TAIL

static void test_smallest(void)
{
	struct error e;
	struct osvec *v = parse(HEAD "{\"entry\": \"lat_a\", \"seconds\": 2e-6}" TAIL, &e);

	if (!ok(v != NULL, "name and cost are enough %s", e.text))
		return;
	const struct osvec_entry *x = osvec_find(v, "lat_a");
	ok(x && x->seconds == 2e-6 && x->low == 2e-6 && x->high == 2e-6,
	   "no interval: the cost itself");
	ok(x && isnan(x->error) && isnan(x->mean) && isnan(x->mean_error) && isnan(x->cpu) &&
	       x->n == 0 && !x->curve && !*x->flags,
	   "the rest is unknown");
	ok(v->correlation == 1, "errors are taken to be correlated unless the file denies it");
	ok(!osvec_find(v, "lat_b"), "an unknown entry is not found");
	osvec_free(v);
	v = parse(ONE("\"seconds\": 1, \"n\": 3e9, \"user\": 5"), &e);
	ok(v && v->entries[0].n == INT32_MAX && v->entries[0].user == 1,
	   "numbers beyond what they can be are the most that they can be %s", e.text);
	osvec_free(v);
	v = parse(ROWS_OF_FAULTS, &e);
	ok(v && osvec_find(v, "lat_pagefault_a")->faults == 1 &&
	       osvec_find(v, "lat_pagefault_b")->faults == 1 &&
	       osvec_find(v, "lat_page")->faults == 3,
	   "a fault is one, whatever was counted %s", e.text);
	osvec_free(v);
	v = parse(HEAD TAIL, &e);
	ok(v && v->n == 0 && !osvec_find(v, "lat_a"), "an empty vector is valid");
	osvec_free(v);
}

/* By hand: ln 4 and ln 2 of the tenths, over twice the normal quantile of 0.9. */
static void test_state(void)
{
	static const struct {
		const char *canaries;
		double state;
	} cases[] = {
		{ "\"code\": [2, 1, 4], \"call\": [3, 2, 4], \"memory\": [1, 1, 9]",
		  (1.386294361 + 0.693147181) / 2 / 2.563103131 },
		{ "\"integer\": [2, 1, 4], \"call\": [3, 2, 4]", /* an older file */
		  (1.386294361 + 0.693147181) / 2 / 2.563103131 },
		{ "\"call\": [3, 2, 4]", 0.693147181 / 2 / 2.563103131 },
		{ "\"code\": [3, 3, 3]", 0 },
		{ "\"code\": [3, 4, 2], \"call\": [1, 0, 5]", 0 },
		{ "\"code\": \"x\", \"call\": [1, \"y\"]", 0 },
		{ "\"memory\": [1, 1, 9]", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = xasprintf("{\"schema\": \"osvec/1\", \"machine\": \"m\", \"meta\": "
				       "{\"canaries\": {%s}}, \"entries\": []}",
				       cases[i].canaries);
		struct error e;
		struct osvec *v = parse(text, &e);

		cmp_near(osvec_host_spread(v), cases[i].state, 1e-8, "state by {%s}",
			 cases[i].canaries);
		osvec_free(v);
		free(text);
	}
}

/* Each is refused, and the message holds the word. */
static const struct {
	const char *what, *text, *word;
} bad[] = {
	{ "no JSON", "osvec", "not JSON" },
	{ "nothing", "", "is empty" },
	{ "cut short", HEAD "{\"entry\": \"a\"", "not JSON" },
	{ "an array", "[1]", "schema" },
	{ "no schema", "{\"machine\": \"m\", \"entries\": []}", "schema" },
	{ "another schema", "{\"schema\": \"osvec/2\", \"machine\": \"m\", \"entries\": []}",
	  "osvec/2" },
	{ "no machine", "{\"schema\": \"osvec/1\", \"entries\": []}", "machine" },
	{ "no entries", "{\"schema\": \"osvec/1\", \"machine\": \"m\"}", "entries" },
	{ "entries of text", "{\"schema\": \"osvec/1\", \"machine\": \"m\", \"entries\": \"x\"}",
	  "entries" },
	{ "an entry of a number", HEAD "3" TAIL, "missing" },
	{ "NaN", ONE("\"seconds\": NaN"), "not JSON" },
	{ "beyond a double", ONE("\"seconds\": 1e999"), "not JSON" },
	{ "a negative cost", ONE("\"seconds\": -1e-6"), "not between" },
	{ "a cost whose reciprocal is infinite", ONE("\"seconds\": 5e-324"), "not between" },
	{ "an error whose exponential is", ONE("\"seconds\": 1e-6, \"error\": 1000"),
	  "an error of 1000" },
	{ "less CPU time than there is", ONE("\"seconds\": 1, \"cpu\": 1e-20"), "fewer than" },
	{ "a size of hardly anything", ONE("\"seconds\": 1, \"curve\": \"a_*\", \"size\": 1e-320"),
	  "less than 1e-18" },
	{ "more faults than fit", ONE("\"seconds\": 1, \"faults\": 1e300"), "inf page faults or" },
	{ "more switches than there are", ONE("\"seconds\": 1, \"switches\": 2e9"),
	  "2e+09 switches in" },
	{ "a cost of zero", ONE("\"seconds\": 0"), "not between" },
	{ "a cost in words", ONE("\"seconds\": \"1\""), "not a number" },
	{ "a negative size", ONE("\"seconds\": 1, \"size\": -5"), "negative" },
	{ "a long name",
	  HEAD "{\"entry\": \"a123456789b123456789c123456789d123456789e\", \"size\": -5, "
	       "\"seconds\": 1}" TAIL,
	  "d123456789.size" },
	{ "no cost", HEAD "{\"entry\": \"a\"}" TAIL, "missing" },
	{ "no name", HEAD "{\"seconds\": 1}" TAIL, "missing" },
	{ "a name that leaves the directory", HEAD "{\"entry\": \"../a\", \"seconds\": 1}" TAIL,
	  "not a valid name" },
	{ "a name with a blank", HEAD "{\"entry\": \"a b\", \"seconds\": 1}" TAIL, "visible" },
	{ "a duplicate entry", ONE("\"seconds\": 1}, {\"entry\": \"a\", \"seconds\": 2"),
	  "two entries" },
	{ "a duplicate key", ONE("\"seconds\": 1, \"seconds\": 2"), "not JSON" },
	{ "an interval beside its cost", ONE("\"seconds\": 1, \"low\": 2, \"high\": 3"),
	  "does not contain" },
	{ "a negative error", ONE("\"seconds\": 1, \"error\": -0.1"), "error" },
	{ "a flag that is a number", ONE("\"seconds\": 1, \"flags\": [1]"), "flags" },
	{ "a row without columns", HEAD "[\"a\", 1]" TAIL, "missing" },
	{ "a row with a cost in words", ROWS "[\"a\", \"1\"]" TAIL, "entries[0] a.seconds" },
	{ "a row with a negative error", ROWS "[\"b\", 1], [\"a\", 1, -1]" TAIL,
	  "entries[1] a.error" },
	{ "a correlation above 1",
	  "{\"schema\": \"osvec/1\", \"machine\": \"m\", \"correlation\": 2, \"entries\": []}",
	  "correlation" },
	{ "a curve without a size", ONE("\"seconds\": 1, \"curve\": \"a_*\""), "no size" },
	{ "a curve with a size twice",
	  HEAD "{\"entry\": \"a_1\", \"seconds\": 1, \"curve\": \"a_*\", \"size\": 1},"
	       "{\"entry\": \"a_01\", \"seconds\": 1, \"curve\": \"a_*\", \"size\": 1}" TAIL,
	  "same point" },
	{ "meta of text",
	  "{\"schema\": \"osvec/1\", \"machine\": \"m\", \"meta\": \"x\", \"entries\": []}",
	  "meta" },
};

static void test_refused(void)
{
	struct error e;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct osvec *v = parse(bad[i].text, &e);

		ok(!v && strstr(e.text, bad[i].word) && !strncmp(e.text, "t.json", 6), "%s: %s",
		   bad[i].what, e.text);
		osvec_free(v);
	}
	ok(!osvec_read("/nonexistent/osvec.json", &e) && strstr(e.text, "/nonexistent/osvec.json"),
	   "a missing file is named");
	ok(!osvec_parse("x", 1, "t", NULL), "nobody need listen");
}

static struct osvec *sample(void)
{
	struct osvec *v = osvec_new("box");

	v->correlation = 0.25;
	json_object_set_new(v->meta, "environment", json_pack("{ss}", "cpu.model", "i486"));
	osvec_add(v, (struct osvec_entry){ .name = xstrdup("lat_b_4k"),
					   .curve = xstrdup("lat_b_*"),
					   .size = 4096,
					   .bytes = 4096,
					   .footprint = 0,
					   .seconds = 1.23456789e-6,
					   .error = 0.01,
					   .n = 20,
					   .low = 1.2e-6,
					   .high = 1.3e-6,
					   .mean = 1.26e-6,
					   .mean_error = 0.02,
					   .cpu = 0.7e-6,
					   .user = 0.125,
					   .faults = 0.5,
					   .switches = 2,
					   .flags = xstrdup("BIMODAL,FEW") });
	osvec_add(v, (struct osvec_entry){ .name = xstrdup("lat_a"),
					   .footprint = NAN,
					   .seconds = 1,
					   .error = NAN,
					   .low = 1,
					   .high = 1,
					   .mean = NAN,
					   .mean_error = NAN,
					   .cpu = NAN });
	return v;
}

static bool same(double x, double y)
{
	return x == y || (isnan(x) && isnan(y));
}

static void compare(const struct osvec *v, const struct osvec *w)
{
	is_string(w->machine, "box", "machine");
	is_string(w->created, v->created, "created");
	is_string(osvec_fact(w, "cpu.model"), "i486", "a fact of the environment");
	is_string(osvec_fact(w, "kernel.release"), "", "one that is unknown");
	cmp_near(w->correlation, 0.25, 0, "correlation");
	for (size_t i = 0; i < v->n; i++) {
		const struct osvec_entry *x = &v->entries[i], *y = &w->entries[i];

		is_string(y->name, x->name, "name");
		ok(!x->curve == !y->curve && (!x->curve || !strcmp(x->curve, y->curve)), "curve");
		is_string(y->flags, x->flags, "flags");
		ok((!x->curve || x->size == y->size) && x->bytes == y->bytes && x->n == y->n &&
		       x->seconds == y->seconds && x->low == y->low && x->high == y->high &&
		       x->user == y->user && x->faults == y->faults && x->switches == y->switches &&
		       same(x->error, y->error) && same(x->mean, y->mean) &&
		       same(x->mean_error, y->mean_error) && same(x->cpu, y->cpu) &&
		       same(x->footprint, y->footprint),
		   "numbers");
	}
}

static void test_round_trip(void)
{
	struct error e;
	char dir[] = "/tmp/osvec-osvec.XXXXXX", path[64];
	struct osvec *v = sample();

	if (!mkdtemp(dir)) {
		fail("mkdtemp");
		return;
	}
	snprintf(path, sizeof(path), "%s/osvec.json", dir);
	ok(!osvec_read(dir, &e) && strstr(e.text, path), "nothing in it yet: %s", e.text);
	ok(!osvec_finish(v, &e) && !strcmp(v->entries[0].name, "lat_a"), "finish sorts");
	ok(!osvec_write(v, path, &e), "written");
	struct osvec *w = osvec_read(dir, &e);
	if (ok(w && w->n == v->n, "read back by its directory %s", w ? "" : e.text))
		compare(v, w);
	osvec_free(w);
	unlink(path);
	ok(osvec_write(v, "/proc/none/osvec.json", &e) == -1, "no place to write: %s", e.text);
	osvec_free(v);
	rmdir(dir);
}

/* Vectors with the same names keep them once; they outlive any of these vectors. */
static void test_names(void)
{
	static const char *const names[] = { "lat_x", "lat_x", "lat_y", "lat_x_1" };
	struct osvec *v[4] = { 0 };
	struct error e;

	for (size_t i = 0; i < 4; i++) {
		char path[] = "/tmp/osvec-names.XXXXXX";
		FILE *f = fdopen(mkstemp(path), "w");

		fprintf(f,
			"{\"schema\": \"osvec/1\", \"machine\": \"m%zu\", \"columns\": [\"entry\", "
			"\"seconds\", \"curve\", \"size\", \"flags\"], \"entries\": [[\"%s\", 1, "
			"\"c_*\", "
			"4, [\"F%zu\"]], {\"entry\": \"z\", \"seconds\": 2, \"curve\": \"c_*\", "
			"\"size\": "
			"8}]}",
			i, names[i], i);
		fclose(f);
		v[i] = osvec_read_like(path, i ? v[i - 1] : NULL, &e);
		unlink(path);
		if (!ok(v[i] && v[i]->n == 2, "read %s", v[i] ? "" : e.text))
			return;
	}
	ok(v[1]->entries[0].name == v[0]->entries[0].name, "the same names are kept once");
	osvec_free(v[0]);
	for (size_t i = 1; i < 4; i++) {
		const struct osvec_entry *x = &v[i]->entries[0];
		char flag[8];

		snprintf(flag, sizeof(flag), "F%zu", i);
		is_string(x->name, names[i], "its name");
		is_string(x->flags, flag, "its flags");
		is_string(x->curve, "c_*", "its curve");
		cmp_int((int)osvec_curve(v[i], "c_*").n, 2, "which an object is on, too");
		osvec_free(v[i]);
	}
}

static void test_curve(void)
{
	struct error e;
	/* Unordered, as a file may be; "l" moves bytes, "d" does not. */
	struct osvec *v = parse(
	    "{\"schema\": \"osvec/1\", \"machine\": \"m\", \"columns\": [\"entry\", \"seconds\", "
	    "\"curve\", \"size\", \"bytes\"], \"entries\": [[\"l_64k\", 16, \"l_*\", 65536, "
	    "65536], "
	    "[\"l_1\", 1, \"l_*\", 1, 1], [\"l_256\", 4, \"l_*\", 256, 256], "
	    "[\"d_0\", 1, \"d_*\", 0], [\"d_8\", 9, \"d_*\", 8]]}",
	    &e);

	if (!ok(v != NULL, "two curves %s", e.text))
		return;
	struct osvec_curve c = osvec_curve(v, "l_*"), d = osvec_curve(v, "d_*"),
			   none = osvec_curve(v, "x_*");
	ok(c.n == 3 && c.points[0]->size == 1 && c.points[2]->size == 65536, "points ascend");
	cmp_int(none.n, 0, "no such curve");

	static const struct {
		double size, cost;
		bool extrapolated;
	} at[] = {
		{ 0, 1, true },
		{ 1, 1, false },
		{ 16, 2, false },
		{ 256, 4, false },
		{ 4096, 8, false },
		{ 65536, 16, false },
		{ 131072, 16 + 12 * 65536.0 / 65280, true },
	};
	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
		struct osvec_mix m = osvec_curve_at(&c, at[i].size);
		double cost =
		    m.scale * exp(m.w * log(m.a->seconds) + (1 - m.w) * log(m.b->seconds));

		cmp_near(cost, at[i].cost, 1e-12, "cost at %g bytes", at[i].size);
		cmp_int(m.extrapolated, at[i].extrapolated, "%g is %s the grid", at[i].size,
			at[i].extrapolated ? "outside" : "inside");
	}
	struct osvec_mix m = osvec_curve_at(&d, 4);
	cmp_near(m.w, 0.5, 1e-12, "half way from size 0");
	m = osvec_curve_at(&d, 80);
	cmp_near(m.scale, 1, 0, "without bytes the last point's cost stays");
	struct osvec_entry pair[] = { { .size = 1, .bytes = 1, .seconds = 1 },
				      { .size = 2, .bytes = 2, .seconds = 4 } };
	const struct osvec_entry *points[] = { &pair[0], &pair[1] };
	const struct osvec_curve two = { points, 2 };
	cmp_near(osvec_curve_at(&two, 4).scale, 2, 1e-12, "never more than in proportion");
	pair[0].seconds = 5;
	cmp_near(osvec_curve_at(&two, 4).scale, 1, 1e-12, "nor less than the last");
	c.n = 1;
	cmp_near(osvec_curve_at(&c, 80).scale, 80, 1e-12, "from one point, in proportion to size");
	osvec_free(v);
}

static void test_of_copies(void)
{
	struct error e;
	struct osvec *v = osvec_new("box");

	osvec_add(v, (struct osvec_entry){ .name = xstrdup("lat_x_4"),
					   .curve = xstrdup("lat_x_*"),
					   .size = 4,
					   .seconds = 2e-6,
					   .low = 2e-6,
					   .high = 2e-6,
					   .mean = 2e-6,
					   .cpu = 1e-6,
					   .flags = xstrdup("") });
	osvec_add(v, (struct osvec_entry){ .name = xstrdup("lat_x_4x3"),
					   .seconds = 9e-6,
					   .low = 6e-6,
					   .high = 12e-6,
					   .mean = 15e-6,
					   .cpu = 4e-6,
					   .error = 0.1,
					   .flags = xstrdup("SKEWED") });
	osvec_add(v, (struct osvec_entry){ .name = xstrdup("lat_y"),
					   .seconds = 6e-6,
					   .low = 6e-6,
					   .high = 6e-6,
					   .mean = 6e-6,
					   .cpu = 6e-6,
					   .flags = xstrdup("") });
	osvec_add(v, (struct osvec_entry){ .name = xstrdup("lat_x_4@after=1m"),
					   .seconds = 4e-6,
					   .low = 4e-6,
					   .high = 4e-6,
					   .flags = xstrdup("") });
	v->correlation = 0.25;
	json_object_set_new(v->meta, "environment", json_pack("{s:s}", "cpu.model", "Z80"));
	if (osvec_finish(v, &e))
		fail("%s", e.text);
	ok(!osvec_of_copies(v, 2, &e), "nothing was measured with two copies: %s", e.text);
	struct osvec *all = osvec_of_copies(v, 3, &e);
	if (!ok(all && all->n == 3, "entries of copies become those without"))
		return;
	const struct osvec_entry *x = osvec_find(all, "lat_x_4"), *y = osvec_find(all, "lat_y");
	cmp_near(x->seconds, 3e-6, 1e-15, "a third of what three copies take");
	cmp_near(x->low, 2e-6, 1e-15, "so the interval");
	cmp_near(x->mean, 5e-6, 1e-15, "and the mean");
	cmp_near(x->cpu, 4e-6, 1e-15, "but all of the CPU time");
	is_string(x->curve, "lat_x_*", "on the curve of the entry");
	cmp_near(x->size, 4, 0, "at its size");
	is_string(x->flags, "SKEWED", "with the flags of the copies");
	cmp_near(y->seconds, 2e-6, 1e-15, "a third of the cost alone");
	is_string(y->flags, "UNSHARED", "which is flagged");
	x = osvec_find(all, "lat_x_4@after=1m");
	cmp_near(x->seconds, 6e-6, 1e-15, "after other data it is as much dearer as the loop");
	is_string(x->flags, "UNSHARED", "and flagged");
	cmp_near(all->correlation, 0.25, 0, "with the correlation of one");
	ok(osvec_has_copies(v, 3) && !osvec_has_copies(v, 2), "there are three copies, not two");
	is_string(osvec_fact(all, "cpu.model"), "Z80", "on the same host");
	osvec_free(all);
	osvec_free(v);
}

static void test_cpus(void)
{
	static const struct {
		const char *count, *max, *quota, *period;
		double cpus;
	} cases[] = {
		{ "4", "", "", "", 4 },
		{ "1", "400000 100000", "", "", 1 },
		{ "4", "150000 100000", "", "", 1.5 },
		{ "", "50000 1000000", "", "", 0.05 },
		{ "2", "max 100000", "", "", 2 },
		{ "2", "", "5000", "10000", 0.5 },
		{ "2", "", "50000", "", 0.5 },
		{ "2", "", "-1", "", 2 },
		{ "0", "0 100000", "", "", INFINITY },
		{ "x", "1e9 1e9", "", "", INFINITY },
		{ "", "", "", "", INFINITY },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct osvec *v = osvec_new("box");

		json_object_set_new(v->meta, "environment",
				    json_pack("{s:s, s:s, s:s, s:s}", "cpu.count", cases[i].count,
					      "cgroup.cpu_max", cases[i].max, "cgroup.cpu_quota_us",
					      cases[i].quota, "cgroup.cpu_period_us",
					      cases[i].period));
		const double cpus = osvec_cpus(v);
		ok(cpus == cases[i].cpus, "CPUs: %s, %s, %s of %s: %g", cases[i].count,
		   cases[i].max, cases[i].quota, cases[i].period, cpus);
		json_object_set_new(json_object_get(v->meta, "environment"), "cpu.usable",
				    json_string("1"));
		ok(osvec_cpus(v) == fmin(cases[i].cpus, 1), "at most the one that it may use");
		osvec_free(v);
	}
}

/* Strings that stand in entry after entry are kept once. */
static void test_names_of_curves(void)
{
	struct error e;
	struct osvec *v = parse(
	    "{\"schema\": \"osvec/1\", \"machine\": \"m\", \"columns\": [\"entry\", \"seconds\", "
	    "\"curve\", \"size\"], \"entries\": ["
	    "[\"a_1@same\", 1, \"a_*@same\", 1], "
	    "[\"a_1\", 1, \"a_*\", 1], [\"a_2\", 1, \"a_*\", 2]" TAIL,
	    &e);

	if (!ok(v != NULL, "curves whose names begin alike %s", e.text))
		return;
	cmp_int((int)osvec_curve(v, "a_*").n, 2, "are two");
	cmp_int((int)osvec_curve(v, "a_*@same").n, 1, "and keep their points");
	osvec_free(v);
}

static void test_half_harmonic(void)
{
	struct error e;
	struct osvec *a = parse(HEAD "{\"entry\": \"x\", \"seconds\": 3, \"low\": 2, \"high\": 6, "
				     "\"error\": 0.03, \"n\": 9, \"mean\": 3, "
				     "\"mean_error\": 0.06, \"cpu\": 3},"
				     "{\"entry\": \"only_a\", \"seconds\": 1}" TAIL,
				&e);
	struct osvec *b = parse(HEAD "{\"entry\": \"x\", \"seconds\": 6, \"low\": 2, \"high\": 6, "
				     "\"error\": 0.12, \"n\": 5, \"mean\": 6, "
				     "\"mean_error\": 0.24, \"cpu\": 1.5},"
				     "{\"entry\": \"only_b\", \"seconds\": 1}" TAIL,
				&e);
	a->correlation = 0.25;
	b->correlation = 0.75;
	a->entries[1].waiting = 0.5;
	b->entries[1].waiting = 0.1;
	struct osvec *h = osvec_half_harmonic(a, b, &e);

	ok(h && h->n == 1, "entries in both");
	if (h) {
		cmp_near(h->correlation, 0.75, 0, "errors are as much alike as on either");
		cmp_near(h->entries[0].seconds, 2, 1e-12, "1 / (1/3 + 1/6)");
		cmp_near(h->entries[0].low, 1, 1e-12, "its lower bound");
		cmp_near(h->entries[0].high, 3, 1e-12, "its upper bound");
		cmp_near(h->entries[0].error, hypot(0.02, 0.04), 1e-6, "errors weigh as costs do");
		cmp_near(h->entries[0].mean, 2, 1e-12, "means alike");
		cmp_near(h->entries[0].mean_error, hypot(0.04, 0.08), 1e-6, "and their errors");
		cmp_near(h->entries[0].cpu, 2.5, 1e-12, "two of three run on the faster CPU");
		cmp_int((int)h->entries[0].n, 5, "the fewer processes");
		cmp_near(h->entries[0].waiting, 0.3, 1e-12, "and waits for their mean share");
	}
	osvec_free(h);
	osvec_free(b);
	b = parse(HEAD TAIL, &e);
	ok(!osvec_half_harmonic(a, b, &e), "nothing in common: %s", e.text);
	osvec_free(a);
	osvec_free(b);
}

int main(void)
{
	test_smallest();
	test_state();
	test_refused();
	test_round_trip();
	test_names();
	test_curve();
	test_of_copies();
	test_cpus();
	test_names_of_curves();
	test_half_harmonic();
	return done_testing();
}
