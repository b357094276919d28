/* SPDX-License-Identifier: MIT */
/* program.h - programs and the processes that run them. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "util/error.h"

enum { PROGRAM_NAME_MAX = 256 };

/* The file that execvp(3) would run for name, in fresh memory; NULL and *e when there is none. */
char *program_find(const char *name, struct error *e);
/* The words as a shell would read them back, in fresh memory; n < 0: up to a NULL. */
char *program_words(const char *const *words, int n);

/* The arguments of process pid as a shell would read them back, in fresh memory; "" when it has none. */
char *program_command(pid_t pid);
/* The file name of pid's program without directories, into out; its short name when the kernel hides the file. */
const char *program_name(pid_t pid, char out[PROGRAM_NAME_MAX]);
/* True when one of the names is pid's program: its file name, or its short name (that of a script). */
bool program_is(pid_t pid, const char *const *names, size_t n);

/* The process of thread tid and that process's parent; 0, or -1 when it is gone. */
int program_parent(pid_t tid, pid_t *pid, pid_t *parent);

#endif
