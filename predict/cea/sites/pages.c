/* SPDX-License-Identifier: MIT */
/*
 * Pages are protected by an asynchronous userfaultfd (Linux 6.7), with which nothing in the program
 * ever waits or fails: the kernel itself lifts the protection when a page is written, by the
 * program or in a system call.  With mprotect(2), system calls would fail that are given protected
 * memory; with a userfaultfd whose faults a thread handles, so would futexes and the end of
 * threads, where the kernel does not wait for a handler.
 */
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* About how many pages are protected at a time; of how many it is asked at once whether they are in
 * memory; UFFD_FEATURE_WP_ASYNC; the first descriptor to use. */
enum { MOST = 4096, WINDOW = 4096, ASYNC = 1 << 15, HIGH = 500 };

static int64_t period;	      /* ns; 0: pages are not sampled */
static _Atomic pid_t watched; /* the process that has such a thread; a child has none */

/* Of that thread. */
static struct {
	pid_t opened; /* the process whose descriptors these are */
	int fault, maps, stat;
	uint64_t page;	/* size, bytes */
	uint64_t pages; /* in memory at the last time */
	unsigned skip;	/* one page of 2^skip is protected */
	char text[4096];
	unsigned char resident[WINDOW];
} watch;

/* Always the same pages, so that it is seen how these move. */
static bool is_chosen(uint64_t address)
{
	return !watch.skip || address / watch.page * 0x9e3779b97f4a7c15u >> (64 - watch.skip) == 0;
}

static void protect(uint64_t from, uint64_t until)
{
	struct uffdio_writeprotect w = { { from, until - from }, UFFDIO_WRITEPROTECT_MODE_WP };

	if (until > from)
		ioctl(watch.fault, UFFDIO_WRITEPROTECT, &w);
}

/* Only pages that are in memory: protecting others would make page tables for all of them. */
static void protect_mapping(uint64_t from, uint64_t until)
{
	struct uffdio_register r = { .range = { from, until - from },
				     .mode = UFFDIO_REGISTER_MODE_WP };

	if (ioctl(watch.fault, UFFDIO_REGISTER, &r))
		return;
	for (uint64_t size; from < until; from += size) {
		uint64_t start = from;

		size = until - from < WINDOW * watch.page ? until - from : WINDOW * watch.page;
		if (mincore((void *)(uintptr_t)from, size, watch.resident))
			return;
		for (uint64_t p = from; p < from + size; p += watch.page) {
			bool resident = watch.resident[(p - from) / watch.page] & 1;

			watch.pages += resident;
			if (resident && is_chosen(p))
				continue;
			protect(start, p);
			start = p + watch.page;
		}
		protect(start, from + size);
	}
}

/* Without stdio and an allocator, which take locks of the program. */
static void protect_all(void)
{
	size_t used = 0;
	ssize_t n;

	watch.pages = 0;
	if (lseek(watch.maps, 0, SEEK_SET))
		return;
	while ((n = read(watch.maps, watch.text + used, sizeof(watch.text) - 1 - used)) > 0) {
		char *line = watch.text, *end;

		used += (size_t)n;
		watch.text[used] = '\0';
		for (; (end = strchr(line, '\n')); line = end + 1) {
			uint64_t from = strtoull(line, &line, 16);
			uint64_t until = strtoull(line + 1, &line, 16);
			bool own = from <= (uintptr_t)&watch && (uintptr_t)&watch < until;

			if (!own && !strncmp(line, " rw", 3) && line[4] == 'p')
				protect_mapping(from, until);
		}
		used -= (size_t)(line - watch.text);
		memmove(watch.text, line, used);
	}
	for (watch.skip = 0; watch.pages >> watch.skip > MOST;)
		watch.skip++;
}

/* Whether there is a thread besides this one and another one, which may be the first thread: that
 * is counted even when it has ended. */
static bool has_threads(void)
{
	ssize_t n = pread(watch.stat, watch.text, sizeof(watch.text) - 1, 0);

	watch.text[n > 0 ? n : 0] = '\0';
	const char *at = strrchr(watch.text, ')');
	for (int i = 0; at && i < 18; i++)
		at = strchr(at + 1, ' ');
	return at && strtol(at, NULL, 10) > 2;
}

static void *run(void *arg)
{
	const struct timespec pause = { period / 1000000000, period % 1000000000 };

	prctl(PR_SET_NAME, "osvec-pages");
	while (has_threads()) {
		protect_all();
		nanosleep(&pause, NULL);
	}
	atomic_store(&watched, 0);
	return arg;
}

/* ---- beginning ---- */

__attribute__((constructor)) static void read_period(void)
{
	const char *text = secure_getenv("OSVEC_PAGES");
	char *end;

	if (!text || !*text)
		return;
	double number = strtod(text, &end);
	number *= !strcmp(end, "us") ? 1e3 : !strcmp(end, "ms") ? 1e6 : !strcmp(end, "s") ? 1e9 : 0;
	if (number >= 1e5 && number <= 1e12)
		period = (int64_t)number;
	else
		fprintf(stderr, "OSVEC_PAGES=%s is not a time from 100us to 1000s\n", text);
}

/* Moves a descriptor to where the program is unlikely to expect, or to close, one.  Returns -1 with
 * errno if there was none, or if its limit leaves no room there. */
static int out_of_the_way(int fd)
{
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HIGH);
	int error = fd >= 0 && high < 0 ? EMFILE : errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return high;
}

/* Returns NULL, or what failed, with errno.  The descriptors stay open: were they closed at the
 * end, the program could by then have a file of its own behind these numbers. */
static const char *open_all(void)
{
	struct uffdio_api api = { .api = UFFD_API, .features = ASYNC };

	if (watch.opened == getpid())
		return NULL;
	watch.page = (uint64_t)sysconf(_SC_PAGESIZE);
	watch.maps = out_of_the_way(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
	if (watch.maps < 0)
		return "/proc/self/maps at a descriptor from 500 on (ulimit -n)";
	watch.stat = out_of_the_way(open("/proc/self/stat", O_RDONLY | O_CLOEXEC));
	if (watch.stat < 0)
		return "/proc/self/stat at a descriptor from 500 on (ulimit -n)";
	watch.fault =
	    out_of_the_way((int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
	if (watch.fault < 0)
		return "a userfaultfd at a descriptor from 500 on (ulimit -n)";
	if (ioctl(watch.fault, UFFDIO_API, &api))
		return "an asynchronous userfaultfd, of Linux 6.7";
	watch.opened = getpid();
	return NULL;
}

void pages_begin(void)
{
	pid_t seen = atomic_load(&watched), pid = getpid();
	const char *failed;
	int error = errno;
	sigset_t all, old;
	pthread_t t;

	if (!period || seen == pid || !atomic_compare_exchange_strong(&watched, &seen, pid))
		return;
	if ((failed = open_all())) {
		fprintf(stderr, "OSVEC_PAGES: pages are not sampled: %s is needed: %s\n", failed,
			strerror(errno));
		period = 0;
	} else {
		/* The program's handlers run in its own threads. */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		if (pthread_create(&t, NULL, run, NULL))
			atomic_store(&watched, 0);
		else
			pthread_detach(t);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	errno = error;
}
