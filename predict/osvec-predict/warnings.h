/* SPDX-License-Identifier: MIT */
/* warnings.h - what makes an answer doubtful, told beside it. */
#ifndef WARNINGS_H
#define WARNINGS_H

#include "query.h"

/* Notes every doubt about q's application, its reference and its predictions. */
void warnings_add(struct query *q);

#endif
