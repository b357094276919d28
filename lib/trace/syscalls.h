/* SPDX-License-Identifier: MIT */
/* syscalls.h - the system calls of Linux: names, numbers, arguments. */
#ifndef SYSCALLS_H
#define SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

enum abi { ABI_X86_64, ABI_ARM64, ABI_I386, ABIS };

/* clang-format off */
enum argument {
	ARG_NONE, ARG_INT, ARG_HEX, ARG_FD, ARG_PATH, ARG_POINTER, ARG_SIZE, ARG_FLAGS, ARG_MODE,
	ARG_OFFSET, ARG_SIGNAL, ARG_PID, ARG_DIRFD,
	ARG_COUNT	/* how many kinds there are */
};
/* clang-format on */

enum returns {
	RETURNS_INT,
	RETURNS_BYTES,
	RETURNS_FD,
	RETURNS_POINTER,
	RETURNS_PID,
	RETURNS_NOTHING,
};

struct syscall {
	const char *name;
	int number[ABIS];    /* -1: not in that ABI */
	uint8_t argument[6]; /* enum argument; ARG_NONE from the first missing one */
	uint8_t returns;     /* enum returns */
};

/*
 * Ids are dense, start at 0, and stay the same within one process; never store them in a file.
 * The functions here share one table of a process, for one thread at a time.
 */

/*
 * The id of a number; a number without a name gets one ("syscall_512"), and so does every number of an
 * ABI that is none of these, ABIS ("foreign_512").
 */
unsigned syscall_by_number(enum abi abi, unsigned number);
/*
 * The id of a name; an unknown name is added, without numbers.  After 2047 unknown names all
 * further ones are "other", so that a damaged log cannot fill the memory.
 */
unsigned syscall_by_name(const char *name);
/* The same for a name of n bytes without a NUL; only the first 63 count. */
unsigned syscall_by_name_n(const char *name, size_t n);
/* The row of an id; valid until a new name is added. */
const struct syscall *syscall_get(unsigned id);
/* How many ids there are now. */
unsigned syscall_count(void);
/* The ABI this program is built for. */
enum abi syscall_native_abi(void);

/*
 * The variant of a call that matters for its cost, or NULL: "thread", "process", "vfork" of
 * clone; "create" of openat with O_CREAT; "lock" of fcntl; "wait", "wake" of futex; "anon",
 * "file" of mmap; "probe" of kill without a signal. All are rows of syscall_variants.c.
 */
const char *syscall_variant(const struct event *e);
/* "ENOENT" of 2; NULL when unknown. */
const char *errno_name(int number);
/* 2 of "ENOENT"; 0 when unknown. */
int errno_number(const char *name);

#endif
