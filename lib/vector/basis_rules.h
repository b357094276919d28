/* SPDX-License-Identifier: MIT */
/* basis_rules.h - what the reader and the matcher of a basis share; private to them. */
#ifndef BASIS_RULES_H
#define BASIS_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/vec.h"
#include "vector/basis.h"

enum {
	BASIS_LIMIT = 64 << 10, /* bytes of a file */
	ANY_CALL = -1,
};

/* A call of a rule's list. */
struct pattern {
	int64_t call;  /* id, or ANY_CALL */
	char *variant; /* NULL: any */
};

enum condition { ALWAYS, IF_OK, IF_ERROR, IF_ERRNO, IF_APPENDS };

struct rule {
	struct basis_rule public; /* first: what the caller sees */
	VEC(struct pattern) patterns;
	uint32_t kinds; /* bit per enum fd_kind */
	enum condition condition;
	int number; /* the errno of IF_ERRNO */
};

struct words {
	char **v;
	size_t n, cap;
};

/* Rules that can match one call, in the order of the file. */
struct candidates {
	struct rule **v;
	size_t n, cap;
	bool known;
};

struct basis {
	VEC(struct rule *) rules;
	VEC(struct candidates) calls; /* by call id; filled when a call is first seen */
	char *null_entry, *switch_entry, *fault_entry;
	struct words user;
};

/* NULL is not fine. */
void basis_rule_free(struct rule *r);

#endif
