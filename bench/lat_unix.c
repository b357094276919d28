/* SPDX-License-Identifier: MIT */
/* lat_unix - a message to another process and its answer, over a pair of unix stream sockets. */
#include "common/pingpong.h"

int main(int argc, char **argv)
{
	return pingpong_main(argc, argv, CHANNEL_UNIX,
			     "Round trip of a message of SIZE bytes over "
			     "a pair of unix stream sockets.");
}
