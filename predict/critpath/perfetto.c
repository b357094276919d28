/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "json/json.h"

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
