/* SPDX-License-Identifier: MIT */
/* operand.h - what an operand of summary, compare and vector names: a run, or a vector alone. */
#ifndef DRIVER_OPERAND_H
#define DRIVER_OPERAND_H

#include "reduction.h"

struct operand {
	const char *name;      /* as given */
	struct reduction *run; /* NULL: a vector alone */
	struct osvec *vector;
};

/* Reads what name stands for: a run, a directory above runs (the newest), the name of a reference
 * platform or the file of a vector, whose own estimator counts.  0, or -1 and *e. */
int operand_read(struct operand *o, const char *name, enum estimator estimator, struct error *e);
/* Adjusts the costs of o to the state of the host during another run of the same machine
 * (host_state.h).  0, or -1 and *e when either is no run, or no entry can be adjusted. */
int operand_adjust(struct operand *o, const struct operand *like, struct error *e);
/* Returns the memory. */
void operand_free(struct operand *o);
/* All that is known of where it was measured, an object; NULL: nothing. */
const json_t *operand_environment(const struct operand *o);

#endif
