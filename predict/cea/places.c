/* SPDX-License-Identifier: MIT */
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "util/vec.h"

#ifdef HAVE_DW
#include <elfutils/libdwfl.h>
#endif

static const char *missing;
static time_t written; /* modification time of the trace; 0: unknown */

void places_begin(const char *trace)
{
	struct stat st;

	if (!stat(trace, &st))
		written = st.st_mtime;
}

/* ---- lines ---- */

#ifdef HAVE_DW
/* A program or library. */
struct object {
	char *path;
	Dwfl *dwfl;
	Dwfl_Module *module; /* NULL: it cannot be read */
};

static VEC(struct object) objects;

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static Dwfl_Module *module_of(const char *path)
{
	struct object o = { 0 };

	for (size_t i = 0; i < objects.n; i++)
		if (!strcmp(objects.v[i].path, path))
			return objects.v[i].module;
	o.path = xstrdup(path);
	o.dwfl = dwfl_begin(&callbacks);
	o.module = o.dwfl ? dwfl_report_offline(o.dwfl, path, path, -1) : NULL;
	if (o.dwfl)
		dwfl_report_end(o.dwfl, NULL, NULL);
	vec_push(&objects, o);
	return o.module;
}

/* Returns "hold app.c:42", "hold", or NULL; the caller frees. */
static char *line_of(const char *path, unsigned long offset)
{
	Dwfl_Module *module = NULL;
	Dwarf_Addr start;
	struct stat st;

	if (written && !stat(path, &st) && st.st_mtime > written)
		missing = "some places are shown as addresses: the program is newer than the trace";
	else
		module = module_of(path);
	if (!module || !dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL))
		return NULL;
	const char *function = dwfl_module_addrname(module, start + offset), *file = NULL;
	Dwfl_Line *line = dwfl_module_getsrc(module, start + offset);
	int number = 0;
	if (line)
		file = dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);
	if (!file)
		missing =
		    "some places have no source line: the program has no debugging information, "
		    "or was removed";
	if (!function && !file)
		return NULL;
	function = function ? function : "?";
	const char *slash = file ? strrchr(file, '/') : NULL;
	return file ? xasprintf("%s %s:%d", function, slash ? slash + 1 : file, number)
		    : xstrdup(function);
}

void places_free(void)
{
	for (size_t i = 0; i < objects.n; i++) {
		if (objects.v[i].dwfl)
			dwfl_end(objects.v[i].dwfl);
		free(objects.v[i].path);
	}
	vec_free(&objects);
}
#else
static char *line_of(const char *path, unsigned long offset)
{
	(void)path;
	(void)offset;
	missing = "places are shown as addresses: cea was built without libdw of elfutils";
	return NULL;
}

void places_free(void)
{
}
#endif

/* ---- names ---- */

char *place_name(const char *state)
{
	const char *path = strstr(state, " /"), *plus = path ? strrchr(path, '+') : NULL;
	char *end = NULL;
	unsigned long offset = plus ? strtoul(plus + 1, &end, 16) : 0;

	if (!plus || strncmp(plus, "+0x", 3) != 0 || *end)
		return xstrdup(state);
	char *object = xstrndup(path + 1, (size_t)(plus - path - 1));
	char *line = line_of(object, offset), *name;
	if (line)
		name = xasprintf("%.*s %s", (int)(path - state), state, line);
	else
		name = xasprintf("%.*s %s", (int)(path - state), state, strrchr(path, '/') + 1);
	free(line);
	free(object);
	return name;
}

const char *places_missing(void)
{
	return missing;
}
