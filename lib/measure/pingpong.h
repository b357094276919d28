/* SPDX-License-Identifier: MIT */
/*
 * pingpong.h - a message to a partner process and its answer back, over any channel: what the round
 * trip benchmarks (lat_pipe, lat_unix, lat_tcp, lat_udp) share.
 */
#ifndef PINGPONG_H
#define PINGPONG_H

#include "measure/channel.h"

/* Connects a partner process that answers each message of size bytes by one of the same size. */
void pingpong_start(enum channel_kind kind, size_t size);
/* n round trips; ends the program when an answer is not the one to the message sent. */
void pingpong_run(uint64_t n);
void pingpong_stop(void);

#endif
