/* SPDX-License-Identifier: MIT */
/* Tests of the reader of ktrace.out: every layout, and what goes wrong in files. */
#include "trace/source.h"

#include <unistd.h>

#include "../ktrace_file.h"
#include "../tap.h"
#include "event_text.h"

static struct source_losses losses;
static struct source_info info;
static char command[256];
static struct file file;

/* The events as text, without those about descriptors. */
static char *read_all(const unsigned char *data, size_t n)
{
	struct error error = { "" };
	struct source *s = source_open_memory(data, n, "file", &error);
	struct event e;
	char *out;
	size_t size;
	FILE *t = open_memstream(&out, &size);

	while (s && source_next(s, &e, &error) == 1)
		if (e.type != EVENT_FD && e.type != EVENT_CLOCK)
			add_event(t, &e);
	fprintf(t, "%s", error.text);
	if (s) {
		info = *source_info(s);
		losses = *source_losses(s);
		snprintf(command, sizeof(command), "%s", info.command);
	}
	fclose(t);
	source_close(s);
	return out;
}

static void gives(const struct file *f, const char *want, const char *test)
{
	char *got = read_all(f->data, f->n);

	is_string(got, want, "%s", test);
	free(got);
}

/* With the name of sigreturn, which differs. */
static const char story[] = "100 comm sh\n"
			    "100 @1000000 execve(4096,8192,12288)=0 <3000000> '/bin/sh'\n"
			    "100 @4000000 exec /bin/sh\n"
			    "100 @5000000 open(4096)=-2 <2000000> '/etc/profile'\n"
			    "100 @8000000 open(4096,512,420)=3 <2000000> '/tmp/x'\n"
			    "100 @11000000 write(3,4096,5)=5 <2000000>\n"
			    "100 @15000000 fork 101/101\n"
			    "101 @15000000 comm sh\n"
			    "101 @16000000 close(3)=0 <1000000>\n"
			    "100 @14000000 fork()=101 <4000000>\n"
			    "100 @21000000 signal 20\n"
			    "100 @22000000 %s(20480)=0 <1000000>\n"
			    "101 @25000000 exit(7)=0 nothing\n"
			    "101 @25000000 exit 1792 last\n"
			    "100 @19000000 read(0,4096,9)=0 <3000000> restarted\n"
			    "100 @27000000 wait4(101)=101 <1000000>\n";

static void test_layouts(void)
{
	for (int i = 0; i < SYSTEMS; i++) {
		char want[sizeof(story) + 20];

		start(&file, &systems[i]);
		tell_story(&file);
		snprintf(want, sizeof(want), story, handler_return(&file));
		gives(&file, want, systems[i].name);
		is_string(info.os->name, systems[i].os->name, "its system");
		cmp_int(losses.torn_bytes + losses.orphans + losses.unfinished, 0, "all of it");
		is_string(command, "/bin/sh", "the first program");
	}
}

/* ---- what records mean ---- */

static const struct system *system_of(const char *name)
{
	for (int i = 0; i < SYSTEMS; i++)
		if (!strcmp(systems[i].name, name))
			return &systems[i];
	abort();
}

static void begin(const char *system)
{
	start(&file, system_of(system));
}

/* Enough for a file to be recognized. */
static void some_calls(struct file *f, int n)
{
	for (int i = 0; i < n; i++) {
		enter(f, "getpid", -1, 0, 0);
		leave(f, "getpid", 0, 100);
	}
}

/* The events that follow those of some_calls(&file, 2). */
static void adds(const char *want, const char *test)
{
	char *got = read_all(file.data, file.n), *p = got;

	for (int lines = 3; lines && p; lines--)
		p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL;
	is_string(p ? p : got, want, "%s", test);
	free(got);
}

/* OpenBSD has the name of a sysctl, twelve integers at most, behind its registers. */
static void test_sysctl(void)
{
	enum { SYSCTL = 202, ARGS = 6 };
	static const unsigned words[] = { 0, 2, 12 };

	for (size_t n = 0; n < sizeof(words) / sizeof(*words); n++) {
		begin("OpenBSD amd64");
		some_calls(&file, 2);
		add(&file, SYSCTL, 4);
		add(&file, ARGS * 8, 4);
		for (unsigned i = 0; i < ARGS; i++)
			add(&file, 100 + i, 8);
		for (unsigned i = 0; i < words[n]; i++)
			add(&file, 1 + i, 4);
		end(&file, 1);
		leave(&file, "sysctl", 0, 0);
		adds("100 @4000000 sysctl(100,101,102,103,104,105)=0 <1000000>\n", "a sysctl");
		cmp_int(losses.torn_bytes + losses.orphans, 0, "of %u words is whole", words[n]);
	}
}

static void test_threads(void)
{
	begin("FreeBSD v1 amd64");
	some_calls(&file, 2);
	enter(&file, "read", 0, 16, 8);
	file.tid = 100007;
	enter(&file, "write", 1, 16, 8);
	file.tid = 1;
	leave(&file, "read", 0, 8);
	file.tid = 100007;
	leave(&file, "write", 32, 0);
	enter(&file, "thr_exit", 0, -1, 0);
	adds("100 @5000000 fork 100/100007\n"
	     "100 @4000000 read(0,16,8)=8 <2000000>\n"
	     "100/100007 @5000000 write(1,16,8)=-32 <2000000>\n"
	     "100/100007 @8000000 thr_exit()=0 nothing\n"
	     "100/100007 @8000000 exit 0\n",
	     "threads are kept apart");
	begin("NetBSD v2 amd64");
	some_calls(&file, 2);
	file.pid = 200;
	enter(&file, "read", 0, 16, 8);
	file.tid = 100;
	enter(&file, "read", 0, 16, 9);
	leave(&file, "read", 0, 9);
	file.tid = 1;
	leave(&file, "read", 0, 8);
	adds("200 @4000000 comm sh\n"
	     "200 @5000000 fork 200/1073741824\n"
	     "200/1073741824 @5000000 read(0,16,9)=9 <1000000>\n"
	     "200 @4000000 read(0,16,8)=8 <3000000>\n",
	     "numbers of threads that exist in another process are made unique");
}

static void test_arguments(void)
{
	for (int big = 0; big <= 1; big++) { /* fd, padding, the halves of an offset, whence */
		const uint64_t registers[] = { 3, 77, big ? 1 : 5, big ? 5 : 1, 2 };

		begin(big ? "NetBSD v0 sparc" : "NetBSD v2 i386");
		some_calls(&file, 2);
		add(&file, number_of(&file, "lseek"), 4);
		add(&file, 20, 4);
		for (int i = 0; i < 5; i++)
			add(&file, registers[i], 4);
		end(&file, 1);
		leave(&file, "lseek", 0, 5);
		adds("100 @4000000 lseek(3,4294967301,2)=5 <1000000>\n",
		     big ? "in the other order" : "an offset in two registers");
	}
	begin("FreeBSD v1 amd64");
	some_calls(&file, 2);
	enter(&file, "getpriority", 0, 0, -1);
	leave(&file, "getpriority", 0, -5);
	adds("100 @4000000 getpriority()=4294967291 <1000000>\n", "a negative value is no error");
	begin("NetBSD v2 amd64");
	some_calls(&file, 2);
	enter(&file, "pipe", -1, 0, 0);
	add(&file, number_of(&file, "pipe"), 4);
	add(&file, 0, 4);
	add(&file, 3, 8);
	add(&file, 4, 8);
	end(&file, 2);
	adds("100 @4000000 pipe(0,0,0,0,3,4)=3 <1000000>\n", "a pipe has two descriptors");
}

static void test_records(void)
{
	begin("FreeBSD v1 amd64");
	some_calls(&file, 2);
	add(&file, 1, 4);
	add(&file, 1, 4);
	add_bytes(&file, "select\0\0", 8);
	end(&file, 6);
	add(&file, 0, 8);
	end(&file, 6);
	add(&file, 0x7000, 8);
	add(&file, 2, 4);
	end(&file, 13);
	add(&file, 0x8000, 8);
	add(&file, 5, 4);
	end(&file, 13);
	add(&file, 0x9000, 8);
	add(&file, 1, 4);
	end(&file, 13);
	add(&file, 4711, 4);
	end(&file, 27); /* of a newer system */
	file.dropped = true;
	end(&file, 11);
	adds("100 @4000000 out cpu 1 state 1 next 0\n"
	     "100 @5000000 in cpu 1 state 0 next 0\n"
	     "100 @6000000 fault 7000 write unknown\n"
	     "100 @7000000 fault 8000 execute\n"
	     "100 @8000000 fault 9000 read\n"
	     "0 @9000000 lost 0 class 1\n"
	     "100 @10000000 exit 0 last\n",
	     "switches, page faults, an unknown type, a drop and the end of a process");
	begin("FreeBSD v1 amd64");
	some_calls(&file, 2);
	enter(&file, "read", 0, 16, 8);
	signal_comes(&file, 9, 0);
	file.dropped = true;
	enter(&file, "getpid", -1, 0, 0);
	leave(&file, "getpid", 0, 100);
	end(&file, 11);
	adds("100 @5000000 signal 9\n"
	     "0 @5000000 lost 0 class 1\n"
	     "100 @4000000 read(0,16,8)=0 unfinished\n"
	     "100 @6000000 getpid()=100 <1000000>\n"
	     "100 @8000000 exit 9 last\n",
	     "drops are in their place; the death by a signal");
	ok(losses.lost_unknown, "and said to be of unknown number");
	begin("NetBSD v2 amd64");
	some_calls(&file, 2);
	add_bytes(&file, "linux", 5);
	end(&file, 7);
	enter(&file, "exit", -1, 0, 0);
	add(&file, 1, 4);
	add(&file, 35, 4);
	add(&file, 0, 16);
	end(&file, 2);
	adds("100 @5000000 write()=-11 <1000000>\n",
	     "a Linux program has calls and errors of Linux");
	begin("NetBSD v2 amd64");
	some_calls(&file, 2);
	enter(&file, "execve", 1, 2, 3);
	add_bytes(&file, "ls", 3);
	end(&file, 10);
	add_bytes(&file, "a b", 4);
	end(&file, 10);
	leave(&file, "execve", SET_ALREADY, 0);
	adds("100 @4000000 execve(1,2,3)=0 <3000000>\n100 @7000000 exec ls 'a b'\n",
	     "arguments of a program");
}

static void test_births(void)
{
	begin("FreeBSD v1 amd64");
	some_calls(&file, 2);
	enter(&file, "rfork", 1 << 4, -1, 0); /* RFPROC */
	leave(&file, "rfork", 0, 101);
	enter(&file, "rfork", 1 << 4 | 1 << 2, -1, 0); /* RFFDG */
	leave(&file, "rfork", 0, 102);
	adds("100 @4000000 rfork(16)=101 <1000000>\n"
	     "100 @5000000 fork 101/101 shares files\n"
	     "100 @6000000 rfork(20)=102 <1000000>\n"
	     "100 @7000000 fork 102/102\n",
	     "rfork says whether the child has descriptors of its own");
	begin("OpenBSD amd64"); /* it has no record of the end */
	some_calls(&file, 2);
	enter(&file, "fork", -1, 0, 0);
	leave(&file, "fork", 0, 101);
	file.pid = 101;
	signal_comes(&file, 9, 0);
	file.pid = 100;
	enter(&file, "wait4", 101, 0, 0);
	leave(&file, "wait4", 0, 101);
	adds("100 @4000000 fork()=101 <1000000>\n"
	     "100 @5000000 fork 101/101\n"
	     "101 @6000000 signal 9\n"
	     "101 @6000000 comm sh\n"
	     "100 @7000000 wait4(101)=101 <1000000>\n"
	     "101 @8000000 exit 9 last\n",
	     "who was waited for has ended");
}

static void test_clock_set_back(void)
{
	begin("FreeBSD v1 amd64");
	some_calls(&file, 2);
	enter(&file, "read", 0, 16, 8);
	file.ns -= 3000000;
	leave(&file, "read", 0, 8);
	adds("100 @4000000 read(0,16,8)=8\n", "a call in which the clock was set back");
}

/* ---- files ---- */

static void append(struct file *f, const unsigned char *data, size_t n)
{
	memcpy(f->data + f->n, data, n);
	f->n += n;
}

static size_t lines_with(const char *text, const char *word)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, word)); p++)
		n++;
	return n;
}

/* Reads the file; how many calls of that name came out. */
static void calls_of(const char *name, int want, const char *test)
{
	char *got = read_all(file.data, file.n);

	if (!cmp_int(lines_with(got, name), want, "%s", test))
		printf("# %s", got);
	free(got);
}

static void test_damage(void)
{
	static struct file second;

	for (int i = 0; i < SYSTEMS; i++) {
		start(&file, &systems[i]);
		some_calls(&file, 5);
		start(&second, &systems[i]);
		some_calls(&second, 5);
		size_t whole = file.n, record = whole / 10;
		file.n -= record / 2;
		calls_of("getpid()", 5, systems[i].name);
		cmp_int(losses.first_bad + losses.torn_bytes, file.n, "the torn end is counted");
		ok(!losses.lost_unknown &&
		       !strcmp(losses.first_bad_reason, "the file ends within a record"),
		   "as what it is, and no other loss: %s", losses.first_bad_reason);
		append(&file, second.data, second.n);
		calls_of("getpid()=100 <", 9, "a trace behind the torn end of another");
	}
}

static void test_files(void)
{
	static struct file second;

	begin("FreeBSD v1 amd64");
	some_calls(&file, 5);
	start(&second, system_of("OpenBSD amd64"));
	some_calls(&second, 5);
	append(&file, second.data, second.n);
	calls_of("getpid()=100 <1000000>", 10, "traces of two systems in one file");
	cmp_int(losses.torn_bytes, 0, "of which nothing is torn");
	begin("FreeBSD v1 amd64");
	memset(file.data, 0xa5, file.n = 1001);
	some_calls(&file, 5);
	calls_of("getpid()=100 <1000000>", 5, "a trace behind other bytes");
	cmp_int(losses.torn_bytes, 1001, "which are counted");
	cmp_int(losses.first_bad, 0, "with their place");
	begin("NetBSD v2 amd64");
	add_bytes(&file, "netbsd", 6);
	end(&file, 7);
	some_calls(&file, 2);
	calls_of("100 getpid()=100 <1000000>", 1, "time begins with the first record but this");
	begin("NetBSD v2 i386");
	some_calls(&file, 5);
	file.data[file.n / 2 / 48 * 48 + 12 + 1] ^= 0xff;
	some_calls(&file, 5);
	char *got = read_all(file.data, file.n);
	ok(lines_with(got, "getpid()") >= 9 && losses.torn_bytes < 200,
	   "a damaged record is skipped");
	free(got);
	for (int i = 0; i < FILE_SIZE; i++)
		file.data[i] = (unsigned char)((i * 2654435761u) >> 13);
	file.n = FILE_SIZE;
	calls_of("is no trace", 1, "noise is no trace");
	memset(file.data, 0, file.n);
	calls_of("is no trace", 1, "zeros are none");
}

/* Files of real systems, which are not ours to pass on. */
static void test_samples(void)
{
	static const struct {
		const char *name, *os;
		int calls, failed;
	} samples[] = {
		{ "freebsd-v0-i386-ls", "FreeBSD", 108, 3 },
		{ "freebsd-v1-amd64", "FreeBSD", 303, 12 },
		{ "netbsd-v2-amd64", "NetBSD", 112, 5 },
		{ "openbsd-amd64", "OpenBSD", 84, 0 },
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		char path_of[256];
		int calls = 0, failed = 0;
		struct event e;

		snprintf(path_of, sizeof(path_of), "../shared/samples/ktrace/%s.ktrace",
			 samples[i].name);
		struct source *s = source_open(path_of, NULL);
		if (!s) {
			skip("no samples of real systems here", 4);
			continue;
		}
		while (source_next(s, &e, NULL) == 1)
			if (e.type == EVENT_SYSCALL) {
				calls++;
				failed += event_failed(&e);
			}
		is_string(source_info(s)->os->name, samples[i].os, "%s", samples[i].name);
		cmp_int(calls, samples[i].calls, "all calls");
		cmp_int(failed, samples[i].failed, "those that failed");
		cmp_int(source_losses(s)->torn_bytes + source_losses(s)->orphans +
			    source_losses(s)->unfinished,
			0, "nothing is left over");
		source_close(s);
	}
}

int main(void)
{
	test_layouts();
	test_sysctl();
	test_threads();
	test_arguments();
	test_records();
	test_births();
	test_clock_set_back();
	test_damage();
	test_files();
	test_samples();
	return done_testing();
}
