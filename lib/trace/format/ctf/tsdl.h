/* SPDX-License-Identifier: MIT */
/* tsdl.h - reads TSDL for ctf_metadata.c: its words (tsdl.c) and its types (tsdl_types.c). */
#ifndef CTF_TSDL_H
#define CTF_TSDL_H

#include "trace/format/ctf/ctf_types.h"

enum { TSDL_NAME = 128 }; /* bytes of a name; longer ones are cut */

struct tsdl {
	struct ctf_metadata *m;
	const char *p; /* after the token at hand */
	const char *start;
	char token[TSDL_NAME]; /* a word, a number, a punctuation mark, or what a string holds */
	bool is_word, is_string, failed;
	const char *name; /* of the trace */
	struct error *e;
	unsigned depth; /* of types in types */
};

/* Sets *p->e to what is wrong at this place, unless the text was wrong before. */
void tsdl_fail(struct tsdl *p, const char *what);
/* Goes on to the next token, which is empty at the end. */
void tsdl_advance(struct tsdl *p);
/* Returns whether that token is at hand. */
bool tsdl_at(const struct tsdl *p, const char *token);
/* Returns whether the text is at its end, or was wrong. */
bool tsdl_at_end(const struct tsdl *p);
/* Goes past that token; returns false if another one is at hand. */
bool tsdl_accept(struct tsdl *p, const char *token);
/* Goes past that token; the text is wrong if another one is at hand. */
void tsdl_expect(struct tsdl *p, const char *token);
/* Goes past a number and returns it. */
int64_t tsdl_number(struct tsdl *p);
/* Goes past the ';' of a statement, or to the '}' around it. */
void tsdl_skip_statement(struct tsdl *p);

/*
 * Parses a type and returns it, or NULL if the text is wrong.  If the name after it has to be read
 * for that, stores the name in declarator[TSDL_NAME], else "".  declarator is NULL if no name
 * follows.
 */
const struct ctf_type *tsdl_parse_type(struct tsdl *p, char *declarator);
/* Returns t wrapped in the arrays whose lengths follow a name: "[ 16 ]", "[ length ]". */
const struct ctf_type *tsdl_parse_lengths(struct tsdl *p, const struct ctf_type *t);
/* Lets the name stand for t from now on. */
void tsdl_define(struct tsdl *p, const char *name, const struct ctf_type *t);

#endif
