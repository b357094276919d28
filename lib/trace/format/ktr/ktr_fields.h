/* SPDX-License-Identifier: MIT */
/* ktr_fields.h - the records of docs/ktr.5 other than calls, as one table for writer and reader. */
#ifndef KTR_FIELDS_H
#define KTR_FIELDS_H

#include <stdbool.h>

#include "trace/event.h"

/* Stores the fields of event's own type at *p, which moves on; returns the record type, 0: none. */
unsigned ktr_put_fields(unsigned char **p, const struct event *event);
/*
 * The same backwards: sets out->type and its fields from the bytes from *p to end.  Strings stay
 * where they are.  False when the record type is none of an event or a string overruns end; numbers
 * may move *p past end by less than INPUT_PAD, which the caller checks.
 */
bool ktr_get_fields(const unsigned char **p, const unsigned char *end, unsigned record,
		    struct event *out);
/* A string at s; strings longer than KTR_STRING_MAX are cut.  Returns the byte behind it. */
unsigned char *ktr_put_string(unsigned char *p, const char *s);
/* The string at *p, which moves behind it; NULL when it overruns end. */
const char *ktr_get_string(const unsigned char **p, const unsigned char *end);

#endif
