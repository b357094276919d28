/* SPDX-License-Identifier: MIT */
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "util/vec.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <elfutils/libdw.h>
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

/* A line of the program, and the function that it is in. */
struct line {
	const char *function, *file;
	const char *folder; /* that the file's name may be relative to */
	int number;
};

/* Moves *l from the inlined code of a header of the system, such as that of std::mutex, to where
 * the program uses it. */
static void leave_headers(Dwfl_Module *module, Dwarf_Addr at, struct line *l)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = dwfl_module_addrdie(module, at, &bias), *inner = NULL, *scopes = NULL;
	int n = unit && dwarf_getscopes(unit, at - bias, &inner) > 0
		    ? dwarf_getscopes_die(inner, &scopes)
		    : 0;
	Dwarf_Files *files;

	for (int i = 0; i < n; i++) {
		Dwarf_Attribute a;
		Dwarf_Word file, number;
		int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		if (dwarf_diename(&scopes[i]))
			l->function = dwarf_diename(&scopes[i]);
		if (strncmp(l->file, "/usr/include/", 13) != 0 || tag == DW_TAG_subprogram)
			break;
		if (dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_file, &a), &file) ||
		    dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &a), &number) ||
		    dwarf_getsrcfiles(unit, &files, NULL) ||
		    !dwarf_filesrc(files, file, NULL, NULL))
			break;
		l->file = dwarf_filesrc(files, file, NULL, NULL);
		l->number = (int)number;
	}
	free(inner);
	free(scopes);
}

static bool is_newer(const char *path)
{
	struct stat st;

	return written && !stat(path, &st) && st.st_mtime > written;
}

/* Finds the line, whose members may be unknown: NULL. */
static struct line find_line(const char *path, unsigned long offset)
{
	Dwfl_Module *module = NULL;
	Dwarf_Addr start;

	if (is_newer(path))
		missing = "some places are shown as addresses: the program is newer than the trace";
	else
		module = module_of(path);
	if (!module || !dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL))
		return (struct line){ 0 };
	struct line l = { .function = dwfl_module_addrname(module, start + offset) };
	Dwfl_Line *line = dwfl_module_getsrc(module, start + offset);
	if (line) {
		l.file = dwfl_lineinfo(line, NULL, &l.number, NULL, NULL, NULL);
		l.folder = dwfl_line_comp_dir(line);
	}
	if (l.file)
		leave_headers(module, start + offset, &l);
	else
		missing =
		    "some places have no source line: the program has no debugging information, "
		    "or was removed";
	return l;
}

/* Returns "hold app.c:42", "hold", or NULL; the caller frees. */
static char *line_of(const char *path, unsigned long offset)
{
	struct line l = find_line(path, offset);

	if (!l.function && !l.file)
		return NULL;
	l.function = l.function ? l.function : "?";
	const char *slash = l.file ? strrchr(l.file, '/') : NULL;
	return l.file ? xasprintf("%s %s:%d", l.function, slash ? slash + 1 : l.file, l.number)
		      : xstrdup(l.function);
}

static char *source_of(const char *path, unsigned long offset)
{
	struct line l = find_line(path, offset);
	char *name = NULL, *text = NULL;
	size_t room = 0;
	FILE *f = NULL;
	struct stat st;

	if (l.file)
		name = *l.file == '/' || !l.folder ? xstrdup(l.file)
						   : xasprintf("%s/%s", l.folder, l.file);
	if (name && !stat(name, &st) && S_ISREG(st.st_mode) && !is_newer(name))
		f = fopen(name, "r");
	int n = 0;
	while (f && n < l.number && getline(&text, &room, f) >= 0)
		n++;
	if (f)
		fclose(f);
	free(name);
	if (n && n == l.number)
		return text;
	free(text);
	return NULL;
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

static char *source_of(const char *path, unsigned long offset)
{
	(void)path;
	(void)offset;
	return NULL;
}

void places_free(void)
{
}
#endif

/* ---- names ---- */

/* Splits "lock /path/of/app+0x1234": returns the path, which the caller frees, or NULL for another
 * state. */
static char *split(const char *state, unsigned long *offset)
{
	const char *path = strstr(state, " /"), *plus = path ? strrchr(path, '+') : NULL;
	char *end = NULL;

	*offset = plus ? strtoul(plus + 1, &end, 16) : 0;
	if (!plus || strncmp(plus, "+0x", 3) != 0 || *end)
		return NULL;
	return xstrndup(path + 1, (size_t)(plus - path - 1));
}

char *place_name(const char *state)
{
	unsigned long offset;
	char *object = split(state, &offset), *line, *name;

	if (!object)
		return xstrdup(state);
	line = line_of(object, offset);
	int word = (int)(strstr(state, " /") - state);
	name = xasprintf("%.*s %s", word, state, line ? line : strrchr(state, '/') + 1);
	free(line);
	free(object);
	return name;
}

char *place_source(const char *state)
{
	unsigned long offset;
	char *object = split(state, &offset), *text = object ? source_of(object, offset) : NULL;

	free(object);
	return text;
}

const char *places_missing(void)
{
	return missing;
}
