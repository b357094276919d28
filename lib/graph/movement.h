/* SPDX-License-Identifier: MIT */
/*
 * movement.h - analyses how objects move between their users, for example pages of files between
 * processes or documents between caches.
 *
 * Each user keeps a copy of an object that it has accessed until another user writes the object.
 * So at each access the object is in one of a few states: the user has a copy, n other users have
 * one, or nobody has.  How often one state follows another shows how objects are shared.
 *
 * W. Meira, T. LeBlanc, V. Almeida: Using Cause-Effect Analysis to Understand the Performance of
 * Distributed Programs, SPDT 1998, section 3.3 and Figures 6 and 7.  False sharing is defined as by
 * J. Torrellas, M. Lam, J. Hennessy (1990): an object has to move although its user needs no byte
 * that another user has written.
 */
#ifndef GRAPH_MOVEMENT_H
#define GRAPH_MOVEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/map.h"
#include "util/vec.h"

enum {
	MOVEMENT_NOBODY, /* nobody has a copy */
	MOVEMENT_OWN,	 /* the user has a copy */
	MOVEMENT_OTHERS, /* this and later: 1, 2, ... others have a copy; last: or more */
	MOVEMENT_STATES = 10,
	MOVEMENT_OBJECTS = 1 << 22, /* objects that are followed at most */
};

/* Why an access had to fetch the object. */
enum movement_cause {
	MOVEMENT_FIRST,	 /* it is the first access, or nobody has a copy */
	MOVEMENT_KEPT,	 /* it had not to: the user has a copy */
	MOVEMENT_COPIED, /* others have an unchanged copy */
	MOVEMENT_NEEDED, /* another user has written bytes that the access uses */
	MOVEMENT_FALSE,	 /* another user has written, but other bytes of the object */
	MOVEMENT_CAUSES
};

enum movement_pattern {
	MOVEMENT_PRIVATE,	/* one user */
	MOVEMENT_READ_ONLY,	/* several users, none of which writes */
	MOVEMENT_SINGLE_SINGLE, /* one producer, and one consumer of what it writes */
	MOVEMENT_SINGLE_MULTIPLE,
	MOVEMENT_MULTIPLE_SINGLE,
	MOVEMENT_MULTIPLE_MULTIPLE,
	MOVEMENT_MIGRATORY, /* each user that needs it also writes it before another one uses it */
	MOVEMENT_FALSELY,   /* it moves, but no user needs what another one wrote */
	MOVEMENT_PATTERNS
};

struct movement_object {
	uint64_t key;
	uint64_t counts[MOVEMENT_CAUSES];
	int64_t ns[MOVEMENT_CAUSES]; /* time that these accesses took */
	uint32_t writers, consumers, users;
	/* Private: */
	uint64_t taken, returned; /* turns that needed it; those that also wrote it */
	uint64_t turn;		  /* number of the access that began the present turn */
	uint32_t turn_of;	  /* the user of the present turn, plus 1 */
	bool turn_needs, turn_writes;
	size_t last; /* of the previous access: in movement.vertices, plus 1 */
	VEC(struct movement_user) all;
	VEC(struct movement_range) written;
};

/* Accesses in one state from one place. */
struct movement_vertex {
	unsigned state;
	uint64_t place;
	uint64_t count;
};

/* How often an access of the vertex `to` was the next one to the same object after one of `from`.
 */
struct movement_edge {
	size_t from, to;
	uint64_t count;
};

/* A zeroed struct is valid and empty. */
struct movement {
	VEC(struct movement_object) objects;
	struct map by_key;
	uint64_t accesses,
	    left_out; /* left_out: accesses to objects beyond the first MOVEMENT_OBJECTS */
	VEC(struct movement_vertex) vertices;
	VEC(struct movement_edge) edges;
	struct map by_vertex, by_edge;
};

struct movement_access {
	uint64_t key; /* of the object */
	uint32_t user;
	uint32_t from, until; /* bytes of the object, `until` exclusive */
	bool writes;
	int64_t ns;	/* time that the access took */
	uint64_t place; /* where it was made, as the caller numbers places */
	/* When it began and ended.  What another user gets in between was not there yet; without
	 * times, accesses are taken to follow each other. */
	int64_t begun, ended;
};

/* The result of an access. */
struct movement_step {
	unsigned state;
	enum movement_cause cause;
	uint32_t writer; /* of NEEDED and FALSE: who wrote it last */
};

/* Adds an access; accesses must be added in the order of their ends.  Fills *move, or returns false
 * if the access was left out. */
bool movement_take(struct movement *s, const struct movement_access *a, struct movement_step *move);
/* Sets whether the user has a copy of the object before its next access, where that is known. */
void movement_keep(struct movement *s, uint64_t key, uint32_t user, bool has);
/* Returns how many users have a copy now. */
unsigned movement_holders(const struct movement_object *o);
/* Returns how the object was shared, as far as the accesses so far show. */
enum movement_pattern movement_pattern(const struct movement_object *o);
/* Returns a name such as "private" or "one producer, one consumer"; static. */
const char *movement_pattern_name(enum movement_pattern pattern);
/* Frees everything. */
void movement_free(struct movement *s);

#endif
