/* SPDX-License-Identifier: MIT */
/* callstop.h - the system call at whose beginning or end a traced thread has stopped. */
#ifndef CALLSTOP_H
#define CALLSTOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/syscalls.h"

struct callstop {
	bool begins;
	enum abi abi; /* of a call that begins, here and below; ABIS: none that we know */
	uint32_t number;
	uint64_t args[6];
	int64_t result;	 /* of a call that is over: minus the error number when it failed */
	uint64_t ip, sp; /* where: the same again when the kernel restarts a call */
};

/*
 * Reads it from the kernel by PTRACE_GET_SYSCALL_INFO, or where that is missing (Linux before 5.3,
 * gVisor, user-mode Linux) from the registers of x86-64 and arm64; these do not tell a beginning from an end, so
 * `inside` says whether the stop before this one was a beginning.
 * 1; 0 when the stop is none of a system call; -1 and errno: ESRCH when the thread was killed.
 */
int callstop_read(pid_t tid, bool inside, struct callstop *c);

#endif
