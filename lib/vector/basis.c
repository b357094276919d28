/* SPDX-License-Identifier: MIT */
#include "vector/basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"

static bool call_matches(const struct basis_rule *r, unsigned id, const struct event *e)
{
	for (size_t i = 0; i < r->npatterns; i++) {
		const struct basis_pattern *p = &r->patterns[i];

		if (p->call != BASIS_ANY_CALL && p->call != id)
			continue;
		if (!p->variant)
			return true;
		const char *variant = syscall_variant(e);
		if (variant && !strcmp(variant, p->variant))
			return true;
	}
	return false;
}

static bool condition_holds(const struct basis_rule *r, const struct event *e)
{
	bool finished = !(e->call.flags & CALL_UNFINISHED), failed = event_failed(e);

	switch (r->condition) {
	case ALWAYS: return true;
	case IF_OK: return finished && !failed;
	case IF_ERROR: return failed;
	case IF_ERRNO: return failed && syscall_errno_is(e->call.id, e->call.result, r->error);
	case IF_APPENDS: return e->call.flags & CALL_APPENDS;
	case IF_EXISTS: return e->call.flags & CALL_EXISTS;
	case IF_SYNCED: return e->call.flags & CALL_SYNCED;
	case IF_SYNCED_APPENDS: return e->call.flags & CALL_SYNCED && e->call.flags & CALL_APPENDS;
	}
	return false;
}

const struct basis_rule *basis_match(const struct basis *b, const struct event *call)
{
	unsigned id = syscall_same(call->call.id);

	for (size_t i = 0; i < b->rules.n; i++) {
		const struct basis_rule *r = b->rules.v[i];

		if ((r->kinds >> call->call.kind & 1) && call_matches(r, id, call) &&
		    condition_holds(r, call))
			return r;
	}
	return NULL;
}

/* The number of components of a path: 2 for "/usr/lib", 1 for one that is not known. */
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

static void free_rule(struct basis_rule *r)
{
	for (size_t i = 0; i < r->npatterns; i++)
		free(r->patterns[i].variant);
	free(r->patterns);
	for (size_t i = 0; i < r->nterms; i++)
		free(r->terms[i].entry);
	free(r->terms);
	free(r);
}

void basis_free(struct basis *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->rules.n; i++)
		free_rule(b->rules.v[i]);
	for (size_t i = 0; i < b->user_entries.n; i++)
		free(b->user_entries.v[i]);
	vec_free(&b->rules);
	vec_free(&b->user_entries);
	free(b->null_entry);
	free(b->switch_entry);
	free(b->fault_entry);
	for (enum fault_kind kind = 0; kind < FAULT_KINDS; kind++)
		free(b->fault_kinds[kind]);
	free(b->wake_entry);
	free(b);
}
