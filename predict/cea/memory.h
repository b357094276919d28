/* SPDX-License-Identifier: MIT */
/*
 * memory.h - finds the writes to the memory of processes that page faults in a trace show.
 *
 * An area is what one mmap(2) gave, until another one gives memory that begins at the same address:
 * munmap(2) and mremap(2) are not followed.
 */
#ifndef CEA_MEMORY_H
#define CEA_MEMORY_H

#include <stdbool.h>

#include "trace/event.h"
#include "trace/extents.h"
#include "util/map.h"
#include "util/vec.h"

struct memory_region;

/* A zeroed struct is valid and empty; the fields are private. */
struct memory {
	VEC(struct memory_region) regions; /* sorted by process and address */
	struct map heaps;		   /* process -> where its heap begins */
	unsigned mmap_id, brk_id;
};

/*
 * Processes an event; call it with all of them, in order.  If e is a page fault by a write, returns
 * true and stores in *out the word of eight bytes that was written.  Its file is the number in
 * `names` of a name such as "1234 mmap 7f0012345000": the process, the call that made the memory,
 * and where that begins.
 */
bool memory_event(struct memory *m, struct names *names, const struct event *e, struct extent *out);
/* Forgets all areas and frees them. */
void memory_free(struct memory *m);

#endif
