/* SPDX-License-Identifier: MIT */
/* The parser of suite.h. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "machine/caches.h"
#include "machine/cpus.h"
#include "measure/placement.h"
#include "process.h"
#include "suite.h"
#include "util/map.h"
#include "util/number.h"
#include "util/vec.h"

#define PROGRAM_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789_"
#define PARAMETER_CHARACTERS PROGRAM_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ.:+=-@"

enum {
	WORDS_MAX = 16,	     /* in a line */
	NAME_LIMIT = 200,    /* bytes of an entry's name: it becomes a file name */
	ENTRIES_MAX = 10000, /* in a suite: lists multiply */
};

/* An entry that "set canary" or "set control" names; it may follow later in the file. */
struct mention {
	char *name;
	size_t line;
	enum suite_role role;
};

struct suite_parser {
	struct suite *suite;
	struct error *e;
	const char *programs; /* their directory, or NULL */
	bool one_cpu;	      /* is all that this process may use */
	json_t *descriptions; /* of the programs asked so far, by name */
	size_t line;
	size_t cap;
	struct names names;   /* of the entries so far, in their order, as they are written */
	struct names spelled; /* the same as their programs spell them; none without programs */
	VEC(struct mention) mentions;
};

static int fail(struct suite_parser *p, size_t line)
{
	return error_prefix(p->e, "%s:%zu", p->suite->name, line);
}

/* -- settings ---------------------------------------------------------------------------------- */

/* words[n] follow "set". */
static int parse_setting(struct suite_parser *p, char **words, size_t n)
{
	if (n == 0)
		return error_set(p->e, "set what?");
	bool canary = !strcmp(words[0], "canary");
	if (!canary && strcmp(words[0], "control"))
		return settings_set(&p->suite->settings, words, n, p->e);
	if (n == 1)
		return error_set(p->e, "which entries?");
	for (size_t i = 1; i < n; i++)
		vec_push(&p->mentions, (struct mention){ xstrdup(words[i]), p->line,
							 canary ? SUITE_CANARY : SUITE_CONTROL });
	return 0;
}

/* -- entries ----------------------------------------------------------------------------------- */

/* "x" and a number. */
static bool is_copies(const char *word)
{
	return word[0] == 'x' && isdigit((unsigned char)word[1]);
}

/* They become parts of file names and of command lines. */
static int check_words(struct suite_parser *p, char **words, size_t n)
{
	if (words[0][strspn(words[0], PROGRAM_CHARACTERS)])
		return error_set(p->e, "'%.60s' is no name of a benchmark program", words[0]);
	for (size_t i = 1; i < n; i++) {
		if (words[i][0] == '-')
			return error_set(
			    p->e,
			    "'%.60s': an entry has no options; 'set' is for what holds "
			    "for all entries",
			    words[i]);
		if (words[i][strspn(words[i], PARAMETER_CHARACTERS)])
			return error_set(p->e, "'%.60s' is no parameter", words[i]);
	}
	return 0;
}

static int parse_placement(struct suite_parser *p, struct suite_entry *x, const char *word)
{
	struct placed unused;

	/* "@2,5" would be a list. */
	if (isdigit((unsigned char)word[1]) || placement_parse(word + 1, &unused, p->e))
		return error_set(
		    p->e,
		    "unknown '%.60s': @cold, @threaded, @shared, @after=SIZE, or @ and one of %s",
		    word, placement_names);
	if (x->placement)
		return error_set(p->e, "two placements");
	x->placement = xstrdup(word + 1);
	return 0;
}

static int parse_copies(struct suite_parser *p, struct suite_entry *x, const char *word)
{
	uint64_t copies;

	if (!number_parse_u64(word + 1, &copies) || copies < 1 || copies > SUITE_COPIES_MAX)
		return error_set(p->e, "'%.60s': from x1 to x%d", word, SUITE_COPIES_MAX);
	if (x->copies)
		return error_set(p->e, "two numbers of copies");
	x->copies = (unsigned)copies;
	return 0;
}

/* Mode i as the entry's name has it; NULL: word is another one, or without a size that it needs. */
static char *spell_mode(size_t i, const char *word)
{
	const char *name = suite_modes[i].word;
	size_t n = strlen(name);
	char size[NUMBER_MAX];
	uint64_t bytes;

	if (name[n - 1] != '=')
		return strcmp(word, name) ? NULL : xstrdup(name);
	if (strncmp(word, name, n) || !number_parse_size(word + n, &bytes) || bytes > CACHES_DATA)
		return NULL;
	return xasprintf("%s%s", name, number_format_size(size, bytes));
}

/* A mode or a placement. */
static int parse_at(struct suite_parser *p, struct suite_entry *x, const char *word)
{
	for (size_t i = 0; i < SUITE_MODES; i++) {
		char *mode = spell_mode(i, word);

		if (!mode)
			continue;
		if (!x->modes[i]) {
			x->modes[i] = mode;
			return 0;
		}
		free(mode);
		return error_set(p->e, "%s twice", suite_modes[i].word);
	}
	return parse_placement(p, x, word);
}

/* Takes "@PLACEMENT", modes and "xN" off the end of the words. */
static int parse_modifiers(struct suite_parser *p, struct suite_entry *x, char **words, size_t *n)
{
	int failed = 0;

	for (; *n > 1 && !failed; --*n) {
		char *word = words[*n - 1];

		if (word[0] == '@')
			failed = parse_at(p, x, word);
		else if (is_copies(word))
			failed = parse_copies(p, x, word);
		else
			break;
	}
	for (size_t i = 1; i < *n && !failed; i++)
		if (words[i][0] == '@' || is_copies(words[i]))
			failed = error_set(p->e, "'%.60s' must follow the parameters", words[i]);
	return failed;
}

/* Appends x and owns it from here; its name must be new. */
static int add_entry(struct suite_parser *p, struct suite_entry x)
{
	struct suite *s = p->suite;
	size_t known = names_find(&p->names, x.name);

	if (s->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 64;
		s->entries = xreallocarray(s->entries, p->cap, sizeof(*s->entries));
	}
	x.number = s->n;
	s->entries[s->n++] = x;
	if (strlen(x.name) > NAME_LIMIT)
		return error_set(p->e, "the entry's name is longer than %d bytes", NAME_LIMIT);
	if (s->n > ENTRIES_MAX)
		return error_set(p->e, "more than %d entries", ENTRIES_MAX);
	if (known != SIZE_MAX)
		return error_set(p->e, "duplicate entry %s, first in line %zu", x.name,
				 s->entries[known].line);
	names_add(&p->names, x.name);
	return 0;
}

static const json_t *describe(struct suite_parser *p, const char *program);

/*
 * On one CPU, an entry whose peer should be on another one is measured with both on the same, under
 * the name that says so: returns whether it is one.  A program that cannot be asked fails when it
 * runs.
 */
static bool place_on_one_cpu(struct suite_parser *p, struct suite_entry *x)
{
	struct error unused, *e = p->e;

	if (!p->one_cpu || !p->programs || x->placement)
		return false;
	p->e = &unused;
	if (json_is_true(json_object_get(describe(p, x->program), "apart")))
		x->placement = xstrdup(placement_name(PLACEMENT_SAME));
	p->e = e;
	return x->placement;
}

static int parse_entry(struct suite_parser *p, char **words, size_t n)
{
	struct suite_entry x = { .line = p->line };

	int failed = check_words(p, words, n) || parse_modifiers(p, &x, words, &n) ? -1 : 0;
	if (!failed && x.modes[SUITE_SHARED] && x.copies < 2)
		failed = error_set(p->e, "@shared: with how many copies? Add x2");
	if (!failed && x.modes[SUITE_COLD] && x.modes[SUITE_AFTER])
		failed = error_set(p->e, "@cold empties the caches: it goes without @after=");
	if (failed) {
		suite_free_entry(&x);
		return -1;
	}
	x.copies = x.copies ? x.copies : 1;
	x.program = xstrdup(words[0]);
	x.nwords = n - 1;
	x.words = suite_copy_words(words + 1, n - 1);
	x.moved = place_on_one_cpu(p, &x);
	suite_name_entry(&x);
	const size_t known = names_find(&p->names, x.name);
	/* On one CPU an entry and its @same are one. */
	if (known != SIZE_MAX && p->suite->entries[known].moved != x.moved) {
		suite_free_entry(&x);
		return 0;
	}
	return add_entry(p, x);
}

/* The same measurement as twin under another name. */
static int add_control(struct suite_parser *p, size_t twin, size_t line)
{
	const struct suite_entry *from = &p->suite->entries[twin];
	struct suite_entry x = suite_copy_entry(from);

	x.role = SUITE_CONTROL;
	x.twin = xstrdup(from->name);
	x.line = line;
	suite_name_entry(&x);
	return add_entry(p, x);
}

/* Lets the programs check and spell the entries. */
static int spell_entries(struct suite_parser *p)
{
	for (size_t i = 0; i < p->suite->n && p->programs; i++) {
		struct suite_entry *x = &p->suite->entries[i];

		int failed = suite_spell_entry(x, p->programs, p->e);
		if (!failed && names_add(&p->spelled, x->name) != i)
			failed = error_set(p->e, "duplicate entry %s", x->name);
		if (failed)
			return fail(p, x->line);
	}
	return 0;
}

/* The entry of this name in either spelling, or SIZE_MAX. */
static size_t find_entry(const struct suite_parser *p, const char *name)
{
	size_t at = names_find(&p->spelled, name);

	return at == SIZE_MAX ? names_find(&p->names, name) : at;
}

/* Gives the entries that "set canary" and "set control" name their roles. */
static int resolve_mentions(struct suite_parser *p)
{
	for (size_t i = 0; i < p->mentions.n; i++) {
		const struct mention *m = &p->mentions.v[i];
		size_t at = find_entry(p, m->name);
		char *same = xasprintf("%s@%s", m->name, placement_name(PLACEMENT_SAME));

		if (at == SIZE_MAX && p->one_cpu)
			at = find_entry(p, same);
		free(same);
		if (at == SIZE_MAX) {
			error_set(p->e, "no line of this suite is the entry %.200s", m->name);
			return fail(p, m->line);
		}
		if (m->role == SUITE_CANARY)
			p->suite->entries[at].role = SUITE_CANARY;
		else if (add_control(p, at, m->line))
			return fail(p, m->line);
	}
	return 0;
}

/* -- lists of values --------------------------------------------------------------------------- */

static bool is_list(const char *word)
{
	return !strcmp(word, "*") || strchr(word, ',');
}

/* The description that the program prints for -L, or NULL and the error. */
static const json_t *describe(struct suite_parser *p, const char *program)
{
	const json_t *known = json_object_get(p->descriptions, program);

	if (known)
		return known;
	if (!p->programs) {
		error_set(p->e, "no benchmark programs to ask: set $OSVEC_LIBEXEC");
		return NULL;
	}
	json_t *o = process_describe(p->programs, program, NULL, 0, p->e);
	if (o)
		json_object_set_new(p->descriptions, program, o);
	return o;
}

/* Adds the values that the program declares for the parameter at words[i]. */
static int declared_values(struct suite_parser *p, char **words, size_t i, struct names *out)
{
	const json_t *o = check_words(p, words, 1) ? NULL : describe(p, words[0]);
	const json_t *parameters = json_object_get(o, "parameters");
	const json_t *values = json_object_get(json_array_get(parameters, i - 1), "values");

	for (size_t v = 0; v < json_array_size(values); v++) {
		const char *word = json_string_value(json_array_get(values, v));

		if (word)
			names_add(out, word);
	}
	if (!o)
		return error_prefix(p->e, "cannot ask %.60s what '*' stands for", words[0]);
	if (!out->n)
		return error_set(p->e, "'*' is one parameter too many: %s has %zu", words[0],
				 json_array_size(parameters));
	return 0;
}

/* Adds the values that words[i], a list, stands for. */
static int list_values(struct suite_parser *p, char **words, size_t i, struct names *out)
{
	if (!strcmp(words[i], "*"))
		return declared_values(p, words, i, out);
	for (const char *s = words[i]; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
		char *value = xstrndup(s, strcspn(s, ","));

		names_add(out, value);
		free(value);
	}
	return names_find(out, "") == SIZE_MAX
		   ? 0
		   : error_set(p->e, "'%.60s': an empty value", words[i]);
}

/* Adds an entry for every combination of the values of words[i...], the last of which changes
 * fastest. */
static int expand(struct suite_parser *p, char **words, size_t n, size_t i)
{
	while (i < n && !is_list(words[i]))
		i++;
	if (i == n)
		return parse_entry(p, words, n);

	char *list = words[i];
	struct names values = { 0 };
	int failed = list_values(p, words, i, &values);
	for (size_t v = 0; v < values.n && !failed; v++) {
		words[i] = values.v[v];
		failed = expand(p, words, n, i + 1);
	}
	words[i] = list;
	names_free(&values);
	return failed;
}

/* -- files ------------------------------------------------------------------------------------- */

/* Splits line in place; more than WORDS_MAX words count as WORDS_MAX + 1. */
static size_t split(char *line, char **words)
{
	size_t n = 0;
	char *state;

	line[strcspn(line, "#")] = '\0';
	for (char *w = strtok_r(line, " \t\r", &state); w; w = strtok_r(NULL, " \t\r", &state)) {
		if (n == WORDS_MAX)
			return n + 1;
		words[n++] = w;
	}
	return n;
}

static int parse_line(struct suite_parser *p, char *line)
{
	char *words[WORDS_MAX];
	size_t n = split(line, words);

	if (n > WORDS_MAX)
		return error_set(p->e, "more than %d words", WORDS_MAX);
	if (n && !strcmp(words[0], "set"))
		return parse_setting(p, words + 1, n - 1);
	return n ? expand(p, words, n, 1) : 0;
}

static int parse_lines(struct suite_parser *p, const char *text, size_t n)
{
	for (size_t at = 0; at < n;) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t length = end ? (size_t)(end - text) - at : n - at;
		char *line = xstrndup(text + at, length);
		int failed = 0;

		p->line++;
		if (strlen(line) != length)
			failed = error_set(p->e, "a zero byte: not a text file");
		failed = failed || parse_line(p, line);
		free(line);
		if (failed)
			return fail(p, p->line);
		at += length + 1;
	}
	if (p->suite->n == 0)
		return error_set(p->e, "%s: no entry in this suite", p->suite->name);
	return spell_entries(p) ? -1 : resolve_mentions(p);
}

struct suite *suite_parse(const char *text, size_t n, const char *name, const char *programs,
			  struct error *e)
{
	struct suite *s = xcalloc(1, sizeof(*s));
	int cpus[CPU_SETSIZE];
	struct suite_parser p = {
		.suite = s,
		.e = e,
		.programs = programs,
		.one_cpu = cpus_allowed(cpus) == 1,
		.descriptions = json_object(),
	};

	s->name = xstrdup(name);
	s->settings = settings_default;
	int failed = parse_lines(&p, text, n);
	for (size_t i = 0; i < p.mentions.n; i++)
		free(p.mentions.v[i].name);
	vec_free(&p.mentions);
	names_free(&p.names);
	names_free(&p.spelled);
	json_decref(p.descriptions);
	if (!failed)
		return s;
	suite_free(s);
	return NULL;
}
