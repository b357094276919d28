/* SPDX-License-Identifier: MIT */
/*
 * kind.h - kinds of machines that predictions serve equally well, as their vectors show them: the
 * errors of two machines of one kind are alike.
 */
#ifndef MODEL_KIND_H
#define MODEL_KIND_H

#include <stdbool.h>

#include "vector/osvec.h"

/* From what predictions are made of to what is least like it. */
enum kind {
	KIND_REFERENCE,	 /* the machine that the application was recorded on */
	KIND_NATIVE,	 /* what is none of these */
	KIND_HOSTED,	 /* the kernel is a process of another */
	KIND_VIRTUAL,	 /* in virtual time: nothing varies, and there are no caches */
	KIND_TRANSLATED, /* an emulator translates each instruction */
	KINDS
};

/* "reference", "native", "hosted", "virtual", "translated". */
extern const char *const kind_names[KINDS];

/*
 * The kind of v: KIND_REFERENCE when it is the reference, which may be NULL; else by what it
 * measured, whoever it is: KIND_VIRTUAL when more than a quarter of
 * the entries repeat to 0.05 %, KIND_TRANSLATED when code that is not in a loop (cpu_code) costs
 * more than ten times an operation on integers (cpu_int), KIND_HOSTED when a process
 * (lat_proc_null_static) costs more than 10,000 of these, and more than twice as many as on the
 * reference, else KIND_NATIVE.  What was not measured tells nothing.
 */
enum kind kind_of(const struct osvec *v, const struct osvec *reference);

#endif
