/* SPDX-License-Identifier: MIT */
/*
 * Tests of explanations of waits.  Random small graphs, with and without gaps, are explained a
 * second time by walking back, piece by piece, to the beginning of the trace.
 */
#include "graph/explain.h"

#include <string.h>

#include "../random.h"
#include "../tap.h"

/* Keys without gaps: for each state around a call the call and its edge, and unknown. */
enum { STATES = 5, CALLS = STATES + 1, THREADS = 5, PIECES = 120, KEYS = STATES * CALLS * 2 + 1 };

/* ---- random graphs ---- */

static struct graph graph;
static struct piece pieces[2 * PIECES];
static uint16_t states[STATES];

static void begin(void)
{
	static const char *const words[STATES] = { "user", "read", "write", "lock", "pipe" };

	graph_free(&graph);
	graph = (struct graph){ 0 };
	graph_thread(&graph, 1, 1, 0, 0);
	for (int s = 0; s < STATES; s++)
		states[s] =
		    graph_state(&graph, 0, (uint32_t)names_add(&graph.words, words[s]), RUNS_USER);
}

static uint16_t any_state(void)
{
	return states[below(STATES)];
}

static uint64_t run(uint32_t t, int64_t length)
{
	int64_t at = graph.threads.v[t].at;

	return graph_run(&graph, t, at + length, any_state(), at + below(length + 1), any_state());
}

/* A thread waits for what another does now or did, or for nobody, or for a CPU. */
static void wait_for(uint32_t t, uint32_t other)
{
	uint64_t cause = graph.threads.v[other].last;
	int64_t at = graph.threads.v[t].at;
	int64_t then = cause ? tape_at(&graph.tape, cause - 1)->end + below(3) : 0;

	if (then < at)
		then = at + below(5);
	switch (below(8)) {
	case 0: graph_delay(&graph, t, then, any_state(), 0); break;
	case 1:
		graph_block(&graph, t, any_state());
		graph_wake(&graph, t, at, 0, 0);
		graph_resume(&graph, t, then, cause, any_state());
		break;
	default: graph_wait(&graph, t, then, any_state(), cause, below(4) ? 0 : PIECE_GUESS);
	}
}

static void copy_pieces(void)
{
	for (uint64_t i = 0; i < graph.tape.n; i++)
		pieces[i] = *tape_at(&graph.tape, i);
}

/* In order of time, as a trace is, or in any. */
static void make_random(int gaps)
{
	begin();
	while (graph.tape.n < PIECES) {
		uint32_t t = (uint32_t)below((int64_t)graph.threads.n);
		uint32_t other = (uint32_t)below((int64_t)graph.threads.n);

		if (graph.threads.n < THREADS && !below(8))
			graph_thread(&graph, 1, (uint32_t)graph.threads.n + 1,
				     graph.threads.v[t].at, below(3) ? graph.threads.v[t].last : 0);
		else if (t != other && below(2))
			wait_for(t, other);
		else
			run(t, below(3) ? 1 + below(40) : below(2));
	}
	copy_pieces();
	for (int64_t i = 0, from = 0; i < gaps; i++) {
		from += below(graph.end / gaps);
		graph_lost(&graph, from, from + below(20));
	}
}

/* ---- the same by brute force ---- */

static struct {
	int64_t sum[KEYS];
	int64_t gap;	   /* nothing up to it counts */
	int64_t own[KEYS]; /* what the waker did since it last waited */
	struct holder holders[PIECES];
	size_t n;
} way;

/* `other` is the state of births, whose number is that of the first state behind the others. */
static size_t place_of(uint64_t key)
{
	struct site site = explain_site(key);

	if (key & EXPLAIN_UNKNOWN)
		return KEYS - 1;
	return ((size_t)site.user * CALLS + site.call) * 2 + !!(key & EXPLAIN_EDGE);
}

static void add(int64_t from, int64_t to, uint64_t key, int sign)
{
	from = from > way.gap ? from : way.gap;
	if (to > from)
		way.sum[place_of(key)] += sign * (to - from);
}

static int64_t later(int64_t time)
{
	return time > way.gap ? time : way.gap;
}

static void hold(uint32_t thread, int64_t from, int64_t until)
{
	if (from < until)
		way.holders[way.n++] = (struct holder){ .thread = thread, .ns = until - from };
}

/* The piece of the thread before that one, or -1. */
static int previous(int number)
{
	for (int i = number - 1; i >= 0; i--)
		if (pieces[i].thread == pieces[number].thread)
			return i;
	return -1;
}

/* What is the state of a piece, and where its thread was then. */
static uint64_t key_of(int number)
{
	struct site site = { states[0], pieces[number].state };

	for (int i = number; i >= 0; i = previous(i))
		if (pieces[i].kind == PIECE_RUN &&
		    (pieces[i].enter > pieces[i].start || pieces[i].before != pieces[i].state)) {
			site.user = pieces[i].before;
			break;
		}
	return explain_key(site);
}

/* From the end of a piece back to where everything began: when that was. */
static int64_t walk(int number, int sign)
{
	for (;;) {
		const struct piece *p = &pieces[number];
		int before = previous(number);

		if (p->kind == PIECE_WAIT) {
			add(pieces[p->cause - 1].end, p->end, key_of(number) | EXPLAIN_EDGE, sign);
			number = (int)p->cause - 1;
			if (pieces[number].end <= way.gap)
				return way.gap;
			continue;
		}
		if (p->kind == PIECE_RUN) {
			add(p->start, p->enter, explain_key((struct site){ p->before, p->before }),
			    sign);
			add(p->enter, p->end, key_of(number), sign);
		} else {
			add(p->start, p->end, key_of(number), sign);
		}
		if (before < 0 || p->start <= way.gap)
			return p->start > way.gap ? p->start : way.gap;
		number = before;
	}
}

/* Adds up what the thread of a piece did itself: true if it waited before. */
static bool find_own(int number)
{
	for (; number >= 0 && pieces[number].end > way.gap; number = previous(number)) {
		const struct piece *p = &pieces[number];

		if (p->kind == PIECE_WAIT)
			return true;
		way.own[place_of(key_of(number))] += p->end;
		way.own[place_of(key_of(number))] -=
		    p->kind == PIECE_RUN ? later(p->enter) : later(p->start);
		if (p->kind == PIECE_RUN && p->enter > way.gap)
			way.own[place_of(explain_key((struct site){ p->before, p->before }))] +=
			    p->enter - later(p->start);
		if (p->start <= way.gap)
			break;
	}
	return false;
}

/* Who was on the way from then on. */
static void find_holders(int number, int64_t from, int64_t until)
{
	way.n = 0;
	while (until > from) {
		const struct piece *p = &pieces[number];
		int before = previous(number);

		if (p->kind == PIECE_WAIT) {
			int64_t since = p->end > from ? p->end : from;

			hold(p->thread, since, until);
			until = since;
			number = (int)p->cause - 1;
		} else if (before < 0) {
			hold(p->thread, from, until);
			until = from;
		} else {
			number = before;
		}
	}
}

/* How long the thread of a piece did not wait for others between two times, up to that piece. */
static int64_t find_worked(int number, int64_t from, int64_t until)
{
	int64_t ns = until - from;

	for (; number >= 0 && pieces[number].end > from; number = previous(number))
		if (pieces[number].kind == PIECE_WAIT)
			ns -= pieces[number].end -
			      (pieces[number].start > from ? pieces[number].start : from);
	return ns;
}

/* ---- both ---- */

static struct {
	int next; /* the piece that may be explained next */
	int explained, wrong, unknown, indirect, passed;
	const char *what;
} seen;

static void is(bool right, const char *what)
{
	if (!right && !seen.wrong++)
		seen.what = what;
}

static void compare(const struct explanation *e, const struct piece *p)
{
	const struct piece *cause = &pieces[p->cause - 1];
	int64_t gap = graph_gap_before(&graph, p->end), sum = 0, worked = 0;
	bool known = cause->end > gap, waited = false;

	memset(&way, 0, sizeof(way));
	way.gap = gap;
	if (known) {
		int64_t begun, own = p->start;
		int before = previous((int)(p - pieces));

		add(cause->end, p->end, key_of((int)(p - pieces)) | EXPLAIN_EDGE, 1);
		begun = walk((int)p->cause - 1, 1);
		waited = find_own((int)p->cause - 1);
		way.own[place_of(key_of((int)(p - pieces)) | EXPLAIN_EDGE)] += p->end - cause->end;
		if (p->start > gap && before >= 0)
			own = walk(before, -1);
		way.sum[KEYS - 1] = begun - own;
		find_holders((int)p->cause - 1, p->start > gap ? p->start : gap, p->end);
		worked = find_worked((int)p->cause - 1, p->start > gap ? p->start : gap, p->end);
	} else {
		way.sum[KEYS - 1] = p->end - p->start;
		seen.unknown++;
	}
	is(e->waker == (known ? cause->thread : GRAPH_NOBODY), "the waker");
	is(e->from == p->start && e->until == p->end && e->waiter == p->thread, "the wait");
	is(e->guess == !!(p->flags & PIECE_GUESS), "a guess");
	is(e->worked == worked, "how long the waker worked");
	for (size_t i = 0; i < e->n; i++) {
		sum += e->items[i].ns;
		is(e->items[i].ns == way.sum[place_of(e->items[i].key)], "an item");
		is(e->items[i].ns != 0, "no empty item");
		int64_t rest = e->items[i].ns - way.own[place_of(e->items[i].key)];
		bool passed = waited && rest > 0 && !(e->items[i].key & EXPLAIN_UNKNOWN);
		is(e->indirect[i] == (passed ? rest : 0), "what came through others");
		seen.passed += passed;
		way.sum[place_of(e->items[i].key)] = 0;
	}
	for (int k = 0; k < KEYS; k++)
		is(!way.sum[k], "all items are there");
	is(sum == p->end - p->start, "they add up");
	sum = 0;
	seen.indirect += e->nholders > 1;
	for (size_t i = 0; i < e->nholders; i++) {
		sum += e->holders[i].ns;
		if (i < way.n)
			is(e->holders[i].thread == way.holders[i].thread &&
			       e->holders[i].ns == way.holders[i].ns,
			   "a holder");
		else
			is(e->holders[i].thread == GRAPH_NOBODY, "an unknown one");
	}
	is(e->nholders >= way.n && sum == p->end - p->start, "holders add up");
}

static void take(void *arg, const struct explanation *e)
{
	(void)arg;
	/* Waits without a length and births need no explanation. */
	while (seen.next < (int)graph.tape.n &&
	       (pieces[seen.next].kind != PIECE_WAIT || pieces[seen.next].flags & PIECE_FIRST ||
		pieces[seen.next].start == pieces[seen.next].end))
		seen.next++;
	is(seen.next < (int)graph.tape.n, "no more waits than there are");
	if (seen.next < (int)graph.tape.n)
		compare(e, &pieces[seen.next]);
	seen.next++;
	seen.explained++;
}

static void test_random(int gaps)
{
	int waits = 0;

	memset(&seen, 0, sizeof(seen));
	for (int n = 0; n < 2000; n++) {
		make_random(gaps);
		seen.next = 0;
		for (uint64_t i = 0; i < graph.tape.n; i++)
			waits += pieces[i].kind == PIECE_WAIT && !(pieces[i].flags & PIECE_FIRST) &&
				 pieces[i].end > pieces[i].start;
		explain(&graph, take, NULL);
	}
	cmp_int(seen.explained, waits, "every wait of 2000 graphs is explained, %d gaps in each",
		gaps);
	ok(seen.explained > 20000 && seen.indirect > seen.explained / 20,
	   "there are many (%d), and %d with several holders", seen.explained, seen.indirect);
	ok(seen.passed > seen.explained / 4, "%d items came through others", seen.passed);
	ok(gaps ? seen.unknown > 100 : !seen.unknown, "%d have no known cause", seen.unknown);
	cmp_int(seen.wrong, 0, "as the brute force does: %s",
		seen.what ? seen.what : "all the same");
}

/* ---- worked examples ---- */

static char text[1024];

static const char *word_of(uint16_t state)
{
	return graph.words.v[graph.states.v[state].word];
}

/* "2 waits for 1: user +20 user:write -5; 1 15" */
static void take_text(void *arg, const struct explanation *e)
{
	size_t n = strlen(text);

	(void)arg;
	n += (size_t)snprintf(text + n, sizeof(text) - n,
			      "%u %d-%d for %d:", graph.threads.v[e->waiter].tid, (int)e->from,
			      (int)e->until,
			      e->waker == GRAPH_NOBODY ? -1 : (int)graph.threads.v[e->waker].tid);
	for (size_t i = 0; i < e->n; i++) {
		uint64_t key = e->items[i].key;
		struct site site = explain_site(key);
		bool inside = site.user != site.call;

		n += (size_t)snprintf(text + n, sizeof(text) - n, " %s%s%s%s %+d",
				      inside ? word_of(site.user) : "", inside ? ":" : "",
				      key & EXPLAIN_UNKNOWN ? "?" : word_of(site.call),
				      key & EXPLAIN_EDGE ? " edge" : "", (int)e->items[i].ns);
	}
	n += (size_t)snprintf(text + n, sizeof(text) - n, ";");
	for (size_t i = 0; i < e->nholders; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %d:%d",
				      e->holders[i].thread == GRAPH_NOBODY
					  ? -1
					  : (int)graph.threads.v[e->holders[i].thread].tid,
				      (int)e->holders[i].ns);
	snprintf(text + n, sizeof(text) - n, ". ");
}

static void is_explained(const char *want, const char *what)
{
	*text = '\0';
	explain(&graph, take_text, NULL);
	is_string(text, want, "%s", what);
}

static void run_in(uint32_t t, int64_t until, int state)
{
	graph_run(&graph, t, until, states[state], until, states[state]);
}

/* Two threads meet at a barrier: one has three times as much to do. */
static void test_barrier(void)
{
	begin();
	run_in(0, 100, 0);
	uint32_t two = graph_thread(&graph, 1, 2, 100, graph.threads.v[0].last);
	run_in(0, 130, 0);
	run_in(0, 132, 1);
	run_in(two, 110, 0);
	run_in(two, 111, 1);
	graph_wait(&graph, two, 133, states[3], graph.threads.v[0].last, 0);
	is_explained("2 111-133 for 1: user +20 read +1 read:lock edge +1; 1:22. ",
		     "a wait at a barrier is the difference of the work before it");
}

/* 3 waits for 2, which holds something because it waits for 1. */
static void test_propagation(void)
{
	begin();
	run_in(0, 10, 0);
	uint32_t two = graph_thread(&graph, 1, 2, 10, graph.threads.v[0].last);
	uint32_t three = graph_thread(&graph, 1, 3, 10, graph.threads.v[0].last);
	run_in(two, 20, 1);
	run_in(three, 30, 2);
	run_in(0, 100, 0);
	graph_wait(&graph, two, 100, states[4], graph.threads.v[0].last, 0);
	run_in(two, 150, 1);
	graph_wait(&graph, three, 150, states[3], graph.threads.v[two].last, 0);
	is_explained("2 20-100 for 1: user +90 read -10; 1:80. "
		     "3 30-150 for 2: user +90 read +50 write -20; 2:50 1:70. ",
		     "what delays the waker delays the waiter");
}

/* 2 waits for 1, which is in "write", and there in a call and then asleep. */
static void test_place(void)
{
	begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, 0);
	run_in(two, 10, 1);
	graph_run(&graph, 0, 20, states[2], 15, states[1]);
	graph_delay(&graph, 0, 90, states[4], 0);
	graph_wait(&graph, two, 95, states[3], graph.threads.v[0].last, 0);
	is_explained("2 10-95 for 1: read -10 read:lock edge +5 write:read +5 write +15 "
		     "write:pipe +70; 1:85. ",
		     "calls and sleep have the place where they are");
}

/* Events are missing while 2 waits. */
static void test_gap(void)
{
	begin();
	run_in(0, 10, 0);
	uint32_t two = graph_thread(&graph, 1, 2, 10, graph.threads.v[0].last);
	run_in(two, 20, 1);
	run_in(0, 100, 0);
	graph_wait(&graph, two, 100, states[4], graph.threads.v[0].last, 0);
	graph_lost(&graph, 40, 60);
	is_explained("2 20-100 for 1: user +40 ? +40; 1:40 -1:40. ",
		     "what was before the end of a gap is unknown");
	graph_lost(&graph, 90, 110);
	is_explained("2 20-100 for -1: ? +80; -1:80. ", "and so is what ended in one");
	ok(graph_gap_before(&graph, 39) == INT64_MIN, "before the first gap there is none");
	graph_lost(&graph, 130, 120);
	cmp_int(graph_gap_before(&graph, 131), 130, "one that ends before it begins is empty");
	cmp_int(graph_gap_before(&graph, 61), 60, "one that is over has an end");
	ok(graph_gap_before(&graph, 60) == INT64_MAX && graph_gap_before(&graph, 90) == INT64_MAX,
	   "one that is not has none");
}

static void take_third(void *arg, const struct explanation *e)
{
	if (graph.threads.v[e->waiter].tid == 3)
		take_text(arg, e);
}

/* 3 waits for what 2 did before it was woken more often than is remembered. */
static void test_many_wakes(void)
{
	begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, 0), three = graph_thread(&graph, 1, 3, 0, 0);
	run_in(0, 5, 0);
	graph_wait(&graph, two, 5, states[4], graph.threads.v[0].last, 0);
	run_in(two, 10, 0);
	uint64_t early = graph.threads.v[two].last;
	for (int64_t i = 2; i < 102; i++) {
		run_in(0, 10 * i, 0);
		graph_wait(&graph, two, 10 * i, states[4], graph.threads.v[0].last, 0);
	}
	run_in(three, 1, 2);
	graph_wait(&graph, three, 12, states[3], early, 0);
	*text = '\0';
	explain(&graph, take_third, NULL);
	is_string(text, "3 1-12 for 2: user +10 write -1 write:lock edge +2; -1:11. ",
		  "who was woken when is not remembered, so nobody is blamed");
}

static void take_worked(void *arg, const struct explanation *e)
{
	if (graph.threads.v[e->waiter].tid == 3)
		*(int64_t *)arg = e->worked;
}

/* The waker waits during 4 of every 10 ns, a hundred times. */
static void test_worked(int64_t from, int64_t want)
{
	int64_t worked = -1;

	begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, 0), three = graph_thread(&graph, 1, 3, 0, 0);
	run_in(three, from, 2);
	for (int64_t i = 10; i <= 1000; i += 10) {
		run_in(two, i - 4, 0);
		run_in(0, i, 0);
		graph_wait(&graph, two, i, states[4], graph.threads.v[0].last, 0);
	}
	graph_wait(&graph, three, 1000, states[3], graph.threads.v[two].last, 0);
	explain(&graph, take_worked, &worked);
	cmp_int(worked, want, "how long a waker that often waited worked since %d", (int)from);
}

/* 2 wakes 3, and has waited again when 3 runs. */
static void test_later_wait(void)
{
	int64_t worked = -1;

	begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, 0), three = graph_thread(&graph, 1, 3, 0, 0);
	run_in(0, 5, 0);
	graph_wait(&graph, two, 5, states[4], graph.threads.v[0].last, 0);
	run_in(two, 10, 0);
	uint64_t cause = graph.threads.v[two].last;
	run_in(0, 20, 0);
	graph_wait(&graph, two, 20, states[4], graph.threads.v[0].last, 0);
	run_in(three, 1, 2);
	graph_wait(&graph, three, 12, states[3], cause, 0);
	explain(&graph, take_worked, &worked);
	cmp_int(worked, 7, "a wait behind the wake-up is no part of what came before");
}

static void take_disk(void *arg, const struct explanation *e)
{
	*(int64_t *)arg = e->worked;
}

/* 1 makes a request and waits for the disk. */
static void test_disk(void)
{
	int64_t worked = -1;

	begin();
	uint32_t word = (uint32_t)names_add(&graph.words, "disk");
	run_in(0, 10, 1);
	graph_delay(&graph, 0, 50, graph_state(&graph, 0, word, WAITS_DISK), 0);
	is_explained("1 10-50 for 1: read:disk +40; 1:40. ",
		     "a wait for a disk is explained, though no thread ended it,");
	graph_lost(&graph, 30, 35);
	is_explained("1 10-50 for 1: ? +25 read:disk +15; 1:15 -1:25. ", "as far as it is known");
	explain(&graph, take_disk, &worked);
	cmp_int(worked, 15, "and no thread was waited for meanwhile");
	graph_lost(&graph, 45, 55);
	is_explained("1 10-50 for -1: ? +40; -1:40. ", "unless it ends in a gap");
}

static void take_call(void *arg, const struct explanation *e)
{
	*(uint16_t *)arg = e->waits_at.call;
}

static void test_site(void)
{
	uint16_t call = 0;

	begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, 0);
	run_in(0, 20, 0);
	graph_run(&graph, two, 10, states[0], 5, states[1]);
	graph_wait(&graph, two, 20, states[3], graph.threads.v[0].last, 0);
	explain(&graph, take_call, &call);
	cmp_int(call, states[1], "a thread waits in the call that it is in,");
	begin();
	two = graph_thread(&graph, 1, 2, 0, 0);
	run_in(0, 20, 0);
	graph_run(&graph, two, 10, states[0], 10, states[1]);
	graph_wait(&graph, two, 20, states[3], graph.threads.v[0].last, 0);
	explain(&graph, take_call, &call);
	cmp_int(call, states[0], "or outside of calls, where it had not begun one");
	begin();
	two = graph_thread(&graph, 1, 2, 0, 0);
	run_in(0, 20, 0);
	graph_run(&graph, two, 10, states[1], 0, states[1]);
	graph_wait(&graph, two, 20, states[3], graph.threads.v[0].last, 0);
	explain(&graph, take_call, &call);
	cmp_int(call, states[1], "although the call had begun before the thread was seen");
}

/* ---- memory ---- */

static size_t chain_length(bool hand_over)
{
	struct forest f = { 0 };
	uint32_t a = forest_begin(&f, 0), b = forest_hold(&f, a), idle = forest_hold(&f, a);
	size_t most = 0;

	for (int i = 0; i < 100000; i++) {
		a = forest_add(&f, a, (uint32_t)i % 3, 5);
		b = forest_add(&f, b, 7, 1);
		if (hand_over) {
			forest_drop(&f, b);
			b = forest_hold(&f, a);
		}
		most = forest_size(&f) > most ? forest_size(&f) : most;
	}
	struct forest_items items = { 0 };
	int64_t begun, sum = 0;
	forest_difference(&f, a, idle, &items, &begun);
	for (size_t i = 0; i < items.n; i++)
		sum += items.v[i].ns;
	cmp_int(sum, 500000, "a chain of 100000 pieces is what they add up to");
	forest_drop(&f, a);
	forest_drop(&f, b);
	forest_drop(&f, idle);
	cmp_int(forest_size(&f), 0, "what nobody holds is gone");
	vec_free(&items);
	forest_free(&f);
	return most;
}

/* A thread wakes others in turn, each of which ends before the next but one is woken. */
static size_t relay_length(void)
{
	struct forest f = { 0 };
	uint32_t a = forest_begin(&f, 0), woken[50] = { 0 };
	size_t most = 0;

	for (int i = 0; i < 200000; i++) {
		a = forest_add(&f, a, 1, 3);
		forest_drop(&f, woken[i % 50]);
		woken[i % 50] = forest_add(&f, forest_hold(&f, a), 2, 1);
		most = forest_size(&f) > most ? forest_size(&f) : most;
	}
	for (int i = 0; i < 50; i++)
		forest_drop(&f, woken[i]);
	forest_drop(&f, a);
	forest_free(&f);
	return most;
}

int main(void)
{
	test_barrier();
	test_propagation();
	test_place();
	test_gap();
	test_many_wakes();
	test_worked(0, 600);
	test_worked(100, 540);
	test_worked(998, 0);
	test_later_wait();
	test_disk();
	test_site();
	test_random(0);
	test_random(3);
	ok(chain_length(false) < 20, "threads that never wait for each other need little memory");
	ok(chain_length(true) < 20, "nor do those that always do");
	ok(relay_length() < 10000, "nor does one that wakes many");
	graph_free(&graph);
	return done_testing();
}
