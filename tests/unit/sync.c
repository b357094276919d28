/* SPDX-License-Identifier: MIT */
/*
 * Tests of clocks aligned by messages.  With arguments, for tests/cli/sync.t:
 *	sync IN OUT AHEAD DRIFT
 *		a copy of a .ktr as written by a host whose clock was AHEAD ns ahead at the
 *		beginning and runs faster by DRIFT
 */
#include "view/alignment.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "stats/random.h"
#include "trace/format/ktr/ktr.h"
#include "trace/source.h"
#include "trace/syscalls.h"

#include "../tap.h"

/* ---- the helper ---- */

static int64_t changed(int64_t time, double ahead, double drift)
{
	return time + (int64_t)llround(ahead + drift * (double)time);
}

static int rewrite(const char *in, const char *to, double ahead, double drift)
{
	struct error e;
	struct source *s = source_open(in, &e);
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	struct event event;

	if (!s || fd < 0)
		return 1;
	struct ktr_writer *w = ktr_writer_new(fd, source_info(s), NULL);
	while (source_next(s, &event, &e) == 1) {
		int64_t end = event_end(&event);

		event.time = changed(event.time, ahead, drift);
		if (event.type == EVENT_SYSCALL && event.call.duration >= 0)
			event.call.duration = changed(end, ahead, drift) - event.time;
		if (ktr_write(w, &event, &e))
			return 1;
	}
	source_close(s);
	return ktr_writer_free(w, &e) || close(fd);
}

/* ---- fits ---- */

enum { EACH = 400 };

/* Messages both ways for ten seconds, with delays of at least `least` ns; bends: the other clock's
 * drift changes by that much after half of the time. */
static double true_ahead(int64_t time, double bend)
{
	double half = 5e9, t = (double)time;

	return 123456789 + 40e-6 * t + (t > half ? bend * (t - half) : 0);
}

static size_t make_points(struct clock_point *v, double least, double bend)
{
	struct random r = { 0 };

	random_seed(&r, 7);
	for (size_t i = 0; i < (size_t)2 * EACH; i++) {
		double delay = least - 30e3 * log(1 - 0.999 * random_uniform(&r));
		int64_t time = (int64_t)(1e10 * random_uniform(&r));
		bool most = i % 2;

		v[i] = (struct clock_point){
			time, (int64_t)(true_ahead(time, bend) + (most ? delay : -delay)), most
		};
	}
	return (size_t)2 * EACH;
}

static size_t violated(const struct clock_fit *fit, const struct clock_point *v, size_t n)
{
	size_t wrong = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t ahead = clock_map(fit, v[i].time) - v[i].time;

		wrong += v[i].most ? ahead > v[i].ahead : ahead < v[i].ahead;
	}
	return wrong;
}

/* The largest error of the fit, in ns. */
static double error_of(const struct clock_fit *fit, double bend)
{
	double error = 0;

	for (int64_t t = 100000000; t < 9900000000; t += 10000000)
		error = fmax(error, fabs((double)(clock_map(fit, t) - t) - true_ahead(t, bend)));
	return error;
}

static void test_line(void)
{
	static struct clock_point v[2 * EACH];
	size_t n = make_points(v, 20e3, 0);
	struct clock_fit fit = clock_fit(v, n);

	cmp_int(fit.n, 1, "an even clock is one piece");
	cmp_int(violated(&fit, v, n), 0, "no message arrives too early");
	ok(fit.v[0].bound > 10e3 && fit.v[0].bound < 40e3, "the bound is near the least delay: %g",
	   fit.v[0].bound);
	ok(error_of(&fit, 0) < fit.v[0].bound, "it holds: error %g", error_of(&fit, 0));
	ok(fabs(fit.v[0].drift - 40e-6) < 2e-6, "drift %g", fit.v[0].drift);
	ok(!fit.one_way, "messages go both ways");
	free(fit.v);
}

static void test_bend(void)
{
	static struct clock_point v[2 * EACH];
	size_t n = make_points(v, 20e3, 100e-6);
	struct clock_fit fit = clock_fit(v, n);

	cmp_int(fit.n, 2, "a clock that changes its rate is two pieces");
	cmp_int(violated(&fit, v, n), 0, "no message arrives too early");
	ok(fabs(fit.v[0].drift - 40e-6) < 10e-6 && fabs(fit.v[1].drift - 140e-6) < 10e-6,
	   "drifts %g, %g", fit.v[0].drift, fit.v[1].drift);
	ok(error_of(&fit, 100e-6) < 100e3, "error %g", error_of(&fit, 100e-6));
	int64_t jump = 0;
	for (int64_t t = 0; t < 10000000000; t += 10000) {
		int64_t step = clock_map(&fit, t + 10000) - clock_map(&fit, t) - 10000;

		jump = llabs(step) > jump ? llabs(step) : jump;
	}
	ok(jump < 20, "one piece goes over into the next, in 10 us by less than 20 ns: %" PRId64,
	   jump);
	free(fit.v);
	/* Set back by a second, within a millisecond. */
	for (size_t i = 0; i < n; i++)
		v[i].ahead -= v[i].time > 5000000000 ? 1000000000 : 0;
	fit = clock_fit(v, n);
	ok(fit.n > 1 && fit.n < 5, "a clock that was set: %zu pieces", fit.n);
	cmp_int(violated(&fit, v, n), 0, "no message arrives too early");
	free(fit.v);
}

/* By hand: lines below (0,10) and (10,10), above (5,0): at 0 from -10 to 10. */
static void test_bound(void)
{
	struct clock_point v[] = {
		{ 1000, 10, true }, { 1010, 10, true }, { 1005, 0, false }, { 1005, -7, false }
	};
	struct clock_point wide[] = { { 0, 2000, true },
				      { 100000, 2000, true },
				      { 50000, 0, false } };
	struct clock_point above[] = { { 0, 2000, true }, { 100000, 2001, true } };
	struct clock_fit fit = clock_fit(v, 4);

	cmp_int(fit.n, 1, "a piece");
	cmp_near(fit.v[0].ahead, 5, 1e-9, "in the middle");
	cmp_near(fit.v[0].bound, 5.0025, 1e-9, "a drift of 500 us/s at most: 0.0025 below");
	free(fit.v);
	fit = clock_fit(wide, 3);
	cmp_near(fit.v[0].bound, 1025, 1e-6, "-25 ... 2000 at both ends, 1000 in the middle");
	cmp_near(fit.v[0].drift, 0, 1e-12, "no drift");
	free(fit.v);
	struct clock_point far[] = { { 0, 1000, true }, { 100000, 0, false } };
	fit = clock_fit(far, 2);
	cmp_near(fit.v[0].bound, 550, 1e-6, "-50 ... 1000 at one end, 0 ... 1050 at the other");
	free(fit.v);
	fit = clock_fit(above, 2);
	ok(fit.one_way && isinf(fit.v[0].bound), "one way: no bound");
	cmp_near(fit.v[0].drift, 0, 1e-12, "and no drift unless there must be one");
	cmp_int(clock_map(&fit, 500), 2500, "the fastest needs no time");
	free(fit.v);
	/* What no usual drift fits is believed: 2 % to 6 %, but for the most there is. */
	struct clock_point fast[] = { { 0, 1000, true },
				      { 100000, 5000, true },
				      { 0, -1000, false },
				      { 100000, 3000, false } };
	fit = clock_fit(fast, 4);
	cmp_near(fit.v[0].drift, 0.035, 1e-9, "an unusual drift");
	free(fit.v);
	fit = clock_fit(NULL, 0);
	cmp_int(fit.n, 0, "nothing from nothing");
	cmp_int(clock_map(&fit, 500), 500, "and no change");
}

/* ---- messages ---- */

static struct messages m;

static void add(struct event e)
{
	messages_event(&m, &e);
}

static void call(uint32_t object, const char *name, int64_t time, int64_t duration, int64_t result)
{
	add((struct event){ .type = EVENT_SYSCALL,
			    .pid = 5,
			    .tid = 5,
			    .time = time,
			    .call = { .id = syscall_by_name(name),
				      .duration = duration,
				      .result = result,
				      .kind = FD_TCP,
				      .object = object } });
}

static void datagram(uint32_t object, const char *name, int64_t time, int64_t result)
{
	add((struct event){ .type = EVENT_SYSCALL,
			    .pid = 5,
			    .tid = 5,
			    .time = time,
			    .call = { .id = syscall_by_name(name),
				      .duration = 10,
				      .result = result,
				      .kind = FD_UDP,
				      .object = object } });
}

/* Of the client (192.0.2.1) or the server (192.0.2.2, also as it says it in IPv6). */
static void connected(uint32_t object, bool server)
{
	const struct address client = { 4, { 192, 0, 2, 1 }, 5000 };
	const struct address of6 = { 16, { [10] = 0xff, 0xff, 192, 0, 2, 2 }, 80 };
	const struct address of4 = { 4, { 192, 0, 2, 2 }, 80 };
	struct event e = { .type = EVENT_ADDRESS, .pid = 5, .tid = 5 };

	e.address.object = object;
	e.address.local = server ? of6 : client;
	e.address.remote = server ? client : of4;
	add(e);
}

static void begin_client(uint32_t trace)
{
	messages_begin(&m, trace);
	add((struct event){ .type = EVENT_FD, .fd = { 3, FD_TCP, "" } });
	call(3, "socket", 0, 10, 3);
	connected(3, false);
	call(3, "connect", 20, 10, -EINPROGRESS);
}

static void begin_server(uint32_t trace)
{
	messages_begin(&m, trace);
	connected(7, true);
	call(1, "accept4", 100, 10, 7);
}

static void is_message(size_t i, uint32_t from, int64_t sent, int64_t received)
{
	const struct message *x = i < m.list.n ? &m.list.v[i] : &(struct message){ 9, 9, -1, -1 };

	ok(x->from == from && x->to == !from && x->sent == sent && x->received == received,
	   "message %zu: %u, %" PRId64 " -> %" PRId64 ", want %u, %" PRId64 " -> %" PRId64, i,
	   x->from, x->sent, x->received, from, sent, received);
}

static void test_positions(void)
{
	begin_client(0);
	call(3, "write", 100, 10, 50);
	call(3, "sendto", 200, 10, 50);
	call(3, "sendto", 250, 10, -EAGAIN);
	call(3, "write", 300, 10, 100);
	call(3, "read", 1000, 500, 7);
	begin_server(1);
	call(7, "read", 5000, 100, 50);
	call(7, "recvfrom", 5200, 100, 60); /* 50 ... 110: the third write's */
	call(7, "read", 5400, 100, 90);
	call(7, "write", 6000, 10, 7);
	messages_match(&m);
	cmp_int(m.list.n, 4, "messages");
	is_message(0, 0, 100, 5100);
	is_message(1, 0, 300, 5300);
	is_message(2, 0, 300, 5500);
	is_message(3, 1, 6000, 1500);
	cmp_int(m.unusable, 0, "all of it could be used");
	messages_free(&m);
	m = (struct messages){ 0 };
}

/* Two threads at once: nobody knows whose bytes come first. */
static void test_overlap(void)
{
	begin_client(0);
	call(3, "write", 150, 100, 50);
	call(3, "write", 100, 200, 50);
	call(3, "write", 400, 1, 50);
	begin_server(1);
	call(7, "read", 4900, 200, 60);
	call(7, "read", 5000, 50, 40);
	call(7, "read", 5200, 100, 50);
	messages_match(&m);
	cmp_int(m.list.n, 2, "messages");
	is_message(0, 0, 100, 5100);
	is_message(1, 0, 400, 5300);
	messages_free(&m);
	m = (struct messages){ 0 };
}

static size_t messages_of(void)
{
	messages_match(&m);
	size_t n = m.list.n;
	messages_free(&m);
	return n;
}

/* A client and a server of datagrams; early: the server has sent one before it is connected. */
static void begin_datagrams(bool server, bool early)
{
	const uint32_t object = server ? 7 : 3;

	messages_begin(&m, server);
	add((struct event){ .type = EVENT_FD, .fd = { object, FD_UDP, "" } });
	datagram(object, "socket", 0, (int)object);
	if (early)
		datagram(object, "sendto", 10, 5);
	connected(object, server);
	datagram(object, "connect", 20, 0);
}

/* Numbers of datagrams count, not bytes: the second of three is lost. */
static void test_datagrams(void)
{
	begin_datagrams(false, false);
	datagram(3, "sendto", 100, 50);
	datagram(3, "sendto", 200, 10);
	datagram(3, "sendto", 300, 0);
	datagram(3, "recvmmsg", 1000, 2);
	begin_datagrams(true, false);
	datagram(7, "recvfrom", 5000, 50);
	datagram(7, "recvfrom", 5200, 0);
	datagram(7, "sendmmsg", 6000, 2);
	messages_match(&m);
	cmp_int(m.list.n, 3, "messages");
	is_message(0, 0, 100, 5010);
	is_message(1, 0, 200, 5210);
	is_message(2, 1, 6000, 1010);
	messages_free(&m);
	m = (struct messages){ 0 };

	begin_datagrams(false, false);
	datagram(3, "recvfrom", 1000, 5);
	begin_datagrams(true, true);
	datagram(7, "sendto", 6000, 5);
	cmp_int(messages_of(), 0, "what the server sent before it was connected may have come");
	m = (struct messages){ 0 };

	begin_datagrams(false, false);
	datagram(3, "sendto", 100, 50);
	begin_server(1);
	call(7, "read", 5000, 100, 1); /* as many bytes as datagrams */
	cmp_int(messages_of(), 0, "a port of TCP is none of UDP");
	m = (struct messages){ 0 };
}

static void test_gaps(void)
{
	/* A peek moves nothing; behind a loss nothing is known. */
	begin_client(0);
	call(3, "write", 100, 10, 50);
	call(3, "write", 200, 10, 50);
	begin_server(1);
	struct event peek = { .type = EVENT_SYSCALL, .pid = 5, .tid = 5, .time = 4000 };
	peek.call.id = syscall_by_name("recvfrom");
	peek.call.args[3] = 2;
	peek.call.result = 50;
	peek.call.object = 7;
	add(peek);
	call(7, "read", 5000, 100, 50);
	add((struct event){ .type = EVENT_LOST, .lost = { .count = 1, .class = LOST_RING_FULL } });
	call(7, "read", 5200, 100, 50);
	cmp_int(messages_of(), 1, "up to the loss");
	m = (struct messages){ 0 };

	/* More is read than was seen written: an operation of io_uring, perhaps the first. */
	begin_client(0);
	call(3, "write", 100, 10, 50);
	begin_server(1);
	call(7, "read", 5000, 100, 50);
	call(7, "read", 5200, 100, 1);
	messages_match(&m);
	ok(!m.list.n && m.unusable == 1, "not all writes were seen");
	messages_free(&m);
	m = (struct messages){ 0 };

	/* What is older than the recording may have moved bytes before. */
	begin_client(0);
	call(3, "write", 100, 10, 50);
	messages_begin(&m, 1);
	connected(7, true);
	call(7, "read", 5000, 100, 50);
	messages_match(&m);
	ok(!m.list.n && m.unusable == 1, "an older connection");
	messages_free(&m);
	m = (struct messages){ 0 };

	/* The same trace twice: who is the server? */
	begin_client(0);
	call(3, "write", 100, 10, 50);
	begin_server(1);
	call(7, "read", 5000, 100, 50);
	begin_server(2);
	call(7, "read", 5000, 100, 50);
	cmp_int(messages_of(), 0, "an address in two traces");
	m = (struct messages){ 0 };
	/* ... which a second connection of the client does not change. */
	begin_client(0);
	call(3, "write", 100, 10, 50);
	connected(3, false);
	call(3, "connect", 600, 10, 0);
	call(3, "write", 700, 10, 50);
	begin_server(1);
	call(7, "read", 5000, 100, 50);
	begin_server(2);
	call(7, "read", 5000, 100, 50);
	cmp_int(messages_of(), 0, "an address in two traces, later");
	m = (struct messages){ 0 };
}

/* What tools call a connection, and its two ends. */
static void test_names(void)
{
	static const char *const names[][3] = {
		{ "TCP:[192.0.2.1:5000->192.0.2.2:80]", "192.0.2.1:5000", "192.0.2.2:80" },
		{ "TCPv6:[[::1]:5000->[2001:db8:0::2]:80]", "[::1]:5000", "[2001:db8::2]:80" },
		{ "TCP:192.0.2.1:5000->192.0.2.2:80,more", "192.0.2.1:5000", "192.0.2.2:80" },
		{ "UNIX-STREAM:[12->13,\"/run/x\"]", "12", "13" },
	};
	struct event self = { .type = EVENT_ADDRESS, .address = { .object = 3 } };
	struct connections c = { 0 };
	char *here, *there;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		ok(connection_ends(names[i][0], &here, &there), "%s has two ends", names[i][0]);
		is_string(here, names[i][1], "here");
		is_string(there, names[i][2], "there");
		free(here);
		free(there);
	}
	self.address.local = self.address.remote = (struct address){ 4, { 127, 0, 0, 1 }, 80 };
	connections_event(&c, &self);
	ok(connections_from(&c, 3) == SIZE_MAX, "what is connected to itself has no other end");
	connections_free(&c);
}

/* The same ports again: positions begin anew; a connection that failed was none. */
static void test_again(void)
{
	begin_client(0);
	call(3, "write", 100, 10, 50);
	connected(4, false);
	call(4, "connect", 500, 10, -EINPROGRESS);
	connected(3, false);
	call(3, "connect", 600, 10, 0);
	call(3, "write", 700, 10, 20);
	begin_server(1);
	call(7, "read", 5000, 100, 50);
	connected(7, true);
	call(1, "accept", 5500, 10, 8);
	call(7, "read", 6000, 100, 20);
	messages_match(&m);
	cmp_int(m.list.n, 2, "messages");
	is_message(1 - (m.list.n && m.list.v[0].sent != 100), 0, 700, 6100);
	messages_free(&m);
	m = (struct messages){ 0 };
}

/* ---- hosts ---- */

static void says(uint32_t from, uint32_t to, int64_t sent, int64_t received)
{
	vec_push(&m.list, (struct message){ from, to, sent, received });
}

/* Three in a row, each clock a second ahead of the one before, and one that is alone. */
static void test_hosts(void)
{
	struct aligned_host hosts[4] = { { .has_wall = true, .wall = 100 },
					 { .has_wall = true, .wall = 2000 },
					 { 0 },
					 { .has_wall = true, .wall = 1100 } };
	struct alignment a = { .v = hosts, .n = 4 };
	const int64_t second = 1000000000;

	for (int i = 0; i < 20; i++) {
		int64_t t = i * 100000;

		says(0, 1, t, t + second + 1000);
		says(1, 0, t + second + 40000, t + 41000);
		says(1, 2, t + second, t + 2 * second + 1500);
		says(2, 1, t + 2 * second + 60000, t + second + 61500);
	}
	alignment_make(&a, &m);
	ok(hosts[1].beside == 0 && hosts[2].beside == 1 && hosts[3].beside == SIZE_MAX,
	   "who is aligned with whom");
	int64_t third = alignment_time(&a, 2, 2 * second + 500);
	ok(llabs(third - 500) < 200, "through another: %" PRId64, third);
	cmp_int(alignment_time(&a, 3, 7), 1007, "alone: by the wall clocks");
	cmp_int(a.pairs.n, 2, "pairs");
	ok(a.pairs.v[0].before == 20 && !a.pairs.v[0].after, "violations before and after");
	struct event e = { .type = EVENT_SYSCALL, .pid = 9, .tid = 10, .time = second };
	e.call.duration = 1000;
	e.call.object = 4;
	alignment_event(&a, 1, &e);
	ok(e.pid == (1 << HOST_SHIFT) + 9 && e.tid == (1 << HOST_SHIFT) + 10 &&
	       e.call.object == (1 << HOST_SHIFT) + 4 && !e.call.cpu,
	   "an event gets numbers of its host");
	ok(llabs(e.time) < 1100 && llabs(e.call.duration - 1000) < 50, "and times of the first");
	alignment_free(&a);
	messages_free(&m);
}

int main(int argc, char **argv)
{
	if (argc == 5)
		return rewrite(argv[1], argv[2], strtod(argv[3], NULL), strtod(argv[4], NULL));
	test_line();
	test_bend();
	test_bound();
	test_names();
	test_positions();
	test_overlap();
	test_datagrams();
	test_gaps();
	test_again();
	test_hosts();
	return done_testing();
}
