/* SPDX-License-Identifier: MIT */
/*
 * account.h - what the kernel charges to the parties of a measurement: CPU time, waiting for a CPU,
 * context switches, page faults.  One set of parties per process: the calling thread, the other
 * threads and the reaped children of its process, and the peers that are added.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Who takes part in the timed operation, and where. */
enum account_scope {
	ACCOUNT_TOGETHER, /* all parties, on one CPU */
	ACCOUNT_APART,	  /* all parties, peers on CPUs of their own */
	ACCOUNT_FREE,	  /* all parties, wherever the scheduler puts them */
	ACCOUNT_CALLER,	  /* the calling thread; a peer works only between the timed parts */
	ACCOUNT_THREAD,	  /* the calling thread, beside which others do the same */
};

struct account {
	/* Seconds of CPU: of the calling thread, of the other threads of its process, of peers and
	 * reaped children; NaN: this kernel counts clock ticks only. */
	double caller, threads, processes;
	double waited; /* seconds in which a party was ready but had no CPU; NaN: not known */
	/* Of this process and the children that it reaped meanwhile. */
	uint64_t minor_faults, major_faults;
	uint64_t voluntary, involuntary; /* context switches */
};

/* Opens the accounts: call it once in a process, before it has other threads and any party is
 * added, and then with ACCOUNT_THREAD in each thread. */
void account_open(enum account_scope scope);
/* Says how many copies of the operation want the calling thread's CPU (1): that they wait for each
 * other is no interruption. */
void account_set_copies(size_t copies);
/* Adds a child process; account_remove must precede its reaping. */
void account_add_process(pid_t id);
/* Adds the calling thread; on a CPU of its own, parties are apart from now on. */
void account_add_thread(pid_t id, bool is_apart);
/* Forgets a party, a process that is to be reaped or a thread that ends. */
void account_remove(pid_t id);

/* Begins to measure what the parties use; the CPU times are read last, next to the caller's code.
 */
void account_start(struct account *a);
/* Ends it, reads the CPU times first, and makes *a what was used in between. */
void account_stop(struct account *a);
/* Adds b to *total. */
void account_sum(struct account *total, const struct account *b);
/* Seconds of CPU of all parties, or NaN. */
double account_cpu(const struct account *a);
/* True if this process has, or by *a had, more than one thread. */
bool account_is_threaded(const struct account *a);

/*
 * The share of the elapsed seconds in which no party had a CPU although the operation needed one:
 * above 0 where others, the hypervisor or (if the kernel counts them apart) interrupts had it.  NaN
 * where it cannot be told from sleep.
 */
double account_idle_share(const struct account *a, double elapsed);
/*
 * True if others took the CPU for a share of the elapsed time that matters (over 2 %): by the time
 * spent ready but waiting, or by an idle share well above `usual`, the operation's own.  Where the
 * kernel reports no waiting, an involuntary switch of an operation of one party is enough.
 */
bool account_is_interrupted(const struct account *a, double elapsed, double usual);

/* The CPU on which all parties are, seen from outside. */
struct account_watch {
	struct account used;
	double start, idle; /* seconds */
};

/* Begins to watch it. */
void account_watch(struct account_watch *w);
/*
 * True if, since then, others had that CPU for a share of the time that matters (over 10 %, one
 * clock tick aside) and `total`, of the batches, need not show it: nobody knows how long a child
 * that is reaped was ready but waited for a CPU, and where that happens in all batches, the idle
 * share is taken for the operation's own.  The CPU's own idle time tells sleep from that.
 */
bool account_is_hidden(struct account_watch *w, const struct account *total, double usual);

#endif
