/* SPDX-License-Identifier: MIT */
/*
 * make-trace [-s] [-t THREADS] CALLS: writes a trace of that many calls on standard output, as a .ktr
 * or (-s) as strace -f -ttt -T would, always the same for the same arguments.  The mix of calls is
 * that of a server that also opens files.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stats/random.h"
#include "trace/ktr.h"
#include "util/number.h"
#include "util/opt.h"

static struct {
	bool strace;
	uint64_t threads;
} set = { .threads = 4 };

static const struct opt opts[] = {
	{ 's', "strace", OPT_FLAG, &set.strace, .help = "write text as strace -f -ttt -T does" },
	{ 't', "threads", OPT_COUNT, &set.threads, "N", 1, 10000, "threads that make the calls" },
	{ 0 },
};

static const struct opt_usage usage = {
	.program = "make-trace", .operands = "CALLS",
	.summary = "Writes a trace of CALLS system calls on standard output.",
	.example = "make-trace -s 1000000 >server.strace",
};

/* A call that is made again and again; its size, where %u stands in the text, varies. */
static const struct shape {
	unsigned weight;
	const char *call;
	enum fd_kind kind;
	uint32_t object;
	int64_t result;		/* 0: the size, when there is one */
	uint64_t args[6];
	int size;		/* argument that holds the size, -1: none */
	const char *path, *text;
} shapes[] = {
	{ 20, "epoll_wait", FD_EPOLL, 1, 1, { 5, 0x7f12a4c01000, 128, 100 }, -1, NULL,
	  "5, [{events=EPOLLIN, data={u32=8, u64=8}}], 128, 100" },
	{ 20, "read", FD_TCP, 2, 0, { 8, 0x7f12a4d35010, 16384 }, 2, NULL,
	  "8, \"*3\\r\\n$3\\r\\nSET\\r\\n$16\\r\\nkey:0000000\"..., %u" },
	{ 20, "write", FD_TCP, 2, 0, { 8, 0x7f12a4d39010, 5 }, 2, NULL, "8, \"+OK\\r\\n\", %u" },
	{ 4, "openat", FD_FILE, 3, 9, { (uint64_t)AT_FDCWD, 0x55d0c8a41f10, O_CLOEXEC }, -1,
	  "/usr/share/zoneinfo/Europe/Zurich",
	  "AT_FDCWD, \"/usr/share/zoneinfo/Europe/Zurich\", O_RDONLY|O_CLOEXEC" },
	{ 4, "newfstatat", FD_FILE, 3, 0, { 9, 0x7f12a3fb8e5d, 0x7ffd4c3e1a50, AT_EMPTY_PATH },
	  -1, "", "9, \"\", {st_mode=S_IFREG|0644, st_size=1909, ...}, AT_EMPTY_PATH" },
	{ 4, "pread64", FD_FILE, 3, 0, { 9, 0x7ffd4c3e1000, 4096, 0 }, 2, NULL,
	  "9, \"TZif2\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\t\"..., %u, 0" },
	{ 4, "close", FD_FILE, 3, 0, { 9 }, -1, NULL, "9" },
	{ 10, "futex", FD_UNKNOWN, 0, 1, { 0x55d0c8c3a2c8, 129, 1 }, -1, NULL,
	  "0x55d0c8c3a2c8, FUTEX_WAKE_PRIVATE, 1" },
	{ 3, "openat", FD_UNKNOWN, 0, -2, { (uint64_t)AT_FDCWD, 0x55d0c8a41f30, O_RDONLY }, -1,
	  "/etc/ld.so.preload", "AT_FDCWD, \"/etc/ld.so.preload\", O_RDONLY" },
	{ 3, "mmap", FD_UNKNOWN, 0, 0x7f12a4e00000, { 0, 135168, 3, 34, (uint64_t)-1, 0 }, -1, NULL,
	  "NULL, 135168, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0" },
	{ 3, "munmap", FD_UNKNOWN, 0, 0, { 0x7f12a4e00000, 135168 }, -1, NULL,
	  "0x7f12a4e00000, 135168" },
	{ 5, "getpid", FD_UNKNOWN, 0, 4711, { 0 }, -1, NULL, "" },
};

static const struct shape *draw_shape(struct random *r)
{
	static unsigned total;
	const struct shape *s = shapes;

	if (!total)
		for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
			total += shapes[i].weight;
	for (unsigned at = (unsigned)random_below(r, total); at >= s->weight; s++)
		at -= s->weight;
	return s;
}

static void make_call(struct random *r, const struct shape *s, int64_t *now, struct event *e)
{
	static const int sizes[] = { 5, 43, 64, 250, 512, 4096 };
	uint64_t size = (uint64_t)sizes[random_below(r, 6)];

	*e = (struct event){ .type = EVENT_SYSCALL, .pid = 4711, .time = *now };
	e->tid = 4711 + (uint32_t)random_below(r, set.threads);
	e->call.id = syscall_by_name(s->call);
	e->call.duration = 200 + (int64_t)random_below(r, 20000);
	for (int i = 0; i < 6; i++)
		e->call.args[i] = s->args[i];
	e->call.result = s->result;
	if (s->size >= 0) {
		e->call.args[s->size] = size;
		e->call.result = (int64_t)size;
	}
	e->call.kind = s->kind;
	e->call.object = s->object;
	e->call.path = s->path;
	*now += e->call.duration + (int64_t)random_below(r, 5000);
}

static void print_result(const struct event *e)
{
	if (event_failed(e))
		printf("-1 %s (No such file or directory)", errno_name((int)-e->call.result));
	else if (e->call.result > UINT32_MAX)
		printf("0x%" PRIx64, (uint64_t)e->call.result);
	else
		printf("%" PRId64, e->call.result);
}

static void print_call(const struct shape *s, const struct event *e)
{
	const int64_t start = 1700000000, second = 1000000000;
	const char *hole = strstr(s->text, "%u");
	char size[NUMBER_MAX] = "";
	int before = (int)(hole ? hole - s->text : (ptrdiff_t)strlen(s->text));

	if (hole)
		snprintf(size, sizeof(size), "%" PRIu64, e->call.args[s->size]);
	printf("%-5u %" PRId64 ".%06" PRId64 " ", e->tid, start + e->time / second,
	       e->time % second / 1000);
	int n = printf("%s(%.*s%s%s)", s->call, before, s->text, size, hole ? hole + 2 : "");
	printf("%*s= ", n < 39 ? 40 - n : 1, "");
	print_result(e);
	printf(" <%" PRId64 ".%06" PRId64 ">\n", e->call.duration / second,
	       e->call.duration % second / 1000);
}

static void start_trace(struct ktr_writer *w)
{
	static const struct event objects[] = {
		{ .type = EVENT_FD, .pid = 4711, .tid = 4711, .fd = { 1, FD_EPOLL, "" } },
		{ .type = EVENT_FD, .pid = 4711, .tid = 4711, .fd = { 2, FD_TCP, "" } },
		{ .type = EVENT_FD, .pid = 4711, .tid = 4711, .fd = { 3, FD_FILE, "/etc/passwd" } },
	};
	struct error e;

	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		if (ktr_write(w, &objects[i], &e) < 0)
			errx(1, "%s", e.text);
}

int main(int argc, char **argv)
{
	const struct source_info info = {
		.recorder = "make-trace", .command = "server", .abi = ABI_X86_64,
		.has_time = true, .has_duration = true,
	};
	int first = opt_parse(argc, argv, &usage, opts, NULL);
	struct ktr_writer *w = NULL;
	struct random r;
	struct error e;
	uint64_t calls;
	int64_t now = 0;

	if (argc - first != 1 || !number_parse_u64(argv[first], &calls))
		opt_bad_usage(&usage, "say how many calls");
	random_seed(&r, 1);
	if (!set.strace) {
		w = ktr_writer_new(STDOUT_FILENO, &info);
		start_trace(w);
	}
	for (uint64_t i = 0; i < calls; i++) {
		const struct shape *s = draw_shape(&r);
		struct event event;

		make_call(&r, s, &now, &event);
		if (set.strace)
			print_call(s, &event);
		else if (ktr_write(w, &event, &e) < 0)
			errx(1, "%s", e.text);
	}
	if (w && ktr_writer_free(w, &e) < 0)
		errx(1, "%s", e.text);
	return opt_finish(0);
}
