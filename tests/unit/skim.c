/* SPDX-License-Identifier: MIT */
/* Tests of lib/vector/skim: it reads what is written, and leaves the rest to osvec_read. */
#include "vector/skim.h"

#include <unistd.h>

#include "../tap.h"
#include "util/file.h"
#include "util/xalloc.h"

#define HEAD "{\"schema\": \"osvec/1\", \"machine\": \"m\", \"entries\": ["
#define TAIL "]}"
#define ENTRY "\"entry\": \"a\", \"seconds\": 1"

/* Whether skim takes it; whatever it takes, the reader takes. */
static const struct {
	const char *what, *text;
	bool taken;
} texts[] = {
	{ "an empty vector", HEAD TAIL, true },
	{ "name and cost", HEAD "{" ENTRY "}" TAIL, true },
	{ "white space",
	  " { \"schema\" : \"osvec/1\" ,\n\t\"machine\":\"m\" , \"entries\" : [ ] }\r\n", true },
	{ "members in another order", HEAD "{\"seconds\": 1, \"entry\": \"a\"}" TAIL, true },
	{ "escapes in what is not kept", HEAD "{" ENTRY ", \"operation\": \"a \\\"b\\\"\\n\"}" TAIL,
	  true },
	{ "many digits", HEAD "{" ENTRY ", \"trimmed\": 0.12345678901234567890123}" TAIL, true },
	{ "null where it may be",
	  HEAD "{" ENTRY
	       ", \"curve\": null, \"size\": null, \"trimmed\": null, \"placement\": null}" TAIL,
	  true },
	{ "an escape in a name", HEAD "{\"entry\": \"\\u0061\", \"seconds\": 1}" TAIL, false },
	{ "UTF-8", HEAD "{" ENTRY ", \"operation\": \"\303\251\"}" TAIL, false },
	{ "an unknown member", HEAD "{" ENTRY ", \"new\": 1}" TAIL, false },
	{ "a negative number", HEAD "{\"entry\": \"a\", \"seconds\": -1}" TAIL, false },
	{ "a zero", HEAD "{\"entry\": \"a\", \"seconds\": 0}" TAIL, false },
	{ "no cost", HEAD "{\"entry\": \"a\"}" TAIL, false },
	{ "no name", HEAD "{\"seconds\": 1}" TAIL, false },
	{ "a number too large", HEAD "{\"entry\": \"a\", \"seconds\": 1e999}" TAIL, false },
	{ "an integer too large", HEAD "{" ENTRY ", \"bytes\": 99999999999999999999}" TAIL, false },
	{ "a leading zero", HEAD "{\"entry\": \"a\", \"seconds\": 01}" TAIL, false },
	{ "no digit behind the point", HEAD "{\"entry\": \"a\", \"seconds\": 1.}" TAIL, false },
	{ "no digit in the exponent", HEAD "{\"entry\": \"a\", \"seconds\": 1e}" TAIL, false },
	{ "a name twice", HEAD "{" ENTRY ", \"seconds\": 1}" TAIL, false },
	{ "an entry twice", HEAD "{" ENTRY "}, {" ENTRY "}" TAIL, false },
	{ "a comma too many", HEAD "{" ENTRY "}," TAIL, false },
	{ "a comma too few", HEAD "{\"entry\": \"a\" \"seconds\": 1}" TAIL, false },
	{ "something behind the end", HEAD TAIL "x", false },
	{ "cut short", HEAD "{" ENTRY, false },
	{ "nothing", "", false },
	{ "another schema", "{\"schema\": \"osvec/2\", \"machine\": \"m\", \"entries\": []}",
	  false },
	{ "no machine", "{\"schema\": \"osvec/1\", \"entries\": []}", false },
	{ "a value below 0", HEAD "{" ENTRY ", \"values\": [1, -1]}" TAIL, false },
	{ "a value of 0", HEAD "{" ENTRY ", \"values\": [1, 0.0e5]}" TAIL, false },
	{ "values of text", HEAD "{" ENTRY ", \"values\": [\"1\"]}" TAIL, false },
	{ "values and n that differ", HEAD "{" ENTRY ", \"n\": 2, \"values\": [1]}" TAIL, false },
	{ "values and rounds that differ",
	  HEAD "{" ENTRY ", \"values\": [1], \"rounds\": [1, 2]}" TAIL, false },
	{ "a round of 1.5", HEAD "{" ENTRY ", \"values\": [1], \"rounds\": [1.5]}" TAIL, false },
	{ "one mode", HEAD "{" ENTRY ", \"modes\": [[1, 1]]}" TAIL, false },
	{ "a reason of a number",
	  "{\"schema\": \"osvec/1\", \"machine\": \"m\", \"entries\": [], \"skipped\": "
	  "[{\"entry\": \"b\", "
	  "\"reason\": 1}]}",
	  false },
	{ "nesting without end",
	  "{\"schema\": \"osvec/1\", \"machine\": \"m\", \"meta\": {\"a\": "
	  "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
	  false },
};

static void test_texts(void)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		size_t n = strlen(texts[i].text);
		struct osvec *a = skim_parse(texts[i].text, n, "t");
		struct osvec *b = osvec_parse(texts[i].text, n, "t", NULL);

		ok(!!a == texts[i].taken && (!a || b), "%s is %s", texts[i].what,
		   texts[i].taken ? "skimmed" : "left to the reader");
		osvec_free(a);
		osvec_free(b);
	}
}

/* Numbers come out as strtod reads them, to the last bit. */
static void test_numbers(void)
{
	static const char *const numbers[] = {
		"1",
		"0.1",
		"1e-6",
		"1.23456789e-06",
		"9007199254740993",
		"123456789012345678",
		"1.7976931348623157e308",
		"2.2250738585072014e-308",
		"0.30000000000000004",
		"1e22",
		"1e23",
		"123456789e-22",
		"0.000001234567890123456789",
		"8.5e-9",
		"4e2",
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		char *text = xasprintf(HEAD "{\"entry\": \"a\", \"seconds\": %s}" TAIL, numbers[i]);
		struct osvec *v = skim_parse(text, strlen(text), "t");

		ok(v && v->entries[0].seconds == strtod(numbers[i], NULL), "%s", numbers[i]);
		osvec_free(v);
		free(text);
	}
}

static struct osvec *sample(void)
{
	struct osvec *v = osvec_new("box");
	struct osvec_entry *x =
	    osvec_add(v, (struct osvec_entry){ .name = xstrdup("lat_b_4k"),
					       .program = xstrdup("lat_b"),
					       .operation = xstrdup("one \"b\""),
					       .curve = xstrdup("lat_b_*"),
					       .size = 4096,
					       .bytes = 4096,
					       .seconds = 1.25e-6,
					       .low = 1.2e-6,
					       .high = 1.3e-6,
					       .trimmed = 1.26e-6,
					       .faults = 0.5,
					       .switches = 2,
					       .kernel_entries = 3,
					       .copies = 2,
					       .placement = xstrdup("other"),
					       .flags = xstrdup("BIMODAL,FEW"),
					       .bimodal = true,
					       .modes = { { 0.75, 1.2e-6 }, { 0.25, 1.4e-6 } },
					       .values = xcalloc(2, sizeof(double)),
					       .rounds = xcalloc(2, sizeof(unsigned)),
					       .n = 2 });

	x->values[0] = 1.2e-6;
	x->values[1] = 1.30000001e-6;
	x->rounds[1] = 5;
	osvec_add(
	    v, (struct osvec_entry){
		   .name = xstrdup("lat_a"), .seconds = 1, .low = 1, .high = 1, .trimmed = NAN });
	osvec_skip(v, "lat_c", "not\there");
	json_object_set_new(v->meta, "suite", json_pack("{ss}", "text", "lat_a\nlat_b\n"));
	json_object_set_new(v->meta, "environment",
			    json_pack("{ssss}", "host.name", "box", "load.average", "0.1"));
	return v;
}

static void test_written(void)
{
	struct error e;
	char dir[] = "/tmp/osvec-skim.XXXXXX", path[64];
	struct osvec *v = sample();
	size_t n;

	if (!mkdtemp(dir)) {
		fail("mkdtemp");
		return;
	}
	snprintf(path, sizeof(path), "%s/osvec.json", dir);
	osvec_finish(v, &e);
	osvec_write(v, path, &e);
	char *text = file_read(path, 1 << 20, &n, &e);
	struct osvec *a = skim_parse(text, n, path), *b = skim_read(dir, &e);
	if (ok(a && b, "what osvec_write writes is skimmed")) {
		const struct osvec_entry *x = osvec_find(a, "lat_b_4k");
		const json_t *facts = json_object_get(a->meta, "environment");

		ok(x->size == 4096 && x->bytes == 4096 && x->seconds == 1.25e-6 &&
		       x->low == 1.2e-6 && x->high == 1.3e-6 && x->trimmed == 1.26e-6 &&
		       x->faults == 0.5 && x->switches == 2 && x->kernel_entries == 3 &&
		       x->copies == 2 && x->n == 2 && x->bimodal,
		   "numbers come back");
		ok(!strcmp(x->curve, "lat_b_*") && !strcmp(a->machine, "box") &&
		       !strcmp(a->created, v->created),
		   "names come back");
		ok(!x->values && !x->rounds && !x->flags && a->nskipped == 0,
		   "the rest is left out");
		is_string(json_string_value(json_object_get(facts, "host.name")), "box",
			  "which machine it is is kept");
		ok(!json_object_get(facts, "load.average"), "and no other fact");
		is_string(b->path, path, "by directory");
	}
	osvec_free(a);
	osvec_free(b);
	free(text);

	text = xstrdup(HEAD "{" ENTRY ", \"operation\": \"\303\251\", \"values\": [1]}" TAIL);
	file_write(path, text, strlen(text), &e);
	b = skim_read(path, &e);
	ok(b && b->entries[0].values, "an unusual file is read whole");
	osvec_free(b);
	free(text);
	file_write(path, "{}", 2, &e);
	ok(!skim_read(path, &e) && strstr(e.text, path), "an error names the file: %s", e.text);
	unlink(path);
	ok(!skim_read(path, &e) && strstr(e.text, path), "%s", e.text);
	rmdir(dir);
	osvec_free(v);
}

int main(void)
{
	test_texts();
	test_numbers();
	test_written();
	return done_testing();
}
