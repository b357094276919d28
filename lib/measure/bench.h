/* SPDX-License-Identifier: MIT */
/*
 * bench.h - the front end of a benchmark program: one program, one process, one measurement.
 *
 * A file in bench/ defines `bench`, which bench/common/main.c passes to bench_main; that owns
 * options, placement, warm-up, calibration, batches, the removal of overhead, and the report.  The
 * hooks end the program with err(1, ...) when an operation fails: then nothing is reported.
 *
 *	static void run(uint64_t n)
 *	{
 *		while (n--)
 *			syscall(SYS_getppid);
 *	}
 *	const struct bench bench = {
 *		.summary = "...", .operation = "one call of getppid(2)", .run = run,
 *	};
 *
 * run() does nothing but operations.  What they use up, such as messages to receive, is supplied by
 * prepare(), as much as limit() says, and cleared away by check().
 */
#ifndef MEASURE_BENCH_H
#define MEASURE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bench_kind {
	BENCH_CHOICE, /* one of a list of words */
	BENCH_SIZE,   /* a number of bytes: 64k */
	BENCH_COUNT,  /* an integer */
};

/*
 * A positional parameter, read with bench_number() or bench_choice().  The name of the entry is the
 * program and its parameters in canonical spelling, joined by '_': 16384 and 16k both give
 * lat_ctx_shared_16k_32.  A parameter added to an old program is silent, so that entries keep their
 * names.
 */
struct bench_parameter {
	const char *name; /* "size" */
	enum bench_kind kind;
	const char *values;   /* separated by spaces: all words of a CHOICE, else a useful grid */
	uint64_t min, max;    /* of SIZE and COUNT, inclusive */
	const char *fallback; /* the value when omitted; NULL: the parameter is required */
	bool axis;	      /* the cost is a curve over this parameter; at most one per program */
	bool silent; /* left out of the name while it has its fallback; only for last parameters */
	const char *help;
};

enum bench_parties {
	BENCH_ONE,   /* one thread, pinned to the first CPU of -P */
	BENCH_TWO,   /* also peers that take part, on the same CPU unless -P says otherwise */
	BENCH_APART, /* also a peer on another CPU where there is one, which works in prepare()
		      * only: its time is not the operation's */
};

/* A step of a mixture of calls. */
struct bench_step {
	void (*call)(uint64_t i); /* of operation i of a batch; NULL ends a sequence */
	const char *entry;	  /* what it costs in a loop; NULL: a part of an earlier entry */
};

/* All members but summary, operation and run may be left out. */
struct bench {
	const char *summary;			  /* one sentence: what is measured */
	const char *operation;			  /* what one operation is */
	const struct bench_parameter *parameters; /* ended by a NULL name */
	enum bench_parties parties;
	unsigned kernel_entries; /* the least number of kernel entries per operation */
	unsigned transfers;	 /* how often one operation moves the bytes that its axis gives */
	uint64_t unroll;	 /* operations in one turn of run's loop; 0: 1 */
	const struct bench_step *sequence; /* of one operation, where it is a mixture */
	bool remote;			   /* the peer may be on another machine: see bench_peer */
	bool computes;			   /* it makes no calls: batches last 10 ms, not 1 */

	/* Returns why this cannot be measured here, or NULL.  The parameters are set already. */
	const char *(*supported)(void);
	/* Once, before all batches. */
	void (*setup)(void);
	/* Before each batch of n operations, not timed. */
	void (*prepare)(uint64_t n);
	/* Does n operations: all that is timed. */
	void (*run)(uint64_t n);
	/*
	 * What run(n) does besides its n operations, when that is more than an empty loop; its
	 * time is subtracted.
	 */
	void (*overhead)(uint64_t n);
	/*
	 * After each batch, not timed: returns NULL if the work was done, else what is wrong
	 * ("fewer faults were counted than pages touched").  May clear away what run() has left.
	 */
	const char *(*check)(uint64_t n);
	/* True to measure the CPU time of the calling thread instead of elapsed time. */
	bool (*cpu_time)(void);
	/*
	 * The largest n, 0 for no limit: for operations that use up what prepare() supplies,
	 * such as files to delete.
	 */
	uint64_t (*limit)(void);
	/*
	 * Lets copies share what setup() makes (-S).  Returns what that is, "the open file", or
	 * NULL: nothing with these parameters.  Copies that are processes are then forked after
	 * setup().
	 */
	const char *(*shares)(void);
	/*
	 * Lets several copies run as threads of one process (-X with -M).  Returns the calling
	 * thread's _Thread_local object, which has all variables that differ between copies, and
	 * its size in bytes; NULL: no threads with these parameters.  Each thread fills its object
	 * by supported() and setup(), called in one thread after the other; with -S it gets a copy
	 * of the first thread's object instead.
	 */
	void *(*state)(size_t *size);
	/* Every n is a multiple of this (by default of unroll): a whole turn of a ring. */
	uint64_t (*multiple)(void);
};

/* Parses argv, measures and prints.  Returns the exit status: 0 measured, 1 failed, 2 bad usage, 3
 * unsupported here. */
int bench_main(int argc, char **argv, const struct bench *bench);

/* The value of SIZE or COUNT parameter i, counted from 0. */
uint64_t bench_number(size_t i);
/* The index of the word given for CHOICE parameter i. */
size_t bench_choice(size_t i);
/* The directory named by -D, by default ".". */
const char *bench_directory(void);

/* Adds a word in capitals that qualifies the result to the flags of -J: "NOVDSO".  The string must
 * stay valid. */
void bench_flag(const char *word);

/*
 * Forks the peer, placed as -P says.  Returns 0 in the child and its pid in the parent; ends the
 * program on failure.  The child is killed with the parent, and by the front end after the last
 * batch.
 */
int bench_fork(void);
/* Kills and reaps a child of bench_fork that is not needed any more. */
void bench_reap(int pid);
/* Where the peer is when it is on another machine (--peer): "HOST:PORT", else NULL. */
const char *bench_peer(void);
/* Pins the calling thread to the CPU of the peer; ends the program on failure. */
void bench_place_peer(void);
/* The number of CPUs that this process may use; of several copies, 1. */
size_t bench_cpus(void);
enum { BENCH_COPIES = 1024 }; /* the most that run at once */
/* How many copies (-X) run at once. */
size_t bench_copies(void);
/* Which of the copies (-X) that run at once the caller is, counted from 0. */
size_t bench_copy(void);
/* Whether the copies that run at once share the object (-S). */
bool bench_is_shared(void);
/* True if they are threads of one process. */
bool bench_is_threaded(void);
/* Pins the calling thread to one of them, of which 0 is that of this process and the last are those
 * that share its core; ends the program on failure.  Does nothing when nothing is pinned. */
void bench_place(size_t i);
/* True if the peer has a CPU of its own; false when nothing is pinned. */
bool bench_is_apart(void);

/* Keeps the compiler from deleting the computation of v. */
static inline void bench_keep(uint64_t v)
{
	__asm__ volatile("" : : "r"(v) : "memory");
}

/* Tells the CPU that this is a turn of a loop that waits for another CPU. */
static inline void bench_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Keeps the compiler from assuming anything about memory across this point. */
static inline void bench_clobber(void)
{
	__asm__ volatile("" : : : "memory");
}

#endif
