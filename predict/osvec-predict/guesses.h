/* SPDX-License-Identifier: MIT */
/* guesses.h - what simpler ways than the model's would predict: enum in trial.h. */
#ifndef OSVEC_PREDICT_GUESSES_H
#define OSVEC_PREDICT_GUESSES_H

#include "trial.h"

/* Fills and scores the guesses of all trials, some of which need the other trials. */
void guesses_make(const struct trials *all);

#endif
