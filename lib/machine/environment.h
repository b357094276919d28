/* SPDX-License-Identifier: MIT */
/*
 * environment.h - what a result depends on besides the program: machine, kernel, configuration and
 * limits, as a list of facts: a key with a dot ("cpu.model") and a value in text.  A fact that the
 * system does not provide is not in the list.  All zero is a valid empty list.
 */
#ifndef MACHINE_ENVIRONMENT_H
#define MACHINE_ENVIRONMENT_H

#include <stddef.h>

struct fact {
	char *key, *value; /* value: printable ASCII, not empty */
};

struct environment {
	struct fact *v;
	size_t n, cap;
};

/* Adds what distinguishes machines: host.name, host.identity, kernel.*, cpu.model. */
void environment_identify(struct environment *env);
/* Adds that and everything else; the filesystem.* facts are about the one that holds directory. */
void environment_collect(struct environment *env, const char *directory);
/* Returns the value of key, or NULL. */
const char *environment_find(const struct environment *env, const char *key);
/* Frees all facts; the list is empty and usable again. */
void environment_free(struct environment *env);

#endif
