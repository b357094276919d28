/* SPDX-License-Identifier: MIT */
/* What perf tells besides the fields of tracepoints: when, and in which thread. */
#include <string.h>

#include "trace/format/perf/perf.h"

/*
 * A recording of some processes has no switches to them: they run again when they next pass a
 * tracepoint.  If that is the next switch from them, it is unknown since when.
 */
static void take_run(struct perf *p, const struct tracepoint_hit *s)
{
	struct kernel *k = &p->kernel;

	if (!k->sees_switches || !s->tid)
		return;
	k->inferred = kernel_cpu(k, s->cpu)->tid != s->tid;
	if (k->inferred)
		kernel_switch(k, s->cpu, 0, 0, s->tid);
}

enum abi perf_abi(const char *machine)
{
	return !strcmp(machine, "x86_64")    ? ABI_X86_64
	       : !strcmp(machine, "aarch64") ? ABI_ARM64
	       : machine[0] == 'i'	     ? ABI_I386
					     : ABI_OTHER;
}

void perf_go_to(struct perf *p, uint64_t time)
{
	time &= INT64_MAX;
	if (!time)
		return;
	if (!p->begun)
		p->origin = time;
	p->begun = true;
	p->kernel.now = (int64_t)(time - p->origin);
}

void perf_lose(struct perf *p, uint64_t count, uint64_t time)
{
	int64_t from = p->kernel.now;

	perf_go_to(p, time);
	importer_lose(&p->kernel.im, LOST_RING_FULL, count, from, p->kernel.now);
}

void perf_take(struct perf *p, const struct tracepoint_hit *s)
{
	perf_go_to(p, s->time);
	p->kernel.knows_pids |= s->pid != 0;
	if (s->tid && s->pid)
		kernel_set_pid(&p->kernel, s->tid, s->pid);
	else if (s->tid && !map_find(&p->kernel.pids, s->tid))
		kernel_set_pid(&p->kernel, s->tid, s->tid);
	take_run(p, s);
	s->meaning.take(&p->kernel, s);
}
