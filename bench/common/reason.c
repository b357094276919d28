/* SPDX-License-Identifier: MIT */
#include "reason.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *reason_errno(const char *what)
{
	static char text[160];

	snprintf(text, sizeof(text), "%s is not possible here: %s", what, strerror(errno));
	return text;
}
