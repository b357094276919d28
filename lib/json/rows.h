/* SPDX-License-Identifier: MIT */
/*
 * rows.h - a JSON document most of which is one table: an object with an array of rows, which are
 * arrays of numbers and strings.  jansson makes a value on the heap of each of these; here they
 * stay in the text, which takes a tenth of the time.
 */
#ifndef JSON_ROWS_H
#define JSON_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "util/vec.h"

struct cell {
	enum cell_kind {
		CELL_NONE,   /* null */
		CELL_NUMBER, /* number */
		CELL_TEXT,   /* a string: n bytes at text, not terminated */
		CELL_WORDS,  /* an array of strings without escapes: the same, with its brackets */
		CELL_OTHER,  /* json, which is borrowed */
	} kind;
	uint32_t n;
	union {
		double number;
		const char *text;
		json_t *json;
	};
};

/* A row is an array of n cells, or something else. */
struct row {
	size_t first, n; /* of the cells */
	json_t *other;	 /* NULL: an array */
};

/* Zeroed is valid and empty.  Points into the text that it was read from. */
struct rows {
	VEC(struct cell) cells;
	VEC(struct row) v;
	VEC(json_t *) values; /* private: owns the json of the cells */
};

/*
 * The document text[n], which a NUL follows, as json_loadb() with JSON_REJECT_DUPLICATES returns
 * it, but that the array which is its member `key` is empty there and stands in r.  The caller
 * drops the reference, and frees r in any case.  NULL: it is not an object, or no JSON at all.
 */
json_t *rows_load(struct rows *r, const char *text, size_t n, const char *key);
/* The cell that v would be, which borrows v; NULL is like null. */
struct cell rows_cell(json_t *v);
/* Returns the memory. */
void rows_free(struct rows *r);

#endif
