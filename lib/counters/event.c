/* SPDX-License-Identifier: MIT */
#include "counters/event.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_PFM
#include <dlfcn.h>
#include <perfmon/pfmlib_perf_event.h>
#endif

#include "util/file.h"
#include "util/xalloc.h"

/* ---- libpfm4 ---- */

#ifdef HAVE_PFM

static struct {
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_get_os_event_encoding) *encode;
	__typeof__(pfm_get_pmu_info) *describe;
	__typeof__(pfm_strerror) *explain;
} pfm;

#ifdef STATIC_PFM
/* Benchmarks are linked without it (Makefile): relocations of its tables would give each process a
 * megabyte of memory of its own, which fork(2) would have to copy. */
#pragma weak pfm_initialize
#pragma weak pfm_get_os_event_encoding
#pragma weak pfm_get_pmu_info
#pragma weak pfm_strerror
#endif

/* Only when it is needed: its tables of events would make every process start a millisecond later.
 */
static int load_pfm(struct error *e)
{
#ifdef STATIC_PFM
	if (!pfm_initialize)
		return error_set(e, "names of events need libpfm4, which static benchmarks are "
				    "without: use hbench run --events");
	pfm.initialize = pfm_initialize;
	pfm.encode = pfm_get_os_event_encoding;
	pfm.describe = pfm_get_pmu_info;
	pfm.explain = pfm_strerror;
#else
	void *library = dlopen("libpfm.so.4", RTLD_NOW);

	if (!library)
		return error_set(e, "%s", dlerror());
	*(void **)&pfm.initialize = dlsym(library, "pfm_initialize");
	*(void **)&pfm.encode = dlsym(library, "pfm_get_os_event_encoding");
	*(void **)&pfm.describe = dlsym(library, "pfm_get_pmu_info");
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
		return EVENT_UNSUPPORTED;
	int r = pfm.encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	return r == PFM_SUCCESS ? 0 : error_set(e, "%s: libpfm4: %s", name, pfm.explain(r));
}

bool event_pmu(const char *pmu, bool *present, int *counters)
{
	enum { MOST = 4096 }; /* the library may know more of them than our headers */

	if (!pfm.initialize && load_pfm(NULL))
		return false;
	for (int i = 0; i < MOST; i++) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (pfm.describe((pfm_pmu_t)i, &info) != PFM_SUCCESS || strcmp(info.name, pmu) != 0)
			continue;
		if (present)
			*present = info.is_present;
		if (counters)
			*counters = info.num_cntrs + info.num_fixed_cntrs;
		return true;
	}
	return false;
}

#else

static int encode(const char *name, struct perf_event_attr *attr, struct error *e)
{
	(void)attr;
	error_set(e, "%s: this program was built without libpfm4", name);
	return EVENT_UNSUPPORTED;
}

bool event_pmu(const char *pmu, bool *present, int *counters)
{
	(void)pmu, (void)present, (void)counters;
	return false;
}

#endif

/* ---- events that another program has encoded: NAME@HEX ---- */

char *event_encoded(const char *name)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	const unsigned char *bytes = (const unsigned char *)&attr;

	if (encode(name, &attr, NULL))
		return xstrdup(name);
	char *out = xasprintf("%s@", name);
	size_t n = sizeof(attr);

	while (n && !bytes[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		out = xappend(out, "%02x", bytes[i]);
	return out;
}

int event_encode(const char *name, struct perf_event_attr *attr, struct error *e)
{
	const char *hex = name + strcspn(name, "@");
	unsigned char *bytes = (unsigned char *)attr;

	if (!*hex)
		return encode(name, attr, e);
	size_t digits = strspn(++hex, "0123456789abcdef");

	if (hex[digits] || digits % 2 || digits > 2 * sizeof(*attr))
		return error_set(e, "%s: not an event as hbench encodes them", name);
	*attr = (struct perf_event_attr){ 0 };
	for (size_t i = 0; i < digits / 2; i++) {
		char byte[3] = { hex[2 * i], hex[2 * i + 1] };

		bytes[i] = (unsigned char)strtoul(byte, NULL, 16);
	}
	return 0;
}

void event_any_pmu(void)
{
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
}

/* ---- why not ---- */

static const char paranoid_file[] = "/proc/sys/kernel/perf_event_paranoid";

/* The first line of a file below root; "" when there is none. */
static const char *line_of(const char *root, const char *file, char out[256])
{
	char *path = xasprintf("%s%s", root, file);

	file_first_line(path, out, 256);
	free(path);
	return out;
}

int event_refused(const char *name, struct error *e)
{
	int length = (int)strcspn(name, "@"), why = errno;
	char paranoid[256];

	switch (why) {
	case EACCES:
	case EPERM:
		line_of("", paranoid_file, paranoid);
		error_set(
		    e,
		    "%.*s: not permitted: kernel.perf_event_paranoid is %s%s; lower it, grant "
		    "CAP_PERFMON or, in a container, perf_event_open in its seccomp filter",
		    length, name, *paranoid ? paranoid : "hidden",
		    atoi(paranoid) == 2 ? " (append :u to count in user mode only)" : "");
		errno = why;
		return EVENT_UNSUPPORTED;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		error_set(e,
			  "%.*s: this machine has no such counter (no PMU, one that a "
			  "hypervisor hides, or a processor without this event)",
			  length, name);
		return EVENT_UNSUPPORTED;
	case ENOSYS:
		error_set(e, "%.*s: this kernel has no perf events", length, name);
		return EVENT_UNSUPPORTED;
	}
	return error_set(e, "%.*s: perf_event_open: %s", length, name, strerror(why));
}

static bool is_guest(const char *root)
{
	char *path = xasprintf("%s/proc/cpuinfo", root);
	struct error ignored;
	size_t n;
	char *text = file_read(path, 1 << 24, &n, &ignored);
	bool guest = text && strstr(text, " hypervisor");

	free(text);
	free(path);
	return guest;
}

/* Whether a list such as "0-7,16" has all CPUs that we may run on. */
static bool has_our_cpus(const char *list)
{
	cpu_set_t ours, listed;
	char *end;

	CPU_ZERO(&listed);
	for (const char *at = list; *at; at = *end == ',' ? end + 1 : end) {
		long first = strtol(at, &end, 10),
		     last = *end == '-' ? strtol(end + 1, &end, 10) : first;

		if (end == at)
			return false;
		for (; first <= last && first < CPU_SETSIZE; first++)
			CPU_SET((size_t)first, &listed);
		if (*end && *end != ',')
			return false;
	}
	if (sched_getaffinity(0, sizeof(ours), &ours))
		return false;
	CPU_OR(&ours, &ours, &listed);
	return CPU_EQUAL(&ours, &listed);
}

/* The kernel registers the PMU of CPUs by such a name; of each kind of cores, where there are
 * several. */
static bool is_core_pmu(const char *name)
{
	return !strcmp(name, "cpu") || !strncmp(name, "cpu_", 4) || !strncmp(name, "armv", 4) ||
	       !strncmp(name, "apple", 5);
}

/* How many there are; *ours: we run on CPUs of one alone.  Lists of the CPUs, for a message. */
static size_t core_pmus(const char *root, bool *ours, char **lists)
{
	char *path = xasprintf("%s/sys/bus/event_source/devices", root), line[256];
	DIR *dir = opendir(path);
	size_t n = 0;

	*ours = false;
	*lists = NULL;
	for (struct dirent *d; dir && (d = readdir(dir));) {
		if (!is_core_pmu(d->d_name))
			continue;
		char *file = xasprintf("/sys/bus/event_source/devices/%s/cpus", d->d_name);
		line_of(root, file, line);
		free(file);
		n++;
		*ours |= *line && has_our_cpus(line);
		*lists = xappend(*lists, "%s%s", n > 1 ? " or -c " : "", line);
	}
	if (dir)
		closedir(dir);
	free(path);
	return n;
}

int event_possible(const char *root, struct error *e)
{
	char paranoid[256], *lists;
	bool ours;
	size_t n = core_pmus(root, &ours, &lists);
	int status = EVENT_UNSUPPORTED;

	if (!*line_of(root, paranoid_file, paranoid))
		error_set(e, "this kernel has no perf events (CONFIG_PERF_EVENTS)");
	else if (!n && is_guest(root))
		error_set(
		    e, "the hypervisor of this virtual machine hides the counters of the CPU: let "
		       "it show them (QEMU: -cpu host,pmu=on), record on the host, or read what "
		       "perf stat -I -x, printed elsewhere");
	else if (!n)
		error_set(e, "this machine has no performance counters that its kernel knows");
	else if (n > 1 && !ours)
		error_set(
		    e,
		    "this processor has several kinds of cores, which count different events: "
		    "run it on one of them, with taskset -c %s",
		    lists);
	else
		status = 0;
	free(lists);
	return status;
}

bool event_watchdog(const char *root)
{
	char line[256];

	return !strcmp(line_of(root, "/proc/sys/kernel/nmi_watchdog", line), "1");
}
