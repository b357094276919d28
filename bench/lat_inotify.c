/* SPDX-License-Identifier: MIT */
/* lat_inotify - begins to watch a file, ends it and reads the event that says so (watch), or writes
 * a byte to a watched file and reads that event (event). */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "common/reason.h"
#include "util/xalloc.h"

enum { WATCH, EVENT };

static int queue, file, watch;
static char *path;

static const struct bench_parameter parameters[] = {
	{ "what", BENCH_CHOICE, "watch event", .fallback = "event",
	  .help = "watch: the watch is added and removed; event: the file is written" },
	{ 0 }
};

static bool begin(void)
{
	watch = inotify_add_watch(queue, path, IN_MODIFY);
	return watch >= 0;
}

static void take(uint32_t mask)
{
	struct inotify_event event[4];

	if (read(queue, event, sizeof(event)) != sizeof(*event) || event->wd != watch ||
	    event->mask != mask)
		err(1, "read of an event");
}

static const char *supported(void)
{
	const char *reason = files_supported();

	if (reason)
		return reason;
	queue = inotify_init1(IN_CLOEXEC);
	if (queue < 0)
		return reason_errno("inotify");
	path = xasprintf("%s/%s", files_path(), FILES_FILE);
	file = files_make(1);
	return bench_choice(0) == EVENT && !begin() ? reason_errno("a watch") : NULL;
}

static void run_watch(uint64_t n)
{
	while (n--) {
		if (!begin() || inotify_rm_watch(queue, watch))
			err(1, "a watch");
		take(IN_IGNORED);
	}
}

static void run_event(uint64_t n)
{
	while (n--) {
		if (pwrite(file, "", 1, 0) != 1)
			err(1, "pwrite");
		take(IN_MODIFY);
	}
}

static void run(uint64_t n)
{
	(bench_choice(0) == WATCH ? run_watch : run_event)(n);
}

const struct bench bench = {
	.summary = "Watching a file, or an event on a watched file.",
	.operation = "watch: add, remove, read; event: write, read",
	.parameters = parameters,
	.kernel_entries = 2,
	.supported = supported,
	.run = run,
};
