// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * descriptors.bpf.h - tells the recorder, from the kernel, what descriptors are, before the first
 * call that works on one.
 */
#ifndef BPF_DESCRIPTORS_BPF_H
#define BPF_DESCRIPTORS_BPF_H

#include <bpf/bpf_endian.h>

#include "followed.bpf.h"

struct descriptor_key {
	__u64 files; /* the table, which threads share */
	__u32 fd;
	__u32 pid;   /* another process may get the memory of its table */
	__u64 execs; /* of the process: with --only, what was said of the program before is
			forgotten */
};

/* Stands for the kind of a regular file that can be written, on which the cost of a call depends on
 * the calls before. */
#define KIND_IS_WRITTEN (~0ull)

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, FILES);
	__type(key, struct descriptor_key);
	__type(value, struct identity);
} described SEC(".maps");

/*
 * The descriptors of the thread that a program runs for.  Found once in each program: for each
 * place that follows a typed pointer the verifier searches all types of the kernel several times.
 */
struct open_files {
	struct files_struct *files;
	struct fdtable *table;
};

static __always_inline struct open_files files_of(struct task_struct *task)
{
	struct open_files o = { task->files, NULL };

	if (o.files)
		o.table = o.files->fdt;
	return o;
}

/* Reading through a pointer of a known type takes an instruction, a helper tens of them. */
extern void *bpf_rdonly_cast(const void *pointer, __u32 type) __ksym __weak;
const volatile bool has_casts;

#define CAST(type, pointer) ((type *)bpf_rdonly_cast((pointer), bpf_core_type_id_kernel(type)))

static __always_inline struct file *file_of(const struct open_files *o, __u32 fd)
{
	struct file *file = NULL;

	if (!o->table || fd >= o->table->max_fds)
		return NULL;
	if (has_casts) /* any struct that begins with a pointer will do */
		return (struct file *)CAST(struct list_head, o->table->fd + fd)->next;
	bpf_probe_read_kernel(&file, sizeof(file), o->table->fd + fd);
	return file;
}

static __always_inline bool same(const struct identity *a, const struct identity *b)
{
	return a->file == b->file && a->functions == b->functions && a->number == b->number;
}

static __always_inline struct identity identity_of(struct file *file)
{
	if (has_casts) {
		struct file *typed = CAST(struct file, file);

		return (struct identity){ (__u64)file, (__u64)typed->f_op, typed->f_inode->i_ino };
	}
	return (struct identity){ (__u64)file, (__u64)BPF_CORE_READ(file, f_op),
				  BPF_CORE_READ(file, f_inode, i_ino) };
}

static __always_inline void describe_addresses(struct record_descriptor *r, struct sock *sk)
{
	enum { INET = 2, INET6 = 10 };
	struct sock_common *c = &sk->__sk_common;

	if (r->family != INET && r->family != INET6)
		return;
	r->local_port = BPF_CORE_READ(c, skc_num);
	r->remote_port = bpf_ntohs(BPF_CORE_READ(c, skc_dport));
	if (r->family == INET) {
		bpf_core_read(r->local, 4, &c->skc_rcv_saddr);
		bpf_core_read(r->remote, 4, &c->skc_daddr);
	} else if (bpf_core_field_exists(c->skc_v6_daddr)) {
		bpf_core_read(r->local, 16, &c->skc_v6_rcv_saddr);
		bpf_core_read(r->remote, 16, &c->skc_v6_daddr);
	}
}

static __always_inline void describe_socket(struct record_descriptor *r, struct file *file)
{
	struct socket *socket = BPF_CORE_READ(file, private_data);

	r->family = BPF_CORE_READ(socket, sk, __sk_common.skc_family);
	r->type = BPF_CORE_READ(socket, type);
	r->protocol = BPF_CORE_READ(socket, sk, sk_protocol);
	describe_addresses(r, BPF_CORE_READ(socket, sk));
}

/* Returns the kind of a descriptor; calls that differ only in descriptors of one kind are counted
 * together. */
static __always_inline __u64 kind_of(struct file *file, struct inode *inode)
{
	enum { FOR_WRITING = 2 };
	__u64 mode = BPF_CORE_READ(inode, i_mode) & 0170000, kind = mode << 32;

	if (!mode)
		return (__u64)BPF_CORE_READ(file, f_op);
	if (mode == 0100000 && BPF_CORE_READ(file, f_mode) & FOR_WRITING)
		return KIND_IS_WRITTEN;
	if (mode == 0140000) {
		struct socket *socket = BPF_CORE_READ(file, private_data);

		kind |= (__u64)BPF_CORE_READ(socket, sk, __sk_common.skc_family) << 48;
		kind |= (__u32)BPF_CORE_READ(socket, type) << 16;
		return kind | (__u16)BPF_CORE_READ(socket, sk, sk_protocol);
	}
	return kind | BPF_CORE_READ(inode, i_rdev);
}

static __always_inline void put_descriptor(struct task_struct *task, __u64 time, __u32 fd,
					   struct file *file, struct inode *inode, bool alone)
{
	struct record_descriptor *r = begin_record(task, RECORD_DESCRIPTOR, time, sizeof(*r));

	if (!r)
		return;
	__builtin_memset((char *)r + sizeof(r->head), 0, sizeof(*r) - sizeof(r->head));
	r->fd = fd;
	r->alone = alone;
	r->mode = BPF_CORE_READ(inode, i_mode);
	r->inode = BPF_CORE_READ(inode, i_ino);
	r->device = BPF_CORE_READ(inode, i_rdev);
	if ((r->mode & 0170000) == 0140000)
		describe_socket(r, file);
	else if (!(r->mode & 0170000))
		bpf_probe_read_kernel_str(r->name, sizeof(r->name),
					  BPF_CORE_READ(file, f_path.dentry, d_name.name));
	end_record(r);
}

/* Tells the recorder what descriptor `number` is, unless it was told before and `again` is not set.
 * alone: maybe no record of the call follows.  Returns the kind of the descriptor if calls are
 * counted, else 0. */
static __always_inline __u64 describe(struct task_struct *task, const struct open_files *o,
				      struct state *s, __u64 time, __u64 number, bool alone,
				      bool again)
{
	__u32 fd = number, slot = fd % SEEN;
	struct file *file = file_of(o, fd);

	if (!file)
		return 0;
	struct identity now = identity_of(file);
	if (!again && s->seen_fd[slot] == fd + 1 && same(&s->seen[slot], &now))
		return s->kinds[slot];
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	__u64 kind = aggregates ? kind_of(file, inode) : 0;
	s->seen_fd[slot] = fd + 1;
	s->seen[slot] = now;
	s->kinds[slot] = kind;
	struct descriptor_key key = { (__u64)o->files, fd, task->tgid, task->self_exec_id };
	struct identity *known = bpf_map_lookup_elem(&described, &key);
	if (!again && known && same(known, &now))
		return kind;
	bpf_map_update_elem(&described, &key, &now, BPF_ANY);
	put_descriptor(task, time, fd, file, inode, alone);
	return kind;
}

#endif
