/* SPDX-License-Identifier: MIT */
/*
 * lat_fs - creates small files in one directory, or deletes them in the order of their creation, in
 * reverse order or in random order.
 *
 * Each batch has a new directory, empty or with files just created and not yet written to the disk.
 * No file has been deleted shortly before nearby.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "stats/random.h"
#include "util/xalloc.h"

enum { CREATE, DELFORW, DELREV, DELRAND };

static char names[FILES_FEW][16];
static size_t order[FILES_FEW];
static uint64_t size;	     /* bytes in a file */
static int place, directory; /* of all batches; of this one */
static char *content;
static struct random rng;

static const struct bench_parameter parameters[] = {
	{ "operation", BENCH_CHOICE, "create delforw delrev delrand",
	  .help = "create files, or delete them forwards, in reverse or in random order" },
	{ "size", BENCH_SIZE, "0 1k 4k 10k", 0, 16 << 20, .fallback = "0", .axis = true,
	  .help = "bytes in a file" },
	{ 0 }
};

static const char *supported(void)
{
	return files_reason(FILES_FEW * bench_number(1));
}

static void create(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		int fd = openat(directory, names[i], O_WRONLY | O_CREAT | O_EXCL, 0600);

		if (fd < 0)
			err(1, "create a file");
		if (size && write(fd, content, size) != (ssize_t)size)
			err(1, "write a new file");
		if (close(fd))
			err(1, "close a new file");
	}
}

static void setup(void)
{
	size = bench_number(1);
	content = xcalloc(size, 1);
	random_seed(&rng, random_fresh_seed());
	for (unsigned i = 0; i < FILES_FEW; i++) {
		snprintf(names[i], sizeof(names[i]), "f%u", i);
		order[i] = i;
	}
	place = files_quick_directory();
	directory = -1;
}

static void delete (uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (unlinkat(directory, names[order[i]], 0))
			err(1, "delete a file");
}

static void run(uint64_t n)
{
	if (bench_choice(0) == CREATE)
		create(n);
	else
		delete (n);
}

static void prepare(uint64_t n)
{
	static unsigned batches;
	char name[16];

	if (directory >= 0)
		close(directory);
	snprintf(name, sizeof(name), "%u", batches++);
	directory = mkdirat(place, name, 0700)
			? -1
			: openat(place, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		err(1, "create a directory");
	if (bench_choice(0) == CREATE)
		return;
	for (uint64_t i = 0; i < n; i++)
		order[i] = bench_choice(0) == DELREV ? n - 1 - i : i;
	if (bench_choice(0) == DELRAND)
		random_shuffle(&rng, order, n);
	create(n);
}

static const char *check(uint64_t n)
{
	struct stat first, last;
	bool has_first = !fstatat(directory, names[0], &first, 0);
	bool has_last = !fstatat(directory, names[n - 1], &last, 0);

	if (bench_choice(0) != CREATE)
		return has_first || has_last ? "deleted files are still there" : NULL;
	return has_first && has_last && first.st_size == (off_t)size && last.st_size == (off_t)size
		   ? NULL
		   : "created files are missing or incomplete";
}

static uint64_t limit(void)
{
	return FILES_FEW;
}

const struct bench bench = {
	.summary = "Creating or deleting files of SIZE bytes in a new directory.",
	.operation =
	    "one file created (open, write, close) or deleted (unlink) soon after its creation",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.limit = limit,
};
