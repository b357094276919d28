/* SPDX-License-Identifier: MIT */
#include "network/timeline.h"
#include "util/svg.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "util/vec.h"

static void take_state(void *arg, uint32_t rank, enum rank_state state, double from, double to)
{
	struct timeline *t = arg;
	struct timeline_state s = { from, to, rank, state };

	if (t->states.n < TIMELINE_RECORDS)
		vec_push(&t->states, s);
	else
		t->left_out++;
}

static void take_message(void *arg, const struct message_record *m)
{
	struct timeline *t = arg;

	if (t->messages.n < TIMELINE_RECORDS)
		vec_push(&t->messages, *m);
	else
		t->left_out++;
}

struct observer timeline_observer(struct timeline *t)
{
	return (struct observer){ .arg = t, .message = take_message, .state = take_state };
}

static int by_sending(const void *a, const void *b)
{
	const struct message_record *x = a, *y = b;

	return (x->sent > y->sent) - (x->sent < y->sent);
}

void timeline_sort_messages(struct timeline *t)
{
	vec_sort(&t->messages, by_sending);
}

void timeline_free(struct timeline *t)
{
	free(t->states.v);
	free(t->messages.v);
}

/* Distinguishable for colour-blind readers; waiting for the other rank is almost white. */
static const char *const colors[RANK_STATES] = { "#4477aa", "#ee8833", "#66aa55", "#ee99aa",
						 "#e8e8e8" };

enum { WIDTH = 1000, LEFT = 70, TOP = 64, MARGIN = 28, LINES = 5000 };

/* Draws, for each pixel of a row, the state that lasted longest; equal neighbours become one
 * bar. */
static void draw_states(const struct timeline *t, const struct plot *p, uint32_t ranks, double row)
{
	size_t columns = (size_t)p->width;
	float *length = xcalloc(columns * ranks, sizeof(*length));
	unsigned char *state = xcalloc(columns * ranks, sizeof(*state));

	for (size_t i = 0; i < t->states.n; i++) {
		const struct timeline_state *s = &t->states.v[i];
		double from = fmax(plot_x(p, s->from) - p->left, 0);
		double to = fmin(plot_x(p, s->to) - p->left, (double)columns);

		for (size_t c = (size_t)from; (double)c < to && c < columns; c++) {
			size_t at = s->rank * columns + c;
			float piece = (float)(fmin(to, (double)c + 1) - fmax(from, (double)c));

			if (piece > length[at]) {
				length[at] = piece;
				state[at] = (unsigned char)(s->state + 1);
			}
		}
	}
	for (uint32_t r = 0; r < ranks; r++)
		for (size_t c = 0, end; c < columns; c = end) {
			size_t at = r * columns + c;

			for (end = c + 1; end < columns && state[r * columns + end] == state[at];)
				end++;
			if (state[at])
				fprintf(p->f,
					"<rect x='%.0f' y='%.1f' width='%zu' height='%.1f' "
					"fill='%s'/>\n",
					p->left + (double)c, p->top + row * (r + 0.15), end - c,
					row * 0.7, colors[state[at] - 1]);
		}
	free(length);
	free(state);
}

static bool is_seen(const struct message_record *m, const struct timeline_view *v)
{
	return m->arrived >= v->from && m->started <= v->to;
}

/* Draws messages as lines between rows, clipped to the picture.  Returns how many messages a line
 * stands for. */
static size_t draw_messages(const struct timeline *t, const struct plot *p,
			    const struct timeline_view *view, double row)
{
	size_t n = 0, every, seen = 0;

	for (size_t i = 0; i < t->messages.n; i++)
		n += is_seen(&t->messages.v[i], view);
	every = n / LINES + 1;
	fprintf(
	    p->f,
	    "<g clip-path='url(#rows)' fill='none' stroke-width='%.2f' stroke-opacity='%.2f'>\n",
	    n > 1000 ? 0.5 : 0.9, n > 1000 ? 0.35 : 0.7);
	for (size_t i = 0; i < t->messages.n; i++) {
		const struct message_record *m = &t->messages.v[i];
		bool slow = m->arrived - m->started > 1.05 * m->quiet;

		if (!is_seen(m, view) || seen++ % every)
			continue;
		fprintf(p->f, "<path d='M%.1f %.1fL%.1f %.1f' stroke='%s'/>\n",
			plot_x(p, m->started), p->top + row * (m->src + 0.5), plot_x(p, m->arrived),
			p->top + row * (m->dst + 0.5), slow ? "#cc2233" : "#333");
	}
	fprintf(p->f, "</g>\n");
	return every;
}

static void draw_legend(FILE *f, size_t every)
{
	double x = LEFT;

	for (int s = 0; s < RANK_STATES; s++, x += 90) {
		fprintf(f, "<rect x='%.0f' y='34' width='14' height='12' fill='%s'/>\n", x,
			colors[s]);
		svg_text(f, x + 20, 45, "start", "#222", "%s", rank_state_names[s]);
	}
	fprintf(f, "<path d='M%.0f 46l14 -12' stroke='#333'/>\n", x);
	svg_text(f, x + 20, 45, "start", "#222", "message");
	fprintf(f, "<path d='M%.0f 46l14 -12' stroke='#cc2233'/>\n", x + 100);
	svg_text(f, x + 120, 45, "start", "#222",
		 every > 1 ? "held up by others (one of %zu messages is drawn)"
			   : "held up by others",
		 every);
}

void timeline_svg(const struct timeline *t, const struct timeline_view *view, FILE *f)
{
	double row = fmin(fmax(640.0 / view->ranks, 2), 26), height = row * view->ranks;
	struct plot p = { .f = f,
			  .left = LEFT,
			  .top = TOP,
			  .width = WIDTH,
			  .height = height,
			  .x0 = view->from,
			  .x1 = view->to,
			  .y0 = 0,
			  .y1 = 1 };
	uint32_t label = (uint32_t)ceil(14 / row);

	svg_begin(f, LEFT + WIDTH + MARGIN, TOP + height + 44, view->title);
	fprintf(f,
		"<clipPath id='rows'><rect x='%d' y='%d' width='%d' height='%.1f'/></clipPath>\n",
		LEFT, TOP, WIDTH, height);
	plot_x_axis(&p, "time", true);
	for (uint32_t r = 0; r < view->ranks; r += label)
		svg_text(f, LEFT - 8, TOP + row * (r + 0.5) + 4, "end", "#555",
			 r ? "%u" : "rank %u", r);
	draw_states(t, &p, view->ranks, row);
	draw_legend(f, draw_messages(t, &p, view, row));
	svg_end(f);
}

void timeline_chrome(const struct timeline *t, uint32_t ranks, FILE *f)
{
	fprintf(f,
		"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
		"{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"ccmod\"}}");
	for (uint32_t r = 0; r < ranks; r++)
		fprintf(f,
			",\n{\"ph\":\"M\",\"pid\":0,\"tid\":%u,\"name\":\"thread_name\",\"args\":{"
			"\"name\":\"rank %u\"}}",
			r, r);
	for (size_t i = 0; i < t->states.n; i++) {
		const struct timeline_state *s = &t->states.v[i];

		fprintf(f,
			",\n{\"ph\":\"X\",\"pid\":0,\"tid\":%u,\"name\":\"%s\",\"ts\":%.6f,\"dur\":"
			"%.6f}",
			s->rank, rank_state_names[s->state], s->from * 1e6,
			(s->to - s->from) * 1e6);
	}
	for (size_t i = 0; i < t->messages.n; i++) {
		const struct message_record *m = &t->messages.v[i];

		fprintf(f,
			",\n{\"ph\":\"s\",\"pid\":0,\"tid\":%u,\"name\":\"message\",\"cat\":"
			"\"message\","
			"\"id\":%zu,\"ts\":%.6f,\"args\":{\"bytes\":%llu,\"alone_us\":%.6f,"
			"\"delay_us\":%.6f}}"
			",\n{\"ph\":\"f\",\"bp\":\"e\",\"pid\":0,\"tid\":%u,\"name\":\"message\","
			"\"cat\":"
			"\"message\",\"id\":%zu,\"ts\":%.6f}",
			m->src, i, m->started * 1e6, (unsigned long long)m->bytes, m->quiet * 1e6,
			(m->arrived - m->started) * 1e6, m->dst, i, m->arrived * 1e6);
	}
	fprintf(f, "\n]}\n");
}

static int by_start(const void *a, const void *b)
{
	const struct timeline_state *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static long long ns(double seconds)
{
	return llround(seconds * 1e9);
}

void timeline_paraver(struct timeline *t, uint32_t ranks, double seconds, FILE *f)
{
	/* Paraver's states: 1 running, 15 others, 3 waiting for a message, 9 blocked, 5
	 * synchronization. */
	static const int states[RANK_STATES] = { 1, 15, 3, 9, 5 };
	size_t m = 0;

	vec_sort(&t->states, by_start);
	timeline_sort_messages(t);
	fprintf(f, "#Paraver (01/01/00 at 00:00):%lld_ns:%u(", ns(seconds), ranks);
	for (uint32_t r = 0; r < ranks; r++)
		fprintf(f, "%s1", r ? "," : "");
	fprintf(f, "):1:%u(", ranks);
	for (uint32_t r = 0; r < ranks; r++)
		fprintf(f, "%s1:%u", r ? "," : "", r + 1);
	fprintf(f, ")\n");
	for (size_t i = 0; i <= t->states.n; i++) {
		double until = i < t->states.n ? t->states.v[i].from : INFINITY;

		for (; m < t->messages.n && t->messages.v[m].sent <= until; m++) {
			const struct message_record *c = &t->messages.v[m];

			fprintf(f, "3:%u:1:%u:1:%lld:%lld:%u:1:%u:1:%lld:%lld:%llu:%u\n",
				c->src + 1, c->src + 1, ns(c->sent), ns(c->started), c->dst + 1,
				c->dst + 1, ns(c->arrived), ns(c->arrived),
				(unsigned long long)c->bytes, c->tag);
		}
		if (i < t->states.n)
			fprintf(f, "1:%u:1:%u:1:%lld:%lld:%d\n", t->states.v[i].rank + 1,
				t->states.v[i].rank + 1, ns(t->states.v[i].from),
				ns(t->states.v[i].to), states[t->states.v[i].state]);
	}
}
