/* SPDX-License-Identifier: MIT */
/*
 * ktr.h - writes the trace file format of this project (docs/ktr.5).
 *
 * A file is a sequence of blocks, each of which can be read alone: it has magic, version, stream,
 * clock, time base, number of records, length and CRC32C, followed by records whose times are
 * differences.  A file that was cut off can be read up to its last whole block.
 */
#ifndef KTR_KTR_H
#define KTR_KTR_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/event.h"
#include "trace/source.h"
#include "util/error.h"

struct ktr_writer;

/*
 * Starts a trace on fd, which stays the caller's.  Returns a writer, to be freed with
 * ktr_writer_free().  Of *info it stores recorder, host, command, kernel, host_id, cpu, boot, abi,
 * clock, stream, call_cost, aggregated and the has_ fields; the others are about a file that is
 * read. Calls that cannot be written are added to *unwritten, unless that is NULL.
 */
struct ktr_writer *ktr_writer_new(int fd, const struct source_info *info, uint64_t *unwritten);
/*
 * Adds an event; blocks are written when they are full.  Strings are cut at 65535 bytes, and a NULL
 * name or command is read back as "".  Returns 0, or -1 and sets *e: then as much of the block is
 * written as the file has room for, and the rest is lost, which a reader will notice.
 */
int ktr_write(struct ktr_writer *w, const struct event *event, struct error *e);
/* Writes what is buffered as a block; recorders call it once a second.  Returns 0, or -1 and sets
 * *e. */
int ktr_flush(struct ktr_writer *w, struct error *e);
/* Writes the last block, which says that the trace is complete, and frees w.  Returns 0, or -1 and
 * sets *e, unless that is NULL. */
int ktr_writer_free(struct ktr_writer *w, struct error *e);
/* Frees w.  What it has not written is lost. */
void ktr_writer_drop(struct ktr_writer *w);

#endif
