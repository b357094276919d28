/* SPDX-License-Identifier: MIT */
/* Tests of what the views of ktranal are made of: tallies, order of time, processes, calls as text.
 */
#include "view/callrow.c"
#include "view/family.h"
#include "view/processes.c"
#include "view/selection.h"
#include "trace/reorder.h"
#include "view/tally.c"

#include <signal.h>
#include <sys/mman.h>

#include "../tap.h"

/* xorshift64 */
static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static struct event call(const char *name, int64_t time, int64_t duration, int64_t result)
{
	return (struct event){
		.type = EVENT_SYSCALL,
		.pid = 10,
		.tid = 11,
		.time = time,
		.call = { .id = syscall_by_name(name), .duration = duration, .result = result }
	};
}

/* What flags_text() says of an argument; "": nothing. */
static const char *flags(const char *name, unsigned argument, uint64_t value)
{
	const char *text = flags_text(syscall_native_abi(), syscall_by_name(name), argument, value);

	return text ? text : "";
}

static void test_flags(void)
{
	is_string(flags("open", 1, O_CLOEXEC | O_NOCTTY), "O_RDONLY|O_NOCTTY|O_CLOEXEC",
		  "how a file is opened is named where it is 0");
	is_string(flags("openat", 2, O_TMPFILE | O_RDWR), "O_RDWR|O_TMPFILE",
		  "a name of several bits stands for all of them");
	is_string(flags("mprotect", 2, 0), "PROT_NONE", "no flag, which has a name");
	is_string(flags("dup3", 2, 0), "0", "no flag, which has none");
	is_string(flags("mmap", 3, MAP_SHARED_VALIDATE | 0x40000000),
		  "MAP_SHARED_VALIDATE|0x40000000", "a number in some bits, an unknown flag");
	is_string(flags("clone", 0, 0x01200000 | SIGCHLD),
		  "SIGCHLD|CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID", "the signal of a clone");
	is_string(flags("kill", 1, 0), "0", "no signal");
	is_string(flags("rt_sigprocmask", 0, 0), "SIG_BLOCK", "a command");
	is_string(flags("fcntl", 1, 0), "F_DUPFD", "names of one letter that others end with");
	if (syscall_native_abi() == ABI_X86_64) {
		is_string(flags_text(ABI_ARM64, syscall_by_name("openat"), 2, 0200001),
			  "O_WRONLY|O_DIRECT", "O_DIRECT of arm64");
		is_string(flags_text(ABI_ARM64, syscall_by_name("openat"), 2, 02140000),
			  "O_RDONLY|O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC",
			  "its O_DIRECTORY and O_NOFOLLOW");
	}
	for (uint64_t i = 0; i < 5000; i++) /* more than are kept */
		flags("ioctl", 1, 1000000 + i);
	is_string(flags("ioctl", 1, 1000000), "0xf4240", "a number that was forgotten");
	is_string(flags("access", 1, 4), "R_OK", "and those themselves");
	is_string(flags("lseek", 2, 77), "0x4d", "an unknown command");
	is_string(flags("futex", 1, 9 | 128 | 256),
		  "FUTEX_WAIT_BITSET|FUTEX_PRIVATE_FLAG|"
		  "FUTEX_CLOCK_REALTIME",
		  "a command with flags");
	is_string(flags("read", 2, 1), "", "a number that has no names");
	is_string(flags("openat", 2, (uint64_t)1 << 40), "", "more than 32 bits");
}

static void test_tally(void)
{
	enum { CALLS = 10007 };
	struct tally t = { 0 };
	double sum = 0, squares = 0;
	static double values[CALLS];

	struct event none = call("read", 0, -1, -2);
	tally_add(&t, &none);
	ok(t.calls == 1 && t.errors == 1 && isnan(tally_seconds(&t, TALLY_TOTAL)) &&
	       isnan(tally_seconds(&t, TALLY_MIN)) && isnan(tally_seconds(&t, TALLY_MEAN)) &&
	       isnan(tally_seconds(&t, TALLY_P50)),
	   "a call without a duration has no time, but counts");
	/* Far from 0 and close together: the sum of squares would cancel. */
	for (int i = 0; i < CALLS; i++) {
		struct event e =
		    call("read", 0, (int64_t)1e12 + (int64_t)(next_random() % 1000), 1);

		values[i] = (double)e.call.duration;
		sum += values[i];
		tally_add(&t, &e);
		if (i == 0)
			ok(isnan(tally_seconds(&t, TALLY_DEVIATION)), "one value has no deviation");
	}
	for (int i = 0; i < CALLS; i++)
		squares += (values[i] - sum / CALLS) * (values[i] - sum / CALLS);
	ok(t.calls == CALLS + 1 && t.timed == CALLS && t.errors == 1, "counts");
	cmp_near(tally_seconds(&t, TALLY_TOTAL), sum * 1e-9, 1e-12, "total");
	cmp_near(tally_seconds(&t, TALLY_MEAN), sum / CALLS * 1e-9, 1e-12, "mean");
	cmp_near(tally_seconds(&t, TALLY_DEVIATION), sqrt(squares / (CALLS - 1)) * 1e-9, 1e-6,
		 "deviation");
	ok(tally_seconds(&t, TALLY_MIN) >= 1e3 && tally_seconds(&t, TALLY_MAX) < 1e3 + 1e-6 &&
	       tally_seconds(&t, TALLY_MIN) < tally_seconds(&t, TALLY_MAX),
	   "extremes");
	ok(tally_seconds(&t, TALLY_P50) >= tally_seconds(&t, TALLY_MIN) &&
	       tally_seconds(&t, TALLY_P99) <= tally_seconds(&t, TALLY_MAX),
	   "quantiles stay between the extremes");
	tally_free(&t);
}

/* Events that stand for several calls are those calls. */
static void test_tally_of_several(void)
{
	static const struct {
		int64_t duration;
		uint64_t n;
	} calls[] = { { 100, 3 }, { 5000, 1 }, { 200, 7 }, { 100, 2 }, { -1, 5 } };
	struct tally one = { 0 }, several = { 0 };

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct event e = call("read", 0, calls[i].duration, -1);

		for (uint64_t k = 0; k < calls[i].n; k++)
			tally_add(&one, &e);
		e.call.more = calls[i].n - 1;
		tally_add(&several, &e);
	}
	ok(several.calls == 18 && several.errors == 18 && several.timed == 13, "counts of several");
	for (enum tally_time which = TALLY_TOTAL; which <= TALLY_P99; which++)
		cmp_near(tally_seconds(&several, which), tally_seconds(&one, which), 1e-12,
			 "statistic %d of several", (int)which);
	tally_free(&one);
	tally_free(&several);
}

/* Rows end in the order in which they are pushed, and began up to spread earlier.  Some are long.
 */
static uint64_t run_order(size_t window, int64_t spread, unsigned *wrong)
{
	enum { ROWS = 20011 };
	char *longer = xasprintf("%0*d", 100000, 1);
	struct reorder o = { .window = window };
	struct callrow_pool pool = { 0 };
	struct callrow *row;
	int64_t last = INT64_MIN;
	uint64_t late = 0, out = 0;

	for (int64_t i = 0; i < ROWS + 1; i++) {
		if (i < ROWS) {
			int64_t duration = (int64_t)(next_random() % (uint64_t)spread);
			struct event e = call("read", i * 10 - duration, duration, 0);
			const char *const texts[CALLROW_TEXTS] = { "program", i % 1000 == 7
										  ? longer
										  : "arguments" };

			row = callrow_new(&pool, &e, texts);
			reorder_push(&o, row->time, (uint64_t)i, row->size, row);
		}
		while ((row = reorder_pop(&o, i == ROWS))) {
			late += row->time < last;
			if (row->time > last)
				last = row->time;
			*wrong += strcmp(callrow_text(row, CALLROW_PROGRAM), "program") ||
				  (strcmp(callrow_text(row, CALLROW_ARGUMENTS), "arguments") &&
				   strcmp(callrow_text(row, CALLROW_ARGUMENTS), longer));
			out++;
			callrow_free(&pool, row);
		}
	}
	*wrong += out != ROWS || late != o.late;
	reorder_free(&o);
	callrow_pool_free(&pool);
	free(longer);
	return late;
}

static void test_order(void)
{
	unsigned wrong = 0;

	cmp_int(run_order(SIZE_MAX, 100000, &wrong), 0, "a window for all: the order is right");
	cmp_int(run_order(1 << 20, 10000, &wrong), 0, "a window for the longest call: it still is");
	uint64_t late = run_order(1000, 100000, &wrong);
	ok(late > 0, "a small window: %llu rows are late", (unsigned long long)late);
	cmp_int(wrong, 0, "and counted, no row is lost or damaged");
}

static void test_processes(void)
{
	struct processes p = { 0 };
	struct event e = { .type = EVENT_SYSCALL, .pid = 10 };

	processes_begin(&p, "'/opt/my server/bin/my server' -f x");
	cmp_int(processes_event(&p, &e), 0, "the first process");
	is_string(processes_name(&p, 0), "my server", "takes the name of the command");
	e = (struct event){ .type = EVENT_FORK, .pid = 10, .fork = { 11, 11, false } };
	processes_event(&p, &e);
	e = (struct event){ .type = EVENT_SYSCALL, .pid = 11 };
	is_string(processes_name(&p, processes_event(&p, &e)), "my server", "a child inherits it");
	e = (struct event){ .type = EVENT_EXEC, .pid = 11, .exec.command = "/bin/ls -l" };
	cmp_int(processes_event(&p, &e), 1, "exec keeps the process");
	is_string(processes_name(&p, 1), "ls", "and changes the name");
	e = (struct event){ .type = EVENT_FORK, .pid = 10, .fork = { 10, 12, false } };
	processes_event(&p, &e);
	cmp_int(p.n, 2, "a thread is no process");
	e = (struct event){ .type = EVENT_FORK, .pid = 10, .fork = { 11, 11, false } };
	processes_event(&p, &e);
	e = (struct event){ .type = EVENT_SYSCALL, .pid = 11 };
	cmp_int(processes_event(&p, &e), 2, "a pid that is used again is another process");
	is_string(processes_name(&p, 1), "ls", "the earlier one keeps its name");
	processes_begin(&p, "");
	cmp_int(processes_event(&p, &e), 3, "another trace, other processes");
	is_string(processes_name(&p, 3), "", "of unknown name");
	e = (struct event){ .type = EVENT_COMM, .pid = 11, .tid = 12, .comm = { "worker" } };
	processes_event(&p, &e);
	is_string(processes_name(&p, 3), "", "which is not that of a thread");
	e.tid = 11;
	processes_event(&p, &e);
	is_string(processes_name(&p, 3), "worker", "but of the first thread");
	processes_free(&p);
}

static void test_merge(void)
{
	enum { CALLS = 5003, PARTS = 5 };
	static const int64_t least[PARTS - 1] = { 1000000, 500, 2000000,
						  700 }; /* the last is empty */
	struct tally parts[PARTS] = { 0 }, whole = { 0 }, sum = { 0 };

	for (int i = 0; i < CALLS; i++) {
		int64_t duration = (int64_t)(next_random() % 1000) + least[i % (PARTS - 1)];
		struct event e = call("read", 0, duration, i % 7 ? 1 : -2);

		tally_add(&whole, &e);
		tally_add(&parts[i % (PARTS - 1)], &e);
	}
	for (int i = 0; i < PARTS; i++)
		tally_merge(&sum, &parts[i]);
	ok(sum.calls == whole.calls && sum.errors == whole.errors && sum.timed == whole.timed &&
	       sum.min == whole.min && sum.max == whole.max,
	   "the calls of several tallies");
	for (int t = TALLY_TOTAL; t <= TALLY_P99; t++)
		cmp_near(tally_seconds(&sum, t), tally_seconds(&whole, t), 1e-12,
			 "their statistics: %d", t);
	for (int i = 0; i < PARTS; i++)
		tally_free(&parts[i]);
	tally_free(&sum);
	tally_free(&whole);
}

static void test_descent(void)
{
	const char *roots[] = { "worker", "12" };
	struct processes p = { .roots = { roots, 2, 0 } };
	static const struct event events[] = {
		{ .type = EVENT_EXEC, .pid = 10, .tid = 10, .exec.command = "/bin/main" },
		{ .type = EVENT_FORK, .pid = 10, .tid = 10, .fork = { 11, 11, false } },
		{ .type = EVENT_FORK, .pid = 10, .tid = 10, .fork = { 12, 12, false } },
		{ .type = EVENT_EXEC, .pid = 11, .tid = 11, .exec.command = "/bin/worker -x" },
		{ .type = EVENT_FORK, .pid = 11, .tid = 11, .fork = { 13, 13, false } },
		{ .type = EVENT_EXEC, .pid = 13, .tid = 13, .exec.command = "/bin/other" },
		{ .type = EVENT_ATTACH, .pid = 20, .tid = 20, .attach = { 12 } },
		{ .type = EVENT_ATTACH, .pid = 12, .tid = 12, .attach = { 20 } },
		{ .type = EVENT_ATTACH, .pid = 21, .tid = 21, .attach = { 20 } },
		{ .type = EVENT_ATTACH, .pid = 30, .tid = 30, .attach = { 31 } },
		{ .type = EVENT_ATTACH, .pid = 31, .tid = 31, .attach = { 30 } },
		{ .type = EVENT_ATTACH, .pid = 30, .tid = 30, .attach = { 31 } },
		{ .type = EVENT_COMM, .pid = 20, .tid = 20, .comm = { "named" } },
		{ .type = EVENT_COMM, .pid = 20, .tid = 21, .comm = { "thread" } },
	};
	static const struct {
		size_t parent;
		bool within;
	} want[] = { { 0, false }, { 1, true }, { 1, true },  { 2, true },
		     { 3, true },  { 5, true }, { 0, false }, { 7, false } };

	processes_begin(&p, "");
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		processes_event(&p, &events[i]);
	cmp_int(p.n, 8, "processes");
	for (size_t i = 0; i < p.n; i++)
		ok(p.v[i].parent == want[i].parent && p.v[i].within == want[i].within,
		   "parent and subtree of %u", p.v[i].pid);
	is_string(processes_name(&p, 4), "named", "the name of the first thread is the process's");
	struct event wake = { .type = EVENT_WAKE, .pid = 99, .tid = 99 };
	ok(!processes_own(&wake) && processes_own(&events[0]), "a waker may be any process");
	processes_free(&p);
}

/* The same numbers on two hosts are two processes, which -p and --subtree tell apart. */
static void test_hosts(void)
{
	enum { OTHER = 1 << HOST_SHIFT };
	const char *roots[] = { "web:10" }, *both[] = { "11" };
	struct processes p = { .roots = { roots, 1, 0 } };
	const struct selection pids = { .processes = { both, 1, 0 } };
	static const struct event events[] = {
		{ .type = EVENT_HOST, .host = { 0, "client" } },
		{ .type = EVENT_HOST, .host = { 1, "web" } },
		{ .type = EVENT_EXEC, .pid = 10, .tid = 10, .exec.command = "/bin/curl" },
		{ .type = EVENT_EXEC,
		  .pid = OTHER + 10,
		  .tid = OTHER + 10,
		  .exec.command = "nginx" },
		{ .type = EVENT_FORK, .pid = 10, .tid = 10, .fork = { 11, 11, false } },
		{ .type = EVENT_FORK,
		  .pid = OTHER + 10,
		  .fork = { OTHER + 11, OTHER + 11, false } },
		{ .type = EVENT_SWITCH, .pid = OTHER, .tid = OTHER },
		{ .type = EVENT_CLOCK },
	};
	static const size_t want[] = { SIZE_MAX, SIZE_MAX, 0, 1, 0, 1, SIZE_MAX, SIZE_MAX };
	char id[PROCESSES_ID];

	processes_begin(&p, "");
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		ok(processes_event(&p, &events[i]) == want[i], "the process of event %zu", i);
	cmp_int(p.n, 4, "processes: none of CPUs that idle or of clocks");
	is_string(processes_id(&p, 0, 10, id), "client:10", "with its host");
	is_string(processes_id(&p, 3, OTHER + 11, id), "web:11", "and the other");
	ok(!p.v[0].within && p.v[1].within && !p.v[2].within && p.v[3].within, "web:10's subtree");
	ok(!selection_has_process(&pids, &p, 1) && selection_has_process(&pids, &p, 2) &&
	       selection_has_process(&pids, &p, 3),
	   "a number alone means those of all hosts");
	processes_begin(&p, "");
	processes_event(&p, &events[2]);
	is_string(processes_id(&p, 4, 10, id), "10", "a trace of one host does not name it");
	processes_free(&p);
}

/* The two ends of a connection are one channel, whatever names a source gives them. */
static void test_channels(void)
{
	static const struct {
		const char *name;
		enum fd_kind kind;
	} ends[] = {
		{ "pipe:#1", FD_PIPE },
		{ "unix:#1->#2", FD_UNIX },
		{ "unix:#2->#1", FD_UNIX },
		{ "UNIX:[7->8]", FD_UNIX },
		{ "UNIX:[8->7,\"/x\"]", FD_UNIX },
		{ "TCPv6:[[::1]:80->[::1]:5000]", FD_TCP },
		{ "TCPv6:[[::1]:5000->[::1]:80]", FD_TCP },
		{ "socket:[9]", FD_SOCKET },
		{ "", FD_PIPE },
		{ "/etc/passwd", FD_FILE },
	};
	struct family f = { 0 };
	struct processes p = { 0 };

	for (uint32_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct event e = { .type = EVENT_FD,
				   .pid = 10,
				   .tid = 10,
				   .fd = { i + 1, ends[i].kind, ends[i].name } };

		family_event(&f, &p, processes_event(&p, &e), &e);
	}
	char *all = names_join(&f.channels, " ");
	is_string(all, "pipe:#1 unix:#1-#2 unix:7-8 tcp:[::1]:5000-[::1]:80 socket:[9] pipe:@9",
		  "names of channels");
	free(all);
	/* The two ends of a connection of which the recorder tells addresses. */
	for (uint16_t i = 0; i < 2; i++) {
		struct address http = { 4, { 192, 0, 2, 1 }, 80 },
			       other = { 4, { 192, 0, 2, 7 }, 5000 };
		struct event e = { .type = EVENT_ADDRESS,
				   .pid = 10,
				   .tid = 10,
				   .address = { 20 + i, i ? http : other, i ? other : http } };

		family_event(&f, &p, processes_event(&p, &e), &e);
		is_string(f.channels.v[f.channels.n - 1], "tcp:192.0.2.1:80-192.0.2.7:5000",
			  "both ends are one channel");
	}
	family_free(&f);
	processes_free(&p);
}

enum { SERVER = 10, THREAD = 19, CHILD = 20, SOCKET = 5, OTHER_SOCKET = 6 };

static void happens(struct family *f, struct processes *p, struct event e)
{
	family_event(f, p, processes_event(p, &e), &e);
}

static struct event transfer(uint32_t pid, const char *name, uint32_t object, int64_t result)
{
	struct event e = call(name, 0, 0, result);

	e.pid = e.tid = pid;
	e.call.object = object;
	e.call.kind = FD_UNIX;
	return e;
}

static struct event birth(uint32_t tid, uint32_t child_pid, uint32_t child_tid)
{
	return (struct event){ .type = EVENT_FORK,
			       .pid = SERVER,
			       .tid = tid,
			       .fork = { child_pid, child_tid, false } };
}

/* A server reads a request and answers; then a thread of it creates a process.  The cause is who
 * wrote the request, if there is but one who may have. */
static void test_causes(void)
{
	for (uint32_t clients = 1; clients <= 2; clients++) {
		struct family f = { 0 };
		struct processes p = { 0 };
		struct event e = { .type = EVENT_FD, .pid = SERVER, .tid = SERVER };

		e.fd.kind = FD_UNIX;
		e.fd.object = SOCKET;
		e.fd.name = "unix:#1->#2";
		happens(&f, &p, e);
		e.fd.object = OTHER_SOCKET;
		e.fd.name = "unix:#3->#4";
		happens(&f, &p, e);
		for (uint32_t i = 1; i <= clients; i++) {
			happens(&f, &p, birth(SERVER, SERVER + i, SERVER + i));
			happens(&f, &p, transfer(SERVER + i, "write", SOCKET, 7));
		}
		happens(&f, &p, transfer(SERVER, "read", SOCKET, 7));
		happens(&f, &p, transfer(SERVER, "write", SOCKET, 7));
		happens(&f, &p, transfer(SERVER, "read", OTHER_SOCKET, 0)); /* its end */
		happens(&f, &p, birth(SERVER, SERVER, THREAD));
		happens(&f, &p, birth(THREAD, CHILD, CHILD));
		family_sum(&f, &p);
		size_t child = processes_find(&p, CHILD);
		is_string(f.lives.v[child].after ? f.channels.v[f.lives.v[child].after - 1] : "",
			  "unix:#1-#2", "a process is created after what was read last");
		ok(family_cause(&f, &p, child) == (clients == 1 ? 1 : SIZE_MAX),
		   "its cause, if %u wrote that besides the server", clients);
		family_free(&f);
		processes_free(&p);
	}
}

static void test_call_text(void)
{
	struct object_names objects = { 0 };
	struct event e = { .type = EVENT_FD, .fd = { 5, FD_FILE, "/etc/passwd" } },
		     nameless = { .type = EVENT_FD, .fd = { 6, FD_FILE, "" } };
	static const struct {
		const char *call, *want;
		unsigned flags;
		int64_t result;
	} results[] = {
		{ "read", "1024", 0, 1024 },
		{ "read", "-1 EAGAIN", 0, -11 },
		{ "read", "-1 (errno 4000)", 0, -4000 },
		{ "read", "?", CALL_UNFINISHED, 0 },
		{ "mmap", "0x7f0000001000", 0, 0x7f0000001000 },
		{ "mmap", "-1 ENOMEM", 0, -12 },
	};
	char out[RESULT_MAX];

	object_names_event(&objects, &e);
	object_names_event(&objects, &nameless);
	e = call("read", 0, 1, 1024);
	e.call.args[0] = 3;
	e.call.args[1] = 0x7fff0000;
	e.call.args[2] = 4096;
	e.call.object = 5;
	e.call.kind = FD_FILE;
	struct text s = { 0 };
	arguments_put(&s, &objects, syscall_native_abi(), &e);
	is_string(s.v, "3</etc/passwd>, ..., 4096", "descriptor, pointer, size");
	s.n = 0;
	e.call.object = 6;
	arguments_put(&s, &objects, syscall_native_abi(), &e);
	is_string(s.v, "3<file>, ..., 4096", "an object without a name shows its kind");
	for (int udp = 0; udp < 2; udp++) {
		struct event fd = { .type = EVENT_FD,
				    .fd = { 7, udp ? FD_UDP : FD_TCP, "socket:[1]" } },
			     ends = { .type = EVENT_ADDRESS,
				      .address = { 7,
						   { 4, { 192, 0, 2, 1 }, 80 },
						   { 4, { 192, 0, 2, 7 }, 5000 } } };

		object_names_event(&objects, &fd);
		object_names_event(&objects, &ends);
		ends.address.remote.length = 0;
		object_names_event(&objects, &ends);
		e.call.object = 7;
		is_string(object_names_find(&objects, &e),
			  udp ? "udp:[192.0.2.1:80->192.0.2.7:5000]"
			      : "tcp:[192.0.2.1:80->192.0.2.7:5000]",
			  "a connection is named by its addresses, if both are known");
	}
	s.n = 0;
	e = call("openat", 0, 1, 3);
	e.call.args[0] = (uint64_t)AT_FDCWD;
	e.call.args[2] = O_CREAT | O_WRONLY;
	e.call.args[3] = 0644;
	e.call.path = "/tmp/x";
	arguments_put(&s, &objects, syscall_native_abi(), &e);
	is_string(s.v, "AT_FDCWD, \"/tmp/x\", O_WRONLY|O_CREAT, 0644",
		  "directory, path, flags, mode");
	s.n = 0;
	e.call.text = "as it was";
	arguments_put(&s, &objects, syscall_native_abi(), &e);
	is_string(s.v, "as it was", "text of the source comes first");
	s.n = 0;
	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
		is_string(result_format(out, syscall_by_name(results[i].call), results[i].flags,
					results[i].result),
			  results[i].want, "result");
	text_free(&s);
	object_names_free(&objects);
}

int main(void)
{
	test_flags();
	test_tally();
	test_tally_of_several();
	test_order();
	test_processes();
	test_merge();
	test_descent();
	test_hosts();
	test_channels();
	test_causes();
	test_call_text();
	return done_testing();
}
