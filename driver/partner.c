/* SPDX-License-Identifier: MIT */
#include "partner.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../bench/common/remote.h"
#include "measure/placement.h"
#include "util/xalloc.h"

int partner_find(struct partner *p, const char *address, const char *secret, struct error *e)
{
	struct handshake h = { .request = { .kind = htobe64(CHANNEL_TCP), .size = htobe64(1) } };
	char text[ADDRESS_TEXT];
	struct address at;
	struct answer a;

	if ((secret && handshake_read_secret(secret, e)) || handshake_init(e) ||
	    address_parse(&at, address, e))
		return error_prefix(e, "--peer");
	int fd = remote_greet(&at, &h, &a, e);
	if (fd < 0)
		return -1;
	close(fd);
	p->address = xstrdup(address_text(&at, text));
	p->system = xstrdup(a.system);
	return 0;
}

bool partner_is_needed(const struct suite_entry *x)
{
	return x->placement && !strcmp(x->placement, placement_name(PLACEMENT_REMOTE));
}

int partner_check_suite(const struct suite *s, struct error *e)
{
	for (size_t i = 0; i < s->n; i++)
		if (partner_is_needed(&s->entries[i]))
			return 0;
	return error_set(e,
			 "--peer: no entry of %s is @remote: write 'lat_roundtrip tcp 1 @remote', "
			 "or take the suite 'remote'",
			 s->name);
}

void partner_free(struct partner *p)
{
	free(p->address);
	free(p->system);
}
