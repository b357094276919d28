/* SPDX-License-Identifier: MIT */
/* merged.h - collects the explanations of single waits and the charges for resources, and merges
 * them by the places where they occurred. */
#ifndef MERGED_H
#define MERGED_H

#include "../common/load.h"
#include "graph/contention.h"
#include "graph/explain.h"

/* What makes the waits of a characterization longer (> 0) or shorter (< 0). */
struct cause {
	int64_t ns, indirect; /* indirect: the part that came through other threads */
	uint64_t key;	      /* as in explain.h */
	uint64_t count;	      /* waits that it is a cause of */
	uint64_t last;	      /* number of the last one */
};

struct causes {
	struct cause *v;
	size_t n, cap;
};

/* All waits that began at one place and were ended from one place. */
struct characterization {
	int64_t ns;
	struct site waits_at, woken_at;
	const char *word; /* what they waited for, such as "lock" */
	bool known;	  /* the waker is known */
	uint64_t count;
	int64_t longest;
	int64_t direct;	 /* ns during which the waker did not wait itself */
	int64_t guessed; /* ns of waits whose waker is a guess */
	struct causes causes;
};

/* What stands in place of a class. */
enum { CLASS_ITSELF, CLASS_NOBODY, CLASS_OUTSIDE, CLASS_UNKNOWN, CLASS_OTHERS, CLASSES };

/* Requests that are alike: a program, or one of its processes, and where it was. */
struct class
{
	char *name;
	uint32_t program; /* of a thread */
};

/* Time that the class `waiter` lost to the class `user` because it used the same resource. */
struct interference {
	int64_t ns;
	enum resource resource;
	uint32_t server, waiter, user; /* in classes; server: or link; 0: none */
	uint64_t count;		       /* number of waits */
};

/* All waits of a class for one kind of resource. */
struct request {
	int64_t ns;
	enum resource resource;
	uint32_t waiter; /* in classes */
	uint64_t count;
	int64_t lost[CLASSES]; /* to those, CLASS_OTHERS: all others; they add up to ns */
};

/* A zeroed struct is valid and empty.  In merged_read's result the longest come first. */
struct merged {
	const struct load *load;
	struct graph *graph;
	VEC(struct characterization) waits;
	struct causes causes; /* of all waits, wherever they are: by merged_whole */
	VEC(struct class) classes;
	VEC(struct interference) lost;
	VEC(struct request) requests;
	uint64_t count;	     /* waits for other threads */
	int64_t ns, unknown; /* their sum; the part without a known waker */
	int64_t residual;    /* sum of the waits minus that of all causes; normally 0 */
	int64_t cpu;	     /* ns of waits for a CPU */
	bool by_process;     /* the same requests of two processes are of two classes */
	/* Private: */
	size_t disk;	/* number of this word; SIZE_MAX: there are no such waits */
	uint16_t *same; /* by state: the first state with the same name */
	struct map by_key[5];
};

/* clang-format off */
/* A row of an option table; `by` is a static const char *. */
#define MERGED_BY(by) \
	{ 0, "by", OPT_STRING, &(by), "WORD", 0, 0, \
	  "tell requests of each program (default) or each process apart" }
/* clang-format on */

typedef void merged_charge(struct graph *g, contention_take *take, void *arg);

/* Sets m->by_process; any other word than program, process or NULL is bad usage. */
void merged_by(struct merged *m, const char *by, const struct opt_usage *usage);
/* Reads the trace l->path and merges its waits and what `charge` reports, which is contention(),
 * one of its parts, or NULL; lock waits are charged in any case. */
void merged_read(struct merged *m, struct load *l, merged_charge *charge);
/* Returns a name such as "sink read pipe", "sink parse: read pipe", or "sink" for a thread outside
 * of calls; the caller frees. */
char *site_name(const struct graph *g, struct site site);
/* Returns a name such as "sink read pipe waits (pipe) for source write pipe"; the caller frees. */
char *wait_name(const struct merged *m, const struct characterization *c);
/* Returns "cpu", "lock", "server", "disk" or "link"; static. */
const char *resource_name(enum resource resource);
/* Returns the name of the cause with that key; the caller frees. */
char *cause_name(const struct graph *g, uint64_t key);
/* Returns the key of the same cause without its place. */
uint64_t merged_whole(uint64_t key);
/* Prints warnings about what the trace and the program lack, and frees both structs. */
void merged_end(struct merged *m, struct load *l);

#endif
