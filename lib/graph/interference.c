/* SPDX-License-Identifier: MIT */
#include "graph/interference.h"

#include <stdlib.h>

#include "graph/characterization.h"
#include "trace/event.h"
#include "util/hash.h"

/* ---- classes ---- */

/* Returns the number of the class, adding it if it is new. */
static uint32_t class_at(struct interferences *s, struct class class)
{
	uint64_t key[] = { class.kind, class.pid,
			   class.kind == CLASS_HOSTS
			       ? (uint64_t)(class.from >> HOST_SHIFT) << 32 | class.to >> HOST_SHIFT
			       : class.link,
			   explain_key(class.at) };
	uint64_t *at = map_at(&s->by_class, hash_numbers(key, 4));

	while (s->classes.n < CLASS_OTHERS)
		vec_push(&s->classes, (struct class){ 0 });
	if (!*at) {
		vec_push(&s->classes, class);
		*at = s->classes.n;
	}
	return (uint32_t)*at - 1;
}

static uint32_t requests_of(struct interferences *s, uint32_t thread, struct site site)
{
	const struct graph_thread *t = &s->graph->threads.v[thread];

	return class_at(s, (struct class){ .kind = CLASS_REQUESTS,
					   .program = t->program,
					   .pid = s->by_process ? t->pid : 0,
					   .at = site_same(s->same, site) });
}

static uint32_t server_of(struct interferences *s, const struct contention *c)
{
	const struct graph_thread *threads = s->graph->threads.v, *server = &threads[c->at];

	if (c->resource == RESOURCE_SERVER)
		return class_at(s, (struct class){ .kind = CLASS_SERVER,
						   .program = server->program,
						   .pid = server->pid });
	if (c->resource != RESOURCE_LINK)
		return 0;
	if (c->link != GRAPH_NOBODY)
		return class_at(s, (struct class){ .kind = CLASS_LINK, .link = c->link });
	return class_at(s, (struct class){ .kind = CLASS_HOSTS,
					   .from = threads[c->waiter.thread].tid,
					   .to = server->tid });
}

static uint32_t user_of(struct interferences *s, uint32_t waiter, const struct party *user)
{
	switch (user->thread) {
	case USER_IDLE: return CLASS_NOBODY;
	case USER_OUTSIDE: return CLASS_OUTSIDE;
	case USER_UNKNOWN: return CLASS_UNKNOWN;
	default:
		return user->thread == waiter ? CLASS_ITSELF
					      : requests_of(s, user->thread, user->at);
	}
}

/* ---- waits ---- */

static struct class_waits *waits_at(struct interferences *s, enum resource resource,
				    uint32_t waiter, int64_t ns)
{
	uint64_t *at = map_at(&s->by_waiter, (uint64_t)resource << 32 | waiter);

	if (!*at) {
		vec_push(&s->waits, (struct class_waits){ .resource = resource, .waiter = waiter });
		*at = s->waits.n;
	}
	struct class_waits *w = &s->waits.v[*at - 1];
	w->count++;
	w->ns += ns;
	s->ns[resource] += ns;
	s->residual += ns;
	return w;
}

/* `user` had the resource for ns of the wait. */
static void lose(struct interferences *s, struct class_waits *w, uint32_t server, uint32_t user,
		 int64_t ns)
{
	uint64_t *at = map_at(
	    &s->by_pair, hash_numbers((uint64_t[]){ w->resource, w->waiter, user, server }, 4));

	if (!*at) {
		vec_push(s, (struct interference){ .resource = w->resource,
						   .server = server,
						   .waiter = w->waiter,
						   .user = user });
		*at = s->n;
	}
	s->v[*at - 1].ns += ns;
	s->v[*at - 1].count++;
	s->residual -= ns;
	w->lost[user < CLASS_OTHERS ? user : CLASS_OTHERS] += ns;
}

void interferences_add(void *interferences, const struct contention *c)
{
	struct interferences *s = interferences;
	uint32_t waiter = requests_of(s, c->waiter.thread, c->waiter.at), server = server_of(s, c);
	struct class_waits *w = waits_at(s, c->resource, waiter, c->until - c->from);

	for (size_t i = 0; i < c->n; i++)
		lose(s, w, server, user_of(s, c->waiter.thread, &c->charges[i].user),
		     c->charges[i].ns);
}

void interferences_add_lock(struct interferences *s, const struct explanation *e)
{
	uint32_t waiter = requests_of(s, e->waiter, e->waits_at);
	struct class_waits *w = waits_at(s, RESOURCE_LOCK, waiter, e->until - e->from);

	for (size_t i = 0; i < e->nholders; i++) {
		const struct holder *h = &e->holders[i];
		bool known = h->thread != GRAPH_NOBODY;

		lose(s, w, 0, known ? requests_of(s, h->thread, h->site) : CLASS_UNKNOWN, h->ns);
	}
}

void interferences_free(struct interferences *s)
{
	vec_free(s);
	vec_free(&s->classes);
	vec_free(&s->waits);
	map_free(&s->by_pair);
	map_free(&s->by_class);
	map_free(&s->by_waiter);
}
