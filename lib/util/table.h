/* SPDX-License-Identifier: MIT */
/*
 * table.h - a table printed as aligned text for people, or as CSV or JSON for programs.
 *
 *	struct table *t = table_new(columns, countof(columns));
 *	table_text(t, "read");			cells are filled row by row, left to right
 *	table_number(t, 12.5, "%.1f");
 *	table_print(t, stdout, TABLE_TEXT);
 *	table_free(t);
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_JSON, TABLE_TSV };

enum { TABLE_WIDTH = 100 }; /* columns of text; columns of names and lists are narrowed to fit */

enum table_kind {
	TABLE_RIGHT = false,
	TABLE_LEFT = true, /* flush left */
	TABLE_NAME,	   /* the same; where a row were too wide, dots stand for the middle, as
			    * long as different names still look different */
	TABLE_LIST,	   /* the same, last, words between blanks: goes on in the next lines */
	TABLE_GROUP, /* in text a heading above the rows that share it, which stand together */
	TABLE_DATA,  /* not in text */
};

struct table_column {
	const char *title; /* heading in text */
	const char *key;   /* name in CSV and JSON; NULL: the title */
	enum table_kind kind;
};

struct table;

/* An empty table; columns must outlive it. */
struct table *table_new(const struct table_column *columns, size_t n);
/* Only so many rows are printed, 0: all; the cells of others may be filled and are dropped. */
void table_head(struct table *t, uint64_t rows);
/* The next cell holds a copy of s; NULL: no value ("-" in text, empty in CSV, null in JSON). */
void table_text(struct table *t, const char *s);
/* The next cell holds v; fmt (one %..f/e/g) is for text only, programs get all digits.
 * A NaN is "no value". */
void table_number(struct table *t, double v, const char *fmt);
/* The next cell holds an integer. */
void table_count(struct table *t, uint64_t v);
void table_integer(struct table *t, int64_t v);
/* The next cell holds a number shown as s in text: 3.2e-6 as "3.20 us". */
void table_shown(struct table *t, double v, const char *s);
/* The same for a duration. */
void table_seconds(struct table *t, double seconds);
/* Prints all rows: text with a heading and aligned columns, CSV (RFC 4180) and TSV with a heading,
 * JSON as an array of objects. */
void table_print(struct table *t, FILE *f, enum table_format format);
/* Prints the rows so far and forgets them, for tables longer than memory; table_print then prints
 * the rest and the end.  Columns of text never become narrower than in an earlier part. */
void table_print_part(struct table *t, FILE *f, enum table_format format);
/* The columns of text that fit: TABLE_WIDTH, or fewer when f is a narrower terminal. */
int table_width(FILE *f);
/* NULL is fine. */
void table_free(struct table *t);

#endif
