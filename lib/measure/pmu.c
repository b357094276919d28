/* SPDX-License-Identifier: MIT */
#include "measure/pmu.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counters/group.h"
#include "util/xalloc.h"

static struct groups groups;
static struct group_options options;
static VEC(char *) names;
static struct group_slice slice;
static size_t current; /* the group that counts */
static struct {
	struct counters counters;
	struct rotation rotation;
	double whole; /* time in which one of the groups counted */
	uint64_t calls, operations;
} parts[PMU_PARTS];
static int cycles_fd = -1;

void pmu_close(void)
{
	groups_close(&groups);
	for (size_t i = 0; i < names.n; i++)
		free(names.v[i]);
	vec_free(&names);
	free(slice.events);
	free(slice.counts);
	slice = (struct group_slice){ 0 };
	for (int part = 0; part < PMU_PARTS; part++) {
		rotation_done(&parts[part].rotation);
		counters_free(&parts[part].counters);
	}
}

/* The names of a list; 0, or -1 and *e. */
static int split(const char *list, struct error *e)
{
	for (const char *at = list;; at++) {
		size_t n = strcspn(at, ",");

		if (!n)
			return error_set(e, "'%s': an event without a name", list);
		vec_push(&names, xstrndup(at, n));
		at += n;
		if (!*at)
			return 0;
	}
}

char *pmu_encoded(const char *list)
{
	char *out = NULL;

	if (split(list, NULL))
		out = xstrdup(list);
	else
		for (size_t i = 0; i < names.n; i++) {
			char *event = event_encoded(names.v[i]);

			out = xappend(out, "%s%s", i ? "," : "", event);
			free(event);
		}
	pmu_close();
	return out;
}

int pmu_open(const char *list, struct error *e)
{
	int status = split(list, e);

	if (!status)
		status = groups_open(&groups, (const char *const *)names.v, names.n, &options, e);
	if (status) {
		pmu_close();
		return status;
	}
	for (size_t i = 0; i < names.n; i++)
		names.v[i][strcspn(names.v[i], "@")] = '\0';
	slice.events = xcalloc(names.n, sizeof(*slice.events));
	slice.counts = xcalloc(names.n, sizeof(*slice.counts));
	for (int part = 0; part < PMU_PARTS; part++) {
		counters_init(&parts[part].counters, names.n);
		rotation_init(&parts[part].rotation, groups.n, random_fresh_seed());
	}
	return 0;
}

void pmu_start(enum pmu_part part)
{
	if (!names.n)
		return;
	current = rotation_next(&parts[part].rotation);
	groups_enable(&groups, current, true);
}

void pmu_stop(enum pmu_part part, uint64_t n)
{
	if (!names.n)
		return;
	parts[part].calls++;
	parts[part].operations += n;
	groups_enable(&groups, current, false);
	groups_read(&groups, current, &slice);
	parts[part].whole += slice.enabled;
	if (slice.running > 0)
		counters_add(&parts[part].counters, slice.n, slice.events, slice.counts,
			     slice.running);
}

void pmu_reset(void)
{
	if (!names.n) /* nor memory for counts */
		return;
	for (int part = 0; part < PMU_PARTS; part++) {
		counters_reset(&parts[part].counters);
		parts[part].whole = 0;
		parts[part].calls = parts[part].operations = 0;
	}
}

size_t pmu_count(void)
{
	return names.n;
}

const char *pmu_name(size_t i)
{
	return names.v[i];
}

static double count_of(size_t i, enum pmu_part part)
{
	return parts[part].calls
		   ? counters_estimate(&parts[part].counters, i, parts[part].whole).count
		   : 0;
}

static double share(double count, uint64_t n)
{
	return n ? count / (double)n : 0;
}

struct counter_estimate pmu_estimate(size_t i)
{
	double nothing = share(count_of(i, PMU_NOTHING), parts[PMU_NOTHING].calls);
	double loop = share(count_of(i, PMU_LOOP) - nothing * (double)parts[PMU_LOOP].calls,
			    parts[PMU_LOOP].operations);
	double n = (double)parts[PMU_WORK].operations, overhead;
	struct counter_estimate e =
	    counters_estimate(&parts[PMU_WORK].counters, i, parts[PMU_WORK].whole);

	overhead = nothing * (double)parts[PMU_WORK].calls / n + (loop > 0 ? loop : 0);
	e.count = e.count / n - overhead;
	e.error /= n;
	return e;
}

int pmu_open_cycles(struct error *e)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.exclude_hv = 1,
	};

	cycles_fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return cycles_fd < 0 ? (event_refused("cycles", e), -1) : 0;
}

uint64_t pmu_cycles(void)
{
	uint64_t count;

	return read(cycles_fd, &count, sizeof(count)) == (ssize_t)sizeof(count) ? count : 0;
}
