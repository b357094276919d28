/* SPDX-License-Identifier: MIT */
/* transitions.h - the states that shared objects were in, as a table, and what followed what. */
#ifndef TRANSITIONS_H
#define TRANSITIONS_H

#include "graph/movement.h"
#include "util/opt.h"
#include "util/table.h"

/* What a command can print instead of its own table.  Zeroed is valid: that one. */
struct transitions {
	bool table, dot, json, csv;
};

/* clang-format off */
/* Rows of a table of options for a file-static struct transitions. */
#define TRANSITIONS_OPTIONS(t) \
	{ 0, "transitions", OPT_FLAG, &(t).table, .help = "print in which state objects were, and in which next" }, \
	{ 0, "dot", OPT_FLAG, &(t).dot, .help = "the same as a graph for dot(1)" }, \
	{ 'j', "json", OPT_FLAG, &(t).json, .help = "print JSON" }, \
	{ 0, "csv", OPT_FLAG, &(t).csv, .help = "print CSV" }
/* clang-format on */

/* Bad usage is an error. */
void transitions_check(const struct transitions *t, const struct opt_usage *usage);
enum table_format transitions_format(const struct transitions *t);
/* Prints the table or graph if that was asked for; false: it was not. */
bool transitions_print(const struct transitions *t, const struct movement *s);
/* "nowhere", "here", "at 2 others", ...: where an object was, in out[n] or a constant. */
const char *transitions_state_name(char *out, size_t n, unsigned state);
/* One line: how many accesses were in which of the states. */
void transitions_print_states(const struct movement *s);

#endif
