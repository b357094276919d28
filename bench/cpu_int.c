/* SPDX-License-Identifier: MIT */
/*
 * cpu_int - integer arithmetic as servers do it: a number is written in decimal and read back.
 *
 * Division by a constant, multiplication, stores and loads of bytes, loops of changing length.  The
 * numbers are of all magnitudes and each comes back as it went.
 */
#include "measure/bench.h"

static uint64_t state = 1, wrong;

/* A full-period generator modulo 2^64 (multiplier from Knuth, TAOCP 2, 3.3.4). */
static inline uint64_t next(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> (state >> 58);
}

static const char *format(uint64_t v, char *end)
{
	*--end = '\0';
	do
		*--end = (char)('0' + v % 10);
	while (v /= 10);
	return end;
}

static uint64_t parse(const char *s)
{
	uint64_t v = 0;

	for (; *s; s++)
		v = v * 10 + (uint64_t)(*s - '0');
	return v;
}

static void run(uint64_t n)
{
	char text[24];

	while (n--) {
		uint64_t v = next();
		const char *s = format(v, text + sizeof(text));

		bench_clobber();
		wrong += parse(s) != v;
	}
}

static const char *check(uint64_t n)
{
	return wrong ? "a number was read back wrongly" : NULL;
}

const struct bench bench = {
	.summary = "Integer arithmetic: numbers to decimal and back.",
	.operation = "one number written in decimal and read back",
	.computes = true,
	.run = run,
	.check = check,
};
