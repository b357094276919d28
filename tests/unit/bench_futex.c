/* SPDX-License-Identifier: MIT */
/* At which futexes lat_futex waits: a recorder sees only that they are addresses. */
#include <sys/syscall.h>
#include <unistd.h>

static unsigned long changes; /* calls at another futex than the one before */

static long note(const volatile void *word)
{
	static const volatile void *before;

	changes += word != before;
	before = word;
	return SYS_futex;
}

#define syscall(number, word, ...) syscall(note(word), word, __VA_ARGS__)
#include "../../bench/lat_futex.c"

#include "../bench_inside.h"

static bool is_one(void)
{
	return changes == 1;
}

static bool are_many(void)
{
	return changes >= 1000;
}

int main(void)
{
	inside("lat_futex -GN1000 wait", is_one, "at one futex");
	inside("lat_futex -GN1000 hash", are_many, "at another each time");
	return done_testing();
}
