/* SPDX-License-Identifier: MIT */
/*
 * lat_op - one instruction that needs the result of the one before: its latency.
 *
 * add takes one cycle on every processor of today, so that 1 / value is the clock rate.  Quotients
 * keep their size: x becomes k / x, over and over.  mod includes an or.
 */
#include <math.h>
#include <stdbool.h>

#include "measure/bench.h"

enum { UNROLL = 16 };
enum { ADD, MUL };

#define FOUR(x) x x x x
#define SIXTEEN(x) FOUR(FOUR(x))

/* The compiler may not see through the steps, nor know the operands. */
#define OPAQUE(v, register) __asm__ volatile("" : "+" register(v))

#if defined(__x86_64__)
#define FLOAT "x"
#elif defined(__aarch64__)
#define FLOAT "w"
#else
#define FLOAT "m"
#endif

static const uint64_t odd = 0x9e3779b97f4a7c15, most = UINT64_MAX / 5, some = UINT64_C(3) << 30;
static const double second = 1.2345678901234567, barely = 1 + 1e-15;
static uint64_t integer, before;
static double number;

/* name, the operation on x and y, the type, its register, the variable, y */
/* clang-format off */
#define OPERATIONS(row) \
	row(add, x + y, uint64_t, "r", integer, odd) \
	row(mul, x * y, uint64_t, "r", integer, odd) \
	row(div, y / x, uint64_t, "r", integer, most) \
	row(mod, y % x | some, uint64_t, "r", integer, most) \
	row(fadd, x + y, double, FLOAT, number, second) \
	row(fmul, x * y, double, FLOAT, number, barely) \
	row(fdiv, y / x, double, FLOAT, number, second)
/* clang-format on */

#define DEFINE(name, operation, type, register, variable, operand) \
	static void name##_run(uint64_t n) \
	{ \
		type x = variable, y = operand; \
\
		OPAQUE(y, register); \
		for (; n; n -= UNROLL) { \
			SIXTEEN(x = (operation); OPAQUE(x, register);) \
		} \
		variable = x; \
	}
#define ROW(name, ...) name##_run,
#define NAME(name, ...) " " #name

OPERATIONS(DEFINE)

static void (*const runs[])(uint64_t n) = { OPERATIONS(ROW) };

static const struct bench_parameter parameters[] = {
	{ "what", BENCH_CHOICE, &OPERATIONS(NAME)[1],
	  .help = "instruction on 64-bit integers; fadd, fmul, fdiv: on doubles" },
	{ 0 }
};

static void prepare(uint64_t n)
{
	before = integer = some;
	number = second * second;
}

static void run(uint64_t n)
{
	runs[bench_choice(0)](n);
}

static uint64_t power(uint64_t base, uint64_t n)
{
	uint64_t result = 1;

	for (; n; n /= 2, base *= base)
		result *= n % 2 ? base : 1;
	return result;
}

static const char *check(uint64_t n)
{
	bool good = integer && number > 0 && isfinite(number);

	if (bench_choice(0) == ADD)
		good = integer == before + n * odd;
	if (bench_choice(0) == MUL)
		good = integer == before * power(odd, n);
	return good ? NULL : "the result is wrong";
}

const struct bench bench = {
	.summary = "The latency of an arithmetic instruction.",
	.operation = "one instruction that depends on the last",
	.parameters = parameters,
	.prepare = prepare,
	.run = run,
	.check = check,
	.unroll = UNROLL,
};
