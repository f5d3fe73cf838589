#include "cli/help/completion.h"

static const char HEAD[] =
    "# fish completion for selfattn; made by: selfattn help --completion fish\n"
    "function __selfattn_is\n"
    "    set -l words (commandline -opc)\n"
    "    set -l command run\n";

static void write_quoted(text *out, const char *words)
{
    text_add_string(out, "'");
    for (; *words != '\0'; words++) {
        if (*words == '\'' || *words == '\\')
            text_add_string(out, "\\");
        text_add(out, words, 1);
    }
    text_add_string(out, "'");
}

/* The commands that take a row, as a condition. */
static void write_condition(text *out, const option_row *row)
{
    text_add_string(out, " -n '__selfattn_is");
    for (size_t i = 0; i < COMMANDS.count; i++) {
        if (option_heading(row, command_at(i)->groups) != 0)
            text_add_format(out, " %s", command_at(i)->named.name);
    }
    text_add_string(out, "'");
}

static void write_option(text *out, const option_row *row)
{
    text_add_format(out, "complete -c selfattn -l %s", row->named.name);
    if (row->letter != '\0')
        text_add_format(out, " -s %c", row->letter);
    write_condition(out, row);
    if (option_takes_file(row))
        text_add_string(out, " -r -F");
    else if (row->kind != OPTION_FLAG)
        text_add_string(out, row->value_is_optional ? " -f" : " -x");
    if (row->choices != NULL) {
        text_add_string(out, option_is_list(row) ? " -a '(__fish_append , " : " -a '");
        option_write_choices(out, row, " ");
        text_add_string(out, option_is_list(row) ? ")'" : "'");
    }
    text_add_string(out, " -d ");
    write_quoted(out, option_help(row));
    text_add_string(out, "\n");
}

static void write_names(text *out)
{
    for (size_t i = 0; i < COMMANDS.count; i++)
        text_add_format(out, " %s", command_at(i)->named.name);
}

static void write_operands(text *out)
{
    for (size_t i = 0; i < COMMANDS.count; i++) {
        if (command_at(i)->operands == NULL)
            continue;
        text_add_format(out, "complete -c selfattn -f -n '__selfattn_is %s' -a '",
                        command_at(i)->named.name);
        command_write_operands(out, command_at(i));
        text_add_string(out, "'\n");
    }
}

void completion_write_fish(text *out)
{
    size_t index = 0;
    text_add_string(out, HEAD);
    text_add_string(out, "    if set -q words[2]; and contains -- $words[2]");
    write_names(out);
    text_add_string(out, "\n"
                         "        set command $words[2]\n"
                         "    end\n"
                         "    contains -- $command $argv\n"
                         "end\n");
    for (size_t i = 0; i < COMMANDS.count; i++) {
        text_add_format(out, "complete -c selfattn -n '__fish_is_first_token' -a %s -d ",
                        command_at(i)->named.name);
        write_quoted(out, command_at(i)->named.help);
        text_add_string(out, "\n");
    }
    write_operands(out);
    for (const option_row *row; (row = option_next(NULL, &index)) != NULL;)
        write_option(out, row);
}
