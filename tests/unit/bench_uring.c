/* SPDX-License-Identifier: MIT */
/* What the requests of lat_uring are, which no system call tells. */
#include <stdint.h>

#include "../../bench/common/ring.h"

static uint64_t places; /* a bit for each offset in pages that was asked for */

#define ring_prepare(operation, fd, buffer, size, at) \
	(places |= 1ull << (at) / 4096 % 64, ring_prepare(operation, fd, buffer, size, at))
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../bench/lat_uring.c"

#include "../bench_inside.h"

static size_t wanted;	  /* bytes of the buffer */
static uint64_t expected; /* places */

static bool is_filled(void)
{
	for (size_t i = 0; i < sizeof(buffer); i++)
		if ((buffer[i] != 0) != (i < wanted))
			return false;
	return places == expected;
}

/* The benchmark fills as many bytes of its buffer, and no more, from that many pages of its file.
 */
static void fills(const char *words, size_t bytes, unsigned pages)
{
	wanted = bytes;
	expected = (1ull << pages) - 1;
	inside(words, is_filled, "the bytes moved");
}

int main(void)
{
	fills("lat_uring -GN10 -D/tmp nop 8", 0, 1);
	fills("lat_uring -GN10 -D/tmp read 8", 8 * 4096, 8);
	fills("lat_uring -GN10 -D/tmp fixed 8", 8 * 4096, 8);
	fills("lat_uring -GN10 -D/tmp send 8", 8 * 64, 1);
	fills("lat_uring -GN10 -D/tmp recv 8", 8 * 64, 1);
	fills("lat_uring -GN10 -D/tmp read 1", 4096, 1);
	return done_testing();
}
