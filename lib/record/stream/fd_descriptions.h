/* SPDX-License-Identifier: MIT */
/* fd_descriptions.h - keeps what the kernel said of descriptors until the call for which it was
 * said. */
#ifndef STREAM_FD_DESCRIPTIONS_H
#define STREAM_FD_DESCRIPTIONS_H

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

/* A zeroed struct is valid and empty. */
struct fd_descriptions {
	struct fd_description last[DESCRIBED_LAST];
	size_t n; /* noted so far */
};

/* Keeps what a record says. */
void fd_descriptions_note(struct fd_descriptions *v, const struct record_descriptor *r);
/*
 * Returns the kind of descriptor fd of process pid as it was last said, or FD_UNKNOWN, and unless
 * `name` is NULL stores its name, which is valid until the next call.  This is the `describe` of
 * sink.h; `of` is a struct fd_descriptions.
 */
enum fd_kind fd_descriptions_find(void *of, uint32_t pid, int fd, const char **name);
/* Stores the addresses of socket fd in the same way; returns whether it is connected.  This is the
 * `locate` of sink.h. */
bool fd_descriptions_locate(void *of, uint32_t pid, int fd, struct event *address);

#endif
