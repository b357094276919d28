/* SPDX-License-Identifier: MIT */
/* Tests of driver/schedule: who is measured, in which order, and when it is enough. */
#include "../../driver/schedule.h"

#include "stats/random.h"
#include "../tap.h"

/* Adds one value and checks the precision; the end of a round for entry i. */
static void add(struct schedule *s, size_t i, double value)
{
	schedule_add(s, i, value, 0.1);
	schedule_check(s, i);
}

/* How many values entry 0 takes when they are centre * (1 + spread * normal). */
static size_t values_until_finished(double spread, double precision, size_t min, size_t max)
{
	struct schedule *s = schedule_new(1, 1, min, max, precision);
	struct random r;
	size_t n;

	random_seed(&r, 5);
	while (!s->entries[0].finished && s->entries[0].n < 1000)
		add(s, 0, 1e-6 * (1 + spread * random_normal(&r)));
	n = s->entries[0].n;
	schedule_free(s);
	return n;
}

static void test_order(void)
{
	enum { N = 20 };
	struct schedule *s = schedule_new(N, 42, 15, 60, 0.02),
			*same = schedule_new(N, 42, 15, 60, 0.02),
			*other = schedule_new(N, 43, 15, 60, 0.02);
	size_t a[N], b[N], seen[N] = { 0 }, at[N] = { 0 };

	cmp_int(schedule_round(s, 0, a), N, "everyone is due in the first round");
	for (size_t i = 0; i < N; i++)
		seen[a[i]]++;
	size_t once = 0;
	for (size_t i = 0; i < N; i++)
		once += seen[i] == 1;
	cmp_int(once, N, "and comes once");
	schedule_round(same, 0, b);
	ok(!memcmp(a, b, sizeof(a)), "the same seed gives the same order");
	schedule_round(other, 0, b);
	ok(memcmp(a, b, sizeof(a)) != 0, "another seed another one");
	schedule_round(s, 1, b);
	ok(memcmp(a, b, sizeof(a)) != 0, "another round another one");
	for (uint64_t round = 0; round < 200; round++) {
		schedule_round(s, round, a);
		at[a[0]]++;
	}
	size_t never = 0;
	for (size_t i = 0; i < N; i++)
		never += at[i] == 0;
	cmp_int(never, 0, "over 200 rounds everyone has been first");

	schedule_give_up(s, 7);
	cmp_int(schedule_round(s, 0, b), N - 1, "one that is given up is due no more");
	schedule_round(same, 0, a);
	size_t j = 0, moved = 0;
	for (size_t i = 0; i < N; i++)
		if (a[i] != 7)
			moved += b[j++] != a[i];
	cmp_int(moved, 0, "the others keep their order");
	schedule_free(s);
	schedule_free(same);
	schedule_free(other);
}

static void test_stopping(void)
{
	cmp_int(values_until_finished(0, 0.02, 15, 60), 15,
		"a constant needs 15 processes, never fewer");
	cmp_int(values_until_finished(0.001, 0.02, 15, 60), 15, "so does one without much noise");
	cmp_int(values_until_finished(0.5, 0.02, 15, 60), 60,
		"one that stays wide stops at the cap");
	cmp_int(values_until_finished(0.5, 0.02, 50, 50), 50, "a fixed number");
	cmp_int(values_until_finished(0, 0.02, 6, 60), 15,
		"a third of fewer than 15 is too few to decide");
	cmp_int(values_until_finished(0.5, 0.02, 15, 17), 17, "a cap between two checks");

	size_t n = values_until_finished(0.045, 0.02, 15, 60);
	ok(n == 20 || n == 30 || n == 45, "otherwise it stops at a check: %zu", n);
}

/* first values that spread, from then on equal ones; when the entry ends, and how many values
 * decided that. */
static void is_end(size_t spread, size_t end, size_t pilot, const char *what)
{
	struct schedule *s = schedule_new(1, 1, 15, 60, 0.02);
	const struct schedule_entry *x = s->entries;
	struct random r;

	random_seed(&r, 3);
	while (!x->finished)
		add(s, 0, 1e-6 * (1 + (x->n < spread ? random_uniform(&r) : 0.5)));
	ok(x->n == end && schedule_pilot(&s->rule, x->values, x->n) == pilot,
	   "%s: %zu values decide that %zu are enough", what, pilot, x->n);
	schedule_free(s);
}

static void test_checks(void)
{
	const struct schedule_rule rule = { 15, 60, 0.02 };
	double x[60];

	is_end(0, 15, 5, "steady from the start");
	is_end(1, 45, 15, "one value that is off");
	is_end(7, 60, 0, "seven values that are off");
	is_end(60, 60, 0, "never steady, so none is left out");
	for (size_t i = 0; i < 60; i++)
		x[i] = i < 6 ? 1 + 0.1 * (double)i : 1.3;
	cmp_int(schedule_pilot(&rule, x, 14), 0, "too few to end");
	for (size_t i = 0; i < 60; i++)
		x[i] = 1;
	cmp_int(schedule_pilot(&rule, x, 15), 5, "the first five ended it");
	cmp_int(schedule_pilot(&rule, x, 40), 5, "and did so when more were measured");
	x[0] = 2;
	cmp_int(schedule_pilot(&rule, x, 29), 0,
		"15 would decide, but the run ended before as many again");
	cmp_int(schedule_pilot(&rule, x, 30), 15, "now they are there");
	cmp_int(schedule_pilot(&(struct schedule_rule){ 50, 50, 0.02 }, x, 50), 0,
		"a fixed number is not decided");
	struct schedule *s = schedule_new(1, 1, 15, 60, 0.02);
	schedule_add(s, 0, NAN, 0.1);
	cmp_int(s->entries[0].n, 0, "a process without value is none");
	schedule_free(s);
}

static void test_canary(void)
{
	struct schedule *s = schedule_new(3, 1, 15, 60, 0.02);
	size_t order[3];

	s->entries[0].always = true;
	for (int i = 0; i < 15; i++) {
		add(s, 0, 1e-6);
		add(s, 1, 1e-6);
	}
	ok(s->entries[0].finished && s->entries[1].finished, "canary and one entry have enough");
	cmp_int(schedule_round(s, 15, order), 2, "the canary stays for the last entry");
	for (int i = 0; i < 15; i++)
		add(s, 2, 1e-6);
	cmp_int(schedule_round(s, 30, order), 0, "alone it is not measured");
	schedule_free(s);
	s = schedule_new(2, 1, 15, 60, 0.02);
	s->entries[0].always = true;
	schedule_give_up(s, 0);
	ok(schedule_round(s, 0, order) == 1 && order[0] == 1, "nor when it is given up");
	schedule_free(s);
}

static void test_time(void)
{
	struct schedule *s = schedule_new(2, 1, 15, 60, 0.02);

	ok(schedule_round_time(s, 0) > 0 && schedule_time_left(s) > 0,
	   "before any process a guess");
	schedule_add(s, 0, 1e-6, 0.1);
	cmp_near(schedule_round_time(s, 0), 0.2, 1e-9, "unknown ones take as long as known ones");
	schedule_add(s, 1, 1e-6, 0.3);
	cmp_near(schedule_round_time(s, 0), 0.4, 1e-9, "one round");
	cmp_near(schedule_time_left(s), 14 * 0.4, 1e-9, "14 more rounds at least");
	schedule_add(s, 1, NAN, 0.5);
	cmp_near(schedule_round_time(s, 0), 0.5, 1e-9, "a process without value takes time too");
	schedule_give_up(s, 1);
	cmp_near(schedule_time_left(s), 1.4, 1e-9, "nothing for one given up");
	schedule_free(s);
}

/* How often entry i of s is due in the next n rounds. */
static size_t times_due(const struct schedule *s, size_t i, size_t n)
{
	size_t order[3], times = 0;

	for (uint64_t round = 0; round < n; round++)
		for (size_t due = schedule_round(s, round, order); due--;)
			times += order[due] == i;
	return times;
}

static void test_slow(void)
{
	struct schedule *s = schedule_new(3, 1, 15, 60, 0.02);

	for (size_t i = 0; i < 15; i++) {
		cmp_int(times_due(s, 2, 30), 30, "a slow entry is due in every round for %zu", i);
		for (size_t j = 0; j < 3; j++)
			schedule_add(s, j, 1e-6, j < 2 ? 0.1 : 0.35);
	}
	cmp_int(times_due(s, 2, 30), 10, "and then, 3.5 times as long as the others, every third");
	cmp_int(times_due(s, 1, 30), 30, "which go on");
	schedule_give_up(s, 0);
	schedule_give_up(s, 1);
	cmp_int(times_due(s, 2, 30), 30, "alone it is due again");
	schedule_free(s);
}

int main(void)
{
	test_slow();
	test_order();
	test_stopping();
	test_checks();
	test_canary();
	test_time();
	return done_testing();
}
