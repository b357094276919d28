# GNU make.  Set variables on the command line, in the environment (CC, CFLAGS, CPPFLAGS, LDFLAGS, LDLIBS) or in
# config.mak, which is not tracked.  `make help` lists the targets.
VERSION = 0.1.0
PREFIX  = /usr/local
O       = build
CFLAGS ?= -O2 -g
INSTALL = install
PROVE   = prove
-include config.mak

# CROSS=aarch64-linux-gnu- builds for another machine, with the libraries that `scripts/deps arm64` fetches.
# STATIC=1 links no shared libraries.  The program stays position independent: results sample its random layout.
# FUZZ=1 with CC=clang links the programs of tests/fuzz with libFuzzer.
ifdef CROSS
CC      := $(CROSS)gcc
AR      := $(CROSS)ar
triple  := $(CROSS:-=)
SYSROOT  = $(wildcard sysroot/$(triple))
endif
# Debian has the headers of the kernel for glibc alone: musl-gcc finds them through links in a directory of their own.
kernel   = $(if $(filter musl-gcc,$(notdir $(lastword $(CC)))),$(O)/kernel)
cppflags = $(if $(kernel),-isystem $(kernel)) $(if $(SYSROOT),-isystem $(SYSROOT)/usr/include -isystem $(SYSROOT)/usr/include/$(triple)) \
	-D_GNU_SOURCE -DVERSION='"$(VERSION)"' -Ilib $(CPPFLAGS)
cflags  := -std=c11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wvla \
	-Wformat=2 $(if $(DEVELOPER),-Werror) -fno-strict-aliasing -pthread $(if $(STATIC),-fPIE) \
	$(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) \
	$(if $(FUZZ),-fsanitize=fuzzer-no-link -DFUZZ_LIBFUZZER) $(CFLAGS)
ldflags  = $(if $(SYSROOT),-L$(SYSROOT)/usr/lib/$(triple)) $(if $(STATIC),-static-pie) -pthread \
	$(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS)

# libpfm4 names hardware events (option -E) and is loaded when one is asked for; without it the benchmarks report
# them as not measured.  Tried once, when the first file is compiled.
can_link = $(shell printf '$(1)\nint main(void) { return 0; }\n' | \
	$(CC) $(cppflags) $(ldflags) -x c -o /dev/null - $(2) 2>/dev/null && echo yes)
have_pfm = $(eval have_pfm := $(call can_link,#include <perfmon/pfmlib_perf_event.h>,-lpfm))$(have_pfm)
# Static benchmarks are without it, see lib/counters/event.c.
pfm_library = $(if $(have_pfm),$(if $(STATIC),-u pfm_initialize -lpfm,-ldl))

# The recorder inside the kernel (ktranal record) needs libbpf, and clang and bpftool to build; without them ktranal
# records by ptrace alone.
CLANG   = clang
BPFTOOL = $(or $(wildcard /usr/sbin/bpftool),bpftool)
machine  = $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
bpf_arch = $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(machine)))
bpf_libs = -lbpf -lelf -lz $(if $(STATIC),-lzstd)
find_bpf = $(if $(CROSS),,$(shell command -v $(CLANG) && $(BPFTOOL) version))
have_bpf = $(eval have_bpf := $(and $(find_bpf),$(call can_link,#include <bpf/libbpf.h>,$(bpf_libs))))$(have_bpf)

# elfutils' libdw unwinds stacks for ktranal record, and tells cea the lines of calls; without it they are addresses.
have_dw = $(eval have_dw := $(if $(STATIC),,$(call can_link,#include <elfutils/libdwfl.h>,-ldw)))$(have_dw)

# SimGrid, beside which tests/bench puts ccmod.
have_simgrid := $(if $(CROSS)$(STATIC)$(SAN)$(FUZZ),,$(wildcard /usr/include/simgrid/engine.h))

programs   := hbench ktranal osvec-predict ccmod critpath cea cpistack
source_hbench        := driver
source_ktranal       := predict/ktranal
source_osvec-predict := predict/osvec-predict
source_ccmod         := predict/ccmod
source_critpath      := predict/critpath
source_cea           := predict/cea
source_cpistack      := predict/cpistack

sources    = $(sort $(filter-out %.bpf.c,$(wildcard $(addsuffix /*.c,$(1)))))
objects    = $(patsubst %.c,$(O)/%.o,$(call sources,$(1)))
binaries   = $(patsubst %.c,$(O)/%,$(call sources,$(1)))
rooms      := $(patsubst %/,%,$(sort $(dir $(wildcard lib/*/*.c lib/*/*/*.c lib/*/*/*/*.c))))
base_rooms := lib/util lib/stats lib/machine lib/counters lib/measure lib/peer
json_rooms := lib/json lib/vector lib/model lib/view lib/graph
base       := $(call objects,$(base_rooms))
trace      := $(call objects,$(filter-out $(base_rooms) $(json_rooms),$(rooms)))
json       := $(call objects,$(json_rooms))
common     := $(call objects,bench/common)
driver     := $(filter-out %/main.o,$(call objects,driver))
benches    := $(call binaries,bench)
libraries  := $(if $(STATIC),,$(patsubst bench/library/%.c,$(O)/bench/%.so,$(call sources,bench/library)))
tests      := $(call binaries,tests/unit)
fuzzers    := $(call binaries,tests/fuzz)
speeds     := $(filter-out $(if $(have_simgrid),,%/simgrid),$(call binaries,tests/bench))
bins       := $(addprefix $(O)/bin/,$(programs))
main       := $(call objects,predict/common $(foreach p,$(programs),$(source_$(p))))
checks     := $(tests:=.o) $(fuzzers:=.o) $(speeds:=.o)
headers    := $(filter-out %.bpf.h,$(wildcard $(addsuffix /*.h,$(rooms) lib/trace/format bench/common driver predict/*)))
pages      := $(wildcard docs/*.[1-9])

# A step prints one short line, the command with V=1, nothing with make -s.
quiet := $(findstring s,$(firstword -$(MAKEFLAGS)))
step   = $(if $(V),,@$(if $(quiet),,printf '  %-3s %s\n' '$(1)' '$(2)';))

# Programs that mark what they are at (osvec-mark.3) are linked with this.
mark_library := $(O)/lib/libosvec-mark.a

# Records MPI programs for ccmod; only where there is an MPI library for this machine.
mpicc       := $(if $(CROSS)$(STATIC)$(SAN)$(FUZZ),,$(shell command -v mpicc))
mpi_library := $(if $(mpicc),$(O)/lib/libccmod-mpi.so)

# Marks where unmodified programs synchronize, for cea.
sites_library := $(if $(STATIC)$(SAN)$(FUZZ),,$(O)/lib/libosvec-sites.so)

all: benchmarks $(bins) $(mpi_library) $(mark_library) $(sites_library)  ## build everything

mpi: $(mpi_library)  ## build the library that records MPI programs for ccmod
	@[ '$(mpicc)' ] || { echo "mpicc is missing: libccmod-mpi.so is not built (Debian: libopenmpi-dev)" >&2; exit 1; }

marking := $(addprefix lib/mark/,mark.c check.c place.c check.h mark_file.h osvec-mark.h place.h)

$(O)/lib/libccmod-mpi.so: $(call sources,predict/ccmod/mpi) predict/ccmod/mpi/record.h $(marking) Makefile
	@mkdir -p $(@D)
	$(call step,MPI,$@)$(mpicc) -D_GNU_SOURCE $(cppflags) $(cflags) -fPIC -shared -Wl,-Bsymbolic -o $@ \
		$(filter %.c,$^) -ldl

$(O)/lib/libosvec-sites.so: $(addprefix predict/cea/sites/,sites.c pages.c pages.h) $(marking) Makefile | $(kernel)
	@mkdir -p $(@D)
	$(call step,LD,$@)$(CC) $(cppflags) $(cflags) $(ldflags) -fPIC -ftls-model=initial-exec -shared -Wl,-Bsymbolic -Wl,-z,now \
		-o $@ $(filter %.c,$^) -ldl

# A program or a folder whose source is gone would still be listed and tested.
stale = $(filter-out $(foreach b,$(benches),$(b) $(b).o $(b).d) $(libraries) $(O)/bench/common,$(wildcard $(O)/bench/*))
benchmarks: $(benches) $(libraries)  ## build the benchmark programs, which need no jansson
	@$(if $(stale),rm -rf $(stale))

$(benches:=.o): cflags += -Wno-unused-parameter # hooks get n and need not use it
$(benches): $(O)/%: $(O)/%.o $(O)/bench/common/main.o $(O)/libcommon.a $(O)/libbase.a
	$(call step,LD,$@)$(CC) $(ldflags) -o $@ $^ $(LDLIBS) $(if $(STATIC),,$(pfm_library)) -lm

# A shared library that a benchmark starts programs with: no program itself, so not executable.
$(libraries): $(O)/bench/%.so: bench/library/%.c Makefile | $(kernel)
	@mkdir -p $(@D)
	$(call step,LD,$@)$(CC) $(cppflags) $(filter-out -fsanitize=% -static%,$(cflags)) -fPIC -shared -o $@ $< && chmod a-x $@

$(foreach p,$(programs),$(eval $(O)/bin/$(p): $(call objects,$(source_$(p)))))
# Both read traces into the same graph.
$(O)/bin/critpath $(O)/bin/cea: $(call objects,predict/common)
# Both run a command that they watch, and end as it did.
$(O)/bin/ktranal $(O)/bin/cpistack: $(O)/predict/common/signals.o
$(O)/bin/ktranal: $(O)/predict/common/dot.o
$(O)/bin/osvec-predict $(O)/bin/cpistack: $(O)/predict/common/html.o
$(O)/predict/cea/places.o $(O)/lib/record/stream/stacks.o: cflags += $(if $(have_dw),-DHAVE_DW)
# $^ has the libraries of this rule before the objects of the lines above.
$(bins): $(O)/libjson.a $(O)/libtrace.a $(O)/libbase.a
	@mkdir -p $(@D)
	$(call step,LD,$@)$(CC) $(ldflags) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) \
		$(pfm_library) $(if $(have_dw),-ldw) $(if $(have_bpf),$(bpf_libs)) -ljansson -lm

$(tests) $(fuzzers) $(speeds): $(O)/%: $(O)/%.o $(O)/libdriver.a $(O)/libcommon.a $(O)/libjson.a \
		$(O)/libtrace.a $(O)/libbase.a
	$(call step,LD,$@)$(CC) $(ldflags) $(if $(FUZZ),-fsanitize=fuzzer) -o $@ $^ $(LDLIBS) \
		$(pfm_library) $(if $(have_dw),-ldw) $(if $(have_bpf),$(bpf_libs)) -ljansson -lm
$(O)/tests/bench/simgrid: LDLIBS += -lsimgrid

$(O)/libbase.a: $(base)
$(O)/libtrace.a: $(trace)
$(O)/libcommon.a: $(filter-out %/main.o,$(common))
$(O)/libjson.a: $(json)
$(O)/libdriver.a: $(driver)
$(mark_library): $(O)/lib/mark/mark.o $(O)/lib/mark/check.o
# Shared libraries may be linked with it, too.
$(O)/lib/mark/mark.o $(O)/lib/mark/check.o: cflags += -fPIC
$(O)/lib%.a:
	$(call step,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(O)/%.o: %.c Makefile | $(kernel)
	@mkdir -p $(@D)
	$(call step,CC,$<)$(CC) $(cppflags) $(if $(have_pfm),-DHAVE_PFM $(if $(STATIC),-DSTATIC_PFM)) $(cflags) -MMD -MP -c -o $@ $<

# The header is a system header to the compiler: it is not ours to mend.
recorder := $(O)/lib/record/bpf/recorder
$(addprefix $(O)/lib/record/bpf/,bpf.o cpu_counters.o): cflags += $(if $(have_bpf),-DHAVE_BPF -isystem $(O)/include)
$(addprefix $(O)/lib/record/bpf/,bpf.o cpu_counters.o): $(O)/include/recorder.skel.h
$(O)/include/recorder.skel.h: $(wildcard lib/record/bpf/*.bpf.[ch]) lib/record/stream/records.h Makefile
	@mkdir -p $(@D) $(recorder)
	$(call step,BPF,$@)$(if $(have_bpf),$(foreach c,$(filter %.bpf.c,$^),$(CLANG) -target bpf \
		-D__TARGET_ARCH_$(bpf_arch) -O2 -g -Wall -I/usr/include/$(machine)-linux-gnu \
		-c -o $(recorder)/$(notdir $(c:.c=.o)) $(c) && ) \
		$(BPFTOOL) gen object $(recorder).o $(patsubst lib/record/bpf/%.c,$(recorder)/%.o,$(filter %.bpf.c,$^)) && \
		$(BPFTOOL) gen skeleton $(recorder).o name recorder) > $@

$(json) $(main) $(checks): | $(O)/jansson
$(O)/jansson:
	@mkdir -p $(@D)
	@[ '$(call can_link,#include <jansson.h>,-ljansson)' ] || { \
		echo "jansson is missing: run scripts/deps, or 'make benchmarks' for the benchmarks alone" >&2; exit 1; }
	@touch $@

# Programs in a build tree find suites and reference vectors through this link (lib/util/home.c).
$(bins) $(tests): | $(O)/source $(O)/tests/source
$(O)/source $(O)/tests/source:
	@mkdir -p $(@D)
	@ln -sfnr '$(CURDIR)' $@

$(O)/kernel:
	@mkdir -p $@
	@ln -sf /usr/include/linux /usr/include/asm-generic \
		$$(ls -d /usr/include/$$($(CC) -print-multiarch)/asm /usr/include/asm 2>/dev/null | head -n 1) $@

headers: $(headers:%=$(O)/%.ok)  ## compile every header alone

$(O)/%.h.ok: %.h Makefile | $(kernel)
	@mkdir -p $(@D)
	$(call step,CC,$<)$(CC) $(cppflags) $(cflags) -x c -fsyntax-only -include $< /dev/null
	@touch $@

format:  ## lay out all C sources by .clang-format
	git ls-files '*.[ch]' | xargs clang-format -i

demo:  ## install what is missing, measure this machine, trace redis, rank platforms for it (3 min)
	scripts/deps demo
	$(MAKE) all
	O='$(O)' scripts/demo

check:  ## install what is missing, build, run the tests
	scripts/deps check
	$(MAKE) test

# Those that compare times, or trace what two CPUs do at once, run alone, after the others.  The longest begin first, so that
# none is left at the end.  Make test TESTS='...' runs some.
TESTS  = $(sort $(wildcard tests/cli/*.t)) $(tests) $(fuzzers)
alone := $(addprefix $(O)/tests/unit/,account bench clock copies load measurement programs recorder) \
	$(addprefix tests/cli/,bench.t copies.t physics.t processes.t time.t work.t)
long  := $(addprefix tests/cli/,record.t suites.t hbench.t validation.t views.t usage.t)
prove  = $(if $(2),O='$(O)' $(PROVE) $(1) --failures $(PROVEFLAGS) --exec 'timeout -k 5 900' $(2))
test: all tests  ## build, run the tests, install nothing
	$(call prove,-j$(shell nproc),$(filter $(long),$(TESTS)) $(filter-out $(alone) $(long),$(TESTS)))
	$(call prove,,$(filter $(alone),$(TESTS)))

MINUTES = 30
fuzz:  ## give each reader of input MINUTES=30 of made-up input; what kills one is left in build-fuzz
	$(MAKE) CC=clang O=build-fuzz SAN=address,undefined FUZZ=1 $(patsubst $(O)/%,build-fuzz/%,$(fuzzers))
	cd build-fuzz && for f in $(notdir $(fuzzers)); do mkdir -p corpus/$$f && \
		tests/fuzz/$$f -max_total_time=$$(($(MINUTES) * 60)) corpus/$$f || exit; done

mutants: all tests  ## put the faults of tests/data/mutants.tsv into a copy, one at a time: do the tests see them?
	tests/mutants

# The folder has the same name.
tests: $(tests) $(fuzzers) $(speeds)

bench:  ## install what is missing, measure our own speed beside that of other tools
	scripts/deps bench
	$(MAKE) all tests
	O='$(O)' tests/bench/run

install: all  ## install below $(DESTDIR)$(PREFIX)
	$(INSTALL) -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/libexec/osvec' \
		'$(DESTDIR)$(PREFIX)/share/osvec/conf/topologies' '$(DESTDIR)$(PREFIX)/share/osvec/reference'
	$(INSTALL) -m 755 $(bins) '$(DESTDIR)$(PREFIX)/bin'
	$(INSTALL) -m 755 $(benches) '$(DESTDIR)$(PREFIX)/libexec/osvec'
	$(if $(libraries),$(INSTALL) -m 644 $(libraries) '$(DESTDIR)$(PREFIX)/libexec/osvec')
	$(INSTALL) -m 644 $(wildcard conf/*.*) '$(DESTDIR)$(PREFIX)/share/osvec/conf'
	$(INSTALL) -m 644 $(wildcard conf/topologies/*) '$(DESTDIR)$(PREFIX)/share/osvec/conf/topologies'
	$(if $(mpi_library),$(INSTALL) -d '$(DESTDIR)$(PREFIX)/lib' && $(INSTALL) -m 755 $(mpi_library) '$(DESTDIR)$(PREFIX)/lib')
	$(if $(sites_library),$(INSTALL) -d '$(DESTDIR)$(PREFIX)/lib' && $(INSTALL) -m 755 $(sites_library) '$(DESTDIR)$(PREFIX)/lib')
	$(INSTALL) -d '$(DESTDIR)$(PREFIX)/include' '$(DESTDIR)$(PREFIX)/lib/pkgconfig'
	$(INSTALL) -m 644 lib/mark/osvec-mark.h '$(DESTDIR)$(PREFIX)/include'
	$(INSTALL) -m 644 $(mark_library) '$(DESTDIR)$(PREFIX)/lib'
	printf '%s\n' 'prefix=$(PREFIX)' 'Name: osvec-mark' 'Description: marks in programs for critpath' 'Version: $(VERSION)' \
		'Cflags: -I"$${prefix}/include"' 'Libs: -L"$${prefix}/lib" -losvec-mark -pthread' \
		>'$(DESTDIR)$(PREFIX)/lib/pkgconfig/osvec-mark.pc'
	for v in results/reference/*/osvec.json; do n=$${v%/*}; \
		$(INSTALL) -m 644 "$$v" '$(DESTDIR)$(PREFIX)/share/osvec/reference/'"$${n##*/}.json" || exit 1; done
	for p in $(pages); do s='$(DESTDIR)$(PREFIX)/share/man/man'$${p##*.}; \
		$(INSTALL) -d "$$s" && $(INSTALL) -m 644 $$p "$$s" || exit 1; done

uninstall:  ## remove what install put there
	cd '$(DESTDIR)$(PREFIX)/bin' && rm -f $(programs)
	cd '$(DESTDIR)$(PREFIX)' && rm -f lib/libccmod-mpi.so lib/libosvec-sites.so lib/libosvec-mark.a lib/pkgconfig/osvec-mark.pc include/osvec-mark.h
	rm -rf '$(DESTDIR)$(PREFIX)/libexec/osvec' '$(DESTDIR)$(PREFIX)/share/osvec'
	for p in $(notdir $(pages)); do rm -f '$(DESTDIR)$(PREFIX)/share/man/man'$${p##*.}/$$p; done

clean:  ## remove the build directory
	rm -rf '$(O)'

help:  ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile
	@echo "  variables: V=1 O=DIR TESTS= CC= CFLAGS= PREFIX= DESTDIR= CROSS= STATIC=1 DEVELOPER=1 SAN=address,undefined"

-include $(patsubst %.o,%.d,$(base) $(trace) $(json) $(common) $(benches:=.o) $(main) $(checks))

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all mpi benchmarks headers format fuzz mutants tests demo check test bench install uninstall clean help
