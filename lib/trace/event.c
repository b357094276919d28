/* SPDX-License-Identifier: MIT */
#include "trace/event.h"

const char *fault_kind_name(enum fault_kind kind)
{
	static const char *const names[FAULT_KINDS] = {
		[FAULT_UNKNOWN] = "unknown", [FAULT_READ] = "read", [FAULT_WRITE] = "write",
		[FAULT_EXECUTE] = "execute", [FAULT_COPY] = "copy",
	};

	return names[kind];
}

void fault_set_x86(struct event *e, uint64_t address, uint64_t code)
{
	enum { PRESENT = 1, WRITE = 2, EXECUTE = 16 };

	e->type = EVENT_FAULT;
	e->fault.address = address;
	e->fault.write = code & WRITE;
	e->fault.kind = code & EXECUTE	  ? FAULT_EXECUTE
			: !e->fault.write ? FAULT_READ
			: code & PRESENT  ? FAULT_COPY
					  : FAULT_WRITE;
}
