/* SPDX-License-Identifier: MIT */
#include "vector/skim.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/file.h"
#include "util/xalloc.h"
#include "vector/scan.h"

enum {
	FILE_LIMIT = 256 << 20, /* bytes */
};

/* [[weight, centre], [weight, centre]] */
static void skip_modes(struct scan *s)
{
	bool first = true;
	int n = 0;

	scan_expect(s, '[');
	for (; scan_more(s, ']', &first); n++) {
		scan_expect(s, '[');
		double weight = scan_number(s);
		scan_expect(s, ',');
		double centre = scan_number(s);
		scan_expect(s, ']');
		if (!(weight <= 1 && centre > 0))
			s->odd = true;
	}
	if (n != 2)
		s->odd = true;
}

static void skip_flags(struct scan *s)
{
	bool first = true;

	scan_expect(s, '[');
	while (scan_more(s, ']', &first))
		scan_skip_string(s);
}

/* The members of an entry, in the order in which they are written. */
/* clang-format off */
enum member {
	ENTRY, PROGRAM, OPERATION, CURVE, SIZE, BYTES, SECONDS, LOW, HIGH, N, TRIMMED, FLAGS, MODES,
	FAULTS, SWITCHES, KERNEL_ENTRIES, COPIES, PLACEMENT, VALUES, ROUNDS, MEMBERS
};
/* clang-format on */

static const struct member_name {
	const char *name, *text; /* the latter as osvec_write writes it */
	size_t n;		 /* of the text */
} member_names[MEMBERS] = {
#define NAME(name) \
	{ \
		name, "\"" name "\": ", sizeof("\"" name "\": ") - 1 \
	}
	NAME("entry"),	NAME("program"),   NAME("operation"), NAME("curve"),
	NAME("size"),	NAME("bytes"),	   NAME("seconds"),   NAME("low"),
	NAME("high"),	NAME("n"),	   NAME("trimmed"),   NAME("flags"),
	NAME("modes"),	NAME("faults"),	   NAME("switches"),  NAME("kernel_entries"),
	NAME("copies"), NAME("placement"), NAME("values"),    NAME("rounds"),
#undef NAME
};

/* Passes the name of a member, most likely at or the one behind it; MEMBERS: unknown. */
static enum member read_member_name(struct scan *s, unsigned at)
{
	scan_peek(s);
	for (unsigned i = at; i < MEMBERS && i < at + 2; i++)
		if (scan_text(s, member_names[i].text, member_names[i].n))
			return i;

	struct scan_word name = scan_key(s);
	unsigned i = 0;
	while (i < MEMBERS && !scan_is(name, member_names[i].name))
		i++;
	return i;
}

/* An entry under way, and what of it is not kept but checked. */
struct reading {
	struct osvec_entry x;
	double n, kernel_entries, copies;
	size_t values, rounds; /* SIZE_MAX: absent */
};

/* Where the numbers go. */
static const size_t places[MEMBERS] = {
#define PLACE(member) offsetof(struct reading, member)
	[SIZE] = PLACE(x.size),		[BYTES] = PLACE(x.bytes),
	[SECONDS] = PLACE(x.seconds),	[LOW] = PLACE(x.low),
	[HIGH] = PLACE(x.high),		[N] = PLACE(n),
	[TRIMMED] = PLACE(x.trimmed),	[FAULTS] = PLACE(x.faults),
	[SWITCHES] = PLACE(x.switches), [KERNEL_ENTRIES] = PLACE(kernel_entries),
	[COPIES] = PLACE(copies),
#undef PLACE
};

static void read_member(struct scan *s, enum member m, struct reading *r)
{
	switch (m) {
	case ENTRY: r->x.name = scan_copy(scan_string(s)); break;
	case CURVE: r->x.curve = scan_copy(scan_string_or_null(s)); break;
	case PROGRAM:
	case OPERATION:
	case PLACEMENT: scan_skip_string_or_null(s); break;
	case FLAGS: skip_flags(s); break;
	case MODES:
		skip_modes(s);
		r->x.bimodal = true;
		break;
	case VALUES: r->values = scan_count_positive(s); break;
	case ROUNDS: r->rounds = scan_count_integers(s); break;
	case MEMBERS: s->odd = true; break;
	default:
		/* A missing number has its fallback already. */
		if (m == SECONDS || !scan_null(s))
			*(double *)((char *)r + places[m]) = scan_number(s);
	}
}

static void finish_entry(struct scan *s, struct reading *r)
{
	bool kept = r->values != SIZE_MAX;

	if (isnan(r->x.low))
		r->x.low = r->x.seconds;
	if (isnan(r->x.high))
		r->x.high = r->x.seconds;
	if (!r->x.name || !(r->copies >= 1 && r->copies <= UINT_MAX) ||
	    !(r->kernel_entries <= UINT_MAX) || r->n > UINT_MAX ||
	    (kept && !isnan(r->n) && (double)r->values != r->n) ||
	    (kept && r->rounds != SIZE_MAX && r->values != r->rounds))
		s->odd = true;
	if (s->odd)
		return;
	r->x.n = kept ? r->values : isnan(r->n) ? 0 : (size_t)r->n;
	r->x.kernel_entries = (unsigned)r->kernel_entries;
	r->x.copies = (unsigned)r->copies;
}

static struct osvec_entry read_entry(struct scan *s)
{
	struct reading r = {
		.x = { .size = NAN, .seconds = NAN, .low = NAN, .high = NAN, .trimmed = NAN },
		.n = NAN,
		.copies = 1,
		.values = SIZE_MAX,
		.rounds = SIZE_MAX,
	};
	unsigned seen = 0, at = 0;
	bool first = true;

	scan_expect(s, '{');
	while (scan_more(s, '}', &first)) {
		enum member m = read_member_name(s, at);

		at = m + 1;
		if (seen >> m & 1)
			s->odd = true;
		seen |= 1u << m;
		if (!s->odd)
			read_member(s, m, &r);
	}
	finish_entry(s, &r);
	return r.x;
}

static void read_entries(struct scan *s, struct osvec *v)
{
	size_t cap = 0;
	bool first = true;

	scan_expect(s, '[');
	while (scan_more(s, ']', &first)) {
		if (v->n == cap) {
			cap = cap ? 2 * cap : 256;
			v->entries = xreallocarray(v->entries, cap, sizeof(*v->entries));
		}
		v->entries[v->n++] = read_entry(s);
	}
}

/* Keeps the facts that say which machine it is. */
static void read_environment(struct scan *s, json_t *environment)
{
	static const char *const kept[] = { "host.name", "host.identity", "kernel.release",
					    "cpu.model" };
	bool first = true;

	scan_expect(s, '{');
	while (scan_more(s, '}', &first)) {
		struct scan_word name = scan_key(s);
		size_t i = 0;

		while (i < sizeof(kept) / sizeof(*kept) && !scan_is(name, kept[i]))
			i++;
		if (i == sizeof(kept) / sizeof(*kept)) {
			scan_skip(s);
			continue;
		}
		struct scan_word value = scan_string(s);
		if (json_object_get(environment, kept[i]))
			s->odd = true;
		json_object_set_new(environment, kept[i], json_stringn(value.v, value.n));
	}
}

static void read_meta(struct scan *s, struct osvec *v)
{
	bool first = true;

	scan_expect(s, '{');
	while (scan_more(s, '}', &first)) {
		if (!scan_is(scan_key(s), "environment")) {
			scan_skip(s);
			continue;
		}
		json_t *environment = json_object();
		if (json_object_get(v->meta, "environment"))
			s->odd = true;
		read_environment(s, environment);
		json_object_set_new(v->meta, "environment", environment);
	}
}

/* [{"entry": ..., "reason": ...}, ...] */
static void skip_skipped(struct scan *s)
{
	bool first = true;

	scan_expect(s, '[');
	while (scan_more(s, ']', &first)) {
		scan_expect(s, '{');
		if (!scan_is(scan_key(s), "entry"))
			s->odd = true;
		scan_skip_string(s);
		scan_expect(s, ',');
		if (!scan_is(scan_key(s), "reason"))
			s->odd = true;
		scan_skip_string(s);
		scan_expect(s, '}');
	}
}

static void replace(char **s, struct scan_word w)
{
	free(*s);
	*s = scan_copy(w);
}

enum top { SCHEMA, MACHINE, CREATED, ESTIMATOR, LEVEL, META, ENTRIES, SKIPPED, TOPS };

static const char *const top_names[TOPS] = {
	"schema", "machine", "created", "estimator", "level", "meta", "entries", "skipped",
};

/* A member beside the entries; each comes once. */
static void read_top(struct scan *s, struct osvec *v, unsigned *seen)
{
	struct scan_word name = scan_key(s);
	unsigned i = 0;

	while (i < TOPS && !scan_is(name, top_names[i]))
		i++;
	if (i == TOPS || *seen >> i & 1)
		s->odd = true;
	if (s->odd)
		return;
	*seen |= 1u << i;
	switch (i) {
	case SCHEMA:
		if (!scan_is(scan_string(s), "osvec/1"))
			s->odd = true;
		break;
	case MACHINE: replace(&v->machine, scan_string(s)); break;
	case CREATED: replace(&v->created, scan_string(s)); break;
	case ESTIMATOR: replace(&v->estimator, scan_string(s)); break;
	case LEVEL: v->level = scan_number(s); break;
	case META: read_meta(s, v); break;
	case ENTRIES: read_entries(s, v); break;
	case SKIPPED: skip_skipped(s); break;
	}
}

struct osvec *skim_parse(const char *text, size_t n, const char *name)
{
	const unsigned needed = 1u << SCHEMA | 1u << MACHINE | 1u << ENTRIES;
	struct scan s = { .p = text, .end = text + n };
	struct osvec *v = osvec_new("");
	unsigned seen = 0;
	bool first = true;

	replace(&v->path, (struct scan_word){ name, strlen(name) });
	scan_expect(&s, '{');
	while (scan_more(&s, '}', &first))
		read_top(&s, v, &seen);
	scan_peek(&s);
	if (!s.odd && s.p == text + n && (seen & needed) == needed && *v->machine &&
	    v->level <= 1 && !osvec_finish(v, NULL))
		return v;
	osvec_free(v);
	return NULL;
}

struct osvec *skim_read(const char *path, struct error *e)
{
	struct stat st;
	size_t n;
	bool directory = !stat(path, &st) && S_ISDIR(st.st_mode);
	char *file = directory ? xasprintf("%s/osvec.json", path) : xstrdup(path);
	char *text = file_read(file, FILE_LIMIT, &n, e);
	struct osvec *v = text ? skim_parse(text, n, file) : NULL;

	if (text && !v)
		v = osvec_parse(text, n, file, e);
	free(text);
	free(file);
	return v;
}
