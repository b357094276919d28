/* SPDX-License-Identifier: MIT */
/* fd_descriptions.h - what the kernel said of descriptors, until the call that it was said for. */
#ifndef FD_DESCRIPTIONS_H
#define FD_DESCRIPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "record/stream/records.h"
#include "trace/event.h"

enum { DESCRIBED_LAST = 64 /* a call has two or three */ };

struct fd_description {
	uint32_t pid;
	int fd;
	uint64_t inode;
	enum fd_kind kind;
	char name[RECORD_NAME + 24]; /* "pipe:[12345]"; "": a path, which is in /proc */
	struct address local, remote;
};

/* Zeroed is valid and empty. */
struct fd_descriptions {
	struct fd_description last[DESCRIBED_LAST];
	size_t n; /* so far */
};

/* Keeps what a record says. */
void fd_descriptions_note(struct fd_descriptions *v, const struct record_descriptor *r);
/*
 * What was said last of fd of process pid, for the `describe` of sink.h: its kind, and its name
 * until the next call; FD_UNKNOWN: nothing.  `of` is a struct fd_descriptions.
 */
enum fd_kind fd_descriptions_find(void *of, uint32_t pid, int fd, const char **name);
/* The same for its addresses, for the `locate` of sink.h; false: it is not connected. */
bool fd_descriptions_locate(void *of, uint32_t pid, int fd, struct event *address);

#endif
