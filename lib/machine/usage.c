/* SPDX-License-Identifier: MIT */
#include "machine/usage.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
	return read_clock(pid, CLOCK_SCHEDULER, &u->cpu) ||
		       read_clock(pid, CLOCK_TICKS, &u->ticks) ||
		       read_clock(pid, CLOCK_USER_TICKS, &u->user_ticks)
		   ? -1
		   : 0;
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
	/* By hand, since the recorder reads this at each exec and exit: scanf takes longer than the kernel. */
	for (int field = COMMAND + 1; p && (p = strchr(p, ' ')) && field <= MAJFLT; field++) {
		p++;
		if (wanted[field])
			*wanted[field] = strtoll(p, NULL, 10);
	}
	return p ? 0 : -1;
}

int usage_switches(pid_t pid, pid_t tid, int64_t *voluntary, int64_t *involuntary)
{
	char path[64], line[256];
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	FILE *f = fopen(path, "re");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		found += sscanf(line, "voluntary_ctxt_switches: %" SCNd64, voluntary) == 1;
		found += sscanf(line, "nonvoluntary_ctxt_switches: %" SCNd64, involuntary) == 1;
	}
	fclose(f);
	return found == 2 ? 0 : -1;
}

static int sum_switches(pid_t pid, struct usage *u)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *dir = opendir(path);
	if (!dir)
		return -1;
	for (struct dirent *d; (d = readdir(dir));) {
		int64_t voluntary, involuntary;
		pid_t tid = (pid_t)strtol(d->d_name, NULL, 10);

		if (tid > 0 && !usage_switches(pid, tid, &voluntary, &involuntary)) {
			u->voluntary += voluntary;
			u->involuntary += involuntary;
		}
	}
	closedir(dir);
	return 0;
}

static int unreadable(pid_t pid, struct error *e)
{
	return error_set(e, "process %d: /proc/%d cannot be read", pid, pid);
}

int usage_read_without_switches(pid_t pid, struct usage *u, struct error *e)
{
	*u = (struct usage){ 0 };
	if (read_times(pid, u))
		return error_set(e, "process %d: its CPU clocks cannot be read: %s", pid,
				 strerror(errno));
	return read_faults(pid, u) ? unreadable(pid, e) : 0;
}

int usage_read(pid_t pid, struct usage *u, struct error *e)
{
	if (usage_read_without_switches(pid, u, e))
		return -1;
	return sum_switches(pid, u) ? unreadable(pid, e) : 0;
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
	bool known = !usage_read(pid, &u, NULL);
	waitpid(pid, NULL, 0);
	return known;
}

void usage_add(struct usage *a, const struct usage *b)
{
	a->cpu += b->cpu;
	a->ticks += b->ticks;
	a->user_ticks += b->user_ticks;
	a->voluntary += b->voluntary;
	a->involuntary += b->involuntary;
	a->minor_faults += b->minor_faults;
	a->major_faults += b->major_faults;
}

void usage_subtract(struct usage *a, const struct usage *b)
{
	a->cpu -= b->cpu;
	a->ticks -= b->ticks;
	a->user_ticks -= b->user_ticks;
	a->voluntary -= b->voluntary;
	a->involuntary -= b->involuntary;
	a->minor_faults -= b->minor_faults;
	a->major_faults -= b->major_faults;
}
