/* SPDX-License-Identifier: MIT */
/*
 * job.h - runs a command of sh(1) to its end, of which nothing stays behind, however that end comes.
 *
 * Between us and the command stands a guard, in a process group of its own: when we are killed,
 * also by SIGKILL and together with our whole group, the kernel tells it, and it ends all that
 * the command has started.  Orphans become its children, so that it also finds daemons.
 */
#ifndef JOB_H
#define JOB_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What it took. */
struct job {
	int status;	    /* of wait(2) */
	double seconds;	    /* of wall time */
	struct rusage used; /* by it and all that it waited for */
};

enum { JOB_GRACE = 2 }; /* seconds to tidy up when it is asked to end */

static double job_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* From here on all runs on the last CPU that we may use. */
static void job_use_one_cpu(void)
{
	cpu_set_t all, one;
	int cpu = CPU_SETSIZE - 1;

	if (sched_getaffinity(0, sizeof(all), &all))
		err(1, "sched_getaffinity");
	while (cpu > 0 && !CPU_ISSET(cpu, &all))
		cpu--;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		err(1, "sched_setaffinity");
}

static _Noreturn void job_become(const char *command, int output, const sigset_t *mask)
{
	int input = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	if (input < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0)
		err(1, "/dev/null");
	sigprocmask(SIG_SETMASK, mask, NULL);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	err(1, "/bin/sh");
}

/* Kills every child that we have now, orphans that came to us included. */
static void job_kill_children(void)
{
	char path[64];
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	FILE *f = fopen(path, "re");
	while (f && fscanf(f, "%d", &pid) == 1)
		kill(pid, SIGKILL);
	if (f)
		fclose(f);
}

/* Ends what is left of the command after a while; orphans have become our children. */
static void job_sweep(pid_t group, double grace)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	double begin = job_now();
	pid_t got;

	for (;;) {
		if (job_now() - begin >= grace) {
			kill(-group, SIGKILL);
			job_kill_children();
		}
		while ((got = waitpid(-1, NULL, WNOHANG | __WALL)) > 0)
			;
		if (got < 0)
			break;
		nanosleep(&pause, NULL);
	}
}

/* Waits for the end of pid, or for a signal that asks us to end.  True when it ended itself. */
static bool job_watch(pid_t pid, const sigset_t *signals, struct job *j)
{
	while (wait4(pid, &j->status, WNOHANG, &j->used) == 0) {
		int number = sigwaitinfo(signals, NULL);

		if (number > 0 && number != SIGCHLD)
			return false;
	}
	return true;
}

static _Noreturn void job_guard(const char *command, int output, int report, pid_t parent,
				const sigset_t *mask)
{
	struct job j;
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	setpgid(0, 0);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) || prctl(PR_SET_CHILD_SUBREAPER, 1))
		err(1, "prctl");
	if (getppid() != parent)
		_exit(1);
	double begin = job_now();
	pid_t pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0)
		job_become(command, output, mask);
	setpgid(pid, pid);
	bool ended = job_watch(pid, &signals, &j);
	j.seconds = job_now() - begin;
	if (!ended)
		kill(-pid, SIGTERM);
	job_sweep(pid, ended ? 0 : JOB_GRACE);
	_exit(ended && write(report, &j, sizeof(j)) == sizeof(j) ? 0 : 1);
}

static volatile sig_atomic_t job_guards, job_asked; /* the guard at work; the signal that we got */

static void job_interrupt(int number)
{
	job_asked = number;
	if (job_guards > 0)
		kill((pid_t)job_guards, SIGTERM);
}

static const int job_signals[] = { SIGINT, SIGTERM, SIGHUP };

enum { JOB_SIGNALS = sizeof(job_signals) / sizeof(*job_signals) };

/* To be called once: signals end us through the job, and so does the end of our parent. */
static void job_prepare(void)
{
	struct sigaction action = { .sa_handler = job_interrupt };

	for (size_t i = 0; i < JOB_SIGNALS; i++)
		sigaction(job_signals[i], &action, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM))
		err(1, "prctl");
}

/* Runs the command with its stdout at output and no input.  A signal that we get ends both. */
static void job_run(const char *command, int output, struct job *j)
{
	pid_t self = getpid();
	sigset_t signals, mask;
	int report[2];
	ssize_t got;

	sigemptyset(&signals);
	for (size_t i = 0; i < JOB_SIGNALS; i++)
		sigaddset(&signals, job_signals[i]);
	if (pipe2(report, O_CLOEXEC))
		err(1, "pipe");
	sigprocmask(SIG_BLOCK, &signals, &mask);
	pid_t guard = fork();
	if (guard < 0)
		err(1, "fork");
	if (guard == 0) {
		close(report[0]);
		job_guard(command, output, report[1], self, &mask);
	}
	job_guards = guard;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(report[1]);
	while ((got = read(report[0], j, sizeof(*j))) < 0 && errno == EINTR)
		;
	close(report[0]);
	while (waitpid(guard, NULL, 0) < 0 && errno == EINTR)
		;
	job_guards = 0;
	if (job_asked) {
		signal(job_asked, SIG_DFL);
		raise(job_asked);
	}
	if (got != sizeof(*j))
		errx(1, "'%s' was killed", command);
}

#endif
