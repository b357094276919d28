#!/bin/sh
# SPDX-License-Identifier: MIT
# The network benchmarks against hbench peer, on the loopback interface: names, refusals, and what is left when one of
# the two is killed.  tests/unit/peer.c plays the strangers; tests/cli/netns.t has two machines.
. "$(dirname "$0")/tap.sh"
bin=$build/bench
cd "$tmp" || exit 1
trap 'kill $peer $benchmark 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT PIPE TERM
export PATH="$build/bin:$PATH" OSVEC_LOCK="$tmp/lock" OSVEC_SECRET="the secret of this test"

# start OPTION...: a peer at $at, process $peer.
start() {
	rm -f "$tmp/peer"
	hbench peer "$@" 127.0.0.1:0 >"$tmp/peer" 2>"$tmp/complaints" &
	peer=$!
	until_ok grep -q . "$tmp/peer"
	at=$(sed 's/listening on //' "$tmp/peer")
}

# children: of the peer.
children() {
	cat /proc/[0-9]*/stat 2>/dev/null | sed 's/.*) //' | awk -v parent="$peer" '$2 == parent' | wc -l
}

alone() {
	[ "$(children)" -eq 0 ]
}

check 2 "no address" hbench peer
check 2 "two addresses" hbench peer 127.0.0.1:0 127.0.0.2:0
check 2 "every address" timeout 20 hbench peer 0.0.0.0:0
says "give one" "is not one"
check 2 "every address of IPv4 by IPv6" hbench peer '[::ffff:0.0.0.0]:0'
check 2 "no port" hbench peer 127.0.0.1
check 1 "no secret" env -u OSVEC_SECRET hbench peer 127.0.0.1:0
says 'OSVEC_SECRET' "and where it is looked for"
check 1 "a short secret" env OSVEC_SECRET=short hbench peer 127.0.0.1:0
check 1 "an address of another machine" hbench peer 192.0.2.1:0

start
entry() { sed -n 's/^{"entry": "\([^"]*\)".*/\1/p' "$tmp/out"; }
for line in 'lat_roundtrip tcp 1' 'lat_roundtrip udp 1' 'bw_stream tcp 4k' 'lat_connect tcp' 'lat_send tcp 1' \
	'lat_send udp 64' 'lat_recv tcp 1' 'lat_recv udp 64' 'lat_sendfile 4k' 'lat_splice 4k'; do
	# shellcheck disable=SC2086
	check 0 "$line" "$bin/${line%% *}" -J -B 2 --peer "$at" ${line#* }
	is "$(entry)" "$(echo "$line@remote" | tr ' ' _)" "its name says where the peer is"
	case $(cat "$tmp/out") in *'"placement": "remote", "peer": "remote"'*'"peer_cpu": null'*) ;; *) false ;; esac
	ok $? "and so do its other facts"
done
until_ok alone
ok $? "the peer has no process left"

check 3 "a pipe" "$bin/lat_roundtrip" --peer "$at" pipe 1
check 3 "a unix socket" "$bin/lat_connect" --peer "$at" unix
check 3 "a benchmark of shared memory" "$bin/lat_futex" --peer "$at" pingpong
check 3 "a benchmark of one party" "$bin/lat_syscall" --peer "$at" getppid
check 3 "a message that no buffer holds" "$bin/lat_send" --peer "$at" tcp 16m
check 3 "no address" "$bin/lat_roundtrip" -P remote tcp 1
check 2 "two places" "$bin/lat_roundtrip" -P same --peer "$at" tcp 1
check 1 "half an address" "$bin/lat_roundtrip" --peer 127.0.0.1 tcp 1
check 1 "no secret" env -u OSVEC_SECRET "$bin/lat_roundtrip" --peer "$at" tcp 1
check 1 "another secret" env OSVEC_SECRET="the secret of no test" "$bin/lat_roundtrip" --peer "$at" tcp 1
says "is the secret the same" "is named"
until_ok grep -q "does not know the secret" "$tmp/complaints"
ok $? "and the peer tells of it"

# A run.
check 1 "no entry is remote" hbench run -q --peer "$at" 'lat_roundtrip tcp 1'
says "@remote" "which is said"
check 1 "no peer" hbench run -q --peer 127.0.0.1:1 'lat_roundtrip tcp 1 @remote'
check 1 "another secret" env OSVEC_SECRET="the secret of no test" \
	hbench run -q --peer "$at" 'lat_roundtrip tcp 1 @remote'
[ ! -e results ]
ok $? "none of them began"
hbench run -q 'lat_roundtrip tcp 1 @remote' >"$tmp/out" 2>&1
is $? 1 "without a peer"
grep -q 'no peer on another machine was given' results/*/*/skipped
ok $? "entries that are remote are skipped"
rm -r results
check 0 "a run" hbench run -q --budget 1ms --peer "$at" 'set processes 2 3' 'lat_roundtrip tcp 1 @remote'
run=$(echo results/*/*)
is "$(wc -l <"$run/lat_roundtrip_tcp_1@remote")" 1 "that ended early"
interrupt() { sed -i 's/"status": "[a-z]*"/"status": "interrupted"/' "$run/meta.json"; }
interrupt
check 1 "goes on with the secret only" env OSVEC_SECRET="the secret of no test" hbench run -q --resume
check 0 "goes on with the peer" hbench run -q --resume --budget 1m
is "$(wc -l <"$run/lat_roundtrip_tcp_1@remote")" 3 "and is completed"
sed -i 's/"peer.system": "/&another /' "$run/meta.json"
interrupt
check 1 "but not with a peer that has changed" hbench run -q --resume
says "another peer" "which is said"

# One side is killed while they measure.
for line in 'lat_roundtrip tcp 1' 'lat_roundtrip udp 1' 'bw_stream tcp 64k' 'lat_send tcp 1' 'lat_connect tcp'; do
	measure() {
		# shellcheck disable=SC2086
		timeout 60 "$bin/${line%% *}" -T 50ms -B 1000 --peer "$at" ${line#* } >"$tmp/out" 2>"$tmp/err" &
		benchmark=$!
		until_ok busy
	}
	busy() { [ "$(children)" -eq 1 ]; }
	measure
	kill -TERM $benchmark
	wait $benchmark
	until_ok alone
	ok $? "$line: a benchmark that is killed leaves no process at the peer"
	measure
	kill -KILL $peer
	wait $peer 2>/dev/null
	wait $benchmark
	status=$?
	[ $status -eq 1 ] && [ ! -s "$tmp/out" ] && [ -s "$tmp/err" ]
	ok $? "$line: when the peer is killed, it ends with a message and without a number" || echo "# status $status"
	start
done
kill -TERM $peer
wait $peer
is $? 0 "SIGTERM ends the peer"
check 1 "then nobody answers" "$bin/lat_roundtrip" --peer "$at" tcp 1
start --sessions 1
kill -HUP $peer
wait $peer
is $? 0 "SIGHUP does, too"
done_testing
