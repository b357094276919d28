/* SPDX-License-Identifier: MIT */
/*
 * answer.h - results on stdout: paragraphs and tables as text, or one JSON object, or CSV.
 *
 * The JSON object holds the query, the facts and tables between begin and end by their keys, and
 * "notes".  CSV is the first table alone; notes go to stderr.
 */
#ifndef OSVEC_PREDICT_ANSWER_H
#define OSVEC_PREDICT_ANSWER_H

#include "query.h"
#include "util/table.h"

/* Starts; text prints nothing. */
void answer_begin(const struct query *q);
/* A paragraph of text, wrapped, after the newlines it begins with; other formats print nothing. */
void answer_say(const struct query *q, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A member of the JSON object: a number, null when NaN, or a string, null when NULL.  Other formats
 * print nothing. */
void answer_number(const struct query *q, const char *key, double value);
void answer_word(const struct query *q, const char *key, const char *value);
/* Prints a table under its key and frees it; main: CSV prints this one. */
void answer_table(const struct query *q, const char *key, struct table *t, bool main);
/* The notes, and the end. */
void answer_end(const struct query *q);

/* The next cell of t: seconds divided by the query's units, shown with a unit of time. */
void answer_time(const struct query *q, struct table *t, double seconds);
/* The next cell of t: "9/10" in text, else the share, null of none. */
void answer_share(struct table *t, size_t part, size_t of);
/* Appends a word to "a, b", in fresh memory; the list begins as NULL. */
void answer_join(char **list, const char *word);
/* A table's cell: "yes" or "no". */
const char *answer_bool(bool yes);
/* A table's cell: the name of a line, "lat_ctx_shared_0_2 (switches)"; valid until the next call.
 */
const char *answer_line_name(const struct prediction_line *line);

#endif
