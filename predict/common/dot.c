/* SPDX-License-Identifier: MIT */
#include "dot.h"

#include <stdio.h>

void dot_label(const char *name)
{
	for (const char *p = name; *p; p++)
		putchar(*p == '"' || *p == '\\' ? '\'' : (unsigned char)*p < ' ' ? '?' : *p);
}
