/* SPDX-License-Identifier: MIT */
/*
 * The rules of hbench analyze: from Brown's decompositions (TR-03-97, section 2.3: copy, file, TCP,
 * mapped file, process creation, context switch, signals) and of what Linux adds.
 */
#include <stddef.h>

#include "decomposition.h"

/* clang-format off */
const struct rule decomposition_rules[] = {
/* -- memory ------------------------------------------------------------------------------------ */
{
	"memory write", "64m ram", "bw_mem_wr_$1",
	{ { 1, "bw_mem_rd_$1", "reading the lines", 0, 0 },
	  { 1, "bw_mem_rd_$1", "writing them back", 0, 0 } },
	"two transfers at the price of a read: each line is read before it is written (read for "
	"ownership), and written back later",
	.slower = "Changing between reading and writing costs the memory extra, or the lines that "
		"are written back hold up those that are read.",
	.faster = "The second transfer is hidden or not needed: in a cache nothing has to move, and "
		"from memory stores wait for nothing, so that more lines are on their way at a time "
		"than with loads.",
	.agrees = "Writing moves twice the bytes of reading: stores past the cache (memset and "
		"memcpy of the C library choose them for large buffers) save half of it.",
},
{
	"memory copy", "16k 64k 1m 16m 64m ram", "bw_mem_cp_$1_libc_aligned",
	{ { 1, "bw_mem_rd_$1", "reading", 0, 0 },
	  { 1, "bw_mem_wr_$1", "writing", 0, 0 } },
	"a read and a write of every byte: the bandwidth is half the harmonic mean of theirs",
	.slower = "Reads and writes are in each other's way: the memory turns round between them, "
		"and two buffers need twice the room, so that a cache which holds one may not hold "
		"both.",
	.faster = "Reads and writes overlap in a copy, where each alone waits for its own kind of "
		"buffers, or memcpy(3) stores without reading the line first.",
},
{
	"page walks", "2m 16m 64m ram", "lat_mem_rd_$1_random_4k",
	{ { 1, "lat_mem_rd_$1_random_2m", "the load with 2 MB pages", 0, 0 } },
	"the same walk through memory in 2 MB pages, which the TLB covers",
	.slower = "The difference is the walk through the page tables on a TLB miss (in a virtual "
		"machine, through two of them). Programs that wander through so much memory gain "
		"by huge pages, see madvise(2).",
	.agrees = "The TLB, or page tables that stay in the caches, cover this much memory in small "
		"pages: huge pages would gain nothing.",
},
{
	"ascending loads", "64m", "lat_mem_rd_$1_stride_4k",
	{ { 1, "lat_mem_rd_$1_random_4k", "a load in random order", 0, 0 } },
	"the same loads in random order",
	.faster = "The prefetchers see the order and hide this share of the latency; linked data "
		"gains as much from being laid out in the order of its use.",
	.agrees = "Nothing is prefetched.",
},
/* -- bulk data --------------------------------------------------------------------------------- */
{
	"file read", "4k 64k 1m", "bw_file_read_$1",
	{ { 1, "bw_file_read_1", "the call", 0, 0 },
	  { 1, "bw_mem_cp_$1_libc_aligned", "copying", 0, 0 },
	  { 1, "bw_mem_rd_4m", "fetching the file", "$1", 0 },
	  { -1, "bw_mem_rd_$1", "fetching the file", "$1", 0 } },
	"the call for one byte, a copy of the bytes, and what reading adds when the source is not "
	"as near as the buffer but a file of 4 MB (the program does not touch the bytes: memory "
	"read is what that would cost, for the thesis a part of the file's reread)",
	.slower = "The kernel looks up and copies each page on its own, and checks each time that "
		"the program's memory is there.",
	.faster = "The kernel's copy is better than that of the C library, or fetches the file while "
		"it copies.",
},
{
	"file write", "4k 64k 1m", "bw_file_write_$1",
	{ { 1, "bw_file_write_1", "the call", 0, 0 },
	  { 1, "bw_mem_cp_$1_libc_aligned", "copying", 0, 0 },
	  { 1, "bw_mem_wr_4m", "fetching the file", "$1", 0 },
	  { -1, "bw_mem_wr_$1", "fetching the file", "$1", 0 } },
	"the call for one byte, a copy of the bytes, and what writing adds when the destination is "
	"not as near as the buffer but a file of 4 MB",
	.slower = "The kernel looks up and copies each page on its own, and the file system prepares "
		"it and marks it as changed.",
	.faster = "The call for one byte already pays for a page, which larger writes share; or the "
		"kernel fetches the file while it copies.",
},
{
	"file copied in the kernel",
	"range=copy_file_range splice sendfile", "bw_copy_$1_64k",
	{ { 1, "bw_file_read_64k", "reading", 0, 0 },
	  { 1, "bw_file_write_64k", "writing", 0, 0 } },
	"a read and a write",
	.slower = "Passing pages through a pipe or from file to file is more expensive here than copying "
		"bytes to the program and back.",
	.faster = "The bytes do not visit the program, or the file system shares blocks.",
	.agrees = "The kernel reads and writes as the program would.",
},
{
	"file not in the page cache", "in-order=sequential random", "bw_file_cold_$1_4k",
	{ { 1, "bw_file_read_4k", "reading a cached page", 0, 0 } },
	"the read of a page that is in the page cache",
	.slower = "The rest is waiting for the device or, in a virtual machine, for the host and its "
		"cache; in order, the kernel reads ahead of the program and shares it among pages.",
},
{
	"mapped file", "64k 1m 16m 64m", "bw_mmap_rd_$1",
	{ { 1, "lat_mmap_$1", "mapping", 0, 0 },
	  { 1, "lat_pagefault_file", "page faults", 0, "bw_mmap_rd_$1" },
	  { 1, "bw_mem_rd_$1", "reading", 0, 0 } },
	"mapping and unmapping, as many page faults as were counted, and reading the memory",
	.slower = "No part holds the removal of the pages when the mapping ends, nor the TLB misses "
		"of memory that was mapped a moment ago.",
	.faster = "Faults in a row find the page tables at hand, those of lat_pagefault each touch "
		"another part.",
},
{
	"TCP stream", "64k 1m", "bw_stream_tcp_$1",
	{ { 3, "bw_mem_cp_$1_libc_aligned", "copying three times", 0, 0 } },
	"three copies of every byte, as in the BSD system of the thesis",
	.slower = "The rest is calls, headers and acknowledgements, making buffers, switches between "
		"the two processes, and copies between buffers that lie in farther caches.",
	.faster = "Linux copies twice, into the socket and out of it, and the loopback interface "
		"computes no checksum; bytes that were just written are still in a cache.",
	.agrees = "Linux copies twice: the time of the third copy is what the protocol, its buffers "
		"and the switches between the two processes take.",
},
{
	"pipe and socket stream", "pipe/64k=pipe:64k unix/64k=unix:64k pipe/1m=pipe:1m unix/1m=unix:1m", "bw_stream_$1_$2",
	{ { 2, "bw_mem_cp_$2_libc_aligned", "copying twice", 0, 0 } },
	"a copy into the kernel and one out of it",
	.slower = "The rest is calls, making buffers page by page, switches between the two processes, "
		"one whenever the channel is full or empty, and copies between farther caches.",
	.faster = "Bytes that were just written are still in a cache when they are read.",
},
{
	"sending 64k", "pipe unix tcp", "lat_send_$1_64k",
	{ { 1, "lat_send_$1_1", "the call", 0, 0 },
	  { 1, "bw_mem_cp_64k_libc_aligned", "copying", 0, 0 } },
	"the call for one byte, and a copy of the bytes",
	.slower = "Besides the copy the kernel makes buffers for so many bytes, which the other CPU "
		"frees.",
},
{
	"receiving 64k", "pipe unix tcp", "lat_recv_$1_64k",
	{ { 1, "lat_recv_$1_1", "the call", 0, 0 },
	  { 1, "bw_mem_cp_64k_libc_aligned", "copying", 0, 0 } },
	"the call for one byte, and a copy of the bytes",
	.slower = "The bytes are fetched from the cache of the other CPU, which wrote them, and the "
		"kernel frees their buffers.",
},
{
	"sendfile", "4k 64k", "lat_sendfile_$1",
	{ { 1, "bw_file_read_$1", "reading the file", 0, 0 },
	  { 1, "lat_send_tcp_$1", "sending it", 0, 0 } },
	"a read of the file and a send to TCP",
	.slower = "sendfile(2) passes single pages on by reference; here that is more expensive than a copy.",
	.faster = "sendfile(2) saves a kernel entry and hands the file's pages to the socket without a "
		"copy.",
	.agrees = "sendfile(2) saves nothing here.",
},
/* -- entering the kernel ----------------------------------------------------------------------- */
{
	"system call", "getuid fcntl lseek read write fstat sigprocmask kill madvise",
	"lat_syscall_$1",
	{ { 1, "lat_syscall_getppid", "entering the kernel", 0, 0 } },
	"entering and leaving the kernel, the floor below all calls",
	.slower = "The rest is the work of the call itself: finding the descriptor or process, locks, "
		"copying structures.",
},
{
	"system call under a filter", "256", "lat_seccomp_$1_argument",
	{ { 1, "lat_syscall_getppid", "entering the kernel", 0, 0 } },
	"entering the kernel without a seccomp filter of so many instructions",
	.slower = "Each call runs the filter: put the most frequent calls first in it, or decide by the "
		"number of the call alone, which the kernel remembers.",
},
{
	"reading the clock", "monotonic realtime coarse", "lat_clock_$1",
	{ { 1, "lat_syscall_gettimeofday", "entering the kernel", 0, 0 } },
	"asking the kernel by a system call",
	.slower = "Each reading enters the kernel: its clock source cannot be read by programs (see "
		"/sys/devices/system/clocksource).",
	.faster = "The C library reads the clock without entering the kernel (vDSO).",
	.agrees = "Each reading enters the kernel: its clock source cannot be read by programs (see "
		"/sys/devices/system/clocksource).",
},
{
	"signal handler", 0, "lat_sig_handle",
	{ { 1, "lat_syscall_getppid", "entering the kernel", 0, 0 } },
	"the one kernel entry by which a handler returns (sending the signal is taken off)",
	.slower = "Delivery writes all registers, those of vectors too, into a frame on the stack of "
		"the program, and the return checks and loads them again.",
},
{
	"signal installation", 0, "lat_sig_install",
	{ { 1, "lat_syscall_getppid", "entering the kernel", 0, 0 } },
	"entering the kernel",
	.slower = "Installing copies two small structures and takes a lock; the thesis found it to "
		"depend on the first cache alone.",
},
{
	"page fault", "anon", "lat_pagefault_$1",
	{ { 1, "lat_syscall_getppid", "entering the kernel", 0, 0 },
	  { 1, "bw_bzero_4k", "clearing the page", 0, 0 } },
	"entering the kernel and clearing a page",
	.slower = "The rest is the kernel's: finding and accounting a page, the page table; in a "
		"virtual machine also the host's, where the guest touches memory for the first time.",
},
{
	"page copied on write", "cow", "lat_pagefault_$1",
	{ { 1, "lat_pagefault_anon", "a new page, not cleared", 0, 0 },
	  { -1, "bw_bzero_4k", "a new page, not cleared", 0, 0 },
	  { 1, "bw_mem_cp_4k_libc_aligned", "copying", 0, 0 } },
	"a fault of a new page, copied instead of cleared",
	.slower = "The old page is far away, and the kernel takes it out of the page table and the "
		"TLB first.",
},
{
	"memory mapped and touched", "64k 1m", "lat_pages_touch_$1_0",
	{ { 1, "lat_mmap_$1", "mapping", 0, 0 },
	  { 1, "lat_pagefault_anon-free", "page faults", 0, "lat_pages_touch_$1_0" } },
	"mapping and unmapping, and as many page faults as were counted, with freeing the pages",
	.slower = "Page tables are made and freed besides the pages.",
	.faster = "Faults in a row find page tables and fresh pages at hand.",
},
{
	"unmapping beside a thread", "4k 1m", "lat_pages_munmap_$1_1",
	{ { 1, "lat_pages_munmap_$1_0", "unmapping", 0, 0 } },
	"the same in a process of one thread",
	.slower = "The CPU of the other thread is interrupted to drop its TLB entries, and waited for; "
		"each further thread adds to it. Unmap rarely, and much at a time.",
	.agrees = "No thread had to be interrupted.",
},
/* -- processes --------------------------------------------------------------------------------- */
{
	"fork and exit", 0, "lat_proc_null_static",
	{ { 1, "lat_thread", "a thread", 0, 0 },
	  { 1, "lat_pagefault_cow", "pages copied on write", 0, "lat_proc_null_static" } },
	"starting and ending a thread, and as many copied pages as faults were counted",
	.slower = "The rest is the address space: fork copies page tables and mappings, exit takes "
		"them down. It grows with the process, and this one is small.",
	.faster = "Most of these faults find a page that nobody shares any more and copy nothing.",
},
{
	"fork of a large process", "64m", "lat_fork_$1",
	{ { 1, "lat_fork_1m", "a process of 1 MB", 0, 0 },
	  /* 8 bytes for each page of 63 MB */
	  { 1, "bw_mem_cp_64k_libc_aligned", "copying page tables", "126k", 0 } },
	"fork of a process of 1 MB, and a copy of the page table of 63 MB more",
	.slower = "The kernel does not only copy: it looks at each page, counts it once more and makes "
		"it read-only, and exit undoes it. Large servers start programs by posix_spawn(3), "
		"or a small helper, or use huge pages.",
},
{
	"exec of a static program", 0, "lat_proc_simple_static",
	{ { 1, "lat_proc_null_static", "fork and exit", 0, 0 },
	  { 1, "lat_path_open_1", "finding the program", 0, 0 },
	  { 1, "lat_pagefault_anon", "page faults", 0, "lat_proc_simple_static" },
	  { -1, "lat_pagefault_anon", "page faults", 0, "lat_proc_null_static" } },
	"fork and exit, finding the file, and the page faults that exec adds",
	.slower = "The rest is a new address space: it is made, filled with arguments and taken down.",
	.faster = "The child of fork pays for pages which it copies on write; exec drops them.",
},
{
	"dynamic program", 0, "lat_proc_simple_dynamic",
	{ { 1, "lat_proc_null_static", "fork and exit", 0, 0 },
	  { 1, "lat_proc_simple_static", "exec", 0, 0 },
	  { -1, "lat_proc_null_static", "exec", 0, 0 },
	  { 2, "lat_path_open_1", "calls of the linker", 0, 0 },
	  { 8, "lat_mmap_64k", "calls of the linker", 0, 0 },
	  { 3, "lat_mprotect_4k", "calls of the linker", 0, 0 },
	  { 12, "lat_syscall_fstat", "calls of the linker", 0, 0 },
	  { 1, "lat_pagefault_cow", "page faults", 0, "lat_proc_simple_dynamic" },
	  { -1, "lat_pagefault_cow", "page faults", 0, "lat_proc_simple_static" } },
	"fork, exec and exit of a static program; the calls by which the dynamic linker of glibc "
	"maps one library; and the page faults that are added",
	.slower = "The rest is spent in the linker itself, which looks up symbols and relocates with "
		"cold caches, and in taking down a larger address space.",
	.faster = "Many of these faults map pages of the library that are in memory, without copying.",
},
{
	"30 shared libraries", 0, "lat_exec_30",
	{ { 1, "lat_exec_0", "the program", 0, 0 },
	  { 30, "lat_path_open_1", "calls of the linker", 0, 0 },
	  { 120, "lat_mmap_64k", "calls of the linker", 0, 0 },
	  { 30, "lat_mprotect_4k", "calls of the linker", 0, 0 },
	  { 60, "lat_syscall_fstat", "calls of the linker", 0, 0 },
	  { 1, "lat_pagefault_cow", "page faults", 0, "lat_exec_30" },
	  { -1, "lat_pagefault_cow", "page faults", 0, "lat_exec_0" } },
	"a dynamic program without libraries of its own, the calls that map 30 of them, and the "
	"page faults that are added",
	.slower = "The rest is spent in the linker itself and in taking down a larger address space. "
		"Each library costs every start: link what starts often statically.",
	.faster = "Many of these faults map pages of the libraries that are in memory, without "
		"copying, and mappings are taken down all at once.",
},
{
	"program run by a shell", "static dynamic", "lat_proc_sh_$1",
	{ { 1, "lat_proc_simple_dynamic", "starting the shell", 0, 0 },
	  { 1, "lat_proc_simple_$1", "starting the program", 0, 0 } },
	"twice a program's start: the shell's and the program's",
	.slower = "The shell is larger than the program that stands for it here, and reads its "
		"command.",
	.faster = "The shell runs its last command in its own place, without a second fork.",
},
{
	"start without copying", "vfork spawn", "lat_proc_$1_static",
	{ { 1, "lat_proc_simple_static", "fork and exec", 0, 0 } },
	"fork and exec",
	.faster = "The child borrows the address space of its parent until exec: the difference is "
		"what fork pays to copy it, and grows with the process.",
	.agrees = "Copying the address space of so small a process costs next to nothing; of a large "
		"one it would.",
},
/* -- switches ---------------------------------------------------------------------------------- */
{
	"refill after a switch", "16k/8=16k:8:128k 16k/16=16k:16:256k 64k/8=64k:8:512k 64k/16=64k:16:1m",
	"lat_ctx_private_$1_$2",
	{ { 1, "lat_ctx_shared_$1_$2", "the switch", 0, 0 },
	  { 1, "bw_mem_rd_$3", "refill", "$1", 0 },
	  { -1, "bw_mem_rd_$1", "refill", "$1", 0 } },
	"the switch, and what it adds to read the memory of a process from the cache that holds "
	"that of all processes, instead of from the nearest that holds its own",
	.slower = "The misses after a switch come one by one where a long read is prefetched; page "
		"tables and TLB are refilled, too.",
	.faster = "Part of a working set survives in the nearest cache until its process is back.",
},
{
	"futex handover", 0, "lat_futex_pingpong",
	{ { 2, "lat_ctx_shared_0_2", "switches", 0, 0 },
	  { 2, "lat_futex_wake", "waking", 0, 0 },
	  { 2, "lat_syscall_getppid", "waiting", 0, 0 } },
	"two switches, two wakes and two waits",
	.slower = "Queueing and finding a waiter costs more than lat_futex wake, which finds nobody.",
	.faster = "The switches of lat_ctx hold the wakeup through a pipe, which a futex does without.",
},
{
	"round trip", "pipe unix tcp", "lat_roundtrip_$1_1",
	{ { 2, "lat_send_$1_1", "sending", 0, 0 },
	  { 2, "lat_recv_$1_1", "receiving", 0, 0 },
	  { 2, "lat_ctx_shared_0_2", "switches", 0, 0 } },
	"two sends, two receives and two switches on one CPU",
	.slower = "To block and to wake a reader costs more on this channel than on the pipes of "
		"lat_ctx.",
	.faster = "lat_send and lat_recv pay for fetching bytes and locks from another CPU; on one "
		"CPU they stay in its cache.",
},
{
	"wakeup across CPUs",
	"pipe=roundtrip_pipe_1 unix=roundtrip_unix_1 tcp=roundtrip_tcp_1 futex=futex_pingpong",
	"lat_$1@apart",
	{ { 1, "lat_$1", "on one CPU", 0, 0 } },
	"the same round trip with both ends on one CPU",
	.slower = "The partner sleeps on another CPU, which is interrupted and, when idle, first leaves "
		"its idle state; in a virtual machine both go through the host. Polling for some "
		"microseconds before sleeping, or keeping both ends on one CPU, avoids it.",
	.faster = "The two ends overlap: one finishes its call while the other wakes.",
},
{
	"waking a process elsewhere", "futex", "lat_wake_$1",
	{ { 1, "lat_futex_wake", "waking nobody", 0, 0 } },
	"the call when nobody sleeps",
	.slower = "The caller puts the sleeper into the queue of another CPU and interrupts it; in a "
		"virtual machine the interrupt leaves for the host.",
},
{
	"lock with one rival", "atomic mutex", "lat_sync_$1_1",
	{ { 2, "lat_sync_$1_0", "alone", 0, 0 } },
	"a turn of each of two threads, at the price of one alone",
	.slower = "The cache line of the lock and what it protects move between the CPUs, or threads "
		"sleep and wake: data of one thread each need neither.",
},
{
	"two copies at once",
	"getppid=lat_syscall_getppid open=lat_path_open_4 read=bw_file_read_4k "
	"fault=lat_pagefault_anon mmap=lat_mmap_64k memory=bw_mem_rd_ram",
	"$1x2",
	{ { 1, "$1", "alone", 0, 0 } },
	"the same operation by a single process",
	.slower = "The copies share what they need: a lock, a cache, the bandwidth of the memory, or "
		"the core itself.",
},
/* -- mixtures: the sequences of bench/mix_*.c, which -L prints ---------------------------------- */
{
	"calls of a server", "0 16k 64k 256k 1m", "mix_server_$1",
	{ { 1, "lat_accept_close_tcp", "connections", 0, 0 },
	  { 1, "lat_recv_tcp_4k", "messages", 0, 0 },
	  { 1, "lat_path_stat_8", "paths", 0, 0 },
	  { 1, "lat_path_open_8", "paths", 0, 0 },
	  { 1, "lat_syscall_fstat", "files", 0, 0 },
	  { 1, "bw_file_read_4k", "files", 0, 0 },
	  { 1, "lat_send_tcp_4k", "messages", 0, 0 } },
	"the sum of its calls, each as measured in a loop, and what they cost more after so much "
	"other data and code, from the entries measured so (@after)",
	.footprint = "$1",
	.slower = "The calls push the program's own data out of the caches, and fetching them again is "
		"counted here; or several calls in a row find less of their data there than one "
		"alone does.",
	.faster = "Calls that follow each other on the same file and connection share what each of "
		"the loops pays for alone.",
	.agrees = "Prices hold inside such an application.",
},
{
	"calls of a compiler", "0 16k 64k 256k 1m", "mix_files_$1",
	{ { 1, "lat_path_enoent_8", "paths", 0, 0 },
	  { 1, "lat_path_missing_8", "paths", 0, 0 },
	  { 1, "lat_path_open_8", "paths", 0, 0 },
	  { 1, "lat_syscall_fstat", "reading", 0, 0 },
	  { 1, "bw_file_read_4k", "reading", 0, 0 },
	  { 1, "lat_fs_create_0", "a new file", 0, 0 },
	  { 1, "bw_file_append_4k", "a new file", 0, 0 },
	  { 1, "lat_rename", "a new file", 0, 0 } },
	"the sum of its calls, as above",
	.footprint = "$1",
	.slower = "Calls find less of themselves in the caches than in a loop; the first bytes of a "
		"file are more expensive than those at the end of a longer one.",
	.faster = "Names that were looked up before are still at hand for the next call.",
	.agrees = "Prices hold inside such an application.",
},
{
	"calls of a shell", "0 16k 64k 256k 1m", "mix_process_$1",
	{ { 1, "lat_path_enoent_1", "paths", 0, 0 },
	  { 1, "lat_path_stat_1", "paths", 0, 0 },
	  { 1, "lat_fd_socketpair", "a channel", 0, 0 },
	  { 2, "lat_syscall_sigprocmask", "signals", 0, 0 },
	  { 1, "lat_proc_simple_static", "the child", 0, 0 } },
	"the sum of its calls, as above",
	.footprint = "$1",
	.slower = "The child copies pages that its parent writes meanwhile, and both find less in the "
		"caches than in a loop.",
	.faster = "The child is on the way while its parent works.",
	.agrees = "Prices hold inside such an application.",
},
{ 0 },
};
