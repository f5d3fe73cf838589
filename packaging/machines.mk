# What a kind of machine needs besides: MACHINE is the compiler's.
MACHINE  := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
EXACT_i686  := -msse2 -mfpmath=sse
EXACT_s390x := -fexcess-precision=fast
# Files, folders too, may be larger than a size that has 32 bits, and have larger numbers.
FLAGS_i686  := -D_FILE_OFFSET_BITS=64
FLAGS_arm   := -D_FILE_OFFSET_BITS=64

# WebAssembly has no other library, and lacks what packaging/wasi stands in for; its stack is not a
# megabyte unless that is asked for.
INSTEAD_wasm32 := packaging/wasi
FLAGS_wasm32   := -isystem packaging/wasi -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_MMAN
SYSTEM_wasm32  := -lm -lwasi-emulated-signal -lwasi-emulated-mman -Wl,-z,stack-size=1048576
SYSTEM         := $(or $(SYSTEM_$(MACHINE)),-lm -pthread)

# ALONE=1 builds with what stands in for libraries, where there are none of the machine's kind.
ALONE          ?= $(INSTEAD_$(MACHINE))
LIBS           := $(if $(ALONE),,-lcjson -lz) $(SYSTEM)
