/* SPDX-License-Identifier: MIT */
/* Tests of the readers of perf.data and of perf script's output. */
#include "trace/source.h"

#include <unistd.h>

#include "trace/format.h"
#include "util/xalloc.h"

#include "../perf_file.h"
#include "../tap.h"
#include "event_text.h"

static struct source_losses losses;
static struct source_info info;
static char host[64];
static unsigned context; /* of the last wake-up */
static struct perf_file file;

/* The events as text, without those about descriptors. */
static char *read_all(const void *data, size_t n)
{
	struct error error = { "" };
	struct source *s = source_open_memory(data, n, "file", &error);
	struct event e;
	char *out;
	size_t size;
	FILE *t = open_memstream(&out, &size);

	while (s && source_next(s, &e, &error) == 1)
		if (e.type != EVENT_FD) {
			add_event(t, &e);
			context = e.type == EVENT_WAKE ? e.wake.context : context;
		}
	fprintf(t, "%s", error.text);
	if (s) {
		info = *source_info(s);
		losses = *source_losses(s);
		snprintf(host, sizeof(host), "%s", info.host);
	}
	fclose(t);
	source_close(s);
	return out;
}

static void gives(const void *data, size_t n, const char *want, const char *test)
{
	char *got = read_all(data, n);

	is_string(got, want, "%s", test);
	free(got);
}

static const char story[] = "10 comm sh\n"
			    "10 in cpu 0 state 0 next 0\n"
			    "10 @500 fork 11/11\n"
			    "11 @1000 in cpu 1 state 0 next 0\n"
			    "11 @1100 exec /bin/ls\n"
			    "10 fork()=11 <2000>\n"
			    "11 @2200 openat(-100,4096,524288)=3 <200>\n"
			    "10 @2500 out cpu 0 state 1 next 0\n"
			    "11 @3400 wakes 10 cpu 1 from 2\n"
			    "0 @3400 lost 5 class 1\n"
			    "11 @3500 exit -1 last\n"
			    "10 @3600 in cpu 0 state 0 next 0\n"
			    "10 @3600 read(3,4096,100)=-11 <50>\n";

static void test_data(void)
{
	for (int kind = 0; kind < 4; kind++) {
		perf_start(&file, kind & 1, kind & 2);
		perf_story(&file);
		perf_begin(&file, 13, 0); /* LOST_SAMPLES: those that it lost, again */
		perf_put(&file, 5, 8);
		perf_end(&file);
		perf_finish(&file);
		gives(file.data, file.n, story, kind & 1 ? "big-endian" : "little-endian");
		cmp_int(losses.lost, 5, "what the kernel lost");
		cmp_int(losses.torn_bytes + losses.orphans + losses.unfinished + losses.unclosed, 0,
			"nothing else");
		is_string(host, kind & 2 ? "" : "host", "the host");
		cmp_int(info.abi, ABI_X86_64, "the machine");
	}
}

/* perf itself tells of a program by its name, where no tracepoint does. */
static void test_exec(void)
{
	perf_start(&file, false, false);
	perf_set(&file, file.data + 104 + 80 * (PERF_EXECS - PERF_ENTER) + 8, PERF_TASKLET, 8);
	for (int i = 0; i < 2; i++) {
		perf_enter(&file, 59, 1, 2, 3);
		file.ns += 50;
		perf_begin(&file, 3, 1 << 13); /* COMM */
		perf_put(&file, 10, 4);
		perf_put(&file, 10, 4);
		perf_text(&file, i ? "ls" : "env", 8);
		perf_end(&file);
		file.ns += 50;
		perf_leave(&file, 59, 0);
	}
	perf_finish(&file);
	gives(file.data, file.n,
	      "10 in cpu 0 state 0 next 0\n10 @50 comm env\n10 @50 exec env\n"
	      "10 execve(1,2,3)=0 <100>\n10 @150 comm ls\n10 @150 exec ls\n"
	      "10 @100 execve(1,2,3)=0 <100>\n",
	      "programs, without their tracepoint");
}

/* perf itself tells of switches, where no tracepoint does. */
static void test_switches(void)
{
	enum { SWITCH = 14, OUT = 1 << 13, PREEMPTED = 1 << 14 };
	static const unsigned misc[] = { OUT, 0, OUT | PREEMPTED };

	perf_start(&file, false, false);
	perf_set(&file, file.data + 104 + 80 * (PERF_SWITCHES - PERF_ENTER) + 8, PERF_TASKLET, 8);
	for (size_t i = 0; i < sizeof(misc) / sizeof(*misc); i++) {
		perf_begin(&file, SWITCH, misc[i]);
		perf_end(&file);
		file.ns += 50;
	}
	perf_finish(&file);
	gives(file.data, file.n,
	      "10 out cpu 0 state 2 next 0\n10 @50 in cpu 0 state 0 next 0\n"
	      "10 @100 out cpu 0 state 1 next 0\n",
	      "switches, without their tracepoint");
}

/* Of what was there when it began, perf writes births without a time. */
static void test_beginning(void)
{
	static const uint32_t births[][4] = { { 10, 1, 10, 1 }, { 10, 10, 12, 10 } };

	perf_start(&file, false, false);
	for (int i = 0; i < 2; i++) {
		file.ns = 0;
		perf_begin(&file, 7, 0); /* FORK */
		for (int k = 0; k < 4; k++)
			perf_put(&file, births[i][k], 4);
		perf_put(&file, 0, 8);
		perf_end(&file);
	}
	file.ns = 1000;
	file.tid = 12;
	perf_enter(&file, 39, 0, 0, 0);
	file.ns += 50;
	perf_leave(&file, 39, 10);
	perf_finish(&file);
	gives(file.data, file.n,
	      "10 event 19\n10/12 in cpu 0 state 0 next 0\n10/12 getpid()=10 <50>\n",
	      "a thread that was there is no process");
}

/* Each of many events names the same, large place as that of its IDs: reading them all would take
 * hours. */
static void test_shared_ids(void)
{
	enum {
		HEADER = 104,
		ATTR = 80,
		ATTRS = 65536,
		IDS = 32 << 20,
		ALL = HEADER + ATTR * ATTRS + IDS
	};
	unsigned char *data = xcalloc(ALL, 1);
	const uint64_t head[] = { HEADER, ATTR, HEADER, ATTR * ATTRS, ALL, 0 };

	memcpy(data, INPUT_IS_BIG ? "2ELIFREP" : "PERFILE2", 8);
	memcpy(data + 8, head, sizeof(head));
	for (int i = 0; i < ATTRS; i++)
		memcpy(data + HEADER + ATTR * i + ATTR - 16,
		       (const uint64_t[]){ HEADER + ATTR * ATTRS, IDS }, 16);
	alarm(120); /* against less than a second */
	char *got = read_all(data, ALL);
	alarm(0);
	ok(strstr(got, "lacks its end"), "events that share IDs: %s", got);
	free(got);
	free(data);
}

/* Files that are not whole. */
static void test_damage(void)
{
	perf_start(&file, false, true);
	size_t start = file.n;
	perf_enter(&file, 0, 3, 4096, 100);
	file.ns += 50;
	perf_leave(&file, 0, 7);
	perf_enter(&file, 0, 3, 4096, 100);
	gives(file.data, file.n - 8, "10 in cpu 0 state 0 next 0\n10 read(3,4096,100)=7 <50>\n",
	      "a pipe that ends within a record is read up to there");
	ok(losses.torn_bytes == 120 && losses.unclosed, "and said to be torn");
	perf_set(&file, file.data + start + 6, 4, 2);
	gives(file.data, file.n, "", "nothing is read behind a record without a size");
	cmp_int(losses.torn_bytes, file.n - start, "which is counted");
	for (int big = 0; big <= 1; big++) {
		perf_start(&file, big, false);
		perf_story(&file);
		perf_finish(&file);
		char *got = read_all(file.data, file.end - 8);
		ok(strstr(got, "lacks its end"), "a file without its end");
		free(got);
		unsigned char *twice = xcalloc(2, file.n);
		memcpy(twice, file.data, file.n);
		memcpy(twice + file.n, file.data, file.n);
		free(read_all(twice, file.n));
		cmp_int(losses.torn_bytes, 0, "a whole file");
		free(read_all(twice, 2 * file.n));
		cmp_int(losses.torn_bytes, file.n, "one that another is appended to");
		free(twice);
	}
	perf_set(&file, file.data + file.start, 81, 4);
	char *got = read_all(file.data, file.n);
	ok(strstr(got, "is compressed (perf record -z)"), "compressed records are refused");
	free(got);
	perf_start(&file, false, false);
	for (size_t at = 104; at < file.start; at += 80)
		perf_set(&file, file.data + at + 8, PERF_TASKLET, 8);
	perf_finish(&file);
	got = read_all(file.data, file.n);
	ok(strstr(got, "no system calls"), "other tracepoints alone are refused");
	free(got);
}

static const struct {
	const char *test, *log, *events;
	unsigned bad;
} logs[] = {
	{ "the default fields",
	  "# hostname : box\n# arch : x86_64\n#\n"
	  " my prog  10 [001] 5.000001:   raw_syscalls:sys_enter: NR 0 (3, 10, 64, 0, 0, ff)\n"
	  " my prog  10 [001] 5.000003:    raw_syscalls:sys_exit: NR 0 = -11\n",
	  "10 comm my prog\n10 read(3,16,100)=-11 <2000>\n", 0 },
	{ "registers that are no arguments are no descriptors",
	  "sh 10 [000] 5.0: raw_syscalls:sys_enter: NR 293 (1000, 0, 0, 0, 5, 6)\n"
	  "sh 10 [000] 5.1: raw_syscalls:sys_exit: NR 293 = 0\n",
	  "10 comm sh\n10 pipe2(4096)=0 <100000000>\n", 0 },
	{ "process and thread, and no CPU",
	  "sh 10/12 5.000000001: raw_syscalls:sys_enter: NR 39 (0, 0, 0, 0, 0, 0)\n"
	  "sh 10/12 5.000000005: raw_syscalls:sys_exit: NR 39 = 10\n",
	  "10/12 comm sh\n10/12 getpid()=10 <4>\n", 0 },
	{ "a period, and calls by name",
	  "sh 10 [000] 5.0: 1 syscalls:sys_enter_newfstat: fd: 0x00000003, statbuf: 0x7ffd\n"
	  "sh 10 [000] 5.1: 1 syscalls:sys_exit_newfstat: 0xfffffffffffffff7\n",
	  "10 comm sh\n10 fstat(3,32765)=-9 <100000000>\n", 0 },
	{ "a program, without its tracepoint",
	  "sh 10 [000] 5.0: raw_syscalls:sys_enter: NR 59 (1, 2, 3, 0, 0, 0)\n"
	  "ls 10 [000] 5.1: raw_syscalls:sys_exit: NR 59 = 0\n",
	  "10 comm sh\n10 execve(1,2,3)=0 <100000000>\n10 @100000000 exec ls\n", 0 },
	{ "a call that goes on after a handler",
	  "sh 10 [000] 5.0: raw_syscalls:sys_enter: NR 0 (3, 10, 64, 0, 0, 0)\n"
	  "sh 10 [000] 5.1: raw_syscalls:sys_exit: NR 0 = -512\n"
	  "sh 10 [000] 5.2: raw_syscalls:sys_enter: NR 15 (0, 0, 0, 0, 0, 0)\n"
	  "sh 10 [000] 5.3: raw_syscalls:sys_exit: NR 15 = 0\n"
	  "sh 10 [000] 5.4: raw_syscalls:sys_enter: NR 0 (3, 10, 64, 0, 0, 0)\n"
	  "sh 10 [000] 5.5: raw_syscalls:sys_exit: NR 0 = 7\n",
	  "10 comm sh\n10 @200000000 rt_sigreturn()=0 <100000000>\n"
	  "10 read(3,16,100)=7 <200000000> restarted\n",
	  0 },
	{ "the number of a thread that has ended is that of another process",
	  "sh 10/12 [000] 5.0: raw_syscalls:sys_enter: NR 39 (0, 0, 0, 0, 0, 0)\n"
	  "sh 10/12 [000] 5.1: raw_syscalls:sys_exit: NR 39 = 10\n"
	  "sh 10/12 [000] 5.2: sched:sched_process_exit: comm=sh pid=12 prio=120\n"
	  "ls 12 [000] 5.3: raw_syscalls:sys_enter: NR 39 (0, 0, 0, 0, 0, 0)\n"
	  "ls 12 [000] 5.4: raw_syscalls:sys_exit: NR 39 = 12\n",
	  "10/12 comm sh\n10/12 getpid()=10 <100000000>\n10/12 @200000000 exit -1 last\n"
	  "12 @300000000 comm ls\n12 @300000000 getpid()=12 <100000000>\n",
	  0 },
	{ "children of clone3: threads, seen after and before it returns, and never; a process",
	  "sh 10/10 [000] 5.0: raw_syscalls:sys_enter: NR 435 (1, 58, 0, 0, 0, 0)\n"
	  "sh 10/10 [000] 5.1: raw_syscalls:sys_exit: NR 435 = 11\n"
	  "sh 10/11 [001] 5.2: raw_syscalls:sys_exit: NR 435 = 0\n"
	  "sh 10/10 [000] 5.3: raw_syscalls:sys_enter: NR 435 (1, 58, 0, 0, 0, 0)\n"
	  "sh 10/12 [001] 5.4: raw_syscalls:sys_exit: NR 435 = 0\n"
	  "sh 10/10 [000] 5.5: raw_syscalls:sys_exit: NR 435 = 12\n"
	  "sh 10/10 [000] 5.6: raw_syscalls:sys_enter: NR 435 (1, 58, 0, 0, 0, 0)\n"
	  "sh 10/10 [000] 5.7: raw_syscalls:sys_exit: NR 435 = 13\n"
	  "sh 10/11 [000] 5.8: raw_syscalls:sys_enter: NR 435 (1, 58, 0, 0, 0, 0)\n"
	  "sh 10/11 [000] 5.8: sched:sched_process_fork: comm=sh pid=11 child_comm=sh "
	  "child_pid=14\n"
	  "sh 14/14 [001] 5.9: raw_syscalls:sys_exit: NR 435 = 0\n"
	  "sh 10/11 [000] 6.0: sched:sched_process_exit: comm=sh pid=11 prio=120\n"
	  "ls 11/11 [000] 6.1: raw_syscalls:sys_enter: NR 39 (0, 0, 0, 0, 0, 0)\n"
	  "ls 11/11 [000] 6.2: raw_syscalls:sys_exit: NR 39 = 11\n",
	  "10 comm sh\n10 clone3(1,88)=11 <100000000>\n10 @200000000 fork 10/11\n"
	  "10 @300000000 clone3(1,88)=12 <200000000>\n"
	  "10 @600000000 clone3(1,88)=13 <100000000>\n"
	  "10/11 @800000000 comm sh\n10/11 @900000000 fork 14/14\n"
	  "10/11 @800000000 clone3(1,88)=0 unfinished\n10/11 @1000000000 exit -1\n"
	  "11 @1100000000 comm ls\n11 @1100000000 getpid()=11 <100000000>\n",
	  0 },
	{ "the scheduler",
	  "sh 10 [000] 5.0: sched:sched_process_fork: comm=sh pid=10 child_comm=sh "
	  "child_pid=11\n"
	  "sh 10 [000] 5.1: sched:sched_switch: prev_comm=sh prev_pid=10 prev_prio=120 "
	  "prev_state=R+ ==> next_comm=my sh next_pid=11 next_prio=120\n"
	  "my sh 11 [000] 5.2: sched:sched_process_exec: filename=/bin/ls pid=11 old_pid=11\n"
	  "ls 11 [000] 5.3: sched:sched_waking: comm=sh pid=10 prio=120 target_cpu=010\n"
	  "ls 11 [000] 5.31: sched:sched_wakeup: comm=sh pid=10 prio=120 target_cpu=010\n"
	  "ls 11 [000] 5.4: raw_syscalls:sys_enter: NR 231 (102, 0, 0, 0, 0, 0)\n"
	  "ls 11 [000] 5.4: sched:sched_process_exit: comm=ls pid=11 prio=120 group_dead=true\n",
	  "10 fork 11/11\n"
	  "10 @100000000 comm sh\n11 @100000000 comm my sh\n"
	  "10 @100000000 out cpu 0 state 1 next 11\n11 @100000000 in cpu 0 state 0 next 0\n"
	  "11 @200000000 exec /bin/ls\n11 @300000000 wakes 10 cpu 11 from 1\n"
	  "11 @400000000 comm ls\n11 @400000000 exit_group(258)=0 nothing\n"
	  "11 @400000000 exit 512 last\n",
	  0 },
	{ "switches from a thread, and none to it: how long it waited for a CPU is unknown",
	  "sh 10 [000] 5.0: sched:sched_switch: prev_comm=sh prev_pid=10 prev_prio=120 "
	  "prev_state=R ==> next_comm=x next_pid=20 next_prio=120\n"
	  "sh 10 [000] 5.1: sched:sched_switch: prev_comm=sh prev_pid=10 prev_prio=120 "
	  "prev_state=R ==> next_comm=x next_pid=20 next_prio=120\n"
	  "sh 10 [000] 5.2: sched:sched_switch: prev_comm=sh prev_pid=10 prev_prio=120 "
	  "prev_state=R ==> next_comm=x next_pid=20 next_prio=120\n"
	  "sh 10 [000] 5.3: sched:sched_switch: prev_comm=sh prev_pid=10 prev_prio=120 "
	  "prev_state=S ==> next_comm=x next_pid=20 next_prio=120\n"
	  "sh 10 [000] 5.4: raw_syscalls:sys_enter: NR 39 (0, 0, 0, 0, 0, 0)\n"
	  "sh 10 [000] 5.5: raw_syscalls:sys_exit: NR 39 = 10\n",
	  "10 comm sh\n10 out cpu 0 state 1 next 0\n"
	  "10 @100000000 in cpu 0 state 0 next 0\n10 @100000000 out cpu 0 state 1 next 0\n"
	  "10 @200000000 in cpu 0 state 0 next 0\n"
	  "10 @300000000 in cpu 0 state 0 next 0\n10 @300000000 out cpu 0 state 2 next 0\n"
	  "10 @400000000 in cpu 0 state 0 next 0\n10 @400000000 getpid()=10 <100000000>\n"
	  "0 @500000000 event 11\n",
	  0 },
	{ "page faults of an x86 processor, by kind",
	  "# arch : x86_64\n#\n"
	  "sh 10 [000] 5.0: exceptions:page_fault_user: address=0x7000 ip=0x10 error_code=0x4\n"
	  "sh 10 [000] 5.0: exceptions:page_fault_user: address=0x7000 ip=0x10 error_code=0x6\n"
	  "sh 10 [000] 5.0: exceptions:page_fault_user: address=0x7000 ip=0x10 error_code=0x7\n"
	  "sh 10 [000] 5.0: exceptions:page_fault_user: address=0x10 ip=0x10 error_code=0x14\n",
	  "10 fault 7000 read\n10 fault 7000 write write\n"
	  "10 fault 7000 write copy\n10 fault 10 execute\n",
	  0 },
	{ "... and of another one, whose codes mean something else",
	  "# arch : riscv64\n#\n"
	  "sh 10 [000] 5.0: exceptions:page_fault_user: address=0x7000 ip=0x10 error_code=0xd\n",
	  "10 fault 7000 unknown\n", 0 },
	{ "wake-ups that were recorded when they took effect",
	  "ls 11 [000] 5.0: sched:sched_wakeup: comm=sh pid=10 prio=120 target_cpu=001\n"
	  "ls 11 [000] 5.1: sched:sched_wakeup_new: comm=sh pid=12 prio=120 target_cpu=000\n",
	  "11 wakes 10 cpu 2 from 1\n11 @100000000 wakes 12 cpu 1 from 1\n", 0 },
	{ "stacks, other events and messages are passed over, other lines counted",
	  "sh 10 [000] 5.0: raw_syscalls:sys_enter: NR 39 (0, 0, 0, 0, 0, 0)\n"
	  "\t    ffffffff8100 do_syscall_64+0x5 ([kernel])\n\n"
	  "sh 10 [000] 5.05:     250000 cycles:u:  7f0123 [unknown] (/bin/sh)\n"
	  "sh 10 [000] 5.06: PERF_RECORD_COMM: sh:10/10\n"
	  "sh 10 [000] 5.07: PERF_RECORD_LOST lost 3\n"
	  "sh 10 [000] 5.1: raw_syscalls:sys_exit: NR 39 = 10\n"
	  "hello\nsh 10 [000] 5.2: raw_syscalls:sys_enter: NR 39 (0, 0,\n",
	  "10 comm sh\n0 lost 3 class 1\n10 getpid()=10 <100000000>\n", 2 },
	{ "what ftrace prints, with marks in it",
	  "# tracer: nop\n#\n#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
	  "          my-x-10      [001] d..2.  5.0: sched_switch: prev_comm=my-x prev_pid=10 "
	  "prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120\n"
	  "          <idle>-0       [001] d.h4.  5.1: sched_waking: comm=my-x pid=10 prio=120 "
	  "target_cpu=001\n"
	  "CPU:1 [LOST 4 EVENTS]\n"
	  "            my x-11      (     10) [000] .....  5.2: sys_enter: NR 39 (0, 0, 0, 0, 0, "
	  "0)\n"
	  "            my x-11      (     10) [000] .....  5.3: sys_exit: NR 39 = 10\n"
	  "            my x-11      (-------) [000] .....  5.4: tracing_mark_write: osvec: state "
	  "parse\n"
	  "            my x-11      [000] .....  5.5: tracing_mark_write: hello\n"
	  "            my x-11      [000] .....  5.6: print: tracing_mark_write: osvec: enqueue q "
	  "3 7\n"
	  "            my x-11      [000] .....  5.6: tracing_mark_write: osvec: link 7\n"
	  "            my x-11      [000] .....  5.6: tracing_mark_write: osvec: wait-empty q\n"
	  "            my x-11      [000] .....  5.6: tracing_mark_write: osvec: enqueue q x\n"
	  "            my x-11      [000] .....  5.6: tracing_mark_write: osvec: identify\n"
	  "            my x-11      [000] ..... 5.7: timer_start: timer=1\n",
	  "10 comm my-x\n10 out cpu 1 state 2 next 0\n0 @100000000 wakes 10 cpu 2 from 2\n"
	  "0 @100000000 lost 4 class 1\n10/11 @200000000 in cpu 0 state 0 next 0\n"
	  "10/11 @200000000 comm my x\n10/11 @200000000 getpid()=10 <100000000>\n"
	  "10/11 @400000000 mark 1 parse 1 0\n10/11 @600000000 mark 2 q 3 7\n"
	  "10/11 @600000000 mark 6  1 7\n10/11 @600000000 mark 4 q 1 0\n",
	  2 },
	{ "marks of threads whose name ftrace has forgotten, and other lines",
	  "# entries-in-buffer/entries-written: 9/12   #P:2\n"
	  "ls-10 [000] ..... 5.0: tracing_mark_write: osvec: capacity q 2\r\n"
	  "<...>-10 [000] ..... 5.1: tracing_mark_write: osvec: state a\r\n"
	  "<...>-10 [000] ..... 5.2: tracing_mark_write: osvec: state a b\n"
	  "<...>-10 [000] ..... 5.2: tracing_mark_write: osvec: enqueue q 1 2 3\n"
	  "<...>-10 [000] ..... 5.2: tracing_mark_write: osvec: identify 1 2\n"
	  "<...>-10 [000] ..... 5.2: tracing_mark_write: osvec: bogus q\n"
	  "<...>-10 [000] ..... 5.2: tracing_mark_write: osvec:\n"
	  "ls-4294967306 [000] ..... 5.2: tracing_mark_write: osvec: state b\n"
	  "ls-10x [000] ..... 5.2: tracing_mark_write: osvec: state b\n"
	  "ls-10 [4294967296] ..... 5.2: tracing_mark_write: osvec: state b\n"
	  "ls-10 [000] ..... 5000: tracing_mark_write: osvec: state b\n"
	  "ls 4294967306 [000] 5.3: raw_syscalls:sys_exit: NR 39 = 10\n"
	  "ls 10/4294967306 [000] 5.3: raw_syscalls:sys_exit: NR 39 = 10\n",
	  "0 lost 3 class 1\n10 comm ls\n10 mark 9 q 2 0\n10 @100000000 mark 1 a 1 0\n", 11 },
};

static void test_text(void)
{
	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++) {
		gives(logs[i].log, strlen(logs[i].log), logs[i].events, logs[i].test);
		cmp_int(losses.bad_lines, logs[i].bad, "bad lines");
	}
	static const char trace[] = "     0.040 ( 0.002 ms): ls/14762 brk()    = 0x5600329a1000\n";
	char *got = read_all(trace, sizeof(trace) - 1);
	ok(strstr(got, "perf trace record"), "the output of perf trace is refused");
	free(got);
	gives("# tracer: nop\n#\n", 16, "", "ftrace that was not on is a trace");
	is_string(info.recorder, "ftrace", "by whom");
	static const struct {
		const char *flags;
		enum wake_context context;
	} contexts[] = { { "d..2.", WAKE_THREAD },
			 { "d.h2.", WAKE_INTERRUPT },
			 { "..s2.", WAKE_SOFTIRQ },
			 { "d.H2.", WAKE_INTERRUPT },
			 { "d.Z2.", WAKE_INTERRUPT } };
	for (size_t i = 0; i < sizeof(contexts) / sizeof(*contexts); i++) {
		char *line = xasprintf("ls-11 [001] %s 5.1: sched_waking: comm=x pid=10 prio=120 "
				       "target_cpu=001\n",
				       contexts[i].flags);
		free(read_all(line, strlen(line)));
		cmp_int(context, contexts[i].context, "who wakes in %s", contexts[i].flags);
		free(line);
	}
	static const char ticks[] =
	    "# tracer: nop\n"
	    "          <idle>-0       [001] d.h4.  4233193473: sched_waking: comm=x pid=10\n";
	got = read_all(ticks, sizeof(ticks) - 1);
	ok(strstr(got, "mono"), "times that are none are refused");
	free(got);
}

int main(void)
{
	test_data();
	test_exec();
	test_switches();
	test_damage();
	test_beginning();
	test_shared_ids();
	test_text();
	return done_testing();
}
