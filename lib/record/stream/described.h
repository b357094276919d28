/* SPDX-License-Identifier: MIT */
/* described.h - what the kernel said of descriptors, until the call that it was said for. */
#ifndef DESCRIBED_H
#define DESCRIBED_H

#include <stddef.h>
#include <stdint.h>

#include "record/stream/records.h"
#include "trace/event.h"

enum { DESCRIBED_LAST = 64 /* a call has two or three */ };

struct described_fd {
	uint32_t pid;
	int fd;
	uint64_t inode;
	enum fd_kind kind;
	char name[RECORD_NAME + 24]; /* "pipe:[12345]"; "": a path, which is in /proc */
	struct address local, remote;
};

/* Zeroed is valid and empty. */
struct described {
	struct described_fd last[DESCRIBED_LAST];
	size_t n; /* so far */
};

/* Keeps what a record says. */
void described_note(struct described *v, const struct record_descriptor *r);
/*
 * What was said last of fd of process pid, for the `describe` of sink.h: its kind, and its name
 * until the next call; FD_UNKNOWN: nothing.  `of` is a struct described.
 */
enum fd_kind described_find(void *of, uint32_t pid, int fd, const char **name);
/* The same for its addresses, for the `locate` of sink.h; false: it is not connected. */
bool described_locate(void *of, uint32_t pid, int fd, struct event *address);

#endif
