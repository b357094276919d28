/* SPDX-License-Identifier: MIT */
/*
 * ktrace_record.h - parses the records of ktrace.out as FreeBSD, NetBSD, OpenBSD and macOS write
 * them.
 *
 * The file has no header that says which system wrote it, for how wide a machine and in which order
 * of bytes.  A layout is right if the records that it gives follow each other without a gap, and
 * the records of calls are as long as they say.
 */
#ifndef KTRACE_KTRACE_RECORD_H
#define KTRACE_KTRACE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/os.h"

/* The types that all systems have, and those that mean the same where they exist. */
enum ktrace_type {
	KTRACE_SYSCALL = 1,
	KTRACE_SYSRET = 2,
	KTRACE_NAMEI = 3,
	KTRACE_GENIO = 4,
	KTRACE_PSIG = 5,
	KTRACE_CSW = 6,
	KTRACE_EMUL = 7,      /* NetBSD */
	KTRACE_STRUCT = 8,    /* FreeBSD, OpenBSD */
	KTRACE_EXEC_ARG = 10, /* NetBSD (one each), OpenBSD (all) */
	KTRACE_PROCCTOR = 10, /* FreeBSD: the process is seen for the first time */
	KTRACE_PROCDTOR = 11, /* FreeBSD: the process is gone */
	KTRACE_FAULT = 13,    /* FreeBSD */
	KTRACE_EXEC_FD = 15,  /* NetBSD */
};

enum {
	KTRACE_HEADER_MAX = 64,	       /* bytes of the longest header */
	KTRACE_PAYLOAD_MAX = 16 << 20, /* bytes: writers split what is longer than a page */
	KTRACE_COMM = 24,
};

/* Where the fields of a header are, and of how many bytes. */
struct ktrace_field {
	uint8_t at, bytes;
};

struct ktrace_layout {
	const struct os *os;
	uint8_t orders;	 /* the byte orders that exist: KTRACE_LITTLE | KTRACE_BIG */
	uint8_t version; /* of the record; OpenBSD and macOS have none */
	uint8_t header;	 /* bytes */
	uint8_t word;	 /* bytes of a register */
	bool micro;	 /* fractions of seconds are microseconds, not nanoseconds */
	struct ktrace_field length, comm, seconds, fraction;
	struct ktrace_field tid, cpu; /* 0 bytes: not there */
};

enum { KTRACE_LITTLE = 1, KTRACE_BIG = 2 };

/* A layout in one order of bytes. */
struct ktrace_form {
	const struct ktrace_layout *layout;
	bool swapped; /* not in the byte order of this machine */
	bool big;
};

struct ktrace_record {
	unsigned type;
	bool begins;  /* OpenBSD's record at the start of a file, which says nothing else */
	bool dropped; /* FreeBSD: at least one record before this one is missing */
	uint32_t pid;
	uint32_t tid; /* 0: unknown */
	uint32_t cpu; /* plus 1; 0: unknown */
	int64_t time; /* ns since 1970 */
	char comm[KTRACE_COMM + 1];
	const char *call;	   /* its name, which then counts in place of its number, or NULL */
	const unsigned char *data; /* n bytes */
	size_t n;
};

/* Returns the integer of 2, 4 or 8 bytes at p. */
uint64_t ktrace_get(const struct ktrace_form *f, const unsigned char *p, unsigned bytes);
/* Returns the same as a signed number. */
int64_t ktrace_get_signed(const struct ktrace_form *f, const unsigned char *p, unsigned bytes);

/*
 * Parses the header at p, where n bytes are, into *r.  r->data points after it, whether or not so
 * much data is there.  Returns false if it cannot be a header.
 */
bool ktrace_parse(const struct ktrace_form *f, const unsigned char *p, size_t n,
		  struct ktrace_record *r);
/* Returns whether the payload, all of which is there, has a length that a record of this type may
 * have.
 */
bool ktrace_is_whole(const struct ktrace_form *f, const struct ktrace_record *r);

/* The payload of a SYSCALL record: its number, and its registers (count of size bytes each). */
struct ktrace_call {
	unsigned number;
	const unsigned char *registers;
	unsigned count, size;
};

/* Parses the payload of a SYSCALL record.  Returns false if it is not as long as it says. */
bool ktrace_parse_call(const struct ktrace_form *f, const struct ktrace_record *r,
		       struct ktrace_call *out);

/*
 * Returns the first place in data[n] where records begin, or n if there is none, and sets *f to
 * their form, which stays the same if it fits.  Three records make a beginning; if nothing follows
 * them (at_end) fewer do, if they have the form *f or are at data.
 */
size_t ktrace_find(const unsigned char *data, size_t n, bool at_end, struct ktrace_form *f);

#endif
