# The loop as a makefile: each round of each task is a file, so that make goes on
# exactly where it was interrupted, and make -j takes several tasks at once.
#
#   make -f loop.mk MODEL=openai:NAME [OUT=out/loop] [TASKS="flip softmax"]
#           [PRESET=compute-bound|memory-bound|control-flow|./MINE] [WIDTH=16] [DEPTH=5]
#           [KEEP=3] [CHILDREN=3] [REPAIRS=1]
#
# A larger DEPTH deepens what is there. GEAK_TASK, GEAK_GEN, GEAK_EVAL, GEAK_REFLECT,
# GEAK_OPT and GEAK_TOP are the commands of the stages, for more options or another
# program. Statuses are make's own: 2 when a stage failed or a record became an error/1.

PIPELINES := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
# Messages begin with $0, which is the shell's here.
LIB := BASH_ARGV0=loop.mk; . $(PIPELINES)/lib.sh
SHELL := /bin/bash

MODEL ?= $(GEAK_MODEL)
OUT := out/loop
WIDTH := 16
DEPTH := 5
KEEP := 3
CHILDREN := 3
REPAIRS := 1
ifdef PRESET
PRESET_FILE := $(if $(findstring /,$(PRESET)),,$(PIPELINES)/presets/)$(PRESET)
ifeq ($(wildcard $(PRESET_FILE)),)
$(error PRESET: there is no preset $(PRESET) (compute-bound, memory-bound, control-flow))
endif
include $(PRESET_FILE)
endif
GEAK_TASK ?= geak-task
TASKS := $(shell $(LIB); $(GEAK_TASK) | jq -r .id)

# number NAME LEAST
number = $(if $(shell [[ "$($1)" =~ ^[0-9]{1,4}$$ ]] && [ "$($1)" -ge $2 ] && echo yes),,\
	$(error $1 takes a whole number, at least $2, not '$($1)'))
$(foreach v,WIDTH KEEP CHILDREN,$(call number,$v,1))
$(foreach v,DEPTH REPAIRS,$(call number,$v,0))
ifeq ($(MODEL),)
$(error no model: say which with MODEL= or in GEAK_MODEL; see geak-gen(1))
endif
export GEAK_MODEL := $(MODEL)
export OUT WIDTH KEEP CHILDREN REPAIRS

NUMBERS := $(shell seq -f %02.0f 0 $(DEPTH))
ROUNDS := $(foreach t,$(TASKS),$(NUMBERS:%=$(OUT)/$t/round-%.jsonl))

.PHONY: all claim FORCE
.SECONDARY: $(TASKS:%=$(OUT)/%/task.jsonl)
all: $(ROUNDS)
	@$(LIB); finish $(ROUNDS)

claim:
	@mkdir -p $(OUT); $(LIB); claim_run OUT=

# Written anew only when the task has changed; what came of the old one is then out of date.
$(OUT)/%/task.jsonl: FORCE | claim
	@mkdir -p $(@D); $(LIB); rm -f $@.new; whole $@.new stage $(GEAK_TASK) $*; \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(OUT)/%/round-00.jsonl: $(OUT)/%/task.jsonl
	@rm -f $@; $(LIB); say "$*: round 0"; whole $@ seed $<; show_best $@

# round PREVIOUS NUMBER
define round
$(OUT)/%/round-$2.jsonl: $(OUT)/%/round-$1.jsonl
	@rm -f $$@; $(LIB); say "$$*: round $2 of $(DEPTH)"; whole $$@ deepen $$<; show_best $$@
endef
$(foreach n,$(filter-out 00,$(NUMBERS)),$(eval $(call round,$(shell printf %02d $$((10#$n - 1))),$n)))
