/* SPDX-License-Identifier: MIT */
/* ktranal import: a foreign log as a .ktr, smaller and read faster. */
#include "ktranal.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/format/ktr/ktr.h"
#include "util/file.h"
#include "util/xalloc.h"
#include "view.h"

static struct {
	struct view view;
	const char *output;
} set;

static const struct opt options[] = { { 'o', "output", OPT_STRING, &set.output, "FILE",
					.help = "write the trace here ('-': standard output)" },
				      { 0 } };

static const struct opt_usage usage = {
	.program = "ktranal import",
	.operands = "LOG",
	.summary = "Turn a trace of another tool into a .ktr.",
	.example = "strace -f -ttt -T -yy -o app.log ./app; ktranal import app.log -o app.ktr",
};

/* The trace grows beside its place and takes it when it is whole; into a device it goes at once. */
struct output {
	char *temporary; /* NULL: straight into fd */
	int fd;
	struct ktr_writer *writer;
	struct error error;
	bool failed;
};

static int open_output(struct output *out)
{
	struct stat st;
	bool device = stat(set.output, &st) == 0 && !S_ISREG(st.st_mode);

	if (!strcmp(set.output, "-")) {
		out->fd = STDOUT_FILENO;
		return 0;
	}
	if (!device)
		out->temporary = xasprintf("%s.%ld.tmp", set.output, (long)getpid());
	out->fd = open(device ? set.output : out->temporary,
		       O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (out->fd >= 0)
		return 0;
	warn("%s", set.output);
	return -1;
}

static void begin(void *arg, const struct source_info *info)
{
	struct output *out = arg;

	out->writer = ktr_writer_new(out->fd, info);
}

static void take(void *arg, const struct event *e)
{
	struct output *out = arg;

	if (!out->failed)
		out->failed = ktr_write(out->writer, e, &out->error) < 0;
}

/* Lines that could not be read may each have been an event: the new trace says so. */
static void note_losses(struct output *out, const struct completeness *c)
{
	const struct event lost = {
		.type = EVENT_LOST, .lost = { .count = c->losses.bad_lines, .class = LOST_UNPARSED }
	};

	if (c->losses.bad_lines)
		take(out, &lost);
}

static int close_output(struct output *out, int status)
{
	if (out->writer && ktr_writer_free(out->writer, out->failed ? NULL : &out->error) < 0)
		out->failed = true;
	if (out->failed) {
		warnx("%s: %s", set.output, out->error.text);
		status = -1;
	}
	if (close(out->fd) < 0 && status == 0) {
		warn("%s", set.output);
		status = -1;
	}
	if (status == 0 && out->temporary && rename(out->temporary, set.output) < 0) {
		warn("%s", set.output);
		status = -1;
	}
	if (status < 0 && out->temporary)
		unlink(out->temporary);
	free(out->temporary);
	return status;
}

int command_import(int argc, char **argv)
{
	struct output out = { .fd = -1 };
	const struct trace_taker taker = { .begin = begin, .take = take, .arg = &out };

	view_parse(&set.view, argc, argv, &usage, options, false);
	if (!set.output)
		opt_bad_usage(&usage, "where to? (-o FILE.ktr)");
	if (strcmp(set.output, "-") && file_is_same(set.output, set.view.traces.v[0]))
		opt_bad_usage(&usage, "-o %s: that is the log", set.output);
	if (open_output(&out) < 0) {
		free(out.temporary);
		return 1;
	}
	int status = view_read(&set.view, set.view.traces.v[0], &taker, false);
	if (out.writer)
		note_losses(&out, &set.view.completeness);
	status = close_output(&out, status);
	if (status == 0) {
		char *text = completeness_text(&set.view.completeness, false);

		fprintf(stderr, "\n%s\n", text);
		free(text);
	}
	view_free(&set.view);
	return status < 0;
}
