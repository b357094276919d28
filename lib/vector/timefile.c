/* SPDX-License-Identifier: MIT */
#include "vector/timefile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/xalloc.h"
#include "vector/json.h"

#define SCHEMA "osvec-time/2" /* 1 did not know host_id and cpu */

enum { FILE_LIMIT = 256 << 20 };

static const double most = 1e18; /* no time and no count is larger */

static const char *const end_names[] = {
	[TIME_EXIT] = "exit",
	[TIME_EXEC] = "exec",
	[TIME_RUNNING] = "running",
};

/* Where each number lies; the same tables read and write. */
struct number {
	const char *key;
	size_t offset;
};

/* clang-format off */
static const struct number usage_numbers[] = {
#define NUMBER(name) { #name, offsetof(struct time_usage, name) }
	NUMBER(user), NUMBER(system), NUMBER(voluntary), NUMBER(involuntary),
	NUMBER(minor_faults), NUMBER(major_faults), { 0 }
#undef NUMBER
};
/* clang-format on */

static const struct number program_numbers[] = {
#define NUMBER(name) \
	{ \
#name, offsetof(struct time_program, name) \
	}
	NUMBER(pid), NUMBER(start), NUMBER(wall), NUMBER(threads), { 0 }
#undef NUMBER
};

static const struct number run_numbers[] = {
#define NUMBER(name) \
	{ \
#name, offsetof(struct time_run, name) \
	}
	NUMBER(wall), NUMBER(status), NUMBER(processes), NUMBER(threads), { 0 }
#undef NUMBER
};

void time_usage_add(struct time_usage *a, const struct time_usage *b)
{
	for (const struct number *n = usage_numbers; n->key; n++)
		*(double *)((char *)a + n->offset) +=
		    *(const double *)((const char *)b + n->offset);
}

void time_run_free(struct time_run *r)
{
	for (size_t i = 0; i < r->nprograms; i++) {
		struct time_program *p = &r->programs[i];

		for (size_t j = 0; j < p->ncalls; j++)
			free(p->calls[j].call);
		free(p->calls);
		free(p->program);
	}
	free(r->programs);
}

void timefile_free(struct timefile *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nruns; i++)
		time_run_free(&t->runs[i]);
	free(t->runs);
	if (t->calls)
		time_run_free(t->calls);
	free(t->calls);
	free(t->command);
	free(t->created);
	free(t->host);
	free(t->kernel);
	free(t->host_id);
	free(t->cpu);
	free(t->method);
	free(t->only);
	free(t);
}

/* ---- reading ---- */

static void read_numbers(struct fields *f, const json_t *o, const struct number *numbers,
			 void *into)
{
	for (const struct number *n = numbers; n->key; n++)
		*(double *)((char *)into + n->offset) = field_number(f, o, n->key, 0, most);
}

/* An object with a member for each call. */
static void read_calls(struct fields *f, const json_t *o, struct time_program *p)
{
	const json_t *calls = json_object_get(o, "calls"), *value;
	const char *name;

	if (!calls)
		return;
	if (!json_is_object(calls)) {
		fields_fail(f, "calls", "not an object");
		return;
	}
	p->calls = xcalloc(json_object_size(calls), sizeof(*p->calls));
	json_object_foreach((json_t *)calls, name, value) p->calls[p->ncalls++] =
	    (struct time_calls){
		    xstrdup(name),
		    field_number(f, calls, name, 0, most),
	    };
}

static void read_program(struct fields *f, const json_t *o, struct time_program *p)
{
	p->program = field_string(f, o, "program", true);
	read_numbers(f, o, program_numbers, p);
	read_numbers(f, o, usage_numbers, &p->usage);
	p->counted = field_bool(f, o, "counted");
	char *end = field_string(f, o, "end", true);
	while (end && p->end <= TIME_RUNNING && strcmp(end, end_names[p->end]))
		p->end++;
	if (p->end > TIME_RUNNING)
		fields_fail(f, "end", "neither exit, exec nor running");
	free(end);
	read_calls(f, o, p);
}

/* where: "runs[2]". */
static void read_run(struct fields *f, const json_t *o, struct time_run *r, const char *where)
{
	snprintf(f->where, sizeof(f->where), "%s", where);
	read_numbers(f, o, run_numbers, r);
	read_numbers(f, o, usage_numbers, &r->usage);
	r->complete = field_bool(f, o, "complete");
	const json_t *programs = field_array(f, o, "programs", true);
	size_t n = json_array_size(programs);
	r->programs = xcalloc(n, sizeof(*r->programs));
	for (; r->nprograms < n && !f->failed; r->nprograms++) {
		snprintf(f->where, sizeof(f->where), "%s.programs[%zu]", where, r->nprograms);
		read_program(f, json_array_get(programs, r->nprograms), &r->programs[r->nprograms]);
	}
	f->where[0] = '\0';
}

static void read_root(struct fields *f, const json_t *root, struct timefile *t)
{
	t->command = field_string(f, root, "command", true);
	t->created = field_string(f, root, "created", true);
	t->host = field_string(f, root, "host", true);
	t->kernel = field_string(f, root, "kernel", true);
	t->host_id = f->version > 1 ? field_string(f, root, "host_id", true) : xstrdup("");
	t->cpu = f->version > 1 ? field_string(f, root, "cpu", true) : xstrdup("");
	t->method = field_string(f, root, "method", true);
	t->only = field_string(f, root, "only", false);
	double share = field_maybe_number(f, root, "call_user", 0, most);
	t->call_user = isnan(share) ? 0 : share;
	const json_t *runs = field_array(f, root, "runs", true);
	size_t n = json_array_size(runs);
	if (runs && !n)
		fields_fail(f, "runs", "empty: nothing was measured");
	t->runs = xcalloc(n, sizeof(*t->runs));
	for (; t->nruns < n && !f->failed; t->nruns++) {
		char where[32];

		snprintf(where, sizeof(where), "runs[%zu]", t->nruns);
		read_run(f, json_array_get(runs, t->nruns), &t->runs[t->nruns], where);
	}
	const json_t *calls = json_object_get(root, "calls");
	if (!calls || json_is_null(calls) || f->failed)
		return;
	t->calls = xcalloc(1, sizeof(*t->calls));
	read_run(f, calls, t->calls, "calls");
}

struct timefile *timefile_parse(const char *text, size_t n, const char *name, struct error *e)
{
	struct fields f = { .name = name, .error = e };
	json_t *root = fields_load(&f, text, n, SCHEMA);

	if (!root)
		return NULL;
	struct timefile *t = xcalloc(1, sizeof(*t));
	read_root(&f, root, t);
	json_decref(root);
	if (!f.failed)
		return t;
	timefile_free(t);
	return NULL;
}

struct timefile *timefile_read(const char *path, struct error *e)
{
	size_t n;
	char *text = file_read(path, FILE_LIMIT, &n, e);
	struct timefile *t = text ? timefile_parse(text, n, path, e) : NULL;

	free(text);
	return t;
}

/* ---- writing ---- */

static void write_numbers(json_t *o, const struct number *numbers, const void *from)
{
	for (const struct number *n = numbers; n->key; n++)
		json_object_set_new(o, n->key,
				    json_double(*(const double *)((const char *)from + n->offset)));
}

static json_t *write_program(const struct time_program *p)
{
	json_t *o = json_object();

	json_object_set_new(o, "program", json_text(p->program));
	write_numbers(o, program_numbers, p);
	write_numbers(o, usage_numbers, &p->usage);
	json_object_set_new(o, "end", json_string(end_names[p->end]));
	json_object_set_new(o, "counted", json_boolean(p->counted));
	if (p->ncalls) {
		json_t *calls = json_object();

		for (size_t i = 0; i < p->ncalls; i++)
			json_object_set_new(calls, p->calls[i].call,
					    json_double(p->calls[i].calls));
		json_object_set_new(o, "calls", calls);
	}
	return o;
}

static json_t *write_run(const struct time_run *r)
{
	json_t *o = json_object(), *programs = json_array();

	write_numbers(o, run_numbers, r);
	write_numbers(o, usage_numbers, &r->usage);
	json_object_set_new(o, "complete", json_boolean(r->complete));
	for (size_t i = 0; i < r->nprograms; i++)
		json_array_append_new(programs, write_program(&r->programs[i]));
	json_object_set_new(o, "programs", programs);
	return o;
}

int timefile_write(const struct timefile *t, const char *path, struct error *e)
{
	json_t *root = json_object(), *runs = json_array();

	json_object_set_new(root, "schema", json_string(SCHEMA));
	json_object_set_new(root, "command", json_text(t->command));
	json_object_set_new(root, "created", json_text(t->created));
	json_object_set_new(root, "host", json_text(t->host));
	json_object_set_new(root, "kernel", json_text(t->kernel));
	json_object_set_new(root, "host_id", json_text(t->host_id));
	json_object_set_new(root, "cpu", json_text(t->cpu));
	json_object_set_new(root, "method", json_text(t->method));
	json_object_set_new(root, "only", json_text(t->only));
	json_object_set_new(root, "call_user", json_double(t->call_user));
	for (size_t i = 0; i < t->nruns; i++)
		json_array_append_new(runs, write_run(&t->runs[i]));
	json_object_set_new(root, "runs", runs);
	if (t->calls)
		json_object_set_new(root, "calls", write_run(t->calls));

	char *text = json_format(root, 17);
	json_decref(root);
	/* What could not be read back is never written. */
	struct timefile *copy = timefile_parse(text, strlen(text), path, e);
	int status = copy ? file_write(path, text, strlen(text), e) : -1;
	timefile_free(copy);
	free(text);
	return status;
}
