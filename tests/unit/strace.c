/* SPDX-License-Identifier: MIT */
/* Tests of the reader of strace logs: lines and the events they are. */
#include "trace/source.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/vec.h"

#include "../tap.h"

static struct source_losses losses;
static struct source_info info;
static char command[256];

struct text {
	char *v;
	size_t n, cap;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;

	vec_reserve(t, 4096);
	va_start(ap, fmt);
	t->n += (size_t)vsnprintf(t->v + t->n, 4096, fmt, ap);
	va_end(ap);
}

/* The flags that a call has for reasons of its own. */
static void add_flags(struct text *t, unsigned flags)
{
	if (flags & CALL_UNFINISHED)
		add(t, " unfinished");
	if (flags & CALL_ORPHAN)
		add(t, " orphan");
	if (flags & CALL_RESTARTED)
		add(t, " restarted");
	if (flags & CALL_NO_RESULT)
		add(t, " nothing");
	if (flags & CALL_NO_ARGS)
		add(t, " textual");
}

/* "read(3,0,10)=5 <2000>": arguments up to the last that is not 0, result, duration. */
static void add_call(struct text *t, const struct event *e)
{
	int n = 6;

	while (n && !e->call.args[n - 1])
		n--;
	add(t, "%s(", syscall_get(e->call.id)->name);
	for (int i = 0; i < n; i++)
		add(t, "%s%" PRId64, i ? "," : "", (int64_t)e->call.args[i]);
	add(t, ")=%" PRId64, e->call.result);
	if (e->call.duration >= 0)
		add(t, " <%" PRId64 ">", e->call.duration);
	if (e->call.path)
		add(t, " '%s'", e->call.path);
	add_flags(t, e->call.flags);
}

static void add_event(struct text *t, const struct event *e)
{
	add(t, "%u/%u @%" PRId64 " ", e->pid, e->tid, e->time);
	switch (e->type) {
	case EVENT_SYSCALL: add_call(t, e); break;
	case EVENT_FORK: add(t, "fork %u/%u", e->fork.child_pid, e->fork.child_tid); break;
	case EVENT_EXEC: add(t, "exec %s", e->exec.command); break;
	case EVENT_EXIT: add(t, "exit %d%s", e->exit.status, e->exit.last ? " last" : ""); break;
	case EVENT_SIGNAL: add(t, "signal %d", e->signal.signal); break;
	case EVENT_CLOCK: add(t, "clock %" PRId64, e->clock.realtime); break;
	case EVENT_FD:
		add(t, "fd %u %s %s", e->fd.object, fd_kind_name(e->fd.kind), e->fd.name);
		break;
	default: add(t, "event %d", e->type);
	}
	add(t, "\n");
}

enum { CALLS = 1, DESCRIPTORS = 2 };

/* The events of a log as text; CLOCK and FD only when asked for. */
static char *read_bytes(const char *log, size_t n, const char *name, int what)
{
	struct error error;
	struct source *s = source_open_memory(log, n, name, &error);
	struct text t = { 0 };
	struct event e;
	int got;

	add(&t, "%s", "");
	if (!s) {
		add(&t, "%s", error.text);
		return t.v;
	}
	while ((got = source_next(s, &e, &error)) == 1)
		if (e.type == EVENT_FD || e.type == EVENT_CLOCK ? what & DESCRIPTORS : what & CALLS)
			add_event(&t, &e);
	if (got < 0)
		add(&t, "%s", error.text);
	losses = *source_losses(s);
	info = *source_info(s);
	snprintf(command, sizeof(command), "%s", info.command);
	source_close(s);
	return t.v;
}

static char *read_log(const char *log, const char *name, int what)
{
	return read_bytes(log, strlen(log), name, what);
}

static void log_gives(const char *log, const char *want, const char *what)
{
	char *got = read_log(log, "log", CALLS);

	is_string(got, want, "%s", what);
	free(got);
}

/* A line in front of which nothing was, and its call without "0/0 @0 ". */
static const struct {
	const char *line, *call;
} lines[] = {
	/* arguments */
	{ "getpid() = 7", "getpid()=7" },
	{ "read(3, \"abc\", 1024)                    = 3", "read(3,1,1024)=3" },
	{ "read(3, \"a\\\") = 9 <0.1>\", 10) = 3", "read(3,1,10)=3" },
	{ "read(3, \"\\\\\", 10) = 1", "read(3,1,10)=1" },
	{ "write(1, \"x\"..., 0x2000) = 8192", "write(1,1,8192)=8192" },
	{ "brk(NULL) = 0x7f0000000000", "brk()=139637976727552" },
	{ "umask(022) = 077", "umask(18)=63" },
	{ "openat(AT_FDCWD, \"/etc/pass\\167d\", O_RDONLY|O_CLOEXEC) = 3",
	  "openat(-100,1,524288)=3 '/etc/passwd'" },
	{ "open(\"\\t\\x41\\377\\n\\\"\\\\\", O_RDWR|O_CREAT|O_SOMETHING, 0644) = 3",
	  "open(1,66,420)=3 '\tA\377\n\"\\'" },
	{ "open(\"/very/long\"..., O_RDONLY) = 3", "open(1)=3 '/very/long'" },
	{ "open(0x7f0000000000, O_RDONLY) = -1 EFAULT (Bad address)", "open(139637976727552)=-14" },
	{ "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = "
	  "0x7f0000000000",
	  "mmap(0,4096,3,34,-1)=139637976727552" },
	{ "fcntl(3, F_SETLKW, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=0, l_len=1}) = 0",
	  "fcntl(3,7,1)=0" },
	{ "futex(0x10, FUTEX_WAIT_PRIVATE, 2, NULL) = 0", "futex(16,128,2)=0" },
	{ "socket(AF_INET6, SOCK_DGRAM|SOCK_CLOEXEC, IPPROTO_UDP) = 4", "socket(10,524290,17)=4" },
	{ "pipe2([3, 4], O_CLOEXEC) = 0", "pipe2(1,524288,0,0,3,4)=0" },
	{ "socketpair(AF_UNIX, SOCK_STREAM, 0, [5, 6]) = 0", "socketpair(1,1,0,1,5,6)=0" },
	{ "openat2(AT_FDCWD, \"x\", {flags=O_RDONLY|O_CREAT, mode=0600, resolve=0}, 24) = 3",
	  "openat2(-100,1,1,24,64)=3 'x'" },
	{ "kill(1234<sh>, SIGTERM) = 0", "kill(1234,15)=0" },
	{ "tgkill(1, 2, SIGRT_1) = 0", "tgkill(1,2)=0" },
	{ "capset({version=0}, {effective=1<<CAP_CHOWN|1<<CAP_KILL, permitted=0}) = 0",
	  "capset(1,1)=0" },
	{ "ioctl(1, FIONBIO, [1]) = 0", "ioctl(1,21537,1)=0" },
	{ "prlimit64(0, RLIMIT_NOFILE, NULL, {rlim_cur=1024*1024}) = 0", "prlimit64(0,7,0,1)=0" },
	{ "fstat(fd=3, statbuf={st_mode=S_IFREG|0644, ...}) = 0", "fstat(3,1)=0" },
	{ "read(fd=3, buf=\"a=b, c\", count=100) = 6", "read(3,1,100)=6" },
	{ "execve(\"/bin/ls\", [\"ls\"], 0x7ffd /* 3 vars, (two) */) = -1 ENOENT (No such file "
	  "or directory)",
	  "execve(1,1,32765)=-2 '/bin/ls'" },
	{ "write(1, \")\", 1) = 1", "write(1,1,1)=1" },
	{ "rt_sigprocmask(SIG_BLOCK, ~[RTMIN RT_1], [], 8) = 0", "rt_sigprocmask(0,1,1,8)=0" },
	{ "wait4(-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], WNOHANG, NULL) = 5",
	  "wait4(-1,1,1)=5" },
	{ "invented_call(1, FOO|BAR, 0x10) = 9", "invented_call(1,0,16)=9" },
	{ "syscall_0x1bf(0x1, 0x2) = -1 ENOSYS (Function not implemented)",
	  "memfd_secret(1,2)=-38" },
	/* decorations */
	{ "read(3</etc/passwd>, \"x\", 1) = 1", "read(3,1,1)=1" },
	{ "read(3</a(b,c\\76d>, \"x\", 1) = 1", "read(3,1,1)=1" },
	{ "write(0</dev/pts/3<char 136:3>>, \"x\", 1) = 1", "write(0,1,1)=1" },
	{ "recvfrom(4<TCP:[127.0.0.1:80->127.0.0.1:5]>, \"x\", 1, 0, NULL, NULL) = 1",
	  "recvfrom(4,1,1)=1" },
	{ "sendto(4<TCPv6:[[::1]:80->[::1]:5]>, \"x\", 1, 0, NULL, 0) = 1", "sendto(4,1,1)=1" },
	{ "read(4<UNIX-STREAM:[11->12,\"/run/a]>, b\"]>, \"x\", 1) = 1", "read(4,1,1)=1" },
	{ "read(3</tmp/x>(deleted), \"x\", 1) = 1", "read(3,1,1)=1" },
	{ "openat(AT_FDCWD</home/me>, \"x = 3\", O_RDONLY) = 3</home/me/x) = 4>",
	  "openat(-100,1)=3 'x = 3'" },
	{ "accept4(3<TCP:[0.0.0.0:80]>, NULL, NULL, SOCK_CLOEXEC) = 4<TCP:[a:1->b:2]>",
	  "accept4(3,0,0,524288)=4" },
	/* results */
	{ "read(3, 0x7ffd, 1) = -1 EAGAIN (Resource temporarily unavailable)",
	  "read(3,32765,1)=-11" },
	{ "foo() = -1 (errno 600)", "foo()=-600" },
	{ "fcntl(3, F_GETFL) = 0x8002 (flags O_RDWR|O_LARGEFILE)", "fcntl(3,3)=32770" },
	{ "poll([{fd=3, events=POLLIN}], 1, 10) = 1 ([{fd=3, revents=POLLIN}])", "poll(1,1,10)=1" },
	{ "select(4, [3], NULL, NULL, {tv_sec=1, tv_usec=0}) = 0 (Timeout)",
	  "select(4,1,0,0,1)=0" },
	{ "getpid() = 5 (INJECTED)", "getpid()=5" },
	{ "getpid() = -1 EPERM (Operation not permitted) (INJECTED) <0.000010>",
	  "getpid()=-1 <10000>" },
	{ "exit_group(3) = ?", "exit_group(3)=0 nothing" },
	{ "rt_sigreturn({mask=[]}) = ? <unavailable>", "rt_sigreturn(1)=0 nothing" },
	{ "read(3,  <unfinished ...>) = ?", "read(3)=0 unfinished" },
	{ "getpid() = 5 <0.000123>", "getpid()=5 <123000>" },
	{ "getpid() = 5 <1.5>", "getpid()=5 <1500000000>" },
	{ "getpid() = 5 <0.123456789>", "getpid()=5 <123456789>" },
	{ "getpid() = 5 <2>", "getpid()=5 <2000000000>" },
	{ "read(3</etc/x>, \"\", 1) = 0 <0.000001>", "read(3,1,1)=0 <1000>" },
	{ "dup(3</a>) = 4</a> <0.000001>", "dup(3)=4 <1000>" },
	/* lines in other dress */
	{ "[  39] getpid() = 5", "getpid()=5" },
	{ "[00007fae3a9d6ad7] getpid() = 5", "getpid()=5" },
	{ "[unconfined_u:r:t:s0-s0] getpid() = 5", "getpid()=5" },
	{ "getpid() = 5\r", "getpid()=5" },
};

static void test_lines(void)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		char want[512];

		snprintf(want, sizeof(want), "0/0 @0 %s\n", lines[i].call);
		log_gives(lines[i].line, want, lines[i].line);
	}
}

static void test_times(void)
{
	log_gives("10    1700000000.000001 getpid() = 10\n"
		  "10    1700000000.500002 getpid() = 10 <0.000003>\n",
		  "10/10 @0 getpid()=10\n10/10 @500001000 getpid()=10 <3000>\n", "-ttt");
	log_gives("10    1700000000 getpid() = 10\n10    1700000002 getpid() = 10\n",
		  "10/10 @0 getpid()=10\n10/10 @2000000000 getpid()=10\n", "-ttt in seconds");
	log_gives("1700000000.000001 getpid() = 10\n1700000000.500002 getpid() = 10\n",
		  "0/0 @0 getpid()=10\n0/0 @500001000 getpid()=10\n", "-ttt without -f");
	log_gives("12 23:59:59.999999 getpid() = 10\n12 00:00:00.000001 getpid() = 10\n",
		  "12/12 @0 getpid()=10\n12/12 @2000 getpid()=10\n", "-tt over midnight");
	log_gives("12 10:00:01 getpid() = 10\n12 10:00:00 getpid() = 10\n",
		  "12/12 @0 getpid()=10\n"
		  "12/12 @-1000000000 getpid()=10\n",
		  "-t, the clock set back");
	log_gives("     0.000000 getpid() = 1\n     0.000010 getpid() = 1\n"
		  "     0.000010 getpid() = 1\n",
		  "0/0 @0 getpid()=1\n0/0 @10000 getpid()=1\n0/0 @20000 getpid()=1\n", "-r");
	log_gives("12         0.000000 getpid() = 1\n12         0.000010 getpid() = 1\n",
		  "12/12 @0 getpid()=1\n12/12 @10000 getpid()=1\n", "-f -r");
	log_gives("12 10:00:00.5 (+     0.000010) getpid() = 1\n", "12/12 @0 getpid()=1\n",
		  "-tt -r");
	log_gives("[pid    12] 10:00:00 [  39] [00007f] getpid() = 1\n", "12/12 @0 getpid()=1\n",
		  "-f -t -n -i on a terminal");
	log_gives("12<sh> 10:00:00 getpid() = 1\n[pid 12<sh>] getpid() = 2\n",
		  "12/12 @0 getpid()=1\n12/12 @0 getpid()=2\n", "-Y");

	char *got = read_log("10 1700000000.000001 getpid() = 1 <0.1>\n", "log", DESCRIPTORS);
	is_string(got, "10/10 @0 clock 1700000000000001000\n", "-ttt tells the wall clock");
	ok(info.has_time && info.has_duration, "and that there are times and durations");
	free(got);
	got = read_log("getpid() = 1\n", "log", DESCRIPTORS);
	is_string(got, "", "a bare log tells none");
	ok(!info.has_time && !info.has_duration, "and has none");
	free(got);
}

static void test_two_parts(void)
{
	log_gives("10 1700000000.1 read(3,  <unfinished ...>\n"
		  "11 1700000000.2 getpid() = 11 <0.01>\n"
		  "10 1700000000.3 <... read resumed>\"x\", 5) = 1 <0.2>\n",
		  "11/11 @100000000 getpid()=11 <10000000>\n10/10 @0 read(3,1,5)=1 <200000000>\n",
		  "a call cut in two is one, with the time of its first part");
	log_gives("10 select(4, [3], NULL, NULL, NULL <unfinished ...>\n"
		  "10 <... select resumed> )      = 1 (in [3])\n",
		  "10/10 @0 select(4,1)=1\n", "as strace wrote it until 4.26");
	log_gives("10 exit_group(0 <unfinished ...>\n10 <... exit_group resumed>) = ?\n"
		  "10 +++ exited with 0 +++\n",
		  "10/10 @0 exit_group()=0 nothing\n10/10 @0 exit 0 last\n", "an exit cut in two");
	log_gives("10 1700000000.1 <... read resumed>\"x\", 5) = 1 <0.2>\n",
		  "10/10 @-200000000 read()=1 <200000000> orphan\n", "a second part alone");
	cmp_int(losses.orphans, 1, "is counted");
	log_gives("10 read(3, \"a <unfinished ...>\n10 getpid() = 1\n",
		  "10/10 @0 read()=0 unfinished textual\n10/10 @0 getpid()=1\n",
		  "a first part alone, cut within a string");
	cmp_int(losses.unfinished, 1, "is counted too");
	log_gives("10 accept(3, NULL, <unfinished ...>\n", "10/10 @0 accept(3)=0 unfinished\n",
		  "one at the end, with the arguments there are");
	log_gives("10 read(3,  <detached ...>\n", "10/10 @0 read(3)=0 unfinished\n",
		  "a detached one");
	log_gives("10 read(3,  <unfinished ...>\n10 <... write resumed>\"x\", 1) = 1\n",
		  "10/10 @0 read(3)=0 unfinished\n10/10 @0 write()=1 orphan\n",
		  "parts of different calls are two");
	log_gives("getpid() = 1\nclone(strace: Process 11 attached\n"
		  "child_stack=NULL, flags=SIGCHLD) = 11\n",
		  "0/0 @0 getpid()=1\n0/0 @0 clone(17)=11\n"
		  "0/0 @0 fork 11/11\n",
		  "strace itself spoke between");
	log_gives("getpid() = 1\nclone3({flags=CLONE_THREADstrace: Process 11 attached\n"
		  " <unfinished ...>\n"
		  "[pid 11] getpid() = 10\n[pid 10] <... clone3 resumed>}, 88) = 11\n",
		  "10/10 @0 getpid()=1\n10/10 @0 fork 10/11\n10/11 @0 getpid()=10\n"
		  "10/10 @0 clone3(1,88,0,0,65536)=11\n",
		  "and then another thread did");
}

static void test_processes(void)
{
	log_gives("10 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD, "
		  "child_tidptr=0x10) = 11\n"
		  "11 getpid() = 11\n11 exit_group(3) = ?\n11 +++ exited with 3 +++\n"
		  "10 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---\n",
		  "10/10 @0 clone(16777233,0,0,16)=11\n10/10 @0 fork 11/11\n11/11 @0 getpid()=11\n"
		  "11/11 @0 exit_group(3)=0 nothing\n11/11 @0 exit 768 last\n10/10 @0 signal 17\n",
		  "fork, exit, signal");
	log_gives("10 clone( <unfinished ...>\n11 getpid() = 10\n"
		  "10 <... clone resumed>child_stack=0x20, "
		  "flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, tls=0x30) = 11\n"
		  "11 +++ exited with 0 +++\n10 +++ exited with 0 +++\n",
		  "10/10 @0 fork 10/11\n10/11 @0 getpid()=10\n10/10 @0 clone(66816,32,0,0,48)=11\n"
		  "10/11 @0 exit 0\n10/10 @0 exit 0 last\n",
		  "a thread that is seen before clone has returned");
	log_gives("1 clone( <unfinished ...>\n2 clone( <unfinished ...>\n3 getpid() = 3\n"
		  "2 <... clone resumed>flags=SIGCHLD) = 3\n4 getpid() = 4\n"
		  "1 <... clone resumed>flags=SIGCHLD) = 4\n",
		  "2/2 @0 fork 3/3\n3/3 @0 getpid()=3\n2/2 @0 clone(17)=3\n1/1 @0 fork 4/4\n"
		  "4/4 @0 getpid()=4\n1/1 @0 clone(17)=4\n",
		  "each child goes to its parent");
	log_gives("1 vfork( <unfinished ...>\n"
		  "2 execve(\"/bin/it's\", [\"it's\", \"a b\", \"\"], 0x1 /* 2 vars */) = 0\n"
		  "1 <... vfork resumed>) = 2\n",
		  "1/1 @0 fork 2/2\n2/2 @0 execve(1,1,1)=0 '/bin/it's'\n"
		  "2/2 @0 exec 'it'\\''s' 'a b' ''\n1/1 @0 vfork()=2\n",
		  "vfork and exec");
	log_gives("1 fork() = -1 EAGAIN (Resource temporarily unavailable)\n",
		  "1/1 @0 fork()=-11\n", "a fork that fails makes nobody");
	log_gives("10 clone3({flags=CLONE_THREAD}, 88) = 11\n"
		  "11 execve(\"/a\", [\"a\"], 0x1 <pid changed to 10 ...>\n"
		  "10 +++ superseded by execve in pid 11 +++\n10 <... execve resumed>) = 0\n"
		  "10 +++ exited with 0 +++\n",
		  "10/10 @0 clone3(1,88,0,0,65536)=11\n10/10 @0 fork 10/11\n"
		  "10/10 @0 execve(1,1,1)=0 '/a'\n10/10 @0 exec a\n10/10 @0 exit 0 last\n",
		  "exec of a thread that is not the first");
	log_gives("10 read(3,  <unfinished ...>\n10 +++ killed by SIGSEGV (core dumped) +++\n",
		  "10/10 @0 read(3)=0 unfinished\n"
		  "10/10 @0 exit 139 last\n",
		  "killed within a call");
	log_gives("getpid() = 10\nclone(flags=SIGCHLD) = 11\nstrace: Process 11 attached\n"
		  "[pid    11] getpid() = 11\n[pid    10] getpid() = 10\n"
		  "[pid    11] +++ exited with 0 +++\n"
		  "getpid() = 10\n",
		  "10/10 @0 getpid()=10\n10/10 @0 clone(17)=11\n10/10 @0 fork 11/11\n"
		  "11/11 @0 getpid()=11\n"
		  "10/10 @0 getpid()=10\n11/11 @0 exit 0 last\n10/10 @0 getpid()=10\n",
		  "on a terminal the first process has a number only beside others");
	log_gives("--- SIGINT {si_signo=SIGINT} ---\n--- stopped by SIGSTOP ---\n"
		  "--- SIGRT_2 {si_signo=SIGRT_2} ---\n"
		  "--- SIGCHLD (Child exited) @ 0 (0) ---\n+++ killed by SIGKILL +++\n",
		  "0/0 @0 signal 2\n0/0 @0 signal 34\n0/0 @0 signal 17\n0/0 @0 exit 9 last\n",
		  "signals old and new");
	char *got = read_log("getpid() = 1\n", "dir/trace.4321", CALLS);
	is_string(got, "4321/4321 @0 getpid()=1\n", "the name of a file of -ff tells the process");
	free(got);
}

static void test_restarts(void)
{
	log_gives("10 1700000000.0 read(3, 0x10, 5) = ? ERESTARTSYS (To be restarted if "
		  "SA_RESTART is set) <0.1>\n"
		  "10 1700000000.1 --- SIGALRM {si_signo=SIGALRM} ---\n"
		  "10 1700000000.2 write(4, \"x\", 1) = 1 <0.1>\n"
		  "10 1700000000.3 rt_sigreturn({mask=[]}) = 0 <0.1>\n"
		  "10 1700000000.4 read(3, \"abc\", 5) = 3 <0.2>\n",
		  "10/10 @100000000 signal 14\n10/10 @200000000 write(4,1,1)=1 <100000000>\n"
		  "10/10 @300000000 rt_sigreturn(1)=0 <100000000>\n"
		  "10/10 @0 read(3,1,5)=3 <300000000> restarted\n",
		  "a restarted call is one");
	log_gives("10 read(3, 0x10, 5) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)\n"
		  "10 rt_sigreturn({mask=[]}) = -1 EINTR (Interrupted system call)\n"
		  "10 read(3, \"abc\", 5) = 3\n",
		  "10/10 @0 read(3,16,5)=-4\n10/10 @0 rt_sigreturn(1)=-4\n10/10 @0 read(3,1,5)=3\n",
		  "one that a signal ends is another");
	log_gives("10 nanosleep({tv_sec=9}, NULL) = ? ERESTART_RESTARTBLOCK (Interrupted by "
		  "signal) <1.0>\n"
		  "10 --- SIGCONT {si_signo=SIGCONT} ---\n"
		  "10 restart_syscall(<... resuming interrupted nanosleep ...>) = ? "
		  "ERESTART_RESTARTBLOCK (x) <2.0>\n"
		  "10 restart_syscall(<... resuming interrupted nanosleep ...>) = 0 <4.0>\n",
		  "10/10 @0 signal 18\n10/10 @0 nanosleep(1)=0 <7000000000> restarted\n",
		  "restart_syscall belongs to the call it restarts, twice");
	log_gives("10 restart_syscall(<... resuming interrupted poll ...>) = 1\n",
		  "10/10 @0 poll()=1 orphan restarted\n", "to one that began before the log");
	log_gives("10 pause() = ? ERESTARTNOHAND (To be restarted if no handler)\n"
		  "10 +++ killed by SIGTERM +++\n",
		  "10/10 @0 pause()=-4\n10/10 @0 exit 15 last\n", "a call interrupted for ever");
	log_gives("10 read(3, \"\", 1) = ? ERESTARTSYS (x)\n10 --- SIGALRM {si_signo=SIGALRM} ---\n"
		  "10 rt_sigprocmask(SIG_SETMASK, [], NULL, 8) = 0\n10 read(3, \"x\", 1) = 1\n"
		  "10 +++ exited with 0 +++\n",
		  "10/10 @0 signal 14\n10/10 @0 rt_sigprocmask(2,1,0,8)=0\n10/10 @0 read(3,1,1)=1\n"
		  "10/10 @0 read(3,1,1)=-4\n10/10 @0 exit 0 last\n",
		  "one that siglongjmp leaves is another");
	log_gives("10 read(3, \"\", 1) = ? ERESTARTSYS (x)\n10 read(3,  <unfinished ...>\n"
		  "10 +++ killed by SIGKILL +++\n",
		  "10/10 @0 read(3)=0 unfinished restarted\n10/10 @0 exit 9 last\n",
		  "death in a restarted call");
	log_gives("10 read(3, 0x10, 5) = ? ERESTARTSYS (x)\n"
		  "10 write(3, 0x10, 5) = ? ERESTARTSYS (x)\n",
		  "10/10 @0 read(3,16,5)=-4\n10/10 @0 write(3,16,5)=-4\n", "two of them");
}

/* Times that no clock shows stay in their range. */
static void test_absurd_times(void)
{
	log_gives("10 read(3, 0x10, 5) = ? ERESTARTSYS (x) <4000000000.0>\n"
		  "10 read(3, 0x10, 5) = ? ERESTARTSYS (x) <4000000000.0>\n"
		  "10 read(3, \"abc\", 5) = 3 <4000000000.0>\n",
		  "10/10 @0 read(3,1,5)=3 <9223372036854775807> restarted\n", "a sum of durations");
	log_gives("10 4000000000.0 getpid() = 1 <0.1>\n"
		  "10 00:00:00 <... read resumed>\"a\", 1) = 1 <4000000000.0>\n",
		  "10/10 @0 getpid()=1 <100000000>\n"
		  "10/10 @-7999913600000000000 read()=1 <4000000000000000000> orphan\n",
		  "a call that began before all time");
}

static void test_noise(void)
{
	log_gives(
	    "strace: Process 12 attached with 3 threads\n"
	    "[ Process PID=12 runs in 32 bit mode. ]\n"
	    "strace: [ Process PID=12 runs in 64 bit mode. ]\nProcess 13 attached\n\n"
	    "12 getpid() = 12\n > /lib/libc.so.6(getpid+0xb) [0xf2a1b]\n"
	    " > /bin/a(main+0x1) [0x12]\n"
	    " | 00000  72 6f 6f 74 3a 78 3a 30                           root:x:0         |\n",
	    "12/12 @0 getpid()=12\n", "notes, stacks, hexdumps and empty lines are no events");
	cmp_int(losses.bad_lines, 0, "and not bad either");
	log_gives("getpid() = 1\n% time     seconds  usecs/call     calls    errors syscall\n"
		  "------ ----------- ----------- --------- --------- ----------------\n"
		  "100.00    0.000010          10         1           getpid\n"
		  "------ ----------- ----------- --------- --------- ----------------\n"
		  "100.00    0.000010          10         1           total\n",
		  "0/0 @0 getpid()=1\n", "nor is the summary of -C");
	cmp_int(losses.bad_lines, 0, "nothing of it is bad");
	log_gives("getpid() = 1\n    calls % time syscall\n--------- ------ ----------------\n"
		  "        3 100.00 getpid\n--------- ------ ----------------\n"
		  "        3 100.00 total\ngetpid() = 2\n",
		  "0/0 @0 getpid()=1\n0/0 @0 getpid()=2\n", "nor is that of -C -U");
	cmp_int(losses.bad_lines, 0, "nothing of that is bad");
	log_gives("read(3</x, \"y) = 3\n", "0/0 @0 read()=3 textual\n",
		  "arguments that cannot be told apart stay text");
	log_gives("getpid() = 1\nHello, world\ngetppid() = 2\nread(3, \"abc\ngetuid() = 3\n",
		  "0/0 @0 getpid()=1\n0/0 @0 getppid()=2\n0/0 @0 getuid()=3\n",
		  "what the program wrote itself is skipped");
	ok(losses.bad_lines == 2 && losses.first_bad == 2 && *losses.first_bad_reason,
	   "counted, and the first told with its reason");

	static const char *const bad[] = {
		"getpid()",
		"getpid() =",
		"getpid() = x",
		"getpid() = 1x",
		"(1) = 2",
		"read(3, \"x) = ",
		"read(3</x, 1) = y",
		"<... read resumed",
		"--- SIGINT",
		"+++ exited with 0",
		"12",
		"a b(1) = 2",
		"[pid 12 getpid() = 1",
		"read(3 = 1",
		"99999999999999999999 getpid() = 1",
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char log[256];

		snprintf(log, sizeof(log), "getpid() = 1\n%s\ngetpid() = 1\n", bad[i]);
		log_gives(log, "0/0 @0 getpid()=1\n0/0 @0 getpid()=1\n", bad[i]);
		cmp_int(losses.bad_lines, 1, "is a bad line");
	}
}

static void test_descriptors(void)
{
	char log[] = "1 openat(AT_FDCWD</home>, \"x\", O_RDONLY) = 3</home/x>\n"
		     "1 read(3</home/x>, \"\", 1) = 0\n"
		     "1 close(3</home/x>) = 0\n"
		     "1 socket(AF_INET, SOCK_STREAM, 0) = 3<TCP:[77]>\n"
		     "1 connect(3<TCP:[77]>, {sa_family=AF_INET}, 16) = 0\n"
		     "1 sendto(3<TCP:[1.2.3.4:5->6.7.8.9:80]>, \"x\", 1, 0, NULL, 0) = 1\n"
		     "1 ioctl(0</dev/pts/3<char 136:3>>, TCGETS, {c_iflag=0}) = 0\n"
		     "1 write(9<socket:[5]>, \"x\", 1) = 1\n"
		     "1 read(8</tmp/gone>(deleted), \"x\", 1) = 1\n"
		     "1 read(7<anon_inode:[eventfd]>, \"x\", 8) = 8\n"
		     "1 read(6<UNIX-STREAM:[1->2]>, \"x\", 8) = 8\n"
		     "1 read(5</dev/null<char 1:3>>, \"\", 8) = 0\n"
		     "1 read(4</memfd:a (deleted)>, \"\", 8) = 0\n";
	char *got = read_log(log, "log", DESCRIPTORS);

	is_string(got,
		  "1/1 @0 fd 1 file /home/x\n1/1 @0 fd 1 tcp TCP:[77]\n"
		  "1/1 @0 fd 1 tcp TCP:[1.2.3.4:5->6.7.8.9:80]\n1/1 @0 fd 2 tty /dev/pts/3\n"
		  "1/1 @0 fd 3 socket socket:[5]\n1/1 @0 fd 4 file /tmp/gone\n"
		  "1/1 @0 fd 5 eventfd anon_inode:[eventfd]\n1/1 @0 fd 6 unix UNIX-STREAM:[1->2]\n"
		  "1/1 @0 fd 7 device /dev/null\n1/1 @0 fd 8 memfd /memfd:a\n",
		  "-y and -yy tell what descriptors are");
	free(got);
	got = read_log("1 pipe([3, 4]) = 0\n1 vfork( <unfinished ...>\n"
		       "2 read(3, \"\", 1) = 0\n",
		       "log", DESCRIPTORS);
	is_string(got, "1/1 @0 fd 1 pipe pipe:#1\n1/1 @0 fd 2 pipe pipe:#1\n",
		  "without them the calls do, in children too");
	free(got);
}

/*
 * A log that strace 6.1 made with -C of a program with threads, children, signals, sockets: its own
 * count of calls stands at the end.  strace does not count exits,
	  and counts an interrupted call twice.
 */
static void test_own_count(void)
{
	static const char path[] = "tests/data/strace/6.1.log";
	unsigned wrong = 0, names = 0, restarted = 0, pids = 0, exits = 0;
	struct error error;
	struct event e;
	char line[512];

	struct source *s = source_open(path, &error);
	FILE *f = fopen(path, "re");
	if (!s || !f) {
		fail("the log is there: %s", path);
		return;
	}
	unsigned calls[1000] = { 0 };
	while (source_next(s, &e, &error) == 1) {
		if (e.type == EVENT_SYSCALL && e.call.id < 1000) {
			calls[e.call.id]++;
			restarted += !!(e.call.flags & CALL_RESTARTED);
		}
		pids += e.type == EVENT_FORK && e.fork.child_pid == e.fork.child_tid;
		exits += e.type == EVENT_EXIT && e.exit.last;
	}
	while (fgets(line, sizeof(line), f)) {
		unsigned n, errors;
		char name[64];

		if (sscanf(line, "%*f %*f %*u %u %u %63s", &n, &errors, name) != 3 &&
		    sscanf(line, "%*f %*f %*u %u %63s", &n, name) != 2)
			continue;
		if (!strcmp(name, "total") || line[0] == '%')
			continue;
		names++;
		wrong += calls[syscall_by_name(name)] != n - (!strcmp(name, "read") * restarted);
	}
	cmp_int(wrong, 0, "strace's own count of each of %u calls is ours", names);
	ok(names > 30 && restarted == 1, "with one call that was interrupted and went on");
	ok(pids == 4 && exits == 5, "and five processes in all, each with an end");
	const struct source_losses *l = source_losses(s);
	ok(!l->bad_lines && !l->unfinished && !l->orphans, "nothing is lost");
	source_close(s);
	fclose(f);
}

static void test_info(void)
{
	char *got =
	    read_log("1 execve(\"/bin/sh\", [\"sh\", \"-c\", \"a b\"], 0x1) = 0\n", "log", CALLS);

	free(got);
	is_string(info.format, "strace", "format");
	is_string(command, "sh -c 'a b'", "command of the first process");
}

static void test_refused(void)
{
	static const struct {
		const char *data;
		size_t n;
		const char *word;
	} files[] = {
#define FILE_OF(s) s, sizeof(s) - 1
		{ FILE_OF(""), "empty" },
		{ FILE_OF("hello\nworld\n"), "no trace" },
		{ FILE_OF("\0\0\0\0\0\0\0\0"), "no trace" },
		{ FILE_OF("\x28\xb5\x2f\xfd...."), "zstd -d" },
		{ FILE_OF("\x1f\x8b\x08\0"), "gzip -d" },
		{ FILE_OF("\x7f"
			  "ELF\x02\x01"),
		  "a program" },
		{ FILE_OF("int main(void)\n{\n\treturn f(1) == 2;\n}\n"), "no trace" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *got = read_bytes(files[i].data, files[i].n, "file", CALLS);

		ok(strstr(got, files[i].word), "refused: %s", got);
		free(got);
	}
	struct error e;
	ok(!source_open("/", &e) && strstr(e.text, "directory"), "a directory is refused");
	ok(!source_open("/nonexistent/x", &e) && strstr(e.text, "/nonexistent/x"),
	   "so is a missing file");
}

/* Logs that would keep a reader busy for ever if it looked for each child's parent in all of them. */
static void test_endless(void)
{
	for (int form = 0; form < 3; form++) {
		struct text log = { 0 };

		for (int i = 0; i < 100; i++)
			add(&log, "10 getpid() = 1\n");
		for (int i = 1000; i < 101000; i++)
			if (form == 0)
				add(&log, "100 clone( <unfinished ...>\n%d getpid() = 1\n", i);
			else if (form == 1)
				add(&log, "%d clone( <unfinished ...>\n", i);
			else
				add(&log, "10 clone3({flags=%dstrace: Process 11 attached\n", i);
		char *got = read_bytes(log.v, log.n, "log", 0);
		uint64_t found = form < 2 ? losses.unfinished : losses.bad_lines;
		ok(!*got && found == (form < 2 ? 100000 : 100000 / 17 + 1),
		   "100000 calls that do not return, in form %d: %" PRIu64, form, found);
		free(got);
		free(log.v);
	}
}

/* Through a pipe, in pieces, and with a line longer than the buffer. */
static void test_pipe(void)
{
	enum { LINES = 30011, LONG = 3 << 20 };
	struct text log = { 0 };
	uint64_t calls = 0;
	struct error error;
	struct event e;
	int ends[2];

	for (int i = 0; i < LINES; i++)
		add(&log, "%d read(3, \"abc\", %d) = %d\n", 10 + i % 3, i, i);
	add(&log, "10 write(1, \"");
	vec_reserve(&log, LONG);
	memset(log.v + log.n, 'x', LONG);
	log.n += LONG;
	add(&log, "\", 7) = 7\n");
	if (pipe(ends))
		return;
	pid_t child = fork();
	if (child == 0) {
		for (size_t at = 0; at < log.n;) {
			ssize_t n = write(ends[1], log.v + at, log.n - at < 999 ? log.n - at : 999);

			if (n < 0)
				_exit(1);
			at += (size_t)n;
		}
		_exit(0);
	}
	close(ends[1]);
	dup2(ends[0], 0);
	struct source *s = source_open("-", &error);
	int64_t last = 0;
	while (s && source_next(s, &e, &error) == 1)
		if (e.type == EVENT_SYSCALL) {
			calls++;
			last = e.call.result;
		}
	cmp_int(calls, LINES + 1, "all lines come through a pipe");
	cmp_int(last, 7, "and one of 3 MB");
	source_close(s);
	close(ends[0]);
	free(log.v);
}

int main(void)
{
	test_lines();
	test_times();
	test_two_parts();
	test_processes();
	test_restarts();
	test_absurd_times();
	test_noise();
	test_descriptors();
	test_own_count();
	test_info();
	test_refused();
	test_endless();
	test_pipe();
	return done_testing();
}
