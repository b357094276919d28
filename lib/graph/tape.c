/* SPDX-License-Identifier: MIT */
#include "graph/tape.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/vec.h"

enum {
	MEMORY = 2 << 20, /* bytes: of a page; a huge page of most machines */
	PAGES_MOST = (64 << 20) / MEMORY,
	PAGE = MEMORY / sizeof(struct piece), /* pieces */
	WORDS = sizeof(struct piece) / 8,
	LENGTHS = 3, /* bytes: how many bytes each word takes, 4 bits each */
	SLACK = 8,   /* bytes that may be read and written behind the last word */
	PACKED_MOST = PAGE * (LENGTHS + WORDS * 8) + SLACK,
};

struct tape_page {
	struct piece *v; /* NULL: only in the file */
	bool used, changed;
	uint32_t packed; /* bytes in the file */
};

static const size_t page_bytes = PAGE * sizeof(struct piece);

/* ---- packing ---- */

/*
 * In the file each word of a piece is stored as the bits in which it differs from that of the piece
 * before, without leading zero bytes.  Most words of a trace are nearly those of the piece before.
 */

static_assert(WORDS * 8 == sizeof(struct piece) && WORDS <= 2 * LENGTHS, "words and lengths");

/* Packs a page.  Returns the number of bytes. */
static size_t pack(unsigned char *out, const struct piece *v)
{
	uint64_t before[WORDS] = { 0 }, now[WORDS];
	unsigned char *p = out;

	for (size_t i = 0; i < PAGE; i++) {
		unsigned char *lengths = p;
		uint32_t all = 0;

		memcpy(now, &v[i], sizeof(now));
		p += LENGTHS;
		for (int k = 0; k < WORDS; k++) {
			uint64_t n = now[k] ^ before[k], little = htole64(n);
			uint32_t length = n ? (71 - (uint32_t)__builtin_clzll(n)) / 8 : 0;

			memcpy(p, &little, sizeof(little));
			p += length;
			all |= length << 4 * k;
			before[k] = now[k];
		}
		all = htole32(all);
		memcpy(lengths, &all, LENGTHS);
	}
	return (size_t)(p - out);
}

/* The opposite. */
static void unpack(struct piece *v, const unsigned char *p)
{
	uint64_t n[WORDS] = { 0 };

	for (size_t i = 0; i < PAGE; i++) {
		uint32_t all;

		memcpy(&all, p, sizeof(all));
		all = le32toh(all);
		p += LENGTHS;
		for (int k = 0; k < WORDS; k++, all >>= 4) {
			uint32_t length = all & 15;
			uint64_t little;

			memcpy(&little, p, sizeof(little));
			n[k] ^= length ? le64toh(little) & UINT64_MAX >> (64 - 8 * length) : 0;
			p += length;
		}
		memcpy(&v[i], n, sizeof(n));
	}
}

/* ---- the file ---- */

static void open_file(struct tape *t)
{
	const char *directory = getenv("TMPDIR");
	char *path =
	    xasprintf("%s/osvec-graph-XXXXXX", directory && *directory ? directory : "/tmp");
	int fd = mkstemp(path);

	if (fd < 0) {
		t->failure = errno;
	} else {
		unlink(path);
		t->packed = xcalloc(1, PACKED_MOST);
	}
	t->fd = fd + 1;
	free(path);
}

/* Copies a packed page between memory and the file, where each page has room for the longest.  An
 * error is noted in t->failure. */
static void transfer(struct tape *t, size_t number, bool out)
{
	size_t n = t->pages[number].packed;
	off_t at = (off_t)number * PACKED_MOST;

	for (size_t done = 0; done < n;) {
		ssize_t got = out ? pwrite(t->fd - 1, t->packed + done, n - done, at + (off_t)done)
				  : pread(t->fd - 1, t->packed + done, n - done, at + (off_t)done);

		if (!got || (got < 0 && errno != EINTR)) {
			t->failure = got ? errno : EIO;
			return;
		}
		done += got > 0 ? (size_t)got : 0;
	}
}

static void write_page(struct tape *t, size_t number)
{
	t->pages[number].packed = (uint32_t)pack(t->packed, t->pages[number].v);
	transfer(t, number, true);
}

/* After an error the page is zeroed, since anything may be in the file. */
static void read_page(struct tape *t, size_t number)
{
	transfer(t, number, false);
	if (t->failure)
		memset(t->pages[number].v, 0, page_bytes);
	else
		unpack(t->pages[number].v, t->packed);
}

/* ---- pages ---- */

/* Returns the memory of a page that was not used since the clock hand last passed it (CLOCK page
 * replacement).  The last page stays, because it is being filled. */
static struct piece *evict(struct tape *t)
{
	for (;; t->hand++) {
		struct tape_page *p = &t->pages[t->hand % t->npages];
		struct piece *v = p->v;

		if (!v || t->hand % t->npages == t->npages - 1)
			continue;
		if (p->used) {
			p->used = false;
			continue;
		}
		if (!t->fd)
			open_file(t);
		if (p->changed && t->fd)
			write_page(t, t->hand % t->npages);
		p->v = NULL;
		return v;
	}
}

/* Huge pages, because page faults took more time than all that is done to the pieces. */
static struct piece *new_memory(void)
{
	struct piece *v = aligned_alloc(MEMORY, MEMORY);

	if (!v)
		return xmalloc(page_bytes);
	madvise(v, MEMORY, MADV_HUGEPAGE);
	return v;
}

static void bring_in(struct tape *t, size_t number)
{
	struct tape_page *p = &t->pages[number];
	size_t most = t->most ? t->most : PAGES_MOST;
	bool full = t->resident >= (most < 3 ? 3 : most);
	struct piece *v = full ? evict(t) : new_memory();

	t->resident += !full;
	p->v = v;
	if (number * PAGE < t->n && t->fd)
		read_page(t, number);
	p->changed = false;
}

static inline struct tape_page *page(struct tape *t, size_t number)
{
	t->pages[number].used = true;
	if (!t->pages[number].v)
		bring_in(t, number);
	return &t->pages[number];
}

struct piece *tape_append(struct tape *t)
{
	size_t number = t->n / PAGE;

	if (number == t->npages) {
		struct {
			struct tape_page *v;
			size_t n, cap;
		} pages = { t->pages, t->npages, t->cap };

		vec_push(&pages, (struct tape_page){ 0 });
		t->pages = pages.v;
		t->npages = pages.n;
		t->cap = pages.cap;
	}
	struct tape_page *p = page(t, number);
	p->changed = true;
	return &p->v[t->n++ % PAGE];
}

struct piece *tape_at(struct tape *t, uint64_t number)
{
	struct tape_page *p = page(t, number / PAGE);

	p->changed = true;
	return &p->v[number % PAGE];
}

const struct piece *tape_read(struct tape *t, uint64_t number)
{
	return &page(t, number / PAGE)->v[number % PAGE];
}

int tape_check(const struct tape *t, struct error *e)
{
	if (!t->failure)
		return 0;
	return error_set(e, "temporary file of the graph: %s (TMPDIR says where it is)",
			 strerror(t->failure));
}

void tape_free(struct tape *t)
{
	for (size_t i = 0; i < t->npages; i++)
		free(t->pages[i].v);
	free(t->pages);
	free(t->packed);
	if (t->fd)
		close(t->fd - 1);
	*t = (struct tape){ .most = t->most };
}
