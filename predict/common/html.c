/* SPDX-License-Identifier: MIT */
#include "html.h"

#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/home.h"
#include "util/xalloc.h"

/* Where the numbers belong in page.html. */
static const char place[] = "\"osvec data\"";

static char *read_conf(const char *name, struct error *e)
{
	size_t n;
	char *path = home_find(HOME_CONF, name, e),
	     *text = path ? file_read(path, 1 << 20, &n, e) : NULL;

	free(path);
	return text;
}

/* A copy of JSON without "<", which is in its strings alone: a </script> or <!-- in a name would
 * change where the script ends. */
static char *escape(const char *json)
{
	static const char less[] = "\\u003c";
	char *copy = xmalloc((sizeof(less) - 1) * strlen(json) + 1), *end = copy;

	for (const char *p = json; *p; p++)
		if (*p == '<')
			end = stpcpy(end, less);
		else
			*end++ = *p;
	*end = '\0';
	return copy;
}

int html_write(const char *page, const json_t *numbers, const char *output, struct error *e)
{
	char *rest = read_conf(page, e), *head = rest ? read_conf("page.html", e) : NULL;
	char *hole = head ? strstr(head, place) : NULL;
	int status = -1;

	if (hole) {
		char *text =
		    json_dumps(numbers, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9));
		char *safe = escape(text);

		*hole = '\0';
		char *all = xasprintf("%s%s%s%s", head, safe, hole + strlen(place), rest);
		free(safe);
		status = file_write(output, all, strlen(all), e);
		free(all);
		free(text);
	} else if (head) {
		error_set(e, "page.html: has no %s", place);
	}
	free(head);
	free(rest);
	return status;
}
