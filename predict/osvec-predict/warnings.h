/* SPDX-License-Identifier: MIT */
/* warnings.h - notes on what makes a prediction uncertain. */
#ifndef OSVEC_PREDICT_WARNINGS_H
#define OSVEC_PREDICT_WARNINGS_H

#include "query.h"

/* Adds notes on the application, the reference and the predictions of q. */
void warnings_add(struct query *q);
/* Adds a note on the machines whose costs cannot be seconds. */
void warnings_units(struct query *q);
/* Adds a note on the machines that a quota leaves a part of a CPU. */
void warnings_quota(struct query *q);

#endif
