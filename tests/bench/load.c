/* SPDX-License-Identifier: MIT */
/*
 * load - concurrent programs whose bottleneck is known and can be changed, for the scripts beside
 * it:
 *
 *	load source WORK N [RARE [BYTES]] | load stage WORK | load sink WORK [RARE]
 *		a pipeline of N items; the ends work for one in RARE items, RARE times as long, by
 *		chance; a pipe of BYTES
 *	load client WORK N WINDOW
 *		sends N requests, WINDOW at a time, and reads the answers
 *	load convoy WORK N THREADS
 *		each thread holds one lock N times, and works as long without it
 *	load log WORK N FILE fsync|none
 *		appends N records
 *	load pool WORK N FILE THREADS
 *		the same by threads, which take turns to write
 *
 * WORK is in thousands of steps, about a microsecond each.
 */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITEM = 512 };

static long work_units, items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void work(void)
{
	volatile uint64_t x = 1;

	for (long i = 0; i < work_units * 1000; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
}

static int get(void)
{
	char item[ITEM];
	ssize_t n, done = 0;

	while (done < ITEM && (n = read(0, item + done, (size_t)(ITEM - done))) > 0)
		done += n;
	return done == ITEM;
}

static void put(void)
{
	char item[ITEM] = { 0 };

	if (write(1, item, ITEM) != ITEM)
		err(1, "write");
}

/* Of any RARE items one, by chance, which is the same in each run. */
static void work_rarely(long rare, uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	for (long n = 0; (*random >> 33) % (uint64_t)rare == 0 && n < rare; n++)
		work();
}

static void source(long rare, int bytes)
{
	uint64_t random = 1;

	if (bytes && fcntl(1, F_SETPIPE_SZ, bytes) < 0)
		err(1, "F_SETPIPE_SZ");
	for (long i = 0; i < items; i++) {
		work_rarely(rare, &random);
		put();
	}
}

static void sink(long rare)
{
	uint64_t random = 2;

	while (get())
		work_rarely(rare, &random);
}

static void client(long window)
{
	long sent = 0;

	for (long answers = 0; answers < items; answers++) {
		for (; sent < items && sent < answers + window; sent++) {
			work();
			put();
		}
		if (!get())
			err(1, "no answer");
	}
}

static void *hold(void *arg)
{
	for (long i = 0; i < items; i++) {
		pthread_mutex_lock(&lock);
		work();
		pthread_mutex_unlock(&lock);
		work();
	}
	return arg;
}

static void start(long threads, void *(*f)(void *))
{
	pthread_t t[64];

	for (long i = 0; i < threads && i < 64; i++)
		if (pthread_create(&t[i], NULL, f, NULL))
			errx(1, "no thread");
	for (long i = 0; i < threads && i < 64; i++)
		pthread_join(t[i], NULL);
}

static void append(const char *path, int sync)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	char item[ITEM] = { 0 };

	for (long i = 0; i < items; i++) {
		work();
		if (fd < 0 || write(fd, item, ITEM) != ITEM || (sync && fsync(fd)))
			err(1, "%s", path);
	}
	close(fd);
}

static int file = -1;
static long taken;

/* Takes the next record, works, and writes and syncs it. */
static void *take_turns(void *arg)
{
	char item[ITEM] = { 0 };

	for (;;) {
		pthread_mutex_lock(&lock);
		long mine = taken++;
		pthread_mutex_unlock(&lock);
		if (mine >= items)
			return arg;
		work();
		pthread_mutex_lock(&lock);
		if (write(file, item, ITEM) != ITEM)
			err(1, "write");
		pthread_mutex_unlock(&lock);
		if (fdatasync(file))
			err(1, "fdatasync");
	}
}

static void pool(const char *path, long threads)
{
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (file < 0)
		err(1, "%s", path);
	start(threads, take_turns);
}

int main(int argc, char **argv)
{
	const char *role = argc > 2 ? argv[1] : "";

	work_units = argc > 2 ? atol(argv[2]) : 0;
	items = argc > 3 ? atol(argv[3]) : 0;
	if (!strcmp(role, "source")) {
		source(argc > 4 ? atol(argv[4]) : 1, argc > 5 ? atoi(argv[5]) : 0);
	} else if (!strcmp(role, "stage")) {
		while (get()) {
			work();
			put();
		}
	} else if (!strcmp(role, "sink")) {
		sink(argc > 3 ? atol(argv[3]) : 1);
	} else if (!strcmp(role, "client") && argc == 5) {
		client(atol(argv[4]));
	} else if (!strcmp(role, "convoy") && argc == 5) {
		start(atol(argv[4]), hold);
	} else if (!strcmp(role, "log") && argc == 6) {
		append(argv[4], !strcmp(argv[5], "fsync"));
	} else if (!strcmp(role, "pool") && argc == 6) {
		pool(argv[4], atol(argv[5]));
	} else {
		errx(2,
		     "usage: load source|stage|sink|client|convoy|log|pool WORK ... (see load.c)");
	}
	return 0;
}
