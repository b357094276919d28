/* SPDX-License-Identifier: MIT */
/* The page of cpistack show. */
#include "picture.h"
#include "view/html.h"
#include "json/json.h"

static json_t *json_of(const struct row *r)
{
	const struct stack *s = &r->stack;
	json_t *parts = json_array(), *errors = json_array();

	for (size_t i = 0; i < s->parts.n; i++) {
		json_array_append_new(parts, json_double(s->parts.v[i].cycles));
		json_array_append_new(errors, json_double(s->parts.v[i].error));
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", json_text(r->name), "from",
			 json_double(r->from), "cycles", json_double(s->cycles), "instructions",
			 json_double(s->instructions), "parts", parts, "errors", errors);
}

/* Frees the rows, of which those with fewer cycles are left out. */
static json_t *json_of_rows(struct rows *r, double least)
{
	json_t *all = json_array();

	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].stack.cycles >= least)
			json_array_append_new(all, json_of(&r->v[i]));
	rows_free(r);
	return all;
}

int page_write(const struct input *in, const struct stack *all, const char *path, struct error *e)
{
	const struct formulas *f = in->stacks.formulas;
	const struct row whole = { .from = in->from, .stack = *all };
	struct rows intervals, units;
	json_t *parts = json_array();

	for (size_t i = 0; i < all->parts.n; i++)
		json_array_append_new(parts, json_pack("{s:o, s:s}", "name",
						       json_text(all->parts.v[i].formula->name),
						       "color", picture_color(i)));
	input_intervals(in, SIZE_MAX, &intervals);
	input_units(in, &units);
	json_t *numbers = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}",
				    "title", json_text(in->title), "stack", json_text(f->title),
				    "note", json_text(f->note), "to", json_double(in->to), "share",
				    json_double(all->share), "bound",
				    json_double(stack_memory_bound(all)), "parts", parts, "all",
				    json_of(&whole), "intervals", json_of_rows(&intervals, 0),
				    "units", json_of_rows(&units, INPUT_SMALL * all->cycles), "by",
				    trace_by(in->by) ? in->by : "process, thread or CPU");
	int status = html_write("cpistack.html", numbers, path, e);
	json_decref(numbers);
	return status;
}
