/* SPDX-License-Identifier: MIT */
/* machine.h - predicts how long the run of a trace would take on another machine, from the OS
 * vectors of both machines. */
#ifndef CRITPATH_MACHINE_H
#define CRITPATH_MACHINE_H

#include "../common/load.h"

/* The members are set by the options. */
struct machine_question {
	struct opt_list machines; /* "FROM=TO" */
	double recorder;	  /* seconds that recording added to each call */
	unsigned cpus;		  /* of each TO machine; 0: as many as the trace used */
};

/* To be called before the trace is read.  If q asks for a machine, the calls are collected for
 * pricing. */
void machine_listen(struct load *l, const struct machine_question *q);
/* Prints the predictions in the format of l, and warns of those that are not to be trusted;
 * `unchanged`: ns that the simulation of the unchanged run takes, or NaN.  A
 * vector that cannot be read or a trace without system calls ends the program. */
void machine_answer(struct load *l, double unchanged);

#endif
