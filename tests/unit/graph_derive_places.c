/* SPDX-License-Identifier: MIT */
/* Tests of the places of calls and waits in a graph: the stacks in the trace. */
#include "../tap.h"
#include "graph_derived.h"

static void stack(uint32_t tid, int64_t time, const char *frames)
{
	take((struct event){
	    .type = EVENT_STACK, .pid = tid, .tid = tid, .time = time, .stack = { frames } });
}

/* A stack is the place of the next call of its thread, with the wait in it, and of no other. */
static void test_places(bool wanted)
{
	start();
	derive.at_places = wanted;
	come(10, 0);
	come(11, 0);
	leave(10, 200, STATE_SLEEPING, 0);
	wake(0, 400, WAKE_INTERRUPT, 10);
	come(10, 400);
	stack(10, 450, "/b");
	call(11, "getpid", 440, 460, FD_UNKNOWN, 0, 0);
	call(10, "nanosleep", 100, 450, FD_UNKNOWN, 0, 0);
	call(10, "getpid", 500, 600, FD_UNKNOWN, 0, 0);
	stack(10, 700, "/c");
	call(10, "getpid", 650, 700, FD_UNKNOWN, 0, 0);
	derive_end(&derive);
	is_string(state_at(0, 450), wanted ? "nanosleep at /b" : "nanosleep", "a call");
	is_string(state_at(0, 300), wanted ? "timer at /b" : "timer", "which waits");
	is_string(state_at(1, 460), "getpid", "of another thread");
	is_string(state_at(0, 600), "getpid", "the next one");
	is_string(state_at(0, 700), wanted ? "getpid at /c" : "getpid", "one elsewhere");
}

/* The handler of a signal makes a call before the one that it interrupted is known, which goes on
 * behind it, or does not. */
static void test_signal(bool again)
{
	start();
	derive.at_places = true;
	come(10, 0);
	come(11, 0);
	take((struct event){ .type = EVENT_FAULT, .pid = 10, .tid = 10, .time = 10 });
	leave(10, 20, STATE_UNINTERRUPTIBLE, 0);
	wake(0, 60, WAKE_INTERRUPT, 10);
	come(10, 60);
	leave(10, 200, STATE_SLEEPING, 0);
	wake(11, 400, WAKE_THREAD, 10);
	come(10, 410);
	stack(10, 450, "/b");
	take((struct event){ .type = EVENT_SIGNAL, .pid = 10, .tid = 10, .time = 460 });
	call(10, "getpid", 500, 550, FD_UNKNOWN, 0, 10);
	if (again) {
		leave(10, 600, STATE_SLEEPING, 0);
		wake(11, 700, WAKE_THREAD, 10);
		come(10, 710);
	}
	call(10, again ? "read" : "pause", 100, again ? 650 : 450, again ? FD_PIPE : FD_UNKNOWN, 0,
	     again ? 1 : -4);
	call(10, "getppid", 800, 900, FD_UNKNOWN, 0, 10);
	derive_end(&derive);
	is_string(state_at(0, 60), "fault", "a page comes before it");
	is_string(state_at(0, 200), again ? "read pipe at /b" : "pause at /b",
		  "a call that a signal interrupts");
	is_string(state_at(0, 400), again ? "pipe" : "signal", "waits for what it says");
	is_string(state_at(0, 550), "getpid", "the handler is not at its place");
	is_string(state_at(0, 700), again ? "pipe" : "getppid", "what follows");
	is_string(state_at(0, 900), "getppid", "is no part of it");
}

int main(void)
{
	test_places(true);
	test_places(false);
	test_signal(true);
	test_signal(false);
	return done_testing();
}
