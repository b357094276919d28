/* SPDX-License-Identifier: MIT */
#include "measure/batch.h"

#include <inttypes.h>
#include <stddef.h>
#include <sys/resource.h>

#include "measure/clock.h"
#include "measure/pmu.h"

static struct {
	uint64_t since; /* ticks at bench_pause */
	uint64_t ticks; /* paused in this batch */
	uint64_t pairs; /* pauses in this batch */
	double cost;	/* ticks that one pair leaves in the batch's time */
} pause_state;

void bench_pause(void)
{
	pause_state.since = clock_stop();
}

void bench_resume(void)
{
	pause_state.pairs++;
	pause_state.ticks += clock_start() - pause_state.since;
}

double batch_time(void (*f)(uint64_t n), uint64_t n)
{
	pause_state.ticks = pause_state.pairs = 0;

	uint64_t start = clock_start();
	f(n);
	uint64_t stop = clock_stop();

	return (double)(int64_t)(stop - start - pause_state.ticks) -
	       (double)pause_state.pairs * pause_state.cost;
}

static void pause_often(uint64_t n)
{
	while (n--) {
		bench_pause();
		bench_resume();
	}
}

void batch_measure_pause(void)
{
	enum { PAIRS = 256, TRIES = 5 };
	double least = 0;

	pause_state.cost = 0;
	for (int i = 0; i < TRIES; i++) {
		double cost = batch_time(pause_often, PAIRS) / PAIRS;

		if (i == 0 || cost < least)
			least = cost;
	}
	pause_state.cost = least > 0 ? least : 0;
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

int batch_run(const struct bench *bench, uint64_t n, struct batch *out, struct error *e)
{
	const char *wrong;

	if (bench->batch)
		bench->batch(n);
	*out = (struct batch){ .n = n };
	count(out, -1);
	pmu_start();
	out->ticks = batch_time(bench->run, n);
	pmu_stop();
	count(out, +1);
	if (bench->check && (wrong = bench->check(n)))
		return error_set(e, "the work was not done: %s", wrong);
	if (out->ticks < 0) /* pauses that eat up a batch of nothing look the same */
		return error_set(e, "the clock (%s) went backwards; try -C clock or pin with -P",
				 clock_name());
	return 0;
}
