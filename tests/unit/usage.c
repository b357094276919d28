/* SPDX-License-Identifier: MIT */
/* Tests of the usage log: each process of a tree reports before its end what it has used, and the log must agree. */
#include "record/usage.h"

#include <sys/resource.h>

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
		execl("/proc/self/exe", "usage", "successive", NULL);
	}
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	compute(cpu_of(&u) + 0.05);
	_exit(0);
}

/* ---- tests ---- */

/* Follows the scenario to its end. */
static struct usage_log follow(const char *scenario, const char *path)
{
	const char *const argv[] = { "usage", scenario, path, NULL };
	struct tracer *t = tracer_new(&(struct tracer_options){ .corpses = true });
	struct usage_log l = { 0 };
	struct stop stop;
	struct error e;
	int more;

	if (tracer_launch(t, "/proc/self/exe", (char *const *)(uintptr_t)argv, &e) < 0)
		skip_all(e.text);
	while ((more = tracer_next(t, &stop, &e)) > 0)
		usage_log_stop(&l, &stop);
	cmp_int(more, 0, "%s is followed to its end", scenario);
	tracer_free(t);
	return l;
}

static const struct usage_entry *entry_of(const struct usage_log *l, pid_t pid)
{
	for (size_t i = 0; i < l->entries.n; i++)
		if (l->entries.v[i].pid == pid)
			return &l->entries.v[i];
	return NULL;
}

static void test_family(void)
{
	int fd = memfd_create("selves", 0);
	char number[16];
	unsigned ended = 0;

	if (fd < 0 || ftruncate(fd, 4096)) {
		fail("memfd");
		return;
	}
	snprintf(number, sizeof(number), "%d", fd);
	selves = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct usage_log l = follow("family", number);
	for (size_t i = 0; i < l.entries.n; i++)
		ended += l.entries.v[i].known && l.entries.v[i].how == USAGE_EXIT;
	cmp_int(l.entries.n, 6, "six processes, the intermediate one of the daemon among them");
	cmp_int(ended, 6, "all have ended, and the usage of all is known");
	for (int i = 0; i < 5; i++) {
		const struct self *self = &selves[i];
		const struct usage_entry *e = entry_of(&l, self->pid);
		double cpu = e ? e->usage.cpu : NAN;
		double most = e ? (double)(e->end - e->begin) * 1e-9 * e->threads : NAN;

		/* More than its own value: its end. */
		ok(cpu >= self->cpu - self->cpu_unseen - 1e-5 && cpu <= most + tick,
		   "process %d: %.6f s of CPU time, %.6f by itself", i, cpu, self->cpu);
		ok(e && e->usage.minor_faults >= self->minor_faults - self->faults_unseen &&
		       e->usage.minor_faults <= self->minor_faults + 20,
		   "process %d: page faults", i);
	}
	const struct usage_entry *pages = entry_of(&l, selves[1].pid);
	ok(pages && pages->usage.minor_faults >= PAGES,
	   "%d pages touched are faults of their process", PAGES);
	const struct usage_entry *sleeper = entry_of(&l, selves[4].pid);
	cmp_int(sleeper ? sleeper->threads : 0, 4, "four threads");
	ok(sleeper && sleeper->usage.voluntary >= 3 * SLEEPS &&
	       sleeper->usage.voluntary < 3 * SLEEPS + 30,
	   "their sleeps are voluntary switches, stops by the tracer are not: %d",
	   sleeper ? (int)sleeper->usage.voluntary : -1);
	usage_log_free(&l);
	close(fd);
}

static void test_successive(void)
{
	struct usage_log l = follow("successive", "-1");
	const struct usage_entry *e = l.entries.v;

	if (cmp_int(l.entries.n, 2, "two programs of one process")) {
		ok(e[0].how == USAGE_EXEC && e[1].how == USAGE_EXIT && e[0].pid == e[1].pid &&
		       e[0].process == e[1].process,
		   "one after the other");
		ok(e[0].end <= e[1].begin, "in time");
		double first = e[0].usage.cpu, second = e[1].usage.cpu;
		ok(first >= 0.0199 && first <= (double)(e[0].end - e[0].begin) * 1e-9 + tick,
		   "the first computed 0.02 s: %f", first);
		ok(second >= 0.0499 && second <= (double)(e[1].end - e[1].begin) * 1e-9 + tick,
		   "the second 0.05 s: %f", second);
	}
	usage_log_free(&l);
}

int main(int argc, char **argv)
{
	argument = argc > 2 ? argv[2] : NULL;
	getrusage(RUSAGE_SELF, &at_start);
	if (argc > 1 && !strcmp(argv[1], "family"))
		family();
	if (argc > 1 && !strcmp(argv[1], "successive"))
		successive();
	if (argc > 1)
		tracee(argv[1]);
	if (!usage_of_dead())
		skip_all("this kernel does not show what a dead process used");
	test_family();
	test_successive();
	return done_testing();
}
