/* SPDX-License-Identifier: MIT */
/*
 * reorder.h - puts items in order of time: calls that a trace has in order of their ends and that
 * are to be printed in order of their beginnings, or the next events of several streams to be
 * merged.
 */
#ifndef TRACE_REORDER_H
#define TRACE_REORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reorder_entry;

/* A zeroed struct is valid and empty; the window may be set. */
struct reorder {
	size_t window; /* bytes of items to hold before any of them leaves */
	size_t held;   /* bytes */
	size_t n;      /* items */
	/* Most items come nearly in order and stand in a line; the others are in a heap. */
	struct reorder_entry *line;
	size_t first, end, room;
	struct {
		struct reorder_entry *v; /* the earliest on top */
		size_t n, cap;
	} heap;
	int64_t last; /* time of the latest item that left */
	bool begun;
	uint64_t late; /* items that left after a later one: the window was too small for them */
};

/* Adds an item of `size` bytes.  Of items with equal times the one with the lower sequence leaves
 * first. */
void reorder_push(struct reorder *r, int64_t time, uint64_t sequence, size_t size, void *item);
/*
 * Removes and returns the earliest item, if more than the window is held or, with all_in (no more
 * items will come), if there is one at all.  Otherwise returns NULL.
 */
void *reorder_pop(struct reorder *r, bool all_in);
/* Returns whether the earliest item comes after that time and sequence, or there is none. */
bool reorder_is_after(const struct reorder *r, int64_t time, uint64_t sequence);
/* Frees everything except the items. */
void reorder_free(struct reorder *r);

#endif
