/* SPDX-License-Identifier: MIT */
/*
 * suite.h - what to measure: one invocation of a benchmark program a line (docs/suite.5).
 *
 *	# comment
 *	set precision 2%
 *	set canary cpu_int lat_mem_rd_64m_random_4k
 *	lat_ctx shared 16k 32
 *	lat_roundtrip pipe 64 @other x2
 */
#ifndef SUITE_H
#define SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings.h"
#include "util/error.h"

enum suite_role {
	SUITE_PLAIN,
	SUITE_CANARY,  /* measured in every round: does the machine drift? */
	SUITE_CONTROL, /* another entry again, under another name: do the two agree? */
};

struct suite_entry {
	char *name;	/* of the entry: lat_roundtrip_pipe_64@otherx2 */
	char *measured; /* as the program names what it measures: lat_roundtrip_pipe_64@other */
	char *program;
	char **words; /* its parameters */
	size_t nwords;
	char *placement; /* NULL: the program's default */
	unsigned copies; /* run in parallel, >= 1 */
	enum suite_role role;
	char *twin; /* CONTROL: the entry it repeats */
	size_t line;
};

struct suite {
	char *name; /* of the file, as given */
	char *text; /* of the file */
	struct settings settings;
	struct suite_entry *entries;
	size_t n;
};

/* NULL and *e ("quick.suite:12: unknown placement '@here'") on any error. */
struct suite *suite_read(const char *path, struct error *e);
/* A name such as "quick" is a suite that comes with this program, anything with a dot or slash a
 * file, "-" is stdin. */
struct suite *suite_find_and_read(const char *name, struct error *e);
/* From memory; name stands for the file in messages. */
struct suite *suite_parse(const char *text, size_t n, const char *name, struct error *e);
/* NULL is fine. */
void suite_free(struct suite *s);

/* Keeps the entries whose name or program matches one of the shell patterns, and the controls of
 * kept entries; n = 0 keeps all.  -1 and *e when a pattern matches nothing. */
int suite_select(struct suite *s, char *const *patterns, size_t n, struct error *e);
/* Keeps the entries of these very names, and the controls of them; n = 0 keeps all.
 * -1 and *e when one is missing. */
int suite_keep(struct suite *s, char *const *names, size_t n, struct error *e);
/* Is it the name of a control? */
bool suite_is_control(const char *name);
/* The index of the entry, or SIZE_MAX. */
size_t suite_find(const struct suite *s, const char *name);

#endif
