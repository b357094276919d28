/* SPDX-License-Identifier: MIT */
/* ktranal breakdown: how time was spent over the length of a trace, as Figures 3 and 4 of the paper
 * on scale-out (Wisniewski et al. 2007) show it. */
#include "ktranal.h"

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "series.h"
#include "util/file.h"
#include "util/xalloc.h"
#include "view.h"

static struct {
	struct view view;
	const char *by, *svg;
	double interval, shortest; /* seconds */
	bool calls;
} set = { .by = "all", .shortest = 20e-6 };

static const struct opt options[] = {
	SELECTION_PROCESSES(set.view.selection),
	{ 'b', "by", OPT_STRING, &set.by, "WORD",
	  .help = "all (default), or a row for each cpu, process or thread" },
	{ 'i', "interval", OPT_DURATION, &set.interval, "TIME", 1e-6, 1e9,
	  "length of the intervals (default: 8 to 40 of them)" },
	{ 'c', "calls", OPT_FLAG, &set.calls,
	  .help = "the calls that take the most time, by name, not classes of calls" },
	VIEW_SHORTEST(set.shortest),
	{ 0, "svg", OPT_STRING, &set.svg, "FILE", .help = "draw a picture there too" },
	VIEW_FORMATS(set.view),
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "ktranal breakdown",
	.operands = "{TRACE | -- COMMAND [ARGUMENT...]}",
	.summary = "Print how time was spent in each interval of a trace: user, system by class of "
		   "call, waiting, idle; in all, by CPU, process or thread.",
	.example = "ktranal breakdown --by process --svg app.svg app.ktr",
};

static struct idle idle;
static struct breakdown breakdown;
static struct series series;

static bool linux_calls; /* which a better recorder would have more of */

static void begin(void *arg, const struct source_info *info)
{
	(void)arg;
	linux_calls = info->os == &os_linux;
}

static void take(void *arg, const struct event *e)
{
	(void)arg;
	view_follow(&set.view, processes_event(&set.view.processes, e), e);
	idle_event(&idle, &set.view.processes, e);
}

static bool wants(const struct idle_piece *piece)
{
	return view_wants(&set.view, piece);
}

/* ---- the table ---- */

enum { FIXED = 4 };

/* A row's name: "cpu 3", or a process. */
static void put_unit(struct table *t, size_t unit)
{
	const struct breakdown_unit *u = &breakdown.units.v[unit];
	const char *host = processes_host_of(&set.view.processes, u->id);

	if (u->process != SIZE_MAX) {
		table_text(t, processes_shown(&set.view.processes, u->process));
		view_put_id(&set.view, t, u->process, u->id);
		return;
	}
	if (breakdown.by == BREAKDOWN_ALL) {
		table_text(t, "all");
		table_text(t, NULL);
		return;
	}
	char *cpu = xasprintf("%s%scpu", host ? host : "", host ? ": " : "");
	table_text(t, cpu);
	table_count(t, host_local(u->id));
	free(cpu);
}

/* In text percent of a CPU's time, in all of that of all CPUs; else ns. */
static void put_row(struct table *t, int64_t interval, size_t unit, bool text)
{
	double length = (double)breakdown_length(&breakdown, interval);
	double whole = length * (breakdown.by == BREAKDOWN_ALL ? series.cpus : 1);
	double ns[SERIES_MOST];

	series_ns(&series, interval, unit, ns);
	table_scaled(t, (double)interval * (double)breakdown.interval, 1e-9, "%.6g");
	table_number(t, length, "%.6g");
	put_unit(t, unit);
	for (size_t i = 0; i < series.n; i++)
		table_number(t, text ? ns[i] / whole * 100 : ns[i], "%.1f");
}

static void print_table(void)
{
	struct table_column columns[FIXED + SERIES_MOST] = {
		{ "FROM", "from_ns", TABLE_RIGHT },
		{ "LENGTH", "length_ns", TABLE_DATA },
		{ "OF", "of", TABLE_NAME },
		{ "ID", "id", breakdown.by == BREAKDOWN_ALL ? TABLE_DATA : TABLE_RIGHT },
	};
	bool text = view_format(&set.view) == TABLE_TEXT;

	for (size_t i = 0; i < series.n; i++)
		columns[FIXED + i] =
		    (struct table_column){ series.v[i].title, series.v[i].key, TABLE_RIGHT };
	struct table *t = view_table(&set.view, columns, FIXED + series.n);
	struct series_places places = series_places(&series);
	for (size_t i = 0; i < places.n; i++)
		put_row(t, places.v[i].interval, places.v[i].unit, text);
	vec_free(&places);
	view_print_begin(&set.view, "intervals");
	table_end(t, stdout, view_format(&set.view));
	if (text)
		printf("\nFROM in seconds; percent of %s%s",
		       breakdown.by == BREAKDOWN_ALL && idle.scheduled
			   ? "the CPUs on which something of the trace ran"
		       : breakdown.by == BREAKDOWN_CPU ? "the CPU; idle: or other programs"
						       : "one CPU",
		       view_idle_note(&idle));
	view_print_end(&set.view);
}

/* ---- the command ---- */

static void parse_by(void)
{
	static const char *const words[] = { "all", "cpu", "process", "thread" };
	size_t i = 0;

	while (i < 4 && strcmp(set.by, words[i]) != 0)
		i++;
	if (i == 4)
		opt_bad_usage(&usage, "--by %s: not all, cpu, process or thread", set.by);
	breakdown.by = (enum breakdown_by)i;
}

/* 0, or as view_end() wants it, after a warning. */
static int check_trace(void)
{
	const char *path = set.view.traces.v[0];

	if (view_check_times(&set.view, &idle))
		return -1;
	if (breakdown.too_fine) {
		warnx("--interval: that would be more than %d intervals; choose a longer one",
		      BREAKDOWN_MOST);
		return -1;
	}
	if (breakdown.by == BREAKDOWN_CPU && !idle.scheduled) {
		warnx("%s: has no context switches, which say what ran on which CPU%s", path,
		      linux_calls ? " (record as root, by bpf)" : "");
		return TRACE_AGGREGATED;
	}
	return 0;
}

static int print_all(void)
{
	int status = check_trace();
	struct error e;

	if (status < 0)
		return status;
	series_make(&series, &breakdown, idle.scheduled);
	print_table();
	if (set.svg &&
	    series_draw(&series, &set.view.processes, set.view.traces.v[0], set.svg, &e)) {
		warnx("%s", e.text);
		status = -1;
	}
	series_free(&series);
	return status;
}

int command_breakdown(int argc, char **argv)
{
	const struct trace_taker taker = { .begin = begin, .take = take, .each = true };
	struct error e;

	view_parse(&set.view, argc, argv, &usage, options, false);
	parse_by();
	if (set.svg && file_is_same(set.svg, set.view.traces.v[0]))
		opt_bad_usage(&usage, "--svg %s: that is the trace", set.svg);
	if (set.svg && file_may_write(set.svg, &e)) {
		warnx("%s", e.text);
		return 1;
	}
	breakdown.names = set.calls;
	breakdown.interval = (int64_t)llround(set.interval * 1e9);
	breakdown.wants = wants;
	idle.shortest = (int64_t)(set.shortest * 1e9);
	idle.take = breakdown_take;
	idle.arg = &breakdown;
	int status = view_read(&set.view, set.view.traces.v[0], &taker, false);
	idle_end(&idle);
	if (status == 0)
		status = print_all();
	idle_free(&idle);
	breakdown_free(&breakdown);
	return view_end(&set.view, status);
}
