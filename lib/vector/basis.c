/* SPDX-License-Identifier: MIT */
#include "vector/basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"
#include "util/file.h"
#include "vector/basis_rules.h"

static bool may_match(const struct rule *r, unsigned call)
{
	for (size_t i = 0; i < r->patterns.n; i++)
		if (r->patterns.v[i].call == ANY_CALL || r->patterns.v[i].call == call)
			return true;
	return false;
}

static const struct candidates *candidates(struct basis *b, unsigned call)
{
	while (b->calls.n <= call)
		vec_push(&b->calls, (struct candidates){ 0 });
	struct candidates *c = &b->calls.v[call];
	for (size_t i = 0; !c->known && i < b->rules.n; i++)
		if (may_match(b->rules.v[i], call))
			vec_push(c, b->rules.v[i]);
	c->known = true;
	return c;
}

static bool call_matches(const struct rule *r, const struct event *e)
{
	for (size_t i = 0; i < r->patterns.n; i++) {
		const struct pattern *p = &r->patterns.v[i];

		if (p->call != ANY_CALL && p->call != syscall_same(e->call.id))
			continue;
		if (!p->variant)
			return true;
		const char *variant = syscall_variant(e);
		if (variant && !strcmp(variant, p->variant))
			return true;
	}
	return false;
}

static bool condition_holds(const struct rule *r, const struct event *e)
{
	bool finished = !(e->call.flags & CALL_UNFINISHED), failed = event_failed(e);

	switch (r->condition) {
	case ALWAYS: return true;
	case IF_OK: return finished && !failed;
	case IF_ERROR: return failed;
	case IF_ERRNO:
		return failed && syscall_errno_is(e->call.id, e->call.result, (int)r->number);
	case IF_APPENDS: return e->call.flags & CALL_APPENDS;
	}
	return false;
}

const struct basis_rule *basis_match(struct basis *b, const struct event *call)
{
	const struct candidates *c = candidates(b, syscall_same(call->call.id));

	for (size_t i = 0; i < c->n; i++) {
		const struct rule *r = c->v[i];

		if ((r->kinds >> call->call.kind & 1) && condition_holds(r, call) &&
		    call_matches(r, call))
			return &r->public;
	}
	return NULL;
}

/* Components of a path: "/usr/lib" has 2.  An unknown path has at least one. */
static double depth(const char *path)
{
	unsigned n = 0;

	for (const char *p = path ? path : ""; *p; p++)
		n += *p != '/' && (p == path || p[-1] == '/');
	return n ? n : 1;
}

double basis_size_of(const struct basis_rule *rule, const struct event *call)
{
	switch (rule->size) {
	case BASIS_NO_SIZE: return NAN;
	case BASIS_RESULT:
		if (call->call.flags & (CALL_UNFINISHED | CALL_NO_RESULT))
			return NAN;
		return call->call.result > 0 ? (double)call->call.result / rule->divisor : 0;
	case BASIS_ARGUMENT:
		if (call->call.flags & (CALL_NO_ARGS | CALL_ORPHAN))
			return NAN;
		return (double)call->call.args[(size_t)rule->number] / rule->divisor;
	case BASIS_DEPTH: return depth(call->call.path);
	case BASIS_NUMBER: return rule->number;
	}
	return NAN;
}

struct basis *basis_read(const char *path, struct error *e)
{
	size_t n;
	char *text = file_read(path, BASIS_LIMIT, &n, e);
	struct basis *b = text ? basis_parse(text, n, path, e) : NULL;

	free(text);
	return b;
}

void basis_rule_free(struct rule *r)
{
	for (size_t i = 0; i < r->patterns.n; i++)
		free(r->patterns.v[i].variant);
	vec_free(&r->patterns);
	for (size_t i = 0; i < r->public.nterms; i++)
		free(r->public.terms[i].entry);
	free(r->public.terms);
	free(r);
}

void basis_free(struct basis *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->rules.n; i++)
		basis_rule_free(b->rules.v[i]);
	for (size_t i = 0; i < b->calls.n; i++)
		vec_free(&b->calls.v[i]);
	for (size_t i = 0; i < b->user.n; i++)
		free(b->user.v[i]);
	vec_free(&b->rules);
	vec_free(&b->calls);
	vec_free(&b->user);
	free(b->null_entry);
	free(b->switch_entry);
	free(b->fault_entry);
	free(b);
}

const char *basis_null_entry(const struct basis *b)
{
	return b->null_entry;
}

const char *basis_switch_entry(const struct basis *b)
{
	return b->switch_entry;
}

const char *basis_fault_entry(const struct basis *b)
{
	return b->fault_entry;
}

const char *const *basis_user_entries(const struct basis *b, size_t *n)
{
	*n = b->user.n;
	return (const char *const *)b->user.v;
}
