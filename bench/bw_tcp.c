/* SPDX-License-Identifier: MIT */
/* bw_tcp - bytes to another process, SIZE at a time, over TCP on the loopback interface. */
#include "common/stream.h"

int main(int argc, char **argv)
{
	return stream_main(argc, argv, CHANNEL_TCP,
			   "Bandwidth to another process in writes of SIZE bytes over "
			   "TCP on the loopback interface.");
}
