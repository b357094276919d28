/* SPDX-License-Identifier: MIT */
#include "cpus.h"

#include <ctype.h>

size_t cpus_allowed(int *out)
{
	cpu_set_t set;
	size_t n = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (int c = 0; c < CPU_SETSIZE; c++)
		if (CPU_ISSET(c, &set))
			out[n++] = c;
	return n;
}

/* A CPU number at *s, moving *s behind it; -1: none. */
static int number(const char **s)
{
	int v = 0;

	if (!isdigit((unsigned char)**s))
		return -1;
	for (; isdigit((unsigned char)**s); ++*s)
		if ((v = v * 10 + (**s - '0')) >= CPU_SETSIZE)
			return -1;
	return v;
}

static int parse_into(const char *list, cpu_set_t *set)
{
	CPU_ZERO(set);
	for (const char *s = list;; s++) {
		int first = number(&s), last = first;

		if (*s == '-') {
			s++;
			last = number(&s);
		}
		if (first < 0 || last < first || (*s && *s != ','))
			return -1;
		for (int c = first; c <= last; c++)
			CPU_SET(c, set);
		if (!*s)
			return 0;
	}
}

int cpus_parse(const char *list, int *out, size_t *n, struct error *e)
{
	int allowed[CPU_SETSIZE];
	size_t nallowed = cpus_allowed(allowed);
	cpu_set_t set;

	if (parse_into(list, &set))
		return error_set(e, "'%s' is no list of CPUs such as 0,2-5", list);
	*n = 0;
	for (size_t i = 0; i < nallowed; i++)
		if (CPU_ISSET(allowed[i], &set)) {
			out[(*n)++] = allowed[i];
			CPU_CLR(allowed[i], &set);
		}
	for (int c = 0; c < CPU_SETSIZE; c++)
		if (CPU_ISSET(c, &set))
			return error_set(e, "CPU %d is not one that this process may use", c);
	return 0;
}
