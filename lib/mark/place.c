/* SPDX-License-Identifier: MIT */
/*
 * The program's objects are found in /proc/thread-self/maps: the functions of the loader take its
 * lock, which may be held by a thread that waits for this one, in a constructor of a library that
 * it loads.  No allocator is used, which might take locks itself; nor much of the stack, of which
 * the program may have given the thread little.
 */
#include "mark/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PLACES = 4096, /* a power of 2, of which the hash has the bits */
	PROBES = 16,
	POOL = 4 << 20,
	TEXT = 4 * PATH_MAX, /* several lines of maps */
};

/* A mapping of a program or library. */
struct object {
	const struct object *next;
	uintptr_t from, until;
	uintptr_t base; /* where the mapping of the object's first byte begins */
	char path[];
};

static _Atomic(const struct object *) objects;
static _Atomic(const struct place *) places[PLACES];
static _Alignas(struct place) char pool[POOL];
static atomic_size_t used;

static void *take(size_t n)
{
	size_t at = atomic_fetch_add(&used, (n + 15) & ~(size_t)15);

	return at + n <= POOL ? pool + at : NULL;
}

/* ---- objects ---- */

static const struct object *add_object(const struct object *found, const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t n = strlen(path), cut = sizeof(deleted) - 1;

	if (n > cut && !strcmp(path + n - cut, deleted))
		n -= cut;
	struct object *o = take(sizeof(*o) + n + 1);
	if (!o)
		return NULL;
	*o = *found;
	memcpy(o->path, path, n);
	o->path[n] = '\0';
	o->next = atomic_load(&objects);
	while (!atomic_compare_exchange_weak(&objects, &o->next, o))
		;
	return o;
}

/* Reads "7f00-7f80 r-xp 00001000 08:01 123   /path".  Returns the path; NULL: it is no file. */
static const char *read_mapping(char *line, struct object *o)
{
	o->from = strtoull(line, &line, 16);
	o->until = strtoull(line + 1, &line, 16);
	if (strlen(line) < 6)
		return NULL;
	uint64_t offset = strtoull(line + 6, &line, 16);
	const char *path = strchr(line, '/');
	if (path && !offset)
		o->base = o->from;
	return path;
}

static const struct object *find_mapping(int fd, char *text, uintptr_t address)
{
	struct object o = { 0 };
	size_t rest = 0;
	long n;

	/* Unlike read(), this is no cancellation point. */
	while ((n = syscall(SYS_read, fd, text + rest, TEXT - 1 - rest)) > 0) {
		char *line = text, *end;

		rest += (size_t)n;
		text[rest] = '\0';
		for (; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			const char *path = read_mapping(line, &o);
			if (o.from <= address && address < o.until)
				return path ? add_object(&o, path) : NULL;
		}
		rest -= (size_t)(line - text);
		memmove(text, line, rest);
	}
	return NULL;
}

/* Returns the object with that address, NULL if there is none. */
static const struct object *object_of(uintptr_t address)
{
	const struct object *o = atomic_load(&objects);
	void *text;
	int fd;

	while (o && !(o->from <= address && address < o->until))
		o = o->next;
	if (o)
		return o;
	fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/maps", O_RDONLY | O_CLOEXEC);
	text = mmap(NULL, TEXT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd >= 0 && text != MAP_FAILED)
		o = find_mapping(fd, text, address);
	if (text != MAP_FAILED)
		munmap(text, TEXT);
	if (fd >= 0)
		syscall(SYS_close, fd);
	return o;
}

/* ---- places ---- */

static void put_hex(char *out, uintptr_t number)
{
	int digits = 1;

	while (digits < (int)sizeof(number) * 2 && number >> 4 * digits)
		digits++;
	while (digits--)
		*out++ = "0123456789abcdef"[number >> 4 * digits & 15];
	*out = '\0';
}

static const struct place *make_place(const char *call, const void *address)
{
	static const char after[] = "after ";
	/* An address within the call; the return address may be on another line. */
	uintptr_t at = (uintptr_t)address - 1;
	const struct object *o = object_of(at);
	const char *path = o ? o->path : "?";
	struct place *p = take(sizeof(*p));
	char *name =
	    take(sizeof(after) + strlen(call) + strlen(path) + sizeof(" +0x") + 2 * sizeof(at));

	if (!p || !name)
		return NULL;
	char *end = stpcpy(stpcpy(stpcpy(stpcpy(name, after), call), " "), path);
	put_hex(stpcpy(end, "+0x"), at - (o ? o->base : 0));
	*p = (struct place){ address, name + sizeof(after) - 1, name };
	return p;
}

const struct place *place_of(const char *call, const void *address)
{
	size_t hash = (uintptr_t)address * 0x9e3779b97f4a7c15u >> 52;

	for (size_t i = 0; i < PROBES; i++) {
		_Atomic(const struct place *) *at = &places[(hash + i) % PLACES];
		const struct place *p = atomic_load_explicit(at, memory_order_acquire),
				   *none = NULL;

		if (!p) {
			int error = errno;

			p = make_place(call, address);
			errno = error;
			if (!p)
				return NULL;
			if (!atomic_compare_exchange_strong(at, &none, p))
				p = none;
		}
		if (p->address == address)
			return p;
	}
	return NULL;
}
