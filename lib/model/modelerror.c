/* SPDX-License-Identifier: MIT */
#include "model/modelerror.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/home.h"
#include "util/number.h"

enum { FILE_LIMIT = 64 << 10 };

static const struct model_error prior = { 0.12, 0, 0.12, 4, true };

static const struct {
	const char *word;
	size_t offset;
	double least, most;
} numbers[] = {
	{ "spread", offsetof(struct model_error, spread), 0, 2 },
	{ "bias", offsetof(struct model_error, bias), 0, 2 },
	{ "alike", offsetof(struct model_error, alike), 0, 2 },
	{ "freedom", offsetof(struct model_error, freedom), 1, 1e6 },
};

enum { NUMBERS = sizeof(numbers) / sizeof(*numbers) };

/* "spread 0.2" */
static int parse_line(struct model_error *m, char *line, struct error *e)
{
	char *rest = line, *word = strsep(&rest, " \t");
	double value;
	size_t i = 0;

	while (i < NUMBERS && strcmp(word, numbers[i].word))
		i++;
	if (i == NUMBERS)
		return error_set(e, "'%.40s' is not one of spread, bias, alike, freedom", word);
	if (!rest || !number_parse_double(rest, &value) || !(value >= numbers[i].least) ||
	    !(value <= numbers[i].most))
		return error_set(e, "%s takes a number from %g to %g", word, numbers[i].least,
				 numbers[i].most);
	*(double *)((char *)m + numbers[i].offset) = value;
	return 0;
}

int model_error_parse(struct model_error *m, char *text, const char *name, struct error *e)
{
	char *line;

	*m = prior;
	m->prior = false;
	for (size_t n = 1; (line = strsep(&text, "\n")); n++)
		if (*line && *line != '#' && parse_line(m, line, e))
			return error_prefix(e, "%s:%zu", name, n);
	return 0;
}

int model_error_read(struct model_error *m, struct error *e)
{
	size_t n;
	char *path = home_find(HOME_CONF, "model.conf", e);

	*m = prior;
	if (!path)
		return 0;
	char *text = file_read(path, FILE_LIMIT, &n, e);
	int failed = text ? model_error_parse(m, text, path, e) : -1;
	free(text);
	free(path);
	return failed;
}
