/* SPDX-License-Identifier: MIT */
/* Tests of lib/machine: the list of facts, lists of CPUs, and steal. */
#include "../tap.h"

#include <glob.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "machine/cpus.h"
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

int main(void)
{
	test_environment();
	test_cpus();
	return done_testing();
}
