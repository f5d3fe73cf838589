ifeq ($(VARIANT),coverage)
COUNTERS := $(BUILD)/tests/coverage/counters.o
$(BUILD)/selfattn $(PROGRAMS) $(HELPERS): $(COUNTERS)
# Src alone is counted.
$(BUILD)/tests/%.o: CFLAGS_coverage :=
LDFLAGS  += -Wl,-T,tests/coverage/counters.ld $(call wraps,coverage)
endif
