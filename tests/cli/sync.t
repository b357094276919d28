#!/bin/sh
# SPDX-License-Identifier: MIT
# Hosts with clocks of their own: a client and a server in two network namespaces, recorded at the same time, one
# of the traces rewritten as a clock would have it that is far ahead and drifts; ktranal sync finds both.
. "$(dirname "$0")/tap.sh"
ktranal=$build/bin/ktranal
export PATH="$build/bin:$PATH"

# In a namespace of its own, which goes with its last process, unless there can be none.
why=
if [ -z "$OSVEC_INSIDE" ]; then
	map=$([ "$(id -u)" = 0 ] || echo --user --map-root-user)
	# shellcheck disable=SC2086
	if ! command -v ip >/dev/null; then
		why="there is no ip(8) to connect network namespaces with"
	elif ! unshare $map --net ip link add name here type veth peer name there >"$tmp/out" 2>&1; then
		why="no network namespaces: $(head -n 1 "$tmp/out")"
	elif ! "$ktranal" record -q -o "$tmp/try.ktr" -- true >"$tmp/out" 2>&1; then
		why="nothing can be recorded: $(head -n 1 "$tmp/out")"
	else
		rm -rf "$tmp"
		OSVEC_INSIDE=yes O="$build" exec unshare $map --net "$source/tests/cli/sync.t"
	fi
fi

# ---- two logs by hand ----

# A read that ends before the write began, by its clock: 5 s behind, and 100 us/s faster.
awk -v client="$tmp/client.log" -v server="$tmp/server.log" 'BEGIN {
	at = "TCP:[192.0.2.1:5000->192.0.2.2:80]"; of = "TCP:[192.0.2.2:80->192.0.2.1:5000]"
	printf "10 1700000100.000000 socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 3<TCP:[7]> <0.000005>\n" >client
	printf "10 1700000095.000000 accept4(3<TCP:[192.0.2.2:80]>, NULL, NULL, 0) = 4<%s> <0.100000>\n", of >server
	for (i = 1; i <= 200; i++) {
		t = 1700000100 + i / 20
		s = 1700000095 + i / 20 * 1.0001
		printf "10 %.6f write(3<%s>, \"x\", 100) = 100 <0.000010>\n", t, at >client
		printf "10 %.6f read(4<%s>, \"x\", 4096) = 100 <0.000020>\n", s + 0.000020, of >server
		printf "10 %.6f write(4<%s>, \"x\", 50) = 50 <0.000010>\n", s + 0.000100, of >server
		printf "10 %.6f read(3<%s>, \"x\", 4096) = 50 <0.000100>\n", t + 0.000040, at >client
	}
}'
check 0 "two logs" "$ktranal" sync --csv -o "$tmp/both.ktr" "$tmp/client.log" "$tmp/server.log"
cp "$tmp/out" "$tmp/table"
awk -F, 'NR == 2 { exit !($1 == "server" && $2 == "client" && $3 == 200 && $4 == 200 && $7 < -98 && $7 > -102 &&
	$8 >= 19000 && $8 < 60000 && $10 == 0) } END { exit NR != 2 }' "$tmp/table"
ok $? "200 messages each way, 100 us/s slower, within the least delay, none too early" || cat "$tmp/table"
"$ktranal" dump --csv "$tmp/both.ktr" >"$tmp/dump"
is "$(cut -d, -f2 "$tmp/dump" | LC_ALL=C sort | uniq -c | tr -s ' ' | tr -d '\n')" " 401 client:10 1 pid 401 server:10" \
	"the same number on two hosts is two processes"
# The answer that is read ends after its write began, and no more than the bound before the write ended.
awk -F, '$2 == "client:10" && $5 == "write" { sent = $7 }
	$2 == "server:10" && $5 == "read" { n++; if ($7 + $8 < sent || $7 + $8 > sent + 120000) bad++ }
	END { exit bad != 0 || n != 200 }' "$tmp/dump"
ok $? "reads of the server stand behind the writes of the client, by less than 120 us"
check 0 "and the critical path of both" critpath path --by thread --csv "$tmp/both.ktr"
grep -q ',server:10,' "$tmp/out" && grep -q ',client:10,' "$tmp/out"
ok $? "whose threads have the names of their hosts"
check 0 "and the path to the end of one" critpath path --end server:10 "$tmp/both.ktr"
says "to the end of ? server:10" "by its name"
is "$("$ktranal" summary --csv -p server:10 "$tmp/both.ktr" | awk -F, '{ print $2 $3 }' | sort | tr '\n' ' ')" \
	"accept41 namencalls read200 write200 " "-p host:pid"
"$ktranal" sync "$tmp/client.log" "$tmp/server.log" "$tmp/client.log" 2>"$tmp/err" >"$tmp/out"
says "nothing to align by" "the same trace twice says nothing: which of them is it?"
sed 's/192.0.2.2:80/192.0.2.3:80/g' "$tmp/server.log" >"$tmp/other.log"
check 0 "a third host" "$ktranal" sync "$tmp/client.log" "$tmp/server.log" "$tmp/other.log"
says "other.log: no messages to or from an aligned host" "which has no messages, is named"
head -1 "$tmp/server.log" >"$tmp/quiet.log"
check 1 "no messages at all" "$ktranal" sync "$tmp/client.log" "$tmp/quiet.log"

# ---- a subtree ----

# Two programs of one host ask a server, which opens a file for each, and makes a process for the first.
awk -v client="$tmp/client.log" -v server="$tmp/server.log" 'BEGIN {
	c[0] = "TCP:[192.0.2.1:5000->192.0.2.2:80]"; s[0] = "TCP:[192.0.2.2:80->192.0.2.1:5000]"
	c[1] = "TCP:[192.0.2.1:5001->192.0.2.2:80]"; s[1] = "TCP:[192.0.2.2:80->192.0.2.1:5001]"
	for (i = 0; i < 2; i++) {
		printf "%d 1700000000.%03d000 execve(\"/bin/asks%d\", [\"asks\"], 0x1) = 0 <0.000005>\n", 10 + i, i, i >client
		printf "%d 1700000000.%03d000 socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 3<TCP:[%d]> <0.000005>\n", 10 + i, i + 3, i + 7 >client
		printf "10 1700000000.%03d000 accept4(3<TCP:[192.0.2.2:80]>, NULL, NULL, 0) = %d<%s> <0.000100>\n", i + 10, i + 4, s[i] >server
	}
	for (n = 0; n < 6; n++) {
		i = n % 2
		t = 20 + 2 * n
		printf "%d 1700000000.%03d000 write(3<%s>, \"x\", 10) = 10 <0.000010>\n", 10 + i, t, c[i] >client
		printf "10 1700000000.%03d100 read(%d<%s>, \"x\", 4096) = 10 <0.000020>\n", t, i + 4, s[i] >server
		printf "10 1700000000.%03d200 openat(AT_FDCWD, \"/for-%d\", O_RDONLY) = -1 ENOENT (No such) <0.000020>\n", t, i >server
		if (n == 2) {
			printf "10 1700000000.%03d240 clone(child_stack=NULL, flags=SIGCHLD) = 12 <0.000010>\n", t >server
			printf "12 1700000000.%03d290 chdir(\"/child\") = 0 <0.000010>\n", t >server
		}
		printf "10 1700000000.%03d400 write(%d<%s>, \"x\", 5) = 5 <0.000010>\n", t, i + 4, s[i] >server
		printf "10 1700000000.%03d500 epoll_wait(9, [], 5, -1) = 1 <0.000100>\n", t >server
		printf "%d 1700000000.%03d100 read(3<%s>, \"x\", 4096) = 5 <0.000500>\n", 10 + i, t, c[i] >client
	}
}'
check 0 "three processes on two hosts" "$ktranal" sync -o "$tmp/both.ktr" "$tmp/client.log" "$tmp/server.log"
"$ktranal" dump --csv --subtree client:10 "$tmp/both.ktr" 2>"$tmp/err" | cut -d, -f2,5 | LC_ALL=C sort | uniq -c >"$tmp/out"
cat >"$tmp/want" <<'X'
      1 client:10,execve
      3 client:10,read
      1 client:10,socket
      3 client:10,write
      1 pid,name
      1 server:10,clone
      3 server:10,openat
      3 server:10,read
      3 server:10,write
      1 server:12,chdir
X
same "$tmp/out" "$tmp/want" "--subtree: what the server did for it on the other host, and no waiting"
grep -q '2 processes made 11 calls after a request of the subtree: certainly for it where they had no other clients (1)' "$tmp/err"
ok $? "and how sure that is" || cat "$tmp/err"
"$ktranal" summary --csv -e openat --subtree client:11 --by process "$tmp/both.ktr" 2>"$tmp/err" | cut -d, -f1-3 >"$tmp/out"
printf 'process,pid,ncalls\n,server:10,3\n' >"$tmp/want"
same "$tmp/out" "$tmp/want" "that of the other"
"$ktranal" vector --subtree client:10 "$tmp/both.ktr" >"$tmp/out" 2>"$tmp/err"
is "$(grep -c '^mapped: .* of 19 calls' "$tmp/out") $(grep -c '2 processes made 11 calls' "$tmp/out")" "1 1" \
	"vector: with what the other host did for it"
# 10 us of each reply and of the clone, 20 us of each file that is not there; what is in between, up to the next
# request; not the 20 us of each read that brings a request, nor what is waited for in epoll_wait.
"$ktranal" idle --csv --subtree client:10 "$tmp/both.ktr" 2>"$tmp/err" | awk -F, '$2 == "server:10" { print $4, $5 }' >"$tmp/out"
printf '%s\n' 'user 5540000' 'call 40000' 'disk 60000' >"$tmp/want"
same "$tmp/out" "$tmp/want" "idle: what the server did with the time for it"
"$ktranal" breakdown --csv --by process -i 1h --subtree client:10 "$tmp/both.ktr" 2>"$tmp/err" >"$tmp/out"
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	$4 == "server:10" { print $at["user_ns"], $at["net_ns"], $at["process_ns"], $at["waiting_ns"] }' "$tmp/out")" \
	"5540000 30000 10000 60000" "breakdown: the same, by class of call"
"$ktranal" tree --csv "$tmp/both.ktr" >"$tmp/out" 2>"$tmp/err"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	$at["pid"] == "server:12" { found = $at["after"] == "tcp:192.0.2.1:5000-192.0.2.2:80" && $at["after_by"] == "client:10" }
	END { exit !found }' "$tmp/out"
ok $? "tree: after which connection a process was made, and who is at its other end"

# ---- two namespaces ----

if [ "$why" ]; then
	skip "$why"
	done_testing
fi
unshare --net sleep 60 &
there=$!
trap 'kill $there 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT PIPE TERM
apart() { [ "$(readlink /proc/$there/ns/net)" != "$(readlink /proc/self/ns/net)" ]; }
over() { nsenter --target $there --net "$@"; }
until_ok apart
ip link add name here type veth peer name there netns $there &&
	ip address add 198.18.9.1/24 dev here && ip link set here up && ip link set lo up &&
	over ip address add 198.18.9.2/24 dev there && over ip link set there up && over ip link set lo up
ok $? "two hosts and a cable" || done_testing

# record BACKEND: a client here, a server there: a benchmark of round trips, and its peer.
both() {
	rm -f "$tmp/peer"
	OSVEC_SECRET="the secret of this test" nsenter --target $there --net "$ktranal" record -q -b "$1" -o "$tmp/server.ktr" -- \
		hbench peer 198.18.9.2:7412 >"$tmp/peer" 2>"$tmp/complaints" &
	server=$!
	until_ok grep -q . "$tmp/peer"
	OSVEC_SECRET="the secret of this test" OSVEC_LOCK="$tmp/lock" "$ktranal" record -q -b "$1" -o "$tmp/client.ktr" -- \
		"$build/bench/lat_roundtrip" -B 100 --peer 198.18.9.2:7412 tcp 64 >"$tmp/out" 2>"$tmp/err"
	kill -TERM $server
	wait $server
}
for backend in bpf perf ptrace; do
	"$ktranal" doctor | grep -q "^$backend  *yes" || {
		skip "$backend does not work here"
		continue
	}
	both $backend
	# What both clocks show before, to the bound; then the same with one that is 7 s ahead and drifts.
	"$ktranal" sync --csv "$tmp/client.ktr" "$tmp/server.ktr" >"$tmp/plain" 2>"$tmp/err"
	ok $? "$backend: aligned" || { cat "$tmp/err" >&2; continue; }
	"$build/tests/unit/sync" "$tmp/server.ktr" "$tmp/moved.ktr" 7e9 300e-6
	"$ktranal" sync --csv -o "$tmp/both.ktr" "$tmp/client.ktr" "$tmp/moved.ktr" >"$tmp/table" 2>"$tmp/err"
	paste -d, "$tmp/plain" "$tmp/table" | awk -F, 'NR == 2 {
		# x: time of the server as it was; moved: x + 7e9 + 3e-4 x; both say what the client had then.
		x = $5; y = x + 7e9 + 3e-4 * x
		was = x + $6; now = y + $16 + $17 * 1e-6 * (y - $15)
		apart = was > now ? was - now : now - was
		printf "apart %d ns, bounds %d and %d ns, drift %s, messages %d %d\n", apart, $8, $18, $17, $13, $14
		# What both are known to, over the tenth of a second of the benchmark: the lines between the bounds differ by
		# a fraction of that.  Of very few messages, on a busy machine, no drift is known.
		known = 10 + ($8 + $18) / 1e5 / 5
		drifts = $8 > 2e5 || ($7 - $17 > 300 - known && $7 - $17 < 300 + known)
		exit !(apart <= $8 + $18 && $13 > 0 && $14 > 0 && $20 == 0 && drifts)
	}' >"$tmp/out"
	ok $? "$backend: 7 s and a drift of 300 us/s are found within the bound, no message comes too early" || cat "$tmp/out" "$tmp/err"
	"$ktranal" tree --csv "$tmp/both.ktr" | cut -d, -f2 | grep -c -E '^(client|moved):' >"$tmp/out"
	[ "$(cat "$tmp/out")" -ge 2 ]
	ok $? "$backend: a trace of both"
done
done_testing
