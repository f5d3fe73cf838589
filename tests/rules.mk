# The tests: their programs, and which of them run when.
#
# A suite is tests/NAME/run.sh or a program.
PROGRAMS := $(addprefix $(BUILD)/,cli unit compare why)
# What a script of tests runs next to ./selfattn.
HELPERS  := $(addprefix $(BUILD)/,faults trace_formats exponent peak values)
FAST     := cli unit compare promised formats docs numpy public model safetensors runner lint
# Of these check takes a part.
SAMPLED  := why alive trace
SLOW     := $(SAMPLED) stress sanitize screen answer faults clang valgrind fuzz web architectures \
	fresh packaging autograd contract exponent hard memory endless numbers differ schema port python \
	taps latex machines darwin
# Take long: what grows faster than its input is looked for when code that searches has changed;
# places in memory that threads share, when code that shares them has; what no test reaches, every
# compiler that Debian has, all tests on machines of other kinds, the package for Node, whose WASI is
# an experiment, and the program for Windows, before a release.
LONG     := growth tsan coverage compilers elsewhere npx wine

## check: runs the tests, in five minutes of two processors; CASE=WORD picks some by name
check: programs man
	@BUILD=$(BUILD) STRIDE=10 WHY_EVERY=10 ALIVE_EVERY=10 TRACE_EVERY=5 \
		tests/run.sh $(if $(CASE),unit cli,$(FAST) $(SAMPLED))
## check-all: runs the slow suites too, and installs what they need
check-all: programs man
	@BUILD=$(BUILD) JOBS=2 tests/run.sh $(FAST) $(SLOW) playground "compare 4000 2"
## SUITE: runs one of unit, compare, why, faults, cli, lint, packaging, sanitize, …
cli unit compare why faults: %: $(BUILD)/%
$(filter-out $(notdir $(PROGRAMS)),$(FAST)) $(SLOW) $(LONG): $(BUILD)/selfattn $(HELPERS)
$(FAST) $(SLOW) $(LONG):
	@BUILD=$(BUILD) tests/run.sh $@
docs packaging fresh: man
## numbers: proves what is written for every 61st float32; STRIDE=1 for all of them
## check-web: opens pages of traces in a browser, with playwright-core from npm
check-web: web
## check-playground: opens the page of `make playground` in browsers, with all documents
check-playground: $(BUILD)/selfattn
	@BUILD=$(BUILD) tests/run.sh playground
## check-fresh: runs the README's own lines in a new Debian, as root
check-fresh: fresh
## nightly: fuzzes for SECONDS (8 hours), then runs all that CI samples
SECONDS := 28800
nightly: programs
	@SUITE_SECONDS=$$(($(SECONDS) * 2)) FUZZ_RUNS=-1 FUZZ_SEED=$$(date +%Y%m%d) \
		FUZZ_SECONDS=$$(($(SECONDS) / $(words $(FUZZERS)))) \
		FUZZ_PROCESSES=$$(getconf _NPROCESSORS_ONLN) tests/run.sh fuzz && cat build/fuzz/report.txt && \
		BUILD=$(BUILD) DIFFER_SEED=$$(date +%Y%m%d) DIFFER_FILES=50000 tests/run.sh differ && \
		BUILD=$(BUILD) tests/run.sh $(FAST) $(SLOW) playground "compare 4000 2" npx
programs: $(BUILD)/selfattn $(PROGRAMS) $(HELPERS)
.PHONY: check check-all check-fresh check-playground check-web nightly programs $(FAST) $(SLOW) $(LONG)

$(BUILD)/cli: $(call objects,tests/cli)
$(BUILD)/unit: $(call objects,tests/unit tests/kernels) \
	$(addprefix $(BUILD)/tests/numbers/,in_list.o proof.o)
$(BUILD)/compare: $(call objects,tests/ref)
$(BUILD)/why: $(call objects,tests/why) $(filter-out %/compare.o,$(call objects,tests/ref))
$(BUILD)/faults: $(call objects,tests/faults)
$(BUILD)/trace_formats: $(call objects,tests/formats)
$(BUILD)/values: $(call objects,tests/differ)
$(BUILD)/exponent: $(call objects,tests/exponent)
$(BUILD)/peak: $(call objects,tests/memory)
# A function that tests of folder $1 define as __wrap_NAME takes the place of NAME, and of NAME64,
# which it is called where sizes of files have more bits than others.
wraps = $(shell sed -n \
	's/^[^=;]*\b__wrap_\([a-z0-9_]*\).*/-Wl,--wrap=\1,--wrap=\164,--defsym=__wrap_\164=__wrap_\1/p' \
	tests/$1/*.c | sort -u)
$(BUILD)/faults $(BUILD)/unit: LDFLAGS += $(call wraps,$(@F))
$(PROGRAMS) $(HELPERS): $(OBJECTS) $(INSTEAD)
	$(link)

# The program that counts its work (tests/growth); the counter is not a work.
ifeq ($(VARIANT),counted)
$(BUILD)/selfattn: $(BUILD)/tests/growth/work.o
$(BUILD)/selfattn: LDFLAGS += $(call wraps,growth)
$(BUILD)/tests/growth/work.o: CFLAGS_counted :=
endif

# With a C++ compiler, the proof of numbers asks its library too.
TO_CHARS := $(if $(shell command -v $(CXX)),$(BUILD)/tests/numbers/to_chars.o)
$(BUILD)/numbers: LIBS += $(if $(TO_CHARS),-lstdc++)
$(BUILD)/numbers: $(call objects,tests/numbers) $(TO_CHARS) $(OBJECTS)
	$(link)

# The proof of one answer needs no library but the C compiler's own, so any cross compiler builds it.
$(BUILD)/answer: LIBS := $(SYSTEM)
$(BUILD)/answer: $(call objects,tests/answer) $(INSTEAD) $(filter $(addprefix $(BUILD)/src/,base/% tensor/% \
	compare/% kernels/% attn/%),$(OBJECTS)) \
	$(patsubst %,$(BUILD)/tests/ref/%.o,dice ref_describe ref_number ref_random \
	ref_random_masks ref_select ref_sizes spoil subject words_seen)
	$(link)

FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
# libFuzzer looks at every counter after each input, so a target has only what it can reach.
$(BUILD)/reached.a: $(OBJECTS)
	@rm -f $@ && ar qcs $@ $^
$(FUZZERS): LDFLAGS += -fsanitize=fuzzer
$(FUZZERS): LIBS := $(BUILD)/reached.a $(LIBS)
$(FUZZERS): $(BUILD)/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/reached.a
	$(link)
