/* SPDX-License-Identifier: MIT */
/* Tests of a benchmark program's front end: where it runs, exit statuses, flags; of its directory.
 */
#include "../tap.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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

/* The others of the team take longer than the first. */
static void stand(uint64_t n)
{
	struct timespec pause = { .tv_nsec = 20000000 };

	(void)n;
	if (gettid() != getpid())
		pause.tv_nsec *= 10;
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

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65 /* Linux 6.3 */
#endif

static void measure_after(bool code)
{
	char *argv[] = { (char *)"fake", (char *)"-JF4k", NULL };

	if ((!code && prctl(PR_SET_MDWE, 1, 0, 0, 0)) || !freopen(out_name, "w", stdout))
		exit(98);
	exit(bench_main(2, argv, &(struct bench){ .run = work }));
}

/* The kernel refuses to make memory executable. */
static void main_no_code(void)
{
	measure_after(false);
}

static void main_code(void)
{
	measure_after(true);
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

static char topology[] = "/tmp/osvec-test-XXXXXX";

/* Beside a peer on another CPU, which shares the core or does not. */
static void measure_apart(bool one_core)
{
	int cpus[CPU_SETSIZE];
	size_t n = cpus_allowed(cpus);

	root = topology;
	for (size_t i = 0; i < n; i++) {
		char path[200];

		snprintf(path, sizeof(path), "%s/cpu%d", root, cpus[i]);
		mkdir(path, 0700);
		strcat(path, "/topology");
		mkdir(path, 0700);
		strcat(path, "/thread_siblings_list");
		FILE *f = fopen(path, "w");
		if (!f ||
		    fprintf(f, "%d-%d\n", one_core ? 0 : cpus[i], cpus[one_core ? n - 1 : i]) < 0 ||
		    fclose(f))
			exit(98);
	}
	measure_json("apart", &(struct bench){ .run = work, .parties = BENCH_TWO });
}

static void main_siblings(void)
{
	measure_apart(true);
}

static void main_cores(void)
{
	measure_apart(false);
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

static void test_siblings(void)
{
	int cpus[CPU_SETSIZE];

	if (cpus_allowed(cpus) < 2 || !mkdtemp(topology)) {
		skip("one CPU only", 2);
		return;
	}
	ok(strstr(output(main_siblings), "\"SIBLING\""), "parties on one core are flagged");
	const char *text = output(main_cores);
	ok(*text && !strstr(text, "SIBLING"), "those on two are not");
	char command[100];
	snprintf(command, sizeof(command), "rm -r %s", topology);
	if (system(command))
		fail("%s", command);
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
	bool code = !strstr(output(main_code), "NOCODE");
	text = output(main_no_code);
	if (code && *text)
		ok(strstr(text, "NOCODE"), "where code cannot be made, a footprint has none");
	else
		skip("code is never made here, or the kernel always lets it", 1);
	test_siblings();
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
	struct itimerval before, after;

	watchdog_start(1000);
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	getitimer(ITIMER_REAL, &before);
	watchdog_reset();
	getitimer(ITIMER_REAL, &after);
	ok(timercmp(&after.it_value, &before.it_value, >), "no alarm disturbs batches that end");
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
}

static void work_on(void)
{
	uint64_t start = clock_nanoseconds();

	watchdog_start(0.01);
	while (clock_nanoseconds() - start < 100000000)
		watchdog_reset();
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
	int allowed[CPU_SETSIZE];

	cmp_int(status_of(main_wrong), 1, "a failed check: 1");
	cmp_int(status_of(main_never), 3, "unsupported: 3");
	cmp_int(status_of(main_starved), 3, "too few descriptors: 3");
	cmp_int(status_of(main_same), 60, "pinned, and the peer to the same CPU");
	if (cpus_allowed(allowed) < 2)
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
