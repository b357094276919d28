/* SPDX-License-Identifier: MIT */
/* What was counted in stretches of time, by the states and the threads that they are of. */
#include "graph/stretches.h"

#include <unistd.h>

#include "counters/counter.h"
#include "counters/stacks.h"
#include "stats/random.h"
#include "util/file.h"

#include "../tap.h"

static struct stretches s;
static struct graph g;

static void counter(uint32_t tid, int64_t time, const char *name, double value)
{
	struct event e = { .type = EVENT_COUNTER, .pid = 7, .tid = tid, .time = time };

	e.counter.name = name;
	e.counter.value = value;
	stretches_event(&s, &e);
}

/* A reading: the time since the last, and two events. */
static void reading(uint32_t tid, int64_t time, double ns, double a, double b)
{
	counter(tid, time, "cpu_ns", ns);
	counter(tid, time, "A", a);
	counter(tid, time, "B", b);
}

static double sums[4][2]; /* by state */

static void add(void *arg, const struct stretch *x, int64_t from, int64_t to, uint16_t state)
{
	(void)arg;
	for (size_t i = 0; i < x->n; i++)
		sums[state][s.counts.v[x->first + i].event] += s.counts.v[x->first + i].count *
							       (double)(to - from) /
							       (double)(x->to - x->from);
}

static void test_states(void)
{
	uint32_t program = (uint32_t)names_add(&g.programs, "p");
	uint16_t user = graph_state(&g, program, (uint32_t)names_add(&g.words, "user"), RUNS_USER),
		 read = graph_state(&g, program, (uint32_t)names_add(&g.words, "read"), RUNS_USER);
	uint32_t one = graph_thread(&g, 7, 7, 0, 0), two = graph_thread(&g, 7, 8, 0, 0);

	graph_run(&g, one, 400, user, 300, read); /* until 300 in its program */
	graph_run(&g, two, 1000, user, 1000, user);
	/* Those of the second come in between, and one that does not end is nobody's. */
	reading(7, 200, 200, 20, 2);
	reading(8, 500, 500, 5, 50);
	reading(7, 400, 200, 40, 8);
	reading(8, 1000, 500, 7, 70);
	counter(7, 1200, "user", 3);
	counter(0, 1200, "lost_records", 3);
	counter(9, 1200, "A", 3);
	cmp_int(s.v.n, 4, "a stretch for each reading");
	cmp_int(s.events.n, 2, "of two events");
	stretches_sort(&s);
	stretches_by_state(&s, &g, add, NULL);
	cmp_near(sums[user][0], 20 + 20 + 5 + 7, 1e-12,
		 "in the program: half of the second reading");
	cmp_near(sums[read][0], 20, 1e-12, "and half of it in the call");
	cmp_near(sums[user][1], 2 + 4 + 50 + 70, 1e-12, "the other event");
	cmp_near(sums[read][1], 4, 1e-12, "the same");
}

static size_t parts;
static int64_t first_from, last_to;

static void note(void *arg, const struct stretch *x, int64_t from, int64_t to)
{
	(void)arg;
	(void)x;
	first_from = parts++ ? first_from : from;
	last_to = to;
}

static void test_between(void)
{
	stretches_between(&s, 7, 100, 300, note, NULL);
	ok(parts == 2 && first_from == 100 && last_to == 300, "cut at both ends");
	parts = 0;
	stretches_between(&s, 7, 400, 900, note, NULL);
	stretches_between(&s, 6, 0, 900, note, NULL);
	stretches_between(&s, 9, 0, 900, note, NULL);
	cmp_int(parts, 0, "none of that time or thread");
}

/* Units whose rates differ are told apart: cycles = time, and as many B as were said above. */
static void test_counts(void)
{
	struct counts c = { 0 };

	names_add(&c.units, "one");
	names_add(&c.units, "two");
	for (size_t i = 0; i < s.v.n; i++) {
		const struct stretch *x = &s.v.v[i];

		stretches_count(&s, x, x->from, x->to, &c, x->tid == 8, 1);
	}
	counts_sort(&c, 0);
	cmp_int(c.slices.n, 4, "as slices of counts");
	cmp_near(c.slices.v[0].to, 1 + 200e-9, 1e-12, "behind a second of another file");
	for (size_t i = 1; i < c.slices.n; i++)
		ok(c.slices.v[i].to >= c.slices.v[i - 1].to, "in order");
	ok(c.slices.v[3].unit == 1 && c.rows.v[c.slices.v[3].first + 1].count == 70, "whole");
	counts_free(&c);
}

/* ---- known stacks ---- */

enum { RUNS = 200, READINGS = 1200, TURN = 10000000 /* ns, of some 15 readings */ };

/* Cycles and instructions in each group, and two of these events, by state; a reading is of one. */
static const double rates[2][6] = { { 1, 0.5, 0.4, 0.1, 0.2, 0.5 },
				    { 1, 0.2, 0.8, 0.1, 0.6, 0.3 } };
static const char *const names[] = { "C", "I", "A", "B", "D", "E" };

static void count_in(void *arg, const struct stretch *x, int64_t from, int64_t to, uint16_t state)
{
	stretches_count(&s, x, from, to, arg, state, 0);
}

/* A run of a thread that goes from one state to the other; truth[state][part] in cycles. */
static void simulate(struct random *r, struct counts *c, double truth[2][2])
{
	struct rotation turns;
	size_t group = 0;
	double walks[6] = { 0 }, totals[2][6] = { 0 }; /* of a turn, readings are alike */
	int64_t time = 0, next = 0;
	uint32_t program = (uint32_t)names_add(&g.programs, "p");
	uint16_t states[2] = {
		graph_state(&g, program, (uint32_t)names_add(&g.words, "user"), RUNS_USER),
		graph_state(&g, program, (uint32_t)names_add(&g.words, "read"), RUNS_USER)
	};
	uint32_t thread = graph_thread(&g, 7, 7, 0, 0);

	rotation_init(&turns, 2, random_next(r));
	for (int i = 0; i < READINGS; i++) {
		int in = i % 2;
		double cycles = 1e6 * (1 + 2 * random_uniform(r)), counts[6];

		if (time >= next) {
			group = rotation_next(&turns);
			next = time + TURN;
		}
		time += (int64_t)cycles / 3;
		counter(7, time, "cpu_ns", (double)((int64_t)cycles / 3));
		for (size_t k = 0; k < 6; k++) {
			walks[k] = 0.95 * walks[k] + 0.03 * random_normal(r);
			counts[k] = cycles * rates[in][k] * (k ? exp(walks[k]) : 1);
			totals[in][k] += counts[k];
			if (k < 2 || (k - 2) / 2 == group)
				counter(7, time, names[k], counts[k]);
		}
		graph_run(&g, thread, time, states[in], time, states[in]);
	}
	for (int in = 0; in < 2; in++) {
		truth[in][0] = totals[in][2] - totals[in][3];
		truth[in][1] = totals[in][4] * totals[in][5] / totals[in][0];
	}
	rotation_done(&turns);
	stretches_sort(&s);
	for (int in = 0; in < 2; in++)
		names_add(&c->units, in ? "read" : "user");
	stretches_by_state(&s, &g, count_in, c);
	counts_sort(c, 0);
}

/* The parts of each state, of events of which half the time nothing is known. */
static void test_coverage(const char *path)
{
	static const char text[] = "stack s\ncycles C\ninstructions I\npart a = A - B\n"
				   "part b = D * E / C\nrest c\n";
	struct formula_file file;
	struct random r;
	struct error e;
	int covered[2][2] = { 0 };

	random_seed(&r, 5);
	file_write(path, text, strlen(text), &e);
	formulas_read(&file, path, &e);
	for (int run = 0; run < RUNS; run++) {
		struct counts c = { 0 };
		struct stacks stacks;
		double truth[2][2] = { 0 };

		stretches_free(&s);
		graph_free(&g);
		g = (struct graph){ 0 };
		s = (struct stretches){ 0 };
		simulate(&r, &c, truth);
		stacks_begin(&stacks, &c, &file, NULL, &e);
		for (size_t in = 0; in < 2; in++) {
			struct stack stack = { 0 };

			stacks_sum(&stacks, in, -INFINITY, INFINITY, &stack);
			for (int k = 0; k < 2; k++)
				covered[in][k] += fabs(stack.parts.v[k].measured - truth[in][k]) <
						  1.96 * stack.parts.v[k].error;
			stack_free(&stack);
		}
		stacks_end(&stacks);
		counts_free(&c);
	}
	for (int in = 0; in < 2; in++)
		for (int k = 0; k < 2; k++)
			ok(covered[in][k] > 0.90 * RUNS && covered[in][k] < 0.99 * RUNS,
			   "state %d, part %d: 1.96 standard errors cover %.1f %%", in, k,
			   100.0 * covered[in][k] / RUNS);
	formulas_free(&file);
}

int main(void)
{
	char path[] = "/tmp/stretches.XXXXXX";

	close(mkstemp(path));
	test_states();
	test_between();
	test_counts();
	test_coverage(path);
	unlink(path);
	stretches_free(&s);
	graph_free(&g);
	return done_testing();
}
