/* SPDX-License-Identifier: MIT */
/* tsdl.h - for ctf_metadata.c: the words of TSDL (tsdl.c), and its types (tsdl_types.c). */
#ifndef TSDL_H
#define TSDL_H

#include "trace/format/ctf/ctf_types.h"

enum { TSDL_NAME = 128 }; /* bytes of a name; longer ones are cut */

struct tsdl {
	struct ctf_metadata *m;
	const char *p; /* behind the token at hand */
	const char *start;
	char token[TSDL_NAME]; /* a word, a number, a punctuation mark, or what a string holds */
	bool is_word, is_string, failed;
	const char *name; /* of the trace */
	struct error *e;
	unsigned depth; /* of types in types */
};

/* The text is wrong here: sets *p->e, if it was right so far. */
void tsdl_fail(struct tsdl *p, const char *what);
/* Goes on to the next token; none is left if it is empty. */
void tsdl_advance(struct tsdl *p);
/* True at that token. */
bool tsdl_at(const struct tsdl *p, const char *token);
/* True at the end, or behind a fault. */
bool tsdl_at_end(const struct tsdl *p);
/* Goes behind that token; false if another one is there. */
bool tsdl_accept(struct tsdl *p, const char *token);
/* The same; another one is a fault. */
void tsdl_expect(struct tsdl *p, const char *token);
/* Goes behind a number. */
int64_t tsdl_number(struct tsdl *p);
/* Goes behind the ';' of a statement, or to the '}' around it. */
void tsdl_skip_statement(struct tsdl *p);

/*
 * A type, and in declarator[TSDL_NAME] the name behind it if that had to be read: "" otherwise;
 * NULL: no name follows.  NULL after a fault.
 */
const struct ctf_type *tsdl_parse_type(struct tsdl *p, char *declarator);
/* Wraps t into the arrays whose lengths follow a name: "[ 16 ]", "[ length ]". */
const struct ctf_type *tsdl_parse_lengths(struct tsdl *p, const struct ctf_type *t);
/* From now on the name stands for t. */
void tsdl_define(struct tsdl *p, const char *name, const struct ctf_type *t);

#endif
