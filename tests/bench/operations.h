/* SPDX-License-Identifier: MIT */
/*
 * operations.h - what the synthetic application can do, one row each: how to prepare it, how to do it
 * once, which system calls that makes.  Part of synthetic.c, which is about when.
 */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bench.h"
#include "../../bench/common/channel.h"
#include "../../bench/common/descriptors.h"
#include "../../bench/common/listener.h"
#include "../../bench/common/trivial.h"
#include "util/xalloc.h"

enum { TASKS_MAX = 64, FILE_SIZE = 4 << 20, PAGE_MIN = 4096 };

struct task {
	const struct operation *operation;
	uint64_t size, count, left;
	int fd;
	uint64_t at;		      /* in the file */
	char *buffer;		      /* size bytes */
	char name[2 * TASKS_MAX + 8]; /* of a file */
	struct channel channel;
	pid_t partner;
	struct listener listener;
	struct pollfd *watched;
};

static void must(bool done, const char *what)
{
	if (!done)
		err(1, "%s", what);
}

/* ---- nothing but the call, or nothing but the program ---- */

static void getppid_once(struct task *t)
{
	(void)t;
	syscall(SYS_getppid);
}

static void work_once(struct task *t)
{
	uint64_t x = t->at + 1;

	for (uint64_t i = 0; i < t->size; i++)
		x = (x ^ (x >> 27)) * UINT64_C(0x9e3779b97f4a7c15);
	t->at = x;
	bench_keep(x);
}

/* ---- files: data ---- */

/* A file of that many bytes, all in the page cache. */
static void make_file(struct task *t, uint64_t size, int flags)
{
	static char block[1 << 16];
	static unsigned made;

	snprintf(t->name, sizeof(t->name), "file%u", made++);
	t->fd = open(t->name, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
	must(t->fd >= 0, "create a file");
	for (uint64_t at = 0; at < size; at += sizeof(block))
		must(pwrite(t->fd, block, sizeof(block), (off_t)at) == sizeof(block), "pwrite");
}

static void cached_setup(struct task *t)
{
	make_file(t, FILE_SIZE, 0);
}

static void append_setup(struct task *t)
{
	make_file(t, 0, O_APPEND);
}

/* The next stretch of the file. */
static off_t next_stretch(struct task *t)
{
	uint64_t at = t->at;

	t->at = at + 2 * t->size > FILE_SIZE ? 0 : at + t->size;
	return (off_t)at;
}

static void read_once(struct task *t)
{
	must(pread(t->fd, t->buffer, t->size, next_stretch(t)) == (ssize_t)t->size, "pread");
}

static void write_once(struct task *t)
{
	must(pwrite(t->fd, t->buffer, t->size, next_stretch(t)) == (ssize_t)t->size, "pwrite");
}

static void append_once(struct task *t)
{
	must(write(t->fd, t->buffer, t->size) == (ssize_t)t->size, "write");
}

static void fsync_once(struct task *t)
{
	write_once(t);
	must(!fsync(t->fd), "fsync");
}

static void commit_once(struct task *t)
{
	append_once(t);
	must(!fdatasync(t->fd), "fdatasync");
}

/* ---- files: names.  The size is the number of components of the path ---- */

static void path_setup(struct task *t)
{
	if (t->size > TASKS_MAX)
		errx(2, "a path has at most %d components", TASKS_MAX);
	for (uint64_t i = 0; i + 1 < t->size; i++) {
		memcpy(t->name + 2 * i, "d/", 3);
		must(!mkdir(t->name, 0700) || errno == EEXIST, "mkdir");
	}
	memcpy(t->name + 2 * (t->size - 1), "f", 2);
	must(!close(open(t->name, O_CREAT | O_WRONLY, 0600)), "create a file");
}

static void missing_setup(struct task *t)
{
	path_setup(t);
	t->name[2 * (t->size - 1)] = 'm';
}

static void open_once(struct task *t)
{
	int fd = open(t->name, O_RDONLY);

	must(fd >= 0 && !close(fd), "open");
}

static void stat_once(struct task *t)
{
	struct stat st;

	must(!fstatat(AT_FDCWD, t->name, &st, 0), "stat");
}

static void missing_once(struct task *t)
{
	if (open(t->name, O_RDONLY) >= 0 || errno != ENOENT)
		errx(1, "%s is there", t->name);
}

static void file_setup(struct task *t)
{
	snprintf(t->name, sizeof(t->name), "new%u", (unsigned)t->size);
}

static void file_once(struct task *t)
{
	int fd = open(t->name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	must(fd >= 0 && write(fd, t->buffer, t->size) == (ssize_t)t->size && !close(fd) &&
		 !unlink(t->name),
	     "a new file");
}

/* ---- pipes and sockets whose ends are both here: nobody is woken ---- */

static void pipe_setup(struct task *t)
{
	channel_open(&t->channel, CHANNEL_PIPE);
}

static void unix_setup(struct task *t)
{
	channel_open(&t->channel, CHANNEL_UNIX);
}

static void tcp_setup(struct task *t)
{
	channel_open(&t->channel, CHANNEL_TCP);
}

static void udp_setup(struct task *t)
{
	channel_open(&t->channel, CHANNEL_UDP);
}

static void message_once(struct task *t)
{
	channel_send(&t->channel.a, t->buffer, t->size);
	channel_receive(&t->channel.b, t->buffer, t->size);
}

/* A message of that size, and an answer of one byte. */
static void request_once(struct task *t)
{
	message_once(t);
	channel_send(&t->channel.b, t->buffer, 1);
	channel_receive(&t->channel.a, t->buffer, 1);
}

static void connect_setup(struct task *t)
{
	must(listener_open(&t->listener, AF_INET), "listen");
}

static void connect_once(struct task *t)
{
	int client = socket(AF_INET, SOCK_STREAM, 0), server;

	must(client >= 0 &&
		 !connect(client, (struct sockaddr *)&t->listener.address, t->listener.length),
	     "connect");
	must((server = accept(t->listener.fd, NULL, NULL)) >= 0, "accept");
	must(!close(server) && !close(client), "close");
}

/* ---- ends in two processes: each turn wakes both ---- */

static void turn_once(struct task *t)
{
	channel_send(&t->channel.a, t->buffer, t->size);
	channel_receive(&t->channel.a, t->buffer, t->size);
}

/* It has taken its first turn when this returns. */
static void start_partner(struct task *t)
{
	pid_t parent = getpid();

	t->partner = fork();
	must(t->partner >= 0, "fork");
	if (t->partner) {
		turn_once(t);
		return;
	}
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	for (;;) {
		channel_receive(&t->channel.b, t->buffer, t->size);
		channel_send(&t->channel.b, t->buffer, t->size);
	}
}

static void turn_setup(struct task *t)
{
	pipe_setup(t);
	start_partner(t);
}

static void turn_tcp_setup(struct task *t)
{
	tcp_setup(t);
	start_partner(t);
}

/* ---- readiness; the size is the number of descriptors, of which one is ready ---- */

static void epoll_setup(struct task *t)
{
	int *fds = descriptors_new(t->size);

	must((t->fd = epoll_create1(0)) >= 0, "epoll_create1");
	for (uint64_t i = 0; i < t->size; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.fd = fds[i] };

		must(!epoll_ctl(t->fd, EPOLL_CTL_ADD, fds[i], &event), "epoll_ctl");
	}
	free(fds);
}

static void epoll_once(struct task *t)
{
	struct epoll_event event;

	must(epoll_wait(t->fd, &event, 1, -1) == 1, "epoll_wait");
}

static void poll_setup(struct task *t)
{
	int *fds = descriptors_new(t->size);

	t->watched = xcalloc(t->size, sizeof(*t->watched));
	for (uint64_t i = 0; i < t->size; i++)
		t->watched[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	free(fds);
}

static void poll_once(struct task *t)
{
	must(poll(t->watched, t->size, -1) == 1, "poll");
}

static void futex_once(struct task *t)
{
	static uint32_t word;

	(void)t;
	must(!syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0),
	     "futex");
}

/* ---- memory ---- */

static void mmap_once(struct task *t)
{
	void *p = mmap(NULL, t->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(p != MAP_FAILED && !munmap(p, t->size), "mmap");
}

static void touch_once(struct task *t)
{
	char *p = mmap(NULL, t->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(p != MAP_FAILED, "mmap");
	for (uint64_t at = 0; at < t->size; at += PAGE_MIN)
		((volatile char *)p)[at] = 1;
	must(!munmap(p, t->size), "munmap");
}

/* Others may have moved the end of the heap meanwhile. */
static void brk_once(struct task *t)
{
	long end = syscall(SYS_brk, 0);

	must(syscall(SYS_brk, end + (long)t->size) == end + (long)t->size &&
		 syscall(SYS_brk, end) == end,
	     "brk");
}

/* ---- signals, processes, threads ---- */

static void on_signal(int number)
{
	(void)number;
}

static void signal_setup(struct task *t)
{
	struct sigaction action = { .sa_handler = on_signal };

	(void)t;
	must(!sigaction(SIGUSR1, &action, NULL), "sigaction");
}

static void signal_once(struct task *t)
{
	(void)t;
	must(!kill(getpid(), SIGUSR1), "kill");
}

static void await(pid_t pid)
{
	int status = 1;

	must(pid > 0 && waitpid(pid, &status, 0) == pid, "a child process");
	if (status)
		errx(1, "a child process failed");
}

static void fork_once(struct task *t)
{
	pid_t pid = fork();

	(void)t;
	if (!pid)
		_exit(0);
	await(pid);
}

static void exec_setup(struct task *t)
{
	const char *reason;

	t->buffer = (char *)trivial_program(TRIVIAL_STATIC, &reason);
	if (!t->buffer)
		errx(3, "%s", reason);
}

static void exec_once(struct task *t)
{
	pid_t pid = fork();

	if (!pid) {
		execve(t->buffer, (char *[]){ t->buffer, NULL }, (char *[]){ NULL });
		_exit(127);
	}
	await(pid);
}

static void *return_at_once(void *argument)
{
	return argument;
}

static void thread_once(struct task *t)
{
	pthread_t thread;

	(void)t;
	errno = pthread_create(&thread, NULL, return_at_once, NULL);
	if (!errno)
		errno = pthread_join(thread, NULL);
	must(!errno, "thread");
}

/* The calls that one turn makes, this process and its children together.  rough: the C library
 * makes others besides, as many as it likes. */
static const struct operation {
	const char *name;
	uint64_t size;		       /* usual; 0: there is none */
	void (*setup)(struct task *t); /* NULL: nothing to prepare */
	void (*once)(struct task *t);
	const char *calls;
	bool rough;
} operations[] = {
	{ "getppid", 0, NULL, getppid_once, "getppid", false },
	{ "work", 10000, NULL, work_once, "", false },
	{ "read", 4096, cached_setup, read_once, "pread64", false },
	{ "write", 4096, cached_setup, write_once, "pwrite64", false },
	{ "append", 4096, append_setup, append_once, "write", false },
	{ "fsync", 4096, cached_setup, fsync_once, "pwrite64 fsync", false },
	{ "commit", 4096, append_setup, commit_once, "write fdatasync", false },
	{ "open", 1, path_setup, open_once, "openat close", false },
	{ "stat", 1, path_setup, stat_once, "newfstatat", false },
	{ "missing", 1, missing_setup, missing_once, "openat", false },
	{ "file", 4096, file_setup, file_once, "openat write close unlink", false },
	{ "pipe", 64, pipe_setup, message_once, "write read", false },
	{ "unix", 64, unix_setup, message_once, "write read", false },
	{ "udp", 64, udp_setup, message_once, "write read", false },
	{ "tcp", 64, tcp_setup, request_once, "write read write read", false },
	{ "connect", 0, connect_setup, connect_once, "socket connect accept close close", false },
	{ "turn", 64, turn_setup, turn_once, "write read write read", false },
	{ "turn-tcp", 64, turn_tcp_setup, turn_once, "write read write read", false },
	{ "epoll", 10, epoll_setup, epoll_once, "epoll_wait", false },
	{ "poll", 10, poll_setup, poll_once, "poll", false },
	{ "futex", 0, NULL, futex_once, "futex", false },
	{ "mmap", 65536, NULL, mmap_once, "mmap munmap", false },
	{ "touch", 65536, NULL, touch_once, "mmap munmap", false },
	{ "brk", 4096, NULL, brk_once, "brk brk brk", false },
	{ "signal", 0, signal_setup, signal_once, "getpid kill rt_sigreturn", false },
	{ "fork", 0, NULL, fork_once, "exit_group wait4", true },
	{ "exec", 0, exec_setup, exec_once, "execve exit_group wait4", true },
	{ "thread", 0, NULL, thread_once, "exit", true },
};

enum { OPERATIONS = sizeof(operations) / sizeof(*operations) };

#endif
