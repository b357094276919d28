/* SPDX-License-Identifier: MIT */
#include "measure/clock.h"

#include <math.h>
#include <string.h>
#include <sys/prctl.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "measure/pmu.h"
#include "util/file.h"

enum clock_source clock_source = CLOCK_SYSTEM;

#if defined(__x86_64__)

/* Is this bit set in what cpuid returns in edx? */
static bool has_feature(unsigned leaf, int bit)
{
	unsigned a, b, c, d;

	return __get_cpuid(leaf, &a, &b, &c, &d) && (d & 1u << bit);
}

#endif

/* Returns why the counter cannot be trusted, or NULL. */
static const char *counter_fault(void)
{
#if defined(__x86_64__)
	const char *path = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
	int enabled = PR_TSC_ENABLE;
	char line[256];

	if (!has_feature(0x80000001, 27))
		return "this CPU has no rdtscp";
	if (!prctl(PR_GET_TSC, &enabled) && enabled != PR_TSC_ENABLE)
		return "this process may not read the time stamp counter";
	bool listed = file_first_line(path, line, sizeof(line)) != NULL;
	if (listed && strstr(line, "tsc"))
		return NULL;
	if (!has_feature(0x80000007, 8))
		return "the time stamp counter is not invariant";
	/* Linux removes an unstable counter from the list.  Under a hypervisor it may be missing
	 * because the hypervisor's own clock, made from the counter, takes its place. */
	if (listed && !strstr(line, "kvm-clock") && !strstr(line, "hyperv"))
		return "the kernel found the time stamp counter unstable";
	return NULL;
#elif defined(__aarch64__)
	return NULL; /* the architecture guarantees a constant rate */
#else
	return "osvec does not know a counter of this architecture";
#endif
}

static uint64_t cpu_nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns why CPU time is useless, or NULL: some kernels charge whole clock ticks to the thread
 * that is running when the tick comes. */
static const char *cpu_fault(void)
{
	enum { TRIES = 3, COARSEST = 100000 /* ns */ };
	const uint64_t patience = 1000000000; /* ns */

	for (int i = 0; i < TRIES; i++) {
		uint64_t first = cpu_nanoseconds(), start = clock_nanoseconds(), next;

		while ((next = cpu_nanoseconds()) == first)
			if (clock_nanoseconds() - start > patience)
				return "CPU time stands still here";
		if (next - first <= COARSEST)
			return NULL;
	}
	return "CPU time is counted in clock ticks here";
}

void clock_choose_best(void)
{
	if (clock_choose(CLOCK_COUNTER, NULL))
		clock_source = CLOCK_SYSTEM;
}

int clock_choose(enum clock_source source, struct error *e)
{
	const char *fault = source == CLOCK_COUNTER ? counter_fault()
			    : source == CLOCK_CPU   ? cpu_fault()
						    : NULL;

	if (fault)
		return error_set(e, "%s", fault);
	if (source == CLOCK_PMU && pmu_open_cycles(e))
		return -1;
	clock_source = source;
	return 0;
}

static const char *const names[] = {
	[CLOCK_COUNTER] = "tsc",
	[CLOCK_SYSTEM] = "clock",
	[CLOCK_PMU] = "pmu",
	[CLOCK_CPU] = "cpu",
};

int clock_find(const char *name)
{
	for (int i = 0; i < (int)(sizeof(names) / sizeof(*names)); i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}

const char *clock_name(void)
{
#if defined(__aarch64__)
	if (clock_source == CLOCK_COUNTER)
		return "cntvct";
#endif
	return names[clock_source];
}

uint64_t clock_read_other(void)
{
	switch (clock_source) {
	case CLOCK_PMU: return pmu_cycles();
	case CLOCK_CPU: return cpu_nanoseconds();
	default: return clock_nanoseconds();
	}
}

bool clock_runs_in_sleep(void)
{
	return clock_source != CLOCK_PMU && clock_source != CLOCK_CPU;
}

/* Is a tick a nanosecond? */
static bool in_nanoseconds(void)
{
	return clock_source == CLOCK_SYSTEM || clock_source == CLOCK_CPU;
}

/* Nanoseconds that ticks are compared with. */
static uint64_t reference(void)
{
	return clock_runs_in_sleep() ? clock_nanoseconds() : cpu_nanoseconds();
}

double clock_time(void (*f)(uint64_t n), uint64_t n)
{
	uint64_t start = clock_start();
	f(n);
	uint64_t stop = clock_stop();

	return (double)(int64_t)(stop - start);
}

struct calibration_point calibration_point(void)
{
	enum { TRIES = 16 };
	struct calibration_point best = { .width = UINT64_MAX }; /* an interrupt widens a point */

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = clock_start();
		uint64_t now = reference();
		uint64_t after = clock_stop();

		if (after - before < best.width)
			best = (struct calibration_point){ before + (after - before) / 2, now,
							   after - before };
	}
	return best;
}

void calibration_start(struct calibration *c)
{
	c->first = calibration_point();
	while (reference() < c->first.nanoseconds + 100000)
		;
	c->middle = c->last = calibration_point();
}

static double rate(const struct calibration_point *a, const struct calibration_point *b)
{
	return (double)(b->nanoseconds - a->nanoseconds) * 1e-9 / (double)(b->ticks - a->ticks);
}

static double uncertainty(const struct calibration_point *a, const struct calibration_point *b)
{
	return (double)(a->width + b->width) / 2 / (double)(b->ticks - a->ticks);
}

double calibration_tick(const struct calibration *c)
{
	return in_nanoseconds() ? 1e-9 : rate(&c->first, &c->last);
}

double calibration_error(const struct calibration *c)
{
	return in_nanoseconds() ? 0 : uncertainty(&c->first, &c->last);
}

double calibration_drift(const struct calibration *c)
{
	if (in_nanoseconds())
		return 0;
	double change = rate(&c->middle, &c->last) / rate(&c->first, &c->middle) - 1;
	double noise = uncertainty(&c->middle, &c->last) + uncertainty(&c->first, &c->middle);
	return fabs(change) > noise ? change : 0;
}
