/* SPDX-License-Identifier: MIT */
/* ccmod predict: predicts how long a workload takes on a network, and which link is the
 * bottleneck. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "answer.h"
#include "network/timeline.h"
#include "output.h"
#include "util/number.h"
#include "util/xalloc.h"

static struct setup s = SETUP_DEFAULT;
static struct {
	bool messages, links, ranks;
	uint64_t top, loads, runs;
	const char *svg, *chrome, *paraver, *trace;
	double from, to;
} set = { .top = UINT64_MAX, .runs = 1, .to = INFINITY };

static const struct opt options[] = {
	SETUP_OPTIONS(s),
	{ 'm', "messages", OPT_FLAG, &set.messages, NULL, 0, 0, "print every message instead" },
	{ 'l', "links", OPT_FLAG, &set.links, NULL, 0, 0, "print every link instead" },
	{ 'r', "ranks", OPT_FLAG, &set.ranks, NULL, 0, 0, "print every rank instead" },
	{ 0, "loads", OPT_COUNT, &set.loads, "N", 1, 1000,
	  "print the use of links in N equal parts of the run instead" },
	{ 0, "top", OPT_COUNT, &set.top, "N", 0, 1e6, "links to print (default 5)" },
	{ 0, "runs", OPT_COUNT, &set.runs, "N", 1, 1e6,
	  "run with N seeds; print best, mean, worst run time (default 1)" },
	{ 0, "svg", OPT_STRING, &set.svg, "FILE", 0, 0, "draw the space-time diagram" },
	{ 0, "perfetto", OPT_STRING, &set.chrome, "FILE", 0, 0, "write a trace for Perfetto" },
	{ 0, "paraver", OPT_STRING, &set.paraver, "FILE", 0, 0, "write a trace for Paraver" },
	{ 0, "trace", OPT_STRING, &set.trace, "FILE.ktr", 0, 0, "write a trace for critpath" },
	{ 0, "from", OPT_DURATION, &set.from, "TIME", 0, 1e9, "begin of the diagram" },
	{ 0, "to", OPT_DURATION, &set.to, "TIME", 0, 1e9, "end of the diagram" },
	{ 0 },
};

static const struct opt_usage usage = {
	"ccmod predict",
	"WORKLOAD",
	"Predicts how long a workload takes on a network, which rank finishes last, and which link "
	"is the bottleneck.",
	"ccmod predict -n myrinet ring.wl",
};

static double run_changed(bool alone, uint32_t link, double speedup)
{
	struct link *v = s.network->topology.links.v;
	struct engine_options o = s.options;
	struct engine_result r;

	o.alone = alone;
	v[link].speedup = v[link ^ 1].speedup = speedup;
	setup_run(&s, &o, &r);
	v[link].speedup = v[link ^ 1].speedup = 1;
	double seconds = r.seconds;
	engine_result_free(&r);
	return seconds;
}

/* Prints messages as they arrive, in parts of the table. */
static void print_message(void *arg, const struct message_record *m)
{
	static size_t rows;
	struct table *t = arg;
	char name[2 * TOPOLOGY_NAME];
	double delay = m->arrived - m->started;

	table_count(t, m->src);
	table_count(t, m->dst);
	table_count(t, m->bytes);
	table_seconds(t, m->sent);
	table_seconds(t, m->started);
	table_seconds(t, overhead_seconds(&s.network->send, (double)m->bytes) +
			     overhead_seconds(&s.network->receive, (double)m->bytes));
	table_seconds(t, m->ready - m->sent);
	table_seconds(t, m->quiet);
	table_seconds(t, m->started - m->ready + fmax(delay - m->quiet, 0));
	table_seconds(t, delay);
	table_number(t, m->quiet > 0 ? delay / m->quiet : 1, "%.2f");
	table_text(t, m->bottleneck == UINT32_MAX
			  ? NULL
			  : topology_link_name(&s.network->topology, m->bottleneck, name));
	if (++rows % 1000 == 0)
		table_print_part(t, stdout, setup_format(&s));
}

static void print_messages(void)
{
	static const struct table_column columns[] = {
		{ "from", NULL, TABLE_RIGHT },	     { "to", NULL, TABLE_RIGHT },
		{ "bytes", NULL, TABLE_RIGHT },	     { "sent", NULL, TABLE_RIGHT },
		{ "started", NULL, TABLE_RIGHT },    { "overhead", NULL, TABLE_RIGHT },
		{ "peer", NULL, TABLE_RIGHT },	     { "wire", NULL, TABLE_RIGHT },
		{ "contention", NULL, TABLE_RIGHT }, { "delay", NULL, TABLE_RIGHT },
		{ "stretch", NULL, TABLE_RIGHT },    { "bottleneck", NULL, TABLE_LEFT },
	};
	struct table *t = table_of(columns);
	struct observer observer = { .arg = t, .message = print_message };
	struct engine_options o = s.options;
	struct engine_result r;

	o.observer = &observer;
	setup_run(&s, &o, &r);
	table_end(t, stdout, setup_format(&s));
	engine_result_free(&r);
}

/* The bytes carried by each link in each of n equal parts of the run. */
struct loads {
	double *bytes, piece;
	size_t n;
};

static void take_load(void *arg, uint32_t link, double from, double to, double rate)
{
	struct loads *l = arg;

	for (size_t k = (size_t)(from / l->piece); k < l->n && (double)k * l->piece < to; k++) {
		double begin = fmax(from, (double)k * l->piece);
		double end = fmin(to, (double)(k + 1) * l->piece);

		l->bytes[link * l->n + k] += fmax(end - begin, 0) * rate;
	}
}

static void print_loads(const struct answer *a)
{
	struct loads l = { .piece = a->real.seconds / (double)set.loads, .n = set.loads };
	struct observer observer = { .arg = &l, .load = take_load };
	struct engine_options o = s.options;
	struct engine_result r;

	if (!(l.piece > 0))
		errx(1, "%s: takes no time, so --loads has nothing to divide", s.workload->name);
	l.bytes = xcalloc(a->real.links, l.n * sizeof(*l.bytes));
	o.observer = &observer;
	setup_run(&s, &o, &r);
	engine_result_free(&r);
	answer_loads(a, l.bytes, l.n);
	free(l.bytes);
}

/* Writes the diagrams and traces that the options ask for. */
static void draw(struct timeline *t, const struct engine_result *r)
{
	char *title = xasprintf("%s on %s", s.workload->name, s.network->name);
	struct timeline_view view = { title, r->ranks, set.from, fmin(set.to, r->seconds) };
	struct error e;
	FILE *f;

	if (set.svg && !(r->seconds > 0))
		errx(1, "%s: takes no time, so there is nothing to draw", s.workload->name);
	if (set.svg && view.from >= view.to)
		errx(1, "--from %g s: nothing is left to draw up to %g s, %s", view.from, view.to,
		     set.to < r->seconds ? "--to" : "the end of the run");
	if (set.svg) {
		f = output_open(set.svg);
		timeline_svg(t, &view, f);
		output_close(f, set.svg);
	}
	if (set.chrome) {
		f = output_open(set.chrome);
		timeline_chrome(t, r->ranks, f);
		output_close(f, set.chrome);
	}
	if (set.paraver) {
		f = output_open(set.paraver);
		timeline_paraver(t, r->ranks, r->seconds, f);
		output_close(f, set.paraver);
	}
	if (set.trace && t->left_out)
		errx(1, "--trace: more than %d states or messages", TIMELINE_RECORDS);
	if (set.trace) {
		f = output_open(set.trace);
		if (timeline_ktr(t, &s.network->topology, r, fileno(f), &e))
			errx(1, "%s: %s", set.trace, e.text);
		output_close(f, set.trace);
	}
	if (t->left_out)
		warnx("%llu states and messages are left out: there are too many",
		      (unsigned long long)t->left_out);
	free(title);
}

/* Repeats the run with other seeds, of the background load or, if that is not drawn, of the
 * amounts. */
static void run_seeds(struct answer *a)
{
	double sum = a->real.seconds;

	a->runs = set.runs;
	a->best = a->worst = a->real.seconds;
	for (uint64_t i = 1; i < set.runs; i++) {
		struct engine_options o = s.options;
		struct engine_result r;

		*(o.background.kind >= BACKGROUND_EXPONENTIAL ? &o.load_seed : &o.seed) += i;
		setup_run(&s, &o, &r);
		a->best = fmin(a->best, r.seconds);
		a->worst = fmax(a->worst, r.seconds);
		sum += r.seconds;
		engine_result_free(&r);
	}
	a->mean = sum / (double)set.runs;
}

static void print(struct answer *a)
{
	if (set.loads)
		print_loads(a);
	else if (set.links || (s.csv && !set.ranks))
		answer_links(a, set.top);
	else if (set.ranks)
		answer_ranks(a);
	else {
		a->alone = run_changed(true, 0, 1);
		a->faster = a->bottleneck ? run_changed(false, a->order[0], 2) : a->real.seconds;
		run_seeds(a);
		if (s.json)
			answer_json(a);
		else
			answer_summary(a);
	}
}

int command_predict(int argc, char **argv)
{
	struct answer a = { .s = &s };
	struct timeline t = { 0 };
	struct observer observer = timeline_observer(&t);

	setup_read(&s, argc, argv, &usage, options);
	const char *const outputs[] = { set.svg, set.chrome, set.paraver, set.trace };
	bool drawing = false, tables = set.messages || set.links || set.ranks || set.loads;

	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
		drawing = drawing || outputs[i];
		setup_spare(&s, outputs[i], &usage);
		for (size_t k = 0; k < i; k++)
			if (outputs[i] && outputs[k] && !strcmp(outputs[i], outputs[k]))
				opt_bad_usage(&usage, "%s: two outputs in one file", outputs[i]);
	}
	if (set.messages && drawing)
		opt_bad_usage(
		    &usage,
		    "--messages cannot be combined with --svg, --perfetto, --paraver, --trace");
	if (set.messages + set.links + set.ranks + !!set.loads > 1)
		opt_bad_usage(&usage,
			      "--messages, --links, --ranks and --loads exclude each other");
	if (set.top != UINT64_MAX && (set.messages || set.ranks))
		opt_bad_usage(&usage, "--top is for links, not for --messages and --ranks");
	if (set.runs > 1 && (tables || s.csv))
		opt_bad_usage(&usage, "--runs cannot be combined with --csv, --messages, --links, "
				      "--ranks, --loads: these show one run");
	if (!set.svg && (set.from > 0 || !isinf(set.to)))
		opt_bad_usage(&usage,
			      "--from and --to select a part of the picture: give --svg, too");
	if (set.messages) {
		print_messages();
		setup_free(&s);
		return 0;
	}
	struct engine_options o = s.options;
	o.observer = drawing ? &observer : NULL;
	setup_run(&s, &o, &a.real);
	answer_rank_links(&a);
	a.top = set.top == UINT64_MAX ? 5 : set.top;
	if (drawing)
		draw(&t, &a.real);
	print(&a);
	timeline_free(&t);
	answer_free(&a);
	setup_free(&s);
	return 0;
}
