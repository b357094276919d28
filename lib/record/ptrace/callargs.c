/* SPDX-License-Identifier: MIT */
#include "record/ptrace/callargs.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "trace/syscalls.h"
#include "util/xalloc.h"

/* ---- memory of a traced process ---- */

enum {
	PAGE = 4096,	  /* the smallest page: memory may end at a multiple of it */
	FIRST_READ = 256, /* most strings are shorter */
};

/* Word by word, where process_vm_readv(2) is missing or forbidden.  Returns the bytes read. */
static size_t peek_words(pid_t tid, uint64_t address, char *out, size_t n)
{
	size_t done = 0;

	while (done < n) {
		errno = 0;
		long word = ptrace(PTRACE_PEEKDATA, tid, (uintptr_t)(address + done), NULL);
		if (errno)
			break;
		size_t part = n - done < sizeof(word) ? n - done : sizeof(word);
		memcpy(out + done, &word, part);
		done += part;
	}
	return done;
}

/* As many of the n bytes at address as there are before memory ends; returns how many. */
static size_t peek_some(pid_t tid, uint64_t address, void *out, size_t n)
{
	static bool by_words;
	struct iovec to = { out, n }, from = { (void *)(uintptr_t)address, n };

	if (!by_words) {
		ssize_t got = process_vm_readv(tid, &to, 1, &from, 1, 0);

		if (got >= 0)
			return (size_t)got;
		if (errno != ENOSYS && errno != EPERM)
			return 0;
		by_words = true;
	}
	return peek_words(tid, address, out, n);
}

bool peek(pid_t tid, uint64_t address, void *out, size_t n)
{
	return peek_some(tid, address, out, n) == n;
}

/* The string at address, cut at n - 1 bytes; false when there is none. */
static bool peek_string(pid_t tid, uint64_t address, char *out, size_t n)
{
	size_t done = 0;

	while (done < n - 1) {
		/* One read never crosses a page: it would fail when only the second is missing. */
		size_t part = PAGE - (address + done) % PAGE;
		size_t most = done ? n - 1 - done : FIRST_READ < n - 1 ? FIRST_READ : n - 1;

		if (part > most)
			part = most;
		size_t got = peek_some(tid, address + done, out + done, part);
		if (memchr(out + done, '\0', got))
			return true;
		done += got;
		if (got < part)
			break;
	}
	out[done] = '\0';
	return done == n - 1;
}

/* ---- arguments ---- */

/* What is to be read from memory, and where event.h wants it. */
static const struct memory_rule {
	const char *call;
	uint8_t pointer;		  /* argument that points to it */
	enum { FLAGS, DESCRIPTORS } what; /* into [4] at the start; [4] and [5] at the end */
} memory_rules[] = {
	{ "clone3", 0, FLAGS },	     { "openat2", 2, FLAGS },	       { "pipe", 0, DESCRIPTORS },
	{ "pipe2", 0, DESCRIPTORS }, { "socketpair", 3, DESCRIPTORS },
};

/* What the arguments of a call are. */
struct shape {
	uint8_t n;			  /* how many */
	int8_t path;			  /* which is one; -1: none */
	const struct memory_rule *memory; /* or NULL */
};

static struct shape *shapes; /* by id, of the calls of Linux */
static size_t nshapes;

static void prepare_shapes(void)
{
	nshapes = os_calls(&os_linux);
	shapes = xcalloc(nshapes, sizeof(*shapes));
	for (size_t id = 0; id < nshapes; id++) {
		const uint8_t *argument = syscall_get((unsigned)id)->argument;

		shapes[id].path = -1;
		for (int i = 0; i < 6 && argument[i] != ARG_NONE; i++) {
			shapes[id].n++;
			if (argument[i] == ARG_PATH && shapes[id].path < 0)
				shapes[id].path = (int8_t)i;
		}
	}
	for (size_t i = 0; i < sizeof(memory_rules) / sizeof(*memory_rules); i++)
		shapes[syscall_by_name(memory_rules[i].call)].memory = &memory_rules[i];
}

void callargs_begin(pid_t tid, const uint64_t args[6], struct event *e,
		    char path[CALLARGS_PATH_SIZE])
{
	if (!shapes)
		prepare_shapes();
	if (e->call.id >= nshapes)
		return; /* a call without a name: nothing is known about its arguments */

	const struct shape *shape = &shapes[e->call.id];
	memcpy(e->call.args, args, shape->n * sizeof(*args));
	if (shape->path >= 0 && peek_string(tid, args[shape->path], path, CALLARGS_PATH_SIZE))
		e->call.path = path;
	if (shape->memory && shape->memory->what == FLAGS)
		peek(tid, args[shape->memory->pointer], &e->call.args[4], sizeof(*args));
}

bool callargs_end(pid_t tid, struct event *e)
{
	const struct shape *shape;
	int fds[2] = { -1, -1 };
	bool complete = true;

	if (e->call.id >= nshapes)
		return true;
	shape = &shapes[e->call.id];
	/* A call with a bad address fails with EFAULT: then nothing is missing. */
	if (shape->path >= 0 && !e->call.path && e->call.args[shape->path])
		complete = e->call.result == -EFAULT;
	if (!shape->memory || shape->memory->what != DESCRIPTORS || event_failed(e))
		return complete;
	complete = peek(tid, e->call.args[shape->memory->pointer], fds, sizeof(fds));
	e->call.args[4] = (uint64_t)(int64_t)fds[0];
	e->call.args[5] = (uint64_t)(int64_t)fds[1];
	return complete;
}
