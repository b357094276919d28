/* SPDX-License-Identifier: MIT */
/* Tests of how objects move between their users, and of which bytes calls read and write. */
#include "../../predict/cea/memory.c"

#include "graph/movement.h"

#include <string.h>
#include <sys/mman.h>

#include "../tap.h"
#include "trace/extents.h"
#include "trace/syscalls.h"

static struct movement s;

/* "A w 0 10" and so on: user, whether it writes, and which bytes; what the last access was. */
static struct movement_step play(uint64_t key, const char *script)
{
	struct movement_step m = { 0 };
	unsigned from, until;
	char user, kind;
	int n;

	for (; sscanf(script, " %c%c%u-%u%n", &user, &kind, &from, &until, &n) == 4; script += n)
		movement_take(&s,
			      &(struct movement_access){ .key = key,
							 .user = (uint32_t)(user - 'A'),
							 .from = from,
							 .until = until,
							 .writes = kind == 'w',
							 .ns = 5 },
			      &m);
	return m;
}

static const struct {
	const char *script;
	enum movement_pattern pattern;
	enum movement_cause cause; /* of the last access */
	unsigned state;
} examples[] = {
	{ "Aw0-10 Ar0-10", MOVEMENT_PRIVATE, MOVEMENT_KEPT, MOVEMENT_OWN },
	{ "Ar0-10", MOVEMENT_PRIVATE, MOVEMENT_FIRST, MOVEMENT_NOBODY },
	{ "Ar0-10 Br0-10 Cr0-10", MOVEMENT_READ_ONLY, MOVEMENT_COPIED, MOVEMENT_OTHERS + 1 },
	{ "Aw0-10 Br0-10 Br0-10", MOVEMENT_SINGLE_SINGLE, MOVEMENT_KEPT, MOVEMENT_OWN },
	{ "Aw0-10 Br0-5 Aw0-10 Br5-10", MOVEMENT_SINGLE_SINGLE, MOVEMENT_NEEDED, MOVEMENT_OTHERS },
	{ "Aw0-10 Br0-10 Cr0-10", MOVEMENT_SINGLE_MULTIPLE, MOVEMENT_NEEDED, MOVEMENT_OTHERS + 1 },
	{ "Aw0-5 Bw5-10 Cr0-10", MOVEMENT_MULTIPLE_SINGLE, MOVEMENT_NEEDED, MOVEMENT_OTHERS },
	{ "Aw0-5 Bw5-10 Cr0-10 Dr0-10", MOVEMENT_MULTIPLE_MULTIPLE, MOVEMENT_NEEDED,
	  MOVEMENT_OTHERS + 1 },
	{ "Ar0-9 Aw0-9 Br0-9 Bw0-9 Ar0-9 Aw0-9", MOVEMENT_MIGRATORY, MOVEMENT_KEPT, MOVEMENT_OWN },
	{ "Aw0-9 Br0-9 Bw0-9 Ar0-9 Br0-9", MOVEMENT_MULTIPLE_MULTIPLE, MOVEMENT_KEPT,
	  MOVEMENT_OWN },
	{ "Aw0-9 Bw20-29 Aw0-9 Bw20-29", MOVEMENT_FALSELY, MOVEMENT_FALSE, MOVEMENT_OTHERS },
	/* What A wrote before, B has seen; what it has written since is something else. */
	{ "Aw0-9 Br0-9 Aw20-29 Br0-9", MOVEMENT_SINGLE_SINGLE, MOVEMENT_FALSE, MOVEMENT_OTHERS },
	{ "Aw0-9 Br0-9 Aw9-20 Br0-9", MOVEMENT_SINGLE_SINGLE, MOVEMENT_FALSE, MOVEMENT_OTHERS },
	/* ... unless nobody saw it in between. */
	{ "Br40-41 Aw0-9 Aw9-20 Br0-9", MOVEMENT_SINGLE_SINGLE, MOVEMENT_NEEDED, MOVEMENT_OTHERS },
	/* A part that was written over is no longer the first one's. */
	{ "Aw0-30 Bw10-20 Cr12-14 Ar25-30", MOVEMENT_MULTIPLE_MULTIPLE, MOVEMENT_FALSE,
	  MOVEMENT_OTHERS + 1 },
	{ "Ar0-1 Br0-1 Cr0-1 Dr0-1 Er0-1 Fr0-1 Gr0-1 Hr0-1 Ir0-1 Jr0-1 Kr0-1", MOVEMENT_READ_ONLY,
	  MOVEMENT_COPIED, MOVEMENT_STATES - 1 },
};

static void test_examples(void)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		struct movement_step m = play(i, examples[i].script);
		const char *pattern = movement_pattern_name(movement_pattern(&s.objects.v[i]));

		is_string(pattern, movement_pattern_name(examples[i].pattern), "%s",
			  examples[i].script);
		ok(m.cause == examples[i].cause && m.state == examples[i].state,
		   "... cause %d, state %u", m.cause, m.state);
	}
	struct movement_step m = play(99, "Aw0-5 Bw5-10 Cr0-5");
	cmp_int(m.writer, 0, "who wrote the bytes is known");
	m = play(98, "Aw0-5 Bw0-5 Cr7-9");
	cmp_int(m.writer, 1, "and who made an object move for nothing");
	m = play(97, "Dw40-45 Aw0-5 Cw20-25 Ew40-45 Br0-5");
	cmp_int(m.writer, 0, "also when others wrote other bytes later");
	for (unsigned i = 0; i < 70; i++)
		movement_take(
		    &s,
		    &(struct movement_access){
			.key = 96, .user = 0, .from = 3 * i, .until = 3 * i + 1, .writes = true },
		    &m);
	m = play(96, "Br207-208");
	cmp_int(m.cause, MOVEMENT_NEEDED, "of many writes, the latest are known");
	uint64_t states = 0, steps = 0;
	bool second = false;
	for (size_t i = 0; i < s.vertices.n; i++)
		states += s.vertices.v[i].count;
	for (size_t i = 0; i < s.edges.n; i++) {
		const struct movement_edge *e = &s.edges.v[i];

		steps += e->count;
		second |= s.vertices.v[e->from].state == MOVEMENT_NOBODY &&
			  s.vertices.v[e->to].state == MOVEMENT_OWN;
	}
	cmp_int(states, s.accesses, "each access is in one state");
	cmp_int(steps, s.accesses - s.objects.n,
		"and all but the first of an object come after one");
	cmp_int(second, 1, "a second use by the same one");
}

static void test_caches(void)
{
	struct movement_step m;

	movement_free(&s);
	s = (struct movement){ 0 };
	play(1, "Ar0-1 Br0-1");
	cmp_int(movement_holders(&s.objects.v[0]), 2, "both have it");
	movement_keep(&s, 1, 0, false);
	m = play(1, "Ar0-1");
	cmp_int(m.state, MOVEMENT_OTHERS, "one that lost it gets it from the other");
	movement_keep(&s, 2, 0, true);
	m = play(2, "Ar0-1");
	cmp_int(m.state, MOVEMENT_OWN, "one that had it from the start needs nobody");
	movement_keep(&s, 1, 0, false);
	movement_keep(&s, 1, 1, false);
	m = play(1, "Ar0-1");
	cmp_int(m.state, MOVEMENT_NOBODY, "all have lost it");
	struct movement_access a = { .key = 3, .user = 0, .until = 1, .begun = 12, .ended = 18 };
	movement_take(&s, &a, &m);
	a = (struct movement_access){ .key = 3, .user = 1, .until = 1, .begun = 10, .ended = 20 };
	movement_take(&s, &a, &m);
	cmp_int(m.state, MOVEMENT_NOBODY, "what another one got meanwhile was nowhere before");
	movement_keep(&s, 3, 0, true);
	a = (struct movement_access){ .key = 3, .user = 0, .until = 1, .begun = 24, .ended = 25 };
	movement_take(&s, &a, &m);
	a = (struct movement_access){ .key = 3, .user = 2, .until = 1, .begun = 20, .ended = 30 };
	movement_take(&s, &a, &m);
	cmp_int(m.state, MOVEMENT_OTHERS + 1, "who used it meanwhile had it all the same");
	movement_free(&s);
}

/* ---- bytes of files ---- */

static struct extents x;
static struct extent got;

static void name(uint32_t object, const char *path)
{
	struct event e = { .type = EVENT_FD, .fd = { object, FD_FILE, path } };

	extents_event(&x, &e, &got);
}

static bool call(const char *what, uint32_t object, int64_t result, uint64_t arg)
{
	struct event e = { .type = EVENT_SYSCALL,
			   .call = { .id = syscall_by_name(what),
				     .kind = FD_FILE,
				     .object = object,
				     .result = result,
				     .args = { [2] = arg, [3] = arg } } };

	memset(&got, 0, sizeof(got));
	return extents_event(&x, &e, &got);
}

static bool is(uint64_t from, uint64_t until, bool writes)
{
	return got.from == from && got.until == until && got.writes == writes;
}

static void test_extents(void)
{
	name(1, "/a");
	name(2, "/a");
	ok(call("read", 1, 10, 0) && is(0, 10, false), "a read begins at the start");
	ok(call("write", 1, 5, 0) && is(10, 15, true), "a write goes on behind it");
	ok(call("read", 2, 4, 0) && is(0, 4, false), "another open file has its own place");
	ok(call("pread64", 2, 4, 100) && is(100, 104, false) && call("read", 2, 1, 0) &&
	       is(4, 5, false),
	   "an offset of its own changes none");
	ok(!call("lseek", 1, 50, 0) && call("write", 1, 2, 0) && is(50, 52, true), "seeking does");
	name(3, "/a");
	name(4, "/a");
	call("openat", 3, 7, 02001);
	call("openat", 4, 8, 02001);
	ok(call("write", 3, 8, 0) && is(52, 60, true) && call("write", 4, 1, 0) && is(60, 61, true),
	   "those who append write behind each other");
	cmp_int(got.file, 0, "of the same file");
	ok(!call("read", 1, 0, 0) && !call("read", 1, -5, 0), "nothing is read at the end");
	ok(call("read", 9, 5, 0) && got.file == SIZE_MAX, "a file without a name");
	extents_free(&x);
}

/* ---- memory ---- */

static struct memory memory;
static struct names areas;

static void give(uint32_t pid, const char *call, uint64_t length, uint64_t flags, int64_t result)
{
	struct event e = { .type = EVENT_SYSCALL,
			   .pid = pid,
			   .call = { .id = syscall_by_name(call),
				     .args = { 0, length, 0, flags },
				     .result = result } };

	memory_event(&memory, &areas, &e, &got);
}

/* The word that is written at that address lies there. */
static void is_written(uint32_t pid, uint64_t address, const char *area, uint64_t from,
		       const char *what)
{
	struct event e = { .type = EVENT_FAULT,
			   .pid = pid,
			   .fault = { .address = address, .write = true } };

	ok(memory_event(&memory, &areas, &e, &got) && is(from, from + 8, true), "%s", what);
	is_string(areas.v[got.file], area, "in its area");
}

static void test_memory(void)
{
	struct event reads = { .type = EVENT_FAULT, .pid = 1 };

	give(1, "mmap", 0x4000, 0, 0x10000000);
	give(1, "mmap", 0x1000, MAP_STACK, 0x10002000);
	give(1, "brk", 0, 0, 0x500000000a20);
	give(2, "mmap", 0x100000, 0, 0x10000000);
	is_written(1, 0x10000123, "1 mmap 10000000", 0x120, "the word around an address");
	is_written(1, 0x10002ff8, "1 stack 10002000", 0xff8, "what lies within another area");
	is_written(1, 0x10003008, "1 mmap 10000000", 0x3008, "what is behind that");
	is_written(1, 0x10004000, "1 program 0", 0x10004000, "what is behind all areas");
	is_written(1, 0x500000000010, "1 heap 500000000000", 0x10, "the heap");
	is_written(2, 0x10004000, "2 mmap 10000000", 0x4000, "another process's memory");
	give(1, "mmap", 0x8000, MAP_STACK, 0x10000000);
	is_written(1, 0x10007000, "1 stack 10000000", 0x7000, "what replaces an area");
	ok(!memory_event(&memory, &areas, &reads, &got), "who reads writes nothing");
	memory_free(&memory);
	names_free(&areas);
}

int main(void)
{
	test_examples();
	test_caches();
	test_extents();
	test_memory();
	return done_testing();
}
