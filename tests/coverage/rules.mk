ifeq ($(VARIANT),coverage)
CFLAGS_coverage += $(if $(filter x86_64,$(MACHINE)),-include tests/coverage/steps.h)
COUNTERS := $(BUILD)/tests/coverage/counters.o
$(BUILD)/selfattn $(PROGRAMS) $(HELPERS): $(COUNTERS)
# Src alone is counted.
$(BUILD)/tests/%.o: CFLAGS_coverage :=
LDFLAGS  += -Wl,-T,tests/coverage/counters.ld $(call wraps,coverage)
endif
