#!/bin/sh
# SPDX-License-Identifier: MIT
# cea on recorded programs of which it is known why they wait.
. "$(dirname "$0")/tap.sh"
cea=$build/bin/cea

# record KIND [MARKS]: runs that program, which says how long its two halves had a CPU: $first, $second; $taken meanwhile.
record() {
	since=$(taken)
	OSVEC_MARKS=${2-} "$build/bin/ktranal" record -q -b bpf -o "$tmp/$1.ktr" -- "$build/tests/bench/waits" "$1" \
		>"$tmp/said" 2>"$tmp/err" || return 1
	first=$(cut -d' ' -f1 "$tmp/said") second=$(cut -d' ' -f2 "$tmp/said") taken=$(taken "$since")
	whole "$1"
}

# Bounds are shares of the CPU time that the program itself has measured: another program's load makes waits longer,
# not the work.
# recorded KIND [MARKS]: the same, else a test is skipped.
recorded() {
	record "$@" || { skip "$1: nothing, or not all, can be recorded in the kernel here: $(head -1 "$tmp/err")"; return 1; }
}

mkdir "$tmp/barrier" "$tmp/lock"
if recorded barrier "$tmp/barrier"; then
	check 0 "two that meet at a barrier" "$cea" waits --csv --marks "$tmp/barrier" "$tmp/barrier.ktr"
	# In each of ten rounds one of them is the last: on a busy machine that need not be the one that has more to do.  The round in
	# which the futex of the barrier has the value of a mutex that is wanted counts as a lock.
	awk -F, -v a="$first" -v b="$second" -v taken="$taken" '
		{ sign = $1 == "waits less: futex" && $3 == "waits more: futex" ? 1 : $1 == "waits more: futex" && $3 == "waits less: futex" ? -1 : 0 }
		sign { waits[$1 $2] = $4; more += $13 == "waits more" ? sign * $10 : 0; less -= $13 == "waits less" ? sign * $10 : 0 }
		END { for (w in waits) n += waits[w] / 10
			print "# " more " of " a ", less " less " of " b ", in " n " of the rounds"
			exit !(n > 0.4 && more > 0.6 * n * a && more < 1.2 * n * a + taken && less > 0.6 * n * b && less < 1.2 * n * b + taken) }' "$tmp/out"
	ok $? "wait for what one has to do, less what the other has"
	check 0 "all of them" "$cea" summary --json "$tmp/barrier.ktr"
	[ "$(value waits_residual_ns)" = 0 ] && [ "$(value threads_residual_ns)" = 0 ]
	ok $? "add up"
fi
if recorded lock "$tmp/lock"; then
	check 0 "one who wants a lock" "$cea" contention --csv --marks "$tmp/lock" "$tmp/lock.ktr"
	awk -F, '$1 == "lock" && $5 ~ /^waits want: futex/ { all += $3; if ($6 ~ /^waits hold/) held += $3 }
		END { print "# " held " of " all; exit !(held > 0.5 * all && held <= all && all > 0) }' "$tmp/out"
	ok $? "loses the time to the one who holds it"
	check 0 "its causes" "$cea" --csv --marks "$tmp/lock" "$tmp/lock.ktr"
	is "$(awk -F, '$5 == "waits hold" { print $10 }' "$tmp/out")" "" "a place that is the cause is not named twice"
fi
if recorded pipe; then
	check 0 "a slow producer" "$cea" waits --csv "$tmp/pipe.ktr"
	awk -F, -v a="$first" -v taken="$taken" '$1 == "waits read pipe" && $3 == "waits write pipe" && $13 == "waits user" { sum += $10 }
		END { print "# " sum " of " a; exit !(sum > 0.4 * a && sum < 1.1 * a + taken) }' "$tmp/out"
	ok $? "is what the consumer waits for"
fi
if recorded cpu; then
	check 0 "two on one CPU" "$cea" contention --csv "$tmp/cpu.ktr"
	cp "$tmp/out" "$tmp/contention"
	check 0 "their time" "$cea" time --csv "$tmp/cpu.ktr"
	awk -F, 'FILENAME ~ /contention$/ { if ($1 == "cpu" && $5 == "waits" && $6 == "waits") lost += $3; next }
		$1 == "waits" { ran = $4 }
		END { print "# " lost " of " ran; exit !(lost > 0.5 * ran && lost < 1.05 * ran) }' "$tmp/contention" "$tmp/out"
	ok $? "each loses what the other has"
	check 0 "all of its waits" "$cea" contention --map --csv "$tmp/cpu.ktr"
	cp "$tmp/out" "$tmp/map"
	check 0 "what it waited for" "$cea" --csv --top 32 "$tmp/cpu.ktr"
	awk -F, 'FILENAME ~ /contention$/ { if ($1 == "cpu" && $5 == "waits") user = user ? user : $6; next }
		FILENAME ~ /map$/ { if ($1 == "cpu" && $10 == "waits") { lost += $3; times += $4 }; next }
		$5 == "waits runnable" { n++; wrong += $2 < 0.999 * lost || $3 < times || $9 != user } END { exit n != 1 || wrong }' \
		"$tmp/contention" "$tmp/map" "$tmp/out"
	ok $? "is a CPU, as often and for as long, and who had it most is named"
fi

# Two clients that each ask two servers in turn: they wait for the work for their own request, and for that for the other client.
mkdir "$tmp/server"
if recorded server "$tmp/server"; then
	check 0 "clients of servers" "$cea" waits --csv --marks "$tmp/server" "$tmp/server.ktr"
	awk -F, -v a="$first" -v taken="$taken" '$1 ~ /^waits (order|report): read unix$/ && $3 ~ /^waits fetch: / && $13 == "waits fetch" { sum[$1] += $10 }
		END { for (c in sum) { n++; print "# " c " " sum[c] " of " a; wrong += sum[c] < 0.3 * a || sum[c] > 1.2 * a + taken }
			exit n != 2 || wrong }' "$tmp/out"
	ok $? "wait for what the first one does"
	check 0 "who asks at the same time" "$cea" contention --csv --marks "$tmp/server" "$tmp/server.ktr"
	awk -F, -v a="$first" '$1 == "server" && $5 == "waits order" { all[$7] += $3; own[$7] += $6 == "(itself)" ? $3 : 0; other[$7] += $6 == "waits report" ? $3 : 0 }
		END { for (s in all) { n++; if (all[s] > most) { most = all[s]; first = s } }
			print "# " own[first] " for itself, " other[first] " for the other, of " most "; " a / 2
			exit !(n == 2 && own[first] > 0.3 * a && own[first] < 0.95 * most && other[first] > 0.05 * most && own[first] + other[first] > 0.8 * most) }' "$tmp/out"
	ok $? "loses time at two servers, at the slow one for its own request and for that of the other"
	check 0 "a page of it" "$cea" report -o "$tmp/cea.html" --marks "$tmp/server" "$tmp/server.ktr"
	browse "$tmp/cea.html" <<'E6' && is "$said" "3;true;2;true" "there is a column for each server, and a row for each request that it worked for"
const is = r => r.cells[1]?.textContent === 'server' && r.textContent.startsWith('waits order');
[...get('requests').tBodies[0].rows].find(is).querySelector('button').click();
const table = document.querySelector('table.lost'), head = [...table.tHead.rows[0].cells].map(c => c.textContent);
said.push(head.length, head.slice(1).every(name => /^waits \d+$/.test(name)) && head[1] !== head[2]);
const filled = name => [...[...table.tBodies[0].rows].find(r => r.cells[0].textContent === name).cells].slice(1).filter(c => c.textContent).length;
said.push(filled('(itself)'), filled('waits report') > 0);
E6
fi

# Two ranks, of which one has three times as much to do before each barrier; they print the seconds of that, and of what
# they do after the last one.
cat >"$tmp/ranks.c" <<'X'
#include <mpi.h>
#include <stdio.h>
#include <time.h>
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}
int main(int argc, char **argv)
{
	double begin, took = 0;
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int n = 0; n < 10; n++) {
		begin = now();
		for (volatile int i = 0; i < (rank ? 3000000 : 9000000); i++) ;
		took += now() - begin;
		MPI_Barrier(MPI_COMM_WORLD);
	}
	begin = now();
	MPI_Finalize();
	printf("%d %f %f\n", rank, took, now() - begin);
	return 0;
}
X
# mpi COMMAND...: runs it as what starts two ranks needs it.
mpi() {
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
		OMPI_MCA_btl_vader_single_copy_mechanism=none TMPDIR="$tmp" HOME="$tmp" timeout 60 "$@"
}
mkdir "$tmp/ranks.marks"
ln -s "$build/lib/libccmod-mpi.so" "$tmp/mpi.so" # LD_PRELOAD is split at blanks
if [ ! -e "$tmp/mpi.so" ] || ! mpicc -g -O1 -o "$tmp/ranks" "$tmp/ranks.c" 2>"$tmp/err"; then
	skip "libccmod-mpi.so is not built, or mpicc cannot build"
elif ! mpi "$build/bin/ktranal" record -q -b bpf -o "$tmp/ranks.ktr" -- mpirun -n 2 env LD_PRELOAD="$tmp/mpi.so" CCMOD_CLOCK=cpu \
	CCMOD_TRACE="$tmp/ranks.wl" OSVEC_MARKS="$tmp/ranks.marks" "$tmp/ranks" >"$tmp/said" 2>"$tmp/err"; then
	skip "nothing can be recorded in the kernel here, or mpirun does not run: $(head -1 "$tmp/err")"
else
	sort "$tmp/said" | tr '\n' ' ' >"$tmp/ranks.said"
	check 0 "the messages of two ranks" "$build/bin/ccmod" predict -n ethernet10g-16 --trace "$tmp/wire.ktr" "$tmp/ranks.wl"
	check 0 "their waits" "$cea" waits --csv "$tmp/wire.ktr"
	awk -F, 'FILENAME ~ /said$/ { split($0, t, " "); more = t[2] - t[5]; next }
		$1 == "ranks compute" { waits = $4; sum += $13 == "ranks compute" ? $10 : 0 }
		END { print "# " sum " of " more; exit !(waits == 10 && sum > 0.8 * more && sum < 1.1 * more) }' "$tmp/ranks.said" "$tmp/out"
	ok $? "are as long as one of them computes for longer"
	check 0 "a page of the run" "$cea" report -o "$tmp/cea.html" --marks "$tmp/ranks.marks" "$tmp/ranks.ktr"
	if grep -q "without libdw\|no line" "$tmp/err" || ! whole ranks; then
		skip "cea was built without libdw, or events were lost"
	else
		sed -n 's/.*<script type="application.json" id="data">\(.*\)<.script>.*/\1/p' "$tmp/cea.html" | tr '{' '\n' |
			sed -n 's/.*"name":"\(after \)*MPI_Barrier main ranks.c:[0-9]*","seconds":\[\([^,]*\),.*/\2 \1/p' >"$tmp/out"
		awk 'FILENAME ~ /said$/ { least = 0.9 * ($2 + $5); most = $2 + $3 + $5 + $6; next } { ns[$2] += $1 }
			END { print "# " ns["after"] " of " least " to " most ", and " ns[""] " in the call"
				exit !(ns["after"] > 0.8 * least && ns["after"] < 1.3 * most && ns[""] > 0) }' "$tmp/ranks.said" "$tmp/out"
		ok $? "shows which call they wait in, and how long they compute behind it"
	fi
fi

since=$(taken)
if "$build/bin/ktranal" record -q -b bpf -o "$tmp/n1.ktr" -- taskset -c 0 "$build/tests/bench/nbody" 1 1000 100 >"$tmp/said" 2>"$tmp/err" &&
	"$build/bin/ktranal" record -q -b bpf -o "$tmp/n2.ktr" -- taskset -c 0,1 "$build/tests/bench/nbody" 2 1000 100 >>"$tmp/said" \
		2>"$tmp/err" && whole n1 && whole n2; then
	check 0 "bodies on one and two processors" "$cea" model --json 1:"$tmp/n1.ktr" 2:"$tmp/n2.ktr"
	is "$(tr '}' '\n' <"$tmp/out" | sed -n 's/.*"residual_seconds": \(.*\)/\1/p' | sort -u)" 0 "their time is all there"
	tr '}' '\n' <"$tmp/out" | sed -n 's/.*"computation_seconds": \([^,]*\).*/\1/p' | paste "$tmp/said" - |
		awk -v taken="$(taken "$since")" '{ print "# " $4 " of " $2; wrong += $4 > 1.5 * $2 + taken || $4 < 0.5 * $2 }
			END { exit NR != 2 || wrong }'
	ok $? "and they compute for as long as the program says"
else
	skip "nothing can be recorded in the kernel here, or on two CPUs: $(head -1 "$tmp/err")"
fi

cat >"$tmp/places.c" <<'X'
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mark/osvec-mark.h"
/* On a busy machine, the trace has a call some time after it was made. */
static void be(const char *state)
{
	usleep(100000);
	osvec_state(state);
	usleep(100000);
}
int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600);
	char c[2] = "x";
	be("make");
	if (pwrite(fd, c, 1, 0) != 1)
		return 1;
	be("rest");
	if (pwrite(fd, c, 1, 4096) != 1)
		return 1;
	if (!fork()) {
		be("use");
		_exit(pread(fd, c, 1, 0) != 1 || pread(fd, c, 1, 4096) != 1 || pwrite(fd, c, 1, 8192) != 1);
	}
	wait(NULL);
	return pread(fd, c, 1, 8192) != 1;
}
X
mkdir "$tmp/places.marks"
if ${CC:-cc} -I lib -o "$tmp/places" "$tmp/places.c" "$build/lib/libosvec-mark.a" -pthread 2>"$tmp/err" &&
	OSVEC_MARKS="$tmp/places.marks" "$build/bin/ktranal" record -q -b ptrace -o "$tmp/places.ktr" -- "$tmp/places" "$tmp/moved" 2>"$tmp/err"; then
	check 0 "places of the program" "$cea" sharing --file "$tmp/moved" --moves --csv --marks "$tmp/places.marks" "$tmp/places.ktr"
	is "$(sed 1d "$tmp/out" | cut -d, -f1-4 | sort | tr '\n' ' ')" "places,make,places,use places,rest,places,use places,use,places,rest " \
		"where it was written and used"
	check 0 "its threads" "$cea" sharing --file "$tmp/moved" --moves --by thread --csv "$tmp/places.ktr"
	awk -F, 'NR > 1 && $1 == $3 { wrong++ } END { exit NR < 2 || wrong }' "$tmp/out"
	ok $? "are told apart"
	check 0 "a graph of them" "$cea" sharing --file "$tmp/moved" --moves --dot --marks "$tmp/places.marks" "$tmp/places.ktr"
	says 'label="places\nuse"' "has them at its nodes"
	lacks 'label="places"' "at all of them"
	check 0 "where pages were used after each other" "$cea" sharing --file "$tmp/moved" --transitions --csv --marks "$tmp/places.marks" "$tmp/places.ktr"
	is "$(sed 1d "$tmp/out" | cut -d, -f1-3,5,6 | sort | tr '\n' ' ')" "nowhere,at 1 other,1,make,use nowhere,at 1 other,1,rest,use nowhere,at 1 other,1,use,rest " \
		"are three steps"
	check 0 "a graph of that" "$cea" sharing --file "$tmp/moved" --dot --marks "$tmp/places.marks" "$tmp/places.ktr"
	says 'label="at 1 other\nuse\n33.3% of uses"' "has places, too"
else
	skip "nothing can be compiled or recorded here: $(head -1 "$tmp/err")"
fi
done_testing
