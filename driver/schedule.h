/* SPDX-License-Identifier: MIT */
/*
 * schedule.h - which entries are measured next, and when an entry has enough processes.
 *
 * Randomized interleaved rounds: in a round every unfinished entry is measured by one process, in
 * a fresh random order, so that a drift of the machine hits all entries alike instead of biasing
 * those that happen to stand in a block.  Once they have the least number of processes, entries
 * whose processes take k times as long as the usual one are left to every k-th round.
 *
 * An entry can end after 15, 20, 30, 45, 60, 90 or 120 processes.  A third of these decides: when
 * it shows that the other two thirds will be as precise as wanted, the entry ends there, and the
 * other two thirds alone are its result.  Values that agree by luck end an entry early; if they
 * were part of the result, its interval would be too narrow (tests/unit/stopping.c simulates it).
 * An entry that nothing ended early is published with all its values.
 */
#ifndef DRIVER_SCHEDULE_H
#define DRIVER_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct schedule_rule {
	size_t min, max;  /* processes per entry */
	double precision; /* relative half-width wanted */
};

struct schedule_entry {
	double *values;
	size_t n, cap;
	bool finished;
	bool always;	  /* a canary entry: in every round until the others are finished */
	double wanted;	  /* processes in all, guessed when it was last judged; NaN before */
	double wall;	  /* seconds that its processes took in all */
	size_t processes; /* those included that gave no value */
};

struct schedule {
	uint64_t seed;
	struct schedule_rule rule;
	struct schedule_entry *entries;
	size_t n;
};

/*
 * How many of the first of n values decided that the entry ends, and are not part of its result; 0
 * when nothing was decided, or the run was ended before it had rule->min values, or as many again
 * as those that decided.
 */
size_t schedule_pilot(const struct schedule_rule *rule, const double *values, size_t n);

/* For n entries, each with min to max processes, as many as the relative half-width `precision` of
 * the 95 % interval (0.02) needs.  The seed makes the random order.  The caller frees. */
struct schedule *schedule_new(size_t n, uint64_t seed, size_t min, size_t max, double precision);
/* Returns the memory. */
void schedule_free(struct schedule *s);

/* The entries to measure in this round, in its order, into order[s->n]; returns how many, 0 when
 * all are finished.  The order depends on seed and round alone, so that a resumed run goes on as
 * the first would have. */
size_t schedule_round(const struct schedule *s, uint64_t round, size_t *order);
/* A process of entry i took wall seconds; value NaN: without giving a value. */
void schedule_add(struct schedule *s, size_t i, double value, double wall);
/* Stops measuring entry i. */
void schedule_give_up(struct schedule *s, size_t i);
/* At the end of a round: finishes entry i when it has enough. */
void schedule_check(struct schedule *s, size_t i);
/* Seconds that this round takes, by the processes so far. */
double schedule_round_time(const struct schedule *s, uint64_t round);
/* Processes that are left until all entries are precise enough, guessed. */
double schedule_processes_left(const struct schedule *s);
/* Seconds that are left until all entries are precise enough, guessed: intervals narrow with the
 * root of the number of processes. */
double schedule_time_left(const struct schedule *s);

#endif
