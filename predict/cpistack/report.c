/* SPDX-License-Identifier: MIT */
/* cpistack report: conf/cpistack.html with the numbers put in. */
#include <err.h>
#include <math.h>

#include "commands.h"
#include "input.h"
#include "json/json.h"
#include "view/html.h"

static struct {
	struct input in;
	const char *output;
} set;

static const struct opt options[] = { { 'o', "output", OPT_STRING, &set.output, "FILE",
					.help = "the page to write" },
				      INPUT_OPTIONS(set.in),
				      { 0 } };

static const struct opt_usage usage = {
	.program = "cpistack report",
	.operands = "-o FILE FILE...",
	.summary = "Write a page that shows what the cycles went to, over time and by process.",
	.example = "cpistack report -o app.html app.counts",
};

/* A stack: its cycles, instructions and parts. */
static json_t *json_of(const struct stack *s, const char *name, double from)
{
	json_t *parts = json_array(), *errors = json_array();

	for (size_t i = 0; i < s->parts.n; i++) {
		json_array_append_new(parts, json_double(s->parts.v[i].cycles));
		json_array_append_new(errors, json_double(s->parts.v[i].error));
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", json_text(name), "from",
			 json_double(from), "cycles", json_double(s->cycles), "instructions",
			 json_double(s->instructions), "parts", parts, "errors", errors);
}

static json_t *rows_of(bool units)
{
	const struct input *in = &set.in;
	size_t n = units ? in->counts.units.n : input_intervals(in);
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++) {
		struct stack s = { 0 };

		if (units)
			input_stack(in, i, in->from, in->to, &s);
		else
			input_interval(in, SIZE_MAX, i, &s);
		json_array_append_new(
		    all, json_of(&s, units ? in->counts.units.v[i] : NULL, input_begin(in, i)));
		stack_free(&s);
	}
	return all;
}

static json_t *numbers_of(const struct stack *all)
{
	const struct input *in = &set.in;
	json_t *names = json_array();

	for (size_t i = 0; i < all->parts.n; i++)
		json_array_append_new(
		    names, json_pack("{s:o, s:s}", "name", json_text(all->parts.v[i].formula->name),
				     "kind", formula_kind_names[all->parts.v[i].formula->kind]));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "title",
			 json_text(in->title), "stack", json_text(in->stack->title), "note",
			 json_text(in->stack->note), "interval", json_double(in->interval), "to",
			 json_double(in->to), "share", json_double(all->share), "parts", names,
			 "all", json_of(all, NULL, in->from), "intervals", rows_of(false), "units",
			 rows_of(true));
}

int command_report(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options);
	struct stack all = { 0 };
	struct error e;

	if (!set.output)
		opt_bad_usage(&usage, "no page to write: give -o FILE");
	input_read(&set.in, argv + first, argc - first, &usage);
	input_whole(&set.in, &all);
	json_t *numbers = numbers_of(&all);
	if (html_write("cpistack.html", numbers, set.output, &e) < 0)
		errx(1, "%s", e.text);
	json_decref(numbers);
	input_warn(&set.in, &all);
	stack_free(&all);
	input_free(&set.in);
	return 0;
}
