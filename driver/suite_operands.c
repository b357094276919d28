/* SPDX-License-Identifier: MIT */
/* The suite that a command line asks for: see suite.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"
#include "suite.h"
#include "util/xalloc.h"

/* Programs of lmbench that are called otherwise here. */
static const struct {
	const char *theirs, *ours;
} lmbench[] = {
	{ "bw_file_rd", "bw_file read" },     { "bw_pipe", "bw_stream pipe" },
	{ "bw_tcp", "bw_stream tcp" },	      { "bw_unix", "bw_stream unix" },
	{ "lat_pipe", "lat_roundtrip pipe" }, { "lat_tcp", "lat_roundtrip tcp" },
	{ "lat_udp", "lat_roundtrip udp" },   { "lat_unix", "lat_roundtrip unix" },
};

/* What lmbench calls by the first n bytes of line is called here, or NULL. */
static const char *translate(const char *line, size_t n)
{
	for (size_t i = 0; i < sizeof(lmbench) / sizeof(*lmbench); i++)
		if (!strncmp(line, lmbench[i].theirs, n) && !lmbench[i].theirs[n])
			return lmbench[i].ours;
	return NULL;
}

/* Whether an operand is a line of a suite: it has a blank, or is one of the programs. */
static bool is_line(const char *operand, const struct names *programs)
{
	return strpbrk(operand, " \t") || names_find(programs, operand) != SIZE_MAX ||
	       translate(operand, strlen(operand));
}

/* The program with a '*' for each parameter; a silent one keeps its usual value. */
static char *all_values(const char *program, const char *directory)
{
	json_t *o = process_describe(directory, program, NULL, 0, NULL), *p;
	char *line = xstrdup(program);
	size_t i;

	json_array_foreach(json_object_get(o, "parameters"), i, p)
	{
		if (!json_is_true(json_object_get(p, "silent")))
			line = xappend(line, " *");
	}
	json_decref(o);
	return line;
}

static int refuse_program(const char *program, const struct names *programs, struct error *e)
{
	const char *nearest = names_nearest(programs, program);

	return error_set(e, "no benchmark program '%s'%s%s%s (see 'hbench list')", program,
			 nearest ? "; did you mean '" : "", nearest ? nearest : "",
			 nearest ? "'?" : "");
}

/* The line as a suite has it; NULL and *e when it names no program. */
static char *complete(const char *line, const char *directory, const struct names *programs,
		      struct error *e)
{
	size_t n = strcspn(line, " \t");
	const char *ours = translate(line, n);
	char *program = xstrndup(line, n), *whole = NULL;

	if (ours)
		whole = xasprintf("%s%s", ours, line[n] ? line + n : " *");
	else if (line[n] && !strcmp(program, "set"))
		whole = xstrdup(line);
	else if (names_find(programs, program) == SIZE_MAX)
		refuse_program(program, programs, e);
	else
		whole = line[n] ? xstrdup(line) : all_values(program, directory);
	free(program);
	return whole;
}

static struct suite *from_lines(char *const *lines, size_t n, const char *directory,
				const struct names *programs, struct error *e)
{
	char *text = xstrdup("");
	struct suite *s = NULL;
	size_t i = 0;

	for (; i < n; i++) {
		char *line = complete(lines[i], directory, programs, e);

		if (!line)
			break;
		text = xappend(text, "%s\n", line);
		free(line);
	}
	if (i == n)
		s = suite_parse(text, strlen(text), "command line", directory, e);
	free(text);
	return s;
}

struct suite *suite_from_operands(const char *name, char *const *operands, size_t n,
				  const char *directory, struct error *e)
{
	struct names programs = { 0 };
	struct suite *s = NULL;
	bool lines = false;

	if (process_programs(directory, &programs, e))
		return NULL;
	for (size_t i = 0; i < n && !name; i++)
		lines |= is_line(operands[i], &programs);
	if (lines) {
		s = from_lines(operands, n, directory, &programs, e);
	} else if (n && !name && suite_is_known(operands[0])) {
		s = suite_from_operands(operands[0], operands + 1, n - 1, directory, e);
	} else if ((s = suite_find_and_read(name ? name : "default", e)) &&
		   suite_select(s, operands, n, e)) {
		suite_free(s);
		s = NULL;
	}
	names_free(&programs);
	errno = lines ? EINVAL : 0;
	return s;
}
