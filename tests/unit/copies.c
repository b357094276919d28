/* SPDX-License-Identifier: MIT */
/* Copies of a benchmark at once: they start together, and go on until the last is done. */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "measure/clock.h"
#include "measure/copies.c"
#include "util/monotonic.h"
#include "../tap.h"

enum { COPIES = 3, TIMED = 64, LATE = 1, SLOW = 2 };

/* Seen by all copies. */
static struct {
	_Atomic uint64_t prepared[COPIES], done[COPIES], repeated[COPIES];
	_Atomic uint64_t early; /* timed before all were prepared */
	_Atomic uintptr_t object[COPIES];
	_Atomic int cpu[COPIES];
} * world;

static _Thread_local uintptr_t object; /* of this copy */
static int made;		       /* by all */
static int cpus[CPU_SETSIZE];
static size_t ncpus;

static void pause_milliseconds(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

static void setup(void)
{
	object = (uintptr_t)++made;
}

static const char *shares(void)
{
	return "a number";
}

static void *state(size_t *size)
{
	*size = sizeof(object);
	return &object;
}

static void prepare(uint64_t n)
{
	if (n == TIMED && copies_index() == LATE)
		pause_milliseconds(20);
	world->prepared[copies_index()] += n == TIMED;
}

/* The slow copy ends when the others have gone on; within a while, if they do not. */
static void wait_for_repetition(void)
{
	double end = monotonic_seconds() + 10;
	uint64_t before[COPIES];

	memcpy(before, world->repeated, sizeof(before));
	for (size_t i = 0; i < COPIES; i++)
		while (i != SLOW && world->repeated[i] == before[i] && monotonic_seconds() < end)
			sched_yield();
}

static void run(uint64_t n)
{
	size_t me = copies_index();

	world->object[me] = object;
	world->cpu[me] = sched_getcpu();
	if (n != TIMED) {
		world->repeated[me]++;
		return;
	}
	for (size_t i = 0; i < COPIES; i++)
		world->early += world->prepared[i] < world->prepared[me];
	world->done[me] += n;
	if (me == SLOW)
		wait_for_repetition();
}

static const struct bench bench = {
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.shares = shares,
	.state = state,
};

/* Two batches, as the first copy sees them. */
static void lead(const char *what)
{
	struct batch b = { 0 };
	struct error e;

	ok(!copies_await(), "%s: all follow", what);
	copies_reset();
	for (int i = 0; i < 2; i++)
		if (batch_run(&bench, TIMED, NULL, &b, &e))
			fail("batch: %s", e.text);
	cmp_int((intmax_t)b.n, COPIES * TIMED, "a batch has the operations of all");
	cmp_int((intmax_t)b.runs, COPIES, "in as many calls");
	cmp_int((intmax_t)world->early, 0, "nobody starts before the last is prepared");
	for (size_t i = 0; i < COPIES; i++) {
		cmp_int((intmax_t)world->done[i], 2 * TIMED, "each does all operations");
		if (i != SLOW)
			ok(world->repeated[i] >= 2, "and goes on while the slow one works");
	}
	ok(b.alone >= 0 && b.alone <= b.ticks * 1, "time alone is within the time");
	ok(copies_ticks(SLOW) > 0 && copies_together() > 0 && copies_together() <= 1,
	   "each copy has a time of its own");
	for (size_t i = 0; i < COPIES && ncpus; i++)
		cmp_int(world->cpu[i], cpus[i % ncpus], "copy %zu has the next CPU", i);
	copies_reset();
	ok(isnan(copies_together()) && all.ticks[0].n == 0, "and can be forgotten");
	copies_finish();
}

static void begin(void)
{
	memset(world, 0, sizeof(*world));
	made = 0;
	setup();
	copies_open(COPIES, cpus, ncpus);
}

static void test_processes(void)
{
	begin();
	copies_fork();
	copies_settle(ACCOUNT_TOGETHER);
	if (copies_index()) {
		copies_follow(&bench);
		_exit(0);
	}
	lead("processes");
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no process is left");
}

static void test_threads(bool shared)
{
	begin();
	copies_start_threads(&bench, shared);
	copies_settle(ACCOUNT_THREAD);
	lead(shared ? "threads on one object" : "threads on objects of their own");
	bool same = world->object[0] == world->object[1] && world->object[0] == world->object[2],
	     differ = world->object[0] != world->object[1] &&
		      world->object[0] != world->object[2] && world->object[1] != world->object[2];
	ok(shared ? same : differ, "which they have");
	cmp_int(made, shared ? 1 : COPIES, "and no other was made");
}

/* Of copies that cannot follow the first says why. */
static void test_refusal(void)
{
	begin();
	copies_fork();
	if (copies_index() == 2)
		copies_refuse("the moon is not full");
	if (copies_index()) {
		while (!*all.board->reason)
			pause_milliseconds(1);
		copies_refuse("the sun shines");
	}
	is_string(copies_await(), "the moon is not full", "the first reason of several");
	copies_finish();
}

/* Another copy that ends early ends the first with its status. */
static void test_death(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		copies_open(COPIES, NULL, 0);
		copies_fork();
		if (copies_index() == 1)
			_exit(7);
		if (!copies_index())
			copies_await();
		copies_follow(&bench);
		_exit(0);
	}
	ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7,
	   "a copy that ends takes the first with it");
}

static void test_reasons(void)
{
	static const struct bench plain = { .run = run };

	ok(copies_reason(&plain, true, false) && copies_reason(&plain, false, true),
	   "a benchmark says what its copies share, and if threads can run it");
	ok(!copies_reason(&plain, false, false) && !copies_reason(&bench, true, true),
	   "processes of their own need no more");
}

int main(void)
{
	alarm(100); /* a fault may let copies wait for each other for ever */
	world =
	    mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	clock_choose_best();
	ncpus = cpus_allowed(cpus);
	cmp_int((intmax_t)copies_count(), 1, "without copies there is one");
	test_reasons();
	test_processes();
	test_threads(false);
	test_threads(true);
	test_refusal();
	test_death();
	return done_testing();
}
