/* SPDX-License-Identifier: MIT */
/* pages.h - makes the threads of a process fault on pages that they write, so that a recorder of
 * page faults sees who writes which page. */
#ifndef SITES_PAGES_H
#define SITES_PAGES_H

/*
 * To be called after a thread was created.  If OSVEC_PAGES is a time such as "100ms", a thread of
 * this library from then on write-protects pages once per that time, until the program has one
 * thread.  The kernel lifts the protection of a page at the first write and lets the write go on.
 * Where the kernel cannot do that, one message says so, and nothing is protected.
 */
void pages_begin(void);

#endif
