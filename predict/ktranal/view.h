/* SPDX-License-Identifier: MIT */
/* view.h - what the commands that read traces share: operands, selection, format, completeness. */
#ifndef KTRANAL_VIEW_H
#define KTRANAL_VIEW_H

#include "util/opt.h"
#include "util/table.h"
#include "view/idle.h"
#include "view/processes.h"
#include "view/reading.h"
#include "view/selection.h"
#include "view/serving.h"

/* Zeroed is "everything, as text". */
struct view {
	struct selection selection;
	bool json, csv, net;
	uint64_t head;		/* rows; 0: all */
	struct opt_list traces; /* the operands */
	char **command;		/* whose trace is to be recorded and read instead; or NULL */
	struct processes processes;
	struct serving serving; /* across hosts, with --subtree */
	struct {
		uint32_t tid;
		bool worked, selected, request;
	} at_hand; /* what view_follow() found */
	struct completeness completeness;
};

/* clang-format off */
#define VIEW_FORMATS(view) \
	{ 'j', "json", OPT_FLAG, &(view).json, .help = "print JSON" }, \
	{ 0, "csv", OPT_FLAG, &(view).csv, .help = "print CSV" }, \
	{ 0, "head", OPT_COUNT, &(view).head, "N", 1, 1e15, "print only the first N rows" }
#define VIEW_NET(view) \
	{ 0, "net", OPT_FLAG, &(view).net, \
	  .help = "subtract the time that the recorder added to each call (of ptrace only)" }
#define VIEW_SHORTEST(seconds) \
	{ 0, "shortest", OPT_DURATION, &(seconds), "TIME", 0, 1e9, \
	  "without events of the scheduler: a call that took less did not wait (default 20us)" }
/* clang-format on */

/*
 * Parses the command line: options may stand before and after the traces, in place of which "--"
 * and a command may come.  Bad usage, such as a system call that does not exist, no trace, or more
 * than one where several is false, ends the program.
 */
void view_parse(struct view *v, int argc, char **argv, const struct opt_usage *usage,
		const struct opt *options, bool several);
/* Returns the format that the options ask for. */
enum table_format view_format(const struct view *v);
/* Returns a new table, which prints only the rows that are wanted. */
struct table *view_table(const struct view *v, const struct table_column *columns, size_t n);
/* Reads a trace, which may be made meanwhile by a command, with a progress bar, unless rows are
 * printed meanwhile (begin and take do so), which it would cut through; v->processes begins anew.
 * Returns what trace_read() returns, after a warning when that is not 0. */
int view_read(struct view *v, const char *path, const struct trace_taker *taker, bool prints);
/* Follows an event of the process of that number (SIZE_MAX: of none).  Returns whether it is
 * selected, as is a call that a process makes for the subtree on another host. */
bool view_selects(struct view *v, size_t process, const struct event *e);
/* Follows an event, like view_selects(), for what takes pieces of time: it comes before the
 * idle_event() that hands them out. */
void view_follow(struct view *v, size_t process, const struct event *e);
/* Returns whether a piece counts that came of the event followed last.  Of a process that works for
 * the subtree on another host those count in which it does, but none that waits for a request. */
bool view_wants(const struct view *v, const struct idle_piece *piece);
/* Returns 0, or -1 after a warning when no call of the trace has a duration. */
int view_check_times(const struct view *v, const struct idle *idle);
/* Returns what stands below a table of idle pieces: "", or how far they are known without a
 * scheduler. */
const char *view_idle_note(const struct idle *idle);
/* Adds a cell: a pid or tid of that process, with its host if the trace has several. */
void view_put_id(const struct view *v, struct table *t, size_t process, uint32_t id);
/* Returns 0 if the traces read have all processes that -p and -O name, else -1 after a warning. */
int view_check(const struct view *v);
/* Prints what stands before the table: with --json, the begin of an object whose member `rows`
 * ("calls", ...) the table is. */
void view_print_begin(const struct view *v, const char *rows);
/* Prints what stands after the table: how complete it is, with --json as the member "completeness",
 * and the end of the object. */
void view_print_end(const struct view *v);
/* Warns of what is missing, where there is no table. */
void view_warn_incomplete(const struct view *v);
/* Frees everything.  Returns the exit status after a view_read() that returned `status`, or after
 * -1 or another number below 0 where the trace lacks what the view needs; after 0 it is that of
 * view_check(). */
int view_end(struct view *v, int status);

#endif
