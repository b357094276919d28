/* SPDX-License-Identifier: MIT */
#include "util/number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int number_compare(double x, double y, bool ascending)
{
	int order = (x > y) - (x < y);

	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return ascending ? order : -order;
}

/* Parses the digits at s into *out.  Returns what follows them, or NULL. */
static const char *digits(const char *s, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return NULL;
	errno = 0;
	uintmax_t v = strtoumax(s, &end, 10);
	if (errno)
		return NULL;
	*out = v;
	return end;
}

bool number_parse_u64(const char *s, uint64_t *out)
{
	uint64_t v;
	const char *end = digits(s, &v);

	if (!end || *end)
		return false;
	*out = v;
	return true;
}

/* Parses the decimal number at s into *out; hexadecimal, inf and nan are not accepted.  Returns
 * what follows it, or NULL. */
static const char *decimal(const char *s, double *out)
{
	char *end;
	const char *p = s + (*s == '-' || *s == '+');

	if (!isdigit((unsigned char)*p) && !(*p == '.' && isdigit((unsigned char)p[1])))
		return NULL;
	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		return NULL;
	double v = strtod(s, &end);
	if (!isfinite(v))
		return NULL;
	*out = v;
	return end;
}

bool number_parse_double(const char *s, double *out)
{
	double v;
	const char *end = decimal(s, &v);

	if (!end || *end)
		return false;
	*out = v;
	return true;
}

bool number_parse_percent(const char *s, double *out)
{
	double v;
	const char *end = decimal(s, &v);

	if (!end || end[*end == '%'])
		return false;
	*out = v;
	return true;
}

bool number_parse_size(const char *s, uint64_t *out)
{
	static const char suffixes[] = "kKmMgG";
	uint64_t v;
	const char *end = digits(s, &v);
	const char *suffix;
	unsigned shift = 0;

	if (!end)
		return false;
	if (*end && (suffix = strchr(suffixes, *end))) {
		shift = 10 * (1 + (unsigned)(suffix - suffixes) / 2);
		end++;
	}
	if (*end || v > UINT64_MAX >> shift)
		return false;
	*out = v << shift;
	return true;
}

static const struct {
	const char *suffix;
	double seconds;
} durations[] = {
	{ "ns", 1e-9 }, { "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1 },
	{ "m", 60 },	{ "h", 3600 },	{ "", 1 },
};

bool number_parse_duration(const char *s, double *out)
{
	double v;
	const char *end = decimal(s, &v);

	if (!end || v < 0)
		return false;
	for (size_t i = 0; i < sizeof(durations) / sizeof(*durations); i++)
		if (!strcmp(end, durations[i].suffix)) {
			*out = v * durations[i].seconds;
			return true;
		}
	return false;
}

bool number_parse_time(const char *s, double *out)
{
	double plain;

	return number_parse_duration(s, out) && (!number_parse_double(s, &plain) || plain == 0);
}

const char *number_format_size(char *out, uint64_t bytes)
{
	static const char *const suffix[] = { "", "k", "m", "g" };
	size_t i = 0;

	for (; i < 3 && bytes && bytes % 1024 == 0; i++)
		bytes /= 1024;
	snprintf(out, NUMBER_MAX, "%" PRIu64 "%s", bytes, suffix[i]);
	return out;
}

/* Writes a value in [1, 1000) with three significant digits. */
static void three_digits(char *out, double value, const char *unit)
{
	double size = fabs(value);

	snprintf(out, NUMBER_MAX, "%.*f %s", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, value, unit);
}

const char *number_format_duration(char *out, double seconds)
{
	static const char *const unit[] = { "ps", "ns", "us", "ms", "s" };
	double v = seconds * 1e12;
	size_t i = 0;

	if (isnan(seconds))
		return strcpy(out, "-");
	while (fabs(v) >= 999.5 && i + 1 < sizeof(unit) / sizeof(*unit)) {
		v /= 1000;
		i++;
	}
	if (seconds == 0)
		return strcpy(out, "0 s");
	if (fabs(v) >= 1e6)
		snprintf(out, NUMBER_MAX, "%.4g %s", v, unit[i]);
	else
		three_digits(out, v, unit[i]);
	return out;
}

const char *number_format_si(char *out, double value)
{
	static const char *const prefix[] = { "", "k", "M", "G", "T" };
	size_t i = 0;

	if (isnan(value))
		return strcpy(out, "-");
	while (fabs(value) >= 999.5 && i + 1 < sizeof(prefix) / sizeof(*prefix)) {
		value /= 1000;
		i++;
	}
	three_digits(out, value, prefix[i]);
	size_t n = strlen(out);
	if (n && out[n - 1] == ' ')
		out[n - 1] = '\0';
	return out;
}

/* Writes at least `least` digits of v so that they end at `end`.  Returns where they begin. */
static char *put_digits(char *end, uint64_t v, unsigned least)
{
	for (unsigned n = 0; v || n < least; n++, v /= 10)
		*--end = (char)('0' + v % 10);
	return end;
}

const char *number_format_count(char *out, uint64_t v)
{
	char *end = out + NUMBER_MAX - 1;

	*end = '\0';
	return put_digits(end, v, 1);
}

const char *number_format_fixed(char *out, int64_t v, unsigned decimals)
{
	static const uint64_t powers[] = { 1,	   10,	    100,      1000,	 10000,
					   100000, 1000000, 10000000, 100000000, 1000000000 };
	uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;
	char *p = out + NUMBER_MAX - 1;

	*p = '\0';
	if (decimals) {
		p = put_digits(p, size % powers[decimals], decimals);
		*--p = '.';
		size /= powers[decimals];
	}
	p = put_digits(p, size, 1);
	if (v < 0)
		*--p = '-';
	return p;
}
