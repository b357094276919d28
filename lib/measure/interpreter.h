/* SPDX-License-Identifier: MIT */
/*
 * interpreter.h - an interpreter of bytecode, as in databases and scripting languages: work of the
 * kind that applications do.
 *
 * Each instruction is fetched, decoded and jumped to.  The jumps repeat, so that a wide processor
 * predicts them and executes several instructions at once, while an emulator looks up each, and a
 * core that another thread shares has fewer units left for them.
 */
#ifndef MEASURE_INTERPRETER_H
#define MEASURE_INTERPRETER_H

#include <stdint.h>

enum { INTERPRETER_NUMBERS = 16 };

/* The sum of the numbers and the largest of them, added up, as bytecode finds them. */
uint64_t interpreter_run(const uint64_t numbers[INTERPRETER_NUMBERS]);

#endif
