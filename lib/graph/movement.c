/* SPDX-License-Identifier: MIT */
#include "graph/movement.h"

enum { RANGES_MOST = 64, USERS_MOST = 256 };

struct movement_user {
	uint32_t user;
	bool holds, reads, writes, consumes;
	uint64_t seen; /* number of its last access, from 1 */
	int64_t since; /* when it got the copy that it holds */
};

/* A range of bytes and who wrote it last. */
struct movement_range {
	uint32_t from, until, user;
	uint64_t when; /* number of the access that wrote it */
};

const char *movement_pattern_name(enum movement_pattern pattern)
{
	static const char *const names[MOVEMENT_PATTERNS] = {
		[MOVEMENT_PRIVATE] = "private",
		[MOVEMENT_READ_ONLY] = "read only",
		[MOVEMENT_SINGLE_SINGLE] = "one producer, one consumer",
		[MOVEMENT_SINGLE_MULTIPLE] = "one producer, several consumers",
		[MOVEMENT_MULTIPLE_SINGLE] = "several producers, one consumer",
		[MOVEMENT_MULTIPLE_MULTIPLE] = "several producers and consumers",
		[MOVEMENT_MIGRATORY] = "migratory",
		[MOVEMENT_FALSELY] = "false sharing",
	};

	return names[pattern];
}

/* ---- objects and users ---- */

static struct movement_object *object_at(struct movement *s, uint64_t key)
{
	uint64_t *at = map_find(&s->by_key, key);

	if (at)
		return &s->objects.v[*at];
	if (s->objects.n == MOVEMENT_OBJECTS)
		return NULL;
	*map_at(&s->by_key, key) = s->objects.n;
	vec_push(&s->objects, (struct movement_object){ .key = key });
	return &s->objects.v[s->objects.n - 1];
}

/* Returns the user's record; users beyond USERS_MOST share the last one. */
static struct movement_user *user_at(struct movement_object *o, uint32_t user)
{
	for (size_t i = 0; i < o->all.n; i++)
		if (o->all.v[i].user == user)
			return &o->all.v[i];
	if (o->all.n < USERS_MOST)
		vec_push(&o->all, (struct movement_user){ .user = user });
	return &o->all.v[o->all.n - 1];
}

unsigned movement_holders(const struct movement_object *o)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->all.n; i++)
		n += o->all.v[i].holds;
	return n;
}

void movement_keep(struct movement *s, uint64_t key, uint32_t user, bool has)
{
	struct movement_object *o = object_at(s, key);

	if (o)
		user_at(o, user)->holds = has;
}

/* Returns how many other users had a copy when the access of u began. */
static unsigned others_holding(const struct movement_object *o, const struct movement_user *u,
			       const struct movement_access *a)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->all.n; i++)
		n += o->all.v[i].holds && &o->all.v[i] != u && o->all.v[i].since <= a->begun;
	return n;
}

/* ---- bytes ---- */

/* Why u, which has no copy, needs the object again: have other users written bytes that the access
 * uses, or only other bytes, or nothing? */
static enum movement_cause cause_of(const struct movement_object *o, const struct movement_user *u,
				    const struct movement_access *a, uint32_t *writer)
{
	enum movement_cause cause = MOVEMENT_COPIED;
	uint64_t last = 0;

	for (size_t i = 0; i < o->written.n; i++) {
		const struct movement_range *r = &o->written.v[i];
		bool needed = r->from < a->until && r->until > a->from;

		if (r->user == u->user || r->when <= u->seen)
			continue;
		if (cause == MOVEMENT_NEEDED && !needed)
			continue;
		if (needed && cause != MOVEMENT_NEEDED)
			last = 0;
		cause = needed ? MOVEMENT_NEEDED : MOVEMENT_FALSE;
		if (r->when > last)
			*writer = r->user;
		last = r->when > last ? r->when : last;
	}
	return cause;
}

static void forget_oldest(struct movement_object *o)
{
	size_t oldest = 0;

	for (size_t i = 1; i < o->written.n; i++)
		if (o->written.v[i].when < o->written.v[oldest].when)
			oldest = i;
	o->written.v[oldest] = o->written.v[--o->written.n];
}

static void write_bytes(struct movement_object *o, const struct movement_access *a, uint64_t when)
{
	struct movement_range new = { a->from, a->until, a->user, when };

	for (size_t i = o->written.n; i-- > 0;) {
		const struct movement_range *r = &o->written.v[i];

		/* Ranges that the user wrote in the same turn are merged: nobody has seen one
		 * without the other. */
		if (r->user == a->user && r->when >= o->turn && r->from <= new.until &&
		    r->until >= new.from) {
			new.from = r->from < new.from ? r->from : new.from;
			new.until = r->until > new.until ? r->until : new.until;
			o->written.v[i] = o->written.v[--o->written.n];
		}
	}
	/* An older write of bytes that are written now does not matter any more. */
	for (size_t i = o->written.n; i-- > 0;)
		if (o->written.v[i].from >= new.from && o->written.v[i].until <= new.until)
			o->written.v[i] = o->written.v[--o->written.n];
	vec_push(&o->written, new);
	if (o->written.n > RANGES_MOST)
		forget_oldest(o);
}

/* ---- accesses ---- */

/* A turn lasts until another user accesses the object. */
static void note_turn(struct movement_object *o, const struct movement_access *a, bool needs,
		      uint64_t when)
{
	if (o->turn_of != a->user + 1) {
		o->turn_of = a->user + 1;
		o->turn = when;
		o->turn_needs = o->turn_writes = false;
	}
	if (needs && !o->turn_needs && !a->writes) {
		o->turn_needs = true;
		o->taken++;
	}
	if (a->writes && o->turn_needs && !o->turn_writes)
		o->returned++;
	o->turn_writes |= a->writes;
}

/* Returns the state of the object and the cause of the move, before user u accesses it. */
static struct movement_step move_of(const struct movement_object *o, const struct movement_user *u,
				    const struct movement_access *a)
{
	struct movement_step m = { .cause = MOVEMENT_KEPT, .state = MOVEMENT_OWN };
	unsigned others = others_holding(o, u, a);

	if (u->holds)
		return m;
	m.state = !others				       ? MOVEMENT_NOBODY
		  : others > MOVEMENT_STATES - MOVEMENT_OTHERS ? MOVEMENT_STATES - 1
							       : MOVEMENT_OTHERS - 1 + others;
	m.cause = others ? cause_of(o, u, a, &m.writer) : MOVEMENT_FIRST;
	return m;
}

static void note_use(struct movement_object *o, struct movement_user *u,
		     const struct movement_access *a, bool consumes)
{
	bool *const kind = a->writes ? &u->writes : &u->reads;

	o->users += !u->reads && !u->writes;
	o->writers += a->writes && !*kind;
	*kind = true;
	o->consumers += consumes && !u->consumes;
	u->consumes |= consumes;
}

/* Counts the access as one in that state, which follows the previous one to the object. */
static void count(struct movement *s, struct movement_object *o, unsigned state, uint64_t place)
{
	uint64_t *at = map_at(&s->by_vertex, place * MOVEMENT_STATES + state);

	if (!*at) {
		vec_push(&s->vertices, (struct movement_vertex){ .state = state, .place = place });
		*at = s->vertices.n;
	}
	size_t from = o->last, to = o->last = *at;
	s->vertices.v[to - 1].count++;
	if (!from)
		return;
	at = map_at(&s->by_edge, (uint64_t)from << 32 | to);
	if (!*at) {
		vec_push(&s->edges, (struct movement_edge){ .from = from - 1, .to = to - 1 });
		*at = s->edges.n;
	}
	s->edges.v[*at - 1].count++;
}

bool movement_take(struct movement *s, const struct movement_access *a, struct movement_step *move)
{
	struct movement_object *o = object_at(s, a->key);
	uint64_t when = ++s->accesses;

	if (!o) {
		s->left_out++;
		return false;
	}
	struct movement_user *u = user_at(o, a->user);
	*move = move_of(o, u, a);
	bool needs = move->cause == MOVEMENT_NEEDED;
	note_use(o, u, a, needs);
	note_turn(o, a, needs, when);
	if (a->writes) {
		for (size_t i = 0; i < o->all.n; i++)
			o->all.v[i].holds = false;
		write_bytes(o, a, when);
	}
	if (!u->holds)
		u->since = a->ended;
	u->holds = true;
	u->seen = when;
	o->counts[move->cause]++;
	o->ns[move->cause] += a->ns;
	count(s, o, move->state, a->place);
	return true;
}

enum movement_pattern movement_pattern(const struct movement_object *o)
{
	if (o->users <= 1)
		return MOVEMENT_PRIVATE;
	if (!o->writers)
		return MOVEMENT_READ_ONLY;
	if (!o->counts[MOVEMENT_NEEDED])
		return o->counts[MOVEMENT_FALSE] ? MOVEMENT_FALSELY : MOVEMENT_READ_ONLY;
	if (o->writers > 1 && o->taken && o->returned == o->taken)
		return MOVEMENT_MIGRATORY;
	if (o->writers == 1)
		return o->consumers == 1 ? MOVEMENT_SINGLE_SINGLE : MOVEMENT_SINGLE_MULTIPLE;
	return o->consumers == 1 ? MOVEMENT_MULTIPLE_SINGLE : MOVEMENT_MULTIPLE_MULTIPLE;
}

void movement_free(struct movement *s)
{
	for (size_t i = 0; i < s->objects.n; i++) {
		vec_free(&s->objects.v[i].all);
		vec_free(&s->objects.v[i].written);
	}
	vec_free(&s->objects);
	map_free(&s->by_key);
	vec_free(&s->vertices);
	vec_free(&s->edges);
	map_free(&s->by_vertex);
	map_free(&s->by_edge);
}
