/* SPDX-License-Identifier: MIT */
/* The folder of a trace: its metadata, and one file for each CPU and channel. */
#include "trace/format/ctf/ctf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/xalloc.h"

enum {
	METADATA_MAX = 64 << 20, /* bytes */
	METADATA_HEADER = 37,	 /* bytes of a packet of metadata */
	STREAMS_MAX = 4096,
};

static const unsigned char magic[2][4] = { { 0x57, 0x1d, 0xd1, 0x75 }, { 0x75, 0xd1, 0x1d, 0x57 } };

/* ---- metadata ---- */

static bool is_metadata(const unsigned char *p, size_t n)
{
	static const char text[] = "/* CTF 1.8";

	return (n >= 4 && (!memcmp(p, magic[0], 4) || !memcmp(p, magic[1], 4))) ||
	       (n >= sizeof(text) - 1 && !memcmp(p, text, sizeof(text) - 1));
}

/* Where the metadata are: in the folder, or in that of the kernel if it holds a whole session. */
static char *metadata_path(const char *folder)
{
	static const char *const places[] = { "metadata", "kernel/metadata" };
	unsigned char head[16];

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char *path = xasprintf("%s/%s", folder, places[i]);
		int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));

		if (fd >= 0)
			close(fd);
		if (n > 0 && is_metadata(head, (size_t)n))
			return path;
		free(path);
	}
	return NULL;
}

static bool recognize(const char *path, const unsigned char *data, size_t n)
{
	char *metadata = metadata_path(path);

	(void)data;
	(void)n;
	free(metadata);
	return metadata != NULL;
}

/* Takes the headers of packets out of text[*n].  0, or -1 and *e. */
static int unpack(char *text, size_t *n, const char *name, struct error *e)
{
	bool big = !memcmp(text, magic[1], 4);
	size_t to = 0, from = 0;

	if (*n < 4 || (memcmp(text, magic[0], 4) && !big))
		return 0;
	while (from + METADATA_HEADER <= *n) {
		const unsigned char *h = (const unsigned char *)text + from;
		size_t content = input_get(big != INPUT_IS_BIG, h + 24, 4) / 8,
		       packet = input_get(big != INPUT_IS_BIG, h + 28, 4) / 8;

		if (h[32] || h[33])
			return error_set(
			    e, "%s: is compressed or encrypted, which is not read here", name);
		if (memcmp(h, magic[big], 4) || content < METADATA_HEADER || packet < content ||
		    packet > *n - from)
			return error_set(e, "%s: a packet at byte %zu is damaged", name, from);
		memmove(text + to, h + METADATA_HEADER, content - METADATA_HEADER);
		to += content - METADATA_HEADER;
		from += packet;
	}
	text[to] = '\0';
	*n = to;
	return 0;
}

static int read_metadata(struct ctf *k, const char *path, struct error *e)
{
	size_t n;
	char *text = file_read(path, METADATA_MAX, &n, e);
	int status = text ? unpack(text, &n, path, e) : -1;

	if (status == 0)
		status = ctf_metadata_parse(&k->m, text, n, path, e);
	free(text);
	return status;
}

/* ---- files ---- */

/* Moves a stream to its next event and lets it wait for its turn; *is_next: it is the next of all.
 */
static int advance(struct source *s, struct ctf_stream *st, bool *is_next, struct error *e)
{
	struct ctf *k = s->reader;
	uint64_t before = st->offset;
	int step;

	*is_next = false;
	while ((step = ctf_stream_next(st, &s->losses, e)) == CTF_PACKET)
		ctf_take_packet(k, st);
	s->in.offset += st->offset - before;
	if (step < 0 || step == CTF_END)
		return step;
	int64_t time = ctf_time(k, st->now);
	size_t index = st->index;
	*is_next = k->current == st && reorder_is_after(&k->waiting, time, index);
	if (!*is_next)
		reorder_push(&k->waiting, time, index, 0, st);
	return 0;
}

static int add_stream(struct source *s, int folder, const char *name, struct error *e)
{
	struct ctf *k = s->reader;
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool is_next;

	if (fd < 0)
		return error_set(e, "%s/%s: %s", s->in.name, name, strerror(errno));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !st.st_size) {
		close(fd);
		return 0;
	}
	if (k->streams.n == STREAMS_MAX) {
		close(fd);
		return error_set(e, "%s: has more than %d files", s->in.name, STREAMS_MAX);
	}
	struct ctf_stream *stream = xcalloc(1, sizeof(*stream));
	stream->m = &k->m;
	stream->file = xstrdup(name);
	stream->fd = fd;
	stream->size = (uint64_t)st.st_size;
	stream->index = k->streams.n;
	vec_push(&k->streams, stream);
	s->in.total += stream->size;
	return advance(s, stream, &is_next, e);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Opens all files of the folder in the order of their names, for the same result every time. */
static int add_streams(struct source *s, const char *path, struct error *e)
{
	DIR *folder = opendir(path);
	VEC(char *) names = { 0 };
	struct dirent *entry;
	int status = 0;

	if (!folder)
		return error_set(e, "%s: %s", path, strerror(errno));
	while ((entry = readdir(folder)))
		if (*entry->d_name != '.' && strcmp(entry->d_name, "metadata"))
			vec_push(&names, xstrdup(entry->d_name));
	vec_sort(&names, compare);
	for (size_t i = 0; i < names.n; i++) {
		if (status == 0)
			status = add_stream(s, dirfd(folder), names.v[i], e);
		free(names.v[i]);
	}
	vec_free(&names);
	closedir(folder);
	return status;
}

/* ---- the trace ---- */

static int ctf_next(struct source *s, struct event *out, struct error *e)
{
	struct ctf *k = s->reader;

	while (!importer_next(&k->kernel.im, out)) {
		bool is_next;

		if (k->ended)
			return 0;
		if (!k->current)
			k->current = reorder_pop(&k->waiting, true);
		if (!k->current) {
			k->ended = true;
			kernel_end(&k->kernel);
			continue;
		}
		ctf_take(k, k->current);
		if (advance(s, k->current, &is_next, e) < 0)
			return -1;
		if (!is_next)
			k->current = NULL;
	}
	return 1;
}

static void set_info(struct source *s, const struct ctf *k)
{
	s->info.recorder = k->m.tracer;
	s->info.host = k->m.hostname;
	s->info.kernel = k->m.kernel;
	s->info.has_time = s->info.has_duration = true;
	s->info.clock =
	    !strcmp(k->m.clock_name, "monotonic") ? TRACE_CLOCK_MONOTONIC : TRACE_CLOCK_UNKNOWN;
	/* LTTng identifies the kernel's clock by the boot. */
	memcpy(s->info.boot, k->m.clock_uuid, sizeof(s->info.boot));
}

static int ctf_open(struct source *s, struct error *e)
{
	struct ctf *k = s->reader = xcalloc(1, sizeof(*k));
	char *path = metadata_path(s->in.name);
	int status;

	kernel_init(&k->kernel, ABI_X86_64);
	if (!path)
		return error_set(e, "%s: has no metadata any more", s->in.name);
	status = read_metadata(k, path, e);
	if (status == 0) {
		ctf_begin(k);
		set_info(s, k);
		*strrchr(path, '/') = '\0';
		status = add_streams(s, path, e);
	}
	if (status == 0 && !k->streams.n)
		status =
		    error_set(e, "%s: has metadata, but no file with events beside them", path);
	free(path);
	return status;
}

static void ctf_close(struct source *s)
{
	struct ctf *k = s->reader;

	for (size_t i = 0; i < k->streams.n; i++) {
		close(k->streams.v[i]->fd);
		free(k->streams.v[i]->data);
		free(k->streams.v[i]->file);
		free(k->streams.v[i]);
	}
	vec_free(&k->streams);
	reorder_free(&k->waiting);
	kernel_free(&k->kernel);
	free(k->field);
	ctf_metadata_free(&k->m);
	free(k);
}

const struct format ctf_format = {
	.name = "ctf",
	.directory = true,
	.recognize = recognize,
	.open = ctf_open,
	.next = ctf_next,
	.close = ctf_close,
};
