/* SPDX-License-Identifier: MIT */
/*
 * environment.h - what a result depends on besides the program: machine, kernel, configuration,
 * limits.
 *
 * A list of facts, each a key with a dot ("cpu.model") and a value in text.  What the system does
 * not tell is not in the list; nothing is guessed.
 *
 *	struct environment env = { 0 };
 *	environment_collect(&env, ".");
 *	for (size_t i = 0; i < env.n; i++)
 *		use(env.v[i].key, env.v[i].value);
 *	environment_free(&env);
 */
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include <stddef.h>

struct fact {
	char *key, *value; /* value: printable ASCII, not empty */
};

struct environment {
	struct fact *v;
	size_t n, cap;
};

/* Adds what tells machines apart: host.name, host.identity, kernel.*, cpu.model. */
void environment_identify(struct environment *env);
/* Adds that and all else that can be found out; the filesystem.* facts are about the one that holds directory. */
void environment_collect(struct environment *env, const char *directory);
/* The value of key, or NULL. */
const char *environment_find(const struct environment *env, const char *key);
/* Returns the memory; the list is empty and usable again. */
void environment_free(struct environment *env);

#endif
