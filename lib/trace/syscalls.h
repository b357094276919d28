/* SPDX-License-Identifier: MIT */
/*
 * syscalls.h - the system calls that occur in traces, each with an id.
 *
 * An id stands for one call of one operating system and so determines its name, its arguments and
 * the meaning of its error numbers.  Ids are dense, start with the table of Linux, and are the same
 * as long as the process lives; never store them in a file.  What matches calls by name in all
 * systems compares the `same` of their rows.  The functions are for one thread at a time.
 */
#ifndef TRACE_SYSCALLS_H
#define TRACE_SYSCALLS_H

#include "trace/os.h"

/*
 * Returns the id of the call with that number.  A number without a name gets one ("syscall_512"),
 * and so does a number of the unknown ABI ABIS ("foreign_512").
 */
unsigned syscall_of_number(const struct os *os, enum abi abi, unsigned number);
/*
 * Returns the id of a name; an unknown name is added, without numbers.  After 2047 unknown names
 * all further ones are "other", so that a damaged log cannot fill the memory.
 */
unsigned syscall_of_name(const struct os *os, const char *name);
/* Returns an EVENT_URING as a call of its own, "io_uring_read" for IORING_OP_READ, on its
 * descriptor if it takes one. */
struct event syscall_of_uring(const struct event *e);
/* Returns the row of an id, valid until a new name is added. */
const struct syscall *syscall_get(unsigned id);
/* Returns the ABI that this program is built for. */
enum abi syscall_native_abi(void);

/* Returns the id of the Linux call with that number. */
static inline unsigned syscall_by_number(enum abi abi, unsigned number)
{
	return syscall_of_number(&os_linux, abi, number);
}

/* Returns the id of the Linux call with that name. */
static inline unsigned syscall_by_name(const char *name)
{
	return syscall_of_name(&os_linux, name);
}

/* Does the same for a name of n bytes without a NUL, of which only the first 63 count. */
unsigned syscall_by_name_n(const char *name, size_t n);

/* Returns the id of the Linux call with the same name, which is what rules and options mean by it.
 */
static inline unsigned syscall_same(unsigned id)
{
	return syscall_get(id)->same;
}

/* Returns what a call does to the thread that makes it. */
static inline enum role syscall_role(unsigned id)
{
	return (enum role)syscall_get(id)->role;
}

/* Returns whether a call never returns to its thread: exit, exit_group and what is like them. */
static inline bool syscall_never_returns(unsigned id)
{
	return syscall_get(id)->returns == RETURNS_NOTHING;
}

/* Returns the CLONE_ flags of a call of Linux that makes a thread or process, as far as the source
 * has them, and 0 for another call or NULL. */
uint64_t syscall_clone_flags(const struct event *call);

/* Returns whether a call is exit_group of Linux, which ends its process, and stores the wait(2)
 * status that the process ends with; -1: the source does not have it. */
bool syscall_ends_process(const struct event *call, int *status);

/* Returns whether a call opens a path and does `also`, too. */
bool syscall_opens(const struct event *call, enum opens also);

/* Returns whether a call is in the table of Linux, rather than added by a trace. */
bool syscall_is_known(unsigned id);

/* Returns whether the error number of a call of any system means what `number` means on Linux. */
bool syscall_errno_is(unsigned id, int64_t result, int number);

/*
 * Returns the variant of a call that matters for its cost, or NULL: "thread", "process", "vfork" of
 * clone; "create" of openat with O_CREAT; "wait", "wake" of futex; ...  See struct os.
 */
const char *syscall_variant(const struct event *e);

#endif
