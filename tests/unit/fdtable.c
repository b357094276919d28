/* SPDX-License-Identifier: MIT */
/* Tests of the descriptor tables: which object each call works on. */
#include "trace/fd/fdtable.h"

#include "trace/syscalls.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <malloc.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "../tap.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* rows end where they may */

static struct fdtable *table;

/* A call, or FORK (of process, sharing descriptors) or EXEC, and what is expected of it. */
struct step {
	uint32_t pid;
	int64_t result;
	const char *path, *call;
	int args[6];
	enum fd_kind kind; /* 0: not checked */
	char object;	   /* see is_object */
	const char *what;  /* NULL: nothing is checked */
	unsigned flags;
};

#define READ(pid, fd) pid, 1, NULL, "read", { fd }, 0
#define CLOSED(pid, fd) pid, -EBADF, NULL, "read", { fd }, 0, '-'
#define UNKNOWN FD_KINDS /* as `kind`: is FD_UNKNOWN */

static uint32_t named[26];

/* A small letter names an object at its first use, its capital is any other; '+': any, '-': none.
 */
static bool is_object(char expected, uint32_t object)
{
	uint32_t *same = isalpha(expected) ? &named[tolower(expected) - 'a'] : NULL;

	if (!same)
		return !expected || (expected == '+') == (object != 0);
	if (isupper(expected))
		return object != *same;
	if (!*same)
		*same = object;
	return object && object == *same;
}

static void play(const struct step *steps, size_t n)
{
	for (const struct step *s = steps; s < steps + n; s++) {
		struct event e = { .type = EVENT_SYSCALL, .pid = s->pid, .tid = s->pid };
		uint32_t child = (uint32_t)s->args[0];

		if (!strcmp(s->call, "FORK")) {
			e.type = EVENT_FORK;
			e.fork.child_pid = e.fork.child_tid = child;
			e.fork.shares_files = s->args[1];
		} else if (!strcmp(s->call, "EXEC")) {
			e.type = EVENT_EXEC;
		} else {
			e.call.id = syscall_by_name(s->call);
			e.call.result = s->result;
			e.call.path = s->path;
			e.call.flags = s->flags;
			for (int i = 0; i < 6; i++)
				e.call.args[i] = (uint64_t)(int64_t)s->args[i];
		}
		fdtable_event(table, &e);
		if (s->what)
			ok((!s->kind || e.call.kind == s->kind % UNKNOWN) &&
			       is_object(s->object, e.call.object),
			   "%s", s->what);
	}
}

/* One call that checks nothing; its object. */
static uint32_t call(uint32_t pid, int64_t result, const char *path, const char *name, int a, int b)
{
	struct event e = { .type = EVENT_SYSCALL, .pid = pid, .tid = pid };

	e.call.id = syscall_by_name(name);
	e.call.result = result;
	e.call.path = path;
	e.call.args[0] = (uint64_t)(int64_t)a;
	e.call.args[1] = (uint64_t)(int64_t)b;
	fdtable_event(table, &e);
	return e.call.object;
}

static void end(uint32_t pid)
{
	struct event e = { .type = EVENT_EXIT, .pid = pid, .tid = pid, .exit = { 0, true } };

	fdtable_event(table, &e);
}

static uint32_t object_of(uint32_t pid, int fd)
{
	return call(pid, 1, NULL, "read", fd, 0);
}

static void start(fdtable_resolve *resolve)
{
	fdtable_free(table);
	table = fdtable_new(&os_linux, ABI_X86_64, resolve, NULL);
	memset(named, 0, sizeof(named));
}

/* clang-format off */
#define PLAY(...) \
	do { \
		static const struct step steps[] = { __VA_ARGS__ }; \
		play(steps, sizeof(steps) / sizeof(*steps)); \
	} while (0)

static void test_kinds(void)
{
	enum { DIRECTORY = 0200000, TMPFILE = 020200000 };

	start(NULL);
#define OPEN(path, flags, kind) { 1, 3, path, "open", { 0, flags }, kind, '+', "open " path }
#define SOCKET(family, type, protocol, kind) \
	{ 1, 3, NULL, "socket", { family, type, protocol }, kind, '+', #family " " #type " " #protocol }
#define MAKES(call, kind) { 1, 3, NULL, call, { 0 }, kind, '+', call }
	PLAY({ 1, 3, "/etc/passwd", "openat", { AT_FDCWD, 0, O_RDONLY }, FD_FILE, '+', "openat" },
	     { 1, 3, "/dev/shm/x", "creat", { 0, 0644 }, FD_FILE, '+', "creat in /dev/shm" },
	     OPEN("/etc", DIRECTORY, FD_DIRECTORY), OPEN("/tmp", TMPFILE | O_RDWR, FD_FILE),
	     OPEN("/dev/pts/0", O_RDWR, FD_TTY), OPEN("/dev/null", O_RDWR, FD_DEVICE),
	     SOCKET(AF_INET, SOCK_STREAM, 0, FD_TCP), SOCKET(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 6, FD_TCP),
	     SOCKET(AF_INET, SOCK_DGRAM, 0, FD_UDP), SOCKET(AF_INET, SOCK_DGRAM, 1, FD_SOCKET),
	     SOCKET(AF_INET, SOCK_STREAM, 132, FD_SOCKET), SOCKET(AF_INET, SOCK_RAW, 1, FD_SOCKET),
	     SOCKET(AF_UNIX, SOCK_DGRAM, 0, FD_UNIX), SOCKET(AF_NETLINK, SOCK_RAW, 0, FD_NETLINK),
	     SOCKET(17, SOCK_RAW, 0, FD_SOCKET), MAKES("epoll_create", FD_EPOLL),
	     MAKES("epoll_create1", FD_EPOLL), MAKES("eventfd2", FD_EVENTFD),
	     MAKES("timerfd_create", FD_TIMERFD), MAKES("inotify_init1", FD_INOTIFY),
	     MAKES("memfd_create", FD_MEMFD), MAKES("pidfd_open", FD_PIDFD),
	     MAKES("io_uring_setup", FD_IOURING),
	     { 1, 11, NULL, "userfaultfd", { 0 }, FD_ANON, 'u', "userfaultfd" },
	     { 1, 1, NULL, "read", { 11 }, FD_ANON, 'u', "a later call finds the kind" },
	     { 1, 12, NULL, "signalfd4", { -1, 0, 8, 0 }, FD_SIGNALFD, 's', "signalfd4" },
	     { 1, 12, NULL, "signalfd4", { 12, 0, 8, 0 }, FD_SIGNALFD, 's', "signalfd4 changes its descriptor" });
}

static void test_life(void)
{
	start(NULL);
	PLAY({ 1, 3, "/a", "open", { 0, O_RDONLY }, FD_FILE, 'a', "open makes an object" },
	     { READ(1, 3), 'a', "a read works on it" },
	     { 1, 4, NULL, "dup", { 3 }, 0, 'a', "so does dup" },
	     { READ(1, 4), 'a', "the copy refers to the same object" },
	     { 1, 7, NULL, "dup2", { 4, 7 } },
	     { READ(1, 7), 'a', "as does that of dup2" },
	     { 1, 9, NULL, "fcntl", { 3, F_DUPFD_CLOEXEC, 8 } },
	     { READ(1, 9), 'a', "and that of fcntl" },
	     { 1, 0, NULL, "close", { 3 }, 0, 'a', "close works on the object" },
	     { READ(1, 3), 'A', "and after it the descriptor refers to another" },
	     { READ(1, 4), 'a', "copies stay open" },
	     { 1, -ENOENT, "/b", "open", { 0, O_RDONLY }, 0, '-', "an open that fails has no object" },
	     { 1, 4, "/b", "open", { 0, O_RDONLY } },
	     { READ(1, 4), 'A', "a descriptor returned again refers to another object" },
	     { 1, -EIO, NULL, "close", { 4 } },
	     { CLOSED(1, 4), "a close that fails closes; a bad descriptor has no object" },
	     { 1, 0, NULL, "mmap", { 0, 4096, 3, 0x22, -1, 0 }, 0, '-', "nor has an anonymous mapping" },
	     { 1, 0x10000, NULL, "mmap", { 0, 4096, 3, 2, 7, 0 }, 0, 'a', "a mapping of a file has" },
	     { 1, 0, "", "newfstatat", { 7, 0, 0, AT_EMPTY_PATH }, 0, 'a', "fstatat of an empty path" },
	     { 1, 0, "/x", "newfstatat", { AT_FDCWD, 0, 0, 0 }, 0, '-', "fstatat of a path has none" },
	     { 1, 3, NULL, "invented", { 7 }, 0, '-', "nor has an unknown call" },
	     { 1, 0, NULL, "close", { 7 }, 0, 'a', "a close that has not ended ...", CALL_UNFINISHED },
	     { READ(1, 7), 'a', "... closes nothing" },
	     { 1, 0, NULL, "close", { 7 }, 0, '-', "a close without arguments ...", CALL_ORPHAN },
	     { READ(1, 7), 'a', "... does not either" });
}

static void test_close_range(void)
{
	start(NULL);
	PLAY({ 1, 4, "/x", "open", { 0, O_RDONLY }, 0, 'a', "open 4" },
	     { 1, 5, "/x", "open", { 0, O_RDONLY }, 0, 'b', "open 5" },
	     { 1, 7, "/x", "open", { 0, O_RDONLY }, 0, 'c', "open 7" },
	     { 1, 8, "/x", "open", { 0, O_RDONLY }, 0, 'd', "open 8" },
	     { 1, 9, "/x", "open", { 0, O_RDONLY }, 0, 'e', "open 9" },
	     { 1, 0, NULL, "close_range", { 5, 7, 0 } },
	     { READ(1, 4), 'a', "close_range keeps what is below" },
	     { READ(1, 8), 'd', "and above" },
	     { CLOSED(1, 5), "it closes the first" },
	     { CLOSED(1, 7), "and the last" },
	     { 1, 0, NULL, "close_range", { 8, -1, CLOSE_RANGE_CLOEXEC } },
	     { READ(1, 9), 'e', "with CLOSE_RANGE_CLOEXEC a descriptor stays open" },
	     { 1, 0, NULL, "EXEC", { 0 } },
	     { CLOSED(1, 9), "until exec" },
	     { READ(1, 4), 'a', "which keeps the others" },
	     { 1, 0, NULL, "FORK", { 2, true } },
	     { 1, 5, "/x", "open", { 0, O_RDONLY }, 0, 'f', "open with shared descriptors" },
	     { 2, 0, NULL, "close_range", { 5, 5, CLOSE_RANGE_CLOEXEC } },
	     { 2, 0, NULL, "close_range", { 4, 4, CLOSE_RANGE_UNSHARE } },
	     { CLOSED(2, 4), "CLOSE_RANGE_UNSHARE closes" },
	     { READ(1, 4), 'a', "in the process that calls it alone" },
	     { 1, 0, NULL, "EXEC", { 0 } },
	     { CLOSED(1, 5), "CLOSE_RANGE_CLOEXEC is for all that share" });
}

static void test_fork_and_exec(void)
{
	start(NULL);
	PLAY({ 1, 3, "/a", "open", { 0, O_RDONLY }, 0, 'a', "open" },
	     { 1, 4, "/b", "open", { 0, O_CLOEXEC }, 0, 'b', "open with O_CLOEXEC" },
	     { 1, 5, "/c", "open", { 0, O_RDONLY }, 0, 'c', "open, then F_SETFD" },
	     { 1, 6, NULL, "epoll_create1", { O_CLOEXEC }, 0, 'd', "O_CLOEXEC, then FIONCLEX" },
	     { 1, 0, NULL, "fcntl", { 5, F_SETFD, FD_CLOEXEC } },
	     { 1, 0, NULL, "ioctl", { 6, FIONCLEX } },
	     { 1, 7, NULL, "fcntl", { 3, F_DUPFD, 7 } },
	     { 1, 8, NULL, "fcntl", { 3, F_DUPFD_CLOEXEC, 8 } },
	     { 1, 0, NULL, "FORK", { 2, false } },
	     { READ(2, 3), 'a', "a child has the same objects" },
	     { READ(2, 4), 'b', "all of them" },
	     { 2, 0, NULL, "close", { 3 } },
	     { READ(1, 3), 'a', "what it closes stays open in its parent" },
	     { 2, 0, NULL, "EXEC", { 0 } },
	     { CLOSED(2, 4), "exec closes descriptors opened with O_CLOEXEC" },
	     { CLOSED(2, 5), "and those set by F_SETFD" },
	     { READ(2, 6), 'd', "not those reset by FIONCLEX" },
	     { READ(2, 7), 'a', "nor copies by F_DUPFD" },
	     { CLOSED(2, 8), "but those by F_DUPFD_CLOEXEC" },
	     { READ(1, 4), 'b', "the parent keeps the first" },
	     { READ(1, 5), 'c', "and the second" },
	     { 1, 0, NULL, "FORK", { 3, true } },
	     { 3, 10, "/d", "open", { 0, O_RDONLY }, 0, 'e', "an open with shared descriptors" },
	     { READ(1, 10), 'e', "shows in the other process" },
	     { 3, 0, NULL, "EXEC", { 0 } },
	     { READ(1, 4), 'b', "exec ends the sharing" },
	     { 1, 0, NULL, "FORK", { 4, true } },
	     { 4, 0, NULL, "unshare", { CLONE_FILES } },
	     { 4, 0, NULL, "close", { 10 } },
	     { READ(1, 10), 'e', "so does unshare" },
	     { 1, 0, NULL, "FORK", { 1, false } },
	     { READ(1, 10), 'e', "a thread changes nothing" });
	end(1);
	PLAY({ CLOSED(1, 10), "a process that ended has nothing open" });
}

static void test_shared_until_changed(void)
{
	enum { FAR = 100000 };

	start(NULL);
	PLAY({ 1, 3, "/a", "open", { 0, O_RDONLY }, 0, 'n', "a low descriptor" },
	     { 1, FAR, "/b", "open", { 0, O_CLOEXEC }, 0, 'f', "a high one" },
	     { 1, 0, NULL, "FORK", { 2, false } },
	     { 2, 0, NULL, "FORK", { 3, true } },
	     { 1, 0, NULL, "close", { 3 } },
	     { READ(2, 3), 'n', "what a parent closes stays open in its child" },
	     { READ(3, 3), 'n', "and in a process that shares with that" },
	     { 3, 4, NULL, "dup", { FAR } },
	     { READ(2, 4), 'f', "a process sees the dup of one that shares its descriptors" },
	     { CLOSED(1, 4), "their parent does not" },
	     { 2, 0, NULL, "close", { FAR } },
	     { CLOSED(3, FAR), "a process sees the close of one that shares its descriptors" },
	     { READ(1, FAR), 'f', "their parent does not" },
	     { 1, 0, NULL, "fcntl", { FAR, F_SETFD, 0 } },
	     { 1, 0, NULL, "FORK", { 4, false } },
	     { 4, 0, NULL, "fcntl", { FAR, F_SETFD, FD_CLOEXEC } },
	     { 1, 0, NULL, "EXEC", { 0 } },
	     { 4, 0, NULL, "EXEC", { 0 } },
	     { READ(1, FAR), 'f', "F_SETFD of a child does not show in its parent" },
	     { CLOSED(4, FAR), "only in the child" },
	     { 1, 0, NULL, "close_range", { 0, -1, 0 } },
	     { CLOSED(1, FAR), "close_range reaches the highest" });
}

static void test_pairs(void)
{
	struct event fd;
	char first[64] = "", second[64] = "";

	start(NULL);
	PLAY({ 1, 0, NULL, "pipe2", { 0, O_CLOEXEC, 0, 0, 5, 6 } },
	     { 1, 1, NULL, "read", { 5 }, FD_PIPE, 'a', "one end of a pipe" },
	     { 1, 1, NULL, "read", { 6 }, FD_PIPE, 'A', "the other is another object" });
	while (fdtable_next(table, &fd))
		snprintf(*first ? second : first, sizeof(first), "%s", fd.fd.name);
	ok(*first && !strcmp(first, second), "of the same name");
	PLAY({ 1, 0, NULL, "socketpair", { AF_UNIX, SOCK_STREAM, 0, 0, 7, 8 } },
	     { 1, 1, NULL, "read", { 7 }, FD_UNIX, '+', "one end of a socketpair" },
	     { 1, 1, NULL, "read", { 8 }, FD_UNIX, '+', "and the other" },
	     { 1, 0, NULL, "pipe", { 0 }, 0, '-', "a pipe with unknown descriptors" },
	     { 1, 3, NULL, "socket", { AF_INET, SOCK_STREAM, 0 }, 0, 's', "a listening socket" },
	     { 1, 4, NULL, "accept4", { 3, 0, 0, SOCK_CLOEXEC }, 0, 's', "accept works on it" },
	     { 1, 1, NULL, "read", { 4 }, FD_TCP, 'S', "and makes another of its kind" },
	     { 1, 9, NULL, "accept", { 99, 0, 0 } },
	     { 1, 1, NULL, "read", { 9 }, FD_SOCKET, '+', "accept on an unknown one makes some socket" });
}

static void test_hints(void)
{
	start(NULL);
	PLAY({ 1, 1, NULL, "read", { 0 }, UNKNOWN, 0, "an inherited descriptor is unknown" },
	     { 1, 0, NULL, "getdents64", { 0, 0, 100 } },
	     { 1, 1, NULL, "read", { 0 }, FD_DIRECTORY, 0, "until a call shows its kind" },
	     { 1, -ESPIPE, NULL, "lseek", { 1, 0, 0 } },
	     { 1, 1, NULL, "read", { 1 }, UNKNOWN, 0, "a call that fails shows nothing" },
	     { 1, 1, NULL, "epoll_wait", { 2, 0, 10, -1 }, FD_EPOLL, 0, "epoll_wait shows an epoll" });
}
/* clang-format on */

static void test_changes(void)
{
	enum fd_kind kind;
	struct event fd;

	start(NULL);
	call(1, 3, "/a", "open", 0, O_RDONLY);
	ok(fdtable_next(table, &fd) && fd.type == EVENT_FD && fd.pid == 1 &&
	       fd.fd.kind == FD_FILE && !strcmp(fd.fd.name, "/a"),
	   "a new object is reported with kind and name");
	uint32_t first = fd.fd.object;
	ok(!fdtable_next(table, &fd), "once");
	object_of(1, 3);
	fdtable_set(table, 1, 3, FD_FILE, "/a");
	ok(!fdtable_next(table, &fd), "using it, or setting what is known, reports nothing");
	fdtable_set(table, 1, 3, FD_FILE, "/b");
	ok(object_of(1, 3) != first, "another name is another file");
	uint32_t socket = call(1, 4, NULL, "socket", AF_INET, SOCK_STREAM);
	fdtable_set(table, 1, 4, FD_TCP, "TCP:[1]");
	fdtable_set(table, 1, 4, FD_TCP, "TCP:[a->b]");
	cmp_int(object_of(1, 4), socket, "another name of a socket is its connection");
	fdtable_set(table, 1, 5, FD_TTY, NULL);
	ok(fdtable_find(table, 1, 5, &kind) && kind == FD_TTY, "a source can set inherited ones");
	fdtable_set(table, 1, -1, FD_TTY, NULL);
	while (fdtable_next(table, &fd))
		;
	call(1, 0, NULL, "close", 3, 0);
	call(1, 3, NULL, "timerfd_create", 0, 0);
	ok(fdtable_next(table, &fd) && fd.fd.kind == FD_TIMERFD && !*fd.fd.name,
	   "a number used again is reported again");
}

static void test_memory(void)
{
	uint32_t largest = 0;

	start(NULL);
	for (int i = 0; i < 100003; i++) {
		uint32_t pid = 1 + (uint32_t)i % 5;
		uint32_t object = call(pid, 3, "/tmp/x", "open", 0, O_RDONLY);
		struct event fd;

		largest = object > largest ? object : largest;
		while (fdtable_next(table, &fd))
			;
		if (i % 2)
			call(pid, 0, NULL, "close", 3, 0);
	}
	ok(largest <= 6, "100003 opens on five descriptors need at most %u objects", largest);
}

/* Bytes that malloc has given out. */
static size_t memory_in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* Copies of a large table would need 10007 times 10007 places. */
static void test_many_forks(void)
{
	enum { OPEN = 10007, FORKS = 10007, FIRST = 3, CHILD = 100 };
	struct event fd;

	start(NULL);
	for (int i = 0; i < OPEN; i++)
		call(1, FIRST + i, "/x", "open", 0, i % 2 ? O_CLOEXEC : O_RDONLY);
	while (fdtable_next(table, &fd))
		;
	uint32_t first = object_of(1, FIRST), last = object_of(1, FIRST + OPEN - 1);
	size_t before = memory_in_use();
	for (uint32_t i = 0; i < FORKS; i++) {
		struct step fork = { i ? CHILD + i - 1 : 1, 0, NULL, "FORK", { CHILD + (int)i } };

		play(&fork, 1);
		call(CHILD + i, 0, NULL, "close", FIRST + (int)i, 0);
	}
	size_t each = (memory_in_use() - before) / FORKS;
	ok(each < 4096, "a child of %d descriptors that closes one needs %zu bytes", OPEN, each);
	ok(object_of(1, FIRST) == first && object_of(1, FIRST + OPEN - 1) == last,
	   "the first process keeps them all");
	cmp_int(object_of(CHILD + FORKS - 2, FIRST + OPEN - 1), last,
		"the last child but one keeps what only its child closes");
	cmp_int(call(CHILD + FORKS - 1, -EBADF, NULL, "read", FIRST + OPEN - 1, 0), 0,
		"its child has closed it");
	ok(!fdtable_next(table, &fd), "none of this changes an object");

	end(1);
	for (uint32_t i = 0; i < FORKS - 2; i++)
		end(CHILD + i);
	cmp_int(object_of(CHILD + FORKS - 2, FIRST + OPEN - 1), last, "also when the others end");
	end(CHILD + FORKS - 2);
	end(CHILD + FORKS - 1);
	ok(memory_in_use() <= before, "when all have ended their memory is free");
	ok(call(1, 3, "/y", "open", 0, O_RDONLY) <= OPEN, "and their numbers are used again");
}

static unsigned asked;

static void resolver(void *arg, uint32_t pid, int fd, enum fd_kind *kind, const char **name)
{
	(void)arg;
	(void)pid;
	asked++;
	if (fd == 0) {
		*kind = FD_TTY;
		*name = "/dev/pts/3";
	}
	if (*name && !strcmp(*name, "/tmp/fifo"))
		*kind = FD_PIPE;
}

static void test_resolve(void)
{
	start(resolver);
	/* clang-format off */
	PLAY({ 1, 1, NULL, "read", { 0 }, FD_TTY, 0, "the source is asked about inherited descriptors" },
	     { 1, 1, NULL, "read", { 0 }, FD_TTY, 0, "its answer stays" });
	cmp_int(asked, 1, "it is asked once");
	PLAY({ 1, 3, "/tmp/fifo", "open", { 0, O_RDONLY }, FD_PIPE, 0, "it knows what a path leads to" },
	     { 1, 4, NULL, "socket", { AF_INET, SOCK_STREAM, 0 }, FD_TCP, 0, "a socket" });
	cmp_int(asked, 2, "it is not asked about what is certain");
	PLAY({ 1, 9, NULL, "pidfd_getfd", { 5, 3, 0 } });
	/* clang-format on */
	cmp_int(asked, 4, "it is about what came from another process");
	/* clang-format off */
	PLAY({ 1, 6, NULL, "open", { 0, O_RDONLY }, FD_FILE, 0, "a path that is not known" },
	     { 1, 0, NULL, "dup2", { 6, 0 } },
	     { 1, 1, NULL, "read", { 6 }, FD_TTY, 0, "the source may know the file by another descriptor" },
	     { 1, 7, NULL, "dup", { 0 }, FD_TTY, 0, "and then it is known" });
	/* clang-format on */
	cmp_int(asked, 6, "so that it is not asked again");
}

int main(void)
{
	test_kinds();
	test_life();
	test_close_range();
	test_fork_and_exec();
	test_shared_until_changed();
	test_pairs();
	test_hints();
	test_changes();
	test_memory();
	test_many_forks();
	test_resolve();
	fdtable_free(table);
	return done_testing();
}
