/* SPDX-License-Identifier: MIT */
/* Fuzzes the .ktr reader: the input as a file, and as the payload of a sound block. */
#include "trace/format/ktr/ktr.h"

#include <fcntl.h>

#include "trace/format/ktr/ktr_block.h"
#include "trace/format/ktr/ktr_record.h"

#include "fuzz.h"

/* Writes each event again, so that a sanitizer sees every byte of it. */
static void read_all(const void *data, size_t n)
{
	struct source *s = source_open_memory(data, n, "fuzz", NULL);
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	size_t events = 0;
	struct event e;

	if (s) {
		struct ktr_writer *w = ktr_writer_new(fd, source_info(s), NULL);

		for (; source_next(s, &e, NULL) == 1; events++)
			/* Each takes at least a byte; so does the header in front of a gap. */
			if (events > n || ktr_write(w, &e, NULL) < 0)
				abort();
		if (source_losses(s)->torn_bytes > n || ktr_writer_free(w, NULL) < 0)
			abort();
	}
	close(fd);
	source_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	unsigned char *file = xcalloc(1, KTR_HEADER + n);

	read_all(data, n);
	memcpy(file, KTR_MAGIC, sizeof(KTR_MAGIC) - 1);
	ktr_put(file + KTR_AT_VERSION, KTR_VERSION, 2);
	ktr_put(file + KTR_AT_HEADER_LENGTH, KTR_HEADER, 2);
	ktr_put(file + KTR_AT_PAYLOAD_LENGTH, n, 4);
	ktr_put(file + KTR_AT_PAYLOAD_CRC, crc32c(data, n), 4);
	ktr_put(file + KTR_AT_ABI, n ? 1 + data[n - 1] % 3 : 1, 1);
	ktr_put(file + KTR_AT_OS, os_linux.number, 1);
	ktr_put(file + KTR_AT_HEADER_CRC, crc32c(file, KTR_AT_HEADER_CRC), 4);
	if (n)
		memcpy(file + KTR_HEADER, data, n);
	read_all(file, KTR_HEADER + n);
	free(file);
	return 0;
}

/* A payload with every record. */
/* clang-format off */
static const unsigned char payload[] = {
	KTR_INFO, 14, 3, 1, 'p', 0, 1, 'h', 0, 3, 'l', 's', ' ', 0, 0, 0,
	KTR_THREAD, 2, 8, 9,
	KTR_CALL, 7, 1, 4, 'r', 'e', 'a', 'd', 0,
	KTR_CALL, 15, 0x81, 8, 11, 's', 'y', 's', 'c', 'a', 'l', 'l', '_', '1', '0', '2', 0,
	KTR_SYSCALL | 22, 0x7f, 0, 20, 6, 0, 5, 6, 9, 9, 12, 3, 7, 2, '/', 'x', 0, 4, '3', ',', ' ',
	'4', 0,
	KTR_SYSCALL | 4, 0, 1, 2, 0,
	KTR_EVENT + EVENT_SWITCH, 7, 0, 2, 1, 0, 3, 4, 2,
	KTR_EVENT + EVENT_WAKE, 5, 0, 2, 9, 1, 1,
	KTR_EVENT + EVENT_FORK, 5, 0, 2, 10, 11, 1,
	KTR_EVENT + EVENT_EXEC, 5, 0, 2, 1, 'a', 0,
	KTR_EVENT + EVENT_EXIT, 5, 0, 2, 0x80, 2, 1,
	KTR_EVENT + EVENT_FD, 7, 0, 2, 3, 1, 1, 'f', 0,
	KTR_EVENT + EVENT_LOST, 5, 0, 2, 7, 9, 1,
	KTR_EVENT + EVENT_CLOCK, 4, 0, 2, 0x80, 1,
	KTR_EVENT + EVENT_MARK, 8, 0, 2, 1, 1, 'q', 0, 5, 6,
	KTR_EVENT + EVENT_SIGNAL, 3, 0, 2, 22,
	KTR_EVENT + EVENT_FAULT, 5, 0, 2, 9, 1, 0,
	KTR_EVENT + EVENT_URING, 11, 0, 2, 1, 3, 9, 5, 8, 6, 4, 1, 2,
	KTR_EVENT + EVENT_INTERRUPT, 6, 0, 2, 1, 3, 0, 9,
	KTR_EVENT + EVENT_BLOCK, 7, 0, 2, 1, 1, 8, 9, 10,
	KTR_EVENT + EVENT_COMM, 5, 0, 2, 1, 'c', 0,
	KTR_EVENT + EVENT_CGROUP, 5, 0, 2, 1, '/', 0,
	KTR_EVENT + EVENT_ATTACH, 3, 0, 2, 1,
	KTR_NAME, 4, 2, '/', 'a', 0, KTR_STACK, 3, 0, 2, 0,
	KTR_EVENT + EVENT_ADDRESS, 11, 0, 2, 3, 4, 127, 0, 0, 1, 80, 0, 0,
};
/* clang-format on */

static const struct fuzz_seed seeds[] = { { payload, sizeof(payload) } };

FUZZ_MAIN(seeds)
