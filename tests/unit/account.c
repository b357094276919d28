/* SPDX-License-Identifier: MIT */
/* Tests of lib/measure/account: what the kernel charges for known work, what counts as an
 * interruption; of the engine beside a process that takes half of its CPU. */
#include "measure/account.c"

#include "../tap.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine/cpus.c"
#include "measure/engine.h"
#include "util/monotonic.h"
#include "measure/placement.h"

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Uses this much CPU time, however busy the machine is. */
static void burn(double cpu)
{
	for (double end = seconds(CLOCK_THREAD_CPUTIME_ID) + cpu;
	     seconds(CLOCK_THREAD_CPUTIME_ID) < end;)
		;
}

static void *burn_thread(void *unused)
{
	burn(0.01);
	return unused;
}

/* What f() is charged for, the least of five: a hypervisor may charge it for what others had. */
static struct account charge(void (*f)(void))
{
	struct account a, least = { .caller = INFINITY };

	for (int i = 0; i < 5; i++) {
		account_start(&a);
		f();
		account_stop(&a);
		if (account_cpu(&a) < account_cpu(&least))
			least = a;
	}
	return least;
}

static pid_t start(void (*f)(void))
{
	fflush(NULL);
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	f();
	_exit(0);
}

static void burn_on_signals(void)
{
	for (;;) {
		raise(SIGSTOP);
		burn(0.01);
	}
}

static void spin(void)
{
	for (;;)
		bench_clobber();
}

static bool is_near(double x, double wanted)
{
	return x >= 0.999 * wanted && x < 1.2 * wanted + 1e-3;
}

static void burn_here(void)
{
	burn(0.01);
}

static void burn_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, burn_thread, NULL);
	pthread_join(thread, NULL);
}

static void burn_longer(void)
{
	burn(0.05);
}

/* Longer than elsewhere: ending the child costs CPU time, too, sanitized up to 4 ms. */
static void burn_in_child(void)
{
	waitpid(start(burn_longer), NULL, 0);
}

static void sleep_20ms(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
}

static void test_cpu(void)
{
	struct account a = charge(burn_here);

	ok(is_near(a.caller, 0.01) && a.threads < 1e-3 && a.processes == 0,
	   "10 ms of this thread: %g s", a.caller);
	a = charge(burn_in_thread);
	ok(is_near(a.threads, 0.01) && a.caller < 5e-3, "10 ms of another thread: %g s", a.threads);
	ok(account_is_threaded(&a), "which is noticed");
	a = charge(burn_in_child);
	ok(is_near(a.processes, 0.05), "50 ms of a child that was reaped: %g s", a.processes);
	ok(!account_is_threaded(&a), "a process is no thread");
	a = charge(sleep_20ms);
	ok(account_cpu(&a) < 5e-3, "20 ms of sleep cost little: %g s", account_cpu(&a));
	ok(a.voluntary >= 1, "sleep is a switch");
	ok(isnan(account_idle_share(&a, 0.02)), "and is not taken for an interruption");
}

/* Works for 0.4 s in the kernel, or in user mode. */
static void work_in(bool in_kernel)
{
	static char zeros[1 << 20];
	const int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	for (double end = seconds(CLOCK_THREAD_CPUTIME_ID) + 0.4;
	     seconds(CLOCK_THREAD_CPUTIME_ID) < end;) {
		if (in_kernel && syscall(SYS_read, fd, zeros, sizeof(zeros)) < 0)
			break;
		for (volatile int i = 0; !in_kernel && i < 100000; i++)
			;
	}
	close(fd);
}

static void test_ticks(void)
{
	for (int in_kernel = 0; in_kernel < 2; in_kernel++) {
		struct account a;

		account_start(&a);
		work_in(in_kernel);
		account_stop(&a);
		ok(a.ticks > 0.3 && a.ticks < 0.5, "0.4 s by clock ticks: %g s", a.ticks);
		ok(in_kernel ? a.user_ticks < 0.3 * a.ticks : a.user_ticks > 0.7 * a.ticks,
		   "%s: %g s in user mode", in_kernel ? "in the kernel" : "in user mode",
		   a.user_ticks);
	}
}

static pid_t peer;

static void ask_peer(void)
{
	kill(peer, SIGCONT);
	waitpid(peer, NULL, WUNTRACED);
}

static void test_peer(void)
{
	peer = start(burn_on_signals);
	waitpid(peer, NULL, WUNTRACED);
	account_add_process(peer);
	struct account a = charge(ask_peer);
	ok(is_near(a.processes, 0.01), "10 ms of a peer that lives on: %g s", a.processes);
	account_remove(peer);
	account_open(ACCOUNT_APART);
	account_add_process(peer);
	account_start(&a);
	account_stop(&a);
	ok(isnan(a.waited) == isnan(waited_of(mine.schedstat)),
	   "on another CPU, it is asked how long it waited");
	account_remove(peer);
	account_open(ACCOUNT_TOGETHER);
	account_start(&a);
	account_stop(&a);
	ok(a.processes == 0, "a peer that was removed is not counted");
	kill(peer, SIGKILL);
	waitpid(peer, NULL, 0);
}

/* What a batch of this length is said to be. */
static bool interrupted(double elapsed, double cpu, double others, double waited, double usual)
{
	const struct account a = { .caller = cpu - others, .threads = others, .waited = waited };

	return account_lost(&a, elapsed, usual) > 0;
}

static void test_judgement(void)
{
	static const double lengths[] = { 1e-4, 1e-3, 1e-2, 0.1, 1 };
	struct account a = { .caller = 1e-3, .waited = NAN, .involuntary = 1 };

	account_open(ACCOUNT_TOGETHER);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		double t = lengths[i];

		ok(!interrupted(t, t, 0, 0, 0) && !interrupted(t, 0.99 * t, 0, 0.01 * t, 0),
		   "%g s: quiet, or nearly so", t);
		ok(interrupted(1.03 * t, 1.03 * t, 0, 0.03 * t, 0), "waiting for a CPU");
		ok(interrupted(2 * t, t, 0, t, 0), "half of the time");
		ok(interrupted(t, 0.97 * t, 0, 0, 0), "time that nobody was charged for");
		ok(interrupted(t, 0.97 * t, 0, NAN, 0), "where waiting is not known");
		ok(!interrupted(t, 0.57 * t, 0, 0, 0.42), "unless it is the operation's own");
		ok(!interrupted(t, 0.52 * t, 0, 0, 0.40), "which varies");
		ok(interrupted(t, 0.45 * t, 0, 0, 0.40), "but not so much");
		ok(!interrupted(t, t, 0.5 * t, 0.5 * t, 0), "parties wait for each other");
		ok(interrupted(1.1 * t, t, 0.5 * t, 0.6 * t, 0), "and for others");
	}
	ok(!interrupted(1e-6, 0.5e-6, 0, 0, 0), "a microsecond is too short to tell");
	ok(account_lost(&a, 1e-3, 0) > 0, "a switch, where waiting is not known");
	a.waited = 0;
	ok(account_lost(&a, 1e-3, 0) == 0, "one that did not matter");
	a = (struct account){ .caller = 1e-4, .waited = 1e-5, .voluntary = 1 };
	ok(account_lost(&a, 1e-3, 0) == 0, "sleep");
	a.waited = 1e-4;
	ok(account_lost(&a, 1e-3, 0) > 0, "sleep and waiting");
	account_open(ACCOUNT_APART);
	ok(interrupted(1e-3, 2e-3, 1e-3, 1e-4, 0), "parties apart do not wait for each other");
	account_open(ACCOUNT_TOGETHER);
}

/* -- with the engine --------------------------------------------------------------------------- */

static double operation; /* seconds of CPU */

static void work(uint64_t n)
{
	while (n--)
		burn(operation);
}

static void sleep_1ms(uint64_t n)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	while (n--)
		nanosleep(&pause, NULL);
}

static void burn_operation(void)
{
	burn(operation);
}

static void work_in_children(uint64_t n)
{
	while (n--)
		waitpid(start(burn_operation), NULL, 0);
}

static const struct bench busy = { .run = work }, sleeping = { .run = sleep_1ms },
			  parent = { .run = work_in_children };

/* Of five measurements that with the least CPU time. */
static struct measurement measure_least(const struct bench *bench)
{
	const struct engine_plan plan = { .target = 1e-3, .bare = true };
	struct measurement m, least = { .cpu = INFINITY };
	struct error e;

	for (int i = 0; i < 5; i++) {
		if (engine_measure(&m, bench, &plan, &e))
			fail("measured: %s", e.text);
		measurement_free(&m);
		if (m.cpu < least.cpu)
			least = m;
	}
	return least;
}

static void test_both_clocks(void)
{
	operation = 50e-6;
	struct measurement m = measure_least(&busy);
	ok(m.cpu > 49.9e-6 && m.cpu < 90e-6, "a loop of known CPU time: %g s", m.cpu);
	ok(m.mean > 0.98 * m.cpu, "which is no longer than what passes: %g s", m.mean);
	m = measure_least(&sleeping);
	ok(m.cpu > 0 && m.cpu < 0.3e-3 && m.minimum >= 1e-3 && m.mean >= 1e-3,
	   "a sleep takes time, but no CPU: %g s, %g s of CPU", m.mean, m.cpu);
}

/* Beside a process that always wants the same CPU. */
static void test_load(void)
{
	static const double operations[] = { 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1 };
	const struct engine_plan usual = { .target = 1e-3 };
	struct placed placed;
	struct measurement m;
	struct error e;

	placement_parse("same", &placed, NULL);
	if (placement_resolve(&placed, &e) || cpus_pin(placed.cpu, &e)) {
		skip(e.text, 14);
		return;
	}
	account_open(ACCOUNT_TOGETHER);
	account_add_cpu(placed.cpu);
	pid_t pid = start(spin);
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		operation = operations[i];
		ok(!engine_measure(&m, &busy, &usual, &e), "%g s beside another: measured",
		   operation);
		ok(m.flags & FLAG_DISTURBED, "and flagged: %zu batches interrupted, %zu reported",
		   m.interrupted, m.n);
		measurement_free(&m);
	}
	operation = 0.03;
	ok(!engine_measure(&m, &parent, &usual, &e), "children beside another: measured");
	ok(m.flags & FLAG_DISTURBED, "their waiting is noticed, %g s of %g s", m.mean, operation);
	measurement_free(&m);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A CPU that has been idle for so long. */
static void write_idle(double idle)
{
	FILE *f = fopen(stat_file, "w");

	fprintf(f, "cpu%d 0 0 0 %.0f 1 0 0 0\n", all.cpus.v[0], idle / cpus_tick());
	fclose(f);
}

/* Of half a second, a child works for 0.2 s, and the CPU is idle for this long. */
static bool is_beside_others(double idle)
{
	struct account_watch watch;

	write_idle(0);
	account_watch(&watch);
	operation = 0.2;
	work_in_children(1);
	write_idle(idle);
	watch.start = monotonic_seconds() - 0.5; /* however long it waited */
	watch.used.waited = NAN;
	return account_is_beside_others(&watch);
}

static void test_watch(void)
{
	struct account_watch watch;
	char name[] = "/tmp/osvec-test-XXXXXX";

	if (!all.cpus.n) {
		skip("not pinned", 6);
		return;
	}
	close(mkstemp(name));
	stat_file = name;
	ok(is_beside_others(0), "others have the CPU while a child waits");
	ok(!is_beside_others(0.3), "what it works itself, and sleep, are no others");
	ok(is_beside_others(0.15), "a quarter of the time is theirs");
	ok(!is_beside_others(0.25), "a tenth is too little");
	all.cpus.n = 0;
	ok(!is_beside_others(0), "nothing is known of parties that roam");
	account_watch(&watch);
	watch.used.waited += 1; /* as if this thread had waited a second longer */
	watch.start -= 2;
	ok(account_is_beside_others(&watch), "but of those that waited");
	unlink(name);
	stat_file = "/proc/stat";
}

/* Three copies on a CPU: each waits for the other two as long as it works. */
static void test_copies(void)
{
	struct account alone, crowded;

	account_start(&alone);
	account_start(&crowded);
	for (double end = monotonic_seconds() + 0.02; monotonic_seconds() < end;)
		;
	account_set_copies(3);
	account_stop(&crowded);
	ok(isnan(account_idle_share(&crowded, 1)), "of a copy nobody knows when it should work");
	account_set_copies(1);
	account_stop(&alone);
	double expected = 2 * account_cpu(&crowded);
	/* What it waits between the two readings comes on top. */
	ok(alone.waited - crowded.waited >= 0.99 * expected,
	   "waiting for other copies is no waiting");
}

int main(void)
{
	struct account a;

	clock_choose_best();
	account_open(ACCOUNT_TOGETHER);
	test_judgement();
	bool knows = all.knows_cpu;
	all.knows_cpu = !knows;
	account_open(ACCOUNT_THREAD);
	ok(all.knows_cpu != knows, "what the clocks can do is found out once, before threads run");
	all.knows_cpu = knows;
	account_open(ACCOUNT_TOGETHER);
	account_start(&a);
	account_stop(&a);
	if (isnan(account_cpu(&a))) {
		skip("CPU time is counted in clock ticks here", 1);
		return done_testing();
	}
	test_cpu();
	test_ticks();
	test_peer();
	test_both_clocks();
	if (isnan(a.waited)) {
		skip("this kernel does not report waiting", 1);
		return done_testing();
	}
	test_load();
	test_watch();
	test_copies();
	return done_testing();
}
