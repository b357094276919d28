/* SPDX-License-Identifier: MIT */
/* html.h - pages of HTML that need no other file: the numbers are put into one of conf/. */
#ifndef HTML_H
#define HTML_H

#include <jansson.h>

#include "util/error.h"

/* Writes that page of conf/ to a file, with the numbers where it says "osvec data".  0, or -1 and
 * *e. */
int html_write(const char *page, const json_t *numbers, const char *output, struct error *e);

#endif
