/* SPDX-License-Identifier: MIT */
/*
 * stream.h - bytes to a partner process that reads and counts them: what the bandwidth benchmarks
 * over a channel (bw_pipe, bw_unix, bw_tcp) share.
 */
#ifndef STREAM_H
#define STREAM_H

#include "measure/channel.h"

/* Connects a partner that reads what it is sent, at most size bytes a read. */
void stream_start(enum channel_kind kind, size_t size);
/* Announces n transfers to the partner. */
void stream_batch(uint64_t n);
/* n transfers of size bytes; returns when the partner has read and counted the last byte. */
void stream_run(uint64_t n);
/* Whether all bytes of n transfers arrived: NULL, or what is wrong. */
const char *stream_check(uint64_t n);
void stream_stop(void);

#endif
