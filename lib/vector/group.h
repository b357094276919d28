/* SPDX-License-Identifier: MIT */
/* group.h - what benchmarks are about: the headings of tables, and the entries of which one lends
 * the cost of another (model/price.h), so that another group is another prediction. */
#ifndef VECTOR_GROUP_H
#define VECTOR_GROUP_H

#include <stddef.h>

/* Some of them. */
enum { GROUP_USER, GROUP_FILES = 5, GROUP_DURABLE };

/* The group of an entry or a program, by the beginning of its name: a number in the order of
 * tables; the last group is that of all names which no other knows. */
size_t group_of(const char *name);
/* What it is called: "signals". */
const char *group_name(size_t group);
/* How many there are. */
size_t group_count(void);

#endif
