/* SPDX-License-Identifier: MIT */
#include "measure/pmu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef HAVE_PFM
#include <perfmon/pfmlib_perf_event.h>
#endif

#include "util/vec.h"
#include "util/xalloc.h"

/* What read(2) of an event returns with the read_format below. */
struct pmu_reading {
	uint64_t count, enabled, running;
};

static const uint64_t read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;

struct pmu_event {
	char *name;
	int fd;
	bool leads;		 /* its group */
	struct pmu_reading base; /* at pmu_reset */
};

static VEC(struct pmu_event) events;
static int cycles_fd = -1;

static int perf_open(struct perf_event_attr *attr, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

/* Explains errno of perf_event_open(2). */
static int refused(const char *name, struct error *e)
{
	switch (errno) {
	case EACCES:
	case EPERM:
		return error_set(e,
				 "%s: not permitted: lower kernel.perf_event_paranoid, grant "
				 "CAP_PERFMON, or append :u to count in user mode only",
				 name);
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return error_set(e,
				 "%s: this machine has no such counter (no PMU, or hidden by a "
				 "hypervisor)",
				 name);
	case ENOSYS: return error_set(e, "%s: this kernel has no perf events", name);
	}
	return error_set(e, "%s: perf_event_open: %s", name, strerror(errno));
}

static int encode(const char *name, struct perf_event_attr *attr, struct error *e)
{
#ifdef HAVE_PFM
	static bool ready;
	pfm_perf_encode_arg_t arg = { .attr = attr, .size = sizeof(arg) };
	int r = ready ? PFM_SUCCESS : pfm_initialize();

	if (r == PFM_SUCCESS) {
		ready = true;
		r = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	}
	return r == PFM_SUCCESS ? 0 : error_set(e, "%s: libpfm4: %s", name, pfm_strerror(r));
#else
	(void)attr;
	return error_set(e, "%s: this program was built without libpfm4", name);
#endif
}

/* Opens one event in the group led by *leader, or as the leader of a new group if that is -1 or
 * full. */
static int open_event(const char *name, int *leader, struct error *e)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };

	if (encode(name, &attr, e))
		return -1;
	attr.read_format = read_format;
	attr.inherit = 1;
	attr.disabled = *leader < 0;
	int fd = perf_open(&attr, *leader);
	if (fd < 0 && *leader >= 0 && errno != EACCES) {
		*leader = -1;
		attr.disabled = 1;
		fd = perf_open(&attr, -1);
	}
	if (fd < 0)
		return refused(name, e);
	vec_push(&events,
		 (struct pmu_event){ .name = xstrdup(name), .fd = fd, .leads = *leader < 0 });
	if (*leader < 0)
		*leader = fd;
	return 0;
}

static void close_all(void)
{
	for (size_t i = 0; i < events.n; i++) {
		close(events.v[i].fd);
		free(events.v[i].name);
	}
	vec_free(&events);
}

int pmu_open(const char *list, struct error *e)
{
	int leader = -1;

	for (const char *at = list;; at++) {
		size_t n = strcspn(at, ",");
		char *name = xstrndup(at, n);
		int failed = n ? open_event(name, &leader, e)
			       : error_set(e, "'%s': an event without a name", list);

		free(name);
		if (failed) {
			close_all();
			return -1;
		}
		at += n;
		if (!*at)
			return 0;
	}
}

static void control(unsigned long request)
{
	for (size_t i = 0; i < events.n; i++)
		if (events.v[i].leads)
			ioctl(events.v[i].fd, request, PERF_IOC_FLAG_GROUP);
}

void pmu_start(void)
{
	control(PERF_EVENT_IOC_ENABLE);
}

void pmu_stop(void)
{
	control(PERF_EVENT_IOC_DISABLE);
}

static bool read_event(int fd, struct pmu_reading *r)
{
	return read(fd, r, sizeof(*r)) == (ssize_t)sizeof(*r);
}

void pmu_reset(void)
{
	for (size_t i = 0; i < events.n; i++)
		if (!read_event(events.v[i].fd, &events.v[i].base))
			events.v[i].base = (struct pmu_reading){ 0 };
}

size_t pmu_count(void)
{
	return events.n;
}

const char *pmu_name(size_t i)
{
	return events.v[i].name;
}

double pmu_value(size_t i)
{
	const struct pmu_reading *base = &events.v[i].base;
	struct pmu_reading now;

	if (!read_event(events.v[i].fd, &now) || now.running == base->running)
		return NAN;
	return (double)(now.count - base->count) * (double)(now.enabled - base->enabled) /
	       (double)(now.running - base->running);
}

int pmu_open_cycles(struct error *e)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.read_format = read_format,
		.exclude_hv = 1,
	};

	cycles_fd = perf_open(&attr, -1);
	return cycles_fd < 0 ? refused("cycles", e) : 0;
}

uint64_t pmu_cycles(void)
{
	struct pmu_reading r;

	return read_event(cycles_fd, &r) ? r.count : 0;
}
