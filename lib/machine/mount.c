/* SPDX-License-Identifier: MIT */
/*
 * mount.c - the part of environment.c that is about file systems.
 *
 * A line of /proc/self/mountinfo is "36 35 98:0 /root /mnt options [tags...] - type source
 * options"; spaces in names are written as \040.
 */
#include "machine/fact.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mount {
	char device[24]; /* MAJOR:MINOR */
	char point[PATH_MAX], options[512], type[64], source[PATH_MAX], super[1024];
};

/* Replaces \ooo by the byte it stands for. */
static void unescape(char *s)
{
	char *out = s;

	while (*s)
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*out++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*out++ = *s++;
		}
	*out = '\0';
}

static bool parse_mount(const char *line, struct mount *m)
{
	const char *rest = strstr(line, " - ");

	if (!rest ||
	    sscanf(line, "%*s %*s %23s %*s %4095s %511s", m->device, m->point, m->options) != 3 ||
	    sscanf(rest + 3, "%63s %4095s %1023s", m->type, m->source, m->super) != 3)
		return false;
	unescape(m->point);
	unescape(m->source);
	return true;
}

static bool holds(const char *point, const char *path)
{
	size_t n = strlen(point);

	if (n && point[n - 1] == '/')
		n--;
	return !strncmp(path, point, n) && (path[n] == '/' || !path[n]);
}

/*
 * Without a journal ext4 does not reuse an inode for minutes after its file was deleted, and looks at
 * each of these whenever it makes a file: that may take fifty times as long.
 */
static void add_journal(struct environment *env, const struct mount *m)
{
	char path[PATH_MAX], target[PATH_MAX], line[256], mode[64] = "none";

	snprintf(path, sizeof(path), "/sys/dev/block/%s", m->device);
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return;
	target[n] = '\0';
	const char *name = strrchr(target, '/');
	if (!name || snprintf(path, sizeof(path), "/proc/fs/ext4%s/options", name) < 0)
		return;
	FILE *f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f))
		sscanf(line, "data=%63s", mode);
	fclose(f);
	fact_add(env, "filesystem.journal", "%s", mode);
}

void fact_add_filesystem(struct environment *env, const char *directory)
{
	static struct mount found, m;
	char path[PATH_MAX], line[3 * PATH_MAX];
	FILE *f = fopen("/proc/self/mountinfo", "re");

	found = (struct mount){ 0 };
	if (f && realpath(directory, path))
		while (fgets(line, sizeof(line), f)) /* later mounts hide earlier ones */
			if (parse_mount(line, &m) && holds(m.point, path) &&
			    strlen(m.point) >= strlen(found.point))
				found = m;
	if (f)
		fclose(f);
	fact_add(env, "filesystem.type", "%s", found.type);
	fact_add(env, "filesystem.source", "%s", found.source);
	fact_add(env, "filesystem.options", "%s", found.options);
	fact_add(env, "filesystem.super_options", "%s", found.super);
	if (!strcmp(found.type, "ext4"))
		add_journal(env, &found);
}
