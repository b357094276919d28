/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <stddef.h>
#include <string.h>

#include "util/number.h"

const struct settings settings_default = {
	.processes_min = 15,
	.processes_max = 60,
	.precision = 0.02,
	.timeout = 60,
};

/* -- parsers of one value: false when the word does not fit ------------------------------------ */

static bool parse_percent(const char *s, double *out)
{
	double v;

	if (!strchr(s, '%') || !number_parse_percent(s, &v) || !(v > 0 && v <= 100))
		return false;
	*out = v / 100;
	return true;
}

static bool parse_duration(const char *s, double *out)
{
	double v;

	if (!number_parse_duration(s, &v) || !(v > 0 && v <= 1e6))
		return false;
	*out = v;
	return true;
}

static bool parse_count(const char *s, double *out)
{
	uint64_t v;

	if (!number_parse_u64(s, &v) || v < 1 || v > 10000)
		return false;
	*out = (double)v;
	return true;
}

/* -- the settings ------------------------------------------------------------------------------ */

#define MEMBER(name) offsetof(struct settings, name)

/* One value goes to both members, two (if the members differ) ascend. */
static const struct setting {
	const char *name, *takes;
	bool (*parse)(const char *s, double *out);
	size_t first, last; /* offsets of members */
} all[] = {
	{ "batch", "a duration such as 1ms", parse_duration, MEMBER(batch), MEMBER(batch) },
	{ "batches", "a number from 1 to 10000", parse_count, MEMBER(batches), MEMBER(batches) },
	{ "processes", "one or two numbers from 1 to 10000, the smaller first", parse_count,
	  MEMBER(processes_min), MEMBER(processes_max) },
	{ "precision", "a percentage such as 2%", parse_percent, MEMBER(precision),
	  MEMBER(precision) },
	{ "budget", "a duration such as 90s", parse_duration, MEMBER(budget), MEMBER(budget) },
	{ "timeout", "a duration such as 60s", parse_duration, MEMBER(timeout), MEMBER(timeout) },
};

static const struct {
	const char *key; /* in meta.json */
	size_t offset;
	double low, high;
} members[] = {
	{ "batch", MEMBER(batch), 0, 1e6 },
	{ "batches", MEMBER(batches), 0, 1e6 },
	{ "processes_min", MEMBER(processes_min), 1, 1e6 },
	{ "processes_max", MEMBER(processes_max), 1, 1e6 },
	{ "precision", MEMBER(precision), 0, 1 },
	{ "budget", MEMBER(budget), 0, 1e9 },
	{ "timeout", MEMBER(timeout), 0, 1e9 },
};

static double *member(struct settings *s, size_t offset)
{
	return (double *)((char *)s + offset);
}

static bool set(struct settings *s, const struct setting *x, char *const *words, size_t n)
{
	double *first = member(s, x->first), *last = member(s, x->last);

	return n >= 1 && n <= (first == last ? 1 : 2) && x->parse(words[0], first) &&
	       x->parse(words[n - 1], last) && *first <= *last;
}

int settings_set(struct settings *s, char *const *words, size_t n, struct error *e)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (strcmp(all[i].name, words[0]))
			continue;
		if (set(s, &all[i], words + 1, n - 1))
			return 0;
		return error_set(e, "set %s takes %s", all[i].name, all[i].takes);
	}
	return error_set(e, "unknown setting '%.60s'", words[0]);
}

json_t *settings_to_json(const struct settings *s)
{
	struct settings copy = *s;
	json_t *o = json_object();

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		json_object_set_new(o, members[i].key,
				    json_double(*member(&copy, members[i].offset)));
	return o;
}

void settings_from_json(struct settings *s, struct fields *f, const json_t *o)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		*member(s, members[i].offset) =
		    field_number(f, o, members[i].key, members[i].low, members[i].high);
}
