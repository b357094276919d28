/* SPDX-License-Identifier: MIT */
#include "measure/canary.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"
#include "measure/clock.h"

/* A chain of steps of Knuth's generator. */
static void multiply(uint64_t n)
{
	uint64_t x = n;

	while (n--)
		x = x * 6364136223846793005u + 1442695040888963407u;
	bench_keep(x);
}

static void call(uint64_t n)
{
	while (n--)
		syscall(SYS_getppid);
}

void canaries_take(struct canaries *c)
{
	static const struct {
		void (*run)(uint64_t n);
		uint64_t steps;
	} works[] = {
		[CANARY_CALL] = { call, 1 << 9 },
		[CANARY_INTEGER] = { multiply, 1 << 14 },
	};

	for (int i = CANARIES - 1; i >= 0; i--) {
		double ticks = clock_time(works[i].run, works[i].steps);

		vec_push(&c->ticks[i], ticks / (double)works[i].steps);
	}
}

void canaries_free(struct canaries *c)
{
	for (int i = 0; i < CANARIES; i++)
		vec_free(&c->ticks[i]);
}
