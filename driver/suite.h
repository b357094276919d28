/* SPDX-License-Identifier: MIT */
/*
 * suite.h - what to measure: one invocation of a benchmark program a line (docs/suite.5).
 *
 *	# comment
 *	set precision 2%
 *	set canary cpu_int lat_mem_rd_64m_random_4k
 *	lat_ctx shared 16k 32
 *	lat_roundtrip pipe 64 @other x2
 *	lat_recv tcp 1 @cold			a single operation with cold caches
 *	lat_recv tcp 1 @after=64k		single operations, 64k touched before each
 *	bw_mem_rd llc				half of what the last cache holds here
 *	lat_path open 4 @threaded @shared x2	two threads on one file
 *	lat_path open,stat *			every combination of the values listed
 */
#ifndef DRIVER_SUITE_H
#define DRIVER_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings.h"
#include "util/error.h"
#include "util/vec.h"

enum suite_role {
	SUITE_PLAIN,
	SUITE_CANARY,  /* measured in every round, to see whether the machine drifts */
	SUITE_CONTROL, /* another entry again, under another name: do the two agree? */
};

/* What suite_find_and_read() takes, for messages. */
#define SUITE_NAMES "quick, default, full, thesis, remote or a file"
#define SUITE_CONTROL_PREFIX "control_" /* of the names of controls */
enum { SUITE_COPIES_MAX = 1024 };

/* How a program measures, in the order of the entry's name; see osvec-bench(7). */
enum suite_mode {
	SUITE_THREADED, /* in a process of two threads */
	SUITE_COLD,	/* single operations with cold caches */
	SUITE_AFTER,	/* single operations after other data and code were touched */
	SUITE_SHARED,	/* copies on one object */
	SUITE_MODES,
};

extern const struct suite_mode_name {
	const char *word;   /* in a suite and in the name: "@cold"; a size follows "@after=" */
	const char *option; /* of the program: "-1", before the size */
} suite_modes[SUITE_MODES];

struct suite_entry {
	char *name;	/* of the entry: lat_roundtrip_pipe_64@other@coldx2 */
	char *measured; /* the name that the program prints: without SUITE_CONTROL_PREFIX */
	char *program;
	char **words; /* its parameters */
	size_t nwords;
	/* Where words name levels of the memory hierarchy (levels.h), else NULL, 0 and NULL: */
	char **operands;	  /* the words with sizes instead; NULL: not known yet */
	uint64_t level_bytes;	  /* what the level stood for */
	const char *lacks;	  /* the level that this machine does not have */
	char *placement;	  /* NULL: the program's default */
	bool moved;		  /* to the same CPU, as there is no other */
	char *modes[SUITE_MODES]; /* "@after=64k"; NULL: not so */
	unsigned copies;	  /* at once, >= 1 */
	enum suite_role role;
	char *twin;    /* CONTROL: the entry it repeats */
	size_t line;   /* of the file */
	size_t number; /* its position in the suite, from 0 */
};

struct suite {
	char *name; /* of the file, as given */
	struct settings settings;
	struct suite_entry *entries;
	size_t n;
};

/* Reads a file; "-" is stdin.  NULL and *e ("quick.suite:12: unknown placement '@here'") on any
 * error, here and below.  The caller frees the suite. */
struct suite *suite_read(const char *path, struct error *e);
/* A name such as "quick" is a suite that comes with hbench; one with a dot or a slash is a file. */
struct suite *suite_find_and_read(const char *name, struct error *e);
/* Whether suite_find_and_read would look for a file, or knows the name. */
bool suite_is_known(const char *name);
/*
 * From n bytes in memory; name stands for the file in messages.  programs is the directory of the
 * benchmark programs, which are asked for their values where a '*' stands, spell the entries, fill
 * in parameters that are left out, and refuse what they cannot measure; what cannot be asked stays
 * as it is, and fails when it is measured.  NULL: entries stay as they are, and a '*' is an error.
 */
struct suite *suite_parse(const char *text, size_t n, const char *name, const char *programs,
			  struct error *e);
/*
 * What operands mean without an option -S (name NULL): lines of a suite, if one of them has a blank
 * or is a program in the directory, where a program alone stands for all the values that it
 * declares; else patterns of entries of the suite that the first of them names, or of the default
 * suite.  With a name all are patterns.  NULL and *e on an error; errno is then EINVAL if lines on
 * the command line are the mistake.
 */
struct suite *suite_from_operands(const char *name, char *const *operands, size_t n,
				  const char *directory, struct error *e);
/* NULL is fine. */
void suite_free(struct suite *s);
/* Copies of n words, and of an entry without its names and its twin; the caller frees them. */
char **suite_copy_words(char *const *words, size_t n);
struct suite_entry suite_copy_entry(const struct suite_entry *from);
/* Frees what x points to. */
void suite_free_entry(struct suite_entry *x);

/* Keeps the entries whose name or program matches one of the shell patterns, and the controls of
 * kept entries; n = 0 keeps all.  -1 and *e when a pattern matches nothing. */
int suite_select(struct suite *s, char *const *patterns, size_t n, struct error *e);
/* Adds n copies at once of every entry that is measured alone and is no control, after all others;
 * n = 1 adds none. */
void suite_add_copies(struct suite *s, unsigned n);
/* Whether an entry of this name is a control. */
bool suite_is_control(const char *name);
/* The index of the entry of this name, or SIZE_MAX. */
size_t suite_find(const struct suite *s, const char *name);
/* The line of a suite that measures x: "lat_roundtrip pipe 64 @other x2".  The caller frees. */
char *suite_line(const struct suite_entry *x);
/* The text of a suite with these entries and roles, but without settings.  The caller frees. */
char *suite_text(const struct suite *s);
/* The parameters that the program gets: the words, with sizes in place of levels. */
char *const *suite_operands(const struct suite_entry *x);
typedef VEC(char *) suite_arguments;
/* Appends what the program gets: options and parameters, each to be freed. */
void suite_add_arguments(suite_arguments *a, const struct suite_entry *x);
/* Gives x the name that its words make. */
void suite_name_entry(struct suite_entry *x);
/* Lets its program spell x and fill in what is left out, if it can be asked.  0, or -1 and *e: the
 * program refuses x. */
int suite_spell_entry(struct suite_entry *x, const char *directory, struct error *e);

#endif
