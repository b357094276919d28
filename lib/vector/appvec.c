/* SPDX-License-Identifier: MIT */
#include "vector/appvec.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "util/file.h"
#include "util/map.h"
#include "util/text.h"
#include "util/vec.h"

#define SCHEMA "osvec-application/1"

enum { FILE_LIMIT = 256 << 20 };

const char *const part_names[] = {
	[PART_KERNEL] = "kernel",
	[PART_WAIT] = "wait",
	[PART_USER] = "user",
	[PART_COUNTED] = "counted",
};

static const struct field texts[] = {
	FIELD(MAYBE_TEXT, appvec, name),
	FIELD(MAYBE_TEXT, appvec, command),
	FIELD(MAYBE_TEXT, appvec, created),
	FIELD(MAYBE_TEXT, appvec, recorder),
	FIELD(MAYBE_TEXT, appvec, basis),
	FIELD(MAYBE_TEXT, appvec, unit),
	{ 0 },
};

static const struct field machine_texts[] = {
	FIELD(MAYBE_TEXT, appvec, host),
	FIELD_AS(MAYBE_TEXT, appvec, host_id, "id"),
	FIELD(MAYBE_TEXT, appvec, kernel),
	FIELD(MAYBE_TEXT, appvec, cpu),
	FIELD(MAYBE_TEXT, appvec, arch),
	FIELD(MAYBE_TEXT, appvec, vector),
	{ 0 },
};

static const struct field entries[] = {
	FIELD(MAYBE_TEXT, appvec, switch_entry),
	FIELD(MAYBE_TEXT, appvec, fault_entry),
	{ 0 },
};

static const struct field run_fields[] = {
	FIELD(MAYBE_NUMBER, appvec_run, user),
	FIELD(MAYBE_NUMBER, appvec_run, system),
	FIELD(MAYBE_NUMBER, appvec_run, wall),
	FIELD(MAYBE_NUMBER, appvec_run, voluntary),
	FIELD(MAYBE_NUMBER, appvec_run, involuntary),
	FIELD(MAYBE_NUMBER, appvec_run, minor_faults),
	FIELD(MAYBE_NUMBER, appvec_run, major_faults),
	{ 0 },
};

static const struct field event_fields[] = {
	FIELD(MAYBE_NUMBER, appvec_events, cycles),
	FIELD(MAYBE_NUMBER, appvec_events, instructions),
	FIELD(MAYBE_NUMBER, appvec_events, cache_misses),
	FIELD(MAYBE_NUMBER, appvec_events, branch_misses),
	FIELD(MAYBE_TEXT, appvec_events, mode),
	{ 0 },
};

static const struct field trace_fields[] = {
	FIELD(MAYBE_TEXT, appvec_trace, trace),
	FIELD(NUMBER, appvec_trace, processes),
	FIELD(NUMBER, appvec_trace, threads),
	FIELD(NUMBER, appvec_trace, calls),
	FIELD(MAYBE_NUMBER, appvec_trace, call_time),
	FIELD(NUMBER, appvec_trace, mapped_calls),
	FIELD(MAYBE_NUMBER, appvec_trace, mapped_time),
	FIELD(NUMBER, appvec_trace, lost),
	FIELD(NUMBER, appvec_trace, unfinished),
	FIELD(MAYBE_NUMBER, appvec_trace, asleep),
	{ 0 },
};

static const struct field item_fields[] = {
	FIELD(TEXT, appvec_item, entry),      FIELD(SIGNED, appvec_item, weight),
	FIELD(BOOL, appvec_item, fallback),   FIELD(NUMBER, appvec_item, calls),
	FIELD(NUMBER, appvec_item, bytes),    FIELD(MAYBE_NUMBER, appvec_item, time),
	FIELD(MAYBE_TEXT, appvec_item, from), { 0 },
};

static const struct field unmapped_fields[] = {
	FIELD(TEXT, appvec_unmapped, call),
	FIELD(NUMBER, appvec_unmapped, calls),
	FIELD(MAYBE_NUMBER, appvec_unmapped, time),
	{ 0 },
};

struct appvec *appvec_new(const char *name)
{
	struct appvec *a = xcalloc(1, sizeof(*a));

	*a = (struct appvec){
		.name = xstrdup(name),
		.command = xstrdup(""),
		.created = xstrdup(""),
		.path = xstrdup(name),
		.host = xstrdup(""),
		.host_id = xstrdup(""),
		.kernel = xstrdup(""),
		.cpu = xstrdup(""),
		.arch = xstrdup(""),
		.vector = xstrdup(""),
		.units = 1,
		.unit = xstrdup("run"),
		.recorder = xstrdup(""),
		.basis = xstrdup(""),
		.events = { NAN, NAN, NAN, NAN, xstrdup("all") },
		.loops = { NAN, NAN },
	};
	return a;
}

void appvec_trace_free(struct appvec_trace *t)
{
	for (size_t i = 0; i < t->nitems; i++) {
		fields_free(item_fields, &t->items[i]);
		free(t->items[i].sizes);
	}
	for (size_t i = 0; i < t->nunmapped; i++)
		fields_free(unmapped_fields, &t->unmapped[i]);
	free(t->items);
	free(t->unmapped);
	fields_free(trace_fields, t);
}

void appvec_free(struct appvec *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->ntraces; i++)
		appvec_trace_free(&a->traces[i]);
	for (size_t i = 0; i < a->nuser_entries; i++)
		free(a->user_entries[i]);
	fields_free(texts, a);
	fields_free(machine_texts, a);
	fields_free(entries, a);
	fields_free(event_fields, &a->events);
	appvec_free(a->start);
	free(a->path);
	free(a->user_entries);
	free(a->traces);
	free(a->runs);
	free(a);
}

/* ---- reading ---- */

static void read_sizes(struct fields *f, const json_t *o, struct appvec_item *item)
{
	/* Calls may be fractions: the more are added up, the larger the rounding error of the sum.
	 */
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
		    !(s->size >= 0 && s->size <= FIELD_MOST) ||
		    !(s->calls > 0 && s->calls <= FIELD_MOST)) {
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
	const char *part = json_string_value(json_object_get(o, "part"));

	item->from = xstrdup("");
	fields_read(f, o, item_fields, item);
	if (item->entry && !*text_make_printable(item->entry))
		fields_fail(f, "entry", "empty");
	while (part && item->part <= PART_COUNTED && strcmp(part, part_names[item->part]))
		item->part++;
	if (!part || item->part > PART_COUNTED)
		fields_fail(f, "part", "neither kernel, wait, user nor counted");
	read_sizes(f, o, item);
}

/* Two items that mean the same would count calls twice. */
static void check_duplicates(struct fields *f, const struct appvec_trace *t)
{
	struct names seen = { 0 };

	for (size_t i = 0; i < t->nitems && !f->failed; i++) {
		const struct appvec_item *item = &t->items[i];
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

static void read_counts(struct fields *f, const json_t *o, struct appvec_trace *t)
{
	char *word = field_string(f, o, "counts", false);

	t->counted = word && !strcmp(word, "measured");
	if (word && !t->counted && strcmp(word, "traced"))
		fields_fail(f, "counts", "neither measured nor traced");
	free(word);
}

static void read_trace(struct fields *f, const json_t *o, struct appvec_trace *t, size_t number)
{
	snprintf(f->where, sizeof(f->where), "traces[%zu]", number);
	t->trace = xstrdup("");
	fields_read(f, o, trace_fields, t);
	fields_read(f, o, run_fields, &t->run);
	read_counts(f, o, t);
	const json_t *items = field_array(f, o, "items", true);
	const json_t *unmapped = field_array(f, o, "unmapped", false);
	t->nitems = json_array_size(items);
	t->items = xcalloc(t->nitems, sizeof(*t->items));
	for (size_t i = 0; i < t->nitems && !f->failed; i++) {
		snprintf(f->where, sizeof(f->where), "traces[%zu].items[%zu]", number, i);
		read_item(f, json_array_get(items, i), &t->items[i]);
	}
	t->nunmapped = json_array_size(unmapped);
	t->unmapped = xcalloc(t->nunmapped, sizeof(*t->unmapped));
	for (size_t i = 0; i < t->nunmapped && !f->failed; i++) {
		snprintf(f->where, sizeof(f->where), "traces[%zu].unmapped[%zu]", number, i);
		fields_read(f, json_array_get(unmapped, i), unmapped_fields, &t->unmapped[i]);
	}
	snprintf(f->where, sizeof(f->where), "traces[%zu]", number);
	check_duplicates(f, t);
	f->where[0] = '\0';
}

static void read_runs(struct fields *f, const json_t *root, struct appvec *a)
{
	const json_t *traces = field_array(f, root, "traces", true);
	const json_t *runs = field_array(f, root, "runs", true);
	size_t n = json_array_size(traces);

	if (traces && !n)
		fields_fail(f, "traces", "empty: nothing was traced");
	a->traces = xcalloc(n, sizeof(*a->traces));
	for (; a->ntraces < n && !f->failed; a->ntraces++)
		read_trace(f, json_array_get(traces, a->ntraces), &a->traces[a->ntraces],
			   a->ntraces);
	n = json_array_size(runs);
	a->runs = xcalloc(n, sizeof(*a->runs));
	for (; a->nruns < n && !f->failed; a->nruns++) {
		const json_t *run = json_array_get(runs, a->nruns);

		snprintf(f->where, sizeof(f->where), "runs[%zu]", a->nruns);
		if (!json_is_object(run))
			fields_fail(f, "", "not an object");
		fields_read(f, run, run_fields, &a->runs[a->nruns]);
	}
}

static void read_user_entries(struct fields *f, const json_t *root, struct appvec *a)
{
	const json_t *array = field_array(f, root, "user_entries", false);

	a->user_entries = xcalloc(json_array_size(array), sizeof(*a->user_entries));
	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *entry = json_string_value(json_array_get(array, i));
		size_t same = 0;

		while (entry && same < a->nuser_entries &&
		       strcmp(a->user_entries[same], entry) != 0)
			same++;
		if (!entry || !*entry)
			fields_fail(f, "user_entries", "[%zu] is not a name", i);
		else if (same < a->nuser_entries)
			fields_fail(f, "user_entries", "[%zu] is a name that was before", i);
		else
			a->user_entries[a->nuser_entries++] = text_make_printable(xstrdup(entry));
	}
}

struct appvec *appvec_parse(const char *text, size_t n, const char *name, struct error *e)
{
	struct fields f = { .name = name, .error = e };
	json_t *root = fields_load(&f, text, n, SCHEMA);

	if (!root)
		return NULL;
	struct appvec *a = appvec_new(name);
	fields_read(&f, root, texts, a);
	if (!*text_make_printable(a->name))
		fields_fail(&f, "name", "empty");
	if (!*text_make_printable(a->unit))
		fields_fail(&f, "unit", "empty");
	fields_read(&f, field_object(&f, root, "machine"), machine_texts, a);
	fields_read(&f, root, entries, a);
	a->units = field_number(&f, root, "units", 1, FIELD_MOST);
	read_user_entries(&f, root, a);
	fields_read(&f, field_object(&f, root, "events"), event_fields, &a->events);
	read_runs(&f, root, a);
	a->loops = loops_read(&f, root);
	const json_t *start = field_object(&f, root, "start");
	if (start) {
		a->start = appvec_new("");
		read_runs(&f, start, a->start);
		if (!a->start->nruns != !a->nruns)
			fields_fail(&f, "start", "timed, and the runs are not, or the other way");
	}
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
	json_t *o = json_object(), *sizes = json_array();

	fields_write(o, item_fields, item);
	json_object_set_new(o, "part", json_string(part_names[item->part]));
	for (size_t i = 0; i < item->nsizes; i++)
		json_array_append_new(sizes, json_pack("[oo]", json_double(item->sizes[i].size),
						       json_double(item->sizes[i].calls)));
	if (item->nsizes)
		json_object_set(o, "sizes", sizes);
	json_decref(sizes);
	return o;
}

static json_t *write_trace(const struct appvec_trace *t)
{
	json_t *o = json_object(), *items = json_array(), *unmapped = json_array();

	fields_write(o, trace_fields, t);
	json_object_set_new(o, "counts", json_string(t->counted ? "measured" : "traced"));
	fields_write(o, run_fields, &t->run);
	for (size_t i = 0; i < t->nitems; i++)
		json_array_append_new(items, write_item(&t->items[i]));
	for (size_t i = 0; i < t->nunmapped; i++) {
		json_t *call = json_object();

		fields_write(call, unmapped_fields, &t->unmapped[i]);
		json_array_append_new(unmapped, call);
	}
	json_object_set_new(o, "items", items);
	json_object_set_new(o, "unmapped", unmapped);
	return o;
}

static void write_runs(json_t *o, const struct appvec *a)
{
	json_t *traces = json_array(), *runs = json_array();

	for (size_t i = 0; i < a->ntraces; i++)
		json_array_append_new(traces, write_trace(&a->traces[i]));
	for (size_t i = 0; i < a->nruns; i++) {
		json_t *run = json_object();

		fields_write(run, run_fields, &a->runs[i]);
		json_array_append_new(runs, run);
	}
	json_object_set_new(o, "runs", runs);
	json_object_set_new(o, "traces", traces);
}

static bool is_counted(const struct appvec_events *e)
{
	return !isnan(e->cycles) || !isnan(e->instructions) || !isnan(e->cache_misses) ||
	       !isnan(e->branch_misses);
}

static json_t *write_root(const struct appvec *a)
{
	json_t *root = json_object(), *machine = json_object(), *user = json_array();
	json_t *events = json_object();

	for (size_t i = 0; i < a->nuser_entries; i++)
		json_array_append_new(user, json_text(a->user_entries[i]));
	json_object_set_new(root, "schema", json_string(SCHEMA));
	fields_write(root, texts, a);
	json_object_set_new(root, "units", json_double(a->units));
	fields_write(machine, machine_texts, a);
	json_object_set_new(root, "machine", machine);
	json_object_set_new(root, "user_entries", user);
	fields_write(root, entries, a);
	if (is_counted(&a->events)) {
		fields_write(events, event_fields, &a->events);
		json_object_set(root, "events", events);
	}
	json_decref(events);
	write_runs(root, a);
	loops_write(root, &a->loops);
	if (a->start) {
		json_t *start = json_object();

		write_runs(start, a->start);
		json_object_set_new(root, "start", start);
	}
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
