/* SPDX-License-Identifier: MIT */
/* ktranal idle: what each thread did with its time, and what it waited for. */
#include "ktranal.h"

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "util/vec.h"
#include "view.h"
#include "view/idle.h"

static struct {
	struct view view;
	double shortest; /* seconds */
} set = { .shortest = 20e-6 };

static const struct opt options[] = { SELECTION_PROCESSES(set.view.selection),
				      VIEW_SHORTEST(set.shortest),
				      VIEW_FORMATS(set.view),
				      { 0 } };

static const struct opt_usage usage = {
	.program = "ktranal idle",
	.operands = "{TRACE | -- COMMAND [ARGUMENT...]}",
	.summary = "Print what each thread did with its time: ran, waited for a CPU, or waited "
		   "for work, another thread, a disk, a pipe, a peer, a timer, and who woke it.",
	.example = "ktranal idle --subtree redis-server app.ktr",
};

static struct idle idle;

/* What threads did for a subtree on another host, by number. */
struct served_thread {
	struct idle_sum sums[ACTIVITIES];
};
static VEC(struct served_thread) served_threads;

static void take_piece(void *arg, const struct idle_piece *p)
{
	size_t number = (size_t)(p->thread - idle.threads.v);

	(void)arg;
	if (set.view.processes.v[p->thread->process].within || !view_wants(&set.view, p))
		return;
	while (served_threads.n <= number)
		vec_push(&served_threads, (struct served_thread){ 0 });
	idle_sum_add(&served_threads.v[number].sums[p->activity], p->to - p->from);
}

static void take(void *arg, const struct event *e)
{
	(void)arg;
	view_follow(&set.view, processes_event(&set.view.processes, e), e);
	idle_event(&idle, &set.view.processes, e);
}

static const struct table_column columns[] = {
	{ "PROCESS", "process", TABLE_NAME },
	{ "PID", "pid", TABLE_RIGHT },
	{ "TID", "tid", TABLE_RIGHT },
	{ "STATE", "state", TABLE_LEFT },
	{ "TIME", "time_ns", TABLE_RIGHT },
	{ "SHARE", "share", TABLE_RIGHT },
	{ "TIMES", "times", TABLE_RIGHT },
	{ "LONGEST", "longest_ns", TABLE_RIGHT },
	{ "ENDED BY", "ended_by", TABLE_LEFT },
	{ "OF TIME", "ended_by_share", TABLE_RIGHT },
	{ "KNOWN FROM", "known_from", TABLE_LEFT },
};

static void put_waker(struct table *t, const struct idle_sum *sum)
{
	static const char *const contexts[WAKE_CONTEXTS] = {
		[WAKE_INTERRUPT] = "interrupt", [WAKE_SOFTIRQ] = "softirq"
	};
	double share;
	uint64_t waker = idle_waker(sum, &share);
	const uint64_t *at = map_find(&idle.by_tid, waker);
	const struct idle_thread *by = at ? &idle.threads.v[*at - 1] : NULL;

	if (waker >= IDLE_NO_THREAD) {
		table_text(t, contexts[waker - IDLE_NO_THREAD]);
	} else if (waker) {
		const char *name = by ? processes_name(&set.view.processes, by->process) : "";
		char id[PROCESSES_ID], *shown;

		if (!by)
			snprintf(id, sizeof(id), "%" PRIu32, host_local((uint32_t)waker));
		else
			processes_id(&set.view.processes, by->process, (uint32_t)waker, id);
		shown = xasprintf("%s%s%s", name, *name ? " " : "", id);

		table_text(t, shown);
		free(shown);
	} else {
		table_text(t, NULL);
	}
	table_number(t, waker ? share : NAN, "%.2f");
}

static void put_row(struct table *t, const struct idle_thread *thread, enum activity activity,
		    const struct idle_sum *sum)
{
	double life = (double)(thread->end - thread->begin);

	table_text(t, processes_shown(&set.view.processes, thread->process));
	view_put_id(&set.view, t, thread->process, thread->pid);
	view_put_id(&set.view, t, thread->process, thread->tid);
	table_text(t, activity_name(activity));
	table_time(t, sum->time, 1000000000, 6);
	table_number(t, life > 0 ? (double)sum->time / life : NAN, "%.4f");
	table_number(t, activity == RUNS_USER ? NAN : (double)sum->times, "%.0f");
	if (activity == RUNS_USER)
		table_text(t, NULL);
	else
		table_time(t, sum->longest, 1000000000, 6);
	put_waker(t, sum);
	table_text(t, idle.scheduled ? "scheduler" : "calls");
}

static void print_table(void)
{
	struct table *t = view_table(&set.view, columns, sizeof(columns) / sizeof(*columns));

	for (size_t i = 0; i < idle.threads.n; i++) {
		const struct idle_thread *thread = &idle.threads.v[i];
		enum idle_source source = idle.scheduled ? IDLE_SCHEDULER : IDLE_CALLS;

		const struct idle_sum *sums = thread->sums[source];

		if (!selection_has_process(&set.view.selection, &set.view.processes,
					   thread->process))
			sums = i < served_threads.n ? served_threads.v[i].sums : NULL;
		for (int a = 0; sums && a < ACTIVITIES; a++)
			if (sums[a].time)
				put_row(t, thread, a, &sums[a]);
	}
	view_print_begin(&set.view, "threads");
	table_end(t, stdout, view_format(&set.view));
	if (view_format(&set.view) == TABLE_TEXT)
		printf("\ntimes in seconds%s", view_idle_note(&idle));
	view_print_end(&set.view);
	if (idle.late)
		warnx("%" PRIu64
		      " context switches come too late in the trace and are left out: some "
		      "waits count as time in calls",
		      idle.late);
}

int command_idle(int argc, char **argv)
{
	const struct trace_taker taker = { .take = take, .each = true };

	view_parse(&set.view, argc, argv, &usage, options, false);
	if (set.view.selection.roots.n)
		idle.take = take_piece;
	idle.shortest = (int64_t)(set.shortest * 1e9);
	int status = view_read(&set.view, set.view.traces.v[0], &taker, false);
	idle_end(&idle);
	if (status == 0)
		status = view_check_times(&set.view, &idle);
	if (status == 0 || idle.timed)
		print_table();
	vec_free(&served_threads);
	idle_free(&idle);
	return view_end(&set.view, status);
}
