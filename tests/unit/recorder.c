/* SPDX-License-Identifier: MIT */
/* Tests of recording by ptrace: tracees make known numbers of calls, which the trace must hold
 * exactly. */
#include "record/record.h"

#include <fnmatch.h>

#include "record/program.h"
#include "record/stream/records.h"
#include "trace/source.h"
#include "util/map.h"
#include "util/monotonic.h"
#include "util/vec.h"

#include "../tap.h"
#include "../tracees.h"

/* ---- traces ---- */

struct trace {
	VEC(struct event) events;
	struct names strings; /* of the events */
	struct source_losses losses;
	struct recording recording;
	uint64_t call_cost; /* in the file */
	int64_t length;	    /* ns from start to end of the recording */
	int64_t began;	    /* ns on the wall clock */
};

#define EACH(e, t) \
	for (const struct event *e = (t)->events.v; e < (t)->events.v + (t)->events.n; e++)

/* Strings live until the next event is read. */
static const char *keep(struct trace *t, const char *s)
{
	size_t n = s ? names_add(&t->strings, s) : 0;

	return s ? t->strings.v[n] : NULL;
}

static void read_trace(int fd, struct trace *t)
{
	char path[32];
	struct error e;
	struct event event;
	int more = -1;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct source *s = source_open(path, &e);
	while (s && (more = source_next(s, &event, &e)) > 0) {
		if (event.type == EVENT_SYSCALL)
			event.call.path = keep(t, event.call.path);
		if (event.type == EVENT_FD)
			event.fd.name = keep(t, event.fd.name);
		if (event.type == EVENT_COUNTER)
			event.counter.name = keep(t, event.counter.name);
		vec_push(&t->events, event);
	}
	ok(more == 0, "the trace can be read to its end%s%s", more ? ": " : "", more ? e.text : "");
	if (s) {
		t->losses = *source_losses(s);
		t->call_cost = source_info(s)->call_cost;
	}
	source_close(s);
}

static void trace_free(struct trace *t)
{
	vec_free(&t->events);
	names_free(&t->strings);
}

static const char *backend; /* that records */
static bool aggregate;	    /* ... and counts calls that are alike */

/* True of the differences between the backends: this one does not control the processes, but sees
 * all that they do. */
static bool by_bpf(void)
{
	return !strcmp(backend, "bpf");
}

/* stalls: nothing is read until the program has ended. */
static struct trace record_and(const char *scenario, const char *path, const char *only,
			       bool stalls)
{
	const char *const argv[] = { "recorder", scenario, path, NULL };
	const struct record_target target = {
		.path = "/proc/self/exe",
		.argv = (char *const *)(uintptr_t)argv,
		.only = &only,
		.nonly = only != NULL,
		.backend = backend,
		.aggregate = aggregate,
	};
	int fd = memfd_create("trace", MFD_CLOEXEC), more;
	struct trace t = { 0 };
	struct error e;
	int64_t start = monotonic_ns();
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	t.began = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
	if (record_start(&t.recording, fd, &target, &e))
		skip_all(e.text);
	if (stalls)
		waitid(P_PID, (id_t)t.recording.command, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	while ((more = record_poll(&t.recording, &e)) > 0)
		;
	ok(!more && !record_end(&t.recording, &e), "%s is recorded", scenario);
	t.length = monotonic_ns() - start;
	read_trace(fd, &t);
	close(fd);
	return t;
}

static struct trace record(const char *scenario, const char *path, const char *only)
{
	return record_and(scenario, path, only, false);
}

static bool is_call(const struct event *e, const char *name)
{
	return e->type == EVENT_SYSCALL && e->call.id == syscall_by_name(name);
}

/* The nth call of that name, from 0, or NULL. */
static const struct event *find(const struct trace *t, const char *name, int n)
{
	EACH(e, t)
	if (is_call(e, name) && !n--)
		return e;
	return NULL;
}

/* The sum of a counter; NaN: it is unknown of a process, or of all. */
static double sum(const struct trace *t, const char *name)
{
	double all = 0;
	bool any = false;

	EACH(e, t)
	if (e->type == EVENT_COUNTER && !strcmp(e->counter.name, name)) {
		all += e->counter.value;
		any = true;
	}
	return any ? all : NAN;
}

/* ---- what is in the trace of each scenario ---- */

/* "read restarted = 1", "fork thread", "exit 9 last": what patterns of fnmatch(3) are compared
 * with. */
static void describe(const struct event *e, char *out, size_t n)
{
	switch (e->type) {
	case EVENT_SYSCALL:
		snprintf(out, n, "%s%s%s = %" PRId64 " %s", syscall_get(e->call.id)->name,
			 e->call.flags & CALL_RESTARTED ? " restarted" : "",
			 e->call.flags & CALL_UNFINISHED ? " unfinished" : "", e->call.result,
			 e->call.path ? e->call.path : "");
		break;
	case EVENT_FORK:
		snprintf(out, n, "fork %s%s", e->fork.child_pid == e->pid ? "thread" : "process",
			 e->fork.shares_files ? " sharing" : "");
		break;
	case EVENT_EXEC: snprintf(out, n, "program"); break;
	case EVENT_EXIT:
		snprintf(out, n, "end %d%s", e->exit.status, e->exit.last ? " last" : "");
		break;
	case EVENT_SIGNAL: snprintf(out, n, "signal %d", e->signal.signal); break;
	default: *out = '\0';
	}
}

static int count(const struct trace *t, const char *pattern)
{
	char text[4200];
	int n = 0;

	EACH(e, t)
	{
		describe(e, text, sizeof(text));
		if (!fnmatch(pattern, text, 0))
			n += e->type == EVENT_SYSCALL ? (int)event_calls(e) : 1;
	}
	return n;
}

/* Of programs that come to their own end; EINTR is 4, SIGALRM 14. */
static const struct scenario {
	struct {
		const char *name, *only;
		unsigned processes, threads, unfinished;
	} run;
	struct {
		const char *pattern;
		int n;
		const char *what;
	} want[12];
} scenarios_to_record[] = {
	{ { "counts", NULL, 6, 11, 0 },
	  { { "getppid = *", 101, "101 calls of the first thread" },
	    { "getuid = *", 5 * 17, "17 calls in each of 5 threads" },
	    { "getpgid = *", 3 * 13, "13 calls in each of 3 forked processes" },
	    { "getgid = *", 19, "19 calls in a process made by clone" },
	    { "geteuid = *", 23, "23 calls in a program after vfork" },
	    { "execve = 0 *", 2, "two execve" },
	    { "program", 2, "two programs" },
	    { "fork thread", 5, "five births of threads" },
	    { "fork process", 4, "four births of processes" },
	    { "fork process sharing", 1, "one of a process that shares descriptors" },
	    { "end * last", 6, "each process has one last thread" },
	    { "exit*= *", 11, "each thread exits once" } } },
	{ { "forest", NULL, 127, 127, 0 },
	  { { "getppid = *", 127 * 7, "7 calls of each process" },
	    { "end 0 last", 127, "all are seen to end" } } },
	{ { "exec", NULL, 1, 3, 2 },
	  { { "geteuid = *", 23, "the new program is recorded" },
	    { "execve = 0 *", 2, "and the call that started it" },
	    { "end *", 3, "three threads end" },
	    { "pause unfinished*", 2, "two blocked calls of theirs never return" } } },
	{ { "restart", NULL, 2, 2, 0 },
	  { { "* restarted *", 1, "one call was restarted" },
	    { "read restarted = 1 ", 1, "it is the read, with its result" },
	    { "getegid = *", 3, "the calls of the handler are there" },
	    { "rt_sigreturn = *", 1, "so is its return" },
	    { "signal 14", 1, "so is the signal" } } },
	{ { "eintr", NULL, 2, 2, 0 },
	  { { "read = -4 ", 1, "a read that is not restarted fails with EINTR, once" },
	    { "rt_sigreturn = -4 ", 1, "and so does what leads back to it, as in strace" } } },
	{ { "sleep", NULL, 2, 2, 0 },
	  { { "nanosleep restarted = 0 ", 1, "a sleep that job control stopped is one call" },
	    { "nanosleep = *", 0, "and no other" },
	    { "restart_syscall*", 0, "restart_syscall is folded in" } } },
	{ { "killed", NULL, 2, 2, 1 },
	  { { "end 9 last", 1, "one process was killed" },
	    { "pause unfinished*", 1, "in a call" } } },
	{ { "renamed", "other", 1, 1, 0 },
	  { { "geteuid = *", 23, "the calls of the program asked for" },
	    { "getppid = *", 0, "and of no other" },
	    { "program", 1, "its exec is known" } } },
	{ { "renamed", "recorder", 2, 2, 0 },
	  { { "getppid = *", 33, "a program can be named by its file" },
	    { "geteuid = *", 23, "which both are" } } },
	{ { "leaver", "other", 1, 1, 0 },
	  { { "program", 3, "the programs that took its place" },
	    { "execve = *", 1, "the execve of the first is its own" },
	    { "geteuid*", 0, "the calls of the others are not there" } } },
};

static void test_scenario(const struct scenario *s, const char *path)
{
	const char *name = s->run.name;
	struct trace t = record(name, path, s->run.only);
	const struct source_losses *l = &t.losses;

	ok(!l->lost && !l->lost_unknown && !l->torn_bytes && !l->orphans && !l->unclosed,
	   "%s: nothing lost, torn or unmatched", name);
	cmp_int(t.recording.status, 0, "%s: the program came to its own end", name);
	cmp_int(t.recording.sink.processes, s->run.processes, "%s: processes", name);
	cmp_int(t.recording.sink.threads, s->run.threads, "%s: threads", name);
	cmp_int(l->unfinished, s->run.unfinished, "%s: unfinished calls", name);
	cmp_int(t.recording.sink.losses[LOST_UNKNOWN], 0, "%s: no call is missing", name);
	cmp_int(t.recording.sink.losses[LOST_UNMATCHED], s->run.unfinished,
		"%s: the recorder counts them, too", name);
	for (size_t i = 0; i < 12 && s->want[i].pattern; i++)
		cmp_int(count(&t, s->want[i].pattern), s->want[i].n, "%s: %s", name,
			s->want[i].what);
	trace_free(&t);
}

static void test_scenarios(void)
{
	char dir[] = "/tmp/osvec-recorder.XXXXXX", path[64], self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	if (!ok(mkdtemp(dir) != NULL, "a directory"))
		return;
	snprintf(path, sizeof(path), "%s/other", dir);
	ok(!symlink(self, path), "another name of this program");
	for (size_t i = 0; i < sizeof(scenarios_to_record) / sizeof(*scenarios_to_record); i++)
		test_scenario(&scenarios_to_record[i], path);
	unlink(path);
	rmdir(dir);
}

/* ---- what is more than a count ---- */

/* The number of programs whose execve is not the last call of their process before. */
static int late_execs(const struct trace *t)
{
	int late = 0;

	EACH(e, t)
	{
		const struct event *before = e;

		if (e->type != EVENT_EXEC)
			continue;
		while (before > t->events.v &&
		       (before->type != EVENT_SYSCALL || before->pid != e->pid))
			before--;
		late += !is_call(before, "execve") || before->call.result != 0;
	}
	return late;
}

enum { SECOND = 1000000000 };

static void test_times(void)
{
	struct trace t = record("counts", NULL, NULL);
	struct map ends_of_threads = { 0 };
	int64_t least = INT64_MAX;
	int outside = 0, overlaps = 0, negative = 0, clocks = 0;

	EACH(e, &t)
	{
		outside += e->time < 0 || e->time > t.length;
		if (e->type == EVENT_CLOCK) {
			/* The two clocks drift, and are read one after the other. */
			int64_t start = e->clock.realtime - e->time - t.began;

			clocks++;
			ok(start > -SECOND && start < t.length + SECOND,
			   "what the wall clock shows");
		}
		if (e->type != EVENT_SYSCALL || e->call.flags & (CALL_UNFINISHED | CALL_NO_RESULT))
			continue;
		int64_t end = e->time + e->call.duration;
		uint64_t *before = map_at(&ends_of_threads, e->tid);
		negative += e->call.duration < 0;
		outside += end > t.length;
		overlaps += e->time < (int64_t)*before;
		*before = (uint64_t)end;
	}
	cmp_int(clocks, 2, "the wall clock is read at the start and at the end");
	cmp_int(outside, 0, "all times lie within the recording");
	cmp_int(negative, 0, "no duration is negative");
	cmp_int(overlaps, 0, "the calls of a thread follow each other");
	cmp_int(late_execs(&t), 0, "an execve is a call of the program that made it");
	ok(sum(&t, "user") + sum(&t, "system") > 0, "CPU time is known");
	ok(by_bpf() == !t.recording.call_cost, "recording adds %" PRIu64 " ns to a call",
	   t.recording.call_cost);
	cmp_int(t.call_cost, t.recording.call_cost, "the trace has this cost");
	map_free(&ends_of_threads);
	trace_free(&t);
	t = record("sleep", NULL, NULL);
	const struct event *e = find(&t, "nanosleep", 0);
	ok(e && e->call.duration >= 150000000 && e->call.duration < 20000000000,
	   "a stopped sleep has the time of its parts");
	trace_free(&t);
	t = record("alike", NULL, NULL);
	for (int i = 0; (e = find(&t, "nanosleep", i)); i++)
		least = e->call.duration < least ? e->call.duration : least;
	ok(least >= ALIKE_SLEEP && least < t.length, "no sleep of %d ns is shorter: %" PRId64 " ns",
	   ALIKE_SLEEP, least);
	trace_free(&t);
	t = record("exec", NULL, NULL);
	e = find(&t, "execve", 1);
	ok(e && e->tid == e->pid, "the execve of a thread has the number of its process");
	trace_free(&t);
}

/* What calls have besides their number, whatever its ABI. */
static void test_calls(void)
{
	struct trace t = record("arguments", NULL, NULL);
	int sendto = 0, prctl = 0, opened = 0;

	EACH(e, &t)
	{
		const uint64_t *a = e->call.args;

		if (e->type != EVENT_SYSCALL)
			continue;
		bool five = a[0] == 991 && a[1] == 2 && a[2] == 3 && a[3] == 4 && a[4] == 5;
		sendto += is_call(e, "sendto") && five && a[5] == 6;
		prctl += is_call(e, "prctl") && five && e->call.result == -EINVAL;
		opened +=
		    is_call(e, "openat") && e->call.path && strlen(e->call.path) == LONG_PATH - 1;
	}
	cmp_int(sendto, 1, "a call has all of its six arguments");
	cmp_int(opened, 1, "a path is as long as it was");
	if (t.recording.status == UNSUPPORTED << 8)
		skip("no calls of 32-bit programs", 1);
	else
		cmp_int(prctl, 1, "so has one by the way of 32-bit programs");
	trace_free(&t);
}

/* Nobody is lost, or left stopped, when processes are killed that have just made others. */
static void test_massacre(void)
{
	alarm(1000); /* for ever is a failure */
	struct trace t = record("massacre", NULL, NULL);
	alarm(0);

	cmp_int(count(&t, "end * last"), (int)t.recording.sink.processes, "all processes end");
	trace_free(&t);
}

static void test_descriptors(void)
{
	static const enum fd_kind want[] = {
		FD_DEVICE,  FD_DIRECTORY, FD_FILE, FD_TCP,  FD_UDP,  FD_EPOLL,
		FD_EVENTFD, FD_TIMERFD,	  FD_PIPE, FD_UNIX, FD_UNIX, FD_PIPE,
	};
	int inherited[2], closed = -1;

	if (!ok(!pipe(inherited) && dup2(inherited[0], INHERITED) == INHERITED &&
		    dup2(inherited[1], CLOSED) == CLOSED,
		"a pipe to inherit"))
		return;
	struct trace t = record("descriptors", NULL, NULL);
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		const struct event *e = find(&t, "fsync", (int)i);

		is_string(e ? fd_kind_name(e->call.kind) : NULL, fd_kind_name(want[i]),
			  "descriptor %zu", i);
	}
	EACH(e, &t)
	if (is_call(e, "close") && e->call.args[0] == CLOSED)
		closed = (int)e->call.kind; /* the last: others are of the dynamic linker */
	cmp_int(count(&t, "open* /proc/self/exe"), 1, "a path is read from memory");
	cmp_int(closed, FD_PIPE, "an inherited descriptor is known when it is closed at once");
	const struct event *connect = find(&t, "connect", 0);
	int port = -1;
	EACH(e, &t)
	if (e->type == EVENT_ADDRESS && e->address.remote.length == 16)
		port = e->address.remote.port;
	if (connect && !connect->call.result)
		cmp_int(port, PORT, "the port that a socket of IPv6 is connected with");
	else
		skip("no IPv6 here", 1);
	trace_free(&t);
}

/* Those of the scenario; the timeout ends after the program does, or not at all. */
static void test_operations(const struct trace *t)
{
	const struct event *enter = find(t, "io_uring_enter", 0), *read = NULL;
	unsigned found = 0, timeouts = 0;

	EACH(e, t)
	if (e->type == EVENT_URING) {
		struct event call = syscall_of_uring(e);
		const char *name = syscall_get(call.call.id)->name;

		found++;
		timeouts += !strcmp(name, "io_uring_timeout") &&
			    (!e->uring.complete || e->uring.result < 0);
		read = strcmp(name, "io_uring_read") ? read : e;
		if (!strcmp(name, "io_uring_fsync"))
			cmp_int(e->uring.result, -EBADF, "one of no file fails");
	}
	cmp_int(found, 4, "all operations of an io_uring are there");
	cmp_int(timeouts, 1, "that which did not end, too");
	if (!ok(read && enter, "and the read is, with its call"))
		return;
	cmp_int(read->uring.result, 100, "it has its result");
	cmp_int((int64_t)read->uring.request, 7, "... its user data");
	is_string(fd_kind_name(read->uring.kind), "memfd", "... the kind of its descriptor");
	ok(read->uring.file && read->uring.object && read->uring.object == enter->call.object,
	   "... its file and its ring");
	ok(read->uring.complete && read->uring.duration > 0 && read->time >= enter->time &&
	       event_end(read) <= event_end(enter),
	   "... and a time, within the call that waited for it");
}

static void test_losses(void)
{
	struct trace t = record("untraced", NULL, NULL);
	const uint64_t *losses = t.recording.sink.losses;

	if (by_bpf()) {
		ok(count(&t, "getpgid*") > 0, "CLONE_UNTRACED hides nothing from the kernel");
	} else {
		cmp_int(losses[LOST_UNTRACED_CHILD], 1, "a child that cannot be traced is counted");
		ok(t.losses.lost_unknown && !t.losses.lost,
		   "an unknown number of its calls is missing");
		cmp_near(sum(&t, "untraced_children"), 1, 0, "the trace has this number");
		cmp_int(t.losses.noted[LOST_UNTRACED_CHILD], 1, "and its readers");
		cmp_int(count(&t, "getpgid*"), 0, "none of its calls is there");
	}
	cmp_int(losses[LOST_UNREADABLE], 0, "a bad address is no loss");
	cmp_int(losses[LOST_UNSEEN] + losses[LOST_POLLED], 0, "there is no io_uring");
	is_string(loss_text(LOST_UNTRACED_CHILD, 1), "child not traceable", "one loss has a name");
	trace_free(&t);
	t = record("io_uring", NULL, NULL);
	if (t.recording.status == UNSUPPORTED << 8)
		skip("no io_uring", 1);
	else if (by_bpf() && !t.recording.sink.losses[LOST_UNSEEN])
		test_operations(&t);
	else
		cmp_int(t.recording.sink.losses[LOST_UNSEEN], 4,
			"operations of an io_uring are counted");
	trace_free(&t);
}

/* Calls that are alike are few events, which have all of their time and bytes. */
static void test_aggregate(void)
{
	/* The first, the shortest, the longest, and two of each class of durations. */
	enum { EVENTS_MAX = 3 + 2 * RECORD_TIMES };
	struct trace t = record("alike", NULL, NULL);
	uint64_t written = 0, failed = 0, events = 0, kept = 0;
	double slept = 0;

	EACH(e, &t)
	{
		if (is_call(e, "write") && e->call.kind == FD_DEVICE)
			written += event_calls(e) * (uint64_t)e->call.result;
		if (is_call(e, "write") && event_failed(e)) {
			failed += event_calls(e);
			events++;
			cmp_int(e->call.result, -EBADF, "each with its error");
		}
		kept += is_call(e, "pwrite64");
		if (is_call(e, "nanosleep")) {
			slept += (double)event_calls(e) * (double)e->call.duration;
			ok(e->call.duration >= ALIKE_SLEEP, "a sleep is as long as that");
		}
	}
	cmp_int(count(&t, "write = *"), 3 * ALIKE, "calls of all sizes are counted");
	cmp_int(count(&t, "read = -11 "), ALIKE, "of those that fail in turn with others");
	cmp_int(written, ALIKE * (ALIKE + 1) / 2, "with all their bytes");
	cmp_int(failed, ALIKE, "those that failed");
	ok(events <= EVENTS_MAX, "%" PRIu64 " events stand for them", events);
	cmp_int(count(&t, "nanosleep = 0 "), 20, "sleeps");
	ok(slept >= 20.0 * ALIKE_SLEEP && slept <= (double)t.length, "which lasted %.0f us",
	   slept * 1e-3);
	cmp_int(kept, 100, "writes to a file are events of their own: their order matters");
	cmp_int(late_execs(&t), 0, "calls that were counted come before the next program");
	trace_free(&t);
}

static int64_t calls_in(const struct trace *t)
{
	uint64_t n = 0;

	EACH(e, t)
	n += e->type == EVENT_SYSCALL ? event_calls(e) : 0;
	return (int64_t)n;
}

/* What is lost is counted, in its recording alone, and each call that is missing. */
static void test_stall(void)
{
	struct trace t = record_and("flood", NULL, NULL, true);
	uint64_t lost = t.recording.sink.losses[LOST_RING_FULL];
	uint64_t missing = t.recording.sink.losses[LOST_UNKNOWN];
	int64_t calls = calls_in(&t) + (int64_t)missing;

	ok(lost > 0 && t.losses.lost == lost, "%" PRIu64 " records are lost of a flood", lost);
	ok(missing > 0 && missing <= lost, "%" PRIu64 " calls among them", missing);
	cmp_int((int64_t)t.losses.noted[LOST_UNKNOWN], (int64_t)missing, "the trace says so");
	trace_free(&t);
	t = record("leaf", NULL, NULL);
	cmp_int(t.recording.sink.losses[LOST_RING_FULL], 0, "and none of what comes after it");
	cmp_int(calls - FLOOD, calls_in(&t) - LEAF,
		"with those that are missing a flood has all of its calls");
	trace_free(&t);
}

/* Files are told apart, although one takes the number and the memory of another. */
static void test_reused(void)
{
	struct trace t = record("reused", NULL, NULL);
	int reads[FD_KINDS] = { 0 };
	struct names pipes = { 0 };

	EACH(e, &t)
	{
		if (is_call(e, "read"))
			reads[e->call.kind] += (int)event_calls(e);
		if (e->type == EVENT_FD && strstr(e->fd.name, "pipe:["))
			names_add(&pipes, e->fd.name);
	}
	cmp_int(t.recording.status, 0, "the files follow each other");
	cmp_int(reads[FD_EVENTFD], ALIKE, "reads of an eventfd");
	cmp_int(reads[FD_TIMERFD], ALIKE, "... of a timerfd that follows it");
	cmp_int(reads[FD_PIPE], 2 * ALIKE, "... of pipes");
	if (!aggregate)
		cmp_int((int)pipes.n, 2 * ALIKE, "each of which is another");
	names_free(&pipes);
	trace_free(&t);
}

/* The page faults of each kind in what mmap(2) gave of that length. */
static char *faults_in(const struct trace *t, uint64_t length)
{
	unsigned n[FAULT_KINDS] = { 0 };
	uint64_t from = 0;

	EACH(e, t)
	if (is_call(e, "mmap") && e->call.args[1] == length)
		from = (uint64_t)e->call.result;
	EACH(e, t)
	if (e->type == EVENT_FAULT && e->fault.address - from < length)
		n[e->fault.kind]++;
	return xasprintf("read %u, write %u, execute %u, copy %u, unknown %u", n[FAULT_READ],
			 n[FAULT_WRITE], n[FAULT_EXECUTE], n[FAULT_COPY], n[FAULT_UNKNOWN]);
}

static void test_faults(void)
{
	const struct {
		uint64_t length;
		char *expected;
	} areas[] = {
		{ TO_READ * (uint64_t)sysconf(_SC_PAGESIZE),
		  xasprintf("read %d, write 0, execute 0, copy 0, unknown 0", TO_READ) },
		{ TO_WRITE * (uint64_t)sysconf(_SC_PAGESIZE),
		  xasprintf("read 0, write %d, execute 0, copy %d, unknown 0", TO_WRITE,
			    TO_WRITE) },
		{ TO_RUN * WINDOW,
		  xasprintf("read 0, write 0, execute %d, copy 0, unknown 0", TO_RUN) },
	};
	struct trace t = record("touches", NULL, NULL);
	int faults = 0;

	EACH(e, &t) faults += e->type == EVENT_FAULT;
	for (size_t i = 0; i < sizeof(areas) / sizeof(*areas); i++) {
		char *got = faults_in(&t, areas[i].length);

		if (!faults || t.losses.lost)
			skip(faults ? "records were lost" : "this kernel does not say page faults",
			     1);
		else
			is_string(got, areas[i].expected, "page faults by kind");
		free(got);
		free(areas[i].expected);
	}
	trace_free(&t);
}

/* What only the kernel sees: why a thread did not run. */
static void test_kernel(void)
{
	struct trace t = record("alike", NULL, NULL);
	int sleeping = 0;

	EACH(e, &t)
	sleeping += e->type == EVENT_SWITCH && e->change.out && e->change.state == STATE_SLEEPING;
	ok(sleeping > 0, "who sleeps is said to: %d times", sleeping);
	trace_free(&t);
	t = record("woken", NULL, NULL);
	int woken[WAKE_CONTEXTS] = { 0 };
	pid_t sleeper = 0;
	EACH(e, &t)
	if (is_call(e, "recvfrom"))
		sleeper = (pid_t)e->tid;
	EACH(e, &t)
	if (e->type == EVENT_WAKE && (pid_t)e->wake.target == sleeper)
		woken[e->wake.context]++;
	if (t.recording.status == UNSUPPORTED << 8)
		skip("no loopback network", 1);
	else
		ok(woken[WAKE_THREAD] >= WAKES / 2 && woken[WAKE_SOFTIRQ] >= WAKES / 2 &&
		       woken[WAKE_INTERRUPT] > 0,
		   "a thread is woken by a thread, softirqs and interrupts: %d, %d, %d times",
		   woken[WAKE_THREAD], woken[WAKE_SOFTIRQ], woken[WAKE_INTERRUPT]);
	trace_free(&t);
}

/* How many threads run or want to, this one among them. */
static int running(void)
{
	char text[64] = "";
	int n = 0, fd = open("/proc/loadavg", O_RDONLY);

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
		sscanf(text, "%*f %*f %*f %d/", &n);
	close(fd);
	return n;
}

/* A thread wakes another one WAKES times through a pipe, and as often through the network. */
static void test_wakeups(void)
{
	static const char *const scenarios[] = { "woken", "woken_later" };
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	for (size_t i = 0; i < 2; i++) {
		const bool alone = running() <= 1;
		struct trace t = record(scenarios[i], NULL, NULL);
		const double n = sum(&t, "wakeups");

		if (t.recording.status == UNSUPPORTED << 8 || CPU_COUNT(&all) < 2)
			skip("no loopback network, or one CPU", 1);
		else if (n < WAKES && !(alone && running() <= 1))
			skip("other programs have the CPUs", 1);
		else
			ok(n >= WAKES && n <= 2 * WAKES + 5, "%s: an idle CPU is woken %g times",
			   scenarios[i], n);
		trace_free(&t);
	}
	sched_setaffinity(0, sizeof(one), &one);
	struct trace t = record("woken", NULL, NULL);
	sched_setaffinity(0, sizeof(all), &all);
	if (t.recording.status == UNSUPPORTED << 8)
		skip("no loopback network", 1);
	else
		cmp_near(sum(&t, "wakeups"), 0, 0, "on its own CPU there is none to wake");
	trace_free(&t);
}

/* What processes used, however they and their programs end. */
static void test_usage(void)
{
	struct trace t = record("faults", NULL, NULL);
	double all = sum(&t, "minor_faults");

	ok(all >= 2 * PAGES && all < 2.9 * PAGES && sum(&t, "user") + sum(&t, "system") > 0,
	   "exit(2) and exec: %.0f faults, each counted once", all);
	trace_free(&t);
	t = record("computes", NULL, NULL);
	ok(sum(&t, "system") < sum(&t, "user"), "who computes does not use system time");
	trace_free(&t);
	t = record("suicide", NULL, NULL);
	cmp_int(t.recording.status, SIGKILL, "a process that is killed");
	ok(sum(&t, "minor_faults") > 0 && sum(&t, "user") + sum(&t, "system") > 0,
	   "its usage is known");
	trace_free(&t);
}

/* What /proc says of the owners of a process that has ended is no sign of a set-user-ID program. */
static void test_owners(void)
{
	int hold[2];
	char c;

	if (geteuid() || pipe(hold)) {
		skip("not root: cannot become another user", 2);
		return;
	}
	pid_t child = fork();
	if (!child) {
		close(hold[1]);
		_exit(setuid(65534) || read(hold[0], &c, 1));
	}
	close(hold[0]);
	for (int i = 0; i < 1000 && !program_is_foreign(child); i++)
		usleep(1000);
	ok(program_is_foreign(child), "a process that changed its user is not seen by perf");
	close(hold[1]);
	waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT);
	ok(!program_is_foreign(child), "of one that has ended nothing is said");
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	static const struct backend *const all[] = { &ptrace_backend, &bpf_backend };

	argument = argc > 2 ? argv[2] : NULL;
	if (argc > 1)
		tracee(argv[1]);
	test_owners();
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct error reason;

		backend = all[i]->name;
		if (all[i]->probe(&reason)) {
			skip(reason.text, 1);
			continue;
		}
		diag(backend);
		test_scenarios();
		test_times();
		test_calls();
		test_massacre();
		test_descriptors();
		test_losses();
		test_usage();
		if (!by_bpf())
			continue;
		test_kernel();
		test_wakeups();
		test_faults();
		test_reused();
		test_stall();
		diag("bpf, counting");
		aggregate = true;
		test_scenarios();
		test_aggregate();
		test_reused();
		aggregate = false;
	}
	return done_testing();
}
