/* SPDX-License-Identifier: MIT */
#include "util/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "util/monotonic.h"
#include "util/table.h"

void progress_start(struct progress *p, const char *what, bool quiet)
{
	*p = (struct progress){
		.what = what, .terminal = isatty(2), .quiet = quiet, .started = monotonic_seconds()
	};
}

void progress_show(struct progress *p, double share, double left, const char *note)
{
	static const char full[] = "################";
	const int width = sizeof(full) - 1;
	double t = monotonic_seconds();
	char line[256], time[24] = "";

	if (p->quiet || !p->terminal || t - p->drawn < 0.1)
		return;
	p->drawn = t;
	share = share < 0 ? 0 : share > 1 ? 1 : share;
	if (left < 0 && share > 0)
		left = (t - p->started) * (1 - share) / share;
	if (left >= 0)
		snprintf(time, sizeof(time), "  %d:%02d left", (int)left / 60, (int)left % 60);
	int bar = (int)(share * width);
	snprintf(line, sizeof(line), "%s [%.*s%*s] %3.0f%%%s  %s", p->what, bar, full, width - bar,
		 "", share * 100, time, note ? note : "");
	/* A longer line would wrap, and the next one would begin below it. */
	fprintf(stderr, "\r\033[K%.*s", table_columns(stderr) - 1, line);
	fflush(stderr);
}

void progress_line(struct progress *p, const char *fmt, ...)
{
	va_list ap;

	if (p->quiet)
		return;
	if (p->terminal)
		fprintf(stderr, "\r\033[K");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	putc('\n', stderr);
	p->drawn = 0;
}

void progress_end(struct progress *p)
{
	if (!p->quiet && p->terminal)
		fprintf(stderr, "\r\033[K");
}
