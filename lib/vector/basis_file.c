/* SPDX-License-Identifier: MIT */
/* Reads the file of a basis (docs/basis.5). */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"
#include "util/file.h"
#include "util/number.h"
#include "vector/basis.h"

enum { BASIS_LIMIT = 64 << 10 }; /* bytes of a file */

struct parser {
	struct basis *basis;
	const char *name; /* of the file */
	size_t line;
	struct error *error;
	VEC(char *) words; /* of the line; they point into it */
	size_t at;	   /* the next word */
};

__attribute__((format(printf, 2, 3))) static bool complain(struct parser *p, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	error_set(p->error, "%s:%zu: %s", p->name, p->line, text);
	return false;
}

/* The next word of the line, or NULL. */
static char *next(struct parser *p)
{
	return p->at < p->words.n ? p->words.v[p->at++] : NULL;
}

static bool is_entry(const char *s, bool curve)
{
	unsigned stars = 0;

	for (const char *c = s; *c; c++) {
		stars += *c == '*';
		if (!isalnum((unsigned char)*c) && !strchr("_-.@*", *c))
			return false;
	}
	return isalpha((unsigned char)*s) && stars <= curve;
}

static bool known_variant(const char *call, const char *word)
{
	for (const struct syscall_variant *v = os_linux.variants; v->call; v++)
		if (!strcmp(v->call, call) && !strcmp(v->word, word))
			return true;
	return false;
}

/* "openat.create" */
static bool parse_pattern(struct parser *p, char *word, struct basis_rule *r)
{
	struct basis_pattern pattern = { .call = BASIS_ANY_CALL };
	char *dot = strchr(word, '.');

	if (dot)
		*dot++ = '\0';
	if (strcmp(word, "*")) {
		if (!*word || strlen(word) > 64)
			return complain(p, "a system call is missing between the commas");
		unsigned id = syscall_by_name(word);
		if (!syscall_is_known(id))
			return complain(p, "unknown system call '%s'", word);
		pattern.call = id;
	} else if (dot) {
		return complain(p, "'*' has no variants");
	}
	if (dot && !known_variant(word, dot))
		return complain(p, "'%s' has no variant '%s'", word, dot);
	pattern.variant = dot ? xstrdup(dot) : NULL;
	r->patterns = xreallocarray(r->patterns, r->npatterns + 1, sizeof(*r->patterns));
	r->patterns[r->npatterns++] = pattern;
	return true;
}

static bool parse_calls(struct parser *p, char *list, struct basis_rule *r)
{
	char *rest = list, *word;

	while ((word = strsep(&rest, ",")))
		if (!parse_pattern(p, word, r))
			return false;
	return true;
}

static bool parse_kinds(struct parser *p, char *list, struct basis_rule *r)
{
	char *rest = list, *word;

	if (!strcmp(list, "-")) {
		r->kinds = UINT32_MAX;
		return true;
	}
	while ((word = strsep(&rest, ","))) {
		int kind = fd_kind_parse(word);

		if (kind < 0)
			return complain(p, "unknown kind '%s' of descriptor", word);
		r->kinds |= 1u << kind;
	}
	return true;
}

static bool parse_size(struct parser *p, char *word, struct basis_rule *r)
{
	char *slash = strchr(word, '/');
	uint64_t number, divisor;

	if (slash)
		*slash = '\0';
	if (!strcmp(word, "ret")) {
		r->size = BASIS_RESULT;
	} else if (!strncmp(word, "arg", 3) && word[3] >= '0' && word[3] <= '5' && !word[4]) {
		r->size = BASIS_ARGUMENT;
		r->number = word[3] - '0';
	} else if (!slash && !strcmp(word, "depth")) {
		r->size = BASIS_DEPTH;
	} else if (!slash && number_parse_size(word, &number)) {
		r->size = BASIS_NUMBER;
		r->number = (double)number;
	} else {
		return complain(p, "size=%s: not ret, depth, arg0 ... arg5 or a number", word);
	}
	if (!slash)
		return true;
	if (!number_parse_size(slash + 1, &divisor) || !divisor)
		return complain(p, "size=.../%s: the divisor is not a number above 0", slash + 1);
	r->divisor = (double)divisor;
	return true;
}

static bool parse_condition(struct parser *p, const char *word, struct basis_rule *r)
{
	static const char *const words[] = {
		[IF_OK] = "ok",		  [IF_ERROR] = "error",
		[IF_APPENDS] = "appends", [IF_EXISTS] = "exists",
		[IF_SYNCED] = "synced",	  [IF_SYNCED_APPENDS] = "synced-appends",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i] && !strcmp(word, words[i])) {
			r->condition = (enum basis_condition)i;
			return true;
		}
	r->condition = IF_ERRNO;
	r->error = errno_number(&os_linux, word);
	return r->error > 0 || complain(p,
					"if=%s: not ok, error, appends, exists, synced, "
					"synced-appends or an errno such as EAGAIN",
					word);
}

/* "size=..." and "if=...", up to the arrow. */
static bool parse_options(struct parser *p, struct basis_rule *r)
{
	char *word;

	while ((word = next(p)) && strcmp(word, "->")) {
		if (!strncmp(word, "size=", 5) && r->size == BASIS_NO_SIZE) {
			if (!parse_size(p, word + 5, r))
				return false;
		} else if (!strncmp(word, "if=", 3) && r->condition == ALWAYS) {
			if (!parse_condition(p, word + 3, r))
				return false;
		} else {
			return complain(p, "expected size=, if= (each once) or ->, not '%s'", word);
		}
	}
	return word || complain(p, "'->' and an entry are missing");
}

/* The part that a word names, or NULL; time in the kernel has no word. */
static const enum part *part_of(const char *word)
{
	static const enum part parts[] = { PART_WAIT, PART_USER, PART_COUNTED };

	for (size_t i = 0; word && i < sizeof(parts) / sizeof(*parts); i++)
		if (!strcmp(word, part_names[parts[i]]))
			return &parts[i];
	return NULL;
}

/* [wait | user | counted] [WEIGHT] ENTRY; without a word for it, the part stays that of the term
 * before. */
static bool parse_term(struct parser *p, double sign, enum part *part, struct basis_rule *r)
{
	struct basis_term term = { .weight = 1 };
	char *word = next(p);

	if (part_of(word)) {
		*part = *part_of(word);
		word = next(p);
	}
	term.part = *part;
	if (word && number_parse_double(word, &term.weight)) {
		if (!(term.weight > 0))
			return complain(p, "weight %s is not above 0", word);
		word = next(p);
	}
	if (!word)
		return complain(p, "an entry is missing");
	if (!is_entry(word, true))
		return complain(p, "'%s' is not the name of an entry", word);
	if (strchr(word, '*') && term.part == PART_USER)
		return complain(p, "'%s' is a curve: user time has none", word);
	if (strchr(word, '*') && r->size == BASIS_NO_SIZE)
		return complain(p, "'%s' is a curve: the rule needs size=", word);
	for (size_t i = 0; i < r->nterms; i++)
		if (r->terms[i].part == term.part && !strcmp(r->terms[i].entry, word))
			return complain(p, "'%s' is given twice", word);
	term.weight *= sign;
	term.entry = xstrdup(word);
	r->terms = xreallocarray(r->terms, r->nterms + 1, sizeof(*r->terms));
	r->terms[r->nterms++] = term;
	return true;
}

static bool parse_terms(struct parser *p, struct basis_rule *r)
{
	enum part part = PART_KERNEL;
	double sign = 1;
	const char *word;

	for (;;) {
		if (!parse_term(p, sign, &part, r))
			return false;
		word = next(p);
		if (!word)
			break;
		if (strcmp(word, "+") && strcmp(word, "-"))
			return complain(p, "expected + or - and an entry, not '%s'", word);
		sign = *word == '+' ? 1 : -1;
	}
	for (size_t i = 0; i < r->nterms; i++)
		if (r->terms[i].part == PART_COUNTED && (r->nterms > 1 || r->terms[0].weight != 1))
			return complain(p, "'counted' takes one entry without a weight");
	return true;
}

/* True if earlier rules take every call that this pattern of r matches. */
static bool is_shadowed(const struct basis *b, const struct basis_rule *r,
			const struct basis_pattern *pattern)
{
	uint32_t left = r->kinds & ((1u << FD_KINDS) - 1);

	for (size_t i = 0; i < b->rules.n; i++) {
		const struct basis_rule *earlier = b->rules.v[i];

		if (earlier->condition != ALWAYS &&
		    (earlier->condition != r->condition || earlier->error != r->error) &&
		    !(earlier->condition == IF_ERROR && r->condition == IF_ERRNO))
			continue;
		for (size_t j = 0; j < earlier->npatterns; j++) {
			const struct basis_pattern *q = &earlier->patterns[j];

			if ((q->call == BASIS_ANY_CALL || q->call == pattern->call) &&
			    (!q->variant ||
			     (pattern->variant && !strcmp(q->variant, pattern->variant))))
				left &= ~earlier->kinds;
		}
	}
	return !left;
}

/* A rule that can never match is a mistake in the order of the file. */
static bool check_reachable(struct parser *p, const struct basis_rule *r)
{
	for (size_t i = 0; i < r->npatterns; i++) {
		int64_t call = r->patterns[i].call;

		if (is_shadowed(p->basis, r, &r->patterns[i]))
			return complain(
			    p, "earlier rules match all calls of '%s' that this one does",
			    call == BASIS_ANY_CALL ? "*" : syscall_get((unsigned)call)->name);
	}
	return true;
}

static bool parse_rule(struct parser *p)
{
	struct basis_rule *r = xcalloc(1, sizeof(*r));
	char *calls = next(p), *kinds = next(p);

	r->line = p->line;
	r->divisor = 1;
	bool good = kinds ? parse_calls(p, calls, r) && parse_kinds(p, kinds, r) &&
				parse_options(p, r) && parse_terms(p, r) && check_reachable(p, r)
			  : complain(p, "a rule is: CALL KIND [size=SIZE] [if=CONDITION] -> ENTRY");
	vec_push(&p->basis->rules, r); /* basis_free() frees a wrong one, too */
	return good;
}

/* "@null ENTRY" and the like. */
static bool parse_entry_line(struct parser *p, char **out)
{
	const char *what = next(p), *entry = next(p);

	if (*out)
		return complain(p, "%s is given twice", what);
	if (!entry || next(p) || !is_entry(entry, false))
		return complain(p, "%s takes the name of one entry", what);
	*out = xstrdup(entry);
	return true;
}

static bool parse_user_line(struct parser *p)
{
	const char *what = next(p), *entry;

	if (p->basis->user_entries.n)
		return complain(p, "%s is given twice", what);
	while ((entry = next(p))) {
		if (!is_entry(entry, false))
			return complain(p, "'%s' is not the name of an entry", entry);
		vec_push(&p->basis->user_entries, xstrdup(entry));
	}
	return p->basis->user_entries.n || complain(p, "%s takes names of entries", what);
}

/* Where a line of one entry puts it; NULL: it is another line. */
static char **entry_of_line(struct basis *b, const char *first)
{
	static const char of_kind[] = "@fault.";
	const struct {
		const char *name;
		char **entry;
	} lines[] = { { "@null", &b->null_entry },
		      { "@switch", &b->switch_entry },
		      { "@fault", &b->fault_entry },
		      { "@wake", &b->wake_entry } };

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (!strcmp(first, lines[i].name))
			return lines[i].entry;
	if (strncmp(first, of_kind, sizeof(of_kind) - 1))
		return NULL;
	for (enum fault_kind kind = FAULT_READ; kind < FAULT_KINDS; kind++)
		if (!strcmp(first + sizeof(of_kind) - 1, fault_kind_name(kind)))
			return &b->fault_kinds[kind];
	return NULL;
}

static bool parse_line(struct parser *p)
{
	if (!p->words.n)
		return true;
	const char *first = p->words.v[0];
	if (*first != '@')
		return parse_rule(p);
	char **entry = entry_of_line(p->basis, first);
	if (entry)
		return parse_entry_line(p, entry);
	if (!strcmp(first, "@user"))
		return parse_user_line(p);
	return complain(p, "'%s' is not @null, @switch, @fault, @fault.KIND, @wake or @user",
			first);
}

static void split(struct parser *p, char *line)
{
	char *rest = line, *word;

	line[strcspn(line, "#")] = '\0';
	p->words.n = p->at = 0;
	while ((word = strsep(&rest, " \t\r")))
		if (*word)
			vec_push(&p->words, word);
}

struct basis *basis_parse(const char *text, size_t n, const char *name, struct error *e)
{
	struct basis *b = xcalloc(1, sizeof(*b));
	struct parser p = { .basis = b, .name = name, .error = e };
	char *copy = xstrndup(text, n), *rest = copy, *line;
	bool good = true;

	if (n > BASIS_LIMIT || strlen(copy) != n) {
		error_set(e, "%s: not a basis: it holds a NUL or more than %d bytes", name,
			  BASIS_LIMIT);
		good = false;
	}
	while (good && (line = strsep(&rest, "\n"))) {
		p.line++;
		split(&p, line);
		good = parse_line(&p);
	}
	if (good && !b->null_entry) {
		error_set(e, "%s: no @null line, which prices the calls that no rule matches",
			  name);
		good = false;
	}
	vec_free(&p.words);
	free(copy);
	if (good)
		return b;
	basis_free(b);
	return NULL;
}

struct basis *basis_read(const char *path, struct error *e)
{
	size_t n;
	char *text = file_read(path, BASIS_LIMIT, &n, e);
	struct basis *b = text ? basis_parse(text, n, path, e) : NULL;

	free(text);
	return b;
}
