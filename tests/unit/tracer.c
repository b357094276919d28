/* SPDX-License-Identifier: MIT */
/*
 * Tests of the tracer, of programs, and of what they use: each process of a tree reports before its end what it has used, and
 * the log must agree.
 */
#include "record/ptrace/tracer.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include "record/program.h"
#include "record/usage_log.h"
#include "util/monotonic.h"
#include "util/shell.h"
#include "util/xalloc.h"

#include "../tap.h"
#include "../tracees.h"

enum { SLEEPS = 23 };

static const double tick = 0.01; /* the precision of CPU time on some kernels */

/* ---- tracees ---- */

/* The getrusage values of each process, by number. */
struct self {
	pid_t pid;
	double cpu;
	long minor_faults;
	double cpu_unseen; /* before the log began, at most; like faults_unseen */
	long faults_unseen;
};

static struct self *selves;
static struct rusage at_start; /* of the first process, which is followed from its exec */

static double cpu_of(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1e-6;
}

static void compute(double seconds)
{
	struct rusage u;

	do
		getrusage(RUSAGE_SELF, &u);
	while (cpu_of(&u) < seconds);
}

/* The last thing a process does. */
static _Noreturn void leave(int number)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	selves[number] =
	    (struct self){ .pid = getpid(), .cpu = cpu_of(&u), .minor_faults = u.ru_minflt };
	if (number == 0) {
		selves[0].cpu_unseen = cpu_of(&at_start);
		selves[0].faults_unseen = at_start.ru_minflt;
	}
	_exit(0);
}

static void *thread_that_sleeps(void *arg)
{
	(void)arg;
	for (int i = 0; i < SLEEPS; i++)
		usleep(2000);
	return NULL;
}

/*
 * 0 computes and waits for 1, which touches pages; nobody waits for 2; 3 is a daemon that outlives 0;
 * 4 has threads that sleep.
 */
static _Noreturn void family(void)
{
	int fd = (int)strtol(argument, NULL, 10);
	pthread_t threads[3];

	selves = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (!fork()) {
		touch_pages();
		leave(1);
	}
	wait(NULL);
	signal(SIGCHLD, SIG_IGN);
	if (!fork()) {
		compute(0.05);
		leave(2);
	}
	if (!fork()) {
		setsid();
		if (!fork()) {
			compute(0.03);
			leave(3);
		}
		_exit(0);
	}
	if (!fork()) {
		for (int i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, thread_that_sleeps, NULL);
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		leave(4);
	}
	compute(0.04);
	leave(0);
}

/* Computes, becomes another program, computes again. */
static _Noreturn void successive(void)
{
	if (argument) {
		compute(cpu_of(&at_start) + 0.02);
		execl("/proc/self/exe", "tracer", "successive", NULL);
	}
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	compute(cpu_of(&u) + 0.05);
	_exit(0);
}

/* ---- tests ---- */

/* Follows the scenario to its end. */
static struct usage_log *follow(const char *scenario, const char *path)
{
	const char *const argv[] = { "tracer", scenario, path, NULL };
	struct tracer *t = tracer_new(&(struct tracer_options){ .corpses = true });
	struct usage_log *l = usage_log_new(NULL);
	struct stop stop;
	struct error e;
	int more;

	if (tracer_launch(t, "/proc/self/exe", (char *const *)(uintptr_t)argv, &e) < 0)
		skip_all(e.text);
	while ((more = tracer_next(t, &stop, &e)) > 0)
		usage_log_stop(l, &stop);
	cmp_int(more, 0, "%s is followed to its end", scenario);
	usage_log_close(l, monotonic_ns());
	tracer_free(t);
	return l;
}

static const struct usage_entry *entry_of(const struct usage_log *l, pid_t pid)
{
	size_t n;
	const struct usage_entry *entries = usage_log_entries(l, &n);

	for (size_t i = 0; i < n; i++)
		if (entries[i].pid == pid)
			return &entries[i];
	return NULL;
}

static void test_family(void)
{
	int fd = memfd_create("selves", 0);
	char number[16];
	size_t n, unknown = 0, running = 0;

	if (fd < 0 || ftruncate(fd, 4096)) {
		fail("memfd");
		return;
	}
	snprintf(number, sizeof(number), "%d", fd);
	selves = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct usage_log *l = follow("family", number);
	const struct usage_entry *entries = usage_log_entries(l, &n);
	cmp_int(n, 6, "six processes, the intermediate one of the daemon among them");
	for (size_t i = 0; i < n; i++) {
		unknown += !entries[i].known;
		running += entries[i].how != USAGE_EXIT;
	}
	cmp_int(unknown, 0, "the usage of all is known");
	cmp_int(running, 0, "all have ended");
	for (int i = 0; i < 5; i++) {
		const struct self *self = &selves[i];
		const struct usage_entry *e = entry_of(l, self->pid);
		double cpu = e ? e->usage.cpu : NAN;
		double most = e ? (double)(e->end - e->begin) * 1e-9 * e->threads : NAN;

		/* More than its own value: its end. */
		ok(cpu >= self->cpu - self->cpu_unseen - 1e-5 && cpu <= most + tick,
		   "process %d: %.6f s of CPU time, %.6f by itself", i, cpu, self->cpu);
		ok(e && e->usage.minor_faults >= self->minor_faults - self->faults_unseen &&
		       e->usage.minor_faults <= self->minor_faults + 20,
		   "process %d: page faults", i);
	}
	const struct usage_entry *pages = entry_of(l, selves[1].pid);
	ok(pages && pages->usage.minor_faults >= PAGES,
	   "%d pages touched are faults of their process", PAGES);
	const struct usage_entry *sleeper = entry_of(l, selves[4].pid);
	cmp_int(sleeper ? sleeper->threads : 0, 4, "four threads");
	ok(sleeper && sleeper->usage.voluntary >= 3 * SLEEPS &&
	       sleeper->usage.voluntary < 3 * SLEEPS + 30,
	   "their sleeps are voluntary switches, stops by the tracer are not: %d",
	   sleeper ? (int)sleeper->usage.voluntary : -1);
	usage_log_free(l);
	close(fd);
}

static void test_successive(void)
{
	size_t n;
	struct usage_log *l = follow("successive", "-1");
	const struct usage_entry *e = usage_log_entries(l, &n);

	cmp_int(n, 2, "two programs of one process");
	if (n == 2) {
		ok(e[0].how == USAGE_EXEC && e[1].how == USAGE_EXIT && e[0].pid == e[1].pid &&
		       e[0].process == e[1].process,
		   "one after the other");
		ok(e[0].end <= e[1].begin, "in time");
		double first = e[0].usage.cpu;
		double second = e[1].usage.cpu;
		ok(first >= 0.0199 && first <= (double)(e[0].end - e[0].begin) * 1e-9 + tick,
		   "the first computed 0.02 s: %f", first);
		ok(second >= 0.0499 && second <= (double)(e[1].end - e[1].begin) * 1e-9 + tick,
		   "the second 0.05 s: %f", second);
	}
	usage_log_free(l);
}

/* Returns when pid has used that much CPU time, or after a minute. */
static void wait_for_cpu(pid_t pid, double seconds)
{
	struct usage u = { 0 };

	for (int i = 0; i < 12000 && u.cpu < seconds; i++) {
		usleep(5000);
		usage_read(pid, &u, NULL);
	}
}

/* Attaches to a new process of two threads, stopped by job control or not; NULL when that is forbidden. */
static struct tracer *attach(struct tracer_options o, bool stopped, pid_t *pid, unsigned tests)
{
	struct tracer *t = tracer_new(&o);
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

/* The usage of a running process counts from the moment of attaching. */
static void test_attach_running(void)
{
	size_t n;
	pid_t pid;
	struct tracer *t = attach((struct tracer_options){ .corpses = true }, false, &pid, 3);

	if (!t)
		return;
	struct usage_log *l = usage_log_new(NULL);
	struct usage before, after;

	usage_read(pid, &before, NULL);
	usage_log_attach(l, pid, monotonic_ns());
	wait_for_cpu(pid, before.cpu + 0.02);
	usage_log_close(l, monotonic_ns());
	usage_read(pid, &after, NULL);
	const struct usage_entry *entry = usage_log_entries(l, &n);
	cmp_int(n, 1, "one entry");
	double used = entry->usage.cpu;
	usage_subtract(&after, &before);
	ok(used > 0.01 && used <= after.cpu + 1e-9, "it used %f s since then", used);
	ok(entry->how == USAGE_RUNNING && entry->known, "and is still running");
	usage_log_free(l);
	tracer_detach(t);
	tracer_free(t);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_usage(void)
{
	struct usage u, sum = { 0 };
	struct error e;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	cmp_int(usage_read(pid, &u, &e), -1, "a process that is gone: %s", e.text);
	compute(0.02);
	cmp_int(usage_read(getpid(), &u, &e), 0, "this process");
	struct rusage own;
	getrusage(RUSAGE_SELF, &own);
	ok(u.cpu > 0.0199 && u.cpu <= cpu_of(&own) + 1e-5, "%f s of CPU time, then %f by getrusage",
	   u.cpu, cpu_of(&own));
	ok(u.minor_faults > 0 && u.minor_faults <= own.ru_minflt, "page faults");
	usage_add(&sum, &u);
	usage_add(&sum, &u);
	usage_subtract(&sum, &u);
	ok(fabs(sum.cpu - u.cpu) < 1e-12 && sum.minor_faults == u.minor_faults,
	   "twice added, once taken away");
}

/* A process that is attached to while job control has it stopped stays stopped. */
static void test_attach_stopped(void)
{
	struct stop stop = { 0 };
	int paused = 0, status;
	pid_t pid;
	struct tracer *t = attach((struct tracer_options){ .calls = true }, true, &pid, 5);

	if (!t)
		return;
	cmp_int(tracer_threads(t), 2, "both threads are followed");
	while (paused < 2 && tracer_next(t, &stop, NULL) > 0 && stop.kind != STOP_CALL)
		paused += stop.kind == STOP_PAUSE;
	cmp_int(paused, 2, "both threads are found stopped");
	kill(pid, SIGCONT);
	while (tracer_next(t, &stop, NULL) > 0 && stop.kind != STOP_CALL)
		;
	cmp_int(stop.kind, STOP_CALL, "SIGCONT wakes them");
	tracer_detach(t);
	cmp_int(tracer_threads(t), 0, "nobody is left");
	tracer_free(t);
	usleep(20000);
	kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	cmp_int(status, 42 << 8, "the process went on to its own end");
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
	check_text(program_file(getpid(), NULL, ".time"), "tracer.time", "a file about a process");
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
	getrusage(RUSAGE_SELF, &at_start);
	if (argc > 1 && !strcmp(argv[1], "family"))
		family();
	else if (argc > 1 && !strcmp(argv[1], "successive"))
		successive();
	else if (argc > 1)
		tracee(argv[1]);
	test_words();
	test_long_command();
	test_attach_stopped();
	test_refusal();
	if (!usage_of_dead()) {
		skip("this kernel does not show what a dead process used", 1);
		return done_testing();
	}
	test_usage();
	test_family();
	test_successive();
	test_attach_running();
	return done_testing();
}
