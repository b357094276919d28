/* SPDX-License-Identifier: MIT */
/*
 * lat_syscall - one small system call.
 *
 * All go through syscall(2): the C library caches or emulates some of them (sbrk, gettimeofday),
 * and what counts is the kernel's answer.  Each result is compared with the one it must have.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/sockets.h"
#include "common/files.h"

enum { MASK_BYTES = 8 }; /* the kernel's sigset_t */

static int fd;	      /* what setup opened */
static long expected; /* the result of every call */
static uid_t owner;
static gid_t group;
static int one = 1, number; /* option and ioctl values */
static socklen_t length;
static pid_t self;
static char *page;
static union {
	char bytes[16];
	struct stat stat;
	struct sigaction action;
	struct timeval time;
	struct rusage usage;
	struct rlimit limit;
	struct sockaddr_storage address;
	sigset_t mask;
} buffer;

static void open_file(const char *path, int flags)
{
	fd = open(path, flags);
	if (fd < 0)
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

static void open_pipe(void)
{
	int ends[2];

	if (pipe(ends))
		err(1, "pipe");
	fd = ends[0];
}

static void open_tcp(void)
{
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0)
		err(1, "socket");
}

/* A peer without a packet: connecting UDP only notes the address. */
static void open_udp(void)
{
	struct sockaddr_in peer = {
		.sin_family = AF_INET,
		.sin_port = htons(9),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&peer, sizeof(peer)))
		err(1, "connect to 127.0.0.1");
}

/* A TCP connection on which nothing has arrived. */
static void open_silent(void)
{
	struct channel channel;

	channel_open(&channel, CHANNEL_TCP);
	fd = channel.a.in;
	if (fcntl(fd, F_SETFL, O_NONBLOCK))
		err(1, "fcntl");
}

/* A file of ours on the file system under test. */
static void open_ours(void)
{
	fd = files_make(1);
	owner = geteuid();
	group = getegid();
}

static void know_self(void)
{
	self = getpid();
}

static void map_page(void)
{
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		err(1, "mmap");
}

static long dup_close(void)
{
	long copy = syscall(SYS_dup, fd);

	return copy < 0 ? copy : syscall(SYS_close, copy);
}

static long pipe_close(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) || close(ends[0]))
		return -1;
	return close(ends[1]);
}

static _Noreturn void fail(const char *name)
{
	err(1, "%s did not return %ld", name, expected);
}

/* A function that makes the call n times; the first result was checked by setup. */
#define CALL(name, expression) \
	static long name##_once(void) \
	{ \
		return (expression); \
	} \
	static void name##_run(uint64_t n) \
	{ \
		while (n--) \
			if ((expression) != expected) \
				fail(#name); \
	}

CALL(getppid, syscall(SYS_getppid))
CALL(getuid, syscall(SYS_getuid))
CALL(read, syscall(SYS_read, fd, &buffer, 1))
CALL(write, syscall(SYS_write, fd, &buffer, 1))
CALL(fstat, syscall(SYS_fstat, fd, &buffer))
CALL(sigaction, syscall(SYS_rt_sigaction, SIGUSR1, NULL, &buffer, MASK_BYTES))
CALL(gettimeofday, syscall(SYS_gettimeofday, &buffer, NULL))
CALL(getrusage, syscall(SYS_getrusage, RUSAGE_SELF, &buffer))
CALL(sbrk, syscall(SYS_brk, NULL))
CALL(sigprocmask, syscall(SYS_rt_sigprocmask, SIG_BLOCK, &buffer, NULL, MASK_BYTES))
CALL(lseek, syscall(SYS_lseek, fd, 1, SEEK_SET))
CALL(fcntl, syscall(SYS_fcntl, fd, F_GETFL))
CALL(ioctl, syscall(SYS_ioctl, fd, FIONREAD, &number))
CALL(setsockopt, syscall(SYS_setsockopt, fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
CALL(getsockopt,
     (length = sizeof(number), syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &number, &length)))
CALL(getpeername, (length = sizeof(buffer), syscall(SYS_getpeername, fd, &buffer, &length)))
CALL(dup, dup_close())
CALL(gettid, syscall(SYS_gettid))
CALL(sched_yield, syscall(SYS_sched_yield))
CALL(madvise, syscall(SYS_madvise, page, 4096, MADV_DONTNEED))
CALL(umask, syscall(SYS_umask, 022))
CALL(getrandom, syscall(SYS_getrandom, &buffer, 16, 0))
CALL(eagain, syscall(SYS_read, fd, &buffer, 1) < 0 ? -errno : 0)
CALL(pipe, pipe_close())
CALL(prlimit, syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &buffer))
CALL(fchown, syscall(SYS_fchown, fd, owner, group))
CALL(kill, syscall(SYS_kill, self, 0))

static const struct call {
	const char *name;
	void (*setup)(void);
	long (*once)(void);
	void (*run)(uint64_t n);
	long least; /* what the result must be at least */
} calls[] = {
	{ "getppid", NULL, getppid_once, getppid_run, 0 },
	{ "getuid", NULL, getuid_once, getuid_run, 0 },
	{ "read", open_zero, read_once, read_run, 1 },
	{ "write", open_zero, write_once, write_run, 1 },
	{ "fstat", open_self, fstat_once, fstat_run, 0 },
	{ "sigaction", NULL, sigaction_once, sigaction_run, 0 },
	{ "gettimeofday", NULL, gettimeofday_once, gettimeofday_run, 0 },
	{ "getrusage", NULL, getrusage_once, getrusage_run, 0 },
	{ "sbrk", NULL, sbrk_once, sbrk_run, 1 },
	{ "sigprocmask", NULL, sigprocmask_once, sigprocmask_run, 0 },
	{ "lseek", open_self, lseek_once, lseek_run, 1 },
	{ "fcntl", open_self, fcntl_once, fcntl_run, 0 },
	{ "ioctl", open_pipe, ioctl_once, ioctl_run, 0 },
	{ "setsockopt", open_tcp, setsockopt_once, setsockopt_run, 0 },
	{ "getsockopt", open_tcp, getsockopt_once, getsockopt_run, 0 },
	{ "getpeername", open_udp, getpeername_once, getpeername_run, 0 },
	{ "dup", open_zero, dup_once, dup_run, 0 },
	{ "gettid", NULL, gettid_once, gettid_run, 1 },
	{ "sched_yield", NULL, sched_yield_once, sched_yield_run, 0 },
	{ "madvise", map_page, madvise_once, madvise_run, 0 },
	{ "umask", NULL, umask_once, umask_run, 0 },
	{ "getrandom", NULL, getrandom_once, getrandom_run, 16 },
	{ "eagain", open_silent, eagain_once, eagain_run, -EAGAIN },
	{ "pipe", NULL, pipe_once, pipe_run, 0 },
	{ "prlimit", NULL, prlimit_once, prlimit_run, 0 },
	{ "fchown", open_ours, fchown_once, fchown_run, 0 },
	{ "kill", know_self, kill_once, kill_run, 0 },
};

enum { CALLS = sizeof(calls) / sizeof(*calls) };

static const char *supported(void)
{
	void (*opens)(void) = calls[bench_choice(0)].setup;

	if (opens == open_ours)
		return files_reason(1);
	return opens == open_silent ? channel_reason(CHANNEL_TCP, 1) : NULL;
}

static void setup(void)
{
	const struct call *call = &calls[bench_choice(0)];

	if (call->setup)
		call->setup();
	call->once(); /* umask answers with what was set before */
	expected = call->once();
	if (expected < call->least)
		err(1, "%s", call->name);
}

static void run(uint64_t n)
{
	calls[bench_choice(0)].run(n);
}

int main(int argc, char **argv)
{
	static char names[CALLS * 16];
	const struct bench_parameter parameters[] = {
		{ "call", BENCH_CHOICE, names,
		  .help = "which call; dup: dup and close, eagain: a read "
			  "of a TCP connection without data, pipe: pipe and two closes, kill: of "
			  "this process with "
			  "signal 0" },
		{ 0 }
	};
	const struct bench bench = {
		.summary = "One small system call, through syscall(2).",
		.operation = "one call",
		.parameters = parameters,
		.kernel_entries = 1,
		.supported = supported,
		.setup = setup,
		.run = run,
	};

	for (size_t i = 0, at = 0; i < CALLS; i++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s", i ? " " : "",
				       calls[i].name);
	return bench_main(argc, argv, &bench);
}
