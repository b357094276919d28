/* SPDX-License-Identifier: MIT */
/*
 * cpu_start - what the C library asks the processor when a program starts: which instructions it
 * has, and how large its caches are.
 *
 * A processor answers in some hundred cycles, but under a hypervisor each question leaves the
 * virtual machine, which takes microseconds, and tens of them where that machine is inside another.
 * What is asked depends on the C library and on the processor.  So a program is started here, step
 * by step, until it has asked; the benchmark repeats its questions.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bench.h"

/* Instructions before the first question, and after one before the next. */
enum { STEPS_BEFORE = 20000, STEPS_BETWEEN = 1000, MOST = 512 };

struct question {
	uint32_t a, c;
};

static struct question questions[MOST];
static size_t nquestions;
static uint32_t answer;

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/user.h>

/* Whether a stopped process is at an instruction that asks; *q: what. */
static bool is_question(pid_t pid, struct question *q)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &r))
		return false;
	*q = (struct question){ (uint32_t)r.rax, (uint32_t)r.rcx };
	return (ptrace(PTRACE_PEEKTEXT, pid, r.rip, NULL) & 0xffff) == 0xa20f; /* cpuid */
}

static void ask(const struct question *q)
{
	uint32_t a, b, c, d;

	__cpuid_count(q->a, q->c, a, b, c, d);
	answer += a;
}
#elif defined(__aarch64__)
#include <elf.h>
#include <sys/uio.h>
#include <sys/user.h>

static bool is_question(pid_t pid, struct question *q)
{
	struct user_regs_struct r;
	struct iovec v = { &r, sizeof(r) };

	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &v))
		return false;
	*q = (struct question){ 0, 0 };
	/* mrs of MIDR_EL1, which the kernel emulates */
	return (ptrace(PTRACE_PEEKTEXT, pid, r.pc, NULL) & 0xffffffe0) == 0xd5380000;
}

static void ask(const struct question *q)
{
	uint64_t midr;

	(void)q;
	__asm__ volatile("mrs %0, midr_el1" : "=r"(midr));
	answer += (uint32_t)midr;
}
#else
static bool is_question(pid_t pid, struct question *q)
{
	(void)pid;
	(void)q;
	return false;
}

static void ask(const struct question *q)
{
	(void)q;
}
#endif

/* Waits for a change of the child's state, also if a signal comes meanwhile. */
static bool await(pid_t pid, int *status)
{
	pid_t got;

	while ((got = waitpid(pid, status, 0)) < 0 && errno == EINTR)
		;
	return got == pid;
}

/* A child that stops where the program begins; -1: it does not. */
static pid_t start(const char *path)
{
	char *const arguments[] = { (char *)(uintptr_t) "true", NULL }, *const none[] = { NULL };
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		if (!ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			execve(path, arguments, none);
		_exit(127);
	}
	if (pid < 0 || !await(pid, &status) || !WIFSTOPPED(status))
		return -1;
	return pid;
}

/* Finds the questions of a program; false: it cannot be followed. */
static bool follow(const char *path)
{
	pid_t pid = start(path);
	size_t quiet = 0;
	bool followed = false;

	nquestions = 0;
	while (pid > 0 && quiet < (nquestions ? STEPS_BETWEEN : STEPS_BEFORE) &&
	       nquestions < MOST) {
		int status;

		quiet++;
		if (is_question(pid, &questions[nquestions])) {
			nquestions++;
			quiet = 0;
		}
		followed = !ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) && await(pid, &status);
		if (!followed)
			break;
		if (!WIFSTOPPED(status))
			return true;
	}
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return followed && nquestions < MOST;
}

static const char *supported(void)
{
	static const char *const paths[] = { "/bin/true", "/usr/bin/true", "/proc/self/exe" };
	bool followed = false;

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths) && !followed; i++)
		followed = follow(paths[i]);
	if (!followed)
		return "no program can be followed step by step (ptrace)";
	return nquestions ? NULL : "programs here ask the processor nothing when they start";
}

static void run(uint64_t n)
{
	while (n--)
		for (size_t i = 0; i < nquestions; i++)
			ask(&questions[i]);
	bench_clobber();
}

const struct bench bench = {
	.summary = "What the C library asks the processor when a program starts.",
	.operation = "all questions of one start",
	.supported = supported,
	.run = run,
};
