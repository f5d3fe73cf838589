# The style and the script of the page that a trace becomes, and of what binds several.
OBJECTS += $(BUILD)/page_data.o
$(BUILD)/page_data.c: src/text/embed.sh $(wildcard src/render/page/* src/render/binder/*) | $(BUILD)/flags
	@src/text/embed.sh page >$@.new && mv $@.new $@
