/* SPDX-License-Identifier: MIT */
/*
 * stream.h - the bandwidth benchmarks bw_pipe, bw_unix and bw_tcp: bytes to a partner process that
 * reads and counts them, SIZE at a time, over one kind of channel.
 */
#ifndef STREAM_H
#define STREAM_H

#include "channel.h"

/* The whole program: bench_main for this kind. */
int stream_main(int argc, char **argv, enum channel_kind kind, const char *summary);

#endif
