/* SPDX-License-Identifier: MIT */
/* caveat.h - says on stderr when a simulated run time cannot be trusted. */
#ifndef CRITPATH_CAVEAT_H
#define CRITPATH_CAVEAT_H

#include "graph/simulate.h"

/* Warns if the simulation left out waits that would never end, or gave up because there were too
 * many; `what`: what was simulated. */
void caveat_simulation(const char *what, const struct simulation *s);
/* Simulates the unchanged run (simulate_unchanged()).  Returns its ns; NaN: it cannot be simulated.
 * Warns if that is off by more than a tenth, and if the program ran on more CPUs. */
double caveat_unchanged(struct graph *g);
/* Warns if the trace is of several hosts, whose CPUs the simulation does not tell apart. */
void caveat_hosts(const struct graph *g);

#endif
