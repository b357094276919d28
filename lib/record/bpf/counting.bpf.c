// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Counters of the CPUs are read now and then. */
#include "counting.bpf.h"

/* The recorder runs it on each CPU, at the end of a turn. */
SEC("raw_tp")
int on_turn(void *context)
{
	struct task_struct *task = bpf_get_current_task_btf();

	read_counters(state_of(task) ? task : NULL, task->pid, 0);
	return 0;
}
