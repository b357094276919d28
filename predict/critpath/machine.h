/* SPDX-License-Identifier: MIT */
/* machine.h - how long the run of a trace would take on another machine, from the OS vectors of
 * both. */
#ifndef MACHINE_H
#define MACHINE_H

#include "load.h"

/* The options fill the first part. */
struct machine_question {
	struct opt_list machines; /* "FROM=TO" */
	double recorder;	  /* seconds that recording added to each call */
	unsigned cpus;		  /* of each TO; 0: as many as the trace used */
};

/* Before the trace and its options are read: if q asks for a machine, calls are kept as demands. */
void machine_listen(struct load *l, const struct machine_question *q);
/* Prints the answers. */
void machine_answer(struct load *l);

#endif
