/* SPDX-License-Identifier: MIT */
#include "trace/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format.h"
#include "util/xalloc.h"

/* ktrace.out, which looks for records at any place of a file, comes last. */
static const struct format *const formats[] = { &ktr_format,	   &ctf_format,
						&perf_data_format, &strace_format,
						&perf_text_format, &kdump_format,
						&ktrace_format };

/* Enough to hold a whole block of a .ktr and many lines of text. */
enum { HEAD = 256 << 10 };

/* Files that are often mistaken for traces, and what to do with them. */
/* clang-format off */
#define SIGNATURE(s) s, sizeof(s) - 1
static const struct { const char *bytes; size_t n; const char *advice; } not_traces[] = {
	{ SIGNATURE("\x1f\x8b"), "is compressed; decompress it with gzip -d first" },
	{ SIGNATURE("\x28\xb5\x2f\xfd"), "is compressed; decompress it with zstd -d first" },
	{ SIGNATURE("\xfd" "7zXZ"), "is compressed; decompress it with xz -d first" },
	{ SIGNATURE("BZh"), "is compressed; decompress it with bzip2 -d first" },
	{ SIGNATURE("\x04\x22\x4d\x18"), "is compressed; decompress it with lz4 -d first" },
	{ SIGNATURE("\x7f" "ELF"), "is a program, not a trace; use ktranal record to trace it" },
};
/* clang-format on */

static const char *advice_on(const unsigned char *data, size_t n)
{
	for (size_t i = 0; i < sizeof(not_traces) / sizeof(*not_traces); i++)
		if (n >= not_traces[i].n && !memcmp(data, not_traces[i].bytes, not_traces[i].n))
			return not_traces[i].advice;
	return NULL;
}

static int recognize(struct source *s, struct error *e)
{
	if (!s->in.is_directory && input_fill(&s->in, HEAD, e) < 0)
		return -1;
	const unsigned char *data = input_at(&s->in);
	size_t n = input_waiting(&s->in);
	const char *advice = advice_on(data, n);
	if (advice)
		return error_set(e, "%s: %s", s->in.name, advice);
	bool text = n && !memchr(data, '\0', n < 512 ? n : 512);
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (formats[i]->directory == s->in.is_directory && (text || !formats[i]->text) &&
		    formats[i]->recognize(s->in.name, data, n)) {
			s->format = formats[i];
			return 0;
		}
	if (s->in.is_directory)
		return error_set(e,
				 "%s: is a directory without CTF metadata; name a trace file in it",
				 s->in.name);
	if (n == 0)
		return error_set(e, "%s: is empty, not a trace", s->in.name);
	return error_set(e,
			 "%s: is no trace in a supported format (.ktr, strace, kdump, perf script "
			 "or ftrace text, ktrace.out, perf.data; or a folder of CTF)",
			 s->in.name);
}

static struct source *open_input(struct source *s, struct error *e)
{
	if (recognize(s, e) < 0)
		goto fail;
	s->info = (struct source_info){
		.path = s->in.name,
		.format = s->format->name,
		.recorder = "",
		.host = "",
		.command = "",
		.kernel = "",
		.host_id = "",
		.cpu = "",
		.os = &os_linux,
		.abi = ABI_X86_64,
	};
	if (s->format->open(s, e) == 0)
		return s;
fail:
	source_close(s);
	return NULL;
}

struct source *source_open(const char *path, struct error *e)
{
	struct source *s = xcalloc(1, sizeof(*s));

	if (input_open(&s->in, path, e) < 0) {
		free(s);
		return NULL;
	}
	return open_input(s, e);
}

struct source *source_open_memory(const void *data, size_t n, const char *name, struct error *e)
{
	struct source *s = xcalloc(1, sizeof(*s));

	input_memory(&s->in, data, n, name);
	return open_input(s, e);
}

/* What a recorder has counted at the end of the trace. */
static void note_counter(struct source_losses *losses, const struct event *e)
{
	double n = e->counter.value;

	for (int i = 0; i < LOST_CLASSES && n >= 1 && n < 1e15; i++)
		if (loss_counter(i) && !strcmp(loss_counter(i), e->counter.name))
			losses->noted[i] += (uint64_t)n;
}

/* Counts what the events themselves say about missing ones. */
static void count_losses(struct source *s, const struct event *e)
{
	struct source_losses *losses = &s->losses;

	if (e->type == EVENT_SYSCALL) {
		losses->unfinished +=
		    e->call.flags & CALL_UNFINISHED && !syscall_never_returns(e->call.id);
		losses->orphans += !!(e->call.flags & CALL_ORPHAN);
	} else if (e->type == EVENT_LOST) {
		bool torn = e->lost.class == LOST_BLOCKS && losses->torn_bytes;

		losses->lost += e->lost.count;
		losses->lost_unknown |= e->lost.count == 0 && !torn;
	} else if (e->type == EVENT_COUNTER && !host_local(e->pid)) {
		note_counter(losses, e);
	}
}

void source_count_torn(struct source_losses *losses, uint64_t offset, size_t n, const char *why)
{
	if (!*losses->first_bad_reason) {
		losses->first_bad = offset;
		snprintf(losses->first_bad_reason, sizeof(losses->first_bad_reason), "%s", why);
	}
	losses->torn_bytes += n;
}

void source_count_bad_line(struct source_losses *losses, uint64_t line, const char *why)
{
	if (losses->bad_lines++)
		return;
	losses->first_bad = line;
	snprintf(losses->first_bad_reason, sizeof(losses->first_bad_reason), "%s", why);
}

int source_next(struct source *s, struct event *out, struct error *e)
{
	int got = s->format->next(s, out, e);

	if (got == 1 && (out->type != EVENT_SYSCALL || out->call.flags))
		count_losses(s, out);
	return got;
}

const struct source_info *source_info(const struct source *s)
{
	return &s->info;
}

const struct source_losses *source_losses(const struct source *s)
{
	return &s->losses;
}

void source_position(const struct source *s, uint64_t *at, uint64_t *total)
{
	*at = s->in.offset;
	*total = s->in.total;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	if (s->reader)
		s->format->close(s);
	input_close(&s->in);
	free(s);
}
