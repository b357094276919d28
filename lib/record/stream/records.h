/* SPDX-License-Identifier: MIT */
/*
 * records.h - the layout of what the kernel says of the threads that are followed: the programs in
 * the kernel (bpf/) write these records to the ring of each CPU, and the reader of perf events
 * (perf_ring.c) makes them of samples.  They are stored in no file.
 */
#ifndef STREAM_RECORDS_H
#define STREAM_RECORDS_H

enum {
	RECORD_CALLS = 512,   /* system calls that a kernel may have */
	RECORD_ABIS = 2,      /* that of the kernel, and that of 32-bit programs */
	RECORD_TEXT = 256,    /* bytes of a path that most fit into */
	RECORD_LONG = 4096,   /* of the longest */
	RECORD_NAME = 32,     /* of the name of an anonymous inode */
	RECORD_NO_ARG = 0xff, /* no such argument */
	RECORD_RESULT = 0xfe, /* in place of one: the result */
	RECORD_TIMES = 32,    /* classes of durations */
	RECORD_EVENTS = 64,   /* counters of a CPU, which take turns */
	RECORD_TOP = 4096,    /* bytes of a stack; no page is smaller */
};

enum record_type {
	RECORD_CALL = 1,
	RECORD_DESCRIPTOR, /* before the call that works on it */
	RECORD_FORK,
	RECORD_EXEC,
	RECORD_EXIT,
	RECORD_ENTRY, /* of a call, and its return: a struct record_call each */
	RECORD_RETURN,
	RECORD_JOIN,   /* a process that ran before is followed from now on */
	RECORD_FIRST,  /* a call, of which the like are counted from now on */
	RECORD_URING,  /* an operation of io_uring, when it completes */
	RECORD_COUNT,  /* what an event counted while a thread ran */
	RECORD_STACK,  /* before the call that was made there */
	RECORD_SWITCH, /* this and the following stand for one event each */
	RECORD_WAKE,
	RECORD_SIGNAL,
	RECORD_FAULT,
	RECORD_SOFTIRQ,
	RECORD_BLOCK,
};

/* Why a record is missing: counters of each CPU. */
enum record_counter {
	COUNTER_CALLS, /* that ended, written or not: proves that no call is missing */
	COUNTER_LOST,  /* records of any type for which the ring had no room */
	COUNTER_STATE, /* threads that could not be followed: no memory */
	COUNTERS
};

/* What is read from the memory to which an argument of a call points; event.h says where it goes.
 */
enum record_memory {
	RECORD_FLAGS = 1,   /* 64 bits, into argument 4 */
	RECORD_DESCRIPTORS, /* when it has returned: two numbers, into 4 and 5 */
	RECORD_RING,	    /* the flags of a new io_uring, for the recorder alone */
};

/* What a recorder must know of a call.  An argument is its number, or RECORD_NO_ARG. */
struct record_shape {
	unsigned char args, path;	/* how many; the first that is a path */
	unsigned char first_fd, second; /* which are descriptors */
	unsigned char makes_fd;		/* the result is one */
	unsigned char early;		/* its descriptor is gone after it: close */
	unsigned char connects;		/* its descriptor has addresses after it */
	unsigned char memory;		/* enum record_memory; 0: none */
	unsigned char pointer, offset;	/* the argument that points to it, and from where */

	/* This and the following: what calls have in common of which only the number matters. */
	unsigned char counted;	/* there are such calls: nothing depends on their order */
	unsigned char size;	/* the argument that is the size; RECORD_RESULT, RECORD_NO_ARG */
	unsigned char which;	/* the argument that has the variant */
	unsigned char is_zero;	/* of the variant it matters only whether these bits are 0 */
	unsigned char returns;	/* from a handler of signals: what follows may be a restart */
	unsigned char restarts; /* a call that was interrupted */
	unsigned long long variant_bits;
};

struct record {
	unsigned long long time; /* CLOCK_MONOTONIC ns: when it happened, or ended */
	unsigned int pid, tid;
	unsigned int lost; /* by this CPU so far */
	unsigned short type, cpu;
};

enum {
	CALL_IS_OPEN = 1,
	CALL_IS_COMPAT = 2,
	CALL_HAS_PATH = 4,
	CALL_LACKS_MEMORY = 8,
	CALL_IS_EXEC = 16, /* an execve that succeeded; its result is the thread that made it */
};

/* Returns the number of a call in 16 bits.  Larger numbers are no calls and become the largest one;
 * a call of x32 gets the number of the same call of x86-64. */
static inline unsigned short record_number(unsigned long long number)
{
	number &= ~(1ull << 30);
	return number < 0xffff ? (unsigned short)number : 0xffff;
}

struct record_call {
	struct record head;
	unsigned long long begin;
	long long result;
	unsigned short number, cpu; /* where it began */
	unsigned int flags;	    /* CALL_IS_* */
	unsigned long long args[6];
};

/* A record of a call with few arguments ends after them. */
enum { RECORD_FEW_ARGS = 2, RECORD_SHORT = sizeof(struct record_call) - (6 - RECORD_FEW_ARGS) * 8 };

struct record_path {
	struct record_call call;
	char path[RECORD_TEXT];
};

struct record_long_path {
	struct record_call call;
	char path[RECORD_LONG];
};

struct record_descriptor {
	struct record head;
	unsigned long long inode;
	int fd;
	unsigned int mode, device; /* st_mode; of a special file, as the kernel writes dev_t */
	unsigned short family, type, protocol; /* of a socket */
	unsigned short local_port, remote_port;
	unsigned char local[16], remote[16]; /* addresses, in 4 bytes or, of AF_INET6, 16 */
	char name[RECORD_NAME];		     /* of an anonymous inode: "[eventpoll]" */
	unsigned int alone;		     /* the call may only be counted */
};

/* What calls of a thread have in common that are counted together. */
struct record_kind {
	unsigned long long since;   /* when the thread began, or its program */
	unsigned long long kind;    /* of the descriptor */
	unsigned long long variant; /* of the call */
	unsigned int tid;
	unsigned short number;
	unsigned char compat;
	unsigned char size; /* its power of two, plus 1; 0: the size is 0, or the call has none */
	unsigned int error; /* errno, or 0 */
	unsigned int unused;
};

/* The calls of a kind, without the first. */
struct record_tally {
	unsigned long long size;	/* the sum of the sizes */
	unsigned long long least, most; /* ns */
	struct {
		unsigned long long calls, ns;
	} times[RECORD_TIMES]; /* by record_time() */
};

struct record_first {
	struct record_call call;
	struct record_kind kind;
};

/* Returns the number of the highest bit that is set, and 0 for 0. */
static inline unsigned int record_log2(unsigned long long v)
{
	unsigned int n = 0;

	for (unsigned int bits = 32; bits; bits /= 2)
		if (v >> bits) {
			v >>= bits;
			n += bits;
		}
	return n;
}

/* Returns the class of a duration: the first ends below 128 ns, each further one below the next
 * power of two. */
static inline unsigned int record_time(unsigned long long ns)
{
	enum { FIRST = 6 };
	unsigned int n = record_log2(ns);

	n = n > FIRST ? n - FIRST : 0;
	return n < RECORD_TIMES ? n : RECORD_TIMES - 1;
}

/* CPU time, faults and context switches of a thread so far, and how often it woke a thread, kernel
 * threads apart, whose last CPU was another one and idle: 0 where switches are not recorded. */
struct record_usage {
	unsigned long long runtime, user, system; /* ns; exact, and the kernel's split of it */
	unsigned long long minor_faults, major_faults;
	unsigned long long voluntary, involuntary;
	unsigned long long wakeups;
};

struct record_fork {
	struct record head;
	unsigned int child_pid, child_tid;
	unsigned int shares_files;
};

struct record_exec {
	struct record head;
	struct record_usage usage;
	unsigned int former;	/* the thread that made the execve; 0: unknown */
	unsigned int foreign;	/* calls of this program are not seen, or under wrong numbers */
	unsigned int bytes;	/* of the arguments, cut or not; 0: unknown, as is the name of the
				   file */
	char name[RECORD_TEXT]; /* of the file that runs */
	char args[RECORD_LONG]; /* NUL-terminated strings */
};

struct record_exit {
	struct record head;
	struct record_usage usage; /* 0: unknown */
	int status;		   /* of wait(2); -1: unknown */
	unsigned int last;	   /* thread of the process: 0, 1 or LAST_IS_UNKNOWN */
};

enum { LAST_IS_UNKNOWN = 2 };

struct record_switch {
	struct record head;
	unsigned int next;
	unsigned char out, preempted, state; /* enum thread_state of event.h */
};

/* enum wake_context of event.h. */
enum { WAKE_IS_THREAD = 1, WAKE_IS_INTERRUPT, WAKE_IS_SOFTIRQ };

struct record_wake {
	struct record head;
	unsigned int target;
	unsigned int context; /* WAKE_IS_* */
};

struct record_signal {
	struct record head;
	unsigned int number;
	unsigned int handled;
};

struct record_fault {
	struct record head;
	unsigned long long address;
	unsigned int code; /* of the processor */
};

struct record_softirq {
	struct record head;
	unsigned long long begin;
	unsigned int number;
};

struct record_block {
	struct record head;
	unsigned long long device, sector;
	unsigned int bytes;
	unsigned char complete, write;
};

/* What an event counted since a thread began to run; the records of one reading have the same time.
 */
struct record_count {
	struct record head;
	unsigned long long since, count;
	unsigned long long running; /* ns of this in which the event was counted */
	unsigned int event;	    /* its number */
	unsigned int unused;
};

/* Tells the programs of a process apart, and what they have mapped: /proc/PID/stat has it, too. */
struct record_space {
	unsigned long long code, end, stack; /* where these begin, and the code ends */
};

struct record_stack {
	struct record head;
	struct record_space space;
	unsigned long long at, stack_pointer, frame_pointer;
	unsigned long long link; /* register with the return address, where there is one */
	unsigned int bytes;	 /* in `stack`, from the stack pointer on */
	unsigned int unused;
	unsigned char stack[RECORD_TOP];
};

/* An operation of io_uring; its thread is the one that submitted it. */
struct record_uring {
	struct record head;
	unsigned long long begin, request;
	int fd, ring; /* descriptors; -1: none, a registered one, or unknown */
	int result;
	unsigned short opcode, open; /* open: it has not completed */
};

#endif
