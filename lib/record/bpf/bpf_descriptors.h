/* SPDX-License-Identifier: MIT */
/* bpf_descriptors.h - what the kernel said of descriptors, until the call that it was said for. */
#ifndef BPF_DESCRIPTORS_H
#define BPF_DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>

#include "record/bpf/records.h"
#include "trace/event.h"

enum { BPF_DESCRIPTORS = 64 /* a call has two or three */ };

struct bpf_descriptor {
	uint32_t pid;
	int fd;
	uint64_t inode;
	enum fd_kind kind;
	char name[RECORD_NAME + 24]; /* "pipe:[12345]"; "": a path, which is in /proc */
};

/* Zeroed is valid and empty. */
struct bpf_descriptors {
	struct bpf_descriptor last[BPF_DESCRIPTORS];
	size_t n; /* so far */
};

/* Keeps what a record says. */
void bpf_descriptors_note(struct bpf_descriptors *v, const struct record_descriptor *r);
/*
 * What was said last of fd of process pid, for the `describe` of sink.h: its kind, and its name
 * until the next call; FD_UNKNOWN: nothing.  `of` is a struct bpf_descriptors.
 */
enum fd_kind bpf_descriptors_find(void *of, uint32_t pid, int fd, const char **name);

#endif
