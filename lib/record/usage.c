/* SPDX-License-Identifier: MIT */
#include "record/usage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/program.h"
#include "util/cpu_clock.h"

static int read_clock(pid_t pid, enum cpu_clock which, double *seconds)
{
	struct timespec t;

	if (clock_gettime(cpu_clock_of(pid, which), &t))
		return -1;
	*seconds = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
	return 0;
}

static int read_times(pid_t pid, struct usage *u)
{
	return read_clock(pid, CLOCK_SCHEDULER, &u->cpu) | read_clock(pid, CLOCK_TICKS, &u->ticks) |
	       read_clock(pid, CLOCK_USER_TICKS, &u->user_ticks);
}

static int read_faults(pid_t pid, struct usage *u)
{
	static const int fields[] = { 10, 12 }; /* minflt and majflt */
	int64_t values[2];

	if (program_stat(pid, fields, values, 2) < 2)
		return -1;
	u->minor_faults = values[0];
	u->major_faults = values[1];
	return 0;
}

void usage_add_switches(struct usage *u, pid_t tid)
{
	static const char *const fields[] = { "voluntary_ctxt_switches",
					      "nonvoluntary_ctxt_switches" };
	uint64_t values[2] = { 0, 0 };

	program_status(tid, fields, 10, values, 2);
	u->voluntary += (int64_t)values[0];
	u->involuntary += (int64_t)values[1];
}

static void sum_switches(pid_t pid, struct usage *u)
{
	pid_t *tids;
	int n = program_threads(pid, &tids);

	for (int i = 0; i < n; i++)
		usage_add_switches(u, tids[i]);
	free(tids);
}

int usage_read_without_switches(pid_t pid, struct usage *u)
{
	*u = (struct usage){ 0 };
	return read_times(pid, u) || read_faults(pid, u) ? -1 : 0;
}

int usage_read(pid_t pid, struct usage *u)
{
	if (usage_read_without_switches(pid, u))
		return -1;
	sum_switches(pid, u);
	return 0;
}

bool usage_of_dead(void)
{
	siginfo_t info;
	struct usage u;
	pid_t pid = fork();

	if (pid < 0)
		return false;
	if (pid == 0)
		_exit(0);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	bool known = !usage_read(pid, &u);
	waitpid(pid, NULL, 0);
	return known;
}

void usage_add(struct usage *a, const struct usage *b, int factor)
{
	a->cpu += factor * b->cpu;
	a->ticks += factor * b->ticks;
	a->user_ticks += factor * b->user_ticks;
	a->voluntary += factor * b->voluntary;
	a->involuntary += factor * b->involuntary;
	a->minor_faults += factor * b->minor_faults;
	a->major_faults += factor * b->major_faults;
	a->wakeups += factor * b->wakeups;
}

double usage_user_share(const struct usage *u, double otherwise)
{
	return u->ticks > 0 ? fmin(u->user_ticks / u->ticks, 1) : otherwise;
}

struct usage usage_since(const struct usage *now, const struct usage *then)
{
	const double rounding = 0.5e-9;
	struct usage u = *now;
	double *const seconds[] = { &u.cpu, &u.ticks, &u.user_ticks };
	int64_t *const counts[] = { &u.voluntary, &u.involuntary, &u.minor_faults, &u.major_faults,
				    &u.wakeups };

	usage_add(&u, then, -1);
	for (int i = 0; i < 3; i++)
		*seconds[i] = *seconds[i] > rounding ? *seconds[i] : 0;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		*counts[i] = *counts[i] > 0 ? *counts[i] : 0;
	return u;
}
