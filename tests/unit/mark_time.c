/* SPDX-License-Identifier: MIT */
/* The times of marks, where the clock is set back, and how they are related to those of a trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

static int synced;

off_t lseek(int fd, off_t at, int whence)
{
	synced += fd == -1 && at > 0 && whence == MARK_SYNC;
	errno = EBADF;
	return -1;
}

int main(void)
{
	char directory[] = "/tmp/osvec-mark-time-XXXXXX", command[64];

	if (!mkdtemp(directory) || setenv("OSVEC_MARKS", directory, 1))
		return 1;
	errno = 0;
	osvec_mark_time();
	ok(synced == 1 && !errno, "the first time comes after the call that a trace shows");
	osvec_mark_at(osvec_mark_time(), OSVEC_STATE, "held", 0, 0);
	cmp_int(synced, 1, "which is not made again for the first mark");
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
	snprintf(command, sizeof(command), "rm -r '%s'", directory);
	cmp_int(system(command), 0, "the marks are in a file");
	return done_testing();
}
