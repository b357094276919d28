/* SPDX-License-Identifier: MIT */
/* parameter.h - the positional parameters of a benchmark: parsing, canonical spelling, names. */
#ifndef MEASURE_PARAMETER_H
#define MEASURE_PARAMETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/bench.h"
#include "util/error.h"
#include "util/number.h"

enum { PARAMETERS_MAX = 8 };

/* One parsed value. */
struct parameter_value {
	uint64_t number;       /* SIZE, COUNT: the number; CHOICE: the index of the word */
	char text[NUMBER_MAX]; /* canonical spelling: "64k" for 65536 */
};

struct parameter_values {
	size_t n;
	struct parameter_value v[PARAMETERS_MAX];
};

/* The number of parameters in the table; NULL is an empty one. */
size_t parameter_count(const struct bench_parameter *table);
/* Parses n operands against the table; a missing one takes its fallback.  0, or -1 and *e naming
 * the parameter and what it accepts. */
int parameter_parse(const struct bench_parameter *table, char *const *operands, size_t n,
		    struct parameter_values *out, struct error *e);
/* program_4k_tcp; star: the axis is "*" instead of its value.  Silent parameters at the end that
 * have their fallback, spelled canonically there, are left out.  The caller frees. */
char *parameter_entry(const char *program, const struct bench_parameter *table,
		      const struct parameter_values *values, bool star);
/* The index of the axis, or SIZE_MAX. */
size_t parameter_axis(const struct bench_parameter *table);
/* "SIZE [COUNT]": optional ones are in brackets.  The caller frees. */
char *parameter_synopsis(const struct bench_parameter *table);
/* Appends to text, as xappend does, what -h says of each, indented by gap. */
char *parameter_explain(const struct bench_parameter *table, int gap, char *text);

#endif
