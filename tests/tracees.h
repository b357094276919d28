/* SPDX-License-Identifier: MIT */
/*
 * tracees.h - programs of which it is known what they do: a test starts itself again as one of
 * them.
 *
 * An exit status above 90 says that one did not work as meant.
 */
#ifndef TESTS_TRACEES_H
#define TESTS_TRACEES_H

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/file.h"

enum { PAGES = 10007, INHERITED = 3, CLOSED = 4, UNSUPPORTED = 77, WAKES = 10 };
/* Pages that touches() reads; writes, and again in a child; and jumps to, one in each WINDOW. */
enum { TO_READ = 211, TO_WRITE = 307, TO_RUN = 53, WINDOW = 1 << 16 };
enum { ALIKE = 300, ALIKE_SLEEP = 1000000 /* ns */, LONG_PATH = 3000, PORT = 4660 };

static const char *argument;

static void repeat(long call, int n)
{
	while (n--)
		syscall(call, 0, 0, 0);
}

static void wait_for_all(void)
{
	while (wait(NULL) > 0)
		;
}

/* Returns when a thread sleeps in a call. */
static void wait_until_asleep(pid_t pid, pid_t tid)
{
	char path[64], line[256] = "";

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	for (const char *p = NULL; !p || strncmp(p, ") S", 3); p = strrchr(line, ')')) {
		usleep(1000);
		file_first_line(path, line, sizeof(line));
	}
}

static _Noreturn void become(const char *scenario)
{
	execl("/proc/self/exe", "recorder", scenario, NULL);
	_exit(99);
}

static void *thread_of_counts(void *arg)
{
	(void)arg;
	repeat(SYS_getuid, 17);
	return NULL;
}

/* 1 + 3 + 1 + 1 processes, 1 + 5 threads in the first. */
static void counts(void)
{
	pthread_t threads[5];

	repeat(SYS_getppid, 101);
	for (int i = 0; i < 3; i++)
		if (!fork()) {
			repeat(SYS_getpgid, 13);
			_exit(i);
		}
	for (int i = 0; i < 5; i++)
		pthread_create(&threads[i], NULL, thread_of_counts, NULL);
	for (int i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	if (!vfork())
		become("leaf");
	if (!syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0)) {
		repeat(SYS_getgid, 19);
		_exit(0);
	}
	wait_for_all();
}

enum { FLOOD = 500000, LEAF = 23 };

/* More calls than the rings hold. */
static void flood(void)
{
	repeat(SYS_getppid, FLOOD);
}

static void leaf(void)
{
	repeat(SYS_geteuid, LEAF);
}

/* A tree of forks of that depth; every process makes 7 calls. */
static void grow(int depth)
{
	for (int i = 0; i < 2 && depth; i++)
		if (!fork()) {
			grow(depth - 1);
			_exit(0);
		}
	repeat(SYS_getppid, 7);
	wait_for_all();
}

static void forest(void)
{
	grow(6);
}

static _Atomic pid_t blocked;

static void *thread_that_blocks(void *arg)
{
	(void)arg;
	blocked = (pid_t)syscall(SYS_gettid);
	pause();
	return NULL;
}

static void *thread_that_execs(void *arg)
{
	(void)arg;
	while (!blocked)
		usleep(1000);
	wait_until_asleep(getpid(), blocked);
	wait_until_asleep(getpid(), getpid());
	become("leaf");
}

static void exec_from_thread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread_that_blocks, NULL);
	pthread_create(&t, NULL, thread_that_execs, NULL);
	for (;;)
		pause();
}

static int ends[2]; /* of a pipe */

static void on_alarm(int number)
{
	(void)number;
	repeat(SYS_getegid, 3);
	if (write(ends[1], "x", 1) != 1)
		_exit(98);
}

/* A read that a handler interrupts: by SIGALRM, which a child sends while this process sleeps in
 * it. */
static ssize_t interrupted_read(int flags)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = flags };
	char c;
	pid_t self = getpid();

	if (pipe(ends))
		_exit(97);
	/* So that it is not the first of its kind. */
	for (int i = 0; i < 3; i++)
		if (write(ends[1], "x", 1) != 1 || read(ends[0], &c, 1) != 1)
			_exit(97);
	sigaction(SIGALRM, &action, NULL);
	if (!fork()) {
		wait_until_asleep(self, self);
		kill(self, SIGALRM);
		_exit(0);
	}
	return read(ends[0], &c, 1);
}

static void restarted(void)
{
	if (interrupted_read(SA_RESTART) != 1)
		_exit(96);
}

static void not_restarted(void)
{
	if (interrupted_read(0) != -1 || errno != EINTR)
		_exit(96);
}

/* A sleep that SIGSTOP and SIGCONT interrupt goes on as restart_syscall. */
static void stopped_sleep(void)
{
	struct timespec t = { 2, 0 };
	pid_t self = getpid();

	if (!fork()) {
		wait_until_asleep(self, self);
		kill(self, SIGSTOP);
		usleep(20000);
		kill(self, SIGCONT);
		_exit(0);
	}
	syscall(SYS_nanosleep, &t, NULL);
	wait_for_all();
}

static void killed(void)
{
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	wait_until_asleep(child, child);
	kill(child, SIGKILL);
	wait_for_all();
}

/* One fsync of each kind of descriptor: most fail, which does not matter. */
static void descriptors(void)
{
	const struct sockaddr_in6 there = { .sin6_family = AF_INET6,
					    .sin6_port = htons(PORT),
					    .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int pair[2], pipes[2];

	connect(socket(AF_INET6, SOCK_DGRAM, 0), (const void *)&there, sizeof(there));
	fsync(open("/dev/null", O_RDONLY));
	fsync(open("/", O_RDONLY | O_DIRECTORY));
	fsync(open("/proc/self/exe", O_RDONLY));
	fsync(socket(AF_INET, SOCK_STREAM, 0));
	fsync(socket(AF_INET, SOCK_DGRAM, 0));
	fsync(epoll_create1(0));
	fsync(eventfd(0, 0));
	fsync(timerfd_create(CLOCK_MONOTONIC, 0));
	if (pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		_exit(95);
	fsync(pipes[1]);
	fsync(pair[1]);
	fsync(dup(pair[0]));
	fsync(INHERITED);
	close(CLOSED); /* its first use */
}

/* Sends a descriptor to ourselves, so that no call shows what it is, reads from it and closes it;
 * its number. */
static int read_passed(const int pair[2], int fd)
{
	uint64_t bytes;
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { .head = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec one = { &bytes, 1 };
	struct msghdr m = { .msg_iov = &one,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = CMSG_SPACE(sizeof(int)) };

	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	if (sendmsg(pair[0], &m, 0) != 1 || close(fd) || recvmsg(pair[1], &m, 0) != 1)
		_exit(94);
	memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
	if (read(fd, &bytes, sizeof(bytes)) != sizeof(bytes) || close(fd))
		_exit(94);
	return fd;
}

/* Files of three kinds in turn, under the same number and in the same memory of the kernel: two
 * share an inode, and two pipes follow each other. */
static void reused(void)
{
	const struct itimerspec soon = { .it_value = { .tv_nsec = 1 } };
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		_exit(94);
	for (int i = 0; i < ALIKE; i++) {
		int number = read_passed(pair, eventfd(1, 0));
		int timer = timerfd_create(CLOCK_MONOTONIC, 0);

		timerfd_settime(timer, 0, &soon, NULL);
		if (read_passed(pair, timer) != number)
			_exit(94);
		for (int j = 0; j < 2; j++)
			if (pipe(ends) || write(ends[1], pair, sizeof(pair)) != sizeof(pair) ||
			    read_passed(pair, ends[0]) != number || close(ends[1]))
				_exit(94);
	}
}

static int local = -1; /* a socket that is connected with itself */

/* Stays on the first CPU that it may use, or on the last. */
static void stay(bool last)
{
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE && (last || !CPU_COUNT(&one)); i++)
		if (CPU_ISSET(i, &all)) {
			CPU_ZERO(&one);
			CPU_SET(i, &one);
		}
	sched_setaffinity(0, sizeof(one), &one);
}

/* Is woken by another thread, by what the network brings, and by a timer. */
static void *thread_that_is_woken(void *arg)
{
	struct timespec t = { 0, ALIKE_SLEEP };
	char c;

	stay(true);
	blocked = (pid_t)syscall(SYS_gettid);
	for (int i = 0; i < WAKES; i++)
		if (read(ends[0], &c, 1) != 1)
			_exit(93);
	for (int i = 0; i < WAKES; i++)
		if (recv(local, &c, 1, 0) != 1)
			_exit(93);
	for (int i = 0; i < WAKES; i++)
		syscall(SYS_nanosleep, &t, NULL);
	return arg;
}

static void woken(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t n = sizeof(address);
	pthread_t t;

	local = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(local, (struct sockaddr *)&address, n) ||
	    getsockname(local, (struct sockaddr *)&address, &n) ||
	    connect(local, (struct sockaddr *)&address, n))
		_exit(UNSUPPORTED);
	if (pipe(ends) || pthread_create(&t, NULL, thread_that_is_woken, NULL))
		_exit(93);
	while (!blocked)
		usleep(1000);
	stay(false);
	for (int i = 0; i < 2 * WAKES; i++) {
		wait_until_asleep(getpid(), blocked);
		if (write(i < WAKES ? ends[1] : local, "x", 1) != 1)
			_exit(93);
	}
	pthread_join(t, NULL);
}

/* Ends before its child, which was woken. */
static void woken_later(void)
{
	int done[2];
	char c;

	if (pipe(done))
		_exit(93);
	if (!fork()) {
		woken();
		if (write(done[1], "x", 1) != 1)
			_exit(93);
		usleep(300000);
		_exit(0);
	}
	close(done[1]);
	if (read(done[0], &c, 1) != 1)
		_exit(93);
}

/* A child that no tracer follows, and a path that is not there. */
static void untraced(void)
{
	if (!syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0)) {
		repeat(SYS_getpgid, 5);
		_exit(0);
	}
	syscall(SYS_access, 1, 0);
	wait_for_all();
}

/* Submits operations that no system call shows: nothing, a read of 100 bytes, one of no file; and
 * last a timeout, which is still there when the program ends. */
static void io_uring(void)
{
	enum { OPERATIONS = 4, BYTES = 100 };
	static char bytes[BYTES];
	static struct __kernel_timespec hour = { .tv_sec = 3600 };
	struct io_uring_params p = { 0 };
	long ring = syscall(SYS_io_uring_setup, OPERATIONS, &p);
	int file = memfd_create("file", 0);
	char *queue = ring < 0 ? MAP_FAILED
			       : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, (int)ring,
				      IORING_OFF_SQ_RING);
	struct io_uring_sqe *entries =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, (int)ring, IORING_OFF_SQES);

	if (queue == MAP_FAILED || entries == MAP_FAILED || write(file, bytes, BYTES) != BYTES)
		_exit(UNSUPPORTED);
	for (uint32_t i = 0; i < OPERATIONS; i++)
		((uint32_t *)(void *)(queue + p.sq_off.array))[i] = i;
	entries[1] = (struct io_uring_sqe){ .opcode = IORING_OP_READ,
					    .fd = file,
					    .addr = (uintptr_t)bytes,
					    .len = BYTES,
					    .user_data = 7 };
	entries[2] = (struct io_uring_sqe){ .opcode = IORING_OP_FSYNC, .fd = 999 };
	entries[3] = (struct io_uring_sqe){ .opcode = IORING_OP_TIMEOUT,
					    .addr = (uintptr_t)&hour,
					    .len = 1 };
	__atomic_store_n((uint32_t *)(void *)(queue + p.sq_off.tail), OPERATIONS, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, OPERATIONS, 3, IORING_ENTER_GETEVENTS, NULL, 0) !=
	    OPERATIONS)
		_exit(UNSUPPORTED);
}

/* Writes of 1, 2, ... bytes, as many that fail, as many reads of a pipe that fail and succeed in
 * turn, a hundred writes to a file, and twenty sleeps; then another program. */
static void alike(void)
{
	static const char bytes[ALIKE];
	int device = open("/dev/null", O_WRONLY), file = memfd_create("file", 0);
	struct timespec t = { 0, ALIKE_SLEEP };
	char c;

	if (pipe2(ends, O_NONBLOCK))
		_exit(92);
	for (size_t n = 1; n <= ALIKE; n++)
		if (write(device, bytes, n) != (ssize_t)n || write(-1, bytes, n) != -1)
			_exit(92);
	for (int n = 0; n < ALIKE; n++)
		if (read(ends[0], &c, 1) != -1 || write(ends[1], &c, 1) != 1 ||
		    read(ends[0], &c, 1) != 1)
			_exit(92);
	for (int i = 0; i < 100; i++)
		if (pwrite(file, bytes, 1, 0) != 1)
			_exit(92);
	for (int i = 0; i < 20; i++)
		syscall(SYS_nanosleep, &t, NULL);
	become("leaf");
}

static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p =
	    mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		p[i * page] = 1;
}

/* Page faults in a child that ends by exit(2) and is waited for, and then before an execve. */
static void faults(void)
{
	if (!fork()) {
		touch_pages();
		syscall(SYS_exit, 0);
	}
	wait(NULL);
	touch_pages();
	become("leaf");
}

static void *thread_that_stays(void *arg)
{
	usleep(700000);
	exit(0);
	return arg;
}

/* Its first thread ends long before the other one. */
static void outlived(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread_that_stays, NULL);
	syscall(SYS_exit, 0);
}

/* Page faults of every kind. */
static void touches(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int file = memfd_create("code", 0);
	volatile char *read =
	    mmap(NULL, TO_READ * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile char *written =
	    mmap(NULL, TO_WRITE * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *code = mmap(NULL, TO_RUN * WINDOW, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);

	madvise((void *)(uintptr_t)read, TO_READ * page, MADV_NOHUGEPAGE);
	madvise((void *)(uintptr_t)written, TO_WRITE * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < TO_READ; i++)
		(void)read[i * page];
	for (size_t i = 0; i < TO_WRITE; i++)
		written[i * page] = 1;
	if (!fork()) {
		for (size_t i = 0; i < TO_WRITE; i++)
			written[i * page] = 2;
		_exit(0);
	}
	wait(NULL);
#ifdef __x86_64__
	for (size_t i = 0; i < TO_RUN; i++) {
		void (*run)(void);

		if (pwrite(file, "\xc3", 1, (off_t)(i * WINDOW)) != 1) /* return */
			_exit(92);
		code += i ? WINDOW : 0;
		memcpy(&run, &code, sizeof(run));
		run();
	}
#endif
}

static void *thread_that_sleeps(void *arg)
{
	(void)arg;
	for (int i = 0; i < 23; i++)
		usleep(2000);
	return NULL;
}

static void sleepers(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, thread_that_sleeps, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void *thread_that_reads(void *unused)
{
	char c;

	(void)unused;
	if (pipe(ends) < 0 || read(ends[0], &c, 1) < 0)
		_exit(94);
	return NULL;
}

/* One thread waits for a timer, the other for a pipe. */
static void waiters(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread_that_reads, NULL);
	sleep(100);
}

/* Uses 0.1 s of CPU time, and makes few calls: when they are traced, they take system time. */
static void computes(void)
{
	clock_t start = clock();

	while (clock() - start < CLOCKS_PER_SEC / 10)
		for (volatile int i = 0; i < 2000000;)
			i = i + 1;
}

static void successive(void)
{
	computes();
	become("computes");
}

static void be_killed(void)
{
	kill(getpid(), SIGKILL);
}

/* Numbers that are none of calls. */
static void unknown_calls(void)
{
	repeat(-1, 5);
	repeat(70000, 3);
}

static pthread_barrier_t all_there;

static void *thread_of_crowd(void *arg)
{
	pthread_barrier_wait(&all_there);
	repeat(SYS_getuid, 3);
	return arg;
}

static int asked_for(void)
{
	return argument ? atoi(argument) : 1;
}

/* So many threads as asked for, which are all there at once. */
static void crowd(void)
{
	int n = asked_for();
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));

	pthread_barrier_init(&all_there, NULL, (unsigned)n);
	for (int i = 0; i < n; i++)
		if (!threads || pthread_create(&threads[i], NULL, thread_of_crowd, NULL))
			_exit(UNSUPPORTED);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static int one_call(void *arg)
{
	(void)arg;
	syscall(SYS_getuid);
	return 0;
}

/* So many processes as asked for, one after the other, each of which makes a call.  They use the
 * memory of their parent: to a recorder that is a fork like any other, and to copy the memory takes
 * most of the time of one. */
static void forks(void)
{
	static _Alignas(16) char stack[1 << 16];

	for (int i = asked_for(); i > 0; i--) {
		pid_t child = clone(one_call, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);

		if (child < 0 || waitpid(child, NULL, 0) != child)
			_exit(UNSUPPORTED);
	}
}

/* Runs that scenario in a child under another name. */
static void rename_child(const char *scenario)
{
	if (!fork()) {
		repeat(SYS_getppid, 11);
		execl(argument, "other", scenario, NULL);
		_exit(94);
	}
	wait_for_all();
}

static void renamed(void)
{
	repeat(SYS_getppid, 11);
	rename_child("leaf");
	repeat(SYS_getppid, 11);
}

/* A child under another name, which becomes a program of the old name and then another one. */
static void leaver(void)
{
	rename_child("leaving");
}

static void leaving(void)
{
	become("left");
}

static void left(void)
{
	become("leaf");
}

static void unsupported(int number)
{
	(void)number;
	_exit(UNSUPPORTED);
}

/* Calls that fail, of which each argument is another number: the second by the way of 32-bit
 * programs.  And a long path, which does not begin at a page. */
static void arguments(void)
{
	static char path[LONG_PATH + 1] __attribute__((aligned(4096)));

	syscall(SYS_sendto, 991, 2, 3, 4, 5, 6L);
	memset(path, '/', sizeof(path) - 1);
	memcpy(path + LONG_PATH - 4, "none", 4);
	syscall(SYS_openat, -1, path + 1, 0);
#ifdef __x86_64__
	long result = 172; /* prctl */

	signal(SIGSEGV, unsupported);
	__asm__ volatile("int $0x80"
			 : "+a"(result)
			 : "b"(991), "c"(2), "d"(3), "S"(4), "D"(5)
			 : "memory");
	if (result != -EINVAL)
		_exit(91);
#else
	unsupported(0);
#endif
}

static void *thread_that_forks(void *arg)
{
	for (;;)
		if (!syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
			_exit(0);
	return arg;
}

/* Processes that end while their threads make others: some children come without their parents
 * having said so.  It returns when all of them have ended, as they hold the end of a pipe. */
static void massacre(void)
{
	pthread_t t;
	char c;

	if (pipe(ends))
		_exit(97);
	for (int i = 0; i < 20; i++)
		if (!fork()) {
			signal(SIGCHLD, SIG_IGN);
			for (int k = 0; k < 4; k++)
				pthread_create(&t, NULL, thread_that_forks, NULL);
			usleep(2000);
			_exit(0);
		}
	close(ends[1]);
	wait_for_all();
	if (read(ends[0], &c, 1))
		_exit(97);
}

static volatile sig_atomic_t enough;

static void on_term(int number)
{
	(void)number;
	enough = 1;
}

static void *thread_that_runs(void *arg)
{
	(void)arg;
	while (!enough)
		repeat(SYS_getuid, 1);
	return NULL;
}

/* Runs until SIGTERM, letting a file grow; exit status 42 says that it came to its own end. */
static void runner(void)
{
	int progress = argument ? open(argument, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
	pthread_t t;

	signal(SIGTERM, on_term);
	pthread_create(&t, NULL, thread_that_runs, NULL);
	while (!enough) {
		repeat(SYS_getppid, 1);
		if (argument && write(progress, ".", 1) != 1)
			_exit(93);
		usleep(1000);
	}
	pthread_join(t, NULL);
	_exit(42);
}

static _Noreturn void tracee(const char *scenario)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} scenarios[] = {
		{ "counts", counts },
		{ "leaf", leaf },
		{ "forest", forest },
		{ "exec", exec_from_thread },
		{ "restart", restarted },
		{ "eintr", not_restarted },
		{ "sleep", stopped_sleep },
		{ "killed", killed },
		{ "descriptors", descriptors },
		{ "untraced", untraced },
		{ "io_uring", io_uring },
		{ "alike", alike },
		{ "reused", reused },
		{ "woken", woken },
		{ "woken_later", woken_later },
		{ "flood", flood },
		{ "renamed", renamed },
		{ "leaver", leaver },
		{ "leaving", leaving },
		{ "left", left },
		{ "runner", runner },
		{ "sleepers", sleepers },
		{ "waiters", waiters },
		{ "computes", computes },
		{ "successive", successive },
		{ "faults", faults },
		{ "touches", touches },
		{ "outlived", outlived },
		{ "suicide", be_killed },
		{ "arguments", arguments },
		{ "massacre", massacre },
		{ "unknown", unknown_calls },
		{ "crowd", crowd },
		{ "forks", forks },
	};

	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
		if (!strcmp(scenario, scenarios[i].name)) {
			scenarios[i].run();
			_exit(0); /* leak checkers cannot work under ptrace */
		}
	_exit(92);
}

#endif
