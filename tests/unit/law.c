/* SPDX-License-Identifier: MIT */
/* Tests of laws that are found from measurements, and of the time of processors they are about. */
#include "stats/law.h"

#include <math.h>
#include <stdlib.h>

#include "../tap.h"
#include "graph_named.h"
#include "graph/cycles.h"
#include "stats/random.h"

static double by_nothing(double p, double n)
{
	(void)p;
	(void)n;
	return 3;
}
static double by_processors(double p, double n)
{
	(void)n;
	return 0.2 * p;
}
static double by_others(double p, double n)
{
	(void)n;
	return 0.5 * (p - 1);
}
static double by_tree(double p, double n)
{
	(void)n;
	return 1 + 0.3 * p * log2(p);
}
static double by_square(double p, double n)
{
	(void)p;
	return 1e-6 * n * n;
}
static double by_both(double p, double n)
{
	return 1e-3 * n * (2 + 0.1 * p);
}
static double by_sort(double p, double n)
{
	(void)p;
	return 1e-3 * n * log2(n);
}

static const struct {
	const char *text;
	double (*at)(double p, double n);
} known[] = {
	{ "3", by_nothing },	      { "0.2 P", by_processors },
	{ "0.5 (P - 1)", by_others }, { "1 + 0.3 P log P", by_tree },
	{ "1e-06 N^2", by_square },   { "0.002 N + 0.0001 N P", by_both },
	{ "0.001 N log N", by_sort },
};

/* Measurements on 1 ... 8 processors of three sizes, each off by a part of that size. */
static size_t measure(double (*at)(double p, double n), double noise, struct law_point *v)
{
	static struct random random;
	size_t count = 0;

	random_seed(&random, 7);
	for (double p = 1; p <= 8; p *= 2)
		for (double n = 1000; n <= 4000; n *= 2) {
			double value = at(p, n) * (1 + noise * random_normal(&random));

			v[count++] = (struct law_point){ p, n, value, at(8, 4000) };
		}
	return count;
}

static void test_laws(void)
{
	struct law laws[LAW_MOST];
	struct law_point v[16];

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		size_t n = measure(known[i].at, 0, v), fits = law_fit(v, n, laws);
		char *text = law_text(&laws[0]);
		double want = known[i].at(16, 8000), got;

		is_string(text, known[i].text, "a law is found");
		free(text);
		ok(laws[0].error < 1e-9 && fits < LAW_MOST, "and fits");
		n = measure(known[i].at, 0.01, v);
		law_fit(v, n, laws);
		got = law_at(&laws[0], 16, 8000);
		cmp_near(got, want, 0.15 * want, "with noise it predicts twice as much of both");
	}
	size_t n = measure(by_both, 0, v);
	ok(law_fit(v, 1, laws) == 1 && isnan(laws[0].error), "one run tells no law");
	cmp_near(law_at(&laws[0], 99, 99), v[0].value, 1e-12, "but that it may always be so");
	/* Nothing on one processor, something on two. */
	v[0] = (struct law_point){ 1, 1, 0, 1 };
	v[1] = (struct law_point){ 2, 1, 0.5, 1 };
	n = law_fit(v, 2, laws);
	ok(n > 1 && law_at(&laws[0], 1, 1) == 0, "two runs leave several laws");
	double least = 1e9, most = 0;
	unsigned forms = 0;
	for (size_t i = 0; i < n; i++) {
		double at = law_at(&laws[i], 4, 1);

		least = fmin(least, at);
		most = fmax(most, at);
		forms += laws[i].form;
	}
	ok(least <= 1 && most >= 1.5, "of which one grows with log P, and one with P");
	cmp_int(forms, 0, "and none has two constants");
	for (int i = 0; i < 3; i++)
		v[i] = (struct law_point){ 1 << i, 1, 1e-4 * (1 << i), 1 };
	ok(law_fit(v, 3, laws) > 10, "of what hardly counts, any law is as good");
	/* A cost that falls below 0 between its terms. */
	for (int i = 0; i < 4; i++)
		v[i] = (struct law_point){ 1 << i, 1, i ? i : 0, 4 };
	law_fit(v, 4, laws);
	ok(laws[0].constant >= 0 && laws[0].factor >= 0, "no constant is below 0");
}

/* ---- processors ---- */

static struct graph graph;

static uint16_t state(const char *word)
{
	return graph_named(&graph, 0, word);
}

/* One thread until 10, then another one beside it until 50, for which the first waits from 20 on.
 */
static void make(void)
{
	graph_thread(&graph, 1, 1, 0, 0);
	uint64_t born = graph_run(&graph, 0, 10, state("user"), 10, state("user"));
	uint32_t two = graph_thread(&graph, 1, 2, 10, born);
	graph_run(&graph, 0, 20, state("user"), 20, state("user"));
	uint64_t by = graph_run(&graph, two, 50, state("user"), 40, state("write file"));
	graph_wait(&graph, 0, 50, state("lock"), by, 0);
	graph_run(&graph, 0, 60, state("user"), 60, state("user"));
}

static int64_t sum(const int64_t *ns)
{
	int64_t all = 0;

	for (int c = 0; c < CYCLES; c++)
		all += ns[c];
	return all;
}

static void test_cycles(void)
{
	int64_t ns[CYCLES];

	make();
	cmp_int(cycles(&graph, 0, 2, GRAPH_NOBODY, ns), 0, "two processors have room for both");
	cmp_int(sum(ns), 2 * 60, "all of their time is in a category");
	cmp_int(ns[COMPUTATION], 60, "what both compute");
	cmp_int(ns[SYSTEM], 10, "what they do in calls");
	cmp_int(ns[SYNCHRONIZATION], 30,
		"one processor has nothing to do while one waits for the other");
	cmp_int(ns[TOO_FEW_THREADS], 20, "nor while there is only one");
	cycles(&graph, 0, 1, GRAPH_NOBODY, ns);
	cmp_int(sum(ns), 60, "one processor");
	cmp_int(ns[SYNCHRONIZATION], 0, "is never lost to waits: somebody runs");
	cmp_int(cycles(&graph, 0, 1, GRAPH_NOBODY, ns), 10,
		"10 ns in which two ran are too many for one");
	cycles(&graph, 0, 4, GRAPH_NOBODY, ns);
	cmp_int(sum(ns), 4 * 60, "four");
	cmp_int(ns[TOO_FEW_THREADS], 4 * 60 - 60 - 10 - 30, "have too few threads");
	cycles(&graph, 0, 2, graph.threads.v[0].program, ns);
	cmp_int(ns[COMPUTATION] + ns[SYSTEM], 70, "all threads are of one program");
	graph.threads.v[1].program = (uint32_t)names_add(&graph.programs, "network");
	cycles(&graph, 0, 1, graph.threads.v[0].program, ns);
	cmp_int(ns[COMPUTATION], 30, "the thread of another program is left out,");
	cmp_int(ns[SYNCHRONIZATION], 30, "but not the wait for it");
	cmp_int(sum(ns), 60, "and all time of the one processor is there");
	cycles(&graph, 0, 1, graph.threads.v[1].program, ns);
	cmp_int(sum(ns), 60, "behind the last thread of a program, too");
	graph_lost(&graph, 30, 35);
	cycles(&graph, 0, 2, GRAPH_NOBODY, ns);
	cmp_int(ns[UNKNOWN], 10, "while events are missing nobody knows");
	cmp_int(sum(ns), 120, "and the sum stays");
	graph_free(&graph);
}

int main(void)
{
	test_laws();
	test_cycles();
	return done_testing();
}
