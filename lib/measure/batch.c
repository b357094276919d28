/* SPDX-License-Identifier: MIT */
#include "measure/batch.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "measure/clock.h"
#include "measure/pmu.h"
#include "measure/watchdog.h"
#include "stats/sample.h"
#include "util/file.h"
#include "util/number.h"

/* The size of the largest cache in bytes, or 8 MB when the kernel does not say. */
static size_t cache_size(void)
{
	uint64_t largest = 0, size;

	for (int i = 0; i < 8; i++) {
		char path[96], line[32];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
		if (file_first_line(path, line, sizeof(line)) && number_parse_size(line, &size) &&
		    size > largest)
			largest = size;
	}
	return largest ? largest : 8 << 20;
}

/* Writes to twice the memory that the largest cache holds, at most 256 MB. */
static int evict(struct error *e)
{
	enum { LINE = 64, PASSES = 2 /* the first pass only makes the pages */ };
	const size_t most = 256 << 20;
	size_t bytes = 2 * cache_size();

	if (bytes > most)
		bytes = most;
	unsigned char *memory =
	    mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return error_set(e, "no memory to empty the caches with");
	for (int pass = 0; pass < PASSES; pass++)
		for (size_t i = 0; i < bytes; i += LINE)
			memory[i]++;
	bench_clobber();
	munmap(memory, bytes);
	return 0;
}

static void count(struct batch *b, int sign)
{
	static const int whose[] = { RUSAGE_SELF, RUSAGE_CHILDREN };

	for (size_t i = 0; i < sizeof(whose) / sizeof(*whose); i++) {
		struct rusage r;

		getrusage(whose[i], &r);
		b->minor_faults += (uint64_t)(sign * r.ru_minflt);
		b->major_faults += (uint64_t)(sign * r.ru_majflt);
		b->voluntary += (uint64_t)(sign * r.ru_nvcsw);
		b->involuntary += (uint64_t)(sign * r.ru_nivcsw);
	}
}

void batch_add(struct batch *total, const struct batch *b)
{
	total->n += b->n;
	total->ticks += b->ticks;
	total->minor_faults += b->minor_faults;
	total->major_faults += b->major_faults;
	total->voluntary += b->voluntary;
	total->involuntary += b->involuntary;
}

int batch_run(const struct bench *bench, uint64_t n, bool cold, struct batch *out, struct error *e)
{
	const char *wrong;

	if (bench->prepare)
		bench->prepare(n);
	if (cold && evict(e))
		return -1;
	*out = (struct batch){ .n = n };
	count(out, -1);
	pmu_start();
	out->ticks = clock_time(bench->run, n);
	pmu_stop();
	count(out, +1);
	watchdog_feed();
	if (bench->check && (wrong = bench->check(n)))
		return error_set(e, "the work was not done: %s", wrong);
	if (out->ticks < 0) /* also when a batch without work consists of pauses */
		return error_set(e, "the clock (%s) went backwards; try -C clock or pin with -P",
				 clock_name());
	return 0;
}

/* The cost of `while (n--)` in run(), aligned as hot loops are. */
__attribute__((noinline, aligned(64))) static void empty_loop(uint64_t n)
{
	while (n--)
		bench_clobber();
}

static void nothing(uint64_t n)
{
	(void)n;
}

static double time_timer(void)
{
	enum { PAIRS = 15 };
	double v[PAIRS];

	for (int i = 0; i < PAIRS; i++)
		v[i] = clock_time(nothing, 0);
	return sample_median(v, PAIRS);
}

void overhead_sample(struct overhead *o, const struct bench *bench, uint64_t n)
{
	enum { TURNS = 1 << 17 };
	double unroll = bench->unroll ? (double)bench->unroll : 1;
	double timer = time_timer(), ticks;

	if (bench->overhead)
		ticks = (clock_time(bench->overhead, n) - timer) / (double)n;
	else
		ticks = (clock_time(empty_loop, TURNS) - timer) / TURNS / unroll;
	vec_push(&o->timers, timer);
	vec_push(&o->operations, fmax(ticks, 0));
}

void overhead_reduce(struct overhead *o)
{
	const double *v = o->operations.v;
	size_t n = o->operations.n, half = n / 2;

	o->timer = sample_median(o->timers.v, o->timers.n);
	o->operation = sample_median(v, n);
	o->uncertainty = half ? fabs(sample_median(v, half) - sample_median(v + half, half)) : 0;
}

void overhead_free(struct overhead *o)
{
	vec_free(&o->timers);
	vec_free(&o->operations);
}
