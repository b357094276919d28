/* SPDX-License-Identifier: MIT */
/* Tests of sums and differences of what processes used. */
#include "record/usage.h"

#include "../tap.h"

int main(void)
{
	const struct usage then = { 1, 0.5, 0.25, 7, 5, 3, 2, 1 };
	const struct usage now = { 3, 2.5, 0.75, 10, 9, 13, 6, 12 };
	struct usage u = usage_since(&now, &then);

	ok(u.cpu == 2 && u.ticks == 2 && u.user_ticks == 0.5, "seconds used between two readings");
	ok(u.voluntary == 3 && u.involuntary == 4 && u.minor_faults == 10 && u.major_faults == 4,
	   "switches and faults between two readings");
	ok(u.wakeups == 11, "and wake-ups");
	ok(usage_user_share(&u, 1) == 0.25, "the share of user time is that of the ticks");
	u = usage_since(&then, &now);
	ok(u.cpu == 0 && u.ticks == 0 && u.user_ticks == 0 && u.voluntary == 0 &&
	       u.involuntary == 0 && u.minor_faults == 0 && u.major_faults == 0 && u.wakeups == 0,
	   "nothing used is below 0");
	ok(usage_user_share(&u, 0.625) == 0.625, "without ticks the share is the one given");

	/* As binary fractions, 0.1 + 0.2 is above 0.3. */
	u = (struct usage){ .cpu = 1, .ticks = 0.3, .user_ticks = 0.1 };
	usage_add(&u, &(struct usage){ .user_ticks = 0.2 }, 1);
	ok(u.user_ticks > u.ticks && usage_user_share(&u, 0) == 1,
	   "rounding makes no share above 1");
	return done_testing();
}
