/* SPDX-License-Identifier: MIT */
#include "view.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/progress.h"
#include "util/vec.h"

void view_parse(struct view *v, int argc, char **argv, const struct opt_usage *usage,
		const struct opt *options, bool several)
{
	struct error e;

	for (int i = opt_parse_mixed(argc, argv, usage, options); i < argc; i++)
		vec_push(&v->traces, argv[i]);
	if (!v->traces.n)
		opt_bad_usage(usage, "which trace? ('-' reads standard input)");
	if (v->traces.n > 1 && !several)
		opt_bad_usage(usage, "unexpected operand '%s': one trace at a time",
			      v->traces.v[1]);
	if (v->json && v->csv)
		opt_bad_usage(usage, "--json and --csv exclude each other");
	if (selection_prepare(&v->selection, &e) < 0)
		opt_bad_usage(usage, "%s", e.text);
	v->processes.roots = v->selection.roots;
}

enum table_format view_format(const struct view *v)
{
	return v->json ? TABLE_JSON : v->csv ? TABLE_CSV : TABLE_TEXT;
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

	shown.processes = &v->processes;
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
	return xasprintf("on other hosts %" PRIu64 " calls of %zu process%s were made after a "
			 "request of the subtree: sure of the %zu that had no other clients, "
			 "a guess of the others",
			 calls, processes, processes == 1 ? "" : "es", sure);
}

void view_print_end(const struct view *v)
{
	bool text = view_format(v) == TABLE_TEXT;
	char *serving = text_of_serving(&v->serving);
	char *completeness = completeness_text(&v->completeness, !text);

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
	if (text)
		printf("\n%s\n", completeness);
	else if (completeness)
		warnx("%s", completeness);
	free(completeness);
}

void view_free(struct view *v)
{
	selection_free(&v->selection);
	processes_free(&v->processes);
	serving_free(&v->serving);
	vec_free(&v->traces);
}
