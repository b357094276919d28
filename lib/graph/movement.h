/* SPDX-License-Identifier: MIT */
/*
 * movement.h - how objects move between those who use them: pages of files between processes,
 * documents between caches.
 *
 * Each user keeps a copy of what it has used, until another one writes the object.  So at each
 * access the object is in one of a few states: the user has a copy itself, or so many others have
 * one, or nobody has.  The states and how often one follows the other say how objects are shared.
 *
 * W. Meira, T. LeBlanc, V. Almeida: Using Cause-Effect Analysis to Understand the Performance of
 * Distributed Programs, SPDT 1998, section 3.3 and Figures 6 and 7.  What is false sharing is
 * defined as by J. Torrellas, M. Lam, J. Hennessy (1990): an object has to move although the user
 * needs no byte of it that another one has written.
 */
#ifndef MOVEMENT_H
#define MOVEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/map.h"
#include "util/vec.h"

enum {
	MOVEMENT_NOBODY, /* has it */
	MOVEMENT_OWN,	 /* the user itself has */
	MOVEMENT_OTHERS, /* this and the following: so many others, and the last as many or more */
	MOVEMENT_STATES = 10,
	MOVEMENT_OBJECTS = 1 << 22, /* the most that are followed */
};

/* Why an access had to get the object. */
enum movement_cause {
	MOVEMENT_FIRST,	 /* nobody had it before */
	MOVEMENT_KEPT,	 /* it had not: the user has a copy */
	MOVEMENT_COPIED, /* others have it as it was before */
	MOVEMENT_NEEDED, /* another user has written bytes that it now uses */
	MOVEMENT_FALSE,	 /* another user has written other bytes of the object */
	MOVEMENT_CAUSES
};

enum movement_pattern {
	MOVEMENT_PRIVATE,	/* one user */
	MOVEMENT_READ_ONLY,	/* several, and nobody writes */
	MOVEMENT_SINGLE_SINGLE, /* one producer, and one consumer of what that writes */
	MOVEMENT_SINGLE_MULTIPLE,
	MOVEMENT_MULTIPLE_SINGLE,
	MOVEMENT_MULTIPLE_MULTIPLE,
	MOVEMENT_MIGRATORY, /* who gets it writes it next, before another one uses it */
	MOVEMENT_FALSELY,   /* it moves, but nobody ever needs what another one wrote */
	MOVEMENT_PATTERNS
};

struct movement_object {
	uint64_t key;
	uint64_t counts[MOVEMENT_CAUSES];
	int64_t ns[MOVEMENT_CAUSES]; /* that these accesses took */
	uint32_t readers, writers, consumers, users;
	/* Private: */
	uint64_t taken, returned; /* turns of a user that needed the object; that then wrote it */
	uint64_t turn;		  /* the number of the access with which the present turn began */
	uint32_t turn_of;	  /* a user, plus 1 */
	bool turn_needs, turn_writes;
	uint8_t last; /* state of the access before, plus 1 */
	VEC(struct movement_user) all;
	VEC(struct movement_range) written;
};

/* Zeroed is valid and empty. */
struct movement {
	VEC(struct movement_object) objects;
	struct map by_key;
	uint64_t accesses, left_out; /* to objects beyond the first MOVEMENT_OBJECTS */
	uint64_t states[MOVEMENT_STATES];
	int64_t ns[MOVEMENT_STATES];
	/* How often an access in the second state was the next one to an object after one in the
	 * first. */
	uint64_t next[MOVEMENT_STATES][MOVEMENT_STATES];
};

struct movement_access {
	uint64_t key; /* of the object */
	uint32_t user;
	uint32_t from, until; /* bytes of the object */
	bool writes;
	int64_t ns; /* that it took */
};

/* What an access was. */
struct movement_step {
	unsigned state;
	enum movement_cause cause;
	uint32_t writer; /* NEEDED, FALSE: the user who wrote last what made it necessary */
};

/* Takes an access, which comes after all earlier ones; false: it was left out. */
bool movement_take(struct movement *s, const struct movement_access *a, struct movement_step *move);
/* The user is known to have a copy of the object, or to have none, before its next access. */
void movement_keep(struct movement *s, uint64_t key, uint32_t user, bool has);
/* How many users have a copy of it now. */
unsigned movement_holders(const struct movement_object *o);
/* How the object was shared. */
enum movement_pattern movement_pattern(const struct movement_object *o);
/* "private", "one producer, one consumer", ... */
const char *movement_pattern_name(enum movement_pattern pattern);
/* Returns the memory. */
void movement_free(struct movement *s);

#endif
