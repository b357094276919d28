/* SPDX-License-Identifier: MIT */
/* number.h - parses, formats and compares numbers as people write them: 64k, 1.5s, 3.20 us. */
#ifndef UTIL_NUMBER_H
#define UTIL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parsers accept a string as a whole or return false and leave *out unchanged. */

/* Parses an unsigned decimal integer. */
bool number_parse_u64(const char *s, uint64_t *out);
/* Parses a finite decimal number. */
bool number_parse_double(const char *s, double *out);
/* Parses a finite decimal number with an optional %: 5% is 5. */
bool number_parse_percent(const char *s, double *out);
/* Parses a number of bytes: an integer with an optional suffix k, m, g (powers of 1024, either
 * case). */
bool number_parse_size(const char *s, uint64_t *out);
/* Parses a time in seconds: a number >= 0 with an optional suffix ns, us, ms, s, m or h. */
bool number_parse_duration(const char *s, double *out);
/* The same where a suffix is required, for files whose numbers have units; 0 needs none. */
bool number_parse_time(const char *s, double *out);

enum { NUMBER_MAX = 32 }; /* enough bytes for every formatted number below */

/* Formatters write into out[NUMBER_MAX] and return where the text begins in it. */

/* Formats 4096 as "4k" and 1000 as "1000": the shortest form that number_parse_size() reads
 * back. */
const char *number_format_size(char *out, uint64_t bytes);
/* Compares like strcmp(), for tables: ascending or not, NaN is last. */
int number_compare(double x, double y, bool ascending);
/* Formats seconds with three significant digits and a unit: "3.20 us"; NaN as "-". */
const char *number_format_duration(char *out, double seconds);
/* Formats an integer. */
const char *number_format_count(char *out, uint64_t v);
/* Formats v / 10^decimals with that many decimals, 9 at most: 1500, 3 as "1.500".  Much faster than
 * printf. */
const char *number_format_fixed(char *out, int64_t v, unsigned decimals);
/* Formats a number with three significant digits and an SI prefix: "1.25 M"; NaN as "-". */
const char *number_format_si(char *out, double value);

#endif
