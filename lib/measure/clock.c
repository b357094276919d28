/* SPDX-License-Identifier: MIT */
#include "measure/clock.h"

#include <string.h>
#include <sys/prctl.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "measure/pmu.h"
#include "util/file.h"

enum clock_source clock_source = CLOCK_SYSTEM;

#if defined(__x86_64__)

static bool has_rdtscp(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && (d & 1u << 27);
}

static bool says_invariant(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}

/* Why the time stamp counter cannot be trusted, or NULL. */
static const char *counter_fault(void)
{
	static const char base[] = "/sys/devices/system/clocksource/clocksource0/";
	char path[128], line[256];
	int enabled = PR_TSC_ENABLE;

	if (!has_rdtscp())
		return "this CPU has no rdtscp";
	if (!prctl(PR_GET_TSC, &enabled) && enabled != PR_TSC_ENABLE)
		return "this process may not read the time stamp counter";
	strcat(strcpy(path, base), "available_clocksource");
	bool listed = file_first_line(path, line, sizeof(line)) != NULL;
	if (listed && strstr(line, "tsc"))
		return NULL;
	if (!says_invariant())
		return "the time stamp counter is not invariant";
	/* A kernel that knows clock sources has struck an unstable counter off its list, unless a
	 * hypervisor's clock, itself made from the counter, stands in. */
	if (listed && !strstr(line, "kvm-clock") && !strstr(line, "hyperv"))
		return "the kernel found the time stamp counter unstable";
	return NULL;
}

#elif defined(__aarch64__)

static const char *counter_fault(void)
{
	return NULL; /* the architecture demands a constant rate */
}

#else

static const char *counter_fault(void)
{
	return "this architecture has no counter that osvec knows";
}

#endif

static uint64_t cpu_nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Why CPU times are too coarse, or NULL: some kernels add the clock tick to whom it hits. */
static const char *cpu_fault(void)
{
	enum { TRIES = 3, COARSEST = 100000 /* ns */ };
	const uint64_t patience = 1000000000;

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

static const char *find_fault(enum clock_source source)
{
	if (source == CLOCK_COUNTER)
		return counter_fault();
	return source == CLOCK_CPU ? cpu_fault() : NULL;
}

void clock_choose_best(void)
{
	if (clock_choose(CLOCK_COUNTER, NULL))
		clock_source = CLOCK_SYSTEM;
}

int clock_choose(enum clock_source source, struct error *e)
{
	const char *fault = find_fault(source);

	if (fault)
		return error_set(e, "%s", fault);
	if (source == CLOCK_PMU && pmu_open_cycles(e))
		return -1;
	clock_source = source;
	return 0;
}

const char *clock_name(void)
{
	switch (clock_source) {
	case CLOCK_SYSTEM: return "clock";
	case CLOCK_PMU: return "pmu";
	case CLOCK_CPU: return "cpu";
	case CLOCK_COUNTER: break;
	}
#if defined(__aarch64__)
	return "cntvct";
#else
	return "tsc";
#endif
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

bool clock_in_nanoseconds(void)
{
	return clock_source == CLOCK_SYSTEM || clock_source == CLOCK_CPU;
}

uint64_t clock_reference(void)
{
	return clock_runs_in_sleep() ? clock_nanoseconds() : cpu_nanoseconds();
}
