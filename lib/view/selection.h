/* SPDX-License-Identifier: MIT */
/* selection.h - which calls and processes of a trace a program is asked for: -e, -p, -O, --subtree.
 */
#ifndef SELECTION_H
#define SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/map.h"
#include "util/opt.h"
#include "view/processes.h"

/* Zeroed is "everything". */
struct selection {
	struct opt_list names;	   /* -e: names of system calls, separated by commas */
	struct opt_list processes; /* -p and -O: pids and names of programs */
	struct opt_list roots;	   /* --subtree: the same */
	struct map calls;	   /* by id: what -e selects; empty: all */
};

/* The options, as rows of a table; s is the struct selection of the program. */
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

/* Looks up the names of calls once the options are parsed.  0, or -1 and *e: a name is unknown. */
int selection_prepare(struct selection *s, struct error *e);
/* Is this call selected? */
bool selection_has_call(const struct selection *s, unsigned id);
/* True if -p and -O select a program, whatever its process is. */
bool selection_has_program(const struct selection *s, const char *program);
/* Is the process of that number selected, or all, where it is SIZE_MAX?  p->roots are those of s.
 */
bool selection_has_process(const struct selection *s, const struct processes *p, size_t number);
/* Whether -p and -O select it, whatever its parents are. */
bool selection_lists(const struct selection *s, const struct processes *p, size_t number);
/* 0 if the processes of the traces that were read include all that are selected; else -1 and *e. */
int selection_check(const struct selection *s, const struct processes *p, struct error *e);
/* Returns the memory of what the options gave. */
void selection_free(struct selection *s);

#endif
