/* SPDX-License-Identifier: MIT */
/*
 * lat_syscall - one small system call.
 *
 * All go through syscall(2), as the C library caches or emulates some of them (sbrk, gettimeofday).
 * Each result is compared with the expected one.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "common/files.h"
#include "common/reason.h"
#include "measure/bench.h"
#include "peer/sockets.h"

#ifndef SYS_pidfd_open /* glibc before 2.31 */
#define SYS_pidfd_open 434
#endif

enum { MASK_BYTES = 8 }; /* the kernel's sigset_t */

/* What the calls of a thread work on. */
static _Thread_local struct {
	int fd;	       /* what supported() opened */
	long expected; /* the result of every call */
	char *page;
	int timer; /* the kernel's timer_t */
} own;
static uid_t owner;
static gid_t group;
static int one = 1;
static pid_t self;
static _Thread_local int number; /* value of an option or ioctl */
static _Thread_local socklen_t length;
static _Thread_local union {
	char bytes[16];
	struct stat stat;
	struct sigaction action;
	struct timeval time;
	struct rusage usage;
	struct rlimit limit;
	struct sockaddr_storage address;
	sigset_t mask;
	struct __user_cap_data_struct capabilities[2];
} buffer;
static _Thread_local struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
static const struct itimerspec never;

static void open_file(const char *path, int flags)
{
	own.fd = open(path, flags);
	if (own.fd < 0)
		err(1, "%s", path);
}

static void open_zero(void)
{
	open_file("/dev/zero", O_RDWR);
}

/* A regular file that every process has. */
static void open_self(void)
{
	open_file("/proc/self/exe", O_RDONLY);
}

static void open_namespace(void)
{
	open_file("/proc/self/ns/uts", O_RDONLY);
}

static void open_pipe(void)
{
	int ends[2];

	if (pipe(ends))
		err(1, "pipe");
	own.fd = ends[0];
}

static void open_tcp(void)
{
	own.fd = socket(AF_INET, SOCK_STREAM, 0);
	if (own.fd < 0)
		err(1, "socket");
}

/* Connecting UDP only stores the address; no packet is sent. */
static void open_udp(void)
{
	struct sockaddr_in peer = {
		.sin_family = AF_INET,
		.sin_port = htons(9),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	own.fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (own.fd < 0 || connect(own.fd, (struct sockaddr *)&peer, sizeof(peer)))
		err(1, "connect to 127.0.0.1");
}

/* A TCP connection on which nothing has arrived. */
static void open_silent(void)
{
	struct channel channel;

	channel_open(&channel, CHANNEL_TCP);
	own.fd = channel.a.in;
	if (fcntl(own.fd, F_SETFL, O_NONBLOCK))
		err(1, "fcntl");
}

/* A file in the directory under test. */
static void open_ours(void)
{
	own.fd = files_make(1);
}

static void map_page(void)
{
	own.page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (own.page == MAP_FAILED)
		err(1, "mmap");
}

static long dup_close(void)
{
	long copy = syscall(SYS_dup, own.fd);

	return copy < 0 ? copy : syscall(SYS_close, copy);
}

static long pipe_close(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) || close(ends[0]))
		return -1;
	return close(ends[1]);
}

static void make_timer(void)
{
	struct sigevent none = { .sigev_notify = SIGEV_NONE };

	if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &none, &own.timer))
		err(1, "timer_create");
}

static long pidfd_close(void)
{
	long opened = syscall(SYS_pidfd_open, self, 0);

	return opened < 0 ? opened : syscall(SYS_close, opened);
}

static _Noreturn void fail(const char *name)
{
	err(1, "%s did not return %ld", name, own.expected);
}

/* name, what prepares it, the least result that is no error, the call */
/* clang-format off */
#define CALLS(call) \
	call(getppid, NULL, 0, syscall(SYS_getppid)) \
	call(getuid, NULL, 0, syscall(SYS_getuid)) \
	call(read, open_zero, 1, syscall(SYS_read, own.fd, &buffer, 1)) \
	call(write, open_zero, 1, syscall(SYS_write, own.fd, &buffer, 1)) \
	call(fstat, open_self, 0, syscall(SYS_fstat, own.fd, &buffer)) \
	call(sigaction, NULL, 0, syscall(SYS_rt_sigaction, SIGUSR1, NULL, &buffer, MASK_BYTES)) \
	call(gettimeofday, NULL, 0, syscall(SYS_gettimeofday, &buffer, NULL)) \
	call(getrusage, NULL, 0, syscall(SYS_getrusage, RUSAGE_SELF, &buffer)) \
	call(sbrk, NULL, 1, syscall(SYS_brk, NULL)) \
	call(sigprocmask, NULL, 0, \
	     syscall(SYS_rt_sigprocmask, SIG_BLOCK, &buffer, NULL, MASK_BYTES)) \
	call(lseek, open_self, 1, syscall(SYS_lseek, own.fd, 1, SEEK_SET)) \
	call(fcntl, open_self, 0, syscall(SYS_fcntl, own.fd, F_GETFL)) \
	call(ioctl, open_pipe, 0, syscall(SYS_ioctl, own.fd, FIONREAD, &number)) \
	call(setsockopt, open_tcp, 0, \
	     syscall(SYS_setsockopt, own.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one))) \
	call(getsockopt, open_tcp, 0, (length = sizeof(number), \
	     syscall(SYS_getsockopt, own.fd, SOL_SOCKET, SO_ERROR, &number, &length))) \
	call(getpeername, open_udp, 0, (length = sizeof(buffer), \
	     syscall(SYS_getpeername, own.fd, &buffer, &length))) \
	call(dup, open_zero, 0, dup_close()) \
	call(gettid, NULL, 1, syscall(SYS_gettid)) \
	call(sched_yield, NULL, 0, syscall(SYS_sched_yield)) \
	call(madvise, map_page, 0, syscall(SYS_madvise, own.page, 4096, MADV_DONTNEED)) \
	call(umask, NULL, 0, syscall(SYS_umask, 022)) \
	call(getrandom, NULL, 16, syscall(SYS_getrandom, &buffer, 16, 0)) \
	call(eagain, open_silent, -EAGAIN, syscall(SYS_read, own.fd, &buffer, 1) < 0 ? -errno : 0) \
	call(pipe, NULL, 0, pipe_close()) \
	call(prlimit, NULL, 0, syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &buffer)) \
	call(fchown, open_ours, 0, syscall(SYS_fchown, own.fd, owner, group)) \
	call(fchmod, open_ours, 0, syscall(SYS_fchmod, own.fd, 0600 | (number ^= 0100))) \
	call(kill, NULL, 0, syscall(SYS_kill, self, 0)) \
	call(nosys, NULL, -ENOSYS, syscall(-2L) < 0 ? -errno : 0) \
	call(prctl, NULL, 0, syscall(SYS_prctl, PR_GET_DUMPABLE, 0, 0, 0, 0)) \
	call(capget, NULL, 0, syscall(SYS_capget, &header, &buffer)) \
	call(getcpu, NULL, 0, syscall(SYS_getcpu, &number, NULL, NULL)) \
	call(timer_settime, make_timer, 0, syscall(SYS_timer_settime, own.timer, 0, &never, NULL)) \
	call(pidfd, NULL, 0, pidfd_close()) \
	call(unshare, NULL, 0, syscall(SYS_unshare, CLONE_NEWUTS)) \
	call(setns, open_namespace, 0, syscall(SYS_setns, own.fd, CLONE_NEWUTS)) \
	call(setfl, open_pipe, 0, syscall(SYS_fcntl, own.fd, F_SETFL, O_NONBLOCK))
/* clang-format on */

/* A function that makes the call once, and one that makes it n times. */
#define DEFINE(name, prepare, least, expression) \
	static long name##_once(void) \
	{ \
		return (expression); \
	} \
	static void name##_run(uint64_t n) \
	{ \
		while (n--) \
			if ((expression) != own.expected) \
				fail(#name); \
	}
#define ROW(name, prepare, least, expression) { #name, prepare, least, name##_once, name##_run },
#define NAME(name, prepare, least, expression) " " #name

CALLS(DEFINE)

static const struct {
	const char *name;
	void (*prepare)(void); /* may be NULL */
	long least;	       /* what the result must be at least */
	long (*once)(void);
	void (*run)(uint64_t n);
} calls[] = { CALLS(ROW) };

static const struct bench_parameter parameters[] = {
	{ "call", BENCH_CHOICE, &CALLS(NAME)[1],
	  .help = "call that is measured; dup: dup and close; eagain: read from a TCP connection "
		  "without "
		  "data; pipe: pipe and two closes; fchmod: to another mode each time; "
		  "kill: of this process with signal 0; fcntl: F_GETFL; "
		  "setfl: F_SETFL; ioctl: FIONREAD; nosys: a call that does not exist; pidfd: "
		  "pidfd_open and close; unshare, setns: of the UTS namespace" },
	{ 0 }
};

static const char *supported(void)
{
	size_t i = bench_choice(0);
	const char *reason = NULL;

	if (calls[i].prepare == open_ours)
		reason = files_reason(1);
	else if (calls[i].prepare == open_silent)
		reason = channel_reason(CHANNEL_TCP, 1);
	if (reason)
		return reason;
	self = getpid();
	owner = geteuid();
	group = getegid();
	if (calls[i].prepare)
		calls[i].prepare();
	calls[i].once(); /* umask returns the mask set before */
	own.expected = calls[i].once();
	if (own.expected >= calls[i].least)
		return NULL;
	if (errno != ENOSYS && errno != EPERM)
		err(1, "%s", calls[i].name);
	return reason_errno(calls[i].name);
}

static void *state(size_t *size)
{
	*size = sizeof(own);
	return &own;
}

static const char *shares(void)
{
	void (*prepare)(void) = calls[bench_choice(0)].prepare;

	if (prepare == map_page || prepare == make_timer)
		return NULL;
	return prepare ? "the open file" : NULL;
}

static void run(uint64_t n)
{
	calls[bench_choice(0)].run(n);
}

const struct bench bench = {
	.summary = "One small system call, through syscall(2).",
	.operation = "one call",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.run = run,
	.shares = shares,
	.state = state,
};
