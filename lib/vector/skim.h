/* SPDX-License-Identifier: MIT */
/*
 * skim.h - the costs of an OS vector without its raw values, read twenty times faster.
 *
 * A vector is read for its costs alone when a thousand machines are ranked; most of its file is raw
 * values and text.  The skimmer walks the text once and keeps what a price needs.  It knows only
 * the form in which osvec_write writes and leaves everything else to osvec_read: what it accepts,
 * osvec_read accepts, with the same costs (tests/skim.c, tests/fuzz/skim.c); only a name that comes
 * twice in meta escapes it.
 */
#ifndef SKIM_H
#define SKIM_H

#include <stddef.h>

#include "util/error.h"
#include "vector/osvec.h"

/*
 * As osvec_read, but the entries have no values, rounds, modes, program, operation, placement and
 * flags (NULL), nothing is skipped, and meta holds only which machine it is (host, kernel, processor).
 * A file that is not of the usual form comes back whole.
 */
struct osvec *skim_read(const char *path, struct error *e);

/* The same from text[n], which has a NUL behind it; NULL when it is not of the usual form. */
struct osvec *skim_parse(const char *text, size_t n, const char *name);

#endif
