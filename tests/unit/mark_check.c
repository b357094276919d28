/* SPDX-License-Identifier: MIT */
/* Tests of the warnings that a program with marks gives while it runs. */
#include "mark/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../tap.h"

static int out[2], console;

/* Does what a new process does: the words are "VERB QUEUE AMOUNT" or "identify KEY", in order. */
static void says(const char *words, const char *warning, const char *what)
{
	static const char *const verbs[] = { "",	"state",    "enqueue", "dequeue",
					     "empty",	"full",	    "link",    "peek",
					     "reserve", "capacity", "identify" };
	char *all = strdup(words), *rest, text[512] = "";

	mark_check_forget();
	dup2(out[1], STDERR_FILENO);
	errno = 17;
	for (char *w = strtok_r(all, ", ", &rest); w; w = strtok_r(NULL, ", ", &rest)) {
		unsigned verb = OSVEC_STATE;

		while (verb < OSVEC_IDENTIFY && strcmp(verbs[verb], w) != 0)
			verb++;
		const char *queue = strtok_r(NULL, ", ", &rest), *n = strtok_r(NULL, ", ", &rest);
		uint64_t amount = strtoull(n, NULL, 10);
		osvec_mark(verb, queue, amount, amount);
	}
	int error = errno;
	dup2(console, STDERR_FILENO);
	(void)!write(out[1], ".", 1);
	(void)!read(out[0], text, sizeof(text) - 1);
	const char *queue = strchr(text, ' ');
	if (*warning)
		ok(queue && strstr(text, warning) && strchr(text, '\n') == strrchr(text, '\n'),
		   "%s", what);
	else
		is_string(text, ".", "%s", what);
	cmp_int(error, 17, "without a change of errno");
	free(all);
}

int main(void)
{
	char directory[] = "/tmp/osvec-mark-check-XXXXXX", command[64];

	if (pipe(out) < 0 || (console = dup(STDERR_FILENO)) < 0 || !mkdtemp(directory))
		skip_all("no pipe or temporary directory");
	setenv("OSVEC_MARKS", directory, 1);
	setenv("OSVEC_MARKS_CHECK", "1", 1);
	says("enqueue q 2, peek q 1, dequeue q 2, enqueue p 1, empty q 0, dequeue p 1",
	     "queue q, thread ", "a wait ends with another queue");
	says("enqueue q 2, dequeue q 3, dequeue q 1, empty q 0", "more is taken than was put",
	     "more is taken than there is, which is said once");
	says("dequeue q 3, peek q 1, empty q 0, dequeue q 1", "",
	     "another process may have put it");
	says("enqueue q 1, peek q 2", "more is taken", "more is looked at");
	says("enqueue q 1, empty q 0", "although there is something", "there is no need to wait");
	says("capacity q 2, enqueue q 2, full q 0, reserve q 1, dequeue q 1, enqueue q 1", "",
	     "all is as it should be");
	says("capacity q 2, enqueue q 3", "than there is room for", "there is no room");
	says("full q 0, dequeue q 1", "a wait ends", "who waited for room takes");
	says("full q 0, state x 0", "a wait ends", "or does something else");
	says("enqueue q 1, identify x 7, empty q 0, dequeue q 0", "", "each key has its own queue");
	snprintf(command, sizeof(command), "rm -r '%s'", directory);
	cmp_int(system(command), 0, "the marks are written, too");
	return done_testing();
}
