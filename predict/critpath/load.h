/* SPDX-License-Identifier: MIT */
/*
 * load.h - what every command needs: a trace as a graph.
 *
 * The front end of a program: what cannot be read ends it with a message.
 */
#ifndef LOAD_H
#define LOAD_H

#include "graph/derive.h"
#include "graph/marks.h"
#include "util/opt.h"
#include "util/table.h"
#include "view/reading.h"

/* Zeroed is valid; the options fill the first part. */
struct load {
	double shortest;	/* seconds */
	const char *marks_path; /* or NULL */
	bool json, csv;

	const char *path;
	struct marks *marks;
	struct graph graph;
	struct derive derive;
	struct completeness completeness;
};

#define LOAD_DEFAULT \
	{ \
		.shortest = 20e-6 \
	}

/* clang-format off */
/* Rows of a table of options for a file-static struct load. */
#define LOAD_OPTIONS(l) \
	{ 0, "shortest", OPT_DURATION, &(l).shortest, "TIME", 0, 1e9, \
	  "without events of the scheduler: a call that took less did not wait (default 20us)" }, \
	{ 0, "marks", OPT_STRING, &(l).marks_path, "DIRECTORY", 0, 0, \
	  "the marks that the program made there: osvec-mark(3)" }, \
	{ 'j', "json", OPT_FLAG, &(l).json, .help = "print JSON" }, \
	{ 0, "csv", OPT_FLAG, &(l).csv, .help = "print CSV" }
/* clang-format on */

/* "critpath app.ktr" is "critpath path app.ktr": does the word name a file? */
bool load_is_trace(const char *word);
/* Reads a trace, all options being set. */
void load_read(struct load *l, const char *path);
/* Parses the command line, which names one trace, and reads it. */
void load_trace(struct load *l, int argc, char **argv, const struct opt_usage *usage,
		const struct opt *options);
/* "TID", or "HOST:TID" in a trace of several hosts; the caller frees. */
char *load_thread(const struct load *l, uint32_t tid);
enum table_format load_format(const struct load *l);
/* Warnings about what the trace lacks and what did not fit together: below the answer, as text. */
void load_warn(struct load *l);
void load_free(struct load *l);

#endif
