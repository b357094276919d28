/* SPDX-License-Identifier: MIT */
/*
 * pair - times commands side by side: one row of the table that "make bench" prints.
 *
 * Each round runs every command once, in random order, so that a disturbance of the machine slows
 * all of them.  The ratio is the Hodges-Lehmann centre of the logarithms of ours / other, round by
 * round, with its exact signed-rank interval.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stats/estimate.h"
#include "stats/random.h"
#include "util/number.h"
#include "util/opt.h"
#include "util/progress.h"
#include "util/vec.h"

enum {
	COMMANDS_MAX = 3,
	ROUNDS_MIN = 6, /* fewer have no interval of 95 % */
};

/* What each command stands for, in the order of the operands. */
enum role { OURS, OTHER, BARE };

static struct {
	uint64_t rounds;
	double work, time;
	const char *label, *unit;
	bool heading, value, cpu;
} set = { .rounds = 10, .time = INFINITY };

static const struct opt options[] = {
	{ 'n', "rounds", OPT_COUNT, &set.rounds, "N", ROUNDS_MIN, 1000,
	  "runs of each command (default 10)" },
	{ 't', "time", OPT_DURATION, &set.time, "TIME", 0, 1e6,
	  "no further round after this time, but six in any case" },
	{ 'l', "label", OPT_STRING, &set.label, "TEXT", .help = "name of the row" },
	{ 'w', "work", OPT_NUMBER, &set.work, "UNITS", 0, 1e18,
	  "work that one run of ours does: prints units per second" },
	{ 'u', "unit", OPT_STRING, &set.unit, "TEXT", .help = "name of those units" },
	{ 'v', "value", OPT_FLAG, &set.value,
	  .help = "compare the number that each command prints, in --unit, not its time" },
	{ 'c', "cpu", OPT_FLAG, &set.cpu,
	  .help =
	      "compare CPU time, user and system, for a machine that is busy with something else" },
	{ 'H', "heading", OPT_FLAG, &set.heading, .help = "print the heading only" },
	{ 0 }
};

static const struct opt_usage usage = {
	"pair", "OURS [OTHER [BARE]]",
	"Times commands of sh(1) side by side.  BARE is the same job without either tool.",
	"pair -l 'count bytes' 'wc -c /etc/services' 'cat /etc/services | wc -c'"
};

struct subject {
	const char *command;
	VEC(double) values; /* seconds, or what it printed */
	double peak;	    /* largest resident set of any of its processes, bytes */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static volatile sig_atomic_t group; /* process group of the command that runs */

/* Signals end the command together with us. */
static void stop(int number)
{
	if (group)
		kill(-(pid_t)group, SIGTERM);
	signal(number, SIG_DFL);
	raise(number);
}

static void prepare(void)
{
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	signal(SIGHUP, stop);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM))
		err(1, "prctl");
}

static _Noreturn void become(const char *command, int output)
{
	int input = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (input < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0)
		err(1, "/dev/null");
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	err(1, "/bin/sh");
}

/* Runs the command to its end, without input and with its stdout at output: seconds of wall time.
 */
static double execute(const char *command, int output, struct rusage *used)
{
	double begin = now();
	pid_t pid = fork();
	int status;

	if (pid < 0)
		err(1, "fork");
	if (pid == 0)
		become(command, output);
	group = pid;
	while (wait4(pid, &status, 0, used) < 0)
		if (errno != EINTR)
			err(1, "wait4");
	double seconds = now() - begin;
	kill(-pid, SIGKILL); /* what it left running */
	group = 0;
	if (WIFSIGNALED(status))
		errx(1, "'%s' was killed by signal %d", command, WTERMSIG(status));
	if (WEXITSTATUS(status))
		errx(1, "'%s' ended with status %d", command, WEXITSTATUS(status));
	return seconds;
}

/* The number that the command has printed into f. */
static double printed_value(const char *command, FILE *f)
{
	char text[64] = "";
	double v;

	rewind(f);
	if (!fgets(text, sizeof(text), f))
		errx(1, "'%s' printed nothing", command);
	text[strcspn(text, " \n")] = '\0';
	if (!number_parse_double(text, &v))
		errx(1, "'%s' printed '%s', which is no number", command, text);
	return v;
}

/* CPU seconds of a command and of all that it waited for. */
static double cpu_time(const struct rusage *used)
{
	return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
	       (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) * 1e-6;
}

/* One run; a warm-up does not count. */
static void run(struct subject *s, bool warm_up)
{
	FILE *output = set.value ? tmpfile() : fopen("/dev/null", "w");
	struct rusage used;

	if (!output)
		err(1, "no file for the output");
	double seconds = execute(s->command, fileno(output), &used);
	if (!warm_up) {
		vec_push(&s->values, set.value ? printed_value(s->command, output)
				     : set.cpu ? cpu_time(&used)
					       : seconds);
		s->peak = fmax(s->peak, (double)used.ru_maxrss * 1024);
	}
	fclose(output);
}

/* A warm-up of the bare job, or of all commands where there is none, and then all rounds. */
static void run_all(struct subject *s, size_t n)
{
	size_t order[COMMANDS_MAX] = { OURS, OTHER, BARE };
	double begin = now();
	struct progress progress;
	struct random r;

	progress_start(&progress, set.label ? set.label : s[OURS].command, false);
	random_seed(&r, 1);
	for (uint64_t round = 0; round <= set.rounds; round++) {
		bool warm_up = round == 0;

		if (round > ROUNDS_MIN && now() - begin > set.time)
			break;
		if (!warm_up)
			random_shuffle(&r, order, n);
		for (size_t i = warm_up && n > BARE ? BARE : 0; i < n; i++) {
			double done = (double)round * (double)n + (double)i;

			progress_show(&progress, done / (double)((set.rounds + 1) * n), -1, "");
			run(&s[order[i]], warm_up);
		}
	}
	progress_end(&progress);
}

static struct estimate median(const struct subject *s)
{
	return estimate_median(s->values.v, s->values.n, 0.95);
}

static struct estimate paired_ratio(const struct subject *a, const struct subject *b)
{
	double *logs = xcalloc(a->values.n, sizeof(*logs));

	for (size_t i = 0; i < a->values.n; i++)
		logs[i] = log(a->values.v[i] / b->values.v[i]);
	struct estimate e = estimate_hodges_lehmann(logs, a->values.n, 0.95);
	free(logs);
	e.centre = exp(e.centre);
	e.low = exp(e.low);
	e.high = exp(e.high);
	return e;
}

/* A duration, or the number and its unit. */
static void show(char *out, double v)
{
	if (set.value)
		snprintf(out, NUMBER_MAX, "%.3g %.16s", v, set.unit ? set.unit : "");
	else
		number_format_duration(out, v);
}

#define ROW "%-31.31s %8s %8s %8s %6s %13s %11s %6s\n"

static void print_heading(void)
{
	printf(ROW, "subject", "ours", "other", "bare", "ratio", "95 %", "rate", "peak");
}

static void print_row(const struct subject *s, size_t n)
{
	char cell[COMMANDS_MAX][NUMBER_MAX] = { "-", "-", "-" };
	char ratio[NUMBER_MAX] = "-", interval[NUMBER_MAX], rate[2 * NUMBER_MAX] = "-";
	char peak[NUMBER_MAX], number[NUMBER_MAX];
	struct estimate ours = median(&s[OURS]);

	for (size_t i = 0; i < n; i++)
		show(cell[i], median(&s[i]).centre);
	if (n > OTHER) {
		struct estimate e = paired_ratio(&s[OURS], &s[OTHER]);

		snprintf(ratio, sizeof(ratio), "%.3g", e.centre);
		snprintf(interval, sizeof(interval), "%.3g - %.3g", e.low, e.high);
	} else if (set.value) {
		snprintf(interval, sizeof(interval), "%.2g - %.2g", ours.low, ours.high);
	} else {
		snprintf(interval, sizeof(interval), "+-%.1f %%", 100 * estimate_precision(&ours));
	}
	if (set.work > 0)
		snprintf(rate, sizeof(rate), "%s%s/s",
			 number_format_si(number, set.work / ours.centre),
			 set.unit ? set.unit : "");
	snprintf(peak, sizeof(peak), "%.0f MB", s[OURS].peak / 1e6);
	printf(ROW, set.label ? set.label : s[OURS].command, cell[OURS], cell[OTHER], cell[BARE],
	       ratio, interval, rate, peak);
}

int main(int argc, char **argv)
{
	struct subject subjects[COMMANDS_MAX] = { 0 };
	int first = opt_parse(argc, argv, &usage, options);
	size_t n = (size_t)(argc - first);

	if (set.heading) {
		print_heading();
		return opt_finish(0);
	}
	if (n < 1 || n > COMMANDS_MAX)
		opt_bad_usage(&usage, "one to three commands are needed");
	for (size_t i = 0; i < n; i++)
		subjects[i].command = argv[first + (int)i];
	prepare();
	run_all(subjects, n);
	print_row(subjects, n);
	for (size_t i = 0; i < n; i++)
		vec_free(&subjects[i].values);
	return opt_finish(0);
}
