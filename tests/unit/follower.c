/* SPDX-License-Identifier: MIT */
/* Records of threads that are followed become events, and what is missing between them is counted.
 */
#include "record/stream/follower.h"

#include "record/stream/records.h"

#include "../tap.h"

static struct event wake;
static int wakes;

static void take(void *arg, const struct event *e)
{
	(void)arg;
	if (e->type == EVENT_WAKE) {
		wake = *e;
		wakes++;
	}
}

static struct follower v;
static uint64_t now;

static void change(uint32_t tid, bool out, unsigned char state)
{
	const struct record_switch r = {
		.head = { .time = ++now, .pid = 7, .tid = tid, .type = RECORD_SWITCH },
		.out = out,
		.state = state,
	};

	follower_handle(&v, &r.head);
}

static void is_missing(const char *switches, uint64_t want)
{
	uint64_t before = v.sink->losses[LOST_SWITCHES];

	for (const char *c = switches; *c; c++)
		change(8, *c != 'i', *c == 'd' ? STATE_DEAD : STATE_SLEEPING);
	cmp_int((int64_t)(v.sink->losses[LOST_SWITCHES] - before), (int64_t)want,
		"of '%s' %" PRIu64 " missing", switches, want);
}

/* i: comes to a CPU; o: leaves it; d: and is dead. */
static void test_switches(void)
{
	is_missing("oioio", 0);
	is_missing("ioo", 1);
	is_missing("iioi", 1);
	is_missing("d", 0);
	is_missing("ioid", 0);
	is_missing("od", 1);
	v.sink->losses[LOST_RING_FULL] = 1;
	is_missing("ioo", 0);
}

/* What happens on top of the idle thread, which is no process, counts. */
static void test_idle(void)
{
	const struct record_wake r = {
		.head = { .time = ++now, .type = RECORD_WAKE, .cpu = 3 },
		.target = 8,
		.context = WAKE_IS_INTERRUPT,
	};

	follower_handle(&v, &r.head);
	ok(wakes == 1 && wake.wake.target == 8 && wake.wake.context == WAKE_INTERRUPT,
	   "a timer wakes a thread while no other runs");
	cmp_int(wake.wake.from, 4, "on the CPU that ran the interrupt");
	follower_launch(&v, 7);
	follower_handle(&v, &r.head);
	cmp_int(wakes, 2, "also when the command has not begun");
}

int main(void)
{
	struct sink sink;

	sink_begin(&sink, NULL, take, NULL);
	now = (uint64_t)sink.start;
	follower_begin(&v, &sink, NULL, 0, 1);
	test_idle();
	v.launching = 0;
	test_switches();
	follower_end(&v);
	sink_end(&sink);
	return done_testing();
}
