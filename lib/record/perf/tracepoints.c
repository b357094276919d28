/* SPDX-License-Identifier: MIT */
#include "record/perf/tracepoints.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/file.h"
#include "util/number.h"

enum {
	FIRST = 20,   /* lower numbers are ftrace's own */
	MANY = 512,   /* so many free numbers in a row: there are no more */
	LAST = 0xffff /* a sample has 16 bits for it */
};

int tracepoint_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

struct perf_event_attr tracepoint_attr(uint16_t id, bool in_kernel)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(struct perf_event_attr),
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.sample_id_all = true,
		.exclude_kernel = !in_kernel,
		.exclude_hv = !in_kernel,
		.use_clockid = true,
		.clockid = CLOCK_MONOTONIC,
		.watermark = true,
		.wakeup_watermark = 1u << 30, /* never: the reader looks by itself */
	};
}

/* ---- what is allowed ---- */

static int refuse(struct error *e)
{
	static const char file[] = "/proc/sys/kernel/perf_event_paranoid";
	char level[16];
	int why = errno;

	file_first_line(file, level, sizeof(level));
	if (why == ENOSYS || !*level)
		error_set(e, "perf: the kernel has no perf events (CONFIG_PERF_EVENTS)");
	else if (strtol(level, NULL, 10) > 2)
		error_set(e,
			  "perf: kernel.perf_event_paranoid is %s (2 or less, or CAP_PERFMON, is "
			  "needed)",
			  level);
	else
		error_set(e, "perf: perf_event_open: %s (a container's seccomp filter?)",
			  strerror(why));
	errno = why == ENOSYS || !*level ? ENOSYS : EPERM;
	return -1;
}

int tracepoints_allowed(struct error *e)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = true,
	};

	for (int in_kernel = 1; in_kernel >= 0; in_kernel--) {
		attr.exclude_kernel = attr.exclude_hv = !in_kernel;
		int fd = tracepoint_open(&attr, 0, -1, -1);

		if (fd >= 0) {
			close(fd);
			return in_kernel;
		}
	}
	return refuse(e);
}

/* ---- the numbers ---- */

/* Those of raw_syscalls, where the directory can be read. */
static int read_ids(struct tracepoints *t, const char *directory)
{
	static const char *const names[] = { "sys_enter", "sys_exit" };
	char path[128], line[16];
	uint64_t id;

	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/events/raw_syscalls/%s/id", directory, names[i]);
		if (!number_parse_u64(file_first_line(path, line, sizeof(line)) ? line : "", &id))
			return -1;
		vec_push(&t->ids, (uint16_t)id);
	}
	return 0;
}

/* Whether the event counts each of these calls once: neither one call alone, nor nanoseconds.  Of
 * our own two, the one that enables it returns while it counts, or the one that disables it begins.
 */
static bool counts_calls(int fd, uint64_t calls)
{
	const uint64_t own = 2;
	uint64_t n = 0;

	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (uint64_t i = 0; i < calls; i++)
		syscall(i % 2 ? SYS_getppid : SYS_getuid);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	return read(fd, &n, sizeof(n)) == sizeof(n) && n >= calls && n <= calls + own;
}

/* Few calls are enough for most; what counts them by chance does not count many. */
static bool is_of_calls(int fd)
{
	return counts_calls(fd, 8) && counts_calls(fd, 200);
}

/* Tries all numbers until `most` are found. */
static void search(struct tracepoints *t, size_t most)
{
	for (unsigned id = FIRST, free = 0; id < LAST && free < MANY && t->ids.n < most; id++) {
		struct perf_event_attr attr = tracepoint_attr((uint16_t)id, t->raw);

		attr.disabled = true;
		int fd = tracepoint_open(&attr, 0, -1, -1);
		if (fd < 0) {
			free += errno == EINVAL || errno == ENOENT;
			continue;
		}
		free = 0;
		vec_push(&t->opened, fd);
		if (!t->raw || is_of_calls(fd))
			vec_push(&t->ids, (uint16_t)id);
		/* Entry and exit are neighbours; what stands apart counted the calls by chance. */
		if (t->raw && t->ids.n == 2 && t->ids.v[1] != t->ids.v[0] + 1)
			t->ids.v[0] = t->ids.v[--t->ids.n];
	}
}

static int look_up_raw(struct tracepoints *t)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!read_ids(t, places[i]))
			return 0;
	return -1;
}

static int find_raw(struct tracepoints *t)
{
	if (!look_up_raw(t))
		return 0;
	search(t, 2);
	return t->ids.n == 2 ? 0 : -1;
}

/*
 * All that open, in pairs of neighbours.  Those of raw_syscalls are among them and count nothing
 * here.
 */
static int find_pairs(struct tracepoints *t)
{
	search(t, SIZE_MAX);
	for (size_t i = 0; i + 1 < t->ids.n; i += 2)
		if (t->ids.v[i] + 1 != t->ids.v[i + 1])
			return -1;
	return t->ids.n % 2 || !t->ids.n ? -1 : 0;
}

static int none(struct error *e)
{
	error_set(e,
		  "perf: the kernel has no tracepoints of system calls (CONFIG_FTRACE_SYSCALLS)");
	errno = ENOSYS;
	return -1;
}

int tracepoints_probe(bool raw, struct error *e)
{
	struct tracepoints t = { 0 };
	bool found = raw && !look_up_raw(&t);

	if (!found)
		search(&t, 1);
	found |= t.ids.n > 0;
	tracepoints_free(&t, NULL, 0);
	return found ? 0 : none(e);
}

int tracepoints_find(struct tracepoints *t, bool raw, struct error *e)
{
	*t = (struct tracepoints){ .raw = raw };
	if (!(raw ? find_raw(t) : find_pairs(t)))
		return 0;
	tracepoints_free(t, NULL, 0);
	return none(e);
}

/* ---- entry and exit ---- */

/* The sizes of raw data, which end with the alignment of the sample: of an exit, or an entry with
 * one argument; of an entry of raw_syscalls. */
enum { SIZE_OF_EXIT = 28, SIZE_OF_RAW_ENTRY = 68 };

/* The place of id among the ids, or SIZE_MAX. */
static size_t place(const struct tracepoints *t, uint16_t id)
{
	size_t i;

	vec_search(i, t->ids.n, t->ids.v[i] >= id);
	return i < t->ids.n && t->ids.v[i] == id ? i : SIZE_MAX;
}

enum tracepoint_role tracepoints_role(const struct tracepoints *t, uint16_t id, uint32_t size)
{
	if (t->raw)
		return size >= SIZE_OF_RAW_ENTRY ? TRACEPOINT_ENTRY : TRACEPOINT_EXIT;
	size_t at = place(t, id);
	if (at == SIZE_MAX || !t->lower)
		return TRACEPOINT_UNKNOWN;
	return at % 2 == (t->lower == TRACEPOINT_EXIT) ? TRACEPOINT_ENTRY : TRACEPOINT_EXIT;
}

void tracepoints_learn(struct tracepoints *t, uint16_t id, uint32_t size)
{
	size_t at = place(t, id);

	if (!tracepoints_known(t) && size != SIZE_OF_EXIT && at != SIZE_MAX)
		t->lower = at % 2 ? TRACEPOINT_EXIT : TRACEPOINT_ENTRY;
}

/* ---- the end ---- */

void tracepoints_free(struct tracepoints *t, const int *fds, size_t n)
{
	int ends[2] = { -1, -1 }, status;
	char c;

	if (t->opened.n + n && !pipe2(ends, O_CLOEXEC)) {
		pid_t child = fork();

		if (!child) {
			/* The last to have the files, and nobody's child, closes them at its end.
			 */
			if (fork())
				_exit(0);
			setsid();
			close(ends[1]);
			_exit(read(ends[0], &c, 1) != 0);
		}
		close(ends[0]);
		while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		/* ends[1] stays open until this process ends or has closed all the others. */
	}
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
	for (size_t i = 0; i < t->opened.n; i++)
		close(t->opened.v[i]);
	if (ends[1] >= 0)
		close(ends[1]);
	vec_free(&t->opened);
	vec_free(&t->ids);
}
