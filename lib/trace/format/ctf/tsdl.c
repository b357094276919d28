/* SPDX-License-Identifier: MIT */
#include "trace/format/ctf/tsdl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tsdl_fail(struct tsdl *p, const char *what)
{
	unsigned line = 1;

	if (p->failed)
		return;
	p->failed = true;
	for (const char *c = p->start; c < p->p; c++)
		line += *c == '\n';
	error_set(p->e, "%s: metadata, line %u: %s", p->name, line, what);
}

static void skip_blanks(struct tsdl *p)
{
	for (;;) {
		while (isspace((unsigned char)*p->p))
			p->p++;
		const char *end = NULL;
		if (p->p[0] == '/' && p->p[1] == '*')
			end = strstr(p->p + 2, "*/");
		else if (p->p[0] == '/' && p->p[1] == '/')
			end = p->p + strcspn(p->p, "\n") - 2;
		if (!end)
			return;
		p->p = end + 2;
	}
}

static void add_letter(struct tsdl *p, size_t *n, char c)
{
	if (*n < TSDL_NAME - 1)
		p->token[(*n)++] = c;
	p->token[*n] = '\0';
}

void tsdl_advance(struct tsdl *p)
{
	static const char *const pairs[] = { ":=", "..." };
	size_t n = 0;

	skip_blanks(p);
	p->token[0] = '\0';
	p->is_string = *p->p == '"';
	p->is_word = isalpha((unsigned char)*p->p) || *p->p == '_';
	if (p->is_string) {
		for (p->p++; *p->p && *p->p != '"'; p->p++) {
			p->p += *p->p == '\\' && p->p[1];
			add_letter(p, &n, *p->p);
		}
		p->p += *p->p == '"';
		return;
	}
	if (p->is_word || isdigit((unsigned char)*p->p) || *p->p == '-') {
		do
			add_letter(p, &n, *p->p++);
		while (isalnum((unsigned char)*p->p) || *p->p == '_');
		return;
	}
	for (size_t i = 0; i < 2; i++)
		if (!strncmp(p->p, pairs[i], strlen(pairs[i]))) {
			strcpy(p->token, pairs[i]);
			p->p += strlen(pairs[i]);
			return;
		}
	if (*p->p)
		add_letter(p, &n, *p->p++);
}

bool tsdl_at(const struct tsdl *p, const char *token)
{
	return !p->is_string && !strcmp(p->token, token);
}

bool tsdl_at_end(const struct tsdl *p)
{
	return p->failed || (!p->token[0] && !p->is_string);
}

bool tsdl_accept(struct tsdl *p, const char *token)
{
	if (!tsdl_at(p, token))
		return false;
	tsdl_advance(p);
	return true;
}

void tsdl_expect(struct tsdl *p, const char *token)
{
	char what[64];

	if (tsdl_accept(p, token))
		return;
	snprintf(what, sizeof(what), "'%s' is missing", token);
	tsdl_fail(p, what);
}

int64_t tsdl_number(struct tsdl *p)
{
	bool negative = p->token[0] == '-';
	char *end;
	int64_t v = (int64_t)strtoull(p->token + negative, &end, 0);

	if (end == p->token + negative)
		tsdl_fail(p, "a number is missing");
	tsdl_advance(p);
	return negative ? (int64_t)(0 - (uint64_t)v) : v;
}

void tsdl_skip_statement(struct tsdl *p)
{
	for (unsigned depth = 0; !tsdl_at_end(p); tsdl_advance(p)) {
		depth += tsdl_at(p, "{");
		if (tsdl_at(p, "}") && depth-- == 0)
			return;
		if (tsdl_at(p, ";") && depth == 0) {
			tsdl_advance(p);
			return;
		}
	}
}
