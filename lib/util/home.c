/* SPDX-License-Identifier: MIT */
#include "util/home.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/xalloc.h"

static const struct {
	const char *variable, *below; /* environment variable; path below its value */
	const char *places[3];	      /* from the program's directory: installed, build tree */
} rooms[] = {
	[HOME_BENCH] = { "OSVEC_LIBEXEC", "", { "/../libexec/osvec", "/../bench" } },
	[HOME_CONF] = { "OSVEC_SHARE", "/conf", { "/../share/osvec/conf", "/../source/conf" } },
	[HOME_REFERENCE] = { "OSVEC_SHARE",
			     "/reference",
			     { "/../share/osvec/reference", "/../source/results/reference" } },
};

/* Writes the directory of the running program to out[PATH_MAX]; "." if it is unknown. */
static const char *program_directory(char *out)
{
	ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);

	out[n > 0 ? n : 0] = '\0';
	char *slash = strrchr(out, '/');
	if (!slash)
		return strcpy(out, ".");
	*slash = '\0';
	return out;
}

/* Returns directory + place [+ "/" + name] if that exists, else NULL; the caller frees. */
static char *existing(const char *directory, const char *place, const char *name)
{
	char *path = xasprintf("%s%s%s%s", directory, place, name ? "/" : "", name ? name : "");

	if (!access(path, F_OK))
		return path;
	free(path);
	return NULL;
}

char *home_find(enum home_room room, const char *name, struct error *e)
{
	const char *value = getenv(rooms[room].variable);
	char directory[PATH_MAX], *found = NULL;

	if (value && *value) {
		found = existing(value, rooms[room].below, name);
		if (!found)
			error_set(e, "%s%s%s%s does not exist (from $%s)", value, rooms[room].below,
				  name ? "/" : "", name ? name : "", rooms[room].variable);
		return found;
	}
	program_directory(directory);
	for (const char *const *place = rooms[room].places; *place && !found; place++)
		found = existing(directory, *place, name);
	if (!found)
		error_set(e, "%s is neither in %s%s nor in %s%s: set $%s",
			  name ? name : "the directory", directory, rooms[room].places[0],
			  directory, rooms[room].places[1], rooms[room].variable);
	return found;
}
