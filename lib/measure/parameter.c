/* SPDX-License-Identifier: MIT */
#include "measure/parameter.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

size_t parameter_count(const struct bench_parameter *table)
{
	size_t n = 0;

	while (table && table[n].name)
		n++;
	return n;
}

size_t parameter_axis(const struct bench_parameter *table)
{
	for (size_t i = 0; i < parameter_count(table); i++)
		if (table[i].axis)
			return i;
	return SIZE_MAX;
}

/* The index of word among the words of values, or -1. */
static int64_t word_index(const char *values, const char *word)
{
	size_t length = strlen(word);

	for (int64_t i = 0; *values; i++) {
		size_t n = strcspn(values, " ");

		if (n == length && n && !strncmp(values, word, n))
			return i;
		values += n + strspn(values + n, " ");
	}
	return -1;
}

static int parse_choice(const struct bench_parameter *p, const char *s, struct parameter_value *v,
			struct error *e)
{
	int64_t i = word_index(p->values, s);

	if (i < 0 || strlen(s) >= sizeof(v->text))
		return error_set(e, "%s '%s': not one of: %s", p->name, s, p->values);
	v->number = (uint64_t)i;
	strcpy(v->text, s);
	return 0;
}

static const char *format(enum bench_kind kind, uint64_t number, char *out)
{
	if (kind == BENCH_SIZE)
		return number_format_size(out, number);
	snprintf(out, NUMBER_MAX, "%" PRIu64, number);
	return out;
}

static int parse_number(const struct bench_parameter *p, const char *s, struct parameter_value *v,
			struct error *e)
{
	bool size = p->kind == BENCH_SIZE;
	char low[NUMBER_MAX], high[NUMBER_MAX];

	if (!(size ? number_parse_size : number_parse_u64)(s, &v->number) || v->number < p->min ||
	    v->number > p->max)
		return error_set(e, "%s '%s': not %s from %s to %s", p->name, s,
				 size ? "a size in bytes (such as 64k)" : "an integer",
				 format(p->kind, p->min, low), format(p->kind, p->max, high));
	format(p->kind, v->number, v->text);
	return 0;
}

int parameter_parse(const struct bench_parameter *table, char *const *operands, size_t n,
		    struct parameter_values *out, struct error *e)
{
	out->n = parameter_count(table);
	if (out->n > PARAMETERS_MAX)
		return error_set(e, "more than %d parameters declared", PARAMETERS_MAX);
	if (n > out->n)
		return error_set(e, "unexpected operand '%s'", operands[out->n]);
	for (size_t i = 0; i < out->n; i++) {
		const struct bench_parameter *p = &table[i];
		const char *s = i < n ? operands[i] : p->fallback;

		if (!s)
			return error_set(e, "%s is missing", p->name);
		if ((p->kind == BENCH_CHOICE ? parse_choice : parse_number)(p, s, &out->v[i], e))
			return -1;
	}
	return 0;
}

char *parameter_entry(const char *program, const struct bench_parameter *table,
		      const struct parameter_values *values, bool star)
{
	char *name = xstrdup(program);
	size_t n = values->n;

	while (n && table[n - 1].silent && !(star && table[n - 1].axis) &&
	       !strcmp(values->v[n - 1].text, table[n - 1].fallback))
		n--;
	for (size_t i = 0; i < n; i++)
		name = xappend(name, "_%s", star && table[i].axis ? "*" : values->v[i].text);
	return name;
}

static char *append_capitals(char *s, const char *name)
{
	for (; *name; name++)
		s = xappend(s, "%c", toupper((unsigned char)*name));
	return s;
}

char *parameter_synopsis(const struct bench_parameter *table)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < parameter_count(table); i++) {
		const char *fallback = table[i].fallback;

		text = xappend(text, "%s%s", i ? " " : "", fallback ? "[" : "");
		text = append_capitals(text, table[i].name);
		text = xappend(text, "%s", fallback ? "]" : "");
	}
	return text;
}

char *parameter_explain(const struct bench_parameter *table, int gap, char *text)
{
	for (size_t i = 0; i < parameter_count(table); i++) {
		const struct bench_parameter *p = &table[i];

		text = xappend(text, "\n  ");
		text = append_capitals(text, p->name);
		text = xappend(text, "%*s%s", gap - 2 - (int)strlen(p->name), "", p->help);
		if (p->fallback)
			text = xappend(text, " (%s)", p->fallback);
		text = xappend(text, "\n%*s%s%s", gap, "",
			       p->kind == BENCH_CHOICE ? "" : "such as ", p->values);
	}
	return text;
}
