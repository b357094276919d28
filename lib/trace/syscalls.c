/* SPDX-License-Identifier: MIT */
#include "trace/syscalls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/syscall_table.h"
#include "util/map.h"
#include "util/vec.h"

/*
 * Ids are those of the names: first the rows of the table, then what traces bring.  A hostile log could
 * invent names for ever, so that beyond a limit they all become "other".
 */
enum { NUMBERS = 560, NEW_NAMES_MAX = 2048, NAME_MAX_LENGTH = 63 };

static struct names names;
static VEC(struct syscall) calls;
static uint16_t numbers[ABIS][NUMBERS]; /* -> id + 1 */
static uint8_t *variants;		/* id of a table row -> its first variant + 1 */

/* x32 calls are those of x86-64 with this bit set. */
#define X32_BIT 0x40000000u

static unsigned add(struct syscall row)
{
	size_t id = names_add(&names, row.name);

	row.name = names.v[id];
	vec_push(&calls, row);
	return (unsigned)id;
}

static void load_table(void)
{
	if (calls.n)
		return;
	vec_reserve(&calls, syscall_table_rows);
	for (size_t i = 0; i < syscall_table_rows; i++) {
		unsigned id = add(syscall_table[i]);

		for (int abi = 0; abi < ABIS; abi++)
			if (calls.v[id].number[abi] >= 0)
				numbers[abi][calls.v[id].number[abi]] = (uint16_t)(id + 1);
	}
	variants = xcalloc(syscall_table_rows, sizeof(*variants));
	for (size_t i = syscall_variant_rows; i-- > 0;)
		variants[names_find(&names, syscall_variants[i].call)] = (uint8_t)(i + 1);
}

unsigned syscall_by_name(const char *name)
{
	load_table();
	if (calls.n + 1 >= syscall_table_rows + NEW_NAMES_MAX &&
	    names_find(&names, name) == SIZE_MAX)
		name = "other";
	size_t id = names_find(&names, name);
	return id != SIZE_MAX ? (unsigned)id
			      : add((struct syscall){ .name = name, .number = { -1, -1, -1 } });
}

unsigned syscall_by_name_n(const char *name, size_t n)
{
	char copy[NAME_MAX_LENGTH + 1];

	if (n > NAME_MAX_LENGTH)
		n = NAME_MAX_LENGTH;
	memcpy(copy, name, n);
	copy[n] = '\0';
	return syscall_by_name(copy);
}

unsigned syscall_by_number(enum abi abi, unsigned number)
{
	char name[32];

	load_table();
	if (abi >= ABIS) {
		snprintf(name, sizeof(name), "foreign_%u", number);
		return syscall_by_name(name);
	}
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
