/* SPDX-License-Identifier: MIT */
/*
 * trace ktr|strace N FILE - writes a trace of N calls: eight threads that serve requests, each
 * a wait, a read, a write and a look at the clock, now and then an open and a close.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stats/random.h"
#include "trace/format/ktr/ktr.h"
#include "util/number.h"

enum { THREADS = 8, FIRST_PID = 1000 };

/* One call of the cycle; the result varies by up to `spread`. */
static const struct pattern {
	const char *name;
	const char *arguments; /* as strace writes them */
	uint64_t args[6];
	int64_t result;
	uint64_t spread;
	enum fd_kind kind;
	int64_t duration;
} cycle[] = {
	{ "epoll_wait",
	  "5, [{EPOLLIN, {u32=8, u64=8}}], 10128, 100",
	  { 5, 1 << 20, 10128, 100 },
	  1,
	  0,
	  FD_EPOLL,
	  20000 },
	{ "read",
	  "8, \"*3\\r\\n$3\\r\\nSET\\r\\n$16\\r\\nkey:00000\"..., 16384",
	  { 8, 1 << 21, 16384 },
	  64,
	  512,
	  FD_TCP,
	  1200 },
	{ "clock_gettime",
	  "CLOCK_REALTIME, {tv_sec=1717000000, tv_nsec=1}",
	  { 0, 1 << 22 },
	  0,
	  0,
	  FD_UNKNOWN,
	  150 },
	{ "write", "8, \"+OK\\r\\n\", 5", { 8, 1 << 21, 5 }, 5, 0, FD_TCP, 4000 },
	{ "read", "8, 0x7ffc1000, 16384", { 8, 1 << 21, 16384 }, -11, 0, FD_TCP, 300 },
	{ "openat",
	  "AT_FDCWD, \"/etc/hosts\", O_RDONLY|O_CLOEXEC",
	  { (uint64_t)-100, 1 << 23, 02000000 },
	  9,
	  0,
	  FD_FILE,
	  2500 },
	{ "close", "9", { 9 }, 0, 0, FD_FILE, 400 },
};

enum { REQUEST = 5, CYCLE = sizeof(cycle) / sizeof(*cycle) };

struct thread {
	unsigned at;  /* in the cycle */
	int64_t time; /* when its next call begins */
};

struct call {
	const struct pattern *pattern;
	uint32_t tid;
	int64_t time, duration, result;
};

/* The next call of the thread that is due first.  Most turns of the cycle do without open and
 * close. */
static struct call next_call(struct random *r, struct thread threads[THREADS])
{
	unsigned due = 0;

	for (unsigned i = 1; i < THREADS; i++)
		if (threads[i].time < threads[due].time)
			due = i;
	struct thread *t = &threads[due];
	if (t->at == CYCLE || (t->at == REQUEST && random_below(r, 16)))
		t->at = 0;
	const struct pattern *p = &cycle[t->at++];
	struct call c = {
		.pattern = p,
		.tid = FIRST_PID + due,
		.time = t->time,
		.duration = p->duration + (int64_t)random_below(r, (uint64_t)p->duration),
		.result = p->result + (p->spread ? (int64_t)random_below(r, p->spread) : 0),
	};
	t->time += c.duration + 500 + (int64_t)random_below(r, 2000);
	return c;
}

static void put_ktr(struct ktr_writer *w, const struct call *c)
{
	struct event e = { .type = EVENT_SYSCALL, .pid = FIRST_PID, .tid = c->tid };
	struct error why;

	e.time = c->time;
	e.call.id = syscall_by_name(c->pattern->name);
	e.call.duration = c->duration;
	e.call.result = c->result;
	e.call.kind = c->pattern->kind;
	e.call.object = c->pattern->kind ? (uint32_t)c->pattern->kind : 0;
	memcpy(e.call.args, c->pattern->args, sizeof(e.call.args));
	if (ktr_write(w, &e, &why))
		errx(1, "%s", why.text);
}

static void put_strace(FILE *f, const struct call *c)
{
	fprintf(f, "%" PRIu32 " 17170%05" PRId64 ".%06" PRId64 " %s(%s) = %" PRId64 "%s <%.6f>\n",
		c->tid, c->time / 1000000000, c->time / 1000 % 1000000, c->pattern->name,
		c->pattern->arguments, c->result < 0 ? -1 : c->result,
		c->result < 0 ? " EAGAIN (Resource temporarily unavailable)" : "",
		(double)c->duration * 1e-9);
}

static struct ktr_writer *start_ktr(int fd)
{
	struct source_info info = {
		.recorder = "generated",
		.host = "",
		.command = "server",
		.kernel = "",
		.os = &os_linux,
		.abi = ABI_X86_64,
		.has_time = true,
		.has_duration = true,
		.clock = TRACE_CLOCK_MONOTONIC,
	};
	struct ktr_writer *w = ktr_writer_new(fd, &info);
	struct error why;

	/* What stands behind the objects of the calls. */
	for (size_t i = 0; i < CYCLE; i++) {
		struct event e = { .type = EVENT_FD, .pid = FIRST_PID, .tid = FIRST_PID };

		e.fd.object = (uint32_t)cycle[i].kind;
		e.fd.kind = cycle[i].kind;
		e.fd.name = "";
		if (cycle[i].kind && ktr_write(w, &e, &why))
			errx(1, "%s", why.text);
	}
	return w;
}

int main(int argc, char **argv)
{
	struct thread threads[THREADS] = { 0 };
	struct random r;
	struct error why;
	uint64_t n;

	if (argc != 4 || (strcmp(argv[1], "ktr") && strcmp(argv[1], "strace")) ||
	    !number_parse_u64(argv[2], &n)) {
		fprintf(stderr, "usage: trace ktr|strace N FILE\n");
		return 2;
	}
	FILE *f = fopen(argv[3], "w");
	if (!f)
		err(1, "%s", argv[3]);
	struct ktr_writer *w = strcmp(argv[1], "ktr") ? NULL : start_ktr(fileno(f));
	random_seed(&r, 1);
	while (n--) {
		struct call c = next_call(&r, threads);

		if (w)
			put_ktr(w, &c);
		else
			put_strace(f, &c);
	}
	if (w && ktr_writer_free(w, &why))
		errx(1, "%s", why.text);
	if (fclose(f))
		err(1, "%s", argv[3]);
	return 0;
}
