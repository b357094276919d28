/* SPDX-License-Identifier: MIT */
#include "measure/canary.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"
#include "measure/clock.h"
#include "measure/interpreter.h"

static void interpret(uint64_t n)
{
	static const uint64_t numbers[INTERPRETER_NUMBERS];

	while (n--)
		bench_keep(interpreter_run(numbers));
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
		[CANARY_CODE] = { interpret, 1 << 8 },
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
