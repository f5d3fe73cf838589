# What is shipped, below build: each with its list of parts (SPDX), and the same bytes whoever builds
# it where and when.
export SOURCE_DATE_EPOCH ?= $(or $(shell grep -v F packaging/date),$(shell git log -1 --format=%ct))
DIST   := build/selfattn-$(VERSION).tar.gz
STATIC := build/selfattn-$(VERSION)-$(or $(FILE_$(HOST)),linux-$(MACHINE))
ARM64  := build/foreign/arm64/usr/lib/aarch64-linux-gnu
DEB     = build/selfattn_$(VERSION)-1_$(shell dpkg --print-architecture).deb
DOC    := build/selfattn-doc_$(VERSION)-1_all.deb

## dist: packs what git has at HEAD, always as the same bytes
dist:
	@mkdir -p build
	git archive --prefix=selfattn-$(VERSION)/ HEAD | gzip -n9 >$(DIST)
	@packaging/sbom.sh $(DIST)
## static: builds one file that runs on any Linux of this architecture, and needs no library
static: $(STATIC)
	@packaging/sbom.sh $<
$(STATIC): $(BUILD)/main.o $(OBJECTS) $(sort $(BUILD)/packaging/cjson.o $(INSTEAD))
	@$(CC) $(filter-out -pie,$(HARDENED)) $(CFLAGS) $(if $(ALONE),,-static-pie) -s $(filter %.o,$^) \
		$(filter-out -lcjson,$(LIBS)) -o $@
## static-arm64: builds such a file for 64-bit Arm
static-arm64: $(ARM64)/libz.a | build/libraries
	@tests/need.sh gcc-aarch64-linux-gnu libc6-dev-arm64-cross
	@$(MAKE) VARIANT=arm64 CC=aarch64-linux-gnu-gcc LIBS='$< -lm -pthread' static
$(ARM64)/libz.a:
	@packaging/foreign.sh arm64 build/foreign/arm64 zlib1g-dev
## wasm: builds one file that runs in whatever runs WebAssembly with files (WASI)
wasm: | build/libraries
	@tests/need.sh clang lld wasi-libc libclang-rt-dev-wasm32
	@$(MAKE) VARIANT=wasm CC='clang --target=wasm32-wasi' static
## windows: builds one file that runs on 64-bit Windows, and needs no library
windows: | build/libraries
	@tests/need.sh clang gcc-mingw-w64-x86-64-win32
	@mkdir -p build/windows/include/cjson
	@printf '#include <%s>\n' zlib.h cjson/cJSON.h | $(CC) -M -E -x c - | tr ' ' '\n' | \
		grep -E '/(zlib|zconf)\.h$$' | xargs cp -t build/windows/include
	@printf '#include <cjson/cJSON.h>\n' | $(CC) -M -E -x c - | tr ' ' '\n' | \
		grep '/cJSON\.h$$' | xargs cp -t build/windows/include/cjson
	@$(MAKE) VARIANT=windows CC='clang --target=x86_64-w64-mingw32' static
## wheel: packs those for x86-64 and for Arm as wheels, which pip installs
wheel: static static-arm64
	@tests/need.sh zip
	@packaging/sbom.sh $$(packaging/wheel.sh $(sort $(STATIC) $(STATIC:%-$(MACHINE)=%-aarch64)))
## npm: packs the one for WebAssembly for Node and browsers, to run by npx
npm: wasm
	@tests/need.sh nodejs
	@packaging/sbom.sh $$(packaging/npm.sh build/selfattn-$(VERSION)-wasi.wasm)
## playground: makes one page of it, to try the program in a browser, from disk and offline
playground: wasm
	@tests/need.sh nodejs
	@packaging/sbom.sh $$(packaging/playground.sh build/selfattn-$(VERSION)-wasi.wasm)
## recipes: writes build/recipes for other package managers; the archive lies at PLACE
recipes: dist
	@mkdir -p build/recipes
	@sum=$$(sha256sum <$(DIST) | cut -d' ' -f1) && for file in packaging/recipes/*; do \
		sed "s|PLACE|$(or $(PLACE),https://selfattn.invalid)|; s|VERSION|$(VERSION)|; s|SUM|$$sum|" \
			$$file >build/recipes/$${file##*/} || exit; done
## deb: builds Debian's packages selfattn and selfattn-doc of what is built here
deb: all
	@tests/need.sh debhelper fakeroot
	@rm -rf build/deb build/*.deb && mkdir build/deb && cp -r packaging/debian build/deb
	@packaging/changelog.sh $(VERSION) >build/deb/debian/changelog
	@cd build/deb && TOP=$(CURDIR) fakeroot debian/rules binary >log 2>&1 || { tail log; false; }
	@packaging/sbom.sh $(DEB) $(DOC)
## release: builds and tries all that is shipped, where version, changes and commits agree
release:
	@git diff --quiet HEAD || { echo "selfattn: there is what is not committed" >&2; false; }
	@grep -q '^## $(VERSION)' CHANGELOG.md && ! grep -q '^## Not yet' CHANGELOG.md || \
		{ echo "selfattn: CHANGELOG.md has no section of $(VERSION) alone" >&2; false; }
	@$(MAKE) packaging
	@cd build && sha256sum selfattn-$(VERSION).tar.gz selfattn-$(VERSION)-* \
		selfattn*_$(VERSION)-1_*.deb
.PHONY: dist static static-arm64 wasm windows wheel npm playground recipes deb release
