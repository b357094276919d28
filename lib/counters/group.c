/* SPDX-License-Identifier: MIT */
#include "counters/group.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/monotonic.h"

/* What read(2) of an event returns with the read_format below. */
struct reading {
	uint64_t count, enabled, running;
};

int groups_fd(const struct groups *g, size_t group, size_t i, size_t *event)
{
	for (size_t k = 0; k < g->members.n; k++)
		if (g->members.v[k].group == group && !i--) {
			if (event)
				*event = g->members.v[k].event;
			return g->members.v[k].fd;
		}
	return -1;
}

static size_t members_of(const struct groups *g, size_t group)
{
	size_t n = 0;

	for (size_t i = 0; i < g->members.n; i++)
		n += g->members.v[i].group == group;
	return n;
}

static size_t largest(const struct groups *g)
{
	size_t most = 0;

	for (size_t group = 0; group < g->n; group++)
		most = members_of(g, group) > most ? members_of(g, group) : most;
	return most;
}

/* Opens an event in a group, whose first one leads it.  0, or -1 and errno. */
static int join(struct groups *g, struct perf_event_attr *attr, size_t event, size_t group,
		const struct group_options *o)
{
	int leader = groups_fd(g, group, 0, NULL);

	if (o->most && members_of(g, group) >= o->most) {
		errno = EINVAL;
		return -1;
	}
	attr->disabled = leader < 0;
	int fd = (int)syscall(SYS_perf_event_open, attr, o->cpu ? -1 : o->pid, o->cpu - 1, leader,
			      PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -1;
	vec_push(&g->members, (struct group_member){ .event = event, .group = group, .fd = fd });
	return 0;
}

static int encode(const char *name, const struct group_options *o, struct perf_event_attr *attr,
		  struct error *e)
{
	*attr = (struct perf_event_attr){ .size = sizeof(*attr) };
	int status = event_encode(name, attr, e);
	if (status)
		return status;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->inherit = !o->cpu;
	if (o->user || o->kernel) {
		attr->exclude_user = !o->user;
		attr->exclude_kernel = !o->kernel;
	}
	return 0;
}

/* A group of its own, with the carriers. */
static int begin_group(struct groups *g, const char *const *names, size_t event,
		       const struct group_options *o, struct error *e)
{
	struct perf_event_attr attr;

	for (size_t i = 0; i <= o->carriers; i++) {
		size_t next = i < o->carriers ? i : event;

		if (next < o->carriers && i == o->carriers)
			break; /* it is a carrier itself */
		int status = encode(names[next], o, &attr, e);
		if (status)
			return status;
		if (join(g, &attr, next, g->n, o))
			return errno == EINVAL && i
				   ? error_set(e, "%s: does not fit into a group with %s",
					       names[next], names[0])
				   : event_refused(names[next], e);
	}
	g->n++;
	return 0;
}

static int add(struct groups *g, const char *const *names, size_t event,
	       const struct group_options *o, struct error *e)
{
	struct perf_event_attr attr;
	int status = encode(names[event], o, &attr, e);

	if (status)
		return status;
	for (size_t group = 0; group < g->n; group++) {
		if (!join(g, &attr, event, group, o))
			return 0;
	}
	return begin_group(g, names, event, o, e);
}

int groups_open(struct groups *g, const char *const *names, size_t n, const struct group_options *o,
		struct error *e)
{
	int status = 0;

	for (size_t i = 0; i < n && !status; i++)
		if (i >= o->carriers || i + 1 == n)
			status = add(g, names, i, o, e);
	if (status)
		groups_close(g);
	return status;
}

/* Whether each group counts when it is started. */
static bool all_count(struct groups *g, struct group_slice *s)
{
	bool all = true;

	for (size_t group = 0; group < g->n && all; group++) {
		groups_enable(g, group, true);
		for (int64_t end = monotonic_ns() + 100000; monotonic_ns() < end;)
			;
		groups_enable(g, group, false);
		groups_read(g, group, s);
		all = s->running > 0;
	}
	return all;
}

int groups_try(const char *const *names, size_t n, struct group_options *o, struct error *e)
{
	struct group_slice s = { .events = xcalloc(n, sizeof(*s.events)),
				 .counts = xcalloc(n, sizeof(*s.counts)) };
	struct group_options own = *o;
	int status;

	own.pid = own.cpu = 0;
	for (bool again = true; again;) {
		struct groups g = { 0 };

		again = false;
		status = groups_open(&g, names, n, &own, e);
		if (!status && !all_count(&g, &s)) {
			own.most = largest(&g) - 1;
			again = own.most > own.carriers;
			if (!again) {
				error_set(e, "the counters are in use by another program, or by "
					     "the watchdog of the kernel (sysctl "
					     "kernel.nmi_watchdog=0)");
				status = EVENT_UNSUPPORTED;
			}
		}
		groups_close(&g);
	}
	o->most = own.most;
	free(s.events);
	free(s.counts);
	return status;
}

/* The members of a group are never disabled: they count when their leader does.  When all of it is
 * disabled and enabled (PERF_IOC_FLAG_GROUP), Linux 6.18 leaves them out until the next tick. */
void groups_enable(const struct groups *g, size_t group, bool on)
{
	ioctl(groups_fd(g, group, 0, NULL), on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void groups_read(struct groups *g, size_t group, struct group_slice *s)
{
	s->n = 0;
	s->enabled = s->running = 0;
	for (size_t i = 0; i < g->members.n; i++) {
		struct group_member *m = &g->members.v[i];
		struct reading now;

		if (m->group != group || read(m->fd, &now, sizeof(now)) != (ssize_t)sizeof(now))
			continue;
		if (!s->n) {
			s->enabled = (double)(now.enabled - m->enabled);
			s->running = (double)(now.running - m->running);
		}
		s->events[s->n] = m->event;
		s->counts[s->n++] = (double)(now.count - m->count);
		m->count = now.count;
		m->enabled = now.enabled;
		m->running = now.running;
	}
}

void groups_close(struct groups *g)
{
	for (size_t i = 0; i < g->members.n; i++)
		close(g->members.v[i].fd);
	vec_free(&g->members);
	g->n = 0;
}
