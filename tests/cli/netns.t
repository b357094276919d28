#!/bin/sh
# SPDX-License-Identifier: MIT
# Two machines: network namespaces with a cable between them (veth), hbench peer in the other one.
. "$(dirname "$0")/tap.sh"
export PATH="$build/bin:$PATH" OSVEC_LOCK="$tmp/lock" OSVEC_SECRET="the secret of this test" O="$build"

# A namespace of its own, as root or as root of a namespace of users; it goes with its last process.
if [ -z "$OSVEC_INSIDE" ]; then
	map=$([ "$(id -u)" = 0 ] || echo --user --map-root-user)
	# shellcheck disable=SC2086
	if ! command -v ip >/dev/null; then
		skip "there is no ip(8) to connect network namespaces with"
	elif ! unshare $map --net ip link add name here type veth peer name there >"$tmp/out" 2>&1; then
		skip "no network namespaces: $(head -n 1 "$tmp/out")"
	else
		rm -rf "$tmp"
		OSVEC_INSIDE=yes exec unshare $map --net "$source/tests/cli/netns.t"
	fi
	done_testing
fi

unshare --net sleep 600 &
there=$!
trap 'kill $there $peer 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT PIPE TERM
# sent: packets over the cable so far.
sent() { awk '$1 == "here:" { print $11 }' /proc/net/dev; }
over() { nsenter --target $there --net "$@"; }
apart() { [ "$(readlink /proc/$there/ns/net)" != "$(readlink /proc/self/ns/net)" ]; }
until_ok apart
ip link add name here type veth peer name there netns $there &&
	ip address add 198.18.7.1/24 dev here && ip link set here up && ip link set lo up &&
	over ip address add 198.18.7.2/24 dev there && over ip link set there up && over ip link set lo up
ok $? "two machines and a cable" || done_testing

nsenter --target $there --net hbench peer 198.18.7.2:7411 >"$tmp/peer" 2>"$tmp/complaints" &
peer=$!
until_ok grep -q . "$tmp/peer"
is "$(cat "$tmp/peer")" "listening on 198.18.7.2:7411" "the peer listens"
bin=$build/bench
cd "$tmp" || exit 1
for line in 'lat_roundtrip tcp 1' 'lat_roundtrip udp 1k' 'bw_stream tcp 64k' 'lat_connect tcp' 'lat_send tcp 4k' \
	'lat_send udp 64' 'lat_recv tcp 4k' 'lat_recv udp 64' 'lat_sendfile 4k' 'lat_splice 4k'; do
	before=$(sent)
	# shellcheck disable=SC2086
	check 0 "$line" "$bin/${line%% *}" -B 2 --peer 198.18.7.2:7411 ${line#* }
	[ "$(sent)" -gt "$((before + 10))" ]
	ok $? "goes over the cable"
done
check 1 "it listens at that address alone" over "$bin/lat_roundtrip" --peer 127.0.0.1:7411 tcp 1

printf '%s\n' "$OSVEC_SECRET" >secret
chmod 600 secret
check 0 "hbench run --peer" env -u OSVEC_SECRET hbench run -q --secret secret --peer 198.18.7.2:7411 \
	'set processes 2 2' 'lat_roundtrip tcp 1 @remote' 'lat_roundtrip tcp 1' 'lat_roundtrip pipe 1 @remote'
run=$(echo results/*/*)
[ -s "$run/lat_roundtrip_tcp_1" ] && [ -s "$run/lat_roundtrip_tcp_1@remote" ]
ok $? "has both entries"
grep -q 'lat_roundtrip_pipe_1@remote.*pipes .* do not reach' "$run/skipped"
ok $? "and says why not the third"
for file in meta.json osvec.json; do
	grep -q '"peer.address": "198.18.7.2:7411"' "$run/$file" && grep -q "\"peer.system\": \"$(uname -n) Linux" "$run/$file"
	ok $? "$file names the peer"
done
grep -q '"lat_roundtrip_tcp_1@remote".*"lat_roundtrip_tcp_\*@remote"' "$run/osvec.json"
ok $? "its entry in the vector belongs to a curve of its own"
! grep -rq "$OSVEC_SECRET" "$run"
ok $? "the secret is nowhere"
[ -z "$(cat "$tmp/complaints")" ]
ok $? "the peer had nothing to complain of"
done_testing
