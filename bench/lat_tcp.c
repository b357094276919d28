/* SPDX-License-Identifier: MIT */
/* lat_tcp - a message to another process and its answer, over TCP on the loopback interface. */
#include "common/pingpong.h"

int main(int argc, char **argv)
{
	return pingpong_main(argc, argv, CHANNEL_TCP,
			     "Round trip of a message of SIZE bytes over "
			     "TCP on the loopback interface.");
}
