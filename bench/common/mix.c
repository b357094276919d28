/* SPDX-License-Identifier: MIT */
#include "mix.h"

#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/caches.h"

extern const struct bench bench;

const struct bench_parameter mix_parameters[] = {
	{ "footprint", BENCH_SIZE, "0 16k 64k 256k", 0, CACHES_CODE, .fallback = "64k",
	  .axis = true, .help = "bytes of data and of code that the program touches after a call" },
	{ 0 }
};

char mix_buffer[MIX_SIZE];
static int file;

static void mix(uint64_t n, bool with_calls)
{
	uint64_t footprint = bench_number(0);
	struct error e;

	for (uint64_t i = 0; i < n; i++)
		for (const struct bench_step *s = bench.sequence; s->call; s++) {
			if (with_calls)
				s->call(i);
			if (caches_touch(footprint, &e))
				errx(1, "%s", e.text);
		}
}

void mix_run(uint64_t n)
{
	mix(n, true);
}

void mix_overhead(uint64_t n)
{
	mix(n, false);
}

void mix_make_file(void)
{
	char path[] = MIX_PATH;

	if (chdir(files_path()))
		err(1, "%s", files_path());
	for (char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(path, 0700))
			err(1, "mkdir");
		*p = '/';
	}
	file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	memset(mix_buffer, FILES_BYTE, MIX_SIZE);
	if (file < 0 || write(file, mix_buffer, MIX_SIZE) != MIX_SIZE || close(file))
		err(1, "write %s", path);
}

void mix_open(uint64_t i)
{
	(void)i;
	file = open(MIX_PATH, O_RDONLY);
	if (file < 0)
		err(1, "open");
}

void mix_fstat(uint64_t i)
{
	struct stat st;

	(void)i;
	if (fstat(file, &st) || st.st_size != MIX_SIZE)
		errx(1, "fstat: not the size of the file");
}

void mix_read(uint64_t i)
{
	(void)i;
	if (pread(file, mix_buffer, MIX_SIZE, 0) != MIX_SIZE || mix_buffer[0] != FILES_BYTE)
		errx(1, "pread: not the file");
	mix_buffer[0] = 0;
}

void mix_close(uint64_t i)
{
	(void)i;
	if (close(file))
		err(1, "close");
}
