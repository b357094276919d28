/* SPDX-License-Identifier: MIT */
/* ktranal sync: the clocks of several hosts aligned by the messages between them, and one trace. */
#include "ktranal.h"

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "trace/reorder.h"
#include "util/file.h"
#include "util/vec.h"
#include "view.h"
#include "view/alignment.h"

static struct {
	struct view view;
	const char *output;
} set;

static const struct opt options[] = { { 'o', "output", OPT_STRING, &set.output, "FILE",
					.help = "write all events as one trace here" },
				      VIEW_FORMATS(set.view),
				      { 0 } };

static const struct opt_usage usage = {
	.program = "ktranal sync",
	.operands = "TRACE TRACE...",
	.summary =
	    "Align the clocks of several hosts, a trace of each, by the messages that they sent "
	    "each other over TCP and UDP, and merge the traces.",
	.example = "ktranal sync client.ktr server.ktr -o both.ktr",
};

static struct {
	VEC(char *) hosts;
	const struct os *os;
	bool untimed, mixed;
	uint64_t call_cost;
	struct messages messages;
	struct alignment alignment;
	bool too_large; /* a number that leaves no room for that of its host */
} sync_;

/* ---- first reading: messages ---- */

static char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t n = strcspn(base, ".");

	return n ? xstrndup(base, n) : xstrdup(base);
}

static bool are_distinct(char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (!*names[i] || !strcmp(names[i], names[k]))
				return false;
	return true;
}

/* Hosts are called what they call themselves or, where two have one name, like the files. */
static void name_hosts(void)
{
	char **v = sync_.hosts.v;
	size_t n = sync_.hosts.n;

	if (are_distinct(v, n))
		return;
	for (size_t i = 0; i < n; i++) {
		free(v[i]);
		v[i] = file_name(set.view.traces.v[i]);
	}
	for (size_t i = n; i-- > 1 && !are_distinct(v, n);)
		v[i] = xappend(v[i], "#%zu", i + 1);
}

static void begin(void *arg, const struct source_info *info)
{
	char *name = xstrdup(info->host);

	(void)arg;
	messages_begin(&sync_.messages, (uint32_t)sync_.hosts.n);
	vec_push(&sync_.hosts, name);
	sync_.untimed |= !info->has_time || !info->has_duration;
	sync_.mixed |= sync_.os && sync_.os != info->os;
	sync_.os = info->os;
	sync_.call_cost = info->call_cost > sync_.call_cost ? info->call_cost : sync_.call_cost;
}

static void take(void *arg, const struct event *e)
{
	struct aligned_host *host = arg;

	sync_.too_large |= host_local(e->pid) != e->pid || host_local(e->tid) != e->tid;
	if (e->type == EVENT_CLOCK && !host->has_wall) {
		host->has_wall = true;
		host->wall = e->clock.realtime - e->time;
	}
	messages_event(&sync_.messages, e);
}

static int read_all(void)
{
	struct alignment *a = &sync_.alignment;
	int status = 0;

	a->n = set.view.traces.n;
	a->v = xcalloc(a->n, sizeof(*a->v));
	for (size_t i = 0; i < a->n && status == 0; i++) {
		const struct trace_taker taker = {
			.begin = begin, .take = take, .arg = &a->v[i], .each = true
		};

		status = view_read(&set.view, set.view.traces.v[i], &taker, false);
		if (status == 0 && sync_.untimed) {
			warnx("%s: has no times, or no durations (strace writes them with -ttt -T)",
			      set.view.traces.v[i]);
			status = -1;
		}
	}
	return status;
}

/* ---- the table ---- */

static const struct table_column columns[] = {
	{ "HOST", "host", TABLE_LEFT },
	{ "REFERENCE", "reference", TABLE_LEFT },
	{ "SENT", "sent", TABLE_RIGHT },
	{ "RECEIVED", "received", TABLE_RIGHT },
	{ "FROM", "from_ns", TABLE_RIGHT },
	{ "OFFSET", "offset_ns", TABLE_RIGHT },
	{ "DRIFT", "drift", TABLE_RIGHT },
	{ "BOUND", "bound_ns", TABLE_RIGHT },
	{ "BEFORE", "violations_before", TABLE_RIGHT },
	{ "AFTER", "violations_after", TABLE_RIGHT },
};

/* The pair of both hosts; zeros if no message went between them. */
static struct aligned_pair pair_of(size_t a, size_t b)
{
	const struct alignment *all = &sync_.alignment;

	for (size_t i = 0; i < all->pairs.n; i++) {
		struct aligned_pair p = all->pairs.v[i];

		if (p.from == (a < b ? a : b) && p.to == (a < b ? b : a))
			return p;
	}
	return (struct aligned_pair){ 0 };
}

/* piece: NULL: nothing is known of the clocks; first: of its host. */
static void put_row(struct table *t, size_t host, size_t beside, const struct clock_piece *piece,
		    bool first)
{
	bool known = beside != SIZE_MAX;
	struct aligned_pair pair = known ? pair_of(host, beside) : (struct aligned_pair){ 0 };

	table_text(t, sync_.hosts.v[host]);
	table_text(t, known ? sync_.hosts.v[beside] : NULL);
	table_number(t, first ? (double)pair.messages[host < beside] : NAN, "%.0f");
	table_number(t, first ? (double)pair.messages[host > beside] : NAN, "%.0f");
	table_scaled(t, piece ? (double)piece->from : NAN, 1e-9, "%.6f");
	table_scaled(t, piece ? piece->ahead : NAN, 1e-9, "%.6f");
	table_number(t, piece ? piece->drift * 1e6 : NAN, "%.3f");
	table_scaled(t, piece ? piece->bound : NAN, 1e-3, "%.1f");
	table_number(t, first && known ? (double)pair.before : NAN, "%.0f");
	table_number(t, first && known ? (double)pair.after : NAN, "%.0f");
}

static void put_host(struct table *t, size_t host)
{
	const struct alignment *a = &sync_.alignment;
	const struct aligned_host *h = &a->v[host];

	for (size_t i = 0; i < h->fit.n; i++)
		put_row(t, host, h->beside, &h->fit.v[i], i == 0);
	if (!h->fit.n && host)
		put_row(t, host, SIZE_MAX, NULL, true);
	/* Pairs that no clock was aligned by: what they say after it is a check. */
	for (size_t i = 0; i < a->pairs.n; i++) {
		const struct aligned_pair *p = &a->pairs.v[i];

		if (p->to == host && h->beside != p->from && a->v[p->from].beside != host)
			put_row(t, host, p->from, NULL, true);
	}
}

static void print_table(void)
{
	struct table *t = view_table(&set.view, columns, sizeof(columns) / sizeof(*columns));

	for (size_t i = 0; i < sync_.hosts.n; i++)
		put_host(t, i);
	view_print_begin(&set.view, "hosts");
	table_end(t, stdout, view_format(&set.view));
	if (view_format(&set.view) == TABLE_TEXT)
		printf(
		    "\nSENT, RECEIVED: messages from the host to its REFERENCE and back.  "
		    "From FROM (seconds of the host's trace)\non, the clock of the REFERENCE is "
		    "ahead by OFFSET (seconds), which grows by DRIFT (microseconds per\nsecond); "
		    "the error is at most BOUND (microseconds).  BEFORE, AFTER: messages that seem "
		    "to arrive before\nthey were sent, by the wall clocks and after the alignment");
	view_print_end(&set.view);
}

/* Returns the number of hosts that are aligned. */
static size_t warn_of_gaps(void)
{
	size_t aligned = 0;

	for (size_t i = 1; i < sync_.alignment.n; i++) {
		const struct aligned_host *h = &sync_.alignment.v[i];

		aligned += h->beside != SIZE_MAX;
		if (h->beside == SIZE_MAX)
			warnx("%s: no messages to or from an aligned host: %s",
			      set.view.traces.v[i],
			      h->has_wall && sync_.alignment.v[0].has_wall
				  ? "its events are placed by the wall clocks"
				  : "its first event is placed at the beginning");
		else if (h->fit.one_way)
			warnx("%s: messages go one way alone: the fastest is taken to need no time",
			      set.view.traces.v[i]);
	}
	if (sync_.messages.unusable)
		warnx("%" PRIu64
		      " directions of connections are left out: they began before a recording, "
		      "are in several traces, or more was read from them than written",
		      sync_.messages.unusable);
	return aligned;
}

/* ---- second reading: the merged trace ---- */

struct input_trace {
	struct source *source;
	struct event event;
	size_t host;
};

/* Reads the next event and lets it wait for its turn; 0 also at the end. */
static int fetch(struct input_trace *in, struct reorder *waiting)
{
	struct error e;
	int got = source_next(in->source, &in->event, &e);

	if (got < 0)
		warnx("%s", e.text);
	if (got <= 0)
		return got;
	alignment_event(&sync_.alignment, in->host, &in->event);
	reorder_push(waiting, event_end(&in->event), in->host, 0, in);
	return 0;
}

static int open_all(struct input_trace *in, struct reorder *waiting)
{
	struct error e;

	for (size_t i = 0; i < sync_.alignment.n; i++) {
		in[i].host = i;
		in[i].source = source_open(set.view.traces.v[i], &e);
		if (!in[i].source) {
			warnx("%s", e.text);
			return -1;
		}
		if (fetch(&in[i], waiting) < 0)
			return -1;
	}
	return 0;
}

static void begin_output(struct output *out, const struct source_info *first)
{
	struct source_info info = *first;
	char *hosts = NULL;

	for (size_t i = 0; i < sync_.hosts.n; i++)
		hosts = xappend(hosts, "%s%s", i ? "+" : "", sync_.hosts.v[i]);
	info.host = hosts;
	info.recorder = "sync";
	info.command = "";
	info.call_cost = sync_.call_cost;
	info.stream = 0;
	output_begin(out, &info);
	for (size_t i = 0; i < sync_.hosts.n; i++) {
		const struct event e = { .type = EVENT_HOST,
					 .host = { (uint32_t)i, sync_.hosts.v[i] } };

		output_write(out, &e);
	}
	free(hosts);
}

static int merge(void)
{
	struct input_trace *in = xcalloc(sync_.alignment.n, sizeof(*in)), *next;
	struct reorder waiting = { 0 };
	struct output out;
	int status = output_open(&out, set.output);

	if (status < 0)
		goto done;
	status = open_all(in, &waiting);
	if (status == 0)
		begin_output(&out, source_info(in[0].source));
	while (status == 0 && (next = reorder_pop(&waiting, true))) {
		/* The wall clocks of the others are not that of the trace. */
		if (next->event.type != EVENT_CLOCK || !next->host)
			output_write(&out, &next->event);
		status = out.failed ? 0 : fetch(next, &waiting);
	}
	output_note_losses(&out, &set.view.completeness);
	status = output_close(&out, status);
done:
	for (size_t i = 0; i < sync_.alignment.n; i++)
		source_close(in[i].source);
	reorder_free(&waiting);
	free(in);
	return status;
}

static void check_operands(void)
{
	if (set.view.traces.n < 2)
		opt_bad_usage(&usage, "a trace of each host is needed, two at least");
	for (size_t i = 0; i < set.view.traces.n; i++) {
		if (!strcmp(set.view.traces.v[i], "-"))
			opt_bad_usage(&usage,
				      "'-': traces are read twice, which files alone can be");
		if (set.output && file_is_same(set.output, set.view.traces.v[i]))
			opt_bad_usage(&usage, "-o %s: that is a trace to be merged", set.output);
	}
	if (set.view.traces.n > HOSTS_MAX)
		opt_bad_usage(&usage, "more than %d traces", HOSTS_MAX);
}

static int align_and_print(void)
{
	name_hosts();
	messages_match(&sync_.messages);
	alignment_make(&sync_.alignment, &sync_.messages);
	if (!warn_of_gaps()) {
		warnx("nothing to align by: no connection is in two of the traces from its "
		      "beginning, with addresses (ktranal record, strace -yy)");
		return -1;
	}
	print_table();
	if (!set.output)
		return 0;
	if (sync_.mixed || sync_.too_large) {
		warnx("-o %s: %s", set.output,
		      sync_.mixed ? "traces of different systems cannot be one"
				  : "numbers of processes are larger than any system has");
		return -1;
	}
	return merge();
}

int command_sync(int argc, char **argv)
{
	view_parse(&set.view, argc, argv, &usage, options, true);
	check_operands();
	int status = read_all();
	if (status == 0)
		status = align_and_print();
	for (size_t i = 0; i < sync_.hosts.n; i++)
		free(sync_.hosts.v[i]);
	vec_free(&sync_.hosts);
	messages_free(&sync_.messages);
	alignment_free(&sync_.alignment);
	free(sync_.alignment.v);
	return view_end(&set.view, status);
}
