/* SPDX-License-Identifier: MIT */
#include "picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/dot.h"
#include "json/json.h"
#include "util/number.h"

/* ---- Perfetto ---- */

enum { PATH_PID = 1000000001 }; /* not a process ID of any system */

static void put_string(const char *s)
{
	json_t *text = json_text(s);

	json_dumpf(text, stdout, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	json_decref(text);
}

void perfetto_begin(const struct graph *g)
{
	printf("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n{\"ph\": \"M\", \"pid\": %d, "
	       "\"tid\": 1, \"ts\": 0, \"name\": \"process_name\", \"args\": {\"name\": "
	       "\"critical path\"}}",
	       PATH_PID);
	for (size_t i = 0; i < g->threads.n; i++) {
		const struct graph_thread *t = &g->threads.v[i];

		printf(",\n{\"ph\": \"M\", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32
		       ", \"ts\": 0, \"name\": \"process_name\", \"args\": {\"name\": ",
		       t->pid, t->tid);
		put_string(g->programs.v[t->program]);
		printf("}}");
	}
}

static void put_slice(uint32_t pid, uint32_t tid, const char *name, const struct path_step *s,
		      const char *kind)
{
	printf(",\n{\"ph\": \"X\", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32
	       ", \"ts\": %.3f, \"dur\": %.3f, \"cat\": \"%s\", \"name\": ",
	       pid, tid, (double)s->from * 1e-3, (double)(s->to - s->from) * 1e-3, kind);
	put_string(name);
	printf("}");
}

void perfetto_take(void *graph, const struct path_step *s)
{
	static const char *const kinds[] = { "state", "edge", "unknown" };
	const struct graph *g = graph;
	const struct graph_thread *t = &g->threads.v[s->thread];
	char *name = s->kind == STEP_UNKNOWN ? xstrdup("unknown") : graph_state_name(g, s->state);

	put_slice(PATH_PID, 1, name, s, kinds[s->kind]);
	put_slice(t->pid, t->tid, name, s, kinds[s->kind]);
	free(name);
}

void perfetto_end(void)
{
	printf("\n]}\n");
}

/* ---- dot ---- */

enum { UNKNOWN = 1 << 16 };

void dot_take(void *dot, const struct path_step *s)
{
	struct dot *d = dot;
	uint64_t key = (s->kind == STEP_UNKNOWN ? UNKNOWN : s->state) + 1u;

	*map_at(&d->states, key) += (uint64_t)(s->to - s->from);
	d->ns += s->to - s->from;
	if (d->last)
		++*map_at(&d->edges, key << 32 | d->last);
	d->last = key;
}

/* The state machines of all threads, with the same keys as struct dot. */
struct machines {
	int64_t *ns;	   /* by state */
	struct map edges;  /* number of transitions */
	uint64_t *threads; /* by thread: key of its last state; 0: none yet */
};

static void note_state(struct machines *m, const struct piece *p, uint16_t state, int64_t ns)
{
	uint64_t key = state + 1u, *last = &m->threads[p->thread];

	if (ns <= 0)
		return;
	m->ns[state] += ns;
	if (*last && *last != key)
		++*map_at(&m->edges, key << 32 | *last);
	*last = key;
}

static struct machines find_machines(struct graph *g)
{
	struct machines m = { .ns = xcalloc(g->states.n + 1, sizeof(*m.ns)),
			      .threads = xcalloc(g->threads.n + 1, sizeof(*m.threads)) };
	size_t n;

	for (uint64_t number = 0; number < g->tape.n; number += n) {
		const struct piece *p = tape_from(&g->tape, number, &n);

		for (size_t i = 0; i < n; i++) {
			int64_t enter = p[i].kind == PIECE_RUN ? p[i].enter : p[i].start;

			note_state(&m, &p[i], p[i].before, enter - p[i].start);
			note_state(&m, &p[i], p[i].state, p[i].end - enter);
		}
	}
	return m;
}

/* Rare states are shown only if the path contains them. */
static bool is_shown(const struct dot *d, const struct machines *m, uint16_t state)
{
	return map_find(&d->states, state + 1u) ||
	       (double)m->ns[state] >= 1e-3 * (double)(d->graph->end - d->graph->begin);
}

static void put_state(const struct dot *d, const struct machines *m, uint16_t state)
{
	const uint64_t *on_path = map_find(&d->states, state + 1u);
	double share = on_path && d->ns ? (double)*on_path / (double)d->ns : 0;
	char all[NUMBER_MAX], path[NUMBER_MAX];

	printf("\t\ts%u [label=\"", state + 1u);
	dot_label(d->graph->words.v[d->graph->states.v[state].word]);
	printf("\\n%s", number_format_duration(all, (double)m->ns[state] * 1e-9));
	if (on_path)
		printf(", on the path %s, %.1f%%\", penwidth=%.1f];\n",
		       number_format_duration(path, (double)*on_path * 1e-9), 100 * share,
		       1 + 5 * share);
	else
		printf("\", color=gray];\n");
}

/* Prints the state machine of a program, unless none of its states is shown. */
static void put_program(const struct dot *d, const struct machines *m, size_t program, bool *shown)
{
	const struct graph *g = d->graph;
	bool begun = false;

	for (size_t s = 0; s < g->states.n; s++) {
		if (g->states.v[s].program != program || !is_shown(d, m, (uint16_t)s))
			continue;
		if (!begun) {
			printf("\tsubgraph cluster_%zu {\n\t\tlabel=\"", program);
			dot_label(g->programs.v[program]);
			printf("\";\n");
		}
		begun = shown[s + 1] = true;
		put_state(d, m, (uint16_t)s);
	}
	if (begun)
		printf("\t}\n");
}

static void put_edges(const struct dot *d, const struct machines *m, const bool *shown)
{
	uint64_t key, value;

	for (size_t at = 0; map_next(&m->edges, &at, &key, &value);)
		if (shown[key >> 32] && shown[key & UINT32_MAX])
			printf("\ts%" PRIu64 " -> s%" PRIu64 " [label=\"%" PRIu64
			       "\", color=gray, constraint=false];\n",
			       key & UINT32_MAX, key >> 32, value);
	for (size_t at = 0; map_next(&d->edges, &at, &key, &value);)
		printf("\ts%" PRIu64 " -> s%" PRIu64 " [label=\"%" PRIu64 "\", style=bold];\n",
		       key >> 32, key & UINT32_MAX, value);
}

void dot_print(struct dot *d)
{
	struct graph *g = d->graph;
	struct machines m = find_machines(g);
	bool *shown = xcalloc(g->states.n + 2, sizeof(*shown));
	char text[NUMBER_MAX];

	printf("digraph path {\n\tnode [shape=box];\n");
	for (size_t program = 0; program < g->programs.n; program++)
		put_program(d, &m, program, shown);
	const uint64_t *unknown = map_find(&d->states, UNKNOWN + 1u);
	if (unknown)
		printf("\ts%u [label=\"unknown\\n%s\"];\n", UNKNOWN + 1u,
		       number_format_duration(text, (double)*unknown * 1e-9));
	put_edges(d, &m, shown);
	printf("}\n");
	free(shown);
	free(m.ns);
	free(m.threads);
	map_free(&m.edges);
	map_free(&d->states);
	map_free(&d->edges);
}
