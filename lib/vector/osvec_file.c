/* SPDX-License-Identifier: MIT */
/* The file of an OS vector: the layout is in osvec.h and docs/osvec.5. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "json/json.h"
#include "json/rows.h"
#include "util/file.h"
#include "util/text.h"
#include "util/xalloc.h"
#include "vector/osvec.h"

#define SCHEMA "osvec/1"

enum {
	FILE_LIMIT = 16 << 20, /* bytes; 600 entries take 100 kB */
	DIGITS = 9,	       /* of seconds: far below what a clock resolves */
	SINGLE = 7,	       /* of floats: all that they have */
};

enum member {
	ENTRY,
	SECONDS,
	ERROR,
	N,
	LOW,
	HIGH,
	MEAN,
	MEAN_ERROR,
	CPU,
	FLAGS,
	CURVE,
	SIZE,
	BYTES,
	SWITCHES,
	FAULTS,
	FOOTPRINT,
	USER,
	MEMBERS,
};

static const char *const member_names[MEMBERS] = {
	[ENTRY] = "entry",   [SECONDS] = "seconds",
	[ERROR] = "error",   [N] = "n",
	[LOW] = "low",	     [HIGH] = "high",
	[MEAN] = "mean",     [MEAN_ERROR] = "mean_error",
	[CPU] = "cpu",	     [FLAGS] = "flags",
	[CURVE] = "curve",   [SIZE] = "size",
	[BYTES] = "bytes",   [SWITCHES] = "switches",
	[FAULTS] = "faults", [FOOTPRINT] = "footprint",
	[USER] = "user",
};

static const struct field words[] = { FIELD(TEXT, osvec, machine),
				      FIELD(MAYBE_TEXT, osvec, created),
				      FIELD(MAYBE_TEXT, osvec, estimator),
				      { 0 } };

/* An entry being read: a row of which column[m] holds member m, or an object. */
struct reader {
	struct fields *f;
	struct osvec *v;
	const struct rows *rows;
	size_t column[MEMBERS]; /* SIZE_MAX: none does */
	size_t index;
	struct cell members[MEMBERS]; /* of an object */
	char *names, *flags;	      /* room for those of rows, in v's names and texts */
};

static const struct cell *member(const struct reader *r, enum member m)
{
	static const struct cell none = { .kind = CELL_NONE };
	const struct row *row = &r->rows->v.v[r->index];

	if (row->other)
		return &r->members[m];
	return r->column[m] < row->n ? &r->rows->cells.v[row->first + r->column[m]] : &none;
}

static void refuse(const struct reader *r, enum member m, const char *why)
{
	const struct cell *name = member(r, ENTRY);

	snprintf(r->f->where, sizeof(r->f->where), "entries[%zu]%s%.*s", r->index,
		 name->n ? " " : "", (int)(name->n < 40 ? name->n : 40), name->n ? name->text : "");
	fields_fail(r->f, member_names[m], "%s", why);
}

/* A number that is at least low; fallback when it is missing. */
static double number(const struct reader *r, enum member m, double low, double fallback)
{
	const struct cell *c = member(r, m);

	if (c->kind == CELL_NUMBER && c->number >= low)
		return c->number;
	if (c->kind != CELL_NONE)
		refuse(r, m, c->kind == CELL_NUMBER ? "negative" : "not a number");
	return fallback;
}

/* A copy of a string, or that of the entry before, when it is the same; NULL when it is missing. */
static char *string(struct reader *r, enum member m, char *before)
{
	const struct cell *c = member(r, m);

	if (c->kind != CELL_NONE && c->kind != CELL_TEXT)
		refuse(r, m, "not a string");
	if (c->kind != CELL_TEXT)
		return NULL;
	if (before && !strncmp(before, c->text, c->n) && !before[c->n])
		return before;
	if (r->rows->v.v[r->index].other)
		return osvec_own(r->v, xstrndup(c->text, c->n));
	char *copy = memcpy(r->names, c->text, c->n);
	copy[c->n] = '\0';
	r->names += c->n + 1;
	return copy;
}

static char *join_words(struct reader *r, const struct cell *c)
{
	char *joined = r->flags;
	bool inside = false;

	for (const char *p = c->text; p < c->text + c->n; p++)
		if (*p == '"')
			inside = !inside;
		else if (inside || *p == ',')
			*r->flags++ = *p;
	*r->flags++ = '\0';
	return joined;
}

/* ["A", "B"] as "A,B"; NULL without any. */
static char *read_flags(struct reader *r)
{
	const struct cell *c = member(r, FLAGS);
	char *joined = NULL;

	if (c->kind == CELL_WORDS)
		return join_words(r, c);
	const json_t *array = c->kind == CELL_OTHER ? c->json : NULL;
	if (c->kind != CELL_NONE && !json_is_array(array))
		refuse(r, FLAGS, "not an array");
	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *word = json_string_value(json_array_get(array, i));

		if (word)
			joined = xappend(joined, "%s%s", i ? "," : "", word);
		else
			refuse(r, FLAGS, "holds something that is not a string");
	}
	return osvec_own(r->v, joined);
}

static struct osvec_entry read_entry(struct reader *r)
{
	static char nameless[] = "";
	char *before = r->v->n ? r->v->entries[r->v->n - 1].curve : NULL;
	char *name = string(r, ENTRY, NULL);
	double seconds = number(r, SECONDS, -DBL_MAX, NAN);

	if (!name || isnan(seconds))
		refuse(r, name ? SECONDS : ENTRY, "missing");
	return (struct osvec_entry){
		.name = name ? name : nameless,
		.curve = string(r, CURVE, before),
		.size = number(r, SIZE, 0, NAN),
		.bytes = number(r, BYTES, 0, 0),
		.footprint = number(r, FOOTPRINT, 0, NAN),
		.user = fmin(number(r, USER, 0, 0), 1),
		.seconds = seconds,
		.error = number(r, ERROR, 0, NAN),
		.n = (uint32_t)fmin(number(r, N, 0, 0), INT32_MAX),
		.low = number(r, LOW, -DBL_MAX, seconds),
		.high = number(r, HIGH, -DBL_MAX, seconds),
		.mean = number(r, MEAN, 0, NAN),
		.mean_error = number(r, MEAN_ERROR, 0, NAN),
		.cpu = number(r, CPU, 0, NAN),
		.faults = number(r, FAULTS, 0, 0),
		.switches = number(r, SWITCHES, 0, 0),
		.flags = read_flags(r),
	};
}

/* Unknown columns are left to later versions. */
static void read_columns(struct reader *r, const json_t *top)
{
	const json_t *columns = field_array(r->f, top, "columns", false);

	for (enum member m = 0; m < MEMBERS; m++) {
		r->column[m] = SIZE_MAX;
		for (size_t i = 0; i < json_array_size(columns); i++) {
			const char *name = json_string_value(json_array_get(columns, i));

			if (name && !strcmp(name, member_names[m]))
				r->column[m] = i;
		}
	}
}

/* Has v use the names of like instead of its own, if all of them are the same bytes. */
static void share_names(struct osvec *v, const struct osvec *like)
{
	struct osvec_names *mine = v->names, *other = like ? like->names : NULL;

	if (!other || other->n != mine->n || memcmp(other->text, mine->text, mine->n))
		return;
	for (size_t i = 0; i < v->n; i++) {
		char **const strings[] = { &v->entries[i].name, &v->entries[i].curve };

		for (size_t k = 0; k < 2; k++) {
			const size_t at = (uintptr_t)*strings[k] - (uintptr_t)mine->text;

			if (*strings[k] && at < mine->n)
				*strings[k] = other->text + at;
		}
	}
	free(mine);
	v->names = other;
	other->users++;
}

static void read_entries(struct fields *f, const json_t *top, const struct rows *rows,
			 struct osvec *v)
{
	struct reader r = { .f = f, .v = v, .rows = rows };
	size_t names = 0, flags = 0;

	field_array(f, top, "entries", true);
	read_columns(&r, top);
	for (size_t i = 0; i < rows->cells.n; i++) {
		const struct cell *c = &rows->cells.v[i];

		names += c->kind == CELL_TEXT ? c->n + 1 : 0;
		flags += c->kind == CELL_WORDS ? c->n + 1 : 0;
	}
	v->names = xcalloc(1, sizeof(*v->names) + names);
	v->names->users = 1;
	r.names = v->names->text;
	r.flags = osvec_own(v, xmalloc(flags + 1));
	osvec_reserve(v, rows->v.n);
	for (; r.index < rows->v.n && !f->failed; r.index++) {
		const json_t *object = rows->v.v[r.index].other;

		for (enum member m = 0; object && m < MEMBERS; m++)
			r.members[m] = rows_cell(json_object_get(object, member_names[m]));
		osvec_push(v, read_entry(&r));
	}
	v->names->n = (size_t)(r.names - v->names->text);
}

static void read_share(struct fields *f, const json_t *o, const char *key, double least,
		       double most, double *share)
{
	double read = field_maybe_number(f, o, key, least, most);

	if (!isnan(read))
		*share = read;
}

/* What stands beside the entries. */
static struct osvec *read_top(struct fields *f, const json_t *top)
{
	struct osvec *v = osvec_new("");

	free(v->path);
	v->path = xstrdup(f->name);
	*v->created = '\0';
	fields_read(f, top, words, v);
	read_share(f, top, "level", 0.01, 0.9999, &v->level);
	read_share(f, top, "correlation", 0, 1, &v->correlation);
	if (field_object(f, top, "meta")) {
		json_decref(v->meta);
		v->meta = json_incref(json_object_get(top, "meta"));
	}
	text_make_printable(v->machine);
	if (!*v->machine)
		fields_fail(f, "machine", "empty");
	return v;
}

struct osvec *osvec_parse(const char *text, size_t n, const char *name, struct error *e)
{
	struct fields f = { .name = name, .error = e };
	struct rows rows = { 0 };
	json_t *top = rows_load(&rows, text, n, "entries");
	struct osvec *v = NULL;

	if (!fields_has_schema(&f, top, SCHEMA)) {
		json_decref(top);
		top = fields_load(&f, text, n, SCHEMA); /* says why */
		if (top)
			fields_fail(&f, "entries", "cannot be read");
	}
	if (top) {
		v = read_top(&f, top);
		read_entries(&f, top, &rows, v);
	}
	json_decref(top);
	rows_free(&rows);
	if (!v)
		return NULL;
	if (!f.failed && !osvec_finish(v, e))
		return v;
	if (!f.failed)
		error_prefix(e, "%s", name);
	osvec_free(v);
	return NULL;
}

struct osvec *osvec_read(const char *path, struct error *e)
{
	return osvec_read_like(path, NULL, e);
}

struct osvec *osvec_read_like(const char *path, const struct osvec *like, struct error *e)
{
	struct stat st;
	size_t n;
	bool directory = !stat(path, &st) && S_ISDIR(st.st_mode);
	char *file = directory ? xasprintf("%s/osvec.json", path) : xstrdup(path);
	char *text = file_read(file, FILE_LIMIT, &n, e);
	struct osvec *v = text ? osvec_parse(text, n, file, e) : NULL;

	if (v)
		share_names(v, like);
	free(text);
	free(file);
	return v;
}

static json_t *make_flags(const char *flags)
{
	json_t *array = json_array();

	for (const char *p = flags; *p;) {
		size_t n = strcspn(p, ",");

		json_array_append_new(array, json_stringn_nocheck(p, n));
		p += n + (p[n] == ',');
	}
	return array;
}

/* Fewer digits are read faster. */
static double rounded(double v, int digits)
{
	char text[40];

	snprintf(text, sizeof(text), "%.*g", digits, v);
	return strtod(text, NULL);
}

/* A bound of the interval around centre, rounded when that does not take it to the other side. */
static json_t *make_bound(double bound, double centre)
{
	double v = rounded(bound, 5);

	return json_real(bound != centre && (v > centre) == (bound > centre) ? v : bound);
}

/* An array of the members, as far as there are any that are known and not zero. */
static json_t *make_entry(const struct osvec_entry *x)
{
	bool interval = x->low < x->seconds || x->high > x->seconds;
	json_t *all[MEMBERS] = {
		[ENTRY] = json_text(x->name),
		[SECONDS] = json_real(x->seconds),
		[ERROR] = json_double(rounded(x->error, 4)),
		[N] = x->n ? json_integer((json_int_t)x->n) : NULL,
		[LOW] = interval ? make_bound(x->low, x->seconds) : NULL,
		[HIGH] = interval ? make_bound(x->high, x->seconds) : NULL,
		[MEAN] = json_double(rounded(x->mean, 5)),
		[MEAN_ERROR] = json_double(rounded(x->mean_error, 4)),
		[CPU] = json_double(rounded(x->cpu, 5)),
		[FLAGS] = *x->flags ? make_flags(x->flags) : NULL,
		[CURVE] = x->curve ? json_text(x->curve) : NULL,
		[SIZE] = x->curve || x->size > 0 ? json_double(x->size) : NULL,
		[BYTES] = x->bytes > 0 ? json_double(x->bytes) : NULL,
		[SWITCHES] = x->switches > 0 ? json_double(rounded(x->switches, SINGLE)) : NULL,
		[FAULTS] = x->faults > 0 ? json_double(rounded(x->faults, SINGLE)) : NULL,
		[FOOTPRINT] = json_double(rounded(x->footprint, SINGLE)),
		[USER] = x->user > 0 ? json_double(rounded(x->user, 3)) : NULL,
	};
	json_t *row = json_array();
	size_t n = MEMBERS;

	while (!all[n - 1] || json_is_null(all[n - 1]))
		n--;
	for (size_t i = 0; i < n; i++)
		json_array_append_new(row, all[i] ? all[i] : json_null());
	return row;
}

int osvec_write(const struct osvec *v, const char *path, struct error *e)
{
	json_t *top = json_object(), *columns = json_array(), *entries = json_array();

	for (enum member m = 0; m < MEMBERS; m++)
		json_array_append_new(columns, json_string(member_names[m]));
	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(entries, make_entry(&v->entries[i]));
	json_object_set_new(top, "schema", json_string(SCHEMA));
	fields_write(top, words, v);
	json_object_set_new(top, "level", json_double(v->level));
	json_object_set_new(top, "correlation", json_double(v->correlation));
	json_object_set(top, "meta", v->meta);
	json_object_set_new(top, "columns", columns);
	json_object_set_new(top, "entries", entries);
	char *text = json_format(top, DIGITS);
	int failed = file_write(path, text, strlen(text), e);
	free(text);
	json_decref(top);
	return failed;
}
