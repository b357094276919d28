/* SPDX-License-Identifier: MIT */
/* Tests of the reader of CTF: what LTTng's events mean, and damaged traces. */
#include "trace/source.h"

#include "../ctf_folder.h"
#include "../tap.h"
#include "event_text.h"

static struct source_losses losses;
static struct source_info info;
static struct ctf_file cpu0, cpu1;
static char *folder;
static int64_t realtime;

/* The events as text, without those about descriptors. */
static char *read_all(void)
{
	static struct source *last; /* info points into it */

	source_close(last);
	struct error error = { "" };
	struct source *s = source_open(folder, &error);
	struct event e;
	char *out;
	size_t size;
	FILE *t = open_memstream(&out, &size);

	while (s && source_next(s, &e, &error) == 1) {
		if (e.type == EVENT_CLOCK)
			realtime = e.clock.realtime;
		else if (e.type != EVENT_FD)
			add_event(t, &e);
	}
	fprintf(t, "%s", error.text);
	if (s) {
		info = *source_info(s);
		losses = *source_losses(s);
	}
	fclose(t);
	last = s;
	return out;
}

static void write_cpus(void)
{
	ctf_write_file(folder, "cpu0", cpu0.data, cpu0.n);
	ctf_write_file(folder, "cpu1", cpu1.data, cpu1.n);
}

static void gives(const char *want, const char *test)
{
	char *got = read_all();

	is_string(got, want, "%s", test);
	free(got);
}

static const char story[] = "10 comm sh\n"
			    "10 in cpu 0 state 0 next 0\n"
			    "10 @100 openat(-100,1)=3 <100> '/etc/x'\n"
			    "10 @310 fork 10/11\n"
			    "10/11 @330 comm sh\n"
			    "10/11 @330 in cpu 1 state 0 next 0\n"
			    "10/11 @360 wakes 10 cpu 1 from 2\n"
			    "10/11 @350 interrupt 3 soft 1 cpu 1 <20>\n"
			    "10/11 @380 getpid()=10 <10>\n"
			    "10/11 @395 exit -1\n"
			    "10 @300 clone(66560)=11 <100>\n"
			    "0 @1000 lost 5 class 1\n"
			    "10/11 @400 out cpu 1 state 5 next 0\n"
			    "10 @1500 read(3,0,100)=-11 <100>\n"
			    "10 @100000000 read(3,0,100)=8 <50000000>\n";

static void test_story(void)
{
	for (int big = 0; big <= 1; big++) {
		ctf_story(&cpu0, &cpu1, big);
		ctf_write_metadata(folder, big, "");
		write_cpus();
		gives(story, big ? "a big-endian trace" : "a little-endian trace");
		cmp_int(losses.lost, 5, "events that the tracer discarded");
		cmp_int(losses.torn_bytes + losses.orphans + losses.unfinished, 0, "nothing else");
		is_string(info.kernel, "4.4.3", "the kernel");
		is_string(info.host, "host", "the host");
		is_string(info.boot, "e0ff1bac-aa1d-451d-a8c1-10cb8d315d45", "the boot");
		cmp_int(realtime, 1700000001000000000, "wall-clock time");
		for (int sizes = 1; sizes <= 2; sizes++) {
			memset(cpu1.data + 40, 0, 8 * (size_t)sizes);
			write_cpus();
			gives(story, sizes == 1
					 ? "a packet is full that does not say how far"
					 : "the only packet of a file need not say its size");
		}
	}
}

/* A thread of process 20, in a number that is as wide as a label says; nine numbers of five bits.
 */
static void put_context(struct ctf_file *f, unsigned tid)
{
	enum { WIDE = 2, NUMBERS = 9 };

	ctf_put(f, WIDE, 1);
	ctf_put(f, tid, 8);
	ctf_put(f, NUMBERS, 1);
	for (int i = 0; i < NUMBERS; i++)
		ctf_put(f, 0x1f, 1);
	ctf_put(f, 20, 4);
}

static void test_context(void)
{
	ctf_write_metadata(folder, false,
			   "event.context := struct { enum : uint8_t { narrow = 1, wide } _size; "
			   "variant <_size> { " INT("32", "1") "narrow; " INT(
			       "64", "1") "wide; } _tid; " U8
					  "_n; integer { size = 5; align = 8; } _bits[_n]; " INT(
					      "32", "1") "_pid; };");
	memset(&cpu0, 0, sizeof(cpu0));
	memset(&cpu1, 0, sizeof(cpu1));
	ctf_begin_packet(&cpu0, 1000, 2000, 0, 0, 0);
	for (int i = 0; i < 2; i++) {
		ctf_event(&cpu0, 1, 1000 + 10 * i);
		put_context(&cpu0, 21 + i);
		ctf_put(&cpu0, 3, 4);
		ctf_put(&cpu0, 100, 8);
	}
	for (int i = 0; i < 2; i++) {
		ctf_event(&cpu0, 2, 1100 + 10 * i);
		put_context(&cpu0, 21 + i);
		ctf_put(&cpu0, 5, 8);
		ctf_put(&cpu0, 0, 8);
	}
	ctf_end_packet(&cpu0, 0);
	write_cpus();
	gives("20/21 read(3,0,100)=5 <100>\n20/22 @10 read(3,0,100)=5 <100>\n",
	      "thread and process are in each event");
}

/* A number of 64 bits in nine bytes. */
static void test_bits(void)
{
	ctf_write_metadata(
	    folder, true,
	    "event.context := struct { integer { size = 2; } _x; integer { size = 1; } _y; "
	    "integer { size = 64; align = 1; } _tid; };");
	memset(&cpu0, 0, sizeof(cpu0));
	memset(&cpu1, 0, sizeof(cpu1));
	cpu0.big = true;
	ctf_begin_packet(&cpu0, 1000, 2000, 0, 0, 0);
	ctf_event(&cpu0, 7, 1000);
	ctf_put(&cpu0, 21 >> 3, 8);
	ctf_put(&cpu0, (21 & 7) << 5, 1);
	ctf_event(&cpu0, 8, 1010);
	ctf_put(&cpu0, 21 >> 3, 8);
	ctf_put(&cpu0, (21 & 7) << 5, 1);
	ctf_put(&cpu0, 5, 8);
	ctf_end_packet(&cpu0, 0);
	write_cpus();
	gives("21 getpid()=5 <10>\n", "fields that begin within a byte");
}

/* Three ticks are ten nanoseconds. */
static void test_clock(void)
{
	char *text = xasprintf(ctf_metadata, "le", "");

	memcpy(strstr(text, "freq = 1000000000") + 7, " 300000000", 10);
	ctf_write_file(folder, "metadata", text, strlen(text));
	free(text);
	memset(&cpu0, 0, sizeof(cpu0));
	memset(&cpu1, 0, sizeof(cpu1));
	ctf_begin_packet(&cpu0, 599999700, 600001000, 0, 0, 0);
	ctf_switch(&cpu0, 599999700, 0, 0, 10);
	ctf_read_call(&cpu0, 600000300, 600000600, 5);
	ctf_end_packet(&cpu0, 0);
	write_cpus();
	gives("10 comm sh\n10 in cpu 0 state 0 next 0\n10 @2000 read(3,0,100)=5 <1000>\n",
	      "a clock of 300 MHz");
}

/* The exit of clone tells of a child if no other event does. */
static void test_clone(void)
{
	ctf_write_metadata(folder, false, "");
	memset(&cpu0, 0, sizeof(cpu0));
	memset(&cpu1, 0, sizeof(cpu1));
	ctf_begin_packet(&cpu0, 1000, 2000, 0, 0, 0);
	ctf_switch(&cpu0, 1000, 0, 0, 10);
	for (int thread = 0; thread <= 1; thread++) {
		ctf_event(&cpu0, 40, 1100 + 20 * thread);
		ctf_put(&cpu0, thread ? 0x10400 : 0x411, 8);
		for (int i = 0; i < 3; i++)
			ctf_put(&cpu0, 0, 8);
		ctf_event(&cpu0, 41, 1110 + 20 * thread);
		ctf_put(&cpu0, 12 + thread, 8);
	}
	ctf_end_packet(&cpu0, 0);
	write_cpus();
	gives("10 comm sh\n"
	      "10 in cpu 0 state 0 next 0\n"
	      "10 @100 clone(1041)=12 <10>\n"
	      "10 @110 fork 12/12 shares files\n"
	      "10 @120 clone(66560)=13 <10>\n"
	      "10 @130 fork 10/13\n",
	      "a process and a thread");
}

/* How a thread leaves its CPU, in the numbers of Linux. */
static void test_states(void)
{
	static const struct {
		uint64_t number;
		enum thread_state state;
	} cases[] = {
		{ 0, STATE_RUNNABLE },	      { 1, STATE_SLEEPING },
		{ 2, STATE_UNINTERRUPTIBLE }, { 0x80, STATE_UNINTERRUPTIBLE },
		{ 4, STATE_STOPPED },	      { 8, STATE_STOPPED },
		{ 0x10, STATE_DEAD },	      { 0x100, STATE_RUNNABLE },
	};
	enum { N = sizeof(cases) / sizeof(*cases) };
	struct source *s;
	struct event e;
	size_t n = 0;

	ctf_write_metadata(folder, false, "");
	memset(&cpu0, 0, sizeof(cpu0));
	memset(&cpu1, 0, sizeof(cpu1));
	ctf_begin_packet(&cpu0, 1000, 2000, 0, 0, 0);
	for (size_t i = 0; i < N; i++)
		ctf_switch(&cpu0, 1000 + 10 * i, 10, cases[i].number, 0);
	ctf_end_packet(&cpu0, 0);
	write_cpus();
	s = source_open(folder, NULL);
	while (s && source_next(s, &e, NULL) == 1)
		if (e.type == EVENT_SWITCH && n < N) {
			cmp_int(e.change.state, cases[n].state, "state %#x",
				(unsigned)cases[n].number);
			n++;
		}
	cmp_int(n, N, "all of them");
	source_close(s);
}

/* Ends of handlers that were lost leave others open, of which four are known at most. */
static void test_handlers(void)
{
	ctf_write_metadata(folder, false, "");
	memset(&cpu0, 0, sizeof(cpu0));
	memset(&cpu1, 0, sizeof(cpu1));
	ctf_begin_packet(&cpu0, 1000, 2000, 0, 0, 0);
	ctf_switch(&cpu0, 1000, 0, 0, 10);
	for (int i = 1; i <= 5; i++) {
		ctf_event(&cpu0, 10, 1000 + 100 * i);
		ctf_put(&cpu0, 3, 4);
	}
	for (int i = 0; i < 2; i++) {
		ctf_event(&cpu0, 11, 1510);
		ctf_put(&cpu0, 3, 4);
	}
	ctf_end_packet(&cpu0, 0);
	write_cpus();
	gives("10 comm sh\n10 in cpu 0 state 0 next 0\n10 @500 interrupt 3 soft 1 cpu 0 <10>\n",
	      "the last handler is seen, and those before are given up");
}

/* Calls on a CPU of which no switch was seen belong to nobody. */
static void test_unattributed(void)
{
	ctf_write_metadata(folder, false, "");
	memset(&cpu0, 0, sizeof(cpu0));
	memset(&cpu1, 0, sizeof(cpu1));
	ctf_begin_packet(&cpu0, 1000, 2000, 7, 30, 0);
	ctf_read_call(&cpu0, 1000, 1010, 5);
	ctf_switch(&cpu0, 1100, 0, 0, 10);
	ctf_read_call(&cpu0, 1200, 1210, 5);
	ctf_end_packet(&cpu0, 0);
	ctf_begin_packet(&cpu0, 2000, 3000, 9, 34, 0);
	ctf_read_call(&cpu0, 2200, 2210, 5);
	ctf_end_packet(&cpu0, 0);
	write_cpus();
	gives("10 @100 comm sh\n"
	      "10 @100 in cpu 0 state 0 next 0\n"
	      "10 @200 read(3,0,100)=5 <10>\n"
	      "0 @1000 lost 0 class 7\n"
	      "0 @1000 lost 4 class 1\n"
	      "10 @1200 read(3,0,100)=5 <10>\n"
	      "0 lost 2 class 4\n",
	      "calls of nobody, and a packet that is missing");
}

static void test_discarded(void)
{
	ctf_write_metadata(folder, false, "");
	memset(&cpu0, 0, sizeof(cpu0));
	memset(&cpu1, 0, sizeof(cpu1));
	ctf_begin_packet(&cpu0, 1000, 2000, 0, 3, 0);
	ctf_switch(&cpu0, 1100, 0, 0, 10);
	ctf_end_packet(&cpu0, 0);
	write_cpus();
	gives("0 lost 3 class 1\n10 comm sh\n10 in cpu 0 state 0 next 0\n",
	      "what the tracer discarded before the end of its first packet");
}

static int count(const char *text, const char *word)
{
	int n = 0;

	for (const char *p = text; (p = strstr(p, word)); p++)
		n++;
	return n;
}

static void test_damage(void)
{
	ctf_story(&cpu0, &cpu1, false);
	ctf_write_metadata(folder, false, "");
	size_t whole = cpu0.n;
	cpu0.n -= 64 + 30;
	write_cpus();
	char *got = read_all();
	ok(count(got, "read(3,0,100)=-11") == 1 && count(got, "openat") == 1 &&
	       count(got, "getpid()=10") == 1,
	   "what precedes a torn end is read");
	ok(losses.torn_bytes > 0 && losses.torn_bytes <= 100 && !losses.lost_unknown,
	   "and only the torn event is skipped");
	is_string(losses.first_bad_reason, "cpu0: the file ends within a packet", "which is said");
	free(got);
	cpu0.n = whole;
	memset(cpu0.data + CTF_HEADERS + 28, 0xff, 5); /* in place of the second event */
	write_cpus();
	got = read_all();
	ok(count(got, "read(3,0,100)") == 2 && losses.torn_bytes > 0,
	   "a packet with an unknown event is skipped to the next");
	ok(strstr(losses.first_bad_reason, "cpu0: an event"), "of a file that has a name");
	free(got);
	for (size_t n = 4; n < CTF_HEADERS; n += 40) {
		ctf_write_file(folder, "cpu1", cpu1.data, n);
		free(read_all());
		ok(strstr(losses.first_bad_reason, "the file ends within the head of a packet"),
		   "a head of %zu bytes is cut", n);
	}
	cpu1.data[0] = 0;
	ctf_write_file(folder, "cpu1", cpu1.data, cpu1.n);
	got = read_all();
	ok(strstr(losses.first_bad_reason, "no packet begins here") && !count(got, "getpid") &&
	       losses.torn_bytes >= cpu1.n,
	   "a file that is none is left out");
	free(got);
}

static void test_metadata(void)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "/* CTF 1.8 */ trace { major = 1; };", "describes no stream" },
		{ "/* CTF 1.8 */\n\nstream { packet.context := struct { nonsense x; }; };",
		  "line 3: a type has no meaning" },
		{ "/* CTF 1.8 */ typealias integer { size = 65; } := x;", "size from 1 to 64" },
		{ "/* CTF 1.8 */ typealias integer { size = 8; align = 3; } := x", "is missing" },
		{ "/* CTF 1.8 */ struct a { string s[2; };", "']' is missing" },
	};
	char path[300], deep[1000] = "/* CTF 1.8 */ ";

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ctf_write_file(folder, "metadata", bad[i].text, strlen(bad[i].text));
		char *got = read_all();
		ok(strstr(got, bad[i].message), "refused: %s", got);
		free(got);
	}
	for (int i = 0; i < 60; i++)
		strcat(deep, "struct { ");
	ctf_write_file(folder, "metadata", deep, strlen(deep));
	char *got = read_all();
	ok(strstr(got, "too deep"), "refused: %s", got);
	free(got);
	ctf_write_metadata(folder, false, "");
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/cpu%d", folder, i);
		unlink(path);
	}
	got = read_all();
	ok(strstr(got, "no file with events"), "a folder without streams");
	free(got);
	snprintf(path, sizeof(path), "%s/metadata", folder);
	unlink(path);
	got = read_all();
	ok(strstr(got, "without CTF metadata"), "a folder without metadata");
	free(got);
}

/* The trace of a real kernel, which is not ours to pass on. */
static void test_sample(void)
{
	struct source *s = source_open("../shared/samples/ctf/lttng-many-threads", NULL);
	int clones = 0, births = 0, switches = 0;
	struct event e;

	if (!s) {
		skip("no samples of real systems here", 4);
		return;
	}
	while (source_next(s, &e, NULL) == 1) {
		births += e.type == EVENT_FORK;
		switches += e.type == EVENT_SWITCH;
		if (e.type == EVENT_SYSCALL)
			clones += !strcmp(syscall_get(e.call.id)->name, "clone");
	}
	cmp_int(clones, 8003, "clones, each of which returned twice");
	cmp_int(births, 8003, "births");
	ok(switches > 10000, "switches");
	cmp_int(source_losses(s)->torn_bytes + source_losses(s)->lost, 0, "nothing is lost");
	source_close(s);
}

int main(void)
{
	folder = ctf_new_folder();
	test_story();
	test_context();
	test_bits();
	test_clock();
	test_clone();
	test_states();
	test_handlers();
	test_unattributed();
	test_discarded();
	test_damage();
	test_metadata();
	ctf_remove_folder(folder);
	test_sample();
	return done_testing();
}
