## bench: measures against rivals that are installed; WORK=WORD picks rows (tests/bench/README.md)
bench: $(BUILD)/bench $(BUILD)/bench_onednn
	@$(BUILD)/bench $(if $(WORK),"$(WORK)")
$(BUILD)/bench: $(call objects,tests/bench) $(OBJECTS)
	$(link)
$(BUILD)/bench_onednn: tests/bench/onednn.cpp
	@$(CXX) -O2 $< -ldnnl -o $@ 2>$@.log || echo "  no oneDNN here to build with"
## bench-text: reads and writes matrices as text, beside fast_float, cJSON and the C++ library
bench-text:
	@tests/need.sh libfast-float-dev
	@$(MAKE) -s $(BUILD)/bench_text
	@$(BUILD)/bench_text
$(BUILD)/bench_text: LIBS += -lstdc++
$(BUILD)/bench_text: $(BUILD)/tests/bench/text.o $(BUILD)/tests/bench/text_own.o $(OBJECTS)
	$(link)
.PHONY: bench bench-text
