/* SPDX-License-Identifier: MIT */
/*
 * Every entry that conf/basis.conf names can be measured: its program exists and takes its parameters.  Calls
 * of one name that cost something else have another.
 */
#include "vector/basis.h"

#include <ctype.h>
#include <errno.h>
#include <unistd.h>

#include <jansson.h>

#include "trace/syscalls.h"
#include "util/file.h"
#include "util/number.h"
#include "util/xalloc.h"

#include "../tap.h"

static const char *build; /* directory */

/* What "PROGRAM -L" prints, or NULL. */
static json_t *describe(const char *program)
{
	char *command = xasprintf("%s/bench/%s -L", build, program);
	FILE *f = popen(command, "r");
	json_t *o = f ? json_loadf(f, 0, NULL) : NULL;

	if (f)
		pclose(f);
	free(command);
	return o;
}

/* The program whose name is the longest beginning of entry that ends where a word does; what
 * follows are parameters. */
static json_t *find_program(const char *entry, const char **parameters)
{
	for (size_t n = strlen(entry); n; n--) {
		if (entry[n] && entry[n] != '_')
			continue;
		char *program = xstrndup(entry, n);
		char *path = xasprintf("%s/bench/%s", build, program);
		json_t *o = access(path, X_OK) == 0 ? describe(program) : NULL;

		free(path);
		free(program);
		*parameters = entry + n + (entry[n] == '_');
		if (o)
			return o;
	}
	return NULL;
}

/* How many characters of words the parameter takes, or 0: a choice may hold a '_' itself. */
static size_t taken(const json_t *parameter, const char *words)
{
	const json_t *values = json_object_get(parameter, "values"), *value;
	const char *kind = json_string_value(json_object_get(parameter, "kind"));
	size_t n = strcspn(words, "_"), longest = 0, i;
	char word[32];
	uint64_t number;

	snprintf(word, sizeof(word), "%.*s", (int)n, words);
	if (!strcmp(word, "*"))
		return json_is_true(json_object_get(parameter, "axis")) ? n : 0;
	if (kind && strcmp(kind, "choice"))
		return number_parse_size(word, &number) ? n : 0;
	json_array_foreach(values, i, value)
	{
		const char *choice = json_string_value(value);

		n = strlen(choice);
		if (!strncmp(words, choice, n) && (!words[n] || words[n] == '_') && n > longest)
			longest = n;
	}
	return longest;
}

static bool can_be_measured(const char *entry)
{
	const char *rest = entry;
	json_t *o = find_program(entry, &rest);
	const json_t *parameters = json_object_get(o, "parameters"), *parameter;
	bool good = o != NULL;
	size_t i;

	json_array_foreach(parameters, i, parameter)
	{
		size_t n = taken(parameter, rest);

		good = good && n;
		rest += n + (rest[n] == '_');
	}
	good = good && !*rest;
	json_decref(o);
	return good;
}

/* The first entry of the rule for a call, "" when it has none. */
static const char *entry_of(struct basis *b, const char *name, enum fd_kind kind, uint64_t signal,
			    int64_t result)
{
	struct event e = { .type = EVENT_SYSCALL,
			   .call = {
			       .id = syscall_by_name(name), .kind = kind, .result = result } };

	e.call.args[1] = signal;
	const struct basis_rule *rule = basis_match(b, &e);
	return rule ? rule->terms[0].entry : "";
}

static void test_rules(struct basis *b)
{
	is_string(entry_of(b, "kill", FD_UNKNOWN, 15, 0), "lat_sig_handle", "kill sends a signal");
	is_string(entry_of(b, "kill", FD_UNKNOWN, 0, 0), "lat_syscall_kill",
		  "or only looks for its receiver");
	is_string(entry_of(b, "connect", FD_TCP, 0, -EINPROGRESS), "lat_connect_tcp",
		  "connect begins a connection");
	is_string(entry_of(b, "connect", FD_TCP, 0, -EISCONN), "lat_syscall_getppid",
		  "or asks whether it is there");
	is_string(entry_of(b, "connect", FD_TCP, 0, -EALREADY), "lat_syscall_getppid",
		  "or whether it comes");
}

int main(void)
{
	struct error e;
	size_t n;
	char *text = file_read("conf/basis.conf", 1 << 20, &n, &e), *line, *rest = text;

	build = getenv("O") ? getenv("O") : "build";
	if (!ok(text != NULL, "conf/basis.conf is there"))
		return done_testing();
	struct basis *b = basis_parse(text, n, "conf/basis.conf", &e);
	ok(b != NULL, "and is sound: %s", b ? "yes" : e.text);
	if (b)
		test_rules(b);
	basis_free(b);
	ok(!can_be_measured("lat_syscall_nothing") && !can_be_measured("lat_nothing") &&
	       !can_be_measured("lat_ctx_shared_0") && !can_be_measured("lat_ctx_shared_0_2_3"),
	   "what cannot be measured is seen");
	for (unsigned number = 1; (line = strsep(&rest, "\n")); number++) {
		line[strcspn(line, "#")] = '\0';
		for (char *word; (word = strsep(&line, " \t"));)
			if (!strncmp(word, "lat_", 4) || !strncmp(word, "bw_", 3) ||
			    !strncmp(word, "cpu_", 4))
				ok(can_be_measured(word), "line %u: %s", number, word);
	}
	free(text);
	return done_testing();
}
