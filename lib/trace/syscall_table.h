/* SPDX-License-Identifier: MIT */
/* syscall_table.h - the rows behind syscalls.h; nobody else needs them. */
#ifndef SYSCALL_TABLE_H
#define SYSCALL_TABLE_H

#include <stddef.h>

#include "trace/syscalls.h"

extern const struct syscall syscall_table[];
extern const size_t syscall_table_rows;

/* A call whose name says too little about its cost: (args[argument] & mask) == value is WORD. */
struct syscall_variant {
	const char *call;
	unsigned argument;
	uint64_t mask, value;
	const char *word;
};

/* The rows of one call follow each other; the first that holds counts. */
extern const struct syscall_variant syscall_variants[];
extern const size_t syscall_variant_rows;

#endif
