/* SPDX-License-Identifier: MIT */
/* In which pages the index of cpu_search lies: it decides how many misses of the TLB a search has.
 */
#include "../../bench/common/memory.h"

static enum memory_pages kept = MEMORY_HUGE;

#define memory_new(size, pages, word) (kept = (pages), memory_new(size, pages, word))
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../bench/cpu_search.c"

#include "../bench_inside.h"

static bool is_usual(void)
{
	return kept == MEMORY_USUAL && nkeys == (32 << 10) / sizeof(uint64_t);
}

int main(void)
{
	inside("cpu_search -GB1 -N 10 32k", is_usual, "what the kernel gives an application");
	return done_testing();
}
