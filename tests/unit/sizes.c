/* SPDX-License-Identifier: MIT */
/* Tests of the size classes: exact while few, exact sums always, bounded for ever. */
#include "vector/sizes.h"

#include "../tap.h"

static void test_few(void)
{
	struct sizes s = { 0 };
	size_t n;

	ok(!sizes_rows(&s, &n) && n == 0, "nothing has no rows");
	for (uint64_t i = 0; i < SIZES_EXACT; i++)
		for (uint64_t k = 0; k <= i; k++)
			sizes_add(&s, 1000003 * (SIZES_EXACT - i), 1);
	struct appvec_size *rows = sizes_rows(&s, &n);
	cmp_int(n, SIZES_EXACT, "as many rows as sizes");
	size_t wrong = 0;
	for (size_t i = 0; i < n; i++)
		wrong += rows[i].size != 1000003.0 * (double)(i + 1) ||
			 rows[i].calls != (double)(SIZES_EXACT - i);
	cmp_int(wrong, 0, "ascending, each with its own size and count");
	free(rows);
	sizes_free(&s);
}

static void test_many(void)
{
	struct sizes s = { 0 };
	double calls = 0, sum = 0, worst = 1;
	size_t n;

	/* Every size up to 5000 and every power of two: more than 32 from the start. */
	for (uint64_t i = 0; i < 5000; i++)
		sizes_add(&s, i, 1);
	for (unsigned i = 0; i < 50; i++)
		sizes_add(&s, UINT64_C(1) << i, 1);
	struct appvec_size *rows = sizes_rows(&s, &n);
	ok(n < 4 * 64 + 1, "%zu rows", n);
	for (size_t i = 0; i < n; i++) {
		calls += rows[i].calls;
		sum += rows[i].calls * rows[i].size;
		if (i && !(rows[i].size > rows[i - 1].size))
			fail("row %zu is not above the one before", i);
		if (i && i + 1 < n && rows[i].size > 8 && rows[i + 1].size < 4096 &&
		    rows[i + 1].size / rows[i].size > worst)
			worst = rows[i + 1].size / rows[i].size;
	}
	cmp_near(calls, 5050, 0, "no call is lost");
	cmp_near(sum, 5000.0 * 4999 / 2 + 0x1p50 - 1, 1e-15, "the sum of the sizes is exact");
	ok(worst < 1.3, "neighbouring classes are at most a quarter of an octave apart (%.3f)",
	   worst);
	free(rows);
	sizes_add(&s, UINT64_MAX, 1);
	rows = sizes_rows(&s, &n);
	cmp_near(rows[n - 1].size, 0x1p64, 1e-15, "the largest size");
	free(rows);
	sizes_free(&s);
}

int main(void)
{
	test_few();
	test_many();
	return done_testing();
}
