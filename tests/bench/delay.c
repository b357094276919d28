/* SPDX-License-Identifier: MIT */
/*
 * delay CALL RULES COMMAND... - runs the command with one system call made slower: a seccomp filter
 * that goes through so many rules for this call, and through none for others.
 * What every call pays for being filtered at all comes on top.
 */
#include <err.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "trace/syscalls.h"
#include "util/number.h"
#include "util/xalloc.h"

enum { RULES_MAX = BPF_MAXINSNS - 4 };

int main(int argc, char **argv)
{
	int number =
	    argc > 1 ? syscall_get(syscall_by_name(argv[1]))->number[syscall_native_abi()] : -1;
	unsigned short n = 0;
	uint64_t rules;

	if (argc < 4 || number < 0 || !number_parse_u64(argv[2], &rules) || rules > RULES_MAX) {
		fprintf(stderr, "usage: delay CALL RULES COMMAND... (at most %d rules)\n",
			RULES_MAX);
		return 2;
	}
	struct sock_filter *filter = xcalloc(rules + 4, sizeof(*filter));

	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						   offsetof(struct seccomp_data, nr));
	filter[n++] =
	    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 1, 0);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	/* The kernel remembers which calls a filter allows by their number alone; an argument makes it
	 * look each time. */
	while (rules--)
		filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
							   offsetof(struct seccomp_data, args[5]));
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { n, filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		err(1, "no seccomp filter");
	execvp(argv[3], argv + 3);
	err(127, "%s", argv[3]);
}
