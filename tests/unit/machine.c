/* SPDX-License-Identifier: MIT */
/* Tests of lib/machine: the list of facts, lists of CPUs, and steal. */
#include "../tap.h"

#include <glob.h>
#include <signal.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "machine/caches.c"
#include "machine/cpus.c"
#include "machine/environment.h"

/* The fact about ext4's journal must agree with the directory that the journal's thread has. */
static void test_journal(const struct environment *env)
{
	const char *type = environment_find(env, "filesystem.type");
	const char *journal = environment_find(env, "filesystem.journal");
	const char *source = environment_find(env, "filesystem.source");
	char pattern[256];
	glob_t found;

	if (!type || strcmp(type, "ext4") || !journal || strncmp(source, "/dev/", 5)) {
		skip("/tmp is not on ext4 on a visible device", 1);
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
	ok(environment_find(&env, "filesystem.type") != NULL, "the file system of /tmp");
	test_journal(&env);
	ok(environment_find(&env, "no.such") == NULL, "an unknown key");
	environment_free(&env);
	cmp_int(env.n, 0, "freed");
}

static void test_cpus(void)
{
	static const char *const bad[] = { "",	  ",",	"1,",  "a",	     "1-",
					   "3-1", "-1", "1 2", "99999999999" };
	int allowed[CPU_SETSIZE], out[CPU_SETSIZE];
	size_t n = cpus_allowed(allowed), got;
	struct error e;
	char list[64];

	if (!ok(n > 0, "some CPU is allowed"))
		return;
	snprintf(list, sizeof(list), "%d", allowed[n - 1]);
	ok(!cpus_parse(list, out, &got, &e) && got == 1 && out[0] == allowed[n - 1], "one CPU");
	snprintf(list, sizeof(list), "%d,%d-%d", allowed[0], allowed[0], allowed[0]);
	ok(!cpus_parse(list, out, &got, &e) && got == 1, "named twice, counted once");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(cpus_parse(bad[i], out, &got, &e) == -1, "'%s': %s", bad[i], e.text);
	snprintf(list, sizeof(list), "%d", CPU_SETSIZE - 1);
	ok(allowed[n - 1] == CPU_SETSIZE - 1 || cpus_parse(list, out, &got, &e) == -1,
	   "a CPU that is not there: %s", e.text);
	ok(isnan(cpus_steal(CPU_SETSIZE)), "the steal of a CPU that is not there is not known");
	cmp_near(cpus_tick() * (double)sysconf(_SC_CLK_TCK), 1, 1e-12, "a clock tick");
	ok(cpus_steal(0) >= 0 && cpus_steal(-1) >= cpus_steal(0), "steal of one CPU and of all");
	struct timespec up;
	clock_gettime(CLOCK_BOOTTIME, &up);
	ok(cpus_steal(-1) <= (double)up.tv_sec * (double)sysconf(_SC_NPROCESSORS_CONF),
	   "no CPU has lost more than the time since the start: %g s", cpus_steal(-1));
}

/* Each line in bytes of d begins with this. */
static void is_touched(const struct data *d, size_t bytes, unsigned char value)
{
	size_t touched = 0;

	for (size_t i = 0; i < bytes; i += LINE)
		touched += d->at[i] == value;
	ok(bytes && touched == bytes / LINE, "each line of %zu bytes is written", bytes);
}

#if defined(__x86_64__)
static volatile sig_atomic_t trapped;

static void note_trap(int signal)
{
	trapped += signal == SIGTRAP;
}

/* A breakpoint in the twentieth line from the end is met by what runs twenty lines. */
static void test_code(void)
{
	static const unsigned char trap_and_jump[] = { 0xcc, 0xeb, LINE - 3 };
	struct error e;

	if (!caches_run_code()) {
		skip("the system permits to make no code", 2);
		return;
	}
	signal(SIGTRAP, note_trap);
	mprotect(code, CACHES_CODE, PROT_READ | PROT_WRITE);
	memcpy(code + CACHES_CODE - 20 * LINE, trap_and_jump, sizeof(trap_and_jump));
	mprotect(code, CACHES_CODE, PROT_READ | PROT_EXEC);
	ok(!caches_touch(19 * LINE, &e) && trapped == 0, "19 lines of code are run");
	ok(!caches_touch(20 * LINE, &e) && !caches_touch(1 << 20, &e) && trapped == 2,
	   "and as many as were asked for");
}
#else
static void test_code(void)
{
	skip("the code of this architecture has no breakpoint here", 2);
}
#endif

static void test_caches(void)
{
	struct error e;

	unsetenv(CACHES_VARIABLE);
	ok(!caches_touch(CACHES_ALL, &e) && !caches_touch(CACHES_ALL, &e), "caches are emptied");
	is_touched(&everything, everything.bytes, 2);
	ok(everything.bytes >= 8 << 20, "%zu MB are enough to empty them", everything.bytes >> 20);
	setenv(CACHES_VARIABLE, "300m", 1);
	ok(size_of_all() == 600 << 20, "what was measured counts, however much it is");
	setenv(CACHES_VARIABLE, "much", 1);
	ok(size_of_all() <= CACHES_DATA, "nonsense does not");
	unsetenv(CACHES_VARIABLE);
	ok(!caches_touch(100 * LINE, &e) && !caches_touch(20 * LINE, &e), "some lines are touched");
	is_touched(&footprint, 20 * LINE, 2);
	ok(footprint.at[99 * LINE] == 1, "and no more than was asked for");
	ok(!caches_touch(200 * LINE, &e), "more lines");
	is_touched(&footprint, 200 * LINE, 1);
	ok(!caches_touch(0, &e), "none");
	is_touched(&footprint, 200 * LINE, 1);
	test_code();
}

static void test_steal(void)
{
	char name[] = "/tmp/osvec-test-XXXXXX";
	FILE *f = fdopen(mkstemp(name), "w");

	fputs("cpu  1 2 3 4 5 6 7 300 9 10\ncpu0 1 2 3 4 5 6 7 100 9 10\n"
	      "cpu1 1 2 3 4 5 6 7 200 9 10\ncpu2 1 2 3\nintr 5\n",
	      f);
	fclose(f);
	stat_file = name;
	cmp_near(cpus_steal(0), 100 * cpus_tick(), 1e-12, "the eighth number is the steal");
	cmp_near(cpus_steal(1), 200 * cpus_tick(), 1e-12, "of each CPU");
	cmp_near(cpus_steal(-1), 300 * cpus_tick(), 1e-12, "and of all");
	ok(isnan(cpus_steal(2)), "old kernels have no such number");
	cmp_near(cpus_idle(1), (4 + 5 + 6 + 7 + 200) * cpus_tick(), 1e-12, "what is no task's");
	cmp_near(cpus_busy(1), (1 + 2 + 3) * cpus_tick(), 1e-12, "what is");
	ok(isnan(cpus_idle(2)), "as far as it is counted");
	unlink(name);
	ok(isnan(cpus_steal(0)), "without the file it is not known");
	stat_file = "/proc/stat";
}

/* A machine in files: CPU 0 and 1 are a core, 2 another one beside the same cache, 3 one of the
 * same package beside another cache, 4 one of another package; nothing is known of the caches of 5.
 */
static void test_relation(void)
{
	static const struct {
		const char *siblings, *cache, *package;
	} fake[] = {
		{ "0-1", "0-2", "0" }, { "0-1", "0-2", "0" }, { "2", "0-2", "0" },
		{ "3", "3", "0" },     { "4", "4", "1" },     { "5", "", "1" },
	};
	static char made[] = "/tmp/osvec-test-XXXXXX";
	char command[1024];

	root = mkdtemp(made);
	for (int i = 0; i < 6; i++) {
		snprintf(
		    command, sizeof(command),
		    "d=%s/cpu%d; mkdir -p $d/topology $d/cache/index0 && "
		    "echo %s >$d/topology/thread_siblings_list && "
		    "echo %s >$d/topology/physical_package_id && [ -z '%s' ] || "
		    "{ echo 1 >$d/cache/index0/level; echo %d >$d/cache/index0/shared_cpu_list; "
		    "mkdir $d/cache/index1; echo 3 >$d/cache/index1/level; "
		    "echo %s >$d/cache/index1/shared_cpu_list; }",
		    made, i, fake[i].siblings, fake[i].package, fake[i].cache ? fake[i].cache : "",
		    i, fake[i].cache);
		if (system(command))
			exit(1);
	}
	cmp_int(cpus_relation(2, 2), CPUS_SAME, "a CPU and itself");
	cmp_int(cpus_relation(0, 1), CPUS_SIBLINGS, "threads of a core");
	cmp_int(cpus_relation(0, 2), CPUS_NEAR, "cores beside one cache");
	cmp_int(cpus_relation(0, 3), CPUS_FAR, "cores of one package beside two caches");
	cmp_int(cpus_relation(0, 4), CPUS_PACKAGES, "packages");
	cmp_int(cpus_relation(5, 4), CPUS_NEAR, "one package, caches unknown");
	snprintf(command, sizeof(command), "rm -r %s", made);
	ok(!system(command), "done");
	root = "/sys/devices/system/cpu";
}

/* A bit for each CPU that was visited, and the number of visits. */
struct visits {
	cpu_set_t seen;
	size_t n;
};

static void visit(void *arg)
{
	struct visits *v = arg;

	CPU_SET(sched_getcpu(), &v->seen);
	v->n++;
}

static void test_visit(void)
{
	int before[CPU_SETSIZE], after[CPU_SETSIZE];
	size_t n = cpus_allowed(before), most = n < 16 ? n : 16;
	struct visits v = { .n = 0 };

	CPU_ZERO(&v.seen);
	cpus_visit(visit, &v);
	ok(v.n == most && (size_t)CPU_COUNT(&v.seen) == most, "each of %zu CPUs once", most);
	ok(cpus_allowed(after) == n && !memcmp(before, after, n * sizeof(*before)),
	   "and all may be used again");
}

int main(void)
{
	test_environment();
	test_visit();
	test_cpus();
	test_caches();
	test_steal();
	test_relation();
	return done_testing();
}
