/* SPDX-License-Identifier: MIT */
/*
 * interference.h - merges the charges for single waits by the classes of requests that waited for a
 * resource and that used it meanwhile.
 */
#ifndef GRAPH_INTERFERENCE_H
#define GRAPH_INTERFERENCE_H

#include "graph/contention.h"
#include "graph/explain.h"

/* The first classes, which stand in place of one.  A class with the number CLASS_OTHERS or above is
 * a real one. */
enum { CLASS_ITSELF, CLASS_NOBODY, CLASS_OUTSIDE, CLASS_UNKNOWN, CLASS_OTHERS, CLASSES };

enum class_kind {
	CLASS_REQUESTS, /* those that a program, or one process of it, made at one place */
	CLASS_SERVER,	/* a process that serves; no class of requests, nor are the others: */
	CLASS_LINK,	/* a link of that name */
	CLASS_HOSTS,	/* the link between two hosts */
};

struct class
{
	enum class_kind kind;
	uint32_t program;  /* of a thread of it */
	uint32_t pid;	   /* 0: of all processes */
	struct site at;	   /* CLASS_REQUESTS: where they were made */
	uint32_t link;	   /* CLASS_LINK: a word */
	uint32_t from, to; /* CLASS_HOSTS: IDs of threads there */
};

/* Time that the class `waiter` lost to the class `user` because it used the same resource. */
struct interference {
	int64_t ns;
	enum resource resource;
	uint32_t server, waiter, user; /* in classes; server: or link; 0: none */
	uint64_t count;		       /* number of waits */
};

/* All waits of a class for one kind of resource. */
struct class_waits {
	int64_t ns;
	enum resource resource;
	uint32_t waiter; /* in classes */
	uint64_t count;
	int64_t lost[CLASSES]; /* to those, CLASS_OTHERS: all others; they add up to ns */
};

/* Set the first three members, and zero the rest: there is no wait yet. */
struct interferences {
	const struct graph *graph;
	const uint16_t *same; /* by state: the first state with the same name */
	bool by_process;      /* the same requests of two processes are of two classes */
	struct interference *v;
	size_t n, cap;
	VEC(struct class) classes;
	VEC(struct class_waits) waits;
	int64_t ns[RESOURCES]; /* of all waits */
	int64_t residual;      /* their sum minus that of all charges; normally 0 */
	/* Private: */
	struct map by_pair, by_class, by_waiter;
};

/* Adds a wait for a resource; s is a struct interferences, so that contention() takes this. */
void interferences_add(void *s, const struct contention *c);
/* Adds a wait for a lock, which was lost to its holders. */
void interferences_add_lock(struct interferences *s, const struct explanation *e);
/* Frees everything but the graph and `same`. */
void interferences_free(struct interferences *s);

#endif
