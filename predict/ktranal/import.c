/* SPDX-License-Identifier: MIT */
/* ktranal import: a foreign log as a .ktr, smaller and read faster. */
#include "ktranal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "util/file.h"
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
	.operands = "{LOG | -- COMMAND [ARGUMENT...]}",
	.summary = "Turn a trace of another tool into a .ktr.",
	.example = "strace -f -ttt -T -yy -o app.log ./app; ktranal import app.log -o app.ktr",
};

static void begin(void *arg, const struct source_info *info)
{
	output_begin(arg, info);
}

static void take(void *arg, const struct event *e)
{
	output_write(arg, e);
}

int command_import(int argc, char **argv)
{
	struct output out;
	const struct trace_taker taker = { .begin = begin, .take = take, .arg = &out };

	view_parse(&set.view, argc, argv, &usage, options, false);
	if (!set.output)
		opt_bad_usage(&usage, "where to? (-o FILE.ktr)");
	if (strcmp(set.output, "-") && file_is_same(set.output, set.view.traces.v[0]))
		opt_bad_usage(&usage, "-o %s: that is the log", set.output);
	if (output_open(&out, set.output) < 0)
		return 1;
	int status = view_read(&set.view, set.view.traces.v[0], &taker, false);
	output_note_losses(&out, &set.view.completeness);
	status = output_close(&out, status);
	if (status == 0) {
		char *text = completeness_text(&set.view.completeness, false);

		fprintf(stderr, "\n%s\n", text);
		free(text);
	}
	return view_end(&set.view, status);
}
