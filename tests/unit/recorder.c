/* SPDX-License-Identifier: MIT */
/*
 * Tests of recording by ptrace: this program starts itself again as a tracee that makes known numbers of calls, which the
 * trace must hold exactly.
 */
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/program.h"
#include "record/ptrace/tracer.h"
#include "trace/source.h"
#include "util/file.h"
#include "util/map.h"
#include "util/shell.h"
#include "util/vec.h"

#include "../tap.h"

/* ---- tracees: an exit status above 90 says that one did not work as meant ---- */

enum { PAGES = 1009, JUMPS = 7, INHERITED = 3, CLOSED = 4, UNSUPPORTED = 77 };

static const char *argument;

static void repeat(long call, int n)
{
	while (n--)
		syscall(call, 0, 0, 0);
}

static void wait_for_all(void)
{
	while (wait(NULL) > 0)
		;
}

/* Returns when a thread sleeps in a call. */
static void wait_until_asleep(pid_t pid, pid_t tid)
{
	char path[64], line[256] = "";

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	for (const char *p = NULL; !p || strncmp(p, ") S", 3); p = strrchr(line, ')')) {
		usleep(1000);
		file_first_line(path, line, sizeof(line));
	}
}

static _Noreturn void become(const char *scenario)
{
	execl("/proc/self/exe", "recorder", scenario, NULL);
	_exit(99);
}

static void *thread_of_counts(void *arg)
{
	(void)arg;
	repeat(SYS_getuid, 17);
	return NULL;
}

/* 1 + 3 + 1 + 1 processes, 1 + 5 threads in the first. */
static void counts(void)
{
	pthread_t threads[5];

	repeat(SYS_getppid, 101);
	for (int i = 0; i < 3; i++)
		if (!fork()) {
			repeat(SYS_getpgid, 13);
			_exit(i);
		}
	for (int i = 0; i < 5; i++)
		pthread_create(&threads[i], NULL, thread_of_counts, NULL);
	for (int i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	if (!vfork())
		become("leaf");
	if (!syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0)) {
		repeat(SYS_getgid, 19);
		_exit(0);
	}
	wait_for_all();
}

static void leaf(void)
{
	repeat(SYS_geteuid, 23);
}

/* A tree of forks of that depth; every process makes 7 calls. */
static void grow(int depth)
{
	for (int i = 0; i < 2 && depth; i++)
		if (!fork()) {
			grow(depth - 1);
			_exit(0);
		}
	repeat(SYS_getppid, 7);
	wait_for_all();
}

static void forest(void)
{
	grow(6);
}

static _Atomic pid_t blocked;

static void *thread_that_blocks(void *arg)
{
	(void)arg;
	blocked = (pid_t)syscall(SYS_gettid);
	pause();
	return NULL;
}

static void *thread_that_execs(void *arg)
{
	(void)arg;
	while (!blocked)
		usleep(1000);
	wait_until_asleep(getpid(), blocked);
	wait_until_asleep(getpid(), getpid());
	become("leaf");
}

static void exec_from_thread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread_that_blocks, NULL);
	pthread_create(&t, NULL, thread_that_execs, NULL);
	for (;;)
		pause();
}

static int ends[2]; /* of a pipe */
static sigjmp_buf before_read;

/* Catches SIGALRM, which a child sends that many times while this process sleeps in a call. */
static void alarm_asleep(void (*handler)(int), int flags, int times)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	pid_t self = getpid();

	if (pipe(ends))
		_exit(97);
	sigaction(SIGALRM, &action, NULL);
	if (fork())
		return;
	while (times--) {
		wait_until_asleep(self, self);
		kill(self, SIGALRM);
	}
	_exit(0);
}

static void on_alarm(int number)
{
	(void)number;
	repeat(SYS_getegid, 3);
	if (write(ends[1], "x", 1) != 1)
		_exit(98);
}

/* A read that a handler interrupts and the kernel restarts. */
static void restarted(void)
{
	char c;

	alarm_asleep(on_alarm, SA_RESTART, 1);
	if (read(ends[0], &c, 1) != 1)
		_exit(96);
}

static void not_restarted(void)
{
	char c;

	alarm_asleep(on_alarm, 0, 1);
	if (read(ends[0], &c, 1) != -1 || errno != EINTR)
		_exit(96);
}

static void on_alarm_jump(int number)
{
	(void)number;
	siglongjmp(before_read, 1);
}

/* Reads that would be restarted if their handler returned. */
static void jumps(void)
{
	static volatile int n;
	char c;
	struct iovec v = { &c, 1 };

	alarm_asleep(on_alarm_jump, SA_RESTART, JUMPS);
	if (sigsetjmp(before_read, 1) && ++n == JUMPS && write(ends[1], "x", 1) != 1)
		_exit(98);
	if (readv(ends[0], &v, 1) != 1)
		_exit(96);
}

/* A sleep that SIGSTOP and SIGCONT interrupt goes on as restart_syscall. */
static void stopped_sleep(void)
{
	struct timespec t = { 0, 200000000 };
	pid_t self = getpid();

	if (!fork()) {
		wait_until_asleep(self, self);
		kill(self, SIGSTOP);
		usleep(20000);
		kill(self, SIGCONT);
		_exit(0);
	}
	syscall(SYS_nanosleep, &t, NULL);
	wait_for_all();
}

static void killed(void)
{
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	wait_until_asleep(child, child);
	kill(child, SIGKILL);
	wait_for_all();
}

/* One fsync of each kind of descriptor: most fail, which does not matter. */
static void descriptors(void)
{
	int pair[2], pipes[2];

	fsync(open("/dev/null", O_RDONLY));
	fsync(open("/", O_RDONLY | O_DIRECTORY));
	fsync(open("/proc/self/exe", O_RDONLY));
	fsync(socket(AF_INET, SOCK_STREAM, 0));
	fsync(socket(AF_INET, SOCK_DGRAM, 0));
	fsync(epoll_create1(0));
	fsync(eventfd(0, 0));
	fsync(timerfd_create(CLOCK_MONOTONIC, 0));
	if (pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		_exit(95);
	fsync(pipes[1]);
	fsync(pair[1]);
	fsync(dup(pair[0]));
	fsync(INHERITED);
	close(CLOSED); /* its first use */
}

/* A child that no tracer follows, and a path that is not there. */
static void untraced(void)
{
	if (!syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0)) {
		repeat(SYS_getpgid, 5);
		_exit(0);
	}
	syscall(SYS_access, 1, 0);
	wait_for_all();
}

/* Submits one operation, of which no system call tells. */
static void io_uring(void)
{
	struct io_uring_params p = { 0 };
	long ring = syscall(SYS_io_uring_setup, 1, &p);
	char *queue = ring < 0 ? MAP_FAILED
			       : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, (int)ring,
				      IORING_OFF_SQ_RING);

	if (queue == MAP_FAILED)
		_exit(UNSUPPORTED);
	__atomic_store_n((uint32_t *)(void *)(queue + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0) != 1)
		_exit(UNSUPPORTED);
}

static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p =
	    mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		p[i * page] = 1;
}

static void exits(void)
{
	touch_pages();
	syscall(SYS_exit, 0);
}

/* Its child has many page faults, and it waits for it. */
static void waiter(void)
{
	if (!fork()) {
		touch_pages();
		_exit(0);
	}
	wait(NULL);
}

static void be_killed(void)
{
	kill(getpid(), SIGKILL);
}

/* Runs that scenario in a child under another name. */
static void rename_child(const char *scenario)
{
	if (!fork()) {
		repeat(SYS_getppid, 11);
		execl(argument, "other", scenario, NULL);
		_exit(94);
	}
	wait_for_all();
}

static void renamed(void)
{
	repeat(SYS_getppid, 11);
	rename_child("leaf");
	repeat(SYS_getppid, 11);
}

/* A child under another name, which becomes a program of the old name and then another one. */
static void leaver(void)
{
	rename_child("leaving");
}

static void leaving(void)
{
	touch_pages();
	become("left");
}

static void left(void)
{
	become("leaf");
}

static volatile sig_atomic_t enough;

static void on_term(int number)
{
	(void)number;
	enough = 1;
}

static void *thread_that_runs(void *arg)
{
	(void)arg;
	while (!enough)
		repeat(SYS_getuid, 1);
	return NULL;
}

/* Runs until SIGTERM, letting a file grow; exit status 42 says that it came to its own end. */
static void runner(void)
{
	int progress = argument ? open(argument, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
	pthread_t t;

	signal(SIGTERM, on_term);
	pthread_create(&t, NULL, thread_that_runs, NULL);
	while (!enough) {
		repeat(SYS_getppid, 1);
		if (argument && write(progress, ".", 1) != 1)
			_exit(93);
		usleep(1000);
	}
	pthread_join(t, NULL);
	_exit(42);
}

static _Noreturn void tracee(const char *scenario)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} scenarios[] = {
		{ "counts", counts },	  { "leaf", leaf },
		{ "forest", forest },	  { "exec", exec_from_thread },
		{ "restart", restarted }, { "eintr", not_restarted },
		{ "jumps", jumps },	  { "sleep", stopped_sleep },
		{ "killed", killed },	  { "descriptors", descriptors },
		{ "untraced", untraced }, { "io_uring", io_uring },
		{ "exits", exits },	  { "waiter", waiter },
		{ "suicide", be_killed }, { "renamed", renamed },
		{ "leaver", leaver },	  { "leaving", leaving },
		{ "left", left },	  { "runner", runner },
	};

	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
		if (!strcmp(scenario, scenarios[i].name)) {
			scenarios[i].run();
			_exit(0); /* leak checkers cannot work under ptrace */
		}
	_exit(92);
}

/* ---- traces ---- */

struct trace {
	VEC(struct event) events;
	struct names strings; /* of the events */
	struct source_losses losses;
	struct recording recording;
	uint64_t call_cost; /* in the file */
	int64_t length;	    /* ns from start to end of the recording */
};

#define EACH(e, t) \
	for (const struct event *e = (t)->events.v; e < (t)->events.v + (t)->events.n; e++)

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

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

static struct trace record(const char *scenario, const char *path, const char *only)
{
	const char *const argv[] = { "recorder", scenario, path, NULL };
	const struct record_target target = {
		.path = "/proc/self/exe",
		.argv = (char *const *)(uintptr_t)argv,
		.only = &only,
		.nonly = only != NULL,
	};
	int fd = memfd_create("trace", MFD_CLOEXEC), more;
	struct trace t = { 0 };
	struct error e;
	int64_t start = now();

	if (record_start(&t.recording, fd, &target, &e))
		skip_all(e.text);
	while ((more = record_poll(&t.recording, &e)) > 0)
		;
	ok(!more && !record_end(&t.recording, &e), "%s is recorded", scenario);
	t.length = now() - start;
	read_trace(fd, &t);
	close(fd);
	return t;
}

/* The same of a program that came to its own end, with nothing lost. */
static struct trace record_whole(const char *scenario, const char *path, const char *only)
{
	struct trace t = record(scenario, path, only);
	const struct source_losses *l = &t.losses;

	ok(!l->lost && !l->lost_unknown && !l->torn_bytes && !l->orphans && !l->unclosed,
	   "%s: nothing lost, torn or unmatched", scenario);
	cmp_int(t.recording.status, 0, "%s: the program came to its own end", scenario);
	cmp_int(t.recording.sink.losses[LOSS_UNFINISHED], l->unfinished,
		"%s: the recorder has counted the unfinished calls", scenario);
	return t;
}

static bool is_call(const struct event *e, const char *name)
{
	return e->type == EVENT_SYSCALL && e->call.id == syscall_by_name(name);
}

/* The number of finished calls of that name. */
static int count(const struct trace *t, const char *name)
{
	int n = 0;

	EACH(e, t)
	n += is_call(e, name) && !(e->call.flags & CALL_UNFINISHED);
	return n;
}

static int count_type(const struct trace *t, enum event_type type)
{
	int n = 0;

	EACH(e, t)
	n += e->type == type;
	return n;
}

static int count_restarted(const struct trace *t)
{
	int n = 0;

	EACH(e, t)
	n += e->type == EVENT_SYSCALL && e->call.flags & CALL_RESTARTED;
	return n;
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

/* ---- tests ---- */

static void test_counts(void)
{
	static const struct {
		const char *call;
		int n;
		const char *what;
	} want[] = {
		{ "getppid", 101, "101 calls of the first thread" },
		{ "getuid", 5 * 17, "17 calls in each of 5 threads" },
		{ "getpgid", 3 * 13, "13 calls in each of 3 forked processes" },
		{ "getgid", 19, "19 calls in a process made by clone" },
		{ "geteuid", 23, "23 calls in a program after vfork" },
		{ "execve", 2, "two execve" },
	};
	struct trace t = record_whole("counts", NULL, NULL);
	int last = 0, threads = 0, sharing = 0;

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
		cmp_int(count(&t, want[i].call), want[i].n, "%s", want[i].what);
	cmp_int(t.losses.unfinished, 0, "no call is left open");
	cmp_int(count_type(&t, EVENT_EXEC), 2, "two programs");
	cmp_int(late_execs(&t), 0, "an execve is a call of the program that made it");
	cmp_int(count_type(&t, EVENT_FORK), 3 + 5 + 1 + 1, "ten births");
	cmp_int(count_type(&t, EVENT_EXIT), 1 + 3 + 5 + 1 + 1, "eleven deaths");
	cmp_int(t.recording.sink.processes, 6, "six processes");
	cmp_int(t.recording.sink.threads, 11, "eleven threads");
	EACH(e, &t)
	{
		last += e->type == EVENT_EXIT && e->exit.last;
		threads += e->type == EVENT_FORK && e->fork.child_pid == e->pid;
		sharing += e->type == EVENT_FORK && e->fork.shares_files;
	}
	cmp_int(last, 6, "each process has one last thread");
	cmp_int(threads, 5, "five of the births are threads");
	cmp_int(sharing, 1, "one child shares descriptors");
	cmp_int(count(&t, "exit") + count(&t, "exit_group"), 11, "each thread exits once");
	ok(sum(&t, "user") + sum(&t, "system") > 0, "their CPU time is known");
	trace_free(&t);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The recorder says what it adds to a call: nearly all of what a null call takes. */
static void check_cost(const struct trace *t)
{
	VEC(int64_t) durations = { 0 };

	EACH(e, t)
	if (is_call(e, "getppid"))
		vec_push(&durations, e->call.duration);
	qsort(durations.v, durations.n, sizeof(*durations.v), compare);
	double median = (double)durations.v[durations.n / 2], cost = (double)t->recording.call_cost;
	ok(cost > median / 4 && cost < median * 4,
	   "recording adds %.0f ns to a call, of the %.0f ns recorded of a null call", cost,
	   median);
	cmp_int(t->call_cost, t->recording.call_cost, "the trace has this cost");
	vec_free(&durations);
}

static void test_times(void)
{
	struct trace t = record("counts", NULL, NULL);
	struct map ends_of_threads = { 0 };
	int outside = 0, overlaps = 0, negative = 0;

	EACH(e, &t)
	{
		outside += e->time < 0 || e->time > t.length;
		if (e->type != EVENT_SYSCALL || e->call.flags & (CALL_UNFINISHED | CALL_NO_RESULT))
			continue;
		int64_t end = e->time + e->call.duration;
		uint64_t *before = map_at(&ends_of_threads, e->tid);
		negative += e->call.duration < 0;
		outside += end > t.length;
		overlaps += e->time < (int64_t)*before;
		*before = (uint64_t)end;
	}
	cmp_int(outside, 0, "all times lie within the recording");
	cmp_int(negative, 0, "no duration is negative");
	cmp_int(overlaps, 0, "the calls of a thread follow each other");
	check_cost(&t);
	map_free(&ends_of_threads);
	trace_free(&t);
}

static void test_forest(void)
{
	struct trace t = record_whole("forest", NULL, NULL);

	cmp_int(t.recording.sink.processes, 127, "127 processes of a tree of forks");
	cmp_int(count(&t, "getppid"), 127 * 7, "7 calls of each");
	cmp_int(count_type(&t, EVENT_EXIT), 127, "all are seen to end");
	trace_free(&t);
}

static void test_exec_from_thread(void)
{
	struct trace t = record_whole("exec", NULL, NULL);
	const struct event *e = find(&t, "execve", 1);

	cmp_int(count(&t, "geteuid"), 23, "the new program is recorded");
	cmp_int(count(&t, "execve"), 2, "and the call that started it");
	ok(e && e->tid == e->pid && e->call.result == 0, "under the number of the process");
	cmp_int(count_type(&t, EVENT_EXIT), 3, "three threads end");
	cmp_int(t.losses.unfinished, 2, "two blocked calls of theirs never return");
	trace_free(&t);
}

static void test_restart(void)
{
	struct trace t = record_whole("restart", NULL, NULL);
	int folded = 0, alarms = 0, interrupted = 0;

	EACH(e, &t)
	{
		folded +=
		    is_call(e, "read") && e->call.flags & CALL_RESTARTED && e->call.result == 1;
		alarms += e->type == EVENT_SIGNAL && e->signal.signal == SIGALRM;
	}
	cmp_int(count_restarted(&t), 1, "one call was restarted");
	cmp_int(folded, 1, "it is the read, with its result");
	cmp_int(count(&t, "getegid"), 3, "the calls of the handler are there");
	cmp_int(count(&t, "rt_sigreturn"), 1, "so is its return");
	cmp_int(alarms, 1, "so is the signal");
	trace_free(&t);

	t = record_whole("eintr", NULL, NULL);
	EACH(e, &t)
	interrupted += is_call(e, "read") && e->call.result == -EINTR;
	cmp_int(interrupted, 1, "a read that is not restarted fails with EINTR, once");
	trace_free(&t);

	t = record_whole("jumps", NULL, NULL);
	interrupted = 0;
	EACH(e, &t)
	interrupted += is_call(e, "readv") && e->call.result == -EINTR;
	cmp_int(interrupted, JUMPS, "a read left by siglongjmp is a call of its own");
	cmp_int(count(&t, "readv"), JUMPS + 1, "so is the one after the last");
	cmp_int(count_restarted(&t), 0, "none of them was restarted");
	trace_free(&t);

	t = record_whole("sleep", NULL, NULL);
	const struct event *e = find(&t, "nanosleep", 0);
	ok(e && e->call.flags & CALL_RESTARTED && e->call.result == 0 &&
	       e->call.duration >= 150000000,
	   "a sleep that job control stopped is one call");
	cmp_int(count(&t, "nanosleep"), 1, "and no other");
	cmp_int(count(&t, "restart_syscall"), 0, "restart_syscall is folded in");
	trace_free(&t);
}

static void test_killed(void)
{
	struct trace t = record_whole("killed", NULL, NULL);
	int by_signal = 0;

	EACH(e, &t)
	by_signal += e->type == EVENT_EXIT && WIFSIGNALED(e->exit.status) &&
		     WTERMSIG(e->exit.status) == SIGKILL;
	cmp_int(by_signal, 1, "one process was killed");
	cmp_int(t.losses.unfinished, 1, "the call it was in is unfinished");
	trace_free(&t);
}

static void test_descriptors(void)
{
	static const enum fd_kind want[] = {
		FD_DEVICE,  FD_DIRECTORY, FD_FILE, FD_TCP,  FD_UDP,  FD_EPOLL,
		FD_EVENTFD, FD_TIMERFD,	  FD_PIPE, FD_UNIX, FD_UNIX, FD_PIPE,
	};
	int inherited[2], closed = -1;
	bool path = false;

	if (pipe(inherited) || dup2(inherited[0], INHERITED) < 0 ||
	    dup2(inherited[1], CLOSED) < 0) {
		fail("pipe");
		return;
	}
	struct trace t = record_whole("descriptors", NULL, NULL);
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		const struct event *e = find(&t, "fsync", (int)i);

		is_string(e ? fd_kind_name(e->call.kind) : NULL, fd_kind_name(want[i]),
			  "descriptor %zu", i);
	}
	EACH(e, &t)
	{
		path |= e->type == EVENT_SYSCALL && e->call.path &&
			!strcmp(e->call.path, "/proc/self/exe");
		if (is_call(e, "close") && e->call.args[0] == CLOSED)
			closed = (int)e->call.kind; /* the last: others are of the dynamic linker */
	}
	ok(path, "a path is read from memory");
	cmp_int(closed, FD_PIPE, "an inherited descriptor is known when it is closed at once");
	trace_free(&t);
}

static void test_losses(void)
{
	struct trace t = record("untraced", NULL, NULL);
	const uint64_t *losses = t.recording.sink.losses;

	cmp_int(losses[LOSS_UNTRACED], 1, "a child that cannot be traced is counted");
	ok(t.losses.lost_unknown && !t.losses.lost, "an unknown number of its calls is missing");
	cmp_int(count(&t, "getpgid"), 0, "none of its calls is there");
	cmp_int(losses[LOSS_MEMORY], 0, "a bad address is no loss");
	cmp_int(losses[LOSS_IO_URING] + losses[LOSS_POLLED], 0, "there is no io_uring");
	is_string(loss_text(LOSS_UNTRACED, 1), "child not traceable", "one loss has a name");
	trace_free(&t);
	t = record("io_uring", NULL, NULL);
	if (t.recording.status == UNSUPPORTED << 8)
		skip("no io_uring", 1);
	else
		cmp_int(t.recording.sink.losses[LOSS_IO_URING], 1,
			"operations of an io_uring are counted");
	trace_free(&t);
}

static void test_only(void)
{
	char dir[] = "/tmp/osvec-recorder.XXXXXX", path[64], self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int programs = 0, foreign = 0;

	if (!mkdtemp(dir) || n < 0) {
		fail("mkdtemp");
		return;
	}
	self[n] = '\0';
	snprintf(path, sizeof(path), "%s/other", dir);
	if (symlink(self, path))
		fail("symlink");
	struct trace t = record_whole("renamed", path, "other");
	cmp_int(count(&t, "geteuid"), 23, "the calls of the program asked for");
	cmp_int(count(&t, "getppid"), 0, "and of no other");
	cmp_int(t.recording.sink.processes, 1, "one process is recorded");
	cmp_int(count_type(&t, EVENT_EXEC), 1, "its exec is known");
	trace_free(&t);
	t = record("renamed", path, "recorder");
	cmp_int(count(&t, "getppid"), 33, "a program can be named by its file");
	cmp_int(count(&t, "geteuid"), 23, "which both are");
	trace_free(&t);
	t = record_whole("leaver", path, "other");
	EACH(e, &t)
	{
		programs += e->type == EVENT_EXEC;
		foreign += e->type == EVENT_SYSCALL && programs > 1;
	}
	cmp_int(programs, 3, "the programs that took its place");
	cmp_int(foreign, 0, "none of their calls");
	cmp_int(count(&t, "execve"), 1, "the execve of the first is its own");
	ok(sum(&t, "minor_faults") >= PAGES, "what it used is known: %.0f faults",
	   sum(&t, "minor_faults"));
	trace_free(&t);
	unlink(path);
	rmdir(dir);
}

/* What a process used, however it ends. */
static void test_usage(void)
{
	struct trace t = record("exits", NULL, NULL);
	double alone = sum(&t, "minor_faults");

	ok(alone >= PAGES && sum(&t, "user") + sum(&t, "system") > 0,
	   "exit(2) of the only thread: %.0f faults", alone);
	trace_free(&t);
	t = record("waiter", NULL, NULL);
	double all = sum(&t, "minor_faults");
	ok(all >= PAGES && all < alone + PAGES / 2.0,
	   "faults of a child that is waited for: %.0f in all, counted once", all);
	trace_free(&t);
	t = record("suicide", NULL, NULL);
	cmp_int(t.recording.status, SIGKILL, "a process that is killed");
	ok(isnan(sum(&t, "user")) && isnan(sum(&t, "minor_faults")), "its usage is unknown");
	trace_free(&t);
}

/* Starts a process of two threads and attaches to it; NULL when that is forbidden. */
static struct tracer *attach(pid_t *pid, bool stopped, unsigned tests)
{
	struct tracer *t = tracer_new(&(struct tracer_options){ .calls = true });
	char path[32], *status = NULL;
	struct error e;
	size_t n;

	if (!(*pid = fork()))
		become("runner");
	snprintf(path, sizeof(path), "/proc/%d/status", *pid);
	do {
		free(status);
		usleep(5000);
		status = file_read(path, 1 << 16, &n, NULL);
	} while (status && !strstr(status, "\nThreads:\t2\n"));
	free(status);
	if (stopped) {
		kill(*pid, SIGSTOP);
		waitpid(*pid, NULL, WUNTRACED);
	}
	if (!tracer_attach(t, *pid, &e))
		return t;
	kill(*pid, SIGKILL);
	waitpid(*pid, NULL, 0);
	tracer_free(t);
	skip(e.text, tests);
	return NULL;
}

/* Lets go of the process, which must not notice. */
static void check_detach(struct tracer *t, pid_t pid)
{
	int status;

	tracer_detach(t);
	cmp_int(tracer_threads(t), 0, "nobody is left");
	tracer_free(t);
	usleep(20000);
	kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	cmp_int(status, 42 << 8, "the process went on to its own end");
}

static void test_attach(void)
{
	int seen[2] = { 0 }, first = 0;
	struct stop stop;
	pid_t pid;
	struct tracer *t = attach(&pid, false, 5);

	if (!t)
		return;
	cmp_int(tracer_threads(t), 2, "both threads are followed");
	for (int i = 0; i < 5000 && tracer_next(t, &stop, NULL) > 0; i++) {
		first += stop.kind == STOP_FIRST;
		if (stop.kind == STOP_CALL)
			seen[stop.tracee->tid == pid]++;
	}
	cmp_int(first, 2, "each is seen for a first time");
	ok(seen[0] > 5 && seen[1] > 5, "calls of both are seen");
	check_detach(t, pid);
}

/* A process that is attached to while job control has it stopped stays stopped. */
static void test_attach_stopped(void)
{
	struct stop stop = { 0 };
	int paused = 0;
	pid_t pid;
	struct tracer *t = attach(&pid, true, 4);

	if (!t)
		return;
	while (paused < 2 && tracer_next(t, &stop, NULL) > 0 && stop.kind != STOP_CALL)
		paused += stop.kind == STOP_PAUSE;
	cmp_int(paused, 2, "both threads are found stopped");
	kill(pid, SIGCONT);
	while (tracer_next(t, &stop, NULL) > 0 && stop.kind != STOP_CALL)
		;
	cmp_int(stop.kind, STOP_CALL, "SIGCONT wakes them");
	check_detach(t, pid);
}

static void test_refusal(void)
{
	struct tracer *t = tracer_new(&(struct tracer_options){ .calls = true });
	char *const argv[] = { NULL, NULL };
	struct stop stop;
	struct error e = { "" };
	pid_t zombie = fork();

	if (!zombie)
		_exit(0);
	waitid(P_PID, (id_t)zombie, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	cmp_int(tracer_attach(t, zombie, &e), -1, "a dead process");
	ok(strstr(e.text, "has ended") != NULL, "it says so: %s", e.text);
	waitpid(zombie, NULL, 0);
	cmp_int(tracer_attach(t, 0x3ffffff, &e), -1, "no such process");
	ok(strstr(e.text, "no such process") != NULL, "it says so: %s", e.text);
	ok(tracer_launch(t, "/dev/null", argv, &e) > 0, "a file that is not a program is started");
	while (tracer_next(t, &stop, &e) > 0)
		;
	is_string(e.text, "/dev/null: Permission denied", "and its failure reported");
	tracer_free(t);
	ok(!program_find("no-such-program", &e) && strstr(e.text, "no-such-program"),
	   "a program that is not there: %s", e.text);
}

static void check_text(char *got, const char *want, const char *what)
{
	is_string(got, want, "%s", what);
	free(got);
}

static void test_words(void)
{
	const char *const words[] = { "a", "", "it's", "$x", "--b=c/d", NULL };

	check_text(shell_words(words, -1), "a '' 'it'\\''s' '$x' --b=c/d",
		   "words as a shell reads them");
	check_text(shell_words(words, 1), "a", "one word");
	check_text(program_file(0, "/bin/ls", ".ktr"), "ls.ktr", "a file about a command");
	check_text(program_file(getpid(), NULL, ".time"), "recorder.time",
		   "a file about a process");
}

/* A command line of more than a megabyte is read whole. */
static void test_long_command(void)
{
	enum { WORDS = 12, LENGTH = 100000 };
	char cat[] = "cat", dash[] = "-", *word = xmalloc(LENGTH + 1);
	char *argv[2 + WORDS + 1] = { cat, dash };
	char byte = 'x';
	int both[2];

	memset(word, 'x', LENGTH);
	word[LENGTH] = '\0';
	for (int i = 0; i < WORDS; i++)
		argv[2 + i] = word;
	ok(!socketpair(AF_UNIX, SOCK_STREAM, 0, both), "a socket");
	pid_t pid = fork();
	if (!pid) {
		dup2(both[1], 0);
		dup2(both[1], 1);
		execvp("cat", argv);
		_exit(99);
	}
	/* The kernel shows the program before its command line: when it answers, both are there. */
	close(both[1]);
	ok(write(both[0], &byte, 1) == 1 && read(both[0], &byte, 1) == 1, "the program runs");
	char *command = program_command(pid);
	cmp_int((int64_t)strlen(command), 5 + WORDS * (LENGTH + 1), "a long command line is whole");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(both[0]);
	free(command);
	free(word);
}

int main(int argc, char **argv)
{
	argument = argc > 2 ? argv[2] : NULL;
	if (argc > 1)
		tracee(argv[1]);
	test_words();
	test_long_command();
	test_counts();
	test_times();
	test_forest();
	test_exec_from_thread();
	test_restart();
	test_killed();
	test_descriptors();
	test_losses();
	test_only();
	test_usage();
	test_attach();
	test_attach_stopped();
	test_refusal();
	return done_testing();
}
