/* SPDX-License-Identifier: MIT */
/* session.h - the side of `hbench peer` that works for one benchmark, in a process of its own. */
#ifndef SESSION_H
#define SESSION_H

#include <stdint.h>

#include "handshake.h"

/* Whether a peer does what the request wants: kind, size and number of channels. */
bool session_is_possible(const struct request *r);
/* Answers a request over fd that was not taken. */
void session_refuse(int fd, const struct handshake *h, enum answer_status status);
/* Opens the channels wanted, on the host address of fd, and works until the benchmark closes fd or
 * so many bytes were moved; ends the process: 0, 1 after an error, WORK_SPENT. */
_Noreturn void session_serve(int fd, const struct handshake *h, uint64_t bytes);

#endif
