/* SPDX-License-Identifier: MIT */
/* doubts.h - what makes an answer doubtful, told beside it. */
#ifndef DOUBTS_H
#define DOUBTS_H

#include "question.h"

/* Notes every doubt about q's application, its reference and its predictions. */
void doubts_note(struct question *q);

#endif
