/* SPDX-License-Identifier: MIT */
/* strace_args.h - what strace wrote between the parentheses, as numbers, paths, descriptors. */
#ifndef STRACE_ARGS_H
#define STRACE_ARGS_H

#include "trace/event.h"
#include "trace/format/strace/strace_scratch.h"
#include "trace/format/strace/strace_line.h"
#include "trace/syscalls.h"

/*
 * The arguments as numbers where they are: decimal, hexadecimal, octal, names joined by '|'.  A
 * pointer of which strace shows the target is 1, a name that is not known counts 0.  Descriptors
 * and flags that strace shows in memory go where event.h says.
 */
void strace_numbers(const struct strace_call *call, const struct syscall *row, uint64_t *args);
/* The first path among the arguments, decoded, or NULL. */
const char *strace_path(const struct strace_call *call, const struct syscall *row,
			struct scratch *scratch);
/* The argument list of an execve as words for a shell; its path when that is not shown. */
const char *strace_command(const struct strace_call *call, struct scratch *scratch);

/* A descriptor with what -y says about it. */
struct strace_fd {
	int fd;
	enum fd_kind kind; /* FD_UNKNOWN: the decoration does not say */
	const char *name;
};

/* The decorated descriptor of an argument; false when it has no decoration. */
bool strace_decorated(struct span arg, struct scratch *scratch, struct strace_fd *out);
/* What stands in <>, as kind and name. */
void strace_decoration(struct span decoration, struct scratch *scratch, struct strace_fd *out);

#endif
