/* SPDX-License-Identifier: MIT */
/*
 * A machine under load gives no wrong value without a flag: benchmarks of each way in which parties
 * work together, beside processes that always want their CPUs.  tests/unit/account.c has operations
 * of 1 us to 100 ms.
 */
#include "../tap.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "util/file.h"
#include "util/xalloc.h"

static const char *const lines[] = {
	/* one party */
	"lat_syscall getppid",
	"lat_pagefault anon",
	"lat_sig handle",
	"bw_mem_rd 1m",
	"cpu_int",
	"lat_fs create 0",
	/* which sleeps, so that the spinner always has the CPU: long enough for clock ticks */
	"lat_sleep -B 50 1",
	"lat_timerfd -B 50 expire",
	/* children that are reaped, and threads */
	"lat_proc null",
	"lat_proc simple",
	"lat_fork 1m",
	"lat_thread",
	/* two parties on one CPU */
	"lat_ctx shared 0 2",
	"lat_roundtrip pipe 1",
	"lat_futex pingpong",
	/* on two */
	"lat_roundtrip -P apart pipe 1",
	"lat_ctx -P apart shared 0 2",
	/* a peer that works between the batches */
	"lat_recv pipe 1",
	"lat_send tcp 4k",
	"lat_epoll wait 10",
	/* single operations */
	"lat_syscall -1 getppid",
	"lat_path -F 64k stat 4",
	"lat_proc -F 64k null",
};

enum { CPUS = 2 };

static pid_t spin_on(int cpu)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpus_pin(cpu, NULL))
		_exit(1);
	for (volatile bool wanted = true; wanted;)
		;
	_exit(0);
}

/* Keeps this process to the first CPUs that it may use, and starts a spinner on each. */
static size_t load_cpus(pid_t spinners[CPUS])
{
	int allowed[CPU_SETSIZE];
	size_t n = cpus_allowed(allowed);
	cpu_set_t few;

	n = n < CPUS ? n : CPUS;
	CPU_ZERO(&few);
	for (size_t i = 0; i < n; i++)
		CPU_SET(allowed[i], &few);
	fflush(NULL);
	for (size_t i = 0; i < n; i++)
		spinners[i] = spin_on(allowed[i]);
	sched_setaffinity(0, sizeof(few), &few);
	return n;
}

/* Runs a benchmark, and returns its exit status. */
static int measure(const char *directory, const char *line, char *out, size_t size)
{
	char *command = xasprintf("'%s'/%s -J -D /tmp 2>&1", directory, line);
	FILE *f = popen(command, "r");
	size_t n = f ? fread(out, 1, size - 1, f) : 0;
	int status = f ? pclose(f) : -1;

	out[n] = '\0';
	free(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static double seconds(const char *out)
{
	const char *member = strstr(out, "\"seconds\": ");

	return member ? strtod(member + strlen("\"seconds\": "), NULL) : NAN;
}

/* A value without a flag is one that the load has not changed. */
static void is_honest(const char *directory, const char *line, double alone)
{
	char out[1 << 16];
	int status = measure(directory, line, out, sizeof(out));
	bool flagged = strstr(out, "\"DISTURBED\"");

	if (status == 3)
		skip(line, 1);
	else if (status == 1 && strstr(out, "nothing to report"))
		ok(true, "%s: no value", line);
	else if (!ok(status == 0 && (flagged || seconds(out) < 1.5 * alone),
		     "%s: flagged, or %.3g of %.3g us", line, 1e6 * seconds(out), 1e6 * alone))
		diag(out);
}

int main(void)
{
	const char *build = getenv("O");
	char *directory = xasprintf("%s/bench", build ? build : "build"), text[64];
	double alone[sizeof(lines) / sizeof(*lines)];
	static char out[1 << 16];
	pid_t spinners[CPUS];

	if (!file_first_line("/proc/self/schedstat", text, sizeof(text))) {
		skip("this kernel does not report waiting", 1);
		return done_testing();
	}
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		alone[i] = measure(directory, lines[i], out, sizeof(out)) ? NAN : seconds(out);
	size_t n = load_cpus(spinners);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		is_honest(directory, lines[i], alone[i]);
	for (size_t i = 0; i < n; i++) {
		kill(spinners[i], SIGKILL);
		waitpid(spinners[i], NULL, 0);
	}
	free(directory);
	return done_testing();
}
