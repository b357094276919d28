/* SPDX-License-Identifier: MIT */
/* Tests of lib/json/rows: the same as jansson reads. */
#include "json/rows.h"

#include <stdbool.h>
#include <string.h>

#include "../tap.h"
#include "stats/random.h"
#include "util/xalloc.h"

/* What a cell stands for. */
static json_t *value_of(const struct cell *c)
{
	if (c->kind == CELL_OTHER)
		return json_incref(c->json);
	return c->kind == CELL_NUMBER  ? json_real(c->number)
	       : c->kind == CELL_TEXT  ? json_stringn(c->text, c->n)
	       : c->kind == CELL_WORDS ? json_loadb(c->text, c->n, 0, NULL)
				       : json_null();
}

static bool is_same(const json_t *a, const json_t *b)
{
	return json_is_number(a) ? json_is_number(b) && json_number_value(a) == json_number_value(b)
				 : json_equal(a, b);
}

static bool is_same_row(const struct rows *r, const struct row *row, const json_t *array)
{
	bool same = json_is_array(array) && json_array_size(array) == row->n;

	if (row->other)
		return json_equal(row->other, array);
	for (size_t i = 0; same && i < row->n; i++) {
		json_t *v = value_of(&r->cells.v[row->first + i]);

		same = is_same(v, json_array_get(array, i));
		json_decref(v);
	}
	return same;
}

/* Reads text both ways; whether both read it, or neither does. */
static bool agree(const char *text)
{
	struct rows r = { 0 };
	json_t *a = rows_load(&r, text, strlen(text), "t");
	json_t *b = *text == '[' ? NULL : json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const json_t *table = json_object_get(b, "t");
	bool same =
	    !a == !b && (!b || (json_is_array(table) ? json_array_size(table) : 0) == r.v.n);

	for (size_t i = 0; same && b && i < r.v.n; i++)
		same = is_same_row(&r, &r.v.v[i], json_array_get(table, i));
	if (same && b) {
		if (json_is_array(table))
			json_object_set_new(b, "t", json_array());
		same = json_equal(a, b);
	}
	json_decref(a);
	json_decref(b);
	rows_free(&r);
	return same;
}

static const char *const documents[] = {
	"",
	"{}",
	" { } ",
	"[]",
	"{",
	"{} x",
	"{,}",
	"nothing",
	"{\"t\": []}",
	"{\"t\": [] ",
	"{\"t\": [}",
	"{\"t\": [,]}",
	"{\"t\": [[]]}",
	"{\"t\": [[],]}",
	"{\"t\": 1}",
	"{\"t\": {\"t\": [[1]]}}",
	"{\"s\": [[1]], \"t\": [[2]], \"u\": {\"t\": [[3]]}}",
	"{\"t\": [], \"t\": []}",
	"{\"t\": [], \"\\u0074\": []}",
	"{\"a\": 1 \"t\": []}",
	"{\"a\": tru}",
	"{\"t\": [1, {\"a\": 1}, \"x\", null]}",
	"{\"t\": [{\"a\": 1, \"a\": 2}]}",
	"{\n\"t\" :\t[ [ 1 ,\r\n2 ] , [ \"a\" , null , true, false ] ] ,\n\"u\": 1 }",
	"{1: []}",
	"{\"t\" []}",
};

static const char *const cells[] = {
	"0",
	"-0",
	"1",
	"-1",
	"01",
	"-",
	"+1",
	"1.",
	".5",
	"1.5",
	"1e5",
	"1E+5",
	"1e-5",
	"1e",
	"1e+",
	"-1.25e-3",
	"1e22",
	"1e23",
	"1e-22",
	"1e-23",
	"9007199254740993",
	"123456789012345678",
	"0.000000000000000000001",
	"1e999",
	"1e-999",
	"1e99999999999",
	"1e0000000000001",
	"0x1",
	"NaN",
	"Infinity",
	"1 2",
	"2.2250738585072011e-308",
	"1.7976931348623157e308",
	"0.1e1",
	"0.30000000000000004",
	"100000000000000000000",
	"18446744073709551617",
	"1844674407370955161.7",
	"null",
	"nul",
	"nullx",
	"nulx",
	"1e-18446744073709551612",
	"true",
	"\"\"",
	"\"abc\"",
	"\"a\\\"b\"",
	"\"\\u00e9\"",
	"\"\\ud800\"",
	"\"é\"",
	"\"\xff\"",
	"\"a\nb\"",
	"\"open",
	"[\"FEW\", \"WIDE\"]",
	"[ \"FEW\",\n\"WIDE\" ]",
	"[\"FEW\" \"WIDE\"]",
	"[\"FEW\",]",
	"[\"FEW\", 1]",
	"[\"a\\n\", \"b\"]",
	"[ ]",
	"[\"FEW\"",
	"[1, [2]]",
	"[1",
	"{\"a\": [1]}",
	"",
};

static void test_texts(void)
{
	for (size_t i = 0; i < sizeof(documents) / sizeof(*documents); i++)
		ok(agree(documents[i]), "document %zu", i);
	for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++) {
		char *one = xasprintf("{\"t\": [[%s]]}", cells[i]);
		char *many = xasprintf("{\"t\": [[1, %s, 2], [3]]}", cells[i]);

		ok(agree(one) && agree(many), "cell %zu", i);
		free(one);
		free(many);
	}
}

/* Every prefix, which ends where a reader might go on. */
static void test_cut(void)
{
	static const char whole[] =
	    "{\"a\": \"\\n\", \"t\": [[\"x\", 1.5e-6, null, [\"F\"]], [\"y\"]]}";
	bool same = true;

	for (size_t n = 0; n < sizeof(whole); n++) {
		char *cut = xstrndup(whole, n);

		same = same && agree(cut);
		free(cut);
	}
	ok(same, "cut anywhere");
}

static void test_numbers(void)
{
	struct random random;
	size_t wrong = 0;

	random_seed(&random, 1);
	for (size_t i = 0; i < 20000; i++) {
		int digits = (int)random_below(&random, 18);
		double mantissa = random_normal(&random);
		char *text = xasprintf("{\"t\": [[%.*fe%d]]}", digits, mantissa,
				       (int)random_below(&random, 60) - 30);

		wrong += !agree(text);
		free(text);
	}
	cmp_int((long)wrong, 0, "numbers read otherwise");
}

static void test_nul(void)
{
	struct rows r = { 0 };

	ok(!rows_load(&r, "{}\0x", 4, "t"), "nothing may follow a NUL");
	rows_free(&r);
}

int main(void)
{
	test_texts();
	test_nul();
	test_cut();
	test_numbers();
	return done_testing();
}
