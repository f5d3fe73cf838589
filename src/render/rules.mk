# The style and the script of the page that a trace becomes.
OBJECTS += $(BUILD)/page_data.o
$(BUILD)/page_data.c: $(wildcard src/render/page/*) | $(BUILD)/flags
	@src/render/page/embed.sh >$@.new && mv $@.new $@
