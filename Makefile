# GNU make.  Override on the command line or in config.mak (not tracked).  `make help` lists targets.
VERSION  = 0.1.0
PREFIX   = /usr/local
O        = build
CFLAGS   = -O2 -g
INSTALL  = install
PROVE    = prove
-include config.mak

# CROSS=aarch64-linux-gnu- builds for another machine, STATIC=1 without shared libraries (position
# independent all the same: each process draws its layout at random, and results sample it),
# DEVELOPER=1 makes warnings errors, SAN=address,undefined adds sanitizers.
ifdef CROSS
CC      := $(CROSS)gcc
AR      := $(CROSS)ar
endif
# The target's own libraries, from `scripts/deps arm64`.
SYSROOT  = $(if $(CROSS),sysroot/$(CROSS:-=))
ifneq ($(wildcard $(SYSROOT)/usr),)
triple  := $(notdir $(SYSROOT))
override CPPFLAGS += -isystem $(SYSROOT)/usr/include -isystem $(SYSROOT)/usr/include/$(triple)
override LDFLAGS  += -L$(SYSROOT)/usr/lib/$(triple)
endif
ifdef DEVELOPER
werror  := -Werror
endif
ifdef STATIC
static  := -static-pie
endif

# Where this build looks for its own files: beside the sources until installed.
libexec  = $(PREFIX)/libexec/osvec
share    = $(PREFIX)/share/osvec

override CPPFLAGS += -D_GNU_SOURCE -Ilib -DVERSION='"$(VERSION)"' -DPREFIX='"$(PREFIX)"'
override CFLAGS   += -std=c11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wwrite-strings -Wvla -Wformat=2 $(werror) -fno-strict-aliasing -pthread $(if $(static),-fPIE) \
	$(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
override LDFLAGS  += $(static) -pthread $(if $(SAN),-fsanitize=$(SAN))

# libpfm4 names hardware events (-E); without it the programs say "not measured".  jansson is required by
# the programs that speak JSON, not by the benchmarks.
define probe
$(shell printf '$(1)\nint main(void) { return 0; }\n' | $(CC) $(CPPFLAGS) $(LDFLAGS) $(static) -x c -o /dev/null - $(2) 2>/dev/null && echo yes)
endef
have_pfm     := $(call probe,#include <perfmon/pfmlib_perf_event.h>,-lpfm)
have_jansson := $(call probe,#include <jansson.h>,-ljansson)
pfm          := $(if $(have_pfm),-lpfm)
override CPPFLAGS += $(if $(have_pfm),-DHAVE_PFM)

programs   := hbench ktranal osvec-predict
source_hbench        := driver
source_ktranal       := predict/ktranal
source_osvec-predict := predict/osvec-predict
sources    = $(sort $(wildcard $(1)/*.c))
objects    = $(patsubst %.c,$(O)/%.o,$(call sources,$(1)))
rooms      := $(patsubst %/,%,$(sort $(dir $(shell find lib -name '*.c'))))
json_rooms := lib/vector lib/model lib/view
base       := $(foreach d,$(filter-out $(json_rooms),$(rooms)),$(call objects,$(d)))
json       := $(foreach d,$(json_rooms),$(call objects,$(d)))
common     := $(call objects,bench/common)
driver     := $(filter-out %/main.o,$(call objects,driver))
benches    := $(patsubst %.c,$(O)/%,$(call sources,bench))
tests      := $(patsubst %.c,$(O)/%,$(call sources,tests/unit))
fuzzers    := $(patsubst %.c,$(O)/%,$(call sources,tests/fuzz))
speeds     := $(patsubst %.c,$(O)/%,$(call sources,tests/bench))
bins       := $(foreach p,$(programs),$(if $(wildcard $(source_$(p))/*.c),$(O)/bin/$(p)))
pages      := $(wildcard docs/*.[1-9])

ifeq ($(MAKECMDGOALS),)
goals := all
else
goals := $(MAKECMDGOALS)
endif
ifeq ($(have_jansson),)
ifneq ($(filter all bench-speed install $(O)/bin/%,$(goals)),)
ifndef CROSS
$(error jansson is missing: run scripts/deps, or 'make benchmarks' for the benchmarks alone)
endif
endif
endif

all: benchmarks $(if $(have_jansson),$(bins))  ## build everything (cross builds without jansson: the benchmarks)

benchmarks: $(benches)  ## build the benchmark programs only

$(benches): $(O)/%: $(O)/%.o $(O)/libcommon.a $(O)/libbase.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(pfm) -lm

$(foreach p,$(programs),$(eval $(O)/bin/$(p): $(call objects,$(source_$(p)))))
# $^ has the libraries of this rule before the objects of the lines above.
$(bins): $(O)/libjson.a $(O)/libbase.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) $(pfm) -ljansson -lm

$(tests) $(fuzzers) $(speeds): $(O)/%: $(O)/%.o $(O)/libdriver.a $(O)/libcommon.a $(O)/libjson.a $(O)/libbase.a
	$(CC) $(LDFLAGS) $(fuzz_$(notdir $(@D))) -o $@ $^ $(LDLIBS) $(pfm) -ljansson -lm

# Programs in a build tree find suites and reference vectors through this (lib/util/home.c).
$(bins) $(tests): | $(O)/source $(O)/tests/source
$(O)/source $(O)/tests/source:
	@mkdir -p $(@D)
	ln -sfn '$(CURDIR)' $@

$(O)/libbase.a: $(base)
	@mkdir -p $(@D)
	rm -f $@ && $(AR) rcs $@ $^

# What several benchmarks share.
$(O)/libcommon.a: $(common)
	@mkdir -p $(@D)
	rm -f $@ && $(AR) rcs $@ $^

$(O)/libjson.a: $(json)
	@mkdir -p $(@D)
	rm -f $@ && $(AR) rcs $@ $^

# For the tests of hbench's parts.
$(O)/libdriver.a: $(driver)
	@mkdir -p $(@D)
	rm -f $@ && $(AR) rcs $@ $^

$(O)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

headers: $(patsubst %.h,$(O)/%.h.ok,$(shell find lib -name '*.h'))  ## compile every header of lib/ alone

$(O)/%.h.ok: %.h Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -x c -fsyntax-only -include $< /dev/null
	@touch $@

format:  ## lay out all C sources by .clang-format (CI checks it)
	git ls-files '*.[ch]' | xargs clang-format -i

demo:  ## install what is missing, measure this machine, trace redis, rank platforms for it (< 5 min)
	scripts/deps demo
	$(MAKE) all
	O='$(O)' scripts/demo

check:  ## install what is missing, build, run the tests
	scripts/deps check
	$(MAKE) run-check

# The folder has the same name.
tests: $(tests) $(fuzzers) $(speeds)

run-check: all tests
	O='$(O)' $(PROVE) $(PROVEFLAGS) --exec '' $(tests) $(fuzzers) $(sort $(wildcard tests/cli/*.t))

bench:  ## measure our own speed beside what one would use otherwise
	scripts/deps bench
	$(MAKE) bench-speed
	$(MAKE) selftest

bench-speed: all $(speeds)
	O='$(O)' tests/bench/run

selftest: all $(speeds)  ## predict programs of known calls, and compare with what they take here (10 min)
	O='$(O)' tests/bench/selftest

install: all  ## install below $(DESTDIR)$(PREFIX)
	$(INSTALL) -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(libexec)' '$(DESTDIR)$(share)/conf' \
		'$(DESTDIR)$(share)/reference'
	$(INSTALL) -m 755 $(bins) '$(DESTDIR)$(PREFIX)/bin'
	$(INSTALL) -m 755 $(benches) '$(DESTDIR)$(libexec)'
	$(INSTALL) -m 644 $(wildcard conf/*) '$(DESTDIR)$(share)/conf'
	for v in results/reference/*/osvec.json; do [ -f "$$v" ] || continue; n=$${v%/*}; \
		$(INSTALL) -m 644 "$$v" '$(DESTDIR)$(share)/reference/'"$${n##*/}.json"; done
	for p in $(pages); do s=$${p##*.}; $(INSTALL) -d '$(DESTDIR)$(PREFIX)/share/man/man'$$s && \
		$(INSTALL) -m 644 $$p '$(DESTDIR)$(PREFIX)/share/man/man'$$s || exit 1; done

uninstall:  ## remove what install put there
	cd '$(DESTDIR)$(PREFIX)/bin' && rm -f $(programs)
	rm -rf '$(DESTDIR)$(libexec)' '$(DESTDIR)$(share)'
	for p in $(notdir $(pages)); do rm -f '$(DESTDIR)$(PREFIX)/share/man/man'$${p##*.}/$$p; done

clean:  ## remove the build directory
	rm -rf '$(O)'

help:  ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile
	@echo "  variables: O=DIR CC= CFLAGS= PREFIX= DESTDIR= CROSS= STATIC=1 DEVELOPER=1 SAN=address,undefined"

-include $(base:.o=.d) $(json:.o=.d) $(common:.o=.d) $(benches:=.d) $(tests:=.d) $(fuzzers:=.d) $(speeds:=.d) \
	$(foreach d,$(foreach p,$(programs),$(source_$(p))),$(patsubst %.o,%.d,$(call objects,$(d))))

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all benchmarks headers format tests demo check run-check bench bench-speed selftest install uninstall clean help
