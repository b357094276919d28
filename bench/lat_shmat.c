/* SPDX-License-Identifier: MIT */
/*
 * lat_shmat - attaches a segment of System V shared memory of SIZE bytes and detaches it.  All its
 * pages exist, and only the first is touched each time.
 */
#include <err.h>
#include <errno.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include "measure/bench.h"
#include "common/reason.h"

static int segment;
static unsigned char *ours;

static const struct bench_parameter parameters[] = {
	{ "size", BENCH_SIZE, "64k 1m 16m", 1, UINT64_C(1) << 40, .fallback = "64k", .axis = true,
	  .help = "bytes in the segment" },
	{ 0 }
};

/* A segment with a user may be removed at once: it goes when this process ends. */
static const char *supported(void)
{
	void *second;

	segment = shmget(IPC_PRIVATE, bench_number(0), 0600);
	if (segment < 0)
		return reason_errno("shared memory of that size");
	ours = shmat(segment, NULL, 0);
	shmctl(segment, IPC_RMID, NULL);
	second = shmat(segment, NULL, 0);
	return ours == (void *)-1 || second == (void *)-1 || shmdt(second)
		   ? reason_errno("attaching shared memory")
		   : NULL;
}

static void setup(void)
{
	memset(ours, 1, bench_number(0));
}

static void run(uint64_t n)
{
	while (n--) {
		unsigned char *theirs = shmat(segment, NULL, 0);

		if (theirs == (void *)-1)
			err(1, "shmat");
		theirs[0]++;
		if (shmdt(theirs))
			err(1, "shmdt");
	}
}

static void prepare(uint64_t n)
{
	ours[0] = 0;
}

static const char *check(uint64_t n)
{
	return ours[0] == (unsigned char)n ? NULL : "the memory is not shared";
}

const struct bench bench = {
	.summary = "Attaching and detaching a segment of shared memory of SIZE bytes.",
	.operation = "shmat, one page touched, shmdt",
	.parameters = parameters,
	.kernel_entries = 3,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
};
