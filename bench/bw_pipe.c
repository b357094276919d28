/* SPDX-License-Identifier: MIT */
/* bw_pipe - bytes to another process, SIZE at a time, over a pipe. */
#include "common/stream.h"

int main(int argc, char **argv)
{
	return stream_main(argc, argv, CHANNEL_PIPE,
			   "Bandwidth to another process in writes of SIZE bytes over "
			   "a pipe.");
}
