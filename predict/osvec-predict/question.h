/* SPDX-License-Identifier: MIT */
/*
 * question.h - what every command asks: this application on these machines, by this model.
 *
 * The front end of a program: what cannot be answered ends it with a message.
 */
#ifndef QUESTION_H
#define QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machines.h"
#include "util/opt.h"
#include "util/table.h"
#include "model/prediction.h"

/* Zeroed is valid; the options fill the first part. */
struct question {
	const char *application_path, *reference_path, *calibration, *units;
	uint64_t level;
	bool json, csv;
	bool without_wait; /* CPU time is asked for: leave out waiting for devices */

	struct appvec *application;
	struct demand *demand;
	struct machines machines;
	bool machines_shared;		 /* they belong to another question */
	struct osvec *own_reference;	 /* of --reference, or NULL */
	const struct osvec *reference;	 /* that, or one of the machines, or NULL */
	struct prediction **predictions; /* one per machine */
	double units_per_run;		 /* predictions are seconds per run; printed / this */
	const char *unit;		 /* "run", "request" */
	double inflation;		 /* in-situ inflation h on the reference; NaN: not known */
	double known;			 /* --calibrate's seconds per unit */
	struct opt_list operands;
	struct notes {
		char **v;
		size_t n, cap;
	} notes; /* what the reader must know, each a sentence */
};

/* Rows of a table of options for a file-static struct question. */
#define QUESTION_OPTIONS(q) \
	{ 'a',	      "application", \
	  OPT_STRING, &(q).application_path, \
	  "FILE",     0, \
	  0,	      "the application vector (ktranal vector makes it)" }, \
	    { 'r',	  "reference", \
	      OPT_STRING, &(q).reference_path, \
	      "MACHINE",  0, \
	      0,	  "the machine it was recorded on (default: found among MACHINES)" }, \
	    { 'u',    "units", OPT_STRING, &(q).units, \
	      "UNIT", 0,       0,	   "print times per run or per unit counted, as request" }, \
	    { 'l',	 "level", \
	      OPT_COUNT, &(q).level, \
	      "N",	 0, \
	      2,	 "0: as measured; 1: calibrated; 2: with the reference's inflation" }, \
	    { 0, \
	      "calibrate", \
	      OPT_STRING, \
	      &(q).calibration, \
	      "MACHINE=TIME", \
	      0, \
	      0, \
	      "level 1: what was measured there, per unit, scales all" }, \
	    { 'j', "json", OPT_FLAG, &(q).json, NULL, 0, 0, "print JSON" }, \
	{ \
		'c', "csv", OPT_FLAG, &(q).csv, NULL, 0, 0, "print CSV" \
	}

/* Parses the command line, options before and behind the operands, and checks what the options say
 * together; operands: how many are needed, SIZE_MAX: any number. */
void question_parse(struct question *q, int argc, char **argv, const struct opt_usage *usage,
		    const struct opt *options, size_t operands);
/* Reads the application and, unless shared, the machines that the operands stand for. */
void question_read(struct question *q);
/* Prices the application on every machine, at the level asked for; notes what is doubtful. */
void question_answer(struct question *q);
/* Adds a note. */
void question_note(struct question *q, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A time per unit of prediction seconds. */
double question_time(const struct question *q, double seconds);
enum table_format question_format(const struct question *q);
/* "0 (uncalibrated)" */
const char *question_level(const struct question *q);
void question_free(struct question *q);

#endif
