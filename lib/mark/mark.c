/* SPDX-License-Identifier: MIT */
#include "mark/osvec-mark.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mark/check.h"
#include "mark/mark_file.h"
#ifdef __x86_64__
#include <cpuid.h>
#include <x86intrin.h>
#endif

enum {
	SETS = 256, /* indexed by eight bits of a hash */
	WAYS = 4,   /* that fill a cache line */
	ENDING = 3, /* slots of a window for end_marks() */
};

struct known {
	const char *name; /* NULL: none */
	uint32_t number;
};

/* What is too large for the stack of a thread, from which glibc takes thread-local variables, too.
 */
struct room {
	char path[PATH_MAX];
	struct known known[SETS][WAYS]; /* by a hash of the address, the newest first */
};

/* The mark file of a thread.  It is open only while a window is mapped: the program may close any
 * descriptor, and then has a file of its own behind that number. */
struct writer {
	struct room *room;	    /* NULL: it has no file */
	struct mark_slot *at, *end; /* free slots of the mapped window */
	struct mark_slot *window;
	int64_t bytes; /* size of the file, including this window */
	uint64_t started;
	uint32_t tid;
	bool failed;
	struct {
		uint64_t time, ticks;	     /* at the last reading of the clock */
		uint64_t begun, begun_ticks; /* at the first reading */
		double period;		     /* ns per tick; 0: not known yet */
		uint64_t last;		     /* time of the last mark */
	} clock;
	uint32_t names;
};

static __thread struct writer writer;
static char directory[PATH_MAX]; /* "": marks are not written */
static bool checks;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- the time of a mark ---- */

enum { STALE = 1000000 /* ns */, TOGETHER = 4000 /* ticks; one or two microseconds */ };

/* whether the processor's time stamp counter runs at a constant rate */
static bool steady;

static uint64_t ticks(void)
{
#ifdef __x86_64__
	return __rdtsc();
#else
	return 0;
#endif
}

static void find_counter(void)
{
#ifdef __x86_64__
	unsigned a, b, c, d = 0;

	steady = __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
#endif
}

static void read_clock(struct writer *w)
{
	if (!w->clock.begun && *directory)
		lseek(-1, (off_t)now(), MARK_SYNC);
	/* Clock and counter are read together, unless the thread is interrupted in between again
	 * and again. */
	for (int i = 0; i < 10; i++) {
		uint64_t before = ticks();

		w->clock.time = now();
		w->clock.ticks = ticks();
		if (w->clock.ticks - before < TOGETHER)
			break;
	}
	if (!w->clock.begun) {
		w->clock.begun = w->clock.time;
		w->clock.begun_ticks = w->clock.ticks;
	}
	if (w->clock.time - w->clock.begun >= STALE && w->clock.ticks > w->clock.begun_ticks)
		w->clock.period = (double)(w->clock.time - w->clock.begun) /
				  (double)(w->clock.ticks - w->clock.begun_ticks);
}

/* Reading the clock would take most of the time of a mark; so it is read once per millisecond, and
 * the time stamp counter in between. */
static uint64_t mark_time(struct writer *w)
{
	double since = steady ? (double)(int64_t)(ticks() - w->clock.ticks) * w->clock.period : 0;

	if (!(since > 0) || since > STALE) {
		read_clock(w);
		since = 0;
	}
	uint64_t time = w->clock.time + (uint64_t)(int64_t)since;
	if (time > w->clock.last)
		w->clock.last = time;
	return w->clock.last;
}

static bool make_room(struct writer *w)
{
	void *p = mmap(NULL, sizeof(*w->room), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	w->room = p != MAP_FAILED ? p : NULL;
	return w->room &&
	       snprintf(w->room->path, PATH_MAX, "%s/%d.%u.%llx.marks", directory, (int)getpid(),
			w->tid, (unsigned long long)w->started) < PATH_MAX;
}

static void forget(struct writer *w)
{
	if (w->window)
		munmap(w->window, MARK_WINDOW);
	if (w->room)
		munmap(w->room, sizeof(*w->room));
	memset(w, 0, sizeof(*w));
}

/* Runs when a thread ends: cuts off the unused part of its file. */
static void close_writer(void *p)
{
	struct writer *w = p;
	int64_t used = (char *)w->at - (char *)w->window;

	if (w->window) /* or empty slots end it */
		(void)!truncate(w->room->path, w->bytes - MARK_WINDOW + used);
	forget(w);
	w->failed = true;
}

/* Runs in the child after fork(): its marks must not go into the file of its parent. */
static void forget_writer(void)
{
	forget(&writer);
	mark_check_forget();
}

static void start(void)
{
	/* A set-user-ID program must not write where its user says. */
	const char *wanted = secure_getenv("OSVEC_MARKS");
	const char *check = secure_getenv("OSVEC_MARKS_CHECK");

	/* The program may change its working directory. */
	if (!wanted || !*wanted)
		*directory = '\0';
	else if (!realpath(wanted, directory) || access(directory, W_OK | X_OK) ||
		 pthread_key_create(&key, close_writer) ||
		 pthread_atfork(NULL, NULL, forget_writer)) {
		dprintf(STDERR_FILENO, "OSVEC_MARKS=%s: %s: no marks are written\n", wanted,
			strerror(errno));
		*directory = '\0';
	}
	checks = check && *check;
	find_counter();
}

uint64_t osvec_mark_time(void)
{
	int error = errno;

	pthread_once(&once, start);
	uint64_t time = mark_time(&writer);
	errno = error;
	return time;
}

/* Extends the file by a window and maps that.  The room is allocated at once: writing to a mapped
 * file for which the disk has no room would end the process, as would exceeding a file's limit. */
static void *map_window(const struct writer *w)
{
	int64_t until = w->bytes + MARK_WINDOW;
	struct rlimit limit;
	void *p = MAP_FAILED;
	int fd = -1;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && (rlim_t)until <= limit.rlim_cur)
		fd = open(w->room->path, O_RDWR | O_CLOEXEC | (w->bytes ? 0 : O_CREAT | O_EXCL),
			  0644);
	if (fd < 0)
		return p;
	if (!posix_fallocate(fd, w->bytes, MARK_WINDOW))
		p = mmap(NULL, MARK_WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
			 w->bytes);
#ifdef MADV_POPULATE_WRITE
	/* MAP_POPULATE maps pages of a file for reading, and the first mark in each would fault. */
	if (p != MAP_FAILED)
		madvise(p, MARK_WINDOW, MADV_POPULATE_WRITE);
#endif
	close(fd);
	if (p == MAP_FAILED && !w->bytes)
		unlink(w->room->path);
	return p;
}

/* The file cannot grow: its last mark says so, in slots that are kept free for this. */
static void end_marks(struct writer *w)
{
	static const char name[] = MARK_ENDED;

	w->at[0] =
	    (struct mark_slot){ .verb = MARK_NAME, .name = ++w->names, .amount = sizeof(name) - 1 };
	memcpy(w->at + 1, name, sizeof(name) - 1);
	w->at[2] = (struct mark_slot){ mark_time(w), OSVEC_STATE, w->names, 0, 0 };
}

static bool next_window(struct writer *w)
{
	int error = errno, state;

	/* What marks, such as taking a lock, may not be a cancellation point. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	void *p = map_window(w);
	pthread_setcancelstate(state, NULL);
	errno = error;
	if (w->window) {
		if (p == MAP_FAILED)
			end_marks(w);
		munmap(w->window, MARK_WINDOW);
	}
	w->failed = p == MAP_FAILED;
	w->window = NULL;
	if (w->failed)
		return false;
	w->bytes += MARK_WINDOW;
	w->window = w->at = p;
	w->end = w->at + MARK_WINDOW / sizeof(*w->at) - ENDING;
	return true;
}

static bool open_writer(struct writer *w)
{
	w->started = now();
	w->tid = (uint32_t)syscall(SYS_gettid);
	if (!make_room(w) || !next_window(w)) {
		forget(w);
		w->failed = true;
		return false;
	}
	struct mark_head head = { .magic = MARK_MAGIC,
				  .version = MARK_VERSION,
				  .pid = (uint32_t)getpid(),
				  .tid = w->tid,
				  .started = w->started };
	memcpy(w->at, &head, sizeof(head));
	w->at += sizeof(head) / sizeof(*w->at);
	pthread_setspecific(key, w);
	if (!w->clock.begun)
		read_clock(w);
	return true;
}

/* Returns the number of a name, which is written to the file if it is new; 0 if that failed. */
static uint32_t number_of(struct writer *w, const char *name)
{
	struct known *set = w->room->known[(uintptr_t)name * 0x9e3779b97f4a7c15u >> 56];

	for (int i = 0; i < WAYS; i++)
		if (set[i].name == name)
			return set[i].number;
	size_t n = strlen(name);
	n = n < MARK_NAME_MOST ? n : MARK_NAME_MOST;
	size_t slots = 1 + (n + sizeof(*w->at) - 1) / sizeof(*w->at);
	if ((size_t)(w->end - w->at) < slots && !next_window(w))
		return 0;
	*w->at = (struct mark_slot){ .verb = MARK_NAME, .name = ++w->names, .amount = n };
	memcpy(w->at + 1, name, n);
	w->at += slots;
	memmove(set + 1, set, (WAYS - 1) * sizeof(*set));
	*set = (struct known){ name, w->names };
	return w->names;
}

void osvec_mark(enum osvec_verb verb, const char *name, uint64_t amount, uint64_t tag)
{
	osvec_mark_at(0, verb, name, amount, tag);
}

void osvec_mark_at(uint64_t time, enum osvec_verb verb, const char *name, uint64_t amount,
		   uint64_t tag)
{
	struct writer *w = &writer;

	if (!w->window) {
		int error = errno;

		pthread_once(&once, start);
		/* Opening the file happens before the mark's time is taken, */
		bool open = *directory && !w->failed && open_writer(w);
		errno = error;
		if (!open)
			return;
	}
	/* and writing the name after that. */
	time = time ? time : mark_time(w);
	uint32_t number = number_of(w, name ? name : "");
	if (number && (w->at < w->end || next_window(w)))
		*w->at++ = (struct mark_slot){ time, verb, number, amount, tag };
	if (checks)
		mark_check(verb, name ? name : "", amount, tag);
}
