/* SPDX-License-Identifier: MIT */
/*
 * marked - an example of osvec-mark(3), and what a mark takes.
 *
 *	marked N	one thread makes N jobs, another works at each for a millisecond or more
 *	marked		prints the ns of a mark: the median of pairs with a loop that makes none
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mark/osvec-mark.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int jobs, made;

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void spin(double length)
{
	double end = seconds() + length;

	while (seconds() < end)
		;
}

static void *work(void *arg)
{
	for (int i = 0; i < jobs; i++) {
		pthread_mutex_lock(&lock);
		if (!made)
			osvec_wait_empty("jobs");
		while (!made)
			pthread_cond_wait(&more, &lock);
		made--;
		osvec_dequeue("jobs", 1);
		pthread_mutex_unlock(&lock);
		osvec_state("work");
		spin(1.1e-3);
	}
	osvec_state("done");
	return arg;
}

static void make(void)
{
	for (int i = 0; i < jobs; i++) {
		osvec_state("make");
		spin(0.1e-3);
		pthread_mutex_lock(&lock);
		made++;
		osvec_enqueue("jobs", 1);
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&lock);
	}
	osvec_state("done");
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	enum { MARKS = 10000, PAIRS = 101 };
	pthread_t worker;

	jobs = argc > 1 ? atoi(argv[1]) : 0;
	if (jobs > 0) {
		if (pthread_create(&worker, NULL, work, NULL))
			return 1;
		make();
		return pthread_join(worker, NULL) != 0;
	}
	osvec_state("first");
	double v[PAIRS];
	for (int p = 0; p < PAIRS; p++) {
		double start = seconds();
		for (volatile int i = 0; i < MARKS; i++)
			;
		double between = seconds();
		for (volatile int i = 0; i < MARKS; i++)
			osvec_enqueue("queue", 1);
		v[p] = (seconds() - between - (between - start)) / MARKS * 1e9;
	}
	qsort(v, PAIRS, sizeof(*v), ascending);
	printf("a mark takes %.1f ns%s\n", v[PAIRS / 2],
	       getenv("OSVEC_MARKS") ? "" : " (OSVEC_MARKS is not set)");
	return 0;
}
