/* SPDX-License-Identifier: MIT */
/*
 * Layouts, from the headers sys/ktrace.h of the systems.  Those of 64-bit machines and of i386 were
 * seen in files; other 32-bit machines align a time of 64 bits at 8 bytes, which makes the
 * difference.
 */
#include "trace/format/ktrace/ktrace_record.h"

#include <string.h>

#include "trace/input.h"

#define BOTH (KTRACE_LITTLE | KTRACE_BIG)

/* clang-format off */
static const struct ktrace_layout layouts[] = {
	/* system, orders, version, header, word, micro, length, comm, seconds, fraction, tid, cpu */
	{ &os_openbsd, BOTH, 0, 64, 8, 0, { 56, 8 }, { 32, 24 }, { 16, 8 }, { 24, 8 }, { 8, 4 }, { 0, 0 } },
	{ &os_openbsd, BOTH, 0, 64, 4, 0, { 56, 4 }, { 32, 24 }, { 16, 8 }, { 24, 4 }, { 8, 4 }, { 0, 0 } },
	{ &os_openbsd, KTRACE_LITTLE, 0, 52, 4, 0, { 48, 4 }, { 24, 24 }, { 12, 8 }, { 20, 4 }, { 8, 4 }, { 0, 0 } },
	{ &os_openbsd, KTRACE_LITTLE, 0, 48, 4, 0, { 44, 4 }, { 24, 17 }, { 12, 8 }, { 20, 4 }, { 8, 4 }, { 0, 0 } },

	{ &os_freebsd, BOTH, 1, 64, 8, 0, { 0, 4 }, { 12, 20 }, { 32, 8 }, { 40, 8 }, { 48, 8 }, { 56, 4 } },
	{ &os_freebsd, KTRACE_LITTLE, 1, 48, 4, 0, { 0, 4 }, { 12, 20 }, { 32, 4 }, { 36, 4 }, { 40, 4 }, { 44, 4 } },
	{ &os_freebsd, BOTH, 1, 56, 4, 0, { 0, 4 }, { 12, 20 }, { 32, 8 }, { 40, 4 }, { 48, 4 }, { 52, 4 } },

	{ &os_netbsd, BOTH, 2, 56, 8, 0, { 0, 4 }, { 12, 17 }, { 32, 8 }, { 40, 8 }, { 48, 4 }, { 0, 0 } },
	{ &os_netbsd, BOTH, 2, 56, 4, 0, { 0, 4 }, { 12, 17 }, { 32, 8 }, { 40, 4 }, { 48, 4 }, { 0, 0 } },
	{ &os_netbsd, BOTH, 2, 48, 4, 0, { 0, 4 }, { 12, 17 }, { 32, 8 }, { 40, 4 }, { 44, 4 }, { 0, 0 } },
	{ &os_netbsd, BOTH, 1, 56, 8, 0, { 0, 4 }, { 12, 17 }, { 32, 4 }, { 40, 8 }, { 48, 4 }, { 0, 0 } },
	{ &os_netbsd, BOTH, 1, 56, 4, 0, { 0, 4 }, { 12, 17 }, { 32, 4 }, { 36, 4 }, { 40, 4 }, { 0, 0 } },
	{ &os_netbsd, BOTH, 1, 48, 4, 0, { 0, 4 }, { 12, 17 }, { 32, 4 }, { 36, 4 }, { 40, 4 }, { 0, 0 } },
	{ &os_netbsd, BOTH, 1, 44, 4, 0, { 0, 4 }, { 12, 17 }, { 32, 4 }, { 36, 4 }, { 40, 4 }, { 0, 0 } },
	{ &os_netbsd, BOTH, 0, 56, 8, 1, { 0, 4 }, { 12, 17 }, { 32, 4 }, { 40, 8 }, { 0, 0 }, { 0, 0 } },
	{ &os_netbsd, BOTH, 0, 56, 4, 1, { 0, 4 }, { 12, 17 }, { 32, 4 }, { 36, 4 }, { 0, 0 }, { 0, 0 } },
	{ &os_netbsd, BOTH, 0, 48, 4, 1, { 0, 4 }, { 12, 17 }, { 32, 4 }, { 36, 4 }, { 0, 0 }, { 0, 0 } },
	{ &os_netbsd, BOTH, 0, 44, 4, 1, { 0, 4 }, { 12, 17 }, { 32, 4 }, { 36, 4 }, { 0, 0 }, { 0, 0 } },

	{ &os_freebsd, BOTH, 0, 56, 8, 1, { 0, 4 }, { 12, 20 }, { 32, 8 }, { 40, 8 }, { 48, 8 }, { 0, 0 } },
	{ &os_freebsd, BOTH, 0, 56, 4, 1, { 0, 4 }, { 12, 20 }, { 32, 8 }, { 40, 4 }, { 48, 4 }, { 0, 0 } },
	{ &os_freebsd, KTRACE_LITTLE, 0, 44, 4, 1, { 0, 4 }, { 12, 20 }, { 32, 4 }, { 36, 4 }, { 40, 4 }, { 0, 0 } },
	{ &os_macos, BOTH, 0, 44, 4, 1, { 0, 4 }, { 12, 17 }, { 32, 4 }, { 36, 4 }, { 0, 0 }, { 0, 0 } },
};
/* clang-format on */

enum {
	LAYOUTS = sizeof(layouts) / sizeof(*layouts),
	TYPES = 64,	     /* more than any system has */
	CALLS = 2048,	     /* likewise; Linux programs on ARM have higher ones, which are rare */
	REGISTERS = 24,	     /* likewise */
	NEEDED = 3,	     /* records that are no chance */
	VERSIONED = 1 << 14, /* FreeBSD: of the type */
	DROPPED = 1 << 15,   /* likewise */
	PIDS = 1 << 30,	     /* more than any system gives */
	CPUS = 1 << 16,
};

static const char openbsd_begin[4] = { 'K', 'T', 'R', '\0' };

uint64_t ktrace_get(const struct ktrace_form *f, const unsigned char *p, unsigned bytes)
{
	return input_get(f->swapped, p, bytes);
}

int64_t ktrace_get_signed(const struct ktrace_form *f, const unsigned char *p, unsigned bytes)
{
	return input_signed(ktrace_get(f, p, bytes), 8 * bytes);
}

static uint64_t get_field(const struct ktrace_form *f, const unsigned char *p,
			  struct ktrace_field field)
{
	return ktrace_get(f, p + field.at, field.bytes);
}

/* Type, version and pid are where the system has them; false if they are impossible. */
static bool parse_type(const struct ktrace_form *f, const unsigned char *p, struct ktrace_record *r)
{
	const struct os *os = f->layout->os;

	if (os == &os_openbsd) {
		r->type = (unsigned)ktrace_get(f, p, 4);
		r->pid = (uint32_t)ktrace_get(f, p + 4, 4);
		return true;
	}
	r->pid = (uint32_t)ktrace_get(f, p + 8, 4);
	if (os == &os_netbsd) { /* a big-endian machine has the version first */
		r->type = (unsigned)ktrace_get(f, p + (f->big ? 6 : 4), 2);
		return ktrace_get(f, p + (f->big ? 4 : 6), 2) == f->layout->version;
	}
	r->type = (unsigned)ktrace_get(f, p + 4, 2);
	if (os == &os_macos)
		return true;
	r->dropped = r->type & DROPPED;
	if (f->layout->version && ktrace_get(f, p + 6, 2) != f->layout->version)
		return false;
	bool versioned = r->type & VERSIONED;
	r->type &= VERSIONED - 1u;
	return versioned == (f->layout->version > 0);
}

/* The name of the program: some bytes that can be printed, and a NUL. */
static bool parse_comm(const struct ktrace_form *f, const unsigned char *p, struct ktrace_record *r)
{
	size_t room = f->layout->comm.bytes, n = 0;

	p += f->layout->comm.at;
	for (; n < room && p[n]; n++)
		if (p[n] < ' ' || p[n] == 0x7f)
			return false;
	memcpy(r->comm, p, n);
	r->comm[n] = '\0';
	return n < room;
}

/* An old FreeBSD has a pointer of the kernel in place of the thread. */
static uint32_t parse_tid(const struct ktrace_form *f, const unsigned char *p)
{
	uint64_t tid = f->layout->tid.bytes ? get_field(f, p, f->layout->tid) : 0;

	return tid < PIDS ? (uint32_t)tid : 0;
}

bool ktrace_parse(const struct ktrace_form *f, const unsigned char *p, size_t n,
		  struct ktrace_record *r)
{
	const struct ktrace_layout *l = f->layout;

	if (n < l->header)
		return false;
	uint64_t length = get_field(f, p, l->length);
	uint64_t seconds = get_field(f, p, l->seconds), fraction = get_field(f, p, l->fraction);
	if (length > KTRACE_PAYLOAD_MAX || seconds >= (uint64_t)1 << 32 ||
	    fraction >= (l->micro ? 1000000u : 1000000000u))
		return false;
	*r = (struct ktrace_record){ .data = p + l->header };
	if (l->os == &os_openbsd && !memcmp(p, openbsd_begin, sizeof(openbsd_begin))) {
		r->begins = true;
		return length == 0;
	}
	if (!parse_type(f, p, r) || r->type - 1 >= TYPES - 1 || r->pid >= PIDS ||
	    !parse_comm(f, p, r))
		return false;
	r->n = (size_t)length;
	r->tid = parse_tid(f, p);
	r->time = (int64_t)(seconds * 1000000000u + fraction * (l->micro ? 1000u : 1u));
	uint64_t cpu = l->cpu.bytes ? get_field(f, p, l->cpu) : CPUS;
	r->cpu = cpu < CPUS ? (uint32_t)cpu + 1 : 0;
	return true;
}

/* ---- payloads ---- */

/* NetBSD and OpenBSD count the bytes of the registers; OpenBSD has the name of a sysctl behind
 * them. */
static bool parse_call_of_bytes(const struct ktrace_form *f, const struct ktrace_record *r,
				struct ktrace_call *out)
{
	enum { SYSCTL = 202, SYSCTL_NAME = 12 * 4 };

	if (r->n < 8)
		return false;
	uint64_t bytes = ktrace_get(f, r->data + 4, 4);
	out->number = (unsigned)ktrace_get(f, r->data, 4);
	out->size = f->layout->word;
	out->count = (unsigned)(bytes / out->size);
	out->registers = r->data + 8;
	size_t more = f->layout->os == &os_openbsd && out->number == SYSCTL ? SYSCTL_NAME : 0;
	return bytes % out->size == 0 && bytes + 8 <= r->n && r->n <= bytes + 8 + more;
}

/* FreeBSD and macOS count the registers; those of macOS have 64 bits since 10.4. */
static bool parse_call_of_words(const struct ktrace_form *f, const struct ktrace_record *r,
				struct ktrace_call *out)
{
	bool either = f->layout->os == &os_macos;

	if (r->n < 4)
		return false;
	out->number = (unsigned)ktrace_get(f, r->data, 2);
	out->count = (unsigned)ktrace_get(f, r->data + 2, 2);
	for (unsigned at = 4; at <= 8; at += 4)
		for (out->size = 4; out->size <= 8; out->size += 4)
			if (at + out->count * out->size == r->n &&
			    (either || (out->size == f->layout->word && at == out->size))) {
				out->registers = r->data + at;
				return true;
			}
	return false;
}

bool ktrace_parse_call(const struct ktrace_form *f, const struct ktrace_record *r,
		       struct ktrace_call *out)
{
	bool words = f->layout->os == &os_freebsd || f->layout->os == &os_macos;
	bool whole = words ? parse_call_of_words(f, r, out) : parse_call_of_bytes(f, r, out);

	return whole && out->number < CALLS && out->count <= REGISTERS;
}

bool ktrace_is_whole(const struct ktrace_form *f, const struct ktrace_record *r)
{
	struct ktrace_call call;

	if (r->begins)
		return true;
	switch (r->type) {
	case KTRACE_SYSCALL: return ktrace_parse_call(f, r, &call);
	/* OpenBSD leaves the value out when the call failed. */
	case KTRACE_SYSRET:
		return r->n >= 8 && r->n <= 24 &&
		       (f->layout->os == &os_openbsd || r->n >= 8u + f->layout->word);
	case KTRACE_NAMEI: return r->n <= 4096;
	case KTRACE_GENIO: return r->n >= 8;
	default: return true;
	}
}

/* ---- recognition ---- */

/*
 * How many records follow each other at p, as far as the n bytes reach and at most `most`; *whole:
 * nothing is wrong up to there.
 */
static unsigned walk(const struct ktrace_form *f, const unsigned char *p, size_t n, unsigned most,
		     bool at_end, bool *whole)
{
	struct ktrace_record r;
	unsigned seen = 0;

	for (*whole = true; n && seen < most; seen++) {
		if (n < f->layout->header && !at_end)
			return seen;
		*whole = ktrace_parse(f, p, n, &r);
		if (!*whole)
			return seen;
		size_t size = f->layout->header + r.n;
		if (size > n) {
			*whole = !at_end;
			return seen;
		}
		*whole = ktrace_is_whole(f, &r);
		if (!*whole)
			return seen;
		p += size;
		n -= size;
	}
	return seen;
}

/* few: fewer records count too, if they end where the file does. */
static bool begins_here(const struct ktrace_form *f, const unsigned char *p, size_t n, bool at_end,
			bool few)
{
	bool whole;
	unsigned seen = walk(f, p, n, NEEDED, at_end, &whole);

	return seen == NEEDED || (few && seen && whole && at_end);
}

/* False if no form in that order of bytes has a header at p: most places are ruled out by this. */
static bool may_begin(const unsigned char *p, size_t n, bool swapped)
{
	const struct ktrace_form f = { .swapped = swapped };

	if (n < 8)
		return false;
	uint64_t first = ktrace_get(&f, p, 4), type = ktrace_get(&f, p + 4, 2) & (VERSIONED - 1u),
		 second = ktrace_get(&f, p + 6, 2);

	/* OpenBSD has the type in front, the others a length. */
	return !memcmp(p, openbsd_begin, sizeof(openbsd_begin)) || first - 1 < TYPES - 1 ||
	       (first <= KTRACE_PAYLOAD_MAX && (type - 1 < TYPES - 1 || second - 1 < TYPES - 1));
}

/*
 * The form whose records reach farthest from p on, of those that fit at all; of several that reach
 * about as far, as they do up to a torn place, the first in the table.
 */
static bool choose_form(const unsigned char *p, size_t n, bool at_end, bool few,
			struct ktrace_form *best)
{
	unsigned most = 0;
	bool whole;

	for (int big = 0; big <= 1; big++)
		for (int i = 0; may_begin(p, n, big != INPUT_IS_BIG) && i < LAYOUTS; i++) {
			struct ktrace_form f = { &layouts[i], big != INPUT_IS_BIG, big };

			if (!(layouts[i].orders & (big ? KTRACE_BIG : KTRACE_LITTLE)) ||
			    !begins_here(&f, p, n, at_end, few))
				continue;
			unsigned seen = walk(&f, p, n, 1000, at_end, &whole);
			if (seen > most + (most ? NEEDED : 0)) {
				most = seen;
				*best = f;
			}
		}
	return most > 0;
}

size_t ktrace_find(const unsigned char *data, size_t n, bool at_end, struct ktrace_form *f)
{
	for (size_t i = 0; i < n; i++)
		if ((f->layout && may_begin(data + i, n - i, f->swapped) &&
		     begins_here(f, data + i, n - i, at_end, true)) ||
		    choose_form(data + i, n - i, at_end, !f->layout && i == 0, f))
			return i;
	return n;
}
