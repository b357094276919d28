/* SPDX-License-Identifier: MIT */
#include "descriptors.h"

#include <err.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/xalloc.h"

enum { SPARE = 32 }; /* descriptors that the rest of the program may need */

const char *descriptors_reason(uint64_t n)
{
	struct rlimit files;
	int fd = eventfd(0, 0);

	if (fd < 0)
		return "this kernel has no eventfd";
	close(fd);
	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur >= n + SPARE)
		return NULL;
	if (files.rlim_max < n + SPARE)
		return "the limit of open files (ulimit -Hn) is too low";
	files.rlim_cur = n + SPARE;
	return setrlimit(RLIMIT_NOFILE, &files) ? "the limit of open files cannot be raised" : NULL;
}

int *descriptors_new(size_t n)
{
	int *fds = xcalloc(n, sizeof(*fds));

	for (size_t i = 0; i < n; i++) {
		fds[i] = eventfd(i == n - 1, 0);
		if (fds[i] < 0)
			err(1, "eventfd");
	}
	return fds;
}
