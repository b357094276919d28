#!/bin/sh
# SPDX-License-Identifier: MIT
# libccmod-mpi.so: an MPI program with a known number of calls becomes a workload with as many, which runs.
. "$(dirname "$0")/tap.sh"
lib=$build/lib/libccmod-mpi.so
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none TMPDIR="$tmp" HOME="$tmp"

quit() {
	echo "1..0 # SKIP $1"
	exit 0
}
[ -e "$lib" ] || quit "libccmod-mpi.so is not built: mpicc is missing"
mpicc -o "$tmp/exchange" tests/mpi/exchange.c 2>"$tmp/err" || quit "mpicc cannot build: $(head -1 "$tmp/err")"
timeout 60 mpirun -n 4 "$tmp/exchange" >"$tmp/out" 2>&1 || quit "mpirun does not run here: $(head -1 "$tmp/out")"

# The dynamic linker splits LD_PRELOAD at blanks.
ln -s "$(realpath "$lib")" "$tmp/libccmod-mpi.so" && lib=$tmp/libccmod-mpi.so
# said WORD COUNT: lines of the workload that begin with it.
lines() {
	is "$(grep -c "^$1" "$tmp/app.wl")" "$2" "$2 lines of '$1'"
}
# recorded: the calls of exchange.c are all there.
recorded() {
	says "libccmod-mpi: 15 calls are not in" "of ranks 0, 1 and 3, which are not evenly spaced, and three of each rank that no workload has"
	lines 'isend 2 30 tag 2000000000 as' 3
	lines 'isend [0-3] [1-4]0 tag 2000000000 as' 12
	lines 'isend [0-3] 70 tag 3 as' 4
	awk '/^rank/ { rank = $2 } /^compute/ { ms[rank] += $2 / 1e6 } END { exit !(ms[0] > 500 && ms[1] < ms[0] - 400) }' "$tmp/app.wl"
	ok $? "who waits in MPI_Probe does not compute"
	lines 'isend [0-3] 3000 tag 5 as' 28
	lines 'isend [0-3] 100 tag 6 as' 28
	lines 'irecv [0-3] tag 6 as' 28
	lines 'irecv any tag any as' 4
	lines 'wait ' 176
	lines 'irecv [0-3] tag 11 as' 12
	lines 'isend [0-3] 200 tag 11 as' 12
	lines 'allreduce 32 in 0-2/2' 2
	lines 'allreduce 32 in 1-3/2' 2
	lines 'bcast 2 77 in 0-2/2' 2
	lines 'bcast 3 77 in 1-3/2' 2
	lines 'allreduce 128' 28
	lines 'ssend 1 10 tag 0' 1
	lines 'recv 0 tag any' 1
	lines 'bcast 1 8' 4
	lines 'barrier' 4
	lines 'send ' 1
	is "$(awk '/^compute/ && last { print } { last = /^compute/ }' "$tmp/app.wl")" "" "time between calls is one computation, however often MPI_Test is asked"
	check 0 "the workload runs" "$build/bin/ccmod" predict -n ethernet10g-16 --check --json "$tmp/app.wl"
	# 28 + 28 + 4 + 1 messages, 2 rounds of 28 allreduces, 3 of the bcast, 2 rounds of the barrier by 4 ranks; 12 by
	# persistent requests, an allreduce and a bcast of two pairs; 12 of MPI_Alltoallv, 4, and 1 that was awaited by MPI_Probe.
	is "$(sed -n 's/^"messages": \(.*\),$/\1/p' "$tmp/out")" 163 "with the messages of the program"
}
mkdir "$tmp/marks"
check 0 "a traced run" timeout 60 mpirun -n 4 env LD_PRELOAD="$lib" CCMOD_TRACE="$tmp/app.wl" OSVEC_MARKS="$tmp/marks" \
	"$tmp/exchange"
recorded
is "$(find "$tmp/marks" -name '*.marks' | wc -l)" 4 "each rank marks where its long calls are"
# Four ranks that meet on fewer processors wait for longer than a call that is not marked.
tr '\0' '\n' <"$(find "$tmp/marks" -name '*.marks' | head -1)" | sed -n 's/^\(after \)*\(MPI_[A-Z][a-z]*\) .*\/exchange+0x[0-9a-f]*$/\1\2/p' |
	sort -u >"$tmp/out"
grep -q '^MPI_' "$tmp/out" && [ "$(grep -c '^MPI_' "$tmp/out")" = "$(grep -c '^after MPI_' "$tmp/out")" ]
ok $? "and is behind each of these afterwards"

# The same with MPICH, for which the library has to be built with its compiler.
if command -v mpicc.mpich >/dev/null && command -v mpiexec.mpich >/dev/null; then
	mkdir "$tmp/mpich"
	check 0 "the library for MPICH" mpicc.mpich -std=gnu11 -D_GNU_SOURCE -Ilib -fPIC -shared \
		-o "$tmp/mpich/lib.so" predict/ccmod/mpi/*.c lib/mark/mark.c lib/mark/place.c
	mpicc.mpich -w -o "$tmp/mpich/exchange" tests/mpi/exchange.c
	check 0 "a traced run with MPICH" timeout 60 mpiexec.mpich -n 4 env LD_PRELOAD="$tmp/mpich/lib.so" \
		CCMOD_TRACE="$tmp/app.wl" "$tmp/mpich/exchange"
	recorded
else
	skip "MPICH is missing"
fi

# Fortran, by the module mpi and by mpi_f08, whose handles and statuses are types.
for module in mpi mpi_f08; do
	sed "s/use mpi\$/use $module/" tests/mpi/exchange.f90 >"$tmp/$module.f90"
	[ $module = mpi ] || sed -i 's/integer :: request/type(MPI_Request) :: request/
		s/integer :: statuses(MPI_STATUS_SIZE, 2)/type(MPI_Status) :: statuses(2)/' "$tmp/$module.f90"
	mpif90 -o "$tmp/$module" "$tmp/$module.f90" 2>"$tmp/err" || {
		skip "mpif90 does not build programs with $module: $(head -1 "$tmp/err")"
		continue
	}
	check 0 "Fortran: $module" timeout 60 mpirun -n 4 env LD_PRELOAD="$lib" CCMOD_TRACE="$tmp/app.wl" "$tmp/$module"
	lines 'isend [0-3] 800 tag 5 as' 12
	lines 'irecv [0-3] tag 5 as' 12
	lines 'allreduce 8$' 12
	lines 'irecv any tag any as' 4
	lines 'send [0-3] 400 tag 6' 4
	lines 'isend [0-3] 80 tag 8 as' 4
	lines 'bcast 1 16' 4
	lines 'barrier' 4
	lines 'wait ' 68
	lines 'isend [0-3] \(8\|16\|24\|32\) tag 2000000000 as' 12
	lines 'isend [0-3] 72 tag 3 as' 4
	says "libccmod-mpi: 4 calls are not in" "those of MPI_Scan"
	check 0 "the workload runs" "$build/bin/ccmod" predict -n ethernet10g-16 --check --json "$tmp/app.wl"
done
done_testing
