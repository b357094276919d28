/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "network/engine.h"
#include "util/number.h"
#include "util/xalloc.h"

static bool parse_share(const char *s, double *out)
{
	size_t n = strlen(s);
	char *number = n && s[n - 1] == '%' ? xstrndup(s, n - 1) : NULL;
	bool fine = number && number_parse_double(number, out) && *out >= 0 && *out <= 95;

	free(number);
	*out /= 100;
	return fine;
}

bool background_parse(const char *s, struct background *out)
{
	struct background b = { .interval = 1e-3 };
	char *copy = xstrdup(s), *interval = strchr(copy, '/'), *share = copy;
	bool fine = true;

	if (interval) {
		*interval++ = '\0';
		fine = number_parse_duration(interval, &b.interval) && b.interval >= 1e-7;
	}
	if (!strcmp(copy, "none") && !interval)
		b.kind = BACKGROUND_NONE;
	else if (!strncmp(copy, "exp:", 4)) {
		b.kind = BACKGROUND_EXPONENTIAL;
		share += 4;
	} else if (!strncmp(copy, "flows:", 6)) {
		b.kind = BACKGROUND_FLOWS;
		share += 6;
	} else
		b.kind = BACKGROUND_CONSTANT;
	if (b.kind != BACKGROUND_NONE)
		fine = fine && parse_share(share, &b.share);
	fine = fine && (!interval || b.kind == BACKGROUND_EXPONENTIAL);
	free(copy);
	if (fine)
		*out = b;
	return fine;
}
