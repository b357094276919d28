/* SPDX-License-Identifier: MIT */
#include "record/callcount.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/syscalls.h"
#include "util/vec.h"

enum {
	KEYS_MAX = 1 << 20, /* pairs of process and call */
	NUMBERS = 512,	    /* system calls that a kernel may have */
};

struct key {
	uint32_t pid, number;
};

struct callcount {
	int counts; /* map: key -> uint64_t on each CPU */
	int lost;   /* map: 0 -> uint64_t */
	int program, link;
	size_t cpus;
	uint64_t *values; /* one of each CPU */
};

static long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static uint64_t address(const void *p)
{
	return (uintptr_t)p;
}

/* ---- the program in the kernel ---- */

#define OP(op, to, from, offset, number) \
	((struct bpf_insn){ \
	    .code = (op), .dst_reg = (to), .src_reg = (from), .off = (offset), .imm = (number) })
#define MOVE(to, from) OP(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0)
#define SET(to, number) OP(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, number)
#define ADD(to, number) OP(BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, number)
#define SHIFT_RIGHT(to, number) OP(BPF_ALU64 | BPF_RSH | BPF_K, to, 0, 0, number)
#define LOAD(to, from, offset) OP(BPF_LDX | BPF_MEM | BPF_DW, to, from, offset, 0)
#define STORE_WORD(to, offset, from) OP(BPF_STX | BPF_MEM | BPF_W, to, from, offset, 0)
#define STORE_NUMBER(size, to, offset, number) OP(BPF_ST | BPF_MEM | (size), to, 0, offset, number)
#define ADD_AT(to, offset, from) OP(BPF_STX | BPF_XADD | BPF_DW, to, from, offset, 0)
#define CALL(function) OP(BPF_JMP | BPF_CALL, 0, 0, 0, function)
#define JUMP_IF(test, reg, number, by) OP(BPF_JMP | (test) | BPF_K, reg, 0, by, number)
#define LOAD_MAP(to, fd) \
	OP(BPF_LD | BPF_IMM | BPF_DW, to, BPF_PSEUDO_MAP_FD, 0, fd), OP(0, 0, 0, 0, 0)
#define EXIT OP(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

enum { R0, R1, R2, R3, R4, R6 = 6, FRAME = 10, KEY = -8, ONE = -16, ZERO = -20 };

/* counts[{ pid, number of the call }]++, or lost[0]++ when the table is full. */
static int load(struct callcount *c)
{
	const struct bpf_insn code[] = {
		LOAD(R6, R1, 8), /* sys_enter(registers, number) */
		CALL(BPF_FUNC_get_current_pid_tgid),
		SHIFT_RIGHT(R0, 32),
		STORE_WORD(FRAME, KEY, R0),
		STORE_WORD(FRAME, KEY + 4, R6),
		LOAD_MAP(R1, c->counts),
		MOVE(R2, FRAME),
		ADD(R2, KEY),
		CALL(BPF_FUNC_map_lookup_elem),
		JUMP_IF(BPF_JNE, R0, 0, 17), /* to "add" */
		STORE_NUMBER(BPF_DW, FRAME, ONE, 1),
		LOAD_MAP(R1, c->counts),
		MOVE(R2, FRAME),
		ADD(R2, KEY),
		MOVE(R3, FRAME),
		ADD(R3, ONE),
		SET(R4, BPF_ANY), /* the value of this CPU; of the others 0 */
		CALL(BPF_FUNC_map_update_elem),
		JUMP_IF(BPF_JEQ, R0, 0, 9), /* to "out" */
		STORE_NUMBER(BPF_W, FRAME, ZERO, 0),
		LOAD_MAP(R1, c->lost),
		MOVE(R2, FRAME),
		ADD(R2, ZERO),
		CALL(BPF_FUNC_map_lookup_elem),
		JUMP_IF(BPF_JEQ, R0, 0, 2), /* to "out" */
		SET(R1, 1),		    /* add: */
		ADD_AT(R0, 0, R1),
		SET(R0, 0), /* out: */
		EXIT,
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.insns = address(code),
		.insn_cnt = sizeof(code) / sizeof(*code),
		.license = address("MIT"),
	};

	return c->program = (int)bpf(BPF_PROG_LOAD, &attr);
}

static int make_map(enum bpf_map_type type, uint32_t key, uint32_t most, uint32_t flags)
{
	union bpf_attr attr = {
		.map_type = type,
		.key_size = key,
		.value_size = sizeof(uint64_t),
		.max_entries = most,
		.map_flags = flags,
	};

	return (int)bpf(BPF_MAP_CREATE, &attr);
}

static int attach(struct callcount *c)
{
	union bpf_attr attr = {
		.raw_tracepoint = { .name = address("sys_enter"), .prog_fd = (uint32_t)c->program },
	};

	return c->link = (int)bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

/* ---- reading ---- */

/* The number of values of a key in a per-CPU map: CPUs that may be added later have one, too. */
static size_t possible_cpus(void)
{
	unsigned last = 0, n;
	FILE *f = fopen("/sys/devices/system/cpu/possible", "r");

	/* "0-3" or "0,2-3": the last number counts. */
	while (f && fscanf(f, "%u%*[-,]", &n) == 1)
		last = n;
	if (f)
		fclose(f);
	return (size_t)last + 1;
}

/* Removes a key and returns its count over all CPUs. */
static uint64_t take(struct callcount *c, const struct key *key)
{
	union bpf_attr attr = {
		.map_fd = (uint32_t)c->counts,
		.key = address(key),
		.value = address(c->values),
	};
	uint64_t sum = 0;

	if (bpf(BPF_MAP_LOOKUP_ELEM, &attr))
		return 0;
	for (size_t i = 0; i < c->cpus; i++)
		sum += c->values[i];
	attr = (union bpf_attr){ .map_fd = (uint32_t)c->counts, .key = address(key) };
	bpf(BPF_MAP_DELETE_ELEM, &attr);
	return sum;
}

size_t callcount_take(struct callcount *c, pid_t pid, struct call_count **counts)
{
	VEC(struct call_count) found = { 0 };
	struct key key = { .pid = (uint32_t)pid };

	for (; key.number < NUMBERS; key.number++) {
		uint64_t calls = take(c, &key);

		if (calls)
			vec_push(&found, (struct call_count){
					     syscall_by_number(syscall_native_abi(), key.number),
					     calls,
					 });
	}
	*counts = found.v;
	return found.n;
}

uint64_t callcount_lost(const struct callcount *c)
{
	uint32_t zero = 0;
	uint64_t lost = 0;
	union bpf_attr attr = {
		.map_fd = (uint32_t)c->lost,
		.key = address(&zero),
		.value = address(&lost),
	};

	bpf(BPF_MAP_LOOKUP_ELEM, &attr);
	return lost;
}

/* Whether calls of this process are counted. */
static bool counts_us(struct callcount *c)
{
	enum { CALLS = 11 };
	struct key key = { (uint32_t)getpid(), SYS_getppid };

	take(c, &key);
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return take(c, &key) == CALLS;
}

static int failed(struct error *e)
{
	int why = errno;

	error_set(e, "calls cannot be counted here: %s%s", strerror(why),
		  why == EPERM ? " (be root)" : "");
	errno = why == EPERM || why == EACCES ? EPERM : ENOSYS;
	return -1;
}

static int begin(struct callcount *c, struct error *e)
{
	c->counts =
	    make_map(BPF_MAP_TYPE_PERCPU_HASH, sizeof(struct key), KEYS_MAX, BPF_F_NO_PREALLOC);
	if (c->counts < 0)
		return failed(e);
	c->lost = make_map(BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), 1, 0);
	if (c->lost < 0 || load(c) < 0 || attach(c) < 0)
		return failed(e);
	if (counts_us(c))
		return 0;
	errno = ENOSYS;
	return error_set(e,
			 "calls cannot be counted here: the kernel knows this process by another "
			 "number (a pid namespace?)");
}

struct callcount *callcount_open(struct error *e)
{
	struct callcount *c = xcalloc(1, sizeof(*c));

	*c = (struct callcount){ -1, -1, -1, -1, .cpus = possible_cpus() };
	c->values = xcalloc(c->cpus, sizeof(*c->values));
	if (!begin(c, e))
		return c;
	int why = errno;
	callcount_close(c);
	errno = why;
	return NULL;
}

void callcount_close(struct callcount *c)
{
	if (!c)
		return;
	const int files[] = { c->link, c->program, c->counts, c->lost };
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (files[i] >= 0)
			close(files[i]);
	free(c->values);
	free(c);
}
