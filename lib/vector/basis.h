/* SPDX-License-Identifier: MIT */
/*
 * basis.h - rules that map each traced call to the OS primitive that measures it (conf/basis.conf, docs/basis.5).
 *
 * A text file, one rule a line, first match wins, '#' starts a comment:
 *
 *	CALL[.VARIANT][,...]  KIND[,KIND...]|-  [size=SIZE]  [if=COND]  -> TERM [+|- TERM]...
 *
 *	CALL	a system call; '*' matches any.  VARIANT as syscall_variant() says ("openat.create")
 *	KIND	of the descriptor it works on (fd_kind_name); '-' any
 *	SIZE	ret (bytes returned), argN (argument N, from 0), depth (components of the path), or a
 *		number; "ret/32" and "argN/32" divide
 *	COND	ok, error, an errno (EAGAIN), or appends (appends.h)
 *	TERM	[WEIGHT] ENTRY, an entry of the OS vector; '*' in its name is the size, on a curve
 *
 * "wait" before a term makes it and those after it time spent waiting for a device.  "-> counted ENTRY"
 * adds no cost: ENTRY, to which another call of the same operation is mapped, includes it.
 * Other lines name entries for what is not a call:
 *
 *	@user cpu_int cpu_branch cpu_code	user time scales with these
 *	@switch lat_ctx_shared_0_2		what a switch costs
 *	@fault lat_pagefault_anon-free	what a minor fault costs
 *
 * A call that no rule matches is mapped to "@null lat_syscall_getppid", as a lower bound.
 */
#ifndef BASIS_H
#define BASIS_H

#include <stddef.h>

#include "trace/event.h"
#include "util/error.h"
#include "vector/appvec.h"

struct basis_term {
	enum part part;
	double weight;
	char *entry;
};

enum basis_size { BASIS_NO_SIZE, BASIS_RESULT, BASIS_ARGUMENT, BASIS_DEPTH, BASIS_NUMBER };

struct basis_rule {
	enum basis_size size;
	double number;	/* argument index or the number itself */
	double divisor; /* of what was returned or passed */
	struct basis_term *terms;
	size_t nterms;
	size_t line; /* in the file, for messages */
};

struct basis;

/* NULL and *e ("basis.conf:12: unknown kind 'tpc'") on any error. */
struct basis *basis_read(const char *path, struct error *e);
struct basis *basis_parse(const char *text, size_t n, const char *name, struct error *e);
void basis_free(struct basis *b);
/* The rule for a call event (with CALL_APPENDS set where that is so), or NULL: none, it falls to the
 * null call. */
const struct basis_rule *basis_match(struct basis *b, const struct event *call);
/* The size a rule asks for in this call; NaN when the rule has none. */
double basis_size_of(const struct basis_rule *rule, const struct event *call);
/* The @ lines; words NULL when absent. */
const char *basis_null_entry(const struct basis *b);
const char *basis_switch_entry(const struct basis *b);
const char *basis_fault_entry(const struct basis *b);
const char *const *basis_user_entries(const struct basis *b, size_t *n);

#endif
