/* SPDX-License-Identifier: MIT */
/* Tests of the basis: which rule a call goes to, and which files are refused with which words. */
#include "vector/basis.h"

#include <errno.h>
#include <fcntl.h>

#include "trace/syscalls.h"

#include "../tap.h"
#include "../vector_texts.h"

static struct event call(const char *name, enum fd_kind kind, int64_t result)
{
	return (struct event){ .type = EVENT_SYSCALL,
			       .call = {
				   .id = syscall_by_name(name), .kind = kind, .result = result } };
}

/* The line of the rule that a call goes to, 0 for none, and the size that it asks for. */
static void test_match(const struct basis *b)
{
	static const struct {
		const char *name;
		enum fd_kind kind;
		int64_t result;
		size_t line;
		double size;
		unsigned flags;
		uint64_t args[3];
		const char *path;
	} calls[] = {
		{ "read", FD_TCP, -EAGAIN, 6, .size = NAN },
		{ "read", FD_TCP, 100, 7, .size = 100 },
		{ "read", FD_TCP, -EIO, 7, .size = 0 }, /* a failed call moves nothing */
		{ "read", FD_TCP, 100, 7, NAN, .flags = CALL_UNFINISHED },
		{ "read", FD_UNIX, 100, .line = 0 },
		{ "read", FD_FILE, 100, 8, .size = 100 },
		{ "read", FD_FILE, 100, 0, .flags = CALL_UNFINISHED }, /* not if=ok */
		{ "read", FD_FILE, -EIO, .line = 0 },
		{ "read", FD_DIRECTORY, 7, 8, .size = 7 },
		{ "openat", FD_FILE, 3, 9, 1, .args = { 0, 0, O_CREAT | O_RDWR } },
		{ "openat", FD_FILE, 3, 10, 1, .args = { 0, 0, O_RDONLY } },
		{ "openat", FD_FILE, -ENOENT, 11, .size = NAN },
		{ "write", FD_EPOLL, 1, 15, .size = NAN },
		{ "such_a_call_does_not_exist", FD_EPOLL, 1, 15, .size = NAN },
		{ "getpid", FD_UNKNOWN, 1, .line = 0 },
		{ "munmap", FD_UNKNOWN, 0, 12, 8192, .args = { 0, 8192 } },
		{ "munmap", FD_UNKNOWN, 0, 12, NAN, .flags = CALL_NO_ARGS },
		{ "getdents64", FD_DIRECTORY, 320, 13, .size = 10 },
		{ "fsync", FD_FILE, 0, 14, .size = 4096 },
		{ "openat", FD_FILE, 3, 10, 3, .path = "/usr/lib/x" },
		{ "openat", FD_FILE, 3, 10, 1, .path = "x" },
		{ "openat", FD_FILE, 3, 10, 2, .path = "a//b/" },
		{ "openat", FD_FILE, 3, 10, 1, .path = "/" },
		{ "openat", FD_FILE, 3, 10, 1, .path = "" },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct event e = call(calls[i].name, calls[i].kind, calls[i].result);

		e.call.flags = calls[i].flags;
		e.call.path = calls[i].path;
		memcpy(e.call.args, calls[i].args, sizeof(calls[i].args));
		const struct basis_rule *r = basis_match(b, &e);
		cmp_int(r ? r->line : 0, calls[i].line, "row %zu: the rule for %s", i,
			calls[i].name);
		if (r)
			cmp_near(basis_size_of(r, &e), calls[i].size, 0, "row %zu: the size", i);
	}
}

static void test_terms(struct basis *b)
{
	struct event e = call("fsync", FD_FILE, 0);
	const struct basis_rule *r = basis_match(b, &e);

	ok(r && r->terms[1].part == PART_WAIT && r->nterms == 2, "a rule of two terms that waits");
	is_string(r->terms[0].entry, "lat_fsync_*", "first term");
	cmp_near(r->terms[0].weight, 1, 0, "counts once");
	is_string(r->terms[1].entry, "bw_file_write_*", "second term");
	cmp_near(r->terms[1].weight, -2, 0, "is subtracted twice");
	e = call("read", FD_FILE, 1);
	r = basis_match(b, &e);
	ok(r && r->terms[0].part == PART_KERNEL && r->terms[0].weight == 0.5 &&
	       r->terms[1].weight == 1,
	   "weights of a sum");
	e = call("munmap", FD_UNKNOWN, 0);
	ok(basis_match(b, &e)->terms[0].part == PART_COUNTED, "counted elsewhere");

	ok(b->user_entries.n == 2 && !strcmp(b->user_entries.v[1], "cpu_hash"), "@user");
	is_string(b->null_entry, "lat_null", "@null");
	is_string(b->switch_entry, "lat_ctx_shared_0_2", "@switch");
	is_string(b->fault_entry, NULL, "no @fault");
	is_string(b->fault_kinds[FAULT_READ], "lat_around", "@fault.read");
	is_string(b->fault_kinds[FAULT_COPY], NULL, "no @fault.copy");
}

static void test_refusals(void)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "", "b.conf: no @null line" },
		{ "@null\n", "b.conf:1: @null takes" },
		{ "@null a b\n", "b.conf:1: @null takes" },
		{ "@null a\n@null a\n", "b.conf:2: @null is given twice" },
		{ "@null lat_*\n", "b.conf:1: @null takes" },
		{ "@user\n", "b.conf:1: @user takes" },
		{ "@fast a\n", "b.conf:1: '@fast' is not @null" },
		{ "@fault.red a\n", "b.conf:1: '@fault.red' is not @null" },
		{ "@fault.unknown a\n", "b.conf:1: '@fault.unknown' is not @null" },
		{ "@foult.read a\n", "b.conf:1: '@foult.read' is not @null" },
		{ "@fault.copy a\n@fault.copy a\n", "b.conf:2: @fault.copy is given twice" },
		{ "\nread\n", "b.conf:2: a rule is: CALL" },
		{ "raed - -> a\n", "unknown system call 'raed'" },
		{ "read, - -> a\n", "missing between the commas" },
		{ "openat.crate - -> a\n", "'openat' has no variant 'crate'" },
		{ "*.create - -> a\n", "'*' has no variants" },
		{ "read tpc -> a\n", "unknown kind 'tpc'" },
		{ "read file\n", "'->' and an entry are missing" },
		{ "read file size=len -> a\n", "size=len: not ret" },
		{ "read file size=ret size=ret -> a\n", "not 'size=ret'" },
		{ "read file size=ret/0 -> a\n", "the divisor is not" },
		{ "read file size=ret/ -> a\n", "the divisor is not" },
		{ "read file size=depth/2 -> a\n", "size=depth: not ret" },
		{ "read file if=EWHAT -> a\n", "if=EWHAT: not ok" },
		{ "read file ->\n", "an entry is missing" },
		{ "read file -> wait\n", "an entry is missing" },
		{ "read file -> a_* \n", "'a_*' is a curve" },
		{ "read file size=ret -> a_*_*\n", "not the name of an entry" },
		{ "read file -> 0 a\n", "weight 0 is not above 0" },
		{ "read file -> -1 a\n", "weight -1 is not above 0" },
		{ "read file -> nan a\n", "expected + or - and an entry, not 'a'" },
		{ "read file -> a b\n", "expected + or - and an entry, not 'b'" },
		{ "read file -> a + a\n", "'a' is given twice" },
		{ "read file -> counted 2 a\n", "'counted' takes one entry" },
		{ "read file -> counted a + wait b\n", "'counted' takes one entry" },
		{ "read file -> a;\n", "not the name of an entry" },
		{ "read - -> a\nread,write file if=ok -> b\n", "b.conf:2: earlier rules match" },
		{ "* file -> a\n* tcp -> b\nread tcp,file -> c\n",
		  "b.conf:3: earlier rules match" },
		{ "read - if=error -> a\nread file if=EIO -> b\n",
		  "b.conf:2: earlier rules match" },
	};
	struct error e = { "" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct basis *b = basis_parse(bad[i].text, strlen(bad[i].text), "b.conf", &e);

		ok(!b && strstr(e.text, bad[i].message), "refused: %s", e.text);
		basis_free(b);
	}
	ok(!basis_parse("@null a\n\0", 9, "b.conf", &e), "a NUL byte: %s", e.text);
	ok(!basis_read("/nowhere/b.conf", &e), "missing file: %s", e.text);
}

static void test_kept(void)
{
	static const char *const good[] = {
		"@null a\nread - if=ok -> a\nread file -> b\n",
		"@null a\nread file -> a\nread - -> b\n",
		"@null a\nopenat.create - -> a\nopenat - -> b\n",
		"@null a\r\nread\tfile  size=1m  ->\twait  2.5e-1 x_*@other\r\n",
	};
	struct error e = { "" };

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct basis *b = basis_parse(good[i], strlen(good[i]), "b.conf", &e);

		ok(b != NULL, "a narrower rule before a wider one stays: %s", e.text);
		basis_free(b);
	}
}

/* Calls of one name that cost something else have another entry in conf/basis.conf. */
static void test_installed(void)
{
	static const struct {
		const char *call;
		enum fd_kind kind;
		uint64_t signal;
		int64_t result;
		const char *entry;
		unsigned flags;
	} cases[] = {
		{ "kill", FD_UNKNOWN, 15, 0, "lat_sig_handle", 0 },
		{ "kill", FD_UNKNOWN, 0, 0, "lat_syscall_kill", 0 },
		{ "connect", FD_TCP, 0, -EINPROGRESS, "lat_connect_tcp", 0 },
		{ "connect", FD_TCP, 0, -EISCONN, "lat_syscall_getppid", 0 },
		{ "connect", FD_TCP, 0, -EALREADY, "lat_syscall_getppid", 0 },
		{ "connect", FD_UNIX, 0, 0, "lat_connect_unix", 0 },
		{ "connect", FD_UNIX, 0, -ENOENT, "lat_fd_socketpair", 0 },
		{ "kill", FD_UNKNOWN, 15, -ESRCH, "lat_syscall_getppid", 0 },
		{ "wait4", FD_UNKNOWN, 0, -ECHILD, "lat_syscall_getppid", 0 },
		{ "openat", FD_UNKNOWN, 0, -ENOENT, "lat_path_missing_*", 0 },
		{ "openat", FD_UNKNOWN, 0, -EACCES, "lat_path_missing_*", 0 },
		{ "open", FD_FILE, 0, 3, "lat_path_open_*", 0 },
		{ "creat", FD_UNKNOWN, 0, -ENOTDIR, "lat_path_missing_*", 0 },
		{ "creat", FD_FILE, 0, 3, "lat_fs_create_0", 0 },
		{ "stat", FD_UNKNOWN, 0, -ENOENT, "lat_path_enoent_*", 0 },
		{ "stat", FD_UNKNOWN, 0, 0, "lat_path_stat_*", 0 },
		{ "fstat", FD_UNKNOWN, 0, -EBADF, "lat_syscall_fstat", 0 },
		{ "readlink", FD_UNKNOWN, 0, -EINVAL, "lat_path_stat_*", 0 },
		{ "readlink", FD_UNKNOWN, 0, -ENOENT, "lat_path_enoent_*", 0 },
		{ "mkdir", FD_UNKNOWN, 0, -EEXIST, "lat_path_enoent_*", 0 },
		{ "mkdir", FD_UNKNOWN, 0, 0, "lat_dir_mkdir_10", 0 },
		{ "rename", FD_UNKNOWN, 0, -ENOENT, "lat_path_enoent_*", 0 },
		{ "unlink", FD_UNKNOWN, 0, -ENOENT, "lat_path_enoent_*", 0 },
		{ "execve", FD_UNKNOWN, 0, -ENOENT, "lat_path_enoent_*", 0 },
		{ "read", FD_PIPE, 0, -EAGAIN, "lat_syscall_eagain", 0 },
		{ "read", FD_TCP, 0, -EINTR, "lat_syscall_eagain", 0 },
		{ "read", FD_EVENTFD, 0, -EAGAIN, "lat_syscall_eagain", 0 },
		{ "write", FD_PIPE, 0, -EPIPE, "lat_syscall_eagain", 0 },
		{ "accept4", FD_TCP, 0, -EAGAIN, "lat_syscall_eagain", 0 },
		{ "accept4", FD_TCP, 0, 7, "lat_accept_close_tcp", 0 },
		{ "write", FD_FILE, 0, 7, "bw_file_write_*", 0 },
		{ "write", FD_FILE, 0, 7, "bw_file_append_*", CALL_APPENDS },
		{ "pwrite64", FD_FILE, 0, 7, "lat_fsync_fdatasync-cpu_4k", CALL_SYNCED },
		{ "pwrite64", FD_FILE, 0, 7, "lat_fsync_fdatasync-grow-cpu_4k",
		  CALL_SYNCED | CALL_APPENDS },
		{ "fdatasync", FD_FILE, 0, 0, "lat_fsync_fdatasync-grow-cpu_4k", CALL_APPENDS },
	};
	struct error e = { "" };
	struct basis *b = basis_read("conf/basis.conf", &e);

	ok(b != NULL, "conf/basis.conf is read %s", e.text);
	for (size_t i = 0; b && i < sizeof(cases) / sizeof(*cases); i++) {
		struct event event = call(cases[i].call, cases[i].kind, cases[i].result);

		event.call.args[1] = cases[i].signal;
		event.call.flags |= (uint16_t)cases[i].flags;
		const struct basis_rule *rule = basis_match(b, &event);
		is_string(rule ? rule->terms[0].entry : NULL, cases[i].entry, "%s of %s",
			  cases[i].entry, cases[i].call);
	}
	basis_free(b);
}

int main(void)
{
	struct error e = { "" };
	struct basis *b = basis_parse(BASIS_TEXT, strlen(BASIS_TEXT), "b.conf", &e);

	if (!ok(b != NULL, "parsed %s", e.text))
		return done_testing();
	test_match(b);
	test_terms(b);
	test_refusals();
	test_kept();
	test_installed();
	basis_free(b);
	return done_testing();
}
