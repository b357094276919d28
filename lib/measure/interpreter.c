/* SPDX-License-Identifier: MIT */
#include "measure/interpreter.h"

enum { REGISTERS = 8 };
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
	{ SET, COUNT, INTERPRETER_NUMBERS, 0 },
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

uint64_t interpreter_run(const uint64_t numbers[INTERPRETER_NUMBERS])
{
	uint64_t r[REGISTERS] = { 0 };

	for (const struct instruction *at = program;;) {
		const struct instruction i = *at++;

		switch ((enum opcode)i.opcode) {
		case SET: r[i.a] = i.b; break;
		case MOVE: r[i.a] = r[i.b]; break;
		case ADD: r[i.a] = r[i.b] + r[i.c]; break;
		case LOAD: r[i.a] = numbers[r[i.b]]; break;
		case JUMP_LESS:
			if (r[i.a] < r[i.b])
				at = program + i.c;
			break;
		case HALT: return r[i.a] + r[i.b];
		}
	}
}
