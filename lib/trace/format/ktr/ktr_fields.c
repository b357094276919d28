/* SPDX-License-Identifier: MIT */
#include "trace/format/ktr/ktr_fields.h"

#include <stddef.h>
#include <string.h>

#include "trace/format/ktr/ktr_format.h"
#include "trace/format/ktr/varint.h"

enum field_kind { NONE, FLAG, U32, U64, I32, I64, KIND, DOUBLE, STRING };

struct field {
	uint8_t kind;
	uint16_t offset; /* in struct event */
};

#define AT(member) offsetof(struct event, member)

static const struct layout {
	enum ktr_record record;
	struct field fields[5]; /* NONE from the first missing one */
} layouts[] = {
	[EVENT_SWITCH] = { KTR_SWITCH,
			   { { FLAG, AT(change.out) },
			     { FLAG, AT(change.preempted) },
			     { U32, AT(change.cpu) },
			     { U32, AT(change.next) } } },
	[EVENT_WAKE] = { KTR_WAKE, { { U32, AT(wake.target) } } },
	[EVENT_FORK] = { KTR_FORK,
			 { { U32, AT(fork.child_pid) },
			   { U32, AT(fork.child_tid) },
			   { FLAG, AT(fork.shares_files) } } },
	[EVENT_EXEC] = { KTR_EXEC, { { STRING, AT(exec.command) } } },
	[EVENT_EXIT] = { KTR_EXIT, { { I32, AT(exit.status) }, { FLAG, AT(exit.last) } } },
	[EVENT_FD] = { KTR_FD,
		       { { U32, AT(fd.object) }, { KIND, AT(fd.kind) }, { STRING, AT(fd.name) } } },
	[EVENT_LOST] = { KTR_LOST, { { U64, AT(lost.count) }, { I64, AT(lost.until) } } },
	[EVENT_CLOCK] = { KTR_CLOCK, { { I64, AT(clock.realtime) } } },
	[EVENT_MARK] = { KTR_MARK,
			 { { U32, AT(mark.verb) },
			   { STRING, AT(mark.name) },
			   { U64, AT(mark.amount) },
			   { U64, AT(mark.tag) } } },
	[EVENT_COUNTER] = { KTR_COUNTER,
			    { { STRING, AT(counter.name) }, { DOUBLE, AT(counter.value) } } },
	[EVENT_SIGNAL] = { KTR_SIGNAL, { { I32, AT(signal.signal) } } },
};

enum { LAYOUTS = sizeof(layouts) / sizeof(*layouts) };

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

static unsigned char *put_field(unsigned char *p, enum field_kind kind, const void *at)
{
	switch (kind) {
	case FLAG: *p = *(const bool *)at; return p + 1;
	case KIND: *p = (unsigned char)*(const enum fd_kind *)at; return p + 1;
	case U32: return varint_put(p, *(const uint32_t *)at);
	case U64: return varint_put(p, *(const uint64_t *)at);
	case I32: return varint_put(p, varint_fold((uint64_t) * (const int32_t *)at));
	case I64: return varint_put(p, varint_fold(*(const uint64_t *)at));
	case DOUBLE: ktr_put(p, *(const uint64_t *)at, 8); return p + 8;
	case STRING: return ktr_put_string(p, *(const char *const *)at);
	case NONE: break;
	}
	return p;
}

unsigned ktr_put_fields(unsigned char **p, const struct event *event)
{
	if ((unsigned)event->type >= LAYOUTS || !layouts[event->type].record)
		return 0;
	const struct layout *layout = &layouts[event->type];
	for (const struct field *f = layout->fields; f->kind; f++)
		*p = put_field(*p, (enum field_kind)f->kind, (const char *)event + f->offset);
	return layout->record;
}

/* False when a string overruns end. */
static bool get_field(const unsigned char **p, const unsigned char *end, enum field_kind kind,
		      void *at)
{
	switch (kind) {
	case FLAG: *(bool *)at = *(*p)++ != 0; break;
	case KIND:
		*(enum fd_kind *)at = **p < FD_KINDS ? (enum fd_kind) * *p : FD_UNKNOWN;
		(*p)++;
		break;
	case U32: *(uint32_t *)at = (uint32_t)varint_get(p); break;
	case U64: *(uint64_t *)at = varint_get(p); break;
	case I32: *(int32_t *)at = (int32_t)varint_unfold(varint_get(p)); break;
	case I64: *(uint64_t *)at = varint_unfold(varint_get(p)); break;
	case DOUBLE:
		*(uint64_t *)at = ktr_get(*p, 8);
		*p += 8;
		break;
	case STRING: *(const char **)at = ktr_get_string(p, end); return *(const char **)at != NULL;
	case NONE: break;
	}
	return true;
}

/* The event of a record type, 0: none. */
static unsigned event_of(unsigned record)
{
	unsigned type = LAYOUTS;

	while (--type && layouts[type].record != record)
		;
	return type;
}

bool ktr_get_fields(const unsigned char **p, const unsigned char *end, unsigned record,
		    struct event *out)
{
	unsigned type = event_of(record);

	if (!type)
		return false;
	out->type = (enum event_type)type;
	for (const struct field *f = layouts[type].fields; f->kind; f++)
		if (!get_field(p, end, (enum field_kind)f->kind, (char *)out + f->offset))
			return false;
	return true;
}
