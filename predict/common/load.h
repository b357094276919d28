/* SPDX-License-Identifier: MIT */
/*
 * load.h - reads the trace for a command of critpath or cea and converts it into a graph.
 *
 * As parts of the front end, these functions end the program with a message if the trace cannot be
 * read.
 */
#ifndef COMMON_LOAD_H
#define COMMON_LOAD_H

#include "graph/derive.h"
#include "graph/marks.h"
#include "graph/stretches.h"
#include "util/opt.h"
#include "util/table.h"
#include "view/reading.h"

/* A zeroed struct is valid.  The first members are set by the options. */
struct load {
	double shortest;	/* seconds */
	const char *marks_path; /* or NULL */
	bool json, csv;

	const char *path;
	struct marks *marks;
	void (*take)(void *l, const struct event *e);
	struct graph graph;
	struct derive derive;
	struct stretches stretches; /* of counters, if they were recorded */
	struct completeness completeness;
};

#define LOAD_SHORTEST 20e-6
#define LOAD_DEFAULT \
	{ \
		.shortest = LOAD_SHORTEST \
	}

/* clang-format off */
/* Rows of an option table; l is a static struct load. */
#define LOAD_MARKS_OPTION(l) \
	{ 0, "marks", OPT_STRING, &(l).marks_path, "DIRECTORY", 0, 0, \
	  "add the marks that the program wrote there: osvec-mark(3)" }
#define LOAD_TRACE_OPTIONS(l) \
	{ 0, "shortest", OPT_DURATION, &(l).shortest, "TIME", 0, 1e9, \
	  "without events of the scheduler: a call that took less did not wait (default 20us)" }, \
	LOAD_MARKS_OPTION(l)
#define LOAD_OPTIONS(l) \
	LOAD_TRACE_OPTIONS(l), \
	{ 'j', "json", OPT_FLAG, &(l).json, .help = "print JSON" }, \
	{ 0, "csv", OPT_FLAG, &(l).csv, .help = "print CSV" }
/* clang-format on */

/* Parses the command line of a command, which must name one trace. */
void load_parse(struct load *l, int argc, char **argv, const struct opt_usage *usage,
		const struct opt *options);
/* Passes every single event of the trace l->path, and the marks, to the taker, whose arg becomes l;
 * shows the progress on a terminal. */
void load_events(struct load *l, struct trace_taker *taker);
/* Prints a warning about what is missing in the trace. */
void load_warn(const struct load *l);
/* Reads the trace l->path; the options must be set. */
void load_read(struct load *l);
/* Returns "TID", or "HOST:TID" in a trace of several hosts; the caller frees. */
char *load_thread(const struct load *l, uint32_t tid);
/* Returns what --json and --csv ask for; text without them. */
enum table_format load_format(const struct load *l);
/* Prints warnings about what is missing or inconsistent in the trace on stderr, and frees all. */
void load_end(struct load *l);

#endif
