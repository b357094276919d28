/* SPDX-License-Identifier: MIT */
/*
 * lat_futex - futex(2), of threads where nothing else is said:
 *
 * wake: FUTEX_WAKE without waiters; wait: FUTEX_WAIT for a value that has changed, which returns at
 * once; hash: the same of many futexes in turn; pi: FUTEX_LOCK_PI and FUTEX_UNLOCK_PI of a free
 * lock; requeue: FUTEX_CMP_REQUEUE of one waiter, a process; pingpong: a token passed to another
 * process and back, each sleeping until it arrives.  The futexes of processes, which the kernel
 * finds by their page, cost more.
 */
#include <err.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/memory.h"

enum { WAKE, PINGPONG, WAIT, HASH, PI, REQUEUE };
enum { OURS, THEIRS };			/* who has the token */
enum { FUTEXES = 1024, EACH = 64 / 4 }; /* a cache line to each */

static _Thread_local _Atomic uint32_t *words; /* the token is the first */
static _Thread_local uint64_t next;	      /* futex of hash and requeue */

static const struct bench_parameter parameters[] = {
	{ "what", BENCH_CHOICE, "wake pingpong wait hash pi requeue",
	  .help = "wake, wait, requeue: calls; hash: of many futexes; pi: a lock; pingpong: a "
		  "token passed" },
	{ 0 }
};

static long call(_Atomic uint32_t *word, int operation, uint32_t value)
{
	return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static void await(uint32_t owner)
{
	while (atomic_load(words) != owner)
		if (call(words, FUTEX_WAIT, !owner) && errno != EAGAIN && errno != EINTR)
			err(1, "futex wait");
}

static void pass(uint32_t to)
{
	atomic_store(words, to);
	if (call(words, FUTEX_WAKE, 1) < 0)
		err(1, "futex wake");
}

/* False if no process waits at the futex from which it is to be moved. */
static bool requeue(void)
{
	_Atomic uint32_t *from = &words[next % 2 * EACH], *to = &words[(next + 1) % 2 * EACH];

	if (syscall(SYS_futex, from, FUTEX_CMP_REQUEUE, 0, 1L, to, 0) != 1)
		return false;
	next++;
	return true;
}

static bool wait_changed(_Atomic uint32_t *word)
{
	return call(word, FUTEX_WAIT_PRIVATE, 1) && errno == EAGAIN;
}

static bool wait_next(void)
{
	return wait_changed(&words[next++ % FUTEXES * EACH]);
}

/* name, the operation: false when it fails */
#define OPERATIONS(row) \
	row(WAKE, !call(words, FUTEX_WAKE_PRIVATE, 1)) \
	    row(PINGPONG, (pass(THEIRS), await(OURS), true)) row(WAIT, wait_changed(words)) \
		row(HASH, wait_next()) row(PI, !call(words, FUTEX_LOCK_PI_PRIVATE, 0) && \
						   !call(words, FUTEX_UNLOCK_PI_PRIVATE, 0)) \
		    row(REQUEUE, requeue())
#define CASE(name, operation) \
	case name: \
		while (n--) \
			if (!(operation)) \
				err(1, "futex"); \
		return;

static void run(uint64_t n)
{
	switch (bench_choice(0)) {
		OPERATIONS(CASE)
	}
}

static void setup(void)
{
	words = memory_shared(FUTEXES * EACH * sizeof(*words));
	int peer = bench_choice(0) == PINGPONG || bench_choice(0) == REQUEUE ? bench_fork() : -1;
	while (!peer && bench_choice(0) == REQUEUE)
		call(words, FUTEX_WAIT, 0);
	while (!peer) {
		await(THEIRS);
		pass(OURS);
	}
	while (bench_choice(0) == REQUEUE && !requeue())
		bench_relax();
}

static const char *supported(void)
{
	static _Atomic uint32_t lock;

	if (bench_choice(0) == PI && call(&lock, FUTEX_LOCK_PI_PRIVATE, 0))
		return "this kernel has no futexes that inherit priority";
	return NULL;
}

static void *state(size_t *size)
{
	*size = sizeof(words);
	return bench_choice(0) == PINGPONG || bench_choice(0) == REQUEUE ? NULL : &words;
}

/* A lock is not always free when several threads take it. */
static const char *shares(void)
{
	return bench_is_threaded() && bench_choice(0) != PI ? "the futexes" : NULL;
}

const struct bench bench = {
	.summary = "A call of futex(2) that does not sleep, or a token passed there and back.",
	.operation = "one call; pi: two; pingpong: a round trip",
	.parameters = parameters,
	.parties = BENCH_TWO,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.run = run,
	.shares = shares,
	.state = state,
};
