/* SPDX-License-Identifier: MIT */
/* Tests of lib/model/host: which vectors are of one host, and in which state it was. */
#include "model/host.h"

#include <math.h>

#include "../tap.h"
#include "kept.h"
#include "util/xalloc.h"

static char one_name[] = "cpu_int", other_name[] = "cpu_code", *user[] = { one_name, other_name };

/* A vector whose user entries cost that. */
static struct osvec *machine(const char *name, double one, double code)
{
	const double seconds[] = { one, code };
	struct osvec *v = keep(osvec_new(name));
	json_t *facts = json_pack("{s:s, s:s, s:s}", "host.name", "vm", "kernel.release", "6.1",
				  "cpu.model", "Xeon");

	json_object_set_new(v->meta, "environment", facts);
	free(v->path);
	v->path = xstrdup(name);
	for (int i = 0; i < 2; i++)
		osvec_add(v, (struct osvec_entry){ .name = xstrdup(user[i]),
						   .seconds = seconds[i],
						   .low = seconds[i],
						   .high = seconds[i],
						   .error = NAN });
	osvec_finish(v, NULL);
	return v;
}

static void set_fact(struct osvec *v, const char *name, const char *value)
{
	json_object_set_new(json_object_get(v->meta, "environment"), name, json_string(value));
}

static void set_canaries(struct osvec *v, double high)
{
	json_object_set_new(
	    v->meta, "canaries",
	    json_pack("{s:[f,f,f], s:[f,f,f]}", "code", 1.0, 1.0, high, "call", 1.0, 1.0, high));
}

/* How much faster one that takes a and b is than one that takes 1 and 1, each given first. */
static double faster(double a, double b, bool first)
{
	struct osvec *one = machine("one", 1, 1), *other = machine("other", a, b);
	const struct osvec *both[] = { first ? other : one, first ? one : other };
	struct host h[2];

	hosts_find(both, 2, user, 2, h);
	return h[!first].factor / h[first].factor;
}

/* Whether v is of the host of one that took 1 and 1. */
static bool is_one_host(struct osvec *v)
{
	const struct osvec *both[] = { machine("first", 1, 1), v };
	struct host h[2];

	hosts_find(both, 2, user, 2, h);
	return h[1].first == both[0] && h[1].vectors == 2;
}

static bool with_fact(const char *name, const char *value)
{
	struct osvec *v = machine("x", 1.2, 1.2);

	set_fact(v, name, value);
	return is_one_host(v);
}

static void test_one_host(void)
{
	ok(is_one_host(machine("x", 1.9, 1.9)), "twice as slow at most");
	ok(!is_one_host(machine("x", 2.1, 2.1)), "more is another processor");
	ok(!is_one_host(machine("x", 0.49, 0.49)), "or less");
	ok(is_one_host(machine("x", 1.2, 1.4)), "all user code, within a quarter");
	ok(!is_one_host(machine("x", 1.1, 1.4)), "code that differs more is another processor");
	ok(!with_fact("host.name", "wm"), "another name");
	ok(!with_fact("kernel.release", "6.2"), "another kernel");
	ok(!with_fact("cpu.model", "EPYC"), "another processor");
	ok(!with_fact("cpu.model", ""), "one that is not known");
	ok(with_fact("cpu.model_number", "17"), "what one does not say is no difference");
	struct osvec *v = machine("x", 1, 1), *w = machine("y", 1, 1);
	set_fact(v, "cpu.model_number", "17");
	set_fact(w, "cpu.model_number", "18");
	struct host h[2];
	hosts_find((const struct osvec *[]){ v, w }, 2, user, 2, h);
	ok(h[1].first == w && h[1].vectors == 1, "but another model number is");
	set_fact(w, "cpu.model_number", "17");
	hosts_find((const struct osvec *[]){ v, w }, 2, user, 2, h);
	ok(h[1].first == v && h[1].vectors == 2, "the same model number is not");
	set_fact(v, "cpu.family", "25");
	set_fact(w, "cpu.family", "26");
	hosts_find((const struct osvec *[]){ v, w }, 2, user, 2, h);
	ok(h[1].first == w && h[1].vectors == 1, "but the same number in another family is");
	set_fact(v, "cpu.family", "26");
	set_fact(v, "cpu.model", "");
	set_fact(w, "cpu.model", "");
	hosts_find((const struct osvec *[]){ v, w }, 2, user, 2, h);
	ok(h[1].first == w && h[1].vectors == 1, "two that are not known are not the same");
}

/* States 1, 2 and 1 and, by itself, 5: the mean of the first is cbrt(2). */
static void test_states(void)
{
	struct osvec *alone = machine("alone", 5, 5), *twice = machine("slow", 2, 2);
	const struct osvec *v[] = { machine("fast", 1, 1), alone, machine("slow", 2, 2),
				    machine("again", 1, 1), twice };
	struct host h[5];

	/* Limits count relative to the first: 1.99. */
	((struct osvec *)v[2])->entries[0].seconds = ((struct osvec *)v[2])->entries[1].seconds =
	    1.99;
	twice->entries[0].seconds = twice->entries[1].seconds = 1.99;
	hosts_find(v, 5, user, 2, h);
	cmp_near(h[0].factor, cbrt(1.99), 1e-12, "the fast one is slower in the mean state");
	cmp_near(h[2].factor, cbrt(1.99) / 1.99, 1e-12, "the slow one faster");
	cmp_near(h[4].factor, h[2].factor, 0, "twice given, it is the same");
	cmp_int((long)h[4].vectors, 3, "and counts once");
	cmp_near(h[1].factor, 1, 0, "another host stays");
	cmp_near(faster(1.2, 1.1, true), faster(1.2, 1.1, false), 1e-12, "in any order");
	cmp_int((long)h[1].vectors, 1, "with its one vector");
	hosts_find(v, 4, user, 0, h);
	cmp_near(h[2].factor, 1, 0, "without user entries nothing is known");
	struct osvec *stopped = machine("stopped", 1.6, 1.6);
	stopped->entries[0].waiting = stopped->entries[1].waiting = 0.375;
	v[1] = stopped;
	hosts_find(v, 2, user, 2, h);
	cmp_near(h[1].factor, 1, 1e-12, "a quota that stops loops makes no host slower");
}

/* States 1, 1.6, 2.5 and 1.05, of which the outer ones are of one host because of the middle one.
 */
static void test_between(void)
{
	static const size_t orders[][4] = {
		{ 0, 1, 2, 3 }, { 1, 0, 2, 3 }, { 2, 0, 3, 1 }, { 0, 2, 3, 1 }, { 3, 2, 0, 1 }
	};
	const double states[] = { 1, 1.6, 2.5, 1.05 }, mean = pow(1 * 1.6 * 2.5 * 1.05, 0.25);

	for (size_t o = 0; o < sizeof(orders) / sizeof(*orders); o++) {
		const struct osvec *v[4];
		struct host h[4];
		double off = 0;

		for (size_t i = 0; i < 4; i++) {
			double state = states[orders[o][i]];

			v[i] = machine((const char *[]){ "a", "b", "c", "d" }[i], state, state);
		}
		hosts_find(v, 4, user, 2, h);
		for (size_t i = 0; i < 4; i++)
			off = fmax(off, fabs(h[i].factor - mean / states[orders[o][i]]) +
					    (h[i].vectors != 4) + (h[i].first != h[0].first));
		cmp_near(off, 0, 1e-12, "a state in between makes all of one host: order %zu", o);
	}
}

static void test_spread(void)
{
	struct osvec *v = machine("x", 1, 1);
	const double tenths = 2 * 1.2815515655446004;

	ok(isinf(host_of(v).spread), "a host without canaries may move");
	set_canaries(v, exp(0.08 * tenths));
	cmp_near(host_of(v).spread, 0.08, 1e-6, "and one whose canaries varied");
	v->entries[0].error = v->entries[1].error = 1e-6;
	v->entries[0].n = v->entries[1].n = 20;
	cmp_near(host_of(v).spread, 0, 0, "in virtual time none does");
}

/* A vector of n slices of 20 s, of which the first begins after so many seconds, and each other
 * 60 s after the one before. */
static struct osvec *sliced(const char *name, double cost, unsigned after, unsigned n)
{
	struct osvec *v = machine(name, cost, cost);
	json_t *slices = json_array();

	for (unsigned i = 0; i < n; i++, after += 60) {
		char *from = xasprintf("2026-01-02T03:%02u:%02uZ", after / 60, after % 60);
		char *to =
		    xasprintf("2026-01-02T03:%02u:%02uZ", (after + 20) / 60, (after + 20) % 60);

		json_array_append_new(slices, json_pack("[ss]", from, to));
		free(from);
		free(to);
	}
	json_object_set_new(v->meta, "slices", slices);
	return v;
}

/* Whether two vectors were measured in turns, in either order. */
static bool in_turns(struct osvec *a, struct osvec *b)
{
	struct host h[2], back[2];

	hosts_find((const struct osvec *[]){ a, b }, 2, user, 2, h);
	hosts_find((const struct osvec *[]){ b, a }, 2, user, 2, back);
	ok(h[0].turns == (h[1].turns ? a : NULL) && h[1].turns == h[0].turns &&
	       back[0].turns == (h[0].turns ? b : NULL) && back[1].turns == back[0].turns,
	   "both say it, of the first");
	return h[0].turns;
}

static struct osvec *with_slice(struct osvec *v, size_t i, const char *from, const char *to)
{
	json_array_set_new(json_object_get(v->meta, "slices"), i, json_pack("[ss?]", from, to));
	return v;
}

static void test_recognized(void)
{
	ok(in_turns(sliced("a", 1, 0, 5), sliced("b", 1, 21, 5)), "a slice of each, and so on");
	ok(in_turns(sliced("a", 1, 0, 5), sliced("b", 1, 19, 5)), "clocks show whole seconds");
	ok(!in_turns(sliced("a", 1, 0, 5), sliced("b", 1, 10, 5)), "at the same time: two hosts");
	ok(!in_turns(sliced("a", 1, 0, 2), sliced("b", 1, 21, 2)), "two slices may be chance");
	ok(!in_turns(sliced("a", 1, 0, 5), sliced("b", 1, 321, 5)), "one after the other");
	ok(in_turns(sliced("a", 1, 0, 5), sliced("b", 1, 21, 6)), "one was done before the other");
	ok(!in_turns(sliced("a", 1, 0, 4), sliced("b", 1, 21, 9)), "but not for most of its time");
	ok(!in_turns(sliced("a", 1, 0, 5), machine("b", 1, 1)), "one was not interrupted");
	ok(!in_turns(sliced("a", 1, 0, 5),
		     with_slice(sliced("b", 1, 21, 5), 2, "2026-01-02T03:02:21Z", NULL)),
	   "one was killed");
	ok(!in_turns(sliced("a", 1, 0, 5), with_slice(sliced("b", 1, 21, 5), 2, "then", "later")),
	   "no times");
	ok(in_turns(sliced("a", 1, 0, 5),
		    with_slice(with_slice(sliced("b", 1, 21, 5), 0, "2026-01-02T03:01:21Z",
					  "2026-01-02T03:01:41Z"),
			       1, "2026-01-02T03:00:21Z", "2026-01-02T03:00:41Z")),
	   "slices in any order");
	struct osvec *v = sliced("b", 1, 21, 5);
	set_fact(v, "cpu.model", "EPYC");
	ok(!in_turns(sliced("a", 1, 0, 5), v), "another processor");
	v = sliced("b", 1, 21, 5);
	set_fact(v, "host.name", "guest");
	ok(in_turns(sliced("a", 1, 0, 5), v), "another name may be a guest of the host");
}

/* Of a host that was as fast as 1, 1.44 and 1 before, both of a pair are in its mean state. */
/* Those that were measured in turns are of one host, and kin if they have one kernel. */
static void test_kin(void)
{
	struct osvec *v[] = { sliced("a", 1, 0, 5), sliced("guest", 1, 21, 5),
			      sliced("b", 1, 42, 5) };
	struct host h[3];

	set_fact(v[1], "kernel.release", "6.12");
	hosts_find((const struct osvec *const *)v, 3, user, 2, h);
	ok(h[0].first == h[1].first && h[0].first == h[2].first, "three take turns on one host");
	ok(h[0].kin == v[0] && h[2].kin == v[0], "two of them are kin");
	ok(h[1].kin == v[1], "and a guest with another kernel is not");
}

static void test_turns(void)
{
	struct osvec *guest = sliced("guest", 1.1, 21, 5);
	const struct osvec *v[] = { sliced("host", 1, 0, 5), guest, machine("slow", 1.44, 1.44),
				    sliced("third", 1, 42, 5) };
	struct host h[4];

	set_fact(guest, "host.name", "guest");
	set_canaries(guest, 1.01);
	hosts_find(v, 4, user, 2, h);
	ok(h[0].turns == v[0] && h[1].turns == v[0] && h[3].turns == v[0] && !h[2].turns,
	   "three take turns");
	cmp_near(h[0].factor, cbrt(1.44), 1e-12, "the mean state");
	cmp_near(h[1].factor, cbrt(1.44), 1e-12, "is that of the guest, too");
	cmp_near(h[2].factor, cbrt(1.44) / 1.44, 1e-12, "another vector has its own");
	cmp_int((long)h[1].vectors, 3, "which is known by as many vectors");
	ok(h[1].first == v[0] && h[2].first == v[0], "and shares what is not known of it");
	ok(isinf(h[1].spread), "and moves as much");
	hosts_find((const struct osvec *[]){ v[3], v[0], v[2], v[1] }, 4, user, 2, h);
	ok(h[0].turns && h[1].turns == h[0].turns && h[3].turns == h[0].turns && !h[2].turns,
	   "the one that links the others may be the last");
	ok(isinf(h[3].spread), "and move less than what it shares");
	hosts_find((const struct osvec *[]){ v[0], sliced("b", 1.21, 21, 5) }, 2, user, 2, h);
	cmp_near(h[0].factor, h[1].factor, 1e-12, "what differs is no state");
	cmp_near(h[0].factor, 1, 1e-12, "theirs is the mean");
}

int main(void)
{
	test_recognized();
	test_turns();
	test_kin();
	test_one_host();
	test_states();
	test_between();
	test_spread();
	return done_testing();
}
