/* SPDX-License-Identifier: MIT */
/* The formulas of processors, the reconciliation of their parts, and their errors. */
#include <math.h>
#include <unistd.h>

#include "counters/stacks.h"
#include "counters/event.h"
#include "util/file.h"

#include "../tap.h"

static char *path;

static int read_text(struct formula_file *f, const char *text, struct error *e)
{
	file_write(path, text, strlen(text), e);
	return formulas_read(f, path, e);
}

static const char head[] = "stack s # a comment\ncycles C\ninstructions I\n";

/* The value of an expression where C is 100, I 50, A 7 and B 0. */
static double value_of(const char *expression)
{
	const double events[] = { 100, 50, 7, 0 };
	static const char *const names[] = { "C", "I", "A", "B" };
	char *text = xasprintf("%slet first = A + B\npart x = %s\nrest y\n", head, expression);
	struct formula_file f;
	struct stack s = { 0 };
	struct counters c;
	struct error e;
	double value = NAN;

	if (!read_text(&f, text, &e)) {
		counters_init(&c, f.stacks.v[0].events.n);
		for (size_t i = 0; i < 4; i++) {
			size_t event = formulas_event(&f.stacks.v[0], names[i]);

			counters_add(&c, 1, &event, &events[i], 100);
		}
		stack_compute(&s, &f.stacks.v[0], &c, 100);
		value = s.parts.v[0].measured;
		stack_free(&s);
		counters_free(&c);
		formulas_free(&f);
	}
	free(text);
	return value;
}

static void test_expressions(void)
{
	cmp_near(value_of("2 + 3 * A - 4"), 19, 1e-12, "products first");
	cmp_near(value_of("(2 + 3) * -A"), -35, 1e-12, "parentheses, signs");
	cmp_near(value_of("C / 4 / 5"), 5, 1e-12, "from the left");
	cmp_near(value_of("min(A, max(1, 2)) * first"), 14, 1e-12, "least, most, an earlier value");
	cmp_near(value_of("A / B"), 0, 0, "a share of nothing is 0");
	ok(isnan(value_of("min(U, 1)")) && isnan(value_of("max(U, 1)")) && isnan(value_of("U / B")),
	   "what was not counted is not known");
}

static void test_errors(void)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "part x = 1\n", ":1: no stack has begun" },
		{ "stack s\ncycles C\npart x = 1\n", ":3: cycles and then instructions" },
		{ "stack s\n", "stack s has no cycles" },
		{ "stack s\ncycles C\ninstructions I\npart x = 1 +\n", ":4: a number, an event" },
		{ "stack s\ncycles C\ninstructions I\npart x = (1\n", ":4: a ) is missing" },
		{ "stack s\ncycles C\ninstructions I\n\npart x = min(1)\n", ":5: a , is missing" },
		{ "stack s\ncycles C\ninstructions I\npart x = 1 $\n", ":4: what is '$'" },
		{ "stack s\ncycles C\ninstructions I\nrest x = 1\n",
		  ":4: the rest has no formula" },
		{ "stack s\ncycles C\ninstructions I\nrest x\nrest x\n", ":5: a second 'x'" },
		{ "stack s\ncycles C\ninstructions I\nalias A b\n", ":4: no formula above" },
		{ "stack s\nbogus\n", ":2: no such word: 'bogus'" },
		{ "stack a\"b\n", ":1: no name of letters" },
		{ "stack s\ncycles C\ninstructions I\nstack s\n", ":4: a second stack 's'" },
		{ "# nothing\n", ": has no stack" },
	};
	struct formula_file f;
	char deep[5000];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error e = { "" };

		ok(read_text(&f, cases[i].text, &e) == -1 && strstr(e.text, cases[i].words) &&
		       !strncmp(e.text, path, strlen(path)),
		   "%s", e.text);
	}
	snprintf(deep, sizeof(deep), "%spart x = %04000d\n", head, 0);
	memset(strstr(deep, "0000"), '(', 4000);
	struct error e = { "" };
	ok(read_text(&f, deep, &e) == -1 && strstr(e.text, "deeply"), "a tower of parentheses");
}

/* Every event of conf/cpi.conf exists, as far as this libpfm4 knows the processor. */
static void test_events(const char *conf)
{
	struct formula_file f;
	struct error e = { "" };

	cmp_int(formulas_read(&f, conf, &e), 0, "%s%s", conf, e.text);
	for (size_t i = 0; i < f.stacks.n; i++) {
		const struct formulas *s = &f.stacks.v[i];
		char *missing = NULL;
		int known = 0;

		for (size_t k = 0; k < s->pmus.n; k++) {
			const char **names = formulas_names(s, s->pmus.v[k]);

			for (size_t n = 0; n < s->events.n; n++) {
				struct perf_event_attr attr = { .size = sizeof(attr) };

				if (!event_pmu(s->pmus.v[k], NULL, NULL))
					continue;
				known++;
				if (event_encode(names[n], &attr, &e))
					missing = xappend(missing, " %s", names[n]);
			}
			for (size_t n = 0; n < s->events.n; n++)
				free((char *)names[n]);
			free(names);
		}
		if (known)
			ok(!missing, "%s: libpfm4 has its %d events%s", s->name, known,
			   missing ? missing : "");
		else
			skip("libpfm4 was built without this processor", 1);
		free(missing);
	}
	formulas_free(&f);
}

/* The optimum is where all that is not 0 was moved by l error^2, and what is 0 would be lower. */
static void test_reconcile(void)
{
	struct random r;
	size_t wrong = 0, bounded = 0;

	random_seed(&r, 3);
	for (int run = 0; run < 1000; run++) {
		double m[8], error[8], x[8], sum = 0, l = NAN;

		for (int i = 0; i < 8; i++) {
			m[i] = 2 * random_uniform(&r) - 0.5;
			error[i] = 0.05 + random_uniform(&r);
		}
		reconcile(m, error, 8, 3, x);
		for (int i = 0; i < 8; i++) {
			sum += x[i];
			if (x[i] > 0)
				l = (m[i] - x[i]) / (error[i] * error[i]);
		}
		for (int i = 0; i < 8; i++) {
			double expected = m[i] - l * error[i] * error[i];

			wrong += fabs(x[i] - fmax(expected, 0)) > 1e-9;
			bounded += x[i] == 0;
		}
		wrong += fabs(sum - 3) > 1e-9;
	}
	cmp_int(wrong, 0, "the optimum of 1000 problems");
	ok(bounded > 100, "in which %zu parts are 0", bounded);
}

/* Three groups of two events beside cycles and instructions; rates per cycle change in phases and
 * by noise that both events of a group share in part. */
static void test_coverage(void)
{
	enum { RUNS = 400, SLICES = 300 }; /* C, I, A and B, D and E, F and G */
	struct formula_file f;
	struct error e;
	size_t covered[2] = { 0 }, moved = 0;
	struct random r;

	random_seed(&r, 11);
	read_text(&f,
		  "stack s\ncycles C\ninstructions I\npart a = A - B\npart b = B + D * E / C\n"
		  "part c = F + 0 * G\nrest d\n",
		  &e);
	for (int run = 0; run < RUNS; run++) {
		struct counters c;
		struct stack s = { 0 };
		struct rotation turns;
		double truth[8] = { 0 };

		counters_init(&c, 8);
		rotation_init(&turns, 3, random_next(&r));
		for (int i = 0; i < SLICES; i++) {
			double cycles = 1 + 0.2 * random_uniform(&r), phase = i / 75 % 2 ? 1 : 2;
			double both = 1 + 0.2 * random_normal(&r),
			       other = 1 + 0.2 * random_normal(&r),
			       rates[] = { 1,	0.5,	     0.2 * phase * both, 0.1 * phase * both,
					   0.3, 0.5 * other, 0.1 * phase,	 1 };
			size_t group = rotation_next(&turns),
			       which[4] = { 0, 1, 2 + 2 * group, 3 + 2 * group };
			double counts[4];

			for (size_t k = 0; k < 8; k++) {
				rates[k] *= cycles * (k ? 1 + 0.05 * random_normal(&r) : 1);
				truth[k] += rates[k];
			}
			for (size_t k = 0; k < 4; k++)
				counts[k] = rates[which[k]];
			counters_add(&c, 4, which, counts, counts[0]);
		}
		stack_compute(&s, &f.stacks.v[0], &c, truth[0]);
		const double parts[] = { truth[2] - truth[3],
					 truth[3] + truth[4] * truth[5] / truth[0] };

		for (int k = 0; k < 2; k++)
			covered[k] +=
			    fabs(s.parts.v[k].measured - parts[k]) < 1.96 * s.parts.v[k].error;
		double sum = 0;
		for (size_t k = 0; k < s.parts.n; k++)
			sum += s.parts.v[k].cycles;
		moved += fabs(sum - s.cycles) > 1e-6 * s.cycles;
		rotation_done(&turns);
		counters_free(&c);
		stack_free(&s);
	}
	for (int k = 0; k < 2; k++)
		ok(covered[k] > 0.90 * RUNS && covered[k] < 0.98 * RUNS,
		   "part %d: 1.96 standard errors cover %.1f %%", k,
		   100.0 * (double)covered[k] / RUNS);
	cmp_int(moved, 0, "parts add up to the cycles");
	const struct stack one = { 5, 5, { &(struct stack_part){ .error = 3, .cycles = 5 }, 1, 1 },
				   1, 0, 0 };
	struct stack two = { 0 };

	stack_add(&two, &one);
	stack_add(&two, &one);
	cmp_near(two.parts.v[0].error, 3 * sqrt(2), 1e-12, "errors of two runs are independent");
	stack_free(&two);
	cmp_int(formulas_event(&f.stacks.v[0], "c"), 0, "events are known in any case");
	formulas_free(&f);
	read_text(&f, "stack s\ncycles C\ninstructions I\nalias C x\nalias I x\nalias C y\n", &e);
	cmp_int(formulas_event(&f.stacks.v[0], "x"), 0, "another name stays that of the first");
	cmp_int(formulas_event(&f.stacks.v[0], "y"), 0, "and moves no other");
	formulas_free(&f);
}

/* Somebody else had the counters in half of the turn. */
static void test_written(void)
{
	const char *const names[] = { "C", "I" };
	const struct group_slice s = { .enabled = 2000,
				       .running = 1000,
				       .n = 2,
				       .events = (size_t[]){ 0, 1 },
				       .counts = (double[]){ 70, 30 } };
	struct counts c = { 0 };
	struct error e = { "" };
	FILE *f = fopen(path, "w");

	counts_write_head(f, "s", "./app");
	counts_write(f, 0.5, "app-1", COUNTS_USER, names, &s);
	fclose(f);
	cmp_int(counts_read(&c, path, &e), 0, "a turn is written and read%s", e.text);
	if (cmp_int(c.slices.n, 1, "as one") && cmp_int(c.rows.n, 2, "of two events")) {
		cmp_near(c.slices.v[0].enabled, 2000, 1e-9, "its length");
		cmp_near(c.slices.v[0].running, 1000, 1e-9, "the part in which was counted");
		cmp_near(c.rows.v[1].count, 30, 1e-9, "what was counted then");
		cmp_int(c.slices.v[0].mode, COUNTS_USER, "and the mode");
	}
	counts_free(&c);
}

int main(void)
{
	char name[] = "/tmp/cpistack.XXXXXX";

	close(mkstemp(name));
	path = name;
	event_any_pmu();
	test_expressions();
	test_errors();
	test_events("conf/cpi.conf");
	test_reconcile();
	test_coverage();
	test_written();
	unlink(path);
	return done_testing();
}
