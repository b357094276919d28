/* SPDX-License-Identifier: MIT */
/* basis.h - rules that map each traced call to the OS primitive that measures it (docs/basis.5). */
#ifndef VECTOR_BASIS_H
#define VECTOR_BASIS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/error.h"
#include "util/vec.h"
#include "vector/appvec.h"

enum { BASIS_ANY_CALL = -1 };

struct basis_rule {
	struct basis_pattern {
		int64_t call;  /* id of a system call, or BASIS_ANY_CALL */
		char *variant; /* NULL: any */
	} * patterns;
	size_t npatterns;
	uint32_t kinds; /* bit per enum fd_kind */
	enum basis_condition {
		ALWAYS,
		IF_OK,
		IF_ERROR,
		IF_ERRNO,
		IF_APPENDS,
		IF_EXISTS,
		IF_SYNCED,
		IF_SYNCED_APPENDS
	} condition;
	int error; /* the errno of IF_ERRNO */
	enum basis_size {
		BASIS_NO_SIZE,
		BASIS_RESULT,
		BASIS_ARGUMENT,
		BASIS_DEPTH,
		BASIS_NUMBER,
	} size;
	double number;	/* argument index or the number itself */
	double divisor; /* of what was returned or passed */
	struct basis_term {
		enum part part;
		double weight;
		char *entry; /* '*' stands for the size */
	} * terms;
	size_t nterms;
	size_t line; /* in the file, for messages */
};

struct basis {
	char *null_entry, *switch_entry, *fault_entry, *wake_entry; /* of the @ lines; or NULL */
	char *fault_kinds[FAULT_KINDS]; /* of the @fault.KIND lines; NULL: as fault_entry */
	VEC(char *) user_entries;
	VEC(struct basis_rule *) rules; /* the first match applies */
};

/* NULL and *e ("basis.conf:12: unknown kind 'tpc'") on any error. */
struct basis *basis_read(const char *path, struct error *e);
/* The same from n bytes in memory; name stands for the file in messages. */
struct basis *basis_parse(const char *text, size_t n, const char *name, struct error *e);
/* NULL is fine. */
void basis_free(struct basis *b);
/* The rule for a call event (with what extents_flags() and exists_event() return in its flags), or
 * NULL: none, it falls to the null call. */
const struct basis_rule *basis_match(const struct basis *b, const struct event *call);
/* The size a rule asks for in this call; NaN when the rule has none. */
double basis_size_of(const struct basis_rule *rule, const struct event *call);

#endif
