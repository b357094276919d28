/* SPDX-License-Identifier: MIT */
/* Tests of pairing: sequences of what a source sees, and the calls that they are. */
#include "trace/pairing.h"

#include <errno.h>

#include "trace/syscalls.h"
#include "util/vec.h"

#include "../tap.h"

struct text {
	char *v;
	size_t n, cap;
};

static void put_call(void *arg, struct event *e)
{
	static const char letters[] = "uotdrax"; /* of the CALL_ bits from the lowest on */
	struct text *out = arg;

	vec_reserve(out, 256);
	out->n += (size_t)sprintf(out->v + out->n, "%s%u/%u %s '%s' @%d+%d=%d", out->n ? "; " : "",
				  e->pid, e->tid, syscall_get(e->call.id)->name,
				  e->call.path ? e->call.path : "", (int)e->time,
				  (int)e->call.duration, (int)e->call.result);
	for (unsigned i = 0; i < 7; i++)
		if (e->call.flags & 1 << i)
			out->n += (size_t)sprintf(out->v + out->n, " %c", letters[i]);
}

/* "NAME/KEY" as a call with that text as its path; what follows is in *rest. */
static struct event parse_call(struct pairing_thread *t, char *word, int64_t now, uint64_t key[2],
			       char **rest)
{
	struct event e = pairing_event(t, EVENT_SYSCALL, now);
	size_t n = strcspn(word, "/=");

	e.call.id = syscall_by_name_n(word, n);
	key[0] = word[n] == '/' ? strtoul(word + n + 1, rest, 10) : 0;
	key[1] = 7;
	if (word[n] != '/')
		*rest = word + n;
	e.call.args[0] = key[0];
	e.call.path = word;
	return e;
}

static int64_t parse_result(const char *p)
{
	static const struct {
		const char *word;
		int64_t result;
	} words[] = { { "SYS", -512 },
		      { "NOINTR", -513 },
		      { "NOHAND", -514 },
		      { "BLOCK", -516 },
		      { "EINTR", -EINTR } };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(p, words[i].word))
			return words[i].result;
	return atoll(p);
}

/*
 * What a source sees, a blank between: NAME/KEY enters a call, =RESULT leaves it, NAME/KEY=RESULT
 * is a whole call of 3 ns, ~NAME=RESULT an exit without its entry, ! a signal, #N the number of the
 * thread from here on (new: of process 1), exec an execve that gave the thread the number 1, dead
 * its death, blind a source that sees no signals, take the source's taking it out of its call.  The
 * clock counts tens of nanoseconds.
 */
static void see(struct pairing *p, struct pairing_thread **t, char *word, int64_t now,
		struct text *out)
{
	struct event e, *done = NULL;
	uint64_t key[2];
	char *rest;

	if (*word == '#') {
		uint32_t tid = (uint32_t)atoi(word + 1);

		*t = pairing_find(p, tid);
		if (!*t)
			*t = pairing_begin(p, 1, tid);
	} else if (*word == '=') {
		done = pairing_exit(p, *t, parse_result(word + 1), now);
	} else if (*word == '!') {
		pairing_signal(*t);
	} else if (!strcmp(word, "blind")) {
		p->no_signals = true;
	} else if (!strcmp(word, "exec")) {
		pairing_exec(p, *t, 1);
	} else if (!strcmp(word, "take")) {
		ok(pairing_take(*t) && !pairing_inside(*t), "taken out of a call");
	} else if (!strcmp(word, "dead")) {
		pairing_end(p, *t);
		pairing_remove(p, *t);
		*t = NULL;
	} else {
		bool orphan = *word == '~', whole;

		e = parse_call(*t, word + orphan, now, key, &rest);
		whole = *rest == '=';
		if (whole) {
			e.call.result = parse_result(rest + 1);
			e.call.duration = 3;
			*rest = '\0';
		}
		if (!whole)
			pairing_enter(p, *t, &e, key);
		else if (orphan ? pairing_orphan(p, *t, &e) : pairing_whole(p, *t, &e, key))
			done = &e;
	}
	if (done)
		put_call(out, done);
}

static void moments_give(const char *moments, const char *want, const char *what)
{
	char *copy = xstrdup(moments), *save;
	struct text out = { 0 };
	struct pairing p;
	int64_t now = 0;

	pairing_init(&p, put_call, &out);
	struct pairing_thread *t = pairing_begin(&p, 1, 1);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		see(&p, &t, word, now += 10, &out);
	pairing_end_all(&p);
	is_string(out.v, want, "%s", what);
	pairing_free(&p);
	free(out.v);
	free(copy);
}

static const struct {
	const char *what, *moments, *calls;
} cases[] = {
	{ "entry and exit are a call", "read/3 =5 read/4 =-11",
	  "1/1 read 'read/3' @10+10=5; 1/1 read 'read/4' @30+10=-11" },
	{ "threads do not mix", "read/3 #2 write/4 #1 =1 #2 =2",
	  "1/1 read 'read/3' @10+40=1; 1/2 write 'write/4' @30+40=2" },
	{ "an entry without an exit", "read/3 write/4 =2 exit_group/0",
	  "1/1 read 'read/3' @10+-1=0 u; 1/1 write 'write/4' @20+10=2; "
	  "1/1 exit_group 'exit_group/0' @40+-1=0 x" },
	{ "an exit without an entry", "=5 ~read/3=5 write/3=1",
	  "1/1 read '' @20+3=5 o; 1/1 write 'write/3' @30+3=1" },
	{ "a whole call ends the one before", "read/3 write/4=2",
	  "1/1 read 'read/3' @10+-1=0 u; 1/1 write 'write/4' @20+3=2" },
	{ "a call taken by its source is the source's", "read/3 take read/3=5",
	  "1/1 read 'read/3' @30+3=5" },
	{ "death in a call", "#2 read/3 dead #1 read/4 =1",
	  "1/2 read 'read/3' @20+-1=0 u; 1/1 read 'read/4' @50+10=1" },
	{ "a number used again", "#2 read/3=SYS write/4 dead #2 read/3=1",
	  "1/2 read 'read/3' @20+3=-4; 1/2 write 'write/4' @30+-1=0 u; 1/2 read 'read/3' @60+3=1" },

	/* restarts */
	{ "a restart at once", "read/3 =SYS read/3 =5", "1/1 read 'read/3' @10+20=5 r" },
	{ "by a signal without a handler", "read/3 =NOINTR ! ! read/3 =5",
	  "1/1 read 'read/3' @10+20=5 r" },
	{ "after the handler, whose calls are its own",
	  "read/3 =SYS ! write/4 =1 rt_sigreturn =0 read/3 =5",
	  "1/1 write 'write/4' @40+10=1; 1/1 rt_sigreturn 'rt_sigreturn' @60+10=0; "
	  "1/1 read 'read/3' @10+20=5 r" },
	{ "of whole calls", "read/3=SYS ! write/4=1 rt_sigreturn=0 read/3=5",
	  "1/1 write 'write/4' @30+3=1; 1/1 rt_sigreturn 'rt_sigreturn' @40+3=0; "
	  "1/1 read 'read/3' @10+6=5 r" },
	{ "several times",
	  "read/3=SYS ! rt_sigreturn=0 read/3=SYS read/3=SYS ! rt_sigreturn=0 read/3=5",
	  "1/1 rt_sigreturn 'rt_sigreturn' @30+3=0; 1/1 rt_sigreturn 'rt_sigreturn' @70+3=0; "
	  "1/1 read 'read/3' @10+12=5 r" },
	{ "not by a result that the kernel passes on", "read/3=-515 read/3=5",
	  "1/1 read 'read/3' @10+3=-515; 1/1 read 'read/3' @20+3=5" },
	{ "as restart_syscall, twice",
	  "poll/3 =BLOCK ! restart_syscall/9 =BLOCK ! restart_syscall/9 =0",
	  "1/1 poll 'poll/3' @10+30=0 r" },
	{ "of an orphan", "~read=SYS read/0=5", "1/1 read 'read/0' @10+6=5 o r" },
	{ "and death in it", "pause/0 =NOHAND ! pause/0 dead", "1/1 pause 'pause/0' @10+-1=0 u r" },
	{ "two signals at once, both handled",
	  "read/3=SYS ! ! getpid=1 rt_sigreturn=7 getpid=2 rt_sigreturn=0 read/3=5",
	  "1/1 getpid 'getpid' @40+3=1; 1/1 rt_sigreturn 'rt_sigreturn' @50+3=7; "
	  "1/1 getpid 'getpid' @60+3=2; 1/1 rt_sigreturn 'rt_sigreturn' @70+3=0; "
	  "1/1 read 'read/3' @10+6=5 r" },
	{ "two signals at once, one handled", "read/3=SYS ! ! rt_sigreturn=0 read/3=5",
	  "1/1 rt_sigreturn 'rt_sigreturn' @40+3=0; 1/1 read 'read/3' @10+6=5 r" },
	{ "nested: a handler's own call is interrupted",
	  "read/3=SYS ! write/4=SYS ! getpid=1 rt_sigreturn=0 write/4=2 rt_sigreturn=0 read/3=5",
	  "1/1 getpid 'getpid' @50+3=1; 1/1 rt_sigreturn 'rt_sigreturn' @60+3=0; "
	  "1/1 write 'write/4' @30+6=2 r; 1/1 rt_sigreturn 'rt_sigreturn' @80+3=0; "
	  "1/1 read 'read/3' @10+6=5 r" },
	{ "nested: a handler is interrupted between its calls",
	  "read/3=SYS ! write/4=1 ! rt_sigreturn=7 write/4=2 rt_sigreturn=0 read/3=5",
	  "1/1 write 'write/4' @30+3=1; 1/1 rt_sigreturn 'rt_sigreturn' @50+3=7; "
	  "1/1 write 'write/4' @60+3=2; 1/1 rt_sigreturn 'rt_sigreturn' @70+3=0; "
	  "1/1 read 'read/3' @10+6=5 r" },

	/* interrupted for good */
	{ "EINTR", "read/3 =SYS ! rt_sigreturn =EINTR read/3 =5",
	  "1/1 read 'read/3' @10+10=-4; 1/1 rt_sigreturn 'rt_sigreturn' @40+10=-4; "
	  "1/1 read 'read/3' @60+10=5" },
	{ "EINTR, though the signal was not seen", "read/3=SYS rt_sigreturn=EINTR read/3=5",
	  "1/1 read 'read/3' @10+3=-4; 1/1 rt_sigreturn 'rt_sigreturn' @20+3=-4; "
	  "1/1 read 'read/3' @30+3=5" },
	{ "another call follows", "read/3=SYS write/3=1 read/3=5",
	  "1/1 read 'read/3' @10+3=-4; 1/1 write 'write/3' @20+3=1; 1/1 read 'read/3' @30+3=5" },
	{ "the same with another key", "read/3=SYS read/4=5 read/3=5",
	  "1/1 read 'read/3' @10+3=-4; 1/1 read 'read/4' @20+3=5; 1/1 read 'read/3' @30+3=5" },
	{ "another call after the handler", "read/3=SYS ! rt_sigreturn=0 getpid=1 read/3=5",
	  "1/1 rt_sigreturn 'rt_sigreturn' @30+3=0; 1/1 read 'read/3' @10+3=-4; "
	  "1/1 getpid 'getpid' @40+3=1; 1/1 read 'read/3' @50+3=5" },
	{ "a handler left by siglongjmp", "read/3=SYS ! rt_sigprocmask=0 read/3=5",
	  "1/1 rt_sigprocmask 'rt_sigprocmask' @30+3=0; 1/1 read 'read/3' @40+3=5; "
	  "1/1 read 'read/3' @10+3=-4" },
	{ "and a handler that returned later",
	  "read/3=SYS ! rt_sigprocmask=0 ! rt_sigreturn=0 read/3=5",
	  "1/1 rt_sigprocmask 'rt_sigprocmask' @30+3=0; 1/1 rt_sigreturn 'rt_sigreturn' @50+3=0; "
	  "1/1 read 'read/3' @60+3=5; 1/1 read 'read/3' @10+3=-4" },
	{ "the first of nine nested ones ends with the ninth",
	  "read/1=SYS ! read/2=SYS ! read/3=SYS ! read/4=SYS ! read/5=SYS ! read/6=SYS ! "
	  "read/7=SYS ! read/8=SYS ! read/9=SYS ! getpid=1 rt_sigreturn=0 read/9=5 exec",
	  "1/1 read 'read/1' @10+3=-4; 1/1 getpid 'getpid' @190+3=1; "
	  "1/1 rt_sigreturn 'rt_sigreturn' @200+3=0; 1/1 read 'read/9' @170+6=5 r; "
	  "1/1 read 'read/2' @30+3=-4; 1/1 read 'read/3' @50+3=-4; 1/1 read 'read/4' @70+3=-4; "
	  "1/1 read 'read/5' @90+3=-4; 1/1 read 'read/6' @110+3=-4; 1/1 read 'read/7' @130+3=-4; "
	  "1/1 read 'read/8' @150+3=-4" },
	{ "the thread dies", "pause/0=NOHAND ! dead", "1/1 pause 'pause/0' @10+3=-4" },
	{ "a handler calls execve", "read/3=SYS ! execve/1 exec =0 read/3=5",
	  "1/1 read 'read/3' @10+3=-4; 1/1 execve 'execve/1' @30+20=0; 1/1 read 'read/3' @60+3=5" },
	{ "execve of a thread that is not the leader",
	  "pause/0 #2 read/3=SYS ! execve/1 exec =0 dead #2 getpid=1",
	  "1/1 pause 'pause/0' @10+-1=0 u; 1/2 read 'read/3' @30+3=-4; "
	  "1/1 execve 'execve/1' @50+20=0; 1/2 getpid 'getpid' @100+3=1" },
	{ "a source without signals: the call of a handler, then the restart",
	  "blind read/3 =SYS write/1=5 rt_sigreturn=0 read/3 =7 close/3=0",
	  "1/1 write 'write/1' @40+3=5; 1/1 rt_sigreturn 'rt_sigreturn' @50+3=0; "
	  "1/1 read 'read/3' @20+20=7 r; 1/1 close 'close/3' @80+3=0" },
	{ "a source without signals: the handler, then the program goes on",
	  "blind read/3 =SYS write/1=5 rt_sigreturn=0 close/3=0",
	  "1/1 write 'write/1' @40+3=5; 1/1 rt_sigreturn 'rt_sigreturn' @50+3=0; "
	  "1/1 read 'read/3' @20+10=-4; 1/1 close 'close/3' @60+3=0" },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		moments_give(cases[i].moments, cases[i].calls, cases[i].what);
	return done_testing();
}
