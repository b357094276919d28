/* SPDX-License-Identifier: MIT */
/* Tests of the processes of a trace: names, descent, hosts. */
#include "view/processes.h"

#include "view/selection.h"

#include "../tap.h"

static void test_processes(void)
{
	struct processes p = { 0 };
	struct event e = { .type = EVENT_SYSCALL, .pid = 10 };

	processes_begin(&p, "'/opt/my server/bin/my server' -f x");
	cmp_int(processes_event(&p, &e), 0, "the first process");
	is_string(processes_name(&p, 0), "my server", "takes the name of the command");
	e = (struct event){ .type = EVENT_FORK, .pid = 10, .fork = { 11, 11, false } };
	processes_event(&p, &e);
	e = (struct event){ .type = EVENT_SYSCALL, .pid = 11 };
	is_string(processes_name(&p, processes_event(&p, &e)), "my server", "a child inherits it");
	e = (struct event){ .type = EVENT_EXEC, .pid = 11, .exec.command = "/bin/ls -l" };
	cmp_int(processes_event(&p, &e), 1, "exec keeps the process");
	is_string(processes_name(&p, 1), "ls", "and changes the name");
	e = (struct event){ .type = EVENT_FORK, .pid = 10, .fork = { 10, 12, false } };
	processes_event(&p, &e);
	cmp_int(p.n, 2, "a thread is no process");
	e = (struct event){ .type = EVENT_FORK, .pid = 10, .fork = { 11, 11, false } };
	processes_event(&p, &e);
	e = (struct event){ .type = EVENT_SYSCALL, .pid = 11 };
	cmp_int(processes_event(&p, &e), 2, "a pid that is used again is another process");
	is_string(processes_name(&p, 1), "ls", "the earlier one keeps its name");
	processes_begin(&p, "");
	cmp_int(processes_event(&p, &e), 3, "another trace, other processes");
	is_string(processes_name(&p, 3), "", "of unknown name");
	e = (struct event){ .type = EVENT_COMM, .pid = 11, .tid = 12, .comm = { "worker" } };
	processes_event(&p, &e);
	is_string(processes_name(&p, 3), "", "which is not that of a thread");
	e.tid = 11;
	processes_event(&p, &e);
	is_string(processes_name(&p, 3), "worker", "but of the first thread");
	processes_free(&p);
}

static void test_descent(void)
{
	const char *roots[] = { "worker", "12" };
	struct processes p = { .roots = { roots, 2, 0 } };
	static const struct event events[] = {
		{ .type = EVENT_EXEC, .pid = 10, .tid = 10, .exec.command = "/bin/main" },
		{ .type = EVENT_FORK, .pid = 10, .tid = 10, .fork = { 11, 11, false } },
		{ .type = EVENT_FORK, .pid = 10, .tid = 10, .fork = { 12, 12, false } },
		{ .type = EVENT_EXEC, .pid = 11, .tid = 11, .exec.command = "/bin/worker -x" },
		{ .type = EVENT_FORK, .pid = 11, .tid = 11, .fork = { 13, 13, false } },
		{ .type = EVENT_EXEC, .pid = 13, .tid = 13, .exec.command = "/bin/other" },
		{ .type = EVENT_ATTACH, .pid = 20, .tid = 20, .attach = { 12 } },
		{ .type = EVENT_ATTACH, .pid = 12, .tid = 12, .attach = { 20 } },
		{ .type = EVENT_ATTACH, .pid = 21, .tid = 21, .attach = { 20 } },
		{ .type = EVENT_ATTACH, .pid = 30, .tid = 30, .attach = { 31 } },
		{ .type = EVENT_ATTACH, .pid = 31, .tid = 31, .attach = { 30 } },
		{ .type = EVENT_ATTACH, .pid = 30, .tid = 30, .attach = { 31 } },
		{ .type = EVENT_COMM, .pid = 20, .tid = 20, .comm = { "named" } },
		{ .type = EVENT_COMM, .pid = 20, .tid = 21, .comm = { "thread" } },
	};
	static const struct {
		size_t parent;
		bool within;
	} want[] = { { 0, false }, { 1, true }, { 1, true },  { 2, true },
		     { 3, true },  { 5, true }, { 0, false }, { 7, false } };

	processes_begin(&p, "");
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		processes_event(&p, &events[i]);
	cmp_int(p.n, 8, "processes");
	for (size_t i = 0; i < p.n; i++)
		ok(p.v[i].parent == want[i].parent && p.v[i].within == want[i].within,
		   "parent and subtree of %u", p.v[i].pid);
	is_string(processes_name(&p, 4), "named", "the name of the first thread is the process's");
	struct event wake = { .type = EVENT_WAKE, .pid = 99, .tid = 99 };
	ok(!processes_own(&wake) && processes_own(&events[0]), "a waker may be any process");
	processes_free(&p);
}

/* The same numbers on two hosts are two processes, which -p and --subtree tell apart. */
static void test_hosts(void)
{
	enum { OTHER = 1 << HOST_SHIFT };
	const char *roots[] = { "web:10" }, *both[] = { "11" };
	struct processes p = { .roots = { roots, 1, 0 } };
	const struct selection pids = { .processes = { both, 1, 0 } };
	static const struct event events[] = {
		{ .type = EVENT_HOST, .host = { 0, "client" } },
		{ .type = EVENT_HOST, .host = { 1, "web" } },
		{ .type = EVENT_EXEC, .pid = 10, .tid = 10, .exec.command = "/bin/curl" },
		{ .type = EVENT_EXEC,
		  .pid = OTHER + 10,
		  .tid = OTHER + 10,
		  .exec.command = "nginx" },
		{ .type = EVENT_FORK, .pid = 10, .tid = 10, .fork = { 11, 11, false } },
		{ .type = EVENT_FORK,
		  .pid = OTHER + 10,
		  .fork = { OTHER + 11, OTHER + 11, false } },
		{ .type = EVENT_SWITCH, .pid = OTHER, .tid = OTHER },
		{ .type = EVENT_CLOCK },
	};
	static const size_t want[] = { SIZE_MAX, SIZE_MAX, 0, 1, 0, 1, SIZE_MAX, SIZE_MAX };
	char id[PROCESSES_ID];

	processes_begin(&p, "");
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		ok(processes_event(&p, &events[i]) == want[i], "the process of event %zu", i);
	cmp_int(p.n, 4, "processes: none of CPUs that idle or of clocks");
	is_string(processes_id(&p, 0, 10, id), "client:10", "with its host");
	is_string(processes_id(&p, 3, OTHER + 11, id), "web:11", "and the other");
	ok(!p.v[0].within && p.v[1].within && !p.v[2].within && p.v[3].within, "web:10's subtree");
	ok(!selection_has_process(&pids, &p, 1) && selection_has_process(&pids, &p, 2) &&
	       selection_has_process(&pids, &p, 3),
	   "a number alone means those of all hosts");
	processes_begin(&p, "");
	processes_event(&p, &events[2]);
	is_string(processes_id(&p, 4, 10, id), "10", "a trace of one host does not name it");
	processes_free(&p);
}

int main(void)
{
	test_processes();
	test_descent();
	test_hosts();
	return done_testing();
}
