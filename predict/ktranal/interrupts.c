/* SPDX-License-Identifier: MIT */
#include "interrupts.h"

#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "record/child.h"

enum { TICKS_PER_SECOND = 4 };

static volatile sig_atomic_t from_process, from_terminal, ticks, asked;

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	asked = true;
	if (info->si_code == SI_KERNEL)
		from_terminal = number;
	else
		from_process = number;
}

static void on_tick(int number)
{
	(void)number;
	ticks++;
}

void interrupts_catch(void)
{
	static const int requests[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	/* A full disk and a closed pipe are errors of write(2); the terminal's job control is the command's. */
	static const int ignored[] = { SIGXFSZ, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU };
	const struct timeval period = { .tv_usec = 1000000 / TICKS_PER_SECOND };
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO }, old;

	child_keep_signals(); /* what we ignore, the next run of the command shall not */
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
		sigaction(requests[i], &action, &old);
		if (requests[i] == SIGHUP && old.sa_handler == SIG_IGN)
			signal(SIGHUP, SIG_IGN); /* nohup */
	}
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	/* We wait for every stop of a tracee anyway, and must hear of deaths that our parent ignores. */
	action = (struct sigaction){ .sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP };
	sigaction(SIGCHLD, &action, NULL);
	action = (struct sigaction){ .sa_handler = on_tick };
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){ period, period }, NULL);
}

int interrupts_take(bool command)
{
	int number = from_process;

	from_process = 0;
	if (!command && !number) {
		number = from_terminal;
		from_terminal = 0;
	}
	return number;
}

bool interrupts_asked(void)
{
	return asked;
}

bool interrupts_tick(void)
{
	if (ticks < TICKS_PER_SECOND)
		return false;
	ticks = 0;
	return true;
}

void interrupts_pause(pid_t command)
{
	siginfo_t info = { 0 };
	sigset_t stop;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	/*
	 * A SIGCONT to our group would by now have discarded the signal just raised; one that came
	 * before has woken the command, which then has something to report.
	 */
	if (!waitid(P_PID, (id_t)command, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) &&
	    !info.si_pid)
		sigprocmask(SIG_UNBLOCK, &stop, NULL); /* we stop here */
	signal(SIGTSTP, SIG_IGN);
	sigprocmask(SIG_UNBLOCK, &stop, NULL);
}

int interrupts_end_like(int status)
{
	const struct rlimit no_core = { 0, 0 };
	sigset_t set;

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	setrlimit(RLIMIT_CORE, &no_core);
	signal(WTERMSIG(status), SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}
