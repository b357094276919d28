/* SPDX-License-Identifier: MIT */
/* cpistack show: prints and draws the breakdown of the cycles, in total, over time, or by process.
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "input.h"
#include "picture.h"
#include "util/file.h"
#include "util/number.h"
#include "util/table.h"
#include "util/wrap.h"

static struct {
	struct input in;
	const char *svg, *html;
	bool json, csv, perfetto;
} set = { .in.by = "part" };

static const struct opt options[] = {
	{ 'b', "by", OPT_STRING, &set.in.by, "WORD",
	  .help = "rows: part (default), event, interval, mode or unit; for a trace also process, "
		  "subtree, cgroup, thread, call, or state of the critical path" },
	{ 0, "svg", OPT_STRING, &set.svg, "FILE", .help = "draw a bar for each interval" },
	{ 0, "perfetto", OPT_FLAG, &set.perfetto,
	  .help = "print counter tracks for ui.perfetto.dev, as JSON" },
	{ 0, "html", OPT_STRING, &set.html, "FILE",
	  .help = "write a web page with parts, intervals and units" },
	{ 's', "stack", OPT_STRING, &set.in.stack_name, "NAME",
	  .help =
	      "use the formulas of this processor (default: those whose events are in the files)" },
	{ 0, "formulas", OPT_STRING, &set.in.formulas, "FILE",
	  .help = "read the formulas from FILE instead of conf/cpi.conf" },
	{ 'm', "mode", OPT_STRING, &set.in.mode, "WORD",
	  .help = "user or kernel: show only the cycles in this mode" },
	{ 'i', "interval", OPT_DURATION, &set.in.interval, "TIME", 1e-6, 1e9,
	  "length of an interval (default: about 40 intervals, fewer if events were counted too "
	  "rarely)" },
	{ 'j', "json", OPT_FLAG, &set.json, .help = "print JSON" },
	{ 0, "csv", OPT_FLAG, &set.csv, .help = "print CSV" },
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "cpistack show",
	.operands = "FILE...",
	.summary = "Print the cycles per instruction of a program by cause, with standard errors.",
	.example = "cpistack show --by interval --svg app.svg app.counts",
};

/* ---- by part ---- */

static void print_head(const struct stack *s)
{
	char n[NUMBER_MAX], t[NUMBER_MAX];
	double base = 0, bound = stack_memory_bound(s);

	for (size_t i = 0; i < s->parts.n; i++)
		base += s->parts.v[i].formula->kind == FORMULA_BASE ? s->parts.v[i].cycles : 0;
	printf("%s\n%s (%s), %s, %s instructions%s%s\n", set.in.title, set.in.stacks.formulas->name,
	       set.in.stacks.formulas->title ? set.in.stacks.formulas->title : "",
	       number_format_duration(t, set.in.to - set.in.from),
	       number_format_si(n, s->instructions), set.in.mode ? ", mode " : "",
	       set.in.mode ? set.in.mode : "");
	printf("CPI %.3f", s->cycles / s->instructions);
	if (base > 0)
		printf(" = %.3f completing instructions + %.3f stalled", base / s->instructions,
		       (s->cycles - base) / s->instructions);
	if (bound > 1 && isfinite(bound))
		printf("\nwith a perfect memory system it would be at most %.2f times as fast",
		       bound);
	printf("\n\n");
}

static const struct table_column part_columns[] = {
	{ "PART", "part", TABLE_LEFT },	    { "CPI", "cpi", TABLE_RIGHT },
	{ "+-", "error", TABLE_RIGHT },	    { "SHARE", "share", TABLE_RIGHT },
	{ "", "bar", TABLE_LEFT },	    { "MEASURED", "measured_cpi", TABLE_DATA },
	{ "MEMORY", "memory", TABLE_DATA },
};

static void print_parts(const struct stack *s)
{
	static const char bar[] = "########################################";
	struct table *t = table_of(part_columns);

	for (size_t i = 0; i < s->parts.n; i++) {
		const struct stack_part *p = &s->parts.v[i];
		double share = p->cycles / s->cycles;
		char *drawn = xstrndup(bar, (size_t)lround(fmin(share, 1) * (sizeof(bar) - 1)));

		table_text(t, p->formula->name);
		table_number(t, p->cycles / s->instructions, "%.3f");
		table_number(t, p->error / s->instructions, "%.3f");
		table_percent(t, share, "%.1f%%");
		table_text(t, drawn);
		table_number(t, p->measured / s->instructions, "%.3f");
		table_count(t, p->formula->kind == FORMULA_MEMORY);
		free(drawn);
	}
	table_end(t, stdout, table_format(set.json, set.csv));
}

/* What the parts are computed from. */
static void print_events(void)
{
	static const struct table_column columns[] = {
		{ "EVENT", "event", TABLE_NAME },
		{ "COUNT", "count", TABLE_RIGHT },
		{ "+-", "error", TABLE_RIGHT },
		{ "COUNTED", "share", TABLE_RIGHT },
	};
	const struct formulas *f = set.in.stacks.formulas;
	struct counter_estimate *x = xcalloc(f->events.n, sizeof(*x));
	struct table *t = table_of(columns);
	char shown[NUMBER_MAX];

	stacks_events(&set.in.counts, f, set.in.stacks.only, x);
	for (size_t i = 0; i < f->events.n; i++) {
		table_text(t, f->events.v[i]);
		table_shown(t, x[i].count, number_format_si(shown, x[i].count));
		table_shown(t, x[i].error, number_format_si(shown, x[i].error));
		table_percent(t, x[i].share, "%.1f%%");
	}
	table_end(t, stdout, table_format(set.json, set.csv));
	free(x);
}

static void print_foot(const struct stack *s)
{
	if (s->share < 1)
		printf(
		    "\nEach event was counted during at least %.1f %% of the cycles; +- is the "
		    "standard error that this causes;\nbursts that no turn met are in neither.\n",
		    100 * s->share);
	else
		printf("\nAll events were counted all the time.\n");
	if (s->moved > 2)
		printf("Parts were changed by up to %.0f standard errors so that none is negative "
		       "and their sum is the number of cycles: the formulas overlap.\n",
		       s->moved);
	if (set.in.stacks.formulas->note)
		wrap_print(stdout, set.in.stacks.formulas->note, 0);
}

static void print_all(const struct stack *s)
{
	enum table_format format = table_format(set.json, set.csv);

	if (format == TABLE_TEXT)
		print_head(s);
	if (format == TABLE_JSON) {
		const struct {
			const char *key;
			double value;
		} numbers[] = {
			{ "seconds", set.in.to - set.in.from },
			{ "cycles", s->cycles },
			{ "instructions", s->instructions },
			{ "cpi", s->cycles / s->instructions },
			{ "perfect_memory", stack_memory_bound(s) },
			{ "least_share", s->share },
			{ "moved", s->moved },
			{ "lost_cycles", s->lost },
		};

		printf("{\"stack\": \"%s\"", set.in.stacks.formulas->name);
		for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
			if (isfinite(numbers[i].value))
				printf(", \"%s\": %.12g", numbers[i].key, numbers[i].value);
		printf(",\n\"parts\": ");
	}
	print_parts(s);
	if (format == TABLE_JSON)
		printf("}\n");
	if (format == TABLE_TEXT)
		print_foot(s);
}

/* ---- by interval or unit ---- */

enum way { PARTS, EVENTS, INTERVALS, MODES, UNITS, WAYS };
static const char *const ways[WAYS] = { "part", "event", "interval", "mode", "unit" };

static enum way way(void)
{
	enum way w = PARTS;

	while (w < WAYS && strcmp(ways[w], set.in.by) != 0)
		w++;
	if (w == WAYS && !trace_by(set.in.by))
		opt_bad_usage(&usage,
			      "--by %s: not part, event, interval, mode, unit, process, subtree, "
			      "cgroup, thread, call or state",
			      set.in.by);
	return w == WAYS ? UNITS : w;
}

/* A row of shares; for programs each has a column, in text the rows of what matters. */
static void put_row(struct table *t, const struct stack *s, const struct stack *all)
{
	bool known = s->parts.n && s->cycles > 0, any = known && s->instructions > 0;

	table_number(t, known ? s->cycles : NAN, "%.0f");
	table_number(t, known ? 100 * s->cycles / all->cycles : NAN, "%.1f");
	table_number(t, any ? s->cycles / s->instructions : NAN, "%.3f");
	for (size_t i = 0; i < all->parts.n; i++)
		table_number(t, known ? 100 * s->parts.v[i].cycles / s->cycles : NAN, "%.0f");
}

enum { FIXED = 4 }; /* columns before those of the parts */

static struct table *new_table(bool named, const struct stack *all, struct table_column **columns,
			       char ***words)
{
	size_t n = all->parts.n;

	*columns = xcalloc(n + FIXED, sizeof(**columns));
	*words = xcalloc(2 * n + 1, sizeof(**words));
	(*columns)[0] = named ? (struct table_column){ "WHO", "unit", TABLE_NAME }
			      : (struct table_column){ "FROM", "from", TABLE_RIGHT };
	(*columns)[1] = (struct table_column){ "CYCLES", "cycles", TABLE_DATA };
	(*columns)[2] = (struct table_column){ "SHARE", "share_percent", TABLE_RIGHT };
	(*columns)[3] = (struct table_column){ "CPI", "cpi", TABLE_RIGHT };
	for (size_t i = 0; i < n; i++) {
		const char *name = all->parts.v[i].formula->name;
		double share = all->parts.v[i].cycles / all->cycles;

		(*words)[2 * i] = xasprintf("%zu", i + 1);
		(*words)[2 * i + 1] = xasprintf("%s_percent", name);
		(*columns)[FIXED + i] =
		    (struct table_column){ (*words)[2 * i], (*words)[2 * i + 1],
					   share < 0.005 ? TABLE_DATA : TABLE_RIGHT };
	}
	return table_new(*columns, n + FIXED);
}

static void print_key(const struct stack *all)
{
	char *key = xstrdup("SHARE: percent of all cycles. The numbered columns: percent of the "
			    "cycles of the row.");

	for (size_t i = 0; i < all->parts.n; i++)
		if (all->parts.v[i].cycles >= 0.005 * all->cycles)
			key = xappend(key, " %zu: %s%s", i + 1, all->parts.v[i].formula->name,
				      i + 1 < all->parts.n ? ";" : "");
	printf("\n");
	wrap_print(stdout, key, 0);
	free(key);
}

static void print_rows(const struct stack *all, enum way by)
{
	bool text = table_format(set.json, set.csv) == TABLE_TEXT, named = by != INTERVALS;
	size_t hidden = 0;
	struct rows rows;
	struct table_column *columns;
	char **words;
	struct table *t = new_table(named, all, &columns, &words);

	if (by == UNITS)
		input_units(&set.in, &rows);
	else if (by == MODES)
		input_modes(&set.in, &rows);
	else
		input_intervals(&set.in, SIZE_MAX, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		const struct row *r = &rows.v[i];

		if (text && named && !(r->stack.cycles >= INPUT_SMALL * all->cycles)) {
			hidden++;
			continue;
		}
		if (named)
			table_text(t, r->name);
		else
			table_number(t, r->from, "%.6g");
		put_row(t, &r->stack, all);
	}
	rows_free(&rows);
	table_end(t, stdout, table_format(set.json, set.csv));
	if (hidden)
		printf("(%zu with less than %g %% of the cycles)\n", hidden, 100 * INPUT_SMALL);
	if (text)
		print_key(all);
	for (size_t i = 0; i < 2 * all->parts.n; i++)
		free(words[i]);
	free(words);
	free(columns);
}

int command_show(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options);
	struct stack all = { 0 };
	struct error e;
	int status = 0;

	const enum way rows = way();

	for (int i = first; i < argc; i++)
		if ((set.svg && file_is_same(set.svg, argv[i])) ||
		    (set.html && file_is_same(set.html, argv[i])))
			opt_bad_usage(&usage, "%s: the picture is made from that file", argv[i]);
	if ((set.svg && file_may_write(set.svg, &e)) || (set.html && file_may_write(set.html, &e)))
		errx(1, "%s", e.text);
	input_read(&set.in, argv + first, argc - first, &usage);
	input_whole(&set.in, &all);
	if (set.perfetto)
		picture_perfetto(&set.in);
	else if (rows == PARTS)
		print_all(&all);
	else if (rows == EVENTS)
		print_events();
	else
		print_rows(&all, rows);
	if ((set.svg && picture_svg(&set.in, &all, set.svg, &e)) ||
	    (set.html && picture_html(&set.in, &all, set.html, &e))) {
		warnx("%s", e.text);
		status = 1;
	}
	input_warn(&set.in, &all);
	stack_free(&all);
	input_free(&set.in);
	return status;
}
