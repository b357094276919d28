/* SPDX-License-Identifier: MIT */
#include "util/error.h"

#include <stdio.h>
#include <string.h>

int error_set(struct error *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return -1;
}

int error_prefix(struct error *e, const char *fmt, ...)
{
	char head[sizeof(e->text)];
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	vsnprintf(head, sizeof(head), fmt, ap);
	va_end(ap);

	size_t used = strlen(head), kept = strlen(e->text);
	if (used > sizeof(e->text) - 3)
		used = sizeof(e->text) - 3;
	if (kept > sizeof(e->text) - 3 - used)
		kept = sizeof(e->text) - 3 - used;
	memmove(e->text + used + 2, e->text, kept);
	memcpy(e->text, head, used);
	memcpy(e->text + used, ": ", 2);
	e->text[used + 2 + kept] = '\0';
	return -1;
}
