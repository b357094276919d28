/* SPDX-License-Identifier: MIT */
/* bpf_ring.h - the layout of a BPF ring buffer, whose records are those of records.h. */
#ifndef BPF_RING_H
#define BPF_RING_H

#include "record/stream/rings.h"

extern const struct ring_layout bpf_ring;

#endif
