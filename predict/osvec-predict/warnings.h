/* SPDX-License-Identifier: MIT */
/* warnings.h - notes on what makes a prediction uncertain. */
#ifndef WARNINGS_H
#define WARNINGS_H

#include "query.h"

/* Adds notes on the application, the reference and the predictions of q. */
void warnings_add(struct query *q);

#endif
