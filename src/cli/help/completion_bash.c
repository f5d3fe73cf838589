#include "cli/help/completion.h"

/* Bash cuts words at = as well, so that --trace=sof is three of them; a list is completed behind
 * its last comma. */
static const char HEAD[] =
    "# bash completion for selfattn; made by: selfattn help --completion bash\n"
    "_selfattn() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} equals=''\n"
    "    if [[ $word == \"=\" ]]; then\n"
    "        word='' equals=\"=\"\n"
    "    elif [[ $option == \"=\" ]]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD-2]} equals=\"=\"\n"
    "    fi\n"
    "    local before=''\n"
    "    [[ $word == *,* ]] && before=${word%,*},\n"
    "    COMPREPLY=()\n"
    "    case $option$equals in\n";

static const char FILES[] = ")\n"
                            "        compopt -o filenames 2>/dev/null\n"
                            "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
                            "        return ;;\n";

static const char TAIL[] =
    "    esac\n"
    "    if [[ $word == -* ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
    "        return\n"
    "    fi\n"
    "    if [[ $COMP_CWORD == 1 ]]; then\n"
    "        operands=$commands\n"
    "    elif [[ -n $operands ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$operands\" -- \"$word\")\n"
    "        return\n"
    "    fi\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$operands\" -- \"$word\")\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$word\")\n"
    "}\n"
    "complete -F _selfattn selfattn\n";

/* "--output|--output=|-o": an optional value is completed behind = only. */
static void write_pattern(text *out, const option_row *row)
{
    if (!row->value_is_optional)
        text_add_format(out, "--%s|", row->named.name);
    text_add_format(out, "--%s=", row->named.name);
    if (row->letter != '\0')
        text_add_format(out, "|-%c", row->letter);
}

/* NAME=VALUE: the name is completed with its =, and no space behind. */
static bool is_pair(const option_row *row)
{
    return row->kind == OPTION_PAIR || row->kind == OPTION_PLACES;
}

static void write_words(text *out, const option_row *row)
{
    text_add_string(out, "    ");
    write_pattern(out, row);
    text_add_string(out, ")\n");
    if (is_pair(row))
        text_add_string(out, "        compopt -o nospace 2>/dev/null\n");
    text_add_format(out, "        mapfile -t COMPREPLY < <(compgen %s%s-W \"",
                    is_pair(row) ? "-S = " : "", option_is_list(row) ? "-P \"$before\" " : "");
    option_write_choices(out, row, " ");
    text_add_format(out, "\" -- \"%s\")\n        return ;;\n",
                    option_is_list(row) ? "${word##*,}" : "$word");
}

/* One case for all options that take a file, then one for each that takes words. */
static void write_values(text *out)
{
    size_t index = 0, files = 0;
    for (const option_row *row; (row = option_next(NULL, &index)) != NULL;) {
        if (!option_takes_file(row))
            continue;
        text_add_string(out, files++ == 0 ? "    " : "|");
        write_pattern(out, row);
    }
    text_add_string(out, FILES);
    index = 0;
    for (const option_row *row; (row = option_next(NULL, &index)) != NULL;) {
        if (row->choices != NULL)
            write_words(out, row);
    }
}

static void write_options_of(text *out, const command *of)
{
    size_t index = 0;
    const char *join = "";
    for (const option_row *row; (row = option_next(of, &index)) != NULL; join = " ")
        text_add_format(out, "%s--%s", join, row->named.name);
}

static void write_options(text *out)
{
    text_add_string(out, "    local commands=\"");
    for (size_t i = 0; i < COMMANDS.count; i++)
        text_add_format(out, "%s%s", i == 0 ? "" : " ", command_at(i)->named.name);
    text_add_string(out, "\" options operands=''\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = COMMANDS.count; i-- > 0;) {
        text_add_format(out, "    %s) options=\"", i == 0 ? "*" : command_at(i)->named.name);
        write_options_of(out, command_at(i));
        text_add_string(out, "\" operands=\"");
        command_write_operands(out, command_at(i));
        text_add_string(out, "\" ;;\n");
    }
}

void completion_write_bash(text *out)
{
    text_add_string(out, HEAD);
    write_values(out);
    text_add_string(out, "    esac\n");
    write_options(out);
    text_add_string(out, TAIL);
}
