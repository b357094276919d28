/* SPDX-License-Identifier: MIT */
/*
 * lat_lock - takes and releases an uncontended lock: fcntl(2) of one byte of a file, in the name of
 * the process (fcntl) or of the open file (ofd), or flock(2) of the file.
 *
 * CALL-pass hands locks to another process, which sleeps until it gets them, and back.  There are
 * three, so that nobody waits for one that it has just released.  The caller begins with 0 and 2
 * and the peer with 1; in turn k the caller releases lock 2k (modulo 3), for which the peer waits,
 * and waits for 2k + 1, which the peer then releases.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/file.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "common/memory.h"
#include "common/reason.h"

enum { LOCKS = 3, CALLS = 3 };

static int files[LOCKS], other; /* other: file 0 as somebody else has opened it */
static uint64_t turn;
static uint64_t *turns; /* of the peer, which both see */

static const struct bench_parameter parameters[] = {
	{ "call", BENCH_CHOICE, "fcntl flock ofd fcntl-pass flock-pass ofd-pass",
	  .fallback = "fcntl",
	  .help = "kind of lock; -pass: the lock goes to another process and back" },
	{ 0 }
};

static void open_files(void)
{
	static const char *const names[LOCKS] = { "a", "b", "c" };
	int directory = files_directory();

	for (unsigned i = 0; i < LOCKS; i++) {
		files[i] = openat(directory, names[i], O_RDWR | O_CREAT, 0600);
		if (files[i] < 0)
			err(1, "create a file in %s", files_path());
	}
	close(directory);
}

static int set_byte(int call, uint64_t i, bool locked)
{
	struct flock byte = {
		.l_type = locked ? F_WRLCK : F_UNLCK,
		.l_start = (off_t)i,
		.l_len = 1,
	};

	return fcntl(files[0], call, &byte);
}

static int set_own_byte(uint64_t i, bool locked)
{
	return set_byte(F_SETLKW, i, locked);
}

static int set_file(uint64_t i, bool locked)
{
	return flock(files[i], locked ? LOCK_EX : LOCK_UN);
}

static int set_open_byte(uint64_t i, bool locked)
{
	return set_byte(F_OFD_SETLKW, i, locked);
}

static int (*const calls[CALLS])(uint64_t, bool) = { set_own_byte, set_file, set_open_byte };

static int set(uint64_t i, bool locked)
{
	return calls[bench_choice(0) % CALLS](i % LOCKS, locked);
}

/* Gives lock i up and waits for lock i + 1, or the other way round. */
static void exchange(uint64_t give, uint64_t take)
{
	if (set(give, false) || set(take, true))
		err(1, "lock");
}

/* Opens the files anew: locks belong to an open file or to a process. */
static _Noreturn void reply(int ready)
{
	open_files();
	if (set(1, true) || write(ready, "", 1) != 1 || set(0, true))
		err(1, "lock");
	for (;; turn += 2) {
		++*turns;
		exchange(turn + 1, turn + 2);
	}
}

static const char *supported(void)
{
	const char *reason = files_supported();

	if (reason)
		return reason;
	open_files();
	other = files[0];
	open_files();
	return set(0, true) ? reason_errno("a lock") : NULL;
}

static void setup(void)
{
	int ready[2];
	char byte;

	if (bench_choice(0) < CALLS)
		return;
	turns = memory_shared(sizeof(*turns));
	if (pipe(ready))
		err(1, "pipe");
	if (set(0, true) || set(2, true))
		err(1, "lock");
	if (!bench_fork())
		reply(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		err(1, "read");
}

static void run(uint64_t n)
{
	if (turns)
		for (; n--; turn += 2)
			exchange(turn, turn + 1);
	else
		while (n--)
			exchange(0, 0);
}

/* True if nobody else can have lock 0. */
static bool is_locked(void)
{
	struct flock byte = { .l_type = F_WRLCK, .l_len = 1 };

	if (calls[bench_choice(0) % CALLS] == set_file)
		return flock(other, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
	/* A lock of an open file is nobody's. */
	return !fcntl(other, F_OFD_GETLK, &byte) && byte.l_type == F_WRLCK &&
	       (byte.l_pid == -1) == (calls[bench_choice(0) % CALLS] == set_open_byte);
}

static const char *check(uint64_t n)
{
	if (!turns)
		return is_locked() ? NULL : "the file is not locked";
	return *turns == turn / 2 ? NULL : "the peer had another number of turns";
}

const struct bench bench = {
	.summary = "Locking a file, or a byte of it, and unlocking it, alone or in turns.",
	.operation = "two calls; with -pass, four and two switches",
	.parameters = parameters,
	.parties = BENCH_TWO,
	.kernel_entries = 2,
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
};
