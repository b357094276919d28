/* SPDX-License-Identifier: MIT */
#include "util/xalloc.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *p)
{
	if (!p)
		err(1, "memory");
	return p;
}

void *xmalloc(size_t n)
{
	return must(malloc(n ? n : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return must(calloc(n ? n : 1, size ? size : 1));
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	return must(reallocarray(p, n ? n : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return must(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return must(strndup(s, n));
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s;

	if (vasprintf(&s, fmt, ap) < 0)
		err(1, "memory");
	return s;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

char *xappend(char *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *more = xvasprintf(fmt, ap), *whole = s ? xasprintf("%s%s", s, more) : xstrdup(more);
	va_end(ap);
	free(more);
	free(s);
	return whole;
}
