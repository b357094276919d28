/* SPDX-License-Identifier: MIT */
#include "trace/losses.h"

static const struct {
	const char *counter, *one, *many;
} loss_classes[LOST_CLASSES] = {
	[LOST_UNKNOWN] = { "missing_calls", "call missing", "calls missing" },
	[LOST_UNMATCHED] = { "unfinished_calls", "call unfinished", "calls unfinished" },
	[LOST_RING_FULL] = { "lost_records", "record lost", "records lost" },
	[LOST_UNTRACED_CHILD] = { "untraced_children", "child not traceable",
				  "children not traceable" },
	[LOST_UNREADABLE] = { "unreadable_arguments", "argument unreadable",
			      "arguments unreadable" },
	[LOST_UNSEEN] = { "io_uring_operations", "io_uring operation not seen",
			  "io_uring operations not seen" },
	[LOST_POLLED] = { "polled_io_urings", "polled io_uring not seen",
			  "polled io_urings not seen" },
	[LOST_SWITCHES] = { "unseen_switches", "context switch not seen",
			    "context switches not seen" },
};

const char *loss_text(enum loss_class class, uint64_t n)
{
	return n == 1 ? loss_classes[class].one : loss_classes[class].many;
}

const char *loss_counter(enum loss_class class)
{
	return loss_classes[class].counter;
}
