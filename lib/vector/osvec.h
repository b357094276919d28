/* SPDX-License-Identifier: MIT */
/*
 * osvec.h - the OS characterization vector: what one operation of each primitive costs on a
 * platform.  The layout of its file is in docs/osvec.5.
 */
#ifndef VECTOR_OSVEC_H
#define VECTOR_OSVEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "util/error.h"

/* A cost, in as few bytes as its numbers need: reading and using thousands of vectors takes the
 * time that their memory takes. */
struct osvec_entry {
	char *name;
	char *curve;	  /* name with '*' in place of the size; NULL: on no curve */
	char *flags;	  /* words separated by commas; "" */
	double size;	  /* place on the curve; without one, bytes of a level of memory, or
			     meaningless */
	double bytes;	  /* moved by one operation; 0: none */
	double seconds;	  /* per operation, > 0 */
	double low, high; /* confidence interval; both equal to seconds when unknown */
	double mean;	  /* what many operations cost each, tails included: the mean over
			     the processes of their time / operations; NaN: unknown */
	double cpu;	  /* seconds of CPU per operation, of all parties; NaN: unknown */
	double user;	  /* share of the CPU time that the kernel charges to user code; 0: none, or
			     unknown */
	double waiting;	  /* share of the seconds in which it does not have the CPU; of calls on
			     files, which wait for a device then, and of user time, which others,
			     or a quota, kept from it; 0: none, or unknown; since osvec_finish() */
	float error, mean_error; /* standard errors of log(seconds) and log(mean), wider for a long
				    tail; NaN: unknown */
	float footprint;	/* bytes of data and of code touched before each, which is one call;
				 * NaN: calls in a loop, or with cold caches */
	float faults, switches; /* minor faults and context switches inside one operation */
	uint32_t n : 31;	/* processes measured; 0: unknown */
	/* For a device: the vector has its CPU time apart, as lat_fsync_fsync_4k has
	 * lat_fsync_fsync-cpu_4k; since osvec_finish(). */
	uint32_t waits : 1;
};

/* The seconds of CPU of user time. */
static inline double osvec_work(const struct osvec_entry *x)
{
	return x->seconds * (1 - x->waiting);
}

/* Names of several vectors, one after the other. */
struct osvec_names {
	size_t users; /* vectors */
	size_t n;
	char text[];
};

struct osvec {
	char *machine, *created, *path;
	char *estimator;    /* that seconds, low and high come from: "hl", "trimmed", ... */
	double level;	    /* confidence of the intervals */
	double correlation; /* between the errors of two entries, in [0, 1]: processes of one round
			       share the state of the machine */
	json_t *meta;	    /* an object, perhaps empty */
	struct osvec_entry *entries; /* sorted by name */
	size_t n, cap;
	const struct osvec_entry **curves; /* the entries on curves, by curve and size, */
	size_t ncurves;			   /* since osvec_finish() */
	const struct osvec *original; /* what this is a copy of, with some costs changed; or NULL */
	const struct osvec *alone;    /* the vector of which this is several copies; or NULL */
	struct osvec_names *names;    /* in which the names of entries and curves lie, or NULL */
	struct texts {		      /* in which their other strings lie */
		char **v;
		size_t n, cap;
	} texts;
};

/* Reads an osvec.json, or the one in the directory path.  Where its names are those of like, which
 * may be NULL, both share them, and like remains valid.  NULL and *e. */
struct osvec *osvec_read_like(const char *path, const struct osvec *like, struct error *e);
/* The same without another vector to share names with. */
struct osvec *osvec_read(const char *path, struct error *e);
/* Reads from memory, in which a NUL follows text[n]; name stands for the path in messages. */
struct osvec *osvec_parse(const char *text, size_t n, const char *name, struct error *e);
/* Writes atomically.  0, or -1 and *e. */
int osvec_write(const struct osvec *v, const char *path, struct error *e);
/* An empty vector, created now. */
struct osvec *osvec_new(const char *machine);
/* Appends an entry and takes its strings; flags may be NULL.  Valid until the next one is
 * added. */
struct osvec_entry *osvec_add(struct osvec *v, struct osvec_entry entry);
/* Makes room for so many more entries, neither less nor more. */
void osvec_reserve(struct osvec *v, size_t more);
/* Appends an entry whose strings lie in texts of v; flags may be NULL. */
void osvec_push(struct osvec *v, struct osvec_entry entry);
/* Makes text, which may be NULL, one of v's texts, and returns it. */
char *osvec_own(struct osvec *v, char *text);
/* Sorts, finds the curves and checks: -1 and *e on a duplicate name, a cost that is not positive
 * and finite, an interval that does not contain its cost, a curve with two points of one size. */
int osvec_finish(struct osvec *v, struct error *e);
/* NULL is fine. */
void osvec_free(struct osvec *v);

/* The entry of that name, or NULL. */
const struct osvec_entry *osvec_find(const struct osvec *v, const char *name);
/* Where that name is of the CPU time alone, "lat_fsync_fsync-cpu_4k": the entry of the whole call,
 * "lat_fsync_fsync_4k"; else, or where v has none, NULL. */
const struct osvec_entry *osvec_find_whole(const struct osvec *v, const char *name);
/* Whether both hold the costs of one machine at one time: files that are copies of each other. */
bool osvec_is_copy(const struct osvec *a, const struct osvec *b);
/* Whether both are one vector, perhaps read twice, or from a copy of its file. */
bool osvec_is_same(const struct osvec *a, const struct osvec *b);
/* A fact of the environment that v was measured in ("cpu.model"), "" when unknown. */
const char *osvec_fact(const struct osvec *v, const char *key);
/* Whether that fact is known of both, and is another. */
bool osvec_is_other(const struct osvec *a, const struct osvec *b, const char *key);
/* Whether a fact says that their processors differ. */
bool osvec_is_other_processor(const struct osvec *a, const struct osvec *b);
/* How many CPUs v's machine lets a program have: those there are, or its CPU quota, which may be
 * a part of one; INFINITY: not known. */
double osvec_cpus(const struct osvec *v);
/* Whether a word stands in a list of flags, "FEW,WIDE". */
bool osvec_has_flag(const char *flags, const char *word);

/* The canaries that tell the state of the host: an interpreter, and the null call (osvec-bench(7)).
 */
enum { OSVEC_CANARIES = 2 };
extern const char *const osvec_canary_names[OSVEC_CANARIES];
/* Seconds per unit of a canary's work while v was measured, over all processes: the median, the
 * lowest and the highest tenth, and the geometric mean, in whose state costs are.  NaN: not known.
 */
struct osvec_canary {
	double median, low, high, mean;
};
/* What canary i of osvec_canary_names cost. */
struct osvec_canary osvec_canary(const struct osvec *v, size_t i);
/* Stores what canary i cost. */
void osvec_set_canary(struct osvec *v, size_t i, const struct osvec_canary *c);
/*
 * How much the state of the host varied while v was measured, as its canaries show: a standard
 * deviation of the logarithm of their geometric mean, which an application that runs for seconds
 * meets anew.  0 without canaries.
 */
double osvec_host_spread(const struct osvec *v);

/* The points of a curve, ascending in size.  Points into v. */
struct osvec_curve {
	const struct osvec_entry *const *points;
	size_t n;
};
/* The curve of that name ("lat_send_tcp_*") in a finished vector; n = 0 when v has none. */
struct osvec_curve osvec_curve(const struct osvec *v, const char *name);

/* Cost at a size as a mix of two points: cost = exp(w log a + (1 - w) log b) * scale. */
struct osvec_mix {
	const struct osvec_entry *a, *b;
	double w, scale;
	bool extrapolated;
};
/*
 * Log-log interpolation between the neighbours of size (next to a point of size 0 linear in size);
 * below the grid the first point's cost; above it the last point's, or, when the operation moves
 * bytes, that on the line through the last two points, which is at least the last one's and at most
 * in proportion to size.  n > 0, size >= 0.
 */
struct osvec_mix osvec_curve_at(const struct osvec_curve *c, double size);
/* How far size lies from a to b on a curve, in [0, 1]: by logarithms, or next to size 0 by sizes.
 */
double osvec_place_between(double a, double b, double size);
/* The seconds of one operation there. */
double osvec_mix_seconds(const struct osvec_mix *m);
/* The share of them in which it does not have the CPU. */
double osvec_mix_waiting(const struct osvec_mix *m);
/* The context switches of one operation there. */
double osvec_mix_switches(const struct osvec_mix *m);
/* The page faults of one operation there. */
double osvec_mix_faults(const struct osvec_mix *m);

#endif
