#include "cli/help/completion.h"

static const shell ROWS[] = {
    {{"bash", "a completion script for bash"}, completion_write_bash},
    {{"zsh", "a completion script for zsh"}, completion_write_zsh},
    {{"fish", "a completion script for fish"}, completion_write_fish},
    {{"man", "the tables of commands and options as sections of selfattn(1), in roff"},
     manual_write},
    {{"man-document", "those of keys, stages and names, of selfattn-document(5)"},
     manual_write_document},
    {{"man-contract", "those of conventions and mistakes, of selfattn-contract(7)"},
     manual_write_contract},
};

const named_table SHELLS = NAMED_TABLE("shell", ROWS);

static void write_names(text *out, const named_table *table, const char *separator, bool is_first)
{
    for (size_t i = 0; table != NULL && i < named_count(table); i++)
        text_add_format(out, "%s%s", is_first && i == 0 ? "" : separator,
                        named_row(table, i)->name);
}

void option_write_choices(text *out, const option_row *row, const char *separator)
{
    write_names(out, row->choices, separator, true);
    write_names(out, row->also, separator, false);
}

void command_write_operands(text *out, const command *of)
{
    write_names(out, of->operands, " ", true);
}

const option_row *option_next(const command *taker, size_t *index)
{
    while (*index < OPTIONS.count) {
        const option_row *row = (const option_row *)(const void *)named_row(&OPTIONS, (*index)++);
        if (taker == NULL || option_heading(row, taker->groups) != 0)
            return row;
    }
    return NULL;
}

const command *command_at(size_t index)
{
    return (const command *)(const void *)named_row(&COMMANDS, index);
}

bool option_is_list(const option_row *row)
{
    return row->kind == OPTION_WORDS || row->kind == OPTION_PLACES;
}

bool option_takes_file(const option_row *row)
{
    return row->kind == OPTION_FILE || row->kind == OPTION_KEY_FILE;
}
