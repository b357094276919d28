/* SPDX-License-Identifier: MIT */
/* vector_texts.h - an application vector, a time file and a basis with all that they may hold. */
#ifndef TESTS_VECTOR_TEXTS_H
#define TESTS_VECTOR_TEXTS_H

/* What one run used. */
#define RUN_USAGE \
	"\"user\": 0.1, \"system\": 0.25, \"voluntary\": 3, \"involuntary\": 4, " \
	"\"minor_faults\": 5, \"major_faults\": 6"

#define APPVEC_TEXT \
	"{\"schema\": \"osvec-application/1\", \"name\": \"redis\", \"command\": \"r -x\"," \
	" \"created\": \"2026-01-02T03:04:05Z\", \"recorder\": \"ptrace\", \"basis\": \"b.conf\"," \
	" \"machine\": {\"host\": \"h\", \"id\": \"00c0ffee\", \"kernel\": \"6\", \"cpu\": " \
	"\"Z80\"," \
	"  \"arch\": \"x86_64\", \"vector\": \"native\"}," \
	" \"units\": 100000, \"unit\": \"request\", \"user_entries\": [\"cpu_int\"]," \
	" \"events\": {\"cycles\": 700, \"instructions\": 900, \"cache_misses\": null," \
	" \"branch_misses\": 3, \"mode\": \"user\"}," \
	" \"switch_entry\": null, \"fault_entry\": \"lat_pagefault_anon\"," \
	" \"canaries\": {\"code\": 1.25e-7, \"call\": 1e-6}," \
	" \"runs\": [{" RUN_USAGE ", \"wall\": 0.3333333333333333}, " \
	"{\"user\": 1, \"system\": 2, \"wall\": null, \"voluntary\": 7, \"involuntary\": null," \
	"  \"minor_faults\": 2, \"major_faults\": 0}]," \
	" \"traces\": [{\"trace\": \"a.ktr\", \"counts\": \"measured\", " RUN_USAGE "," \
	"  \"wall\": null, \"processes\": 2, \"threads\": 5, \"calls\": 1013, \"call_time\": " \
	"0.25," \
	"  \"mapped_calls\": 1012, \"mapped_time\": 0.2, \"lost\": 0, \"unfinished\": 1," \
	"  \"asleep\": 0.05," \
	"  \"items\": [{\"entry\": \"lat_send_tcp_*\", \"weight\": -0.5, \"part\": \"wait\"," \
	"   \"fallback\": false, \"calls\": 1012, \"bytes\": 17333.3, \"time\": 0.2," \
	"   \"sizes\": [[5, 1009], [4096.1, 3]], \"from\": \"write writev\"}," \
	"  {\"entry\": \"lat_null\", \"weight\": 1, \"part\": \"kernel\", \"fallback\": true," \
	"   \"calls\": 1, \"bytes\": 0, \"time\": null, \"from\": \"fancy\"}]," \
	"  \"unmapped\": [{\"call\": \"fancy tcp\", \"calls\": 1, \"time\": null}]}]}"

#define TIMEFILE_TEXT \
	"{\"schema\": \"osvec-time/2\", \"command\": \"sh -c 'exit 3'\"," \
	" \"created\": \"2026-01-02T03:04:05Z\", \"host\": \"h\", \"kernel\": \"6.1\"," \
	" \"host_id\": \"00c0ffee\", \"cpu\": \"Z80\", \"method\": \"ptrace\", \"only\": null," \
	" \"call_user\": 4e-8, \"canaries\": {\"code\": 1.25e-7, \"call\": 1e-6}," \
	" \"runs\": [{\"wall\": 1.5, \"status\": 3, \"processes\": 1, \"threads\": 2, " RUN_USAGE \
	"," \
	"  \"complete\": true, \"programs\": [{\"program\": \"sh\", \"pid\": 17, \"start\": 0.01," \
	"   \"wall\": 1.25, \"threads\": 2, " RUN_USAGE ", \"end\": \"running\"," \
	"   \"counted\": true}]}]," \
	" \"calls\": {\"wall\": 1, \"status\": 0, \"processes\": 1, \"threads\": 1, " RUN_USAGE \
	"," \
	"  \"complete\": false, \"programs\": [{\"program\": \"sh\", \"pid\": 18, \"start\": 0," \
	"   \"wall\": 1, \"threads\": 1, " RUN_USAGE ", \"end\": \"exit\", \"counted\": false," \
	"   \"calls\": {\"read\": 1009, \"getpid\": 3}, \"failed\": {\"read\": 211}}]}}"

#define BASIS_TEXT \
	"# a comment\n" \
	"@null lat_null\n" \
	"@user cpu_int cpu_hash\n" \
	"@switch lat_ctx_shared_0_2\n" \
	"\n" \
	"read,recvfrom tcp,unix if=EAGAIN -> lat_try	# line 6\n" \
	"read,recvfrom tcp size=ret -> lat_recv_tcp_*\n" \
	"read,pread64 file,directory size=ret if=ok -> 0.5 bw_file_read_* + lat_lookup\n" \
	"openat.create - size=depth -> lat_fs_create\n" \
	"openat - size=depth if=ok -> lat_path_open_*\n" \
	"openat - if=error -> lat_path_enoent_4\n" \
	"munmap - size=arg1 -> counted lat_mmap_*\n" \
	"getdents64 - size=ret/32 -> lat_getdents_*\n" \
	"fsync file size=4k -> wait lat_fsync_* - 2 bw_file_write_*\n" \
	"* epoll -> lat_epoll\n" \
	"@fault.read lat_around\n"

#endif
