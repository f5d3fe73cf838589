/* What fills the slots of the pages of src/text: the completions for shells, of the tables of
 * commands and options, and the schema, of the keys of documents and the words that they and traces
 * may have. */
#include "cli/help/help.h"

#include "attn/spec/keys.h"
#include "attn/spec/operation.h"
#include "attn/spec/score.h"
#include "attn/spec/setting.h"
#include "io/json_write.h"
#include "model/experts.h"
#include "model/parts.h"
#include "model/stack_keys.h"
#include "render/renderer.h"
#include "trace/trace.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const command *command_at(size_t index)
{
    return (const command *)(const void *)named_row(&COMMANDS, index);
}

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

static void write_spaced(text *out, const named_table *of)
{
    write_names(out, of, " ", true);
}

static bool takes(const command *of, const option_row *row)
{
    return option_heading(row, of->groups) != 0;
}

/* A comma-separated list of words. */
static bool is_list(const option_row *row)
{
    return row->kind == OPTION_WORDS || row->kind == OPTION_PLACES;
}

static bool takes_file(const option_row *row)
{
    return row->kind == OPTION_FILE || row->kind == OPTION_FILES || row->kind == OPTION_KEY_FILE;
}

/* `words` with a backslash before each of `special`, and `quote` for a quote: all scripts have them
 * within single quotes. */
static void write_escaped(text *out, const char *words, const char *special, const char *quote)
{
    for (; *words != '\0'; words++) {
        if (strchr(special, *words) != NULL)
            text_add_string(out, "\\");
        if (*words == '\'')
            text_add_string(out, quote);
        else
            text_add(out, words, 1);
    }
}

/* ---- bash ----
 * It cuts words at = as well, so that --trace=sof is three of them; a list is completed after its
 * last comma. */

/* "--output|--output=|-o": an optional value is completed after = only. */
static void write_pattern(text *out, const option_row *row)
{
    if (!row->value_is_optional)
        text_add_format(out, "--%s|", row->named.name);
    text_add_format(out, "--%s=", row->named.name);
    if (row->letter != '\0')
        text_add_format(out, "|-%c", row->letter);
}

static void write_bash_files(text *out)
{
    const char *join = "";
    for (size_t i = 0; i < OPTIONS.count; i++) {
        const option_row *row = option_row_at(i);
        if (!takes_file(row))
            continue;
        text_add_string(out, join);
        write_pattern(out, row);
        join = "|";
    }
}

/* A case for each option that takes words. Of NAME=VALUE the name is completed with its =, and no
 * space after it. */
static void write_bash_words(text *out)
{
    for (size_t i = 0; i < OPTIONS.count; i++) {
        const option_row *row = option_row_at(i);
        bool is_pair = row->kind == OPTION_PAIR || row->kind == OPTION_PLACES;
        if (row->choices == NULL)
            continue;
        text_add_string(out, "    ");
        write_pattern(out, row);
        text_add_format(out, ")\n%s        mapfile -t COMPREPLY < <(compgen %s%s%s-W \"",
                        is_pair ? "        compopt -o nospace 2>/dev/null\n" : "",
                        is_pair ? "-S = " : "", is_list(row) ? "-P \"$before\" " : "",
                        takes_file(row) ? "-f " : "");
        option_write_choices(out, row, " ");
        text_add_format(out, "\" -- \"%s\")\n        return ;;\n",
                        is_list(row) ? "${word##*,}" : "$word");
    }
}

/* Run is the case of all other words, and so the last. */
static void write_bash_options(text *out)
{
    for (size_t i = COMMANDS.count; i-- > 0;) {
        const char *join = "";
        text_add_format(out, "    %s) options=\"", i == 0 ? "*" : command_at(i)->named.name);
        for (size_t j = 0; j < OPTIONS.count; j++) {
            if (!takes(command_at(i), option_row_at(j)))
                continue;
            text_add_format(out, "%s--%s", join, option_row_at(j)->named.name);
            join = " ";
        }
        text_add_string(out, "\" operands=\"");
        write_spaced(out, command_at(i)->operands);
        text_add_string(out, "\" ;;\n");
    }
}

static const slot BASH_ROWS[] = {
    {{"files", NULL}, .write = write_bash_files},
    {{"words", NULL}, .write = write_bash_words},
    {{"commands", NULL}, &COMMANDS, write_spaced, NULL},
    {{"options", NULL}, .write = write_bash_options},
};
static const named_table BASH_SLOTS = NAMED_TABLE("slot", BASH_ROWS);

/* ---- zsh ----
 * _arguments reads specifications where [ ] and : have a meaning. */

static void write_zsh(text *out, const char *words)
{
    write_escaped(out, words, "[]:\\", "'\\''");
}

static void write_zsh_commands(text *out)
{
    for (size_t i = 0; i < COMMANDS.count; i++) {
        text_add_format(out, "        '%s:", command_at(i)->named.name);
        write_zsh(out, command_at(i)->named.help);
        text_add_string(out, "'\n");
    }
}

/* One specification for "--output", and one for "-o". */
static void write_zsh_option(text *out, const option_row *row)
{
    for (int is_short = 0; is_short <= (row->letter != '\0'); is_short++) {
        if (is_short)
            text_add_format(out, "        '*-%c[", row->letter);
        else
            text_add_format(out, "        '*--%s%s[", row->named.name,
                            row->kind == OPTION_FLAG ? ""
                            : row->value_is_optional ? "=-"
                                                     : "=");
        write_zsh(out, option_help(row));
        text_add_string(out, "]");
        if (row->kind != OPTION_FLAG) {
            /* What follows an option: files, words, a list of words, or nothing that is known. */
            text_add_string(out, row->value_is_optional ? "::" : ":");
            write_zsh(out, row->metavar);
            if (takes_file(row)) {
                text_add_string(out, ":_files");
            } else if (row->choices != NULL) {
                text_add_string(out, is_list(row) ? ":_values -s , word " : ":(");
                option_write_choices(out, row, " ");
                text_add_string(out, is_list(row) ? "" : ")");
            } else {
                text_add_string(out, ": ");
            }
        }
        text_add_string(out, "'\n");
    }
}

/* The command itself is the first operand, where it is written at all. */
static void write_zsh_options(text *out)
{
    for (size_t i = COMMANDS.count; i-- > 0;) {
        const command *of = command_at(i);
        text_add_format(out, "    %s) options=(\n", i == 0 ? "*" : of->named.name);
        for (size_t j = 0; j < OPTIONS.count; j++) {
            if (takes(of, option_row_at(j)))
                write_zsh_option(out, option_row_at(j));
        }
        if (of->operands == NULL) {
            text_add_string(out, "        '*:file:_files'\n");
        } else {
            text_add_format(out, "        '1:command:(%s)' '*:%s:(", of->named.name,
                            of->operands->what);
            write_spaced(out, of->operands);
            text_add_string(out, ")'\n");
        }
        text_add_string(out, "        ) ;;\n");
    }
}

static const slot ZSH_ROWS[] = {
    {{"commands", NULL}, .write = write_zsh_commands},
    {{"options", NULL}, .write = write_zsh_options},
};
static const named_table ZSH_SLOTS = NAMED_TABLE("slot", ZSH_ROWS);

/* ---- fish ---- */

static void write_fish_help(text *out, const char *help)
{
    text_add_string(out, " -d '");
    write_escaped(out, help, "'\\", "'");
    text_add_string(out, "'\n");
}

static void write_fish_commands(text *out)
{
    for (size_t i = 0; i < COMMANDS.count; i++) {
        text_add_format(out, "complete -c selfattn -n '__fish_is_first_token' -a %s",
                        command_at(i)->named.name);
        write_fish_help(out, command_at(i)->named.help);
    }
}

static void write_fish_operands(text *out)
{
    for (size_t i = 0; i < COMMANDS.count; i++) {
        if (command_at(i)->operands == NULL)
            continue;
        text_add_format(out, "complete -c selfattn -f -n '__selfattn_is %s' -a '",
                        command_at(i)->named.name);
        write_spaced(out, command_at(i)->operands);
        text_add_string(out, "'\n");
    }
}

/* Each with the commands that take it as its condition. */
static void write_fish_options(text *out)
{
    for (size_t j = 0; j < OPTIONS.count; j++) {
        const option_row *row = option_row_at(j);
        text_add_format(out, "complete -c selfattn -l %s", row->named.name);
        if (row->letter != '\0')
            text_add_format(out, " -s %c", row->letter);
        text_add_string(out, " -n '__selfattn_is");
        for (size_t i = 0; i < COMMANDS.count; i++) {
            if (takes(command_at(i), row))
                text_add_format(out, " %s", command_at(i)->named.name);
        }
        text_add_string(out, "'");
        if (takes_file(row))
            text_add_string(out, " -r -F");
        else if (row->kind != OPTION_FLAG)
            text_add_string(out, row->value_is_optional ? " -f" : " -x");
        if (row->choices != NULL) {
            text_add_string(out, is_list(row) ? " -a '(__fish_append , " : " -a '");
            option_write_choices(out, row, " ");
            text_add_string(out, is_list(row) ? ")'" : "'");
        }
        write_fish_help(out, option_help(row));
    }
}

static const slot FISH_ROWS[] = {
    {{"names", NULL}, &COMMANDS, write_spaced, NULL},
    {{"commands", NULL}, .write = write_fish_commands},
    {{"operands", NULL}, .write = write_fish_operands},
    {{"options", NULL}, .write = write_fish_options},
};
static const named_table FISH_SLOTS = NAMED_TABLE("slot", FISH_ROWS);

/* ---- the schema ---- */

/* A truth is written as such, or as a text. */
static void write_words(text *out, const named_table *words)
{
    for (size_t i = 0; i < named_count(words); i++) {
        const char *name = named_row(words, i)->name;
        text_add_string(out, i > 0 ? ", " : "");
        if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
            text_add_format(out, "%s, ", name);
        json_string_write(out, name);
    }
}

static void write_keys(text *out, const named_table *in)
{
    for (size_t i = 0; i < named_count(in); i++) {
        const key *of = (const key *)(const void *)named_row(in, i);
        const char *name = of->named.name;
        const option_row *option = option_by_key(name, strlen(name)); /* its words are the key's */
        char definition[64];
        snprintf(definition, sizeof definition, "\n    \"%s\": {", name);
        bool has_own = strstr(SCHEMA_PAGE, definition) != NULL;
        text_add_format(out, "%s        \"%s\": {\"description\": ", i > 0 ? ",\n" : "", name);
        json_string_write(out, of->named.help);
        bool is_word = option != NULL && option->choices != NULL && of->kind != KEY_FILLED &&
                       of->kind != KEY_OBJECT;
        if (has_own || !is_word) {
            text_add_format(out, ", \"$ref\": \"#/$defs/%s\"}",
                            has_own ? name : KEY_KIND_WORDS[of->kind].definition);
            continue;
        }
        text_add_string(out, ", \"enum\": [");
        write_words(out, option->choices);
        text_add_string(out, "]}");
    }
    text_add_string(out, "\n");
}

static void write_parts(text *out)
{
    bool is_first = true;
    for (int row = 0; row < AXIS_COUNT; row++) {
        if (row == AXIS_OWN) /* called as all rows are */
            continue;
        for (int column = 0; column < AXIS_COUNT; column++) {
            const char *name =
                part_name_in_traces((trace_part){(unsigned char)row, (unsigned char)column, false});
            if (name != NULL)
                text_add_format(out, "%s\"%s\"", is_first ? "" : ", ", name);
            is_first = is_first && name == NULL;
        }
    }
    text_add_format(out, ", \"%s\", \"%s\"", part_name_in_traces(PART_OF_HEADS),
                    part_name_in_traces(PART_COLUMN_OF_HEADS));
}

static void write_operations(text *out, const named_table *of)
{
    for (size_t i = 0; i < named_count(of); i++) {
        const named *row = named_row(of, i);
        text_add_format(out, "%s        {\"const\": \"%s\", \"description\": ", i > 0 ? ",\n" : "",
                        row->name);
        json_string_write(out, row->help);
        text_add_string(out, "}");
    }
    text_add_string(out, "\n");
}

static void write_version(text *out)
{
    text_add_format(out, "%d", JSON_TRACE_VERSION);
}

/* What stands in a layer, and at the top of a document of layers: STACK_DOCUMENT's tables. */
static const named_table *const LAYER_TABLES[] = {&KEYS, &LAYER_KEYS, NULL};
static const named_table *const STACK_TABLES[] = {&KEYS, &LAYER_KEYS, &STACK_KEYS, NULL};
static const named_table OF_LAYER = {.what = "key", .parts = LAYER_TABLES};
static const named_table OF_STACK = {.what = "key", .parts = STACK_TABLES};

static const slot SCHEMA_ROWS[] = {
    {{"keys", NULL}, &KEYS, write_keys, NULL},
    {{"keys of a layer", NULL}, &OF_LAYER, write_keys, NULL},
    {{"keys of a stack", NULL}, &OF_STACK, write_keys, NULL},
    {{"keys of a norm", NULL}, &NORM_KEYS, write_keys, NULL},
    {{"keys of embed", NULL}, &EMBED_KEYS, write_keys, NULL},
    {{"keys of a head", NULL}, &HEAD_KEYS, write_keys, NULL},
    {{"keys of an expert", NULL}, &FEED_FORWARD_KEYS, write_keys, NULL},
    {{"scales", NULL}, &SCALE_WORDS, write_words, NULL},
    {{"pairings", NULL}, &PAIRING_WORDS, write_words, NULL},
    {{"types", NULL}, &DTYPE_WORDS, write_words, NULL},
    {{"score functions", NULL}, &SCORES, write_words, NULL},
    {{"orders of norms", NULL}, &NORM_ORDERS, write_words, NULL},
    {{"activations", NULL}, &ACTIVATIONS, write_words, NULL},
    {{"routings", NULL}, &ROUTINGS, write_words, NULL},
    {{"steps", NULL}, &STEPS, write_words, NULL},
    {{"floors", NULL}, &FLOORS, write_words, NULL},
    {{"parts", NULL}, .write = write_parts},
    {{"operations", NULL}, &OPERATIONS, write_operations, NULL},
    {{"version of traces", NULL}, .write = write_version},
};

static const named_table SCHEMA_SLOTS = NAMED_TABLE("slot", SCHEMA_ROWS);

/* ---- all of them ---- */

static const shell ROWS[] = {
    {{"bash", "a completion script for bash"}, BASH_PAGE, &BASH_SLOTS, page_write},
    {{"zsh", "a completion script for zsh"}, ZSH_PAGE, &ZSH_SLOTS, page_write},
    {{"fish", "a completion script for fish"}, FISH_PAGE, &FISH_SLOTS, page_write},
    {{"man", "the tables of commands and options as sections of selfattn(1), in roff"},
     MAN_PAGE,
     &MANUAL_SLOTS,
     manual_write},
    {{"man-document", "those of keys, stages and names, of selfattn-document(5)"},
     MAN_DOCUMENT_PAGE,
     &MANUAL_SLOTS,
     manual_write},
    {{"man-contract", "those of conventions and mistakes, of selfattn-contract(7)"},
     MAN_CONTRACT_PAGE,
     &MANUAL_SLOTS,
     manual_write},
    {{"schema", "the JSON Schema of documents, results, traces and reports"},
     SCHEMA_PAGE,
     &SCHEMA_SLOTS,
     page_write},
};

const named_table SHELLS = NAMED_TABLE("shell", ROWS);

void page_write(text *out, const shell *of)
{
    for (const char *at = of->page; *at != '\0';) {
        size_t length = strcspn(at + 1, "}");
        const slot *found =
            *at == '{' ? (const slot *)(const void *)named_find(of->slots, at + 1, length) : NULL;
        if (found == NULL) {
            text_add(out, at++, 1);
            continue;
        }
        if (found->of != NULL)
            found->write_rows(out, found->of);
        else
            found->write(out);
        assert(at > of->page);
        bool starts_line = at[-1] == '\n';
        at += length + 2;
        assert(!starts_line || *at == '\n');
        at += starts_line;
    }
}
