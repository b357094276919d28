/* SPDX-License-Identifier: MIT */
#include "vector/timefile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "util/file.h"
#include "util/xalloc.h"

#define SCHEMA "osvec-time/2" /* version 1 has neither host_id nor cpu */

enum { FILE_LIMIT = 256 << 20 };

static const char *const end_names[] = {
	[TIME_EXIT] = "exit",
	[TIME_EXEC] = "exec",
	[TIME_RUNNING] = "running",
};

static const struct field texts[] = {
	FIELD(TEXT, timefile, command),
	FIELD(TEXT, timefile, created),
	FIELD(TEXT, timefile, host),
	FIELD(TEXT, timefile, kernel),
	FIELD(TEXT, timefile, method),
	FIELD(MAYBE_TEXT, timefile, only),
	{ 0 },
};

/* Since version 2. */
static const struct field machine_texts[] = {
	FIELD(TEXT, timefile, host_id),
	FIELD(TEXT, timefile, cpu),
	{ 0 },
};

static const struct field usage_fields[] = {
	FIELD(NUMBER, time_usage, user),
	FIELD(NUMBER, time_usage, system),
	FIELD(NUMBER, time_usage, voluntary),
	FIELD(NUMBER, time_usage, involuntary),
	FIELD(NUMBER, time_usage, minor_faults),
	FIELD(NUMBER, time_usage, major_faults),
	{ 0 },
};

static const struct field program_fields[] = {
	FIELD(TEXT, time_program, program),
	FIELD(NUMBER, time_program, pid),
	FIELD(NUMBER, time_program, start),
	FIELD(NUMBER, time_program, wall),
	FIELD(NUMBER, time_program, threads),
	FIELD(BOOL, time_program, counted),
	{ 0 },
};

static const struct field run_fields[] = {
	FIELD(NUMBER, time_run, wall),	    FIELD(NUMBER, time_run, status),
	FIELD(NUMBER, time_run, processes), FIELD(NUMBER, time_run, threads),
	FIELD(BOOL, time_run, complete),    { 0 },
};

void time_usage_add(struct time_usage *a, const struct time_usage *b)
{
	for (const struct field *f = usage_fields; f->key; f++)
		*(double *)((char *)a + f->offset) +=
		    *(const double *)((const char *)b + f->offset);
}

void time_run_free(struct time_run *r)
{
	for (size_t i = 0; i < r->nprograms; i++) {
		struct time_program *p = &r->programs[i];

		for (size_t j = 0; j < p->ncalls; j++)
			free(p->calls[j].call);
		free(p->calls);
		fields_free(program_fields, p);
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
	fields_free(texts, t);
	fields_free(machine_texts, t);
	free(t);
}

/* ---- reading ---- */

/* From two objects whose members are numbers of calls by the name of the call: all, and those of
 * them that failed, which earlier files lack. */
static void read_calls(struct fields *f, const json_t *o, struct time_program *p)
{
	const json_t *calls = json_object_get(o, "calls"), *failed = json_object_get(o, "failed");
	const json_t *value;
	const char *name;

	if (!calls)
		return;
	if (!json_is_object(calls) || (failed && !json_is_object(failed))) {
		fields_fail(f, json_is_object(calls) ? "failed" : "calls", "not an object");
		return;
	}
	p->calls = xcalloc(json_object_size(calls), sizeof(*p->calls));
	json_object_foreach((json_t *)calls, name, value)
	{
		const double n = field_number(f, calls, name, 0, FIELD_MOST);
		double errors = failed ? 0 : NAN;

		if (json_object_get(failed, name))
			errors = field_number(f, failed, name, 0, n);
		p->calls[p->ncalls++] = (struct time_calls){ xstrdup(name), n, errors };
	}
}

static void read_program(struct fields *f, const json_t *o, struct time_program *p)
{
	fields_read(f, o, program_fields, p);
	fields_read(f, o, usage_fields, &p->usage);
	char *end = field_string(f, o, "end", true);
	while (end && p->end <= TIME_RUNNING && strcmp(end, end_names[p->end]))
		p->end++;
	if (p->end > TIME_RUNNING)
		fields_fail(f, "end", "neither exit, exec nor running");
	free(end);
	read_calls(f, o, p);
}

/* where is the place of o in the file, "runs[2]", for messages. */
static void read_run(struct fields *f, const json_t *o, struct time_run *r, const char *where)
{
	snprintf(f->where, sizeof(f->where), "%s", where);
	fields_read(f, o, run_fields, r);
	fields_read(f, o, usage_fields, &r->usage);
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
	fields_read(f, root, texts, t);
	if (f->version > 1) {
		fields_read(f, root, machine_texts, t);
	} else {
		t->host_id = xstrdup("");
		t->cpu = xstrdup("");
	}
	double share = field_maybe_number(f, root, "call_user", 0, FIELD_MOST);
	t->call_user = isnan(share) ? 0 : share;
	t->loops = loops_read(f, root);
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

/* ---- several ---- */

static double mean_of(double a, size_t na, double b, size_t nb)
{
	return (a * (double)na + b * (double)nb) / (double)(na + nb);
}

int timefile_append(struct timefile *t, struct timefile *more, const char *path, struct error *e)
{
	const struct {
		const char *what, *of_t, *of_more;
	} same[] = {
		{ "command", t->command, more->command },
		{ "machine", t->host, more->host },
		{ "machine", t->host_id, more->host_id },
		{ "kernel", t->kernel, more->kernel },
		{ "choice of programs", t->only ? t->only : "", more->only ? more->only : "" },
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (strcmp(same[i].of_t, same[i].of_more) != 0)
			return error_set(e, "%s: of another %s (%s) than the file before (%s)",
					 path, same[i].what, same[i].of_more, same[i].of_t);
	t->loops.code = mean_of(t->loops.code, t->nruns, more->loops.code, more->nruns);
	t->loops.call = mean_of(t->loops.call, t->nruns, more->loops.call, more->nruns);
	t->call_user = mean_of(t->call_user, t->nruns, more->call_user, more->nruns);
	t->runs = xreallocarray(t->runs, t->nruns + more->nruns, sizeof(*t->runs));
	memcpy(t->runs + t->nruns, more->runs, more->nruns * sizeof(*t->runs));
	t->nruns += more->nruns;
	more->nruns = 0;
	if (!t->calls) {
		t->calls = more->calls;
		more->calls = NULL;
	}
	timefile_free(more);
	return 0;
}

/* ---- writing ---- */

static json_t *write_program(const struct time_program *p)
{
	json_t *o = json_object();

	fields_write(o, program_fields, p);
	fields_write(o, usage_fields, &p->usage);
	json_object_set_new(o, "end", json_string(end_names[p->end]));
	if (p->ncalls) {
		json_t *calls = json_object(), *failed = json_object();
		bool known = true;

		for (size_t i = 0; i < p->ncalls; i++) {
			const struct time_calls *c = &p->calls[i];

			json_object_set_new(calls, c->call, json_double(c->calls));
			known &= !isnan(c->failed);
			if (c->failed > 0)
				json_object_set_new(failed, c->call, json_double(c->failed));
		}
		json_object_set_new(o, "calls", calls);
		if (known)
			json_object_set(o, "failed", failed);
		json_decref(failed);
	}
	return o;
}

static json_t *write_run(const struct time_run *r)
{
	json_t *o = json_object(), *programs = json_array();

	fields_write(o, run_fields, r);
	fields_write(o, usage_fields, &r->usage);
	for (size_t i = 0; i < r->nprograms; i++)
		json_array_append_new(programs, write_program(&r->programs[i]));
	json_object_set_new(o, "programs", programs);
	return o;
}

int timefile_write(const struct timefile *t, const char *path, struct error *e)
{
	json_t *root = json_object(), *runs = json_array();

	json_object_set_new(root, "schema", json_string(SCHEMA));
	fields_write(root, texts, t);
	fields_write(root, machine_texts, t);
	json_object_set_new(root, "call_user", json_double(t->call_user));
	loops_write(root, &t->loops);
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
