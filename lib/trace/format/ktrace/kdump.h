/* SPDX-License-Identifier: MIT */
/*
 * kdump.h - the reader of what kdump(1) prints: kdump_line.c makes of a line the record that it was
 * printed from, kdump.c reads the file.
 */
#ifndef KDUMP_H
#define KDUMP_H

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
	bool arguments; /* those of a program are on the next lines */
	struct ktrace_record before;
	unsigned char payload[8 + 8 * KDUMP_ARGUMENTS];
	char name[KDUMP_NAME];
};

/* What is in front of the body of a line. */
struct kdump_head {
	struct ktrace_record record;
	bool has_time;
	const char *body;   /* the rest of the line */
	size_t type_length; /* of the word in front of it */
};

/* Parses what is in front of the body; false if the line does not begin as one of kdump. */
bool kdump_parse_head(const char *p, struct kdump_head *h);
/* Fills in the payload of *r, which has h's head.  NULL, or what is wrong with the line. */
const char *kdump_make_record(struct kdump *d, struct kdump_head *h, struct ktrace_record *r);
/* What is between the first and the last quote, as the payload.  NULL, or what is wrong. */
const char *kdump_make_text(const char *p, struct ktrace_record *r);
/* True if the system has a call of that name. */
bool kdump_has_call(const struct os *os, const char *name);
/*
 * The name of n characters as the tables have it: NetBSD's present calls without the version that
 * it shows, FreeBSD's "compat11.stat" as "freebsd11_stat".
 */
void kdump_copy_name(const struct os *os, const char *p, size_t n, char out[KDUMP_NAME]);

#endif
