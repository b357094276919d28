/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/xalloc.h"

int output_open(struct output *out, const char *path)
{
	struct stat st;
	bool device = stat(path, &st) == 0 && !S_ISREG(st.st_mode);

	*out = (struct output){ .path = path };
	if (!strcmp(path, "-")) {
		out->fd = STDOUT_FILENO;
		return 0;
	}
	if (!device)
		out->temporary = xasprintf("%s.%ld.tmp", path, (long)getpid());
	out->fd =
	    open(device ? path : out->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (out->fd >= 0)
		return 0;
	warn("%s", path);
	free(out->temporary);
	return -1;
}

void output_begin(struct output *out, const struct source_info *info)
{
	out->writer = ktr_writer_new(out->fd, info, NULL);
}

void output_write(struct output *out, const struct event *e)
{
	if (!out->failed)
		out->failed = ktr_write(out->writer, e, &out->error) < 0;
}

void output_note_losses(struct output *out, const struct completeness *c)
{
	const struct event lost = {
		.type = EVENT_LOST, .lost = { .count = c->losses.bad_lines, .class = LOST_UNPARSED }
	};

	if (out->writer && c->losses.bad_lines)
		output_write(out, &lost);
}

int output_close(struct output *out, int status)
{
	if (out->writer && ktr_writer_free(out->writer, out->failed ? NULL : &out->error) < 0)
		out->failed = true;
	if (out->failed) {
		warnx("%s: %s", out->path, out->error.text);
		status = -1;
	}
	if (close(out->fd) < 0 && status == 0) {
		warn("%s", out->path);
		status = -1;
	}
	if (status == 0 && out->temporary && rename(out->temporary, out->path) < 0) {
		warn("%s", out->path);
		status = -1;
	}
	if (status < 0 && out->temporary)
		unlink(out->temporary);
	free(out->temporary);
	return status;
}
