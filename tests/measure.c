/* SPDX-License-Identifier: MIT */
#include "tap.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bench.h"
#include "measure/calibration.h"
#include "measure/clock.h"
#include "measure/cold.h"
#include "measure/directory.h"
#include "measure/environment.h"
#include "measure/measurement.h"
#include "measure/parameter.h"
#include "measure/placement.h"
#include "measure/pmu.h"
#include "measure/steal.h"

static const struct plan quick = { .target = 2e-4, .batches = 5 };
static struct error e;

static void wait_nanoseconds(uint64_t ns)
{
	for (uint64_t end = clock_nanoseconds() + ns; clock_nanoseconds() < end;)
		;
}

/* Exit status of f() in a child without output; 128 + n for signal n. */
static int status_of(void (*f)(void))
{
	int status;

	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, 1);
		dup2(null, 2);
		f();
		exit(99);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Clock and calibration. */

static void test_source(enum clock_source source, const char *name)
{
	struct calibration c;
	uint64_t last = 0;
	bool monotone = true;

	if (clock_choose(source, &e)) {
		skip(e.text, 5);
		return;
	}
	is_string(clock_name(), name, "%s: the name", name);
	for (int i = 0; i < 10000; i++) {
		uint64_t now = i % 2 ? clock_stop() : clock_start();

		monotone = monotone && now >= last;
		last = now;
	}
	ok(monotone, "%s: 10000 readings never go back", name);

	calibration_start(&c);
	uint64_t ns = clock_nanoseconds(), ticks = clock_start();
	wait_nanoseconds(5000000);
	calibration_mark(&c);
	wait_nanoseconds(5000000);
	calibration_update(&c);
	double seconds = (double)(clock_stop() - ticks) * calibration_tick(&c);
	double other = (double)(clock_nanoseconds() - ns) * 1e-9;
	ok(seconds >= 0.0099 && seconds <= other * 1.01, "%s: 10 ms are 10 ms by both clocks", name);
	ok(calibration_error(&c) >= 0 && calibration_error(&c) < 0.01, "%s: the error is known", name);
	ok(fabs(calibration_drift(&c)) < 0.01, "%s: the tick keeps its length", name);
}

static void test_calibration_arithmetic(void)
{
	/* 1000 ticks of 2 ns, then 1000 ticks of 3 ns, each point known to 1 tick. */
	struct calibration c = {
		.first = { 0, 0, 1 }, .middle = { 1000, 2000, 1 }, .last = { 2000, 5000, 1 },
	};

	if (clock_choose(CLOCK_COUNTER, NULL)) {
		skip("no counter here", 3);
		return;
	}
	cmp_near(calibration_tick(&c), 2.5e-9, 1e-12, "the tick is the mean from first to last point");
	cmp_near(calibration_error(&c), 1.0 / 2000, 1e-12, "the error is the points' width");
	cmp_near(calibration_drift(&c), 0.5, 1e-12, "a tick that grows by half is seen");
}

/* Parameters. */

static const struct bench_parameter table[] = {
	{ "kind", BENCH_CHOICE, "tcp unix tcp6", 0, 0, NULL, false, "" },
	{ "size", BENCH_SIZE, "1 4k", 1, 1 << 20, "4k", true, "" },
	{ "count", BENCH_COUNT, "2 4", 2, 64, "2", false, "" },
	{ 0 }
};

static bool parses(const char *a, const char *b, const char *c, struct parameter_values *v)
{
	char *const operands[] = { (char *)a, (char *)b, (char *)c };
	size_t n = !a ? 0 : !b ? 1 : !c ? 2 : 3;

	e.text[0] = '\0';
	return !parameter_parse(table, operands, n, v, &e);
}

static void test_parameters(void)
{
	struct parameter_values v;
	char *name;

	ok(parses("tcp6", "65536", "07", &v), "three good operands");
	cmp_int(v.v[0].number, 2, "a word is its index, and no prefix of another");
	cmp_int(v.v[1].number, 65536, "a size is its bytes");
	cmp_int(v.v[2].number, 7, "a count is a decimal number");
	name = parameter_entry("lat_x", table, &v, false);
	is_string(name, "lat_x_tcp6_64k_7", "the entry is spelled canonically");
	free(name);
	name = parameter_entry("lat_x", table, &v, true);
	is_string(name, "lat_x_tcp6_*_7", "the curve has a star for the axis");
	free(name);
	ok(parses("tcp", NULL, NULL, &v) && v.v[1].number == 4096 && v.v[2].number == 2,
	   "what is missing takes its fallback");
	ok(!parses(NULL, NULL, NULL, &v) && strstr(e.text, "kind"), "what has none is asked for: %s",
	   e.text);

	static const char *const bad[][3] = {
		{ "tc", "4k", "2" }, { "tcp unix", "4k", "2" }, { "", "4k", "2" }, { "tcp", "0", "2" },
		{ "tcp", "2m", "2" }, { "tcp", "-1", "2" }, { "tcp", "4kk", "2" }, { "tcp", "", "2" },
		{ "tcp", "4k", "1" }, { "tcp", "4k", "65" }, { "tcp", "4k", "2k" },
		{ "tcp", "4k", "18446744073709551618" },
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(!parses(bad[i][0], bad[i][1], bad[i][2], &v) && e.text[0],
		   "'%s' '%s' '%s' is refused", bad[i][0], bad[i][1], bad[i][2]);
	char *const four[] = { (char *)"tcp", (char *)"4k", (char *)"2", (char *)"more" };
	ok(parameter_parse(table, four, 4, &v, &e) && strstr(e.text, "more"), "a fourth is refused");
	cmp_int(parameter_axis(table), 1, "the axis is found");
	ok(parameter_axis(NULL) == SIZE_MAX && parameter_count(NULL) == 0, "no table, no parameters");
}

/* Placement. */

static void other_on_one_cpu(void)
{
	struct placed p;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one) || placement_parse("other", &p, NULL))
		exit(98);
	exit(placement_resolve(&p, NULL) ? 3 : 0);
}

static void test_placement(void)
{
	struct placed p;
	cpu_set_t allowed;

	ok(!placement_parse("same", &p, &e) && p.placement == PLACEMENT_SAME && p.cpu == -1, "same");
	ok(!placement_parse("free", &p, &e) && p.placement == PLACEMENT_FREE, "free");
	ok(!placement_parse("3", &p, &e) && p.cpu == 3 && p.partner == 3 &&
	   p.placement == PLACEMENT_SAME, "one CPU for both");
	ok(!placement_parse("0,1", &p, &e) && p.cpu == 0 && p.partner == 1 &&
	   p.placement != PLACEMENT_SAME && p.placement != PLACEMENT_FREE, "two CPUs are not the same");
	static const char *const bad[] = { "", "sam", "1,", ",1", "1,2,3", "-1", "99999", "1 2" };
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(placement_parse(bad[i], &p, &e) && e.text[0], "placement '%s' is refused", bad[i]);

	placement_parse("same", &p, NULL);
	sched_getaffinity(0, sizeof(allowed), &allowed);
	ok(!placement_resolve(&p, &e) && CPU_ISSET(p.cpu, &allowed) && p.partner == p.cpu,
	   "an allowed CPU is chosen");
	ok(!placement_pin(p.cpu, &e) && sched_getcpu() == p.cpu, "a pinned thread runs there");
	ok(placement_pin(8191, &e) && strstr(e.text, "8191"), "a CPU that is not there: %s", e.text);
	sched_setaffinity(0, sizeof(allowed), &allowed);
	cmp_int(status_of(other_on_one_cpu), 3, "one CPU has no other");
}

/* Measuring. */

enum { WORK_NS = 20000, PAUSED_NS = 60000 };

static uint64_t batch_calls, run_calls, largest, odd;

static void work(uint64_t n)
{
	while (n--)
		wait_nanoseconds(WORK_NS);
}

static void work_and_pause(uint64_t n)
{
	while (n--) {
		wait_nanoseconds(WORK_NS);
		bench_pause();
		wait_nanoseconds(PAUSED_NS);
		bench_resume();
	}
}

static void nothing(uint64_t n)
{
	(void)n;
}

static void constant(uint64_t n)
{
	(void)n;
	wait_nanoseconds(300000);
}

static void empty(uint64_t n)
{
	while (n--)
		bench_clobber();
}

static void count_batch(uint64_t n)
{
	batch_calls++;
	largest = n > largest ? n : largest;
	odd += n % 3 != 0;
}

static void count_run(uint64_t n)
{
	run_calls++;
	work(n);
}

static uint64_t three(void)
{
	return 3;
}

static uint64_t seven(void)
{
	return 7;
}

static const char *complain(uint64_t n)
{
	(void)n;
	return "it rained";
}

static void test_known_work(void)
{
	static const struct bench bench = { .run = work };
	struct measurement m;
	uint64_t start = clock_nanoseconds();

	ok(!measurement_take(&m, &bench, &quick, &e), "a known amount of work is measured");
	double wall = (double)(clock_nanoseconds() - start) * 1e-9;
	ok(m.seconds >= 0.97 * WORK_NS * 1e-9, "an operation of 20 us takes no less: %g", m.seconds);
	ok(m.mean * (double)m.total.n <= wall, "all operations fit into the wall time");
	cmp_int(m.n, 5, "as many batches as planned");
	ok(m.iterations * 5 == m.total.n && m.iterations > 1, "of equal size");
	ok(m.minimum <= m.seconds && m.minimum >= 0.97 * WORK_NS * 1e-9, "the minimum is a batch");
	measurement_free(&m);

	struct plan fixed = { .target = 1e-3, .batches = 3, .iterations = 11 };
	ok(!measurement_take(&m, &bench, &fixed, &e) && m.iterations == 11 && m.n == 3,
	   "-N 11 -B 3 is 3 batches of 11");
	measurement_free(&m);

	struct plan cold = { .cold = true };
	ok(!measurement_take(&m, &bench, &cold, &e) && m.method == METHOD_COLD && m.total.n == 1 &&
	   m.n == 1, "a cold shot is one operation");
	ok(m.seconds >= 0.97 * WORK_NS * 1e-9, "of the right length");
	measurement_free(&m);
}

static void test_pause(void)
{
	static const struct bench bench = { .run = work_and_pause };
	struct measurement m;
	uint64_t start = clock_nanoseconds();

	ok(!measurement_take(&m, &bench, &quick, &e), "work with pauses is measured");
	double wall = (double)(clock_nanoseconds() - start) * 1e-9;
	ok(m.seconds >= 0.95 * WORK_NS * 1e-9, "the pause does not eat the work: %g", m.seconds);
	ok((m.mean + PAUSED_NS * 1e-9) * (double)m.total.n <= wall, "the pauses are left out");
	measurement_free(&m);
}

static void test_limits(void)
{
	static const struct bench limited = {
		.batch = count_batch, .run = count_run, .limit = seven, .granule = three,
	};
	struct measurement m;

	ok(!measurement_take(&m, &limited, &quick, &e), "limit 7, granule 3");
	cmp_int(largest, 6, "no batch is longer than the limit allows");
	cmp_int(odd, 0, "every batch is a multiple of the granule");
	cmp_int(batch_calls, run_calls, "batch() renews before every run()");
	ok(m.iterations >= 6, "several rounds make a batch");
	measurement_free(&m);

	static const struct bench unrolled = { .run = work, .unroll = 4 };
	struct plan fixed = { .target = 1e-3, .batches = 2, .iterations = 10 };
	ok(!measurement_take(&m, &unrolled, &fixed, &e) && m.iterations % 4 == 0,
	   "an unrolled loop gets a multiple");
	measurement_free(&m);
}

static void test_refusals(void)
{
	static const struct bench deleted = { .run = nothing }, stuck = { .run = constant },
				  hollow = { .run = empty },
				  wrong = { .run = work, .check = complain };
	struct measurement m;

	ok(measurement_take(&m, &deleted, &quick, &e) && strstr(e.text, "no work detected"),
	   "a deleted loop: %s", e.text);
	ok(measurement_take(&m, &stuck, &quick, &e) && strstr(e.text, "no work detected"),
	   "a loop that ignores n: %s", e.text);
	ok(measurement_take(&m, &wrong, &quick, &e) && strstr(e.text, "it rained"),
	   "a failed check: %s", e.text);
	int failed = measurement_take(&m, &hollow, &quick, &e);
	ok(failed || (m.seconds < 1e-9 && m.flags & FLAG_OVERHEAD),
	   "an empty operation is refused, or next to nothing and flagged");
	measurement_free(&m);
}

static char *pages;

static void map_pages(uint64_t n)
{
	pages = mmap(NULL, n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(pages, n * 4096, MADV_NOHUGEPAGE);
}

static void touch(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		((volatile char *)pages)[i * 4096] = 1;
}

static const char *unmap_pages(uint64_t n)
{
	return munmap(pages, n * 4096) ? "munmap failed" : NULL;
}

static void test_counts(void)
{
	static const struct bench bench = { .batch = map_pages, .run = touch, .check = unmap_pages };
	struct measurement m;

	if (sysconf(_SC_PAGESIZE) != 4096) {
		skip("pages are not of 4096 bytes", 2);
		return;
	}
	ok(!measurement_take(&m, &bench, &quick, &e), "page faults are measured");
	double faults = (double)m.total.minor_faults / (double)m.total.n;
	ok(faults > 0.99 && faults < 1.1, "and counted: %g for each page touched", faults);
	measurement_free(&m);
}

/* bench_main. */

static char *words[8];

static int main_status(struct bench bench)
{
	int n = 0;

	while (words[n])
		n++;
	return bench_main(n, words, &bench);
}

static const char *never(void)
{
	return "not on a Tuesday";
}

static void main_good(void) { exit(main_status((struct bench){ .run = work })); }
static void main_wrong(void) { exit(main_status((struct bench){ .run = work, .check = complain })); }
static void main_never(void) { exit(main_status((struct bench){ .run = work, .supported = never })); }
static void main_full(void)
{
	dup2(open("/dev/full", O_WRONLY), 1);
	main_good();
}

static int status_with(void (*f)(void), const char *a, const char *b)
{
	words[0] = (char *)"fake";
	words[1] = (char *)a;
	words[2] = (char *)(a ? b : NULL);
	return status_of(f);
}

static void test_main(void)
{
	cmp_int(status_with(main_good, "-B", "2"), 0, "measured: 0");
	cmp_int(status_with(main_good, "-h", NULL), 0, "-h: 0");
	cmp_int(status_with(main_good, "-L", NULL), 0, "-L: 0");
	cmp_int(status_with(main_wrong, NULL, NULL), 1, "a failed check: 1");
	cmp_int(status_with(main_full, "-J", NULL), 1, "a full disk: 1");
	cmp_int(status_with(main_good, "-Z", NULL), 2, "an unknown option: 2");
	cmp_int(status_with(main_good, "extra", NULL), 2, "an operand too many: 2");
	cmp_int(status_with(main_good, "-T", "0"), 2, "a batch of no time: 2");
	cmp_int(status_with(main_good, "-C", "sundial"), 2, "an unknown clock: 2");
	cmp_int(status_with(main_good, "-P", "other"), 2, "one party has no other: 2");
	cmp_int(status_with(main_never, NULL, NULL), 3, "unsupported: 3");
}

/* Scratch directories. */

static int note[2];

static void make_directory(void)
{
	struct error why;
	const char *path = directory_make("/tmp", &why);

	if (!path || chdir(path) || mkdir("a", 0700) || mkdir("a/b", 0700) ||
	    symlink("/etc", "a/b/link"))
		exit(97);
	for (int i = 0; i < 300; i++) {
		char name[32];

		snprintf(name, sizeof(name), "a/b/%d", i);
		close(open(name, O_WRONLY | O_CREAT, 0600));
	}
	if (write(note[1], path, strlen(path)) < 0)
		exit(97);
}

static void leave_directory(void)
{
	make_directory();
	exit(0);
}

static void die_in_directory(void)
{
	make_directory();
	raise(SIGTERM);
}

static void test_directory(void (*f)(void), int want, const char *what)
{
	char path[512] = "";

	if (pipe(note))
		exit(1);
	cmp_int(status_of(f), want, "%s: status %d", what, want);
	ok(read(note[0], path, sizeof(path) - 1) > 0 && !strncmp(path, "/tmp/", 5), "%s: was there", what);
	ok(access(path, F_OK) != 0, "%s: %s is gone with all in it", what, path);
	close(note[0]);
	close(note[1]);
}

/* Events, environment. */

static void test_events(void)
{
	ok(pmu_open("no_such_event_anywhere", &e) == -1 && e.text[0], "an unknown event: %s", e.text);
	ok(pmu_open("a,,b", &e) == -1 && pmu_count() == 0, "an event without a name");
	if (pmu_open("PERF_COUNT_SW_PAGE_FAULTS,PERF_COUNT_SW_TASK_CLOCK", &e)) {
		skip(e.text, 4);
		return;
	}
	cmp_int(pmu_count(), 2, "two software events");
	is_string(pmu_name(1), "PERF_COUNT_SW_TASK_CLOCK", "in the order given");
	map_pages(100);
	touch(50);
	pmu_reset();
	pmu_start();
	touch(100);
	pmu_stop();
	unmap_pages(100);
	ok(pmu_value(0) >= 50 && pmu_value(0) < 100, "50 faults while counting: %g", pmu_value(0));
	ok(pmu_value(1) > 0, "time passed: %g", pmu_value(1));
}

static void test_environment(void)
{
	struct environment env = { 0 };
	struct utsname u;
	size_t bad = 0, twice = 0;

	uname(&u);
	environment_collect(&env, "/tmp");
	for (size_t i = 0; i < env.n; i++) {
		const struct fact *f = &env.v[i];

		twice += environment_find(&env, f->key) != f->value;
		bad += !*f->value || !strchr(f->key, '.');
		for (const char *p = f->value; *p; p++)
			bad += *p < ' ' || *p > '~';
	}
	ok(env.n > 10, "%zu facts", env.n);
	cmp_int(bad, 0, "each has a key with a dot and a printable value");
	cmp_int(twice, 0, "no key comes twice");
	is_string(environment_find(&env, "kernel.release"), u.release, "the kernel's release");
	ok(environment_find(&env, "filesystem.type") != NULL, "a file system below /tmp");
	ok(environment_find(&env, "no.such") == NULL, "an unknown key");
	environment_free(&env);
	cmp_int(env.n, 0, "freed");
	ok(steal_seconds(0) >= 0 && steal_seconds(-1) >= 0, "stolen time is not negative");
	ok(cold_cache_size() >= 1 << 14, "a cache has some size");
}

int main(void)
{
	test_source(CLOCK_SYSTEM, "clock");
#if defined(__aarch64__)
	test_source(CLOCK_COUNTER, "cntvct");
#else
	test_source(CLOCK_COUNTER, "tsc");
#endif
	test_calibration_arithmetic();
	clock_choose_best();
	test_parameters();
	test_placement();
	test_known_work();
	test_pause();
	test_limits();
	test_refusals();
	test_counts();
	test_main();
	test_directory(leave_directory, 0, "a directory left by exit");
	test_directory(die_in_directory, 128 + SIGTERM, "a directory left by SIGTERM");
	test_events();
	test_environment();
	return done_testing();
}
