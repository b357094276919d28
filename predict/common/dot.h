/* SPDX-License-Identifier: MIT */
/* dot.h - what graphs for dot(1) have in common. */
#ifndef COMMON_DOT_H
#define COMMON_DOT_H

/* Prints a name as part of a label between double quotes: what would end or change the label
 * becomes an apostrophe. */
void dot_label(const char *name);

#endif
