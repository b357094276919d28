/* SPDX-License-Identifier: MIT */
#include "util/shell.h"

#include <string.h>

#include "util/vec.h"

struct command_text {
	char *v;
	size_t n, cap;
};

static void put(struct command_text *t, const char *s, size_t n)
{
	vec_reserve(t, n + 1);
	memcpy(t->v + t->n, s, n);
	t->n += n;
	t->v[t->n] = '\0';
}

static void put_word(struct command_text *t, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "@%+=:,./_-";

	if (t->n)
		put(t, " ", 1);
	if (*s && !s[strspn(s, plain)]) {
		put(t, s, strlen(s));
		return;
	}
	put(t, "'", 1);
	for (; *s; s++)
		put(t, *s == '\'' ? "'\\''" : s, *s == '\'' ? 4 : 1);
	put(t, "'", 1);
}

char *shell_words(const char *const *words, int n)
{
	struct command_text t = { 0 };

	put(&t, "", 0);
	for (int i = 0; n < 0 ? words[i] != NULL : i < n; i++)
		put_word(&t, words[i]);
	return t.v;
}

char *shell_strings(const char *strings, size_t n)
{
	struct command_text t = { 0 };

	put(&t, "", 0);
	for (size_t i = 0; i < n; i += strlen(strings + i) + 1)
		put_word(&t, strings + i);
	return t.v;
}
