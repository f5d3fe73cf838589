# The prose of help and the manual.
OBJECTS += $(BUILD)/texts_data.o
$(BUILD)/texts_data.c: $(wildcard src/text/*) | $(BUILD)/flags
	@src/text/embed.sh texts >$@.new && mv $@.new $@
