/* SPDX-License-Identifier: MIT */
/*
 * mount.c - the part of environment.c that is about file systems.
 *
 * A line of /proc/self/mountinfo is "36 35 98:0 /root /mnt options [tags...] - type source
 * options"; spaces in names are written as \040.
 */
#include "measure/fact.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mount {
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

	if (!rest || sscanf(line, "%*s %*s %*s %*s %4095s %511s", m->point, m->options) != 2 ||
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

void fact_add_filesystem(struct environment *env, const char *directory)
{
	static struct mount found, m;
	char path[PATH_MAX], line[3 * PATH_MAX];
	FILE *f = fopen("/proc/self/mountinfo", "re");

	found = (struct mount){ 0 };
	if (f && realpath(directory, path))
		while (fgets(line, sizeof(line), f))	/* later mounts hide earlier ones */
			if (parse_mount(line, &m) && holds(m.point, path) &&
			    strlen(m.point) >= strlen(found.point))
				found = m;
	if (f)
		fclose(f);
	fact_add(env, "filesystem.type", "%s", found.type);
	fact_add(env, "filesystem.source", "%s", found.source);
	fact_add(env, "filesystem.options", "%s", found.options);
	fact_add(env, "filesystem.super_options", "%s", found.super);
}
