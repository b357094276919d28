/* SPDX-License-Identifier: MIT */
/*
 * The backend that costs least: programs in the kernel (recorder.bpf.c) write one record for each
 * call, switch, wake-up, fault and request; this turns the records into events.
 *
 * The traced threads never stop for us, so whatever a record does not hold is lost.
 */
#include "record/record.h"

#ifdef HAVE_BPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/bpf/bpf_events.h"
#include "record/bpf/rings.h"
#include "record/callshape.h"
#include "record/program.h"
#include "recorder.skel.h"
#include "trace/syscalls.h"
#include "util/monotonic.h"
#include "util/xalloc.h"

enum {
	RINGS_BYTES = 32 << 20, /* of all CPUs together, unless that is less than RING_LEAST each */
	RING_LEAST = 1 << 20,
	RING_MOST = 16 << 20,
};

static const struct timespec interval = { .tv_nsec = 2000000 };

/* One recording. */
struct bpf {
	struct recorder *program;
	struct rings rings;
	struct bpf_events events;
	struct held_child child;
	unsigned idle; /* polls without a record */
};

/* From the probe to the recording. */
static struct recorder *loaded;

/* ---- the programs in the kernel ---- */

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

static unsigned char argument(const struct syscall *c, enum argument kind, int nth)
{
	for (unsigned char i = 0; i < 6 && c->argument[i]; i++)
		if (c->argument[i] == (char)kind && nth-- == 0)
			return i;
	return RECORD_NO_ARG;
}

static void fill_shape(struct record_shape *s, unsigned id)
{
	const struct syscall *c = syscall_get(id);
	const struct callshape *shape = callshape_get(id);

	s->first_fd = argument(c, ARG_FD, 0);
	s->second = argument(c, ARG_FD, 1);
	s->makes_fd = c->returns == RETURNS_FD;
	s->early = !strcmp(c->name, "close");
	s->path = shape && shape->path >= 0 ? (unsigned char)shape->path : RECORD_NO_ARG;
	if (!shape)
		return;
	s->args = shape->n;
	if (shape->memory) {
		s->memory = shape->memory->pointer + 1;
		s->offset = shape->memory->offset;
		s->memory_fds = shape->memory->what == CALLSHAPE_DESCRIPTORS;
	}
}

static void fill_shapes(struct recorder *p)
{
	const enum abi abis[RECORD_ABIS] = { syscall_native_abi(), ABI_I386 };

	for (size_t i = 0; i < RECORD_ABIS; i++)
		for (unsigned n = 0; n < RECORD_CALLS; n++)
			fill_shape((struct record_shape *)&p->rodata->shapes[i][n],
				   syscall_by_number(abis[i], n));
}

static struct recorder *load(void)
{
	struct recorder *p = recorder__open();

	if (!p)
		return NULL;
#ifndef __x86_64__ /* its kernel has no such tracepoints */
	bpf_program__set_autoload(p->progs.on_fault, false);
	bpf_program__set_autoload(p->progs.on_timer, false);
	bpf_program__set_autoload(p->progs.on_timer_end, false);
#endif
	bpf_program__set_autoattach(p->progs.follow, false);
	bpf_program__set_autoattach(p->progs.finish, false);
	fill_shapes(p);
	if (!bpf_map__set_max_entries(p->maps.rings, (uint32_t)libbpf_num_possible_cpus()) &&
	    !recorder__load(p))
		return p;
	int why = errno;
	recorder__destroy(p);
	errno = why;
	return NULL;
}

static int probe(struct error *reason)
{
	enum { INITIAL_PID_NAMESPACE = 0xEFFFFFFC }; /* its inode, always */
	struct stat st;

	libbpf_set_print(quiet);
	if (loaded)
		return 0;
	if (!stat("/proc/self/ns/pid", &st) && st.st_ino != INITIAL_PID_NAMESPACE) {
		errno = ENOSYS;
		return error_set(reason,
				 "BPF: the kernel has other numbers for the processes of this "
				 "container");
	}
	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		errno = ENOSYS;
		return error_set(reason, "BPF: the kernel has no type information "
					 "(CONFIG_DEBUG_INFO_BTF)");
	}
	loaded = load();
	if (loaded)
		return 0;
	int why = errno;
	error_set(reason, "BPF: the kernel refused the programs: %s%s", strerror(why),
		  geteuid() ? " (be root, or have CAP_BPF and CAP_PERFMON)" : "");
	errno = why;
	return -1;
}

/* Runs an iterator over all tasks, and takes each piece of `size` bytes that it writes. */
static void iterate(struct bpf *b, struct bpf_program *program, size_t size,
		    void (*take)(struct bpf_events *v, const void *piece))
{
	struct bpf_link *link = bpf_program__attach_iter(program, NULL);
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	struct record_call piece; /* aligned, and the largest */

	while (fd >= 0 && read(fd, &piece, size) == (ssize_t)size)
		take(&b->events, &piece);
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
}

static void take_past(struct bpf_events *v, const void *piece)
{
	bpf_events_past(v, piece);
}

static void take_call(struct bpf_events *v, const void *piece)
{
	bpf_events_handle(v, piece);
}

static size_t ring_bytes(size_t cpus)
{
	size_t bytes = RING_LEAST;

	while (2 * bytes * cpus <= RINGS_BYTES && 2 * bytes <= RING_MOST)
		bytes *= 2;
	return bytes;
}

static int open_rings(struct bpf *b, size_t n)
{
	int *fds = xcalloc(n, sizeof(*fds)), outer = bpf_map__fd(b->program->maps.rings);
	size_t made = 0, bytes = ring_bytes(n);

	for (; made < n; made++) {
		uint32_t cpu = (uint32_t)made;

		fds[made] = bpf_map_create(BPF_MAP_TYPE_RINGBUF, NULL, 0, 0, (uint32_t)bytes, NULL);
		if (fds[made] < 0)
			break;
		if (bpf_map_update_elem(outer, &cpu, &fds[made], BPF_ANY)) {
			close(fds[made]);
			break;
		}
	}
	int failed = made < n || rings_open(&b->rings, fds, n, bytes), why = errno;
	while (made-- > 0)
		close(fds[made]);
	free(fds);
	errno = why;
	return failed;
}

/* ---- the backend ---- */

/* Follows a process whose only thread is not inside of a call that matters. */
static int follow_process(const struct bpf *b, pid_t pid)
{
	int states = bpf_map__fd(b->program->maps.states);
	void *zero = xcalloc(1, bpf_map__value_size(b->program->maps.states));
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	int failed = fd < 0 || bpf_map_update_elem(states, &fd, zero, BPF_ANY);
	int why = errno;

	if (fd >= 0)
		close(fd);
	free(zero);
	errno = why;
	return failed ? -1 : 0;
}

static int launch(struct bpf *b, const struct record_target *t, struct error *e)
{
	if (child_start(&b->child, t->path, t->argv, e))
		return -1;
	if (follow_process(b, b->child.pid)) {
		error_set(e, "process %d cannot be followed: %s", b->child.pid, strerror(errno));
		child_close(&b->child);
		waitpid(b->child.pid, NULL, 0);
		b->child.pid = 0;
		return -1;
	}
	bpf_events_launch(&b->events, b->child.pid);
	child_release(&b->child);
	return 0;
}

/* The threads get their states from the iterator. */
static int attach(struct bpf *b, pid_t pid, struct error *e)
{
	int targets = bpf_map__fd(b->program->maps.targets);
	char path[32], one = 1;
	pid_t process, parent;

	if (!program_parent(pid, &process, &parent))
		pid = process;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *directory = opendir(path);
	if (!directory)
		return error_set(e, "process %d: %s", pid, strerror(errno));
	bpf_events_attach(&b->events, pid, pid);
	for (struct dirent *d; (d = readdir(directory));) {
		pid_t tid = (pid_t)strtol(d->d_name, NULL, 10);

		if (tid > 0 && tid != pid)
			bpf_events_attach(&b->events, pid, tid);
	}
	closedir(directory);
	if (bpf_map_update_elem(targets, &pid, &one, BPF_ANY))
		return error_set(e, "process %d cannot be followed: %s", pid, strerror(errno));
	return 0;
}

static void release(struct recording *r)
{
	struct bpf *b = r->state;

	recorder__detach(b->program);
	bpf_events_end(&b->events);
	rings_close(&b->rings);
	if (b->child.pid)
		child_close(&b->child);
	free(b);
	r->state = NULL;
}

static int start(struct recording *r, const struct record_target *t, struct error *e)
{
	struct bpf *b = r->state = xcalloc(1, sizeof(*b));
	size_t ncpus = (size_t)libbpf_num_possible_cpus();

	b->program = loaded;
	bpf_events_begin(&b->events, &r->sink, t->only, t->nonly, ncpus);
	int failed = open_rings(b, ncpus) || recorder__attach(b->program);
	if (failed)
		error_set(e, "BPF: %s", strerror(errno));
	if (!failed && t->path) {
		failed = launch(b, t, e);
		r->command = b->child.pid;
	}
	for (size_t i = 0; i < t->npids && !failed; i++)
		failed = attach(b, t->pids[i], e);
	if (t->npids && !failed)
		iterate(b, b->program->progs.follow, sizeof(struct record_exit), take_past);
	int why = errno;
	if (failed)
		release(r);
	errno = why;
	return failed ? -1 : 0;
}

static bool drain(struct bpf *b, bool all)
{
	enum { MOST = 1 << 16 }; /* records until the caller has a turn */
	const struct record *record;
	size_t n = 0;

	rings_look(&b->rings, all);
	for (; (all || n < MOST) && (record = rings_next(&b->rings)); n++) {
		bpf_events_handle(&b->events, record);
		rings_done(&b->rings);
	}
	return n > 0;
}

static void watch_command(struct recording *r)
{
	int status;

	if (!r->command || r->ended || waitpid(r->command, &status, WNOHANG | WUNTRACED) <= 0)
		return;
	if (WIFSTOPPED(status)) {
		r->paused = WSTOPSIG(status);
		return;
	}
	r->ended = true;
	r->status = status;
}

static int poll(struct recording *r, struct error *e)
{
	enum { IDLE = 64 };
	struct bpf *b = r->state;

	if (rings_fill(&b->rings) < 0.125)
		nanosleep(&interval, NULL);
	watch_command(r);
	if (drain(b, false))
		return 1;
	if (r->ended && b->events.launching && child_failed(&b->child, e))
		return -1;
	/* A record of a death may be lost, or come before that of the birth. */
	if (++b->idle % IDLE == 0)
		bpf_events_bury(&b->events);
	return bpf_events_alive(&b->events) || (r->command && !r->ended);
}

/* The sum of a counter over all CPUs. */
static uint64_t counted(const struct bpf *b, enum record_counter which)
{
	size_t n = (size_t)libbpf_num_possible_cpus();
	uint64_t *values = xcalloc(n, sizeof(*values)), sum = 0;
	uint32_t key = which;

	if (!bpf_map_lookup_elem(bpf_map__fd(b->program->maps.counters), &key, values))
		for (size_t i = 0; i < n; i++)
			sum += values[i];
	free(values);
	return sum;
}

/* Losses after the last record of a CPU, and calls that ended but of which nothing was heard. */
static void check_complete(const struct bpf *b, struct sink *s)
{
	uint64_t lost = counted(b, COUNTER_LOST), calls = counted(b, COUNTER_CALLS);
	struct event e = { .type = EVENT_LOST, .time = monotonic_ns() - s->start };

	e.lost.until = e.time;
	e.lost.class = LOST_RING_FULL;
	e.lost.count = lost - s->losses[LOST_RING_FULL];
	if (e.lost.count)
		sink_store(s, &e);
	s->losses[LOST_RING_FULL] = lost;
	if (!lost && calls > b->events.calls)
		s->losses[LOST_UNKNOWN] += calls - b->events.calls;
	s->losses[LOST_UNTRACED_CHILD] += counted(b, COUNTER_STATE);
}

static void stop(struct recording *r)
{
	struct bpf *b = r->state;

	recorder__detach(b->program);
	drain(b, true);
	check_complete(b, &r->sink);
	iterate(b, b->program->progs.finish, sizeof(struct record_call), take_call);
	release(r);
}

const struct backend bpf_backend = { "bpf", false, probe, start, poll, stop };

#else

#include <errno.h>

static int probe(struct error *reason)
{
	errno = ENOSYS;
	return error_set(reason,
			 "BPF: this program was built without it (it needs clang, bpftool and "
			 "libbpf)");
}

const struct backend bpf_backend = { .name = "bpf", .probe = probe };

#endif
