/* SPDX-License-Identifier: MIT */
/* Fuzzes the readers of perf.data, of both orders of bytes and from a pipe, and of perf script and
 * ftrace. */
#include "trace/format.h"
#include "trace/source.h"

#include "../perf_file.h"
#include "events.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	/* Mutants that are of no format of perf would be searched for a ktrace.out for long. */
	bool perf = perf_data_format.recognize("fuzz", data, n) ||
		    perf_text_format.recognize("fuzz", data, n);
	struct source *s = perf ? source_open_memory(data, n, "fuzz", NULL) : NULL;

	if (!s)
		return 0;
	touch_all(s, 10 * n + 100);
	if (source_losses(s)->torn_bytes > 2 * n)
		abort();
	source_close(s);
	return 0;
}

static struct perf_file files[3];
static struct fuzz_seed seeds[5] = {
	[3] = FUZZ_TEXT(
	    "# arch : x86_64\n"
	    "sh 10/12 [001] 5.000000001: raw_syscalls:sys_enter: NR 56 (10000, 0, 0, 0, 0, 0)\n"
	    "sh 10/12 [001] 5.000000005: raw_syscalls:sys_exit: NR 56 = 13\n"
	    "sh 10 [000] 5.0: 1 syscalls:sys_enter_newfstat: fd: 0x00000003, statbuf: 0x7ffd\n"
	    "sh 10 [000] 5.1: 1 syscalls:sys_exit_newfstat: 0xfffffffffffffff7\n"
	    "sh 10 [000] 5.1: sched:sched_switch: prev_comm=sh prev_pid=10 prev_prio=120 "
	    "prev_state=S ==> next_comm=my sh next_pid=11 next_prio=120\n"
	    "my sh 11 [000] 5.2: sched:sched_process_exec: filename=/bin/ls pid=11 old_pid=11\n"
	    "ls 11 [000] 5.3: sched:sched_waking: comm=sh pid=10 prio=120 target_cpu=010\n"),
	[4] = FUZZ_TEXT(
	    "# tracer: nop\n#\n# entries-in-buffer/entries-written: 9/12   #P:2\n"
	    "          my-x-10      [001] d..2.  5.0: sched_switch: prev_comm=my-x prev_pid=10 "
	    "prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120\n"
	    "          <idle>-0       (-------) [001] d.h4.  5.1: sched_waking: comm=my-x pid=10 "
	    "prio=120 target_cpu=001\n"
	    "CPU:1 [LOST 4 EVENTS]\n"
	    "           <...>-11      (     10) [000] .....  5.2: sys_enter: NR 1 (3, 0, 1, 0, 0, "
	    "0)\n"
	    "           <...>-11      (     10) [000] .....  5.3: sys_exit: NR 1 = 1\n"
	    "            my x-11      [000] .....  5.4: tracing_mark_write: osvec: enqueue q 3 7\n"
	    "            my x-11      [000] .....  5.5: print: tracing_mark_write: osvec: link "
	    "7\r\n"
	    "            my x-11      [000] .....  4233193473: sched_process_exit: comm=my x "
	    "pid=11\n"),
};

__attribute__((constructor)) static void make_seeds(void)
{
	for (int i = 0; i < 3; i++) {
		perf_start(&files[i], i == 1, i == 2);
		perf_story(&files[i]);
		perf_finish(&files[i]);
		seeds[i] = (struct fuzz_seed){ files[i].data, files[i].n };
	}
}

FUZZ_MAIN(seeds)
