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

static size_t line_of(struct basis *b, const struct event *e)
{
	const struct basis_rule *r = basis_match(b, e);

	return r ? r->line : 0;
}

static void test_match(struct basis *b)
{
	struct event e = call("read", FD_TCP, -EAGAIN);

	cmp_int(line_of(b, &e), 6, "a read of a socket without data");
	e.call.result = 100;
	cmp_int(line_of(b, &e), 7, "with data");
	e.call.kind = FD_UNIX;
	cmp_int(line_of(b, &e), 0, "of a kind that is not listed: the null call");
	e.call.kind = FD_FILE;
	cmp_int(line_of(b, &e), 8, "of a file");
	e.call.flags = CALL_UNFINISHED;
	cmp_int(line_of(b, &e), 0, "if=ok is not met by a call that never returned");
	e = call("read", FD_FILE, -EIO);
	cmp_int(line_of(b, &e), 0, "nor by one that failed");
	e = call("openat", FD_FILE, 3);
	e.call.args[2] = O_CREAT | O_RDWR;
	cmp_int(line_of(b, &e), 9, "a variant");
	e.call.args[2] = O_RDONLY;
	cmp_int(line_of(b, &e), 10, "another variant of the same call");
	e.call.result = -ENOENT;
	cmp_int(line_of(b, &e), 11, "and when it fails");
	e = call("write", FD_EPOLL, 1);
	cmp_int(line_of(b, &e), 15, "any call of a kind");
	e = call("such_a_call_does_not_exist", FD_EPOLL, 1);
	cmp_int(line_of(b, &e), 15, "even an unknown one");
	e = call("getpid", FD_UNKNOWN, 1);
	cmp_int(line_of(b, &e), 0, "a call without a rule");
}

static void test_sizes(struct basis *b)
{
	struct event e = call("read", FD_TCP, 100);

	cmp_near(basis_size_of(basis_match(b, &e), &e), 100, 0, "size=ret");
	e.call.result = -EIO;
	cmp_near(basis_size_of(basis_match(b, &e), &e), 0, 0, "a failed call moves nothing");
	e.call.flags = CALL_UNFINISHED;
	cmp_near(basis_size_of(basis_match(b, &e), &e), NAN, 0, "one without a result is unknown");
	e = call("munmap", FD_UNKNOWN, 0);
	e.call.args[1] = 8192;
	cmp_near(basis_size_of(basis_match(b, &e), &e), 8192, 0, "size=arg1");
	e.call.flags = CALL_NO_ARGS;
	cmp_near(basis_size_of(basis_match(b, &e), &e), NAN, 0, "unknown without arguments");
	e = call("getdents64", FD_DIRECTORY, 320);
	cmp_near(basis_size_of(basis_match(b, &e), &e), 10, 0, "size=ret/32");
	e = call("fsync", FD_FILE, 0);
	cmp_near(basis_size_of(basis_match(b, &e), &e), 4096, 0, "size=4k");
	e = call("read", FD_DIRECTORY, 7);
	cmp_near(basis_size_of(basis_match(b, &e), &e), 7, 0, "size=ret of another rule");

	static const struct {
		const char *path;
		double depth;
	} paths[] = {
		{ "/usr/lib/x", 3 }, { "x", 1 }, { "a//b/", 2 }, { "/", 1 }, { NULL, 1 }, { "", 1 },
	};
	e = call("openat", FD_FILE, 3);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		e.call.path = paths[i].path;
		cmp_near(basis_size_of(basis_match(b, &e), &e), paths[i].depth, 0, "depth of %s",
			 paths[i].path ? paths[i].path : "an unknown path");
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
}

static void test_refusals(void)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "", "b.conf: no @null line" },
		{ "@null\n", "b.conf:1: @null takes" },
		{ "@null a b\n", "b.conf:1: @null takes" },
		{ "@null a\n@null a\n", "b.conf:2: @null comes twice" },
		{ "@null lat_*\n", "b.conf:1: @null takes" },
		{ "@user\n", "b.conf:1: @user takes" },
		{ "@fast a\n", "b.conf:1: '@fast' is none of" },
		{ "\nread\n", "b.conf:2: a rule is: CALL" },
		{ "raed - -> a\n", "unknown system call 'raed'" },
		{ "read, - -> a\n", "missing between the commas" },
		{ "openat.crate - -> a\n", "'openat' has no variant 'crate'" },
		{ "*.create - -> a\n", "'*' has no variants" },
		{ "read tpc -> a\n", "unknown kind 'tpc'" },
		{ "read file\n", "no '->'" },
		{ "read file size=len -> a\n", "size=len: not ret" },
		{ "read file size=ret size=ret -> a\n", "comes twice" },
		{ "read file size=ret/0 -> a\n", "not divided by" },
		{ "read file size=ret/ -> a\n", "not divided by" },
		{ "read file size=depth/2 -> a\n", "size=depth: not ret" },
		{ "read file if=EWHAT -> a\n", "if=EWHAT: not ok" },
		{ "read file ->\n", "an entry is missing" },
		{ "read file -> wait\n", "an entry is missing" },
		{ "read file -> a_* \n", "'a_*' is a curve" },
		{ "read file size=ret -> a_*_*\n", "not the name of an entry" },
		{ "read file -> 0 a\n", "weight 0 is not above 0" },
		{ "read file -> -1 a\n", "weight -1 is not above 0" },
		{ "read file -> nan a\n", "'a' where + or -" },
		{ "read file -> a b\n", "'b' where + or -" },
		{ "read file -> a + a\n", "'a' comes twice" },
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
	} cases[] = {
		{ "kill", FD_UNKNOWN, 15, 0, "lat_sig_handle" },
		{ "kill", FD_UNKNOWN, 0, 0, "lat_syscall_kill" },
		{ "connect", FD_TCP, 0, -EINPROGRESS, "lat_connect_tcp" },
		{ "connect", FD_TCP, 0, -EISCONN, "lat_syscall_getppid" },
		{ "connect", FD_TCP, 0, -EALREADY, "lat_syscall_getppid" },
	};
	struct error e = { "" };
	struct basis *b = basis_read("conf/basis.conf", &e);

	ok(b != NULL, "conf/basis.conf is read %s", e.text);
	for (size_t i = 0; b && i < sizeof(cases) / sizeof(*cases); i++) {
		struct event event = call(cases[i].call, cases[i].kind, cases[i].result);

		event.call.args[1] = cases[i].signal;
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
	test_sizes(b);
	test_terms(b);
	test_refusals();
	test_kept();
	test_installed();
	basis_free(b);
	return done_testing();
}
