#include "cli/help/help.h"

#include "cli/help/completion.h"
#include "cli/help/help_topics.h"
#include "cli/help/texts.h"
#include "cli/help/wrap.h"
#include "cli/version.h"
#include "io/sink.h"
#include "kernels/kernels.h"

#include <string.h>

enum {
    HELP_COLUMN = 29, /* where an option's help begins */
    MOST_CHOICES = 6, /* as many words are listed beside an option; `help OPTION` lists all */
    COMMAND_COLUMN = 12,
    NOTE_COLUMN = 6
};

static const char EXIT_STATUS[] = "Exit status\n"
                                  "  0  done, or equal\n"
                                  "  1  they differ (check and diff only)\n"
                                  "  2  anything wrong: usage, input, output\n";

static const char NEXT[] =
    "Where to look next\n"
    "  selfattn example karim | selfattn --trace   every step of a worked example\n"
    "  selfattn help --causal                      about an option\n"
    "  selfattn help softmax                       about a stage, a step, any term\n"
    "  selfattn help stages                        all stages; also conventions, ...\n"
    "  man selfattn                                everything\n";

static bool names_all(const char *help, const named_table *words)
{
    for (size_t i = 0; i < words->count; i++) {
        if (strstr(help, named_row(words, i)->name) == NULL)
            return false;
    }
    return true;
}

/* One row of the table: name, help, and the words that it takes, where they are few and the help
 * does not say them itself. */
static void write_option(text *out, const option_row *row)
{
    text help = {0};
    size_t start = out->length;
    topic_write_option_name(out, row);
    size_t column = wrap_columns(text_string(out) + start);
    text_add_string(&help, option_help(row));
    if (row->choices != NULL && row->choices->count <= MOST_CHOICES &&
        !names_all(option_help(row), row->choices)) {
        text_add_string(&help, ": ");
        option_write_choices(&help, row, ", ");
    }
    wrap_add_text(out, &help, column, HELP_COLUMN, HELP_WIDTH);
}

static void write_group(text *out, const option_title *title, unsigned groups)
{
    text_add_format(out, "%s\n", title->title);
    for (size_t i = 0; i < OPTIONS.count; i++) {
        const option_row *row = (const option_row *)(const void *)named_row(&OPTIONS, i);
        if (option_heading(row, groups) == (unsigned)title->group)
            write_option(out, row);
    }
    if (title->note != NULL)
        wrap_add(out, title->note, 0, NOTE_COLUMN, HELP_WIDTH);
    text_add_string(out, "\n");
}

static void write_groups(text *out, unsigned groups)
{
    for (size_t i = 0; i < OPTION_TITLE_COUNT; i++) {
        if (OPTION_TITLES[i].group & groups)
            write_group(out, &OPTION_TITLES[i], groups);
    }
}

static void write_usage(text *out)
{
    for (size_t i = 0; i < COMMANDS.count; i++) {
        const command *row = (const command *)(const void *)named_row(&COMMANDS, i);
        text_add_format(out, "%s selfattn %s %s\n", i == 0 ? "Usage:" : "      ",
                        i == 0 ? "[run]" : row->named.name, row->usage);
    }
}

static void write_commands(text *out)
{
    text_add_string(out, "Commands\n");
    for (size_t i = 0; i < COMMANDS.count; i++) {
        const named *row = named_row(&COMMANDS, i);
        text_add_format(out, "  %s", row->name);
        wrap_add(out, row->help, 2 + strlen(row->name), COMMAND_COLUMN, HELP_WIDTH);
    }
    text_add_string(out, "\n");
}

void help_write_all(text *out)
{
    write_usage(out);
    text_add_string(out, "Attention over matrix files, with every step to be seen.\n\n");
    write_commands(out);
    write_groups(out, (GROUP_ANY_WORD - 1) | GROUP_DIFF | GROUP_INIT | GROUP_EXAMPLE | GROUP_STACK |
                          GROUP_GENERATE);
    text_add_string(out, EXIT_STATUS);
    text_add_string(out, "\n");
    text_add_string(out, NEXT);
}

void help_write_command(text *out, const command *of)
{
    text_add_format(out, "Usage: selfattn %s %s\n", of->named.name, of->usage);
    wrap_add(out, topic_words(&COMMAND_TEXTS, of->named.name), 0, 0, HELP_WIDTH);
    text_add_string(out, "\n");
    write_groups(out, of->groups);
    text_add_string(out, EXIT_STATUS);
}

void help_write_version(text *out)
{
    text_add_format(out, "selfattn %s (%s)\n", SELFATTN_VERSION, isa_best()->named.name);
}

void help_write_first(text *out)
{
    text_add_string(out, "Usage: selfattn [OPTION]... DOCUMENT...\n"
                         "Attention weights and outputs from matrices in JSON or CSV files.\n"
                         "\n"
                         "First thing to try:  selfattn example karim | selfattn --trace\n"
                         "All options:         selfattn --help\n"
                         "About any word:      selfattn help softmax\n");
}

bool help_print(text *out, err *e)
{
    sink to;
    bool ok = text_ok(out, e) && sink_open(&to, "-", e);
    if (ok) {
        text_add(sink_text(&to), text_string(out), out->length);
        ok = sink_close(&to, e);
    }
    text_free(out);
    return ok;
}

/* The operands as one phrase: `help golden file`. */
static void join_words(const options *o, text *phrase)
{
    for (size_t i = 0; i < o->operands; i++)
        text_add_format(phrase, "%s%s", i == 0 ? "" : " ", o->operand[i]);
}

static bool write_help(text *out, const options *o, err *e)
{
    if (o->completion != NULL) {
        const named *found = named_find(&SHELLS, o->completion, strlen(o->completion));
        const shell *of = (const shell *)(const void *)found;
        of->write(out, of);
        return true;
    }
    if (o->operands == 0) {
        help_write_all(out);
        return true;
    }
    text phrase = {0};
    join_words(o, &phrase);
    bool ok = text_ok(&phrase, e) && help_write_word(out, text_string(&phrase), e);
    text_free(&phrase);
    return ok;
}

int command_help(const options *o, env *world, err *e)
{
    text out = {0};
    (void)world;
    if (!write_help(&out, o, e)) {
        text_free(&out);
        return EXIT_WRONG;
    }
    return help_print(&out, e) ? EXIT_DONE : EXIT_WRONG;
}
