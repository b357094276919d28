/* SPDX-License-Identifier: MIT */
#include "signals.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/child.h"

enum { TICKS_PER_SECOND = 4 };

/* By which we are asked to stop watching. */
static const int requests[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
enum { REQUESTS = sizeof(requests) / sizeof(*requests) };

static volatile sig_atomic_t from_process, from_terminal, ticks, asked;
static int handled;

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

static void mask_requests(int how)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < REQUESTS; i++)
		sigaddset(&set, requests[i]);
	sigprocmask(how, &set, NULL);
}

void signals_hold(void)
{
	child_keep_signals(); /* it must not inherit this */
	mask_requests(SIG_BLOCK);
}

void signals_catch(void)
{
	/* A full disk and a closed pipe become errors of write(2); job control by the terminal
	 * concerns the command. */
	static const int ignored[] = { SIGXFSZ, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU };
	const struct timeval period = { .tv_usec = 1000000 / TICKS_PER_SECOND };
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO }, old;

	child_keep_signals(); /* the next run of the command must not ignore what we ignore */
	for (size_t i = 0; i < REQUESTS; i++) {
		sigaction(requests[i], &action, &old);
		if (requests[i] == SIGHUP && old.sa_handler == SIG_IGN)
			signal(SIGHUP, SIG_IGN); /* nohup */
	}
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	/* Stops of tracees are waited for anyway; deaths must be reported even if our parent
	 * ignores SIGCHLD. */
	action = (struct sigaction){ .sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP };
	sigaction(SIGCHLD, &action, NULL);
	action = (struct sigaction){ .sa_handler = on_tick };
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){ period, period }, NULL);
	mask_requests(SIG_UNBLOCK);
	/* The command may be younger than what the terminal has sent by now. */
	if (from_terminal) {
		from_process = from_terminal;
		from_terminal = 0;
	}
}

bool signals_end_watch(pid_t command, bool ended)
{
	int number = from_process, before = handled;

	from_process = 0;
	if (!command && !number) {
		number = from_terminal;
		from_terminal = 0;
	}
	if (!number)
		return false;
	handled = number;
	if (!command || ended || before)
		return true;
	kill(command, number);
	return false;
}

int signals_handled(void)
{
	return handled;
}

bool signals_asked(void)
{
	return asked;
}

bool signals_tick(void)
{
	if (ticks < TICKS_PER_SECOND)
		return false;
	ticks = 0;
	return true;
}

static bool in_foreground(void)
{
	int terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC);
	bool foreground = terminal >= 0 && tcgetpgrp(terminal) == getpgrp();

	if (terminal >= 0)
		close(terminal);
	return foreground;
}

void signals_pause(pid_t command, int number)
{
	siginfo_t info = { 0 };
	sigset_t stop;

	if (getpgid(command) != getpgrp() || (number == SIGSTOP && !in_foreground()))
		return;
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	/*
	 * A SIGCONT to our group since raise() has discarded the pending SIGTSTP; an earlier one
	 * has woken the command, which then has something to report.
	 */
	if (!waitid(P_PID, (id_t)command, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) &&
	    !info.si_pid)
		sigprocmask(SIG_UNBLOCK, &stop, NULL); /* we stop here */
	signal(SIGTSTP, SIG_IGN);
	sigprocmask(SIG_UNBLOCK, &stop, NULL);
}

int signals_end_like(int status)
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
