/* SPDX-License-Identifier: MIT */
#include "view/traces.h"

#include <err.h>
#include <unistd.h>

#include "util/progress.h"

enum { PROGRESS_EVENTS = 1 << 16 };

static void show(struct progress *p, const struct source *s, const char *path)
{
	uint64_t at, total;

	source_position(s, &at, &total);
	if (total)
		progress_show(p, (double)at / (double)total, -1, path);
}

int trace_read(const char *path, const struct trace_taker *taker, struct completeness *c)
{
	struct error e;
	struct event event;
	struct progress progress;
	struct source *s = source_open(path, &e);
	int got;

	if (!s) {
		warnx("%s", e.text);
		return -1;
	}
	progress_start(&progress, "reading", taker->prints && isatty(STDOUT_FILENO));
	if (taker->begin)
		taker->begin(taker->arg, source_info(s));
	for (unsigned n = 1; (got = source_next(s, &event, &e)) > 0; n++) {
		completeness_add(c, &event);
		taker->take(taker->arg, &event);
		if (n % PROGRESS_EVENTS == 0)
			show(&progress, s, path);
	}
	progress_end(&progress);
	completeness_end(c, path, s);
	source_close(s);
	if (got == 0)
		return 0;
	warnx("%s", e.text);
	return -1;
}
