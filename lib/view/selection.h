/* SPDX-License-Identifier: MIT */
/* selection.h - the calls and processes that a user selects with -e, -p, -O and --subtree. */
#ifndef VIEW_SELECTION_H
#define VIEW_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/map.h"
#include "util/opt.h"
#include "view/processes.h"

/* A zeroed struct selects everything. */
struct selection {
	struct opt_list names;	   /* -e: names of system calls, separated by commas */
	struct opt_list processes; /* -p and -O: process IDs and program names */
	struct opt_list roots;	   /* --subtree: process IDs and program names */
	struct map calls;	   /* calls selected by -e, by id; empty: all */
};

/* The options as rows of a struct opt table; s is the program's struct selection. */
/* clang-format off */
#define SELECTION_CALLS(s) \
	{ 'e', "call", OPT_LIST, &(s).names, "NAME", 0, 0, \
	  "only these calls (several: commas, or more -e)" }
#define SELECTION_PROCESSES(s) \
	{ 'p', "pid", OPT_LIST, &(s).processes, "PID", 0, 0, \
	  "only this process (several: more -p)" }, \
	{ 'O', "only", OPT_LIST, &(s).processes, "NAME", 0, 0, \
	  "only processes of this program (several: more -O)" }, \
	{ 0, "subtree", OPT_LIST, &(s).roots, "PID|NAME", 0, 0, \
	  "only this process, or those of this program, and all that descend from it" }
/* clang-format on */

/* Looks up the names of calls after the options were parsed.  Returns 0, or -1 and sets *e if a
 * name is unknown. */
int selection_prepare(struct selection *s, struct error *e);
/* Returns whether a call is selected. */
bool selection_has_call(const struct selection *s, unsigned id);
/* Returns whether -p and -O select a program, whatever its process is. */
bool selection_has_program(const struct selection *s, const char *program);
/* Returns whether a process is selected; for SIZE_MAX (no process), whether everything is. p->roots
 * must be s->roots. */
bool selection_has_process(const struct selection *s, const struct processes *p, size_t number);
/* Returns whether -p and -O select a process, whatever its ancestors are. */
bool selection_lists(const struct selection *s, const struct processes *p, size_t number);
/* Returns 0 if all selected processes occurred in the traces; otherwise -1 and sets *e. */
int selection_check(const struct selection *s, const struct processes *p, struct error *e);
/* Frees what the options allocated. */
void selection_free(struct selection *s);

#endif
