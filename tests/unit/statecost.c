/* SPDX-License-Identifier: MIT */
/* Tests of lib/model/statecost: sums done by hand. */
#include "model/statecost.h"

#include <math.h>

#include "../tap.h"
#include "kept.h"
#include "trace/syscalls.h"
#include "util/xalloc.h"

static const char basis_text[] = "@null lat_null\n@user cpu_a cpu_b\n@switch lat_ctx\n@fault "
				 "lat_fault\n"
				 "read - size=ret -> lat_read_*\n"
				 "fsync - if=appends -> lat_grow - lat_null + wait lat_disk\n"
				 "fsync - -> lat_sync\n"
				 "write - -> lat_write\nexit_group - -> counted lat_read_1\n";

static const char *const names[] = { "cpu_a",	   "cpu_b",    "lat_ctx",  "lat_disk",
				     "lat_fault",  "lat_grow", "lat_null", "lat_read_1",
				     "lat_read_4", "lat_sync", "lat_write" };
enum { ENTRIES = sizeof(names) / sizeof(*names) };

static struct osvec *machine(const char *name, const double *us)
{
	struct osvec *v = keep(osvec_new(name));

	for (int i = 0; i < ENTRIES; i++) {
		bool curve = strstr(names[i], "read") != NULL;

		osvec_add(v, (struct osvec_entry){ .name = xstrdup(names[i]),
						   .curve = curve ? xstrdup("lat_read_*") : NULL,
						   .size = curve ? names[i][9] - '0' : 0,
						   .seconds = us[i] * 1e-6,
						   .low = us[i] * 1e-6,
						   .high = us[i] * 1e-6,
						   .error = 0.1 });
	}
	v->correlation = 0;
	osvec_finish(v, NULL);
	return v;
}

enum { READ = 3, WRITE, SYNC, STRANGE, EXIT, USER };

static void call(struct statecosts *s, const char *name, uint16_t state, int64_t result)
{
	struct event e = { .type = EVENT_SYSCALL, .pid = 1, .tid = 1 };

	e.call.id = syscall_by_name(name);
	e.call.result = result;
	e.call.kind = FD_FILE;
	e.call.object = 7;
	e.call.duration = 1000;
	statecosts_event(s, &e, state, USER);
}

#define near(got, want, what) ok(fabs((got) - (want)) < 1e-7 * fabs(want), "%s: %.10g", what, got)

int main(void)
{
	/* a b ctx disk fault grow null read_1 read_4 sync write */
	const double slow[] = { 3, 5, 8, 500, 7, 11, 6, 2, 32, 9, 4 };
	const double fast[] = { 1, 1, 2, 100, 1, 3, 1, 1, 4, 1, 1 };
	struct osvec *from = machine("fast", fast), *to = machine("slow", slow);
	struct error e;
	struct statecosts s = { .basis =
				    basis_parse(basis_text, sizeof(basis_text) - 1, "basis", &e) };
	double wait[2], on[2];

	ok(s.basis != NULL, "rules");
	call(&s, "read", READ, 1);
	call(&s, "read", READ, 4);
	call(&s, "write", WRITE, 100);
	call(&s, "fsync", SYNC, 0);
	call(&s, "chroot", STRANGE, 0);
	call(&s, "exit_group", EXIT, 0);
	statecosts_event(&s, &(struct event){ .type = EVENT_FAULT, .pid = 1, .tid = 1 }, USER,
			 USER);
	ok(!statecosts_price(&s, from, to, &e), "priced");

	near(statecosts_switch(&s), 4.0, "a switch");
	near(statecosts_call(&s, READ, wait), 34.0 / 5, "two reads of their sizes");
	ok(!wait[0], "wait for no device");
	near(statecosts_call(&s, WRITE, wait), 4.0, "a write");
	near(statecosts_call(&s, SYNC, wait), 2.5,
	     "the sync of what was appended in another state");
	near(wait[1] / wait[0], 5.0, "and its device");
	near(statecosts_call(&s, STRANGE, wait), 6.0, "a call without a rule is a null call");
	near(statecosts_call(&s, EXIT, wait), 2.0, "what another entry contains has its ratio");
	ok(isnan(statecosts_call(&s, USER, wait)) && isnan(statecosts_call(&s, 99, wait)),
	   "what is no call");

	/* 6 calls, which the recorder made 2 us longer each, and a fault of 1 us in 113 us. */
	statecosts_user(&s, USER, 113e-6, 2e-6, &on[0], &on[1]);
	near(on[0], 101e-6, "work without the recorder");
	near(on[1], 100e-6 * 4 + 7e-6, "and there, its fault apart");
	statecosts_user(&s, USER, 10e-6, 2e-6, &on[0], &on[1]);
	ok(on[0] > 0 && on[0] < 1e-6 && on[1] > on[0], "some work is always left");
	statecosts_user(&s, 77, 10e-6, 2e-6, &on[0], &on[1]);
	near(on[0], 10e-6, "a state without calls");

	/* Errors of a tenth each: of a write on both machines, of a switch on both. */
	double v[100] = { [WRITE] = 1 };
	bool is_switch[100] = { [WRITE] = true, [80] = true };
	near(statecosts_variance(&s, v, is_switch, 100), 0.02, "the variance of one call");
	v[80] = 2;
	near(statecosts_variance(&s, v, is_switch, 100), 0.02 + 4 * 0.02, "and of switches");
	v[WRITE] = 0;
	is_switch[80] = false;
	near(statecosts_variance(&s, v, is_switch, 100), 2 * 4 * (9 + 25) / 64.0 * 0.01,
	     "of user work, which has two entries");

	struct osvec_entry *write = &to->entries[to->n - 1];
	write->waiting = 0.5;
	ok(!statecosts_price(&s, from, to, &e), "priced where a write waits on one of them");
	near(statecosts_call(&s, WRITE, wait), 4.0, "all of its time counts");
	ok(!wait[0], "as the other knows no wait");
	write->waiting = 0;
	ok(!statecosts_price(&s, to, from, &e), "priced the other way");
	near(statecosts_call(&s, WRITE, wait), 0.25, "and so cheaper");
	struct osvec *empty = keep(osvec_new("empty"));
	osvec_finish(empty, NULL);
	ok(statecosts_price(&s, from, empty, &e) < 0, "a machine of which nothing is known");
	basis_free(s.basis);
	statecosts_free(&s);
	return done_testing();
}
