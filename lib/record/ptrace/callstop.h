/* SPDX-License-Identifier: MIT */
/* callstop.h - the system call at whose entry or exit a traced thread has stopped. */
#ifndef CALLSTOP_H
#define CALLSTOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/syscalls.h"

struct callstop {
	bool begins;
	enum abi abi; /* at entry, like number and args; ABIS: unknown */
	uint32_t number;
	uint64_t args[6];
	int64_t result;	 /* at exit: minus the error number when the call failed */
	uint64_t ip, sp; /* the same again when the kernel restarts the call */
};

/*
 * Reads it from the kernel by PTRACE_GET_SYSCALL_INFO, or where that is missing (Linux before 5.3,
 * gVisor, user-mode Linux) from the registers of x86-64 and arm64, which do not show whether it is an entry or an exit:
 * `inside` says whether the stop before this one was an entry.
 * 1; 0 when this is not the stop of a system call; -1 and errno: ESRCH when the thread was killed.
 */
int callstop_read(pid_t tid, bool inside, struct callstop *c);

#endif
