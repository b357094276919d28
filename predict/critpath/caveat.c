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

double caveat_unchanged(struct graph *g)
{
	const unsigned used = g->cpus;
	const struct simulation s = simulate_unchanged(g);
	const double error = (double)s.ns / (double)(g->end - g->begin) - 1;

	caveat_simulation("the unchanged run", &s);
	if (s.ns < 0)
		return NAN;
	if (g->cpus < used)
		warnx("the program ran on %u CPUs, but takes its time only on %u: it is bound to "
		      "fewer, or other programs used them",
		      used, g->cpus);
	if (fabs(error) > 0.1)
		warnx("the simulation of the unchanged run is off by %+.0f %%: other programs used "
		      "the CPUs, or waits have unknown causes; do not trust the result",
		      100 * error);
	return (double)s.ns;
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
