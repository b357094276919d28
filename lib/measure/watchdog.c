/* SPDX-License-Identifier: MIT */
#include "measure/watchdog.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

static volatile sig_atomic_t alarms; /* since the last batch ended */
static struct itimerval every;	     /* zero: not started */

static void say(const char *message)
{
	char *name = program_invocation_short_name, colon[] = ": ";
	const struct iovec parts[] = {
		{ name, strlen(name) },
		{ colon, strlen(colon) },
		{ (char *)(uintptr_t)message, strlen(message) },
	};

	if (writev(STDERR_FILENO, parts, sizeof(parts) / sizeof(*parts)) < 0)
		return; /* and there is nobody to tell */
}

/*
 * However long the process was stopped (SIGSTOP), it gets one alarm for that.  exit() removes the
 * files of the benchmark.  The process usually waits in a system call or loop of run(), which holds
 * no lock of the C library; where it does hold one, the way out ends at the next alarm.
 */
static void on_alarm(int number)
{
	(void)number;
	if (++alarms < 3)
		return;
	if (alarms > 3)
		_exit(1);
	say("a batch does not end: a message was lost, or the peer was killed\n");
	exit(1);
}

void watchdog_start(double seconds)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART | SA_NODEFER };
	struct timeval t = { .tv_sec = (time_t)seconds,
			     .tv_usec = (suseconds_t)(fmod(seconds, 1) * 1e6) };

	every = (struct itimerval){ t, t };
	sigaction(SIGALRM, &action, NULL);
	watchdog_reset();
}

void watchdog_reset(void)
{
	alarms = 0;
	/* An alarm would interrupt a sleep, which SA_RESTART does not restart. */
	if (timerisset(&every.it_value))
		setitimer(ITIMER_REAL, &every, NULL);
}
