/* SPDX-License-Identifier: MIT */
#include "cleanup.h"

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 4 };

static struct {
	void (*f)(void);
	pid_t owner;
} all[MOST];
static size_t n;

static void clean_up(void)
{
	int saved = errno;

	for (size_t i = 0; i < n; i++)
		if (all[i].owner == getpid())
			all[i].f();
	errno = saved;
}

static void on_signal(int number)
{
	clean_up();
	signal(number, SIG_DFL);
	raise(number);
}

static void catch_signals(void)
{
	static const int numbers[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct sigaction old, new = { .sa_handler = on_signal };

		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(numbers[i], &new, NULL);
	}
}

void cleanup_register(void (*f)(void))
{
	if (n == MOST)
		errx(1, "too many things to remove");
	all[n].f = f;
	all[n].owner = getpid();
	if (n++ > 0)
		return;
	atexit(clean_up);
	catch_signals();
}
