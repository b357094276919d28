/* SPDX-License-Identifier: MIT */
/*
 * kdump.h - reads what kdump(1) prints: kdump_line.c turns a line back into the record that it was
 * printed from, kdump.c reads the file.
 */
#ifndef KTRACE_KDUMP_H
#define KTRACE_KDUMP_H

#include "trace/format/ktrace/ktrace.h"

enum { KDUMP_ARGUMENTS = 24, KDUMP_NAME = 64 };

enum kdump_clock { KDUMP_NO_CLOCK, KDUMP_EPOCH, KDUMP_RELATIVE, KDUMP_ELAPSED };

struct kdump {
	struct ktrace k; /* first */
	struct ktrace_layout layout;
	enum kdump_clock clock;
	int64_t now; /* ns */
	uint64_t line;
	bool dropped, ended;
	bool arguments; /* the next lines are the arguments of a program */
	struct ktrace_record before;
	unsigned char payload[8 + 8 * KDUMP_ARGUMENTS];
	char name[KDUMP_NAME];
};

/* What is in front of the body of a line. */
struct kdump_head {
	struct ktrace_record record;
	bool has_time;
	const char *body;   /* the rest of the line */
	size_t type_length; /* of the word in front of the body */
};

/* Parses what is in front of the body.  Returns false if the line does not begin like one of kdump.
 */
bool kdump_parse_head(const char *p, struct kdump_head *h);
/* Sets the payload of *r, which has the head of h.  Returns NULL, or what is wrong with the line.
 */
const char *kdump_make_record(struct kdump *d, struct kdump_head *h, struct ktrace_record *r);
/* Makes what is between the first and the last quote the payload of *r.  Returns NULL, or what is
 * wrong with the line. */
const char *kdump_make_text(const char *p, struct ktrace_record *r);
/* Returns whether the system has a call with that name. */
bool kdump_has_call(const struct os *os, const char *name);
/*
 * Copies a name of n characters as the tables have it: the present calls of NetBSD without the
 * version that it shows, "compat11.stat" of FreeBSD as "freebsd11_stat".
 */
void kdump_copy_name(const struct os *os, const char *p, size_t n, char out[KDUMP_NAME]);

#endif
