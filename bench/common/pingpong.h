/* SPDX-License-Identifier: MIT */
/*
 * pingpong.h - the round trip benchmarks lat_pipe, lat_unix, lat_tcp and lat_udp: a message of SIZE
 * bytes to a partner process, and its answer of the same size, over one kind of channel.
 */
#ifndef PINGPONG_H
#define PINGPONG_H

#include "channel.h"

/* The whole program: bench_main for this kind. */
int pingpong_main(int argc, char **argv, enum channel_kind kind, const char *summary);

#endif
