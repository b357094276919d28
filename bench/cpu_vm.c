/* SPDX-License-Identifier: MIT */
/* cpu_vm - an interpreter: bytecode adds up numbers and finds the largest. */
#include "measure/bench.h"
#include "measure/interpreter.h"

static uint64_t wrong;

static void run(uint64_t n)
{
	const uint64_t last = INTERPRETER_NUMBERS - 1;
	uint64_t numbers[INTERPRETER_NUMBERS];

	for (uint64_t i = 0; i <= last; i++)
		numbers[i] = i;
	while (n--) {
		bench_clobber();
		wrong += interpreter_run(numbers) != last * (last + 1) / 2 + last;
	}
}

static const char *check(uint64_t n)
{
	return wrong ? "the program computed something else" : NULL;
}

const struct bench bench = {
	.summary = "An interpreter of bytecode.",
	.operation = "sixteen numbers added up, and the largest found, by bytecode",
	.computes = true,
	.run = run,
	.check = check,
};
