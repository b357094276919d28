/* SPDX-License-Identifier: MIT */
/* cea caches: shows where documents were when proxies were asked for them, from the access logs of
 * the proxies. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access_log.h"
#include "commands.h"
#include "transitions.h"
#include "util/file.h"

static struct transitions set;

static const struct opt options[] = { TRANSITIONS_OPTIONS(set), { 0 } };

static const struct opt_usage usage = {
	.program = "cea caches",
	.operands = "LOG...",
	.summary =
	    "Prints where documents were when proxies were asked for them.  Each LOG is the access "
	    "log of one proxy, in squid's native format or the common log format.",
	.example = "cea caches proxy1.log proxy2.log",
};

struct row {
	uint64_t count;
	double seconds;
};

static struct {
	struct movement documents;
	struct names urls;
	struct row rows[MOVEMENT_STATES][ORIGINS];
	uint64_t requests, guessed;
} all;

/* ---- documents ---- */

/* A proxy that asks another one for a document has it later than that one, though its request began
 * earlier, within the same millisecond or second of the logs. */
static void take(const struct access *r, uint32_t proxy)
{
	int64_t ended = llround(r->time * 1e3);
	struct movement_access a = { .key = names_add(&all.urls, r->url),
				     .user = proxy,
				     .until = 1,
				     .ns = (int64_t)(r->seconds * 1e9),
				     .begun = ended - llround(r->seconds * 1e3) - 1,
				     .ended = ended };
	struct movement_step m;

	if (r->known)
		movement_keep(&all.documents, a.key, proxy, r->had);
	all.requests++;
	all.guessed += !r->known;
	if (!movement_take(&all.documents, &a, &m))
		return;
	all.rows[m.state][r->origin].count++;
	all.rows[m.state][r->origin].seconds += r->seconds;
}

/* Takes the requests of all logs in the order of their ends. */
static void read_logs(struct access_log *logs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		logs[i].f = fopen(logs[i].path, "r");
		/* A directory can be opened, but not read. */
		if (!logs[i].f || (ungetc(getc(logs[i].f), logs[i].f) == EOF && ferror(logs[i].f)))
			errx(1, "%s: %s", logs[i].path, strerror(errno));
		access_log_read(&logs[i]);
	}
	for (;;) {
		struct access_log *first = NULL;

		for (size_t i = 0; i < n; i++)
			if (logs[i].f && (!first || logs[i].next.time < first->next.time))
				first = &logs[i];
		if (!first)
			break;
		take(&first->next, (uint32_t)(first - logs));
		access_log_read(first);
	}
}

/* ---- printing ---- */

static void print_rows(bool timed)
{
	static const struct table_column columns[] = {
		{ "DOCUMENT WAS", "state", TABLE_LEFT }, { "TAKEN FROM", "from", TABLE_LEFT },
		{ "REQUESTS", "requests", TABLE_RIGHT }, { "SHARE", "share", TABLE_RIGHT },
		{ "TIME", "seconds", TABLE_RIGHT },	 { "EACH", "each_seconds", TABLE_RIGHT },
	};
	static const char *const origins[ORIGINS] = { "own cache", "sibling", "parent", "server",
						      NULL };
	struct table *t = table_of(columns);
	char name[32];

	for (unsigned s = 0; s < MOVEMENT_STATES; s++)
		for (int o = 0; o < ORIGINS; o++) {
			const struct row *r = &all.rows[s][o];

			if (!r->count)
				continue;
			table_text(t, transitions_state_name(name, sizeof(name), s));
			table_text(t, origins[o]);
			table_count(t, r->count);
			table_percent(t, (double)r->count / (double)all.requests, "%.1f%%");
			table_seconds(t, timed ? r->seconds : NAN);
			table_seconds(t, timed ? r->seconds / (double)r->count : NAN);
		}
	table_end(t, stdout, transitions_format(&set));
}

static void print_copies(size_t logs)
{
	uint64_t several = 0;

	for (size_t i = 0; i < all.documents.objects.n; i++)
		several += movement_holders(&all.documents.objects.v[i]) > 1;
	printf("\n%" PRIu64 " requests to %zu prox%s for %zu document%s; at the end, %" PRIu64
	       " (%.1f %%) of these are in several proxies\n",
	       all.requests, logs, logs == 1 ? "y" : "ies", all.documents.objects.n,
	       all.documents.objects.n == 1 ? "" : "s", several,
	       100 * (double)several / (double)all.documents.objects.n);
}

static void warn_left_out(const struct access_log *logs, size_t n)
{
	uint64_t other = 0, bad = 0;
	const struct access_log *first = NULL;

	for (size_t i = 0; i < n; i++) {
		other += logs[i].other;
		bad += logs[i].bad;
		first = !first && logs[i].bad ? &logs[i] : first;
	}
	if (bad)
		warnx("%s:%" PRIu64 ": not a line of an access log; %" PRIu64
		      " such lines are left out",
		      first->path, first->first_bad, bad);
	if (other)
		warnx("lines that are not about documents, left out: %" PRIu64, other);
	if (all.guessed)
		warnx("%" PRIu64
		      " requests do not say whether the proxy had the document: it is assumed "
		      "to keep all documents",
		      all.guessed);
	if (all.documents.left_out)
		warnx("%" PRIu64 " requests for documents beyond the first %d are left out",
		      all.documents.left_out, MOVEMENT_OBJECTS);
}

int command_caches(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options);
	size_t n = (size_t)(argc - first);
	bool timed = false;

	if (!n)
		opt_bad_usage(&usage, "no access log given");
	transitions_check(&set, &usage);
	struct access_log *logs = xcalloc(n, sizeof(*logs));
	for (size_t i = 0; i < n; i++) {
		logs[i].path = argv[first + (int)i];
		for (size_t j = 0; j < i; j++)
			if (file_is_same(logs[i].path, logs[j].path))
				opt_bad_usage(&usage,
					      "%s is given twice: each log is of its own proxy",
					      logs[i].path);
	}
	read_logs(logs, n);
	for (size_t i = 0; i < n; i++)
		timed |= logs[i].timed;
	if (!all.requests)
		errx(1,
		     "%s: contains no request for a document%s: is it an access log in squid's "
		     "native format or the common log format?",
		     argv[first], n > 1 ? ", nor do the others" : "");
	if (!transitions_print(&set, &all.documents, NULL)) {
		print_rows(timed);
		if (transitions_format(&set) == TABLE_TEXT)
			print_copies(n);
	}
	warn_left_out(logs, n);
	free(logs);
	return 0;
}
