/* SPDX-License-Identifier: MIT */
/* view.h - what all views of a trace share on their command lines: operands, selection, format. */
#ifndef VIEW_H
#define VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/completeness.h"
#include "view/processes.h"
#include "util/opt.h"
#include "util/table.h"

/* Zeroed is "everything, as text". */
struct view {
	struct opt_list names; /* -s: system calls */
	struct opt_list only;  /* -p and -O: pids and programs */
	bool json, csv;
	struct opt_list traces; /* the operands */
	bool *calls;		/* by id: what -s selects; NULL: all */
	size_t ncalls;
};

/* Their rows in a table of options; set is the struct view of the program. */
#define VIEW_CALLS(set) \
	{ \
		's', "call", OPT_LIST, &(set).names, "NAME", 0, 0, \
		    "only these calls (several: commas, or more -s)" \
	}
#define VIEW_PROCESSES(set) \
	{ \
		'p',   "pid", OPT_LIST, &(set).only, \
		"PID", 0,     0,	"only this process (several: more -p)" \
	}, \
	{ \
		'O', "only", OPT_LIST, &(set).only, "NAME", 0, 0, \
		    "only processes of this program (several: more -O)" \
	}
#define VIEW_FORMATS(set) \
	{ 'j', "json", OPT_FLAG, &(set).json, NULL, 0, 0, "print JSON" }, \
	{ \
		'c', "csv", OPT_FLAG, &(set).csv, NULL, 0, 0, "print CSV" \
	}

/*
 * Parses the command line: options may stand before and behind the traces.  Bad usage, such as a
 * system call that does not exist, no trace, or more than one where several is false, ends the program.
 */
void view_parse(struct view *v, int argc, char **argv, const struct opt_usage *usage,
		const struct opt *options, bool several);
enum table_format view_format(const struct view *v);
/* Does -s ask for this call? */
bool view_selects_call(const struct view *v, unsigned id);
/* Do -p and -O ask for this process? */
bool view_selects_process(const struct view *v, uint32_t pid, const char *program);
/* Whether the traces read have all processes that -p and -O ask for; false after a warning. */
bool view_check_processes(const struct view *v, const struct processes *p);
/* What stands before and behind the table on stdout: how complete it is and, around JSON, an object
 * of "calls" and "completeness". */
void view_print_begin(const struct view *v);
void view_print_end(const struct view *v, const struct completeness *c);
void view_free(struct view *v);

#endif
