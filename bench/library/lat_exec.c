/* SPDX-License-Identifier: MIT */
/* The shared library of which lat_exec starts programs with copies: 64 functions, and a table of
 * their addresses and of some of the C library, which the dynamic linker has to look up. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTION(number) \
	int library_##number(int x); \
	int library_##number(int x) \
	{ \
		return x ^ (number); \
	}
#define ADDRESS(number) (void *)library_##number,

#define FOUR(make, p) make(p##0) make(p##1) make(p##2) make(p##3)
#define MANY(make, p) FOUR(make, p##0) FOUR(make, p##1) FOUR(make, p##2) FOUR(make, p##3)
#define ALL(make) MANY(make, 1) MANY(make, 2) MANY(make, 3) MANY(make, 4)

ALL(FUNCTION)

extern void *const library_addresses[];
void *const library_addresses[] = {
	ALL(ADDRESS)(void *) malloc,
	(void *)free,
	(void *)realloc,
	(void *)memcpy,
	(void *)memset,
	(void *)strlen,
	(void *)strcmp,
	(void *)strchr,
	(void *)getenv,
	(void *)qsort,
	(void *)strtol,
	(void *)snprintf,
	(void *)fopen,
	(void *)fclose,
	(void *)fread,
	(void *)fwrite,
	(void *)open,
	(void *)read,
	(void *)write,
	(void *)close,
};
