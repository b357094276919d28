/* SPDX-License-Identifier: MIT */
/* doubt.h - says on stderr when a simulated run time cannot be trusted. */
#ifndef DOUBT_H
#define DOUBT_H

#include "graph/simulate.h"

/* Warns if waits had to be forced in the simulation, or too many of them; `what`: what was
 * simulated. */
void doubt_simulation(const char *what, const struct simulation *s);
/* Warns if the simulated time of the unchanged run is off by more than a tenth; `error`: relative
 * to the observed time. */
void doubt_unchanged(double error);
/* Warns if the trace is of several hosts, whose CPUs the simulation does not tell apart. */
void doubt_hosts(const struct graph *g);

#endif
