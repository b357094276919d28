/* SPDX-License-Identifier: MIT */
/* cea sharing: shows which pages of files, or of memory, move from one process or thread to
 * another, and which of these moves are unnecessary. */
#include "graph/movement.h"

#include <err.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/dot.h"
#include "../common/load.h"
#include "commands.h"
#include "memory.h"
#include "places.h"
#include "trace/extents.h"
#include "transitions.h"
#include "util/hash.h"
#include "util/wrap.h"

static struct {
	struct load load; /* only the trace and its marks */
	struct transitions transitions;
	const char *file, *by;
	uint64_t page, top;
	bool moves, ranges, memory, by_thread;
} set = { .by = "process", .page = 4096, .top = 20 };

static const struct opt options[] = {
	{ 0, "memory", OPT_FLAG, &set.memory,
	  .help = "pages of memory that threads write, from page faults; see cea(1)" },
	{ 0, "file", OPT_STRING, &set.file, "PATTERN", 0, 0,
	  "only files whose path, or memory whose name, matches this sh(1) pattern" },
	{ 0, "by", OPT_STRING, &set.by, "WORD", 0, 0,
	  "the users of pages: process (default) or thread" },
	{ 0, "page", OPT_SIZE, &set.page, "SIZE", 1, 1 << 30, "size of a page (default 4k)" },
	{ 0, "ranges", OPT_FLAG, &set.ranges,
	  .help = "print each range of pages with the same pattern of sharing" },
	{ 0, "moves", OPT_FLAG, &set.moves,
	  .help = "print which programs, or threads, used what others had written" },
	{ 0, "top", OPT_COUNT, &set.top, "N", 1, 1e6, "rows to print (default 20)" },
	LOAD_MARKS_OPTION(set.load),
	TRANSITIONS_OPTIONS(set.transitions),
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "cea sharing",
	.operands = "TRACE",
	.summary =
	    "Prints how the pages of each file, or of memory, are shared, and how many accesses "
	    "needed data that another process or thread had written.",
	.example = "cea sharing --page 64k app.ktr",
};

/* The pages of a file with the same pattern of sharing, or a range of them. */
struct row {
	size_t file;
	enum movement_pattern pattern;
	uint64_t pages, accesses, counts[MOVEMENT_CAUSES];
	uint64_t cold;	      /* the first accesses by each user of each page */
	uint32_t users;	      /* the largest number of users of one page */
	int64_t ns;	      /* time of accesses that needed to fetch the page from another user */
	uint64_t first, last; /* pages */
};

/* Moves of pages from one program to another, or between processes that run the same program; or
 * between threads. */
struct flow {
	size_t from, to, file;	/* from, to: in programs, or users if these are threads */
	uint64_t written, used; /* where they were: states, plus 1; 0: unknown */
	uint64_t needed, false_;
	int64_t ns;
};

static struct {
	struct processes processes;
	struct extents extents;
	struct memory memory;
	struct movement pages;
	VEC(struct row) rows;
	VEC(struct flow) flows;
	struct map by_flow;
	struct names programs;
	VEC(size_t) program; /* by user: in programs */
	VEC(uint32_t) tid;   /* by user */
	struct map users;    /* process or thread ID to user, plus 1 */
	struct names states;
	struct map state;   /* by thread ID: the state that it has marked, plus 1 */
	struct map written; /* by page and user: its state when it wrote that last */
	uint64_t unnamed, beyond;
} all;

/* ---- accesses ---- */

/* Returns the user number of whoever made the call. */
static uint32_t user_of(const struct event *e)
{
	uint64_t *at = map_at(&all.users, set.by_thread ? e->tid : e->pid);
	size_t process = processes_find(&all.processes, e->pid);
	const char *name = process == SIZE_MAX ? "" : processes_name(&all.processes, process);

	if (!*at) {
		vec_push(&all.program, 0);
		vec_push(&all.tid, e->tid);
		*at = all.program.n;
	}
	all.program.v[*at - 1] = names_add(&all.programs, *name ? name : "?");
	return (uint32_t)(*at - 1);
}

/* The user, in that state, has accessed the page. */
static void note_flow(const struct movement_access *a, uint64_t state,
		      const struct movement_step *m)
{
	size_t file = a->key >> 32;
	uint64_t written =
	    all.states.n ? *map_at(&all.written, hash_numbers((uint64_t[]){ a->key, m->writer }, 2))
			 : 0;
	size_t from = set.by_thread ? m->writer : all.program.v[m->writer];
	size_t to = set.by_thread ? a->user : all.program.v[a->user];
	uint64_t *at =
	    map_at(&all.by_flow, hash_numbers((uint64_t[]){ file, from, to, written, state }, 5));

	if (!*at) {
		vec_push(&all.flows, (struct flow){ from, to, file, written, state, 0, 0, 0 });
		*at = all.flows.n;
	}
	struct flow *f = &all.flows.v[*at - 1];
	f->needed += m->cause == MOVEMENT_NEEDED;
	f->false_ += m->cause == MOVEMENT_FALSE;
	f->ns += a->ns;
}

static void take_extent(const struct event *e, const struct extent *x)
{
	uint32_t user = user_of(e);
	uint64_t state = all.states.n ? *map_at(&all.state, e->tid) : 0;
	uint64_t first = x->from / set.page, last = (x->until - 1) / set.page;
	int64_t ns = !set.memory && e->call.duration > 0 ? e->call.duration : 0;
	struct movement_step m;

	/* The number of a page has 32 bits. */
	all.beyond += last >= UINT32_MAX;
	for (uint64_t page = first; page <= last && page < UINT32_MAX; page++) {
		uint64_t start = page * set.page;
		struct movement_access a = {
			.key = (uint64_t)x->file << 32 | page,
			.user = user,
			.from = (uint32_t)(x->from > start ? x->from - start : 0),
			.until =
			    (uint32_t)(x->until - start < set.page ? x->until - start : set.page),
			.writes = x->writes,
			.place = state,
			.ns = ns / (int64_t)(last - first + 1),
		};

		if (movement_take(&all.pages, &a, &m) &&
		    (m.cause == MOVEMENT_NEEDED || m.cause == MOVEMENT_FALSE))
			note_flow(&a, state, &m);
		if (x->writes && state)
			*map_at(&all.written, hash_numbers((uint64_t[]){ a.key, user }, 2)) = state;
	}
}

static void take(void *arg, const struct event *e)
{
	struct extent x;

	(void)arg;
	if (e->type == EVENT_MARK && e->mark.verb == MARK_STATE)
		*map_at(&all.state, e->tid) =
		    1 + names_add(&all.states, e->mark.name ? e->mark.name : "");
	processes_event(&all.processes, e);
	if (set.memory ? !memory_event(&all.memory, &all.extents.files, e, &x)
		       : !extents_event(&all.extents, e, &x))
		return;
	if (x.file == SIZE_MAX)
		all.unnamed++;
	else if (!set.file || !fnmatch(set.file, all.extents.files.v[x.file], 0))
		take_extent(e, &x);
}

/* ---- what they come to ---- */

static int more_moved(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	uint64_t p = x->counts[MOVEMENT_NEEDED] + x->counts[MOVEMENT_FALSE];
	uint64_t q = y->counts[MOVEMENT_NEEDED] + y->counts[MOVEMENT_FALSE];

	return p != q ? (p < q) - (p > q)
		      : (x->accesses < y->accesses) - (x->accesses > y->accesses);
}

static int more_flows(const void *a, const void *b)
{
	const struct flow *x = a, *y = b;
	uint64_t p = x->needed + x->false_, q = y->needed + y->false_;

	return (p < q) - (p > q);
}

static int by_page(const void *a, const void *b)
{
	const struct movement_object *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static enum movement_pattern pattern_of(const struct movement_object *o)
{
	/* Of memory only writes are seen: who needs what another thread wrote writes it. */
	return set.memory && o->counts[MOVEMENT_NEEDED] ? MOVEMENT_MIGRATORY : movement_pattern(o);
}

/* Returns the row of the page, for which `by_row` has one for each pattern of a file; a range goes
 * on in the last row. */
static struct row *row_of(struct map *by_row, const struct movement_object *o)
{
	size_t file = o->key >> 32;
	uint64_t page = (uint32_t)o->key;
	enum movement_pattern pattern = pattern_of(o);
	uint64_t *at = map_at(by_row, file * MOVEMENT_PATTERNS + pattern);

	if (!*at || (set.ranges && (*at != all.rows.n || all.rows.v[*at - 1].last + 1 != page))) {
		vec_push(&all.rows,
			 (struct row){ .file = file, .pattern = pattern, .first = page });
		*at = all.rows.n;
	}
	all.rows.v[*at - 1].last = page;
	return &all.rows.v[*at - 1];
}

static void sum_up(void)
{
	struct map by_row = { 0 };

	vec_sort(&all.pages.objects, by_page);
	for (size_t i = 0; i < all.pages.objects.n; i++) {
		const struct movement_object *o = &all.pages.objects.v[i];
		struct row *r = row_of(&by_row, o);

		r->pages++;
		r->users = o->users > r->users ? o->users : r->users;
		r->cold += o->users;
		for (int c = 0; c < MOVEMENT_CAUSES; c++) {
			r->counts[c] += o->counts[c];
			r->accesses += o->counts[c];
		}
		r->ns += o->ns[MOVEMENT_NEEDED] + o->ns[MOVEMENT_FALSE];
	}
	map_free(&by_row);
	vec_sort(&all.rows, more_moved);
	vec_sort(&all.flows, more_flows);
}

/* ---- printing ---- */

/* Of memory it is an address, in hexadecimal. */
static void put_place(struct table *t, const struct row *r, uint64_t page)
{
	if (!set.memory) {
		table_count(t, page * set.page);
		return;
	}
	uint64_t begin = strtoull(strrchr(all.extents.files.v[r->file], ' '), NULL, 16);
	char *address = xasprintf("0x%" PRIx64, begin + page * set.page);
	table_text(t, address);
	free(address);
}

static void print_rows(void)
{
	const struct table_column columns[] = {
		{ "OBJECT", "file", TABLE_NAME },
		{ "PATTERN", "pattern", TABLE_LEFT },
		{ "PAGES", "pages", TABLE_RIGHT },
		{ "USERS", "users", TABLE_RIGHT },
		{ "ACCESSES", "accesses", TABLE_RIGHT },
		{ "COLD", "cold", TABLE_RIGHT },
		{ "first", NULL, TABLE_DATA },
		{ "kept", NULL, TABLE_DATA },
		{ "copied", NULL, TABLE_DATA },
		{ "NEEDED", "needed", TABLE_RIGHT },
		{ "FALSE", "false", TABLE_RIGHT },
		{ "TIME", "seconds", set.memory ? TABLE_DATA : TABLE_RIGHT },
		{ "FROM", "from", TABLE_RIGHT },
		{ "UNTIL", "until", TABLE_RIGHT },
	};
	size_t n = sizeof(columns) / sizeof(*columns);
	struct table *t = table_new(columns, set.ranges ? n : n - 2);

	for (size_t i = 0; i < all.rows.n && i < set.top; i++) {
		const struct row *r = &all.rows.v[i];

		table_text(t, all.extents.files.v[r->file]);
		table_text(t, movement_pattern_name(r->pattern));
		table_count(t, r->pages);
		table_count(t, r->users);
		table_count(t, r->accesses);
		table_count(t, r->cold);
		for (int c = 0; c < MOVEMENT_CAUSES; c++)
			table_count(t, r->counts[c]);
		table_seconds(t, (double)r->ns * 1e-9);
		if (set.ranges) {
			put_place(t, r, r->first);
			put_place(t, r, r->last + 1);
		}
	}
	table_end(t, stdout, transitions_format(&set.transitions));
}

/* Returns the name of one end of a flow; the caller frees. */
static char *end_name(size_t i)
{
	return set.by_thread ? xasprintf("%s %" PRIu32, all.programs.v[all.program.v[i]],
					 host_local(all.tid.v[i]))
			     : xstrdup(all.programs.v[i]);
}

/* Returns "lock want app.c:42", or an empty text; the caller frees. */
static char *state_name(uint64_t state)
{
	return state ? place_name(all.states.v[state - 1]) : xstrdup("");
}

static void put_end(struct table *t, size_t end, uint64_t state)
{
	char *name = end_name(end), *place = state_name(state);

	table_text(t, name);
	table_text(t, *place ? place : NULL);
	free(name);
	free(place);
}

static void print_flows(void)
{
	const enum table_kind place = set.load.marks_path ? TABLE_NAME : TABLE_DATA;
	const struct table_column columns[] = {
		{ "WRITTEN BY", "from", TABLE_NAME }, { "IN", "from_state", place },
		{ "USED BY", "to", TABLE_NAME },      { "IN", "to_state", place },
		{ "OBJECT", "file", TABLE_NAME },     { "NEEDED", "needed", TABLE_RIGHT },
		{ "FALSE", "false", TABLE_RIGHT },    { "TIME", "seconds", TABLE_RIGHT },
	};
	struct table *t = table_of(columns);

	for (size_t i = 0; i < all.flows.n && i < set.top; i++) {
		const struct flow *f = &all.flows.v[i];

		put_end(t, f->from, f->written);
		put_end(t, f->to, f->used);
		table_text(t, all.extents.files.v[f->file]);
		table_count(t, f->needed);
		table_count(t, f->false_);
		table_seconds(t, (double)f->ns * 1e-9);
	}
	table_end(t, stdout, transitions_format(&set.transitions));
}

static void print_node(size_t end, uint64_t state)
{
	char *name = end_name(end), *place = state_name(state);

	printf("\tp%zu_%" PRIu64 " [label=\"", end, state);
	dot_label(name);
	printf("%s", *place ? "\\n" : "");
	dot_label(place);
	printf("\"];\n");
	free(name);
	free(place);
}

/* A node that has several edges is there several times, which dot(1) does not mind. */
static void print_flow_graph(void)
{
	printf("digraph moves {\n\tnode [shape=box];\n");
	for (size_t i = 0; i < all.flows.n && i < set.top; i++) {
		const struct flow *f = &all.flows.v[i];
		const char *path = all.extents.files.v[f->file], *slash = strrchr(path, '/');

		print_node(f->from, f->written);
		print_node(f->to, f->used);
		printf("\tp%zu_%" PRIu64 " -> p%zu_%" PRIu64 " [label=\" ", f->from, f->written,
		       f->to, f->used);
		dot_label(slash ? slash + 1 : path);
		printf("\\n %" PRIu64 " needed, %" PRIu64 " false\"];\n", f->needed, f->false_);
	}
	printf("}\n");
}

/* Says what the moves of memory do not show. */
static void print_limits(void)
{
	wrap_print(
	    stdout,
	    "Only writes are seen, and of each page at most one per period: it moved at least so "
	    "often.  Who reads a page is not seen, so there are neither consumers nor single "
	    "producers.  Cache lines were not looked at: which of them move between CPUs only "
	    "samples of data addresses by a performance counter tell, and traces have none "
	    "(perf c2c takes them).",
	    4);
}

static void print_all(void)
{
	bool text = transitions_format(&set.transitions) == TABLE_TEXT;

	if (text && !all.rows.n && !set.transitions.dot)
		puts(set.memory ? "no write to memory was recorded: see cea(1)"
				: "no file was read or written");
	else if (set.moves && set.transitions.dot)
		print_flow_graph();
	else if (set.moves)
		print_flows();
	else if (!transitions_print(&set.transitions, &all.pages,
				    set.load.marks_path ? state_name : NULL)) {
		print_rows();
		if (text)
			transitions_print_states(&all.pages);
	}
	if (text && set.memory && !set.transitions.dot)
		print_limits();
}

int command_sharing(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options);
	struct trace_taker taker = { .processes = &all.processes, .take = take };

	if (argc - first != 1)
		opt_bad_usage(&usage, "give one trace ('-' reads standard input)");
	set.by_thread = set.memory || !strcmp(set.by, "thread");
	if (strcmp(set.by, "thread") != 0 && strcmp(set.by, "process") != 0)
		opt_bad_usage(&usage, "--by %s: not process or thread", set.by);
	if (set.load.marks_path && !set.moves && !set.transitions.table && !set.transitions.dot)
		opt_bad_usage(&usage,
			      "--marks has an effect with --moves, --transitions and --dot only");
	bool chart = set.transitions.table || (set.transitions.dot && !set.moves);
	if (set.moves + set.ranges + chart > 1)
		opt_bad_usage(&usage, "--ranges, --moves and --transitions exclude each other, and "
				      "--dot draws no ranges");
	transitions_check(&set.transitions, &usage);
	set.load.path = argv[first];
	load_events(&set.load, &taker);
	sum_up();
	print_all();
	load_warn(&set.load);
	if (all.unnamed)
		warnx("%" PRIu64 " accesses to files of unknown name are left out", all.unnamed);
	if (all.beyond)
		warnx("%" PRIu64
		      " accesses are left out in part: there the file has more than 2^32 "
		      "pages; try a larger --page",
		      all.beyond);
	if (all.pages.left_out)
		warnx("%" PRIu64 " accesses are left out: too many pages; try a larger --page",
		      all.pages.left_out);
	return 0;
}
