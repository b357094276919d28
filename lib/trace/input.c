/* SPDX-License-Identifier: MIT */
#include "trace/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/xalloc.h"

enum { BUFFER = 512 << 10 };

static void grow(struct input *in, size_t cap)
{
	in->data = xreallocarray(in->data, cap + INPUT_PAD, 1);
	in->cap = cap;
}

int input_open(struct input *in, const char *path, struct error *e)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	*in = (struct input){ .fd = -1 };
	if (fd < 0)
		return error_set(e, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) < 0) {
		error_set(e, "%s: %s", path, strerror(errno));
		close(fd);
		return -1;
	}
	in->is_directory = S_ISDIR(st.st_mode);
	in->seekable = S_ISREG(st.st_mode);
	in->fd = fd;
	in->name = xstrdup(is_stdin ? "standard input" : path);
	in->total = in->seekable ? (uint64_t)st.st_size : 0;
	grow(in, BUFFER);
	return 0;
}

void input_memory(struct input *in, const void *data, size_t n, const char *name)
{
	*in = (struct input){ .fd = -1, .name = xstrdup(name), .end = n, .total = n };
	grow(in, n);
	if (n)
		memcpy(in->data, data, n);
	memset(in->data + n, 0, INPUT_PAD);
}

int input_fill(struct input *in, size_t n, struct error *e)
{
	if (input_waiting(in) >= n || in->fd < 0)
		return 0;
	memmove(in->data, input_at(in), input_waiting(in));
	in->end -= in->start;
	in->start = 0;
	if (n > in->cap)
		grow(in, n);
	while (in->end < n) {
		ssize_t got = read(in->fd, in->data + in->end, in->cap - in->end);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set(e, "%s: %s", in->name, strerror(errno));
		if (got == 0) {
			close(in->fd);
			in->fd = -1;
			break;
		}
		in->end += (size_t)got;
	}
	memset(in->data + in->end, 0, INPUT_PAD);
	return 0;
}

int input_line(struct input *in, char **line, size_t *n, struct error *e)
{
	size_t searched = 0;

	for (;;) {
		size_t waiting = input_waiting(in);
		char *data = (char *)input_at(in);
		char *newline = memchr(data + searched, '\n', waiting - searched);

		if (newline || waiting >= INPUT_LINE || (in->fd < 0 && waiting)) {
			*line = data;
			*n = newline ? (size_t)(newline - data) : waiting;
			input_skip(in, *n + (newline != NULL));
			*n -= *n && data[*n - 1] == '\r';
			data[*n] = '\0'; /* there is INPUT_PAD */
			return 1;
		}
		if (in->fd < 0)
			return 0;
		searched = waiting;
		if (input_fill(in, waiting + 1, e) < 0)
			return -1;
	}
}

ssize_t input_read_at(int fd, void *out, size_t n, uint64_t at)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got = pread(fd, (char *)out + have, n - have, (off_t)(at + have));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

const char *input_fraction(const char *p, int64_t *ns)
{
	int n = 0;

	*ns = 0;
	if (*p != '.')
		return p;
	for (p++; *p >= '0' && *p <= '9'; p++)
		if (n++ < 9)
			*ns = 10 * *ns + *p - '0';
	for (; n < 9; n++)
		*ns *= 10;
	return p;
}

const char *input_seconds(const char *p, int64_t *ns)
{
	int64_t seconds = 0;
	const char *at = p;

	while (*at >= '0' && *at <= '9' && seconds <= UINT32_MAX)
		seconds = 10 * seconds + *at++ - '0';
	if (at == p || seconds > UINT32_MAX)
		return NULL;
	at = input_fraction(at, ns);
	*ns += seconds * 1000000000;
	return at;
}

int64_t input_number(const char *p)
{
	bool negative = *p == '-';
	bool hex = p[negative] == '0' && p[negative + 1] == 'x';
	uint64_t v = strtoull(p + negative, NULL, hex ? 16 : 10);

	return (int64_t)(negative ? -v : v);
}

const char *input_last_word(const char *p, const char **end, size_t *n)
{
	const char *at = *end, *stop = *end;

	while (at > p && at[-1] != ' ')
		at--;
	*n = (size_t)(stop - at);
	for (*end = at; *end > p && (*end)[-1] == ' ';)
		(*end)--;
	return at;
}

void input_close(struct input *in)
{
	if (in->fd >= 0)
		close(in->fd);
	free(in->data);
	free(in->name);
	*in = (struct input){ .fd = -1 };
}
