/* SPDX-License-Identifier: MIT */
/*
 * synthetic - an application whose calls are known: so many of each operation, in a random order, a
 * few at a time, as the parts of an application take turns and share its caches.
 *
 * tests/bench/selftest predicts its time and compares; tests/cli/synthetic.t holds it to its word.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/clock.h"
#include "../../bench/common/scratch.h"
#include "stats/random.h"
#include "util/number.h"
#include "util/opt.h"

#include "operations.h"

static struct {
	uint64_t chunk, seed, runs;
	bool say;
} set = { .chunk = 16, .seed = 1 };

static const struct opt options[] = {
	{ 'c', "chunk", OPT_COUNT, &set.chunk, "N", 1, 1e9,
	  "turns of one operation in a row (default 16)" },
	{ 's', "seed", OPT_COUNT, &set.seed, "N", 0, 1e18, "of the order" },
	{ 'n', "calls", OPT_FLAG, &set.say,
	  .help = "print the calls that the mix makes, sorted; '+' where the C library adds some" },
	{ 't', "times", OPT_COUNT, &set.runs, "N", 1, 1000,
	  "run the mix so many times, and print "
	  "wall and CPU seconds of each whole process" },
	{ 0 }
};

static const struct opt_usage usage = { "synthetic", "OPERATION[:SIZE]=COUNT...",
					"An application whose calls are known.",
					"synthetic -t 7 read:4k=50021 pipe=10007 work=101" };

static void parse(const char *word, struct task *t)
{
	const char *size = strchr(word, ':'), *count = strchr(word, '=');
	size_t length = strcspn(word, ":=");

	for (size_t i = 0; i < OPERATIONS; i++)
		if (strlen(operations[i].name) == length &&
		    !strncmp(operations[i].name, word, length))
			t->operation = &operations[i];
	if (!t->operation || !count || (size && size > count))
		opt_bad_usage(&usage, "'%s' is no OPERATION[:SIZE]=COUNT", word);
	char *digits = size ? xstrndup(size + 1, (size_t)(count - size - 1)) : NULL;
	t->size = t->operation->size;
	if ((digits && (!number_parse_size(digits, &t->size) || !t->size || !t->operation->size ||
			t->size > FILE_SIZE)) ||
	    !number_parse_u64(count + 1, &t->count))
		opt_bad_usage(&usage, "'%s': wrong size or count", word);
	free(digits);
}

/* ---- what it does ---- */

static void prepare(struct task *tasks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct task *t = &tasks[i];

		t->left = t->count;
		t->buffer = t->size ? xcalloc(t->size, 1) : NULL;
		if (t->size)
			memset(t->buffer, SCRATCH_BYTE, t->size);
		if (t->operation->setup)
			t->operation->setup(t);
	}
}

/* Draws from what is left, so that every order is as likely as any other. */
static void run(struct task *tasks, size_t n)
{
	struct random r;
	uint64_t left = 0;

	random_seed(&r, set.seed);
	for (size_t i = 0; i < n; i++)
		left += tasks[i].left;
	while (left) {
		uint64_t at = random_below(&r, left);
		struct task *t = tasks;

		for (; at >= t->left; t++)
			at -= t->left;
		uint64_t turns = t->left < set.chunk ? t->left : set.chunk;
		t->left -= turns;
		left -= turns;
		while (turns--)
			t->operation->once(t);
	}
}

static void finish(const struct task *tasks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (tasks[i].partner > 0)
			bench_reap(tasks[i].partner);
}

/* ---- what it says of itself ---- */

struct total {
	const char *call;
	size_t length;
	uint64_t count;
};

static int by_name(const void *a, const void *b)
{
	const struct total *x = a, *y = b;
	size_t n = x->length < y->length ? x->length : y->length;
	int order = strncmp(x->call, y->call, n);

	return order ? order : (x->length > y->length) - (x->length < y->length);
}

static void add(struct total *totals, size_t *kinds, struct total t)
{
	size_t k = 0;

	while (k < *kinds && by_name(&totals[k], &t))
		k++;
	if (k == *kinds) {
		totals[(*kinds)++] = t;
		return;
	}
	totals[k].count += t.count;
}

/* "pread64 10007", one line for each call; "wait4+ 7" when the C library may add some. */
static void say(const struct task *tasks, size_t n)
{
	struct total totals[8 * TASKS_MAX];
	size_t kinds = 0;
	bool rough = false;

	for (size_t i = 0; i < n; i++) {
		const char *call = tasks[i].operation->calls;

		rough = rough || tasks[i].operation->rough;
		for (size_t length; (length = strcspn(call, " ")); call += strspn(call, " ")) {
			add(totals, &kinds, (struct total){ call, length, tasks[i].count });
			call += length;
		}
	}
	qsort(totals, kinds, sizeof(*totals), by_name);
	for (size_t k = 0; k < kinds; k++)
		printf("%.*s%s %llu\n", (int)totals[k].length, totals[k].call, rough ? "+" : "",
		       (unsigned long long)totals[k].count);
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

/* Runs this program again, without -t, from its birth to its end. */
static void time_run(char **argv)
{
	struct rusage used;
	int status;
	uint64_t start = clock_nanoseconds();
	pid_t pid = fork();

	must(pid >= 0, "fork");
	if (!pid) {
		execv("/proc/self/exe", argv);
		err(1, "/proc/self/exe");
	}
	must(wait4(pid, &status, 0, &used) == pid, "wait4");
	uint64_t wall = clock_nanoseconds() - start;
	if (status)
		errx(1, "the mix failed with status %#x", (unsigned)status);
	printf("%.9g %.9g\n", (double)wall * 1e-9,
	       seconds(&used.ru_utime) + seconds(&used.ru_stime));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct task tasks[TASKS_MAX] = { 0 };
	int first = opt_parse(argc, argv, &usage, options, NULL);
	size_t n = (size_t)(argc - first);
	char chunk[NUMBER_MAX], seed[NUMBER_MAX];
	char *again[TASKS_MAX + 4] = { argv[0], chunk, seed };

	if (n < 1 || n > TASKS_MAX)
		opt_bad_usage(&usage, "one to %d operations are needed", TASKS_MAX);
	snprintf(chunk, sizeof(chunk), "-c%llu", (unsigned long long)set.chunk);
	snprintf(seed, sizeof(seed), "-s%llu", (unsigned long long)set.seed);
	for (size_t i = 0; i < n; i++) {
		parse(argv[first + (int)i], &tasks[i]);
		again[3 + i] = argv[first + (int)i];
	}
	for (uint64_t i = 0; i < set.runs; i++)
		time_run(again);
	if (set.say)
		say(tasks, n);
	if (set.say || set.runs)
		return opt_finish(0);
	must(!chdir(bench_directory()), "the directory of scratch files");
	prepare(tasks, n);
	run(tasks, n);
	finish(tasks, n);
	return 0;
}
