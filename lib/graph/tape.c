/* SPDX-License-Identifier: MIT */
#include "graph/tape.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/vec.h"

enum {
	PAGE = 1 << 14, /* pieces */
	PAGES_MOST = (256 << 20) / (PAGE * (int)sizeof(struct piece)),
};

struct tape_page {
	struct piece *v; /* NULL: only in the file */
	bool used, changed;
};

static const size_t page_bytes = PAGE * sizeof(struct piece);

/* ---- the file ---- */

static void open_file(struct tape *t)
{
	const char *directory = getenv("TMPDIR");
	char *path =
	    xasprintf("%s/osvec-graph-XXXXXX", directory && *directory ? directory : "/tmp");
	int fd = mkstemp(path);

	if (fd < 0)
		t->failure = errno;
	else
		unlink(path);
	t->fd = fd + 1;
	free(path);
}

/* Copies a page between memory and the file.  An error is noted in t->failure, and a page that
 * could not be read is zeroed. */
static void transfer(struct tape *t, size_t number, bool out)
{
	char *p = (char *)t->pages[number].v;
	off_t at = (off_t)(number * page_bytes);

	for (size_t done = 0; done < page_bytes;) {
		ssize_t got = out ? pwrite(t->fd - 1, p + done, page_bytes - done, at + (off_t)done)
				  : pread(t->fd - 1, p + done, page_bytes - done, at + (off_t)done);

		if (got <= 0 && errno != EINTR) {
			t->failure = got ? errno : EIO;
			if (!out)
				memset(p + done, 0, page_bytes - done);
			return;
		}
		done += got > 0 ? (size_t)got : 0;
	}
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
			transfer(t, t->hand % t->npages, true);
		p->v = NULL;
		return v;
	}
}

static struct tape_page *page(struct tape *t, size_t number)
{
	struct tape_page *p = &t->pages[number];
	size_t most = t->most ? t->most : PAGES_MOST;

	p->used = true;
	if (p->v)
		return p;
	bool full = t->resident >= (most < 3 ? 3 : most);
	struct piece *v = full ? evict(t) : xmalloc(page_bytes);
	t->resident += !full;
	p->v = v;
	if (number * PAGE < t->n && t->fd)
		transfer(t, number, false);
	p->changed = false;
	return p;
}

uint64_t tape_append(struct tape *t, const struct piece *piece)
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
	p->v[t->n % PAGE] = *piece;
	return t->n++;
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
	if (t->fd)
		close(t->fd - 1);
	*t = (struct tape){ .most = t->most };
}
