/* SPDX-License-Identifier: MIT */
#include "record/bpf/cpu_counters.h"

#ifdef HAVE_BPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "record/stream/records.h"
#include "recorder.skel.h"
#include "util/monotonic.h"
#include "util/xalloc.h"

enum { TURN = 10000000 }; /* ns */

/* Reads the counters on each CPU. */
static void read_all(const struct cpu_counters *c)
{
	int program = bpf_program__fd(c->program->progs.on_turn);

	for (size_t cpu = 0; cpu < c->ncpus; cpu++) {
		LIBBPF_OPTS(bpf_test_run_opts, o, .flags = BPF_F_TEST_RUN_ON_CPU,
			    .cpu = (uint32_t)cpu);

		if (c->groups[cpu].n)
			bpf_prog_test_run_opts(program, &o);
	}
}

static void enable(const struct cpu_counters *c, bool on)
{
	for (size_t cpu = 0; cpu < c->ncpus; cpu++)
		if (c->groups[cpu].n)
			groups_enable(&c->groups[cpu], c->group, on);
}

static void begin_turn(struct cpu_counters *c)
{
	c->group = rotation_next(&c->turns);
	c->program->bss->first_event = c->first[c->group];
	c->program->bss->counting_events = c->first[c->group + 1] - c->first[c->group];
	enable(c, true);
	c->next = monotonic_ns() + TURN;
}

/* What ran until now is read while the program still reads the events of the group. */
void cpu_counters_turn(struct cpu_counters *c)
{
	if (!c->program || monotonic_ns() < c->next)
		return;
	if (c->turns.n == 1) {
		read_all(c);
		c->next = monotonic_ns() + TURN;
		return;
	}
	enable(c, false);
	read_all(c);
	begin_turn(c);
}

/* Numbers the events group by group, as the first CPU has them, and gives them to the program. */
static int hand_over(struct cpu_counters *c, const struct record_target *t, size_t cpu,
		     struct error *e)
{
	const struct groups *g = &c->groups[cpu];
	int map = bpf_map__fd(c->program->maps.events), fd;
	uint32_t n = 0;
	size_t event;

	for (size_t group = 0; group < g->n; group++) {
		c->first[group] = n;
		for (size_t i = 0; (fd = groups_fd(g, group, i, &event)) >= 0; i++, n++) {
			uint32_t at = (uint32_t)cpu * RECORD_EVENTS + n;

			if (n == RECORD_EVENTS)
				return error_set(e, "more than %d events", RECORD_EVENTS);
			if (bpf_map_update_elem(map, &at, &fd, BPF_ANY))
				return event_refused(t->events[event], e);
			if (c->names[n] && c->names[n] != t->events[event])
				return error_set(e, "the CPUs of this machine cannot count these "
						    "events in the same groups");
			c->names[n] = t->events[event];
		}
	}
	c->first[g->n] = n;
	return 0;
}

/* Nothing was read yet: what the program knows is of an earlier recording of this process. */
static void forget(const struct cpu_counters *c)
{
	const struct bpf_map *map = c->program->maps.shown;
	uint32_t zero = 0;
	void *values = xcalloc(c->ncpus, (bpf_map__value_size(map) + 7) & ~7u);

	bpf_map_update_elem(bpf_map__fd(map), &zero, values, BPF_ANY);
	free(values);
}

/* A CPU that is not there, or offline, has none. */
static int open_groups(struct cpu_counters *c, const struct record_target *t, struct error *e)
{
	struct group_options o = { .carriers = t->carriers, .most = t->most_events };
	int status = groups_try(t->events, t->nevents, &o, e);
	size_t found = 0;

	for (size_t cpu = 0; cpu < c->ncpus && !status; cpu++) {
		o.cpu = (int)cpu + 1;
		status = groups_open(&c->groups[cpu], t->events, t->nevents, &o, e);
		if (!status)
			status = hand_over(c, t, cpu, e);
		else if (errno == ENODEV)
			status = 0;
		if (!found)
			found = c->groups[cpu].n;
	}
	if (!status)
		rotation_init(&c->turns, found, random_fresh_seed());
	return status;
}

int cpu_counters_begin(struct cpu_counters *c, struct recorder *p, const struct record_target *t,
		       struct error *e)
{
	if (!t->nevents)
		return 0;
	*c = (struct cpu_counters){ .ncpus = (size_t)libbpf_num_possible_cpus(), .program = p };
	c->groups = xcalloc(c->ncpus, sizeof(*c->groups));
	c->names = xcalloc(RECORD_EVENTS, sizeof(*c->names));
	c->first = xcalloc(RECORD_EVENTS + 1, sizeof(*c->first));
	event_any_pmu();
	int status = open_groups(c, t, e);
	if (status) {
		cpu_counters_end(c);
		errno = status == EVENT_UNSUPPORTED ? ENOSYS : EINVAL;
		return -1;
	}
	forget(c);
	p->bss->counts_calls = t->counts_calls;
	begin_turn(c);
	return 0;
}

void cpu_counters_end(struct cpu_counters *c)
{
	if (!c->program)
		return;
	if (c->turns.n)
		read_all(c);
	c->program->bss->counting_events = 0;
	for (size_t cpu = 0; cpu < c->ncpus; cpu++)
		groups_close(&c->groups[cpu]);
	rotation_done(&c->turns);
	free(c->groups);
	free(c->first);
	c->program = NULL;
}

#endif
