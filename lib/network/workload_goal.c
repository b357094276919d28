/* SPDX-License-Identifier: MIT */
/*
 * Reads GOAL schedules as written by the tools of LogGOPSim (T. Hoefler, C. Siebert, A. Lumsdaine,
 * 2009):
 *
 * 	num_ranks 2
 * 	rank 0 {
 * 	a: calc 1000			nanoseconds
 * 	b: send 100b to 1 tag 5
 * 	b requires a			b begins when a is done; irequires: has begun
 * 	}
 *
 * The operations of a rank form a graph there and a list here.  The list keeps the order of the
 * requirements and otherwise that of the file, and before an operation that requires messages it
 * waits for them.
 */
#include <string.h>

#include "network/workload_formats.h"
#include "util/map.h"
#include "util/number.h"
#include "util/vec.h"

enum { WORDS = 12 };

struct node {
	struct op op;
	bool defined, waited, done;
	uint32_t needs;	    /* required operations that have not been emitted yet */
	uint32_t first;	    /* list of operations that require it; UINT32_MAX ends it */
	uint32_t requires_; /* list of operations that it must wait for */
};

struct goal {
	const char *name;
	size_t line;
	struct workload *w;
	uint32_t rank;
	bool open; /* inside a rank's braces */
	struct names labels;
	VEC(struct node) nodes;
	struct {
		struct edge {
			uint32_t to, next;
		} * v;
		size_t n, cap;
	} edges;
	struct error *error;
};

static int wrong(const struct goal *g, const char *what, const char *word)
{
	return error_set(g->error, "%s:%zu: %s%s%s", g->name, g->line, what, word ? " " : "",
			 word ? word : "");
}

/* Returns the operation with that label, which may be defined later. */
static uint32_t node_of(struct goal *g, const char *label)
{
	uint32_t i = (uint32_t)names_add(&g->labels, label);

	if (i == g->nodes.n)
		vec_push(&g->nodes, (struct node){ .first = UINT32_MAX, .requires_ = UINT32_MAX });
	return i;
}

static void chain(struct goal *g, uint32_t *head, uint32_t to)
{
	struct edge e = { to, *head };

	*head = (uint32_t)g->edges.n;
	vec_push(&g->edges, e);
}

/* Parses "a requires b" or "a irequires b". */
static int parse_requirement(struct goal *g, char **word)
{
	uint32_t a = node_of(g, word[0]), b = node_of(g, word[2]);

	chain(g, &g->nodes.v[b].first, a);
	g->nodes.v[a].needs++;
	if (!strcmp(word[1], "requires"))
		chain(g, &g->nodes.v[a].requires_, b);
	return 0;
}

/* Parses a number of bytes, "100b" or "100". */
static bool parse_number(const char *s, uint64_t *out)
{
	char digits[24];
	size_t n = strspn(s, "0123456789");

	if (!n || n >= sizeof(digits) || (s[n] && strcmp(s + n, "b")))
		return false;
	memcpy(digits, s, n);
	digits[n] = '\0';
	return number_parse_u64(digits, out) && *out <= UINT64_C(1) << 50;
}

/* Parses "label: calc 5" or "label: send 8b to 1 tag 3 cpu 0". */
static int parse_operation(struct goal *g, char **word, size_t n)
{
	uint64_t v;
	struct op op = { 0 };

	word[0][strlen(word[0]) - 1] = '\0';
	uint32_t node = node_of(g, word[0]);
	if (g->nodes.v[node].defined)
		return wrong(g, "this label is defined already:", word[0]);
	if (n < 3 || !parse_number(word[2], &v))
		return wrong(g, "an operation without a number", NULL);
	if (!strcmp(word[1], "calc")) {
		op.kind = OP_COMPUTE;
		op.amount = v * 1000;
	} else if (n >= 5 && (!strcmp(word[1], "send") || !strcmp(word[1], "recv"))) {
		op.kind = *word[1] == 's' ? OP_ISEND : OP_IRECV;
		op.amount = op.kind == OP_ISEND ? v : 0;
		op.request = node + 1;
		if (!number_parse_u64(word[4], &v) || v >= g->w->ranks)
			return wrong(g, "no such rank:", word[4]);
		op.peer = (uint32_t)v;
		for (size_t i = 5; i + 1 < n; i += 2)
			if (!strcmp(word[i], "tag")) {
				if (!number_parse_u64(word[i + 1], &v) || v >= TAG_LIMIT)
					return wrong(g, "not a tag:", word[i + 1]);
				op.tag = (uint32_t)v;
			}
	} else
		return wrong(g, "not one of calc, send, recv:", word[1]);
	g->nodes.v[node].op = op;
	g->nodes.v[node].defined = true;
	return 0;
}

static void wait_for(struct goal *g, struct node *n)
{
	if (n->waited || n->op.kind == OP_COMPUTE)
		return;
	n->waited = true;
	workload_add(g->w, g->rank, &(struct op){ .kind = OP_WAIT, .request = n->op.request });
}

static void emit(struct goal *g, uint32_t at)
{
	struct node *n = &g->nodes.v[at];

	for (uint32_t e = n->requires_; e != UINT32_MAX; e = g->edges.v[e].next)
		wait_for(g, &g->nodes.v[g->edges.v[e].to]);
	workload_add(g->w, g->rank, &n->op);
	n->done = true;
	for (uint32_t e = n->first; e != UINT32_MAX; e = g->edges.v[e].next)
		g->nodes.v[g->edges.v[e].to].needs--;
}

/* Adds the operations of a rank to the workload at the end of its block. */
static int close_rank(struct goal *g)
{
	size_t left = g->nodes.n;
	VEC(uint32_t) free_now = { 0 };

	for (size_t i = 0; i < g->nodes.n; i++) {
		if (!g->nodes.v[i].defined)
			return wrong(g, "a required operation is not defined:", g->labels.v[i]);
	}
	/* Operations that become free while others wait follow immediately what freed them. */
	for (uint32_t i = 0; i < g->nodes.n; i++) {
		if (g->nodes.v[i].needs || g->nodes.v[i].done)
			continue;
		vec_push(&free_now, i);
		while (free_now.n) {
			uint32_t at = free_now.v[--free_now.n];

			if (g->nodes.v[at].done)
				continue;
			emit(g, at);
			left--;
			for (uint32_t e = g->nodes.v[at].first; e != UINT32_MAX;
			     e = g->edges.v[e].next)
				if (!g->nodes.v[g->edges.v[e].to].needs && g->edges.v[e].to < i)
					vec_push(&free_now, g->edges.v[e].to);
		}
	}
	free(free_now.v);
	if (left)
		return wrong(g, "the operations of this rank require each other in a cycle", NULL);
	workload_add(g->w, g->rank, &(struct op){ .kind = OP_WAITALL });
	names_free(&g->labels);
	g->nodes.n = g->edges.n = 0;
	g->open = false;
	return 0;
}

static int open_rank(struct goal *g, char **word, size_t n)
{
	uint64_t v;

	if (n < 3 || strcmp(word[2], "{") || !number_parse_u64(word[1], &v) || v >= g->w->ranks)
		return wrong(g, "not like 'rank 0 {':", n > 1 ? word[1] : NULL);
	g->rank = (uint32_t)v;
	g->open = true;
	return 0;
}

static int parse_line(struct goal *g, char *line)
{
	char *word[WORDS], *save, *comment = strstr(line, "//");
	size_t n = 0;
	uint64_t v;

	line[strcspn(line, "#")] = '\0';
	if (comment)
		*comment = '\0';
	for (char *s = strtok_r(line, " \t\r;", &save); s && n < WORDS;
	     s = strtok_r(NULL, " \t\r;", &save))
		word[n++] = s;
	if (!n)
		return 0;
	if (!g->w) {
		if (n != 2 || strcmp(word[0], "num_ranks") || !number_parse_u64(word[1], &v) ||
		    !v || v > WORKLOAD_RANKS)
			return wrong(g, "num_ranks needs a number from 1 to 1048576", NULL);
		g->w = workload_new(g->name, (uint32_t)v);
		return 0;
	}
	if (!g->open)
		return strcmp(word[0], "rank") ? wrong(g, "outside of any rank:", word[0])
					       : open_rank(g, word, n);
	if (!strcmp(word[0], "}"))
		return close_rank(g);
	if (word[0][strlen(word[0]) - 1] == ':')
		return parse_operation(g, word, n);
	if (n == 3 && (!strcmp(word[1], "requires") || !strcmp(word[1], "irequires")))
		return parse_requirement(g, word);
	return wrong(g, "not understood:", word[0]);
}

struct workload *workload_parse_goal(char *text, const char *name, struct error *e)
{
	struct goal g = { .name = name, .error = e };
	char *next = text;
	int status = 0;

	while (!status && next) {
		char *line = strsep(&next, "\n");

		g.line++;
		status = parse_line(&g, line);
	}
	if (!status && g.open)
		status = wrong(&g, "a rank has no end", NULL);
	names_free(&g.labels);
	free(g.nodes.v);
	free(g.edges.v);
	if (status) {
		workload_free(g.w);
		return NULL;
	}
	return g.w;
}
