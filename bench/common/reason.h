/* SPDX-License-Identifier: MIT */
/* reason.h - why supported() refuses. */
#ifndef COMMON_REASON_H
#define COMMON_REASON_H

/* "WHAT is not possible here: " and the text of errno; valid until the next call. */
const char *reason_errno(const char *what);

#endif
