// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Page faults and requests of block devices. */
#include "followed.bpf.h"

SEC("tp_btf/page_fault_user")
int BPF_PROG(on_fault, unsigned long address, struct pt_regs *regs, unsigned long code)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (!state_of(task))
		return 0;
	struct record_fault *r = begin_record(task, RECORD_FAULT, bpf_ktime_get_ns(), sizeof(*r));
	if (!r)
		return 0;
	r->address = address;
	r->code = code;
	end_record(r);
	return 0;
}

static __always_inline int put_block(struct request *request, bool complete, __u32 bytes)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct record_block *r;

	/* A completion comes in an interrupt, on top of any thread. */
	if (!complete && !state_of(task))
		return 0;
	r = begin_record(task, RECORD_BLOCK, bpf_ktime_get_ns(), sizeof(*r));
	if (!r)
		return 0;
	__u32 device = request->part ? request->part->bd_dev : 0;
	r->device = (__u64)(device >> 20) << 32 | (device & 0xfffff);
	r->sector = request->__sector;
	r->bytes = bytes;
	r->complete = complete;
	r->write = request->cmd_flags & 1; /* REQ_OP_WRITE is odd, as are all that write */
	end_record(r);
	return 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_issue, struct request *request)
{
	return put_block(request, false, request->__data_len);
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_complete, struct request *request, int error, unsigned int bytes)
{
	return put_block(request, true, bytes);
}
