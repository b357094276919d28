/* SPDX-License-Identifier: MIT */
#include "view/html.h"

#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/home.h"
#include "util/xalloc.h"

/* A page has this where the numbers belong. */
static const char place_of_data[] = "\"osvec data\"";

/* The page with the numbers; no slash stays bare, for a </script> in a name would end the script.
 */
static char *fill(const char *page, const char *hole, const json_t *numbers)
{
	char *text = json_dumps(numbers, JSON_COMPACT | JSON_ESCAPE_SLASH | JSON_ENSURE_ASCII |
					     JSON_REAL_PRECISION(9));
	char *out =
	    xasprintf("%.*s%s%s", (int)(hole - page), page, text, hole + strlen(place_of_data));

	free(text);
	return out;
}

int html_write(const char *page, const json_t *numbers, const char *output, struct error *e)
{
	size_t n;
	char *path = home_find(HOME_CONF, page, e);
	char *text = path ? file_read(path, 1 << 20, &n, e) : NULL;
	const char *hole = text ? strstr(text, place_of_data) : NULL;
	int status = -1;

	if (hole) {
		char *filled = fill(text, hole, numbers);

		status = file_write(output, filled, strlen(filled), e) ? -1 : 0;
		free(filled);
	} else if (text) {
		error_set(e, "%s: has no %s", path, place_of_data);
	}
	free(text);
	free(path);
	return status;
}
