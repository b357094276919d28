/* SPDX-License-Identifier: MIT */
#include "meta.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "machine/environment.h"
#include "util/file.h"
#include "util/number.h"
#include "util/sha256.h"
#include "util/timestamp.h"
#include "util/xalloc.h"

#define SCHEMA "osvec-run/1"

enum { PROGRAM_LIMIT = 256 << 20 }; /* bytes */

static json_t *now(void)
{
	char *text = timestamp_now();
	json_t *o = json_string(text);

	free(text);
	return o;
}

/* The digest of a file, or null. */
static json_t *digest(const char *path)
{
	char hex[SHA256_HEX];
	size_t n;
	char *data = file_read(path, PROGRAM_LIMIT, &n, NULL);
	json_t *v = data ? json_string(sha256_hex(hex, data, n)) : json_null();

	free(data);
	return v;
}

static json_t *program_digest(const char *programs, const char *program)
{
	char *path = xasprintf("%s/%s", programs, program);
	json_t *v = digest(path);

	free(path);
	return v;
}

static json_t *digests(const struct suite *s, const char *programs)
{
	json_t *all = json_object();

	for (size_t i = 0; i < s->n; i++)
		if (!json_object_get(all, s->entries[i].program))
			json_object_set_new(all, s->entries[i].program,
					    program_digest(programs, s->entries[i].program));
	return all;
}

static json_t *describe_suite(const struct suite *s)
{
	char hex[SHA256_HEX], *text = suite_text(s);
	json_t *o = json_object();

	json_object_set_new(o, "name", json_text(s->name));
	json_object_set_new(o, "sha256", json_string(sha256_hex(hex, text, strlen(text))));
	json_object_set_new(o, "text", json_text(text));
	free(text);
	return o;
}

static json_t *describe_environment(const struct plan *plan)
{
	struct environment env = { 0 };
	json_t *o = json_object();

	environment_collect(&env, plan->directory);
	for (size_t i = 0; i < env.n; i++)
		json_object_set_new(o, env.v[i].key, json_text(env.v[i].value));
	environment_free(&env);
	if (plan->peer.address) {
		json_object_set_new(o, "peer.address", json_text(plan->peer.address));
		json_object_set_new(o, "peer.system", json_text(plan->peer.system));
	}
	return o;
}

/* Whether path lies in directory. */
static bool is_below(const char *path, const char *directory)
{
	size_t n = directory ? strlen(directory) : 0;

	return n > 1 && !strncmp(path, directory, n) && path[n] == '/';
}

/* A word of the command line as others may see it: of a path in the home directory or in a
 * directory for temporary files, only the last component. */
static json_t *public_word(const char *word)
{
	const char *path = strchr(word, '/'), *slash = strrchr(word, '/');

	if (!path || !(is_below(path, getenv("HOME")) || is_below(path, getenv("TMPDIR")) ||
		       is_below(path, "/tmp") || is_below(path, "/var/tmp") ||
		       is_below(path, "/home") || is_below(path, "/root")))
		return json_text(word);
	char *shown = xasprintf("%.*s%s", (int)(path - word), word, slash + 1);
	json_t *v = json_text(shown);
	free(shown);
	return v;
}

json_t *meta_new(const struct results *r, const struct suite *s, const struct plan *plan,
		 char *const *argv)
{
	json_t *meta = json_object(), *words = json_array(), *cpus = json_array();
	char seed[24];

	json_array_append_new(words, json_string("hbench"));
	for (; *argv; argv++)
		json_array_append_new(words, public_word(*argv));
	for (size_t i = 0; i < plan->ncpus; i++)
		json_array_append_new(cpus, json_integer(plan->cpus[i]));
	/* JSON's numbers are doubles to most readers: 64 bits go as text. */
	snprintf(seed, sizeof(seed), "%" PRIu64, plan->seed);
	json_object_set_new(meta, "schema", json_string(SCHEMA));
	json_object_set_new(meta, "hbench", json_string(VERSION));
	json_object_set_new(meta, "machine", json_text(r->machine));
	json_object_set_new(meta, "run", json_text(r->run));
	json_object_set_new(meta, "command", words);
	json_object_set_new(meta, "status", json_string("running"));
	json_object_set_new(meta, "start", now());
	json_object_set_new(meta, "end", json_null());
	json_object_set_new(meta, "slices", json_pack("[[on]]", now()));
	json_object_set_new(meta, "seed", json_string(seed));
	json_object_set_new(meta, "directory", json_text(plan->directory));
	json_object_set_new(meta, "events", plan->events ? json_text(plan->events) : json_null());
	json_object_set_new(meta, "cpus", cpus);
	json_object_set_new(meta, "settings", settings_to_json(&s->settings));
	json_object_set_new(meta, "environment", describe_environment(plan));
	json_object_set_new(meta, "programs", json_text(plan->programs));
	json_object_set_new(meta, "sha256", digests(s, plan->programs));
	json_object_set_new(meta, "suite", describe_suite(s));
	return meta;
}

void meta_end(json_t *meta, const char *status)
{
	const json_t *slices = json_object_get(meta, "slices");
	json_t *last = json_array_get(slices, json_array_size(slices) - 1);

	json_object_set_new(meta, "status", json_string(status));
	json_object_set_new(meta, "end", now());
	json_array_set_new(last, 1, now());
}

void meta_resume(json_t *meta)
{
	json_object_set_new(meta, "status", json_string("running"));
	json_object_set_new(meta, "end", json_null());
	/* Of one that was killed the end stays unknown. */
	json_array_append_new(json_object_get(meta, "slices"), json_pack("[on]", now()));
}

char *meta_peer(const json_t *meta)
{
	const json_t *environment = json_object_get(meta, "environment");
	const char *address = json_string_value(json_object_get(environment, "peer.address"));

	return address ? xstrdup(address) : NULL;
}

struct suite *meta_suite(const json_t *meta, struct error *e)
{
	struct fields f = { .name = "meta.json", .error = e };
	const json_t *o = field_object(&f, meta, "suite");
	char *name = field_string(&f, o, "name", true), *text = field_string(&f, o, "text", true);
	struct suite *s = f.failed ? NULL : suite_parse(text, strlen(text), name, NULL, e);

	if (s)
		settings_from_json(&s->settings, &f, field_object(&f, meta, "settings"));
	if (s && f.failed) {
		suite_free(s);
		s = NULL;
	}
	free(name);
	free(text);
	return s;
}

/* Numbers of another kernel or of other programs must not be mixed with those there are. */
static int check_same(const json_t *meta, const struct plan *plan, struct error *e)
{
	static const char *const keys[] = { "host.identity", "kernel.release", "kernel.version",
					    "cpu.model", "peer.system" };
	const json_t *then = json_object_get(meta, "environment");
	json_t *now_there = describe_environment(plan), *old;
	const char *program;
	bool same = true;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const json_t *a = json_object_get(then, keys[i]);

		same &= !a || json_equal(a, json_object_get(now_there, keys[i]));
	}
	json_decref(now_there);
	if (!same)
		return error_set(
		    e, "this run began on another machine, with another peer or under another "
		       "kernel: start a new one");
	json_object_foreach(json_object_get(meta, "sha256"), program, old)
	{
		json_t *new = program_digest(plan->programs, program);

		same = json_equal(old, new);
		json_decref(new);
		if (!same)
			return error_set(e,
					 "%s is not the program that this run began with: "
					 "start a new run",
					 program);
	}
	return 0;
}

int meta_plan(const json_t *meta, struct plan *plan, struct error *e)
{
	struct fields f = { .name = "meta.json", .error = e };
	const json_t *cpus = field_array(&f, meta, "cpus", true);
	char *seed = field_string(&f, meta, "seed", true);

	plan->programs = field_string(&f, meta, "programs", true);
	plan->directory = field_string(&f, meta, "directory", true);
	plan->events = field_string(&f, meta, "events", false);
	plan->ncpus = 0;
	for (size_t i = 0; i < json_array_size(cpus) && i < CPU_SETSIZE; i++) {
		json_int_t cpu = json_integer_value(json_array_get(cpus, i));

		if (cpu >= 0 && cpu < CPU_SETSIZE)
			plan->cpus[plan->ncpus++] = (int)cpu;
	}
	if (!plan->ncpus)
		fields_fail(&f, "cpus", "empty");
	if (seed && !number_parse_u64(seed, &plan->seed))
		fields_fail(&f, "seed", "no number");
	free(seed);
	return f.failed ? -1 : check_same(meta, plan, e);
}
