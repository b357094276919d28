/* SPDX-License-Identifier: MIT */
/*
 * syscalls.h - the system calls that occur in traces, each with an id.
 *
 * An id stands for one call of one operating system and so determines its name, its arguments and
 * the meaning of its error numbers.  Ids are dense, start with the table of Linux, and are the same
 * as long as the process lives; never store them in a file.  What matches calls by name in all
 * systems compares the `same` of their rows.  The functions are for one thread at a time.
 */
#ifndef SYSCALLS_H
#define SYSCALLS_H

#include "trace/os.h"

/*
 * The id of the call with that number; a number without a name gets one ("syscall_512"), and so
 * does a number of the unknown ABI ABIS ("foreign_512").
 */
unsigned syscall_of_number(const struct os *os, enum abi abi, unsigned number);
/*
 * The id of a name; an unknown name is added, without numbers.  After 2047 unknown names all
 * further ones are "other", so that a damaged log cannot fill the memory.
 */
unsigned syscall_of_name(const struct os *os, const char *name);
/* An EVENT_URING as a call of its descriptor, if it takes one: "io_uring_read" of IORING_OP_READ.
 */
struct event syscall_of_uring(const struct event *e);
/* The row of an id; valid until a new name is added. */
const struct syscall *syscall_get(unsigned id);
/* The ABI this program is built for. */
enum abi syscall_native_abi(void);

/* The same for calls of Linux. */
static inline unsigned syscall_by_number(enum abi abi, unsigned number)
{
	return syscall_of_number(&os_linux, abi, number);
}

static inline unsigned syscall_by_name(const char *name)
{
	return syscall_of_name(&os_linux, name);
}

/* The same for a name of n bytes without a NUL; only the first 63 count. */
unsigned syscall_by_name_n(const char *name, size_t n);

/* The id of the Linux call of that name: what rules and options mean by a name. */
static inline unsigned syscall_same(unsigned id)
{
	return syscall_get(id)->same;
}

static inline enum role syscall_role(unsigned id)
{
	return (enum role)syscall_get(id)->role;
}

/* The CLONE_ flags of a call of Linux that makes a thread or process, as far as the source has
 * them; 0: none, or another call, or NULL. */
uint64_t syscall_clone_flags(const struct event *call);

/* True of a call that opens a path and does this too. */
bool syscall_opens(const struct event *call, enum opens also);

/* True of a call in the table of Linux, whatever a trace has brought. */
bool syscall_is_known(unsigned id);

/* True if the error number of a call of any system means the same as `number` does on Linux. */
bool syscall_errno_is(unsigned id, int64_t result, int number);

/*
 * The variant of a call that matters for its cost, or NULL: "thread", "process", "vfork" of clone;
 * "create" of openat with O_CREAT; "wait", "wake" of futex; ...: see struct os.
 */
const char *syscall_variant(const struct event *e);

#endif
