/* SPDX-License-Identifier: MIT */
/*
 * cpu_vm - an interpreter, as in databases and scripting languages: bytecode adds up numbers and
 * finds the largest.
 *
 * Each instruction is fetched, decoded and jumped to.  The jumps repeat, so that a wide processor
 * predicts them and executes several instructions at once, while an emulator looks up each.
 */
#include "measure/bench.h"

enum { NUMBERS = 16, REGISTERS = 8 };
enum { I, SUM, LARGEST, VALUE, ONE, COUNT }; /* registers */

enum opcode { SET, MOVE, ADD, LOAD, JUMP_LESS, HALT };

/* The operands are registers, a number, or the target of a jump, depending on the opcode. */
struct instruction {
	uint8_t opcode, a, b, c;
};

static const struct instruction program[] = {
	{ SET, I, 0, 0 },
	{ SET, SUM, 0, 0 },
	{ SET, LARGEST, 0, 0 },
	{ SET, ONE, 1, 0 },
	{ SET, COUNT, NUMBERS, 0 },
	/* 5: the next number */
	{ LOAD, VALUE, I, 0 },
	{ ADD, SUM, SUM, VALUE },
	{ JUMP_LESS, VALUE, LARGEST, 9 },
	{ MOVE, LARGEST, VALUE, 0 },
	/* 9: */
	{ ADD, I, I, ONE },
	{ JUMP_LESS, I, COUNT, 5 },
	{ HALT, SUM, LARGEST, 0 },
};

static uint64_t wrong;

/* Runs code and returns the sum of the operands of HALT. */
static __attribute__((noinline)) uint64_t interpret(const struct instruction *code,
						    const uint64_t *memory)
{
	uint64_t r[REGISTERS] = { 0 };

	for (const struct instruction *at = code;;) {
		const struct instruction i = *at++;

		switch ((enum opcode)i.opcode) {
		case SET: r[i.a] = i.b; break;
		case MOVE: r[i.a] = r[i.b]; break;
		case ADD: r[i.a] = r[i.b] + r[i.c]; break;
		case LOAD: r[i.a] = memory[r[i.b]]; break;
		case JUMP_LESS:
			if (r[i.a] < r[i.b])
				at = code + i.c;
			break;
		case HALT: return r[i.a] + r[i.b];
		}
	}
}

static void run(uint64_t n)
{
	uint64_t memory[NUMBERS];

	for (size_t i = 0; i < NUMBERS; i++)
		memory[i] = i;
	while (n--) {
		bench_clobber();
		wrong += interpret(program, memory) != NUMBERS * (NUMBERS - 1) / 2 + NUMBERS - 1;
	}
}

static const char *check(uint64_t n)
{
	return wrong ? "the program computed something else" : NULL;
}

const struct bench bench = {
	.summary = "An interpreter of bytecode.",
	.operation = "sixteen numbers added up, and the largest found, by bytecode",
	.run = run,
	.check = check,
};
