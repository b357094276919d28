/* SPDX-License-Identifier: MIT */
#include "../tap.h"

#include "measure/parameter.h"

static struct error e;

static const struct bench_parameter table[] = {
	{ "kind", BENCH_CHOICE, "tcp unix tcp6", 0, 0, NULL, false, "" },
	{ "size", BENCH_SIZE, "1 4k", 1, 1 << 20, "4k", true, "" },
	{ "count", BENCH_COUNT, "2 4", 2, 64, "2", false, "" },
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

int main(void)
{
	test_parameters();
	return done_testing();
}
