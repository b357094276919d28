/* SPDX-License-Identifier: MIT */
/* Fuzzes the reader of strace logs: with the input as a log, and with the input after a valid line.
 */
#include "trace/source.h"

#include "events.h"
#include "fuzz.h"

static void read_all(const char *data, size_t n)
{
	struct source *s = source_open_memory(data, n, "fuzz", NULL);

	if (!s)
		return;
	touch_all(s, 100 * n + 100);
	if (source_losses(s)->bad_lines > n)
		abort();
	source_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char first[] = "10 1700000000.000001 getpid() = 10 <0.000001>\n";
	char *log = xmalloc(sizeof(first) - 1 + n);

	memcpy(log, data, n);
	read_all(log, n);
	memcpy(log, first, sizeof(first) - 1);
	if (n)
		memcpy(log + sizeof(first) - 1, data, n);
	read_all(log, sizeof(first) - 1 + n);
	free(log);
	return 0;
}

static const struct fuzz_seed seeds[] = {
	FUZZ_TEXT("10 1700000000.000001 openat(AT_FDCWD</home>, \"a\\1b\", O_RDONLY|O_CREAT, "
		  "0644) = "
		  "3</home/x> <0.000012>\n"
		  "10 1700000000.000002 clone( <unfinished ...>\n"
		  "11 1700000000.000003 execve(\"/bin/sh\", [\"sh\", \"-c\", \"it's\"], 0x7f /* "
		  "2 vars */) = 0 <0.1>\n"
		  "10 1700000000.000004 <... clone resumed>child_stack=NULL, "
		  "flags=CLONE_VM|SIGCHLD) = 11\n"
		  "11 1700000000.000005 read(4<TCP:[1.2.3.4:5->6.7.8.9:80]>, \"x\"..., 5) = -1 "
		  "EAGAIN (Try)\n"
		  "11 1700000000.000006 +++ exited with 3 +++\n"),
	FUZZ_TEXT("[pid    10] 23:59:59.5 [ 39] nanosleep({tv_sec=1}, NULL) = ? "
		  "ERESTART_RESTARTBLOCK (x)\n"
		  "[pid    10] --- SIGALRM {si_signo=SIGALRM} ---\n"
		  "[pid    10] restart_syscall(<... resuming interrupted nanosleep ...>) = 0\n"
		  "[pid    12] execve(\"/a\", [\"a\"] <pid changed to 10 ...>\n"
		  "strace: Process 12 attached\n[pid 10] <... execve resumed>) = 0\n"),
	FUZZ_TEXT("clone3({flags=CLONE_THREAD, exit_signal=0}strace: Process 11 attached\n"
		  " <unfinished ...>\n"
		  "pipe2([3, 4], O_CLOEXEC) = 0\nclose_range(3, 4294967295, 0) = 0\n"
		  "dup2(4, 3) = 3\n"
		  "socketpair(AF_UNIX, SOCK_STREAM, 0, [5, 6]) = 0\n"
		  "fcntl(5, F_DUPFD, 1000) = 1000\n"
		  "write(2</dev/pts/0<char 136:0>>, \"\\\"\", 1) = 1\n% time\n----\n"
		  "100.00 total\n | 00000  72\n > /lib/libc.so(f+0x1) [0x2]\n"),
};

FUZZ_MAIN(seeds)
