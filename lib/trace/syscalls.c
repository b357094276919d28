/* SPDX-License-Identifier: MIT */
#include "trace/syscalls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/syscall_table.h"
#include "util/vec.h"

/*
 * Ids are indices of `calls`: the rows of the table, then names met in traces.  A hostile log could
 * invent names for ever, so that beyond a limit they all become "other".
 */
enum { NUMBERS = 560, SLOTS = 8192, NEW_NAMES_MAX = 2048 };

static VEC(struct syscall) calls;
static uint16_t slots[SLOTS];			/* hash of the name -> id + 1 */
static uint16_t numbers[ABIS][NUMBERS];		/* -> id + 1 */
static uint8_t *variants;			/* id of a table row -> its first variant + 1 */

/* x32 calls are those of x86-64 with this bit set. */
#define X32_BIT 0x40000000u

static unsigned hash(const char *s, size_t n)
{
	uint32_t h = 0x811c9dc5;	/* FNV-1a */

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x01000193;
	return h ^ h >> 15;
}

/* The slot of a name, or the empty one where it belongs. */
static uint16_t *slot_of(const char *name, size_t n)
{
	for (unsigned i = hash(name, n);; i++) {
		uint16_t *slot = &slots[i % SLOTS];
		const char *found = *slot ? calls.v[*slot - 1].name : NULL;

		if (!found || (!strncmp(found, name, n) && !found[n]))
			return slot;
	}
}

static unsigned add(const struct syscall *row)
{
	vec_push(&calls, *row);
	*slot_of(row->name, strlen(row->name)) = (uint16_t)calls.n;
	return (unsigned)calls.n - 1;
}

static void load_table(void)
{
	if (calls.n)
		return;
	vec_reserve(&calls, syscall_table_rows);
	for (size_t i = 0; i < syscall_table_rows; i++) {
		unsigned id = add(&syscall_table[i]);

		for (int abi = 0; abi < ABIS; abi++)
			if (calls.v[id].number[abi] >= 0)
				numbers[abi][calls.v[id].number[abi]] = (uint16_t)(id + 1);
	}
	variants = xcalloc(syscall_table_rows, sizeof(*variants));
	for (size_t i = syscall_variant_rows; i-- > 0;) {
		const char *call = syscall_variants[i].call;

		variants[*slot_of(call, strlen(call)) - 1] = (uint8_t)(i + 1);
	}
}

unsigned syscall_by_name_n(const char *name, size_t n)
{
	load_table();
	uint16_t *slot = slot_of(name, n);
	if (*slot)
		return *slot - 1u;
	if (calls.n >= syscall_table_rows + NEW_NAMES_MAX)
		return *slot_of("other", 5) - 1u;
	if (calls.n + 1 == syscall_table_rows + NEW_NAMES_MAX)
		name = "other", n = 5;
	struct syscall row = { .name = xstrndup(name, n), .number = { -1, -1, -1 } };
	return add(&row);
}

unsigned syscall_by_name(const char *name)
{
	return syscall_by_name_n(name, strlen(name));
}

unsigned syscall_by_number(enum abi abi, unsigned number)
{
	char name[32];

	load_table();
	if (abi == ABI_X86_64 && number & X32_BIT && (number & ~X32_BIT) < 512)
		number &= ~X32_BIT;
	if (number < NUMBERS && numbers[abi][number])
		return numbers[abi][number] - 1u;
	snprintf(name, sizeof(name), "syscall_%u", number);
	unsigned id = syscall_by_name(name);
	if (!strcmp(calls.v[id].name, name))
		calls.v[id].number[abi] = (int)number;
	if (number < NUMBERS)
		numbers[abi][number] = (uint16_t)(id + 1);
	return id;
}

const struct syscall *syscall_get(unsigned id)
{
	load_table();
	return &calls.v[id];
}

unsigned syscall_count(void)
{
	load_table();
	return (unsigned)calls.n;
}

enum abi syscall_native_abi(void)
{
#if defined(__aarch64__)
	return ABI_ARM64;
#elif defined(__i386__)
	return ABI_I386;
#else
	return ABI_X86_64;
#endif
}

const char *syscall_variant(const struct event *e)
{
	if (e->call.id >= syscall_table_rows || !calls.n || !variants[e->call.id])
		return NULL;
	const struct syscall_variant *v = &syscall_variants[variants[e->call.id] - 1];
	const struct syscall_variant *end = syscall_variants + syscall_variant_rows;
	const char *call = v->call;

	for (; v < end && !strcmp(v->call, call); v++)
		if ((e->call.args[v->argument] & v->mask) == v->value)
			return v->word;
	return NULL;
}
