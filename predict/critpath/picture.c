/* SPDX-License-Identifier: MIT */
#include "picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/number.h"
#include "vector/json.h"

/* ---- Perfetto ---- */

enum { PATH_PID = 1000000001 }; /* a number that no system gives */

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

void dot_print(struct dot *d)
{
	uint64_t key, value;
	char shown[NUMBER_MAX];

	printf("digraph path {\n\tnode [shape=box];\n");
	for (size_t at = 0; map_next(&d->states, &at, &key, &value);) {
		double share = d->ns ? (double)value / (double)d->ns : 0;
		char *name = key == UNKNOWN + 1u ? xstrdup("unknown")
						 : graph_state_name(d->graph, (uint16_t)(key - 1));

		for (char *p = name; *p; p++)
			*p = *p == '"' || *p == '\\' ? '\'' : *p;
		printf("\ts%" PRIu64 " [label=\"%s\\n%s, %.1f%%\", penwidth=%.1f];\n", key, name,
		       number_format_duration(shown, (double)value * 1e-9), 100 * share,
		       1 + 5 * share);
		free(name);
	}
	for (size_t at = 0; map_next(&d->edges, &at, &key, &value);)
		printf("\ts%" PRIu64 " -> s%" PRIu64 " [label=\"%" PRIu64 "\"%s];\n", key >> 32,
		       key & UINT32_MAX, value, value > 1 ? ", style=bold" : "");
	printf("}\n");
	map_free(&d->states);
	map_free(&d->edges);
}
