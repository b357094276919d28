/* SPDX-License-Identifier: MIT */
/* Reading and writing osvec.json; the layout is in osvec.h and docs/osvec.5. */
#include <dirent.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/vec.h"
#include "vector/json.h"
#include "vector/osvec.h"

#define SCHEMA "osvec/1"

enum {
	FILE_LIMIT = 256 << 20, /* bytes; a full suite of 600 entries with raw values has 1 MB */
	DIGITS = 9,		/* of seconds: far below what a clock resolves */
};

/* The member, or fallback when it is missing or wrong. */
static double number(struct fields *f, const json_t *o, const char *key, double low, double high,
		     double fallback)
{
	double v = field_maybe_number(f, o, key, low, high);

	return isnan(v) ? fallback : v;
}

static char *string(struct fields *f, const json_t *o, const char *key, bool required)
{
	char *s = field_string(f, o, key, required);

	return s ? s : xstrdup("");
}

/* ["A", "B"] as "A,B". */
static char *read_flags(struct fields *f, const json_t *o)
{
	const json_t *array = field_array(f, o, "flags", false);
	char *joined = xstrdup("");

	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *word = json_string_value(json_array_get(array, i));

		if (!word) {
			fields_fail(f, "flags", "holds something that is not a string");
			break;
		}
		joined = xappend(joined, "%s%s", i ? "," : "", word);
	}
	return joined;
}

static double element(struct fields *f, const json_t *array, size_t i, const char *key)
{
	const json_t *v = json_array_get(array, i);

	if (!json_is_number(v))
		fields_fail(f, key, "holds something that is not a number");
	return json_number_value(v);
}

static void read_values(struct fields *f, const json_t *o, struct osvec_entry *x)
{
	const json_t *values = field_array(f, o, "values", false);
	const json_t *rounds = field_array(f, o, "rounds", false);
	size_t n = json_array_size(values);

	x->n = (size_t)number(f, o, "n", 0, UINT_MAX, (double)n);
	if (!values)
		return;
	if (x->n != n || (rounds && json_array_size(rounds) != n))
		fields_fail(f, "values", "their length differs from n or from that of rounds");
	x->n = n;
	x->values = xcalloc(n, sizeof(*x->values));
	for (size_t i = 0; i < n; i++)
		x->values[i] = element(f, values, i, "values");
	if (!rounds || f->failed)
		return;
	x->rounds = xcalloc(n, sizeof(*x->rounds));
	for (size_t i = 0; i < n; i++) {
		double round = element(f, rounds, i, "rounds");

		if (!(round >= 0 && round <= UINT_MAX))
			fields_fail(f, "rounds", "holds %g", round);
		else
			x->rounds[i] = (unsigned)round;
	}
}

/* [[weight, centre], [weight, centre]] */
static void read_modes(struct fields *f, const json_t *o, struct osvec_entry *x)
{
	const json_t *modes = field_array(f, o, "modes", false);

	if (!modes)
		return;
	x->bimodal = true;
	if (json_array_size(modes) != 2) {
		fields_fail(f, "modes", "are not two");
		return;
	}
	for (size_t i = 0; i < 2; i++) {
		const json_t *pair = json_array_get(modes, i);
		double weight = element(f, pair, 0, "modes"), centre = element(f, pair, 1, "modes");

		if (!(weight >= 0 && weight <= 1 && centre > 0))
			fields_fail(f, "modes", "hold no share and time");
		x->modes[i] = (struct osvec_mode){ weight, centre };
	}
}

static struct osvec_entry read_entry(struct fields *f, const json_t *o)
{
	struct osvec_entry x = {
		.name = string(f, o, "entry", true),
		.program = string(f, o, "program", false),
		.operation = string(f, o, "operation", false),
		.curve = field_string(f, o, "curve", false),
		.size = field_maybe_number(f, o, "size", 0, DBL_MAX),
		.bytes = number(f, o, "bytes", 0, DBL_MAX, 0),
		.seconds = field_number(f, o, "seconds", -DBL_MAX, DBL_MAX),
		.trimmed = field_maybe_number(f, o, "trimmed", 0, DBL_MAX),
		.faults = number(f, o, "faults", 0, DBL_MAX, 0),
		.switches = number(f, o, "switches", 0, DBL_MAX, 0),
		.kernel_entries = (unsigned)number(f, o, "kernel_entries", 0, UINT_MAX, 0),
		.copies = (unsigned)number(f, o, "copies", 1, UINT_MAX, 1),
		.placement = field_string(f, o, "placement", false),
		.flags = read_flags(f, o),
	};

	x.low = number(f, o, "low", -DBL_MAX, DBL_MAX, x.seconds);
	x.high = number(f, o, "high", -DBL_MAX, DBL_MAX, x.seconds);
	read_values(f, o, &x);
	read_modes(f, o, &x);
	return x;
}

static void read_entries(struct fields *f, const json_t *top, struct osvec *v)
{
	const json_t *array = field_array(f, top, "entries", true);

	for (size_t i = 0; i < json_array_size(array) && !f->failed; i++) {
		const json_t *o = json_array_get(array, i);
		const char *name = json_string_value(json_object_get(o, "entry"));

		snprintf(f->where, sizeof(f->where), "entries[%zu]%s%.40s", i, name ? " " : "",
			 name ? name : "");
		osvec_add(v, read_entry(f, o));
	}
}

static void read_skipped(struct fields *f, const json_t *top, struct osvec *v)
{
	const json_t *array = field_array(f, top, "skipped", false);

	for (size_t i = 0; i < json_array_size(array) && !f->failed; i++) {
		const json_t *o = json_array_get(array, i);

		snprintf(f->where, sizeof(f->where), "skipped[%zu]", i);
		char *entry = string(f, o, "entry", true), *reason = string(f, o, "reason", true);
		osvec_skip(v, entry, reason);
		free(entry);
		free(reason);
	}
}

/* What stands beside the entries. */
static struct osvec *read_top(struct fields *f, const json_t *top)
{
	char *machine = string(f, top, "machine", true);
	struct osvec *v = osvec_new(machine);
	json_t *meta = json_object_get(top, "meta");

	free(machine);
	free(v->created);
	free(v->path);
	v->path = xstrdup(f->name);
	v->created = string(f, top, "created", false);
	v->level = number(f, top, "level", 0, 1, v->level);
	char *estimator = field_string(f, top, "estimator", false);
	if (estimator) {
		free(v->estimator);
		v->estimator = estimator;
	}
	if (json_is_object(meta))
		json_object_update(v->meta, meta);
	else if (meta && !json_is_null(meta))
		fields_fail(f, "meta", "not an object");
	if (!*v->machine)
		fields_fail(f, "machine", "empty");
	return v;
}

struct osvec *osvec_parse(const char *text, size_t n, const char *name, struct error *e)
{
	struct fields f = { .name = name, .error = e };
	json_t *top = fields_load(&f, text, n, SCHEMA);

	if (!top)
		return NULL;
	struct osvec *v = read_top(&f, top);
	read_entries(&f, top, v);
	read_skipped(&f, top, v);
	json_decref(top);
	if (!f.failed && !osvec_finish(v, e))
		return v;
	if (!f.failed)
		error_prefix(e, "%s", name);
	osvec_free(v);
	return NULL;
}

static int is_visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* The osvec.json that path means. */
static char *find_file(const char *path)
{
	struct stat st;
	struct dirent **found;
	char *file = xasprintf("%s/osvec.json", path);

	if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
		free(file);
		return xstrdup(path);
	}
	int n = access(file, F_OK) ? scandir(path, &found, is_visible, alphasort) : 0;
	/* Runs are named by their time: the last is the newest. */
	for (int i = n - 1; i >= 0; i--) {
		char *below = xasprintf("%s/%s/osvec.json", path, found[i]->d_name);

		if (access(file, F_OK) && !access(below, F_OK)) {
			free(file);
			file = below;
		} else {
			free(below);
		}
		free(found[i]);
	}
	if (n > 0)
		free(found);
	return file;
}

struct osvec *osvec_read(const char *path, struct error *e)
{
	size_t n;
	char *file = find_file(path);
	char *text = file_read(file, FILE_LIMIT, &n, e);
	struct osvec *v = text ? osvec_parse(text, n, file, e) : NULL;

	free(text);
	free(file);
	return v;
}

static json_t *write_flags(const char *flags)
{
	json_t *array = json_array();

	for (const char *p = flags; *p;) {
		size_t n = strcspn(p, ",");

		json_array_append_new(array, json_stringn_nocheck(p, n));
		p += n + (p[n] == ',');
	}
	return array;
}

static void write_values(json_t *object, const struct osvec_entry *x)
{
	json_t *values = json_array(), *rounds = json_array();

	for (size_t i = 0; x->values && i < x->n; i++)
		json_array_append_new(values, json_real(x->values[i]));
	for (size_t i = 0; x->values && x->rounds && i < x->n; i++)
		json_array_append_new(rounds, json_integer(x->rounds[i]));
	if (x->values)
		json_object_set(object, "values", values);
	if (x->values && x->rounds)
		json_object_set(object, "rounds", rounds);
	json_decref(values);
	json_decref(rounds);
}

static json_t *write_entry(const struct osvec_entry *x)
{
	json_t *o = json_object();

	json_object_set_new(o, "entry", json_text(x->name));
	json_object_set_new(o, "program", json_text(x->program));
	json_object_set_new(o, "operation", json_text(x->operation));
	json_object_set_new(o, "curve", json_text(x->curve));
	json_object_set_new(o, "size", x->curve ? json_double(x->size) : json_null());
	json_object_set_new(o, "bytes", json_double(x->bytes));
	json_object_set_new(o, "seconds", json_real(x->seconds));
	json_object_set_new(o, "low", json_real(x->low));
	json_object_set_new(o, "high", json_real(x->high));
	json_object_set_new(o, "n", json_integer((json_int_t)x->n));
	json_object_set_new(o, "trimmed", json_double(x->trimmed));
	json_object_set_new(o, "flags", write_flags(x->flags));
	if (x->bimodal)
		json_object_set_new(o, "modes",
				    json_pack("[[f,f],[f,f]]", x->modes[0].weight,
					      x->modes[0].centre, x->modes[1].weight,
					      x->modes[1].centre));
	json_object_set_new(o, "faults", json_double(x->faults));
	json_object_set_new(o, "switches", json_double(x->switches));
	json_object_set_new(o, "kernel_entries", json_integer(x->kernel_entries));
	json_object_set_new(o, "copies", json_integer(x->copies));
	json_object_set_new(o, "placement", json_text(x->placement));
	write_values(o, x);
	return o;
}

typedef VEC(char) text;

static void put(text *out, const char *s)
{
	size_t n = strlen(s);

	vec_reserve(out, n);
	memcpy(out->v + out->n, s, n);
	out->n += n;
}

/* Takes v. */
static void put_json(text *out, json_t *v, size_t flags)
{
	char *s = json_dumps(v, flags | JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS));

	put(out, s ? s : "null");
	free(s);
	json_decref(v);
}

static void put_member(text *out, const char *key, json_t *value)
{
	put(out, "  \"");
	put(out, key);
	put(out, "\": ");
	put_json(out, value, 0);
	put(out, ",\n");
}

/* One entry a line, so that grep and diff work on the file. */
static void put_all(text *out, const struct osvec *v)
{
	put(out, "{\n");
	put_member(out, "schema", json_string(SCHEMA));
	put_member(out, "machine", json_text(v->machine));
	put_member(out, "created", json_text(v->created));
	put_member(out, "estimator", json_text(v->estimator));
	put_member(out, "level", json_double(v->level));
	put_member(out, "meta", json_incref(v->meta));
	put(out, "  \"entries\": [");
	for (size_t i = 0; i < v->n; i++) {
		put(out, i ? ",\n    " : "\n    ");
		put_json(out, write_entry(&v->entries[i]), 0);
	}
	put(out, v->n ? "\n  ],\n  \"skipped\": [" : "],\n  \"skipped\": [");
	for (size_t i = 0; i < v->nskipped; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "entry", json_text(v->skipped[i].entry));
		json_object_set_new(o, "reason", json_text(v->skipped[i].reason));
		put(out, i ? ",\n    " : "\n    ");
		put_json(out, o, 0);
	}
	put(out, v->nskipped ? "\n  ]\n}\n" : "]\n}\n");
}

int osvec_write(const struct osvec *v, const char *path, struct error *e)
{
	text out = { 0 };

	put_all(&out, v);
	int failed = file_write(path, out.v, out.n, e);
	vec_free(&out);
	return failed;
}
