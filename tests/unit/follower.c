/* SPDX-License-Identifier: MIT */
/* Records of threads that are followed become events, and what is missing between them is counted.
 */
#include "record/stream/follower.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/stream/fd_descriptions.h"
#include "record/stream/records.h"
#include "record/stream/stream.h"

#include "trace/syscalls.h"

#include "../tap.h"

static struct event wake, loss;
static int wakes, groups, addresses, calls[2]; /* whole, unfinished */
static char ends[64];			       /* of process 20 */
static char command[2 * RECORD_LONG];

static void take(void *arg, const struct event *e)
{
	(void)arg;
	groups += e->type == EVENT_CGROUP;
	addresses += e->type == EVENT_ADDRESS;
	if (e->type == EVENT_SYSCALL)
		calls[!!(e->call.flags & CALL_UNFINISHED)]++;
	if (e->type == EVENT_EXEC)
		snprintf(command, sizeof(command), "%s", e->exec.command);
	if (e->type == EVENT_LOST)
		loss = *e;
	if (e->type == EVENT_EXIT && e->pid == 20)
		snprintf(ends + strlen(ends), sizeof(ends) - strlen(ends), "%u:%d%s ", e->tid,
			 e->exit.status, e->exit.last ? " last" : "");
	if (e->type == EVENT_WAKE) {
		wake = *e;
		wakes++;
	}
}

static struct follower v;
static uint64_t now, lost[2]; /* records of each CPU */
static unsigned char cpu;

static void change(uint32_t tid, bool out, unsigned char state)
{
	const struct record_switch r = {
		.head = { .time = ++now,
			  .pid = 7,
			  .tid = tid,
			  .type = RECORD_SWITCH,
			  .cpu = cpu,
			  .lost = lost[cpu] },
		.out = out,
		.state = state,
	};

	follower_handle(&v, &r.head);
}

static void is_missing(const char *switches, uint64_t want)
{
	uint64_t before = v.sink->losses[LOST_SWITCHES];

	for (const char *c = switches; *c; c++)
		change(8, *c != 'i', *c == 'd' ? STATE_DEAD : STATE_SLEEPING);
	cmp_int((int64_t)(v.sink->losses[LOST_SWITCHES] - before), (int64_t)want,
		"of '%s' %" PRIu64 " missing", switches, want);
}

/* i: comes to a CPU; o: leaves it; d: and is dead. */
static void test_switches(void)
{
	is_missing("oioio", 0);
	is_missing("ioo", 1);
	is_missing("iioi", 1);
	is_missing("d", 0);
	is_missing("ioid", 0);
	is_missing("od", 1);
	*map_at(&v.unwanted, 7) = 1;
	is_missing("ioo", 0);
	map_remove(&v.unwanted, 7);
}

/* Switches among lost records are not missing, wherever the thread is seen next. */
static void test_lost_switches(void)
{
	is_missing("i", 0);
	lost[0]++;
	is_missing("i", 0);
	is_missing("oo", 1);
	cpu = 1;
	is_missing("io", 0);
	cpu = 0;
	is_missing("i", 0);
	uint64_t before = v.sink->losses[LOST_SWITCHES];
	is_missing("i", 1);
	lost[1]++;
	cpu = 1;
	change(8, true, STATE_SLEEPING);
	cmp_int((int64_t)v.sink->losses[LOST_SWITCHES], (int64_t)before,
		"lost on a CPU that is heard of later");
}

/* Records of another ring of a CPU may be older than what is known to be lost. */
static void test_losses_of_rings(void)
{
	cpu = 0;
	uint64_t before = v.sink->losses[LOST_RING_FULL];
	lost[0] += 5;
	change(8, false, 0);
	lost[0] -= 5;
	change(8, true, STATE_SLEEPING);
	lost[0] += 5;
	change(8, false, 0);
	cmp_int((int64_t)(v.sink->losses[LOST_RING_FULL] - before), 5, "a loss counts once");
	lost[0] = UINT32_MAX;
	change(8, true, STATE_SLEEPING);
	cmp_int((int64_t)(v.sink->losses[LOST_RING_FULL] - before), 5, "an older count is none");
	lost[0] = (unsigned)v.cpus[0].lost;
	change(8, false, 0);
}

/* A taker of events has no use for control groups, which are looked up in /proc. */
static void test_groups(void)
{
	struct event e = { .type = EVENT_EXEC, .pid = (uint32_t)getpid() };

	e.tid = e.pid;
	e.exec.command = "true";
	sink_store(v.sink, &e);
	cmp_int(groups, 0, "without a file no control groups");
}

/* In a file, a process is in the group of its parent until its last thread ends: the next one of
 * that number may be in another one. */
static void test_inherited_group(void)
{
	struct event fork = { .type = EVENT_FORK, .pid = 5, .tid = 5 };
	struct event exit = { .type = EVENT_EXIT, .pid = 6, .tid = 6 };
	struct sink sink;

	sink_begin(&sink, ktr_writer_new(-1, &(struct source_info){ 0 }, NULL), NULL, NULL);
	*map_at(&sink.groups, 5) = 1;
	fork.fork.child_pid = fork.fork.child_tid = 6;
	sink_store(&sink, &fork);
	sink_store(&sink, &exit);
	ok(map_find(&sink.groups, 6), "a process of several threads goes on in its group");
	exit.exit.last = true;
	sink_store(&sink, &exit);
	ok(!map_find(&sink.groups, 6), "which it leaves at its end");
	sink_end(&sink);
	ktr_writer_drop(sink.writer);
}

static enum fd_kind describe(void *arg, uint32_t pid, int fd, const char **name)
{
	(void)arg, (void)pid, (void)fd;
	if (name)
		*name = NULL;
	return FD_TCP;
}

static bool locate(void *arg, uint32_t pid, int fd, struct event *address)
{
	(void)arg, (void)pid, (void)fd, (void)address;
	return true;
}

/* A connection has addresses once there is one, be it still under way. */
static void test_addresses(void)
{
	static const struct {
		const char *call;
		int64_t result;
		int want;
	} cases[] = {
		{ "dup", 6, 0 },       { "accept4", 7, 1 },
		{ "connect", -99, 0 }, { "connect", -EINPROGRESS, 1 },
		{ "connect", 0, 1 },
	};
	struct sink sink;

	sink_begin(&sink, NULL, take, NULL);
	sink.describe = describe;
	sink.locate = locate;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct event e = { .type = EVENT_SYSCALL, .pid = 9, .tid = 9 };

		e.call.id = syscall_by_name(cases[i].call);
		e.call.args[0] = 5;
		e.call.result = cases[i].result;
		if (!i) /* the program came with it */
			sink_see_descriptor(&sink, 9, 9, 5);
		addresses = 0;
		sink_store(&sink, &e);
		cmp_int(addresses, cases[i].want, "%s = %d", cases[i].call, (int)cases[i].result);
	}
	sink_end(&sink);
}

static void call_record(uint16_t type, uint16_t number, int64_t result)
{
	const struct record_call r = {
		.head = { .time = now + 2, .pid = 9, .tid = 9, .type = type },
		.begin = now + 1,
		.number = number,
		.result = result,
		.args = { number },
	};

	now += 2;
	follower_handle(&v, &r.head);
}

static void call(uint16_t number, int64_t result)
{
	call_record(RECORD_CALL, number, result);
}

/* Both ends of a call: one of another call says nothing of it. */
static void test_returns(void)
{
	calls[0] = calls[1] = 0;
	call_record(RECORD_ENTRY, 1, 0);
	call_record(RECORD_RETURN, 2, 0);
	cmp_int(calls[0], 0, "the end of a call whose entry was lost");
	call_record(RECORD_RETURN, 1, 0);
	cmp_int(calls[0], 1, "and of one whose entry is known");
}

/* The flags that the kernel was given are in the fifth word: two of these say that it polls. */
static void test_polled_ring(void)
{
	static const uint64_t flags[] = { 1, 2, 6 };
	struct record_call r = { .head = { .pid = 9, .tid = 9, .type = RECORD_CALL },
				 .number = SYS_io_uring_setup };

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		r.args[4] = flags[i];
		r.head.time = r.begin = ++now;
		follower_handle(&v, &r.head);
	}
	cmp_int((int64_t)v.sink->losses[LOST_POLLED], 2, "rings that the kernel polls");
	r.result = -ENOMEM;
	follower_handle(&v, &r.head);
	cmp_int((int64_t)v.sink->losses[LOST_POLLED], 2, "and none that was not made");
}

/* A call that a signal interrupts has failed, unless nothing follows but the end of the thread. */
static void test_deadly_signal(void)
{
	const struct record_signal signal = { .head = { .pid = 9, .tid = 9, .type = RECORD_SIGNAL },
					      .handled = 1 };
	const struct record_exit end = {
		.head = { .time = now + 9, .pid = 9, .tid = 9, .type = RECORD_EXIT }, .last = 1
	};
	enum { RESTART = -512 };

	calls[0] = calls[1] = 0;
	call(1, RESTART);
	follower_handle(&v, &signal.head);
	call(2, 0); /* of the handler, which jumps */
	call(3, 0);
	call(4, RESTART);
	follower_handle(&v, &end.head);
	cmp_int(calls[0], 3, "calls that returned to the program");
	cmp_int(calls[1], 1, "and the one that the deadly signal interrupted");
}

/* Words behind those that a record has room for are missing, not a part of one. */
static void test_long_command(void)
{
	static const struct {
		unsigned bytes;
		size_t words; /* of 7 bytes and a NUL each */
		const char *end;
	} cases[] = { { 16, 2, "aaaaaaa" }, { 4096, 512, "aaaaaaa" }, { 4100, 512, "..." } };
	static struct record_exec r;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		r.head =
		    (struct record){ .time = ++now, .pid = 30, .tid = 30, .type = RECORD_EXEC };
		r.bytes = cases[i].bytes;
		for (size_t k = 0; k < sizeof(r.args); k++)
			r.args[k] = k % 8 < 7 ? 'a' : '\0';
		follower_handle(&v, &r.head);
		size_t want = cases[i].words * 8 - 1 + (*cases[i].end == '.' ? 4 : 0);
		cmp_int(strlen(command), want, "a command of %u bytes", r.bytes);
		is_string(command + strlen(command) - strlen(cases[i].end), cases[i].end,
			  "its end");
	}
	memset(r.args, 'a', sizeof(r.args));
	follower_handle(&v, &r.head);
	is_string(command, "...", "a command whose first word is too long");
}

static void is_born(uint32_t parent, uint32_t tid)
{
	const struct record_fork r = {
		.head = { .time = ++now, .pid = parent, .tid = parent, .type = RECORD_FORK },
		.child_pid = 20,
		.child_tid = tid,
	};

	follower_handle(&v, &r.head);
}

static void dies(uint32_t tid, int status, bool last)
{
	const struct record_exit r = {
		.head = { .time = ++now, .pid = 20, .tid = tid, .type = RECORD_EXIT },
		.status = status,
		.last = last,
	};

	follower_handle(&v, &r.head);
}

/* The first thread ends before another one, each with its status. */
static void test_leader(void)
{
	is_born(9, 20);
	is_born(20, 21);
	dies(20, 3 << 8, false);
	is_string(ends, "", "a first thread may have ended by the execve of another");
	dies(21, 0, true);
	is_string(ends, "20:768 21:0 last ", "or by itself, as is known in the end");
}

/* A path is looked up where it belongs to the file that the kernel told of. */
static void test_described(void)
{
	struct fd_descriptions d = { 0 };
	struct stat st;
	int fd = open("/", O_RDONLY | O_CLOEXEC);
	struct record_descriptor r = { .head = { .pid = (uint32_t)getpid() }, .fd = fd };
	const char *name = "";

	fstat(fd, &st);
	r.mode = st.st_mode;
	r.inode = st.st_ino;
	fd_descriptions_note(&d, &r);
	ok(fd_descriptions_find(&d, r.head.pid, fd, &name) == FD_DIRECTORY && name &&
	       !strcmp(name, "/"),
	   "the path of a descriptor");
	r.inode++;
	fd_descriptions_note(&d, &r);
	ok(fd_descriptions_find(&d, r.head.pid, fd, &name) == FD_DIRECTORY && !name,
	   "no path when another file took its number");
	close(fd);
}

/* What happens on top of the idle thread, which is no process, counts. */
static void test_idle(void)
{
	const struct record_wake r = {
		.head = { .time = ++now, .type = RECORD_WAKE, .cpu = 3 },
		.target = 8,
		.context = WAKE_IS_INTERRUPT,
	};

	follower_handle(&v, &r.head);
	ok(wakes == 1 && wake.wake.target == 8 && wake.wake.context == WAKE_INTERRUPT,
	   "a timer wakes a thread while no other runs");
	cmp_int(wake.wake.from, 4, "on the CPU that ran the interrupt");
	follower_launch(&v, 7);
	follower_handle(&v, &r.head);
	cmp_int(wakes, 2, "also when the command has not begun");
}

/* What a CPU lost at the end is missing since it was last heard of, however long others were idle.
 */
static void test_end_losses(void)
{
	cpu = 1;
	now += 100;
	change(8, true, STATE_SLEEPING);
	struct stream s = { .follower = v };
	uint64_t all[2] = { lost[0], lost[1] + 3 }, before = v.sink->losses[LOST_RING_FULL];
	s.follower.calls = 11;
	stream_end_losses(&s, all, 11);
	cmp_int((int64_t)(v.sink->losses[LOST_RING_FULL] - before), 3, "the rest is lost");
	cmp_int(loss.time, follower_time(&v, now), "since the CPU was heard of that lost it");
	cmp_int((int64_t)v.sink->losses[LOST_UNKNOWN], 0,
		"of as many calls as ended none is missing");
	stream_end_losses(&s, all, 18);
	cmp_int((int64_t)v.sink->losses[LOST_UNKNOWN], 7,
		"those that no record tells of are missing");
	stream_end_losses(&s, all, 0);
	cmp_int((int64_t)v.sink->losses[LOST_UNKNOWN], 7,
		"none is where the kernel counts no calls");
}

int main(void)
{
	struct sink sink;

	sink_begin(&sink, NULL, take, NULL);
	now = (uint64_t)sink.start;
	follower_begin(&v, &sink, NULL, 0, 2);
	test_idle();
	v.launching = 0;
	test_switches();
	test_lost_switches();
	test_losses_of_rings();
	test_groups();
	test_inherited_group();
	test_addresses();
	test_returns();
	test_polled_ring();
	test_end_losses();
	test_deadly_signal();
	test_long_command();
	test_leader();
	test_described();
	follower_end(&v);
	sink_end(&sink);
	return done_testing();
}
