/* SPDX-License-Identifier: MIT */
/*
 * bench.h - the harness: one benchmark program, one measurement, one process.
 *
 * A file in bench/ declares one `static const struct bench` and calls bench_main; the harness owns
 * options, placement, warm-up, calibration, batches, overhead removal and the report.  The file's
 * functions end the program with err(1, ...) when an operation fails: nothing measured is
 * reported then.
 *
 *	static void getppid_run(uint64_t n)
 *	{
 *		while (n--)
 *			syscall(SYS_getppid);
 *	}
 *	static const struct bench bench = {
 *		.summary = "...", .operation = "one call of getppid(2)", .run = getppid_run,
 *	};
 *	int main(int argc, char **argv) { return bench_main(argc, argv, &bench); }
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bench_kind {
	BENCH_CHOICE, /* one word of values */
	BENCH_SIZE,   /* bytes: 64k */
	BENCH_COUNT,  /* an integer */
};

/*
 * One positional parameter.  Programs read it back with bench_size() and bench_choice().  The
 * entry name of a run is the program and its parameters joined by '_' in their canonical spelling
 * (lat_ctx_shared_16k_32), so that 16384 and 16k name the same entry.
 */
struct bench_parameter {
	const char *name; /* "size" */
	enum bench_kind kind;
	const char *values;   /* CHOICE: all words; else a sensible grid; separated by spaces */
	uint64_t min, max;    /* SIZE and COUNT: bounds, both included */
	const char *fallback; /* value when not given; NULL: must be given */
	bool axis;	      /* cost is a curve over this parameter (at most one per program) */
	const char *help;
};

enum bench_parties {
	BENCH_ONE, /* one thread: pinned to the first CPU of -P */
	BENCH_TWO, /* a partner process or thread: placed by bench_place_partner(), on our CPU unless
			 * -P says else */
	BENCH_APART, /* the same, but on another CPU where there is one */
};

struct bench {
	const char *summary;			  /* one sentence: what is measured */
	const char *operation;			  /* what one operation is */
	const struct bench_parameter *parameters; /* ended by a NULL name; NULL: none */
	enum bench_parties parties;
	unsigned kernel_entries; /* kernel entries that one operation needs at least */

	/* Why this cannot be measured here, or NULL; called with the parameters set. */
	const char *(*supported)(void);
	void (*setup)(void);	   /* not timed; may fork (bench_fork) */
	void (*batch)(uint64_t n); /* before each batch of n operations; not timed */
	void (*run)(uint64_t n);   /* n operations: all that is timed.  Required */
	/*
	 * The same n turns of everything in run() that is not the operation, when that is more
	 * than an empty loop; its time is subtracted.  NULL: an empty loop.
	 */
	void (*overhead)(uint64_t n);
	/*
	 * After each batch, not timed: did the work happen?  NULL when it did, else what is wrong
	 * ("4096 faults expected, 0 counted").
	 */
	const char *(*check)(uint64_t n);
	void (*teardown)(void); /* not timed; children are reaped here */
	/* Is it the CPU time of the calling thread that is wanted, without what it waits?  NULL: no. */
	bool (*cpu_time)(void);
	uint64_t (*bytes)(void); /* bytes that one operation moves; NULL: none */
	/*
	 * Operations per batch are at most this many (0: no limit), for operations that use
	 * something up until batch() renews it: files created, socket buffer filled.
	 */
	uint64_t (*limit)(void);
	/* Operations that one turn of run's loop stands for, when run() unrolls; 0: 1.  Every n is
	 * a multiple of it. */
	uint64_t unroll;
	/* Every n is a multiple of this, when it depends on the parameters: the hops of a token
	 * once around a ring.  NULL: of unroll. */
	uint64_t (*granule)(void);
};

/* Parses argv, measures, prints.  Returns the exit status: 0 measured, 1 could not, 2 bad usage,
 * 3 unsupported here. */
int bench_main(int argc, char **argv, const struct bench *bench);

/* The value of SIZE or COUNT parameter i, counted from 0. */
uint64_t bench_number(size_t i);
/* The index of CHOICE parameter i among its words. */
size_t bench_choice(size_t i);

/*
 * Leaves out of the time what happens between the two calls: draining a socket that a batch of
 * sends filled.  The cost of the pair is subtracted.  Only inside run().
 */
void bench_pause(void);
void bench_resume(void);

/* Adds a word in capitals to the flags of -J, for what qualifies the number: "NOVDSO".  The string
 * must live on. */
void bench_flag(const char *word);

/* fork(2) for a partner: flushes stdio, the child dies with the parent (PR_SET_PDEATHSIG) and is
 * placed as a partner.  Returns 0 in the child, the pid in the parent; failure ends the program. */
int bench_fork(void);
/* Pins the calling thread where the placement wants the partner. */
void bench_place_partner(void);
/* Is that another CPU than ours?  Not when nobody is pinned. */
bool bench_is_apart(void);
/* SIGKILLs and reaps a child of bench_fork. */
void bench_reap(int pid);

/* Keeps the compiler from deleting the computation of v. */
static inline void bench_keep(uint64_t v)
{
	__asm__ volatile("" : : "r"(v) : "memory");
}

/* Keeps the compiler from assuming anything about memory across this point. */
static inline void bench_clobber(void)
{
	__asm__ volatile("" : : : "memory");
}

/* A directory of this process alone, on the file system under test (-D, else the current
 * directory); removed with everything in it when the program ends. */
const char *bench_directory(void);
/* Why it cannot be made, for supported() to return, or NULL. */
const char *bench_directory_reason(void);

#endif
