/* SPDX-License-Identifier: MIT */
/*
 * query.h - what every command predicts: an application on machines.
 *
 * The front end of a program: what cannot be predicted ends it with a message.
 */
#ifndef OSVEC_PREDICT_QUERY_H
#define OSVEC_PREDICT_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/opt.h"
#include "util/table.h"
#include "model/prediction.h"
#include "vector/machines.h"

/* Level 2 if the reference and its system time are known, and it is no hosted kernel (model/kind.h)
 * beside machines that are not; else 0; level 1 with a calibration. */
#define QUERY_LEVEL_BEST UINT64_MAX

/* Zeroed but for the level it is valid; the options fill the first part. */
struct query {
	struct opt_list applications, calibrations; /* of -a and --calibrate */
	const char *application_path, *reference_path, *calibration, *wanted_unit;
	uint64_t level; /* query_answer replaces QUERY_LEVEL_BEST */
	bool json, csv;
	bool without_wait;  /* predict CPU time: leave out waiting for devices, and for a quota */
	bool without_quota; /* leave out the latter */
	bool vector_state;  /* each host stays in the state that it had for its vector */

	struct appvec *application;
	struct demand *demand;
	struct machines machines;
	bool machines_shared;		 /* they belong to another query */
	struct osvec *own_reference;	 /* of --reference, or NULL */
	const struct osvec *reference;	 /* that, or one of the machines, or NULL */
	struct prediction **predictions; /* one per machine */
	struct prediction *insitu;	 /* of the reference, at level 2 */
	double units_per_run;		 /* predictions are seconds per run; printed / this */
	const char *unit;		 /* "run", "request" */
	double inflation;		 /* in-situ inflation h on the reference; NaN: not known */
	double footprint;	/* bytes touched between two calls that explain it; 0: none */
	double same_cpu;	/* share of calls between processes priced as on one CPU */
	double left;		/* of the inflation, what neither explains */
	struct lenders lenders; /* the reference, then the others in their order */
	double known;		/* --calibrate's seconds per unit */
	struct opt_list operands;
	struct notes {
		char **v;
		size_t n, cap;
	} notes; /* sentences, printed below the tables */
};

/* clang-format off */
/* Rows of a table of options for a file-static struct query, and those of its formats. */
#define QUERY_OPTIONS(q) \
	{ 'a', "application", OPT_LIST, &(q).applications, "FILE", 0, 0, \
	  "the application vector (ktranal vector makes it)" }, \
	{ 0, "reference", OPT_STRING, &(q).reference_path, "MACHINE", 0, 0, \
	  "the machine it was recorded on (default: found among MACHINES)" }, \
	{ 'u', "unit", OPT_STRING, &(q).wanted_unit, "UNIT", 0, 0, \
	  "print times per run, its start, or a unit, such as request" }, \
	{ 'l', "level", OPT_COUNT, &(q).level, "N", 0, 2, \
	  "0: costs as measured; 1: scaled to one known time; 2: by the reference's system time" }, \
	{ 0, "calibrate", OPT_LIST, &(q).calibrations, "MACHINE=TIME", 0, 0, \
	  "level 1: the time measured there, per unit, scales all" }
#define QUERY_LEVEL(q) \
	{ 0, "reference", OPT_STRING, &(q).reference_path, "MACHINE", 0, 0, \
	  "the machine they were recorded on (default: found among MACHINES)" }, \
	{ 'l', "level", OPT_COUNT, &(q).level, "N", 0, 2, \
	  "0: as measured; 2: by the reference's system time" }
#define QUERY_STATE(q) \
	{ 0, "vector-state", OPT_FLAG, &(q).vector_state, NULL, 0, 0, \
	  "assume that each host is as fast as when its vector was measured" }
#define QUERY_FORMATS(q) \
	{ 'j', "json", OPT_FLAG, &(q).json, NULL, 0, 0, "print JSON" }, \
	{ 0, "csv", OPT_FLAG, &(q).csv, NULL, 0, 0, "print CSV" }
/* clang-format on */

/* Parses the command line of a command about any number of applications. */
void query_parse_many(struct query *q, int argc, char **argv, const struct opt_usage *usage,
		      const struct opt *options);
/* Returns the query about one of them, on the machines and with the options of q, which it borrows:
 * query_free() it before q. */
struct query query_about(const struct query *q, const char *application);
/* Parses that of a command about one application and checks that the options fit together; operands
 * is the number needed, SIZE_MAX: any number. */
void query_parse(struct query *q, int argc, char **argv, const struct opt_usage *usage,
		 const struct opt *options, size_t operands);
/* Reads the application, unless that was done, and, unless shared, the machines, and finds the
 * reference. */
void query_read(struct query *q);
/* Reads the machines that the operands stand for; a note names those whose costs cannot be seconds.
 */
void query_read_machines(struct query *q);
/* Reads the application, and chooses the unit that -u asks for. */
void query_read_application(struct query *q);
/* Prices the application on every machine, at the level asked for, and notes what makes that
 * uncertain. */
void query_answer(struct query *q);
/* Adds a note: a sentence for people, in the manner of printf. */
void query_note(struct query *q, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Returns the seconds per unit (q->unit) for seconds per run. */
double query_time(const struct query *q, double seconds);
/* Returns the number of the machine labelled by the first n characters of name; ends the program,
 * naming the option, when there is none. */
size_t query_machine(const struct query *q, const char *option, const char *name, size_t n);
/* Returns what --json and --csv ask for; text without them. */
enum table_format query_format(const struct query *q);
/* Whether text is asked for. */
bool query_for_people(const struct query *q);
/* Frees what q owns; another query's machines stay. */
void query_free(struct query *q);

#endif
