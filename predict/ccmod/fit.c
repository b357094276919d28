/* SPDX-License-Identifier: MIT */
/* ccmod fit: converts measured delays, or an OS vector, into statements for a network file. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "network/quiet.h"
#include "util/file.h"
#include "util/number.h"
#include "util/opt.h"
#include "util/xalloc.h"
#include "vector/osvec.h"

static struct {
	bool round_trip, vector;
	const char *transport;
} set;

static const struct opt options[] = {
	{ 'r', "round-trip", OPT_FLAG, &set.round_trip, NULL, 0, 0,
	  "the times are of round trips: use half of each" },
	{ 0, "vector", OPT_FLAG, &set.vector, NULL, 0, 0,
	  "FILE is an OS vector: print what its end points take" },
	{ 0, "transport", OPT_STRING, &set.transport, "NAME", 0, 0,
	  "with --vector: use entries such as lat_send_NAME_* (default tcp)" },
	{ 0 },
};

static const struct opt_usage usage = {
	"ccmod fit",
	"FILE",
	"Reads sizes and delays (also of NetPIPE and qperf), fits line segments to them, and "
	"prints "
	"the statements for a network file.",
	"ccmod fit np.out >>lab.net",
};

/* The last values printed by qperf, which prints each on a line of its own. */
static double qperf_latency = NAN, qperf_size = NAN;

/* Parses lines such as "latency = 12.3 us" and "msg_size = 64 bytes"; others of that form are
 * skipped. */
static bool parse_qperf(char *const *word, size_t n, struct quiet *q)
{
	char text[64];
	double v;
	uint64_t size;

	snprintf(text, sizeof(text), "%s%s", word[2], n > 3 ? word[3] : "");
	if (!strcmp(word[0], "latency") && number_parse_duration(text, &v))
		qperf_latency = v;
	if (!strcmp(word[0], "msg_size") && number_parse_size(word[2], &size))
		qperf_size = (double)size * (n > 3 && *word[3] == 'K' ? 1024 : 1);
	if (qperf_latency > 0 && qperf_size >= 0) {
		quiet_add(q, qperf_size, qperf_latency);
		qperf_latency = qperf_size = NAN;
	}
	return true;
}

/* Parses "64 0.0000123", "64 12.3us" or NetPIPE's "64 41.6 0.0000123". */
static bool parse_line(char *line, struct quiet *q)
{
	char *word[4], *save;
	size_t n = 0;
	uint64_t size;
	double seconds;

	for (char *w = strtok_r(line, " \t\r,", &save); w && n < 4;
	     w = strtok_r(NULL, " \t\r,", &save))
		word[n++] = w;
	if (!n || (n == 1 && word[0][strlen(word[0]) - 1] == ':'))
		return true;
	if (n >= 3 && !strcmp(word[1], "="))
		return parse_qperf(word, n, q);
	if (n < 2 || n > 3 || !number_parse_size(word[0], &size) ||
	    !number_parse_duration(word[n - 1], &seconds) || !(seconds > 0))
		return false;
	quiet_add(q, (double)size, set.round_trip ? seconds / 2 : seconds);
	return true;
}

static void print(const struct quiet *q)
{
	char size[NUMBER_MAX], base[NUMBER_MAX], rate[NUMBER_MAX];

	for (size_t i = 0; i < q->nsegments; i++) {
		const struct quiet_segment *g = &q->segments[i];

		printf("# from %.0f bytes: %s + size / (%sB/s), %zu points, %.2f %% off (rms)\n",
		       g->from, number_format_duration(base, g->base),
		       g->slope > 0 ? number_format_si(rate, 1 / g->slope) : "infinite ", g->points,
		       100 * g->error);
	}
	for (size_t i = 0; i < q->n; i++)
		printf("delay %s %.6gus\n", number_format_size(size, (uint64_t)q->v[i].size),
		       q->v[i].seconds * 1e6);
}

/* Returns the points of a curve in an OS vector: sizes, and seconds times factor. `where` is "" or
 * the suffix of entries measured with another machine. */
static struct quiet read_curve(const struct osvec *v, const char *what, const char *where,
			       double factor)
{
	char *name = xasprintf("lat_%s_%s_*%s", what, set.transport, where);
	struct osvec_curve c = osvec_curve(v, name);
	struct quiet q = { 0 };

	for (size_t i = 0; i < c.n; i++)
		quiet_add(&q, c.points[i]->size, c.points[i]->seconds * factor);
	free(name);
	return q;
}

/* Fits the CPU time of an end point as a line over the size. */
static struct quiet_segment fit_end(const struct osvec *v, const char *entry)
{
	struct quiet q = read_curve(v, entry, "@remote", 1);

	if (!q.n)
		q = read_curve(v, entry, "", 1);
	if (!q.n)
		errx(1, "%s: contains no entries lat_%s_%s_*", v->machine, entry, set.transport);
	struct quiet_segment line = quiet_line(&q);
	quiet_free(&q);
	return line;
}

static void print_end(const char *word, const struct osvec *v, const struct quiet_segment *line)
{
	printf("%s %.4gus %.4gns # %s, %.1f %% off (rms)\n", word, line->base * 1e6,
	       line->slope * 1e9, v->machine, 100 * line->error);
}

/* Fits half of the round trip times minus the CPU times of the end points.  Returns false if there
 * are none. */
static bool read_way(const struct osvec *v, const char *where, const struct quiet_segment *send,
		     const struct quiet_segment *receive, struct quiet *way)
{
	struct error e;

	*way = read_curve(v, "roundtrip", where, 0.5);
	for (size_t i = 0; i < way->n; i++) {
		struct quiet_point *p = &way->v[i];

		p->seconds -= send->base + receive->base + (send->slope + receive->slope) * p->size;
		if (!(p->seconds > 0))
			errx(1,
			     "%s: half of lat_roundtrip_%s_*%s is less, at %.0f bytes, than what "
			     "the "
			     "end points take",
			     v->machine, set.transport, where, p->size);
	}
	return way->n && !quiet_fit(way, &e);
}

static void print_vector(const char *path)
{
	struct error e;
	struct osvec *v = osvec_read(path, &e);
	struct quiet out, inside;

	if (!v)
		errx(1, "%s", e.text);
	struct quiet_segment send = fit_end(v, "send"), receive = fit_end(v, "recv");
	bool has_out = read_way(v, "@remote", &send, &receive, &out);
	bool has_inside = read_way(v, "", &send, &receive, &inside);
	print_end("send", v, &send);
	print_end("receive", v, &receive);
	if (has_out)
		print(&out);
	if (has_inside && inside.n > 1) { /* one size does not determine a rate */
		struct quiet_segment line = quiet_line(&inside);

		printf("local %.0fB/s %.4gus # %.1f %% off (rms)\n", fmin(1 / line.slope, 1e18),
		       line.base * 1e6, 100 * line.error);
	}
	quiet_free(&out);
	quiet_free(&inside);
	osvec_free(v);
}

static void print_delays(const char *path)
{
	struct quiet q = { 0 };
	struct error e;
	size_t n, number = 0;
	char *text = file_read(path, 1 << 26, &n, &e);

	if (!text)
		errx(1, "%s", e.text);
	for (char *next = text, *line; (line = strsep(&next, "\n"));) {
		number++;
		line[strcspn(line, "#")] = '\0';
		if (!parse_line(line, &q))
			errx(1, "%s:%zu: not a size and a time", path, number);
	}
	if (quiet_fit(&q, &e))
		errx(1, "%s: %s", path, e.text);
	print(&q);
	quiet_free(&q);
	free(text);
}

int command_fit(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options);

	if (argc - first != 1)
		opt_bad_usage(&usage, "one file at a time, not %d", argc - first);
	if (set.vector && set.round_trip)
		opt_bad_usage(&usage, "--round-trip does not apply to --vector");
	if (!set.vector && set.transport)
		opt_bad_usage(&usage, "--transport needs --vector");
	set.transport = set.transport ? set.transport : "tcp";
	if (set.vector)
		print_vector(argv[first]);
	else
		print_delays(argv[first]);
	return 0;
}
