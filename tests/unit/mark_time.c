/* SPDX-License-Identifier: MIT */
/* The times of marks where the clock is set back. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mark/mark_file.h"

#include "../tap.h"

static long set_back; /* s */

/* Replaces that of the C library. */
int clock_gettime(clockid_t clock, struct timespec *t)
{
	int status = (int)syscall(SYS_clock_gettime, clock, t);

	t->tv_sec -= set_back;
	return status;
}

int main(void)
{
	uint64_t before = osvec_mark_time();

	set_back = 1;
	usleep(5000); /* until the clock is read again */
	ok(osvec_mark_time() >= before, "times of marks never go back");
	set_back = 0;
	usleep(5000);
	ok(osvec_mark_time() > before, "and go on with the clock");
	uint64_t at = osvec_mark_time();
	set_back = -1;
	usleep(5000);
	ok(osvec_mark_time() - at > 900000000, "the clock is read again and again");
	return done_testing();
}
