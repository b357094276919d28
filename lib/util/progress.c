/* SPDX-License-Identifier: MIT */
#include "util/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "util/monotonic.h"

void progress_start(struct progress *p, const char *what, bool quiet)
{
	*p = (struct progress){
		.what = what, .terminal = isatty(2), .quiet = quiet, .started = monotonic_seconds()
	};
}

void progress_show(struct progress *p, double share, double left, const char *note)
{
	static const char full[] = "##############################";
	double t = monotonic_seconds();

	if (p->quiet || !p->terminal || t - p->drawn < 0.1)
		return;
	p->drawn = t;
	if (share < 0)
		share = 0;
	if (share > 1)
		share = 1;
	if (left < 0 && share > 0)
		left = (t - p->started) * (1 - share) / share;
	int bar = (int)(share * 30);
	fprintf(stderr, "\r\033[K%s [%.*s%*s] %3.0f%%", p->what, bar, full, 30 - bar, "",
		share * 100);
	if (left >= 0)
		fprintf(stderr, "  %d:%02d left", (int)left / 60, (int)left % 60);
	fprintf(stderr, "  %.30s", note ? note : "");
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
