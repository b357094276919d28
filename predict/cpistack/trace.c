/* SPDX-License-Identifier: MIT */
/* Counts of a trace that ktranal record -E made: what threads that ran belong to, or are at. */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "graph/derive.h"
#include "graph/path.h"
#include "graph/stretches.h"
#include "input.h"
#include "view/reading.h"

/* The first three are told while the trace is read. */
enum way { PROCESS, THREAD, CGROUP, SUBTREE, CALL, STATE, WAYS };
static const char *const ways[WAYS] = { "process", "thread", "cgroup", "subtree", "call", "state" };

struct reader {
	struct counts *out;
	enum way way;
	double begin; /* seconds of the files before */
	struct graph graph;
	struct derive derive;
	struct processes processes;
	struct stretches stretches;
	struct names group_names;
	struct map groups; /* process -> number of its control group, plus 1 */
	int64_t *left;	   /* of each stretch: up to which it is not on the path */
};

bool trace_is(const char *path)
{
	struct stat st;
	/* What a pipe holds could not be read a second time: it is text. */
	bool regular = !stat(path, &st) && S_ISREG(st.st_mode);
	struct source *s = regular ? source_open(path, NULL) : NULL;
	bool is = s && !strcmp(source_info(s)->format, "ktr");

	source_close(s);
	return is;
}

/* ---- who ran ---- */

/* Of a thread, or (0) of the process. */
static size_t unit_of(const struct reader *r, size_t process, uint32_t tid)
{
	const struct processes *p = &r->processes;
	char id[PROCESSES_ID];
	char *name = xasprintf("%s-%s", processes_name(p, process),
			       processes_id(p, process, tid ? tid : p->v[process].pid, id));
	size_t unit = names_add(&r->out->units, name);

	free(name);
	return unit;
}

static size_t group_of(const struct reader *r, size_t process)
{
	const uint64_t *number = map_find(&r->groups, process);

	return names_add(&r->out->units, number ? r->group_names.v[*number - 1] : "not known");
}

/* ---- what it was at ---- */

static void count(struct reader *r, const struct stretch *x, int64_t from, int64_t to,
		  const char *unit)
{
	stretches_count(&r->stretches, x, from, to, r->out, names_add(&r->out->units, unit),
			r->begin);
}

/* Whole stretches; of a subtree, of the process above that the first one of all started. */
static void by_thread(struct reader *r)
{
	const struct processes *p = &r->processes;

	for (size_t i = 0; i < r->stretches.v.n; i++) {
		const struct stretch *x = &r->stretches.v.v[i];
		size_t who = x->who, above;

		if (r->way == SUBTREE) {
			while ((above = p->v[who].parent) && p->v[above - 1].parent)
				who = above - 1;
			who = unit_of(r, who, 0);
		}
		stretches_count(&r->stretches, x, x->from, x->to, r->out, who, r->begin);
	}
}

static void count_call(void *arg, const struct stretch *x, int64_t from, int64_t to, uint16_t state)
{
	struct reader *r = arg;
	const struct graph *g = &r->graph;

	count(r, x, from, to, g->words.v[g->states.v[state].word]);
}

static void by_call(struct reader *r)
{
	stretches_by_state(&r->stretches, &r->graph, count_call, r);
}

static const char off_path[] = "not on the critical path";

/* A step of the path and the reader, for stretches_between(). */
struct on_path {
	struct reader *r;
	const char *state;
};

static void count_on_path(void *arg, const struct stretch *x, int64_t from, int64_t to)
{
	const struct on_path *s = arg;
	int64_t *left = &s->r->left[x - s->r->stretches.v.v];

	count(s->r, x, to, *left, off_path);
	count(s->r, x, from, to, s->state);
	*left = from;
}

/* The last step comes first. */
static void take_step(void *arg, const struct path_step *step)
{
	struct reader *r = arg;

	if (step->kind != STEP_STATE)
		return;
	char *state = graph_state_name(&r->graph, step->state);
	struct on_path on = { r, state };
	stretches_between(&r->stretches, r->graph.threads.v[step->thread].tid, step->from, step->to,
			  count_on_path, &on);
	free(state);
}

static void by_state(struct reader *r)
{
	const struct stretches *s = &r->stretches;

	r->left = xcalloc(s->v.n, sizeof(*r->left));
	for (size_t i = 0; i < s->v.n; i++)
		r->left[i] = s->v.v[i].to;
	path_global(&r->graph, r->graph.last, r->graph.begin, take_step, r);
	for (size_t i = 0; i < s->v.n; i++)
		count(r, &s->v.v[i], s->v.v[i].from, r->left[i], off_path);
	free(r->left);
}

/* ---- reading ---- */

static enum way way_of(const char *word)
{
	enum way way = PROCESS;

	while (way < WAYS && strcmp(ways[way], word) != 0)
		way++;
	return way;
}

bool trace_by(const char *word)
{
	return way_of(word) < WAYS;
}

static void begin(void *arg, const struct source_info *info)
{
	struct reader *r = arg;

	derive_begin(&r->derive, info);
	if (!r->out->command && *info->command)
		r->out->command = xstrdup(info->command);
}

/* A process is born into the control group of its parent. */
static void follow_group(struct reader *r, size_t process, const struct event *e)
{
	const uint64_t *parent = map_find(&r->groups, process);

	if (e->type == EVENT_CGROUP)
		*map_at(&r->groups, process) = names_add(&r->group_names, e->cgroup.path) + 1;
	if (e->type == EVENT_FORK && parent) {
		uint64_t number = *parent;

		*map_at(&r->groups, processes_find(&r->processes, e->fork.child_pid)) = number;
	}
}

static void take(void *arg, const struct event *e)
{
	struct reader *r = arg;
	struct stretch *x;

	derive_event(&r->derive, e);
	processes_event(&r->processes, e);
	size_t process = processes_find(&r->processes, e->pid);
	if (process == SIZE_MAX)
		return;
	follow_group(r, process, e);
	x = stretches_event(&r->stretches, e);
	if (x)
		x->who = r->way == CGROUP  ? group_of(r, process)
			 : r->way < CGROUP ? unit_of(r, process, r->way == THREAD ? e->tid : 0)
					   : process;
}

void trace_counts(struct counts *c, const char *path, const char *by)
{
	size_t before = c->slices.n;
	struct reader r = { .out = c,
			    .way = trace_by(by) ? way_of(by) : PROCESS,
			    .begin = before ? c->slices.v[before - 1].to : 0 };
	const struct trace_taker taker = {
		.processes = &r.processes, .begin = begin, .take = take, .arg = &r, .each = true
	};
	struct completeness completeness = { 0 };
	struct error e;

	r.derive.graph = &r.graph;
	int status = trace_read(path, &taker, &completeness, &e);
	if (status < 0)
		errx(status == TRACE_AGGREGATED ? 3 : 1, "%s", e.text);
	derive_end(&r.derive);
	stretches_sort(&r.stretches);
	if (!r.stretches.counts.n)
		errx(1, "%s: no counters were read while it was recorded (ktranal record -E)",
		     path);
	if (r.way == CALL)
		by_call(&r);
	else if (r.way == STATE)
		by_state(&r);
	else
		by_thread(&r);
	counts_sort(c, before);
	char *missing = completeness_text(&completeness, true);
	if (missing)
		warnx("%s: %s", path, missing);
	free(missing);
	names_free(&r.group_names);
	map_free(&r.groups);
	stretches_free(&r.stretches);
	processes_free(&r.processes);
	derive_free(&r.derive);
	graph_free(&r.graph);
}
