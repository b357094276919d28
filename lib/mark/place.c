/* SPDX-License-Identifier: MIT */
#include "mark/place.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PLACES = 4096, /* a power of 2, of which the hash has the bits */
	PROBES = 16,
	POOL = 1 << 20,
};

static _Atomic(const struct place *) places[PLACES];
static _Alignas(struct place) char pool[POOL];
static atomic_size_t used;

static void *take(size_t n)
{
	size_t at = atomic_fetch_add(&used, (n + 15) & ~(size_t)15);

	return at + n <= POOL ? pool + at : NULL;
}

/* Finds the object with that address, and its path: that of the program may be relative to where it
 * was started, or only a name. */
static bool find_object(const void *address, Dl_info *info, char path[PATH_MAX])
{
	if (!dladdr(address, info) || !info->dli_fname)
		return false;
	if (*info->dli_fname == '/')
		return true;
	bool program = !strcmp(info->dli_fname, program_invocation_name);
	if (realpath(program ? "/proc/thread-self/exe" : info->dli_fname, path))
		info->dli_fname = path;
	return true;
}

static char *name_of(const char *prefix, const char *call, const void *address)
{
	Dl_info info;
	char text[256], path[PATH_MAX];
	bool known = find_object(address, &info, path);
	/* An address within the call; the return address may be on another line. */
	size_t offset = (size_t)((const char *)address - 1 -
				 (known ? (const char *)info.dli_fbase : (const char *)0));
	int n = snprintf(text, sizeof(text), "%s%s %s+0x%zx", prefix, call,
			 known ? info.dli_fname : "?", offset);
	size_t length = n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1;
	char *name = take(length + 1);

	if (name)
		memcpy(name, text, length + 1);
	return name;
}

static const struct place *make_place(const char *call, const void *address)
{
	struct place *p = take(sizeof(*p));

	if (!p)
		return NULL;
	p->address = address;
	p->in = name_of("", call, address);
	p->after = name_of("after ", call, address);
	return p->in && p->after ? p : NULL;
}

const struct place *place_of(const char *call, const void *address)
{
	size_t hash = (uintptr_t)address * 0x9e3779b97f4a7c15u >> 52;

	for (size_t i = 0; i < PROBES; i++) {
		_Atomic(const struct place *) *at = &places[(hash + i) % PLACES];
		const struct place *p = atomic_load_explicit(at, memory_order_acquire),
				   *none = NULL;

		if (!p) {
			p = make_place(call, address);
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
