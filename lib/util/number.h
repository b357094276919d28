/* SPDX-License-Identifier: MIT */
/* number.h - numbers as people write them: 64k, 1.5s, 3.20 us. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parsers take the whole string or nothing; false leaves *out alone. */

/* An unsigned decimal integer. */
bool number_parse_u64(const char *s, uint64_t *out);
/* A finite decimal number. */
bool number_parse_double(const char *s, double *out);
/* A finite decimal number, behind which a % may stand: 5% is 5. */
bool number_parse_percent(const char *s, double *out);
/* Bytes: an integer with an optional suffix k, m, g (powers of 1024, either case). */
bool number_parse_size(const char *s, uint64_t *out);
/* Seconds: a number with a suffix ns, us, ms, s, m or h; without one, seconds. */
bool number_parse_duration(const char *s, double *out);

enum { NUMBER_MAX = 32 }; /* bytes enough for every formatted number below */

/* All format into out[NUMBER_MAX] and return where the text begins in it. */

/* 4096 as "4k", 1000 as "1000": the shortest form that number_parse_size reads back. */
const char *number_format_size(char *out, uint64_t bytes);
/* Seconds with three significant digits and a unit: "3.20 us"; NaN as "-". */
const char *number_format_duration(char *out, double seconds);
/* An integer. */
const char *number_format_count(char *out, uint64_t v);
/* v / 10^decimals with that many decimals, 9 at most: 1500, 3 as "1.500"; far faster than printf.
 */
const char *number_format_fixed(char *out, int64_t v, unsigned decimals);
/* The number and an SI prefix, three significant digits: "1.25 M"; NaN as "-". */
const char *number_format_si(char *out, double value);

#endif
