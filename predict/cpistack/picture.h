/* SPDX-License-Identifier: MIT */
/* picture.h - stacks to look at: bars over time as SVG, a page, counter tracks for Perfetto. */
#ifndef CPISTACK_PICTURE_H
#define CPISTACK_PICTURE_H

#include "input.h"

/* Writes a picture with a bar for each interval, as Figure 2 of Wisniewski et al. 2007.  0, or -1
 * and *e. */
int picture_svg(const struct input *in, const struct stack *all, const char *path, struct error *e);
/* Writes one page of HTML that needs no other file.  The same. */
int picture_html(const struct input *in, const struct stack *all, const char *path,
		 struct error *e);
/* Prints a counter track of CPI by part, for each unit, as JSON of the Trace Event Format. */
void picture_perfetto(const struct input *in);

#endif
