/* SPDX-License-Identifier: MIT */
/* Whose memory the processes of lat_ctx read: when a page is shared, no time of a small ring shows
 * it.  And every second process is where the first one is, wherever bench_fork() puts them. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>

#include "../tap.h"

static void *count_map(void *at, size_t n, int protection, int flags, int fd, off_t offset);
static int count_move(pid_t pid, size_t n, const cpu_set_t *set);
#define mmap count_map
#define sched_setaffinity count_move
#include "../../bench/lat_ctx.c"
#undef mmap
#undef sched_setaffinity

#include "../bench_inside.h"

static struct {
	_Atomic unsigned maps[2], moves; /* shared, private; to where the first process is */
} * seen;				 /* by all processes */

static void *count_map(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	seen->maps[(flags & MAP_PRIVATE) != 0]++;
	return mmap(at, n, protection, flags, fd, offset);
}

static int count_move(pid_t pid, size_t n, const cpu_set_t *set)
{
	seen->moves++;
	return sched_setaffinity(pid, n, set);
}

static bool is_shared(void)
{
	return seen->maps[0] == 1 && !seen->maps[1] && seen->moves == 1;
}

static bool is_private(void)
{
	return seen->maps[1] == 4 && !seen->maps[0];
}

int main(void)
{
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED)
		return 1;
	inside("lat_ctx -GB9 -N 4000 shared 64 4", is_shared,
	       "one array for four processes, one of which moves back");
	seen->maps[0] = 0;
	inside("lat_ctx -GB9 -N 4000 private 64 4", is_private, "an array for each of four");
	return done_testing();
}
