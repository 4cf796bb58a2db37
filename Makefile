# geak: from a sentence to a verified kernel.
#
#   make setup     what the build and the tests need (Debian packages, .venv)
#   make           build the tools into build/$(BUILD)/
#   make demo      set up, build, run the loop on three tasks
#   make check     set up, build, run every test
#   make check-exploits   the ways to fool the judge, and their honest twins, a line each
#   make check-litellm    the models' tools against a LiteLLM proxy, which it installs (760 MB)
#   make bench     measure geak-eval and geak-gen against their targets: BENCH="eval-cpu eval-soak" for some
#   make check-gpu    what only a GPU shows; make bench-gpu how well kernels are timed on it
#   make lint      clang-tidy, shellcheck and mandoc over the sources
#   make install   PREFIX= and DESTDIR= as usual; make uninstall takes it away
#
# BUILD=release|asan|cov|fuzz   PYTHON=/their/venv/bin/python   CC=gcc|clang   V=1

BUILD   ?= release
PREFIX  ?= /usr/local
VERSION := 0.1.0

O := build/$(BUILD)

# The Python that geak-eval embeds. Ours unless another is named, which is then
# used as it is; a bare name is looked up once, here.
OWN_PYTHON := $(CURDIR)/.venv/bin/python
PYTHON ?= $(OWN_PYTHON)
ifneq ($(PYTHON),$(OWN_PYTHON))
override PYTHON := $(or $(shell "$(PYTHON)" -c 'import sys; print(sys.executable)' 2>/dev/null),$(PYTHON))
endif

TOOLS := $(patsubst tools/%.c,%,$(wildcard tools/geak-*.c))
LAYERS := ground records outside domain
LIB_SRC := $(foreach l,$(LAYERS),$(wildcard lib/$(l)/*.c))
# What needs a library that not every tool has stays out of the archive, so that
# geak-eval builds where there is no libcurl, and the others where there is no Python.
HTTP_OBJ := $(patsubst %.c,$(O)/%.o,$(wildcard lib/outside/http*.c))
PY_OBJ := $(patsubst %.c,$(O)/%.o,$(wildcard lib/outside/py.c))
STORE_OBJ := $(patsubst %.c,$(O)/%.o,$(wildcard lib/outside/store*.c))
LIB_OBJ := $(filter-out $(HTTP_OBJ) $(PY_OBJ) $(STORE_OBJ),$(LIB_SRC:%.c=$(O)/%.o))
UNIT_SRC := $(wildcard tests/unit/*.c)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(O)/unit/%)
FUZZ_SRC := $(filter-out tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c))
FUZZ_BIN := $(FUZZ_SRC:tests/fuzz/%.c=$(O)/fuzz/%)
HELPER_SRC := $(wildcard tests/helper/*.c)
HELPER_BIN := $(HELPER_SRC:tests/helper/%.c=$(O)/helper/%)

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wcast-qual -Wwrite-strings -Wvla -Wformat=2 -Wundef
CFLAGS_release := -O2 -g -D_FORTIFY_SOURCE=2 -fstack-protector-strong
CFLAGS_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer -DGEAK_ASAN
CFLAGS_cov := -O0 -g --coverage
CFLAGS_fuzz := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer
LDFLAGS_asan := -fsanitize=address,undefined
LDFLAGS_cov := --coverage
LDFLAGS_fuzz := -fsanitize=address,undefined
ifeq ($(filter $(BUILD),release asan cov fuzz),)
$(error BUILD=$(BUILD) is none of release, asan, cov and fuzz)
endif
ifeq ($(BUILD),fuzz)
CC := clang
endif

ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(WARN) $(CFLAGS_$(BUILD)) -Ilib -I$(O) -MMD -MP $(CFLAGS)
ALL_LDFLAGS = -Wl,--as-needed $(LDFLAGS_$(BUILD)) $(LDFLAGS)
LIBS := -lcjson -lunistring -lcrypto -lpthread -lm

# What only some tools link.
OBJ_geak-eval := $(PY_OBJ) $(STORE_OBJ)
LIBS_geak-eval = -lseccomp $(PY_LIBS) -lsqlite3
OBJ_geak-gen := $(HTTP_OBJ) $(STORE_OBJ)
LIBS_geak-gen := -lcurl -lsqlite3
OBJ_geak-reflect := $(OBJ_geak-gen)
LIBS_geak-reflect := $(LIBS_geak-gen)
OBJ_geak-opt := $(OBJ_geak-gen)
LIBS_geak-opt := $(LIBS_geak-gen)

.PHONY: all setup check check-quick check-build build-tests demo lint install uninstall clean FORCE $(TOOLS)
all: $(TOOLS)
$(TOOLS): %: $(O)/%

# -- files that change only when what they say does

define if_changed
	@cmp -s $@.tmp $@ && rm $@.tmp || mv $@.tmp $@
endef

$(O)/version.h: FORCE
	@mkdir -p $(@D)
	@printf '#define GEAK_VERSION "%s"\n#define GEAK_COMMIT "%s"\n' '$(VERSION)' \
		"$$(git -C $(CURDIR) describe --always --dirty --exclude '*' 2>/dev/null || echo unknown)" > $@.tmp
	$(if_changed)
$(O)/lib/ground/cli.o: $(O)/version.h

# What compiled the objects: another compiler or other flags make them anew.
$(O)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)' > $@.tmp
	$(if_changed)

# How the interpreter is linked: its own sysconfig is asked, nothing else.
$(O)/python.mk: FORCE
	@mkdir -p $(@D)
	@{ echo '# $(PYTHON)'; if [ -x '$(PYTHON)' ]; then '$(PYTHON)' -I lib/harness/linkflags.py; else \
		echo 'PY_ERROR := geak-eval embeds a Python that has torch and triton, and $(PYTHON) is' \
		'not there; run make setup, or name one of yours with make PYTHON='; fi; } > $@.tmp
	$(if_changed)
ifeq ($(filter setup clean uninstall lint,$(MAKECMDGOALS)),)
-include $(O)/python.mk
endif

$(PY_OBJ): ALL_CFLAGS += $(PY_CFLAGS) -DGEAK_PYTHON='"$(PYTHON)"'
$(PY_OBJ) $(O)/geak-eval: $(O)/python.mk

# Else each zygote would compile it anew, which writes nothing. Not for the sake of which a build fails.
compile_harness = $(if $(PY_ERROR),,umask 022; '$(PYTHON)' -I -m compileall -q $(1)/geak_harness || true)
$(O)/harness: $(wildcard lib/harness/geak_harness/*.py) $(O)/python.mk
	@$(call compile_harness,lib/harness)
	@touch $@
$(O)/geak-eval: | $(O)/harness

# -- objects and programs: a short line each; V=1 shows the whole command

V ?= 0
short = $(if $(filter 0,$(V)),@printf '  %-4s %s\n' $(1) $(2); )

$(O)/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(if $(and $(filter $@,$(PY_OBJ)),$(PY_ERROR)),@echo "$(PY_ERROR)" >&2; exit 1)
	$(call short,CC,$<)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(O)/libgeak.a: $(LIB_OBJ)
	@rm -f $@
	$(call short,AR,$@)$(AR) rc $@ $^

# For tests, which may want them or not.
$(O)/libgeak-extra.a: $(HTTP_OBJ) $(STORE_OBJ)
	@rm -f $@
	$(call short,AR,$@)$(AR) rc $@ $^

.SECONDEXPANSION:
$(O)/geak-%: $(O)/tools/geak-%.o $$(OBJ_geak-%) $(O)/libgeak.a
	$(call short,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS_geak-$*) $(LIBS)

TEST_LIBS := $(O)/libgeak.a $(O)/libgeak-extra.a
link_test = @mkdir -p $(@D); $(if $(filter 0,$(V)),printf '  %-4s %s\n' LD $@,set -x); \
	$(CC) $(1) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) -Wl,--start-group $(TEST_LIBS) -Wl,--end-group \
	-lcmocka -lcurl -lseccomp -lsqlite3 $(LIBS)

$(O)/unit/%: $(O)/tests/unit/%.o $(TEST_LIBS)
	$(link_test)

# Small programs that command tests call.
$(O)/helper/%: $(O)/tests/helper/%.o $(TEST_LIBS)
	$(link_test)

# The vendors' libraries for machines without a GPU: a HIP runtime as of version 6 and of version
# 5, and what tells a GPU's state.
STUBS := $(patsubst %,$(O)/stub/%.so,libamdhip64 libamdhip64-old libnvidia-ml libamd_smi)
$(O)/stub/libamdhip64.so $(O)/stub/libamdhip64-old.so: tests/stub/hip.c
$(O)/stub/libamdhip64-old.so: STUB_FLAGS := -DSTUB_OLD
$(O)/stub/libnvidia-ml.so: tests/stub/nvml.c
$(O)/stub/libamd_smi.so: tests/stub/amdsmi.c
$(STUBS): $(wildcard lib/outside/*.def) $(O)/flags
	@mkdir -p $(@D)
	$(call short,LD,$@)$(CC) $(ALL_CFLAGS) $(STUB_FLAGS) -fPIC -shared $(ALL_LDFLAGS) -o $@ $(filter %.c,$^)

# A fuzz target is an ordinary test elsewhere: replay.c feeds it its corpus.
ifeq ($(BUILD),fuzz)
$(O)/fuzz/%: $(O)/tests/fuzz/%.o $(TEST_LIBS)
	$(call link_test,-fsanitize=fuzzer)
else
$(O)/fuzz/%: $(O)/tests/fuzz/%.o $(O)/tests/fuzz/replay.o $(TEST_LIBS)
	$(link_test)
endif

.SECONDARY: $(foreach s,$(UNIT_SRC) $(HELPER_SRC) $(FUZZ_SRC) tests/fuzz/replay.c,$(O)/$(s:.c=.o)) \
	$(TOOLS:%=$(O)/tools/%.o)

build-tests: $(UNIT_BIN) $(FUZZ_BIN) $(HELPER_BIN) $(STUBS)

clean:
	rm -rf build

-include $(patsubst %.c,$(O)/%.d,$(LIB_SRC) $(TOOLS:%=tools/%.c) $(UNIT_SRC) $(HELPER_SRC) $(FUZZ_SRC) \
	tests/fuzz/replay.c)

# -- setting up: fast when everything is there

setup:
	@lib/setup/debian.sh build check
ifeq ($(PYTHON),$(OWN_PYTHON))
	@lib/setup/venv.sh .venv
endif

# -- tests: `make check`, or `make check-quick` when everything is set up.
# A command test with a line "# slow" is left out where the same code has had it
# once already, in the second, sanitized round of `make check`; and it goes first,
# so that the others run beside it.

PROVE_JOBS ?= 2
CLI_TESTS := $(sort $(wildcard tests/cli/*.t tests/exploits/*.t))
SLOW_TESTS = $(if $(CLI_TESTS),$(shell grep -lx '\# slow.*' $(CLI_TESTS)))
TEST_FILES = $(SLOW_TESTS) $(filter-out $(SLOW_TESTS),$(CLI_TESTS)) $(UNIT_BIN) $(FUZZ_BIN)
prove = BUILD=$(BUILD) PYTHON=$(PYTHON) ROOT=$(CURDIR) CMOCKA_MESSAGE_OUTPUT=TAP \
	prove --timer -j$(PROVE_JOBS) --exec ''

check-quick: all build-tests
	$(prove) $(TEST_FILES)
check-short: all build-tests
	$(prove) $(filter-out $(SLOW_TESTS),$(TEST_FILES))
check-exploits: all
	$(prove) -v tests/exploits/run.t
check: setup
	@$(MAKE) --no-print-directory check-quick
ifeq ($(BUILD),release)
	@$(MAKE) --no-print-directory check-short BUILD=asan
endif
# Too large for everybody's environment: one of its own.
check-litellm: setup
	@$(MAKE) --no-print-directory all
	@cmp -s tests/litellm-requirements.txt build/litellm/made-from.txt || { \
		$(PYTHON) -m venv --clear build/litellm && \
		build/litellm/bin/python -m pip install --disable-pip-version-check --no-input --progress-bar off \
			-r tests/litellm-requirements.txt && \
		cp tests/litellm-requirements.txt build/litellm/made-from.txt; }
	$(prove) tests/cli/litellm.t
.PHONY: check-short check-exploits check-litellm

# The slow ones can be made shorter, see the top of each: BENCH_SOAK=500 make bench BENCH=eval-soak
bench: all
	@BUILD=$(BUILD) PYTHON=$(PYTHON) tests/bench/run.sh $(BENCH)
check-gpu: geak-eval geak-task
	$(prove) -v tests/gpu/check.sh
# RATE=candidates.jsonl: of a suite, judged beside a process each
bench-gpu: geak-eval
	@PATH="$(CURDIR)/$(O):$$PATH" PYTHON=$(PYTHON) tests/gpu/bench.sh$(if $(RATE), && PATH="$(CURDIR)/$(O):$$PATH" PYTHON=$(PYTHON) tests/gpu/rate.sh $(RATE))
.PHONY: bench check-gpu bench-gpu

demo: setup
	@$(MAKE) --no-print-directory all
	@pipelines/demo.sh

# Not asked: names that a sourced file sets or uses, and words that look like a mistake (">dot", "1,").
SHELL_FILES = .ci/run $(wildcard lib/setup/*.sh pipelines/*.sh tests/*.sh tests/bench/*.sh \
	tests/bench/eval-* tests/bench/gen* tests/gpu/*.sh) $(CLI_TESTS)
lint: $(O)/version.h
	@lib/setup/debian.sh build check lint
	shellcheck -s bash -S warning -e SC1091,SC2034,SC2154,SC2238,SC2258 $(SHELL_FILES)
	$(if $(wildcard man/*.[1-9]),mandoc -T lint -W warning man/*.[1-9])
	clang-tidy --quiet $(filter-out %/py.c %/err.c,$(LIB_SRC)) $(TOOLS:%=tools/%.c) -- \
		-std=c11 -D_GNU_SOURCE -Ilib -I$(O)

# -- installing: PREFIX/bin/geak-X finds PREFIX/share/geak beside itself

SHARE := $(DESTDIR)$(PREFIX)/share
DATA = $(wildcard prompts tasks pipelines lib/harness man/*.json)
SECTIONS := 1 5 7

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/geak
	install -m 755 $(TOOLS:%=$(O)/%) $(DESTDIR)$(PREFIX)/bin
	tar -cf - --exclude=__pycache__ --mode='u+rw,go-w,a+rX' $(DATA) | \
		tar -C $(SHARE)/geak -xf - --no-same-owner
	$(call compile_harness,$(SHARE)/geak/lib/harness)
	for s in $(SECTIONS); do \
		install -d $(SHARE)/man/man$$s && install -m 644 man/*.$$s $(SHARE)/man/man$$s || exit; done

uninstall:
	rm -f $(TOOLS:%=$(DESTDIR)$(PREFIX)/bin/%)
	rm -f $(foreach s,$(SECTIONS),$(patsubst man/%,$(SHARE)/man/man$s/%,$(wildcard man/*.$s)))
	rm -rf $(SHARE)/geak
