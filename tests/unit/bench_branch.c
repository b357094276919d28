/* SPDX-License-Identifier: MIT */
/* What cpu_branch parses, of which only its time would tell. */
#include "../tap.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../bench/cpu_branch.c"

#include "../bench_inside.h"

/* The text is that many lines longer than what a predictor remembers. */
static bool is_long(void)
{
	size_t lines = 0;

	at = text;
	line = 0;
	do {
		run(1);
		lines++;
	} while (line);
	return at == text && lines >= 4000;
}

/* Few of its lines are like the one before. */
static bool varies(void)
{
	size_t alike = 0, before = 0;

	at = text;
	line = 0;
	for (int i = 0; i < 1000; i++) {
		const char *start = at;

		run(1);
		alike += (size_t)(at - start) == before;
		before = (size_t)(at - start);
	}
	return alike < 100;
}

int main(void)
{
	inside("cpu_branch -GN1000", is_long, "thousands of lines");
	inside("cpu_branch -GN1000", varies, "of many lengths");
	return done_testing();
}
