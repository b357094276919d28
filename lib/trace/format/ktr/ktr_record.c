/* SPDX-License-Identifier: MIT */
#include "trace/format/ktr/ktr_record.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "trace/format/ktr/ktr_block.h"

enum field_kind { NONE, FLAG, WORD, KIND, U32, U64, I32, I64, STRING, ADDRESS };

struct layout_field {
	uint8_t kind;
	uint8_t limit; /* of a WORD, a number with a meaning: larger ones are read as 0, unknown */
	uint16_t offset; /* in struct event */
};

/* The fields of each event in their order in the record; new ones are added at the end. */
/* clang-format off */
#define FIELD(kind, member) { kind, 0, offsetof(struct event, member) }
#define ENUM(limit, member) { WORD, limit, offsetof(struct event, member) }
static const struct layout_field layouts[EVENT_TYPES][10] = {
	[EVENT_SWITCH] = { FIELD(FLAG, change.out), FIELD(FLAG, change.preempted), FIELD(U32, change.cpu),
			   FIELD(U32, change.next), ENUM(STATES, change.state) },
	[EVENT_WAKE] = { FIELD(U32, wake.target), ENUM(WAKE_CONTEXTS, wake.context), FIELD(U32, wake.cpu),
			 FIELD(U32, wake.from) },
	[EVENT_FORK] = { FIELD(U32, fork.child_pid), FIELD(U32, fork.child_tid),
			 FIELD(FLAG, fork.shares_files) },
	[EVENT_EXEC] = { FIELD(STRING, exec.command) },
	[EVENT_EXIT] = { FIELD(I32, exit.status), FIELD(FLAG, exit.last) },
	[EVENT_FD] = { FIELD(U32, fd.object), FIELD(KIND, fd.kind), FIELD(STRING, fd.name) },
	[EVENT_LOST] = { FIELD(U64, lost.count), FIELD(I64, lost.until), ENUM(LOST_CLASSES, lost.class) },
	[EVENT_CLOCK] = { FIELD(I64, clock.realtime) },
	[EVENT_MARK] = { FIELD(U32, mark.verb), FIELD(STRING, mark.name), FIELD(U64, mark.amount),
			 FIELD(U64, mark.tag) },
	[EVENT_SIGNAL] = { FIELD(I32, signal.signal) },
	[EVENT_FAULT] = { FIELD(U64, fault.address), FIELD(FLAG, fault.major), FIELD(FLAG, fault.write),
			ENUM(FAULT_KINDS, fault.kind) },
	[EVENT_URING] = { FIELD(FLAG, uring.complete), FIELD(U32, uring.object), FIELD(U64, uring.request),
			  FIELD(U32, uring.opcode), FIELD(I64, uring.result), FIELD(I64, uring.duration),
			  FIELD(I32, uring.fd), FIELD(KIND, uring.kind), FIELD(U32, uring.file) },
	[EVENT_INTERRUPT] = { FIELD(FLAG, interrupt.soft), FIELD(U32, interrupt.number),
			      FIELD(U32, interrupt.cpu), FIELD(I64, interrupt.duration) },
	[EVENT_BLOCK] = { FIELD(FLAG, block.complete), FIELD(FLAG, block.write), FIELD(U64, block.device),
			  FIELD(U64, block.sector), FIELD(U64, block.bytes), FIELD(U32, block.cpu) },
	[EVENT_COMM] = { FIELD(STRING, comm.name) },
	[EVENT_CGROUP] = { FIELD(STRING, cgroup.path) },
	[EVENT_ATTACH] = { FIELD(U32, attach.parent) },
	[EVENT_ADDRESS] = { FIELD(U32, address.object), FIELD(ADDRESS, address.local),
			    FIELD(ADDRESS, address.remote) },
	[EVENT_HOST] = { FIELD(U32, host.number), FIELD(STRING, host.name) },
};
/* clang-format on */

unsigned char *ktr_put_string(unsigned char *p, const char *s)
{
	size_t n = s ? strnlen(s, KTR_STRING_MAX) : 0;

	p = varint_put(p, n);
	if (n)
		memcpy(p, s, n);
	p[n] = '\0';
	return p + n + 1;
}

const char *ktr_get_string(const unsigned char **p, const unsigned char *end)
{
	uint64_t n = varint_get(p);

	if (*p >= end || n >= (uint64_t)(end - *p) || (*p)[n])
		return NULL;
	const char *s = (const char *)*p;
	*p += n + 1;
	return s;
}

unsigned char *ktr_put_value(unsigned char *p, double value)
{
	const double most = 1ull << 53; /* whole numbers up to here are exact */
	uint64_t bits;

	if (value >= 0 && value <= most && (double)(uint64_t)value == value && !signbit(value))
		return varint_put(p, (uint64_t)value + 1);
	memcpy(&bits, &value, sizeof(bits));
	p = varint_put(p, 0);
	ktr_put(p, bits, 8);
	return p + 8;
}

double ktr_get_value(const unsigned char **p)
{
	uint64_t v = varint_get(p);
	double value;

	if (v)
		return (double)(v - 1);
	v = ktr_get(*p, 8);
	*p += 8;
	memcpy(&value, &v, sizeof(value));
	return value;
}

static unsigned char *put_address(unsigned char *p, const struct address *a)
{
	*p++ = a->length;
	memcpy(p, a->bytes, a->length);
	return varint_put(p + a->length, a->port);
}

static bool get_address(const unsigned char **p, struct address *a)
{
	unsigned length = *(*p)++;

	if (length != 0 && length != 4 && length != 16)
		return false;
	a->length = (uint8_t)length;
	memcpy(a->bytes, *p, length);
	*p += length;
	a->port = (uint16_t)varint_get(p);
	return true;
}

static unsigned char *put_field(unsigned char *p, enum field_kind kind, const void *at)
{
	switch (kind) {
	case FLAG: *p = *(const bool *)at; return p + 1;
	case WORD: *p = *(const uint8_t *)at; return p + 1;
	case KIND: *p = (unsigned char)*(const enum fd_kind *)at; return p + 1;
	case U32: return varint_put(p, *(const uint32_t *)at);
	case U64: return varint_put(p, *(const uint64_t *)at);
	case I32: return varint_put(p, varint_fold((uint64_t) * (const int32_t *)at));
	case I64: return varint_put(p, varint_fold(*(const uint64_t *)at));
	case STRING: return ktr_put_string(p, *(const char *const *)at);
	case ADDRESS: return put_address(p, at);
	case NONE: break;
	}
	return p;
}

bool ktr_put_fields(unsigned char **p, const struct event *event)
{
	if ((unsigned)event->type >= EVENT_TYPES || !layouts[event->type]->kind)
		return false;
	for (const struct layout_field *f = layouts[event->type]; f->kind; f++)
		*p = put_field(*p, (enum field_kind)f->kind, (const char *)event + f->offset);
	return true;
}

/* False if a string or an address overruns end. */
static bool get_field(const unsigned char **p, const unsigned char *end,
		      const struct layout_field *f, void *at)
{
	if (*p >= end) {
		if (f->kind == STRING)
			*(const char **)at = "";
		return true;
	}
	switch ((enum field_kind)f->kind) {
	case FLAG: *(bool *)at = *(*p)++ != 0; break;
	case WORD:
		*(uint8_t *)at = **p < f->limit ? **p : 0;
		(*p)++;
		break;
	case KIND:
		*(enum fd_kind *)at = **p < FD_KINDS ? (enum fd_kind) * *p : FD_UNKNOWN;
		(*p)++;
		break;
	case U32: *(uint32_t *)at = (uint32_t)varint_get(p); break;
	case U64: *(uint64_t *)at = varint_get(p); break;
	case I32: *(int32_t *)at = (int32_t)varint_unfold(varint_get(p)); break;
	case I64: *(uint64_t *)at = varint_unfold(varint_get(p)); break;
	case STRING: return (*(const char **)at = ktr_get_string(p, end)) != NULL;
	case ADDRESS: return get_address(p, at);
	case NONE: break;
	}
	return true;
}

bool ktr_get_fields(const unsigned char **p, const unsigned char *end, unsigned type,
		    struct event *out)
{
	if (type >= EVENT_TYPES || !layouts[type]->kind)
		return false;
	*out = (struct event){ .type = type, .pid = out->pid, .tid = out->tid, .time = out->time };
	for (const struct layout_field *f = layouts[type]; f->kind; f++)
		if (!get_field(p, end, f, (char *)out + f->offset))
			return false;
	return true;
}
