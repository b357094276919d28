/* SPDX-License-Identifier: MIT */
/* hbench list: the benchmark programs as they describe themselves, or the entries of a suite. */
#include <dirent.h>
#include <err.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "hbench.h"
#include "process.h"
#include "suite.h"
#include "util/home.h"
#include "util/opt.h"
#include "util/table.h"
#include "util/xalloc.h"

static struct {
	const char *suite;
	bool json, csv;
} set;

static const struct opt options[] = {
	{ 'S', "suite", OPT_STRING, &set.suite, "SUITE",
	  .help = "print the entries of this suite: quick, default, full, thesis or a file" },
	{ 'j', "json", OPT_FLAG, &set.json, .help = "print JSON" },
	{ 0, "csv", OPT_FLAG, &set.csv, .help = "print CSV" },
	{ 0 }
};

static const struct opt_usage usage = {
	"hbench list",
	"[PATTERN...]",
	"Prints the benchmark programs with their parameters and usual values (the axis of a\n"
	"curve is marked with a star), or the entries of a suite.",
	"hbench list -S quick 'lat_*'",
};

static enum table_format format(void)
{
	return set.json ? TABLE_JSON : set.csv ? TABLE_CSV : TABLE_TEXT;
}

/* -- programs ---------------------------------------------------------------------------------- */

/* The values of one parameter: all words of a choice, the ends of a grid. */
static void print_values(FILE *f, const json_t *parameter)
{
	const json_t *values = json_object_get(parameter, "values");
	const char *kind = json_string_value(json_object_get(parameter, "kind"));
	size_t n = json_array_size(values);
	bool choice = kind && !strcmp(kind, "choice");

	for (size_t i = 0; i < n; i++) {
		if (!choice && i > 0 && i + 1 < n) {
			fputs(i == 1 ? "..." : "", f);
			continue;
		}
		fprintf(f, "%s%s", choice && i ? "|" : "",
			json_string_value(json_array_get(values, i)));
	}
}

/* "size* 1...64k; kind tcp|unix"; the caller frees. */
static char *parameters_text(const json_t *description)
{
	const json_t *parameters = json_object_get(description, "parameters"), *p;
	char *text = NULL;
	size_t i, size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		err(1, "memory");
	json_array_foreach(parameters, i, p)
	{
		const char *name = json_string_value(json_object_get(p, "name"));

		fprintf(f, "%s%s%s ", i ? "; " : "", name ? name : "?",
			json_is_true(json_object_get(p, "axis")) ? "*" : "");
		print_values(f, p);
	}
	fclose(f);
	return text;
}

/* "lat_sig  kind install|handle", continued behind a choice where a line ends. */
static void print_program(const char *program, const char *parameters)
{
	int column = printf("%s%s", program, *parameters ? "  " : "");

	for (const char *p = parameters; *p;) {
		int n = (int)strcspn(p, "| ");

		n += p[n] != '\0';
		if (column + n > TABLE_WIDTH)
			column = printf("\n        ") - 1;
		column += printf("%.*s", n, p);
		p += n;
	}
	putchar('\n');
}

/* A table would be too wide: a paragraph per program for people. */
static void add_program(struct table *t, const char *directory, const char *program)
{
	struct error e;
	json_t *description = process_describe(directory, program, &e);
	char *parameters = parameters_text(description);
	const char *summary = json_string_value(json_object_get(description, "summary"));

	if (!description)
		warnx("%s", e.text);
	if (format() == TABLE_TEXT) {
		print_program(program, parameters);
		printf("    %s\n", summary ? summary : "-");
	}
	table_text(t, program);
	table_text(t, parameters);
	table_text(t, summary);
	free(parameters);
	json_decref(description);
}

static bool is_chosen(const char *name, char *const *patterns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return n == 0;
}

/* Programs are executable files without a dot; in a build tree objects lie beside them. */
static bool is_program(const char *directory, const char *name)
{
	char *path = xasprintf("%s/%s", directory, name);
	struct stat st;
	bool is =
	    !strchr(name, '.') && !access(path, X_OK) && !stat(path, &st) && S_ISREG(st.st_mode);

	free(path);
	return is;
}

static int list_programs(char *const *patterns, size_t n)
{
	static const struct table_column columns[] = {
		{ "program", NULL, true },
		{ "parameters", NULL, true },
		{ "summary", NULL, true },
	};
	struct error e;
	char *directory = home_find(HOME_BENCH, NULL, &e);
	struct dirent **found = NULL;
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));
	size_t shown = 0;

	if (!directory)
		errx(1, "%s", e.text);
	int count = scandir(directory, &found, NULL, alphasort);
	if (count < 0)
		err(1, "%s", directory);
	for (int i = 0; i < count; i++) {
		const char *name = found[i]->d_name;

		if (is_program(directory, name) && is_chosen(name, patterns, n)) {
			add_program(t, directory, name);
			shown++;
		}
		free(found[i]);
	}
	free(found);
	if (format() != TABLE_TEXT)
		table_print(t, stdout, format());
	table_free(t);
	if (!shown && n)
		warnx("no benchmark program matches '%s'%s", patterns[0],
		      n > 1 ? " or the others" : "");
	else if (!shown)
		warnx("%s: no benchmark program", directory);
	free(directory);
	return shown ? 0 : 1;
}

/* -- entries ----------------------------------------------------------------------------------- */

static int list_entries(char *const *patterns, size_t n)
{
	static const struct table_column columns[] = {
		{ "entry", NULL, true },
		{ "invocation", NULL, true },
		{ "role", NULL, true },
	};
	static const char *const roles[] = {
		[SUITE_PLAIN] = "",
		[SUITE_CANARY] = "canary",
		[SUITE_CONTROL] = "control",
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));
	struct error e;
	struct suite *s = suite_find_and_read(set.suite, &e);

	if (!s || suite_select(s, patterns, n, &e))
		errx(1, "%s", e.text);
	for (size_t i = 0; i < s->n; i++) {
		char *text = suite_line(&s->entries[i]);

		table_text(t, s->entries[i].name);
		table_text(t, text);
		table_text(t, roles[s->entries[i].role]);
		free(text);
	}
	table_print(t, stdout, format());
	table_free(t);
	suite_free(s);
	return 0;
}

int list_command(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options);
	size_t n = (size_t)(argc - first);

	return set.suite ? list_entries(argv + first, n) : list_programs(argv + first, n);
}
