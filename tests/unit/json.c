/* SPDX-License-Identifier: MIT */
/* Tests of lib/vector/json: what is written reads back, in the promised layout; schemas are checked. */
#include "vector/json.h"

#include <stdlib.h>

#include "../tap.h"

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

int main(void)
{
	test_format();
	test_schema();
	return done_testing();
}
