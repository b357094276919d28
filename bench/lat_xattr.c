/* SPDX-License-Identifier: MIT */
/* lat_xattr - reads, changes or misses an extended attribute of a file, which is in the inode
 * cache; nothing is synced. */
#include <err.h>
#include <errno.h>
#include <string.h>
#include <sys/xattr.h>

#include "measure/bench.h"
#include "common/files.h"
#include "common/reason.h"

enum { GET, SET, MISS };

static const char name[] = "user.osvec";
static int file;
static char value[32], found[32];

static const struct bench_parameter parameters[] = {
	{ "call", BENCH_CHOICE, "get set miss", .fallback = "get",
	  .help = "fgetxattr, fsetxattr, or fgetxattr of an attribute that does not exist" },
	{ 0 }
};

static const char *supported(void)
{
	const char *reason = files_supported();

	if (reason)
		return reason;
	memset(value, 1, sizeof(value));
	file = files_make(1);
	return fsetxattr(file, name, value, sizeof(value), 0) ? reason_errno("an attribute") : NULL;
}

static void prepare(uint64_t n)
{
	if (bench_choice(0) == SET)
		value[1]++;
	memset(found, 0, sizeof(found));
}

static void run(uint64_t n)
{
	switch (bench_choice(0)) {
	case GET:
		while (n--)
			if (fgetxattr(file, name, found, sizeof(found)) != sizeof(found))
				err(1, "fgetxattr");
		break;
	case SET:
		while (n--) {
			value[0] = (char)n; /* a file system may skip what changes nothing */
			if (fsetxattr(file, name, value, sizeof(value), 0))
				err(1, "fsetxattr");
		}
		break;
	case MISS:
		while (n--)
			if (fgetxattr(file, "user.missing", found, sizeof(found)) >= 0 ||
			    errno != ENODATA)
				err(1, "fgetxattr of a missing attribute");
	}
}

static const char *check(uint64_t n)
{
	if (bench_choice(0) == SET && fgetxattr(file, name, found, sizeof(found)) < 0)
		err(1, "fgetxattr");
	return bench_choice(0) == MISS || !memcmp(found, value, sizeof(value))
		   ? NULL
		   : "the attribute has another value";
}

const struct bench bench = {
	.summary = "Reading or writing an extended attribute of 32 bytes.",
	.operation = "one getxattr or setxattr",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.prepare = prepare,
	.run = run,
	.check = check,
};
