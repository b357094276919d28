/* SPDX-License-Identifier: MIT */
/*
 * table.h - tables printed as aligned text for people, or as CSV, TSV or JSON for programs.
 *
 * 	struct table *t = table_new(columns, countof(columns));
 * 	table_text(t, "read");			cells are filled row by row, left to right
 * 	table_number(t, 12.5, "%.1f");
 * 	table_end(t, stdout, TABLE_TEXT);
 */
#ifndef UTIL_TABLE_H
#define UTIL_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_JSON, TABLE_TSV };

/* That of the options --json and --csv. */
static inline enum table_format table_format(bool json, bool csv)
{
	return json ? TABLE_JSON : csv ? TABLE_CSV : TABLE_TEXT;
}

enum { TABLE_WIDTH = 100 }; /* columns of text; names and lists are narrowed to fit */

enum table_kind {
	TABLE_RIGHT,
	TABLE_LEFT,  /* flush left */
	TABLE_NAME,  /* flush left, shortened in the middle to fit */
	TABLE_LIST,  /* last column, words that are wrapped to more lines */
	TABLE_GROUP, /* in text a heading above consecutive rows that share it */
	TABLE_DATA,  /* not printed in text */
};

struct table_column {
	const char *title; /* heading in text */
	const char *key;   /* name in CSV and JSON; NULL: the title */
	enum table_kind kind;
};

struct table;

/* Returns an empty table; columns must outlive it. */
struct table *table_new(const struct table_column *columns, size_t n);
/* Returns an empty table with all columns of an array. */
#define table_of(columns) table_new(columns, sizeof(columns) / sizeof(*(columns)))
/* Limits the table to that many rows (0: all); further cells are accepted but dropped. */
void table_head(struct table *t, uint64_t rows);
/* Lets rows be as long as they need to be: names are whole and lists are not wrapped. */
void table_unlimit(struct table *t);
/* Fills the next cell with a copy of s; NULL: no value ("-" in text, empty in CSV, null in
 * JSON). */
void table_text(struct table *t, const char *s);
/* Fills the next cell with v. fmt (one %..f/e/g) is used in text only; other formats get nine
 * digits.  NaN and infinities: no value. */
void table_number(struct table *t, double v, const char *fmt);
/* Fills the next cell with v, which text shows multiplied by scale: for seconds that people read as
 * microseconds, the scale is 1e6. */
void table_scaled(struct table *t, double v, double scale, const char *fmt);
/* Fills the next cell with a share; fmt is used in text only, for the percentage: "%.1f%%" shows
 * 0.125 as "12.5%".  NaN and infinities: no value. */
void table_percent(struct table *t, double share, const char *fmt);
/* Fills the next cell with a number of things. */
void table_count(struct table *t, uint64_t v);
/* Fills the next cell with an integer that may be negative. */
void table_integer(struct table *t, int64_t v);
/* Fills the next cell with v, shown as s in text: 3.2e-6 as "3.20 us".  NaN: no value. */
void table_shown(struct table *t, double v, const char *s);
/* Fills the next cell with nanoseconds.  Only text shows them in units of `unit` (a power of ten of
 * them), with that many decimals. */
void table_time(struct table *t, int64_t ns, int64_t unit, unsigned decimals);
/* Fills the next cell with a duration in seconds. */
void table_seconds(struct table *t, double seconds);
/* Prints all rows: text with a heading and aligned columns, CSV (RFC 4180) or TSV with a heading,
 * or JSON as an array of objects. */
void table_print(struct table *t, FILE *f, enum table_format format);
/* Prints all rows and frees the table. */
void table_end(struct table *t, FILE *f, enum table_format format);
/* Prints and drops the rows so far, for tables that are larger than memory; table_print() then
 * prints the rest and the end.  Columns never become narrower than in an earlier part. */
void table_print_part(struct table *t, FILE *f, enum table_format format);
/* Makes an empty table write its cells to f as CSV, TSV or JSON without keeping them, which takes
 * less time for millions of rows; table_print() with the same f and format writes the end. */
void table_stream(struct table *t, FILE *f, enum table_format format);
/* Returns how many columns f has: TABLE_WIDTH, or fewer if it is a narrower terminal. */
int table_columns(FILE *f);
/* Returns how many of them a table uses, which may be more than a very narrow terminal has. */
int table_width(FILE *f);
/* Frees the table; NULL is allowed. */
void table_free(struct table *t);

#endif
