#!/bin/sh
# SPDX-License-Identifier: MIT
# hbench analyze finds deviations that were planted, and says what moved with what.
. "$(dirname "$0")/tap.sh"
hbench=$build/bin/hbench

# vector NAME COPY CALL: a machine where copying 64k takes COPY us and a call 0.2 us * CALL; reading 64k takes 3 us,
# writing 5 us, reading a file the call and 1.5 copies.
vector() {
	awk -v name="$1" -v copy="$2" -v call="$3" 'BEGIN {
		print "{\"schema\": \"osvec/1\", \"machine\": \"" name "\","
		print "\"columns\": [\"entry\", \"seconds\", \"error\", \"n\", \"bytes\", \"flags\"], \"entries\": ["
		row("bw_mem_rd_64k", 3, 65536)
		row("bw_mem_rd_4m", 192, 4194304)
		row("bw_mem_wr_64k", 5, 65536)
		row("bw_mem_cp_64k_libc_aligned", copy, 65536)
		row("bw_file_read_1", 0.2 * call, 1)
		row("bw_file_read_64k", 0.2 * call + 1.5 * copy, 65536)
		row("lat_syscall_getppid", 0.2 * call, 0)
		row("lat_syscall_dup", 0.5 * call, 0)
		row("lat_sig_handle", 0.2, 0)
		print "[\"lat_sig_install\", 4e-7, 0.01, 20, 0, [\"WIDE\", \"BIMODAL\"]],"
		print "[\"cpu_int\", 1e-6, 0.01, 20, 0, null]]}"
	}
	function row(entry, us, bytes) {
		printf("[\"%s\", %.9g, 0.01, 20, %d, null],\n", entry, us * 1e-6, bytes)
	}' >"$tmp/$1.json"
}
vector slow 12 1
vector fast 6 1
vector calls 12 3

check 0 "one machine" "$hbench" analyze --all "$tmp/slow.json"
says "memory copy 64k 12.0 us 8.00 us +4.00 us +50% 1.50 1.46-1.54 slower" "a copy that takes 1.5 times its read and write"
says "Slower at 64k (12.0 us, 5.46 GB/s, 1.50 times the prediction, 4.00 us more). Consistent with: Reads and writes" "a paragraph says so, and what fits"
says "Of the prediction at 64k: reading 38 %, writing 62 %" "and of what the prediction is made"
says "file read 64k 18.2 us 12.2 us +6.00 us +49% 1.49" "a file read that takes 1.5 copies"
says "signal handler 200 ns 200 ns +0 s +0% 1.00 0.97-1.03 agrees" "what agrees"
says "signal installation 400 ns 200 ns +200 ns +100% 2.00 1.94-2.06 slower?" "what rests on a bimodal entry"
says "not measured: memory copy 16k needs bw_mem_cp_16k_libc_aligned, bw_mem_rd_16k, bw_mem_wr_16k" \
	"what is missing is named"
says "needs lat_mem_rd_*_random_4k at many sizes" "memory, too"

check 0 "without what is missing" "$hbench" analyze "$tmp/slow.json"
lacks "not measured: memory copy" "it is not listed"
says "operations need entries that were not measured: --all lists them" "but counted"

check 0 "a wider margin" "$hbench" analyze --equivalence 60% "$tmp/slow.json"
says "1.50 1.46-1.54 agrees" "within 60 %"

check 0 "two machines" "$hbench" analyze "$tmp/slow.json" "$tmp/fast.json"
says "file read 64k (bw_file_read_64k) is 1.98 times faster on B (1.92 to 2.04): 1.00 x by the call, 1.58 x by copying, 1.00 x by fetching the file, 1.26 x by what is in no part." "the direction, and the parts"
is "$(sed -n 's/ (.*faster on B.*//p' "$tmp/out" | xargs -d '\n')" "memory copy 64k file read 64k" \
	"two operations moved, the greatest movement first"
says "memory copy 64k 1.50 0.75" "the ratios of both"
says "copy in the caches (bw_mem_cp_64k_libc_aligned: 0.50 on B times the cost on A). With it moved bw_file_read_64k" \
	"the file read moved with the copy"
check 0 "the other way round" "$hbench" analyze "$tmp/fast.json" "$tmp/slow.json"
says "(bw_file_read_64k) is 1.98 times slower on B (1.92 to 2.04)" "is slower by as much"

check 0 "three machines" "$hbench" analyze "$tmp/slow.json" "$tmp/calls.json" "$tmp/fast.json"
says "kernel entry (lat_syscall_getppid: 3.00 on B, 1.00 on C times the cost on A). With it moved bw_file_read_1, lat_syscall_dup" \
	"calls moved with the kernel entry"
lacks "moved cpu_int" "what did not move is not listed"

check 0 "as JSON" "$hbench" analyze -j "$tmp/slow.json" "$tmp/fast.json"
says '"deviation": 4e-06, "ratio": 1.5, "low":' "the deviation and the ratio"
says '"needs": "bw_mem_cp_16k_libc_aligned,' "what is missing"
says '"entry": "bw_file_read_64k", "moved": true, "ratios": [1, 0.505495], "with": "bw_mem_cp_64k_libc_aligned"' "together"
check 0 "JSON is the form of other programs' input" "$hbench" analyze -j native zen4-uml
check 0 "reference platforms by name" "$hbench" analyze native native-seccomp16k
says "kernel entry" "something is said"

# What the rules need of programs that there are is in the full suite.  To list that, hbench starts a process for each
# entry: sanitizers slow this down, and find nothing that they do not find in hbench.t.
if grep -q __asan_init "$build/bench/lat_syscall"; then
	skip "built with a sanitizer: the full suite is not listed"
else
	echo '{"schema": "osvec/1", "machine": "empty", "entries": [{"entry": "x", "seconds": 1}]}' >"$tmp/empty.json"
	"$hbench" list -S full --csv | cut -d, -f1 | sort -u >"$tmp/full"
	"$hbench" analyze -j "$tmp/empty.json" | grep -o '"needs": "[^"]*"' | cut -d'"' -f4 | tr , '\n' |
		sed 's/the page faults of //' | sort -u >"$tmp/needed"
	[ "$(wc -l <"$tmp/needed")" -gt 100 ]
	ok $? "the rules need many entries"
	comm -23 "$tmp/needed" "$tmp/full" | while read -r entry; do
		program=$entry
		until [ -x "$build/bench/$program" ] || [ "$program" = "${program%_*}" ]; do
			program=${program%_*}
		done
		[ ! -x "$build/bench/$program" ] || echo "$entry"
	done >"$tmp/out"
	[ ! -s "$tmp/out" ]
	ok $? "a full run measures all of them"
fi

# A mixture is predicted by the sequence of its program: when each entry costs a second, by as many
# seconds as it has entries.
while read -r mix wanted; do
	sequence=$("$build/bench/mix_$mix" -L | sed 's/.*"sequence": \[//; s/\].*//; s/[",]//g')
	is "$sequence" "$wanted" "what each call of mix_$mix costs in a loop, with as many bytes"
	# shellcheck disable=SC2086
	set -- $sequence
	{
		echo '{"schema": "osvec/1", "machine": "mix", "entries": ['
		for entry in $(printf '%s\n' "$@" | sort -u); do
			echo "{\"entry\": \"$entry\", \"seconds\": 1},"
		done
		echo "{\"entry\": \"mix_${mix}_64k\", \"seconds\": $((2 * $#))}]}"
	} >"$tmp/mix.json"
	check 0 "mix_$mix, of $# calls" "$hbench" analyze --all "$tmp/mix.json"
	says "needs lat_syscall_getppid@after=256k" "without what calls cost after other data it says nothing"
	# Between 16 KB, where nothing costs more, and 256 KB, where calls cost 2 s more, 64 KB is half of the way.
	more='{"entry": "lat_syscall_getppid", "seconds": 1},'
	more=$more'{"entry": "lat_syscall_getppid@after=256k", "seconds": 3, "footprint": 262144},'
	sed -i "1s/\$/$more/" "$tmp/mix.json"
	check 0 "and what calls cost more after other data and code" "$hbench" analyze "$tmp/mix.json"
	says "$((2 * $#)).0 s $((2 * $#)).0 s +0 s +0% 1.00" "is a part of the prediction"
done <<END
server lat_accept_close_tcp lat_recv_tcp_4k lat_path_stat_8 lat_path_open_8 lat_syscall_fstat bw_file_read_4k lat_send_tcp_4k
files lat_path_enoent_8 lat_path_missing_8 lat_path_open_8 lat_syscall_fstat bw_file_read_4k lat_fs_create_0 bw_file_append_4k lat_rename
process lat_path_enoent_1 lat_path_stat_1 lat_fd_socketpair lat_syscall_sigprocmask lat_proc_simple_static lat_syscall_sigprocmask
END

# A run has no vector before it ends.
mkdir "$tmp/killed"
echo '{"machine": "box", "status": "running"}' >"$tmp/killed/meta.json"
printf '%s\n' 2e-7 2e-7 2e-7 >"$tmp/killed/lat_syscall_getppid"
printf '%s\n' 5e-7 5e-7 5e-7 >"$tmp/killed/lat_sig_install"
check 0 "a run that did not end" "$hbench" analyze "$tmp/killed"
says "signal installation 500 ns 200 ns +300 ns +150% 2.50" "is read from its values"
cp "$tmp/slow.json" "$tmp/killed/osvec.json"
check 0 "with a vector of before it was resumed" "$hbench" analyze "$tmp/killed"
says "signal installation 500 ns 200 ns +300 ns +150% 2.50" "as well"
sed 's/running/complete/' "$tmp/killed/meta.json" >"$tmp/meta" && cp "$tmp/meta" "$tmp/killed/meta.json"
check 0 "one that did" "$hbench" analyze "$tmp/killed"
says "memory copy 64k 12.0 us" "has a vector"
rm "$tmp/killed/osvec.json"
printf '2e-7\0' >>"$tmp/killed/lat_sig_install"
check 1 "one with damage" "$hbench" analyze "$tmp/killed"
says "lat_sig_install:4: damaged" "is an error, as elsewhere"

check 1 "an unknown platform" "$hbench" analyze nowhere
says "nowhere: neither a file nor a directory" "is an error"
cd "$tmp" || exit 1
check 1 "no results" "$hbench" analyze
says "results: " "are named"
check 2 "a bad margin" "$hbench" analyze --equivalence ten "$tmp/slow.json"
full "$hbench" analyze "$tmp/slow.json" 2>"$tmp/err"
[ $? -eq 1 ]
ok $? "a full disk"
done_testing
