/* SPDX-License-Identifier: MIT */
/*
 * lat_membarrier - membarrier(2): a memory barrier in all threads of this process that run
 * (private, by interrupts to their CPUs), or in all processes (global, by waiting until every CPU
 * has switched); rseq also lets restartable sequences (lat_rseq) of the threads begin again.
 */
#include <err.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/reason.h"
#include "common/team.h"

/* Of <linux/membarrier.h>, whose older versions lack some. */
enum {
	GLOBAL = 1,
	PRIVATE = 1 << 3,
	REGISTER_PRIVATE = 1 << 4,
	RSEQ = 1 << 7,
	REGISTER_RSEQ = 1 << 8,
};

static const int commands[] = { PRIVATE, GLOBAL, RSEQ };
static const int first[] = { REGISTER_PRIVATE, GLOBAL, REGISTER_RSEQ };

static const struct bench_parameter parameters[] = {
	{ "what", BENCH_CHOICE, "private global rseq",
	  .help = "threads concerned: of this process, of all, or of this one with its restartable "
		  "sequences" },
	{ "threads", BENCH_COUNT, "0 1 3 7", 0, 1023, .fallback = "0",
	  .help = "other threads running meanwhile" },
	{ 0 }
};

static const char *supported(void)
{
	if (syscall(SYS_membarrier, first[bench_choice(0)], 0, 0))
		return reason_errno("membarrier");
	return team_reason(bench_number(1));
}

static void setup(void)
{
	if (bench_number(1))
		team_start(bench_number(1));
}

static void prepare(uint64_t n)
{
	team_gather();
}

static void run(uint64_t n)
{
	while (n--)
		if (syscall(SYS_membarrier, commands[bench_choice(0)], 0, 0))
			err(1, "membarrier");
}

const struct bench bench = {
	.summary = "A memory barrier in other threads by membarrier(2).",
	.operation = "one barrier",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
};
