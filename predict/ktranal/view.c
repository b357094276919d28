/* SPDX-License-Identifier: MIT */
#include "view.h"

#include "ktranal.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/progress.h"
#include "util/vec.h"

void view_parse(struct view *v, int argc, char **argv, const struct opt_usage *usage,
		const struct opt *options, bool several)
{
	static const char standard_input[] = "-";
	struct error e;
	int end = 1;

	while (end < argc && strcmp(argv[end], "--") != 0)
		end++;
	for (int i = opt_parse_mixed(end, argv, usage, options); i < end; i++)
		vec_push(&v->traces, argv[i]);
	if (end + 1 < argc) {
		if (v->traces.n)
			opt_bad_usage(usage, "a trace and a command exclude each other");
		v->command = argv + end + 1;
		vec_push(&v->traces, standard_input);
	}
	if (!v->traces.n)
		opt_bad_usage(usage, "which trace? ('-' reads standard input)");
	if (v->traces.n > 1 && !several)
		opt_bad_usage(usage,
			      "unexpected operand '%s': one trace at a time "
			      "(strace-log-merge makes one of the files of strace -ff)",
			      v->traces.v[1]);
	opt_check_formats(usage, v->json, v->csv);
	if (selection_prepare(&v->selection, &e) < 0)
		opt_bad_usage(usage, "%s", e.text);
	v->processes.roots = v->selection.roots;
}

enum table_format view_format(const struct view *v)
{
	return table_format(v->json, v->csv);
}

struct table *view_table(const struct view *v, const struct table_column *columns, size_t n)
{
	struct table *t = table_new(columns, n);

	table_head(t, v->head);
	if (!isatty(STDOUT_FILENO))
		table_unlimit(t);
	return t;
}

struct bar {
	const char *path; /* of the trace */
	struct progress progress;
};

static void show(void *arg, double share)
{
	struct bar *bar = arg;

	progress_show(&bar->progress, share, -1, bar->path);
}

int view_read(struct view *v, const char *path, const struct trace_taker *taker, bool prints)
{
	struct bar bar = { .path = path };
	struct trace_taker shown = *taker;
	struct error e;

	if (v->command)
		record_for_reader(v->command);
	v->command = NULL;
	shown.processes = &v->processes;
	shown.net = v->net;
	serving_begin(&v->serving);
	shown.progress = show;
	shown.progress_arg = &bar;
	progress_start(&bar.progress, "reading", prints && isatty(STDOUT_FILENO));
	int status = trace_read(path, &shown, &v->completeness, &e);
	progress_end(&bar.progress);
	if (status < 0)
		warnx("%s", e.text);
	return status;
}

bool view_selects(struct view *v, size_t process, const struct event *e)
{
	const struct selection *s = &v->selection;

	if (s->roots.n && v->processes.hosts.n &&
	    serving_event(&v->serving, &v->processes, process, e))
		return selection_lists(s, &v->processes, process);
	return selection_has_process(s, &v->processes, process);
}

void view_follow(struct view *v, size_t process, const struct event *e)
{
	bool others = v->selection.roots.n && v->processes.hosts.n && process != SIZE_MAX;

	v->at_hand.tid = e->tid;
	v->at_hand.worked = others && serving_works(&v->serving, &v->processes, process, e->tid);
	v->at_hand.selected = others && view_selects(v, process, e);
	v->at_hand.request =
	    others && e->type == EVENT_SYSCALL && serving_is_request(&v->serving, e);
}

bool view_wants(const struct view *v, const struct idle_piece *piece)
{
	const struct idle_thread *t = piece->thread;
	const struct selection *s = &v->selection;

	if (selection_has_process(s, &v->processes, t->process))
		return true;
	if (!s->roots.n || !v->processes.hosts.n || !selection_lists(s, &v->processes, t->process))
		return false;
	if (t->tid != v->at_hand.tid)
		return serving_works(&v->serving, &v->processes, t->process, t->tid);
	if (piece->call && piece->activity > RUNNABLE && v->at_hand.request)
		return false;
	return piece->call ? v->at_hand.selected : v->at_hand.worked;
}

int view_check_times(const struct view *v, const struct idle *idle)
{
	if (idle->beyond)
		warnx("%s: %" PRIu64 " events more than a year after the first one are left out",
		      v->traces.v[0], idle->beyond);
	if (idle->timed || !v->completeness.calls)
		return 0;
	warnx("%s: no call has a duration (strace writes them with -T)", v->traces.v[0]);
	return -1;
}

const char *view_idle_note(const struct idle *idle)
{
	return idle->scheduled ? ""
			       : "; known from calls alone: user time includes waiting for "
				 "a CPU,\nand a call counts as waiting although it may have worked";
}

void view_put_id(const struct view *v, struct table *t, size_t process, uint32_t id)
{
	char text[PROCESSES_ID];

	if (processes_host(&v->processes, process))
		table_text(t, processes_id(&v->processes, process, id, text));
	else
		table_count(t, id);
}

int view_check(const struct view *v)
{
	struct error e;
	int status = selection_check(&v->selection, &v->processes, &e);

	if (status < 0)
		warnx("%s", e.text);
	return status;
}

void view_print_begin(const struct view *v, const char *rows)
{
	if (v->json)
		printf("{\"%s\": ", rows);
}

/* How far what other hosts did for a subtree can be known. */
static char *text_of_serving(const struct serving *v)
{
	uint64_t calls = 0;
	size_t processes = 0, sure = 0;

	for (size_t i = 0; i < v->processes.n; i++) {
		const struct served *p = &v->processes.v[i];

		calls += p->within;
		processes += p->within > 0;
		sure += p->within > 0 && !p->others;
	}
	if (!processes)
		return NULL;
	return xasprintf("on other hosts %zu process%s made %" PRIu64 " calls after a request of "
			 "the subtree: certainly for it where they had no other clients (%zu), "
			 "probably otherwise",
			 processes, processes == 1 ? "" : "es", calls, sure);
}

void view_warn_incomplete(const struct view *v)
{
	char *missing = completeness_text(&v->completeness, true);

	if (missing)
		warnx("%s", missing);
	free(missing);
}

void view_print_end(const struct view *v)
{
	bool text = view_format(v) == TABLE_TEXT;
	char *serving = text_of_serving(&v->serving);

	if (v->json) {
		json_t *o = completeness_json(&v->completeness);

		printf(", \"completeness\": ");
		json_dumpf(o, stdout, 0);
		printf("}\n");
		json_decref(o);
	}
	if (serving && text)
		printf("\n%s", serving);
	else if (serving)
		warnx("%s", serving);
	free(serving);
	if (!text) {
		view_warn_incomplete(v);
		return;
	}
	char *completeness = completeness_text(&v->completeness, false);
	bool some = v->selection.processes.n || v->selection.roots.n || v->selection.names.n;
	printf("\n%s%s\n", some ? "in the whole trace " : "", completeness);
	free(completeness);
}

int view_end(struct view *v, int status)
{
	if (!status)
		status = view_check(v);
	selection_free(&v->selection);
	processes_free(&v->processes);
	serving_free(&v->serving);
	vec_free(&v->traces);
	return status < -1 ? 3 : status < 0;
}
