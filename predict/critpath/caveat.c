/* SPDX-License-Identifier: MIT */
#include "caveat.h"

#include <err.h>
#include <inttypes.h>
#include <math.h>

#include "trace/event.h"

void caveat_simulation(const char *what, const struct simulation *s)
{
	if (s->ns < 0)
		warnx("%s: cannot be simulated: too many waits would never end", what);
	else if (s->forced)
		warnx("%s: in the simulation %" PRIu64
		      " wait%s would never end and %s left out; do "
		      "not trust the result",
		      what, s->forced, s->forced > 1 ? "s" : "", s->forced > 1 ? "are" : "is");
}

void caveat_unchanged(double error)
{
	if (fabs(error) > 0.1)
		warnx("the simulation of the unchanged run is off by %+.0f %%: other programs used "
		      "the CPUs, or waits have unknown causes; do not trust the result",
		      100 * error);
}

void caveat_hosts(const struct graph *g)
{
	for (size_t i = 1; i < g->threads.n; i++)
		if (g->threads.v[i].tid >> HOST_SHIFT != g->threads.v[0].tid >> HOST_SHIFT) {
			warnx("the trace is of several hosts: the simulation lets any CPU run any "
			      "thread, also of another host");
			return;
		}
}
