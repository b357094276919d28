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
		{ "thread", BY_PROGRAM | BY_THREAD },
		{ "all", BY_WORD | BY_PROGRAM | BY_THREAD },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(word, ways[i].word)) {
			s->by = ways[i].by;
			return true;
		}
	return false;
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
	return key;
}

void shares_take(void *shares, const struct path_step *step)
{
	struct shares *s = shares;
	uint64_t key = key_of(s, step), *at = map_at(&s->by_key, key);

	if (!*at) {
		struct share row = { .key = key };
		const struct graph_state *state = &s->graph->states.v[step->state];

		if (key == SHARE_UNKNOWN) {
			*(s->by & BY_PROGRAM ? &row.program : &row.state) = "unknown";
		} else {
			row.program =
			    s->by & BY_PROGRAM ? s->graph->programs.v[state->program] : NULL;
			row.state = s->by & BY_WORD ? s->graph->words.v[state->word] : NULL;
			row.tid = s->by & BY_THREAD ? s->graph->threads.v[step->thread].tid : 0;
		}
		vec_push(s, row);
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
	s->changes += step->kind == STEP_EDGE;
	s->guessed_changes += step->kind == STEP_EDGE && step->flags & PIECE_GUESS;
}

static int longer(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	return x->ns != y->ns ? (x->ns < y->ns) - (x->ns > y->ns)
			      : (x->key > y->key) - (x->key < y->key);
}

void shares_sort(struct shares *s)
{
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), longer);
}

void shares_free(struct shares *s)
{
	vec_free(s);
	map_free(&s->by_key);
}
