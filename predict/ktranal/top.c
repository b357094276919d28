/* SPDX-License-Identifier: MIT */
/* ktranal top - the calls of each process while they are made. */
#include "ktranal.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "record/cgroup.h"
#include "record/program.h"
#include "record/record.h"
#include "screen.h"
#include "../common/signals.h"
#include "trace/syscalls.h"
#include "util/map.h"
#include "util/monotonic.h"
#include "util/number.h"
#include "util/table.h"
#include "util/vec.h"
#include "view/processes.h"
#include "view/reading.h"

/* What rows are about: a word of --by stands for these bits. */
enum { BY_PROCESS = 1, BY_CALL = 2, BY_BOTH = BY_PROCESS | BY_CALL };
static const char *const by_words[] = {
	[BY_PROCESS] = "process", [BY_CALL] = "call", [BY_BOTH] = "process,call"
};

static struct {
	struct opt_list pids;
	const char *cgroup, *backend, *sort, *by;
	double interval;
	uint64_t count, rows;
	bool batch, json, csv;
} set = { .interval = 1, .sort = "time", .by = "process,call" };

static const struct opt options[] = {
	{ 'p', "pid", OPT_LIST, &set.pids, "PID", 0, 0,
	  "show this running process and its new children (several: more -p)" },
	{ 0, "cgroup", OPT_STRING, &set.cgroup, "DIRECTORY", 0, 0,
	  "show all processes of this control group (version 2)" },
	{ 'i', "interval", OPT_DURATION, &set.interval, "TIME", 0.1, 86400,
	  "show what happened in each such time (default 1s)" },
	{ 'n', "count", OPT_COUNT, &set.count, "N", 1, 1e9, "end after N intervals" },
	{ 0, "by", OPT_STRING, &set.by, "WORDS", 0, 0,
	  "a row for each process, call or (default) process,call" },
	{ 's', "sort", OPT_STRING, &set.sort, "WORD", 0, 0,
	  "sort by calls, errors, time (default) or mean" },
	{ 0, "head", OPT_COUNT, &set.rows, "N", 1, 1e9, "print only the first N rows" },
	{ 0, "batch", OPT_FLAG, &set.batch, NULL, 0, 0,
	  "print a table for each interval, as without a terminal" },
	{ 'b', "backend", OPT_STRING, &set.backend, "NAME", 0, 0,
	  "record by bpf, perf or ptrace (default: see 'ktranal doctor')" },
	{ 'j', "json", OPT_FLAG, &set.json, .help = "print JSON" },
	{ 0, "csv", OPT_FLAG, &set.csv, .help = "print CSV" },
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "ktranal top",
	.operands = "[-- COMMAND [ARGUMENT...]]",
	.summary = "Show the system calls of a command, of processes or of the whole system while "
		   "they are made: calls and errors per second, and time in calls.",
	.example = "ktranal top -n 2 --batch -- ls -lR /etc",
};

/* Calls of an interval. */
struct row {
	size_t process;
	unsigned call;
	uint64_t calls, errors; /* that ended in it */
	double lasted;		/* ns: from beginning to end */
	double ns;		/* of the interval that passed in these and in others */
};

struct rows {
	struct row *v;
	size_t n, cap;
	struct map at; /* process and call: place, plus one */
};

static struct {
	struct processes processes;
	struct rows now, last; /* by process and call: of this interval and of the one before */
	struct rows charged;   /* what earlier intervals have of calls that had not ended by then */
	VEC(struct event) open; /* calls that have not ended, while an interval ends */
	double from, length;	/* s: of the last */
	double start, began;	/* CLOCK_MONOTONIC s: of the recording, and of this interval */
	uint64_t intervals;
	unsigned by;
	size_t sort;	     /* a column */
	bool draws;	     /* on a screen */
	bool unread;	     /* stdout is a pipe that nobody reads any more */
	struct table *table; /* for CSV and JSON, over all intervals */
} top;

static void add(struct rows *rows, const struct row *from)
{
	uint64_t *at = map_at(&rows->at, (uint64_t)from->process << 16 | from->call);

	if (!*at) {
		vec_push(rows, ((struct row){ .process = from->process, .call = from->call }));
		*at = rows->n;
	}
	struct row *r = &rows->v[*at - 1];
	r->calls += from->calls;
	r->errors += from->errors;
	r->lasted += from->lasted;
	r->ns += from->ns;
}

static void clear(struct rows *rows)
{
	vec_free(rows);
	map_free(&rows->at);
}

/* A call that has not ended, or never will as its thread is dead, and took that long so far. */
static void add_open(struct rows *rows, size_t process, unsigned call, int64_t ns)
{
	if (process != SIZE_MAX && !syscall_never_returns(call))
		add(rows, &(struct row){ .process = process, .call = call, .ns = (double)ns });
}

/* For record_settle(). */
static void take_open(void *arg, struct event *e)
{
	(void)arg;
	vec_push(&top.open, *e);
}

/* What record_settle() showed as open may have ended before it read that. */
static void end_open(const struct event *e)
{
	for (size_t i = 0; i < top.open.n; i++)
		if (top.open.v[i].tid == e->tid && top.open.v[i].time == e->time)
			top.open.v[i] = top.open.v[--top.open.n];
}

/* The rows of the open calls, which are none from now on. */
static struct rows open_rows(void)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < top.open.n; i++) {
		const struct event *e = &top.open.v[i];

		add_open(&rows, processes_find(&top.processes, e->pid), e->call.id,
			 e->call.duration);
	}
	top.open.n = 0;
	return rows;
}

/* For the sink. */
static void take(void *arg, const struct event *e)
{
	const struct recording *r = arg;
	size_t process = processes_event(&top.processes, e);

	if (e->type == EVENT_SYSCALL && e->call.flags & CALL_UNFINISHED)
		add_open(&top.now, process, e->call.id, monotonic_ns() - r->sink.start - e->time);
	if (!event_is_return(e))
		return;
	end_open(e);
	uint64_t n = event_calls(e);
	double ns = (double)n * (e->call.duration > 0 ? (double)e->call.duration : 0);
	add(&top.now, &(struct row){ process, e->call.id, n, event_failed(e) ? n : 0, ns, ns });
}

/*
 * Charges this interval with what passed in it: with calls that have not ended, and with those that
 * have, but for what earlier intervals were charged with.  What is known too late of one is made up
 * for by the next.
 */
static void charge(struct rows *open)
{
	for (size_t i = 0; i < open->n; i++)
		add(&top.now, &open->v[i]);
	for (size_t i = 0; i < top.charged.n; i++) {
		struct row past = top.charged.v[i];

		past.ns = -past.ns;
		add(&top.now, &past);
	}
	for (size_t i = 0; i < top.now.n; i++) {
		struct row *r = &top.now.v[i];

		if (r->ns >= 0)
			continue;
		add(open, &(struct row){ .process = r->process, .call = r->call, .ns = -r->ns });
		r->ns = 0;
	}
	clear(&top.charged);
	top.charged = *open;
}

/* ---- the table ---- */

static double calls(const struct row *r)
{
	return (double)r->calls;
}

static double errors(const struct row *r)
{
	return (double)r->errors;
}

static double seconds(const struct row *r)
{
	return r->ns * 1e-9;
}

static double mean(const struct row *r)
{
	return r->calls ? r->lasted * 1e-9 / calls(r) : NAN;
}

static const struct column {
	struct table_column head;
	unsigned by;	  /* shown when rows are by this; 0: always */
	const char *word; /* of --sort, with its first letter as the key; NULL: not to sort by */
	double (*value)(const struct row *r);
	double unit;	  /* in text, the value is in these */
	bool each_second; /* ... divided by the length of the interval */
} columns[] = {
	{ { "PROCESS", "process", TABLE_NAME }, .by = BY_PROCESS },
	{ { "PID", "pid", TABLE_RIGHT }, .by = BY_PROCESS },
	{ { "CALL", "call", TABLE_LEFT }, .by = BY_CALL },
	{ { "CALLS", "calls", TABLE_DATA }, .value = calls, .unit = 1 },
	{ { "ERRORS", "errors", TABLE_DATA }, .value = errors, .unit = 1 },
	{ { "SECONDS", "time", TABLE_DATA }, .value = seconds, .unit = 1 },
	{ { "CALLS/S", "calls_per_second", TABLE_RIGHT }, 0, "calls", calls, 1, true },
	{ { "ERRORS/S", "errors_per_second", TABLE_RIGHT }, 0, "errors", errors, 1, true },
	{ { "TIME %", "time_per_second", TABLE_RIGHT }, 0, "time", seconds, 0.01, true },
	{ { "MEAN us", "mean", TABLE_RIGHT }, 0, "mean", mean, 1e-6, false },
};

enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static bool is_shown(const struct column *c)
{
	return !c->by || c->by & top.by;
}

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const struct column *by = &columns[top.sort];
	int order = number_compare(by->value(x), by->value(y), false);

	if (order)
		return order;
	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->call > y->call) - (x->call < y->call);
}

static void put_cell(struct table *t, const struct column *c, const struct row *r)
{
	if (c->value) {
		double v = c->value(r) / (c->each_second ? top.length : 1);

		table_scaled(t, v, 1 / c->unit, v / c->unit < 100 ? "%.1f" : "%.0f");
	} else if (c->by == BY_CALL) {
		table_text(t, syscall_get(r->call)->name);
	} else if (c->head.kind == TABLE_RIGHT) {
		table_count(t, top.processes.v[r->process].pid);
	} else {
		table_text(t, processes_shown(&top.processes, r->process));
	}
}

/* The rows of the last interval, by what they are wanted by, the first of them first. */
static struct rows wanted_rows(void)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < top.last.n; i++) {
		struct row r = top.last.v[i];

		r.process = top.by & BY_PROCESS ? r.process : 0;
		r.call = top.by & BY_CALL ? r.call : 0;
		if (r.calls || r.ns > 0)
			add(&rows, &r);
	}
	vec_sort(&rows, compare);
	return rows;
}

static struct table *new_table(void)
{
	static struct table_column heads[2 + COLUMNS] = { { "FROM", "from", TABLE_DATA },
							  { "SECONDS", "seconds", TABLE_DATA } };
	size_t n = 2;

	for (size_t i = 0; i < COLUMNS; i++)
		if (is_shown(&columns[i]))
			heads[n++] = columns[i].head;
	return table_new(heads, n);
}

static void fill_table(struct table *t, size_t most)
{
	struct rows rows = wanted_rows();

	for (size_t r = 0; r < rows.n && r < most; r++) {
		table_number(t, top.from, "%.6g");
		table_number(t, top.length, "%.6g");
		for (size_t i = 0; i < COLUMNS; i++)
			if (is_shown(&columns[i]))
				put_cell(t, &columns[i], &rows.v[r]);
	}
	clear(&rows);
}

static void flush(void)
{
	if (fflush(stdout))
		top.unread |= errno == EPIPE;
}

static void print_text(FILE *f, const struct recording *r, size_t most)
{
	struct row sum = { 0 };
	struct table *t = new_table();
	char clock[16];
	time_t now = time(NULL);
	struct tm tm;

	for (size_t i = 0; i < top.last.n; i++) {
		sum.calls += top.last.v[i].calls;
		sum.errors += top.last.v[i].errors;
		sum.ns += top.last.v[i].ns;
	}
	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &tm));
	fprintf(f, "%s  %.0f calls/s, %.0f errors/s, %.3g s in calls; %s", clock,
		calls(&sum) / top.length, errors(&sum) / top.length, seconds(&sum),
		r->backend->name);
	if (r->call_cost)
		fprintf(f, ", which adds about %.1f us to each call", (double)r->call_cost * 1e-3);
	const uint64_t lost = r->sink.losses[LOST_RING_FULL];
	if (lost)
		fprintf(f, "; %" PRIu64 " %s so far", lost, loss_text(LOST_RING_FULL, lost));
	fputc('\n', f);
	fill_table(t, most);
	table_end(t, f, TABLE_TEXT);
}

static void draw(const struct recording *r)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	int height = screen_height();

	if (!f)
		return;
	fprintf(f,
		"ktranal top - q: quit; sort by c: calls, e: errors, t: time, m: mean (now: %s); "
		"b: by process, call\n",
		columns[top.sort].word);
	print_text(f, r, height > 5 ? (size_t)height - 4 : 1);
	fclose(f);
	screen_draw(text);
	free(text);
}

static void show(const struct recording *r)
{
	size_t most = set.rows ? set.rows : SIZE_MAX;

	if (top.draws) {
		draw(r);
		return;
	}
	if (top.table) {
		fill_table(top.table, most);
		table_print_part(top.table, stdout, set.json ? TABLE_JSON : TABLE_CSV);
	} else {
		if (top.intervals > 1)
			putchar('\n');
		print_text(stdout, r, most);
	}
	flush();
}

/* ---- the recording ---- */

static void end_interval(const struct recording *r, double now, struct rows *open)
{
	charge(open);
	clear(&top.last);
	top.last = top.now;
	top.now = (struct rows){ 0 };
	top.from = top.began - top.start;
	top.length = fmax(now - top.began, 1e-6);
	top.began = now;
	top.intervals++;
	show(r);
}

/* The column of a word of --sort or, with a length of 1, of its key; COLUMNS: there is none. */
static size_t find_column(const char *word, size_t n)
{
	size_t i = 0;

	while (i < COLUMNS && !(columns[i].word && !strncmp(columns[i].word, word, n)))
		i++;
	return i;
}

/* False when the user has seen enough. */
static bool obey_keys(const struct recording *r)
{
	char key;

	if (!top.draws)
		return true;
	while ((key = (char)screen_key())) {
		size_t sort = find_column(&key, 1);

		if (key == 'q')
			return false;
		if (key == 'b')
			top.by = top.by % BY_BOTH + 1;
		if (sort < COLUMNS)
			top.sort = sort;
		draw(r);
	}
	return true;
}

static void pause_with(const struct recording *r)
{
	if (top.draws)
		screen_close();
	signals_pause(r->command, r->paused);
	if (top.draws)
		top.draws = screen_open();
}

/* As poll of struct backend, at the end. */
static int watch(struct recording *r, struct error *e)
{
	int more;

	while ((more = record_poll(r, e)) > 0) {
		double now = monotonic_seconds();

		if (r->paused)
			pause_with(r);
		if (now - top.began >= set.interval) {
			record_settle(r, take_open, NULL);
			struct rows open = open_rows();
			end_interval(r, now, &open);
		}
		if ((set.count && top.intervals >= set.count) || ferror(stdout) || !obey_keys(r) ||
		    signals_end_watch(r->command, r->ended))
			break;
	}
	return more;
}

/* Calls are counted in the kernel where that is possible. */
static int start(struct recording *r, struct record_target *t, struct error *e)
{
	t->aggregate = !set.backend || !strcmp(set.backend, bpf_backend.name);
	int failed = record_start(r, -1, t, e);
	if (failed && !set.backend && !t->cgroup) {
		t->aggregate = false;
		failed = record_start(r, -1, t, e);
	}
	return failed;
}

/* Returns an exit status, or ends as the command did. */
static int run(struct record_target *t)
{
	struct recording r;
	struct rows none = { 0 };
	struct error e;

	t->take_arg = &r;
	signals_hold();
	if (start(&r, t, &e)) {
		int status = errno == ENOSYS ? 3 : 1;

		screen_close();
		warnx("%s", e.text);
		return status;
	}
	signals_catch();
	top.start = top.began = monotonic_seconds();
	int more = watch(&r, &e);
	record_end(&r, NULL);
	/* What came after the last whole interval. */
	if (more >= 0 && !top.draws && top.now.n && !(set.count && top.intervals >= set.count))
		end_interval(&r, monotonic_seconds(), &none);
	screen_close();
	if (top.table && (more >= 0 || top.intervals))
		table_print(top.table, stdout, set.json ? TABLE_JSON : TABLE_CSV);
	const uint64_t lost = r.sink.losses[LOST_RING_FULL];
	if (top.table && lost)
		warnx("%" PRIu64 " %s", lost, loss_text(LOST_RING_FULL, lost));
	if (more < 0) {
		warnx("%s", e.text);
		return 1;
	}
	flush();
	if (top.unread)
		return signals_end_like(SIGPIPE);
	if (ferror(stdout))
		return 1; /* and says so */
	return r.command && r.ended ? signals_end_like(r.status) : 0;
}

static unsigned parse_by(void)
{
	for (unsigned i = BY_PROCESS; i <= BY_BOTH; i++)
		if (!strcmp(set.by, by_words[i]))
			return i;
	opt_bad_usage(&usage, "--by %s: not process, call or process,call", set.by);
}

static void parse(void)
{
	top.by = parse_by();
	top.sort = find_column(set.sort, strlen(set.sort) + 1);
	if (top.sort == COLUMNS)
		opt_bad_usage(&usage, "--sort %s: not calls, errors, time or mean", set.sort);
	if (set.json && set.csv)
		opt_bad_usage(&usage, "--json and --csv exclude each other");
	set.batch |= set.json || set.csv;
}

int command_top(int argc, char **argv)
{
	struct error e;
	char *path = NULL, *root = NULL;
	pid_t *pids = NULL;

	argv += opt_parse(argc, argv, &usage, options);
	parse();
	if (set.cgroup && (*argv || set.pids.n))
		opt_bad_usage(&usage, "--cgroup excludes a command and -p");
	if (*argv || set.pids.n)
		pids = ktranal_pids(&usage, *argv, &set.pids);
	else if (!set.cgroup && !(set.cgroup = root = cgroup_root())) {
		warnx(
		    "the whole system cannot be shown: control groups of version 2 are not mounted "
		    "(name a command, or a process with -p)");
		return 3;
	}
	if (*argv && !(path = program_find(*argv, &e))) {
		warnx("%s", e.text);
		return 1;
	}
	struct record_target target = { .path = path,
					.argv = argv,
					.pids = pids,
					.npids = set.pids.n,
					.cgroup = set.cgroup,
					.backend = set.backend,
					.take = take };
	if (record_check(&target, &e))
		opt_bad_usage(&usage, "%s", e.text);
	top.table = set.json || set.csv ? new_table() : NULL;
	top.draws = !set.batch && screen_open();
	int status = run(&target);
	table_free(top.table);
	clear(&top.now);
	clear(&top.last);
	clear(&top.charged);
	vec_free(&top.open);
	processes_free(&top.processes);
	free(path);
	free(root);
	free(pids);
	return status;
}
