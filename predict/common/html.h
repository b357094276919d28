/* SPDX-License-Identifier: MIT */
/* html.h - pages of HTML that need no other file: conf/page.html with the numbers, and a page of
 * conf/ behind it. */
#ifndef COMMON_HTML_H
#define COMMON_HTML_H

#include <jansson.h>

#include "util/error.h"

/* Writes that page of conf/ to a file, or "-" for standard output, for the numbers.  0, or -1 and
 * *e. */
int html_write(const char *page, const json_t *numbers, const char *output, struct error *e);

#endif
