#!/bin/sh
# SPDX-License-Identifier: MIT
# cpistack on an emulated arm64 machine, whose PMU counts instructions and cycles (one each, in virtual time): programs
# whose instructions and page faults are known, counted all the time and in turns.
#
# $ZOO is the folder of a zoo whose machine qemu-aarch64-icount is set up, with the program zoo in PATH; cpistack is built
# by  make CROSS=aarch64-linux-gnu- STATIC=1 O=build-arm64 build-arm64/bin/cpistack
. "$(dirname "$0")/tap.sh"
program=$source/build-arm64/bin/cpistack share=${ZOO:-}/share/osvec.$$
if [ ! "${ZOO:-}" ] || ! command -v zoo >/dev/null || [ ! -e "$ZOO/run/ready.qemu-aarch64-icount" ]; then
	skip "no emulated arm64 machine: no zoo in \$ZOO"
elif [ ! -x "$program" ] || ! command -v aarch64-linux-gnu-gcc >/dev/null; then
	skip "cpistack is not built for arm64"
else
	mkdir "$share" && cp "$program" "$share" || exit 1
	cat >"$share/known.c" <<-'X'
		#include <stdlib.h>
		#include <sys/mman.h>
		/* known N M: 10 N instructions and M page faults, a tenth of each in turns. */
		int main(int argc, char **argv)
		{
			unsigned long n = strtoul(argv[1], 0, 0) / 10, size = strtoul(argv[argc - 1], 0, 0) / 10 * 4096;

			for (int part = 0; part < 10; part++) {
				unsigned long i = n;
				__asm__ volatile("1: add x9, x9, #1\n add x10, x10, #1\n add x11, x11, #1\n add x12, x12, #1\n"
						 "add x13, x13, #1\n add x14, x14, #1\n add x15, x15, #1\n eor x9, x9, x10\n"
						 "subs %0, %0, #1\n b.ne 1b\n"
						 : "+r"(i) : : "x9", "x10", "x11", "x12", "x13", "x14", "x15", "cc");
				char *p = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
				madvise(p, size, MADV_NOHUGEPAGE);
				for (unsigned long k = 0; k < size; k += 4096)
					p[k] = 1;
				munmap(p, size);
			}
			return 0;
		}
	X
	cat >"$share/arm.conf" <<-'X'
		stack arm
		cycles perf::PERF_COUNT_HW_CPU_CYCLES
		instructions perf::PERF_COUNT_HW_INSTRUCTIONS
		base faults = 1000 * perf::PERF_COUNT_SW_PAGE_FAULTS
		part clock = perf::PERF_COUNT_SW_TASK_CLOCK / 1000
		part switches = perf::PERF_COUNT_SW_CONTEXT_SWITCHES
		rest other
	X
	cat >"$share/run" <<-'X'
		cd "$1" || exit 1
		for counters in 64 3; do
			./cpistack record --formulas arm.conf -m user --slice 2ms --counters $counters -o $counters.counts -- \
				./known 20000000 5000
		done
	X
	aarch64-linux-gnu-gcc -O1 -static -o "$share/known" "$share/known.c"
	ok $? "a program of 200 million instructions and 5000 page faults"
	check 0 "is counted on the emulated machine" zoo run qemu-aarch64-icount -- sh "/zoo/share/osvec.$$/run" "/zoo/share/osvec.$$"
	# faults FILE: their number and its error; the part is a thousand cycles for each, and CPI is 1.
	faults() {
		"$build/bin/cpistack" show --formulas "$share/arm.conf" --csv "$share/$1.counts" |
			awk -F, '$1 == "faults" { print $6 * 200044, $3 * 200044 }'
	}
	check 0 "all the time" "$build/bin/cpistack" show --formulas "$share/arm.conf" --json "$share/64.counts"
	sed -n 's/.*"cycles": \([0-9]*\), "instructions": \([0-9]*\).*/\1 \2/p' "$tmp/out" |
		awk '{ right = $2 >= 2e8 && $2 < 2.002e8 && $1 > 0.999 * $2 && $1 < 1.001 * $2 } END { exit !right }'
	ok $? "its instructions, with those of its start and of touching pages, each a cycle"
	faults 64 | awk '{ right = $1 >= 5000 && $1 < 5100 && $2 == 0 } END { exit !right }'
	ok $? "and its page faults, with those of its start: $(faults 64 | tr '\n' ' ')"
	faults 3 | awk '{ right = $2 > 100 && $1 > 5030 - 4 * $2 && $1 < 5030 + 4 * $2 } END { exit !right }'
	ok $? "in turns as many, within four standard errors" || faults 3
	rm -r "$share"
fi
done_testing
