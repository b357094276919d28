/* SPDX-License-Identifier: MIT */
/* perf_file.h - makes perf.data in both orders of bytes, as a file and as from a pipe, for tests.
 */
#ifndef TESTS_PERF_FILE_H
#define TESTS_PERF_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PERF_FILE_SIZE = 1 << 16 };

struct perf_file {
	bool big, pipe;
	unsigned char data[PERF_FILE_SIZE];
	size_t n, record, raw; /* where the record at hand, and its raw data begin */
	size_t start, end;     /* of the records */
	uint32_t pid, tid, cpu;
	uint64_t ns;
};

/* The tracepoints; the number of each is its place here, plus 10. */
/* clang-format off */
static const struct { const char *system, *name, *fields; } perf_tracepoints[] = {
	{ "raw_syscalls", "sys_enter", "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n" },
	{ "raw_syscalls", "sys_exit", "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n" },
	{ "sched", "sched_switch", "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		"\tfield:long prev_state;\toffset:28;\tsize:8;\tsigned:1;\n"
		"\tfield:char next_comm[16];\toffset:36;\tsize:16;\tsigned:0;\n"
		"\tfield:pid_t next_pid;\toffset:52;\tsize:4;\tsigned:1;\n" },
	{ "sched", "sched_waking", "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		"\tfield:int target_cpu;\toffset:28;\tsize:4;\tsigned:1;\n" },
	{ "sched", "sched_process_exec",
		"\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n" },
	{ "sched", "sched_process_exit", "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n" },
	{ "syscalls", "sys_enter_openat", "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
		"\tfield:__data_loc char[] __filename_val;\toffset:32;\tsize:4;\tsigned:0;\n"
		"\tfield:int flags;\toffset:40;\tsize:8;\tsigned:0;\n" },
	{ "syscalls", "sys_exit_openat", "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n" },
	{ "irq", "tasklet_entry", "\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n" },
};
/* clang-format on */

enum {
	PERF_ENTER = 10,
	PERF_LEAVE,
	PERF_SWITCHES,
	PERF_WAKING,
	PERF_EXECS,
	PERF_EXITS,
	PERF_OPENAT,
	PERF_OPENED,
	PERF_TASKLET,
	PERF_TRACEPOINTS = PERF_TASKLET + 1 - PERF_ENTER,
	/* IP, TID, TIME, ID, CPU, PERIOD, RAW */
	PERF_SAMPLE_TYPE = 1 | 2 | 4 | 64 | 128 | 256 | 1024,
	PERF_ATTR_BYTES = 64,
};

static inline void perf_set(const struct perf_file *f, unsigned char *p, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (unsigned char)(v >> 8 * (f->big ? bytes - 1 - i : i));
}

static inline void perf_put(struct perf_file *f, uint64_t v, unsigned bytes)
{
	perf_set(f, f->data + f->n, v, bytes);
	f->n += bytes;
}

static inline void perf_text(struct perf_file *f, const char *s, size_t n)
{
	memset(f->data + f->n, 0, n);
	memcpy(f->data + f->n, s, strlen(s) < n ? strlen(s) : n);
	f->n += n;
}

static inline void perf_begin(struct perf_file *f, unsigned type, unsigned misc)
{
	f->record = f->n;
	perf_put(f, type, 4);
	perf_put(f, misc, 2);
	perf_put(f, 0, 2);
}

/* Ends a record of perf's own. */
static inline void perf_end_own(struct perf_file *f)
{
	while (f->n % 8)
		perf_put(f, 0, 1);
	perf_set(f, f->data + f->record + 6, f->n - f->record, 2);
}

/* Ends one of the kernel's, other than a sample: what sample_id_all says is behind it. */
static inline void perf_end(struct perf_file *f)
{
	while (f->n % 8)
		perf_put(f, 0, 1);
	perf_put(f, f->pid, 4);
	perf_put(f, f->tid, 4);
	perf_put(f, f->ns, 8);
	perf_put(f, 7, 8);
	perf_put(f, f->cpu, 8);
	if (f->big) { /* the number of the CPU is the first half */
		perf_set(f, f->data + f->n - 8, f->cpu, 4);
		perf_set(f, f->data + f->n - 4, 0, 4);
	}
	perf_end_own(f);
}

/* A sample: the raw data follow, then perf_end_sample(). */
static inline void perf_begin_sample(struct perf_file *f, unsigned tracepoint)
{
	perf_begin(f, 9, 1);
	perf_put(f, 0x1234, 8);
	perf_put(f, f->pid, 4);
	perf_put(f, f->tid, 4);
	perf_put(f, f->ns, 8);
	perf_put(f, 7, 8);
	perf_put(f, f->cpu, 4);
	perf_put(f, 0, 4);
	perf_put(f, 1, 8);
	f->raw = f->n;
	perf_put(f, 0, 4);
	perf_put(f, tracepoint, 2);
	perf_put(f, 0, 2);
	perf_put(f, f->tid, 4);
}

static inline void perf_end_sample(struct perf_file *f)
{
	while (f->n % 8)
		perf_put(f, 0, 1);
	perf_set(f, f->data + f->raw, f->n - f->raw - 4, 4);
	perf_end_own(f);
}

static inline void perf_round(struct perf_file *f)
{
	perf_begin(f, 68, 0);
	perf_end_own(f);
}

/* An entry and an exit by raw_syscalls. */
static inline void perf_enter(struct perf_file *f, uint64_t number, uint64_t a, uint64_t b,
			      uint64_t c)
{
	perf_begin_sample(f, PERF_ENTER);
	perf_put(f, number, 8);
	perf_put(f, a, 8);
	perf_put(f, b, 8);
	perf_put(f, c, 8);
	perf_text(f, "", 24);
	perf_end_sample(f);
}

static inline void perf_leave(struct perf_file *f, uint64_t number, int64_t result)
{
	perf_begin_sample(f, PERF_LEAVE);
	perf_put(f, number, 8);
	perf_put(f, (uint64_t)result, 8);
	perf_end_sample(f);
}

static inline void perf_add_attr(struct perf_file *f, unsigned tracepoint)
{
	perf_put(f, 2, 4);
	perf_put(f, PERF_ATTR_BYTES, 4);
	perf_put(f, tracepoint, 8);
	perf_put(f, 1, 8);
	perf_put(f, PERF_SAMPLE_TYPE, 8);
	perf_put(f, 4, 8);
	perf_put(f, f->big ? (uint64_t)1 << 45 : 1 << 18, 8); /* sample_id_all */
	perf_put(f, 0, PERF_ATTR_BYTES - 48 > 8 ? 8 : 0);
	perf_put(f, 0, 8);
}

static inline void perf_add_formats(struct perf_file *f)
{
	static const char *const systems[] = { "raw_syscalls", "sched", "syscalls", "irq" };

	perf_text(f, "\x17\x08\x44tracing0.6", 14);
	perf_put(f, f->big, 1);
	perf_put(f, 8, 1);
	perf_put(f, 4096, 4);
	perf_text(f, "header_page", 12);
	perf_put(f, 3, 8);
	perf_text(f, "abc", 3);
	perf_text(f, "header_event", 13);
	perf_put(f, 0, 8);
	perf_put(f, 1, 4); /* of ftrace itself */
	perf_put(f, 5, 8);
	perf_text(f, "name:", 5);
	perf_put(f, sizeof(systems) / sizeof(*systems), 4);
	for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++) {
		perf_text(f, systems[i], strlen(systems[i]) + 1);
		size_t count = f->n, n = 0;
		perf_put(f, 0, 4);
		for (int j = 0; j < PERF_TRACEPOINTS; j++) {
			char text[1024];

			if (strcmp(perf_tracepoints[j].system, systems[i]))
				continue;
			snprintf(
			    text, sizeof(text),
			    "name: %s\nID: %d\nformat:\n"
			    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			    "\n%s\nprint fmt: \"\"\n",
			    perf_tracepoints[j].name, PERF_ENTER + j, perf_tracepoints[j].fields);
			perf_put(f, strlen(text), 8);
			perf_text(f, text, strlen(text));
			n++;
		}
		perf_set(f, f->data + count, n, 4);
	}
}

static inline void perf_add_string(struct perf_file *f, const char *s)
{
	perf_put(f, 64, 4);
	perf_text(f, s, 64);
}

/* Writes all that is in front of the records. */
static inline void perf_start(struct perf_file *f, bool big, bool pipe)
{
	memset(f, 0, sizeof(*f));
	*f = (struct perf_file){ .big = big, .pipe = pipe, .pid = 10, .tid = 10, .ns = 1000 };
	perf_text(f, big ? "2ELIFREP" : "PERFILE2", 8);
	perf_put(f, pipe ? 16 : 104, 8);
	if (!pipe) {
		f->n = 104;
		for (unsigned i = 0; i < PERF_TRACEPOINTS; i++) {
			perf_add_attr(f, PERF_ENTER + i);
			perf_put(f, 0, 8); /* the ids of its events: none */
			perf_put(f, 0, 8);
		}
		f->start = f->n;
		return;
	}
	for (unsigned i = 0; i < PERF_TRACEPOINTS; i++) {
		perf_begin(f, 64, 0);
		perf_add_attr(f, PERF_ENTER + i);
		perf_end_own(f);
	}
	perf_begin(f, 66, 0);
	size_t size = f->n;
	perf_put(f, 0, 8);
	perf_end_own(f);
	size_t start = f->n;
	perf_add_formats(f);
	perf_set(f, f->data + size, f->n - start, 4);
	while ((f->n - start) % 8)
		perf_put(f, 0, 1);
	perf_begin(f, 80, 0);
	perf_put(f, 6, 8);
	perf_add_string(f, "x86_64");
	perf_end_own(f);
}

/* Writes what is behind them. */
static inline void perf_finish(struct perf_file *f)
{
	size_t at[5];

	f->end = f->n;
	if (f->pipe)
		return;
	f->n += 3 * 16;
	at[0] = f->n;
	perf_add_formats(f);
	at[1] = f->n;
	perf_add_string(f, "host");
	at[2] = f->n;
	perf_add_string(f, "x86_64");
	at[3] = f->n;
	for (int i = 0; i < 3; i++) {
		perf_set(f, f->data + f->end + 16 * i, at[i], 8);
		perf_set(f, f->data + f->end + 16 * i + 8, at[i + 1] - at[i], 8);
	}
	perf_set(f, f->data + 16, PERF_ATTR_BYTES + 16, 8);
	perf_set(f, f->data + 24, 104, 8);
	perf_set(f, f->data + 32, PERF_TRACEPOINTS * (PERF_ATTR_BYTES + 16), 8);
	perf_set(f, f->data + 40, f->start, 8);
	perf_set(f, f->data + 48, f->end - f->start, 8);
	perf_set(f, f->data + 72, 1 << 1 | 1 << 3 | 1 << 6, 8); /* formats, host, machine */
}

/* A program starts another, which opens a file, on two CPUs whose buffers were read in turn. */
static inline void perf_story(struct perf_file *f)
{
	perf_begin(f, 3, 0); /* COMM, without a time */
	perf_put(f, 10, 4);
	perf_put(f, 10, 4);
	perf_text(f, "sh", 8);
	f->ns = 0;
	perf_end(f);
	f->ns = 1000;
	perf_enter(f, 57, 0, 0, 0); /* fork */
	f->ns = 1500;
	perf_begin(f, 7, 0); /* FORK */
	perf_put(f, 11, 4);
	perf_put(f, 10, 4);
	perf_put(f, 11, 4);
	perf_put(f, 10, 4);
	perf_put(f, f->ns, 8);
	perf_end(f);
	f->ns = 3000;
	perf_leave(f, 57, 11);
	f->ns = 3500;
	perf_begin_sample(f, PERF_SWITCHES);
	perf_text(f, "sh", 16);
	perf_put(f, 10, 4);
	perf_put(f, 0x100, 8); /* preempted */
	perf_text(f, "other", 16);
	perf_put(f, 99, 4);
	perf_end_sample(f);
	f->pid = f->tid = 11;
	f->cpu = 1;
	f->ns = 2000;
	perf_leave(f, 57, 0); /* in the child */
	f->ns = 2100;
	perf_begin_sample(f, PERF_EXECS);
	perf_put(f, 8 << 16 | 16, 4);
	perf_put(f, 11, 4);
	perf_text(f, "/bin/ls", 8);
	perf_end_sample(f);
	perf_round(f);
	f->ns = 3200; /* the buffer was read before that */
	perf_begin_sample(f, PERF_OPENAT);
	perf_put(f, 257, 8);
	perf_put(f, (uint64_t)-100, 8);
	perf_put(f, 4096, 8);
	perf_put(f, 0, 8);
	perf_put(f, 524288, 8);
	perf_end_sample(f);
	f->ns = 3400;
	perf_begin_sample(f, PERF_OPENED);
	perf_put(f, 257, 8);
	perf_put(f, 3, 8);
	perf_end_sample(f);
	perf_round(f);
	f->ns = 4400;
	perf_begin_sample(f, PERF_WAKING);
	perf_text(f, "sh", 16);
	perf_put(f, 10, 4);
	perf_put(f, 0, 4);
	perf_end_sample(f);
	f->ns = 4500;
	perf_begin(f, 2, 0); /* LOST */
	perf_put(f, 7, 8);
	perf_put(f, 5, 8);
	perf_end(f);
	perf_begin_sample(f, PERF_EXITS);
	perf_text(f, "ls", 16);
	perf_put(f, 11, 4);
	perf_end_sample(f);
	perf_begin_sample(f, PERF_TASKLET);
	perf_put(f, 1, 4);
	perf_end_sample(f);
	f->pid = f->tid = 10;
	f->cpu = 0;
	f->ns = 4600;
	perf_enter(f, 0, 3, 4096, 100); /* read */
	f->ns = 4650;
	perf_leave(f, 0, -11);
}

#endif
