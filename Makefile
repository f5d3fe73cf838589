# selfattn: `make help` lists the targets.
VARIANT  ?= release
CFLAGS   ?= -O2 -g
# A variant is built in build/VARIANT, with these flags on top.
CFLAGS_asan     := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_coverage := -O0 --coverage
CFLAGS_fuzz     := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
FLAGS    := -std=c11 $(WARNINGS) -D_POSIX_C_SOURCE=200809L -Isrc
# One answer needs operations in the order in which they are written, and a multiply-add fused where
# the code says fma and nowhere else: these stand behind CFLAGS, whatever those ask for.
# -fno-math-errno: nobody reads errno after sqrt and fma, and without it they are calls.
EXACT    := -fno-fast-math -ffp-contract=off -fno-math-errno
LIBS     := -lcjson -lz -lm -pthread

# src/io/csv_read.c becomes $(BUILD)/src/io/csv_read.o; all but main.o goes into one archive.
BUILD    := build/$(VARIANT)
ARCHIVE  := $(BUILD)/libselfattn.a
objects   = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(1:%=%/*.c)))
OBJECTS  := $(call objects,$(wildcard src/* src/cli/*)) $(BUILD)/examples_data.o $(BUILD)/page_data.o
UNIT     := $(call objects,tests/unit tests/kernels)
COMPARE  := $(call objects,tests/ref)
WHY      := $(call objects,tests/why) $(filter-out %/compare.o,$(COMPARE))
FAULTS   := $(call objects,tests/faults)
TRACE    := $(call objects,tests/trace)
FORMATS  := $(call objects,tests/formats)
BENCH    := $(call objects,tests/bench)
NUMBERS  := $(call objects,tests/numbers)
UNIT     += $(addprefix $(BUILD)/tests/numbers/,in_list.o proof.o)
FUZZERS  := $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
# A suite is tests/NAME/run.sh or $(BUILD)/NAME; sanitize and clang run SUITES again.
PROGRAMS := $(addprefix $(BUILD)/,unit compare why $(if $(FAULTS),faults))
# What a script of tests runs beside ./selfattn.
HELPERS  := $(addprefix $(BUILD)/,trace_numbers trace_formats exponent peak)
export SUITES := $(notdir $(PROGRAMS)) cli trace formats docs numpy public safetensors
FAST      = $(SUITES) runner lint
# First those that find most, since a slow machine may not come to the last (.ci/run).
SLOW     := sanitize answer clang valgrind $(if $(FUZZERS),fuzz) packaging exponent hard memory \
	endless growth numbers coverage web fresh latex

## all: builds ./selfattn and installs nothing (the default)
all: $(BUILD)/selfattn
	@$(if $(filter release,$(VARIANT)),ln -f $< selfattn)
## demo: shows every step of seed 001's walkthrough
demo: all
	@./selfattn run --trace testdata/seeds/001-walkthrough.json
define compile
@mkdir -p $(@D); echo "  cc $< $(MORE)"
$(if $(V),,@)$(CC) $(FLAGS) $(CFLAGS) $(CFLAGS_$(VARIANT)) $(MORE) $(EXACT) -MMD -MP -c $< -o $@
endef
$(BUILD)/%.o: %.c | build/libraries
	$(compile)
$(BUILD)/%.o: $(BUILD)/%.c
	$(compile)
$(BUILD)/%.o: %.cpp
	@mkdir -p $(@D); echo "  c++ $<"
	$(if $(V),,@)$(CXX) -std=c++17 -O3 -Isrc -Itests -MMD -MP -c $< -o $@
$(BUILD)/tests/%.o: MORE = -Itests
# Kernels are compiled once for each instruction set and type: src/kernels/wide/softmax.c becomes
# $(BUILD)/src/kernels/wide/fused_F64/softmax.o.
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
ISAS_x86_64  := fused avx2 avx512
ISAS_aarch64 := neon
KERNEL_O            ?= $(if $(filter asan,$(VARIANT)),-O1,-O3)
KERNEL_FLAGS_fused  := $(KERNEL_O) -mfma -mavx2
KERNEL_FLAGS_avx2   := $(KERNEL_O) -mfma -mavx2 -DWIDE_AVX2
KERNEL_FLAGS_avx512 := $(KERNEL_O) -mfma -mavx512f -mavx512dq -mavx512vl -mavx512bw -DWIDE_AVX512
KERNEL_FLAGS_neon   := $(KERNEL_O) -DWIDE_NEON
define KERNEL_RULE
OBJECTS += $(subst /wide/,/wide/$(1)_$(2)/,$(call objects,src/kernels/wide))
$(BUILD)/src/kernels/wide/$(1)_$(2)/%.o: MORE = $(KERNEL_FLAGS_$(1)) -DISA=$(1) -DREAL_IS_$(2)
$(BUILD)/src/kernels/wide/$(1)_$(2)/%.o: src/kernels/wide/%.c
	$$(compile)
endef
$(foreach isa,scalar $(ISAS_$(MACHINE)),$(foreach real,F32 F64,$(eval $(call KERNEL_RULE,$(isa),$(real)))))
# The documents of `selfattn example`: all seeds, and those that built-in.txt names.
$(BUILD)/examples_data.c: src/cli/example/embed.sh testdata/built-in.txt $(wildcard testdata/*/*.json)
	@mkdir -p $(@D)
	@src/cli/example/embed.sh testdata/built-in.txt testdata/seeds/*.json >$@.new && mv $@.new $@
# The style and the script of the page that a trace becomes.
PAGE := src/render/page/page.css $(addprefix src/render/page/,$(addsuffix .js,\
	numbers texts origins arithmetic cells tables panel steps tokens typed exercise print start))
$(BUILD)/page_data.c: src/render/page/embed.sh $(PAGE)
	@mkdir -p $(@D)
	@src/render/page/embed.sh $(PAGE) >$@.new && mv $@.new $@
$(ARCHIVE): $(OBJECTS)
	@rm -f $@
	@$(AR) rcs $@ $^
$(BUILD)/selfattn: $(BUILD)/main.o
# The proof of one answer needs no library but the C compiler's own, so any cross compiler builds it.
ANSWER   := $(call objects,tests/answer) $(filter $(addprefix $(BUILD)/src/,base/% tensor/% compare/% \
	kernels/% attn/%),$(OBJECTS)) \
	$(patsubst %,$(BUILD)/tests/ref/%.o,dice ref_describe ref_number ref_random \
	ref_random_masks ref_select ref_sizes spoil subject words_seen)
$(BUILD)/answer: $(ANSWER)
	@$(CC) $(CFLAGS) $(CFLAGS_$(VARIANT)) $(LDFLAGS) $^ -lm -pthread -o $@
$(BUILD)/unit: $(UNIT)
# With a C++ compiler, the proof of numbers asks its library too.
TO_CHARS := $(if $(shell command -v $(CXX)),$(BUILD)/tests/numbers/to_chars.o)
$(BUILD)/numbers: LIBS += $(if $(TO_CHARS),-lstdc++)
$(BUILD)/numbers: $(NUMBERS) $(TO_CHARS)
$(BUILD)/bench_text: LIBS += -lstdc++
$(BUILD)/bench_text: $(BUILD)/tests/bench/text.o $(BUILD)/tests/bench/text_own.o
$(BUILD)/compare: $(COMPARE)
$(BUILD)/why: $(WHY)
$(BUILD)/trace_numbers: $(TRACE)
$(BUILD)/trace_formats: $(FORMATS)
$(BUILD)/bench: $(BENCH)
$(BUILD)/exponent: $(call objects,tests/exponent)
$(BUILD)/peak: $(call objects,tests/memory)
# A function that these tests define as __wrap_NAME takes the place of NAME.
$(BUILD)/faults $(BUILD)/unit: LDFLAGS += $(shell sed -n \
	's/^[^=;]*\b__wrap_\([a-z0-9_]*\).*/-Wl,--wrap=\1/p' tests/$(@F)/*.c | sort -u)
$(BUILD)/faults: $(FAULTS)
$(FUZZERS): LDFLAGS += -fsanitize=fuzzer
$(FUZZERS): $(BUILD)/%: $(BUILD)/tests/fuzz/%.o
$(BUILD)/selfattn $(PROGRAMS) $(HELPERS) $(FUZZERS) $(addprefix $(BUILD)/,bench bench_text numbers): \
	$(ARCHIVE)
	@$(CC) $(CFLAGS) $(CFLAGS_$(VARIANT)) $(LDFLAGS) $(filter %.o,$^) $(ARCHIVE) $(LIBS) -o $@

## check: runs the tests, in about a minute; CASE=WORD picks some by name
check: programs
	@BUILD=$(BUILD) tests/run.sh $(if $(CASE),unit cli,$(FAST))
## check-all: runs the slow suites too, and installs what they need
check-all: programs
	@BUILD=$(BUILD) JOBS=2 tests/run.sh $(FAST) $(SLOW) "compare 10000 2"
## SUITE: runs one of unit, compare, why, faults, cli, runner, lint, packaging, sanitize, valgrind, …
unit compare why faults: %: $(BUILD)/%
$(filter-out $(notdir $(PROGRAMS)),$(FAST)) $(SLOW): $(BUILD)/selfattn $(HELPERS)
$(FAST) $(SLOW):
	@BUILD=$(BUILD) tests/run.sh $@
## numbers: proves what is written for every 61st float32; STRIDE=1 for all of them
## check-web: opens pages of traces in a browser, with playwright-core from npm
check-web: web
## check-fresh: runs the README's own lines in a new Debian, as root
check-fresh: fresh
programs: $(BUILD)/selfattn $(PROGRAMS) $(HELPERS)
# Only targets that promise a whole set-up install what is missing; the others say how to.
build/libraries:
	@mkdir -p build
	@tests/need.sh $(if $(filter demo check% $(FAST) $(SLOW),$(MAKECMDGOALS)),,-n) \
		libcjson-dev zlib1g-dev
	@touch $@

## bench: measures against rivals that are installed; WORK=WORD picks rows (tests/bench/README.md)
bench: $(BUILD)/bench $(BUILD)/bench_onednn
	@$(BUILD)/bench $(if $(WORK),"$(WORK)")
## bench-text: reads and writes matrices as text, beside fast_float, cJSON and the C++ library
bench-text:
	@tests/need.sh libfast-float-dev
	@$(MAKE) -s $(BUILD)/bench_text
	@$(BUILD)/bench_text
$(BUILD)/bench_onednn: tests/bench/onednn.cpp
	@$(CXX) -O2 $< -ldnnl -o $@ 2>$@.log || echo "  no oneDNN here to build with"

PREFIX   ?= /usr/local
DEST      = $(DESTDIR)$(PREFIX)
BASH_DIR  = $(DEST)/share/bash-completion/completions
ZSH_DIR   = $(DEST)/share/zsh/site-functions
VERSION   = $(shell sed -n 's/.*SELFATTN_VERSION "\(.*\)"/\1/p' src/cli/version.h)
## install: puts program, manual and completions below PREFIX (/usr/local), inside DESTDIR
install: all
	mkdir -p $(DEST)/bin $(BASH_DIR) $(ZSH_DIR)
	install -m 755 $(BUILD)/selfattn $(DEST)/bin
	for page in $(MANUAL); do \
		install -D -m 644 man/$$page $(DEST)/share/man/man$${page##*.}/$$page || exit; done
	$(BUILD)/selfattn help --completion bash >$(BASH_DIR)/selfattn
	$(BUILD)/selfattn help --completion zsh >$(ZSH_DIR)/_selfattn
## dist: packs what git has at HEAD, always as the same bytes
dist:
	@mkdir -p build
	git archive --prefix=selfattn-$(VERSION)/ HEAD | gzip -n9 >build/selfattn-$(VERSION).tar.gz
## format: lays the sources out as .clang-format says
format:
	@clang-format -i main.c $(wildcard src/*/*.[ch] src/*/*/*.[ch] tests/*/*.[ch])
MANUAL    = $(notdir $(wildcard man/*.[1-9]))
## man: writes the tables into the pages of man/
man: all
	for page in $(MANUAL); do PATH="$(CURDIR)/$(BUILD):$$PATH" tests/docs/man.sh $$page \
		>$(BUILD)/$$page && cp $(BUILD)/$$page man/$$page || exit; done
## clean: removes what was built
clean:
	rm -rf build selfattn
## help: prints this list
help:
	@sed -n 's/^## /make /p' Makefile | awk -F': ' '{ printf "%-16s %s\n", $$1, $$2 }'
.PHONY: all demo check check-all check-fresh check-web programs bench bench-text install dist \
	format man clean help $(FAST) $(SLOW)
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
