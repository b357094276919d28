/* SPDX-License-Identifier: MIT */
/*
 * objects.h - open file descriptions: numbered from 1, counted by the descriptors that refer to
 * them, their numbers used again when nothing does.
 */
#ifndef OBJECTS_H
#define OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

struct object {
	enum fd_kind kind;
	bool named;   /* the name is what a source said, not a guess */
	bool changed; /* waits to be told */
	uint32_t references;
	uint32_t next; /* free one after this */
	char *name;    /* or NULL */
};

/* Zeroed is valid and empty. */
struct objects {
	struct object *v;
	size_t n, cap;
	uint32_t free; /* 0: none */
	struct {
		uint32_t *v;
		size_t n, cap;
	} changed;
	size_t told; /* of changed */
};

/* A new object without references; name is copied and may be NULL. */
uint32_t objects_add(struct objects *o, enum fd_kind kind, const char *name, bool named);
/* Makes it of that kind and name; told only when that is news. */
void objects_change(struct objects *o, uint32_t id, enum fd_kind kind, const char *name,
		    bool named);
/* The object of a number that is in use; valid until the next objects_add. */
struct object *objects_get(const struct objects *o, uint32_t id);
/* One reference more, or less: the last one frees it. */
void objects_hold(struct objects *o, uint32_t id);
void objects_drop(struct objects *o, uint32_t id);
/* The next object that is new or changed, 0: none. */
uint32_t objects_next_changed(struct objects *o);
/* Returns the memory; empty and usable again. */
void objects_free(struct objects *o);

#endif
