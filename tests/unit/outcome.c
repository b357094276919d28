/* SPDX-License-Identifier: MIT */
/* Tests of driver/outcome: on which CPUs, with which options and surroundings a program runs, and
 * what its numbers become. */
#include "../../driver/outcome.c"

#include <sys/stat.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "../tap.h"

/* Prints what it was given. */
static const char probe[] =
    "#!/bin/sh\n"
    "entry=lat_probe given=\"$*\"\n"
    "for word; do case $word in -P*) at=@${word#-P} ;; -1) cold=@cold ;; -X*) copies=x${word#-X} "
    ";; -F*) cold=@after=${word#-F} ;; -*) ;; "
    "*) entry=${entry}_$word ;; esac; done\n"
    "echo \"{\\\"entry\\\": \\\"$entry$at$cold$copies\\\", \\\"seconds\\\": 3e-6, "
    "\\\"given\\\": \\\"$given\\\", \\\"padding\\\": ${#OSVEC_PADDING}, \\\"allowed\\\": \\\"$("
    "while read key list; do [ $key = Cpus_allowed_list: ] && echo $list; done "
    "</proc/self/status)\\\"}\"\n";

static struct plan plan = { .timeout = 60 };
static char directory[] = "/tmp/osvec-test-XXXXXX";

static struct suite *suite_of(const char *line)
{
	struct error e;
	struct suite *s = suite_parse(line, strlen(line), "test", NULL, &e);

	if (!s)
		fail("%s", e.text);
	return s;
}

static void is_chosen(const char *line, uint64_t round, int first, const char *want,
		      const char *what)
{
	struct suite *s = suite_of(line);
	int got;
	cpu_set_t set = choose_cpus(&plan, s->entries, round, &got);
	char *list = xstrdup("");

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			list = xappend(list, " %d", cpu);
	is_string(list, want, "%s, round %d: %s", line, (int)round, what);
	cmp_int(got, first, "and starts on CPU %d", first);
	free(list);
	suite_free(s);
}

/* In every k-th round the second of the CPUs that are visited has its share. */
static void visit_alike(const char *line, double share)
{
	enum { PROCESSES = 120 };
	struct suite *s = suite_of(line);

	for (uint64_t k = 1; k <= 8; k++) {
		double visits = 0;

		for (uint64_t i = 0; i < PROCESSES; i++) {
			int cpu;

			choose_cpus(&plan, s->entries, i * k, &cpu);
			visits += cpu == plan.cpus[1 + (plan.ncpus > 2)];
		}
		ok(fabs(visits / PROCESSES - share) < 0.05, "%g of %d, every %d", visits, PROCESSES,
		   (int)k);
	}
	suite_free(s);
}

static void test_cpus(void)
{
	static const int four[] = { 3, 5, 7, 9 };
	/* By hand: the fractions of 0, 1, 2 and 3 times 0.618 are 0, 0.618, 0.236 and 0.854. */
	static const size_t of_three[] = { 0, 1, 0, 2 }, of_two[] = { 0, 1, 0, 1 };
	static const char *const alone[] = { " 3", " 5", " 7", " 9" };

	memcpy(plan.cpus, four, sizeof(four));
	plan.ncpus = 4;
	for (unsigned i = 0; i < 4; i++) {
		const size_t cpu = 1 + of_three[i];

		is_chosen("lat_probe", i, four[cpu], " 5 7 9", "peers may be elsewhere");
		is_chosen("lat_probe @same", i, four[cpu], alone[cpu], "all on one CPU");
	}
	visit_alike("lat_probe", 1.0 / 3);
	is_chosen("lat_probe @apart", 1, -1, " 3 5 7 9", "parties that are elsewhere get all CPUs");
	is_chosen("lat_probe @free", 1, -1, " 3 5 7 9", "so do those that roam");
	is_chosen("lat_probe x2", 1, -1, " 3 5 7 9", "and copies");
	plan.ncpus = 3;
	is_chosen("lat_probe", 0, four[1], " 5 7", "of three, not the first");
	plan.ncpus = 2;
	for (unsigned i = 0; i < 4; i++) {
		is_chosen("lat_probe", i, four[of_two[i]], " 3 5", "both of two CPUs");
		is_chosen("lat_probe @same", i, four[of_two[i]], alone[of_two[i]], "one of two");
	}
	visit_alike("lat_probe", 1.0 / 2);
	plan.ncpus = 1;
	is_chosen("lat_probe", 1, -1, " 3", "the only CPU");
}

static const char *member(const struct outcome *o, const char *key)
{
	return json_string_value(json_object_get(o->run, key));
}

static struct outcome take(const char *line, uint64_t round)
{
	struct suite *s = suite_of(line);
	struct outcome o;

	outcome_take(&o, &plan, s->entries, round);
	if (o.verdict != HISTORY_COUNTED)
		fail("%s: %s", line, o.reason);
	suite_free(s);
	return o;
}

static void test_options(void)
{
	struct outcome o = take("lat_probe 64 @other @cold x2", 0);
	char *want = xasprintf("-J -D%s -Pother -1 -X2 64", directory);

	is_string(member(&o, "given"), want, "options and parameters of the suite");
	free(want);
	outcome_done(&o);
	o = take("lat_probe @after=4096", 0);
	want = xasprintf("-J -D%s -F4k", directory);
	is_string(member(&o, "given"), want, "a footprint");
	free(want);
	outcome_done(&o);
	plan.batch = 0.25;
	plan.batches = 3;
	plan.events = (char *)(uintptr_t) "no_such_event";
	o = take("lat_probe", 0);
	want = xasprintf("-J -D%s -T0.25s -B3 -Eno_such_event", directory);
	is_string(member(&o, "given"), want, "and of the run");
	cmp_near(o.seconds, 3e-6, 1e-12, "the value is the program's");
	free(want);
	outcome_done(&o);
	plan.batch = 0;
	plan.batches = 0;
	plan.events = NULL;
}

/* The last of all CPUs alone. */
static void test_place(void)
{
	size_t n = plan.ncpus;
	int first = plan.cpus[0];

	plan.cpus[0] = plan.cpus[n - 1];
	plan.ncpus = 1;
	struct outcome o = take("lat_probe", 0);
	char *want = xasprintf("%d", plan.cpus[0]);
	is_string(member(&o, "allowed"), want, "a process may use the CPUs chosen for it");
	free(want);
	outcome_done(&o);
	plan.cpus[0] = first;
	plan.ncpus = n;
}

static int padding(uint64_t round)
{
	struct outcome o = take("lat_probe", round);
	json_t *bytes = json_object_get(o.run, "padding");
	int n = json_is_integer(bytes) ? (int)json_integer_value(bytes) : -1;

	outcome_done(&o);
	return n;
}

static void test_padding(void)
{
	enum { ROUNDS = 12 };
	int least = PADDING_MAX, most = 0, first = padding(0);

	for (uint64_t i = 0; i < ROUNDS; i++) {
		int n = padding(i);

		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	ok(least >= 0 && most < PADDING_MAX && most - least > PADDING_MAX / 4,
	   "stacks move by %d to %d bytes", least, most);
	cmp_int(padding(0), first, "the same seed and round move it as far");
}

int main(void)
{
	char path[64];

	if (!mkdtemp(directory))
		return 1;
	test_cpus();
	plan.programs = plan.directory = directory;
	plan.ncpus = cpus_allowed(plan.cpus);
	snprintf(path, sizeof(path), "%s/lat_probe", directory);
	FILE *f = fopen(path, "w");
	if (!f || fputs(probe, f) < 0 || fclose(f) || chmod(path, 0700))
		return 1;
	test_options();
	test_place();
	test_padding();
	ok(!unlink(path) && !rmdir(directory), "nothing is left");
	return done_testing();
}
