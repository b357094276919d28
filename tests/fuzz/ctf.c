/* SPDX-License-Identifier: MIT */
/* Fuzzes the reader of CTF: the input as a file of events, and as metadata. */
#include "trace/source.h"

#include "../ctf_folder.h"
#include "events.h"
#include "fuzz.h"

static void read_folder(const char *folder, size_t n)
{
	struct source *s = source_open(folder, NULL);

	if (!s)
		return;
	touch_all(s, 100 * n + 1000);
	source_close(s);
}

static struct ctf_file files[2];
static char *folder;

static void remove_folder(void)
{
	ctf_remove_folder(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static bool was_text = true;
	bool is_text = n && data[0] == '/';

	if (!folder) {
		folder = ctf_new_folder();
		atexit(remove_folder);
		ctf_story(&files[0], &files[1], false);
		ctf_write_file(folder, "cpu0", files[0].data, files[0].n);
		ctf_write_file(folder, "cpu1", files[1].data, files[1].n);
	}
	/* The other file is as it should be, and stays if it is already. */
	if (is_text && !was_text)
		ctf_write_file(folder, "cpu0", files[0].data, files[0].n);
	if (!is_text && was_text)
		ctf_write_metadata(folder, false, "");
	ctf_write_file(folder, is_text ? "metadata" : "cpu0", data, n);
	was_text = is_text;
	read_folder(folder, n);
	return 0;
}

static struct fuzz_seed seeds[2];

__attribute__((constructor)) static void make_seeds(void)
{
	static struct ctf_file cpu0, cpu1;
	static char metadata[sizeof(ctf_metadata) + 100];

	ctf_story(&cpu0, &cpu1, false);
	snprintf(metadata, sizeof(metadata), ctf_metadata, "le",
		 "event.context := struct { uint32_t _tid; };");
	seeds[0] = (struct fuzz_seed){ cpu0.data, cpu0.n };
	seeds[1] = (struct fuzz_seed){ metadata, strlen(metadata) };
}

FUZZ_MAIN(seeds)
