/* SPDX-License-Identifier: MIT */
/* Tests of the descriptor tables: which object each call worked on. */
#include "trace/fd/fdtable.h"

#include "trace/syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <malloc.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "../tap.h"

static struct fdtable *table;

/* A call of process pid that returns result, with up to six arguments as int; none beyond END. */
#define END 0x7fffffff
#define CALL(pid, result, path, name, ...) \
	call(pid, result, path, name, (const int[]){ __VA_ARGS__, END })

static struct event call(uint32_t pid, int64_t result, const char *path, const char *name,
			 const int *args)
{
	struct event e = { .type = EVENT_SYSCALL, .pid = pid, .tid = pid };

	e.call.id = syscall_by_name(name);
	e.call.result = result;
	e.call.path = path;
	for (int i = 0; i < 6 && args[i] != END; i++)
		e.call.args[i] = (uint64_t)(int64_t)args[i];
	fdtable_event(table, &e);
	return e;
}

static void forked(uint32_t parent, uint32_t child, bool shares)
{
	struct event e = {
		.type = EVENT_FORK, .pid = parent, .tid = parent, .fork = { child, child, shares }
	};

	fdtable_event(table, &e);
}

static void executed(uint32_t pid)
{
	struct event e = { .type = EVENT_EXEC, .pid = pid, .tid = pid };

	fdtable_event(table, &e);
}

static void ended(uint32_t pid)
{
	struct event e = { .type = EVENT_EXIT, .pid = pid, .tid = pid, .exit = { 0, true } };

	fdtable_event(table, &e);
}

/* The object behind fd, by a read of it. */
static uint32_t object_of(uint32_t pid, int fd)
{
	return CALL(pid, 1, NULL, "read", fd).call.object;
}

static enum fd_kind kind_of(uint32_t pid, int fd)
{
	return CALL(pid, 1, NULL, "read", fd).call.kind;
}

static void start(fdtable_resolve *resolve)
{
	fdtable_free(table);
	table = fdtable_new(&os_linux, ABI_X86_64, resolve, NULL);
}

static void is_kind(const struct event *e, enum fd_kind kind, const char *what)
{
	is_string(fd_kind_name(e->call.kind), fd_kind_name(kind), "%s", what);
	ok(e->call.object != 0, "... and has an object");
}

static void test_kinds(void)
{
	enum { DIRECTORY = 0200000, TMPFILE = 020200000 };
	struct event e;

	start(NULL);
	e = CALL(1, 3, "/etc/passwd", "openat", AT_FDCWD, 0, O_RDONLY);
	is_kind(&e, FD_FILE, "a path is a file");
	e = CALL(1, 4, "/etc", "openat", AT_FDCWD, 0, DIRECTORY);
	is_kind(&e, FD_DIRECTORY, "O_DIRECTORY is a directory");
	e = CALL(1, 5, "/tmp", "open", 0, TMPFILE | O_RDWR);
	is_kind(&e, FD_FILE, "O_TMPFILE is a file");
	e = CALL(1, 6, "/dev/pts/0", "open", 0, O_RDWR);
	is_kind(&e, FD_TTY, "/dev/pts/0 is a tty");
	e = CALL(1, 7, "/dev/null", "open", 0, O_RDWR);
	is_kind(&e, FD_DEVICE, "/dev/null is a device");
	e = CALL(1, 8, "/dev/shm/x", "creat", 0, 0644);
	is_kind(&e, FD_FILE, "/dev/shm/x is a file");

	static const struct {
		int family, type, protocol;
		enum fd_kind kind;
	} sockets[] = {
		{ AF_INET, SOCK_STREAM, 0, FD_TCP },
		{ AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 6, FD_TCP },
		{ AF_INET, SOCK_DGRAM, 0, FD_UDP },
		{ AF_INET, SOCK_DGRAM, 1, FD_SOCKET },
		{ AF_INET, SOCK_STREAM, 132, FD_SOCKET },
		{ AF_INET, SOCK_RAW, 1, FD_SOCKET },
		{ AF_UNIX, SOCK_DGRAM, 0, FD_UNIX },
		{ AF_NETLINK, SOCK_RAW, 0, FD_NETLINK },
		{ 17, SOCK_RAW, 0, FD_SOCKET },
	};
	for (size_t i = 0; i < sizeof(sockets) / sizeof(*sockets); i++) {
		e = CALL(1, 10, NULL, "socket", sockets[i].family, sockets[i].type,
			 sockets[i].protocol);
		is_kind(&e, sockets[i].kind, "family, type and protocol make the kind of a socket");
	}

	static const struct {
		const char *call;
		enum fd_kind kind;
	} makers[] = {
		{ "epoll_create", FD_EPOLL },	 { "epoll_create1", FD_EPOLL },
		{ "eventfd2", FD_EVENTFD },	 { "timerfd_create", FD_TIMERFD },
		{ "inotify_init1", FD_INOTIFY }, { "memfd_create", FD_MEMFD },
		{ "pidfd_open", FD_PIDFD },	 { "io_uring_setup", FD_IOURING },
		{ "userfaultfd", FD_ANON },
	};
	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
		e = CALL(1, 11, NULL, makers[i].call, 0);
		is_kind(&e, makers[i].kind, makers[i].call);
		cmp_int(kind_of(1, 11), makers[i].kind, "... which a later call finds");
	}
	e = CALL(1, 12, NULL, "signalfd4", -1, 0, 8, 0);
	is_kind(&e, FD_SIGNALFD, "signalfd4");
	uint32_t object = e.call.object;
	e = CALL(1, 12, NULL, "signalfd4", 12, 0, 8, 0);
	cmp_int(e.call.object, object, "signalfd4 of the same descriptor makes none");
}

static void test_life(void)
{
	struct event e;
	uint32_t a;

	start(NULL);
	e = CALL(1, 3, "/a", "open", 0, O_RDONLY);
	a = e.call.object;
	cmp_int(object_of(1, 3), a, "a read works on what open made");
	e = CALL(1, 4, NULL, "dup", 3);
	cmp_int(e.call.object, a, "dup works on it");
	cmp_int(object_of(1, 4), a, "its copy is the same object");
	CALL(1, 7, NULL, "dup2", 4, 7);
	CALL(1, 9, NULL, "fcntl", 3, F_DUPFD_CLOEXEC, 8);
	ok(object_of(1, 7) == a && object_of(1, 9) == a, "so are those of dup2 and fcntl");
	e = CALL(1, 0, NULL, "close", 3);
	cmp_int(e.call.object, a, "close works on it");
	ok(object_of(1, 3) != a, "and after it the descriptor is another");
	cmp_int(object_of(1, 4), a, "copies stay open");
	e = CALL(1, -ENOENT, "/b", "open", 0, O_RDONLY);
	cmp_int(e.call.object, 0, "an open that fails has no object");
	CALL(1, 4, "/b", "open", 0, O_RDONLY);
	ok(object_of(1, 4) != a, "a descriptor returned again is another object");
	CALL(1, -EIO, NULL, "close", 4);
	e = CALL(1, -EBADF, NULL, "read", 4);
	cmp_int(e.call.object, 0, "a close that fails closes; a bad descriptor has no object");
	e = CALL(1, 0, NULL, "mmap", 0, 4096, 3, 0x22, -1, 0);
	cmp_int(e.call.object, 0, "neither has an anonymous mapping");
	e = CALL(1, 0x10000, NULL, "mmap", 0, 4096, 3, 2, 7, 0);
	cmp_int(e.call.object, a, "a mapping of a file has its own");
	e = CALL(1, 0, "", "newfstatat", 7, 0, 0, AT_EMPTY_PATH);
	cmp_int(e.call.object, a, "fstatat of an empty path works on the descriptor");
	e = CALL(1, 0, "/x", "newfstatat", AT_FDCWD, 0, 0, 0);
	cmp_int(e.call.object, 0, "of a path it does not");
	e = CALL(1, 3, NULL, "invented", 7);
	cmp_int(e.call.object, 0, "an unknown call works on nothing");
	e = (struct event){ .type = EVENT_SYSCALL, .pid = 1, .tid = 1 };
	e.call.id = syscall_by_name("close");
	e.call.args[0] = 7;
	e.call.flags = CALL_UNFINISHED;
	fdtable_event(table, &e);
	ok(e.call.object == a && object_of(1, 7) == a, "a close that has not ended closes nothing");
	e.call.flags = CALL_ORPHAN;
	fdtable_event(table, &e);
	ok(e.call.object == 0 && object_of(1, 7) == a, "nor does one whose arguments are unknown");
}

static void test_close_range(void)
{
	start(NULL);
	uint32_t objects[10];
	for (int fd = 3; fd < 10; fd++)
		objects[fd] = CALL(1, fd, "/x", "open", 0, O_RDONLY).call.object;
	CALL(1, 0, NULL, "close_range", 5, 7, 0);
	ok(object_of(1, 4) == objects[4] && object_of(1, 8) == objects[8], "its ends stay");
	ok(object_of(1, 5) != objects[5] || object_of(1, 6) != objects[6], "the range is closed");
	CALL(1, 0, NULL, "close_range", 8, -1, CLOSE_RANGE_CLOEXEC);
	cmp_int(object_of(1, 9), objects[9], "with CLOSE_RANGE_CLOEXEC it is open");
	struct event before = CALL(1, 1, NULL, "read", 4);
	executed(1);
	ok(object_of(1, 4) == before.call.object && kind_of(1, 9) == FD_UNKNOWN, "until exec");
}

static void test_fork_and_exec(void)
{
	start(NULL);
	uint32_t plain = CALL(1, 3, "/a", "open", 0, O_RDONLY).call.object;
	uint32_t closing = CALL(1, 4, "/b", "open", 0, O_CLOEXEC).call.object;
	uint32_t set = CALL(1, 5, "/c", "open", 0, O_RDONLY).call.object;
	uint32_t unset = CALL(1, 6, NULL, "epoll_create1", O_CLOEXEC).call.object;

	CALL(1, 0, NULL, "fcntl", 5, F_SETFD, FD_CLOEXEC);
	CALL(1, 0, NULL, "ioctl", 6, FIONCLEX);
	forked(1, 2, false);
	ok(object_of(2, 3) == plain && object_of(2, 4) == closing, "a child has the same objects");
	CALL(2, 0, NULL, "close", 3);
	cmp_int(object_of(1, 3), plain, "what it closes stays open in its parent");
	executed(2);
	ok(kind_of(2, 4) == FD_UNKNOWN && kind_of(2, 5) == FD_UNKNOWN,
	   "exec closes O_CLOEXEC, F_SETFD");
	cmp_int(object_of(2, 6), unset, "not what FIONCLEX took back");
	ok(object_of(1, 4) == closing && object_of(1, 5) == set, "the parent keeps all");

	forked(1, 3, true);
	uint32_t shared = CALL(3, 10, "/d", "open", 0, O_RDONLY).call.object;
	cmp_int(object_of(1, 10), shared, "with CLONE_FILES both have what one opens");
	executed(3);
	cmp_int(object_of(1, 4), closing, "exec ends the sharing");
	forked(1, 4, true);
	CALL(4, 0, NULL, "unshare", CLONE_FILES);
	CALL(4, 0, NULL, "close", 10);
	cmp_int(object_of(1, 10), shared, "so does unshare");
	struct event thread = { .type = EVENT_FORK, .pid = 1, .tid = 1, .fork = { 1, 77, false } };
	fdtable_event(table, &thread);
	cmp_int(object_of(1, 10), shared, "a thread changes nothing");
	ended(1);
	ok(kind_of(1, 10) == FD_UNKNOWN, "a process that ended has nothing open");
}

static void test_pairs(void)
{
	struct event fd, e;
	char first[64] = "", second[64] = "";

	start(NULL);
	CALL(1, 0, NULL, "pipe2", 0, O_CLOEXEC, 0, 0, 5, 6);
	ok(kind_of(1, 5) == FD_PIPE && kind_of(1, 6) == FD_PIPE, "a pipe has two ends");
	ok(object_of(1, 5) != object_of(1, 6), "which are two objects");
	while (fdtable_next(table, &fd))
		snprintf(*first ? second : first, sizeof(first), "%s", fd.fd.name);
	ok(*first && !strcmp(first, second), "of one name");
	CALL(1, 0, NULL, "socketpair", AF_UNIX, SOCK_STREAM, 0, 0, 7, 8);
	ok(kind_of(1, 7) == FD_UNIX && kind_of(1, 8) == FD_UNIX, "socketpair");
	CALL(1, 0, NULL, "pipe", 0);
	pass("a pipe with unknown descriptors does no harm");

	CALL(1, 3, NULL, "socket", AF_INET, SOCK_STREAM, 0);
	e = CALL(1, 4, NULL, "accept4", 3, 0, 0, SOCK_CLOEXEC);
	cmp_int(e.call.object, object_of(1, 3), "accept works on the listening socket");
	ok(kind_of(1, 4) == FD_TCP && object_of(1, 4) != object_of(1, 3),
	   "and makes another of its kind");
	CALL(1, 9, NULL, "accept", 99, 0, 0);
	cmp_int(kind_of(1, 9), FD_SOCKET, "of an unknown one it is some socket");
}

static void test_changes(void)
{
	struct event fd;

	start(NULL);
	CALL(1, 3, "/a", "open", 0, O_RDONLY);
	if (ok(fdtable_next(table, &fd), "a new object is reported"))
		ok(fd.type == EVENT_FD && fd.pid == 1 && fd.fd.kind == FD_FILE &&
		       !strcmp(fd.fd.name, "/a"),
		   "with kind and name");
	uint32_t first = fd.fd.object;
	ok(!fdtable_next(table, &fd), "once");
	object_of(1, 3);
	ok(!fdtable_next(table, &fd), "using it is no news");
	fdtable_set(table, 1, 3, FD_FILE, "/a");
	ok(!fdtable_next(table, &fd), "nor is what was known");
	fdtable_set(table, 1, 3, FD_FILE, "/b");
	ok(object_of(1, 3) != first, "another name is another file");
	CALL(1, 4, NULL, "socket", AF_INET, SOCK_STREAM, 0);
	uint32_t socket = object_of(1, 4);
	fdtable_set(table, 1, 4, FD_TCP, "TCP:[1]");
	fdtable_set(table, 1, 4, FD_TCP, "TCP:[a->b]");
	cmp_int(object_of(1, 4), socket, "another name of a socket is its connection");
	fdtable_set(table, 1, 5, FD_TTY, NULL);
	cmp_int(kind_of(1, 5), FD_TTY, "a source can set what was inherited");
	fdtable_set(table, 1, -1, FD_TTY, NULL);
	while (fdtable_next(table, &fd))
		;
	CALL(1, 0, NULL, "close", 3);
	CALL(1, 3, NULL, "timerfd_create", 0, 0);
	ok(fdtable_next(table, &fd) && fd.fd.kind == FD_TIMERFD && !*fd.fd.name,
	   "a number used again is reported again");
}

static void test_memory(void)
{
	uint32_t largest = 0;

	start(NULL);
	for (int i = 0; i < 100003; i++) {
		struct event e = CALL(1 + (uint32_t)i % 5, 3, "/tmp/x", "open", 0, O_RDONLY);
		struct event fd;

		largest = e.call.object > largest ? e.call.object : largest;
		while (fdtable_next(table, &fd))
			;
		if (i % 2)
			CALL(1 + (uint32_t)i % 5, 0, NULL, "close", 3);
	}
	ok(largest <= 6, "100003 opens on five descriptors need at most %u objects", largest);
}

/* What malloc has given away and not got back. */
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
		CALL(1, FIRST + i, "/x", "open", 0, i % 2 ? O_CLOEXEC : O_RDONLY);
	while (fdtable_next(table, &fd))
		;
	uint32_t first = object_of(1, FIRST), last = object_of(1, FIRST + OPEN - 1);
	size_t before = memory_in_use();
	for (uint32_t i = 0; i < FORKS; i++) {
		forked(i ? CHILD + i - 1 : 1, CHILD + i, false);
		CALL(CHILD + i, 0, NULL, "close", FIRST + (int)i);
	}
	size_t each = (memory_in_use() - before) / FORKS;
	ok(each < 4096, "a child of %d descriptors that closes one needs %zu bytes", OPEN, each);
	ok(object_of(1, FIRST) == first && object_of(1, FIRST + OPEN - 1) == last,
	   "the first process keeps them all");
	cmp_int(object_of(CHILD + FORKS - 2, FIRST + OPEN - 1), last,
		"the last but one has what only its child closes");
	struct event e = CALL(CHILD + FORKS - 1, -EBADF, NULL, "read", FIRST + OPEN - 1);
	cmp_int(e.call.object, 0, "which has closed it");
	ok(!fdtable_next(table, &fd), "none of this is news");

	ended(1);
	for (uint32_t i = 0; i < FORKS - 2; i++)
		ended(CHILD + i);
	cmp_int(object_of(CHILD + FORKS - 2, FIRST + OPEN - 1), last, "others may end");
	ended(CHILD + FORKS - 2);
	ended(CHILD + FORKS - 1);
	ok(memory_in_use() <= before, "and when all have nothing is left");
	e = CALL(1, 3, "/y", "open", 0, O_RDONLY);
	ok(e.call.object <= OPEN, "their numbers are used again");
}

static void test_shared_until_changed(void)
{
	enum { FAR = 100000 };

	start(NULL);
	uint32_t near = CALL(1, 3, "/a", "open", 0, O_RDONLY).call.object;
	uint32_t far = CALL(1, FAR, "/b", "open", 0, O_CLOEXEC).call.object;
	forked(1, 2, false);
	forked(2, 3, true);
	CALL(1, 0, NULL, "close", 3);
	ok(object_of(2, 3) == near && object_of(3, 3) == near,
	   "what a parent closes stays open in its child, and in who shares with that");
	CALL(3, 4, NULL, "dup", FAR);
	cmp_int(object_of(2, 4), far, "who shares sees a dup");
	struct event e = CALL(1, -EBADF, NULL, "read", 4);
	cmp_int(e.call.object, 0, "a parent does not");
	CALL(2, 0, NULL, "close", FAR);
	e = CALL(3, -EBADF, NULL, "read", FAR);
	cmp_int(e.call.object, 0, "nor who shares what was closed");
	cmp_int(object_of(1, FAR), far, "but the parent");
	CALL(1, 0, NULL, "fcntl", FAR, F_SETFD, 0);
	forked(1, 4, false);
	CALL(4, 0, NULL, "fcntl", FAR, F_SETFD, FD_CLOEXEC);
	executed(1);
	executed(4);
	cmp_int(object_of(1, FAR), far, "F_SETFD of a child does not show in its parent");
	e = CALL(4, -EBADF, NULL, "read", FAR);
	cmp_int(e.call.object, 0, "only in itself");
	CALL(1, 0, NULL, "close_range", 0, -1, 0);
	e = CALL(1, -EBADF, NULL, "read", FAR);
	cmp_int(e.call.object, 0, "close_range reaches the highest");
}

static void test_hints(void)
{
	start(NULL);
	cmp_int(kind_of(1, 0), FD_UNKNOWN, "an inherited descriptor is unknown");
	CALL(1, 0, NULL, "getdents64", 0, 0, 100);
	cmp_int(kind_of(1, 0), FD_DIRECTORY, "until a call shows its kind");
	CALL(1, -ESPIPE, NULL, "lseek", 1, 0, 0);
	cmp_int(kind_of(1, 1), FD_UNKNOWN, "a call that fails shows nothing");
	struct event e = CALL(1, 1, NULL, "epoll_wait", 2, 0, 10, -1);
	cmp_int(e.call.kind, FD_EPOLL, "an unknown one in epoll_wait is an epoll");
}

static unsigned asked;

static void resolver(void *arg, uint32_t pid, int fd, enum fd_kind *kind, const char **name)
{
	(void)arg;
	(void)pid;
	asked++;
	if (fd == 0)
		*kind = FD_TTY, *name = "/dev/pts/3";
	if (*name && !strcmp(*name, "/tmp/fifo"))
		*kind = FD_PIPE;
}

static void test_resolve(void)
{
	asked = 0;
	start(resolver);
	cmp_int(kind_of(1, 0), FD_TTY, "the source is asked about what was inherited");
	cmp_int(kind_of(1, 0), FD_TTY, "its answer stays");
	cmp_int(asked, 1, "it is asked once");
	struct event e = CALL(1, 3, "/tmp/fifo", "open", 0, O_RDONLY);
	cmp_int(e.call.kind, FD_PIPE, "it knows better what a path is");
	CALL(1, 4, NULL, "socket", AF_INET, SOCK_STREAM, 0);
	cmp_int(asked, 2, "it is not asked about what is certain");
	CALL(1, 9, NULL, "pidfd_getfd", 5, 3, 0);
	cmp_int(asked, 4, "it is about what came from another process");
}

int main(void)
{
	test_kinds();
	test_life();
	test_close_range();
	test_fork_and_exec();
	test_pairs();
	test_changes();
	test_memory();
	test_many_forks();
	test_shared_until_changed();
	test_hints();
	test_resolve();
	fdtable_free(table);
	return done_testing();
}
