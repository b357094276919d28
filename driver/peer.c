/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include <endian.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hbench.h"
#include "measure/placement.h"
#include "peer/client.h"
#include "peer/server.h"
#include "util/opt.h"
#include "util/xalloc.h"

int peer_find(struct peer *p, const char *address, const char *secret, struct error *e)
{
	struct handshake h = { .request = { .kind = htobe64(CHANNEL_TCP), .size = htobe64(1) } };
	char text[ADDRESS_TEXT];
	struct address at;
	struct answer a;

	if ((secret && handshake_read_secret(secret, e)) || handshake_init(e) ||
	    address_parse(&at, address, e))
		return error_prefix(e, "--peer");
	int fd = client_greet(&at, &h, &a, e);
	if (fd < 0)
		return -1;
	close(fd);
	p->address = xstrdup(address_text(&at, text));
	p->system = xstrdup(a.system);
	return 0;
}

bool peer_is_needed(const struct suite_entry *x)
{
	return x->placement && !strcmp(x->placement, placement_name(PLACEMENT_REMOTE));
}

int peer_check_suite(const struct suite *s, struct error *e)
{
	for (size_t i = 0; i < s->n; i++)
		if (peer_is_needed(&s->entries[i]))
			return 0;
	return error_set(e,
			 "--peer: no entry of %s is @remote: write 'lat_roundtrip tcp 1 @remote', "
			 "or take the suite 'remote'",
			 s->name);
}

void peer_free(struct peer *p)
{
	free(p->address);
	free(p->system);
}

/* -- hbench peer ------------------------------------------------------------------------------- */

static const char *secret_file;
static struct server_limits limits = { 16, UINT64_C(64) << 30, 600, false };

static const struct opt options[] = {
	{ 0, "secret", OPT_STRING, &secret_file, "FILE",
	  .help = "file whose first line is the secret ($OSVEC_SECRET)" },
	{ 0, "sessions", OPT_COUNT, &limits.sessions, "N", 1, 1024,
	  "benchmarks served at once (16)" },
	{ 0, "bytes", OPT_SIZE, &limits.bytes, "SIZE", 1, 1e18,
	  "most bytes moved for one benchmark (64g)" },
	{ 0, "time", OPT_DURATION, &limits.time, "TIME", 1, 1e6,
	  "longest time for one benchmark (10m)" },
	{ 'q', "quiet", OPT_FLAG, &limits.quiet, .help = "no messages about refused benchmarks" },
	{ 0 }
};

static const struct opt_usage usage = {
	"hbench peer",
	"HOST:PORT",
	"Serves the network benchmarks of another machine (hbench run --peer), at this address of\n"
	"this machine only, and only those who know the secret.  Ends by a signal (Ctrl-C).",
	"hbench peer --secret ~/.osvec-secret 192.0.2.7:7411",
};

int peer_command(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options);
	char text[ADDRESS_TEXT];
	struct address at;
	struct error e;

	if (argc - first != 1)
		opt_bad_usage(&usage, "one address, HOST:PORT");
	if ((secret_file && handshake_read_secret(secret_file, &e)) || handshake_init(&e))
		errx(1, "%s", e.text);
	const char *reason = server_reason(limits.sessions);
	if (reason)
		errx(1, "%s", reason);
	if (address_parse(&at, argv[first], &e))
		opt_bad_usage(&usage, "%s", e.text);
	if (address_is_every(&at))
		opt_bad_usage(&usage, "%s is every address of this machine: give one", argv[first]);
	server_open(&at);
	printf("listening on %s\n", address_text(&at, text));
	if (opt_finish(0))
		return 1;
	server_serve(&limits);
	return 0;
}
