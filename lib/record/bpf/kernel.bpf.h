/* SPDX-License-Identifier: MIT */
/*
 * kernel.bpf.h - for the programs in the kernel: the members of its structs that they use.  The
 * loader relocates them to where they are in the running kernel (CO-RE), so that neither the
 * headers of a kernel nor its type information are needed for the build.
 */
#ifndef BPF_KERNEL_BPF_H
#define BPF_KERNEL_BPF_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct thread_info {
	__u32 status; /* of x86 */
};

struct sched_entity {
	__u64 exec_start, sum_exec_runtime;
};

struct atomic {
	int counter;
};

struct signal_struct {
	struct atomic live;
	int nr_threads;
	__u64 utime, stime;
	unsigned long min_flt, maj_flt;
	unsigned long long sum_sched_runtime;
};

struct list_head {
	struct list_head *next;
};

struct file;

struct mm_struct {
	unsigned long start_code, end_code, start_stack, arg_start, arg_end;
	struct file *exe_file;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct kernfs_node {
	__u64 id;
};

struct cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup_root {
	int hierarchy_id;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
	struct cgroup_root *root;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct task_struct {
	struct thread_info thread_info;
	struct sched_entity se;
	struct mm_struct *mm;
	int on_cpu, wake_cpu;
	int exit_code;
	int pid, tgid;
	__u64 self_exec_id;
	__u64 utime, stime;
	unsigned long nvcsw, nivcsw;
	unsigned long min_flt, maj_flt;
	struct files_struct *files;
	struct signal_struct *signal;
	struct css_set *cgroups;
};

struct super_block {
	__u32 s_dev;
};

struct inode {
	unsigned short i_mode;
	__u32 i_rdev;
	unsigned long i_ino;
	struct super_block *i_sb;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct qstr d_name;
};

struct path {
	struct dentry *dentry;
};

struct file_operations;

struct file {
	unsigned int f_mode;
	const struct file_operations *f_op;
	struct inode *f_inode;
	struct path f_path;
	void *private_data;
};

struct in6_addr {
	unsigned char u6_addr8[16];
};

struct sock_common {
	unsigned short skc_family;
	__u32 skc_daddr, skc_rcv_saddr;
	__u16 skc_dport, skc_num; /* dport in network order */
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	__u16 sk_protocol;
};

struct socket {
	short type;
	struct sock *sk;
};

struct linux_binprm {
	const char *filename;
};

struct sighandler {
	void *sa_handler;
};

struct k_sigaction {
	struct sighandler sa;
};

struct block_device {
	__u32 bd_dev;
};

struct request {
	unsigned int cmd_flags;
	unsigned int __data_len;
	__u64 __sector;
	struct block_device *part;
};

struct io_cqe {
	__u64 user_data;
	int fd; /* until the operation is issued */
};

struct io_kiocb {
	__u8 opcode;
	unsigned int flags;
	struct io_cqe cqe;
};

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long bp, bx, r10, r9, r8, cx, dx, si, di, orig_ax, ip, sp;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	__u64 regs[31], sp, pc;
	__s32 syscallno;
};
#endif

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif
