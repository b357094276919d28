/* SPDX-License-Identifier: MIT */
/*
 * lat_seccomp - the null call of lat_syscall under a seccomp filter of COUNT instructions, each of
 * which it executes, as a list of calls has.  Compare with lat_syscall getppid.
 *
 * The filter reads an argument of the call: the kernel remembers what filters say that look at the
 * number alone (bitmap), and does not run them any more.
 */
#include <err.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/reason.h"

static const struct bench_parameter parameters[] = {
	{ "count", BENCH_COUNT, "4 16 64 256 1024", 4, BPF_MAXINSNS, .axis = true,
	  .help = "instructions of the filter" },
	{ "reads", BENCH_CHOICE, "argument number", .fallback = "argument",
	  .help = "what the filter reads: an argument, or only the number of the call" },
	{ 0 }
};

enum { NO_CALL = 1 << 20 }; /* nor argument */

static struct sock_filter filter[BPF_MAXINSNS];

static const char *supported(void)
{
	unsigned short n = (unsigned short)bench_number(0);
	struct sock_fprog program = { .len = n, .filter = filter };
	uint32_t what = bench_choice(1) ? offsetof(struct seccomp_data, nr)
					: offsetof(struct seccomp_data, args);

	filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, what);
	for (unsigned short i = 1; i < n - 1; i++)
		filter[i] =
		    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NO_CALL + i, 0, 0);
	filter[n - 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return reason_errno("a seccomp filter");
	return NULL;
}

static void run(uint64_t n)
{
	while (n--)
		if (syscall(SYS_getppid, 0) < 0)
			err(1, "getppid");
}

const struct bench bench = {
	.summary = "The null call under a seccomp filter of COUNT instructions.",
	.operation = "one getppid under the filter",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.run = run,
};
