# selfattn: `make help` lists the targets. Rules of one folder are its rules.mk.
VARIANT  ?= release
CFLAGS   ?= -O2
# A variant is built in build/VARIANT, with these flags on top.
CFLAGS_asan     := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer -fno-pie -no-pie -DNO_SANDBOX
CFLAGS_tsan     := -O1 -g -fsanitize=thread -DNO_SANDBOX
CFLAGS_coverage := --coverage -fprofile-update=atomic -fdata-sections -DNDEBUG
CFLAGS_counted  := -fsanitize-coverage=trace-pc
CFLAGS_swift    := -g -fsanitize=fuzzer-no-link,undefined -fno-sanitize-recover=all \
	-fno-sanitize-coverage=trace-cmp
CFLAGS_fuzz     := $(CFLAGS_swift) -fsanitize=address
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
FLAGS    := -std=c11 $(WARNINGS) -D_POSIX_C_SOURCE=200809L -Isrc -Itests
include packaging/machines.mk
# One answer needs operations in the order in which they are written, each rounded to its type, and a
# multiply-add fused where the code says fma and nowhere else: these come after CFLAGS, whatever
# those ask for. -fno-math-errno: nobody reads errno after sqrt and fma, and without it they are
# calls.
EXACT    := -fno-fast-math -ffp-contract=off -fno-math-errno $(EXACT_$(MACHINE))
# Hardened as far as the compiler goes, which is asked once. Variants have their own guards.
HARDEN   := -fPIE -fstack-protector-strong -fstack-clash-protection -fcf-protection \
	-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -ffile-prefix-map=$$PWD=. -Wl,-z,relro,-z,now \
	$(if $(findstring -static,$(LDFLAGS)),,-pie)

# All processors, unless -j says otherwise; what is removed first is not built at the same time.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS := $(if $(filter clean,$(MAKECMDGOALS)),,-j$(shell getconf _NPROCESSORS_ONLN)) $(MAKEFLAGS)
endif

# src/io/csv_read.c becomes $(BUILD)/src/io/csv_read.o.
BUILD    := build/$(VARIANT)
objects   = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(1:%=%/*.c)))
OBJECTS  := $(call objects,$(wildcard src/* src/attn/* src/cli/*))
INSTEAD  := $(if $(ALONE),$(call objects,packaging $(INSTEAD_$(HOST))))
HARDENED := $(if $(CFLAGS_$(VARIANT)),,$(shell CC='$(CC) $(LINK_$(HOST))' CFLAGS='$(CFLAGS)' \
	packaging/hardening.sh $(BUILD)/hardened '$(HARDEN)'))
MANUAL   := $(patsubst man/%.in,build/man/%,$(wildcard man/*.in))

## all: builds ./selfattn and installs nothing (the default)
all: $(BUILD)/selfattn man
	@$(if $(filter release,$(VARIANT)),ln -f $< selfattn)
## demo: shows every step of seed 001's walkthrough
demo: all
	@./selfattn run --trace testdata/seeds/001-walkthrough.json
	@echo; ./selfattn --help | sed -n \
		'/^Where/,$${ s|^  self|./self|; s/| selfattn --trace  /| .\/selfattn --trace/; p; }'
## lecture: makes an example of a whole lecture in build/lecture, from its pages to the marks
lecture: all
	@PATH="$$PWD/$(BUILD):$$PATH" sh testdata/lectures/self-attention/lecture.sh build/lecture
include $(wildcard src/*/rules.mk tests/rules.mk tests/*/rules.mk)

# Rooms in which no run spends its time are compiled in half the time.
CALM     := $(if $(filter file,$(origin CFLAGS)),-O1)
$(foreach room,cli trace render why weights,$(BUILD)/src/$(room)/%.o): MORE = $(CALM)
COMMAND   = $(CC) $(FLAGS) $(FLAGS_$(HOST)) $(filter-out -Wl% -pie,$(HARDENED)) $(CFLAGS) $(MORE) $(CFLAGS_$(VARIANT)) $(EXACT) -MMD -MP
# Changes when a command does, or a header that stands in for a system's, and with it everything is
# built again.
LACKING  := $(if $(INSTEAD_$(HOST)),$(wildcard $(INSTEAD_$(HOST))/*.h $(INSTEAD_$(HOST))/*/*.h))
STAMP    := $(COMMAND) $(CALM) $(KERNEL_O) $(LDFLAGS)
$(BUILD)/flags: always | build/libraries
	@mkdir -p $(sort $(@D) $(dir $(OBJECTS)) $(patsubst %,$(BUILD)/%,packaging $(INSTEAD_$(HOST)) $(wildcard tests/*/)))
	@{ $(CC) --version | sed q; echo '$(STAMP)'; cat /dev/null $(LACKING) | cksum; } >$@.new
	@cmp -s $@.new $@ || cp $@.new $@
define link
@$(CC) $(HARDENED) $(CFLAGS) $(CFLAGS_$(VARIANT)) $(LDFLAGS) $(filter %.o,$^) $(LIBS) -o $@
endef
define compile
$(info $()  cc $< $(MORE))
$(if $(V),,@)$(COMMAND) $(WERROR) -c $< -o $@
endef
$(BUILD)/%.o: %.c $(BUILD)/flags
	$(compile)
$(BUILD)/%.o: $(BUILD)/%.c $(BUILD)/flags
	$(compile)
$(BUILD)/%.o: %.cpp $(BUILD)/flags
	$(info $()  c++ $<)
	$(if $(V),,@)$(CXX) -std=c++17 -O3 -Isrc -Itests -MMD -MP -c $< -o $@
$(BUILD)/selfattn: $(BUILD)/main.o $(OBJECTS) $(INSTEAD)
	$(link)

# Only targets that promise a whole set-up install what is missing; the others say how to.
build/libraries:
	@mkdir -p build
	@tests/need.sh $(if $(filter demo check% $(FAST) $(SLOW),$(MAKECMDGOALS)),,-n) \
		libcjson-dev zlib1g-dev
	@touch $@

PREFIX   ?= /usr/local
DEST      = $(DESTDIR)$(PREFIX)
VERSION   = $(shell sed -n 's/.*SELFATTN_VERSION "\(.*\)"/\1/p' src/cli/version.h)
## install: puts program, manual and completions below PREFIX (/usr/local), inside DESTDIR
install: all
	install -D -m 755 $(BUILD)/selfattn $(DEST)/bin/selfattn
	for page in $(MANUAL); do \
		install -D -m 644 -t $(DEST)/share/man/man$${page##*.} $$page || exit; done
	mkdir -p $(DEST)/share/bash-completion/completions $(DEST)/share/zsh/site-functions \
		$(DEST)/share/fish/vendor_completions.d
	$(BUILD)/selfattn help --completion bash >$(DEST)/share/bash-completion/completions/selfattn
	$(BUILD)/selfattn help --completion zsh >$(DEST)/share/zsh/site-functions/_selfattn
	$(BUILD)/selfattn help --completion fish >$(DEST)/share/fish/vendor_completions.d/selfattn.fish
include packaging/rules.mk
## format: lays the sources out as .clang-format says
format:
	@clang-format -i main.c $(wildcard src/*/*.[ch] src/*/*/*.[ch] tests/*/*.[ch] \
		packaging/*.c $(wildcard packaging/*/*.[ch] packaging/*/sys/*.h))
## man: makes the manual's pages in build/man, from man/ and the program's tables
man: $(MANUAL)
build/man/%: man/%.in $(BUILD)/selfattn
	@mkdir -p $(@D)
	@awk '/^\.TH/ { sub("@VERSION@", version) } \
		{ print } sub(/^\.\\" generated: /, "") { fflush(); if (system(at $$0)) exit 1 }' \
		at=$(BUILD)/ version=$(VERSION) $< >$@.new && mv $@.new $@
## clean: removes what was built
clean:
	rm -rf build selfattn
## help: prints this list
help:
	@for file in Makefile packaging/rules.mk tests/rules.mk tests/*/rules.mk; do \
		case $$file in \
		Makefile) echo 'Build' ;; packaging*) echo; echo 'Ship' ;; \
		tests/rules*) echo; echo 'Test' ;; tests/bench*) echo; echo 'Measure' ;; \
		esac; \
		awk -F': ' 'sub(/^## /, "  make ") { printf "%-18s %s\n", $$1, $$2 }' $$file; done
.PHONY: all demo lecture install format man clean help always
-include $(wildcard $(BUILD)/*.d $(BUILD)/*/*/*.d $(BUILD)/*/*/*/*.d)
