#!/bin/sh
# SPDX-License-Identifier: MIT
# ccmod from the command line: the example of its article, every shape on every topology, every fault named.
. "$(dirname "$0")/tap.sh"
ccmod=$build/bin/ccmod

cat >"$tmp/two.wl" <<'X'
ranks 16
rank 4
  send 5 1k
rank 6
  send 5 1k
rank 5
  irecv 4
  irecv 6
  waitall
X
sed 's/^rank 6/&\n  compute 10us/' "$tmp/two.wl" >"$tmp/late.wl"
check 0 "the worked example of the article" "$ccmod" predict -n myrinet --sharing article "$tmp/two.wl"
says "run time 97.8 us" "two messages of 1 KB on one link take 97.8 us"
says "every message alone: 48.9 us" "and 48.9 us alone"
says "bottleneck leaf 1 -> host 5" "the link is named"
check 0 "as JSON" "$ccmod" predict -n myrinet --sharing article --json "$tmp/two.wl"
is "$(value bottleneck)" '"leaf 1 -> host 5"' "JSON: the bottleneck"
is "$(value seconds | awk '{ printf "%.9f", $1 }')" 0.000097800 "JSON: the seconds"
is "$(value delay_alone | awk '{ printf "%.9f", $1 }')" 0.000048900 "JSON: the delay of a message alone"
check 0 "every link" "$ccmod" predict -n myrinet --sharing article --csv "$tmp/two.wl"
is "$(awk -F, 'NR == 2 { printf "%s %.4f %.3f", $1, $3, $4 }' "$tmp/out")" "leaf 1 -> host 5 0.1334 1.000" \
	"2088 bytes in 97.8 us use so much of 160 MB/s"
check 0 "as many as wanted" "$ccmod" predict -n myrinet --links --top 2 --csv "$tmp/two.wl"
is "$(wc -l <"$tmp/out")" 3 "are printed"
check 0 "every message" "$ccmod" predict -n myrinet --sharing article --messages --csv "$tmp/two.wl"
is "$(awk -F, '$11 > 1.999 && $11 < 2.001 && $12 == "leaf 1 -> host 5"' "$tmp/out" | wc -l)" 2 \
	"both take twice as long because of it"
check 0 "who takes the time" "$ccmod" predict -n myrinet --sharing article --set 'send 1us' --set 'receive 2us' \
	--messages --csv "$tmp/late.wl"
is "$(awk -F, 'NR == 2 { printf "%.1f %.1f %.1f %.1f %.1f", $6 * 1e6, $7 * 1e6, $8 * 1e6, $9 * 1e6, $10 * 1e6 }' "$tmp/out")" \
	"3.0 0.0 48.9 38.9 87.8" "overhead, peer, wire, contention and delay of the first of two messages"
check 0 "of each rank" "$ccmod" predict -n myrinet --sharing article --set 'send 1us' --set 'receive 2us' \
	--json "$tmp/late.wl"
for spent in 'slowest_rank compute 0.0' 'slowest_rank overhead 4.0' 'slowest_rank wire 48.9' 'slowest_rank contention 38.9' \
		'slowest_rank peer 11.0' 'all_ranks compute 10.0' 'all_ranks overhead 6.0' 'all_ranks peer 11.0'; do
	set -- $spent
	is "$(sed -n "s/^\"$1_spent\": .*\"$2\": \([^,}]*\).*/\1/p" "$tmp/out" | awk '{ printf "%.1f", $1 * 1e6 }')" "$3" "$spent us"
done

check 0 "eight waves" "$ccmod" generate sweep3d --ranks 4 --steps 1 --compute 0
is "$(awk '/^rank/ { rank = $2 } rank == 0' "$tmp/out" | tr -s ' \n' '  ' | sed 's/ repeat 1//g; s/ end/,/g')" \
	"rank 0 send 1 8k send 2 8k, send 1 8k send 2 8k, recv 1 send 2 8k, recv 1 send 2 8k, recv 2 send 1 8k, \
recv 2 send 1 8k, recv 1 recv 2, recv 1 recv 2, " "leave from each corner twice" || sed 's/^/# /' "$tmp/out"
"$ccmod" generate client-server --ranks 12 --servers 5 --steps 2 >"$tmp/servers.wl"
check 0 "seven clients of five servers" "$ccmod" predict -n myrinet --json "$tmp/servers.wl"
is "$(value messages)" 28 "are all served"
for shape in halo sweep3d ring alltoall incast client-server random; do
	check 0 "generate $shape" "$ccmod" generate $shape --steps 3 --vary
	cp "$tmp/out" "$tmp/$shape.wl"
	check 0 "convert $shape to binary" "$ccmod" convert -o "$tmp/$shape.bin" "$tmp/$shape.wl"
	check 0 "and back" "$ccmod" convert "$tmp/$shape.bin"
	cmp -s "$tmp/out" "$tmp/$shape.wl"
	ok $? "which gives the same text"
	for topology in 'crossbar 16' 'clos 4 4 2' 'fattree 4' 'torus 2 2 4' 'torus 16' 'dragonfly 3 2 3'; do
		case $topology in
		crossbar* | torus*) routing='routing source' ;;
		*) routing='routing random' ;;
		esac
		for rule in maxmin article; do
			{ grep -v '^topology\|^routing' conf/topologies/myrinet.net && echo "topology $topology" && echo "$routing"; } \
				>"$tmp/any.net"
			"$ccmod" predict -n "$tmp/any.net" --check \
				--background exp:20% --sharing $rule --json "$tmp/$shape.wl" >"$tmp/out" 2>"$tmp/err" &&
				[ "$(value unreceived)" = 0 ] && [ "$(value allocations_checked)" -gt 0 ] ||
				echo "$topology $rule: $(cat "$tmp/err")"
		done
	done >"$tmp/bad"
	[ ! -s "$tmp/bad" ]
	ok $? "$shape runs on every topology, each allocation optimal" || sed 's/^/# /' "$tmp/bad"
	for eager in always 8k never; do
		"$ccmod" predict -n myrinet --set "eager $eager" --set 'send 1us' --set 'receive 2us' --json \
			--trace "$tmp/$shape.ktr" "$tmp/$shape.wl" >"$tmp/out"
		seconds=$(value seconds)
		"$build/bin/critpath" path --json "$tmp/$shape.ktr" | tr -d '\n' | awk -v s="$seconds" '
			function value(key) { sub(".*\"" key "\": *", ""); return $0 + 0 }
			{ all = $0; sum = value("sum_seconds"); $0 = all; unknown = value("unknown_seconds") }
			END { if (unknown || sum < s - 2e-9 || sum > s + 2e-9) print sum, unknown, s }'
	done >"$tmp/bad"
	[ ! -s "$tmp/bad" ]
	ok $? "$shape: all of the run time is on the critical path of its trace" || sed 's/^/# /' "$tmp/bad"
done
printf 'ranks 5\nrank 1\n  barrier\n  bcast 3 8 in 1-3/2\nrank 3\n  barrier\n  bcast 3 8 in 1-3/2\nrank 0 2 4\n  barrier\n' \
	>"$tmp/groups.wl"
check 0 "groups as binary" "$ccmod" convert -o "$tmp/groups.bin" "$tmp/groups.wl"
check 0 "and back" "$ccmod" convert "$tmp/groups.bin"
is "$(grep -c '  bcast 3 8 in 1-3/2' "$tmp/out") $(grep -c barrier "$tmp/out")" "2 5" "the same groups"
printf 'ranks 1\nrank 0\ncompute uniform:1.25ns-1000000s\n' >"$tmp/long.wl"
check 0 "long times and parts of ns" "$ccmod" convert "$tmp/long.wl"
cp "$tmp/out" "$tmp/long2.wl"
check 0 "are written so that they can be read" "$ccmod" convert "$tmp/long2.wl"
is "$(tail -1 "$tmp/out")" "  compute uniform:1.250ns-1000000000000000ns" "and stay the same"
"$ccmod" generate ring | "$ccmod" predict -n ethernet10g-16 - >"$tmp/out"
ok $? "a workload on a pipe"

# nanoseconds OPTION...: the run time with these options.
nanoseconds() {
	"$ccmod" predict -n myrinet --json "$@" "$tmp/incast.wl" >"$tmp/out" && value seconds |
		awk '{ printf "%d\n", $1 * 1e9 }'
}
"$ccmod" generate incast --bytes 64k --steps 5 --compute 0 >"$tmp/incast.wl"
quiet=$(nanoseconds)
half=$(nanoseconds --background 50%)
[ "$half" -gt $((quiet * 15 / 10)) ] && [ "$half" -lt $((quiet * 21 / 10)) ]
ok $? "half the links taken makes an incast up to twice as long"
[ "$(nanoseconds --background flows:50%)" -gt "$quiet" ]
ok $? "background flows make it longer"
[ "$(nanoseconds --set 'link 2.56Gbit/s 100ns')" -lt $((quiet * 7 / 10)) ]
ok $? "faster links make it shorter"

printf 'ranks 2\nrank 0\nsend 1 1m\nrecv 1\nrank 1\nrecv 0\nsend 0 1m\n' >"$tmp/pong.wl"
printf 'topology crossbar 2\nlink 1MiB/s 0s\n' >"$tmp/slow.net"
printf 'name\tof two  words\ntopology crossbar 16\nlink 1GB/s 1us\n' >"$tmp/named.net"
check 0 "twice as fast" "$ccmod" predict -n "$tmp/slow.net" --json --set 'topology graph' --set 'host a b' --set 'cable a b' "$tmp/pong.wl"
is "$(value seconds | cut -c1-4) $(value seconds_with_bottleneck_twice_as_fast | cut -c1-4)" "2 1" "is a cable in both directions"
# two_flows OPTION...: the run time of two messages of 1 MB from rack to rack, in us.
printf 'ranks 8\nrank 0\nsend 4 1m\nrank 1\nsend 5 1m\nrank 4\nrecv 0\nrank 5\nrecv 1\n' >"$tmp/flows.wl"
two_flows() {
	"$ccmod" predict --check --json "$@" "$tmp/flows.wl" >"$tmp/out" && value seconds | awk '{ printf "%.1f\n", 1e6 * $1 }'
}
sed "s|right 10Gbit.*|right 1Gbit/s 0s|" conf/topologies/two-racks.net >"$tmp/slow-middle.net"
is "$(two_flows -n "$tmp/slow-middle.net" --set 'link 250Mbit/s 2us' --set 'packet 1000000000 0')" 33558.4 \
	"a change of 'link' is that of the cables of a graph without their own speed"
is "$(two_flows -n two-racks --set 'topology crossbar 8')" 887.7 "another topology than a graph has none of its cables"
is "$("$ccmod" predict -n two-racks --set 'topology graph' --set 'host a b' --set 'switch s' --set 'cable a s' --set 'cable s b' \
	--csv "$tmp/pong.wl" | tail -n +2 | wc -l)" 4 "nor has another graph"
sed 's|right 1Gbit.*|right 2Gbit/s 0s|' "$tmp/slow-middle.net" >"$tmp/faster-middle.net"
for rule in maxmin article; do
	faster=$(two_flows -n "$tmp/faster-middle.net" --sharing $rule)
	two_flows -n "$tmp/slow-middle.net" --sharing $rule >"$tmp/seconds"
	is "$(value seconds_with_bottleneck_twice_as_fast | awk '{ printf "%.1f", 1e6 * $1 }')" "$faster" \
		"$rule: with the bottleneck twice as fast, as on such a network"
done
is "$(cat "$tmp/seconds") $faster" "17682.5 8845.3" "which takes half the time but for the latency"
check 1 "a speed of cables that a graph has not" "$ccmod" predict -n two-racks --set 'uplink 1GB/s 1us' "$tmp/flows.wl"
says "a graph has no 'uplink'" "is named"
check 2 "too much background" "$ccmod" predict -n myrinet --background 96% "$tmp/two.wl"
check 0 "pictures" "$ccmod" predict -n myrinet --sharing article --svg "$tmp/d.svg" --perfetto "$tmp/d.json" \
	--paraver "$tmp/d.prv" "$tmp/two.wl"
is "$(grep -c "stroke='#cc2233'/>$" "$tmp/d.svg")" 3 "two messages are drawn red, and the legend"
is "$(grep -c '"ph":"s"' "$tmp/d.json")" 2 "two arrows begin"
# The header of Paraver: length, nodes with their CPUs, one application with its tasks, threads and nodes.
is "$(head -1 "$tmp/d.prv")" "#Paraver (01/01/00 at 00:00):97800_ns:16($(seq -s, 1 16 | sed 's/[0-9]*/1/g')):1:16($(seq -s, -f 1:%g 1 16))" \
	"the ranks and their nodes"
is "$(grep -c '^3:' "$tmp/d.prv")" 2 "two communications"
is "$(grep '^3:5' "$tmp/d.prv")" "3:5:1:5:1:0:0:6:1:6:1:97800:97800:1024:0" "of 97800 ns"
is "$(awk -F: '$1 == 1 { t = $6 } $1 == 3 { t = $6 } t < last { print "late" } { last = t }' "$tmp/d.prv")" "" \
	"in the order of time"
check 2 "pictures of nothing" "$ccmod" predict -n myrinet --messages --svg "$tmp/e.svg" "$tmp/two.wl"
check 0 "a trace" "$ccmod" predict -n myrinet --sharing article --set 'send 1us' --set 'receive 2us' \
	--trace "$tmp/late.ktr" "$tmp/late.wl"
check 0 "its critical path" "$build/bin/critpath" path --csv "$tmp/late.ktr"
is "$(awk -F, 'NR > 1 { printf "%s %s %.1f, ", $4, $6, $2 * 1e6 }' "$tmp/out")" \
	"network wire 48.9, network contention leaf 1 -> host 5 38.9, ranks compute 10.0, ranks overhead 5.0, " \
	"the later message, behind its sender's work"
check 0 "who used its link" "$build/bin/cea" contention --by process --csv "$tmp/late.ktr"
is "$(tr -d '()' <"$tmp/out" | sed 's/ranks \([0-9]*\) overhead/\1/g' | LC_ALL=C sort -t, -k5,6 | awk -F, '$1 == "link" { printf "%s %.1f %s at %s, ", $5, $3 * 1e6, $6, $7 }')" \
	"5 38.9 7 at leaf 1 -> host 5, 5 48.9 itself at leaf 1 -> host 5, 7 38.9 5 at leaf 1 -> host 5, 7 48.9 itself at leaf 1 -> host 5, " \
	"each message carries itself for as long as if it were alone"
printf 'ranks 2\nrank 0\nisend 1 1k\nisend 1 1k\nwaitall\nrank 1\ncompute 30us\nirecv 0\nirecv 0\nwaitall\n' >"$tmp/waits.wl"
check 0 "a message that waits for its receiver, and behind another" "$ccmod" predict -n myrinet --sharing article --set 'eager never' \
	--trace "$tmp/waits.ktr" "$tmp/waits.wl"
check 0 "its critical path" "$build/bin/critpath" path --csv "$tmp/waits.ktr"
is "$(awk -F, 'NR > 1 { printf "%s %s %.1f, ", $4, $6, $2 * 1e6 }' "$tmp/out")" "network wire 48.9, network behind 48.9, ranks compute 30.0, " \
	"behind the other message, behind its receiver's work"
"$ccmod" generate ring --compute 0 >"$tmp/hundred.wl"
check 0 "a piece of a run" "$ccmod" predict -n myrinet --svg "$tmp/piece.svg" --from 1ms --to 2ms "$tmp/hundred.wl"
lines=$(grep -c "^<path.*stroke='#" "$tmp/piece.svg")
[ "$lines" -gt 20 ] && [ "$lines" -lt 120 ]
ok $? "has the messages of that piece" || echo "# $lines"
check 1 "a piece that is not in the run" "$ccmod" predict -n myrinet --svg "$tmp/e.svg" --from 1s "$tmp/two.wl"
check 0 "loads" "$ccmod" predict -n myrinet --loads 4 --csv "$tmp/two.wl"
is "$(awk -F, 'NR == 2 { printf "%s %.3f", $1, $2 }' "$tmp/out")" "leaf 1 -> host 5 0.335" \
	"two messages of 1044 bytes in 38.9 us take a third of 160 MB/s"
check 0 "seeds" "$ccmod" predict -n myrinet --background exp:50%/10us --runs 9 --json "$tmp/incast.wl"
awk -v b="$(value seconds_best)" -v m="$(value seconds_mean)" -v w="$(value seconds_worst)" \
	'BEGIN { exit !(b < m && m < w) }'
ok $? "best, mean and worst of nine"
check 0 "knee" "$ccmod" knee -n myrinet --sharing article --svg "$tmp/k.svg" --csv "$tmp/halo.wl"
is "$(awk -F, 'NR > 1 && $4 == "knee"' "$tmp/out" | wc -l) $(awk -F, 'NR > 1 && $7 == "knee"' "$tmp/out" | wc -l)" "1 1" "one knee each"
awk -F, 'NR > 1 { if ($2 < last || $5 > $2 || $6 < $3) exit 1; last = $2 }' "$tmp/out"
ok $? "more load, more throughput; with background less of it, and longer delays"
awk -F, 'END { exit !($6 > 1.4 * $3 && $6 < 1.6 * $3) }' "$tmp/out"
ok $? "a load of 0.3 stretches delays by 1 / 0.7, and lets messages meet more often"
awk -F, 'NR > 1 { p = $2 / $3; if (p > most) { most = p; at = $4 } } END { exit at != "knee" }' "$tmp/out"
ok $? "where throughput over delay is highest"
check 0 "throughput" "$ccmod" knee -n myrinet --sharing article --csv "$tmp/two.wl"
is "$(awk -F, 'END { printf "%.0f", $2 }' "$tmp/out")" 10466 "is in packets: two of 1044 of 2040 bytes in 97.8 us"
check 0 "sweep of the rules" "$ccmod" sweep -n myrinet -v sharing=article,maxmin --csv "$tmp/two.wl"
is "$(awk -F, 'NR == 2 { printf "%.1f %.1f %s", $2 * 1e6, $3 * 1e6, $6 }' "$tmp/out")" "97.8 48.9 leaf 1 -> host 5" \
	"time, time alone, and bottleneck"
printf 'ranks 16\nrank 0\nsend 1 1m\nrank 1\nrecv 0\nrank 12 13\nsend 14 1k\nrank 14\nirecv 12\nirecv 13\nwaitall\n' \
	>"$tmp/used.wl"
check 0 "two that meet, and a long one" "$ccmod" predict -n myrinet --sharing article --runs 2 --json "$tmp/used.wl"
is "$(value bottleneck)" '"leaf 3 -> host 14"' "the bottleneck is where messages are delayed, not what is used most"
check 0 "twice without anything random" "$ccmod" predict -n myrinet --sharing article --runs 2 --json "$tmp/two.wl"
is "$(value seconds_best)" "$(value seconds)" "is the same twice"
check 0 "sweep" "$ccmod" sweep -n myrinet -v 'link=1GB/s 1us,2GB/s 1us' -v background=none,30%,flows:30% --csv "$tmp/two.wl"
is "$(tail -n +2 "$tmp/out" | wc -l)" 6 "every combination"
check 0 "sweep of loads" "$ccmod" sweep -n myrinet -v background=none,50% --csv "$tmp/incast.wl"
awk -F, 'NR == 2 { none = $2 } END { exit !($2 > 1.5 * none && $2 < 2.1 * none) }' "$tmp/out"
ok $? "half the links taken makes an incast up to twice as long in a sweep, too"
check 0 "drawn amounts" "$ccmod" generate ring --vary --ranks 2 --steps 3 --compute 40us
is "$(awk '/rank 0/, /rank 1/' "$tmp/out" | tr -s ' \n' '  ')" \
	"rank 0 repeat 3 compute exp:40000ns isend 1 uniform:4k-12k recv 1 waitall end rank 1 " "are from half to one and a half"
for options in '--runs 2 --csv' '--runs 2 -l' '--runs 2 -r' '--runs 2 -m' '--runs 2 --loads 3' '--from 1us' '--to 1s' '--stretch -1' \
		'-m --top 3' '-r --top 3' "--svg $tmp/same --trace $tmp/same" '--background exp:30%/10ns' '--background 30%/1ms' '-n -'; do
	check 2 "predict $options" "$ccmod" predict -n myrinet $options "$([ "$options" = '-n -' ] && echo - || echo "$tmp/two.wl")"
done
for options in 'ring --think 1s' 'ring --servers 2' 'halo --partners 2' 'halo --seed 2' 'ring --grid 4x4' 'halo --grid x' \
		'halo --grid 4xx4' 'halo --grid='; do
	check 2 "generate $options" "$ccmod" generate $options
done
for options in '--background 30% -v background=none' '-v sharing=article -v sharing=article' '--sharing article -v sharing=maxmin' \
		'-v sharing=maxmin,article -v background=none,flows:30%'; do
	check 2 "sweep $options" "$ccmod" sweep -n myrinet $options "$tmp/two.wl"
	is "$(cat "$tmp/out")" "" "before anything is run"
done
check 2 "sweep of what is set" "$ccmod" sweep -n myrinet --set 'link 1GB/s 1us' -v 'link=1GB/s 1us,2GB/s 1us' "$tmp/two.wl"
says "link is varied, so it has no effect as another option" "says so"
"$ccmod" sweep -n - -v 'link=1GB/s 1us,2GB/s 1us' --csv "$tmp/two.wl" <conf/topologies/myrinet.net >"$tmp/out"
is "$(wc -l <"$tmp/out")" 3 "a sweep of a network on a pipe"
check 0 "a sweep of places" "$ccmod" sweep -n myrinet -v 'place=order,random 3,0-12/4 1-13/4 2-14/4 3-15/4' --csv "$tmp/halo.wl"
is "$(cut -d, -f4 "$tmp/out" | sort -u | wc -l)" 4 "messages take another time in each"
printf 'ranks 2\nrank *\nrepeat 9\nsend +1 uniform:1k-9k\nrecv -1\nend\n' | sed 's/^rank \*/rank 0/; $a rank 1\nrepeat 9\nrecv -1\nsend +1 1\nend' \
	>"$tmp/drawn.wl"
check 0 "sizes are drawn" "$ccmod" predict -n myrinet --runs 4 --json "$tmp/drawn.wl"
ok "$([ "$(value seconds_best)" != "$(value seconds_worst)" ]; echo $?)" "by each run"
check 0 "and a load that is drawn" "$ccmod" predict -n myrinet --runs 4 --background exp:0% --json "$tmp/drawn.wl"
is "$(value seconds_best)" "$(value seconds_worst)" "is all that is drawn anew then"
printf 'ranks 2\nrank *\ncompute 10ms\n' >"$tmp/work.wl"
check 0 "no messages" "$ccmod" predict -n myrinet --json "$tmp/work.wl"
is "$(value bottleneck)" null "no bottleneck"
check 0 "in words" "$ccmod" predict -n myrinet "$tmp/work.wl"
says "bottleneck none: no message used a link" "says so"
check 1 "knee of no messages" "$ccmod" knee -n myrinet "$tmp/work.wl"
says "no message uses a link, so there is no knee" "says so"
printf 'ranks 2\n' >"$tmp/idle.wl"
check 1 "a picture of nothing" "$ccmod" predict -n myrinet --svg "$tmp/e.svg" "$tmp/idle.wl"
says "takes no time, so there is nothing to draw" "says so"
cp "$tmp/two.wl" "$tmp/kept.wl"
cp "$tmp/named.net" "$tmp/kept.net"
for output in 'predict --svg' 'predict --perfetto' 'predict --paraver' 'predict --trace' 'knee --svg'; do
	for file in "$tmp/kept.wl" "$tmp/kept.net"; do
		check 2 "$output ${file##*/}" "$ccmod" $output "$file" -n "$tmp/kept.net" "$tmp/kept.wl"
		says "this would overwrite an input file" "is refused"
	done
done
is "$(cat "$tmp/kept.wl" "$tmp/kept.net" | cksum)" "$(cat "$tmp/two.wl" "$tmp/named.net" | cksum)" "and nothing is lost"
check 0 "slower processors" "$ccmod" predict -n myrinet --stretch 2.5 --json "$tmp/work.wl"
is "$(value seconds | cut -c1-5)" 0.025 "take longer"
check 0 "in a sweep" "$ccmod" sweep -n myrinet --stretch 2.5 -v background=none --csv "$tmp/work.wl"
is "$(awk -F, 'NR == 2 { printf "%.3f", $2 }' "$tmp/out")" 0.025 "too"
check 0 "the knee of slower processors" "$ccmod" knee -n myrinet --stretch 2 --csv "$tmp/halo.wl"
awk -F, '$1 == 1 { print $2, $3 }' "$tmp/out" >"$tmp/point"
"$ccmod" knee -n myrinet --csv "$tmp/halo.wl" >"$tmp/out"
is "$(awk -F, '$1 == 2 { print $2, $3 }' "$tmp/out")" "$(cat "$tmp/point")" "is that of the same computations"
check 2 "sweep without values" "$ccmod" sweep -n myrinet -v link "$tmp/two.wl"

awk 'BEGIN { for (s = 1; s <= 65536; s *= 2) print s, s <= 1024 ? 10e-6 + s * 2e-9 : 20e-6 + s * 1e-9 }' >"$tmp/delays"
check 0 "fit" "$ccmod" fit "$tmp/delays"
says "# from 0 bytes: 10.0 us + size / (500 MB/s), 11 points, 0.00 % off (rms)" "the first line is found"
says "20.0 us + size / (1.00 GB/s), 6 points, 0.00 % off (rms)" "and the second"
is "$(grep -c '^# from' "$tmp/out")" 2 "and no third"

check 0 "fit of round trips" "$ccmod" fit -r "$tmp/delays"
says "# from 0 bytes: 5.00 us + size / (1.00 GB/s), 11 points" "half of each"
check 0 "fit of a vector" "$ccmod" fit --vector results/reference/native/osvec.json
# entry NAME: its microseconds.
entry() { sed -n 's/^ *\["'"$1"'", \([^,]*\),.*/\1/p' results/reference/native/osvec.json | awk '{ print 1e6 * $1 }'; }
awk -v send="$(entry lat_send_tcp_1)" -v receive="$(entry lat_recv_tcp_1)" '
	function near(a, b) { return a > 0.75 * b && a < 1.33 * b }
	$1 == "send" && near($2 + 0, send) || $1 == "receive" && near($2 + 0, receive) { n++ }
	END { exit n != 2 }' "$tmp/out"
ok $? "the ends' own time, as its entries say"
# The vector of a machine whose costs are lines: send 2 us + 0.1 ns, receive 3 us + 0.2 ns, way 10 us + 1 ns to
# another machine and 1 us + 0.05 ns within.
awk 'function entry(name, where, base, slope, size) {
		printf "%s[\"lat_%s_tcp_%d%s\", %.9g, \"lat_%s_tcp_*%s\", %d]", comma, name, size, where, \
			base * 1e-6 + slope * 1e-9 * size, name, where, size
		comma = ",\n"
	}
	BEGIN {
		print "{\"schema\": \"osvec/1\", \"machine\": \"made\", \"columns\": [\"entry\", \"seconds\", \"curve\", \"size\"],"
		print "\"entries\": ["
		for (size = 1; size < 100000; size *= 16) {
			entry("send", "", 2, 0.1, size)
			entry("recv", "", 3, 0.2, size)
			entry("roundtrip", "@remote", 30, 2.6, size)
			entry("roundtrip", "", 12, 0.7, size)
		}
		print "]}"
	}' >"$tmp/made.json"
check 0 "round trips of a vector" "$ccmod" fit --vector "$tmp/made.json"
is "$(grep -v '^delay\|^#' "$tmp/out" | sed 's/ #.*//' | tr '\n' ' ')" \
	"send 2us 0.1ns receive 3us 0.2ns local 20000000000B/s 1us " "ends, and the way within a machine"
says "# from 0 bytes: 10.0 us + size / (1.00 GB/s), 5 points, 0.00 % off (rms)" "the way to another"
{ printf 'topology crossbar 2\nlink 100Gbit/s 0s\nranks-per-host 2\n' && cat "$tmp/out"; } >"$tmp/made.net"
for partner in 2 1; do
	set -- $partner
	printf 'ranks 4\nrank 0\nsend %d %d\nrecv %d\nrank %d\nrecv 0\nsend 0 %d\n' \
		"$1" 65536 "$1" "$1" 65536 >"$tmp/pong.wl"
	check 0 "a round trip to rank $1" "$ccmod" predict -n "$tmp/made.net" --json "$tmp/pong.wl"
	is "$(value seconds | awk '{ printf "%.2f", $1 * 1e6 }')" \
		"$(sed -n "s/.*roundtrip_tcp_65536$([ "$1" = 2 ] && echo @remote)\", \([^,]*\),.*/\1/p" "$tmp/made.json" | awk '{ printf "%.2f", $1 * 1e6 }')" \
		"takes as long as its entry says"
done
sed 's/"lat_roundtrip_tcp_1@remote", [^,]*/"lat_roundtrip_tcp_1@remote", 9e-6/' "$tmp/made.json" >"$tmp/short.json"
check 1 "round trips that are shorter than their ends" "$ccmod" fit --vector "$tmp/short.json"
says "half of lat_roundtrip_tcp_*@remote is less, at 1 bytes, than what the end points take" "says so"
check 2 "a transport without a vector" "$ccmod" fit --transport tcp "$tmp/delays"
check 2 "round trips of a vector are always such" "$ccmod" fit -r --vector "$tmp/made.json"
printf 'tcp_lat:\n    latency   =  %s us\n    msg_size  =  %s\n' 12.5 '1 bytes' 15 '2 KiB' >"$tmp/qperf"
check 0 "fit of qperf" "$ccmod" fit "$tmp/qperf"
says "delay 1 12.5us" "bytes"
says "delay 2k 15us" "and KiB"

data=tests/data/network
check 0 "DUMPI" "$ccmod" convert --dumpi $data/dumpi-0.txt $data/dumpi-1.txt
is "$(grep -v ranks "$tmp/out" | tr -s ' \n' '  ')" "rank 0 compute 500000ns isend 1 800 tag 7 as 5 wait 5 allreduce 8 rank 1 \
recv any tag any compute 50000ns allreduce 8 " "each call"
for rank in 0 1; do
	sed "s/PEER/$((1 - rank))/" >"$tmp/dumpi-$rank" <<-'X'
		MPI_Sendrecv entering at walltime 8.3, cputime 0.0 seconds in thread 0.
		int sendcount=5
		MPI_Datatype sendtype=2 (MPI_CHAR)
		int dest=PEER
		int sendtag=1
		int source=PEER
		int recvtag=-1
		MPI_Comm comm=2 (MPI_COMM_WORLD)
		MPI_Sendrecv returning at walltime 8.4, cputime 0.0 seconds in thread 0.
	X
done
check 0 "DUMPI: MPI_Sendrecv" "$ccmod" convert --dumpi "$tmp/dumpi-0" "$tmp/dumpi-1"
cp "$tmp/out" "$tmp/dumpi.wl"
check 0 "its text runs" "$ccmod" predict -n myrinet --json "$tmp/dumpi.wl"
is "$(value messages)" 2 "there and back at the same time"
# call NAME TYPE COMM: one call in DUMPI's text
call() {
	printf '%s entering at walltime 8.3, cputime 0.0 seconds in thread 0.\nint count=3\nMPI_Datatype datatype=2 (MPI_%s)\n' "$1" "$2"
	printf 'int dest=1\nint tag=1\nMPI_Comm comm=2 (MPI_COMM_%s)\nMPI_Request request=[4]\n' "$3"
	printf '%s returning at walltime 8.3, cputime 0.0 seconds in thread 0.\n' "$1"
}
for call in Send:CHAR Bsend:SHORT Rsend:FLOAT Ssend:INT Isend:LONG Irsend:DOUBLE Ibsend:DOUBLE_INT Issend:LONG_DOUBLE Alltoallv:INT; do
	call "MPI_${call%:*}" "${call#*:}" WORLD
done >"$tmp/dumpi-0"
call MPI_Send INT SELF >>"$tmp/dumpi-0"
call MPI_Barrier INT WORLD >"$tmp/dumpi-1"
"$ccmod" convert --dumpi "$tmp/dumpi-0" "$tmp/dumpi-1" >"$tmp/out" 2>"$tmp/err"
is "$(grep send "$tmp/out" | tr -s ' \n' '  ' | sed 's/ tag 1//g; s/ as 5//g')" \
	" send 1 3 send 1 6 send 1 12 ssend 1 12 isend 1 24 isend 1 24 isend 1 36 isend 1 48 " "DUMPI: every send, with its bytes"
says "2 calls are left out" "and what cannot be taken over is counted"
check 1 "DUMPI of a file that is none" "$ccmod" convert --dumpi $data/client.log
"$ccmod" convert --traces $data/client.log $data/server.log >"$tmp/out" 2>"$tmp/err"
ok $? "traces of two hosts"
is "$(grep -v ranks "$tmp/out" | tr -s ' \n' '  ')" "rank 0 send 1 600 send 1 400 compute 100000ns recv 1 tag 1 recv 1 tag 1 \
compute 200000ns rank 1 recv 0 compute 20000ns recv 0 compute 200000ns send 0 3000 tag 1 send 0 2000 tag 1 compute 40000ns " \
	"messages are cut where either side cut them"
says "700 bytes are left out: the other end of their connection is in no trace" "what nobody read is counted"
mv "$tmp/out" "$tmp/hosts.wl"
check 0 "they run" "$ccmod" predict -n ethernet10g-16 --set 'eager always' --check --json "$tmp/hosts.wl"
is "$(value messages)" 4 "all four messages"
echo '1 1700000000.0 read(3</etc/x>, "a", 1) = 1 <0.1>' >"$tmp/file.log"
check 1 "traces without connections" "$ccmod" convert --traces "$tmp/file.log"
says "no connection whose two ends are known: record with ktranal record, or strace -f -yy -ttt -T" "says how to record"
if "$build/bin/ktranal" record -q -o "$tmp/pair.ktr" -- "$build/bench/lat_roundtrip" -B 2 tcp 100 >"$tmp/out" 2>"$tmp/err"; then
	check 0 "a recorded round trip" "$ccmod" convert --traces -o "$tmp/pair.bin" "$tmp/pair.ktr"
	"$ccmod" convert "$tmp/pair.bin" >"$tmp/pair.wl"
	awk '/^ *send . 100/ { sent++ } /^ *recv/ { received++ } END { exit !(sent > 10 && received == sent) }' "$tmp/pair.wl"
	ok $? "100 bytes there and back, many times" || head -20 "$tmp/pair.wl"
	check 0 "runs" "$ccmod" predict -n ethernet10g-16 --set 'eager always' --json "$tmp/pair.bin"
else
	skip "nothing can be recorded here: $(head -1 "$tmp/err")"
fi
printf 'CCMODWL1\2\0\0\0\010\0\0\0\3\201\200\200\200\020\5\0\0\0\0\0' >"$tmp/bad.bin"
check 1 "a rank of more than 32 bits" "$ccmod" convert "$tmp/bad.bin"
says "rank 0: an operation is damaged" "is damaged"
{ "$ccmod" convert -o "$tmp/good.bin" "$tmp/two.wl" && cat "$tmp/good.bin" && echo more; } >"$tmp/bad.bin"
check 1 "bytes behind the last rank" "$ccmod" convert "$tmp/bad.bin"
says "is damaged: goes on after the last rank" "are no workload"
printf 'ranks 9\nrank 0 1 2 3 4 5 6 7 8\nbarrier\n' >"$tmp/nine.wl"
check 0 "many numbers of ranks in a line" "$ccmod" predict -n myrinet "$tmp/nine.wl"
check 2 "two workloads" "$ccmod" convert "$tmp/two.wl" "$tmp/two.wl"

# no WORDS LINES...: a workload that cannot be run is named with what is wrong.
no() {
	words=$1
	shift
	printf '%s\n' "$@" >"$tmp/bad.wl"
	check 1 "$words" "$ccmod" predict -n myrinet "$tmp/bad.wl"
	says "$words" "it says so"
}
printf 'ranks 2\nrank 0\nsend 1 0\nisend 1 7 tag 3\nrank 1\nrecv 0\n' >"$tmp/bad.wl"
check 0 "messages that take no time" "$ccmod" predict -n "$tmp/slow.net" --set 'link 1MB/s 0s' "$tmp/bad.wl"
is "$(grep -ciw nan "$tmp/out")" 0 "are no times as long as alone"
says "note: 1 messages were sent but never received, the first from rank 0 to 1, 7 bytes, tag 3" "and one that nobody receives"
no "deadlock at 0 s, 2 of 2 ranks cannot go on" 'ranks 2' 'rank *' 'recv +1' 'send +1 5'
no "bad.wl:1: ranks needs a number from 1" 'ranks 0'
no "bad.wl:3: no such operation: 'sned'" 'ranks 2' 'rank 0' 'sned 1 5'
no "bad.wl:3: no such rank: '2'" 'ranks 2' 'rank 0' 'send 2 5'
no "bad.wl:3: not a size such as 4k: '5x'" 'ranks 2' 'rank 0' 'send 1 5x'
no "bad.wl:1: an operation before any 'rank ...'" 'barrier'
no "bad.wl:3: not a tag from 0 to 2147483647: '2147483648'" 'ranks 2' 'rank 0' 'send 1 5 tag 2147483648'
no "bad.wl:3: not a request from 1 to 2147483647: '0'" 'ranks 2' 'rank 0' 'isend 1 5 as 0'
no "not a time such as 10us: '10'" 'ranks 2' 'rank 0' 'compute 10'
no "operations are more than the limit" 'ranks 1048576' 'rank *' 'alltoall 1'
no "a loop has no end" 'ranks 2' 'rank 0' 'repeat 5' 'barrier'
no "operations are more than the limit" 'ranks 2' 'rank 0' 'repeat 1000000000000' 'compute 1us' 'end'
no "17 ranks do not fit" 'ranks 17'

# bad WORDS LINES...: the same for a network.
bad() {
	words=$1
	shift
	printf '%s\n' "$@" >"$tmp/bad.net"
	check 1 "$words" "$ccmod" predict -n "$tmp/bad.net" "$tmp/two.wl"
	says "$words" "it says so"
}
bad "bad.net:2: link: not a rate such as 10Gbit/s or 160MB/s: 0Gbit/s" 'topology crossbar 16' 'link 0Gbit/s 1us'
bad "bad.net:2: no such statement: lnik; did you mean link" 'topology crossbar 16' 'lnik 1GB/s 1us'
bad "bad.net: cable a x: has no rate, and there is no 'link'" 'topology graph' 'host a b' 'switch x' 'cable a x' 'cable b x'
bad "bad.net:2: link: not a time such as 100ns: 2" 'topology crossbar 16' 'link 1GB/s 2'
bad "a crossbar has no 'uplink'" 'topology crossbar 16' 'link 1GB/s 1us' 'uplink 1GB/s 1us'
bad "a torus has no 'global'" 'topology torus 16' 'link 1GB/s 1us' 'global 1GB/s 1us'
bad "bad.net:2: routing: nothing is drawn, so there is no seed: 3" 'topology fattree 4' 'routing destination 3' 'link 1GB/s 1us'
bad "there is no path from b to c; hosts do not forward" 'topology graph' 'host a b c' 'switch x y' 'link 1GB/s 1us' 'cable a x' \
	'cable b x' 'cable a y' 'cable c y'
bad "place: there is no host 16: the last is 15" 'topology crossbar 16' 'link 1GB/s 1us' 'place 3 0-16/2'
bad "bad.net:2: place: not hosts such as 3 or 0-14/2: 3-" 'topology crossbar 16' 'place 3-'
bad "16 ranks do not fit: there is room for 6, 2 on a host" 'topology crossbar 16' 'link 1GB/s 1us' 'ranks-per-host 2' 'place 0-4/2'
bad "bad.net:4: route: passes twice: x" 'topology graph' 'host a b' 'switch x' 'route a x x b'
bad "bad.net:4: route: does not end at a host: x" 'topology graph' 'host a b' 'switch x' 'route a x'
bad "route: no cable from a to b" 'topology graph' 'host a b' 'switch x' 'link 1GB/s 1us' 'cable a x' 'cable b x' 'route a b'
check 0 "another topology" "$ccmod" predict -n dragonfly-342 --set 'topology crossbar 16' "$tmp/two.wl"
check 1 "routing where there is one way only" "$ccmod" predict -n ethernet10g-16 --set 'routing random' "$tmp/two.wl"
says "a crossbar has one path only: 'routing' has no effect" "is named"
bad "name: wrong number of values" 'name' 'topology crossbar 16' 'link 1GB/s 1us'
bad "topology: not one of crossbar, clos, fattree, torus, dragonfly, graph: ring" 'topology ring 16'
bad "routing: not one of source, destination, random: best" 'topology crossbar 16' 'routing best'
bad "there is no path from a to b; hosts do not forward" 'topology graph' 'host a b' 'switch x' 'link 1GB/s 1us' 'cable a x'
bad "the 'topology' statement is missing" 'link 1GB/s 1us'
bad "topology clos needs these numbers: LEAVES HOSTS-PER-LEAF SPINES" 'topology clos 4' 'link 1GB/s 1us'
check 0 "a name behind a tab" "$ccmod" predict -n "$tmp/named.net" "$tmp/two.wl"
says "on of two words" "is the name"
check 1 "a change that is wrong" "$ccmod" predict -n myrinet --set 'link 1GB/s' "$tmp/two.wl"
says "'link 1GB/s': link: wrong number of values" "is named"
check 2 "no such shape" "$ccmod" generate hallo
says "no such shape: hallo; there are halo, sweep3d" "says which there are"
check 1 "no such network" "$ccmod" predict -n nosuch "$tmp/two.wl"
says "nosuch: not a file, and not one of the installed networks: dragonfly-342, ethernet10g-16" "says which there are"
check 1 "a file that is not a workload" "$ccmod" predict -n myrinet "$build/bin/ccmod"
for net in conf/topologies/*.net; do
	check 0 "$net" "$ccmod" predict -n "$net" --set 'ranks-per-host 16' "$tmp/two.wl"
done
done_testing
