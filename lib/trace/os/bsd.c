/* SPDX-License-Identifier: MIT */
/*
 * FreeBSD, NetBSD, OpenBSD and macOS, whose calls, errors and flags are those of 4.4BSD and what
 * each has added.  Numbers come from the systems' headers: sys/errno.h, sys/fcntl.h, sys/socket.h.
 */
#include <limits.h>

#include "trace/os.h"

#define ANY 0, 0
#define FLAG(x) (x), (x)
#define EQUALS(x) 0xffffffff, (x)

enum {
	O_APPEND = 8,
	O_SYNC = 0x80,
	O_CREAT = 0x200,
	O_TRUNC = 0x400,
	MAP_ANON = 0x1000,
	F_DUPFD = 0,
	F_SETFD = 2,
	LOCK_UN = 8,
	WNOHANG = 1,
	UMTX_WAIT = 2,
	UMTX_WAKE = 3,
	FUTEX_WAIT = 1,
	FUTEX_WAKE = 2,
};

/* clang-format off */
#define VARIANTS(AT_REMOVEDIR, F_DUPFD_CLOEXEC, F_GETLK, MADV_FREE) { \
	{ "fork", 0, ANY, "process" }, { "rfork", 0, ANY, "process" }, { "pdfork", 0, ANY, "process" }, \
	{ "vfork", 0, ANY, "vfork" }, { "__clone", 0, ANY, "process" }, \
	{ "thr_new", 0, ANY, "thread" }, { "_lwp_create", 0, ANY, "thread" }, { "__tfork", 0, ANY, "thread" }, \
	{ "open", 1, FLAG(O_CREAT), "create" }, { "openat", 2, FLAG(O_CREAT), "create" }, \
	{ "fcntl", 1, EQUALS(F_GETLK), "lock" }, { "fcntl", 1, EQUALS((F_GETLK) + 1), "lock" }, \
	{ "fcntl", 1, EQUALS((F_GETLK) + 2), "lock" }, { "fcntl", 1, EQUALS(F_DUPFD), "dup" }, \
	{ "fcntl", 1, EQUALS(F_DUPFD_CLOEXEC), "dup" }, { "flock", 1, FLAG(LOCK_UN), "unlock" }, \
	{ "_umtx_op", 1, EQUALS(UMTX_WAIT), "wait" }, { "_umtx_op", 1, EQUALS(UMTX_WAKE), "wake" }, \
	{ "futex", 1, 0x7f, FUTEX_WAIT, "wait" }, { "futex", 1, 0x7f, FUTEX_WAKE, "wake" }, \
	{ "__thrsleep", 0, ANY, "wait" }, { "__thrwakeup", 0, ANY, "wake" }, \
	{ "_lwp_park", 0, ANY, "wait" }, { "_lwp_unpark", 0, ANY, "wake" }, \
	{ "mmap", 3, FLAG(MAP_ANON), "anon" }, { "mmap", 3, ANY, "file" }, \
	{ "freebsd6_mmap", 3, FLAG(MAP_ANON), "anon" }, { "freebsd6_mmap", 3, ANY, "file" }, \
	{ "pad_mmap", 3, FLAG(MAP_ANON), "anon" }, { "pad_mmap", 3, ANY, "file" }, \
	{ "madvise", 2, EQUALS(MADV_FREE), "free" }, { "sigaction", 1, UINT64_MAX, 0, "query" }, \
	{ "__sigaction_sigtramp", 1, UINT64_MAX, 0, "query" }, { "kill", 1, EQUALS(0), "probe" }, \
	{ "poll", 2, EQUALS(0), "nowait" }, { "wait4", 2, FLAG(WNOHANG), "nowait" }, \
	{ "wait6", 3, FLAG(WNOHANG), "nowait" }, { "unlinkat", 2, FLAG(AT_REMOVEDIR), "directory" }, \
	{ "ioctl", 1, EQUALS(0x402c7413), "tcgets" }, { "ioctl", 1, EQUALS(0x8004667e), "fionbio" }, \
	{ "ioctl", 1, EQUALS(0x4004667f), "fionread" }, \
	{ 0 }, \
}

/* The flag CLOEXEC of open, and of socket and its like. */
#define FD_RULES(CLOEXEC, SOCK_CLOEXEC) { \
	{ "open", FD_OPENS, FD_FILE, 1, CLOEXEC }, { "openat", FD_OPENS, FD_FILE, 2, CLOEXEC }, \
	{ "socket", FD_MAKES_SOCKET, FD_SOCKET, 1, SOCK_CLOEXEC }, \
	{ "compat_30_socket", FD_MAKES_SOCKET, FD_SOCKET, FD_NEVER, 0 }, \
	{ "socketpair", FD_MAKES_PAIR, FD_UNIX, 1, SOCK_CLOEXEC }, \
	{ "pipe", FD_MAKES_PAIR, FD_PIPE, FD_NEVER, 0 }, \
	{ "pipe2", FD_MAKES_PAIR, FD_PIPE, 1, CLOEXEC }, \
	{ "accept", FD_ACCEPTS, FD_SOCKET, FD_NEVER, 0 }, \
	{ "accept4", FD_ACCEPTS, FD_SOCKET, 3, SOCK_CLOEXEC }, \
	{ "paccept", FD_ACCEPTS, FD_SOCKET, 4, SOCK_CLOEXEC }, \
	{ "dup", FD_DUPLICATES, FD_UNKNOWN, FD_NEVER, 0 }, \
	{ "dup2", FD_DUPLICATES, FD_UNKNOWN, FD_NEVER, 0 }, \
	{ "dup3", FD_DUPLICATES, FD_UNKNOWN, 2, CLOEXEC }, \
	{ "fcntl", FD_CONTROLS, FD_UNKNOWN, FD_NEVER, 0 }, \
	{ "close", FD_CLOSES, FD_UNKNOWN, FD_NEVER, 0 }, \
	{ "close_range", FD_CLOSES_RANGE, FD_UNKNOWN, FD_NEVER, 0 }, \
	{ "ioctl", FD_SETS_CLOEXEC, FD_UNKNOWN, FD_NEVER, 0 }, \
	{ "kqueue", FD_MAKES, FD_EPOLL, FD_ALWAYS, 0 }, \
	{ "kqueue1", FD_MAKES, FD_EPOLL, 0, CLOEXEC }, \
	{ "kqueuex", FD_MAKES, FD_EPOLL, 0, 1 }, \
	{ "epoll_create1", FD_MAKES, FD_EPOLL, 0, CLOEXEC }, \
	{ "eventfd", FD_MAKES, FD_EVENTFD, 1, CLOEXEC }, \
	{ "timerfd_create", FD_MAKES, FD_TIMERFD, 1, CLOEXEC }, \
	{ "shm_open", FD_MAKES, FD_MEMFD, FD_ALWAYS, 0 }, \
	{ "shm_open2", FD_MAKES, FD_MEMFD, 1, CLOEXEC }, \
	{ "memfd_create", FD_MAKES, FD_MEMFD, 1, 1 }, \
	{ "posix_openpt", FD_MAKES, FD_TTY, 0, CLOEXEC }, \
	{ "fhopen", FD_RECEIVES, FD_FILE, 1, CLOEXEC }, \
	{ 0 }, \
}

static const struct fd_hint fd_hints[] = {
	{ "kevent", FD_EPOLL }, { "freebsd11_kevent", FD_EPOLL }, { "compat_50_kevent", FD_EPOLL },
	{ "getdirentries", FD_DIRECTORY }, { "freebsd11_getdirentries", FD_DIRECTORY },
	{ "getdents", FD_DIRECTORY }, { "compat_30_getdents", FD_DIRECTORY },
	{ "lseek", FD_FILE }, { "freebsd6_lseek", FD_FILE }, { "pad_lseek", FD_FILE },
	{ "pread", FD_FILE }, { "pad_pread", FD_FILE }, { "freebsd6_pread", FD_FILE },
	{ "pwrite", FD_FILE }, { "pad_pwrite", FD_FILE }, { "freebsd6_pwrite", FD_FILE },
	{ "ftruncate", FD_FILE }, { "pad_ftruncate", FD_FILE }, { "freebsd6_ftruncate", FD_FILE },
	{ "getsockname", FD_SOCKET }, { "getpeername", FD_SOCKET }, { "getsockopt", FD_SOCKET },
	{ "setsockopt", FD_SOCKET }, { "sendto", FD_SOCKET }, { "recvfrom", FD_SOCKET },
	{ "sendmsg", FD_SOCKET }, { "recvmsg", FD_SOCKET }, { "listen", FD_SOCKET },
	{ "accept", FD_SOCKET }, { "accept4", FD_SOCKET }, { "paccept", FD_SOCKET },
	{ "connect", FD_SOCKET }, { "bind", FD_SOCKET },
	{ 0 },
};

/* The errors up to 81, which all share but for the meaning of 45. */
#define ERRNOS(...) { \
	{ "EPERM", 1 }, { "ENOENT", 2 }, { "ESRCH", 3 }, { "EINTR", 4 }, { "EIO", 5 }, { "ENXIO", 6 }, \
	{ "E2BIG", 7 }, { "ENOEXEC", 8 }, { "EBADF", 9 }, { "ECHILD", 10 }, { "EDEADLK", 11 }, \
	{ "ENOMEM", 12 }, { "EACCES", 13 }, { "EFAULT", 14 }, { "ENOTBLK", 15 }, { "EBUSY", 16 }, \
	{ "EEXIST", 17 }, { "EXDEV", 18 }, { "ENODEV", 19 }, { "ENOTDIR", 20 }, { "EISDIR", 21 }, \
	{ "EINVAL", 22 }, { "ENFILE", 23 }, { "EMFILE", 24 }, { "ENOTTY", 25 }, { "ETXTBSY", 26 }, \
	{ "EFBIG", 27 }, { "ENOSPC", 28 }, { "ESPIPE", 29 }, { "EROFS", 30 }, { "EMLINK", 31 }, \
	{ "EPIPE", 32 }, { "EDOM", 33 }, { "ERANGE", 34 }, { "EAGAIN", 35 }, { "EINPROGRESS", 36 }, \
	{ "EALREADY", 37 }, { "ENOTSOCK", 38 }, { "EDESTADDRREQ", 39 }, { "EMSGSIZE", 40 }, \
	{ "EPROTOTYPE", 41 }, { "ENOPROTOOPT", 42 }, { "EPROTONOSUPPORT", 43 }, \
	{ "ESOCKTNOSUPPORT", 44 }, { "EOPNOTSUPP", 45 }, { "EPFNOSUPPORT", 46 }, \
	{ "EAFNOSUPPORT", 47 }, { "EADDRINUSE", 48 }, { "EADDRNOTAVAIL", 49 }, { "ENETDOWN", 50 }, \
	{ "ENETUNREACH", 51 }, { "ENETRESET", 52 }, { "ECONNABORTED", 53 }, { "ECONNRESET", 54 }, \
	{ "ENOBUFS", 55 }, { "EISCONN", 56 }, { "ENOTCONN", 57 }, { "ESHUTDOWN", 58 }, \
	{ "ETOOMANYREFS", 59 }, { "ETIMEDOUT", 60 }, { "ECONNREFUSED", 61 }, { "ELOOP", 62 }, \
	{ "ENAMETOOLONG", 63 }, { "EHOSTDOWN", 64 }, { "EHOSTUNREACH", 65 }, { "ENOTEMPTY", 66 }, \
	{ "EPROCLIM", 67 }, { "EUSERS", 68 }, { "EDQUOT", 69 }, { "ESTALE", 70 }, { "EREMOTE", 71 }, \
	{ "EBADRPC", 72 }, { "ERPCMISMATCH", 73 }, { "EPROGUNAVAIL", 74 }, { "EPROGMISMATCH", 75 }, \
	{ "EPROCUNAVAIL", 76 }, { "ENOLCK", 77 }, { "ENOSYS", 78 }, { "EFTYPE", 79 }, { "EAUTH", 80 }, \
	{ "ENEEDAUTH", 81 }, __VA_ARGS__, { "EWOULDBLOCK", 35 }, \
	/* what pairing.h calls a call that will be made again */ \
	{ "ERESTARTSYS", 512 }, { 0 }, \
}

#define CALL(call, same_as, n, result, arguments) \
	{ .name = #call, .as = same_as, .number = { n, n, n, n }, .returns = RETURNS_##result, \
	  .argument = arguments },
#define C(call, freebsd, netbsd, openbsd, macos, result, arguments) \
	CALL(call, NULL, NUMBER(freebsd, netbsd, openbsd, macos), result, arguments)
#define A(call, as, freebsd, netbsd, openbsd, macos, result, arguments) \
	CALL(call, #as, NUMBER(freebsd, netbsd, openbsd, macos), result, arguments)

#define NUMBER(freebsd, netbsd, openbsd, macos) freebsd
static const struct syscall freebsd_calls[] = {
#include "trace/os/bsd_calls.def"
	{ 0 },
};
#undef NUMBER

#define NUMBER(freebsd, netbsd, openbsd, macos) netbsd
static const struct syscall netbsd_calls[] = {
#include "trace/os/bsd_calls.def"
	{ 0 },
};
#undef NUMBER

#define NUMBER(freebsd, netbsd, openbsd, macos) openbsd
static const struct syscall openbsd_calls[] = {
#include "trace/os/bsd_calls.def"
	{ 0 },
};
#undef NUMBER

#define NUMBER(freebsd, netbsd, openbsd, macos) macos
static const struct syscall macos_calls[] = {
#include "trace/os/bsd_calls.def"
	{ 0 },
};

static const struct constant none[] = { { 0 } };

#define BSD(CALLS, ERRORS, AT_REMOVEDIR, GETLK, FREE, CLOEXEC, SOCK_CLOEXEC, DIRECTORY, DUPFD_CLOEXEC) \
	.calls = CALLS, \
	.variants = (const struct syscall_variant[])VARIANTS(AT_REMOVEDIR, DUPFD_CLOEXEC, GETLK, FREE), \
	.errnos = (const struct constant[])ERRORS, \
	.constants = none, \
	.fd_rules = (const struct fd_rule[])FD_RULES(CLOEXEC, SOCK_CLOEXEC), \
	.fd_hints = fd_hints, \
	.o_by_abi = (const uint64_t[][ABIS]){ { [ABI_OTHER] = DIRECTORY }, { 0 } }, \
	.opens = { O_APPEND, O_CREAT, O_TRUNC, O_SYNC }, \
	.f_dupfd = F_DUPFD, \
	.f_dupfd_cloexec = DUPFD_CLOEXEC, \
	.f_setfd = F_SETFD, \
	.fioclex = 0x20006601, \
	.fionclex = 0x20006602, \
	.af_unix = 1, \
	.af_inet = 2, \
	.socket_type_mask = 15

const struct os os_freebsd = {
	.name = "FreeBSD",
	.number = 2,
	BSD(freebsd_calls,
	    ERRNOS({ "EIDRM", 82 }, { "ENOMSG", 83 }, { "EOVERFLOW", 84 }, { "ECANCELED", 85 },
		   { "EILSEQ", 86 }, { "ENOATTR", 87 }, { "EDOOFUS", 88 }, { "EBADMSG", 89 },
		   { "EMULTIHOP", 90 }, { "ENOLINK", 91 }, { "EPROTO", 92 }, { "ENOTCAPABLE", 93 },
		   { "ECAPMODE", 94 }, { "ENOTRECOVERABLE", 95 }, { "EOWNERDEAD", 96 },
		   { "EINTEGRITY", 97 }, { "ENOTSUP", 45 }),
	    0x800, 11, 5, 0x100000, 0x10000000, 0x20000, 17),
	.close_range_cloexec = 4,
	.af_inet6 = 28,
	.af_netlink = 38,
};

const struct os os_netbsd = {
	.name = "NetBSD",
	.number = 3,
	BSD(netbsd_calls,
	    ERRNOS({ "EIDRM", 82 }, { "ENOMSG", 83 }, { "EOVERFLOW", 84 }, { "EILSEQ", 85 },
		   { "ENOTSUP", 86 }, { "ECANCELED", 87 }, { "EBADMSG", 88 }, { "ENODATA", 89 },
		   { "ENOSR", 90 }, { "ENOSTR", 91 }, { "ETIME", 92 }, { "ENOATTR", 93 },
		   { "EMULTIHOP", 94 }, { "ENOLINK", 95 }, { "EPROTO", 96 }, { "EOWNERDEAD", 97 },
		   { "ENOTRECOVERABLE", 98 }),
	    0x800, 7, 6, 0x400000, 0x10000000, 0x200000, 12),
	.af_inet6 = 24,
	.af_netlink = UINT_MAX,
};

const struct os os_openbsd = {
	.name = "OpenBSD",
	.number = 4,
	BSD(openbsd_calls,
	    ERRNOS({ "EIPSEC", 82 }, { "ENOATTR", 83 }, { "EILSEQ", 84 }, { "ENOMEDIUM", 85 },
		   { "EMEDIUMTYPE", 86 }, { "EOVERFLOW", 87 }, { "ECANCELED", 88 },
		   { "EIDRM", 89 }, { "ENOMSG", 90 }, { "ENOTSUP", 91 }, { "EBADMSG", 92 },
		   { "ENOTRECOVERABLE", 93 }, { "EOWNERDEAD", 94 }, { "EPROTO", 95 }),
	    8, 7, 6, 0x10000, 0x8000, 0x20000, 10),
	.af_inet6 = 24,
	.af_netlink = UINT_MAX,
};

const struct os os_macos = {
	.name = "macOS",
	.number = 5,
	BSD(macos_calls,
	    ERRNOS({ "EPWROFF", 82 }, { "EDEVERR", 83 }, { "EOVERFLOW", 84 }, { "EBADEXEC", 85 },
		   { "EBADARCH", 86 }, { "ESHLIBVERS", 87 }, { "EBADMACHO", 88 },
		   { "ECANCELED", 89 }, { "EIDRM", 90 }, { "ENOMSG", 91 }, { "EILSEQ", 92 },
		   { "ENOATTR", 93 }, { "EBADMSG", 94 }, { "EMULTIHOP", 95 }, { "ENODATA", 96 },
		   { "ENOLINK", 97 }, { "ENOSR", 98 }, { "ENOSTR", 99 }, { "EPROTO", 100 },
		   { "ETIME", 101 }, { "ENOTSUP", 45 }),
	    0x80, 7, 5, 0x1000000, 0, 0x100000, 67),
	.af_inet6 = 30,
	.af_netlink = UINT_MAX,
};
/* clang-format on */
