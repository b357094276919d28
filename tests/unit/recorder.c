/* SPDX-License-Identifier: MIT */
/*
 * Tests of the recorder: this program starts itself again as a tracee that makes known numbers of calls,
 * and what comes out of the trace must be exact.
 */
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/program.h"
#include "trace/source.h"
#include "record/ptrace/tracer.h"
#include "util/file.h"
#include "util/shell.h"
#include "util/vec.h"

#include "../tap.h"

/* ---- tracees ---- */

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
static void forest(int depth)
{
	for (int i = 0; i < 2 && depth; i++)
		if (!fork()) {
			forest(depth - 1);
			_exit(0);
		}
	repeat(SYS_getppid, 7);
	wait_for_all();
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

static int alarm_pipe[2];

static void on_alarm(int number)
{
	(void)number;
	repeat(SYS_getegid, 3);
	if (write(alarm_pipe[1], "x", 1) != 1)
		_exit(98);
}

/* One read that a handler interrupts, which the kernel restarts or not. */
static void interrupted(int flags)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = flags };
	pid_t self = getpid();
	char c;

	if (pipe(alarm_pipe))
		_exit(97);
	sigaction(SIGALRM, &action, NULL);
	if (!fork()) {
		wait_until_asleep(self, self);
		kill(self, SIGALRM);
		_exit(0);
	}
	ssize_t got = read(alarm_pipe[0], &c, 1);
	if (flags ? got != 1 : got != -1 || errno != EINTR)
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
	fsync(3); /* inherited: the test opened it */
}

enum { PAGES = 1009 };

static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p =
	    mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		p[i * page] = 1;
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

/* A child under another name, which becomes a program of the old name and then another one. */
static void leaver(const char *path)
{
	if (!fork()) {
		execl(path, "other", "leaving", NULL);
		_exit(94);
	}
	wait_for_all();
}

/* A child under another name, for recording by program. */
static void renamed(const char *path)
{
	repeat(SYS_getppid, 11);
	if (!fork()) {
		repeat(SYS_getppid, 11);
		execl(path, "other", "leaf", NULL);
		_exit(94);
	}
	wait_for_all();
	repeat(SYS_getppid, 11);
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
static _Noreturn void runner(const char *path)
{
	int progress = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
	pthread_t t;

	signal(SIGTERM, on_term);
	pthread_create(&t, NULL, thread_that_runs, NULL);
	while (!enough) {
		repeat(SYS_getppid, 1);
		if (path && write(progress, ".", 1) != 1)
			_exit(93);
		usleep(1000);
	}
	pthread_join(t, NULL);
	_exit(42);
}

static _Noreturn void tracee(const char *scenario, const char *argument)
{
	if (!strcmp(scenario, "counts"))
		counts();
	else if (!strcmp(scenario, "leaf"))
		leaf();
	else if (!strcmp(scenario, "forest"))
		forest(6);
	else if (!strcmp(scenario, "exec"))
		exec_from_thread();
	else if (!strcmp(scenario, "restart"))
		interrupted(SA_RESTART);
	else if (!strcmp(scenario, "eintr"))
		interrupted(0);
	else if (!strcmp(scenario, "sleep"))
		stopped_sleep();
	else if (!strcmp(scenario, "killed"))
		killed();
	else if (!strcmp(scenario, "descriptors"))
		descriptors();
	else if (!strcmp(scenario, "renamed"))
		renamed(argument);
	else if (!strcmp(scenario, "leaver"))
		leaver(argument);
	else if (!strcmp(scenario, "leaving") || !strcmp(scenario, "exits"))
		touch_pages();
	else if (!strcmp(scenario, "waiter"))
		waiter();
	else if (!strcmp(scenario, "left"))
		become("leaf");
	else if (!strcmp(scenario, "suicide"))
		kill(getpid(), SIGKILL);
	else if (!strcmp(scenario, "runner"))
		runner(argument);
	if (!strcmp(scenario, "leaving"))
		become("left");
	if (!strcmp(scenario, "exits"))
		syscall(SYS_exit, 0);
	_exit(0); /* leak checkers cannot work under ptrace */
}

/* ---- traces ---- */

struct trace {
	VEC(struct event) events;
	struct source_losses losses;
	struct recording recording;
	int64_t length; /* ns from start to end of the recording */
};

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void keep_strings(struct event *e)
{
	if (e->type == EVENT_SYSCALL && e->call.path)
		e->call.path = xstrdup(e->call.path);
	if (e->type == EVENT_EXEC)
		e->exec.command = xstrdup(e->exec.command);
	if (e->type == EVENT_FD)
		e->fd.name = xstrdup(e->fd.name);
	if (e->type == EVENT_COUNTER)
		e->counter.name = xstrdup(e->counter.name);
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
		keep_strings(&event);
		vec_push(&t->events, event);
	}
	ok(more == 0, "the trace can be read to its end%s%s", more ? ": " : "", more ? e.text : "");
	if (s)
		t->losses = *source_losses(s);
	source_close(s);
}

static void trace_free(struct trace *t)
{
	for (size_t i = 0; i < t->events.n; i++) {
		struct event *e = &t->events.v[i];

		if (e->type == EVENT_SYSCALL)
			free((char *)(uintptr_t)e->call.path);
		if (e->type == EVENT_EXEC)
			free((char *)(uintptr_t)e->exec.command);
		if (e->type == EVENT_FD)
			free((char *)(uintptr_t)e->fd.name);
		if (e->type == EVENT_COUNTER)
			free((char *)(uintptr_t)e->counter.name);
	}
	vec_free(&t->events);
}

static struct trace record(const char *scenario, const char *argument, const char *only)
{
	const char *const argv[] = { "recorder", scenario, argument, NULL };
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

/* How many calls of that name there are, unfinished ones not among them. */
static int count(const struct trace *t, const char *name)
{
	unsigned id = syscall_by_name(name);
	int n = 0;

	for (size_t i = 0; i < t->events.n; i++) {
		const struct event *e = &t->events.v[i];

		n += e->type == EVENT_SYSCALL && e->call.id == id &&
		     !(e->call.flags & CALL_UNFINISHED);
	}
	return n;
}

static int count_type(const struct trace *t, enum event_type type)
{
	int n = 0;

	for (size_t i = 0; i < t->events.n; i++)
		n += t->events.v[i].type == type;
	return n;
}

/* The nth call of that name, from 0, or NULL. */
static const struct event *find(const struct trace *t, const char *name, int n)
{
	unsigned id = syscall_by_name(name);

	for (size_t i = 0; i < t->events.n; i++) {
		const struct event *e = &t->events.v[i];

		if (e->type == EVENT_SYSCALL && e->call.id == id && !n--)
			return e;
	}
	return NULL;
}

/* The sum of a counter; NaN: some process could not tell, or none did. */
static double sum(const struct trace *t, const char *name)
{
	double all = 0;
	bool any = false;

	for (size_t i = 0; i < t->events.n; i++) {
		const struct event *e = &t->events.v[i];

		if (e->type != EVENT_COUNTER || strcmp(e->counter.name, name))
			continue;
		all += e->counter.value;
		any = true;
	}
	return any ? all : NAN;
}

/* The programs whose execve is not the last call of their process before. */
static int late_execs(const struct trace *t)
{
	unsigned execve_call = syscall_by_name("execve");
	int late = 0;

	for (size_t i = 0; i < t->events.n; i++) {
		const struct event *e = &t->events.v[i];
		size_t k = i;

		if (e->type != EVENT_EXEC)
			continue;
		while (k && (t->events.v[k].type != EVENT_SYSCALL || t->events.v[k].pid != e->pid))
			k--;
		late += t->events.v[k].type != EVENT_SYSCALL ||
			t->events.v[k].call.id != execve_call || t->events.v[k].call.result != 0;
	}
	return late;
}

static void check_complete(const struct trace *t, const char *what)
{
	const struct source_losses *l = &t->losses;

	ok(!l->lost && !l->lost_unknown && !l->torn_bytes && !l->orphans && !l->unclosed,
	   "%s: nothing lost, torn or unmatched", what);
	cmp_int(t->recording.status, 0, "%s: the program came to its own end", what);
}

/* ---- tests ---- */

static void test_counts(void)
{
	struct trace t = record("counts", NULL, NULL);
	size_t ids[3] = { 0 };

	check_complete(&t, "counts");
	cmp_int(t.losses.unfinished, 0, "no call is left open");
	cmp_int(count(&t, "getppid"), 101, "101 calls of the first thread");
	cmp_int(count(&t, "getuid"), 5 * 17, "17 calls in each of 5 threads");
	cmp_int(count(&t, "getpgid"), 3 * 13, "13 calls in each of 3 forked processes");
	cmp_int(count(&t, "getgid"), 19, "19 calls in a process made by clone");
	cmp_int(count(&t, "geteuid"), 23, "23 calls in a program after vfork");
	cmp_int(count(&t, "execve"), 2, "two execve");
	cmp_int(count_type(&t, EVENT_EXEC), 2, "two programs");
	cmp_int(late_execs(&t), 0, "an execve is a call of the program that made it");
	cmp_int(count_type(&t, EVENT_FORK), 3 + 5 + 1 + 1, "ten births");
	cmp_int(count_type(&t, EVENT_EXIT), 1 + 3 + 5 + 1 + 1, "eleven deaths");
	cmp_int(t.recording.sink.processes, 6, "six processes");
	cmp_int(t.recording.sink.threads, 11, "eleven threads");
	for (size_t i = 0; i < t.events.n; i++) {
		const struct event *e = &t.events.v[i];

		ids[0] += e->type == EVENT_EXIT && e->exit.last;
		ids[1] += e->type == EVENT_FORK && e->fork.child_pid == e->pid;
		ids[2] += e->type == EVENT_FORK && e->fork.shares_files;
	}
	cmp_int(ids[0], 6, "each process has one last thread");
	cmp_int(ids[1], 5, "five of the births are threads");
	cmp_int(ids[2], 1, "one child shares descriptors");
	cmp_int(count(&t, "exit") + count(&t, "exit_group"), 11, "each thread exits once");
	trace_free(&t);
}

static void test_times(void)
{
	struct trace t = record("counts", NULL, NULL);
	struct {
		uint32_t tid;
		int64_t end;
	} threads[64] = { 0 };
	int outside = 0, overlaps = 0, negative = 0;

	for (size_t i = 0; i < t.events.n; i++) {
		const struct event *e = &t.events.v[i];
		size_t at = 0;

		outside += e->time < 0 || e->time > t.length;
		if (e->type != EVENT_SYSCALL || e->call.flags & (CALL_UNFINISHED | CALL_NO_RESULT))
			continue;
		while (at < 63 && threads[at].tid && threads[at].tid != e->tid)
			at++;
		threads[at].tid = e->tid;
		negative += e->call.duration < 0;
		outside += e->time + e->call.duration > t.length;
		overlaps += e->time < threads[at].end;
		threads[at].end = e->time + e->call.duration;
	}
	cmp_int(outside, 0, "all times lie within the recording");
	cmp_int(negative, 0, "no duration is negative");
	cmp_int(overlaps, 0, "the calls of a thread follow each other");
	trace_free(&t);
}

static void test_forest(void)
{
	struct trace t = record("forest", NULL, NULL);

	check_complete(&t, "forest");
	cmp_int(t.recording.sink.processes, 127, "127 processes of a tree of forks");
	cmp_int(count(&t, "getppid"), 127 * 7, "7 calls of each");
	cmp_int(count_type(&t, EVENT_EXIT), 127, "all are seen to end");
	trace_free(&t);
}

static void test_exec_from_thread(void)
{
	struct trace t = record("exec", NULL, NULL);
	const struct event *e = find(&t, "execve", 1);

	check_complete(&t, "exec from a thread");
	cmp_int(count(&t, "geteuid"), 23, "the new program is recorded");
	cmp_int(count(&t, "execve"), 2, "and the call that started it");
	ok(e && e->tid == e->pid && e->call.result == 0, "under the number of the process");
	cmp_int(count_type(&t, EVENT_EXIT), 3, "three threads end");
	cmp_int(t.losses.unfinished, 2, "two blocked calls of theirs never return");
	trace_free(&t);
}

static void test_restart(void)
{
	struct trace t = record("restart", NULL, NULL);
	const struct event *e = NULL;
	int folded = 0;

	check_complete(&t, "restart");
	for (size_t i = 0; i < t.events.n; i++)
		if (t.events.v[i].type == EVENT_SYSCALL &&
		    t.events.v[i].call.flags & CALL_RESTARTED) {
			e = &t.events.v[i];
			folded++;
		}
	cmp_int(folded, 1, "one call was restarted");
	ok(e && e->call.id == syscall_by_name("read") && e->call.result == 1,
	   "it is the read, with its result");
	cmp_int(count(&t, "getegid"), 3, "the calls of the handler are there");
	cmp_int(count(&t, "rt_sigreturn"), 1, "so is its return");
	int alarms = 0;
	for (size_t i = 0; i < t.events.n; i++)
		alarms +=
		    t.events.v[i].type == EVENT_SIGNAL && t.events.v[i].signal.signal == SIGALRM;
	cmp_int(alarms, 1, "so is the signal");
	trace_free(&t);

	t = record("eintr", NULL, NULL);
	check_complete(&t, "eintr");
	int interrupted = 0;
	for (size_t i = 0; i < t.events.n; i++)
		interrupted += t.events.v[i].type == EVENT_SYSCALL &&
			       t.events.v[i].call.id == syscall_by_name("read") &&
			       t.events.v[i].call.result == -EINTR;
	cmp_int(interrupted, 1, "a read that is not restarted fails with EINTR, once");
	trace_free(&t);

	t = record("sleep", NULL, NULL);
	check_complete(&t, "sleep");
	e = find(&t, "nanosleep", 0);
	ok(e && e->call.flags & CALL_RESTARTED && e->call.result == 0 &&
	       e->call.duration >= 150000000,
	   "a sleep that job control stopped is one call");
	cmp_int(count(&t, "nanosleep"), 1, "and no other");
	cmp_int(count(&t, "restart_syscall"), 0, "restart_syscall is folded in");
	trace_free(&t);
}

static void test_killed(void)
{
	struct trace t = record("killed", NULL, NULL);
	int by_signal = 0;

	check_complete(&t, "killed");
	for (size_t i = 0; i < t.events.n; i++) {
		const struct event *e = &t.events.v[i];

		by_signal += e->type == EVENT_EXIT && WIFSIGNALED(e->exit.status) &&
			     WTERMSIG(e->exit.status) == SIGKILL;
	}
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
	int inherited[2];

	if (pipe(inherited) || dup2(inherited[0], 3) != 3) {
		fail("pipe");
		return;
	}
	struct trace t = record("descriptors", NULL, NULL);
	check_complete(&t, "descriptors");
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		const struct event *e = find(&t, "fsync", (int)i);

		is_string(e ? fd_kind_name(e->call.kind) : NULL, fd_kind_name(want[i]),
			  "descriptor %zu", i);
	}
	bool seen = false;
	for (size_t i = 0; i < t.events.n; i++) {
		const struct event *e = &t.events.v[i];

		seen |= e->type == EVENT_SYSCALL && e->call.path &&
			!strcmp(e->call.path, "/proc/self/exe");
	}
	ok(seen, "a path is read from memory");
	trace_free(&t);
}

static void test_only(void)
{
	char dir[] = "/tmp/osvec-recorder.XXXXXX", path[64], self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (!mkdtemp(dir) || n < 0) {
		fail("mkdtemp");
		return;
	}
	self[n] = '\0';
	snprintf(path, sizeof(path), "%s/other", dir);
	if (symlink(self, path))
		fail("symlink");
	struct trace t = record("renamed", path, "other");
	check_complete(&t, "only");
	cmp_int(count(&t, "geteuid"), 23, "the calls of the program asked for");
	cmp_int(count(&t, "getppid"), 0, "and of no other");
	cmp_int(t.recording.sink.processes, 1, "one process is recorded");
	cmp_int(count_type(&t, EVENT_EXEC), 1, "its exec is known");
	trace_free(&t);
	t = record("renamed", path, "recorder");
	cmp_int(count(&t, "getppid"), 33, "a program can be named by its file");
	cmp_int(count(&t, "geteuid"), 23, "which both are");
	trace_free(&t);
	t = record("leaver", path, "other");
	check_complete(&t, "only");
	int programs = 0, foreign = 0;
	for (size_t i = 0; i < t.events.n; i++) {
		programs += t.events.v[i].type == EVENT_EXEC;
		foreign += t.events.v[i].type == EVENT_SYSCALL && programs > 1;
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

	ok(sum(&t, "minor_faults") >= PAGES && sum(&t, "user") + sum(&t, "system") > 0,
	   "exit(2) of the only thread: %.0f faults", sum(&t, "minor_faults"));
	trace_free(&t);
	t = record("waiter", NULL, NULL);
	double all = sum(&t, "minor_faults");
	ok(all >= PAGES && all < alone + PAGES / 2.0,
	   "faults of a child that is waited for: %.0f in all, counted once", all);
	trace_free(&t);
	t = record("counts", NULL, NULL);
	ok(sum(&t, "user") + sum(&t, "system") > 0, "exit_group of several processes");
	trace_free(&t);
	t = record("suicide", NULL, NULL);
	cmp_int(t.recording.status, SIGKILL, "a process that is killed");
	ok(isnan(sum(&t, "user")) && isnan(sum(&t, "minor_faults")), "cannot be asked any more");
	trace_free(&t);
}

/* Returns when both its threads run. */
static pid_t start_runner(void)
{
	char path[32], *status;
	bool runs = false;
	size_t n;
	pid_t pid = fork();

	if (!pid)
		become("runner");
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	for (int i = 0; i < 10000 && !runs; i++) {
		usleep(5000);
		status = file_read(path, 1 << 16, &n, NULL);
		runs = !status || strstr(status, "\nThreads:\t2\n");
		free(status);
	}
	return pid;
}

/* Attaches, looks at some calls, lets go: the process must not notice. */
static void test_attach(void)
{
	struct tracer *t = tracer_new(&(struct tracer_options){ .calls = true });
	struct stop stop;
	struct error e;
	int status, seen[2] = { 0 }, first = 0;
	pid_t pid = start_runner();

	if (tracer_attach(t, pid, &e)) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		tracer_free(t);
		skip(e.text, 5);
		return;
	}
	cmp_int(tracer_threads(t), 2, "both threads are followed");
	for (int i = 0; i < 5000 && tracer_next(t, &stop, &e) > 0; i++) {
		first += stop.kind == STOP_FIRST;
		if (stop.kind == STOP_CALL)
			seen[stop.tracee->tid == pid]++;
	}
	cmp_int(first, 2, "each is seen for a first time");
	ok(seen[0] > 5 && seen[1] > 5, "calls of both are seen");
	tracer_detach(t);
	cmp_int(tracer_threads(t), 0, "nobody is left");
	tracer_free(t);
	usleep(20000);
	kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	cmp_int(status, 42 << 8, "the process went on to its own end");
}

/* A process that is attached to while job control has it stopped stays stopped. */
static void test_attach_stopped(void)
{
	struct tracer *t = tracer_new(&(struct tracer_options){ .calls = true });
	struct stop stop = { 0 };
	struct error e;
	int status, paused = 0;
	pid_t pid = start_runner();

	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	if (tracer_attach(t, pid, &e)) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		tracer_free(t);
		skip(e.text, 3);
		return;
	}
	while (paused < 2 && tracer_next(t, &stop, &e) > 0 && stop.kind != STOP_CALL)
		paused += stop.kind == STOP_PAUSE;
	cmp_int(paused, 2, "both threads are found stopped");
	kill(pid, SIGCONT);
	while (tracer_next(t, &stop, &e) > 0 && stop.kind != STOP_CALL)
		;
	cmp_int(stop.kind, STOP_CALL, "SIGCONT wakes them");
	tracer_detach(t);
	tracer_free(t);
	kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	cmp_int(status, 42 << 8, "the process came to its own end");
}

static void test_refusal(void)
{
	struct tracer *t = tracer_new(&(struct tracer_options){ .calls = true });
	char *const argv[] = { NULL, NULL };
	struct stop stop;
	struct error e = { "" };

	cmp_int(tracer_attach(t, 0x3ffffff, &e), -1, "no such process");
	ok(strstr(e.text, "no such process") != NULL, "it says so: %s", e.text);
	ok(tracer_launch(t, "/dev/null", argv, &e) > 0, "what cannot run is started");
	while (tracer_next(t, &stop, &e) > 0)
		;
	is_string(e.text, "/dev/null: Permission denied", "and its failure told");
	tracer_free(t);
	ok(!program_find("no-such-program", &e) && strstr(e.text, "no-such-program"),
	   "a program that is not there: %s", e.text);
}

static void test_words(void)
{
	const char *const words[] = { "a", "", "it's", "$x", "--b=c/d", NULL };
	char *s = shell_words(words, -1);

	is_string(s, "a '' 'it'\\''s' '$x' --b=c/d", "words as a shell reads them");
	free(s);
	s = shell_words(words, 1);
	is_string(s, "a", "one word");
	free(s);
	s = program_file(0, "/bin/ls", ".ktr");
	is_string(s, "ls.ktr", "a file about a command");
	free(s);
	s = program_file(getpid(), NULL, ".time");
	is_string(s, "recorder.time", "a file about a process");
	free(s);
}

/* A command line of a megabyte and more comes whole. */
static void test_long_command(void)
{
	enum { WORDS = 12, LENGTH = 100000 };
	char cat[] = "cat", dash[] = "-", *word = xmalloc(LENGTH + 1);
	char *argv[2 + WORDS + 1] = { cat, dash };
	char byte = 'x';
	int input[2], output[2];

	memset(word, 'x', LENGTH);
	word[LENGTH] = '\0';
	for (int i = 0; i < WORDS; i++)
		argv[2 + i] = word;
	ok(!pipe(input) && !pipe(output), "pipes");
	pid_t pid = fork();
	if (!pid) {
		dup2(input[0], 0);
		dup2(output[1], 1);
		execvp("cat", argv);
		_exit(99);
	}
	/* The kernel shows the program before its command line: when it answers, both are there. */
	close(output[1]);
	ok(write(input[1], &byte, 1) == 1 && read(output[0], &byte, 1) == 1, "the program runs");
	char *command = program_command(pid);
	cmp_int((int64_t)strlen(command), 5 + WORDS * (LENGTH + 1), "a long command line is whole");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(input[0]);
	close(input[1]);
	close(output[0]);
	free(command);
	free(word);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		tracee(argv[1], argv[2]);
	test_words();
	test_long_command();
	test_counts();
	test_times();
	test_forest();
	test_exec_from_thread();
	test_restart();
	test_killed();
	test_descriptors();
	test_only();
	test_usage();
	test_attach();
	test_attach_stopped();
	test_refusal();
	return done_testing();
}
