/* SPDX-License-Identifier: MIT */
#include "record/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

uint64_t cgroup_number(const char *path, struct error *e)
{
	struct statfs fs;
	struct stat st;

	if (stat(path, &st) || statfs(path, &fs)) {
		error_set(e, "%s: %s", path, strerror(errno));
		return 0;
	}
	if (S_ISDIR(st.st_mode) && fs.f_type == CGROUP2_SUPER_MAGIC)
		return st.st_ino;
	error_set(e, "%s: not the directory of a control group, version 2", path);
	errno = EINVAL;
	return 0;
}

static void add_processes(const char *path, struct cgroup_processes *out)
{
	char *file = xasprintf("%s/cgroup.procs", path);
	FILE *f = fopen(file, "re");
	int pid;

	while (f && fscanf(f, "%d", &pid) == 1)
		if (pid > 0) /* 0: of another PID namespace */
			vec_push(out, pid);
	if (f)
		fclose(f);
	free(file);
}

void cgroup_list(const char *path, struct cgroup_processes *out)
{
	DIR *directory = opendir(path);

	add_processes(path, out);
	for (struct dirent *d; directory && (d = readdir(directory));) {
		if (d->d_type != DT_DIR || *d->d_name == '.')
			continue;
		char *below = xasprintf("%s/%s", path, d->d_name);
		cgroup_list(below, out);
		free(below);
	}
	if (directory)
		closedir(directory);
}

char *cgroup_root(void)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	char *found = NULL;

	for (struct mntent *m; f && !found && (m = getmntent(f));)
		if (!strcmp(m->mnt_type, "cgroup2"))
			found = xstrdup(m->mnt_dir);
	if (f)
		endmntent(f);
	return found;
}

char *cgroup_of(pid_t pid)
{
	static const char unified[] = "0::"; /* the number of its hierarchy, and no controllers */
	char file[32], *line = NULL, *path = NULL;
	size_t room = 0;
	ssize_t n;

	snprintf(file, sizeof(file), "/proc/%d/cgroup", (int)pid);
	FILE *f = fopen(file, "re");
	while (f && !path && (n = getline(&line, &room, f)) > 0)
		if (!strncmp(line, unified, sizeof(unified) - 1))
			path = xstrndup(line + sizeof(unified) - 1,
					(size_t)n - (sizeof(unified) - 1) - (line[n - 1] == '\n'));
	if (f)
		fclose(f);
	free(line);
	return path;
}
