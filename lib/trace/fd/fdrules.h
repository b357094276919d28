/* SPDX-License-Identifier: MIT */
/* fdrules.h - what calls do to descriptor tables, as data for fdtable.c. */
#ifndef FDRULES_H
#define FDRULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/syscalls.h"

enum fd_action {
	MAKES,	    /* a descriptor out of nothing */
	RECEIVES,   /* one for an object made elsewhere */
	OPENS,	    /* one for a path */
	SOCKET,	    /* its kind is in the arguments */
	PAIR,	    /* two, in args[4] and args[5] */
	ACCEPTS,    /* another of the kind it works on */
	DUPLICATES, /* another for the same object */
	CONTROLS,   /* fcntl */
	CLOSES,
	CLOSES_RANGE,
	SETS_CLOEXEC, /* ioctl */
	UNSHARES,
};

/* In place of an argument: no flags, and what holds instead. */
enum { NEVER = -1, ALWAYS = -2 };

struct fd_rule {
	const char *call;
	enum fd_action action;
	enum fd_kind kind; /* of the new object */
	int cloexec;	   /* the argument that says whether it is closed on exec */
	uint64_t bit;	   /* its bit that says so */
};

extern const struct fd_rule fd_rules[];
extern const size_t fd_rule_rows;

/* What a call that succeeded says about a descriptor that nobody has seen made. */
struct fd_hint {
	const char *call;
	enum fd_kind kind;
};

extern const struct fd_hint fd_hints[];
extern const size_t fd_hint_rows;

/* What a path opened with these flags most likely is. */
enum fd_kind fd_kind_of_path(enum abi abi, const char *path, uint64_t flags);
/* What socket(2) makes of these arguments. */
enum fd_kind fd_kind_of_socket(unsigned family, unsigned type, unsigned protocol);
/* Any kind of socket? */
bool fd_kind_is_socket(enum fd_kind kind);

#endif
