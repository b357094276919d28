/* SPDX-License-Identifier: MIT */
/* ktranal tree: the processes of a trace below those that created them. */
#include "ktranal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../common/dot.h"
#include "util/number.h"
#include "util/vec.h"
#include "view.h"
#include "view/family.h"

/* In text. */
enum {
	COMMAND_SHOWN = 60, /* characters */
	DEPTH_SHOWN = 20,
};

static struct {
	struct view view;
	bool dot;
} set;

static const struct opt options[] = { SELECTION_PROCESSES(set.view.selection),
				      VIEW_FORMATS(set.view),
				      { 0, "dot", OPT_FLAG, &set.dot,
					.help = "draw it for dot, with pipes and connections" },
				      { 0 } };

static const struct opt_usage usage = {
	.program = "ktranal tree",
	.operands = "{TRACE | -- COMMAND [ARGUMENT...]}",
	.summary = "Print the processes of a trace below those that created them: how and when "
		   "each was started and ended, and what it and its descendants used.",
	.example = "ktranal tree app.ktr",
};

static struct family family;

static void begin(void *arg, const struct source_info *info)
{
	(void)arg, (void)info;
	family_begin(&family);
}

static bool untimed; /* the calls of the trace have no times */

static void take(void *arg, const struct event *e)
{
	(void)arg;
	untimed |= e->type == EVENT_SYSCALL && e->call.flags & CALL_NO_TIME;
	size_t process = processes_event(&set.view.processes, e);
	view_selects(&set.view, process, e);
	if (process != SIZE_MAX)
		family_event(&family, &set.view.processes, process, e);
}

/* ---- cells ---- */

/* Returns "" if it is unknown. */
static const char *command_of(size_t number)
{
	const char *command = family.lives.v[number].command;

	return command ? command : processes_name(&set.view.processes, number);
}

/* Returns its first characters, indented by depth; for free(). */
static char *shown_command(const char *command, unsigned depth)
{
	bool cut = strlen(command) > COMMAND_SHOWN;
	int bytes = cut ? COMMAND_SHOWN : (int)strlen(command);

	while (cut && ((unsigned char)command[bytes] & 0xc0) == 0x80)
		bytes--; /* not within a character of several bytes */
	return xasprintf("%*s%.*s%s", (int)depth * 2, "", *command ? bytes : 1,
			 *command ? command : "-", cut ? ".." : "");
}

/* With its depth as indentation, in text. */
static void put_command(struct table *t, size_t number, unsigned depth, bool text)
{
	const char *command = command_of(number);

	if (!text) {
		table_text(t, *command ? command : NULL);
		return;
	}
	char *shown = shown_command(command, depth < DEPTH_SHOWN ? depth : DEPTH_SHOWN);
	table_text(t, shown);
	free(shown);
}

/* "exit 3", "signal 9". */
static void put_end(struct table *t, const struct life *l)
{
	char *shown;

	/* perf does not know how a process ended. */
	if (!l->ended || l->status < 0) {
		table_text(t, NULL);
		return;
	}
	if (WIFSIGNALED(l->status))
		shown = xasprintf("signal %d", WTERMSIG(l->status));
	else
		shown = xasprintf("exit %d", WEXITSTATUS(l->status));
	table_text(t, shown);
	free(shown);
}

/* Those that another process uses too: "<pipe:#1" is read, ">pipe:#1" written, "<>unix:1-2" both.
 */
static void put_channels(struct table *t, size_t number)
{
	const struct life *l = &family.lives.v[number];
	char *list = NULL;

	for (size_t i = 0; i < l->channels.n; i++) {
		size_t channel = l->channels.v[i];
		unsigned use = family_uses(&family, number, channel);

		if (family.users.v[channel] > 1)
			list = xappend(list, "%s%s%s%s", list ? " " : "",
				       use & FAMILY_READS ? "<" : "",
				       use & FAMILY_WRITES ? ">" : "", family.channels.v[channel]);
	}
	table_text(t, list);
	free(list);
}

static const char *how(const struct life *l)
{
	return l->how && !strcmp(l->how, "process") ? "fork" : l->how;
}

static void put_time(struct table *t, double seconds)
{
	table_scaled(t, seconds * 1e9, 1e-9, "%.3f");
}

static const struct table_column columns[] = {
	{ "COMMAND", "command", TABLE_NAME },
	{ "PID", "pid", TABLE_RIGHT },
	{ "PARENT", "parent", TABLE_DATA },
	{ "DEPTH", "depth", TABLE_DATA },
	{ "START", "start_ns", TABLE_RIGHT },
	{ "WALL", "wall_ns", TABLE_RIGHT },
	{ "CPU", "subtree_cpu_ns", TABLE_RIGHT },
	{ "SYSTEM", "subtree_system_ns", TABLE_DATA },
	{ "CALLS", "subtree_calls", TABLE_RIGHT },
	{ "OWN CPU", "cpu_ns", TABLE_DATA },
	{ "OWN SYSTEM", "system_ns", TABLE_DATA },
	{ "OWN CALLS", "calls", TABLE_DATA },
	{ "THREADS", "threads", TABLE_DATA },
	{ "HOW", "how", TABLE_LEFT },
	{ "END", "end", TABLE_LEFT },
	{ "AFTER", "after", TABLE_NAME },
	{ "BY", "after_by", TABLE_LEFT },
	{ "SERVED", "served_calls", TABLE_DATA },
	{ "OTHERS", "served_others", TABLE_DATA },
	{ "CHANNELS", "channels", TABLE_LIST },
};

static struct served served_by(size_t number)
{
	const struct serving *v = &set.view.serving;

	return number < v->processes.n ? v->processes.v[number] : (struct served){ 0 };
}

static void put_moment(struct table *t, int64_t ns)
{
	if (untimed)
		table_text(t, NULL);
	else
		table_time(t, ns, 1000000000, 3);
}

static void put_row(struct table *t, size_t number, unsigned depth)
{
	const struct life *l = &family.lives.v[number];
	size_t cause = family_cause(&family, &set.view.processes, number);
	const struct process *p = &set.view.processes.v[number];
	bool text = view_format(&set.view) == TABLE_TEXT;

	put_command(t, number, depth, text);
	view_put_id(&set.view, t, number, p->pid);
	if (p->parent)
		view_put_id(&set.view, t, p->parent - 1, set.view.processes.v[p->parent - 1].pid);
	else
		table_text(t, NULL);
	table_count(t, depth);
	put_moment(t, l->start);
	put_moment(t, l->end - l->start);
	put_time(t, l->all.user + l->all.system);
	put_time(t, l->all.system);
	table_count(t, l->all.calls);
	put_time(t, l->own.user + l->own.system);
	put_time(t, l->own.system);
	table_count(t, l->own.calls);
	table_count(t, l->threads);
	table_text(t, how(l));
	put_end(t, l);
	table_text(t, l->after ? family.channels.v[l->after - 1] : NULL);
	if (cause != SIZE_MAX)
		view_put_id(&set.view, t, cause, set.view.processes.v[cause].pid);
	else
		table_text(t, NULL);
	const struct served served = served_by(number);
	table_count(t, served.within);
	table_count(t, served.others);
	put_channels(t, number);
}

/* ---- order ---- */

/* Children by parent, as lists in the order of birth: the first child of each, and the next one. */
struct links {
	size_t *first, *next, *last; /* number plus one; [n] is above the roots */
};

static struct links make_links(size_t n)
{
	struct links links = { xcalloc(n + 1, sizeof(size_t)), xcalloc(n + 1, sizeof(size_t)),
			       xcalloc(n + 1, sizeof(size_t)) };

	for (size_t i = 0; i < n; i++) {
		size_t parent = set.view.processes.v[i].parent;
		size_t at = parent ? parent - 1 : n;

		*(links.last[at] ? &links.next[links.last[at] - 1] : &links.first[at]) = i + 1;
		links.last[at] = i + 1;
	}
	return links;
}

/* Parents before their children.  Without recursion: a trace may have any depth. */
static void put_all(void (*put)(struct table *t, size_t number, unsigned depth), struct table *t)
{
	size_t n = family.lives.n;
	struct links links = make_links(n);
	unsigned depth = 0;

	for (size_t at = links.first[n]; at;) {
		size_t number = at - 1;

		if (selection_has_process(&set.view.selection, &set.view.processes, number) ||
		    (served_by(number).within &&
		     selection_lists(&set.view.selection, &set.view.processes, number)))
			put(t, number, depth);
		at = links.first[number];
		depth += at != 0;
		while (!at && !(at = links.next[number]) && set.view.processes.v[number].parent) {
			number = set.view.processes.v[number].parent - 1;
			depth--;
		}
	}
	free(links.first);
	free(links.next);
	free(links.last);
}

/* A box for the process, ellipses for the pipes and connections that it uses, and arrows. */
static void draw(struct table *t, size_t number, unsigned depth)
{
	const struct life *l = &family.lives.v[number];
	const struct process *p = &set.view.processes.v[number];
	size_t cause = family_cause(&family, &set.view.processes, number);
	char wall[NUMBER_MAX], *shown = shown_command(command_of(number), 0);

	(void)t, (void)depth;
	printf("\tp%zu [label=\"", number);
	dot_label(shown);
	const double seconds = untimed ? NAN : (double)(l->end - l->start) * 1e-9;
	printf("\\n%s, %" PRIu64 " calls\"];\n", number_format_duration(wall, seconds),
	       l->own.calls);
	free(shown);
	if (p->parent)
		printf("\tp%zu -> p%zu;\n", p->parent - 1, number);
	if (cause != SIZE_MAX)
		printf("\tp%zu -> p%zu [style=dashed, label=\"likely cause\"];\n", cause, number);
	for (size_t i = 0; i < l->channels.n; i++) {
		size_t channel = l->channels.v[i];
		unsigned use = family_uses(&family, number, channel);

		if (family.users.v[channel] < 2)
			continue;
		printf("\tc%zu [shape=ellipse, label=\"", channel);
		dot_label(family.channels.v[channel]);
		printf("\"];\n");
		if (use & FAMILY_READS)
			printf("\tc%zu -> p%zu [color=blue];\n", channel, number);
		if (use & FAMILY_WRITES)
			printf("\tp%zu -> c%zu [color=blue];\n", number, channel);
	}
}

static void print_picture(void)
{
	printf("digraph processes {\n\tnode [shape=box];\n");
	put_all(draw, NULL);
	printf("}\n");
	view_warn_incomplete(&set.view);
}

static void print_tree(void)
{
	struct table *t = view_table(&set.view, columns, sizeof(columns) / sizeof(*columns));

	put_all(put_row, t);
	view_print_begin(&set.view, "processes");
	table_end(t, stdout, view_format(&set.view));
	if (view_format(&set.view) == TABLE_TEXT)
		printf("\ntimes in seconds; CPU and CALLS with all descendants; AFTER: what the "
		       "creator read last, BY: who wrote it");
	view_print_end(&set.view);
}

int command_tree(int argc, char **argv)
{
	const struct trace_taker taker = { .begin = begin, .take = take, .each = true };

	view_parse(&set.view, argc, argv, &usage, options, false);
	if (set.dot && view_format(&set.view) != TABLE_TEXT)
		opt_bad_usage(&usage, "--dot, --json and --csv exclude each other");
	if (set.dot && set.view.head)
		opt_bad_usage(&usage, "--dot and --head exclude each other");
	int status = view_read(&set.view, set.view.traces.v[0], &taker, false);
	family_sum(&family, &set.view.processes);
	if (status == 0 || family.lives.n)
		set.dot ? print_picture() : print_tree();
	family_free(&family);
	return view_end(&set.view, status);
}
