/* SPDX-License-Identifier: MIT */
/* Tests of lib/measure/parameter: operands, names of entries, and what -h says of them. */
#include "../tap.h"

#include "measure/parameter.h"
#include "util/xalloc.h"

static struct error e;

static const struct bench_parameter table[] = {
	{ "kind", BENCH_CHOICE, "tcp unix tcp6", 0, 0, NULL, false, false, "" },
	{ "size", BENCH_SIZE, "1 4k", 1, 1 << 20, "4k", true, false, "" },
	{ "count", BENCH_COUNT, "2 4", 2, 64, "2", false, false, "" },
	{ 0 }
};

static bool parses(const char *a, const char *b, const char *c, struct parameter_values *v)
{
	char *const operands[] = { (char *)a, (char *)b, (char *)c };
	size_t n = !a ? 0 : !b ? 1 : !c ? 2 : 3;

	e.text[0] = '\0';
	return !parameter_parse(table, operands, n, v, &e);
}

static void test_parameters(void)
{
	struct parameter_values v;
	char *name;

	ok(parses("tcp6", "65536", "07", &v), "three good operands");
	cmp_int(v.v[0].number, 2, "a word is its index, and no prefix of another");
	cmp_int(v.v[1].number, 65536, "a size is its bytes");
	cmp_int(v.v[2].number, 7, "a count is a decimal number");
	name = parameter_entry("lat_x", table, &v, false);
	is_string(name, "lat_x_tcp6_64k_7", "the entry is spelled canonically");
	free(name);
	name = parameter_entry("lat_x", table, &v, true);
	is_string(name, "lat_x_tcp6_*_7", "the curve has a star for the axis");
	free(name);
	ok(parses("tcp", NULL, NULL, &v) && v.v[1].number == 4096 && v.v[2].number == 2,
	   "what is missing takes its fallback");
	ok(!parses(NULL, NULL, NULL, &v) && strstr(e.text, "kind"), "what has none: %s", e.text);

	static const char *const bad[][3] = {
		{ "tc", "4k", "2" },   { "tcp unix", "4k", "2" },
		{ "", "4k", "2" },     { "tcp", "0", "2" },
		{ "tcp", "2m", "2" },  { "tcp", "-1", "2" },
		{ "tcp", "4kk", "2" }, { "tcp", "", "2" },
		{ "tcp", "4k", "1" },  { "tcp", "4k", "65" },
		{ "tcp", "4k", "2k" }, { "tcp", "4k", "18446744073709551618" },
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(!parses(bad[i][0], bad[i][1], bad[i][2], &v) && e.text[0],
		   "'%s' '%s' '%s' is refused", bad[i][0], bad[i][1], bad[i][2]);
	char *const four[] = { (char *)"tcp", (char *)"4k", (char *)"2", (char *)"more" };
	ok(parameter_parse(table, four, 4, &v, &e) && strstr(e.text, "more"), "a fourth");
	cmp_int(parameter_axis(table), 1, "the axis is found");
	ok(parameter_axis(NULL) == SIZE_MAX && parameter_count(NULL) == 0, "an empty table");
}

static void test_silent(void)
{
	static const struct bench_parameter silent[] = {
		{ "what", BENCH_CHOICE, "a b", .fallback = "a" },
		{ "size", BENCH_SIZE, "0 4k", 0, 1 << 20, "0", true, true, "" },
		{ "file", BENCH_SIZE, "4m 1g", 0, 1 << 30, "4m", false, true, "" },
		{ 0 }
	};
	static const struct {
		const char *operands[3], *entry, *curve;
	} cases[] = {
		{ { "a" }, "lat_x_a", "lat_x_a_*" },
		{ { "b", "4k" }, "lat_x_b_4k", "lat_x_b_*" },
		{ { "b", "0", "4096k" }, "lat_x_b", "lat_x_b_*" },
		{ { "a", "0", "1g" }, "lat_x_a_0_1g", "lat_x_a_*_1g" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct parameter_values v;
		size_t n = 0;

		while (n < 3 && cases[i].operands[n])
			n++;
		ok(!parameter_parse(silent, (char *const *)cases[i].operands, n, &v, &e), "parses");
		char *entry = parameter_entry("lat_x", silent, &v, false);
		char *curve = parameter_entry("lat_x", silent, &v, true);
		is_string(entry, cases[i].entry, "entry");
		is_string(curve, cases[i].curve, "curve");
		free(entry);
		free(curve);
	}
}

static void test_help(void)
{
	static const struct bench_parameter two[] = {
		{ "kind", BENCH_CHOICE, "tcp unix", .help = "of socket" },
		{ "size", BENCH_SIZE, "1 4k", 1, 1 << 20, .fallback = "4k", .help = "bytes" },
		{ 0 }
	};
	char *synopsis = parameter_synopsis(two);
	char *text = parameter_explain(two, 8, xstrdup("Sends."));

	is_string(synopsis, "KIND [SIZE]", "the synopsis");
	is_string(text,
		  "Sends.\n  KIND  of socket\n        tcp unix"
		  "\n  SIZE  bytes (4k)\n        such as 1 4k",
		  "what each is");
	free(synopsis);
	free(text);
}

int main(void)
{
	test_parameters();
	test_silent();
	test_help();
	return done_testing();
}
