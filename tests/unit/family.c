/* SPDX-License-Identifier: MIT */
/* Tests of how processes belong together: channels, and after what a process was created. */
#include "view/family.h"

#include <stdlib.h>

#include "../tap.h"
#include "calls.h"

static void happens(struct family *f, struct processes *p, struct event e)
{
	family_event(f, p, processes_event(p, &e), &e);
}

/* The two ends of a connection are one channel, whatever names a source gives them. */
static void test_channels(void)
{
	static const struct {
		const char *name;
		enum fd_kind kind;
	} ends[] = {
		{ "pipe:#1", FD_PIPE },
		{ "unix:#1->#2", FD_UNIX },
		{ "unix:#2->#1", FD_UNIX },
		{ "UNIX:[7->8]", FD_UNIX },
		{ "UNIX:[8->7,\"/x\"]", FD_UNIX },
		{ "TCPv6:[[::1]:80->[::1]:5000]", FD_TCP },
		{ "TCPv6:[[::1]:5000->[::1]:80]", FD_TCP },
		{ "socket:[9]", FD_SOCKET },
		{ "", FD_PIPE },
		{ "/etc/passwd", FD_FILE },
	};
	struct family f = { 0 };
	struct processes p = { 0 };

	for (uint32_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct event e = { .type = EVENT_FD,
				   .pid = 10,
				   .tid = 10,
				   .fd = { i + 1, ends[i].kind, ends[i].name } };

		family_event(&f, &p, processes_event(&p, &e), &e);
	}
	char *all = names_join(&f.channels, " ");
	is_string(all, "pipe:#1 unix:#1-#2 unix:7-8 tcp:[::1]:5000-[::1]:80 socket:[9] pipe:@9",
		  "names of channels");
	free(all);
	/* The two ends of a connection of which the recorder tells addresses. */
	for (uint16_t i = 0; i < 4; i++) {
		struct address http = { 4, { 192, 0, 2, 1 }, 80 },
			       other = { 4, { 192, 0, 2, 7 }, 5000 };
		const bool udp = i >= 2, back = i & 1;

		happens(&f, &p,
			(struct event){ .type = EVENT_FD,
					.pid = 10,
					.tid = 10,
					.fd = { 20 + i, udp ? FD_UDP : FD_TCP, "socket:[7]" } });
		happens(&f, &p,
			(struct event){
			    .type = EVENT_ADDRESS,
			    .pid = 10,
			    .tid = 10,
			    .address = { 20 + i, back ? http : other, back ? other : http } });
		is_string(f.channels.v[f.channels.n - 1],
			  udp ? "udp:192.0.2.1:80-192.0.2.7:5000"
			      : "tcp:192.0.2.1:80-192.0.2.7:5000",
			  "both ends are one channel");
	}
	family_free(&f);
	processes_free(&p);
}

static void test_ends(void)
{
	struct family f = { 0 };
	struct processes p = { 0 };

	for (int last = 0; last <= 1; last++) {
		happens(&f, &p,
			(struct event){
			    .type = EVENT_EXIT, .pid = 10, .tid = 10, .exit = { 256, last } });
		cmp_int(f.lives.v[0].ended, last, "a process ends with its last thread");
	}
	family_free(&f);
	processes_free(&p);
}

enum { SERVER = 10, THREAD = 19, CHILD = 20, SOCKET = 5, OTHER_SOCKET = 6 };

static struct event transfer(uint32_t pid, const char *name, uint32_t object, int64_t result)
{
	struct event e = call(name, 0, 0, result);

	e.pid = e.tid = pid;
	e.call.object = object;
	e.call.kind = FD_UNIX;
	return e;
}

static struct event birth(uint32_t tid, uint32_t child_pid, uint32_t child_tid)
{
	return (struct event){ .type = EVENT_FORK,
			       .pid = SERVER,
			       .tid = tid,
			       .fork = { child_pid, child_tid, false } };
}

/* A server reads a request and answers; then a thread of it creates a process.  The cause is who
 * wrote the request, if there is but one who may have. */
static void test_causes(void)
{
	for (uint32_t clients = 1; clients <= 2; clients++) {
		struct family f = { 0 };
		struct processes p = { 0 };
		struct event e = { .type = EVENT_FD, .pid = SERVER, .tid = SERVER };

		e.fd.kind = FD_UNIX;
		e.fd.object = SOCKET;
		e.fd.name = "unix:#1->#2";
		happens(&f, &p, e);
		e.fd.object = OTHER_SOCKET;
		e.fd.name = "unix:#3->#4";
		happens(&f, &p, e);
		for (uint32_t i = 1; i <= clients; i++) {
			happens(&f, &p, birth(SERVER, SERVER + i, SERVER + i));
			happens(&f, &p, transfer(SERVER + i, "write", SOCKET, 7));
		}
		happens(&f, &p, transfer(SERVER, "read", SOCKET, 7));
		happens(&f, &p, transfer(SERVER, "write", SOCKET, 7));
		happens(&f, &p, transfer(SERVER, "read", OTHER_SOCKET, 0)); /* its end */
		happens(&f, &p, birth(SERVER, SERVER, THREAD));
		happens(&f, &p, birth(THREAD, CHILD, CHILD));
		family_sum(&f, &p);
		size_t child = processes_find(&p, CHILD);
		is_string(f.lives.v[child].after ? f.channels.v[f.lives.v[child].after - 1] : "",
			  "unix:#1-#2", "a process is created after what was read last");
		ok(family_cause(&f, &p, child) == (clients == 1 ? 1 : SIZE_MAX),
		   "its cause, if %u wrote that besides the server", clients);
		family_free(&f);
		processes_free(&p);
	}
}

int main(void)
{
	test_channels();
	test_ends();
	test_causes();
	return done_testing();
}
