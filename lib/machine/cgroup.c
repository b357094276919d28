/* SPDX-License-Identifier: MIT */
/* cgroup.c - the part of environment.c that is about control groups, versions 1 and 2. */
#include "machine/fact.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/file.h"

/* A limit: a file in the directory of the group, or of one above it, that may say something else
 * than what means no limit. */
struct limit {
	const char *key, *file, *none; /* none: how "no limit" begins */
};

static const struct limit version2[] = { { "cgroup.cpu_max", "cpu.max", "max" },
					 { "cgroup.cpu_weight", "cpu.weight", "100" },
					 { "cgroup.cpus", "cpuset.cpus", "" },
					 { "cgroup.memory_max", "memory.max", "max" },
					 { "cgroup.memory_high", "memory.high", "max" },
					 { "cgroup.pids_max", "pids.max", "max" },
					 { NULL, NULL, NULL } };

static const struct limit version1_cpu[] = { { "cgroup.cpu_quota_us", "cpu.cfs_quota_us", "-1" },
					     { "cgroup.cpu_shares", "cpu.shares", "1024" },
					     { NULL, NULL, NULL } };

static const struct limit version1_memory[] = {
	/* the largest multiple of a page that fits 63 bits */
	{ "cgroup.memory_max", "memory.limit_in_bytes", "922337203685477" },
	{ NULL, NULL, NULL }
};

static const struct limit version1_cpuset[] = { { "cgroup.cpus", "cpuset.cpus", "" },
						{ NULL, NULL, NULL } };

static const struct {
	const char *controller, *mount;
	const struct limit *limits;
} hierarchies[] = {
	{ "", "/sys/fs/cgroup", version2 },
	{ "", "/sys/fs/cgroup/unified", version2 },
	{ "cpu", "/sys/fs/cgroup/cpu", version1_cpu },
	{ "memory", "/sys/fs/cgroup/memory", version1_memory },
	{ "cpuset", "/sys/fs/cgroup/cpuset", version1_cpuset },
};

static bool is_none(const char *value, const char *none)
{
	return !*value || (*none && !strncmp(value, none, strlen(none)));
}

/* Adds limit l as the nearest group on the way from mount/path up to mount sets it. */
static void add_limit(struct environment *env, const char *mount, const char *path,
		      const struct limit *l)
{
	char group[PATH_MAX], file[PATH_MAX + 64], value[256];

	snprintf(group, sizeof(group), "%s%s", mount, path);
	for (;;) {
		snprintf(file, sizeof(file), "%s/%s", group, l->file);
		if (file_first_line(file, value, sizeof(value)) && !is_none(value, l->none)) {
			fact_add(env, l->key, "%s", value);
			return;
		}
		char *slash = strrchr(group, '/');
		if (!slash || strlen(group) <= strlen(mount))
			return;
		*slash = '\0';
	}
}

/* Is name one of the comma-separated words of list?  The empty name is the empty list. */
static bool in_list(const char *list, const char *name)
{
	size_t n = strlen(name);

	if (!n)
		return !*list;
	for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',')
		if (strcspn(p, ",") == n && !strncmp(p, name, n))
			return true;
	return false;
}

/* line: "7:cpu,cpuacct:/user.slice", in version 2 "0::/user.slice". */
static void add_group(struct environment *env, char *line)
{
	char *controllers = strchr(line, ':'), *path;

	if (!controllers || !(path = strchr(++controllers, ':')))
		return;
	*path++ = '\0';
	path[strcspn(path, "\n")] = '\0';
	if (!*controllers)
		fact_add(env, "cgroup.path", "%s", path);
	for (size_t i = 0; i < sizeof(hierarchies) / sizeof(*hierarchies); i++)
		if (in_list(controllers, hierarchies[i].controller))
			for (const struct limit *l = hierarchies[i].limits; l->key; l++)
				add_limit(env, hierarchies[i].mount, path, l);
}

void fact_add_cgroup(struct environment *env)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX];

	while (f && fgets(line, sizeof(line), f))
		add_group(env, line);
	if (f)
		fclose(f);
}
