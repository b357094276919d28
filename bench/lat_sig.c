/* SPDX-License-Identifier: MIT */
/*
 * lat_sig - installs a signal handler, or sends a signal to this process, which takes it.
 *
 * handle, altstack: by a handler, on the usual or an alternate stack; kill(2) with signal 0 is
 * subtracted: delivery, handler and return remain.  queue, pidfd: the same by rt_sigqueueinfo(2)
 * and pidfd_send_signal(2), nothing subtracted.  wait, signalfd: the signal is blocked, and taken
 * by sigtimedwait(2) or read(2).  fault: a write to a protected page; the handler jumps out.
 */
#include <err.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"
#include "util/xalloc.h"

enum { INSTALL, HANDLE, ALTSTACK, QUEUE, PIDFD, WAIT, SIGNALFD, FAULT };
enum { STACK = 64 << 10 };

#ifndef SYS_pidfd_open /* glibc before 2.31 */
#define SYS_pidfd_send_signal 424
#define SYS_pidfd_open 434
#endif

static void *volatile frame;	      /* of the handler */
static char stack_memory[STACK];      /* the alternate stack */
static volatile sig_atomic_t handled; /* wraps at 32 bits, as the check does */
static uint32_t before;
static pid_t self;
static int fd;
static sigset_t usual;
static char *protected;
static sigjmp_buf out;

static void on_signal(int number)
{
	(void)number;
	frame = __builtin_frame_address(0);
	handled = (sig_atomic_t)((uint32_t)handled + 1);
}

static void on_fault(int number)
{
	on_signal(number);
	siglongjmp(out, 1);
}

static void install(uint64_t n, int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	while (n--)
		if (sigaction(number, &action, NULL))
			err(1, "sigaction");
}

static void send(uint64_t n, int number)
{
	while (n--)
		if (kill(self, number))
			err(1, "kill");
}

static void queue(uint64_t n)
{
	siginfo_t info = { .si_signo = SIGUSR1, .si_code = SI_QUEUE };

	info.si_pid = self;
	info.si_uid = getuid();
	while (n--)
		if (syscall(SYS_rt_sigqueueinfo, self, SIGUSR1, &info))
			err(1, "rt_sigqueueinfo");
}

static void send_by_pidfd(uint64_t n)
{
	while (n--)
		if (syscall(SYS_pidfd_send_signal, fd, SIGUSR1, NULL, 0))
			err(1, "pidfd_send_signal");
}

static void send_and_wait(uint64_t n)
{
	while (n--) {
		send(1, SIGUSR1);
		if (sigtimedwait(&usual, NULL, NULL) != SIGUSR1)
			err(1, "sigtimedwait");
		on_signal(SIGUSR1);
	}
}

static void send_and_read(uint64_t n)
{
	struct signalfd_siginfo info;

	while (n--) {
		send(1, SIGUSR1);
		if (read(fd, &info, sizeof(info)) != sizeof(info))
			err(1, "read");
		on_signal(SIGUSR1);
	}
}

static void fault(uint64_t n)
{
	volatile uint64_t left = n;

	sigsetjmp(out, 0);
	while (left--)
		*(volatile char *)protected = 1;
}

static const char *supported(void)
{
	self = getpid();
	sigemptyset(&usual);
	sigaddset(&usual, SIGUSR1);
	if (bench_choice(0) == PIDFD) {
		fd = (int)syscall(SYS_pidfd_open, self, 0);
		if (fd < 0 || syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0))
			return "this kernel has no pidfd_open or pidfd_send_signal";
	}
	if (bench_choice(0) == SIGNALFD && (fd = signalfd(-1, &usual, 0)) < 0)
		return "this kernel has no signalfd";
	return NULL;
}

static void setup(void)
{
	size_t what = bench_choice(0);
	const stack_t stack = { .ss_sp = stack_memory, .ss_size = STACK };

	if (sigaltstack(&stack, NULL))
		err(1, "sigaltstack");
	install(1, SIGUSR1, on_signal, what == ALTSTACK ? SA_ONSTACK : 0);
	if (what == WAIT || what == SIGNALFD)
		sigprocmask(SIG_BLOCK, &usual, NULL);
	if (what != FAULT)
		return;
	install(1, SIGSEGV, on_fault, SA_NODEFER);
	protected = mmap(NULL, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (protected == MAP_FAILED)
		err(1, "mmap");
}

static void start(uint64_t n)
{
	before = (uint32_t)handled;
}

static void run(uint64_t n)
{
	switch (bench_choice(0)) {
	case INSTALL: install(n, SIGUSR1, on_signal, 0); break;
	case QUEUE: queue(n); break;
	case PIDFD: send_by_pidfd(n); break;
	case WAIT: send_and_wait(n); break;
	case SIGNALFD: send_and_read(n); break;
	case FAULT: fault(n); break;
	default: send(n, SIGUSR1);
	}
}

static void overhead(uint64_t n)
{
	if (bench_choice(0) == HANDLE || bench_choice(0) == ALTSTACK)
		send(n, 0);
	else
		while (n--)
			bench_clobber();
}

static const char *check(uint64_t n)
{
	uint32_t expected = bench_choice(0) == INSTALL ? 0 : (uint32_t)n;

	if ((uint32_t)handled - before != expected)
		return "signals were lost";
	if (bench_choice(0) == ALTSTACK &&
	    (uintptr_t)frame - (uintptr_t)stack_memory >= sizeof(stack_memory))
		return "the handler has run on the usual stack";
	return NULL;
}

static const struct bench_parameter parameters[] = {
	{ "what", BENCH_CHOICE, "install handle altstack queue pidfd wait signalfd fault",
	  .help = "install a handler, or how a signal is sent and taken" },
	{ 0 }
};

const struct bench bench = {
	.summary = "Installing a signal handler, or sending a signal and taking it.",
	.operation = "one sigaction(2), or one signal",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.prepare = start,
	.run = run,
	.overhead = overhead,
	.check = check,
};
