/* SPDX-License-Identifier: MIT */
#include "places.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "util/vec.h"

#ifdef HAVE_DW
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#endif

enum { SHOWN = 4 }; /* functions of a stack */

static const char between[] = " < ";
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

/* Moves *l to where the inlined function is called; false: that is unknown. */
static bool leave_inlined(Dwarf_Die *function, Dwarf_Die *unit, struct line *l)
{
	Dwarf_Attribute a;
	Dwarf_Word file, number;
	Dwarf_Files *files;

	if (dwarf_formudata(dwarf_attr(function, DW_AT_call_file, &a), &file) ||
	    dwarf_formudata(dwarf_attr(function, DW_AT_call_line, &a), &number) ||
	    dwarf_getsrcfiles(unit, &files, NULL) || !dwarf_filesrc(files, file, NULL, NULL))
		return false;
	l->file = dwarf_filesrc(files, file, NULL, NULL);
	l->number = (int)number;
	return true;
}

/* Stores the functions that the address, at line l, is in: each is inlined into the next.  Those of
 * a header of the system, such as that of std::mutex, are left out.  Returns their number. */
static size_t find_inlined(Dwfl_Module *module, Dwarf_Addr at, struct line l, struct line *lines,
			   size_t most)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = dwfl_module_addrdie(module, at, &bias), *inner = NULL, *scopes = NULL;
	int n = unit && dwarf_getscopes(unit, at - bias, &inner) > 0
		    ? dwarf_getscopes_die(inner, &scopes)
		    : 0;
	size_t found = 0;

	for (int i = 0; i < n && found < most; i++) {
		Dwarf_Attribute a;
		int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		if (dwarf_formstring(dwarf_attr_integrate(&scopes[i], DW_AT_linkage_name, &a)))
			l.function = dwarf_formstring(&a);
		else if (dwarf_diename(&scopes[i]))
			l.function = dwarf_diename(&scopes[i]);
		if (strncmp(l.file, "/usr/include/", 13) != 0 || tag == DW_TAG_subprogram)
			lines[found++] = l;
		if (tag == DW_TAG_subprogram || !leave_inlined(&scopes[i], unit, &l))
			break;
	}
	if (!found)
		lines[found++] = l;
	free(inner);
	free(scopes);
	return found;
}

/* Returns the name as it is in the source, if it is one of C++ and there is a library of that,
 * which knows; the caller frees. */
static char *readable(const char *name)
{
	static char *(*demangle)(const char *, char *, size_t *, int *);
	static void *library;
	char *found = NULL;

	if (strncmp(name, "_Z", 2) != 0)
		return xstrdup(name);
	if (!library && (library = dlopen("libstdc++.so.6", RTLD_NOW)))
		*(void **)&demangle = dlsym(library, "__cxa_demangle");
	if (demangle)
		found = demangle(name, NULL, NULL, NULL);
	return found ? found : xstrdup(name);
}

/* Returns the name of the function that the address is in, by the symbols; NULL: in none. */
static const char *symbol_at(Dwfl_Module *module, Dwarf_Addr at)
{
	GElf_Off offset = 0;
	GElf_Sym symbol = { 0 };
	const char *name = dwfl_module_addrinfo(module, at, &offset, &symbol, NULL, NULL, NULL);

	return offset < symbol.st_size ? name : NULL;
}

static bool is_newer(const char *path)
{
	struct stat st;

	return written && !stat(path, &st) && st.st_mtime > written;
}

/* Stores the line, and where functions are inlined those around it; members may be unknown: NULL.
 * Returns their number. */
static size_t find_lines(const char *path, unsigned long offset, struct line *lines, size_t most)
{
	Dwfl_Module *module = NULL;
	Dwarf_Addr start;

	if (is_newer(path))
		missing = "some places are shown as addresses: the program is newer than the trace";
	else
		module = module_of(path);
	if (!module || !dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL))
		return 0;
	struct line l = { .function = symbol_at(module, start + offset) };
	Dwfl_Line *line = dwfl_module_getsrc(module, start + offset);
	if (line) {
		l.file = dwfl_lineinfo(line, NULL, &l.number, NULL, NULL, NULL);
		l.folder = dwfl_line_comp_dir(line);
	}
	if (l.file)
		return find_inlined(module, start + offset, l, lines, most);
	missing = "some places have no source line: the program has no debugging information, "
		  "or was removed";
	lines[0] = l;
	return l.function ? 1 : 0;
}

/* Returns "hold app.c:42", "hold", or NULL; with the functions that it is inlined into, up to so
 * many in all, "hold app.c:42 < main app.c:7".  The caller frees. */
static char *lines_of(const char *path, unsigned long offset, size_t most)
{
	struct line lines[SHOWN];
	size_t n = find_lines(path, offset, lines, most);
	char *text = n ? xstrdup("") : NULL;

	for (size_t i = 0; i < n; i++) {
		const struct line *l = &lines[i];
		char *function = readable(l->function ? l->function : "?");
		const char *slash = l->file ? strrchr(l->file, '/') : NULL;

		text = xappend(text, "%s%s", i ? between : "", function);
		if (l->file)
			text = xappend(text, " %s:%d", slash ? slash + 1 : l->file, l->number);
		free(function);
	}
	return text;
}

static char *source_of(const char *path, unsigned long offset)
{
	struct line l = { 0 };
	char *name = NULL, *text = NULL;
	size_t room = 0;
	FILE *f = NULL;
	struct stat st;

	find_lines(path, offset, &l, 1);
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
static char *lines_of(const char *path, unsigned long offset, size_t most)
{
	(void)path;
	(void)offset;
	(void)most;
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

/* ---- frames ---- */

/* Splits "/path/of/app+0x1234": returns the path, which the caller frees, or NULL for another text.
 */
static char *split_frame(const char *frame, unsigned long *offset)
{
	const char *plus = *frame == '/' ? strrchr(frame, '+') : NULL;
	char *end = NULL;

	*offset = plus ? strtoul(plus + 1, &end, 16) : 0;
	if (!plus || strncmp(plus, "+0x", 3) != 0 || *end)
		return NULL;
	return xstrndup(frame, (size_t)(plus - frame));
}

/* The same for "lock /path/of/app+0x1234". */
static char *split(const char *state, unsigned long *offset)
{
	const char *frame = strstr(state, " /");

	return frame ? split_frame(frame + 1, offset) : NULL;
}

/* ---- stacks ---- */

/* Libraries of which the program is not told apart by where in them it is. */
static bool is_of_system(const char *path)
{
	static const char *const names[] = { "ld-linux",	 "ld-musl",	 "libc.so",
					     "libpthread.so",	 "libstdc++.so", "libc++.so",
					     "libosvec-sites.so" };
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; slash && i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(slash + 1, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Returns up to `most` functions of a frame, NULL if it is one of the system; the caller frees. */
static char *frame_name(const char *frame, size_t most)
{
	unsigned long offset;
	char *object = split_frame(frame, &offset), *name = NULL;

	if (object && !is_of_system(object) && !(name = lines_of(object, offset, most)))
		name = xstrdup(strrchr(frame, '/') + 1);
	free(object);
	return name;
}

/* The end of a text, before the next frame. */
static char *end_of_frame(char *text)
{
	char *end = strstr(text, " < /");

	return end ? end : text + strlen(text);
}

static size_t count_frames(const char *text)
{
	size_t n = 1;

	for (; (text = strstr(text, between)); text++)
		n++;
	return n;
}

char *place_stack(const char *frames)
{
	char *all = xstrdup(frames), *text = xstrdup("");
	size_t shown = 0;

	for (char *frame = all, *end; *frame && shown < SHOWN; frame = end) {
		end = end_of_frame(frame);
		if (*end) {
			*end = '\0';
			end += sizeof(between) - 1;
		}
		char *name = frame_name(frame, SHOWN - shown);
		if (name) {
			text = xappend(text, "%s%s", shown ? between : "", name);
			shown += count_frames(name);
		}
		free(name);
	}
	const char *slash = strrchr(all, '/'); /* of the innermost frame, if all have been seen */
	if (!shown)
		text = xappend(text, "%s", slash ? slash + 1 : all);
	free(all);
	return text;
}

/* ---- marks ---- */

char *place_name(const char *state)
{
	unsigned long offset;
	char *object = split(state, &offset), *line, *name;

	if (!object)
		return xstrdup(state);
	line = lines_of(object, offset, 1);
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
