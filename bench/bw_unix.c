/* SPDX-License-Identifier: MIT */
/* bw_unix - bytes to another process, SIZE at a time, over a pair of unix stream sockets. */
#include "common/stream.h"

int main(int argc, char **argv)
{
	return stream_main(argc, argv, CHANNEL_UNIX,
			   "Bandwidth to another process in writes of SIZE bytes over "
			   "a pair of unix stream sockets.");
}
