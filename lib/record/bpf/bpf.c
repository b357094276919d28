/* SPDX-License-Identifier: MIT */
/*
 * The backend that costs least: programs in the kernel (calls.bpf.c and others) write one record
 * for each call, switch, wake-up, fault and request, or count calls that are alike; this turns the
 * records into events.
 *
 * The traced threads never stop for us, so whatever a record does not hold is lost.
 */
#include "record/record.h"

static const char lacks[] = "what io_uring does with registered files or in rings that are polled";

#ifdef HAVE_BPF

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/bpf/cpu_counters.h"
#include "record/cgroup.h"
#include "record/callshape.h"
#include "record/stream/calls.h"
#include "record/stream/stream.h"
#include "recorder.skel.h"
#include "trace/syscalls.h"
#include "util/xalloc.h"

/* One recording. */
struct bpf {
	struct recorder *program;
	struct stream stream;
	struct cpu_counters counters;
	bool stays; /* when there is no process: more may come into the control group */
};

/* From the probe to the recording. */
static struct recorder *loaded;

/* ---- the programs in the kernel ---- */

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

static void fill_shapes(struct recorder *p)
{
	const enum abi abis[RECORD_ABIS] = { syscall_native_abi(), ABI_I386 };

	for (size_t i = 0; i < RECORD_ABIS; i++)
		for (unsigned n = 0; n < RECORD_CALLS; n++)
			*(struct record_shape *)&p->rodata->shapes[i][n] =
			    *callshape_get(syscall_by_number(abis[i], n));
}

/* The number of arguments of a tracepoint; 0: this kernel lacks it. */
static unsigned arguments_of(const struct btf *kernel, const char *tracepoint)
{
	char name[64];

	snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	int id = btf__find_by_name_kind(kernel, name, BTF_KIND_TYPEDEF);
	const struct btf_type *t = id > 0 ? btf__type_by_id(kernel, (unsigned)id) : NULL;
	while (t && (btf_is_typedef(t) || btf_is_ptr(t)))
		t = btf__type_by_id(kernel, t->type);
	/* The first parameter is not the tracepoint's: it is a pointer of whoever attached. */
	return t && btf_is_func_proto(t) && btf_vlen(t) ? btf_vlen(t) - 1u : 0;
}

/* Loads what sees operations of io_uring where the kernel has its tracepoints, and uses casts where
 * it has them (6.2). */
static void find_features(struct recorder *p)
{
	enum { WITH_ENTRY = 3, WITH_MEMBERS = 5 };
	struct btf *kernel = btf__load_vmlinux_btf();
	unsigned n = kernel ? arguments_of(kernel, "io_uring_complete") : 0;
	bool found = kernel && arguments_of(kernel, "io_uring_submit_req") &&
		     (n == WITH_ENTRY || n >= WITH_MEMBERS);

	p->rodata->has_casts =
	    kernel && btf__find_by_name_kind(kernel, "bpf_rdonly_cast", BTF_KIND_FUNC) > 0;
	p->rodata->completion_has_entry = n == WITH_ENTRY;
	bpf_program__set_autoload(p->progs.on_operation, found);
	bpf_program__set_autoload(p->progs.on_completion, found);
	btf__free(kernel);
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
	bpf_program__set_autoattach(p->progs.show_wakeups, false);
	bpf_program__set_autoattach(p->progs.show_open, false);
	bpf_program__set_autoattach(p->progs.on_turn, false);
	fill_shapes(p);
	find_features(p);
	uint32_t ncpus = (uint32_t)libbpf_num_possible_cpus();
	if (!bpf_map__set_max_entries(p->maps.rings, ncpus) &&
	    !bpf_map__set_max_entries(p->maps.events, ncpus * RECORD_EVENTS) && !recorder__load(p))
		return p;
	int why = errno;
	recorder__destroy(p);
	errno = why;
	return NULL;
}

static int probe(struct error *reason)
{
	enum {
		INITIAL_PID_NAMESPACE = 0xEFFFFFFC, /* its inode, always */
		FILES = 192,			    /* programs, their links, maps, and all else */
	};
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
	if (files_allow(FILES + 2 * (size_t)libbpf_num_possible_cpus(), "BPF", reason))
		return -1;
	loaded = load();
	if (loaded)
		return 0;
	int why = errno;
	error_set(reason, "BPF: the kernel refused the programs: %s%s", strerror(why),
		  geteuid() ? " (be root, or have CAP_BPF and CAP_PERFMON)" : "");
	errno = why;
	return -1;
}

/* What is recorded besides processes. */
static void choose_programs(struct recorder *p, const struct record_target *t)
{
	struct bpf_program *const calls[] = { p->progs.on_enter, p->progs.on_exit,
					      p->progs.on_signal };
	struct bpf_program *const others[] = {
		p->progs.on_switch,	   p->progs.on_wake,	    p->progs.on_interrupt,
		p->progs.on_interrupt_end, p->progs.on_timer,	    p->progs.on_timer_end,
		p->progs.on_softirq,	   p->progs.on_softirq_end, p->progs.on_fault,
		p->progs.on_issue,	   p->progs.on_complete,    p->progs.on_operation,
		p->progs.on_completion,
	};

	bpf_program__set_autoattach(p->progs.on_run, t->aggregate || t->take_usage);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		bpf_program__set_autoattach(calls[i], t->aggregate || !t->take_usage);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		bpf_program__set_autoattach(others[i], !t->aggregate && !t->take_usage);
}

/* Runs an iterator over all tasks, and takes each piece of `size` bytes that it writes. */
static void iterate(struct bpf_program *program, size_t size,
		    void (*take)(void *arg, const void *piece), void *arg)
{
	struct bpf_link *link = bpf_program__attach_iter(program, NULL);
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	struct record_call piece; /* aligned, and the largest */

	while (fd >= 0 && read(fd, &piece, size) == (ssize_t)size)
		take(arg, &piece);
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
}

static void take_past(void *arg, const void *piece)
{
	follower_past(arg, piece);
}

static void take_wakeups(void *arg, const void *piece)
{
	follower_woke(arg, piece);
}

static void take_call(void *arg, const void *piece)
{
	follower_handle(arg, piece);
}

/* Who wants to know the calls that have not ended. */
struct open_taker {
	const struct follower *follower;
	pairing_emit *take;
	void *arg;
};

static void take_open(void *arg, const void *piece)
{
	const struct open_taker *t = arg;
	struct event e;

	if (calls_open(t->follower, piece, &e))
		t->take(t->arg, &e);
}

/* For tallies.h. */
static bool take_tally(void *arg, const struct record_kind *kind, struct record_tally *tally,
		       bool keep)
{
	const struct bpf *b = arg;
	int tallies = bpf_map__fd(b->program->maps.tallies);

	return keep ? !bpf_map_lookup_elem(tallies, kind, tally)
		    : !bpf_map_lookup_and_delete_elem(tallies, kind, tally);
}

/* Stacks take more room than all else. */
static int open_rings(struct bpf *b, size_t n, bool stacks)
{
	int *fds = xcalloc(n, sizeof(*fds)), outer = bpf_map__fd(b->program->maps.rings);
	uint32_t *cpus = xcalloc(n, sizeof(*cpus)), made = 0, stored;
	size_t bytes = rings_size(n) * (stacks ? 4 : 1);

	for (; made < n; made++) {
		cpus[made] = made;
		fds[made] = bpf_map_create(BPF_MAP_TYPE_RINGBUF, NULL, 0, 0, (uint32_t)bytes, NULL);
		if (fds[made] < 0)
			break;
	}
	stored = made;
	/* One by one the kernel would wait for all CPUs after each. */
	int failed = made < n || bpf_map_update_batch(outer, cpus, fds, &stored, NULL) ||
		     rings_open(&b->stream.rings, &bpf_ring, fds, n, bytes);
	int why = errno;
	while (made-- > 0)
		close(fds[made]);
	free(cpus);
	free(fds);
	errno = why;
	return failed;
}

/* Returns the values of a counter by CPU, which the caller frees. */
static uint64_t *counted_by_cpu(const struct bpf *b, enum record_counter which)
{
	uint64_t *values = xcalloc((size_t)libbpf_num_possible_cpus(), sizeof(*values));
	uint32_t key = which;

	bpf_map_lookup_elem(bpf_map__fd(b->program->maps.counters), &key, values);
	return values;
}

/* Returns the sum of a counter over all CPUs. */
static uint64_t counted(const struct bpf *b, enum record_counter which)
{
	uint64_t *values = counted_by_cpu(b, which), sum = 0;

	for (size_t i = 0; i < (size_t)libbpf_num_possible_cpus(); i++)
		sum += values[i];
	free(values);
	return sum;
}

/* Earlier recordings of this process have counted, too. */
static void reset_counters(const struct bpf *b)
{
	uint64_t *zeros = xcalloc((size_t)libbpf_num_possible_cpus(), sizeof(*zeros));

	for (uint32_t which = 0; which < COUNTERS; which++)
		bpf_map_update_elem(bpf_map__fd(b->program->maps.counters), &which, zeros, BPF_ANY);
	free(zeros);
}

/* ---- the backend ---- */

static int refused(struct error *e, pid_t pid)
{
	return error_set(e, "process %d cannot be followed: %s", pid, strerror(errno));
}

/* For stream.h: the command, whose only thread is not inside of a call that matters. */
static int follow_command(void *arg, pid_t pid, struct error *e)
{
	const struct bpf *b = arg;
	int states = bpf_map__fd(b->program->maps.states);
	void *zero = xcalloc(1, bpf_map__value_size(b->program->maps.states));
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	int failed = fd < 0 || bpf_map_update_elem(states, &fd, zero, BPF_ANY);
	int why = errno;

	if (fd >= 0)
		close(fd);
	free(zero);
	errno = why;
	return failed ? refused(e, pid) : 0;
}

/* The same for a thread that runs: it gets its state from the iterator. */
static int follow_running(void *arg, pid_t tid, struct error *e)
{
	const struct bpf *b = arg;
	char one = 1;

	/* Only those that are processes are looked for there. */
	return bpf_map_update_elem(bpf_map__fd(b->program->maps.targets), &tid, &one, BPF_ANY)
		   ? refused(e, tid)
		   : 0;
}

/* Those that are in the control group, and those that come into it. */
static int attach_group(struct bpf *b, const char *path, struct error *e)
{
	struct cgroup_processes found = { 0 };
	uint64_t number = cgroup_number(path, e);
	uint32_t zero = 0;
	int failed = !number;

	if (number && bpf_map_update_elem(bpf_map__fd(b->program->maps.group), &zero, &number, 0))
		failed = error_set(e, "%s: %s", path, strerror(errno));
	b->stays = !failed;
	if (!failed)
		cgroup_list(path, &found);
	for (size_t i = 0; i < found.n && !failed; i++)
		failed = stream_attach(&b->stream, found.v[i], follow_running, b, e) &&
			 errno != ESRCH; /* it has ended meanwhile */
	vec_free(&found);
	return failed ? -1 : 0;
}

static void release(struct recording *r)
{
	struct bpf *b = r->state;

	recorder__detach(b->program);
	cpu_counters_end(&b->counters);
	stream_end(&b->stream);
	free(b->counters.names);
	free(b);
}

static int start(struct recording *r, const struct record_target *t, struct error *e)
{
	struct bpf *b = r->state = xcalloc(1, sizeof(*b));
	size_t ncpus = (size_t)libbpf_num_possible_cpus();

	b->program = loaded;
	reset_counters(b);
	follower_begin(&b->stream.follower, &r->sink, t->only, t->nonly, ncpus);
	b->stream.follower.tallies.take = take_tally;
	b->stream.follower.tallies.arg = b;
	b->program->bss->lets_go = false;
	b->program->bss->aggregates = t->aggregate;
	b->program->bss->takes_stacks = t->stacks;
	b->program->bss->ends_late = t->take_usage && !t->aggregate;
	choose_programs(b->program, t);
	b->stream.follower.sees_switches = !t->aggregate && !t->take_usage;
	b->stream.rare = t->take_usage && !t->aggregate;
	b->stream.follower.sees_operations =
	    !t->aggregate && bpf_program__autoload(b->program->progs.on_operation);
	r->sink.describe = fd_descriptions_find;
	r->sink.locate = fd_descriptions_locate;
	r->sink.describe_arg = &b->stream.follower.descriptions;
	b->stream.follower.stacks = t->stacks ? stacks_new() : NULL;
	int failed = open_rings(b, ncpus, t->stacks);
	if (failed)
		error_set(e, "BPF: no memory for the rings: %s (ulimit -v)", strerror(errno));
	else if ((failed = recorder__attach(b->program)))
		error_set(e, "BPF: %s", strerror(errno));
	if (t->stacks && !b->stream.follower.stacks) {
		errno = ENOSYS;
		failed = error_set(e, "stacks: this program was built without it (it needs libdw "
				      "of elfutils)");
	}
	if (!failed)
		failed = cpu_counters_begin(&b->counters, b->program, t, e);
	b->stream.follower.events = b->counters.names;
	if (!failed && t->path)
		failed = stream_launch(&b->stream, r, t, follow_command, b, e);
	for (size_t i = 0; i < t->npids && !failed; i++)
		failed = stream_attach(&b->stream, t->pids[i], follow_running, b, e);
	if (t->cgroup && !failed)
		failed = attach_group(b, t->cgroup, e);
	if (!t->path && !failed)
		iterate(b->program->progs.follow, sizeof(struct record_exit), take_past,
			&b->stream.follower);
	return failed ? -1 : 0;
}

static int poll(struct recording *r, struct error *e)
{
	struct bpf *b = r->state;

	cpu_counters_turn(&b->counters);
	int more = stream_poll(&b->stream, r, e);

	return more ? more : b->stays;
}

/* Compares what was read with what the programs counted. */
static void check_complete(struct bpf *b, struct sink *s)
{
	uint64_t *lost = counted_by_cpu(b, COUNTER_LOST);

	stream_end_losses(&b->stream, lost, counted(b, COUNTER_CALLS));
	free(lost);
	s->losses[LOST_UNTRACED_CHILD] += counted(b, COUNTER_STATE);
}

/* Operations of io_uring that have not completed. */
static void store_operations(struct bpf *b)
{
	int operations = bpf_map__fd(b->program->maps.operations);
	struct record_uring r;
	uint64_t request;

	while (!bpf_map_get_next_key(operations, NULL, &request)) {
		if (!bpf_map_lookup_elem(operations, &request, &r)) {
			r.head.type = RECORD_URING;
			r.head.time = r.begin;
			r.open = true;
			follower_handle(&b->stream.follower, &r.head);
		}
		if (bpf_map_delete_elem(operations, &request))
			break;
	}
}

static void settle(struct recording *r, pairing_emit *take, void *arg)
{
	struct bpf *b = r->state;
	struct open_taker taker = { &b->stream.follower, take, arg };

	follower_store_counted(&b->stream.follower, true);
	follower_show_open(&b->stream.follower, take, arg); /* parts of calls */
	iterate(b->program->progs.show_open, sizeof(struct record_call), take_open, &taker);
	/* A call that ended shortly before is not open, and its record is not due yet: a look at
	 * the rings hands out what was written before the look before it. */
	stream_drain(&b->stream, false);
	stream_drain(&b->stream, false);
}

static void stop(struct recording *r)
{
	struct bpf *b = r->state;

	cpu_counters_end(&b->counters);
	recorder__detach(b->program);
	stream_drain(&b->stream, true);
	follower_store_counted(&b->stream.follower, false);
	check_complete(b, &r->sink);
	store_operations(b);
	iterate(b->program->progs.show_wakeups, sizeof(struct record_exit), take_wakeups,
		&b->stream.follower);
	b->program->bss->lets_go = true;
	iterate(b->program->progs.show_open, sizeof(struct record_call), take_call,
		&b->stream.follower);
}

const struct backend bpf_backend = {
	"bpf", lacks, false, probe, start, poll, stop, release, settle
};

#else

#include <errno.h>

static int probe(struct error *reason)
{
	errno = ENOSYS;
	return error_set(reason,
			 "BPF: this program was built without it (it needs clang, bpftool and "
			 "libbpf)");
}

const struct backend bpf_backend = { .name = "bpf", .lacks = lacks, .probe = probe };

#endif
