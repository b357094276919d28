/* SPDX-License-Identifier: MIT */
/* hbench list: the benchmark programs as they describe themselves, or the entries of a suite. */
#include <err.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "vector/group.h"
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

static const struct opt options[] = { { 'S', "suite", OPT_STRING, &set.suite, "SUITE",
					.help = "print the entries of this suite: " SUITE_NAMES },
				      { 'j', "json", OPT_FLAG, &set.json, .help = "print JSON" },
				      { 0, "csv", OPT_FLAG, &set.csv, .help = "print CSV" },
				      { 0 } };

static const struct opt_usage usage = {
	"hbench list",
	"[PATTERN...]",
	"Prints the benchmark programs with their parameters and usual values (the axis of a\n"
	"curve is marked with a star), or the entries of a suite.",
	"hbench list -S quick 'lat_*'",
};

static enum table_format format(void)
{
	return table_format(set.json, set.csv);
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
		if (column + n > table_width(stdout))
			column = printf("\n        ") - 1;
		column += printf("%.*s", n, p);
		p += n;
	}
	putchar('\n');
}

static void print_summary(const char *program, const char *parameters, const char *summary)
{
	print_program(program, parameters);
	printf("    %s\n", summary ? summary : "-");
}

static bool is_chosen(const char *name, char *const *patterns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return n == 0;
}

/* A table would be too wide: a paragraph per program for people. */
static void add_program(struct table *t, const char *directory, const char *program)
{
	struct error e;
	json_t *description = process_describe(directory, program, NULL, 0, &e);
	char *parameters = parameters_text(description);
	const char *summary = json_string_value(json_object_get(description, "summary"));

	if (!description)
		warnx("%s", e.text);
	if (format() == TABLE_TEXT)
		print_summary(program, parameters, summary);
	table_text(t, program);
	table_text(t, parameters);
	table_text(t, summary);
	table_text(t, group_name(group_of(program)));
	free(parameters);
	json_decref(description);
}

static int list_programs(char *const *patterns, size_t n)
{
	static const struct table_column columns[] = {
		{ "program", NULL, TABLE_LEFT },
		{ "parameters", NULL, TABLE_LEFT },
		{ "summary", NULL, TABLE_LEFT },
		{ "group", NULL, TABLE_DATA },
	};
	struct error e;
	char *directory = home_find(HOME_BENCH, NULL, &e);
	struct names programs = { 0 };
	struct table *t = table_of(columns);
	size_t shown = 0;

	if (!directory || process_programs(directory, &programs, &e))
		errx(1, "%s", e.text);
	for (size_t g = 0; g < group_count(); g++) {
		bool headed = format() != TABLE_TEXT;

		for (size_t i = 0; i < programs.n; i++) {
			if (group_of(programs.v[i]) != g || !is_chosen(programs.v[i], patterns, n))
				continue;
			if (!headed)
				printf("%s%s\n\n", shown ? "\n" : "", group_name(g));
			headed = true;
			add_program(t, directory, programs.v[i]);
			shown++;
		}
	}
	if (format() != TABLE_TEXT)
		table_print(t, stdout, format());
	table_free(t);
	if (!shown)
		warnx("no benchmark program matches '%s'%s", patterns[0],
		      n > 1 ? " or the others" : "");
	names_free(&programs);
	free(directory);
	return shown ? 0 : 1;
}

/* -- entries ----------------------------------------------------------------------------------- */

static void add_entry(struct table *t, const struct suite_entry *x, size_t group)
{
	static const char *const roles[] = {
		[SUITE_PLAIN] = "",
		[SUITE_CANARY] = "canary",
		[SUITE_CONTROL] = "control",
	};
	char *text = suite_line(x);

	table_text(t, x->name);
	table_text(t, text);
	table_text(t, roles[x->role]);
	table_text(t, group_name(group));
	free(text);
}

/* How many entries each group has. */
static void print_counts(const struct suite *s, const size_t *count)
{
	static const struct table_column columns[] = {
		{ "entries", NULL, TABLE_RIGHT },
		{ "group", NULL, TABLE_LEFT },
	};
	struct table *t = table_of(columns);

	for (size_t g = 0; g < group_count(); g++)
		if (count[g]) {
			table_count(t, count[g]);
			table_text(t, group_name(g));
		}
	table_count(t, s->n);
	table_text(t, "in all");
	putchar('\n');
	table_end(t, stdout, TABLE_TEXT);
}

static int list_entries(char *const *patterns, size_t n)
{
	static const struct table_column columns[] = {
		{ "entry", NULL, TABLE_LEFT },
		{ "invocation", NULL, TABLE_LEFT },
		{ "role", NULL, TABLE_LIST },
		{ "group", NULL, TABLE_GROUP },
	};
	struct table *t = table_of(columns);
	size_t *count = xcalloc(group_count(), sizeof(*count));
	struct error e;
	struct suite *s = suite_find_and_read(set.suite, &e);

	if (!s || suite_select(s, patterns, n, &e))
		errx(1, "%s", e.text);
	for (size_t g = 0; g < group_count(); g++)
		for (size_t i = 0; i < s->n; i++)
			if (group_of(s->entries[i].program) == g) {
				add_entry(t, &s->entries[i], g);
				count[g]++;
			}
	table_end(t, stdout, format());
	if (format() == TABLE_TEXT)
		print_counts(s, count);
	suite_free(s);
	free(count);
	return 0;
}

int list_command(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options);
	size_t n = (size_t)(argc - first);

	return set.suite ? list_entries(argv + first, n) : list_programs(argv + first, n);
}
