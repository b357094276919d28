/* SPDX-License-Identifier: MIT */
/* caveat.h - says on stderr when a simulated run time cannot be trusted. */
#ifndef CRITPATH_CAVEAT_H
#define CRITPATH_CAVEAT_H

#include "graph/simulate.h"

/* Warns if the simulation left out waits that would never end, or gave up because there were too
 * many; `what`: what was simulated. */
void caveat_simulation(const char *what, const struct simulation *s);
/* Warns if the simulated time of the unchanged run is off by more than a tenth; `error`: relative
 * to the observed time. */
void caveat_unchanged(double error);
/* Warns if the trace is of several hosts, whose CPUs the simulation does not tell apart. */
void caveat_hosts(const struct graph *g);

#endif
