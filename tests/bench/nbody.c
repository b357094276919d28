/* SPDX-License-Identifier: MIT */
/*
 * nbody THREADS [BODIES [STEPS [balanced] [apart]]] - bodies that attract each other, of which it
 * is known why two threads do not take half the time of one.
 *
 * Each pair is computed once, by the thread of its first body, so that the first bodies have most
 * to do.  Threads have blocks of bodies or, balanced, every THREADS-th one.  They sum up the energy
 * in numbers that are next to each other or, apart, in cache lines of their own.
 *
 * Prints the seconds that it took and those of CPU, and the energy.
 */
#include <err.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mark/osvec-mark.h"

enum { THREADS_MOST = 64, LINE = 16 /* numbers, two cache lines */ };

struct body {
	double at[3], speed[3];
};

static struct body *bodies;
static double (*pulls[THREADS_MOST])[3]; /* of each thread on each body */
static _Alignas(128) volatile double energy[THREADS_MOST * LINE];
static int threads, n = 1500, steps = 20;
static bool balanced, apart;
static pthread_barrier_t barrier;

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void pull(int i, double (*pulled)[3], volatile double *sum)
{
	for (int k = i + 1; k < n; k++) {
		double d[3], square = 1e-4;

		for (int c = 0; c < 3; c++) {
			d[c] = bodies[k].at[c] - bodies[i].at[c];
			square += d[c] * d[c];
		}
		double by = 1 / (square * sqrt(square));
		*sum -= by * square;
		for (int c = 0; c < 3; c++) {
			pulled[i][c] += by * d[c];
			pulled[k][c] -= by * d[c];
		}
	}
}

static void move(int i)
{
	for (int t = 0; t < threads; t++)
		for (int c = 0; c < 3; c++)
			bodies[i].speed[c] += 1e-7 * pulls[t][i][c];
	for (int c = 0; c < 3; c++)
		bodies[i].at[c] += 1e-3 * bodies[i].speed[c];
}

static void *run(void *arg)
{
	int t = *(int *)arg, first = n * t / threads, end = n * (t + 1) / threads;
	volatile double *sum = &energy[apart ? t * LINE : t];

	for (int step = 0; step < steps; step++) {
		osvec_state("forces");
		memset(pulls[t], 0, (size_t)n * sizeof(*pulls[t]));
		if (balanced)
			for (int i = t; i < n; i += threads)
				pull(i, pulls[t], sum);
		else
			for (int i = first; i < end; i++)
				pull(i, pulls[t], sum);
		pthread_barrier_wait(&barrier);
		osvec_state("move");
		for (int i = first; i < end; i++)
			move(i);
		pthread_barrier_wait(&barrier);
	}
	osvec_state("done");
	return NULL;
}

int main(int argc, char **argv)
{
	int numbers[THREADS_MOST];
	pthread_t t[THREADS_MOST];
	double begin, sum = 0;

	threads = argc > 1 ? atoi(argv[1]) : 0;
	n = argc > 2 ? atoi(argv[2]) : n;
	steps = argc > 3 ? atoi(argv[3]) : steps;
	for (int i = 4; i < argc; i++) {
		balanced |= !strcmp(argv[i], "balanced");
		apart |= !strcmp(argv[i], "apart");
	}
	if (threads < 1 || threads > THREADS_MOST || n < 2 || steps < 1)
		errx(2, "usage: nbody THREADS [BODIES [STEPS [balanced] [apart]]]");
	bodies = calloc((size_t)n, sizeof(*bodies));
	for (int i = 0; i < n; i++)
		for (int c = 0; c < 3; c++)
			bodies[i].at[c] = (double)rand() / RAND_MAX;
	pthread_barrier_init(&barrier, NULL, (unsigned)threads);
	begin = seconds(CLOCK_MONOTONIC);
	for (int i = 0; i < threads; i++) {
		numbers[i] = i;
		pulls[i] = calloc((size_t)n, sizeof(*pulls[i]));
		if (pthread_create(&t[i], NULL, run, &numbers[i]))
			errx(1, "pthread_create");
	}
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < THREADS_MOST * LINE; i++)
		sum += energy[i];
	printf("%.6f %.6f %.9g\n", seconds(CLOCK_MONOTONIC) - begin,
	       seconds(CLOCK_PROCESS_CPUTIME_ID), sum);
	return 0;
}
