/* SPDX-License-Identifier: MIT */
/* conf/cpistack.html with the numbers put in. */
#include "picture.h"
#include "view/html.h"
#include "json/json.h"

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

static json_t *rows_of(const struct input *in, bool units)
{
	size_t n = units ? in->counts.units.n : input_intervals(in);
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++) {
		struct stack s = { 0 };

		if (units)
			stacks_sum(&in->stacks, i, in->from, in->to, &s);
		else
			input_interval(in, SIZE_MAX, i, &s);
		json_array_append_new(
		    all, json_of(&s, units ? in->counts.units.v[i] : NULL, input_begin(in, i)));
		stack_free(&s);
	}
	return all;
}

int page_write(const struct input *in, const struct stack *all, const char *path, struct error *e)
{
	const struct formulas *f = in->stacks.formulas;
	json_t *names = json_array();

	for (size_t i = 0; i < all->parts.n; i++)
		json_array_append_new(
		    names, json_pack("{s:o, s:s}", "name", json_text(all->parts.v[i].formula->name),
				     "kind", formula_kind_names[all->parts.v[i].formula->kind]));
	json_t *numbers = json_pack(
	    "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "title",
	    json_text(in->title), "stack", json_text(f->title), "note", json_text(f->note),
	    "interval", json_double(in->interval), "to", json_double(in->to), "share",
	    json_double(all->share), "parts", names, "all", json_of(all, NULL, in->from),
	    "intervals", rows_of(in, false), "units", rows_of(in, true), "by",
	    trace_by(in->by) ? in->by : "process, thread or CPU");
	int status = html_write("cpistack.html", numbers, path, e);
	json_decref(numbers);
	return status < 0 ? -1 : 0;
}
