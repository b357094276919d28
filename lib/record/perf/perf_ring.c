/* SPDX-License-Identifier: MIT */
#include "record/perf/perf_ring.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/program.h"
#include "util/file.h"

/* The layout is in perf_event_open(2): a page with both positions, then the data. */
static int map(struct ring *r, int fd, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return -1;
	struct perf_event_mmap_page *head = at;
	r->maps[0].at = at;
	r->maps[0].bytes = page + bytes;
	r->consumer = (uint64_t *)&head->data_tail;
	r->producer = (const uint64_t *)&head->data_head;
	r->data = (const char *)at + page;
	return 0;
}

/* ---- bodies ---- */

/* All of these follow the header, and the last 16 bytes are a struct stamp. */
struct stamp {
	uint32_t pid, tid;
	uint64_t time;
};

struct sample { /* these end with the raw data */
	struct stamp stamp;
	uint32_t size;
};

struct task { /* FORK, EXIT */
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct lost {
	uint64_t id, lost;
};

/* Raw data of both families of tracepoints. */
enum { RAW_NUMBER = 8, RAW_VALUES = 16 };

static const struct record *make_call(struct perf_cpu *c, const char *body, size_t n)
{
	struct record_call *r = &c->record.call;
	struct sample s;
	uint16_t id;
	int32_t number;

	c->samples++;
	memcpy(&s, body, sizeof(s));
	const char *raw = body + offsetof(struct sample, size) + sizeof(s.size);
	size_t room = n - (size_t)(raw - body), size = s.size < room ? s.size : room;
	if (size < RAW_NUMBER + sizeof(number))
		return NULL;
	memcpy(&id, raw, sizeof(id));
	memcpy(&number, raw + RAW_NUMBER, sizeof(number));
	enum tracepoint_role role = tracepoints_role(c->tracepoints, id, s.size);
	if (!role)
		return NULL;
	r->number = record_number((unsigned)number);
	r->begin = s.stamp.time;
	r->cpu = c->cpu;
	r->flags = 0;
	memset(r->args, 0, sizeof(r->args));
	size_t values = size > RAW_VALUES ? size - RAW_VALUES : 0;
	if (role == TRACEPOINT_ENTRY)
		memcpy(r->args, raw + RAW_VALUES,
		       values < sizeof(r->args) ? values : sizeof(r->args));
	else if (values >= sizeof(r->result))
		memcpy(&r->result, raw + RAW_VALUES, sizeof(r->result));
	r->head.type = role == TRACEPOINT_ENTRY ? RECORD_ENTRY : RECORD_RETURN;
	return &r->head;
}

static const struct record *make_fork(struct perf_cpu *c, const char *body)
{
	struct task t;

	memcpy(&t, body, sizeof(t));
	c->record.fork = (struct record_fork){ .child_pid = t.pid, .child_tid = t.tid };
	c->record.head.type = RECORD_FORK;
	c->record.head.pid = t.ppid;
	c->record.head.tid = t.ptid;
	return &c->record.head;
}

static const struct record *make_exit(struct perf_cpu *c)
{
	c->record.exit = (struct record_exit){ .status = -1, .last = LAST_IS_UNKNOWN };
	c->record.head.type = RECORD_EXIT;
	return &c->record.head;
}

/* Whether a program has put a title where its arguments were, as "nginx: master process". */
static bool is_title(const char *args, const char *comm)
{
	size_t n = strlen(comm);

	return !strncmp(args, comm, n) && args[n] == ':';
}

/* Whether these are arguments of the program: its process may have gone on to another. */
static bool are_its_own(const char *args, uint32_t pid, const char *comm)
{
	const char *slash = strrchr(args, '/'), *name = slash ? slash + 1 : args;
	char path[32], now[64];

	if (!strcmp(name, comm))
		return true;
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	return file_first_line(path, now, sizeof(now)) && !strcmp(now, comm);
}

/* The arguments are those of now: the program may have changed them, or its process have ended. */
static const struct record *make_exec(struct perf_cpu *c, uint32_t pid, const char *comm)
{
	struct record_exec *r = &c->record.exec;
	char path[32];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
	char *args = file_read(path, SIZE_MAX, &n, NULL);
	memset(&r->usage, 0, sizeof(r->usage));
	r->former = 0;
	r->foreign = program_is_foreign((pid_t)pid);
	snprintf(r->name, sizeof(r->name), "%s", comm);
	bool known = n && *args && !is_title(args, comm) && are_its_own(args, pid, comm);
	const char *from = known ? args : comm;
	if (!known)
		n = strlen(comm) + 1;
	r->bytes = (unsigned)n;
	memcpy(r->args, from, n < sizeof(r->args) ? n : sizeof(r->args));
	free(args);
	r->head.type = RECORD_EXEC;
	return &r->head;
}

static const struct record *make_switch(struct perf_cpu *c, unsigned misc)
{
	enum { PREEMPTED = 1 << 14 }; /* PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, Linux 4.17 */
	struct record_switch *r = &c->record.change;

	*r = (struct record_switch){ .out = !!(misc & PERF_RECORD_MISC_SWITCH_OUT),
				     .preempted = !!(misc & PREEMPTED) };
	r->state = r->out && r->preempted;
	r->head.type = RECORD_SWITCH;
	return &r->head;
}

/* ---- records ---- */

static const struct record *make(struct perf_cpu *c, const struct perf_event_header *h,
				 const char *body, const struct stamp *stamp)
{
	size_t n = h->size - sizeof(*h);
	struct lost lost;

	switch (h->type) {
	case PERF_RECORD_SAMPLE: return n > sizeof(struct sample) ? make_call(c, body, n) : NULL;
	case PERF_RECORD_FORK: return make_fork(c, body);
	case PERF_RECORD_EXIT: return make_exit(c);
	case PERF_RECORD_SWITCH: return make_switch(c, h->misc);
	case PERF_RECORD_COMM:
		if (h->misc & PERF_RECORD_MISC_COMM_EXEC)
			return make_exec(c, stamp->pid, body + 2 * sizeof(uint32_t));
		return NULL;
	case PERF_RECORD_LOST:
		memcpy(&lost, body, sizeof(lost));
		*c->lost += (uint32_t)lost.lost;
		return NULL;
	}
	return NULL;
}

/* n bytes at the position, in one piece. */
static const char *bytes_at(const struct ring *r, uint64_t position, size_t n, char *copy)
{
	size_t at = position & (r->bytes - 1), first = r->bytes - at;

	if (first >= n)
		return r->data + at;
	memcpy(copy, r->data + at, first);
	memcpy(copy + first, r->data, n - first);
	return copy;
}

static const struct record *read_record(struct ring *r)
{
	struct perf_cpu *c = r->arg;
	struct perf_event_header h;
	struct stamp stamp;

	r->length = 0;
	if (!tracepoints_known(c->tracepoints))
		return NULL;
	/* Headers are aligned to 8 bytes, as is the ring. */
	memcpy(&h, r->data + (r->position & (r->bytes - 1)), sizeof(h));
	r->length = h.size;
	if (h.size < sizeof(h) + sizeof(stamp))
		return NULL;
	const char *body = bytes_at(r, r->position, h.size, c->copy) + sizeof(h);
	memcpy(&stamp,
	       h.type == PERF_RECORD_SAMPLE ? body : body + h.size - sizeof(h) - sizeof(stamp),
	       sizeof(stamp));
	struct record *made = (struct record *)make(c, &h, body, &stamp);
	if (!made)
		return NULL;
	if (made->type != RECORD_FORK) {
		made->pid = stamp.pid;
		made->tid = stamp.tid;
	}
	made->time = stamp.time;
	made->lost = *c->lost;
	made->cpu = c->cpu;
	return made;
}

const struct ring_layout perf_ring = { map, read_record };

bool perf_ring_learn(struct ring *r, struct tracepoints *t)
{
	struct perf_cpu *c = r->arg;
	struct perf_event_header h;
	struct sample s;
	uint16_t id;
	uint64_t end = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE);

	for (uint64_t at = r->position; at != end && !tracepoints_known(t); at += h.size) {
		enum { NEED = sizeof(h) + offsetof(struct sample, size) + 4 + sizeof(id) };

		memcpy(&h, r->data + (at & (r->bytes - 1)), sizeof(h));
		if (h.size < sizeof(h))
			break;
		if (h.type != PERF_RECORD_SAMPLE || h.size < NEED)
			continue;
		const char *body = bytes_at(r, at, h.size, c->copy) + sizeof(h);
		memcpy(&s, body, sizeof(s));
		memcpy(&id, body + offsetof(struct sample, size) + sizeof(s.size), sizeof(id));
		tracepoints_learn(t, id, s.size);
	}
	return tracepoints_known(t);
}
