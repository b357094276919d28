/* SPDX-License-Identifier: MIT */
/* transitions.h - prints the states of shared objects and the transitions between them. */
#ifndef CEA_TRANSITIONS_H
#define CEA_TRANSITIONS_H

#include "graph/movement.h"
#include "util/opt.h"
#include "util/table.h"

/* What a command may print instead of its own table.  A zeroed struct means its own table. */
struct transitions {
	bool table, dot, json, csv;
};

/* clang-format off */
/* Rows of an option table; t is a static struct transitions. */
#define TRANSITIONS_OPTIONS(t) \
	{ 0, "transitions", OPT_FLAG, &(t).table, .help = "print how often objects went from one state to another" }, \
	{ 0, "dot", OPT_FLAG, &(t).dot, .help = "print that as a graph for dot(1)" }, \
	{ 'j', "json", OPT_FLAG, &(t).json, .help = "print JSON" }, \
	{ 0, "csv", OPT_FLAG, &(t).csv, .help = "print CSV" }
/* clang-format on */

/* Ends the program if the options contradict each other. */
void transitions_check(const struct transitions *t, const struct opt_usage *usage);
/* Returns what --json and --csv ask for; text without them. */
enum table_format transitions_format(const struct transitions *t);
/* Returns the name of a place or an empty text; the caller frees. */
typedef char *transitions_place(uint64_t place);
/* Prints the transitions as a table or graph if the options ask for it; otherwise returns false.
 * place: NULL if accesses have none. */
bool transitions_print(const struct transitions *t, struct movement *s, transitions_place *place);
/* Returns a description of where an object was, such as "nowhere", "here" or "at 2 others", in
 * out[n] or static. */
const char *transitions_state_name(char *out, size_t n, unsigned state);
/* Prints a sentence that says how many accesses to pages there were in each state. */
void transitions_print_states(const struct movement *s);

#endif
