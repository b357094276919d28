/* SPDX-License-Identifier: MIT */
/* view.h - what the commands that read traces share: operands, selection, format, completeness. */
#ifndef KTRANAL_VIEW_H
#define KTRANAL_VIEW_H

#include "util/opt.h"
#include "util/table.h"
#include "view/processes.h"
#include "view/reading.h"
#include "view/selection.h"
#include "view/serving.h"

/* Zeroed is "everything, as text". */
struct view {
	struct selection selection;
	bool json, csv;
	struct opt_list traces; /* the operands */
	struct processes processes;
	struct serving serving; /* across hosts, with --subtree */
	struct completeness completeness;
};

/* clang-format off */
#define VIEW_FORMATS(view) \
	{ 'j', "json", OPT_FLAG, &(view).json, .help = "print JSON" }, \
	{ 0, "csv", OPT_FLAG, &(view).csv, .help = "print CSV" }
/* clang-format on */

/*
 * Parses the command line: options may stand before and after the traces.  Bad usage, such as a
 * system call that does not exist, no trace, or more than one where several is false, ends the
 * program.
 */
void view_parse(struct view *v, int argc, char **argv, const struct opt_usage *usage,
		const struct opt *options, bool several);
enum table_format view_format(const struct view *v);
/* Reads a trace with a progress bar, unless rows are printed meanwhile (begin and take do so),
 * which it would cut through; v->processes begins anew.  As trace_read, after a warning. */
int view_read(struct view *v, const char *path, const struct trace_taker *taker, bool prints);
/* Follows an event of the process of that number (SIZE_MAX: of none).  True if it is selected: also
 * a call that a process makes for the subtree on another host. */
bool view_selects(struct view *v, size_t process, const struct event *e);
/* A cell: a pid or tid of that process, with its host if the trace has several. */
void view_put_id(const struct view *v, struct table *t, size_t process, uint32_t id);
/* 0 if the traces read have all processes that -p and -O name; else -1 after a warning. */
int view_check(const struct view *v);
/* What stands on stdout before and after the table: how complete it is and, around JSON, an object
 * of the rows ("calls", ...) and "completeness". */
void view_print_begin(const struct view *v, const char *rows);
void view_print_end(const struct view *v);
void view_free(struct view *v);

#endif
