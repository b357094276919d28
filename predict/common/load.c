/* SPDX-License-Identifier: MIT */
#include "load.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

#include "util/number.h"
#include "util/progress.h"
#include "util/text.h"

static void begin(void *arg, const struct source_info *info)
{
	struct load *l = arg;

	derive_begin(&l->derive, info);
}

static void take(void *arg, const struct event *e)
{
	struct load *l = arg;

	derive_event(&l->derive, e);
	stretches_event(&l->stretches, e);
}

/* Passes on the marks made before the end of e; NULL: all remaining marks. */
static void pass_marks(struct load *l, const struct event *e)
{
	struct event mark;

	if (e)
		marks_sync(l->marks, e);
	while (marks_next(l->marks, e ? event_end(e) : INT64_MAX, &mark))
		l->take(l, &mark);
}

static void pass(void *arg, const struct event *e)
{
	struct load *l = arg;

	if (l->marks)
		pass_marks(l, e);
	l->take(l, e);
}

static void show(void *arg, double share)
{
	progress_show(arg, share, -1, "");
}

void load_events(struct load *l, struct trace_taker *taker)
{
	struct progress bar;
	struct error e;

	l->take = taker->take;
	taker->take = pass;
	taker->arg = l;
	taker->each = true;
	taker->progress = show;
	taker->progress_arg = &bar;
	if (l->marks_path && !(l->marks = marks_open(l->marks_path, &e)))
		errx(1, "%s", e.text);
	progress_start(&bar, "reading", false);
	int status = trace_read(l->path, taker, &l->completeness, &e);
	progress_end(&bar);
	if (status < 0)
		errx(status == TRACE_AGGREGATED ? 3 : 1, "%s", e.text);
	if (!l->marks)
		return;
	pass_marks(l, NULL);
	int others = marks_close(l->marks, &e);
	if (others < 0)
		errx(1, "%s", e.text);
	if (others)
		warnx("%s: left out %d of the files: no thread of the trace began them; they are "
		      "of other runs, or of a PID namespace, where threads have other numbers "
		      "than in the trace",
		      l->marks_path, others);
}

void load_warn(const struct load *l)
{
	char *missing = completeness_text(&l->completeness, true);

	if (missing)
		warnx("%s", missing);
	free(missing);
}

static void check_tape(const struct load *l)
{
	struct error e;

	if (tape_check(&l->graph.tape, &e) < 0)
		errx(1, "%s", e.text);
}

void load_read(struct load *l)
{
	struct trace_taker taker = { .begin = begin, .take = take };

	l->derive.graph = &l->graph;
	l->derive.shortest = (int64_t)(l->shortest * 1e9);
	load_events(l, &taker);
	derive_end(&l->derive);
	stretches_sort(&l->stretches);
	check_tape(l);
	if (!l->graph.last) {
		load_warn(l);
		errx(1, "%s: contains no event that shows what a thread did", l->path);
	}
}

void load_parse(struct load *l, int argc, char **argv, const struct opt_usage *usage,
		const struct opt *options)
{
	int first = opt_parse_mixed(argc, argv, usage, options);

	if (first == argc)
		opt_bad_usage(usage, "no trace given ('-' reads standard input)");
	if (argc - first > 1)
		opt_bad_usage(usage, "unexpected operand '%s': one trace at a time",
			      argv[first + 1]);
	opt_check_formats(usage, l->json, l->csv);
	l->path = argv[first];
}

char *load_thread(const struct load *l, uint32_t tid)
{
	const char *host = processes_host_of(&l->derive.processes, tid);

	return xasprintf("%s%s%" PRIu32, host ? host : "", host ? ":" : "", host_local(tid));
}

enum table_format load_format(const struct load *l)
{
	return table_format(l->json, l->csv);
}

/* Events of several CPUs are not in order by less than that. */
enum { BACK = 100000000 /* ns */ };

static void note(uint64_t n, const char *what)
{
	if (n)
		warnx("%" PRIu64 " %s", n, what);
}

static void warn_misplaced(const struct load *l)
{
	const struct graph *g = &l->graph;
	const struct graph_misplaced *first = &g->faults.first;
	char *thread = load_thread(l, g->threads.v[first->thread].tid), at[NUMBER_MAX];
	const char *queue = g->queue_names.v[g->queues.v[first->queue].name];
	char *names = text_make_printable(xasprintf("queue %s, thread %s", queue, thread));

	warnx("%" PRIu64 " marks contradict each other: a take from an empty queue, a put into a "
	      "full one, or a wait for what was there; the first: %s, %s",
	      g->faults.misplaced, names, number_format_duration(at, (double)first->time * 1e-9));
	free(thread);
	free(names);
}

void load_end(struct load *l)
{
	const struct graph_faults *f = &l->graph.faults;
	char at[NUMBER_MAX];

	check_tape(l); /* the analysis, too, reads the temporary file and writes to it */
	load_warn(l);
	if (l->shortest != LOAD_SHORTEST && l->derive.scheduled)
		warnx("--shortest has no effect: the trace has context switches");
	note(l->derive.late,
	     "context switches come after later events of their threads and are left out");
	note(l->derive.unreal, "events are left out: they are a year or more from the beginning");
	note(l->derive.waiting,
	     "threads still waited when the trace ended; what they waited then is left out");
	note(l->derive.has_wakes ? 0 : f->no_waker,
	     "waits have an unknown end: the trace has no wake-ups, and stays with who waited");
	/* A few are normal, because events of two CPUs at the same time are recorded in either
	 * order. */
	if (l->derive.back > BACK)
		warnx("an event is %s earlier than the one before it: the clock was set, or the "
		      "trace is not in order",
		      number_format_duration(at, (double)l->derive.back * 1e-9));
	bool many = (f->moved + f->inverted) * 1000 > l->graph.tape.n + 10000;
	note(many ? f->moved : 0,
	     "events are earlier than the previous event of their thread: the trace is not "
	     "in order");
	note(many ? f->inverted : 0, "causes came after their effects and are left out");
	note(
	    graph_unmatched(&l->graph),
	    "bytes or units were read that nobody was seen to write: a writer is not in the trace");
	note(f->unread,
	     "messages were written that nobody was seen to read: a reader is not in the trace");
	if (f->misplaced)
		warn_misplaced(l);
	note(f->crowded,
	     "periods are in states beyond the first 65535 and counted as the last one");
	derive_free(&l->derive);
	stretches_free(&l->stretches);
	graph_free(&l->graph);
}
