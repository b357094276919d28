/* SPDX-License-Identifier: MIT */
#include "picture.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/dot.h"
#include "graph/replay.h"
#include "util/number.h"
#include "util/svg.h"

/* ---- dot ---- */

enum { UNKNOWN = 1 << 16 };

/* Finds the states that are rare; the first one of a program stands for all of them. */
static void find_rare(struct picture *d)
{
	struct graph *g = d->graph;
	int64_t *ns = xcalloc(g->states.n + 1, sizeof(*ns));
	size_t *first = xcalloc(g->programs.n + 1, sizeof(*first));

	replay_totals(g, true, ns);
	d->drawn = xcalloc(g->states.n + 1, sizeof(*d->drawn));
	for (size_t s = 0; s < g->states.n; s++) {
		size_t *rare = &first[g->states.v[s].program];
		bool seldom = (double)ns[s] < 1e-3 * (double)(g->end - g->begin);

		*rare = seldom && !*rare ? s + 1 : *rare;
		d->drawn[s] = (uint16_t)(seldom ? *rare - 1 : s);
	}
	free(ns);
	free(first);
}

void picture_take(void *picture, const struct path_step *s)
{
	struct picture *d = picture;

	if (!d->drawn)
		find_rare(d);
	uint64_t key = (s->kind == STEP_UNKNOWN ? UNKNOWN : d->drawn[s->state]) + 1u;

	*map_at(&d->states, key) += (uint64_t)(s->to - s->from);
	d->ns += s->to - s->from;
	if (d->last && d->last != key)
		++*map_at(&d->edges, key << 32 | d->last);
	if (d->last && s->flags & PIECE_FULL)
		++*map_at(&d->rooms, key << 32 | d->last);
	if (d->last && s->kind != STEP_EDGE && s->flags & STEP_GUESSED)
		++*map_at(&d->guesses, key << 32 | d->last);
	d->last = key;
}

/* The state machines of all threads, with the same keys as struct picture. */
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

static struct machines find_machines(const struct picture *d)
{
	struct graph *g = d->graph;
	struct machines m = { .ns = xcalloc(g->states.n + 1, sizeof(*m.ns)),
			      .threads = xcalloc(g->threads.n + 1, sizeof(*m.threads)) };

	for (uint64_t number = 0; number < g->tape.n; number++) {
		const struct piece *p = tape_read(&g->tape, number);
		int64_t enter = piece_enter(p);

		note_state(&m, p, d->drawn[p->before], enter - p->start);
		note_state(&m, p, d->drawn[p->state], p->end - enter);
	}
	return m;
}

static const char *word_of(const struct picture *d, uint16_t state)
{
	for (size_t s = state + 1u; s < d->graph->states.n; s++)
		if (d->drawn[s] == state)
			return "(rare states)";
	return d->graph->words.v[d->graph->states.v[state].word];
}

/* Rare states are shown only if the path contains one of them. */
static bool is_shown(const struct picture *d, const struct machines *m, uint16_t state)
{
	return map_find(&d->states, state + 1u) ||
	       (double)m->ns[state] >= 1e-3 * (double)(d->graph->end - d->graph->begin);
}

static void put_state(const struct picture *d, const struct machines *m, uint16_t state)
{
	const uint64_t *on_path = map_find(&d->states, state + 1u);
	double share = on_path && d->ns ? (double)*on_path / (double)d->ns : 0;
	char all[NUMBER_MAX], path[NUMBER_MAX];

	printf("\t\ts%u [label=\"", state + 1u);
	dot_label(word_of(d, state));
	printf("\\n%s", number_format_duration(all, (double)m->ns[state] * 1e-9));
	if (on_path)
		printf(", on the path %s, %.1f%%\", penwidth=%.1f];\n",
		       number_format_duration(path, (double)*on_path * 1e-9), 100 * share,
		       1 + 5 * share);
	else
		printf("\", color=gray];\n");
}

/* Prints the state machine of a program, unless none of its states is shown. */
static void put_program(const struct picture *d, const struct machines *m, size_t program,
			bool *shown)
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

/* The key of the way back. */
static uint64_t turned(uint64_t key)
{
	return key << 32 | key >> 32;
}

/* One arrow for each pair of states, which says how often the path and all threads went there. */
static void put_edges(const struct picture *d, const struct machines *m, const bool *shown)
{
	uint64_t key, value;

	for (size_t at = 0; map_next(&m->edges, &at, &key, &value);)
		if (shown[key >> 32] && shown[key & UINT32_MAX] &&
		    !map_find(&d->edges, turned(key)))
			printf("\ts%" PRIu64 " -> s%" PRIu64 " [label=\"%" PRIu64
			       "\", color=gray, fontcolor=gray40, constraint=false];\n",
			       key & UINT32_MAX, key >> 32, value);
	for (size_t at = 0; map_next(&d->edges, &at, &key, &value);) {
		const uint64_t *rooms = map_find(&d->rooms, key);
		const uint64_t *all = map_find(&m->edges, turned(key));

		printf("\ts%" PRIu64 " -> s%" PRIu64 " [label=\"%" PRIu64, key >> 32,
		       key & UINT32_MAX, value);
		if (all && *all > value)
			printf(" of %" PRIu64, *all);
		if (rooms)
			printf(", room %" PRIu64 "\", color=red, fontcolor=red", *rooms);
		else
			printf("\"");
		printf(", style=%s];\n", map_find(&d->guesses, key) ? "\"bold,dashed\"" : "bold");
	}
}

static void free_all(struct picture *d, struct machines *m)
{
	free(m->ns);
	free(m->threads);
	map_free(&m->edges);
	map_free(&d->states);
	map_free(&d->edges);
	map_free(&d->rooms);
	map_free(&d->guesses);
	free(d->drawn);
}

void picture_dot(struct picture *d)
{
	struct graph *g = d->graph;
	struct machines m = find_machines(d);
	bool *shown = xcalloc(g->states.n + 2, sizeof(*shown));
	char text[NUMBER_MAX];

	printf("digraph path {\n\tnode [shape=box, fontsize=12];\n\tedge [fontsize=10];\n");
	for (size_t program = 0; program < g->programs.n; program++)
		put_program(d, &m, program, shown);
	const uint64_t *unknown = map_find(&d->states, UNKNOWN + 1u);
	if (unknown)
		printf("\ts%u [label=\"unknown\\n%s\"];\n", UNKNOWN + 1u,
		       number_format_duration(text, (double)*unknown * 1e-9));
	put_edges(d, &m, shown);
	printf("}\n");
	free(shown);
	free_all(d, &m);
}

/* ---- SVG ---- */

/* Sizes in pixels: of the boxes, from column to column, from row to row, and of the margins. */
enum { WIDTH = 200, HEIGHT = 36, COLUMN = 340, ROW = 58, LEFT = 80, TOP = 60 };

/* Where the box of a state is; the one for unknown time follows those of all states. */
struct box {
	bool shown;
	int x, y;
};

static struct box *box_of(const struct picture *d, struct box *boxes, uint64_t key)
{
	return &boxes[key - 1 == UNKNOWN ? d->graph->states.n : key - 1];
}

/* Gives each program a column and each of its states a row.  Returns the number of columns and
 * stores the most rows in *rows. */
static int place_boxes(const struct picture *d, const struct machines *m, struct box *boxes,
		       int *rows)
{
	const struct graph *g = d->graph;
	int column = 0;

	*rows = 1;
	for (size_t program = 0; program < g->programs.n; program++) {
		int row = 0;

		for (size_t s = 0; s < g->states.n; s++)
			if (g->states.v[s].program == program && is_shown(d, m, (uint16_t)s))
				boxes[s] =
				    (struct box){ true, LEFT + COLUMN * column, TOP + ROW * row++ };
		column += row > 0;
		*rows = row > *rows ? row : *rows;
	}
	if (map_find(&d->states, UNKNOWN + 1u))
		boxes[g->states.n] = (struct box){ true, LEFT + COLUMN * column++, TOP };
	return column;
}

static void put_small(int x, int y, const char *text)
{
	printf("<g class='small'>");
	svg_text(stdout, x, y, "middle", "#444", "%s", text);
	printf("</g>\n");
}

static void put_box(const struct picture *d, const struct machines *m, const struct box *b,
		    size_t s)
{
	const struct graph *g = d->graph;
	bool unknown = s == g->states.n;
	const uint64_t *on = map_find(&d->states, (unknown ? UNKNOWN : s) + 1u);
	double share = on && d->ns ? (double)*on / (double)d->ns : 0;
	char all[NUMBER_MAX], path[NUMBER_MAX];
	const char *word = unknown ? "unknown" : word_of(d, (uint16_t)s);
	int64_t ns = unknown ? (int64_t)*on : m->ns[s];

	printf("<rect x='%d' y='%d' width='%d' height='%d' rx='4' fill='%s' stroke='%s' "
	       "stroke-width='%.1f'/>\n",
	       b->x, b->y, WIDTH, HEIGHT, on ? "#fff6d8" : "white", on ? "black" : "#999",
	       1 + 5 * share);
	svg_text(stdout, b->x + WIDTH / 2, b->y + 15, "middle", "black", "%s", word);
	number_format_duration(all, (double)ns * 1e-9);
	char *times = on ? xasprintf("%s, on the path %s, %.1f%%", all,
				     number_format_duration(path, (double)*on * 1e-9), 100 * share)
			 : xstrdup(all);
	put_small(b->x + WIDTH / 2, b->y + 29, times);
	free(times);
}

/* A cubic curve: from (x, y) to (end, until), with control points `bend` beside both. */
struct curve {
	int x, y, bend, end, until, back;
};

/* Within a column arrows down are on the right of the boxes and arrows up on the left. */
static struct curve curve_between(const struct box *from, const struct box *to)
{
	bool same = from->x == to->x, right = same ? from->y <= to->y : from->x < to->x;
	struct curve c = { .x = from->x + (right ? WIDTH : 0),
			   .y = from->y + HEIGHT / 2,
			   .end = to->x + (same == right ? WIDTH : 0),
			   .until = to->y + HEIGHT / 2 };

	/* However far a curve leads, it stays between the columns. */
	int wide = 8 + (int)(22 * sqrt((double)abs(to->y - from->y) / ROW));
	c.bend = (same ? wide : 50) * (right ? 1 : -1);
	c.back = same ? c.bend : -c.bend;
	/* There and back are two curves. */
	c.y += same ? (c.y < c.until ? 6 : -6) : right ? -6 : 6;
	c.until += same ? (c.y < c.until ? -6 : 6) : right ? -6 : 6;
	return c;
}

static void put_arrow(const struct curve *c, const char *class, double width, bool dashed)
{
	printf("<path class='%s' stroke-width='%.1f' d='M%d %d C%d %d %d %d %d %d' "
	       "marker-end='url(#%s-end)'%s/>\n",
	       class, width, c->x, c->y, c->x + c->bend, c->y, c->end + c->back, c->until, c->end,
	       c->until, class, dashed ? " stroke-dasharray='6 3'" : "");
}

/* A count on an arrow: the middle of its line of text, and half its width. */
struct label {
	int x, y, half;
};

struct labels {
	VEC(struct label);
};

/* At which part of a curve a count may be, the best first. */
static const double places[] = { 0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82 };

static struct label label_at(const struct curve *c, double t, int half)
{
	double u = 1 - t, a = u * u * (u + 3 * t), b = t * t * (t + 3 * u);

	return (
	    struct label){ (int)(a * c->x + b * c->end + 3 * u * t * (u * c->bend + t * c->back)),
			   (int)(a * c->y + b * c->until), half };
}

/* How many counts and boxes it lies on. */
static int count_below(const struct label *l, const struct labels *all, const struct box *boxes,
		       size_t n)
{
	int found = 0;

	for (size_t i = 0; i < all->n; i++)
		found += abs(all->v[i].x - l->x) < all->v[i].half + l->half &&
			 abs(all->v[i].y - l->y) < 11;
	for (size_t i = 0; i < n; i++)
		found += boxes[i].shown &&
			 abs(boxes[i].x + WIDTH / 2 - l->x) < WIDTH / 2 + l->half &&
			 abs(boxes[i].y + HEIGHT / 2 - l->y) < HEIGHT / 2 + 5;
	return found;
}

/* Puts a count where it lies on as little as possible. */
static void put_count(const struct curve *c, uint64_t count, struct labels *all,
		      const struct box *boxes, size_t n)
{
	char shown[32];
	int half = 3 * snprintf(shown, sizeof(shown), "%" PRIu64, count) + 2, least = INT_MAX;
	struct label best = { 0 };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && least; i++) {
		struct label l = label_at(c, places[i], half);
		int below = count_below(&l, all, boxes, n);

		if (below < least) {
			least = below;
			best = l;
		}
	}
	vec_push(all, best);
	put_small(best.x, best.y + 3, shown);
}

static void put_arrows(const struct picture *d, const struct machines *m, struct box *boxes)
{
	struct labels labels = { 0 };
	uint64_t key, value, most = 1;

	for (size_t at = 0; map_next(&m->edges, &at, &key, &value);) {
		struct box *from = box_of(d, boxes, key & UINT32_MAX);
		struct box *to = box_of(d, boxes, key >> 32);
		struct curve c = curve_between(from, to);

		if (from->shown && to->shown)
			put_arrow(&c, "other", 1, false);
	}
	for (size_t at = 0; map_next(&d->edges, &at, &key, &value);)
		most = value > most ? value : most;
	/* The counts are above all arrows. */
	for (int counts = 0; counts < 2; counts++)
		for (size_t at = 0; map_next(&d->edges, &at, &key, &value);) {
			struct curve c = curve_between(box_of(d, boxes, key >> 32),
						       box_of(d, boxes, key & UINT32_MAX));

			if (counts)
				put_count(&c, value, &labels, boxes, d->graph->states.n + 1);
			else
				put_arrow(&c, map_find(&d->rooms, key) ? "room" : "path",
					  1 + 2 * sqrt((double)value / (double)most),
					  map_find(&d->guesses, key));
		}
	vec_free(&labels);
}

void picture_svg(struct picture *d)
{
	static const struct {
		const char *class, *color, *legend;
	} arrows[] = {
		{ "path", "black",
		  "black: the critical path, the bolder the more often it goes there; "
		  "dashed where what ended a wait is a guess" },
		{ "room", "#c00", "red: to a write that was blocked on a full queue" },
		{ "other", "#bbb", "gray: other transitions" },
	};
	struct graph *g = d->graph;
	struct machines m = find_machines(d);
	struct box *boxes = xcalloc(g->states.n + 1, sizeof(*boxes));
	int rows, columns = place_boxes(d, &m, boxes, &rows);

	/* One column is narrower than the legend. */
	svg_begin(stdout, 2 * LEFT + COLUMN * (columns > 2 ? columns : 2), 2 * TOP + ROW * rows,
		  "critical path");
	printf("<style>.small{font-size:10px;paint-order:stroke;stroke:white;stroke-width:2px}"
	       "path{fill:none}</style>\n");
	for (int i = 0; i < (int)(sizeof(arrows) / sizeof(*arrows)); i++) {
		printf("<style>.%s{stroke:%s}</style><marker id='%s-end' "
		       "viewBox='0 0 8 8' refX='8' refY='4' markerWidth='9' markerHeight='9' "
		       "markerUnits='userSpaceOnUse' orient='auto'><path d='M0 0L8 4L0 8z' "
		       "style='fill:%s'/></marker>\n",
		       arrows[i].class, arrows[i].color, arrows[i].class, arrows[i].color);
		svg_text(stdout, LEFT, TOP + ROW * rows + 16 * (i + 1), "start", "#222", "%s",
			 arrows[i].legend);
	}
	put_arrows(d, &m, boxes);
	for (size_t s = 0, last = SIZE_MAX; s <= g->states.n; s++) {
		if (!boxes[s].shown)
			continue;
		put_box(d, &m, &boxes[s], s);
		if (s < g->states.n && boxes[s].y == TOP && g->states.v[s].program != last) {
			last = g->states.v[s].program;
			printf("<g font-weight='bold'>");
			svg_text(stdout, boxes[s].x, TOP - 14, "start", "black", "%s",
				 g->programs.v[last]);
			printf("</g>\n");
		}
	}
	svg_end(stdout);
	free(boxes);
	free_all(d, &m);
}
