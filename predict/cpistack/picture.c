/* SPDX-License-Identifier: MIT */
#include "picture.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "json/json.h"
#include "util/file.h"
#include "util/svg.h"
#include "../common/html.h"

enum { LEFT = 60, TOP = 50, WIDTH = 720, HEIGHT = 300, LEGEND = 220 };

static const char *const colors[] = { "#4477aa", "#ee7733", "#ddaa33", "#cc3311", "#aa4499",
				      "#117733", "#33bbee", "#009988", "#882255", "#999933",
				      "#bbbbbb", "#6655cc", "#777777" };

static const char *color_of(size_t part)
{
	return colors[part % (sizeof(colors) / sizeof(*colors))];
}

static void draw_bar(const struct plot *p, const struct input *in, const struct row *r)
{
	const struct stack *s = &r->stack;
	double base = 0, left = plot_x(p, r->from),
	       right = plot_x(p, fmin(r->from + in->interval, in->to));

	for (size_t k = 0; k < s->parts.n; k++) {
		double cpi = s->parts.v[k].cycles / s->instructions;

		if (cpi > 0)
			fprintf(p->f,
				"<rect x='%.2f' y='%.2f' width='%.2f' height='%.2f' fill='%s'/>\n",
				left, plot_y(p, base + cpi), fmax(right - left - 0.5, 0.5),
				cpi / p->y1 * p->height, color_of(k));
		base += cpi;
	}
}

static void draw(const struct input *in, const struct stack *all, FILE *f)
{
	struct rows rows;
	struct plot p = { .f = f,
			  .left = LEFT,
			  .top = TOP,
			  .width = WIDTH,
			  .height = HEIGHT,
			  .x0 = in->from,
			  .x1 = in->to,
			  .y1 = 1e-9 };

	input_intervals(in, SIZE_MAX, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		const struct stack *s = &rows.v[i].stack;

		if (s->instructions > 0)
			p.y1 = fmax(p.y1, 1.05 * s->cycles / s->instructions);
	}
	svg_begin(f, LEFT + WIDTH + LEGEND, TOP + HEIGHT + 50, in->title);
	plot_y_axis(&p, "cycles per instruction", false);
	plot_x_axis(&p, "time", true);
	for (size_t i = 0; i < rows.n; i++)
		draw_bar(&p, in, &rows.v[i]);
	for (size_t k = 0; k < all->parts.n; k++) {
		double y = TOP + 20.0 * (double)(all->parts.n - 1 - k);

		fprintf(f, "<rect x='%d' y='%.0f' width='12' height='12' fill='%s'/>\n",
			LEFT + WIDTH + 16, y, color_of(k));
		svg_text(f, LEFT + WIDTH + 34, y + 10, "start", "#222", "%s",
			 all->parts.v[k].formula->name);
	}
	svg_end(f);
	rows_free(&rows);
}

int picture_svg(const struct input *in, const struct stack *all, const char *path, struct error *e)
{
	char *picture;
	size_t n;
	FILE *f = open_memstream(&picture, &n);

	if (!f)
		return error_set(e, "%s: %s", path, strerror(errno));
	draw(in, all, f);
	if (fclose(f))
		return error_set(e, "%s: %s", path, strerror(errno));
	int status = file_write(path, picture, n, e);
	free(picture);
	return status;
}

/* ---- the page ---- */

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

int picture_html(const struct input *in, const struct stack *all, const char *path, struct error *e)
{
	const struct formulas *f = in->stacks.formulas;
	const struct row whole = { .from = in->from, .stack = *all };
	struct rows intervals, modes, units;
	json_t *parts = json_array();

	for (size_t i = 0; i < all->parts.n; i++)
		json_array_append_new(parts, json_pack("{s:o, s:s}", "name",
						       json_text(all->parts.v[i].formula->name),
						       "color", color_of(i)));
	input_intervals(in, SIZE_MAX, &intervals);
	input_modes(in, &modes);
	input_units(in, &units);
	json_t *numbers = json_pack(
	    "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "title",
	    json_text(in->title), "stack", json_text(f->title), "note", json_text(f->note), "to",
	    json_double(in->to), "share", json_double(all->share), "bound",
	    json_double(stack_memory_bound(all)), "parts", parts, "all", json_of(&whole),
	    "intervals", json_of_rows(&intervals, 0), "modes", json_of_rows(&modes, 0), "units",
	    json_of_rows(&units, INPUT_SMALL * all->cycles), "by",
	    trace_by(in->by) ? in->by : "process, thread or CPU");
	int status = html_write("cpistack.html", numbers, path, e);
	json_decref(numbers);
	return status;
}

/* ---- Perfetto ---- */

static void print_event(const struct row *r, size_t unit, const char *name)
{
	const struct stack *s = &r->stack;
	json_t *parts = json_object();

	for (size_t k = 0; k < s->parts.n; k++)
		json_object_set_new(parts, s->parts.v[k].formula->name,
				    json_double(s->parts.v[k].cycles / s->instructions));
	json_t *event =
	    json_pack("{s:s, s:f, s:i, s:o, s:o}", "ph", "C", "ts", r->from * 1e6, "pid",
		      (int)unit + 1, "name", json_text(*name ? name : "CPI"), "args", parts);
	json_dumpf(event, stdout, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9));
	json_decref(event);
}

void picture_perfetto(const struct input *in)
{
	const char *between = "";

	printf("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
	for (size_t unit = 0; unit < in->counts.units.n; unit++) {
		struct rows rows;

		input_intervals(in, unit, &rows);
		for (size_t i = 0; i < rows.n; i++)
			if (rows.v[i].stack.instructions > 0) {
				fputs(between, stdout);
				print_event(&rows.v[i], unit, in->counts.units.v[unit]);
				between = ",\n";
			}
		rows_free(&rows);
	}
	printf("\n]}\n");
}
