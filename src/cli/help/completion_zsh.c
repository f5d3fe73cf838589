#include "cli/help/completion.h"

#include <string.h>

/* _arguments reads specifications where [ ] and : have a meaning, within single quotes. */
static void write_escaped(text *out, const char *words)
{
    for (; *words != '\0'; words++) {
        if (strchr("[]:\\", *words) != NULL)
            text_add_string(out, "\\");
        if (*words == '\'')
            text_add_string(out, "'\\''");
        else
            text_add(out, words, 1);
    }
}

/* What completes an option's value: files, words, a list of words, or nothing that is known. */
static void write_action(text *out, const option_row *row)
{
    if (option_takes_file(row)) {
        text_add_string(out, "_files");
    } else if (row->choices != NULL) {
        text_add_string(out, option_is_list(row) ? "_values -s , word " : "(");
        option_write_choices(out, row, " ");
        text_add_string(out, option_is_list(row) ? "" : ")");
    } else {
        text_add_string(out, " ");
    }
}

/* One specification, for "--output" or for "-o". */
static void write_option(text *out, const option_row *row, const char *dashes, const char *name)
{
    bool is_long = strcmp(dashes, "--") == 0;
    text_add_format(out, "        '*%s%s", dashes, name);
    if (row->kind != OPTION_FLAG && is_long)
        text_add_string(out, row->value_is_optional ? "=-" : "=");
    text_add_string(out, "[");
    write_escaped(out, option_help(row));
    text_add_string(out, "]");
    if (row->kind != OPTION_FLAG) {
        text_add_string(out, row->value_is_optional ? "::" : ":");
        write_escaped(out, row->metavar);
        text_add_string(out, ":");
        write_action(out, row);
    }
    text_add_string(out, "'\n");
}

static void write_options_of(text *out, const command *of)
{
    size_t index = 0;
    for (const option_row *row; (row = option_next(of, &index)) != NULL;) {
        write_option(out, row, "--", row->named.name);
        if (row->letter != '\0')
            write_option(out, row, "-", (const char[]){row->letter, '\0'});
    }
}

/* The command itself is the first operand, where it is written at all. */
static void write_operands(text *out, const command *of)
{
    if (of->operands == NULL) {
        text_add_string(out, "        '*:file:_files'\n");
        return;
    }
    text_add_format(out, "        '1:command:(%s)' '*:%s:(", of->named.name, of->operands->what);
    command_write_operands(out, of);
    text_add_string(out, ")'\n");
}

static void write_commands(text *out)
{
    text_add_string(out, "    local -a verbs=(\n");
    for (size_t i = 0; i < COMMANDS.count; i++) {
        text_add_format(out, "        '%s:", command_at(i)->named.name);
        write_escaped(out, command_at(i)->named.help);
        text_add_string(out, "'\n");
    }
    text_add_string(out, "    )\n");
}

void completion_write_zsh(text *out)
{
    text_add_string(out, "#compdef selfattn\n"
                         "# zsh completion for selfattn; made by: selfattn help --completion zsh\n"
                         "_selfattn() {\n"
                         "    local -a options\n");
    write_commands(out);
    text_add_string(out, "    case $words[2] in\n");
    for (size_t i = COMMANDS.count; i-- > 0;) {
        text_add_format(out, "    %s) options=(\n", i == 0 ? "*" : command_at(i)->named.name);
        write_options_of(out, command_at(i));
        write_operands(out, command_at(i));
        text_add_string(out, "        ) ;;\n");
    }
    text_add_string(out, "    esac\n"
                         "    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
                         "        _describe command verbs\n"
                         "    fi\n"
                         "    _arguments $options\n"
                         "}\n"
                         "_selfattn \"$@\"\n");
}
