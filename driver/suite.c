/* SPDX-License-Identifier: MIT */
#include "suite.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"
#include "util/home.h"
#include "util/map.h"
#include "util/number.h"
#include "util/vec.h"

#define PROGRAM_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789_"
#define PARAMETER_CHARACTERS PROGRAM_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ.:+=-@"

enum {
	FILE_LIMIT = 1 << 20, /* bytes */
	WORDS_MAX = 16,	      /* in a line */
	NAME_LIMIT = 200,     /* bytes of an entry's name: it becomes a file name */
	COPIES_MAX = 1024,
};

/* The list "set canary" or "set control" until all entries are known. */
struct mention {
	char *name;
	size_t line;
	enum suite_role role;
};

struct parser {
	struct suite *suite;
	struct error *e;
	size_t line;
	size_t cap;
	struct names names; /* of the entries so far, in their order */
	VEC(struct mention) mentions;
};

static int fail(struct parser *p, size_t line)
{
	return error_prefix(p->e, "%s:%zu", p->suite->name, line);
}

/* -- settings ---------------------------------------------------------------------------------- */

static int mention(struct parser *p, char **words, size_t n, enum suite_role role)
{
	if (!n)
		return error_set(p->e, "which entries?");
	for (size_t i = 0; i < n; i++)
		vec_push(&p->mentions, (struct mention){ xstrdup(words[i]), p->line, role });
	return 0;
}

/* words[n] follow "set". */
static int parse_setting(struct parser *p, char **words, size_t n)
{
	if (n == 0)
		return error_set(p->e, "set what?");
	if (!strcmp(words[0], "canary"))
		return mention(p, words + 1, n - 1, SUITE_CANARY);
	if (!strcmp(words[0], "control"))
		return mention(p, words + 1, n - 1, SUITE_CONTROL);
	return settings_set(&p->suite->settings, words, n, p->e);
}

/* -- entries ----------------------------------------------------------------------------------- */

/* "x" and a number. */
static bool is_copies(const char *word)
{
	return word[0] == 'x' && isdigit((unsigned char)word[1]);
}

static int check_words(struct parser *p, char **words, size_t n)
{
	if (words[0][strspn(words[0], PROGRAM_CHARACTERS)])
		return error_set(p->e, "'%.60s' is no name of a benchmark program", words[0]);
	for (size_t i = 1; i < n; i++) {
		if (words[i][0] == '-')
			return error_set(p->e,
					 "'%.60s': an entry has no options; say what holds "
					 "for all with 'set'",
					 words[i]);
		/* They become part of file names and of patterns. */
		if (words[i][strspn(words[i], PARAMETER_CHARACTERS)])
			return error_set(p->e, "'%.60s' is no parameter", words[i]);
	}
	return 0;
}

/* Takes "@PLACEMENT" and "xN" off the end of the words. */
static int parse_modifiers(struct parser *p, struct suite_entry *x, char **words, size_t *n)
{
	static const char *const placements[] = {
		"same", "other", "package", "apart", "free", NULL
	};
	uint64_t copies;

	for (; *n > 1; --*n) {
		char *word = words[*n - 1];

		if (word[0] == '@') {
			const char *const *known = placements;

			while (*known && strcmp(*known, word + 1))
				known++;
			if (!*known)
				return error_set(p->e,
						 "unknown placement '%.60s': @same, @other, "
						 "@package, @apart or @free",
						 word);
			if (x->placement)
				return error_set(p->e, "two placements");
			x->placement = xstrdup(word + 1);
		} else if (is_copies(word)) {
			if (!number_parse_u64(word + 1, &copies) || copies < 1 ||
			    copies > COPIES_MAX)
				return error_set(p->e, "'%.60s': from x1 to x%d", word, COPIES_MAX);
			if (x->copies)
				return error_set(p->e, "two numbers of copies");
			x->copies = (unsigned)copies;
		} else {
			break;
		}
	}
	for (size_t i = 1; i < *n; i++)
		if (words[i][0] == '@' || is_copies(words[i]))
			return error_set(p->e, "'%.60s' must follow the parameters", words[i]);
	return 0;
}

/* program_word_word[@placement]. */
static char *measured_name(const struct suite_entry *x, char **words, size_t n)
{
	char *name = xstrdup(x->program);

	for (size_t i = 1; i < n; i++)
		name = xappend(name, "_%s", words[i]);
	if (x->placement)
		name = xappend(name, "@%s", x->placement);
	return name;
}

/* Appends x and owns it from here; its name must be new. */
static int add_entry(struct parser *p, struct suite_entry x)
{
	struct suite *s = p->suite;
	size_t known = names_find(&p->names, x.name);

	if (s->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 64;
		s->entries = xreallocarray(s->entries, p->cap, sizeof(*s->entries));
	}
	s->entries[s->n++] = x;
	if (strlen(x.name) > NAME_LIMIT)
		return error_set(p->e, "the entry's name is longer than %d bytes", NAME_LIMIT);
	if (known != SIZE_MAX)
		return error_set(p->e, "%s is there already, in line %zu", x.name,
				 s->entries[known].line);
	names_add(&p->names, x.name);
	return 0;
}

static int parse_entry(struct parser *p, char **words, size_t n)
{
	struct suite_entry x = { .line = p->line };

	if (check_words(p, words, n) || parse_modifiers(p, &x, words, &n)) {
		free(x.placement);
		return -1;
	}
	x.copies = x.copies ? x.copies : 1;
	x.program = xstrdup(words[0]);
	x.measured = measured_name(&x, words, n);
	x.name = x.copies > 1 ? xasprintf("%sx%u", x.measured, x.copies) : xstrdup(x.measured);
	x.nwords = n - 1;
	x.words = xcalloc(x.nwords, sizeof(*x.words));
	for (size_t i = 0; i < x.nwords; i++)
		x.words[i] = xstrdup(words[i + 1]);
	return add_entry(p, x);
}

static const char control_prefix[] = "control_";

/* The same measurement as twin under another name. */
static int add_control(struct parser *p, size_t twin, size_t line)
{
	const struct suite_entry *from = &p->suite->entries[twin];
	struct suite_entry x = *from;

	x.name = xasprintf("%s%s", control_prefix, from->name);
	x.measured = xstrdup(from->measured);
	x.program = xstrdup(from->program);
	x.words = xcalloc(x.nwords, sizeof(*x.words));
	for (size_t i = 0; i < x.nwords; i++)
		x.words[i] = xstrdup(from->words[i]);
	x.placement = from->placement ? xstrdup(from->placement) : NULL;
	x.role = SUITE_CONTROL;
	x.twin = xstrdup(from->name);
	x.line = line;
	return add_entry(p, x);
}

/* Gives the entries that "set canary" and "set control" name their roles. */
static int resolve_mentions(struct parser *p)
{
	for (size_t i = 0; i < p->mentions.n; i++) {
		const struct mention *m = &p->mentions.v[i];
		size_t at = names_find(&p->names, m->name);

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

static int parse_line(struct parser *p, char *line)
{
	char *words[WORDS_MAX];
	size_t n = split(line, words);

	if (n == 0)
		return 0;
	if (n > WORDS_MAX)
		return error_set(p->e, "more than %d words", WORDS_MAX);
	if (!strcmp(words[0], "set"))
		return parse_setting(p, words + 1, n - 1);
	return parse_entry(p, words, n);
}

static int parse_lines(struct parser *p, const char *text, size_t n)
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
	if (p->suite->n == 0) {
		error_set(p->e, "%s: no entry in this suite", p->suite->name);
		return -1;
	}
	return resolve_mentions(p);
}

struct suite *suite_parse(const char *text, size_t n, const char *name, struct error *e)
{
	struct suite *s = xcalloc(1, sizeof(*s));
	struct parser p = { .suite = s, .e = e };

	s->name = xstrdup(name);
	s->text = xstrndup(text, n);
	s->settings = settings_default;
	int failed = parse_lines(&p, text, n);
	for (size_t i = 0; i < p.mentions.n; i++)
		free(p.mentions.v[i].name);
	vec_free(&p.mentions);
	names_free(&p.names);
	if (!failed)
		return s;
	suite_free(s);
	return NULL;
}

struct suite *suite_read(const char *path, struct error *e)
{
	size_t n;
	char *text = file_read(path, FILE_LIMIT, &n, e);
	struct suite *s = text ? suite_parse(text, n, path, e) : NULL;

	free(text);
	return s;
}

struct suite *suite_find_and_read(const char *name, struct error *e)
{
	if (!strcmp(name, "-") || strpbrk(name, "/."))
		return suite_read(name, e);
	char *file = xasprintf("%s.suite", name), *path = home_find(HOME_CONF, file, e);
	struct suite *s = path ? suite_read(path, e) : NULL;

	if (!path && !access(name, F_OK))
		error_set(e, "no suite %s is installed; of a file say ./%s", name, name);
	free(file);
	free(path);
	return s;
}

static void free_entry(struct suite_entry *x)
{
	for (size_t i = 0; i < x->nwords; i++)
		free(x->words[i]);
	free(x->words);
	free(x->name);
	free(x->measured);
	free(x->program);
	free(x->placement);
	free(x->twin);
}

void suite_free(struct suite *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free_entry(&s->entries[i]);
	free(s->entries);
	free(s->name);
	free(s->text);
	free(s);
}

bool suite_is_control(const char *name)
{
	return !strncmp(name, control_prefix, strlen(control_prefix));
}

size_t suite_find(const struct suite *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->entries[i].name, name))
			return i;
	return SIZE_MAX;
}

/* A glob that matches the entry or its program, or a plain word within the entry. */
static bool matches(const char *pattern, const struct suite_entry *x)
{
	if (!strpbrk(pattern, "*?[") && strstr(x->name, pattern))
		return true;
	return !fnmatch(pattern, x->name, 0) || !fnmatch(pattern, x->program, 0);
}

/* Leaves the entries that are to be kept, and the twins of those. */
static void keep_only(struct suite *s, bool *keep)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->entries[i].twin)
			keep[i] = keep[suite_find(s, s->entries[i].twin)];
	for (size_t i = 0; i < s->n; i++) {
		if (keep[i])
			s->entries[kept++] = s->entries[i];
		else
			free_entry(&s->entries[i]);
	}
	s->n = kept;
}

int suite_keep(struct suite *s, char *const *names, size_t n, struct error *e)
{
	bool *keep = xcalloc(s->n, sizeof(*keep));
	int failed = 0;

	for (size_t i = 0; i < n && !failed; i++) {
		size_t at = suite_find(s, names[i]);

		if (at == SIZE_MAX)
			failed = error_set(e, "%s: no entry '%s'", s->name, names[i]);
		else
			keep[at] = true;
	}
	if (n && !failed)
		keep_only(s, keep);
	free(keep);
	return failed;
}

int suite_select(struct suite *s, char *const *patterns, size_t n, struct error *e)
{
	bool *keep = xcalloc(s->n, sizeof(*keep));
	int failed = 0;

	for (size_t i = 0; i < n && !failed; i++) {
		bool found = false;

		for (size_t j = 0; j < s->n; j++) {
			const struct suite_entry *x = &s->entries[j];

			if (x->role != SUITE_CONTROL && matches(patterns[i], x))
				keep[j] = found = true;
		}
		if (!found)
			failed = error_set(e, "%s: no entry matches '%s' (see 'hbench list -S')",
					   s->name, patterns[i]);
	}
	if (n && !failed)
		keep_only(s, keep);
	free(keep);
	return failed;
}
