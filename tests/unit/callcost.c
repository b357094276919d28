/* SPDX-License-Identifier: MIT */
/* What a backend adds to a call, as a backend says that recorded calls last: seconds, beside which
 * what the calls of this machine take is nothing. */
#include "record/callcost.h"

#include <errno.h>

#include "../tap.h"
#include "record/record.h"
#include "trace/syscalls.h"

static const int64_t second = 1000000000;

static const struct machine {
	const char *what;
	int rounds, calls; /* that are recorded */
	int disturbed;	   /* rounds, in which all calls take 9 s */
	int slow;	   /* calls of each other round that take 9 s; the rest take 5 */
	double seconds;	   /* the cost */
} machines[] = {
	{ "a calm machine", CALLCOST_ROUNDS, CALLCOST_CALLS, 0, 0, 5 },
	{ "all rounds but one are disturbed", CALLCOST_ROUNDS, CALLCOST_CALLS, CALLCOST_ROUNDS - 1,
	  0, 5 },
	{ "nearly half of the calls of each round are", CALLCOST_ROUNDS, CALLCOST_CALLS, 0,
	  CALLCOST_CALLS / 2, 5 },
	{ "most calls are slow: the recorder is", CALLCOST_ROUNDS, CALLCOST_CALLS, 0,
	  CALLCOST_CALLS / 2 + 1, 9 },
	{ "a round is missing", CALLCOST_ROUNDS - 1, CALLCOST_CALLS, 0, 0, 0 },
	{ "nothing is recorded", 0, 0, 0, 0, 0 },
};
static const struct machine *machine; /* NULL: nothing can be recorded */

static int start(struct recording *r, const struct record_target *t, struct error *e)
{
	(void)r, (void)t, (void)e;
	errno = EPERM;
	return machine ? 0 : -1;
}

static void store(struct recording *r, const char *call, int64_t duration)
{
	struct event e = { .type = EVENT_SYSCALL, .pid = 1, .tid = 1 };

	e.call.id = syscall_by_name(call);
	e.call.duration = duration;
	sink_store(&r->sink, &e);
}

static int poll(struct recording *r, struct error *e)
{
	(void)e;
	for (int i = 0; i < machine->rounds; i++) {
		bool calm = i >= machine->disturbed;

		for (int k = 0; k < machine->calls; k++)
			store(r, "getppid", (calm && k >= machine->slow ? 5 : 9) * second);
		for (int k = 0; k < machine->calls; k++)
			store(r, "clock_nanosleep", 1);
	}
	return 0;
}

static void end(struct recording *r)
{
	(void)r;
}

int main(void)
{
	static const struct backend fake = {
		.start = start, .poll = poll, .stop = end, .release = end
	};

	cmp_int(callcost_measure(&fake, NULL), 0, "nothing can be recorded: unknown");
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		machine = &machines[i];
		double cost = (double)callcost_measure(&fake, NULL) / (double)second;
		ok(cost <= machine->seconds && (cost > machine->seconds - 1 || !machine->seconds),
		   "%s: %.9f s", machine->what, cost);
	}
	return done_testing();
}
