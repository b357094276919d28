/* SPDX-License-Identifier: MIT */
/* access_log.h - reads the access logs of proxies, in squid's native format or the common log
 * format. */
#ifndef CEA_ACCESS_LOG_H
#define CEA_ACCESS_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum access_origin { FROM_OWN, FROM_SIBLING, FROM_PARENT, FROM_SERVER, FROM_UNKNOWN, ORIGINS };

/* A request for a document: a line of a log. */
struct access {
	double time, seconds; /* since 1970; duration, 0: unknown */
	enum access_origin origin;
	bool known; /* whether the line says if the proxy had the document */
	bool had;
	const char *url; /* valid until the next line is read */
};

/* Set path and f, and zero the rest. */
struct access_log {
	const char *path;
	FILE *f;	 /* NULL after the last line, where it is closed */
	uint64_t number; /* of the last line read */
	struct access next;
	bool timed;		 /* some lines said how long a request took */
	uint64_t other;		 /* number of lines that are not about a document */
	uint64_t bad, first_bad; /* how many lines have another format; number of the first */
	/* Private: */
	char *line;
	size_t room;
};

/* Reads the next access into l->next.  Returns false at the end of the log, which it closes. */
bool access_log_read(struct access_log *l);

#endif
