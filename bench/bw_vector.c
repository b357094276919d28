/* SPDX-License-Identifier: MIT */
/*
 * bw_vector - the four loops over arrays of double of McCalpin's STREAM: copy (a = b), scale (a = s
 * b), add (a = b + c) and triad (a = b + s c), with the vectors that every processor of the
 * compiler's target has.  SIZE bytes are in all two or three arrays together, each of whole cache
 * lines.
 */
#include "measure/bench.h"
#include "common/memory.h"

enum { COPY, SCALE, ADD, TRIAD };

/* A cache line: as many instructions as that takes. */
typedef double vector __attribute__((vector_size(MEMORY_LINE)));

static vector *restrict a, *restrict b, *restrict c;
static size_t vectors; /* in an array */

static const struct bench_parameter parameters[] = {
	{ "loop", BENCH_CHOICE, "copy scale add triad",
	  .help = "loop of STREAM: copy and scale use two arrays, add and triad three" },
	{ "size", BENCH_SIZE, "24k 384k 48m 384m", 3 * MEMORY_LINE, UINT64_C(1) << 40, .axis = true,
	  .help = "bytes in all arrays" },
	{ 0 }
};

static const char *supported(void)
{
	return memory_reason(bench_number(1));
}

static vector *array(double value)
{
	const union {
		double value;
		uint64_t word;
	} u = { value };

	return memory_new(vectors * sizeof(vector), MEMORY_USUAL, u.word);
}

static void setup(void)
{
	vectors = bench_number(1) / sizeof(vector) / (bench_choice(0) < ADD ? 2 : 3);
	a = array(-1);
	b = array(2);
	c = bench_choice(0) < ADD ? NULL : array(5);
}

static void prepare(uint64_t n)
{
	a[0][0] = a[vectors / 2][0] = a[vectors - 1][0] = -1;
}

/* The barrier keeps the compiler from calling memcpy. */
#define LOOP(value) \
	for (size_t i = 0; i < vectors; i++) { \
		a[i] = (value); \
		bench_clobber(); \
	} \
	break

static void run(uint64_t n)
{
	static const double s = 3;

	while (n--)
		switch (bench_choice(0)) {
		case COPY: LOOP(b[i]);
		case SCALE: LOOP(s * b[i]);
		case ADD: LOOP(b[i] + c[i]);
		case TRIAD: LOOP(b[i] + s * c[i]);
		}
}

static const char *check(uint64_t n)
{
	static const double results[] = { 2, 6, 7, 17 };
	double wanted = results[bench_choice(0)];

	return a[0][0] == wanted && a[vectors / 2][0] == wanted && a[vectors - 1][0] == wanted
		   ? NULL
		   : "the result is wrong";
}

const struct bench bench = {
	.summary = "Bandwidth of loops over arrays that compute (STREAM).",
	.operation = "one pass over all arrays",
	.parameters = parameters,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.transfers = 1,
};
