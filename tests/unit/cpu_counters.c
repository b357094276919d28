/* SPDX-License-Identifier: MIT */
/*
 * Counters that are read when threads leave and take their CPUs: two threads that take turns on one
 * CPU, whose page faults and CPU time are known, by events that every kernel counts.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/record.h"
#include "trace/syscalls.h"
#include "util/file.h"
#include "util/vec.h"

#include "../tap.h"

enum { ROUNDS = 20, READ = 50 /* pages, in a call */ };
#define LEAST 0.8 /* of what happened, that has to be counted */

/* ---- the program that is recorded ---- */

static const struct part {
	int pages; /* that it touches in each round */
	int64_t ns;
} parts[2] = { { 100, 1000000 }, { 300, 3000000 } };

/* What a thread knows of itself. */
struct known {
	uint32_t tid;
	int64_t faults, ns;
};

static int turns[2][2]; /* pipes: whose turn it is */
static int zero, results;

static int64_t thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Page by page, none of them known to the kernel before. */
static char *fresh(size_t pages, size_t page)
{
	char *p =
	    mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, pages * page, MADV_NOHUGEPAGE);
	return p;
}

static void *work(void *arg)
{
	const struct part *p = arg;
	size_t me = (size_t)(p - parts), page = (size_t)sysconf(_SC_PAGESIZE);
	struct rusage u;
	char go = 0;

	for (int round = 0; round < ROUNDS; round++) {
		if (read(turns[me][0], &go, 1) != 1)
			exit(91);
		int64_t end = thread_ns() + p->ns;
		char *pages = fresh((size_t)p->pages, page), *room = fresh(READ, page);
		for (int i = 0; i < p->pages; i++)
			pages[(size_t)i * page] = 1;
		if (read(zero, room, READ * page) != (ssize_t)(READ * page))
			exit(92);
		/* Few calls, so that a slow recorder keeps up. */
		while (thread_ns() < end)
			for (volatile int i = 0; i < 20000; i++)
				;
		if (write(turns[!me][1], &go, 1) != 1)
			exit(93);
	}
	getrusage(RUSAGE_THREAD, &u);
	struct known k = { (uint32_t)syscall(SYS_gettid), u.ru_minflt, thread_ns() };
	if (write(results, &k, sizeof(k)) != sizeof(k))
		exit(94);
	return NULL;
}

static int run(const char *path)
{
	pthread_t threads[2];
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	sched_setaffinity(0, sizeof(one), &one);
	zero = open("/dev/zero", O_RDONLY);
	results = open(path, O_WRONLY | O_APPEND);
	for (int i = 0; i < 2; i++)
		if (pipe(turns[i]))
			return 95;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)&parts[i]);
	if (write(turns[0][1], "", 1) != 1)
		return 96;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* ---- recording it ---- */

enum { CLOCK, FAULTS, MINOR, MAJOR, EVENTS };
static const char *const events[EVENTS] = {
	[CLOCK] = "PERF_COUNT_SW_TASK_CLOCK",
	[FAULTS] = "PERF_COUNT_SW_PAGE_FAULTS",
	[MINOR] = "PERF_COUNT_SW_PAGE_FAULTS_MIN",
	[MAJOR] = "PERF_COUNT_SW_PAGE_FAULTS_MAJ",
};

/* What the trace says of a thread. */
struct seen {
	uint32_t tid;
	int64_t since; /* that it has a CPU; 0: nobody saw that it took one */
	double counted_since, ns, sums[EVENTS];
	size_t wrong; /* times that it had a CPU for less than was counted */
	double ran;
	VEC(struct fault_count {
		int64_t time;
		double count;
	})
	faults;
	double in_read; /* of them */
	size_t stretches, counted[EVENTS], together;
};

static struct seen seen[8];

static struct seen *of(uint32_t tid)
{
	for (size_t i = 0; i < 8; i++)
		if (!seen[i].tid || seen[i].tid == tid) {
			seen[i].tid = tid;
			return &seen[i];
		}
	return &seen[7];
}

static void take_count(struct seen *s, const struct event *e)
{
	if (!strcmp(e->counter.name, "cpu_ns")) {
		s->ns += e->counter.value;
		s->stretches++;
		s->together = 0;
	}
	for (size_t i = 0; i < EVENTS; i++)
		if (!strcmp(e->counter.name, events[i])) {
			s->sums[i] += e->counter.value;
			s->counted[i]++;
			s->together++;
		}
	if (!strcmp(e->counter.name, events[FAULTS]))
		vec_push(&s->faults, (struct fault_count){ e->time, e->counter.value });
}

static void take_switch(struct seen *s, const struct event *e)
{
	if (!e->change.out) {
		s->since = e->time;
		s->counted_since = s->ns;
		return;
	}
	if (s->since) {
		double ran = (double)(e->time - s->since);

		s->wrong += s->ns - s->counted_since > ran;
		s->ran += ran;
	}
	s->since = 0;
}

static void take(void *arg, const struct event *e)
{
	bool own = e->type == EVENT_COUNTER || e->type == EVENT_SWITCH || e->type == EVENT_SYSCALL;
	struct seen *s = own ? of(e->tid) : NULL;

	(void)arg;
	if (!s)
		return;
	if (e->type == EVENT_COUNTER && e->tid)
		take_count(s, e);
	if (e->type == EVENT_SWITCH)
		take_switch(s, e);
	if (e->type == EVENT_SYSCALL && !strcmp(syscall_get(e->call.id)->name, "read") &&
	    e->call.result == READ * sysconf(_SC_PAGESIZE))
		for (size_t i = s->faults.n; i-- && s->faults.v[i].time > e->time;)
			s->in_read += s->faults.v[i].count;
}

static char *path;

/* Records it; what its threads know of themselves. */
static bool record(struct known known[2], size_t carriers, size_t most, bool at_calls)
{
	const char *const argv[] = { "counting", "run", path, NULL };
	const struct record_target target = { .path = "/proc/self/exe",
					      .argv = (char *const *)(uintptr_t)argv,
					      .events = events,
					      .nevents = EVENTS,
					      .carriers = carriers,
					      .most_events = most,
					      .counts_calls = at_calls,
					      .take = take };
	struct recording r;
	struct error e;
	int more;

	for (size_t i = 0; i < 8; i++)
		vec_free(&seen[i].faults);
	memset(seen, 0, sizeof(seen));
	file_write(path, "", 0, &e);
	if (record_start(&r, -1, &target, &e)) {
		skip(e.text, 1);
		return false;
	}
	while ((more = record_poll(&r, &e)) > 0)
		;
	record_end(&r, NULL);
	cmp_int(r.status, 0, "the program does its work");
	size_t n;
	char *found = file_read(path, 1 << 10, &n, &e);
	ok(n == 2 * sizeof(*known), "and its two threads say what they used");
	memcpy(known, found, 2 * sizeof(*known));
	free(found);
	for (int i = 0; i < LOST_CLASSES; i++)
		if (i != LOST_UNMATCHED && i != LOST_SWITCHES)
			cmp_int(r.sink.losses[i], 0, "nothing is lost (%d)", i);
	return true;
}

static void test_threads(bool at_calls)
{
	struct known known[2];

	if (!record(known, 0, 0, at_calls))
		return;
	for (size_t i = 0; i < 2; i++) {
		const struct seen *s = of(known[i].tid);
		int pages = known[i].faults > 5000 ? parts[1].pages : parts[0].pages;

		/* Those of its start and end come on top, and those of the other thread until the
		 * next reading where a switch went unseen, as they do on a busy machine. */
		ok(s->sums[FAULTS] >= LEAST * ROUNDS * (pages + READ) &&
		       s->sums[FAULTS] <= (double)known[i].faults + READ,
		   "a thread with %d pages in each turn: %.0f faults, %" PRId64
		   " of its own account",
		   pages + READ, s->sums[FAULTS], known[i].faults);
		cmp_near(s->sums[MINOR] + s->sums[MAJOR], s->sums[FAULTS], 0.01,
			 "minor and major ones are all");
		ok(!s->wrong && s->ns > LEAST * s->ran, "counted from switch to switch");
		cmp_near(s->sums[CLOCK], s->ns, 0.02, "in the time that the counter of it shows");
		ok(s->ns > 0.5 * (double)known[i].ns && s->ns < 3 * (double)known[i].ns,
		   "the thread used %.3g ns, and %.3g are counted", (double)known[i].ns, s->ns);
		if (at_calls)
			ok(s->in_read >= LEAST * ROUNDS * READ &&
			       s->in_read <= 1.01 * ROUNDS * READ,
			   "%.0f of them in its calls", s->in_read);
	}
}

/* Each event has its turns, beside the first; none is counted with another. */
static void test_turns(void)
{
	struct known known[2];

	if (!record(known, 1, 2, false))
		return;
	for (size_t i = 0; i < 2; i++) {
		const struct seen *s = of(known[i].tid);
		size_t n = s->counted[FAULTS] + s->counted[MINOR] + s->counted[MAJOR];

		ok(s->together <= 2 && n <= s->stretches && n + s->stretches / 4 >= s->stretches,
		   "one of three events in %zu of %zu stretches", n, s->stretches);
		ok(s->counted[CLOCK] == s->stretches, "and the first in all");
		ok(s->counted[FAULTS] && s->counted[MINOR] && s->counted[MAJOR],
		   "each has its turns: %zu, %zu, %zu", s->counted[FAULTS], s->counted[MINOR],
		   s->counted[MAJOR]);
		ok(s->sums[FAULTS] < 0.9 * (double)known[i].faults,
		   "so that not all faults are seen");
	}
}

int main(int argc, char **argv)
{
	char name[] = "/tmp/counting.XXXXXX";

	if (argc > 2)
		return run(argv[2]);
	close(mkstemp(name));
	path = name;
	test_threads(false);
	test_threads(true);
	test_turns();
	unlink(path);
	return done_testing();
}
