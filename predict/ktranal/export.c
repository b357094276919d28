/* SPDX-License-Identifier: MIT */
/*
 * ktranal export: a trace for a viewer.
 *
 * --perfetto: the Trace Event Format (JSON object) that ui.perfetto.dev and chrome://tracing read:
 * a slice for each call on the track of its thread, and for each thread on the track of its CPU.
 * --folded: lines "process;thread;call nanoseconds", of which flame graphs are made.
 */
#include "ktranal.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "trace/syscalls.h"
#include "util/vec.h"
#include "view.h"
#include "view/callrow.h"

static struct {
	struct view view;
	bool perfetto, folded;
} set;

static const struct opt options[] = {
	SELECTION_CALLS(set.view.selection),
	SELECTION_PROCESSES(set.view.selection),
	{ 0, "perfetto", OPT_FLAG, &set.perfetto,
	  .help = "JSON for ui.perfetto.dev and chrome://tracing" },
	{ 0, "folded", OPT_FLAG, &set.folded,
	  .help = "folded stacks for flame graphs: process;thread;call nanoseconds" },
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "ktranal export",
	.operands = "{TRACE | -- COMMAND [ARGUMENT...]}",
	.summary = "Write a trace on the standard output for a timeline or flame graph viewer.  "
		   "CSV is 'ktranal dump --csv'.",
	.example = "ktranal export --perfetto app.ktr >app.json",
};

/* Of a call, ns. */
struct slice {
	int64_t from, to;
	unsigned cut; /* the call that begins at `to` and was cut off, plus one; 0: none */
};

static struct {
	bool opened, begun; /* the trace; the events written */
	enum abi abi;
	uint64_t written, untimed; /* calls */
	struct object_names objects;
	struct text text, arguments; /* what is to be written; of the call at hand */
	struct map cpus;	     /* cpu: IDLE, or when its thread came in ns, plus BUSY */
	struct map last;	     /* thread: its slice that was written last, plus one */
	VEC(struct slice) slices;
	struct names stacks;
	VEC(int64_t) weights; /* ns, of each stack */
} export;

/* The tracks of the CPUs are threads of a process with a number that no system gives. */
enum { CPUS_PID = 1000000000, IDLE = 1, BUSY = 2 };

static void begin(void *arg, const struct source_info *info)
{
	(void)arg;
	export.opened = true;
	export.abi = info->abi;
	if (set.perfetto)
		printf("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
}

/* ---- Perfetto ---- */

/* Writes what was put, now and then or all of it. */
static void flush(bool all)
{
	enum { PART = 1 << 16 };

	if (export.text.n < PART && !all)
		return;
	if (export.text.n)
		fwrite(export.text.v, 1, export.text.n, stdout);
	export.text.n = 0;
}

static void put(const char *s)
{
	text_put(&export.text, s);
}

/* An event up to its arguments; times in microseconds. */
static void put_event(const char *phase, const char *name, uint32_t pid, uint32_t tid, int64_t time)
{
	flush(false);
	put(export.begun ? ",\n{\"ph\": \"" : "\n{\"ph\": \"");
	put(phase);
	put("\", \"pid\": ");
	text_put_number(&export.text, pid, 10);
	put(", \"tid\": ");
	text_put_number(&export.text, tid, 10);
	put(", \"ts\": ");
	text_put_micro(&export.text, time);
	put(", \"name\": ");
	text_put_json(&export.text, name);
	export.begun = true;
}

static void put_duration(int64_t duration)
{
	put(", \"dur\": ");
	text_put_micro(&export.text, duration);
}

static void put_name(const char *what, uint32_t pid, uint32_t tid, const char *name)
{
	put_event("M", what, pid, tid, 0);
	put(", \"args\": {\"name\": ");
	text_put_json(&export.text, name);
	put("}}");
}

/* Returns the slice of the thread that was written last. */
static struct slice *last_slice(uint32_t tid)
{
	uint64_t *at = map_at(&export.last, tid);

	if (!*at) {
		vec_push(&export.slices, (struct slice){ INT64_MIN, INT64_MIN, 0 });
		*at = export.slices.n;
	}
	return &export.slices.v[*at - 1];
}

/*
 * Returns where a viewer is to draw a call: the slices of a thread must lie behind or within each
 * other.  A call that signals interrupted comes after those of their handlers, which its slice
 * holds.  Logs round times, so that a call may seem to begin before the last one ended.
 */
static struct slice slice_of(const struct event *e)
{
	struct slice s = { e->time, event_end(e), 0 }, *last = last_slice(e->tid);

	if (s.to <= last->from && !(e->call.flags & CALL_RESTARTED))
		return s; /* a signal ended it */
	if (s.from > last->from && s.from < last->to)
		s.from = last->to;
	if (s.to < last->to)
		s.to = last->to;
	*last = s;
	return s;
}

/* A call that was cut off begins, and ends where its thread makes the next one: an execve of
 * another thread has taken the number of this one, or the end was lost. */
static void put_end_of_cut(const struct event *next)
{
	struct slice *last = last_slice(next->tid);

	if (!last->cut)
		return;
	last->to = next->time > last->to ? next->time : last->to;
	put_event("E", syscall_get(last->cut - 1)->name, next->pid, next->tid, last->to);
	put("}");
	last->cut = 0;
}

/* One of unknown duration that was not cut off is an instant. */
static void put_call(const struct event *e)
{
	const struct syscall *call = syscall_get(e->call.id);
	bool ends = e->call.duration >= 0, cut = e->call.flags & CALL_UNFINISHED;
	char result[RESULT_MAX];

	export.arguments.n = 0;
	text_put(&export.arguments, "");
	arguments_put(&export.arguments, &export.objects, export.abi, e);
	put_end_of_cut(e);
	struct slice s = ends ? slice_of(e) : (struct slice){ .from = e->time };
	if (cut && !ends)
		*last_slice(e->tid) = (struct slice){ e->time, e->time, e->call.id + 1 };
	put_event(ends ? "X" : cut ? "B" : "i", call->name, e->pid, e->tid, s.from);
	if (ends)
		put_duration(s.to - s.from);
	put(", \"cat\": \"");
	put(fd_kind_name(e->call.kind));
	put("\", \"args\": {\"arguments\": ");
	text_put_json(&export.text, export.arguments.v);
	put(", \"result\": ");
	text_put_json(&export.text,
		      result_format(result, e->call.id, e->call.flags, e->call.result));
	put("}}");
}

/* "web1: CPU 0", or what else there is on the host of that process; with one host "CPU 0". */
static char *with_host(size_t process, const char *name)
{
	const char *host = processes_host(&set.view.processes, process);

	return xasprintf("%s%s%s", host ? host : "", host ? ": " : "", name);
}

static void put_switch(const struct event *e, size_t process, const char *program)
{
	uint64_t *since = map_at(&export.cpus, e->change.cpu);

	if (!*since) {
		char cpu[32], *name;

		snprintf(cpu, sizeof(cpu), "CPU %" PRIu32, host_local(e->change.cpu));
		name = with_host(process, cpu);
		put_name("thread_name", CPUS_PID, e->change.cpu, name);
		free(name);
	} else if (e->change.out && *since >= BUSY) {
		char *name = xasprintf("%s %" PRIu32, program, e->tid);
		int64_t from = (int64_t)(*since - BUSY);

		put_event("X", name, CPUS_PID, e->change.cpu, from);
		put_duration(e->time - from);
		put("}");
		free(name);
	}
	*since = e->change.out ? IDLE : (uint64_t)e->time + BUSY;
}

static void put_instant(const struct event *e, const char *what, const char *name)
{
	char *both = xasprintf("%s %s", what, name);

	put_event("i", both, e->pid, e->tid, e->time);
	put(", \"s\": \"t\"}");
	free(both);
}

static void put_other(const struct event *e, size_t process, const char *program)
{
	char number[16];

	switch (e->type) {
	case EVENT_SWITCH: put_switch(e, process, program); break;
	case EVENT_COMM: put_name("thread_name", e->pid, e->tid, e->comm.name); break;
	case EVENT_EXEC: put_instant(e, "exec", e->exec.command); break;
	case EVENT_FORK:
		snprintf(number, sizeof(number), "%" PRIu32, host_local(e->fork.child_tid));
		put_instant(e, "fork", number);
		break;
	case EVENT_SIGNAL:
		snprintf(number, sizeof(number), "%d", e->signal.signal);
		put_instant(e, "signal", number);
		break;
	default: break;
	}
}

/* ---- folded stacks ---- */

/* A frame ends at a semicolon, and a line at its end. */
static void fold_call(const struct event *e, size_t process, const char *program)
{
	const char *name = syscall_get(e->call.id)->name;
	char id[PROCESSES_ID];
	char *frame = xasprintf("%s %s", *program ? program : "?",
				processes_id(&set.view.processes, process, e->pid, id));

	text_make_printable(frame);
	for (char *p = frame; *p; p++)
		*p = *p == ';' ? ',' : *p;
	char *stack = xasprintf("%s;%" PRIu32 ";%s", frame, host_local(e->tid), name);
	size_t number = names_add(&export.stacks, stack);
	while (export.weights.n <= number)
		vec_push(&export.weights, 0);
	export.weights.v[number] += e->call.duration;
	free(stack);
	free(frame);
}

/* ---- both ---- */

static void take_call(const struct event *e, size_t process, const char *program)
{
	if (e->call.flags & CALL_NO_TIME || (set.folded && e->call.duration < 0)) {
		export.untimed += event_is_return(e);
		return;
	}
	export.written++;
	if (set.perfetto)
		put_call(e);
	else
		fold_call(e, process, program);
}

static void take(void *arg, const struct event *e)
{
	const struct selection *s = &set.view.selection;

	(void)arg;
	object_names_event(&export.objects, e);
	size_t process = processes_event(&set.view.processes, e);
	if (!view_selects(&set.view, process, e) || process == SIZE_MAX)
		return;
	const char *program = processes_name(&set.view.processes, process);
	if (e->type != EVENT_SYSCALL && set.perfetto)
		put_other(e, process, program);
	else if (e->type == EVENT_SYSCALL && selection_has_call(s, e->call.id))
		take_call(e, process, program);
}

static void end_perfetto(void)
{
	const struct processes *p = &set.view.processes;
	json_t *completeness = completeness_json(&set.view.completeness);

	if (export.cpus.n)
		put_name("process_name", CPUS_PID, 0, "CPUs");
	for (size_t i = 0; i < p->n; i++)
		if (selection_has_process(&set.view.selection, p, i)) {
			char *name = with_host(i, processes_name(p, i));

			put_name("process_name", p->v[i].pid, p->v[i].pid, name);
			free(name);
		}
	flush(true);
	printf("\n], \"otherData\": ");
	json_dumpf(completeness, stdout, 0);
	printf("}\n");
	json_decref(completeness);
}

/* 0, or -1: nothing is left; after warnings. */
static int end(void)
{
	view_warn_incomplete(&set.view);
	for (size_t i = 0; i < export.stacks.n; i++)
		printf("%s %" PRId64 "\n", export.stacks.v[i], export.weights.v[i]);
	if (set.perfetto)
		end_perfetto();
	if (export.untimed)
		warnx("%" PRIu64 " call%s left out, without a time", export.untimed,
		      export.untimed == 1 ? " is" : "s are");
	return export.untimed && !export.written ? -1 : 0;
}

int command_export(int argc, char **argv)
{
	const struct trace_taker taker = { .begin = begin, .take = take, .each = true };

	view_parse(&set.view, argc, argv, &usage, options, false);
	if (set.perfetto == set.folded)
		opt_bad_usage(&usage, "which format? (--perfetto or --folded)");
	int status = view_read(&set.view, set.view.traces.v[0], &taker, set.perfetto);
	/* What stands before a place that cannot be read is whole JSON all the same. */
	if (export.opened && end() < 0)
		status = -1;
	object_names_free(&export.objects);
	text_free(&export.text);
	text_free(&export.arguments);
	map_free(&export.cpus);
	map_free(&export.last);
	vec_free(&export.slices);
	names_free(&export.stacks);
	vec_free(&export.weights);
	return view_end(&set.view, status);
}
