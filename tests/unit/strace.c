/* SPDX-License-Identifier: MIT */
/* Tests of the reader of strace logs: lines and the events they are. */
#include "trace/source.h"

#include "../tap.h"
#include "event_text.h"

static struct source_losses losses;
static struct source_info info;
static char command[256];

/* What the log as a whole says, and what is missing in it, which is shown. */
static void add_summary(FILE *t, const struct source *s)
{
	info = *source_info(s);
	losses = *source_losses(s);
	snprintf(command, sizeof(command), "%s", info.command);
	if (losses.unfinished)
		fprintf(t, "%" PRIu64 " unfinished\n", losses.unfinished);
	if (losses.orphans)
		fprintf(t, "%" PRIu64 " orphans\n", losses.orphans);
	if (losses.bad_lines)
		fprintf(t, "%" PRIu64 " bad lines, first line %" PRIu64 "\n", losses.bad_lines,
			losses.first_bad);
}

enum { CALLS = 1, DESCRIPTORS = 2 };

/* Reads a log: its events as text, CLOCK and FD only if asked for, and what is missing. */
static char *read_log(const char *log, size_t n, const char *name, int what)
{
	struct error error = { "" };
	struct source *s = source_open_memory(log, n, name, &error);
	struct event e;
	char *out;
	size_t size;
	FILE *t = open_memstream(&out, &size);

	while (s && source_next(s, &e, &error) == 1)
		if (e.type == EVENT_FD || e.type == EVENT_CLOCK ? what & DESCRIPTORS : what & CALLS)
			add_event(t, &e);
	fprintf(t, "%s", error.text);
	if (s)
		add_summary(t, s);
	fclose(t);
	source_close(s);
	return out;
}

static void log_gives(const char *log, const char *name, int what, const char *want,
		      const char *test)
{
	char *got = read_log(log, strlen(log), name, what);

	is_string(got, want, "%s", test);
	free(got);
}

/* A line and its call. */
static const struct {
	const char *line, *call;
} lines[] = {
	/* arguments */
	{ "getpid() = 7", "getpid()=7" },
	{ "read(3, \"abc\", 1024)                    = 3", "read(3,1,1024)=3" },
	{ "read(3, \"a\\\") = 9 <0.1>\", 10) = 3", "read(3,1,10)=3" },
	{ "read(3, \"\\\\\", 10) = 1", "read(3,1,10)=1" },
	{ "write(1, \"x\"..., 0x2000) = 8192", "write(1,1,8192)=8192" },
	{ "umask(022) = 077", "umask(18)=63" },
	{ "openat(AT_FDCWD, \"/pass\\167d\", O_RDONLY|O_CLOEXEC) = 3",
	  "openat(-100,1,524288)=3 '/passwd'" },
	{ "open(\"\\t\\x41\\377\\n\\\"\\\\\", O_RDWR|O_CREAT|O_NEW, 0644) = 3",
	  "open(1,66,420)=3 '\tA\377\n\"\\'" },
	{ "open(\"/very/long\"..., O_RDONLY) = 3", "open(1)=3 '/very/long'" },
	{ "open(0x7f0000000000, O_RDONLY) = -1 EFAULT (Bad address)", "open(139637976727552)=-14" },
	{ "mmap(NULL, 8, PROT_READ|PROT_WRITE, MAP_PRIVATE, -1, 0) = 0x7f0",
	  "mmap(0,8,3,2,-1)=2032" },
	{ "mmap(NULL, 8, PROT_READ, MAP_PRIVATE|21<<MAP_HUGE_SHIFT, -1, 0) = 0x7f0",
	  "mmap(0,8,1,1409286146,-1)=2032" },
	{ "fcntl(3, F_SETLKW, {l_type=F_WRLCK, l_len=1}) = 0", "fcntl(3,7,1)=0" },
	{ "socket(AF_INET6, SOCK_DGRAM|SOCK_CLOEXEC, IPPROTO_UDP) = 4", "socket(10,524290,17)=4" },
	{ "pipe2([3, 4], O_CLOEXEC) = 0", "pipe2(1,524288,0,0,3,4)=0" },
	{ "socketpair(AF_UNIX, SOCK_STREAM, 0, [5, 6]) = 0", "socketpair(1,1,0,1,5,6)=0" },
	{ "openat2(4, \"x\", {flags=O_CREAT, mode=0600}, 24) = 3", "openat2(4,1,1,24,64)=3 'x'" },
	{ "kill(1234<sh>, SIGTERM) = 0", "kill(1234,15)=0" },
	{ "tgkill(1, 2, SIGRT_1) = 0", "tgkill(1,2)=0" },
	{ "capset({version=0}, {effective=1<<CAP_CHOWN|1<<CAP_KILL}) = 0", "capset(1,1)=0" },
	{ "read(fd=3, buf=\"a=b, c\", count=100) = 6", "read(3,1,100)=6" },
	{ "execve(\"/ls\", [\"ls\"], 0x7f /* 3 vars, (two) */) = -1 ENOENT (x)",
	  "execve(1,1,127)=-2 '/ls'" },
	{ "rt_sigprocmask(SIG_BLOCK, ~[RTMIN RT_1], [], 8) = 0", "rt_sigprocmask(0,1,1,8)=0" },
	{ "wait4(-1, [{WIFEXITED(s) && x == 0}], WNOHANG, NULL) = 5", "wait4(-1,1,1)=5" },
	{ "invented_call(1, FOO|BAR, 0x10) = 9", "invented_call(1,0,16)=9" },
	{ "syscall_0x1bf(0x1, 0x2) = -1 ENOSYS (x)", "memfd_secret(1,2)=-38" },
	/* decorations */
	{ "read(3</a(b,c\\76d>, \"x\", 1) = 1", "read(3,1,1)=1" },
	{ "write(0</dev/pts/3<char 136:3>>, \"x\", 1) = 1", "write(0,1,1)=1" },
	{ "recvfrom(4<TCP:[1.0.0.1:80->1.0.0.1:5]>, \"x\", 1, 0) = 1", "recvfrom(4,1,1)=1" },
	{ "sendto(4<TCPv6:[[::1]:80->[::1]:5]>, \"x\", 1, 0, NULL, 0) = 1", "sendto(4,1,1)=1" },
	{ "read(4<UNIX-STREAM:[11->12,\"/run/a]>, b\"]>, \"x\", 1) = 1", "read(4,1,1)=1" },
	{ "openat(5</home/me>, \"x = 3\", O_RDONLY) = 3</home/x) = 4>", "openat(5,1)=3 'x = 3'" },
	{ "accept4(3<TCP:[0.0.0.0:80]>, NULL, NULL) = 4<TCP:[a:1->b:2]>", "accept4(3)=4" },
	/* results */
	{ "read(3, 0x7ffd, 1) = -1 EAGAIN (x)", "read(3,32765,1)=-11" },
	{ "foo() = -1 (errno 600)", "foo()=-600" },
	{ "fcntl(3, F_GETFL) = 0x8002 (flags O_RDWR|O_LARGEFILE)", "fcntl(3,3)=32770" },
	{ "poll([{fd=3, events=POLLIN}], 1, 9) = 1 ([{fd=3, revents=POLLIN}])", "poll(1,1,9)=1" },
	{ "getpid() = -1 EPERM (x) (INJECTED) <0.000010>", "getpid()=-1 <10000>" },
	{ "exit_group(3) = ?", "exit_group(3)=0 nothing" },
	{ "rt_sigreturn({mask=[]}) = ? <unavailable>", "rt_sigreturn(1)=0 nothing" },
	{ "getpid() = 5 <0.000123>", "getpid()=5 <123000>" },
	{ "getpid() = 5 <0.123456789>", "getpid()=5 <123456789>" },
	{ "dup(3</a>) = 4</a> <0.000001>", "dup(3)=4 <1000>" },
	/* what some options put in front of a call */
	{ "[  39] getpid() = 5", "getpid()=5" },
	{ "[unconfined_u:r:t:s0-s0] getpid() = 5", "getpid()=5" },
	{ "getpid() = 5\r", "getpid()=5" },
};

static void test_lines(void)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		char want[512];

		snprintf(want, sizeof(want), "0 %s\n", lines[i].call);
		log_gives(lines[i].line, "log", CALLS, want, lines[i].line);
	}
}

static const struct {
	const char *test, *log, *events;
} logs[] = {
	/* times */
	{ "-ttt",
	  "10    1700000000.000001 getpid() = 10\n"
	  "10    1700000000.500002 getpid() = 10 <0.000003>\n",
	  "10 getpid()=10\n10 @500001000 getpid()=10 <3000>\n" },
	{ "a thread that was killed before its call, and one before its result was read",
	  "10 getpid() = 10\n10 ?\?\?( <unfinished ...>\n11 close(3 <unfinished ...>\n"
	  "10 <... ?\?\? resumed>) = ?\n11 <... close resumed>) = ? <unavailable>\n",
	  "10 getpid()=10\n11 close(3)=0 nothing\n" },
	{ "-ttt in seconds", "10    1700000000 getpid() = 10\n10    1700000002 getpid() = 10\n",
	  "10 getpid()=10\n10 @2000000000 getpid()=10\n" },
	{ "-ttt without -f", "1700000000.000001 getpid() = 10\n1700000000.500002 getpid() = 10\n",
	  "0 getpid()=10\n0 @500001000 getpid()=10\n" },
	{ "-tt over midnight",
	  "12 23:59:59.999999 getpid() = 10\n12 00:00:00.000001 getpid() = 10\n",
	  "12 getpid()=10\n12 @2000 getpid()=10\n" },
	{ "-t when the clock is set back", "12 10:00:01 getpid() = 10\n12 10:00:00 getpid() = 10\n",
	  "12 getpid()=10\n12 @-1000000000 getpid()=10\n" },
	{ "-r",
	  "     0.000000 getpid() = 1\n     0.000010 getpid() = 1\n     0.000010 getpid() = 1\n",
	  "0 getpid()=1\n0 @10000 getpid()=1\n0 @20000 getpid()=1\n" },
	{ "-tt -r", "12 10:00:00.5 (+     0.000010) getpid() = 1\n", "12 getpid()=1\n" },
	{ "-f -t -n -i on a terminal", "[pid    12] 10:00:00 [  39] [00007f] getpid() = 1\n",
	  "12 getpid()=1\n" },
	{ "-Y", "12<sh> 10:00:00 getpid() = 1\n[pid 12<sh>] getpid() = 2\n",
	  "12 getpid()=1\n12 getpid()=2\n" },
	/* calls in two parts */
	{ "a call in two parts is one call, with the time of the first part",
	  "10 1700000000.1 read(3,  <unfinished ...>\n11 1700000000.2 getpid() = 11 <0.01>\n"
	  "10 1700000000.3 <... read resumed>\"x\", 5) = 1 <0.2>\n",
	  "11 @100000000 getpid()=11 <10000000>\n10 read(3,1,5)=1 <200000000>\n" },
	{ "a call in two parts as strace wrote it until 4.26",
	  "10 select(4, [3], NULL, NULL, NULL <unfinished ...>\n"
	  "10 <... select resumed> )      = 1 (in [3])\n",
	  "10 select(4,1)=1\n" },
	{ "an exit in two parts",
	  "10 exit_group(0 <unfinished ...>\n10 <... exit_group resumed>) = ?\n"
	  "10 +++ exited with 0 +++\n",
	  "10 exit_group()=0 nothing\n10 exit 0 last\n" },
	{ "a call in which strace itself was killed", "read(3,  <unfinished ...>) = ?\n",
	  "0 read(3)=0 unfinished\n1 unfinished\n" },
	{ "a second part alone is an orphan",
	  "10 1700000000.1 <... read resumed>\"x\", 5) = 1 <0.2>\n",
	  "10 @-200000000 read()=1 <200000000> orphan\n1 orphans\n" },
	{ "a first part alone, which ends within a string",
	  "10 read(3, \"a <unfinished ...>\n10 getpid() = 1\n",
	  "10 read()=0 unfinished textual\n10 getpid()=1\n1 unfinished\n" },
	{ "a first part at the end of the log", "10 accept(3, NULL, <unfinished ...>\n",
	  "10 accept(3)=0 unfinished\n1 unfinished\n" },
	{ "a call from which strace detached", "10 read(3,  <detached ...>\n",
	  "10 read(3)=0 unfinished\n1 unfinished\n" },
	{ "parts of different calls are two calls",
	  "10 read(3,  <unfinished ...>\n10 <... write resumed>\"x\", 1) = 1\n",
	  "10 read(3)=0 unfinished\n10 write()=1 orphan\n1 unfinished\n1 orphans\n" },
	{ "a message of strace within a call",
	  "getpid() = 1\nclone(strace: Process 11 attached\n"
	  "child_stack=NULL, flags=SIGCHLD) = 11\n",
	  "0 getpid()=1\n0 clone(17)=11\n0 fork 11/11\n" },
	{ "a message of strace and then another thread within a call",
	  "getpid() = 1\nclone3({flags=CLONE_THREAD}strace: Process 11 attached\n"
	  " <unfinished ...>\n[pid 11] getpid() = 10\n[pid 10] <... clone3 resumed> => "
	  "{parent_tid=[11]}, 88) = 11\n",
	  "10 getpid()=1\n10 fork 10/11\n10/11 getpid()=10\n10 clone3(1,88,0,0,65536)=11\n" },
	/* processes */
	{ "fork, exit and signal",
	  "10 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x10) = 11\n"
	  "11 getpid() = 11\n11 exit_group(3) = ?\n11 +++ exited with 3 +++\n"
	  "10 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---\n",
	  "10 clone(16777233,0,0,16)=11\n10 fork 11/11\n11 getpid()=11\n"
	  "11 exit_group(3)=0 nothing\n11 exit 768 last\n10 signal 17\n" },
	{ "a thread that writes before clone has returned",
	  "10 clone(child_stack=0x20, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD <unfinished ...>\n"
	  "11 getpid() = 10\n10 <... clone resumed>, tls=0x30) = 11\n11 +++ exited with 0 +++\n"
	  "10 +++ exited with 0 +++\n",
	  "10 fork 10/11\n10/11 getpid()=10\n10 clone(66816,32,0,0,48)=11\n10/11 exit 0\n"
	  "10 exit 0 last\n" },
	{ "vfork and exec",
	  "1 vfork( <unfinished ...>\n"
	  "2 execve(\"/bin/it's\", [\"it's\", \"a b\", \"\", \"$x\"], 0x1 /* 2 vars */) = 0\n"
	  "1 <... vfork resumed>) = 2\n",
	  "1 fork 2/2\n2 execve(1,1,1)=0 '/bin/it's'\n2 exec 'it'\\''s' 'a b' '' '$x'\n1 "
	  "vfork()=2\n" },
	{ "a fork that fails has no child", "1 fork() = -1 EAGAIN (x)\n", "1 fork()=-11\n" },
	{ "execve of a thread that is not the leader",
	  "10 clone3({flags=CLONE_THREAD}, 88) = 11\n"
	  "11 execve(\"/a\", [\"a\"], 0x1 <pid changed to 10 ...>\n"
	  "10 +++ superseded by execve in pid 11 +++\n10 <... execve resumed>) = 0\n"
	  "10 +++ exited with 0 +++\n",
	  "10 clone3(1,88,0,0,65536)=11\n10 fork 10/11\n10/11 exit 0\n"
	  "10 execve(1,1,1)=0 '/a'\n10 exec a\n"
	  "10 exit 0 last\n" },
	{ "the same where its first part is a line of its own",
	  "10 clone3({flags=CLONE_THREAD}, 88) = 11\n10 pause( <unfinished ...>\n"
	  "11 execve(\"/a\", [\"a\"], 0x1 <unfinished ...>\n10 <... pause resumed>) = ?\n"
	  "10 +++ superseded by execve in pid 11 +++\n10 <... execve resumed>) = 0\n"
	  "10 +++ exited with 0 +++\n",
	  "10 clone3(1,88,0,0,65536)=11\n10 fork 10/11\n10 pause()=0 unfinished\n10/11 exit 0\n"
	  "10 execve(1,1,1)=0 '/a'\n10 exec a\n10 exit 0 last\n1 unfinished\n" },
	{ "superseded by a thread that does nothing, or that nobody knows",
	  "10 getpid() = 10\n10 +++ superseded by execve in pid 10 +++\n"
	  "10 +++ superseded by execve in pid 12 +++\n10 getpid() = 10\n",
	  "10 getpid()=10\n10 getpid()=10\n" },
	{ "killed within a call",
	  "10 read(3,  <unfinished ...>\n10 +++ killed by SIGSEGV (core dumped) +++\n",
	  "10 read(3)=0 unfinished\n10 exit 139 last\n1 unfinished\n" },
	{ "on a terminal the first process has no pid while it is alone",
	  "getpid() = 10\nclone(flags=SIGCHLD) = 11\nstrace: Process 11 attached\n"
	  "[pid    11] getpid() = 11\n[pid    10] getpid() = 10\n"
	  "[pid    11] +++ exited with 0 +++\ngetpid() = 10\n",
	  "10 getpid()=10\n10 clone(17)=11\n10 fork 11/11\n11 getpid()=11\n10 getpid()=10\n"
	  "11 exit 0 last\n10 getpid()=10\n" },
	{ "signals, as old and new versions write them",
	  "--- SIGINT {si_signo=SIGINT} ---\n--- stopped by SIGSTOP ---\n"
	  "--- SIGRT_2 {si_signo=SIGRT_2} ---\n--- SIGCHLD (Child exited) @ 0 (0) ---\n"
	  "+++ killed by SIGKILL +++\n",
	  "0 signal 2\n0 signal 34\n0 signal 17\n0 exit 9 last\n" },
	/* restarts */
	{ "a restarted call is one call",
	  "10 1700000000.0 read(3, 0x10, 5) = ? ERESTARTSYS (x) <0.1>\n"
	  "10 1700000000.1 --- SIGALRM {si_signo=SIGALRM} ---\n"
	  "10 1700000000.2 write(4, \"x\", 1) = 1 <0.1>\n"
	  "10 1700000000.3 rt_sigreturn({mask=[]}) = 0 <0.1>\n"
	  "10 1700000000.4 read(3, \"abc\", 5) = 3 <0.2>\n",
	  "10 @100000000 signal 14\n10 @200000000 write(4,1,1)=1 <100000000>\n"
	  "10 @300000000 rt_sigreturn(1)=0 <100000000>\n10 read(3,1,5)=3 <300000000> restarted\n" },
	{ "restart_syscall, twice",
	  "10 nanosleep({tv_sec=9}, NULL) = ? ERESTART_RESTARTBLOCK (x) <1.0>\n"
	  "10 --- SIGCONT {si_signo=SIGCONT} ---\n10 restart_syscall(<... resuming interrupted "
	  "nanosleep ...>) = ? ERESTART_RESTARTBLOCK (x) <2.0>\n"
	  "10 restart_syscall(<... resuming interrupted nanosleep ...>) = 0 <4.0>\n",
	  "10 signal 18\n10 nanosleep(1)=0 <7000000000> restarted\n" },
	{ "restart_syscall of a call that began before the log did",
	  "10 restart_syscall(<... resuming interrupted poll ...>) = 1\n",
	  "10 poll()=1 orphan restarted\n1 orphans\n" },
	/* times that no clock shows */
	{ "durations whose sum overflows",
	  "10 read(3, 0x10, 5) = ? ERESTARTSYS (x) <4000000000.0>\n"
	  "10 read(3, 0x10, 5) = ? ERESTARTSYS (x) <4000000000.0>\n"
	  "10 read(3, \"abc\", 5) = 3 <4000000000.0>\n",
	  "10 read(3,1,5)=3 <9223372036854775807> restarted\n" },
	{ "a call that began before the log's first line",
	  "10 4000000000.0 getpid() = 1 <0.1>\n"
	  "10 00:00:00 <... read resumed>\"a\", 1) = 1 <4000000000.0>\n",
	  "10 getpid()=1 <100000000>\n"
	  "10 @-7999913600000000000 read()=1 <4000000000000000000> orphan\n1 orphans\n" },
	/* other lines */
	{ "messages, stacks (-k), hexdumps (-e read=) and empty lines are no events",
	  "strace: Process 12 attached with 3 threads\n[ Process PID=12 runs in 32 bit mode. ]\n"
	  "strace: [ Process PID=12 runs in 64 bit mode. ]\nProcess 13 attached\n\n"
	  "12 getpid() = 12\n > /lib/libc.so.6(getpid+0xb) [0xf2a1b]\n"
	  " > /bin/a(main+0x1) [0x12]\n"
	  " | 00000  72 6f 6f 74 3a 78 3a 30                           root:x:0         |\n",
	  "12 getpid()=12\n" },
	{ "the table of -C",
	  "getpid() = 1\n% time     seconds  usecs/call     calls    errors syscall\n"
	  "------ ----------- ----------- --------- --------- ----------------\n"
	  "100.00    0.000010          10         1           getpid\n"
	  "------ ----------- ----------- --------- --------- ----------------\n"
	  "100.00    0.000010          10         1           total\n",
	  "0 getpid()=1\n" },
	{ "the table of -C -U",
	  "getpid() = 1\n    calls % time syscall\n--------- ------ ----------------\n"
	  "        3 100.00 getpid\n--------- ------ ----------------\n        3 100.00 total\n"
	  "getpid() = 2\n",
	  "0 getpid()=1\n0 getpid()=2\n" },
	{ "the same with the names first",
	  "getpid() = 1\nsyscall              calls % time\n---------------- --------- ------\n"
	  "getpid                   1 100.00\n---------------- --------- ------\n"
	  "total                    1 100.00\n",
	  "0 getpid()=1\n" },
	{ "arguments that cannot be separated stay text", "read(3</x, \"y) = 3\n",
	  "0 read()=3 textual\n" },
	{ "the program's own output is skipped and counted",
	  "getpid() = 1\na syscall\ngetppid() = 2\nread(3, \"abc\ngetuid() = 3\n",
	  "0 getpid()=1\n0 getppid()=2\n0 getuid()=3\n2 bad lines, first line 2\n" },
	{ "lines that strace does not write",
	  "getpid() = 1\ngetpid() = 1\ngetpid()\ngetpid() =\ngetpid() = x\ngetpid() = 1x\n"
	  "(1) = 2\nread(3, \"x) = \nread(3</x, 1) = y\n<... read resumed\n--- SIGINT\n"
	  "+++ exited with 0\n12\na b(1) = 2\n[pid 12 getpid() = 1\nread(3 = 1\n"
	  "99999999999999999999 getpid() = 1\n",
	  "0 getpid()=1\n0 getpid()=1\n15 bad lines, first line 3\n" },
	{ "a result of more than 64 bits",
	  "mmap(NULL) = 0xffffffffffffffff\ngetpid() = 18446744073709551616\n"
	  "mmap(NULL) = 0x10000000000000000\ngetpid() = 1\n",
	  "0 mmap()=-1\n0 getpid()=1\n2 bad lines, first line 2\n" },
};

static void test_logs(void)
{
	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++)
		log_gives(logs[i].log, "log", CALLS, logs[i].events, logs[i].test);
	is_string(losses.first_bad_reason, "a call without a result", "a bad line has a reason");
}

/* What a log as a whole says. */
static void test_info(void)
{
	log_gives("10 1700000000.000001 getpid() = 1 <0.1>\n", "log", DESCRIPTORS,
		  "10 clock 1700000000000001000\n", "-ttt gives the wall clock");
	ok(info.has_time && info.has_duration, "-ttt -T: there are times and durations");
	log_gives("getpid() = 1\n", "log", DESCRIPTORS, "", "a bare log gives no clock");
	ok(!info.has_time && !info.has_duration, "and neither times nor durations");
	log_gives("getpid() = 1\n", "dir/trace.4321", CALLS, "4321 getpid()=1\n",
		  "the name of a file of -ff gives the process");
	log_gives("1 execve(\"/bin/sh\", [\"sh\", \"-c\", \"a b\"], 0x1) = 0\n", "log", 0, "",
		  "a log of an execve");
	is_string(info.format, "strace", "the format is strace");
	is_string(command, "sh -c 'a b'", "the command is the one of the first process");
}

static void test_descriptors(void)
{
	static const char log[] =
	    "1 openat(AT_FDCWD</home>, \"x\", O_RDONLY) = 3</home/x>\n1 read(3</home/x>) = 0\n"
	    "1 close(3</home/x>) = 0\n1 socket(AF_INET, SOCK_STREAM, 0) = 3<TCP:[77]>\n"
	    "1 connect(3<TCP:[77]>) = 0\n1 sendto(3<TCP:[1.2.3.4:5->6.7.8.9:80]>) = 1\n"
	    "1 ioctl(0</dev/pts/3<char 136:3>>) = 0\n1 write(9<socket:[5]>) = 1\n"
	    "1 read(8</tmp/gone>(deleted)) = 1\n1 read(7<anon_inode:[eventfd]>) = 8\n"
	    "1 read(6<UNIX-STREAM:[1->2]>) = 8\n1 read(5</dev/null<char 1:3>>) = 0\n"
	    "1 read(4</memfd:a (deleted)>) = 0\n";

	log_gives(log, "log", DESCRIPTORS,
		  "1 fd 1 file /home/x\n1 fd 1 tcp TCP:[77]\n"
		  "1 fd 1 tcp TCP:[1.2.3.4:5->6.7.8.9:80]\n1 fd 2 tty /dev/pts/3\n"
		  "1 fd 3 socket socket:[5]\n1 fd 4 file /tmp/gone\n"
		  "1 fd 5 eventfd anon_inode:[eventfd]\n1 fd 6 unix UNIX-STREAM:[1->2]\n"
		  "1 fd 7 device /dev/null\n1 fd 8 memfd /memfd:a\n",
		  "-y and -yy say what descriptors are");
	log_gives("1 pipe([3, 4]) = 0\n1 vfork( <unfinished ...>\n2 read(3, \"\", 1) = 0\n", "log",
		  DESCRIPTORS, "1 fd 1 pipe pipe:#1\n1 fd 2 pipe pipe:#1\n1 unfinished\n",
		  "without them the calls do, in children too");
}

static void test_refused(void)
{
	static const char *const files[][2] = {
		{ "hello\nworld\n", "no trace" },
		{ "\x28\xb5\x2f\xfd", "zstd -d" },
		{ "\x1f\x8b\x08", "gzip -d" },
		{ "\177ELF", "a program" },
		{ "int f(int x)\n{\nreturn f(1) == 2;\n}\n", "no trace" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *got = read_log(files[i][0], strlen(files[i][0]), "file", CALLS);

		ok(strstr(got, files[i][1]), "refused: %s", got);
		free(got);
	}
}

int main(void)
{
	test_lines();
	test_logs();
	test_info();
	test_descriptors();
	test_refused();
	return done_testing();
}
