/* SPDX-License-Identifier: MIT */
#include "util/error.h"

#include <stdio.h>
#include <string.h>

#include "util/text.h"

int error_set(struct error *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	text_make_printable(e->text); /* messages quote the contents of files */
	return -1;
}

int error_prefix(struct error *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	struct error kept = *e;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	size_t n = strlen(e->text);
	snprintf(e->text + n, sizeof(e->text) - n, ": %s", kept.text);
	text_make_printable(e->text); /* messages quote the contents of files */
	return -1;
}
