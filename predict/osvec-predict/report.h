/* SPDX-License-Identifier: MIT */
/*
 * report.h - results on stdout: paragraphs and tables as text, or one JSON object, or CSV.
 *
 * The JSON object holds the query, the facts and tables between begin and end by their keys, and
 * "notes".  CSV is the first table alone; notes go to stderr.
 */
#ifndef REPORT_H
#define REPORT_H

#include "query.h"
#include "util/table.h"

/* Starts; text prints nothing. */
void report_begin(const struct query *q);
/* A paragraph of text, wrapped, after the newlines it begins with; other formats print nothing. */
void report_say(const struct query *q, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A member of the JSON object: a number, null when NaN, or a string, null when NULL.  Other formats print
 * nothing. */
void report_number(const struct query *q, const char *key, double value);
void report_word(const struct query *q, const char *key, const char *value);
/* Prints a table under its key and frees it; main: CSV prints this one. */
void report_table(const struct query *q, const char *key, struct table *t, bool main);
/* The notes, and the end. */
void report_end(const struct query *q);

/* The next cell of t: seconds, shown with a unit of time; report_time divides them by the query's units. */
void report_seconds(struct table *t, double seconds);
void report_time(const struct query *q, struct table *t, double seconds);
/* The next cell of t: a share as "12.3 %". */
void report_percent(struct table *t, double share);
/* A table's cell: "yes" or "no". */
const char *report_answer(bool yes);
/* A table's cell: the name of a line, "lat_ctx_shared_0_2 (switches)"; valid until the next call. */
const char *report_line_name(const struct prediction_line *line);

#endif
