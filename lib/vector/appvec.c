/* SPDX-License-Identifier: MIT */
#include "vector/appvec.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/map.h"
#include "util/vec.h"
#include "vector/json.h"

#define SCHEMA "osvec-application/1"

enum {
	FILE_LIMIT = 256 << 20,
};

static const double most = 1e18; /* no count, no number of bytes, no time is larger */

static const char *const part_names[] = {
	[PART_KERNEL] = "kernel",
	[PART_WAIT] = "wait",
	[PART_COUNTED] = "counted",
};

/* Where each number of a run lies; the same table reads and writes. */
static const struct run_number {
	const char *key;
	size_t offset;
	bool maybe; /* may be unknown: null, NaN */
} run_numbers[] = {
#define NUMBER(name, maybe) \
	{ \
#name, offsetof(struct appvec_run, name), maybe \
	}
	NUMBER(user, true),	    NUMBER(system, true),      NUMBER(wall, true),
	NUMBER(voluntary, true),    NUMBER(involuntary, true), NUMBER(minor_faults, true),
	NUMBER(major_faults, true), NUMBER(processes, false),  NUMBER(threads, false),
	NUMBER(calls, false),	    NUMBER(call_time, true),   NUMBER(mapped_calls, false),
	NUMBER(mapped_time, true),  NUMBER(lost, false),       NUMBER(unfinished, false),
#undef NUMBER
};

enum { RUN_NUMBERS = sizeof(run_numbers) / sizeof(*run_numbers) };

struct appvec *appvec_new(const char *name)
{
	struct appvec *a = xcalloc(1, sizeof(*a));

	a->name = xstrdup(name);
	a->units = 1;
	a->unit = xstrdup("run");
	a->command = xstrdup("");
	a->created = xstrdup("");
	a->path = xstrdup("");
	a->host = xstrdup("");
	a->host_id = xstrdup("");
	a->kernel = xstrdup("");
	a->cpu = xstrdup("");
	a->arch = xstrdup("");
	a->recorder = xstrdup("");
	a->basis = xstrdup("");
	return a;
}

static void free_run(struct appvec_run *r)
{
	for (size_t i = 0; i < r->nitems; i++) {
		free(r->items[i].entry);
		free(r->items[i].sizes);
		free(r->items[i].from);
	}
	for (size_t i = 0; i < r->nunmapped; i++)
		free(r->unmapped[i].call);
	free(r->items);
	free(r->unmapped);
	free(r->trace);
}

void appvec_free(struct appvec *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->nruns; i++)
		free_run(&a->runs[i]);
	for (size_t i = 0; i < a->nuser_entries; i++)
		free(a->user_entries[i]);
	char *const strings[] = {
		a->name,     a->command, a->created,	  a->path,	  a->host,
		a->host_id,  a->kernel,	 a->cpu,	  a->arch,	  a->unit,
		a->recorder, a->basis,	 a->switch_entry, a->fault_entry,
	};
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		free(strings[i]);
	free(a->user_entries);
	free(a->runs);
	free(a);
}

/* ---- reading ---- */

/* An optional string takes the place of the one that is there. */
static void replace_string(struct fields *f, const json_t *o, const char *key, char **s)
{
	char *found = field_string(f, o, key, false);

	if (found) {
		free(*s);
		*s = found;
	}
}

static enum part read_part(struct fields *f, const json_t *o)
{
	const char *word = json_string_value(json_object_get(o, "part"));

	for (size_t i = 0; word && i < sizeof(part_names) / sizeof(*part_names); i++)
		if (!strcmp(word, part_names[i]))
			return (enum part)i;
	fields_fail(f, "part", "neither kernel, wait nor counted");
	return PART_KERNEL;
}

static void read_sizes(struct fields *f, const json_t *o, struct appvec_item *item)
{
	/* Calls may count as fractions: the more are added up, the more the sum errs. */
	const double rounding = 16 * DBL_EPSILON;
	const json_t *array = field_array(f, o, "sizes", false);
	double calls = 0;

	item->nsizes = json_array_size(array);
	item->sizes = xcalloc(item->nsizes, sizeof(*item->sizes));
	for (size_t i = 0; i < item->nsizes; i++) {
		const json_t *pair = json_array_get(array, i);
		const json_t *size = json_array_get(pair, 0), *count = json_array_get(pair, 1);
		struct appvec_size *s = &item->sizes[i];

		s->size = json_number_value(size);
		s->calls = json_number_value(count);
		if (json_array_size(pair) != 2 || !json_is_number(size) || !json_is_number(count) ||
		    !(s->size >= 0 && s->size <= most) || !(s->calls > 0 && s->calls <= most)) {
			fields_fail(f, "sizes", "[%zu] is not [size, calls]", i);
			return;
		}
		calls += s->calls;
	}
	if (item->nsizes &&
	    fabs(calls - item->calls) > (1e-9 + rounding * item->calls) * item->calls)
		fields_fail(f, "sizes", "hold %.17g calls, the item has %.17g", calls, item->calls);
	if (!item->nsizes && item->entry && strchr(item->entry, '*'))
		fields_fail(f, "sizes", "missing: '%s' is a curve over sizes", item->entry);
}

static void read_item(struct fields *f, const json_t *o, struct appvec_item *item)
{
	item->entry = field_string(f, o, "entry", true);
	item->weight = field_number(f, o, "weight", -most, most);
	item->part = read_part(f, o);
	item->fallback = field_bool(f, o, "fallback");
	item->calls = field_number(f, o, "calls", 0, most);
	item->bytes = field_number(f, o, "bytes", 0, most);
	item->time = field_maybe_number(f, o, "time", 0, most);
	read_sizes(f, o, item);
	item->from = field_string(f, o, "from", false);
	if (!item->from)
		item->from = xstrdup("");
	if (item->entry && !*item->entry)
		fields_fail(f, "entry", "empty");
}

/* Two items that mean the same would be a call counted twice. */
static void check_duplicates(struct fields *f, const struct appvec_run *r)
{
	struct names seen = { 0 };

	for (size_t i = 0; i < r->nitems && !f->failed; i++) {
		const struct appvec_item *item = &r->items[i];
		char *key = xasprintf("%s %.17g %d %d", item->entry, item->weight, item->part,
				      item->fallback);
		size_t first = names_add(&seen, key);

		free(key);
		if (first != i)
			fields_fail(f, "items", "[%zu] and [%zu] are both '%s'", first, i,
				    item->entry);
	}
	names_free(&seen);
}

static void read_items(struct fields *f, const json_t *array, struct appvec_run *r, size_t run)
{
	r->nitems = json_array_size(array);
	r->items = xcalloc(r->nitems, sizeof(*r->items));
	for (size_t i = 0; i < r->nitems && !f->failed; i++) {
		snprintf(f->where, sizeof(f->where), "runs[%zu].items[%zu]", run, i);
		read_item(f, json_array_get(array, i), &r->items[i]);
	}
	snprintf(f->where, sizeof(f->where), "runs[%zu]", run);
	check_duplicates(f, r);
}

static void read_unmapped(struct fields *f, const json_t *array, struct appvec_run *r, size_t run)
{
	r->nunmapped = json_array_size(array);
	r->unmapped = xcalloc(r->nunmapped, sizeof(*r->unmapped));
	for (size_t i = 0; i < r->nunmapped && !f->failed; i++) {
		const json_t *o = json_array_get(array, i);

		snprintf(f->where, sizeof(f->where), "runs[%zu].unmapped[%zu]", run, i);
		r->unmapped[i].call = field_string(f, o, "call", true);
		r->unmapped[i].calls = field_number(f, o, "calls", 0, most);
		r->unmapped[i].time = field_maybe_number(f, o, "time", 0, most);
	}
}

/* Was it measured, and not seen in the trace?  Not said: no. */
static bool read_measured(struct fields *f, const json_t *o, const char *key, bool required)
{
	char *word = field_string(f, o, key, required);
	bool measured = word && !strcmp(word, "measured");

	if (word && !measured && strcmp(word, "traced"))
		fields_fail(f, key, "neither measured nor traced");
	free(word);
	return measured;
}

static void read_run(struct fields *f, const json_t *o, struct appvec_run *r, size_t number)
{
	snprintf(f->where, sizeof(f->where), "runs[%zu]", number);
	r->trace = field_string(f, o, "trace", false);
	if (!r->trace)
		r->trace = xstrdup("");
	r->measured = read_measured(f, o, "times", true);
	r->counted = read_measured(f, o, "counts", false);
	for (size_t i = 0; i < RUN_NUMBERS; i++) {
		const struct run_number *n = &run_numbers[i];

		*(double *)((char *)r + n->offset) =
		    (n->maybe ? field_maybe_number : field_number)(f, o, n->key, 0, most);
	}
	read_items(f, field_array(f, o, "items", true), r, number);
	read_unmapped(f, field_array(f, o, "unmapped", false), r, number);
	f->where[0] = '\0';
}

static void read_user_entries(struct fields *f, const json_t *root, struct appvec *a)
{
	const json_t *array = field_array(f, root, "user_entries", false);

	a->user_entries = xcalloc(json_array_size(array), sizeof(*a->user_entries));
	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *entry = json_string_value(json_array_get(array, i));

		if (!entry || !*entry)
			fields_fail(f, "user_entries", "[%zu] is no name", i);
		else
			a->user_entries[a->nuser_entries++] = xstrdup(entry);
	}
}

static void read_root(struct fields *f, const json_t *root, struct appvec *a)
{
	const json_t *machine = field_object(f, root, "machine");

	replace_string(f, root, "name", &a->name);
	replace_string(f, root, "command", &a->command);
	replace_string(f, root, "created", &a->created);
	replace_string(f, machine, "host", &a->host);
	replace_string(f, machine, "id", &a->host_id);
	replace_string(f, machine, "kernel", &a->kernel);
	replace_string(f, machine, "cpu", &a->cpu);
	replace_string(f, machine, "arch", &a->arch);
	replace_string(f, root, "unit", &a->unit);
	replace_string(f, root, "basis", &a->basis);
	replace_string(f, root, "recorder", &a->recorder);
	a->units = field_number(f, root, "units", 1, most);
	a->switch_entry = field_string(f, root, "switch_entry", false);
	a->fault_entry = field_string(f, root, "fault_entry", false);
	read_user_entries(f, root, a);

	const json_t *runs = field_array(f, root, "runs", true);
	size_t n = json_array_size(runs);
	if (runs && !n)
		fields_fail(f, "runs", "empty: nothing was traced");
	a->runs = xcalloc(n, sizeof(*a->runs));
	for (; a->nruns < n && !f->failed; a->nruns++)
		read_run(f, json_array_get(runs, a->nruns), &a->runs[a->nruns], a->nruns);
}

struct appvec *appvec_parse(const char *text, size_t n, const char *name, struct error *e)
{
	struct fields f = { .name = name, .error = e };
	json_t *root = fields_load(&f, text, n, SCHEMA);

	if (!root)
		return NULL;
	struct appvec *a = appvec_new(name);
	free(a->path);
	a->path = xstrdup(name);
	read_root(&f, root, a);
	json_decref(root);
	if (!f.failed)
		return a;
	appvec_free(a);
	return NULL;
}

struct appvec *appvec_read(const char *path, struct error *e)
{
	size_t n;
	char *text = file_read(path, FILE_LIMIT, &n, e);
	struct appvec *a = text ? appvec_parse(text, n, path, e) : NULL;

	free(text);
	return a;
}

/* ---- writing ---- */

static json_t *write_item(const struct appvec_item *item)
{
	json_t *o = json_object();

	json_object_set_new(o, "entry", json_text(item->entry));
	json_object_set_new(o, "weight", json_double(item->weight));
	json_object_set_new(o, "part", json_string(part_names[item->part]));
	json_object_set_new(o, "fallback", json_boolean(item->fallback));
	json_object_set_new(o, "calls", json_double(item->calls));
	json_object_set_new(o, "bytes", json_double(item->bytes));
	json_object_set_new(o, "time", json_double(item->time));
	if (item->nsizes) {
		json_t *sizes = json_array();

		for (size_t i = 0; i < item->nsizes; i++)
			json_array_append_new(sizes,
					      json_pack("[oo]", json_double(item->sizes[i].size),
							json_double(item->sizes[i].calls)));
		json_object_set_new(o, "sizes", sizes);
	}
	json_object_set_new(o, "from", json_text(item->from));
	return o;
}

static json_t *write_run(const struct appvec_run *r)
{
	json_t *o = json_object(), *items = json_array(), *unmapped = json_array();

	json_object_set_new(o, "trace", json_text(r->trace));
	json_object_set_new(o, "times", json_string(r->measured ? "measured" : "traced"));
	json_object_set_new(o, "counts", json_string(r->counted ? "measured" : "traced"));
	for (size_t i = 0; i < RUN_NUMBERS; i++)
		json_object_set_new(
		    o, run_numbers[i].key,
		    json_double(*(const double *)((const char *)r + run_numbers[i].offset)));
	for (size_t i = 0; i < r->nitems; i++)
		json_array_append_new(items, write_item(&r->items[i]));
	for (size_t i = 0; i < r->nunmapped; i++)
		json_array_append_new(unmapped,
				      json_pack("{sososo}", "call", json_text(r->unmapped[i].call),
						"calls", json_double(r->unmapped[i].calls), "time",
						json_double(r->unmapped[i].time)));
	json_object_set_new(o, "items", items);
	json_object_set_new(o, "unmapped", unmapped);
	return o;
}

static json_t *write_root(const struct appvec *a)
{
	json_t *root = json_object(), *entries = json_array(), *runs = json_array();

	json_object_set_new(root, "schema", json_string(SCHEMA));
	json_object_set_new(root, "name", json_text(a->name));
	json_object_set_new(root, "command", json_text(a->command));
	json_object_set_new(root, "created", json_text(a->created));
	json_object_set_new(root, "machine",
			    json_pack("{sososososo}", "host", json_text(a->host), "id",
				      json_text(a->host_id), "kernel", json_text(a->kernel), "cpu",
				      json_text(a->cpu), "arch", json_text(a->arch)));
	json_object_set_new(root, "units", json_double(a->units));
	json_object_set_new(root, "unit", json_text(a->unit));
	json_object_set_new(root, "basis", json_text(a->basis));
	json_object_set_new(root, "recorder", json_text(a->recorder));
	for (size_t i = 0; i < a->nuser_entries; i++)
		json_array_append_new(entries, json_text(a->user_entries[i]));
	json_object_set_new(root, "user_entries", entries);
	json_object_set_new(root, "switch_entry", json_text(a->switch_entry));
	json_object_set_new(root, "fault_entry", json_text(a->fault_entry));
	for (size_t i = 0; i < a->nruns; i++)
		json_array_append_new(runs, write_run(&a->runs[i]));
	json_object_set_new(root, "runs", runs);
	return root;
}

int appvec_write(const struct appvec *a, const char *path, struct error *e)
{
	json_t *root = write_root(a);
	char *text = json_format(root, 17);

	json_decref(root);
	/* What could not be read back is never written. */
	struct appvec *copy = appvec_parse(text, strlen(text), path, e);
	int status = copy ? file_write(path, text, strlen(text), e) : -1;
	appvec_free(copy);
	free(text);
	return status;
}
