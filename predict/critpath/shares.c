/* SPDX-License-Identifier: MIT */
#include "shares.h"

#include <stdlib.h>
#include <string.h>

bool shares_by(struct shares *s, const char *word)
{
	static const struct {
		const char *word;
		unsigned by;
	} ways[] = {
		{ "state", BY_WORD | BY_PROGRAM },
		{ "word", BY_WORD },
		{ "program", BY_PROGRAM },
		{ "process", BY_PROCESS },
		{ "thread", BY_PROGRAM | BY_THREAD },
		{ "resource", BY_RESOURCE },
		{ "all", BY_WORD | BY_PROGRAM | BY_THREAD },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(word, ways[i].word)) {
			s->by = ways[i].by;
			return true;
		}
	return false;
}

static enum activity resource_of(const struct graph_state *state)
{
	return state->activity == RUNS_CALL ? RUNS_USER : state->activity;
}

static uint64_t key_of(const struct shares *s, const struct path_step *step)
{
	const struct graph_state *state = &s->graph->states.v[step->state];
	uint64_t key = 0;

	if (step->kind == STEP_UNKNOWN)
		return SHARE_UNKNOWN;
	if (s->by & BY_WORD)
		key = state->word + 1u;
	if (s->by & BY_PROGRAM)
		key |= (uint64_t)state->program << 20;
	if (s->by & BY_THREAD)
		key |= (uint64_t)step->thread << 40;
	if (s->by & BY_PROCESS)
		key = s->graph->threads.v[step->thread].pid;
	if (s->by & BY_RESOURCE)
		key = resource_of(state);
	return key;
}

static struct share new_row(const struct shares *s, const struct path_step *step, uint64_t key)
{
	const struct graph *g = s->graph;
	const struct graph_state *state = &g->states.v[step->state];
	const struct graph_thread *thread = &g->threads.v[step->thread];
	struct share row = { .key = key };

	if (key == SHARE_UNKNOWN) {
		*(s->by & BY_RESOURCE		      ? &row.resource
		  : s->by & (BY_PROGRAM | BY_PROCESS) ? &row.program
						      : &row.state) = "unknown";
		return row;
	}
	if (s->by & (BY_PROGRAM | BY_PROCESS))
		row.program = g->programs.v[state->program];
	if (s->by & BY_WORD)
		row.state = g->words.v[state->word];
	if (s->by & BY_THREAD)
		row.tid = thread->tid;
	if (s->by & BY_PROCESS)
		row.pid = thread->pid;
	if (s->by & BY_RESOURCE) {
		enum activity resource = resource_of(state);

		row.resource = resource == RUNS_USER ? "cpu" : activity_name(resource);
	}
	return row;
}

void shares_take(void *shares, const struct path_step *step)
{
	struct shares *s = shares;
	uint64_t key = key_of(s, step), *at = map_at(&s->by_key, key);

	if (!*at) {
		vec_push(s, new_row(s, step, key));
		*at = s->n;
	}
	struct share *row = &s->v[*at - 1];
	row->ns += step->to - step->from;
	row->steps++;
	s->steps++;
	if (step->kind == STEP_UNKNOWN)
		s->unknown += step->to - step->from;
	else if (step->flags & PIECE_GUESS)
		s->guessed += step->to - step->from;
	/* Most wake-ups take no time, and no step. */
	bool changes = s->steps > 1 && step->thread != s->thread;
	s->changes += changes;
	s->guessed_changes += changes && step->flags & STEP_GUESSED;
	s->thread = step->thread;
}

static int longer(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	return x->ns != y->ns ? (x->ns < y->ns) - (x->ns > y->ns)
			      : (x->key > y->key) - (x->key < y->key);
}

void shares_sort(struct shares *s)
{
	vec_sort(s, longer);
}

void shares_free(struct shares *s)
{
	vec_free(s);
	map_free(&s->by_key);
}
