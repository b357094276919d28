/* SPDX-License-Identifier: MIT */
#include "trace/flags.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"
#include "util/map.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* Rows of os->flags, plus one, for the arguments of each call. */
struct arguments {
	bool prepared;
	uint16_t row[6];
};

static struct {
	VEC(struct arguments) calls; /* by id */
	struct map texts;	     /* char *, by row, width and value */
} known;

enum { TEXTS_MOST = 4096 }; /* there are few, unless a program makes numbers up */

/* True if one of the words, separated by blanks, is how the name begins or, behind a '*', ends. */
static bool is_of(const char *name, const char *words)
{
	size_t length = strlen(name);

	for (const char *w = words; *w;) {
		size_t n = strcspn(w, " ");

		if (*w == '*' && length >= n - 1 && !strncmp(name + length - (n - 1), w + 1, n - 1))
			return true;
		/* "SIG" is for SIGINT, not for SIG_BLOCK. */
		if (!strncmp(name, w, n) && (w[n - 1] == '_' || name[n] != '_'))
			return true;
		w += n + (w[n] == ' ');
	}
	return false;
}

static const char *name_of(const struct os *os, const char *words, uint64_t value)
{
	for (const struct constant *c = os->constants; c->name; c++)
		if ((uint64_t)c->value == value && is_of(c->name, words))
			return c->name;
	return NULL;
}

/* The name of the most bits of the value, none of which is in the mask; NULL: no bit has one. */
static const struct constant *largest(const struct os *os, const struct os_flags *f, uint64_t value)
{
	const struct constant *best = NULL;

	for (const struct constant *c = os->constants; c->name; c++) {
		uint64_t v = (uint64_t)c->value;

		if (v && (v & value) == v && !(v & f->mask) && is_of(c->name, f->words) &&
		    (!best ||
		     __builtin_popcountll(v) >= __builtin_popcountll((uint64_t)best->value)))
			best = c;
	}
	return best;
}

static int in_table_order(const void *a, const void *b)
{
	const struct constant *const *x = a, *const *y = b;

	return (*x > *y) - (*x < *y);
}

static char *compose(const struct os *os, const struct os_flags *f, uint64_t value)
{
	const char *name = f->low ? NULL : name_of(os, f->words, value);
	uint64_t low = value & f->mask, rest = value & ~f->mask;
	const struct constant *names[65];
	size_t n = 0;
	char *text;

	if (name)
		return xstrdup(name);
	name = f->mask ? name_of(os, f->low ? f->low : f->words, low) : NULL;
	text = name ? xstrdup(name) : NULL;
	rest |= name ? 0 : low;
	while ((names[n] = largest(os, f, rest))) /* each takes a bit at least */
		rest &= ~(uint64_t)names[n++]->value;
	qsort(names, n, sizeof(*names), in_table_order);
	for (size_t i = 0; i < n; i++)
		text = xappend(text, "%s%s", text ? "|" : "", names[i]->name);
	if (rest || !text)
		text = xappend(text, "%s%s%" PRIx64, text ? "|" : "", rest ? "0x" : "", rest);
	return text;
}

static const struct arguments *arguments_of(unsigned id)
{
	const struct syscall *call = syscall_get(id);

	while (known.calls.n <= id)
		vec_push(&known.calls, (struct arguments){ 0 });
	struct arguments *a = &known.calls.v[id];
	for (const struct os_flags *f = call->os->flags; !a->prepared && f && f->call; f++)
		if (!strcmp(f->call, call->name))
			a->row[f->argument] = (uint16_t)(f - call->os->flags + 1);
	a->prepared = true;
	return a;
}

/* The flags of open as the constants have them, which are those of this machine. */
static uint64_t moved(const struct os *os, enum abi abi, uint64_t value)
{
	const enum abi native = syscall_native_abi();
	uint64_t from = 0, to = 0;

	for (const uint64_t *o = *os->o_by_abi; o[abi] && o[native]; o += ABIS) {
		from |= o[abi];
		to |= value & o[abi] ? o[native] : 0;
	}
	return (value & ~from) | to;
}

static void forget_texts(void)
{
	void *text;

	for (size_t at = 0; (text = map_next_pointer(&known.texts, &at));)
		free(text);
	map_free(&known.texts);
}

const char *flags_text(enum abi abi, unsigned id, unsigned argument, uint64_t value)
{
	unsigned row = arguments_of(id)->row[argument];
	const struct os *os = syscall_get(id)->os;

	/* They are in 32 bits; the number of the system tells apart equal rows. */
	if (!row || (value >> 32 && value >> 32 != UINT32_MAX))
		return NULL;
	if (!strncmp(os->flags[row - 1].words, "O_", 2))
		value = moved(os, abi, value);
	if (known.texts.n == TEXTS_MOST)
		forget_texts();
	uint64_t *at = map_at(&known.texts,
			      (uint64_t)os->number << 48 | (uint64_t)row << 32 | (uint32_t)value);
	if (!*at)
		*at = (uintptr_t)compose(os, &os->flags[row - 1], value);
	return (const char *)(uintptr_t)*at;
}
