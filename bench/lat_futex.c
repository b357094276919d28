/* SPDX-License-Identifier: MIT */
/*
 * lat_futex - FUTEX_WAKE of a futex without waiters (wake), or a token passed to another process
 * and back, each sleeping until it arrives (pingpong).  wake uses a private futex, as threads do; a
 * shared futex, which the kernel finds by its page, costs more.
 */
#include <err.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"

enum { WAKE, PINGPONG };
enum { OURS, THEIRS }; /* who has the token */

static _Atomic uint32_t *token;
static int peer, wake_call = FUTEX_WAKE_PRIVATE;

static const struct bench_parameter parameters[] = {
	{ "what", BENCH_CHOICE, "wake pingpong", .help = "to measure" }, { 0 }
};

static long wake(void)
{
	return syscall(SYS_futex, token, wake_call, 1, NULL, NULL, 0);
}

static void await(uint32_t owner)
{
	while (atomic_load(token) != owner)
		if (syscall(SYS_futex, token, FUTEX_WAIT, !owner, NULL, NULL, 0) &&
		    errno != EAGAIN && errno != EINTR)
			err(1, "futex wait");
}

static void pass(uint32_t to)
{
	atomic_store(token, to);
	if (wake() < 0)
		err(1, "futex wake");
}

static void setup(void)
{
	token =
	    mmap(NULL, sizeof(*token), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (token == MAP_FAILED)
		err(1, "mmap");
	if (bench_choice(0) == PINGPONG)
		wake_call = FUTEX_WAKE;
	peer = bench_choice(0) == PINGPONG ? bench_fork() : -1;
	while (!peer) {
		await(THEIRS);
		pass(OURS);
	}
}

static void run(uint64_t n)
{
	if (bench_choice(0) == WAKE) {
		while (n--)
			if (wake())
				err(1, "futex wake");
		return;
	}
	while (n--) {
		pass(THEIRS);
		await(OURS);
	}
}

const struct bench bench = {
	.summary = "Waking nobody through a futex, or passing a token there and back.",
	.operation = "one wake, or one round trip",
	.parameters = parameters,
	.parties = BENCH_TWO,
	.kernel_entries = 1,
	.setup = setup,
	.run = run,
};
