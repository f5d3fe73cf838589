# Kernels are compiled once for each instruction set and type: src/kernels/wide/table.c, which holds
# them all, becomes $(BUILD)/src/kernels/fused_F64.o.
ISAS_x86_64  := fused avx2 avx512
ISAS_aarch64 := neon
# Coverage counts the branches of the source: -O1 inlines and folds what is constant, as these
# functions mean it, and makes no copies of loops.
COUNTED             := $(filter coverage,$(VARIANT))
KERNEL_O            ?= $(if $(COUNTED),-O1,-O3)
KERNEL_FLAGS_scalar := $(if $(COUNTED),-O1)
KERNEL_FLAGS_fused  := $(KERNEL_O) -mfma -mavx2
KERNEL_FLAGS_avx2   := $(KERNEL_O) -mfma -mavx2 -DWIDE_AVX2
KERNEL_FLAGS_avx512 := $(KERNEL_O) -mfma -mavx512f -mavx512dq -mavx512vl -mavx512bw -DWIDE_AVX512
KERNEL_FLAGS_neon   := $(KERNEL_O) -DWIDE_NEON
define KERNEL_RULE
OBJECTS += $(BUILD)/src/kernels/$(1)_$(2).o
$(BUILD)/src/kernels/$(1)_$(2).o: MORE = $(KERNEL_FLAGS_$(1)) -DISA=$(1) -DREAL_IS_$(2)
$(BUILD)/src/kernels/$(1)_$(2).o: src/kernels/wide/table.c $(BUILD)/flags
	$$(compile)
endef
$(foreach isa,scalar $(ISAS_$(MACHINE)),$(foreach real,F32 F64,$(eval $(call KERNEL_RULE,$(isa),$(real)))))
