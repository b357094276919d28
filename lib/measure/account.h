/* SPDX-License-Identifier: MIT */
/*
 * account.h - what the kernel charges to the parties of a measurement: CPU time, waiting for a CPU,
 * context switches, page faults.  One set of parties per process: the calling thread, the other
 * threads and the reaped children of its process, and the peers that are added.
 */
#ifndef MEASURE_ACCOUNT_H
#define MEASURE_ACCOUNT_H

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
	/* Seconds of this process in clock ticks, all and in user mode: most kernels tell the two
	 * modes apart by nothing else. */
	double ticks, user_ticks;
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
/* Adds a CPU for account_watch, on which nothing else of this benchmark runs; -1: none. */
void account_add_cpu(int cpu);
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
 * Seconds that others took if that is a share of the elapsed time that matters (over 2 %), else 0:
 * the time spent ready but waiting, or an idle share well above `usual`, the operation's own.
 * Where the kernel reports no waiting, an involuntary switch of an operation of one party is
 * enough.
 */
double account_lost(const struct account *a, double elapsed, double usual);

/* All of a measurement, with what is between its batches. */
struct account_watch {
	struct account used;
	double start, idle; /* seconds; of all CPUs of the parties, NaN: not known */
};

/* Begins to watch the CPUs of the parties. */
void account_watch(struct account_watch *w);
/*
 * True if others had them since then for a share of the time that matters (over 20 %).  They
 * disturb batches that they do not interrupt as well: a switch costs more while a third process
 * wants the CPU, and a sleeper wakes up faster where it is never idle.  What is known to the
 * microsecond is how long parties waited for a CPU; to a clock tick, and also of children that were
 * reaped and of others that run while the parties sleep, how long the CPUs were neither idle nor
 * used by a party.
 */
bool account_is_beside_others(struct account_watch *w);

#endif
