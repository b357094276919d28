/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <stdbool.h>
#include <string.h>

#include "util/number.h"

const struct settings settings_default = {
	.processes_min = 15,
	.processes_max = 60,
	.precision = 0.02,
	.timeout = 60,
};

static bool percent(const char *s, double *out)
{
	size_t n = strlen(s);
	char number[NUMBER_MAX];
	double v;

	if (n < 2 || n >= sizeof(number) || s[n - 1] != '%')
		return false;
	memcpy(number, s, n - 1);
	number[n - 1] = '\0';
	if (!number_parse_double(number, &v) || !(v > 0 && v <= 100))
		return false;
	*out = v / 100;
	return true;
}

static bool duration(const char *s, double *out)
{
	double v;

	if (!number_parse_duration(s, &v) || !(v > 0 && v <= 1e6))
		return false;
	*out = v;
	return true;
}

static bool count(const char *s, uint64_t *out)
{
	uint64_t v;

	if (!number_parse_u64(s, &v) || v < 1 || v > 10000)
		return false;
	*out = v;
	return true;
}

/* Each takes the words behind its name; false when they do not fit. */

static bool set_batch(struct settings *s, char *const *w, size_t n)
{
	return n == 1 && duration(w[0], &s->batch);
}

static bool set_batches(struct settings *s, char *const *w, size_t n)
{
	return n == 1 && count(w[0], &s->batches);
}

static bool set_processes(struct settings *s, char *const *w, size_t n)
{
	return (n == 1 || n == 2) && count(w[0], &s->processes_min) &&
	       count(w[n - 1], &s->processes_max) && s->processes_min <= s->processes_max;
}

static bool set_precision(struct settings *s, char *const *w, size_t n)
{
	return n == 1 && percent(w[0], &s->precision);
}

static bool set_budget(struct settings *s, char *const *w, size_t n)
{
	return n == 1 && duration(w[0], &s->budget);
}

static bool set_timeout(struct settings *s, char *const *w, size_t n)
{
	return n == 1 && duration(w[0], &s->timeout);
}

static const struct setting {
	const char *name, *takes;
	bool (*set)(struct settings *s, char *const *words, size_t n);
} all[] = {
	{ "batch", "a duration such as 1ms", set_batch },
	{ "batches", "a number from 1 to 10000", set_batches },
	{ "processes", "one or two numbers from 1 to 10000, the smaller first", set_processes },
	{ "precision", "a percentage such as 2%", set_precision },
	{ "budget", "a duration such as 90s", set_budget },
	{ "timeout", "a duration such as 60s", set_timeout },
};

int settings_set(struct settings *s, char *const *words, size_t n, struct error *e)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (strcmp(all[i].name, words[0]))
			continue;
		if (all[i].set(s, words + 1, n - 1))
			return 0;
		return error_set(e, "set %s takes %s", all[i].name, all[i].takes);
	}
	return error_set(e, "unknown setting '%.60s'", words[0]);
}
