/* SPDX-License-Identifier: MIT */
/*
 * ktr.h - the trace file format of this project (docs/ktr.5).
 *
 * A sequence of self-contained blocks, each with magic, version, stream, clock, time base, record
 * count, length and CRC32C; delta-varint records inside.  A torn file is readable up to its last
 * whole block.
 */
#ifndef KTR_H
#define KTR_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/event.h"
#include "trace/source.h"
#include "util/error.h"

struct ktr_writer;

/*
 * Starts a trace on fd, which stays the caller's.  Of info, recorder, host, command, kernel,
 * host_id, cpu, boot, abi, clock, stream, call_cost, aggregated and the has_ fields are stored; the
 * others are about a file read.  Calls that could not be written are added to *unwritten, unless
 * that is NULL.
 */
struct ktr_writer *ktr_writer_new(int fd, const struct source_info *info, uint64_t *unwritten);
/*
 * Adds one event; whole blocks are written as they fill.  Strings are cut at 65535 bytes and a
 * NULL name or command is read back as "".  0, or -1 and *e: of the block at hand what the file has
 * room for is written, and the rest is lost, which a reader will notice.
 */
int ktr_write(struct ktr_writer *w, const struct event *event, struct error *e);
/* Writes what is buffered as a block (the recorder calls this once a second).  0, or -1 and *e. */
int ktr_flush(struct ktr_writer *w, struct error *e);
/* Writes the last block, which says that the trace is complete, and frees.  0, or -1 and *e. */
int ktr_writer_free(struct ktr_writer *w, struct error *e);

#endif
