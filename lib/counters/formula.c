/* SPDX-License-Identifier: MIT */
#include "counters/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "counters/event.h"
#include "util/file.h"
#include "util/home.h"

/* ---- expressions ---- */

static const char name_characters[] = "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_:.=";

struct parser {
	const char *at, *path;
	size_t line;
	struct formulas *f;
	struct formula *out;
	struct error *e;
	int depth;
};

static int wrong(const struct parser *p, const char *what, const char *word)
{
	return error_set(p->e, "%s:%zu: %s '%.60s'", p->path, p->line, what, word);
}

static const char blank[] = " \t";

static void blanks(struct parser *p)
{
	p->at += strspn(p->at, blank);
}

static void put(struct parser *p, char what, double number, size_t index)
{
	vec_push(&p->out->steps, (struct formula_step){ what, number, index });
}

static int parse_sum(struct parser *p);

/* A name: of an earlier formula, else of an event. */
static void put_name(struct parser *p, const char *name)
{
	for (size_t i = 0; i < p->f->list.n; i++)
		if (!strcmp(p->f->list.v[i].name, name)) {
			put(p, 'f', 0, i);
			return;
		}
	put(p, 'e', 0, names_add(&p->f->events, name));
}

static int expect(struct parser *p, char c)
{
	blanks(p);
	if (*p->at != c)
		return wrong(p, c == ')' ? "a ) is missing before" : "a , is missing before",
			     p->at);
	p->at++;
	return 0;
}

static int parse_call(struct parser *p, char what)
{
	p->at += 4; /* "min(" */
	if (parse_sum(p) || expect(p, ',') || parse_sum(p) || expect(p, ')'))
		return -1;
	put(p, what, 0, 0);
	return 0;
}

static int parse_operand(struct parser *p)
{
	blanks(p);
	if (++p->depth > 100)
		return wrong(p, "too deeply nested:", p->at);
	int status = 0;
	if (*p->at == '(') {
		p->at++;
		status = parse_sum(p) || expect(p, ')') ? -1 : 0;
	} else if (*p->at == '-') {
		p->at++;
		status = parse_operand(p);
		put(p, '~', 0, 0);
	} else if (!strncmp(p->at, "min(", 4)) {
		status = parse_call(p, '<');
	} else if (!strncmp(p->at, "max(", 4)) {
		status = parse_call(p, '>');
	} else if (isdigit((unsigned char)*p->at)) {
		char *end;

		put(p, 'n', strtod(p->at, &end), 0);
		p->at = end;
	} else if (isalpha((unsigned char)*p->at)) {
		size_t n = strspn(p->at, name_characters + 1); /* a dash is minus */
		char *name = xstrndup(p->at, n);

		put_name(p, name);
		free(name);
		p->at += n;
	} else {
		status = wrong(p, "a number, an event or a ( is missing before", p->at);
	}
	p->depth--;
	return status;
}

/* Operands with operators of one precedence between them. */
static int parse_chain(struct parser *p, int (*operand)(struct parser *), const char *operators)
{
	if (operand(p))
		return -1;
	for (blanks(p); *p->at && strchr(operators, *p->at); blanks(p)) {
		char what = *p->at++;

		if (operand(p))
			return -1;
		put(p, what, 0, 0);
	}
	return 0;
}

static int parse_product(struct parser *p)
{
	return parse_chain(p, parse_operand, "*/");
}

static int parse_sum(struct parser *p)
{
	return parse_chain(p, parse_product, "+-");
}

/* x / 0 is 0: a share of nothing. */
static double operate(char what, double a, double b)
{
	switch (what) {
	case '+': return a + b;
	case '-': return a - b;
	case '*': return a * b;
	case '/': return b != 0 ? a / b : 0 * a * b;
	case '<': return a < b || isnan(a) ? a : b;
	default: return a > b || isnan(a) ? a : b;
	}
}

static double evaluate(const struct formula *f, const double *events, const double *formulas)
{
	enum { MOST = 256 };
	double stack[MOST] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < f->steps.n && n < MOST; i++) {
		const struct formula_step *s = &f->steps.v[i];

		switch (s->what) {
		case 'n': stack[n++] = s->number; break;
		case 'e': stack[n++] = events[s->index]; break;
		case 'f': stack[n++] = formulas[s->index]; break;
		case '~': stack[n - 1] = -stack[n - 1]; break;
		default: n--; stack[n - 1] = operate(s->what, stack[n - 1], stack[n]);
		}
	}
	return n == 1 ? stack[0] : NAN;
}

void formulas_evaluate(const struct formulas *f, const double *events, double *out)
{
	double rest = events[0];
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < f->list.n; i++) {
		const struct formula *x = &f->list.v[i];

		out[i] = x->kind == FORMULA_REST ? 0 : evaluate(x, events, out);
		if (x->kind == FORMULA_REST)
			last = i;
		else if (x->kind != FORMULA_LET)
			rest -= out[i];
	}
	if (last != SIZE_MAX)
		out[last] = rest;
}

/* ---- the file ---- */

const char *const formula_kind_names[FORMULA_KINDS] = { "let", "base", "part", "memory", "rest" };

/* "NAME = EXPRESSION", or for the rest "NAME". */
static int parse_formula(struct parser *p, enum formula_kind kind)
{
	size_t n = strcspn(p->at, "=");
	struct formula f = { .kind = kind };
	const char *name = p->at;

	if ((kind == FORMULA_REST) != (p->at[n] == '\0'))
		return wrong(p, kind == FORMULA_REST ? "the rest has no formula:" : "no = in",
			     p->at);
	p->at += n + (p->at[n] == '=');
	while (n && isspace((unsigned char)name[n - 1]))
		n--;
	if (!n)
		return wrong(p, "no name before", p->at);
	f.name = xstrndup(name, n);
	p->out = &f;
	int status = kind == FORMULA_REST ? 0 : parse_sum(p);
	blanks(p);
	if (!status && *p->at)
		status = wrong(p, "what is", p->at);
	for (size_t i = 0; !status && i < p->f->list.n; i++)
		if (!strcmp(p->f->list.v[i].name, f.name))
			status = wrong(p, "a second", f.name);
	vec_push(&p->f->list, f); /* also to be freed */
	return status;
}

/* Cycles and instructions, which come first. */
static int parse_event(struct parser *p, char *rest, size_t index)
{
	char *name = strtok_r(NULL, blank, &rest);

	if (!name || p->f->events.n != index)
		return wrong(p, "cycles and then instructions have to come before formulas:",
			     name ? name : "");
	names_add(&p->f->events, name);
	return 0;
}

static int parse_alias(struct parser *p, char *rest)
{
	char *event = strtok_r(NULL, blank, &rest), *name;

	size_t index = event ? names_find(&p->f->events, event) : SIZE_MAX;
	if (index == SIZE_MAX)
		return wrong(p, "no formula above has the event", event ? event : "");
	while ((name = strtok_r(NULL, blank, &rest)))
		if (names_add(&p->f->aliases, name) == p->f->aliased.n)
			vec_push(&p->f->aliased, index);
	return 0;
}

static int parse_line(struct parser *p, struct formula_file *file, char *line)
{
	char *word = strtok_r(NULL, blank, &line);

	line += strspn(line, blank);
	p->at = line;
	if (!strcmp(word, "stack")) {
		if (!*line || line[strspn(line, name_characters)])
			return wrong(p, "no name of letters and digits:", line);
		if (formulas_find(file, line, NULL))
			return wrong(p, "a second stack", line);
		vec_push(&file->stacks, (struct formulas){ .name = xstrdup(line) });
		p->f = &file->stacks.v[file->stacks.n - 1];
		return 0;
	}
	if (!p->f)
		return wrong(p, "no stack has begun before", word);
	if (!strcmp(word, "title") || !strcmp(word, "note")) {
		char **text = *word == 't' ? &p->f->title : &p->f->note;

		*text = xappend(*text, *text ? " %s" : "%s", line);
		return 0;
	}
	if (!strcmp(word, "pmu")) {
		for (char *name; (name = strtok_r(NULL, blank, &line));)
			names_add(&p->f->pmus, name);
		return 0;
	}
	if (!strcmp(word, "cycles") || !strcmp(word, "instructions"))
		return parse_event(p, line, *word == 'i');
	if (!strcmp(word, "alias"))
		return parse_alias(p, line);
	for (int kind = 0; kind <= FORMULA_REST; kind++)
		if (!strcmp(word, formula_kind_names[kind]))
			return p->f->events.n < 2 ? parse_event(p, line, SIZE_MAX)
						  : parse_formula(p, (enum formula_kind)kind);
	return wrong(p, "no such word:", word);
}

static int read_lines(struct parser *p, struct formula_file *f, char *text)
{
	for (char *line; (line = strsep(&text, "\n"));) {
		p->line++;
		line[strcspn(line, "#\r")] = '\0';
		for (char *end = line + strlen(line); end > line && strchr(blank, end[-1]);)
			*--end = '\0';
		if (line[strspn(line, blank)] && parse_line(p, f, line))
			return -1;
	}
	return 0;
}

int formulas_read(struct formula_file *f, const char *path, struct error *e)
{
	size_t n;
	char *found = path ? xstrdup(path) : home_find(HOME_CONF, "cpi.conf", e);
	char *text = found ? file_read(found, 1 << 20, &n, e) : NULL;
	struct parser p = { .path = found, .e = e };
	int status = text ? 0 : -1;

	*f = (struct formula_file){ 0 };
	if (!status)
		status = strlen(text) == n ? read_lines(&p, f, text)
					   : error_set(e, "%s: holds NUL bytes", found);
	for (size_t i = 0; !status && i < f->stacks.n; i++)
		if (f->stacks.v[i].events.n < 2)
			status = error_set(e, "%s: stack %s has no cycles and instructions", found,
					   f->stacks.v[i].name);
	if (!status && !f->stacks.n)
		status = error_set(e, "%s: has no stack", found);
	free(text);
	free(found);
	if (status)
		formulas_free(f);
	return status;
}

void formulas_free(struct formula_file *file)
{
	for (size_t i = 0; i < file->stacks.n; i++) {
		struct formulas *f = &file->stacks.v[i];

		for (size_t k = 0; k < f->list.n; k++) {
			free(f->list.v[k].name);
			vec_free(&f->list.v[k].steps);
		}
		vec_free(&f->list);
		vec_free(&f->aliased);
		names_free(&f->pmus);
		names_free(&f->events);
		names_free(&f->aliases);
		free(f->name);
		free(f->title);
		free(f->note);
	}
	vec_free(&file->stacks);
}

const struct formulas *formulas_find(const struct formula_file *file, const char *name,
				     struct error *e)
{
	for (size_t i = 0; i < file->stacks.n; i++)
		if (!strcmp(file->stacks.v[i].name, name) ||
		    names_find(&file->stacks.v[i].pmus, name) != SIZE_MAX)
			return &file->stacks.v[i];
	error_set(e, "there is no stack named %s; cpistack list prints their names", name);
	return NULL;
}

const char *formulas_pmu(const struct formulas *f, bool *here)
{
	*here = false;
	for (size_t i = 0; i < f->pmus.n; i++)
		if (event_pmu(f->pmus.v[i], here, NULL) && *here)
			return f->pmus.v[i];
	return f->pmus.n ? f->pmus.v[0] : "perf";
}

const struct formulas *formulas_here(const struct formula_file *f)
{
	const struct formulas *found = NULL;
	bool here = false;

	for (size_t i = 0; i < f->stacks.n && !here; i++) {
		found = &f->stacks.v[i];
		formulas_pmu(found, &here);
	}
	return found;
}

const char **formulas_names(const struct formulas *f, const char *pmu)
{
	const char **names = xcalloc(f->events.n, sizeof(*names));
	bool here;

	pmu = pmu ? pmu : formulas_pmu(f, &here);
	for (size_t i = 0; i < f->events.n; i++) {
		const char *name = f->events.v[i];

		names[i] = strstr(name, "::") ? xstrdup(name) : xasprintf("%s::%s", pmu, name);
	}
	return names;
}

/* libpfm4 writes A:B, perf a.b; generic names have a dash or an underscore. */
static bool same_event(const char *a, const char *b)
{
	for (; *a || *b; a++, b++) {
		int x = tolower((unsigned char)*a), y = tolower((unsigned char)*b);

		x = x == '.' ? ':' : x == '-' ? '_' : x;
		y = y == '.' ? ':' : y == '-' ? '_' : y;
		if (x != y)
			return false;
	}
	return true;
}

/* Behind the name of its PMU. */
static const char *bare(const char *name)
{
	const char *colons = strstr(name, "::");

	return colons ? colons + 2 : name;
}

size_t formulas_event(const struct formulas *f, const char *name)
{
	static const char *const generic[] = { "cycles", "cpu-cycles", "instructions" };

	name = bare(name);
	for (size_t i = 0; i < f->events.n; i++)
		if (same_event(bare(f->events.v[i]), name))
			return i;
	for (size_t i = 0; i < f->aliases.n; i++)
		if (same_event(bare(f->aliases.v[i]), name))
			return f->aliased.v[i];
	for (size_t i = 0; i < 3; i++)
		if (same_event(generic[i], name))
			return i == 2;
	return SIZE_MAX;
}
