/* SPDX-License-Identifier: MIT */
/* lat_pipe - a message to another process and its answer, over two pipes. */
#include "common/pingpong.h"

int main(int argc, char **argv)
{
	return pingpong_main(argc, argv, CHANNEL_PIPE,
			     "Round trip of a message of SIZE bytes over two pipes.");
}
