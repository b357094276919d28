/* SPDX-License-Identifier: MIT */
/* Tests of a benchmark program's front end: parameters, placement, exit statuses; of its directory.
 */
#include "../tap.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int getaffinity(pid_t id, size_t size, cpu_set_t *set);

#include "../../bench/common/files.h"
#include "../../bench/common/peer.h"
#include "../../bench/common/team.h"
#include "measure/clock.h"
#include "measure/parameter.h"
#define sched_getaffinity getaffinity
#include "machine/cpus.c"
#undef sched_getaffinity
#include "measure/placement.h"
#include "measure/watchdog.h"

static struct error e;
static bool is_secret; /* which CPUs may be used */

static int getaffinity(pid_t id, size_t size, cpu_set_t *set)
{
	return is_secret ? -1 : sched_getaffinity(id, size, set);
}

static const struct bench_parameter table[] = {
	{ "kind", BENCH_CHOICE, "tcp unix tcp6", 0, 0, NULL, false, false, "" },
	{ "size", BENCH_SIZE, "1 4k", 1, 1 << 20, "4k", true, false, "" },
	{ "count", BENCH_COUNT, "2 4", 2, 64, "2", false, false, "" },
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
	ok(!parses(NULL, NULL, NULL, &v) && strstr(e.text, "kind"), "what has none: %s", e.text);

	static const char *const bad[][3] = {
		{ "tc", "4k", "2" },   { "tcp unix", "4k", "2" },
		{ "", "4k", "2" },     { "tcp", "0", "2" },
		{ "tcp", "2m", "2" },  { "tcp", "-1", "2" },
		{ "tcp", "4kk", "2" }, { "tcp", "", "2" },
		{ "tcp", "4k", "1" },  { "tcp", "4k", "65" },
		{ "tcp", "4k", "2k" }, { "tcp", "4k", "18446744073709551618" },
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(!parses(bad[i][0], bad[i][1], bad[i][2], &v) && e.text[0],
		   "'%s' '%s' '%s' is refused", bad[i][0], bad[i][1], bad[i][2]);
	char *const four[] = { (char *)"tcp", (char *)"4k", (char *)"2", (char *)"more" };
	ok(parameter_parse(table, four, 4, &v, &e) && strstr(e.text, "more"), "a fourth");
	cmp_int(parameter_axis(table), 1, "the axis is found");
	ok(parameter_axis(NULL) == SIZE_MAX && parameter_count(NULL) == 0, "an empty table");
}

static void test_silent(void)
{
	static const struct bench_parameter silent[] = {
		{ "what", BENCH_CHOICE, "a b", .fallback = "a" },
		{ "size", BENCH_SIZE, "0 4k", 0, 1 << 20, "0", true, true, "" },
		{ "file", BENCH_SIZE, "4m 1g", 0, 1 << 30, "4m", false, true, "" },
		{ 0 }
	};
	static const struct {
		const char *operands[3], *entry, *curve;
	} cases[] = {
		{ { "a" }, "lat_x_a", "lat_x_a_*" },
		{ { "b", "4k" }, "lat_x_b_4k", "lat_x_b_*" },
		{ { "b", "0", "4096k" }, "lat_x_b", "lat_x_b_*" },
		{ { "a", "0", "1g" }, "lat_x_a_0_1g", "lat_x_a_*_1g" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct parameter_values v;
		size_t n = 0;

		while (n < 3 && cases[i].operands[n])
			n++;
		ok(!parameter_parse(silent, (char *const *)cases[i].operands, n, &v, &e), "parses");
		char *entry = parameter_entry("lat_x", silent, &v, false);
		char *curve = parameter_entry("lat_x", silent, &v, true);
		is_string(entry, cases[i].entry, "entry");
		is_string(curve, cases[i].curve, "curve");
		free(entry);
		free(curve);
	}
}

/* Resolves "apart" with only the first n CPUs allowed.  Returns whether it chose two CPUs; -1 if
 * there are fewer than n, 2 if it chose none or one that is not allowed. */
static int apart_on(int n)
{
	struct placed p;
	cpu_set_t allowed, few;

	CPU_ZERO(&few);
	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&few) < n; i++)
		if (CPU_ISSET(i, &allowed))
			CPU_SET(i, &few);
	if (CPU_COUNT(&few) < n)
		return -1;
	sched_setaffinity(0, sizeof(few), &few);
	bool resolved = !placement_parse("apart", &p, NULL) && !placement_resolve(&p, NULL);
	sched_setaffinity(0, sizeof(allowed), &allowed);
	return resolved && CPU_ISSET(p.cpu, &few) && CPU_ISSET(p.peer, &few) ? p.cpu != p.peer : 2;
}

static void test_apart(void)
{
	cmp_int(apart_on(1), 2, "apart: not to be had on one CPU");
	if (apart_on(2) < 0)
		skip("one CPU only", 1);
	else
		cmp_int(apart_on(2), 1, "on another when there are two");
}

static void test_placement(void)
{
	struct placed p;
	cpu_set_t allowed;

	ok(!placement_parse("same", &p, &e) && p.placement == PLACEMENT_SAME && p.cpu < 0, "same");
	ok(!placement_parse("free", &p, &e) && p.placement == PLACEMENT_FREE, "free");
	ok(!placement_parse("3", &p, &e) && p.cpu == 3 && p.peer == 3 &&
	       p.placement == PLACEMENT_SAME,
	   "one CPU for both");
	ok(!placement_parse("0,1", &p, &e) && p.cpu == 0 && p.peer == 1 &&
	       p.placement != PLACEMENT_SAME && p.placement != PLACEMENT_FREE,
	   "two CPUs");
	static const char *const bad[] = { "", "sam", "1,", ",1", "1,2,3", "-1", "99999", "1 2" };
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(placement_parse(bad[i], &p, &e) && e.text[0], "'%s' is no placement", bad[i]);

	placement_parse("same", &p, NULL);
	sched_getaffinity(0, sizeof(allowed), &allowed);
	ok(!placement_resolve(&p, &e) && CPU_ISSET(p.cpu, &allowed) && p.peer == p.cpu,
	   "an allowed CPU is chosen");
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed)) {
			char name[16];

			snprintf(name, sizeof(name), "%d", cpu);
			setenv(PLACEMENT_VARIABLE, name, 1);
			placement_parse("same", &p, NULL);
			ok(!placement_resolve(&p, &e) && p.cpu == cpu, "CPU %d as asked for", cpu);
		}
	unsetenv(PLACEMENT_VARIABLE);
	placement_parse("same", &p, NULL);
	placement_resolve(&p, &e);
	ok(!cpus_pin(p.cpu, &e) && sched_getcpu() == p.cpu, "a pinned thread runs there");
	ok(cpus_pin(8191, &e) && strstr(e.text, "8191"), "no such CPU: %s", e.text);
	placement_parse("other", &p, NULL);
	ok(placement_resolve(&p, &e), "one CPU has no other: %s", e.text);
	sched_setaffinity(0, sizeof(allowed), &allowed);
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

static void work(uint64_t n)
{
	const struct timespec pause = { .tv_nsec = 20000 };

	while (n--)
		nanosleep(&pause, NULL);
}

static const char *complain(uint64_t n)
{
	(void)n;
	return "it rained";
}

static const char *never(void)
{
	return "not on a Tuesday";
}

static int *peer_cpu; /* in memory of both parties */

static void start_peer(void)
{
	peer_cpu = mmap(NULL, sizeof(*peer_cpu), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	*peer_cpu = -1;
	if (bench_fork())
		while (__atomic_load_n(peer_cpu, __ATOMIC_ACQUIRE) < 0)
			sched_yield();
	else
		for (__atomic_store_n(peer_cpu, sched_getcpu(), __ATOMIC_RELEASE);;)
			pause();
}

/* Ends with 50 when not pinned, with 60 when the peer is on this CPU, with 70 when it is not. */
static void look(uint64_t n)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	if (CPU_COUNT(&set) != 1)
		exit(50);
	exit(*peer_cpu == sched_getcpu() ? 60 : 70);
	(void)n;
}

static void main_placed(const char *where)
{
	exit(bench_main(3, (char *[]){ (char *)"fake", (char *)"-P", (char *)where, NULL },
			&(struct bench){ .run = look, .setup = start_peer, .parties = BENCH_TWO }));
}

static void main_same(void)
{
	main_placed("same");
}

static void main_apart(void)
{
	main_placed("apart");
}

static void main_starved(void)
{
	const struct rlimit few = { 8, 8 };

	setrlimit(RLIMIT_NOFILE, &few);
	exit(bench_main(1, (char *[]){ (char *)"fake", NULL }, &(struct bench){ .run = work }));
}

static void main_wrong(void)
{
	exit(bench_main(1, (char *[]){ (char *)"fake", NULL },
			&(struct bench){ .run = work, .check = complain }));
}

static void main_never(void)
{
	exit(bench_main(1, (char *[]){ (char *)"fake", NULL },
			&(struct bench){ .run = work, .supported = never }));
}

/* As setup(): exits with 43 if bench_place moves this thread to another CPU, 42 if there is none.
 */
static void stand_elsewhere(void)
{
	int own = sched_getcpu();

	if (bench_cpus() < 2)
		exit(42);
	bench_place(bench_cpus() - 1);
	int other = sched_getcpu();
	bench_place(0);
	exit(other != own && sched_getcpu() == own ? 43 : 44);
}

static void main_elsewhere(void)
{
	exit(bench_main(1, (char *[]){ (char *)"fake", NULL },
			&(struct bench){ .run = work, .setup = stand_elsewhere }));
}

static struct seen {
	pid_t pid;
	int cpu;
} * seen; /* in memory of both parties */

static void see(size_t i)
{
	(void)i;
	*seen = (struct seen){ getpid(), sched_getcpu() };
}

static void start_helper(void)
{
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	peer_start();
}

/* Ends with 43 when another process acts on another CPU. */
static void let_peer_see(uint64_t n)
{
	(void)n;
	peer_do(see, 1);
	exit(seen->pid != getpid() && seen->cpu != sched_getcpu() ? 43 : 44);
}

static void main_helper(void)
{
	exit(bench_main(
	    1, (char *[]){ (char *)"fake", NULL },
	    &(struct bench){ .run = let_peer_see, .setup = start_helper, .parties = BENCH_APART }));
}

static _Atomic int stood[CPU_SETSIZE], ended;

static void stand(uint64_t n)
{
	const struct timespec pause = { .tv_nsec = 20000000 };

	(void)n;
	nanosleep(&pause, NULL);
	stood[sched_getcpu()]++;
	ended++;
}

/* As setup(): exits with 43 if two of a team were on two CPUs and are waited for, 42 without two.
 */
static void stand_in_team(void)
{
	int own = sched_getcpu();

	if (bench_cpus() < 2)
		exit(42);
	team_start(1);
	team_do(stand, 1);
	exit(ended == 2 && stood[own] == 1 ? 43 : 44);
}

static void measure_secretly(const char *copies)
{
	char *argv[] = { (char *)"fake", (char *)"-GPfree", (char *)(uintptr_t)copies, NULL };

	is_secret = true;
	exit(bench_main(3, argv, &(struct bench){ .run = work }));
}

static void main_secret(void)
{
	measure_secretly("-X1");
}

static void main_secret_copies(void)
{
	measure_secretly("-X2");
}

static void main_team(void)
{
	exit(bench_main(1, (char *[]){ (char *)"fake", NULL },
			&(struct bench){ .run = work, .setup = stand_in_team }));
}

/* A /proc/stat in which the hypervisor has taken seconds from the machine. */
static void write_stat(double seconds)
{
	FILE *f = fopen(stat_file, "w");

	if (!f || fprintf(f, "cpu  0 0 0 0 0 0 0 %.0f 0 0\n", seconds / cpus_tick()) < 0 ||
	    fclose(f))
		exit(98);
}

static void steal(void)
{
	write_stat(1000);
}

static char stat_name[] = "/tmp/osvec-test-XXXXXX", out_name[] = "/tmp/osvec-test-XXXXXX";

/* Prints to out_name. */
static void measure_json(const char *where, const struct bench *bench)
{
	char *argv[] = { (char *)"fake", (char *)"-JP", (char *)(uintptr_t)where, NULL };

	if (!freopen(out_name, "w", stdout))
		exit(98);
	exit(bench_main(3, argv, bench));
}

/* Where parties roam, nothing else is known to disturb them, without a CPU quota. */
static void measure_stolen(void (*setup)(void))
{
	stat_file = stat_name;
	quotas[0].file = stat_name;
	quotas[1].file = "/nonexistent";
	write_stat(0);
	measure_json("free", &(struct bench){ .run = work, .setup = setup, .parties = BENCH_TWO });
}

static void main_stolen(void)
{
	measure_stolen(steal);
}

static void main_unharmed(void)
{
	measure_stolen(NULL);
}

static void throttle(void)
{
	FILE *f = fopen(stat_name, "w");

	fputs("nr_throttled 3\nthrottled_usec 9000000\n", f);
	fclose(f);
}

static void main_throttled(void)
{
	measure_stolen(throttle);
}

enum { BURNT_NS = 50000 };

static int question[2], answer[2];

/* A peer that uses BURNT_NS of CPU time for each answer. */
static void start_burner(void)
{
	char byte;

	if (pipe(question) || pipe(answer))
		exit(98);
	if (bench_fork())
		return;
	clock_choose(CLOCK_CPU, NULL);
	while (read(question[0], &byte, 1) == 1) {
		for (uint64_t end = clock_start() + BURNT_NS; clock_start() < end;)
			;
		if (write(answer[1], &byte, 1) != 1)
			exit(98);
	}
	_exit(0);
}

static void ask(uint64_t n)
{
	char byte = 0;

	while (n--)
		if (write(question[1], &byte, 1) != 1 || read(answer[0], &byte, 1) != 1)
			exit(98);
}

static void main_burner(void)
{
	measure_json("same",
		     &(struct bench){ .run = ask, .setup = start_burner, .parties = BENCH_TWO });
}

/* What main_stolen() and the like print, "" when they fail. */
static const char *output(void (*f)(void))
{
	static char text[8192];
	int status = status_of(f);
	FILE *file = fopen(out_name, "r");
	size_t n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[status ? 0 : n] = '\0';
	if (file)
		fclose(file);
	return text;
}

static void test_output(void)
{
	close(mkstemp(stat_name));
	close(mkstemp(out_name));
	const char *text = output(main_stolen);
	ok(strstr(text, "\"steal\": 1000,") && strstr(text, "DISTURBED"),
	   "what the hypervisor took is reported and flagged");
	ok(strstr(output(main_throttled), "DISTURBED"), "and what a CPU quota took");
	text = output(main_unharmed);
	ok(strstr(text, "\"steal\": 0,") && !strstr(text, "DISTURBED"), "nothing is not");
	text = strstr(output(main_burner), "\"cpu_seconds\": ");
	double cpu = text ? strtod(text + strlen("\"cpu_seconds\": "), NULL) : NAN;
	if (clock_choose(CLOCK_CPU, &e))
		skip(e.text, 1);
	else
		ok(cpu > 0.97e-9 * BURNT_NS && cpu < 10e-9 * BURNT_NS,
		   "50 us of CPU of the peer are on the account: %g s", cpu);
	clock_choose_best();
	ok(!unlink(stat_name) && !unlink(out_name), "done");
}

static double seconds_of_cpu(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void hang(void)
{
	watchdog_start(0.01);
	for (;;)
		pause();
}

/* As where the alarm interrupts one who holds a lock of the C library. */
static void never_return(void)
{
	while (seconds_of_cpu() < 0.5)
		;
	_exit(96);
}

static void hang_in_exit(void)
{
	atexit(never_return);
	hang();
}

static void test_feeding(void)
{
	struct itimerval hungry, fed;

	watchdog_start(1000);
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	getitimer(ITIMER_REAL, &hungry);
	watchdog_feed();
	getitimer(ITIMER_REAL, &fed);
	ok(timercmp(&fed.it_value, &hungry.it_value, >), "no alarm disturbs batches that end");
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
}

static void work_on(void)
{
	uint64_t start = clock_nanoseconds();

	watchdog_start(0.01);
	while (clock_nanoseconds() - start < 100000000)
		watchdog_feed();
	exit(0);
}

static int note[2];

static void make_directory(void)
{
	const char *path = chdir("/tmp") ? NULL : files_path();

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

static void die_in_directory(void)
{
	make_directory();
	raise(SIGTERM);
}

static void test_directory(void)
{
	char path[512] = "";

	if (pipe(note))
		exit(1);
	cmp_int(status_of(die_in_directory), 128 + SIGTERM, "SIGTERM ends a program");
	ok(read(note[0], path, sizeof(path) - 1) > 0, "which made a directory");
	ok(access(path, F_OK) != 0, "%s is gone with everything in it", path);
	ok(access("/etc/passwd", F_OK) == 0, "but not what links in it name");
}

int main(void)
{
	test_parameters();
	test_silent();
	test_placement();
	test_apart();
	cmp_int(status_of(main_wrong), 1, "a failed check: 1");
	cmp_int(status_of(main_never), 3, "unsupported: 3");
	cmp_int(status_of(main_starved), 3, "too few descriptors: 3");
	cmp_int(status_of(main_same), 60, "pinned, and the peer to the same CPU");
	if (apart_on(2) < 0)
		skip("one CPU only", 1);
	else
		cmp_int(status_of(main_apart), 70, "the peer on another CPU");
	int elsewhere = status_of(main_elsewhere);
	if (elsewhere == 42) {
		skip("one CPU only", 3);
	} else {
		cmp_int(elsewhere, 43, "a thread can be placed on another CPU and back");
		cmp_int(status_of(main_team), 43, "a team has a CPU for each, and ends together");
		cmp_int(status_of(main_helper), 43, "another process acts between the batches");
	}
	cmp_int(status_of(main_secret), 0, "CPUs of which there is no list");
	cmp_int(status_of(main_secret_copies), 0, "which copies share");
	cmp_int(status_of(hang), 1, "a batch that does not end: 1");
	cmp_int(status_of(hang_in_exit), 1, "nor the way out: 1");
	test_feeding();
	cmp_int(status_of(work_on), 0, "batches that end: 0");
	test_output();
	test_directory();
	return done_testing();
}
