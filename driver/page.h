/* SPDX-License-Identifier: MIT */
/* page.h - what machines charge for each entry, grouped by subject: as rows, or side by side. */
#ifndef DRIVER_PAGE_H
#define DRIVER_PAGE_H

#include <stdio.h>

#include "operand.h"
#include "util/table.h"

/* Prints a row for each entry of each of m[n], one at least. */
void page_rows(const struct operand *m, size_t n, FILE *f, enum table_format format);
/* Prints on stdout which machines these are, then a row for each entry and a column for each of
 * m[n], with the best marked.  Rows without a difference are left out unless every is set. */
void page_side_by_side(const struct operand *m, size_t n, bool every);
/* Adds the cell of a share such as 0.023, in percent. */
void page_percent(struct table *t, double share);

/* Says what the flags of v mean, and how many entries have them. */
void page_explain_flags(const struct osvec *v, FILE *f);

#endif
