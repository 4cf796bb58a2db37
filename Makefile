# geak: from a sentence to a verified kernel.
#
#   make setup     what the build and the tests need (Debian packages, .venv)
#   make           build the tools into build/$(BUILD)/
#   make demo      set up, build, run the loop on three tasks
#   make check     set up, build, run every test
#   make install   PREFIX= and DESTDIR= as usual
#
# BUILD=release|asan|cov|fuzz   PYTHON=/their/venv/bin/python   CC=gcc|clang

BUILD   ?= release
PREFIX  ?= /usr/local
PYTHON  ?= $(CURDIR)/.venv/bin/python
VERSION := 0.1.0

O := build/$(BUILD)

TOOLS := $(patsubst tools/%.c,%,$(wildcard tools/geak-*.c))
LAYERS := ground records outside domain
LIB_SRC := $(foreach l,$(LAYERS),$(wildcard lib/$(l)/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o)
UNIT_SRC := $(wildcard tests/unit/*.c)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(O)/unit/%)
FUZZ_SRC := $(filter-out tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c))
FUZZ_BIN := $(FUZZ_SRC:tests/fuzz/%.c=$(O)/fuzz/%)
HELPER_SRC := $(wildcard tests/helper/*.c)
HELPER_BIN := $(HELPER_SRC:tests/helper/%.c=$(O)/helper/%)

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wcast-qual -Wwrite-strings -Wvla -Wformat=2 -Wundef
CFLAGS_release := -O2 -g -D_FORTIFY_SOURCE=2 -fstack-protector-strong
CFLAGS_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
CFLAGS_cov := -O0 -g --coverage
CFLAGS_fuzz := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer
LDFLAGS_asan := -fsanitize=address,undefined
LDFLAGS_cov := --coverage
LDFLAGS_fuzz := -fsanitize=address,undefined
ifeq ($(BUILD),fuzz)
CC := clang
endif

ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(WARN) $(CFLAGS_$(BUILD)) -Ilib -I$(O) -MMD -MP $(CFLAGS)
ALL_LDFLAGS = -Wl,--as-needed $(LDFLAGS_$(BUILD)) $(LDFLAGS)
LIBS := -lcjson -lunistring -lcrypto -lpthread -lm

# What only some tools link: the layers above decide, the linker drops the rest.
LIBS_geak-gen := -lcurl
LIBS_geak-reflect := -lcurl
LIBS_geak-opt := -lcurl

.PHONY: all setup check demo install clean FORCE $(TOOLS)
all: $(TOOLS)
$(TOOLS): %: $(O)/%

# -- the interpreter that is embedded: its own sysconfig is asked, nothing else
$(O)/python.mk: lib/harness/linkflags.py Makefile
	@mkdir -p $(@D)
	@if [ -x "$(PYTHON)" ]; then "$(PYTHON)" lib/harness/linkflags.py > $@.tmp && mv $@.tmp $@; \
	else : > $@; fi
-include $(O)/python.mk
LIBS_geak-eval := $(PY_LIBS)

$(O)/lib/outside/py.o: ALL_CFLAGS += $(PY_CFLAGS) -DGEAK_PYTHON='"$(PYTHON)"'

# -- version.h changes only when the commit does
$(O)/version.h: FORCE
	@mkdir -p $(@D)
	@printf '#define GEAK_VERSION "%s"\n#define GEAK_COMMIT "%s"\n' '$(VERSION)' \
		"$$(git -C $(CURDIR) describe --always --dirty --exclude '*' 2>/dev/null || echo unknown)" > $@.tmp
	@cmp -s $@.tmp $@ && rm $@.tmp || mv $@.tmp $@
$(O)/lib/ground/cli.o: $(O)/version.h

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(O)/libgeak.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(O)/geak-%: $(O)/tools/geak-%.o $(O)/libgeak.a
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS_geak-$*) $(LIBS)

$(O)/unit/%: $(O)/tests/unit/%.o $(O)/libgeak.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ -lcmocka -lcurl $(LIBS)

# Small programs that command tests call.
$(O)/helper/%: $(O)/tests/helper/%.o $(O)/libgeak.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# A fuzz target is an ordinary test elsewhere: replay.c feeds it its corpus.
ifeq ($(BUILD),fuzz)
$(O)/fuzz/%: $(O)/tests/fuzz/%.o $(O)/libgeak.a
	@mkdir -p $(@D)
	$(CC) -fsanitize=fuzzer $(ALL_LDFLAGS) -o $@ $^ $(LIBS)
else
$(O)/fuzz/%: $(O)/tests/fuzz/%.o $(O)/tests/fuzz/replay.o $(O)/libgeak.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)
endif

.SECONDARY: $(UNIT_SRC:%.c=$(O)/%.o) $(HELPER_SRC:%.c=$(O)/%.o) $(FUZZ_SRC:%.c=$(O)/%.o) $(O)/tests/fuzz/replay.o $(TOOLS:%=$(O)/tools/%.o)

build-tests: $(UNIT_BIN) $(FUZZ_BIN) $(HELPER_BIN)

clean:
	rm -rf build

-include $(LIB_OBJ:.o=.d) $(TOOLS:%=$(O)/tools/%.d) $(UNIT_SRC:%.c=$(O)/%.d) $(FUZZ_SRC:%.c=$(O)/%.d)

# -- tests: `make check`, or `make check-quick` when everything is set up and built
PROVE_JOBS ?= 2
TEST_FILES = $(UNIT_BIN) $(FUZZ_BIN) $(sort $(wildcard tests/cli/*.t))
check-quick: all build-tests
	BUILD=$(BUILD) PYTHON=$(PYTHON) CMOCKA_MESSAGE_OUTPUT=TAP prove -j$(PROVE_JOBS) --exec '' $(TEST_FILES)
check: setup
	$(MAKE) check-quick
.PHONY: check-quick build-tests
