/* SPDX-License-Identifier: MIT */
/* What a trace says that recording added to each call, where the calls themselves took less. */
#include "view/reading.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/format/ktr/ktr.h"
#include "trace/syscalls.h"
#include "util/xalloc.h"

#include "../tap.h"

enum { COST = 5000, CALLS = 200 /* ns; calls of a trace */ };

/* Adds the duration of a call to the sum. */
static void add(void *sum, const struct event *e)
{
	*(int64_t *)sum += e->call.duration;
}

/* Reads a trace of which so many calls took less than half of the cost, and the others all of it.
 * Stores the sum of the durations.  Returns what completeness_text() says. */
static char *read_trace(int cheaper, bool net, bool brief, int64_t *sum)
{
	const struct source_info info = {
		.os = &os_linux, .abi = ABI_X86_64, .has_duration = true, .call_cost = COST
	};
	const struct trace_taker taker = { .take = add, .arg = sum, .net = net };
	struct completeness c = { 0 };
	int fd = memfd_create("ktr", MFD_CLOEXEC);
	struct ktr_writer *w = ktr_writer_new(fd, &info, NULL);
	char *path = xasprintf("/proc/self/fd/%d", fd);
	struct error e;
	int bad = 0;

	for (int i = 0; i < CALLS; i++) {
		struct event call = { .type = EVENT_SYSCALL, .pid = 1, .tid = 1, .time = 9000 * i };

		call.call.id = syscall_by_name("getppid");
		call.call.duration = i < cheaper ? COST / 2 - 1 : i == cheaper ? COST / 2 : COST;
		bad |= ktr_write(w, &call, &e);
	}
	*sum = 0;
	bad |= ktr_writer_free(w, &e);
	lseek(fd, 0, SEEK_SET);
	bad |= trace_read(path, &taker, &c, &e);
	ok(!bad, "a trace with %d cheap calls is read", cheaper);
	close(fd);
	free(path);
	return completeness_text(&c, brief);
}

/* What another number shows already is not said again. */
static void test_noted(void)
{
	struct completeness c = { .losses = { .lost = 5, .orphans = 2 } };

	c.losses.noted[LOST_RING_FULL] = 5;
	c.losses.noted[LOST_UNMATCHED] = 2;
	c.losses.noted[LOST_UNREADABLE] = 7;
	char *text = completeness_text(&c, false), *says = strstr(text, "\nthe recorder says");
	is_string(says ? says : text, "\nthe recorder says: 7 arguments unreadable",
		  "of what the recorder counted");
	free(text);
	c.losses = (struct source_losses){ .orphans = 2, .unfinished = 1 };
	c.losses.noted[LOST_UNMATCHED] = 1;
	text = completeness_text(&c, true);
	ok(!text, "calls at the ends of a recording are not missing");
	free(text);
	for (int i = 0; i < LOST_CLASSES; i++) {
		if (i == LOST_UNMATCHED || i == LOST_RING_FULL || !loss_counter(i))
			continue;
		c.losses = (struct source_losses){ 0 };
		c.losses.noted[i] = 1;
		text = completeness_text(&c, true);
		ok(text && strstr(text, loss_text(i, 1)), "missing: 1 %s", loss_text(i, 1));
		free(text);
	}
}

int main(void)
{
	static const struct {
		const char *what;
		int cheaper;
		bool net, brief, doubted;
	} rows[] = {
		{ "one call in a hundred is luck", CALLS / 100, true, true, false },
		{ "more are not", CALLS / 100 + 1, true, true, true },
		{ "nor beside what else is said", CALLS / 100 + 1, true, false, true },
		{ "times as they were", CALLS / 100 + 1, false, false, true },
		{ "times as they were, where only damage is told", CALLS, false, true, false },
	};
	int64_t sum;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = read_trace(rows[i].cheaper, rows[i].net, rows[i].brief, &sum);
		char *says =
		    xasprintf("measured, perhaps on a busy machine: %d calls", rows[i].cheaper);

		ok((text && strstr(text, says)) == rows[i].doubted, "%s", rows[i].what);
		ok(!rows[i].brief || rows[i].doubted || !text, "and else nothing");
		int64_t all = (int64_t)rows[i].cheaper * (COST / 2 - 1) + COST / 2 +
			      (int64_t)(CALLS - rows[i].cheaper - 1) * COST;
		if (rows[i].cheaper < CALLS)
			cmp_int(sum, rows[i].net ? 0 : all, "the sum of the durations");
		free(text);
		free(says);
	}
	test_noted();
	return done_testing();
}
