ifeq ($(VARIANT),coverage)
CFLAGS_coverage += $(if $(filter x86_64,$(MACHINE)),-include tests/coverage/steps.h)
COUNTERS := $(BUILD)/tests/coverage/counters.o
$(BUILD)/selfattn $(PROGRAMS) $(HELPERS): $(COUNTERS)
# Src alone is counted; tests know that it has no assertions here.
$(BUILD)/tests/%.o: CFLAGS_coverage := -DNDEBUG
LDFLAGS  += -Wl,-T,tests/coverage/counters.ld $(call wraps,coverage)
endif
