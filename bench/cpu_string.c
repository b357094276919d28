/* SPDX-License-Identifier: MIT */
/*
 * cpu_string - string work of a server by the C library: a line of a log is split into words,
 * compared, its numbers converted, and a new line printed from them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/bench.h"

enum { LINES = 256, MOST = 160, WORDS = 8 };

static const char *const methods[] = { "GET", "HEAD", "POST", "DELETE" };
static const char *const paths[] = { "/", "/index.html", "/static/images/logo.png",
				     "/api/v1/users/42/orders?sort=date" };
enum { METHODS = sizeof(methods) / sizeof(*methods), PATHS = sizeof(paths) / sizeof(*paths) };

static char lines[LINES][MOST];
static size_t next;
static uint64_t expected[LINES], wrong; /* bytes and status, from the line as it was printed */

static void setup(void)
{
	for (size_t i = 0; i < LINES; i++) {
		unsigned status = 200 + i % 7 * 50, bytes = (unsigned)(i * 2654435761u % 1000000);

		snprintf(lines[i], MOST, "10.1.%zu.%zu - user%zu \"%s %s HTTP/1.1\" %u %u", i % 16,
			 i % 251, i * 37 % 1000, methods[i % METHODS], paths[i % 7 % PATHS], status,
			 bytes);
		expected[i] = status * 1000000ul + bytes;
	}
}

/* Splits line, which it changes; how many words. */
static size_t split(char *line, char **words)
{
	size_t n = 0;
	char *end = line + strlen(line);

	while (n < WORDS && line < end) {
		char *space = memchr(line, ' ', (size_t)(end - line));

		words[n++] = line;
		line = space ? space + 1 : end;
		if (space)
			*space = '\0';
	}
	return n;
}

static uint64_t handle(const char *line, char *out)
{
	char copy[MOST], *words[WORDS] = { NULL };
	size_t method = 0;

	strcpy(copy, line);
	if (split(copy, words) != WORDS)
		return 0;
	while (method + 1 < METHODS && strcmp(words[3] + 1, methods[method]))
		method++;
	uint64_t status = strtoul(words[6], NULL, 10), bytes = strtoul(words[7], NULL, 10);
	const char *query = strchr(words[4], '?');
	snprintf(out, MOST, "%s %zu %.*s %llu", words[2], method,
		 (int)(query ? query - words[4] : (ptrdiff_t)strlen(words[4])), words[4],
		 (unsigned long long)(status * 1000000 + bytes));
	return strtoul(strrchr(out, ' ') + 1, NULL, 10);
}

static void run(uint64_t n)
{
	char out[MOST];

	for (; n; n--, next = (next + 1) % LINES)
		wrong += handle(lines[next], out) != expected[next];
}

static const char *check(uint64_t n)
{
	return wrong ? "a line was read wrongly" : NULL;
}

const struct bench bench = {
	.summary = "Strings: lines of a log split, compared, converted and printed.",
	.operation = "one line of about 70 bytes",
	.setup = setup,
	.computes = true,
	.run = run,
	.check = check,
};
