/* SPDX-License-Identifier: MIT */
/* main.c - main of every benchmark program: the benchmark's file defines bench. */
#include "measure/bench.h"

extern const struct bench bench;

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
