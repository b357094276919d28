#!/bin/sh
# SPDX-License-Identifier: MIT
# What a user may mistype, for every command: an error is one line on stderr that names the word and says what
# to do, with status 1 or 2, and never a number.
. "$(dirname "$0")/tap.sh"
export PATH="$build/bin:$PATH" OSVEC_LOCK="$tmp/lock"

# no STATUS WORDS COMMAND...: exits with STATUS and prints nothing but one line on stderr that contains WORDS.
no() {
	want=$1 words=$2
	shift 2
	"$@" >out 2>err </dev/null
	got=$?
	[ $got -eq "$want" ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q -F -e "$words" err
	ok $? "$*: $words" || echo "#   status $got, want $want"
}

cd "$tmp" || exit 1
mkdir dir 'with blank'
: >empty
head -c 3000 /dev/zero >zeros
cat >trace.log <<'X'
100 1700000000.000000 execve("/bin/demo", ["demo"], 0x7f /* 1 var */) = 0 <0.000500>
100 1700000000.001000 openat(AT_FDCWD, "/etc/demo", O_RDONLY) = 3</etc/demo> <0.000010>
100 1700000000.001100 read(3</etc/demo>, "abc"..., 4096) = 1009 <0.000020>
100 1700000000.002000 exit_group(0) = ?
X
ktranal import -o trace.ktr trace.log 2>/dev/null
cp trace.ktr 'with blank/a trace.ktr'
cp "$source/results/applications/redis-set.json" app.json
cp "$source/results/reference/native/osvec.json" osvec.json
cp "$source/conf/basis.conf" basis.conf

for program in ktranal hbench osvec-predict ccmod cea cpistack critpath; do
	no 2 "unknown command 'bogus'" $program bogus
	no 2 "unknown option" $program --bogus
done
no 2 "critpath path: unknown option --bogus" critpath --bogus
no 2 "did you mean 'summary'" ktranal summry
no 2 "did you mean 'summary'" hbench summry
no 2 "did you mean 'whatif'" osvec-predict what-if
no 2 "did you mean 'vector'" ktranal help vectr
[ "$(ktranal help vector)" = "$(ktranal vector --help)" ]
ok $? "help COMMAND is COMMAND --help"

for command in summary dump 'calls -e read' 'import -o out.ktr' 'vector -o out.json'; do
	# shellcheck disable=SC2086
	{
		no 2 "which trace?" ktranal $command
		no 1 "nosuch: No such file" ktranal $command nosuch
		no 1 "dir: is a directory" ktranal $command dir
		no 1 "empty: is empty" ktranal $command empty
		no 1 "zeros: is no trace" ktranal $command zeros
		no 1 "osvec.json: is no trace" ktranal $command osvec.json
		ktranal $command 'with blank/a trace.ktr' >out 2>err
		ok $? "ktranal $command of a path with blanks"
	}
done
rm -f out.ktr out.json
for command in summary dump 'calls -e read'; do
	# shellcheck disable=SC2086
	for format in '' --json; do
		ktranal $command $format -O demo -p 7 trace.ktr >out 2>err
		[ $? -eq 1 ] && [ "$(cat err)" = "ktranal: -p or -O 7: the trace has no such process (ktranal tree lists them)" ]
		ok $? "ktranal $command $format: a process that is not in the trace"
	done
done
no 2 "no such system call" ktranal dump -e raed trace.ktr
no 2 "no such column" ktranal summary --sort bogus trace.ktr
no 2 "one trace at a time" ktranal dump trace.ktr trace.ktr
no 2 "-n 0: not an integer from 1" ktranal vector -n 0 trace.ktr
no 2 "-n -5: not an integer from 1" ktranal vector -n -5 trace.ktr
no 2 "--unit: a word is needed" ktranal vector -u '' trace.ktr
no 1 "-p or -O bogus: the trace has no such process" ktranal vector -O bogus trace.ktr
no 2 "--by x: not all, cpu, process or thread" ktranal breakdown --by x trace.ktr
no 2 "-i 0" ktranal breakdown -i 0 trace.ktr
no 1 "none/x.svg" ktranal breakdown --svg none/x.svg trace.ktr
no 2 "a trace of each host is needed" ktranal sync trace.ktr
no 2 "'-': traces are read twice" ktranal sync trace.ktr -
no 2 "-o trace.ktr: that is a trace to be merged" ktranal sync -o trace.ktr trace.ktr trace.log
no 1 "nosuch: No such file" ktranal sync trace.ktr nosuch
cp trace.ktr kept.ktr
no 2 "-o trace.ktr: that is the trace" ktranal vector -o trace.ktr trace.ktr
cmp -s trace.ktr kept.ktr
ok $? "it is still there"
cp "$(env which true)" prog
cp trace.log kept.log
cp basis.conf kept.conf
no 2 "-o basis.conf: that is the file of rules" ktranal vector -b basis.conf -o basis.conf trace.ktr
no 2 "-o basis.conf: that is the file of counts" ktranal vector --counts basis.conf -o basis.conf trace.ktr
no 2 "-o ./trace.log: that is the log" ktranal import -o ./trace.log trace.log
no 2 "-o prog: that is the program to run" ktranal time -o prog -- ./prog
no 2 "-o prog: that is the program to run" ktranal record -o prog -- ./prog
cp "$(env which sleep)" sleeper
cp sleeper sleeper.kept
./sleeper 60 &
pid=$!
until_ok grep -q "^Name:.sleeper" /proc/$pid/status
no 2 "-o sleeper: that is the program that process $pid runs" ktranal record -o sleeper -p $pid
no 2 "-o sleeper: that is the program that process $pid runs" ktranal time -o sleeper -p $pid
cmp -s sleeper sleeper.kept && [ ! -e sleeper.old ]
ok $? "and has not moved"
kill $pid
wait $pid 2>/dev/null
no 2 "-o: the name of the file is empty" ktranal record -o '' -- ./prog
no 2 "ptrace cannot read counters, only bpf can: leave out -b" ktranal record -b ptrace -E stack -- ./prog
no 2 "-o osvec.json: that is the vector of" osvec-predict aggregate -o osvec.json osvec.json osvec.json
no 2 "1 operand, not 2" osvec-predict aggregate -o two.json osvec.json
cmp -s trace.log kept.log && cmp -s basis.conf kept.conf && ./prog &&
	cmp -s osvec.json "$source/results/reference/native/osvec.json"
ok $? "they are as they were"
no 1 "trace.ktr: is not text" ktranal vector -t trace.ktr trace.ktr
no 1 "empty: is empty" ktranal vector -t empty trace.ktr
no 1 "app.json: schema is 'osvec-application/1'" ktranal vector -t app.json trace.ktr
no 1 "dir: Is a directory" ktranal time -o dir -- touch ran
no 1 "none/x: No such file" ktranal time -o none/x -- touch ran
no 1 "dir: Is a directory" ktranal record -o dir -- touch ran
[ ! -e ran ]
ok $? "no command runs when its measurement could not be stored"
no 2 "-r 0" ktranal time -r 0 -- touch ran
no 2 "-w -1s" ktranal time -w -1s -- touch ran
no 1 "nosuch: command not found" ktranal record -- nosuch
mkdir closed
chmod 0 closed
no 1 "nosuch: command not found" env PATH="$PATH:$tmp/closed" ktranal record -- nosuch
no 2 "not a process number" ktranal record -p 1x

for command in 'rank --no-intervals' rank; do
	# shellcheck disable=SC2086
	{
		no 1 "dir: no osvec.json" osvec-predict $command -a app.json dir
		no 1 "empty: is empty" osvec-predict $command -a app.json empty
		no 1 "trace.ktr: is not text" osvec-predict $command -a app.json trace.ktr
		no 1 "app.json: schema is" osvec-predict $command -a app.json app.json
	}
done
no 1 "gvisor: neither a file nor a directory, nor a reference platform" osvec-predict rank -a app.json gvisor
no 1 "osvec.json: schema is" osvec-predict rank -a osvec.json osvec.json
no 1 "trace.ktr: is not text" osvec-predict rank -a trace.ktr osvec.json
no 1 "dir: Is a directory" osvec-predict rank -a dir osvec.json
no 1 "empty: is empty" osvec-predict rank -a empty osvec.json
no 2 "no application: give -a" osvec-predict rank osvec.json
no 2 "--unit foo: neither run" osvec-predict rank -a app.json --unit=foo osvec.json
no 2 "takes A B, not 1 operand " osvec-predict explain -a app.json osvec.json
no 2 "takes MACHINE, not 0 operands" osvec-predict whatif -a app.json
no 1 "--scale lat_bogus=2: native has no such entry" osvec-predict whatif -a app.json osvec.json --scale lat_bogus=2
no 1 "did you mean 'lat_send_tcp*'" osvec-predict whatif -a app.json osvec.json --scale lat_send_tcp=2
for scale in lat_brk=-1 lat_brk=0 lat_brk=nan lat_brk=1e999 lat_brk= lat_brk =2; do
	no 2 "--scale $scale: not ENTRY=FACTOR" osvec-predict whatif -a app.json osvec.json --scale "$scale"
done
no 1 "trace.ktr: holds NUL bytes" osvec-predict validate --measured trace.ktr -a app.json osvec.json

no 1 "trace.ktr: is not text" hbench summary trace.ktr
no 1 "dir: no run of hbench" hbench summary dir
no 1 "dir: no run of hbench" hbench compare dir osvec.json
no 2 "two runs are needed" hbench compare osvec.json
no 1 "no installed suite empty; for a file, write ./empty" hbench run -S empty
no 1 "nosuch.suite is neither in" hbench run -S nosuch
no 1 "no benchmark program matches 'zzz'" hbench list zzz
no 2 "--budget -5" hbench run --budget -5
no 1 "CPU 999" hbench run --cpu 999 cpu_int
no 2 "--cpu 'x' is no list" hbench run --cpu x cpu_int
no 1 "empty: not a directory" hbench run -D empty cpu_int
echo 'lat_syscall * *' >star.suite
no 1 "'*' is one parameter too many: lat_syscall has 1" hbench list -S ./star.suite
echo 'lat_syscall getppid' >one.suite
no 2 "--machine a/b" hbench run -m a/b cpu_int

no 2 "no network given" ccmod predict x.wl
no 2 "give one workload, not 0" ccmod predict -n myrinet
no 2 "--sharing x: not maxmin or article" ccmod predict -n myrinet --sharing x x.wl
no 2 "--background 96%: not like none" ccmod predict -n myrinet --background 96% x.wl
no 1 "x.wl: No such file" ccmod predict -n myrinet x.wl
no 1 "empty: not a workload" ccmod predict -n myrinet empty
no 2 "no such shape: x" ccmod generate x
no 1 "17 ranks do not fill that grid" ccmod generate halo --ranks 17 --grid 4x4
no 1 "empty: delay: 0 points" ccmod fit empty

# Standard output: closed, full, read no further.
for command in 'ktranal summary trace.ktr' 'ktranal dump trace.ktr' 'ktranal vector trace.ktr' 'ktranal --help' \
		'osvec-predict rank --no-intervals -a app.json osvec.json' 'osvec-predict whatif -a app.json osvec.json' \
		'ccmod generate ring' 'hbench list -S ./one.suite' 'hbench compare osvec.json osvec.json' 'hbench --version'; do
	# shellcheck disable=SC2086
	{
		$command >&- 2>err
		[ $? -eq 1 ] && grep -q 'stdout: ' err
		ok $? "$command: closed"
		$command >/dev/full 2>err
		[ $? -eq 1 ] && grep -q 'stdout: .*\(No space left\|disk full\)' err
		ok $? "$command: full"
	}
done
hbench list 2>err | head -1 >out
[ -s out ] && [ ! -s err ]
ok $? "hbench list | head is silent"
ktranal import -o clean.ktr trace.ktr 2>/dev/null
ktranal import -o closed.ktr trace.ktr >&- 2>&-
cmp -s clean.ktr closed.ktr
ok $? "messages of a program without standard streams do not get into its files"

# Files that we may not read.  Root becomes another user, who may be unable to enter the directory of the sources.
cp trace.ktr app.json osvec.json dir
chmod 0 dir/*
mkdir bin
cp "$build/bin/ktranal" "$build/bin/osvec-predict" "$build/bin/hbench" bin
as() { "$@"; }
if [ "$(id -u)" = 0 ]; then
	chmod 755 "$tmp"
	as() { setpriv --reuid=65534 --clear-groups "$@"; }
fi
if as ./bin/ktranal --version >out 2>&1; then
	no 1 "dir/trace.ktr: Permission denied" as ./bin/ktranal summary dir/trace.ktr
	no 1 "dir/app.json: Permission denied" as ./bin/osvec-predict rank -a dir/app.json osvec.json
	no 1 "dir/osvec.json: Permission denied" as ./bin/osvec-predict rank -a app.json dir/osvec.json
	chmod 0 dir
	no 1 "dir: Permission denied" as ./bin/osvec-predict rank -a app.json dir
	no 1 "dir: Permission denied" as ./bin/hbench summary dir
	chmod 755 dir
else
	skip "root reads all files and cannot become another user here: $(head -1 out)"
fi
done_testing
