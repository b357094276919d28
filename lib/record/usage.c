/* SPDX-License-Identifier: MIT */
#include "record/usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/program.h"
#include "util/file.h"

/* The CPU clocks of another process, as in the kernel's <linux/posix-timers.h>. */
enum cpu_clock {
	CLOCK_TICKS = 0, /* user and system ticks */
	CLOCK_USER_TICKS = 1,
	CLOCK_SCHEDULER = 2, /* exact */
};

static int read_clock(pid_t pid, enum cpu_clock which, double *seconds)
{
	clockid_t id = (clockid_t)(~(unsigned)pid << 3 | which);
	struct timespec t;

	if (clock_gettime(id, &t))
		return -1;
	*seconds = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
	return 0;
}

static int read_times(pid_t pid, struct usage *u)
{
	return read_clock(pid, CLOCK_SCHEDULER, &u->cpu) | read_clock(pid, CLOCK_TICKS, &u->ticks) |
	       read_clock(pid, CLOCK_USER_TICKS, &u->user_ticks);
}

/* minflt and majflt of /proc/PID/stat: fields 10 and 12, the third being the first after ')'. */
static int read_faults(pid_t pid, struct usage *u)
{
	enum { COMMAND = 2, MINFLT = 10, MAJFLT = 12 };
	char path[64], line[1024];
	int64_t *const wanted[] = { [MINFLT] = &u->minor_faults, [MAJFLT] = &u->major_faults };

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file_first_line(path, line, sizeof(line));
	const char *p = strrchr(line, ')'); /* the name may hold anything */
	/* By hand, since the recorder reads this at each exec and exit: scanf takes longer than the
	 * kernel. */
	for (int field = COMMAND + 1; p && (p = strchr(p, ' ')) && field <= MAJFLT; field++) {
		p++;
		if (wanted[field])
			*wanted[field] = strtoll(p, NULL, 10);
	}
	return p ? 0 : -1;
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
}

struct usage usage_since(const struct usage *now, const struct usage *then)
{
	const double rounding = 0.5e-9;
	struct usage u = *now;
	double *const seconds[] = { &u.cpu, &u.ticks, &u.user_ticks };
	int64_t *const counts[] = { &u.voluntary, &u.involuntary, &u.minor_faults,
				    &u.major_faults };

	usage_add(&u, then, -1);
	for (int i = 0; i < 3; i++)
		*seconds[i] = *seconds[i] > rounding ? *seconds[i] : 0;
	for (int i = 0; i < 4; i++)
		*counts[i] = *counts[i] > 0 ? *counts[i] : 0;
	return u;
}
