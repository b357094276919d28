/* SPDX-License-Identifier: MIT */
#include "input.h"

#include <err.h>
#include <math.h>
#include <string.h>

#include "util/home.h"

enum { INTERVALS = 40, MOST_INTERVALS = 100000 };

void input_formulas(struct formula_file *f, const char *path)
{
	struct error e;
	char *found = path ? xstrdup(path) : home_find(HOME_CONF, "cpi.conf", &e);

	if (!found || formulas_read(f, found, &e))
		errx(1, "%s", e.text);
	free(found);
}

static void parse_mode(struct input *in, const struct opt_usage *usage)
{
	static const char *const words[] = { "all", "user", "kernel" };
	size_t i = 0;

	in->only = COUNTS_MODES;
	if (!in->mode)
		return;
	while (i < 3 && strcmp(in->mode, words[i]) != 0)
		i++;
	if (i == 3)
		opt_bad_usage(usage, "--mode %s: not all, user or kernel", in->mode);
	if (i)
		in->only = (enum counts_mode)i;
}

/* The turns that the event counted least had. */
static double fewest_turns(const struct input *in)
{
	size_t *turns = xcalloc(in->stack->events.n, sizeof(*turns)), least = SIZE_MAX;

	for (size_t i = 0; i < in->counts.rows.n; i++)
		if (in->match[in->counts.rows.v[i].event] != SIZE_MAX)
			turns[in->match[in->counts.rows.v[i].event]]++;
	for (size_t i = 0; i < in->stack->events.n; i++)
		least = turns[i] < least ? turns[i] : least;
	free(turns);
	return (double)least;
}

static void set_interval(struct input *in)
{
	enum { TURNS = 4 }; /* of each event in an interval */
	double length = in->to - in->from;
	double n = fmin(INTERVALS, floor(fewest_turns(in) / TURNS));

	if (!(length > 0))
		errx(1, "%s: all counts are of one moment", in->title);
	if (in->interval == 0)
		in->interval = length / fmax(n, 1);
	if (length / in->interval > MOST_INTERVALS)
		errx(1, "--interval: that would be more than %d intervals; choose a longer one",
		     MOST_INTERVALS);
}

void input_read(struct input *in, char **files, int n, const struct opt_usage *usage)
{
	struct error e;

	if (n < 1)
		opt_bad_usage(usage,
			      "which counts?  A file of cpistack record, or of perf stat -I -x,");
	parse_mode(in, usage);
	input_formulas(&in->file, in->formulas);
	for (int i = 0; i < n; i++) {
		if (counts_read(&in->counts, files[i], &e))
			errx(1, "%s", e.text);
		in->title = xappend(in->title, i ? " %s" : "%s", files[i]);
	}
	if (in->counts.command)
		in->title = xappend(in->title, ": %s", in->counts.command);
	const char *name = in->stack_name ? in->stack_name : in->counts.stack;
	in->stack = counts_stack(&in->counts, &in->file, name, &e);
	if (!in->stack)
		errx(1, "%s: %s", files[0], e.text);
	in->match = counts_match(&in->counts, in->stack);
	in->carrier = counts_carrier(&in->counts, in->match);
	in->from = in->counts.slices.v[0].from;
	in->to = in->counts.slices.v[in->counts.slices.n - 1].to;
	set_interval(in);
}

void input_whole(const struct input *in, struct stack *all)
{
	input_stack(in, SIZE_MAX, in->from, in->to, all);
	if (!all->parts.n)
		errx(1, "%s: not all events of stack %s were counted%s", in->title, in->stack->name,
		     in->only == COUNTS_MODES ? "" : " in that mode");
	if (!(all->instructions > 0))
		errx(1, "%s: no instructions were counted", in->title);
}

/* The first slice that ends after that time. */
static size_t first_after(const struct counts *c, double time)
{
	size_t low = 0, high = c->slices.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->slices.v[middle].to <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Recordings count one mode at a time: what it counted stands for the turns of the other, too. */
static void scale_modes(const struct input *in, struct counted *of_unit)
{
	double time = 0;

	for (int mode = 0; mode < COUNTS_MODES; mode++)
		time += of_unit[mode].time;
	for (int mode = 0; mode < COUNTS_MODES && in->counts.stack; mode++)
		if (of_unit[mode].time > 0)
			of_unit[mode].whole *= time / of_unit[mode].time;
}

/* Units and modes are told apart by themselves, then added: their rates differ. */
void input_stack(const struct input *in, size_t unit, double from, double to, struct stack *out)
{
	const struct counts *c = &in->counts;
	size_t strata = c->units.n * COUNTS_MODES;
	struct counted *counted = xcalloc(strata, sizeof(*counted));

	for (size_t i = first_after(c, from); i < c->slices.n && c->slices.v[i].to <= to;) {
		const struct counts_slice *s = &c->slices.v[i];
		struct counted ignored = { 0 }, *into = &ignored;

		if (unit == SIZE_MAX || s->unit == unit)
			into = &counted[s->unit * COUNTS_MODES + s->mode];
		if (!into->counters.n)
			counters_init(&into->counters, in->stack->events.n);
		i = counts_add(c, i, in->match, in->carrier, into);
		counters_free(&ignored.counters);
	}
	stack_free(out);
	for (size_t i = 0; i < strata; i++) {
		if (i % COUNTS_MODES == 0)
			scale_modes(in, &counted[i]);
		struct stack s = { 0 };

		bool wanted = in->only == COUNTS_MODES || i % COUNTS_MODES == in->only;

		if (counted[i].counters.n && wanted) {
			stack_compute(&s, in->stack, &counted[i].counters, counted[i].whole);
			stack_add(out, &s);
		}
		stack_free(&s);
		counters_free(&counted[i].counters);
	}
	free(counted);
}

size_t input_intervals(const struct input *in)
{
	return (size_t)ceil((in->to - in->from) / in->interval - 1e-6);
}

double input_begin(const struct input *in, size_t i)
{
	return in->from + (double)i * in->interval;
}

void input_interval(const struct input *in, size_t unit, size_t i, struct stack *out)
{
	const double rounding = 1e-9; /* a slice that ends with the interval is in it */
	double from = input_begin(in, i);

	input_stack(in, unit, from, from + in->interval * (1 + rounding), out);
}

void input_warn(const struct input *in, const struct stack *s)
{
	if (s->lost > 0)
		warnx("%.1f %% of the cycles are left out: not all events were counted in them",
		      100 * s->lost / (s->lost + s->cycles));
	if (in->carrier == SIZE_MAX)
		warnx("counts are scaled by time: with cycles in every group, errors would be "
		      "smaller");
	for (size_t i = 0; i < in->counts.unsupported.n; i++)
		warnx("%s: not supported where the counts come from", in->counts.unsupported.v[i]);
}

void input_free(struct input *in)
{
	free(in->title);
	free(in->match);
	counts_free(&in->counts);
	formulas_free(&in->file);
}
