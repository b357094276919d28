/* SPDX-License-Identifier: MIT */
#include "../tap.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bench.h"
#include "measure/clock.h"
#include "machine/environment.h"
#include "measure/pmu.h"
#include "../../bench/common/files.h"

static struct error e;

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

/* bench_main. */

static void work(uint64_t n)
{
	while (n--)
		for (uint64_t end = clock_nanoseconds() + 20000; clock_nanoseconds() < end;)
			;
}

static const char *complain(uint64_t n)
{
	(void)n;
	return "it rained";
}

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

static void main_good(void)
{
	exit(main_status((struct bench){ .run = work }));
}

static void main_wrong(void)
{
	exit(main_status((struct bench){ .run = work, .check = complain }));
}

static void main_never(void)
{
	exit(main_status((struct bench){ .run = work, .supported = never }));
}

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
	cmp_int(status_with(main_good, "-1N", "2"), 2, "two operations in one: 2");
	cmp_int(status_with(main_good, "-1", NULL), 0, "a cold shot: 0");
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
	ok(read(note[0], path, sizeof(path) - 1) > 0, "%s: was there", what);
	ok(access(path, F_OK) != 0, "%s: %s is gone with all in it", what, path);
	close(note[0]);
	close(note[1]);
}

/* Events, environment. */

static void touch(char *pages, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)pages)[i * (size_t)sysconf(_SC_PAGESIZE)] = 1;
}

static void test_events(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	ok(pmu_open("no_such_event", &e) == -1 && e.text[0], "an unknown event: %s", e.text);
	ok(pmu_open("a,,b", &e) == -1 && pmu_count() == 0, "an event without a name");
	if (pmu_open("PERF_COUNT_SW_PAGE_FAULTS,PERF_COUNT_SW_TASK_CLOCK", &e)) {
		skip(e.text, 4);
		return;
	}
	cmp_int(pmu_count(), 2, "two software events");
	is_string(pmu_name(1), "PERF_COUNT_SW_TASK_CLOCK", "in the order given");
	char *pages =
	    mmap(NULL, 100 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(pages, 100 * page, MADV_NOHUGEPAGE);
	touch(pages, 50);
	pmu_reset();
	pmu_start();
	touch(pages, 100);
	pmu_stop();
	munmap(pages, 100 * page);
	ok(pmu_value(0) >= 50 && pmu_value(0) < 100, "50 faults while counting: %g", pmu_value(0));
	ok(pmu_value(1) > 0, "time passed: %g", pmu_value(1));
}

/* A journal has a thread, which has a directory of its own. */
static void test_journal(const struct environment *env)
{
	const char *type = environment_find(env, "filesystem.type");
	const char *journal = environment_find(env, "filesystem.journal");
	const char *source = environment_find(env, "filesystem.source");
	char pattern[256];
	glob_t found;

	if (!type || strcmp(type, "ext4") || !journal || strncmp(source, "/dev/", 5)) {
		skip("/tmp is no ext4 on a device that we see", 1);
		return;
	}
	snprintf(pattern, sizeof(pattern), "/proc/fs/jbd2/%s-*", strrchr(source, '/') + 1);
	bool none = glob(pattern, 0, NULL, &found) != 0;
	cmp_int(!strcmp(journal, "none"), none, "the journal of ext4: %s", journal);
	globfree(&found);
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
	test_journal(&env);
	ok(environment_find(&env, "no.such") == NULL, "an unknown key");
	environment_free(&env);
	cmp_int(env.n, 0, "freed");
}

int main(void)
{
	test_main();
	test_directory(leave_directory, 0, "a directory left by exit");
	test_directory(die_in_directory, 128 + SIGTERM, "a directory left by SIGTERM");
	test_events();
	test_environment();
	return done_testing();
}
