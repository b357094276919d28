/* SPDX-License-Identifier: MIT */
#include "measure/watchdog.h"

#include <err.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static volatile sig_atomic_t hungry; /* alarms since the last batch ended */

/*
 * However long the process was stopped (SIGSTOP), it gets one alarm for that.  errx and exit are
 * used in a signal handler: the process waits in a system call or loop of a benchmark's run(),
 * which holds no lock of the C library.
 */
static void on_alarm(int number)
{
	(void)number;
	if (++hungry > 2)
		errx(1, "a batch does not end: a message was lost, or the peer was killed");
}

void watchdog_start(double seconds)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct timeval t = { .tv_sec = (time_t)seconds,
			     .tv_usec = (suseconds_t)(fmod(seconds, 1) * 1e6) };
	struct itimerval every = { t, t };

	hungry = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

void watchdog_feed(void)
{
	hungry = 0;
}
