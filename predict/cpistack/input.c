/* SPDX-License-Identifier: MIT */
#include "input.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

enum { INTERVALS = 40, MOST_INTERVALS = 100000 };

void input_formulas(struct formula_file *f, const char *path)
{
	struct error e;

	if (formulas_read(f, path, &e))
		errx(1, "%s", e.text);
}

static void parse_mode(struct input *in, const struct opt_usage *usage)
{
	enum counts_mode mode = in->mode ? counts_mode_of(in->mode) : COUNTS_MODES;

	if (in->mode && mode != COUNTS_USER && mode != COUNTS_KERNEL)
		opt_bad_usage(usage, "--mode %s: not user or kernel", in->mode);
	in->stacks.only = mode;
}

static void set_interval(struct input *in)
{
	enum { TURNS = 4 }; /* of each event in an interval */
	double length = in->to - in->from;
	double n = fmin(INTERVALS, floor((double)stacks_fewest_turns(&in->stacks) / TURNS));

	if (!(length > 0))
		errx(1, "%s: all counts have the same time", in->title);
	if (in->interval == 0)
		in->interval = length / fmax(n, 1);
	if (length / in->interval > MOST_INTERVALS)
		errx(1, "--interval: that makes more than %d intervals: choose a longer one",
		     MOST_INTERVALS);
}

static void read_file(struct input *in, const char *file, const struct opt_usage *usage)
{
	struct error e;

	if (trace_is(file))
		trace_counts(&in->counts, file, in->by);
	else if (in->by && trace_by(in->by))
		opt_bad_usage(
		    usage,
		    "--by %s needs a trace (ktranal record -E), and %s is none: use --by unit",
		    in->by, file);
	else if (counts_read(&in->counts, file, &e))
		errx(1, "%s", e.text);
}

void input_read(struct input *in, char **files, int n, const struct opt_usage *usage)
{
	struct error e;

	if (n < 1)
		opt_bad_usage(
		    usage,
		    "no file given: name one of cpistack record, of perf stat -I -x, or a trace");
	input_formulas(&in->file, in->formulas);
	for (int i = 0; i < n; i++) {
		read_file(in, files[i], usage);
		in->title = xappend(in->title, i ? " %s" : "%s", files[i]);
	}
	if (in->counts.command)
		in->title = xappend(in->title, ": %s", in->counts.command);
	if (stacks_begin(&in->stacks, &in->counts, &in->file,
			 in->stack_name ? in->stack_name : in->counts.stack, &e))
		errx(1, "%s: %s", files[0], e.text);
	text_make_printable(in->title);
	parse_mode(in, usage);
	in->from = in->counts.slices.v[0].from;
	in->to = in->counts.slices.v[in->counts.slices.n - 1].to;
	set_interval(in);
}

void input_whole(const struct input *in, struct stack *all)
{
	stacks_sum(&in->stacks, SIZE_MAX, in->from, in->to, all);
	if (!all->parts.n)
		errx(1, "%s: not all events of stack %s were counted%s", in->title,
		     in->stacks.formulas->name,
		     in->stacks.only == COUNTS_MODES ? "" : " in that mode");
	if (!(all->instructions > 0))
		errx(1, "%s: no instructions were counted", in->title);
}

void input_modes(const struct input *in, struct rows *r)
{
	enum counts_mode only = in->stacks.only;

	*r = (struct rows){ 0, xcalloc(COUNTS_MODES, sizeof(*r->v)) };
	for (int i = 1; i <= COUNTS_MODES; i++) { /* all comes last */
		int mode = i % COUNTS_MODES;
		struct stacks of = in->stacks;
		struct row *row = &r->v[r->n];

		of.only = mode == COUNTS_ALL ? COUNTS_MODES : (enum counts_mode)mode;
		if (only != COUNTS_MODES && of.only != only)
			continue;
		*row = (struct row){ .name = counts_modes(1U << mode), .from = in->from };
		stacks_sum(&of, SIZE_MAX, in->from, in->to, &row->stack);
		r->n += row->stack.parts.n > 0;
	}
}

static int most_cycles(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->stack.cycles < y->stack.cycles) - (x->stack.cycles > y->stack.cycles);
}

void input_units(const struct input *in, struct rows *r)
{
	const struct names *units = &in->counts.units;

	*r = (struct rows){ units->n, xcalloc(units->n + 1, sizeof(*r->v)) };
	for (size_t i = 0; i < r->n; i++) {
		r->v[i].name = units->v[i];
		r->v[i].from = in->from;
		stacks_sum(&in->stacks, i, in->from, in->to, &r->v[i].stack);
	}
	vec_sort(r, most_cycles);
}

void input_intervals(const struct input *in, size_t unit, struct rows *r)
{
	const double rounding = 1e-9; /* a slice that ends with the interval is in it */

	r->n = (size_t)ceil((in->to - in->from) / in->interval - 1e-6);
	r->v = xcalloc(r->n + 1, sizeof(*r->v));
	for (size_t i = 0; i < r->n; i++) {
		double from = r->v[i].from = in->from + (double)i * in->interval;

		stacks_sum(&in->stacks, unit, from, from + in->interval * (1 + rounding),
			   &r->v[i].stack);
	}
}

void rows_free(struct rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		stack_free(&r->v[i].stack);
	free(r->v);
}

void input_warn(const struct input *in, const struct stack *s)
{
	if (s->lost > 0)
		warnx("%.1f %% of the cycles are not included, because not all events were counted "
		      "there",
		      100 * s->lost / (s->lost + s->cycles));
	if (stacks_by_time(&in->stacks))
		warnx("counts are scaled by time; errors would be smaller with cycles counted in "
		      "every group");
	for (size_t i = 0; i < in->counts.unsupported.n; i++)
		warnx("%s was not supported on the machine where the events were counted",
		      in->counts.unsupported.v[i]);
}

void input_free(struct input *in)
{
	free(in->title);
	stacks_end(&in->stacks);
	counts_free(&in->counts);
	formulas_free(&in->file);
}
