/* SPDX-License-Identifier: MIT */
/*
 * report.h - results on stdout: paragraphs and tables as text, or one JSON object, or CSV.
 *
 * The JSON object holds the query, the facts and tables between begin and end by their keys, and
 * "notes".  CSV is the first table alone; notes go to stderr.
 */
#ifndef REPORT_H
#define REPORT_H

#include <jansson.h>

#include "query.h"
#include "util/table.h"

/* Starts; text prints nothing. */
void report_begin(const struct query *q);
/* A paragraph of text, wrapped, after the newlines it begins with; other formats print nothing. */
void report_say(const struct query *q, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A member of the JSON object; takes value.  Other formats print nothing. */
void report_fact(const struct query *q, const char *key, json_t *value);
/* Prints a table under its key and frees it; main: CSV prints this one. */
void report_table(const struct query *q, const char *key, struct table *t, bool main);
/* The notes, and the end. */
void report_end(const struct query *q);

/* The next cell of t: seconds per unit of the query, shown with a unit of time. */
void report_time(const struct query *q, struct table *t, double seconds);

/* A table's cell: the name of a line, "lat_ctx_shared_0_2 (switches)"; valid until the next call. */
const char *report_line_name(const struct prediction_line *line);

#endif
