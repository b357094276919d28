#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that marks what it is at (osvec-mark.3) is built with what `make install` puts in place, in a path with a blank.
. "$(dirname "$0")/tap.sh"
prefix="$tmp/a b"

# in_prefix GOAL: with the flags of the make that runs the tests, which the environment has
in_prefix() {
	make -s O="${O:-build}" DESTDIR= PREFIX="$prefix" "$1"
}

check 0 "make install" in_prefix install
if command -v pkg-config >/dev/null; then
	export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
	check 0 "the library has a name for pkg-config" pkg-config --cflags --libs osvec-mark
	eval "set -- $(cat "$tmp/out")"
	sed 's,"mark/osvec-mark.h",<osvec-mark.h>,' tests/bench/marked.c >"$tmp/marked.c"
	# shellcheck disable=SC2086
	check 0 "the example is built with that" ${CC:-cc} ${SAN:+-fsanitize=$SAN} -o "$tmp/marked" "$tmp/marked.c" "$@"
	mkdir "$tmp/marks"
	check 0 "and runs" env OSVEC_MARKS="$tmp/marks" "$tmp/marked" 5
	is "$(find "$tmp/marks" -name '*.marks' -size +0 | wc -l)" 2 "both its threads write marks"
else
	skip "no pkg-config here"
fi
check 0 "make uninstall" in_prefix uninstall
is "$(find "$prefix" -type f)" "" "leaves nothing behind"
done_testing
