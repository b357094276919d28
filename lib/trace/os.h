/* SPDX-License-Identifier: MIT */
/*
 * os.h - an operating system as data: its system calls, error numbers, flags, and what its calls do
 * to descriptors.
 *
 * A new system is one file of tables, lib/trace/os/NAME.c, that defines a struct os, a declaration
 * here and a row in os.c.  What it lacks may be empty: a number without a name is printed as a
 * number.
 */
#ifndef TRACE_OS_H
#define TRACE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/* The instruction set and calling convention of a program, where the numbers of calls depend on it.
 * Those of the BSDs do not, and have ABI_OTHER.  The numbers are in files: add at the end. */
enum abi { ABI_X86_64, ABI_ARM64, ABI_I386, ABI_OTHER, ABIS };

/* What an argument is.  The tables of calls are written in these letters. */
enum argument {
	ARG_NONE = '\0',
	ARG_INT = 'i',
	ARG_HEX = 'x',
	ARG_FD = 'f',
	ARG_DIRFD = 'd', /* a descriptor of a directory, in front of a path */
	ARG_PATH = 's',
	ARG_POINTER = 'p',
	ARG_SIZE = 'n',
	ARG_OFFSET = 'o',
	ARG_FLAGS = 'b',
	ARG_MODE = 'm',
	ARG_SIGNAL = 'g',
	ARG_PID = 't',
};

enum returns {
	RETURNS_INT,
	RETURNS_BYTES,
	RETURNS_FD,
	RETURNS_POINTER,
	RETURNS_PID,
	RETURNS_NOTHING, /* never returns: exit */
};

/* What a call does to the thread that makes it. */
enum role {
	ROLE_NONE,
	ROLE_FORK,	/* makes a thread or process, and returns twice */
	ROLE_EXEC,	/* starts another program */
	ROLE_RESTART,	/* goes on with an interrupted call */
	ROLE_SIGRETURN, /* returns from the handler of a signal */
};

/* What a call does with the bytes of the object that it works on. */
enum transfer {
	TRANSFER_NONE,
	TRANSFER_WRITES, /* the result is the number of bytes, here and for TRANSFER_READS */
	TRANSFER_READS,
	TRANSFER_UNKNOWN, /* it may have moved bytes, but the trace does not say how many */
};

struct syscall {
	const char *name;
	int number[ABIS]; /* -1: the ABI does not have the call */
	char argument[7]; /* enum argument, up to six and ARG_NONE */
	uint8_t returns;  /* enum returns */
	const char *as;	  /* the Linux call that does the same under another name, or NULL */
	unsigned
	    same; /* this and the following set by syscalls.c: id of the Linux call of that name */
	uint8_t role;	  /* enum role, of the same */
	uint8_t transfer; /* enum transfer, by its name */
	const struct os *os;
};

/* A use of a call that costs differently from others: (args[argument] & mask) == value is WORD. */
struct syscall_variant {
	const char *call;
	unsigned argument;
	uint64_t mask, value;
	const char *word;
};

/* A name that stands for a number: a flag, a signal, an ioctl. */
struct constant {
	const char *name;
	int64_t value;
};

/* What a call does to the descriptors of its process. */
enum fd_action {
	FD_MAKES,	 /* makes a descriptor of a new object */
	FD_RECEIVES,	 /* makes one of an object that was made elsewhere */
	FD_OPENS,	 /* makes one of a path */
	FD_MAKES_SOCKET, /* makes one of a new socket; the arguments say of which kind */
	FD_MAKES_PAIR,	 /* makes two, in args[4] and args[5] */
	FD_ACCEPTS,	 /* makes another socket of the kind it works on */
	FD_DUPLICATES,	 /* makes another one of the same object */
	FD_CONTROLS,	 /* fcntl */
	FD_CLOSES,
	FD_CLOSES_RANGE,
	FD_SETS_CLOEXEC, /* ioctl */
	FD_UNSHARES,
};

/* In place of the number of an argument with a flag: the descriptor is never, or always, closed on
 * exec. */
enum { FD_NEVER = -1, FD_ALWAYS = -2 };

struct fd_rule {
	const char *call;
	enum fd_action action;
	enum fd_kind kind; /* of the new object */
	int cloexec;	   /* the argument with the flag that closes it on exec */
	uint64_t bit;	   /* that flag */
};

/* A call that succeeds on a descriptor of unknown kind only if it is of this kind. */
struct fd_hint {
	const char *call;
	enum fd_kind kind;
};

/* An argument whose numbers have names among the constants of the system. */
struct os_flags {
	const char *call;
	uint8_t argument; /* from 0 */
	const char
	    *words;	 /* how the names begin ("O_") or, after a '*', end; separated by blanks */
	uint64_t mask;	 /* bits that are one number, not flags; all bits: it is a command */
	const char *low; /* other words for that number, which is then always named; or NULL */
};

/* What open may do besides; indices into opens of struct os. */
enum opens { OPENS_APPENDING, OPENS_CREATING, OPENS_CUTTING, OPENS_SYNCING, OPENS };

/* Each table ends with a row without a name. */
struct os {
	const char *name;
	uint8_t number; /* in files (docs/ktr.5) */
	const struct syscall *calls;
	const struct syscall_variant *variants; /* the first row of a call that is true counts */
	const struct constant *errnos; /* a second name of a number comes after the first */
	const struct constant *constants;
	const struct os_flags *flags; /* or NULL */
	const struct fd_rule *fd_rules;
	const struct fd_hint *fd_hints;
	/* Flags and commands whose numbers the descriptor table needs. */
	const uint64_t (*o_by_abi)[ABIS]; /* O_DIRECTORY of open, and others that an ABI has moved;
					   * a row of zeros ends them */
	uint64_t o_tmpfile, opens[OPENS]; /* O_APPEND, O_CREAT, O_TRUNC, O_DSYNC */
	int f_dupfd, f_dupfd_cloexec, f_setfd; /* of fcntl */
	uint32_t fioclex, fionclex;	       /* of ioctl */
	unsigned close_range_unshare, close_range_cloexec, unshare_files;
	unsigned af_unix, af_inet, af_inet6, af_netlink; /* of socket; UINT_MAX: none */
	unsigned socket_type_mask;
};

extern const struct os os_linux, os_freebsd, os_netbsd, os_openbsd, os_macos;

/* Returns the system that has that number in files, or NULL. */
const struct os *os_by_number(unsigned number);
/* Returns the number of rows in the table of calls of a system. */
size_t os_calls(const struct os *os);
/* Returns the name of an error number, "ENOENT" for 2, or NULL if the system has no name for it. */
const char *errno_name(const struct os *os, int number);
/* Returns the number of an error, 2 for "ENOENT", or 0 if the system has no such error. */
int errno_number(const struct os *os, const char *name);
/*
 * Stores the value of the constant or error whose name is the n bytes at `name`, as the C library
 * has it on the machine that this is built for.  Returns false if it is unknown.
 */
bool os_constant(const struct os *os, const char *name, size_t n, int64_t *value);
/* Returns the kind of socket that socket(2) makes with these arguments. */
enum fd_kind os_socket_kind(const struct os *os, unsigned family, unsigned type, unsigned protocol);

#endif
