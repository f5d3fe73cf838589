# What a kind of machine needs besides: MACHINE is the compiler's, and HOST also says Windows or
# macOS, which calls 64-bit Arm by its other name.
TRIPLE   := $(shell $(CC) -dumpmachine)
MACHINE  := $(patsubst arm64%,aarch64,$(firstword $(subst -, ,$(TRIPLE))))
SYSTEMS  := windows darwin
HOST     := $(MACHINE)$(addprefix -,$(foreach name,$(SYSTEMS),$(if $(findstring $(name),$(TRIPLE)),$(name))))
EXACT_i686  := -msse2 -mfpmath=sse
EXACT_s390x := -fexcess-precision=fast
# Files, folders too, may be larger than a size that has 32 bits, and have larger numbers.
FLAGS_i686  := -D_FILE_OFFSET_BITS=64
FLAGS_arm   := -D_FILE_OFFSET_BITS=64

# macOS hides what is not POSIX where POSIX is asked for, and has a name of its own for a time.
FLAGS_darwin         := -D_DARWIN_C_SOURCE -Dst_mtim=st_mtimespec
FLAGS_x86_64-darwin  := $(FLAGS_darwin)
FLAGS_aarch64-darwin := $(FLAGS_darwin)

# WebAssembly has no other library, and lacks what packaging/wasi stands in for; its stack is not a
# megabyte unless that is asked for.
INSTEAD_wasm32 := packaging/wasi
FILE_wasm32    := wasi.wasm
FLAGS_wasm32   := -isystem packaging/wasi -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_MMAN
SYSTEM_wasm32  := -lm -lwasi-emulated-signal -lwasi-emulated-mman -Wl,-z,stack-size=1048576

# Windows has files, threads and a console, by other calls: packaging/windows makes of them those
# that the program makes. A compiler for it finds no header of a library, and clang not GCC's own
# library.
INSTEAD_x86_64-windows := packaging/windows
FILE_x86_64-windows    := windows-x86_64.exe
FLAGS_x86_64-windows   := -isystem packaging/windows -isystem build/windows/include \
	-D_FILE_OFFSET_BITS=64 -DCJSON_HIDE_SYMBOLS
LINK_x86_64-windows    := $(if $(findstring windows,$(HOST)),\
	-L$(dir $(shell x86_64-w64-mingw32-gcc -print-libgcc-file-name)))
SYSTEM_x86_64-windows  := $(LINK_x86_64-windows) -municode -static -Wl,--no-insert-timestamp \
	-lpthread
SYSTEM         := $(or $(SYSTEM_$(HOST)),-lm -pthread)

# ALONE=1 builds with what stands in for libraries, where there are none of the machine's kind.
ALONE          ?= $(INSTEAD_$(HOST))
LIBS           := $(if $(ALONE),,-lcjson -lz) $(SYSTEM)
