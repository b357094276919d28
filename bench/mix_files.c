/* SPDX-License-Identifier: MIT */
/*
 * mix_files - what a compiler or an editor does with a file: looks for it where it is not, opens
 * and reads it (4 KB), writes a new one under another name, and renames that.  The program works
 * after each call (FOOTPRINT).
 *
 * New files stay, each batch in a directory of its own, for deleted ones would make the next more
 * expensive (see lat_fs).
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mix.h"

enum { MOST = 256 };

static const char missing[] = "d/d/d/d/d/d/d/missing";
static char names[MOST][2][16];
static int directory = -1, created;

static void miss_stat(uint64_t i)
{
	struct stat st;

	if (!stat(missing, &st) || errno != ENOENT)
		errx(1, "stat: a file that is not there");
}

static void miss_open(uint64_t i)
{
	if (open(missing, O_RDONLY) >= 0 || errno != ENOENT)
		errx(1, "open: a file that is not there");
}

static void create(uint64_t i)
{
	created = openat(directory, names[i][0], O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (created < 0)
		err(1, "create a file");
}

static void write_file(uint64_t i)
{
	if (write(created, mix_buffer, MIX_SIZE) != MIX_SIZE)
		err(1, "write a new file");
}

static void close_created(uint64_t i)
{
	if (close(created))
		err(1, "close a new file");
}

static void rename_file(uint64_t i)
{
	if (renameat(directory, names[i][0], directory, names[i][1]))
		err(1, "rename");
}

static const struct bench_step sequence[] = {
	{ miss_stat, "lat_path_enoent_8" },
	{ miss_open, "lat_path_missing_8" },
	{ mix_open, "lat_path_open_8" },
	{ mix_fstat, "lat_syscall_fstat" },
	{ mix_read, "bw_file_read_4k" },
	{ mix_close, NULL },
	{ create, "lat_fs_create_0" },
	{ write_file, "bw_file_append_4k" },
	{ close_created, NULL },
	{ rename_file, "lat_rename" },
	{ 0 },
};

static const char *supported(void)
{
	return files_reason(MOST * MIX_SIZE);
}

static void setup(void)
{
	mix_make_file();
	for (unsigned i = 0; i < MOST; i++) {
		snprintf(names[i][0], sizeof(names[i][0]), "new%u", i);
		snprintf(names[i][1], sizeof(names[i][1]), "file%u", i);
	}
}

static void prepare(uint64_t n)
{
	if (directory >= 0)
		close(directory);
	directory = files_new_directory();
}

static const char *check(uint64_t n)
{
	struct stat st;

	for (uint64_t i = 0; i < n; i++)
		if (fstatat(directory, names[i][1], &st, 0) || st.st_size != MIX_SIZE)
			return "created files are missing or incomplete";
	return NULL;
}

static uint64_t limit(void)
{
	return MOST;
}

const struct bench bench = {
	.summary =
	    "The calls of a program that reads a file and writes one, with its work between.",
	.operation =
	    "stat and open of no file; open, fstat, read, close; create, write, close, rename",
	.parameters = mix_parameters,
	.sequence = sequence,
	.kernel_entries = 10,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = mix_run,
	.overhead = mix_overhead,
	.check = check,
	.limit = limit,
};
