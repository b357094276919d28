/* SPDX-License-Identifier: MIT */
/* lat_sig - installs a signal handler, or sends a signal to itself and handles it.  The cost of
 * kill(2) with signal 0 is subtracted: delivery, handler and return remain. */
#include <err.h>
#include <signal.h>
#include <unistd.h>

#include "measure/bench.h"

enum { INSTALL, HANDLE };

static volatile sig_atomic_t handled; /* wraps at 32 bits, as the check does */
static uint32_t before;
static pid_t self;

static void on_signal(int number)
{
	(void)number;
	handled = (sig_atomic_t)((uint32_t)handled + 1);
}

static void install(uint64_t n)
{
	struct sigaction action = { .sa_handler = on_signal };

	while (n--)
		if (sigaction(SIGUSR1, &action, NULL))
			err(1, "sigaction");
}

static void send(uint64_t n, int number)
{
	while (n--)
		if (kill(self, number))
			err(1, "kill");
}

static void setup(void)
{
	self = getpid();
	install(1);
}

static void start(uint64_t n)
{
	before = (uint32_t)handled;
}

static void run(uint64_t n)
{
	if (bench_choice(0) == INSTALL)
		install(n);
	else
		send(n, SIGUSR1);
}

static void overhead(uint64_t n)
{
	if (bench_choice(0) == HANDLE)
		send(n, 0);
	else
		while (n--)
			bench_clobber();
}

static const char *check(uint64_t n)
{
	uint32_t expected = bench_choice(0) == HANDLE ? (uint32_t)n : 0;

	return (uint32_t)handled - before == expected ? NULL : "signals were lost";
}

static const struct bench_parameter parameters[] = {
	{ "what", BENCH_CHOICE, "install handle",
	  .help = "install a handler, or deliver a signal to it" },
	{ 0 }
};

const struct bench bench = {
	.summary = "Installing a signal handler, or handling a signal.",
	.operation = "one sigaction(2), or one signal handled",
	.parameters = parameters,
	.kernel_entries = 1,
	.setup = setup,
	.prepare = start,
	.run = run,
	.overhead = overhead,
	.check = check,
};
