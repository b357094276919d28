/* SPDX-License-Identifier: MIT */
/* Fuzz target: formulas, and counts as perf prints them.  Parts that are finite are the cycles. */
#include <math.h>

#include "counters/stacks.h"

#include "fuzz.h"

static char path[64];

static void check(const struct counts *c, const struct formula_file *f, const char *name)
{
	struct stacks stacks;
	struct stack s = { 0 };
	double sum = 0;

	if (stacks_begin(&stacks, c, f, name, NULL))
		return;
	stacks_sum(&stacks, SIZE_MAX, -INFINITY, INFINITY, &s);
	for (size_t i = 0; i < s.parts.n; i++) {
		sum += s.parts.v[i].cycles;
		if (s.parts.v[i].cycles < 0)
			abort();
	}
	if (s.parts.n && isfinite(sum) && fabs(sum - s.cycles) > 1e-6 * s.cycles)
		abort();
	stack_free(&s);
	stacks_end(&stacks);
}

/* The formulas, and behind an empty line the counts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const uint8_t *gap = memmem(data, n, "\n\n", 2);
	struct formula_file f;
	struct counts c = { 0 };
	struct error e;

	snprintf(path, sizeof(path), "/tmp/fuzz-counts.%d", (int)getpid());
	file_write(path, data, gap ? (size_t)(gap - data) + 1 : n, &e);
	if (!formulas_read(&f, path, &e)) {
		file_write(path, gap ? gap + 2 : data, gap ? n - (size_t)(gap + 2 - data) : 0, &e);
		bool read = !counts_read(&c, path, &e);
		for (size_t i = 0; read && i < f.stacks.n; i++)
			check(&c, &f, f.stacks.v[i].name);
		formulas_free(&f);
	}
	counts_free(&c);
	unlink(path);
	return 0;
}

static const struct fuzz_seed seeds[] = {
	FUZZ_TEXT("stack s # one\ntitle a\npmu skl\ncycles C:X\ninstructions I\n"
		  "let a = A.b + 2 * -B\nbase b = min(C:X, (I / 4))\nmemory m = max(0, a - 3)\n"
		  "rest r\nalias I ins\n\n"
		  "# cpistack s\n1.0,100,,c.x,10,50.00,,\n1.0,50,,ins,10,50.00,2,per cycle\n"
		  "1.0,7,,a:b,10,50.00,,\n1.0,100,,c.x:u,11,50.00,,\n1.0,<not counted>,,b,0,0,,\n"
		  "2.0,app-1,90,,C:X,10,100.00,,\n2.0,app-1,40,,I,10,100.00,,\n"
		  "3.0,S0-D0-C0,2,90,,cpu/event=1,umask=2/u,10,100.00,,\n"),
	FUZZ_TEXT("stack s\ncycles C\ninstructions I\nrest r\n\n1,5,,C,5,100\n1,5,,I,5,100\n"),
};

FUZZ_MAIN(seeds)
