/* SPDX-License-Identifier: MIT */
/* timestamp.h - times of day as our files have them, in UTC: "2026-11-28T19:30:00Z". */
#ifndef UTIL_TIMESTAMP_H
#define UTIL_TIMESTAMP_H

/* Returns the present time, which the caller frees. */
char *timestamp_now(void);
/* Returns the seconds since 1970; NaN for NULL and for what is no such time. */
double timestamp_seconds(const char *text);

#endif
