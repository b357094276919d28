#!/bin/sh
# SPDX-License-Identifier: MIT
# ktranal tree, idle, export, and all views of a subtree: a log of known processes comes out exactly,
# and so do known programs, whichever recorder there is.
. "$(dirname "$0")/tap.sh"
ktranal=$build/bin/ktranal

# view COLUMN,... COMMAND...: these columns of its CSV, without the heading.
view() {
	columns=$1
	shift
	"$ktranal" "$@" --csv 2>"$tmp/err" | awk -F, -v want="$columns" '
		BEGIN { n = split(want, name, ",") }
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? "," : "\n" }'
}

# ---- a log of known processes: a shell that was told to run a pipeline, one process by vfork ----

cat >"$tmp/known.strace" <<'X'
100 1700000000.000000 execve("/bin/sh", ["sh", "job"], 0x7f /* 1 var */) = 0 <0.000500>
100 1700000000.001000 read(5<UNIX:[10->11]>, "go", 10) = 2 <0.000010>
100 1700000000.001100 pipe2([3<pipe:[55]>, 4<pipe:[55]>], 0) = 0 <0.000010>
100 1700000000.001200 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x1) = 101 <0.000100>
101 1700000000.001400 execve("/bin/b", ["b"], 0x7f /* 1 var */) = 0 <0.000100>
100 1700000000.001600 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x1) = 102 <0.000100>
101 1700000000.001800 read(3<pipe:[55]>,  <unfinished ...>
102 1700000000.002000 vfork( <unfinished ...>
103 1700000000.002100 execve("/bin/a", ["a", "one two"], 0x7f /* 1 var */) = 0 <0.000100>
102 1700000000.002300 <... vfork resumed>) = 103 <0.000300>
103 1700000000.002400 write(4<pipe:[55]>, "x", 1) = 1 <0.000010>
101 1700000000.002500 <... read resumed>"x", 10) = 1 <0.000700>
103 1700000000.002600 exit_group(3)        = ?
103 1700000000.002700 +++ exited with 3 +++
102 1700000000.002800 wait4(-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 3}], 0, NULL) = 103 <0.000010>
102 1700000000.002900 nanosleep({tv_sec=0, tv_nsec=250000000}, NULL) = 0 <0.250000>
102 1700000000.253000 +++ killed by SIGKILL +++
101 1700000000.253100 getpid()            = 101 <0.000001>
101 1700000000.253200 +++ exited with 0 +++
100 1700000000.253300 futex(0x7f, FUTEX_WAIT, 2, NULL) = -1 EAGAIN (Resource temporarily unavailable) <0.000100>
100 1700000000.253500 epoll_wait(7<anon_inode:[eventpoll]>, [], 5, 100) = 0 <0.100000>
100 1700000000.353600 epoll_wait(7<anon_inode:[eventpoll]>, [{events=EPOLLIN, data=0x5}], 5, -1) = 1 <0.050000>
100 1700000000.403700 accept(8<UNIX:[12]>, NULL, NULL) = 9<UNIX:[13->14]> <0.010000>
100 1700000000.413800 fsync(10</tmp/f>)   = 0 <0.005000>
100 1700000000.418900 write(5<UNIX:[10->11]>, "done", 4) = 4 <0.000010>
100 1700000000.419000 wait4(-1, 0x7f, 0, NULL) = 101 <0.000100>
100 1700000000.420000 exit_group(0)       = ?
100 1700000000.420100 +++ exited with 0 +++
X
known=$tmp/known.strace

view command,pid,parent,depth,subtree_calls,calls,how,end,after,channels tree "$known" >"$tmp/got"
cat >"$tmp/want" <<'X'
sh job,100,,0,20,12,,exit 0,,
b,101,100,1,3,3,fork,exit 0,unix:10-11,<pipe:[55]
sh job,102,100,1,5,3,fork,signal 9,unix:10-11,
a 'one two',103,102,2,2,2,vfork,exit 3,unix:10-11,>pipe:[55]
X
same "$tmp/got" "$tmp/want" "tree: who started whom, how, after what, how it ended, what connects it"
is "$(view start_ns,wall_ns,cpu_ns,threads tree --subtree a "$known")" "2100000,600000,,1" \
	"tree --subtree: one process; its CPU time is not known"
is "$(sed '/^101 .*exited/d' "$known" | view pid,start_ns,wall_ns tree - | awk -F, '$1 > 100 { print $1, $2 + $3 }' | xargs)" \
	"101 420100000 102 253000000 103 2700000" "tree: a process whose exit was not seen lives until the trace ends"
"$ktranal" tree "$known" >"$tmp/out"
grep -q "^    a 'one two' *103 *0.002 *0.001 *- *2 *vfork *exit 3 *unix:10-11 *- *>pipe:\[55\]\$" "$tmp/out"
ok $? "tree: as people read it"
for blanks in "" x; do # one of them would be cut within a character
	echo "1 0.0 execve(\"/bin/true\", [\"$blanks$(printf '\\303\\251%.0s' $(seq 60))\"], 0x1) = 0 <0.1>" >"$tmp/long"
	"$ktranal" tree "$tmp/long" | grep -q '\.\.' && "$ktranal" tree "$tmp/long" | iconv -f UTF-8 -t UTF-8 >/dev/null 2>&1
	ok $? "tree: a command is cut between characters"
done
"$ktranal" tree --dot "$known" >"$tmp/got"
cat >"$tmp/want" <<'X'
digraph processes {
	node [shape=box];
	p0 [label="sh job\n420 ms, 12 calls"];
	p1 [label="b\n252 ms, 3 calls"];
	p0 -> p1;
	c2 [shape=ellipse, label="pipe:[55]"];
	c2 -> p1 [color=blue];
	p2 [label="sh job\n251 ms, 3 calls"];
	p0 -> p2;
	p3 [label="a 'one two'\n600 us, 2 calls"];
	p2 -> p3;
	c2 [shape=ellipse, label="pipe:[55]"];
	p3 -> c2 [color=blue];
}
X
same "$tmp/got" "$tmp/want" "tree --dot: boxes, and the pipe between them, from the writer to the reader"
check 2 "two formats" "$ktranal" tree --dot --json "$known"
check 2 "rows of a picture" "$ktranal" tree --dot --head 1 "$known"

is "$(view pid,ncalls summary --by subtree "$known" | sort | xargs)" "100,20 101,3 102,5 103,2" \
	"summary --by subtree"
is "$(view pid,name,ncalls summary --by subtree,call "$known" | grep wait4 | sort | xargs)" "100,wait4,2 102,wait4,1" \
	"and by call"
is "$(view pid,tid,ncalls summary --by thread "$known" | sort | xargs)" "100,100,12 101,101,3 102,102,3 103,103,2" \
	"summary --by thread"
is "$(view kind,ncalls,totaltime summary --by kind -e read,write,fsync "$known" | sort | xargs)" \
	"file,1,0.005 pipe,2,0.00071 unix,2,2e-05" "summary --by kind"
is "$(view file,ncalls summary --by file -e read,write,fsync "$known" | sort | xargs)" \
	"/tmp/f,1 UNIX:[10->11],2 pipe:[55],2" "summary --by file"
cat >"$tmp/relative" <<'X'
7 1700000000.000000 openat(AT_FDCWD, "/etc", O_RDONLY|O_DIRECTORY) = 3</etc> <0.000010>
7 1700000000.100000 newfstatat(3</etc>, "a", 0x1, 0) = 0 <0.000010>
7 1700000000.200000 fcntl(3</etc>, F_DUPFD_CLOEXEC, 3) = 4</etc> <0.000010>
7 1700000000.300000 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 8 <0.000100>
8 1700000000.350000 unlinkat(4</etc>, "b", 0) = -1 ENOENT (No such file or directory) <0.000010>
7 1700000000.400000 newfstatat(AT_FDCWD, "c", 0x1, 0) = 0 <0.000010>
7 1700000000.450000 newfstatat(3</etc>, "/d", 0x1, 0) = 0 <0.000010>
7 1700000000.460000 openat(3</etc>, "e", O_RDONLY|O_DIRECTORY) = 5 <0.000010>
7 1700000000.470000 newfstatat(5, "f", 0x1, 0) = 0 <0.000010>
7 1700000000.500000 close(3</etc>) = 0 <0.000010>
7 1700000000.600000 newfstatat(3, "g", 0x1, 0) = -1 EBADF (Bad file descriptor) <0.000010>
X
is "$(view file,ncalls summary --by file -e newfstatat,unlinkat,openat "$tmp/relative" | sort | xargs)" \
	"/d,1 /etc,1 /etc/a,1 /etc/b,1 /etc/e,1 /etc/e/f,1 c,1 g,1" "summary --by file: paths relative to descriptors"
is "$(view file,pid,ncalls summary --by file,process -e read,write "$known" | sort | xargs)" \
	"UNIX:[10->11],100,2 pipe:[55],101,1 pipe:[55],103,1" "summary --by file,process"
cat >"$tmp/peers" <<'X'
7 1.0 write(3<TCP:[192.0.2.1:5000->192.0.2.2:80]>, "x", 1) = 1 <0.1>
7 2.0 read(3<TCP:[192.0.2.1:5000->192.0.2.2:80]>, "x", 1) = 1 <0.1>
7 3.0 write(4<TCPv6:[[::1]:5001->[2001:db8:0::2]:80]>, "x", 1) = 1 <0.1>
7 4.0 write(1</tmp/x>, "x", 1) = 1 <0.1>
X
is "$(view peer,ncalls summary --by peer "$tmp/peers" | sort | xargs)" ",1 192.0.2.2:80,2 [2001:db8::2]:80,1" \
	"summary --by peer"
is "$(view ncalls,totaltime,maxtime,p99 summary --by subtree --subtree 102 "$known" | tail -1)" \
	"$(view ncalls,totaltime,maxtime,p99 summary --by process --subtree 103 "$known")" \
	"the subtree of a leaf is the leaf"
view totaltime summary "$known" | awk '{ n += $1 } END { print n }' >"$tmp/want"
view totaltime,pid summary --by subtree "$known" | sed -n 's/,100$//p' | awk '{ print $1 }' >"$tmp/got"
same "$tmp/got" "$tmp/want" "the subtree of the root is all"

for command in "summary --by process" dump "calls -e write,read,nanosleep"; do
	# shellcheck disable=SC2086
	is "$(view pid $command --subtree 102 "$known" | sort -u | xargs)" "102 103" "$command --subtree PID"
	# shellcheck disable=SC2086
	is "$(view pid $command --subtree b "$known" | sort -u | xargs)" "101" "$command --subtree NAME"
done
is "$(view pid dump --subtree 102 -O a "$known" | sort -u | xargs)" "103" "a program within a subtree"
"$ktranal" vector --subtree 102 "$known" 2>/dev/null | grep -q ' of 6 calls'
ok $? "vector --subtree"
"$ktranal" tree --subtree nobody "$known" >"$tmp/out" 2>"$tmp/err"
is "$? $(cat "$tmp/err")" "1 ktranal: --subtree nobody: the trace has no such process (ktranal tree lists them)" \
	"a subtree that is not in the trace"
check 2 "vector --subtree -t" "$ktranal" vector --subtree 102 -t "$known" "$known"

view pid,state,time_ns,times,ended_by,known_from idle "$known" >"$tmp/got"
cat >"$tmp/want" <<'X'
100,user,254170000,,,calls
100,call,730000,6,,calls
100,work,60000000,2,,calls
100,lock,100000,1,,calls
100,timer,100000000,1,,calls
100,child,100000,1,b 101,calls
100,disk,5000000,1,,calls
X
grep '^100,' "$tmp/got" >"$tmp/first"
same "$tmp/first" "$tmp/want" "idle: what the first process did and waited for, from its calls"
is "$(grep '^102,' "$tmp/got" | grep -v ',user,' | xargs -d '\n')" \
	"102,call,10000,1,,calls 102,timer,250000000,1,,calls 102,child,300000,1,a 103,calls" "idle: vfork waits for the child"
is "$(view pid,state,time_ns idle --shortest 1us --subtree 101 "$known" | grep -v ',user,' | xargs)" \
	"101,call,101000 101,pipe,700000" "idle --shortest"
view tid,time_ns,share idle "$known" |
	awk -F, '{ share[$1] += $3 } END { for (t in share) if (share[t] < 0.9999 || share[t] > 1.0001) exit 1 }'
ok $? "idle: the shares of each thread are all of its time"
sed 's/ <[0-9.]*>$//' "$known" >"$tmp/bare"
check 1 "idle without durations" "$ktranal" idle "$tmp/bare"
says "no call has a duration" "says so"
printf 'read(0, "a", 1) = 1\n' >"$tmp/bare"
for view in idle breakdown; do
	check 1 "$view without any times" "$ktranal" $view "$tmp/bare"
	says "no call has a duration" "says so"
done

{ cat "$known"; echo '7 1800000000.0 getpid() = 7 <0.1>'; } >"$tmp/far"
for view in idle "breakdown -i 1s"; do
	# shellcheck disable=SC2086
	"$ktranal" $view "$tmp/far" >"$tmp/out" 2>"$tmp/err"
	says "1 events more than a year after the first one are left out" "$view: what does not fit is said to be left out"
done

# ---- export ----

# perfetto WHAT FILE CALLS: it is JSON in the Trace Event Format, with that many slices of calls, of which those of
# a track lie behind or within each other.
perfetto() {
	if ! perl -MJSON::PP -e 1 2>/dev/null; then
		skip "perl has no JSON::PP"
		return
	fi
	perl -MJSON::PP -0777 -ne '
		my $o = decode_json($_);
		my (%end, %named, %seen);
		my $calls = 0;
		for my $e (@{$o->{traceEvents}}) {
			defined $e->{$_} or die "an event without $_\n" for qw(ph pid tid ts name);
			$e->{ph} =~ /^[XBiM]$/ or die "phase $e->{ph}\n";
			if ($e->{ph} eq "M") { $named{$e->{pid}} = 1 if $e->{name} eq "process_name"; next }
			$seen{$e->{pid}} = 1;
			next if $e->{ph} ne "X";
			die "no duration\n" unless defined $e->{dur} && $e->{dur} >= 0;
			push @{$end{"$e->{pid}/$e->{tid}"}}, [$e->{ts}, $e->{ts} + $e->{dur}];
			$calls++ if $e->{pid} < 1e9;
		}
		for my $track (keys %end) {
			my @open;
			for my $s (sort { $a->[0] <=> $b->[0] || $b->[1] <=> $a->[1] } @{$end{$track}}) {
				pop @open while @open && $open[-1] <= $s->[0] + 0.0005;
				die "$track: slices overlap\n" if @open && $open[-1] < $s->[1] - 0.0005;
				push @open, $s->[1];
			}
		}
		$named{$_} or die "process $_ has no name\n" for keys %seen;
		defined $o->{otherData}{lost} or die "no completeness\n";
		$calls == '"$3"' or die "$calls slices\n"' "$2" 2>"$tmp/err"
	ok $? "$1"
}

"$ktranal" export --perfetto "$known" >"$tmp/known.json"
perfetto "export --perfetto: JSON in the documented format" "$tmp/known.json" 20
grep -q '"ph": "X", "pid": 103, "tid": 103, "ts": 2400.000, "name": "write", "dur": 10.000, "cat": "pipe", "args": {"arguments": ".*55.*", "result": "1"}}' \
	"$tmp/known.json"
ok $? "a call with its time in microseconds"
cat >"$tmp/interrupted" <<'X'
10 1700000001.000000 read(3, "x", 9) = ? ERESTARTSYS (To be restarted if SA_RESTART is set) <2.000000>
10 1700000003.000000 --- SIGALRM {si_signo=SIGALRM, si_code=SI_KERNEL} ---
10 1700000004.000000 write(4, "x", 1) = 1 <1.000000>
10 1700000006.000000 rt_sigreturn({mask=[]}) = 0 <0.500000>
10 1700000007.000000 read(3, "x", 9) = 1 <0.250000>
10 1700000007.249999 getppid() = 1 <0.100001>
10 1700000008.000000 read(3, "x", 9) = ? ERESTARTSYS (To be restarted if SA_RESTART is set) <0.500000>
10 1700000008.500000 --- SIGALRM {si_signo=SIGALRM, si_code=SI_KERNEL} ---
10 1700000008.600000 write(4, "x", 1) = 1 <0.100000>
10 1700000008.800000 rt_sigreturn({mask=[]}) = -1 EINTR (Interrupted system call) <0.100000>
10 1700000009.000000 getppid() = 1 <0.000001>
X
"$ktranal" export --perfetto "$tmp/interrupted" >"$tmp/interrupted.json"
perfetto "export --perfetto of calls that signals interrupted" "$tmp/interrupted.json" 8
sed -n 's/.*"ts": \([0-9]*\).*"name": "\([a-z_]*\)", "dur": \([0-9]*\).*/\2 \1 \3/p' "$tmp/interrupted.json" >"$tmp/got"
printf '%s\n' 'write 3000000 1000000' 'rt_sigreturn 5000000 500000' 'read 0 5500000' 'getppid 6249999 100001' \
	'write 7600000 100000' 'read 7000000 500000' 'rt_sigreturn 7800000 100000' 'getppid 8000000 1' >"$tmp/want"
same "$tmp/got" "$tmp/want" "one that goes on holds the calls of the handler, one that ended does not"
printf '10 1700000000.000000 getuid() = 0 <0.000100>\n10 1700000000.000099 getuid() = 0 <0.000100>\n' >"$tmp/rounded"
is "$("$ktranal" export --perfetto "$tmp/rounded" | sed -n 's/.*"ts": \([0-9.]*\).*"dur": \([0-9.]*\).*/\1 \2/p' | xargs)" \
	"0.000 100.000 100.000 99.000" "a call that seems to begin before the end of the last one begins there"
{ sed 's/ <[0-9.]*>$//' "$known"; echo '100 1700000000.430000 pause( <unfinished ...>'; } >"$tmp/bare"
"$ktranal" export --perfetto -e nanosleep,exit_group,pause "$tmp/bare" | sed -n 's/.*"ph": "\([XBi]\)".*"name": "\([nep][a-z_]*\)", "cat".*/\1 \2/p' | xargs >"$tmp/got"
echo 'i exit_group i nanosleep i exit_group B pause' >"$tmp/want"
same "$tmp/got" "$tmp/want" "export --perfetto: of calls without a duration only one that was cut off goes on"
cat >"$tmp/cut" <<'X'
10 1700000000.000000 clone3({flags=CLONE_THREAD}, 88) = 11 <0.000001>
10 1700000001.000000 pause( <unfinished ...>
11 1700000002.000000 execve("/bin/echo", ["echo"], 0x1 /* 2 vars */ <unfinished ...>
10 1700000002.500000 <... pause resumed>) = ?
10 1700000002.600000 +++ superseded by execve in pid 11 +++
10 1700000003.000000 <... execve resumed>) = 0 <1.000000>
10 1700000004.000000 getpid() = 10 <0.000001>
X
"$ktranal" export --perfetto "$tmp/cut" | sed -n 's/.*"ph": "\([XBE]\)".*"tid": 10, "ts": \([0-9]*\).*"name": "\([a-z0-9_]*\)".*/\1 \3 \2/p' >"$tmp/got"
printf '%s\n' 'X clone3 0' 'B pause 1000000' 'E pause 2000000' 'X execve 2000000' 'X getpid 4000000' >"$tmp/want"
same "$tmp/got" "$tmp/want" "and that until its thread makes another one"
"$ktranal" export --perfetto --subtree 102 -e wait4,write "$known" >"$tmp/part.json"
perfetto "export --perfetto --subtree -e" "$tmp/part.json" 2
"$ktranal" export --folded -e nanosleep,epoll_wait "$known" | sort >"$tmp/got"
printf '%s\n' 'sh 100;100;epoll_wait 150000000' 'sh 102;102;nanosleep 250000000' >"$tmp/want"
same "$tmp/got" "$tmp/want" "export --folded"
printf '7 1.0 execve("/bin/a", ["a;b\\nc"], 0x1 /* 0 vars */) = 0 <0.1>\n7 2.0 getpid() = 7 <0.1>\n' >"$tmp/named"
is "$("$ktranal" export --folded -e getpid "$tmp/named")" "a,b?c 7;7;getpid 100000000" \
	"export --folded: a name does not end a frame or a line"
printf '7 1.0 execve("/bin/a", ["a"], 0x1 /* 0 vars */) = 0 <0.1>\n7 2.0 openat(AT_FDCWD, "\\"\\\\\\1\\377;", O_RDONLY) = 3 <0.1>\n' >"$tmp/odd"
"$ktranal" export --perfetto "$tmp/odd" >"$tmp/odd.json"
perfetto "export --perfetto of a path with odd bytes" "$tmp/odd.json" 2
cat >"$tmp/switches" <<'X'
sh 10 [001] 5.000: sched:sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=sh next_pid=10 next_prio=120
sh 10 [001] 5.003: raw_syscalls:sys_enter: NR 39 (0, 0, 0, 0, 0, 0)
sh 10 [001] 5.004: raw_syscalls:sys_exit: NR 39 = 10
sh 10 [001] 5.010: sched:sched_switch: prev_comm=sh prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120
swapper 0 [001] 5.030: sched:sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=sh next_pid=10 next_prio=120
sh 10 [001] 5.032: sched:sched_switch: prev_comm=sh prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120
X
is "$("$ktranal" export --perfetto "$tmp/switches" | sed -n 's/.*"ph": "X".*"pid": [0-9]\{9,\}.*"ts": \([0-9.]*\),.*"dur": \([0-9.]*\).*/\1 \2/p' | xargs)" \
	"0.000 10000.000 30000.000 2000.000" "export --perfetto: when a CPU ran a thread, and how long"
{ cat "$known"; echo 'what is this'; } >"$tmp/bad"
"$ktranal" export --perfetto "$tmp/bad" >"$tmp/bad.json" 2>"$tmp/err"
grep -q '1 bad line,' "$tmp/err" && grep -q '"bad_lines": 1,' "$tmp/bad.json"
ok $? "export --perfetto of a damaged trace says so"
perfetto "and is JSON all the same" "$tmp/bad.json" 20
check 2 "export: which format?" "$ktranal" export "$known"
check 2 "export: one format" "$ktranal" export --perfetto --folded "$known"
check 1 "export without times" "$ktranal" export --folded "$tmp/bare"

# ---- usage ----

check 2 "summary --by: what?" "$ktranal" summary --by pid "$known"
check 2 "summary --by subtree,thread" "$ktranal" summary --by subtree --by thread "$known"
for command in tree idle "export --perfetto" "export --folded"; do
	# shellcheck disable=SC2086
	{
		check 0 "$command --help" "$ktranal" $command --help
		check 2 "$command: no trace" "$ktranal" $command
		check 2 "$command: two traces" "$ktranal" $command "$known" "$known"
		check 1 "$command: missing trace" "$ktranal" $command "$tmp/missing"
		check 1 "$command: empty" "$ktranal" $command /dev/null
		check 1 "$command on a full disk" full "$ktranal" $command "$known"
	}
done
if perl -MJSON::PP -e 1 2>/dev/null; then
	for view in tree:processes:4 idle:threads:16; do
		"$ktranal" "${view%%:*}" --json "$known" | perl -MJSON::PP -0777 -ne '
			$o = decode_json($_);
			($key, $n) = split ":", "'"${view#*:}"'";
			exit !($o->{completeness}{calls} == 20 && @{$o->{$key}} == $n)'
		ok $? "${view%%:*} --json"
	done
else
	skip "perl has no JSON::PP"
fi

# What each process used, and in which control group it is, only some recorders know.
"$build/tests/unit/ktr" "$tmp/used.ktr"
view pid,subtree_cpu_ns,subtree_system_ns,cpu_ns,system_ns tree "$tmp/used.ktr" >"$tmp/got"
printf '%s\n' 10,630000000,420000000,300000000,200000000 11,330000000,220000000,330000000,220000000 >"$tmp/want"
same "$tmp/got" "$tmp/want" "tree: CPU and system time of each process and of its subtree"
is "$(view cgroup,ncalls summary --by cgroup "$tmp/used.ktr")" "/group,4" "summary --by cgroup: a child is in that of its parent"

ends="[192.0.2.1:5000->192.0.2.7:80]"
"$ktranal" dump --csv -e fstat "$tmp/used.ktr" | sed -n 's/.*",.*,\(.*:\[.*\]\),.*/\1/p' >"$tmp/out"
is "$(xargs <"$tmp/out") $(view peer,ncalls summary --by peer "$tmp/used.ktr" | sort | xargs)" \
	"tcp:$ends udp:$ends ,2 192.0.2.7:80,2" "a connection is told by its addresses, not by its inode"
"$ktranal" summary --by file "$tmp/used.ktr" | grep -qF "tcp:$ends  "
ok $? "and whole where no terminal shows it"

printf '10 1.0 fsync(3</tmp/f>) = 0 <0.1>\n10 1.2 fsync(4</tmp/g>) = 0 <0.1>\n' >"$tmp/named"
is "$(view file,ncalls summary --by file "$tmp/named" "$tmp/used.ktr" | sort | xargs) $(view cgroup,ncalls summary --by cgroup "$tmp/used.ktr" "$tmp/named" | sort | xargs)" \
	",2 /tmp/f,1 /tmp/g,1 tcp:$ends,1 udp:$ends,1 ,2 /group,4" "summary of two traces: what one names is not in the other"

# A chain of processes longer than any machine has.
awk 'BEGIN { for (i = 1; i <= 20000; i++) printf "%d 1.%06d fork() = %d <0.000001>\n", i, i, i + 1 }' >"$tmp/chain"
for command in "tree --csv" tree "summary --by subtree" "idle --subtree 9999"; do
	# shellcheck disable=SC2086
	timeout 60 "$ktranal" $command "$tmp/chain" >"$tmp/chain.out"
	ok $? "$command of a chain of 20000 processes"
done
is "$(tail -1 "$tmp/chain.out")" "in the whole trace 20000 calls; 0 exits, 0 unfinished, 0 orphans, 0 lost, 0 bad lines, 0 torn bytes" \
	"all of it is read"

# ---- known programs, recorded ----

cat >"$tmp/job" <<'X'
echo word | cat >/dev/null
sleep 0.3
(exit 5)
/bin/true
exit 3
X

# a_shell TRACE: the shell's and its children's rows of the tree.
recorded() {
	by=$1
	"$ktranal" record -b "$by" -q -o "$tmp/job.ktr" -- sh "$tmp/job" 2>"$tmp/err"
	if [ $? -ne 3 ]; then
		skip "$by: $(head -1 "$tmp/err")"
		return
	fi
	view command,depth,how,end tree "$tmp/job.ktr" | sed "s|$tmp/||; s/,vfork,/,fork,/" >"$tmp/got"
	for row in "sh job,0,,exit 3" "cat,1,fork,exit 0" "sleep 0.3,1,fork,exit 0" "/bin/true,1,fork,exit 0"; do
		grep -qxF "$row" "$tmp/got"
		ok $? "$by: tree: $row" || sed 's/^/#   /' "$tmp/got"
	done
	view depth,subtree_calls,calls tree "$tmp/job.ktr" |
		awk -F, '{ sum += $3 } $1 == 0 { all = $2 } END { exit !(sum == all && sum > 100) }'
	ok $? "$by: tree: the calls of all are those of the root's subtree"
	view command,channels tree "$tmp/job.ktr" | awk -F, '
		$2 ~ /^<pipe/ && $1 == "cat" { read = substr($2, 2) }
		$2 ~ /^>pipe/ && $1 ~ /^sh / { written = substr($2, 2) }
		END { exit !(read != "" && read == written) }'
	ok $? "$by: tree: the pipe that echo writes and cat reads"
	# Bounds that hold on a busy machine too: a sleep is not shorter, and not longer than its process.
	life=$(view command,wall_ns tree "$tmp/job.ktr" | sed -n 's/^sleep 0.3,//p')
	view process,state,time_ns idle -O sleep "$tmp/job.ktr" >"$tmp/got"
	# On a machine with more threads than CPUs a recorder may write switches late; then waits are not known.
	late=$(grep -c 'context switches stand behind' "$tmp/err")
	awk -F, -v life="$life" -v late="$late" '$2 ~ /^(timer|runnable|call)$/ { asleep += $3 } $2 == "timer" { timer = $3 }
		END { exit !((asleep >= 0.29e9 && timer > 0 || late) && timer <= life) }' "$tmp/got"
	ok $? "$by: idle: sleep 0.3 waits for a timer, $life ns at most" || sed 's/^/#   /' "$tmp/got"
	view tid,share idle "$tmp/job.ktr" |
		awk -F, '{ share[$1] += $2 } END { for (t in share) if (share[t] < 0.999 || share[t] > 1.001) exit 1 }'
	ok $? "$by: idle: the shares of each thread are all of its time"
	view process,state,ended_by idle "$tmp/job.ktr" | grep -q '^sh,child,' || [ "$late" != 0 ]
	ok $? "$by: idle: the shell waits for its children"
	"$ktranal" export --perfetto "$tmp/job.ktr" >"$tmp/job.json"
	calls=$("$ktranal" summary "$tmp/job.ktr" | sed -n 's/^\([0-9]*\) calls;.*/\1/p')
	perfetto "$by: export --perfetto" "$tmp/job.json" "$calls"
	view totaltime summary "$tmp/job.ktr" | awk '{ n += $1 } END { printf "%.6f\n", n }' >"$tmp/want"
	"$ktranal" export --folded "$tmp/job.ktr" | awk '{ n += $NF } END { printf "%.6f\n", n / 1e9 }' >"$tmp/got"
	same "$tmp/got" "$tmp/want" "$by: export --folded: all time in calls, once"
}

for backend in ptrace bpf; do
	recorded $backend
done
if "$ktranal" record -b bpf -q -o "$tmp/probe.ktr" -- true 2>"$tmp/err"; then
	"$ktranal" record -b bpf -q -o "$tmp/job.ktr" -- sh "$tmp/job" 2>"$tmp/err"
	is "$(view known_from idle "$tmp/job.ktr" | sort -u)" scheduler "bpf: idle: from the scheduler"
	view process,state,ended_by idle "$tmp/job.ktr" | grep -q '^sleep,timer,\(interrupt\|softirq\|\)$' ||
		grep -q 'context switches stand behind' "$tmp/err"
	ok $? "bpf: idle: an interrupt ends the sleep, where the wake-up is not late"
	view process,state,ended_by idle "$tmp/job.ktr" | grep -q '^cat,pipe,\(sh [0-9]*\)*$' ||
		! view process,state idle "$tmp/job.ktr" | grep -q '^cat,pipe$'
	ok $? "bpf: idle: the writer wakes the reader of a pipe, if that had to wait"
else
	skip "bpf: $(head -1 "$tmp/err")"
fi
done_testing
