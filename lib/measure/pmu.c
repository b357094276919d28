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
#include <dlfcn.h>
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
	size_t group;
	struct pmu_reading last; /* when its group was last stopped */
	struct counter counters[PMU_PARTS];
};

static VEC(struct pmu_event) events; /* group by group; the first of each leads it */
static struct {
	size_t n, current, most; /* groups; the one that counts; the events in one, 0: what fits */
} groups;
static struct {
	struct rotation rotation;
	double whole; /* time in which one of the groups counted */
	uint64_t calls, operations;
} parts[PMU_PARTS];
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

#ifdef HAVE_PFM

static struct {
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_get_os_event_encoding) *encode;
	__typeof__(pfm_strerror) *explain;
} pfm;

/* Only when it is needed: its tables of events would make every process start a millisecond later.
 */
static int load_pfm(struct error *e)
{
#ifdef STATIC_PFM
	pfm.initialize = pfm_initialize;
	pfm.encode = pfm_get_os_event_encoding;
	pfm.explain = pfm_strerror;
#else
	void *library = dlopen("libpfm.so.4", RTLD_NOW);

	if (!library)
		return error_set(e, "%s", dlerror());
	*(void **)&pfm.initialize = dlsym(library, "pfm_initialize");
	*(void **)&pfm.encode = dlsym(library, "pfm_get_os_event_encoding");
	*(void **)&pfm.explain = dlsym(library, "pfm_strerror");
#endif
	int r = pfm.initialize();
	if (r == PFM_SUCCESS)
		return 0;
	pfm.initialize = NULL;
	return error_set(e, "libpfm4: %s", pfm.explain(r));
}

static int encode(const char *name, struct perf_event_attr *attr, struct error *e)
{
	pfm_perf_encode_arg_t arg = { .attr = attr, .size = sizeof(arg) };

	if (!pfm.initialize && load_pfm(e))
		return -1;
	int r = pfm.encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	return r == PFM_SUCCESS ? 0 : error_set(e, "%s: libpfm4: %s", name, pfm.explain(r));
}

#else

static int encode(const char *name, struct perf_event_attr *attr, struct error *e)
{
	(void)attr;
	return error_set(e, "%s: this program was built without libpfm4", name);
}

#endif

/* Opens one event in the group led by *leader, or as the leader of a new group if that is -1 or
 * full. */
static int open_event(const char *name, int *leader, struct error *e)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };

	if (encode(name, &attr, e))
		return -1;
	attr.read_format = read_format;
	attr.inherit = 1;
	if (groups.most && events.n && events.n % groups.most == 0)
		*leader = -1;
	attr.disabled = *leader < 0;
	int fd = perf_open(&attr, *leader);
	if (fd < 0 && *leader >= 0 && errno != EACCES) {
		*leader = -1;
		attr.disabled = 1;
		fd = perf_open(&attr, -1);
	}
	if (fd < 0)
		return refused(name, e);
	if (*leader < 0) {
		*leader = fd;
		groups.n++;
	}
	vec_push(&events,
		 (struct pmu_event){ .name = xstrdup(name), .fd = fd, .group = groups.n - 1 });
	return 0;
}

void pmu_close(void)
{
	for (size_t i = 0; i < events.n; i++) {
		close(events.v[i].fd);
		free(events.v[i].name);
	}
	vec_free(&events);
	for (int part = 0; part < PMU_PARTS; part++)
		rotation_done(&parts[part].rotation);
	groups.n = 0;
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
			pmu_close();
			return -1;
		}
		at += n;
		if (!*at)
			break;
	}
	for (int part = 0; part < PMU_PARTS; part++)
		rotation_init(&parts[part].rotation, groups.n, random_fresh_seed());
	return 0;
}

/* The first event of the current group. */
static struct pmu_event *leader(void)
{
	size_t i = 0;

	while (events.v[i].group != groups.current)
		i++;
	return &events.v[i];
}

/* The members of a group are never disabled: they count when their leader does.  When all of it is
 * disabled and enabled (PERF_IOC_FLAG_GROUP), Linux 6.18 leaves them out until the next tick. */
void pmu_start(enum pmu_part part)
{
	if (!events.n)
		return;
	groups.current = rotation_next(&parts[part].rotation);
	ioctl(leader()->fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* What the event has counted since the last call, and while it was counted. */
static struct pmu_reading read_slice(struct pmu_event *x)
{
	struct pmu_reading now, slice = { 0 };

	if (read(x->fd, &now, sizeof(now)) != (ssize_t)sizeof(now))
		return slice;
	slice.count = now.count - x->last.count;
	slice.enabled = now.enabled - x->last.enabled;
	slice.running = now.running - x->last.running;
	x->last = now;
	return slice;
}

void pmu_stop(enum pmu_part part, uint64_t n)
{
	if (!events.n)
		return;
	parts[part].calls++;
	parts[part].operations += n;
	struct pmu_event *first = leader();
	ioctl(first->fd, PERF_EVENT_IOC_DISABLE, 0);
	for (struct pmu_event *x = first; x < events.v + events.n && x->group == first->group;
	     x++) {
		struct pmu_reading slice = read_slice(x);

		if (x == first)
			parts[part].whole += (double)slice.enabled;
		if (slice.running)
			counter_add(&x->counters[part], (double)slice.count, (double)slice.running);
	}
}

void pmu_reset(void)
{
	for (size_t i = 0; i < events.n; i++) {
		read_slice(&events.v[i]);
		memset(events.v[i].counters, 0, sizeof(events.v[i].counters));
	}
	for (int part = 0; part < PMU_PARTS; part++) {
		parts[part].whole = 0;
		parts[part].calls = parts[part].operations = 0;
	}
}

size_t pmu_count(void)
{
	return events.n;
}

const char *pmu_name(size_t i)
{
	return events.v[i].name;
}

static double count_of(size_t i, enum pmu_part part)
{
	return parts[part].calls
		   ? counter_estimate(&events.v[i].counters[part], parts[part].whole).count
		   : 0;
}

static double share(double count, uint64_t n)
{
	return n ? count / (double)n : 0;
}

struct counter_estimate pmu_estimate(size_t i)
{
	double nothing = share(count_of(i, PMU_NOTHING), parts[PMU_NOTHING].calls);
	double loop = share(count_of(i, PMU_LOOP) - nothing * (double)parts[PMU_LOOP].calls,
			    parts[PMU_LOOP].operations);
	double n = (double)parts[PMU_WORK].operations, overhead;
	struct counter_estimate e =
	    counter_estimate(&events.v[i].counters[PMU_WORK], parts[PMU_WORK].whole);

	overhead = nothing * (double)parts[PMU_WORK].calls / n + (loop > 0 ? loop : 0);
	e.count = e.count / n - overhead;
	e.error /= n;
	return e;
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

	return read(cycles_fd, &r, sizeof(r)) == (ssize_t)sizeof(r) ? r.count : 0;
}
