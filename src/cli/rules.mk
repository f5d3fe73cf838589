# The documents of `selfattn example`: all seeds, and those that built-in.txt names.
OBJECTS += $(BUILD)/examples_data.o
$(BUILD)/examples_data.c: src/text/embed.sh testdata/built-in.txt $(wildcard testdata/*/*.json) \
	| $(BUILD)/flags
	@src/text/embed.sh examples testdata/built-in.txt testdata/seeds/*.json >$@.new && mv $@.new $@
