/* SPDX-License-Identifier: MIT */
#include "measure/canary.h"

#include <math.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"
#include "measure/clock.h"

enum { BYTES = 4 << 20, LINE = 64 };

static const unsigned char *memory; /* BYTES zeros in pages of their own */

/* A full period through all residues: a step of Knuth's generator. */
static inline uint64_t next(uint64_t x)
{
	return x * 6364136223846793005u + 1442695040888963407u;
}

static void multiply(uint64_t n)
{
	uint64_t x = n;

	while (n--)
		x = next(x);
	bench_keep(x);
}

static void call(uint64_t n)
{
	while (n--)
		syscall(SYS_getppid);
}

/* Each address depends on what the load before it returned, which is 0. */
static void chase(uint64_t n)
{
	static uint64_t last;
	uint64_t x = last;

	while (n--)
		x = next(x) + memory[(x >> 32) % (BYTES / LINE) * LINE];
	last = x;
}

/* Not in children, for copying its page tables would make fork(2) slower. */
static const unsigned char *make_memory(void)
{
	unsigned char *p =
	    mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, BYTES, MADV_HUGEPAGE);
	madvise(p, BYTES, MADV_DONTFORK);
	for (size_t i = 0; i < BYTES; i += 4096)
		p[i] = 0;
	return p;
}

void canaries_prepare(void)
{
	memory = memory ? memory : make_memory();
}

void canaries_take(struct canaries *c)
{
	static const struct {
		void (*run)(uint64_t n);
		uint64_t steps;
	} works[] = {
		[CANARY_MEMORY] = { chase, 1 << 8 },
		[CANARY_CALL] = { call, 1 << 9 },
		[CANARY_INTEGER] = { multiply, 1 << 14 },
	};

	canaries_prepare();
	for (int i = CANARIES - 1; i >= 0; i--) {
		bool can = memory || i != CANARY_MEMORY;
		double ticks = can ? clock_time(works[i].run, works[i].steps) : NAN;

		vec_push(&c->ticks[i], ticks / (double)works[i].steps);
	}
}

void canaries_free(struct canaries *c)
{
	for (int i = 0; i < CANARIES; i++)
		vec_free(&c->ticks[i]);
}
