/* SPDX-License-Identifier: MIT */
/* ktr_trace.h - traces in memory, written and read, for the tests of .ktr. */
#ifndef UNIT_KTR_TRACE_H
#define UNIT_KTR_TRACE_H

#include "trace/format/ktr/ktr.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/format/ktr/ktr_block.h"
#include "trace/format/ktr/ktr_record.h"
#include "util/map.h"
#include "util/vec.h"

#include "../tap.h"

/* clang-format off */
static const struct source_info info = {
	.recorder = "ptrace", .host = "tester", .command = "sh -c true", .kernel = "Linux 6.1",
	.os = &os_linux, .abi = ABI_ARM64, .has_time = true, .has_duration = true, .clock = TRACE_CLOCK_MONOTONIC,
	.host_id = "6d5cf6ae2f1a9c07", .cpu = "Z80 at 4 MHz",
	.boot = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", .stream = 3, .call_cost = 5600,
};
/* clang-format on */

struct bytes {
	unsigned char *v;
	size_t n;
};

/* Zeroed bytes that live to the end of the test. */
static inline struct bytes bytes_new(size_t n)
{
	static VEC(void *) all;

	vec_push(&all, xcalloc(1, n + 1));
	return (struct bytes){ all.v[all.n - 1], n };
}

/* Writes events into memory as one file. */
static inline struct bytes write_stream(const struct source_info *about, const struct event *events,
					size_t n, size_t flush_every)
{
	int fd = memfd_create("ktr", MFD_CLOEXEC);
	struct ktr_writer *w = ktr_writer_new(fd, about, NULL);
	struct bytes file;
	struct error e;
	int bad = 0;

	for (size_t i = 0; i < n; i++) {
		bad |= ktr_write(w, &events[i], &e);
		if (flush_every && i % flush_every == flush_every - 1)
			bad |= ktr_flush(w, &e);
	}
	bad |= ktr_writer_free(w, &e);
	file = bytes_new((size_t)lseek(fd, 0, SEEK_CUR));
	if (bad || pread(fd, file.v, file.n, 0) != (ssize_t)file.n)
		fail("the trace could be written");
	close(fd);
	return file;
}

static inline struct bytes write_trace(const struct event *events, size_t n, size_t flush_every)
{
	return write_stream(&info, events, n, flush_every);
}

/* All fields of all events, to compare them. */
/* clang-format off */
#define M(type, member) \
	{ EVENT_##type, offsetof(struct event, member), sizeof(((struct event *)0)->member), false }
#define S(type, member) { EVENT_##type, offsetof(struct event, member), 0, true }
static const struct { enum event_type type; size_t offset, size; bool string; } members[] = {
	M(SYSCALL, call.id), M(SYSCALL, call.flags), M(SYSCALL, call.duration), M(SYSCALL, call.args),
	M(SYSCALL, call.result), M(SYSCALL, call.kind), M(SYSCALL, call.object), M(SYSCALL, call.cpu),
	M(SYSCALL, call.more),
	S(SYSCALL, call.path), S(SYSCALL, call.text),
	M(SWITCH, change.cpu), M(SWITCH, change.out), M(SWITCH, change.preempted), M(SWITCH, change.next),
	M(SWITCH, change.state),
	M(WAKE, wake.target), M(WAKE, wake.context), M(WAKE, wake.cpu), M(WAKE, wake.from),
	M(FORK, fork.child_pid), M(FORK, fork.child_tid), M(FORK, fork.shares_files),
	S(EXEC, exec.command), M(EXIT, exit.status), M(EXIT, exit.last),
	M(FD, fd.object), M(FD, fd.kind), S(FD, fd.name),
	M(LOST, lost.count), M(LOST, lost.until), M(LOST, lost.class), M(CLOCK, clock.realtime),
	M(MARK, mark.verb), S(MARK, mark.name), M(MARK, mark.amount), M(MARK, mark.tag),
	S(COUNTER, counter.name), M(COUNTER, counter.value), S(STACK, stack.frames), M(SIGNAL, signal.signal),
	M(FAULT, fault.address), M(FAULT, fault.major), M(FAULT, fault.write), M(FAULT, fault.kind),
	M(URING, uring.complete), M(URING, uring.object), M(URING, uring.request), M(URING, uring.opcode),
	M(URING, uring.result), M(URING, uring.duration), M(URING, uring.fd), M(URING, uring.kind),
	M(URING, uring.file),
	M(INTERRUPT, interrupt.soft), M(INTERRUPT, interrupt.number), M(INTERRUPT, interrupt.cpu),
	M(INTERRUPT, interrupt.duration),
	M(BLOCK, block.complete), M(BLOCK, block.write), M(BLOCK, block.device), M(BLOCK, block.sector),
	M(BLOCK, block.bytes), M(BLOCK, block.cpu),
	S(COMM, comm.name), S(CGROUP, cgroup.path), M(ATTACH, attach.parent),
	M(ADDRESS, address.object), M(ADDRESS, address.local), M(ADDRESS, address.remote),
	M(HOST, host.number), S(HOST, host.name),
};
/* clang-format on */
enum { MEMBERS = sizeof(members) / sizeof(*members) };

static inline const char **string_of(const struct event *e, size_t member)
{
	if (members[member].type != e->type || !members[member].string)
		return NULL;
	return (const char **)(uintptr_t)((const char *)e + members[member].offset);
}

/* Strings that are read live only until the next event: copies of them, kept to the end. */
static inline struct event keep(const struct event *e)
{
	static struct names names;
	struct event copy = *e;

	for (size_t i = 0; i < MEMBERS; i++) {
		const char **string = string_of(&copy, i);

		if (string && *string) {
			size_t at = names_add(&names, *string);

			*string = names.v[at];
		}
	}
	return copy;
}

/* What was read last. */
static struct reading {
	VEC(struct event) events; /* without LOST of missing blocks */
	unsigned gaps;		  /* these */
	struct event gap;	  /* the last of them */
	struct source_losses losses;
	int end; /* what the last source_next returned; -2: not opened */
} r;

static inline void read_trace(const void *data, size_t n)
{
	struct error e;
	struct source *s = source_open_memory(data, n, "memory", &e);
	struct event out;

	vec_free(&r.events);
	r = (struct reading){ .end = -2 };
	if (!s)
		return;
	while ((r.end = source_next(s, &out, &e)) == 1)
		if (out.type == EVENT_LOST && out.lost.class == LOST_BLOCKS) {
			r.gaps++;
			r.gap = out;
		} else {
			vec_push(&r.events, keep(&out));
		}
	r.losses = *source_losses(s);
	source_close(s);
}

static inline int same(const struct event *a, const struct event *b)
{
	bool differ =
	    a->type != b->type || a->pid != b->pid || a->tid != b->tid || a->time != b->time;

	for (size_t i = 0; i < MEMBERS && !differ; i++) {
		const char **x = string_of(a, i), **y = string_of(b, i);
		size_t at = members[i].offset;

		if (x)
			differ = *x != *y && (!*x || !*y || strcmp(*x, *y));
		else if (members[i].type == a->type)
			differ =
			    memcmp((const char *)a + at, (const char *)b + at, members[i].size);
	}
	return !differ;
}

/* Calls that can be distinguished, numbered by result, some with paths. */
static inline struct event *numbered_calls(size_t n)
{
	struct event *events = (struct event *)(void *)bytes_new(n * sizeof(*events)).v;
	static const char *const names[] = { "read", "openat", "futex", "invented", "write" };

	for (size_t i = 0; i < n; i++) {
		struct event *e = &events[i];

		e->type = EVENT_SYSCALL;
		e->pid = 100;
		e->tid = 100 + (uint32_t)(i % 7);
		e->time = (int64_t)i * 1000 - (int64_t)(i % 3) * 300;
		e->call.id = syscall_by_name(names[i % 5]);
		e->call.duration = (int64_t)(i % 11) * 100 - 1;
		e->call.args[0] = i % 13;
		e->call.args[1] = 0x7ffe00000000 + i;
		e->call.result = (int64_t)i;
		e->call.path = i % 5 == 1 ? "/etc/passwd" : NULL;
	}
	return events;
}

/* How many of the events read are among events[n], numbered_calls(). */
static inline size_t count_known(const struct event *events, size_t n)
{
	size_t known = 0;

	for (size_t i = 0; i < r.events.n; i++) {
		size_t number = (size_t)r.events.v[i].call.result;

		known += number < n && same(&r.events.v[i], &events[number]);
	}
	return known;
}

/* How many of the events read are those of events[n] in the same order. */
static inline size_t count_same(const struct event *events, size_t n)
{
	size_t equal = 0;

	for (size_t i = 0; i < n && i < r.events.n; i++)
		equal += same(&events[i], &r.events.v[i]);
	return equal;
}

#endif
