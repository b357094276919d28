/* SPDX-License-Identifier: MIT */
/* lat_udp - a message to another process and its answer, over UDP on the loopback interface. */
#include "common/pingpong.h"

int main(int argc, char **argv)
{
	return pingpong_main(argc, argv, CHANNEL_UDP,
			     "Round trip of a message of SIZE bytes over "
			     "UDP on the loopback interface.");
}
