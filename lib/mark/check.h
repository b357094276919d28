/* SPDX-License-Identifier: MIT */
/* check.h - warns on stderr of marks that contradict earlier ones of the same process. */
#ifndef MARK_CHECK_H
#define MARK_CHECK_H

#include "mark/osvec-mark.h"

/* Checks the next mark of this thread.  Of each queue only the first contradiction is said, because
 * what follows from it looks wrong, too. */
void mark_check(enum osvec_verb verb, const char *name, uint64_t amount, uint64_t tag);
/* Forgets everything, in the child of a process. */
void mark_check_forget(void);

#endif
