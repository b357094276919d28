/* SPDX-License-Identifier: MIT */
#include "util/timestamp.h"

#include <math.h>
#include <time.h>

#include "util/xalloc.h"

static const char format[] = "%Y-%m-%dT%H:%M:%SZ";

char *timestamp_now(void)
{
	char text[32];
	time_t now = time(NULL);
	struct tm utc;

	strftime(text, sizeof(text), format, gmtime_r(&now, &utc));
	return xstrdup(text);
}

double timestamp_seconds(const char *text)
{
	struct tm utc = { 0 };
	const char *end = text ? strptime(text, format, &utc) : NULL;

	return end && !*end ? (double)timegm(&utc) : NAN;
}
