/* SPDX-License-Identifier: MIT */
/*
 * lat_dir - makes, removes or finds a name in a directory that holds FILES others.
 *
 * The directory is warm: it has just been filled, and each batch uses the same names.  It lies
 * where no inodes were deleted a moment ago, see files_quick_directory; what a batch has made is
 * moved to another directory.  lookup finds 1024 of the FILES, in random order, whose names are
 * cached. Copies that share the directory have names of their own in it.
 */
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "stats/random.h"

enum { MOST = 1024 }; /* names in a batch that makes none */

static int directory, elsewhere;
static char names[MOST][FILES_NAME], target[] = FILES_FILE;

static bool make_file(const char *name)
{
	int fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	return fd >= 0 && !close(fd);
}

static bool make_link(const char *name)
{
	return !linkat(directory, target, directory, name, 0);
}

static bool make_symlink(const char *name)
{
	return !symlinkat(target, directory, name);
}

static bool make_directory(const char *name)
{
	return !mkdirat(directory, name, 0700);
}

static bool remove_file(const char *name)
{
	return !unlinkat(directory, name, 0);
}

static bool remove_directory(const char *name)
{
	return !unlinkat(directory, name, AT_REMOVEDIR);
}

static bool move_away(const char *name)
{
	enum { COPY = 40 }; /* bits: no copy moves as many */
	static uint64_t moved;
	char other[FILES_NAME];

	files_name(other, (uint64_t)bench_copy() << COPY | moved++);
	return !renameat(directory, name, elsewhere, other);
}

static bool find(const char *name)
{
	struct stat st;

	return !fstatat(directory, name, &st, 0) && S_ISREG(st.st_mode);
}

static const struct operation {
	bool (*act)(const char *name);
	bool (*undo)(const char *name);
	bool removes;
} operations[] = {
	{ make_file, move_away, false },
	{ remove_file, make_file, true },
	{ make_link, remove_file, false },
	{ make_symlink, move_away, false },
	{ make_directory, move_away, false },
	{ remove_directory, make_directory, true },
	{ find, NULL, false },
};
static const struct operation *operation;

static const struct bench_parameter parameters[] = {
	{ "operation", BENCH_CHOICE, "create unlink link symlink mkdir rmdir lookup",
	  .help = "call made for each name; create: open and close" },
	{ "files", BENCH_COUNT, "10 1000 100000", 1, 10000000, .fallback = "10", .axis = true,
	  .help = "other names in the directory" },
	{ 0 }
};

static void each(bool (*act)(const char *name), uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (!act(names[i]))
			err(1, "%s", names[i]);
}

static int new_directory(int parent, const char *name)
{
	int fd = mkdirat(parent, name, 0700) ? -1 : openat(parent, name, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		err(1, "a directory in %s", files_path());
	return fd;
}

static void setup(void)
{
	operation = &operations[bench_choice(0)];
	int place = files_quick_directory();
	directory = new_directory(place, "directory");
	elsewhere = new_directory(place, "elsewhere");
	if (close(openat(directory, target, O_CREAT | O_EXCL | O_WRONLY, 0600)))
		err(1, "a file in %s", files_path());
	files_fill(directory, bench_number(1));
}

/* After copies have parted. */
static void choose_names(void)
{
	struct random rng;

	random_seed(&rng, random_fresh_seed());
	for (unsigned i = 0; i < MOST; i++)
		if (operation->undo)
			snprintf(names[i], sizeof(names[i]), "new%u-%u", (unsigned)bench_copy(), i);
		else
			files_name(names[i], random_below(&rng, bench_number(1)));
	if (!operation->undo)
		each(find, MOST);
}

static void prepare(uint64_t n)
{
	if (!*names[0])
		choose_names();
	if (operation->removes)
		each(operation->undo, n);
}

static void run(uint64_t n)
{
	each(operation->act, n);
}

static const char *check(uint64_t n)
{
	struct stat st;
	bool first = !fstatat(directory, names[0], &st, AT_SYMLINK_NOFOLLOW);
	bool last = !fstatat(directory, names[n - 1], &st, AT_SYMLINK_NOFOLLOW);

	if (first == operation->removes || last == operation->removes)
		return "names are missing, or still there";
	if (operation->undo && !operation->removes)
		each(operation->undo, n);
	return NULL;
}

static uint64_t limit(void)
{
	return operation->undo ? FILES_FEW : MOST;
}

static const char *shares(void)
{
	return "the directory";
}

const struct bench bench = {
	.summary = "Making, removing or finding a name in a directory of FILES names.",
	.operation = "one call; for create, open and close",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = files_supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.limit = limit,
	.shares = shares,
};
