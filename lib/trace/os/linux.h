/* SPDX-License-Identifier: MIT */
/* linux.h - the larger tables of os_linux. */
#ifndef OS_LINUX_H
#define OS_LINUX_H

#include "trace/os.h"

extern const struct syscall linux_calls[];
extern const struct constant linux_constants[], linux_errnos[];
extern const struct os_flags linux_flags[];

#endif
