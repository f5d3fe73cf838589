#include "cli/help/help.h"

#include "cli/version.h"
#include "io/sink.h"
#include "kernels/kernels.h"

#include <string.h>

enum {
    HELP_COLUMN = 29, /* where an option's help begins */
    MOST_CHOICES = 6, /* as many words are listed next to an option; `help OPTION` lists all */
    COMMAND_COLUMN = 12,
    NOTE_COLUMN = 6
};

static const char EXIT_STATUS[] = "Exit status\n"
                                  "  0  done, or equal\n"
                                  "  1  they differ (check and diff only)\n"
                                  "  2  anything wrong: usage, input, output\n";

static const char NEXT[] =
    "Where to look next\n"
    "  selfattn example walkthrough | selfattn --trace   an example, step by step\n"
    "  selfattn help all                                 all options of all commands\n"
    "  selfattn help --causal                            about an option\n"
    "  selfattn help softmax                             a stage, a step, any term\n"
    "  selfattn help stages                              also conventions, mistakes\n"
    "  selfattn help lecture                             how to work: also exercise,\n"
    "                                                    golden, kernels, pipes,\n"
    "                                                    files\n"
    "  man selfattn                                      everything\n";

/* What a newcomer needs first. */
static const char *const FIRST_OPTIONS[] = {"input",  "wq",   "wk",     "wv",    "heads",
                                            "causal", "emit", "output", "trace", "trace-output"};

/* One row of the table: name, help, and the words that it takes, where they are few and the help
 * does not say them itself. */
static void write_option(text *out, const option_row *row)
{
    text help = {0};
    size_t start = out->length;
    topic_write_option_name(out, row);
    size_t column = wrap_columns(text_string(out) + start);
    text_add_string(&help, option_help(row));
    bool lists = false;
    if (row->choices != NULL && named_count(row->choices) <= MOST_CHOICES) {
        for (size_t i = 0; i < row->choices->count && !lists; i++)
            lists = strstr(option_help(row), named_row(row->choices, i)->name) == NULL;
    }
    if (lists) {
        text_add_string(&help, ": ");
        option_write_choices(&help, row, ", ");
    }
    wrap_add_text(out, &help, column, HELP_COLUMN, HELP_WIDTH);
}

static void write_groups(text *out, unsigned groups)
{
    for (size_t i = 0; i < OPTION_TITLE_COUNT; i++) {
        const option_title *title = &OPTION_TITLES[i];
        if ((title->group & groups) == 0)
            continue;
        text_add_format(out, "%s\n", title->title);
        for (size_t j = 0; j < OPTIONS.count; j++) {
            const option_row *row = option_row_at(j);
            if (option_heading(row, groups) == (unsigned)title->group)
                write_option(out, row);
        }
        if (title->note != NULL)
            wrap_add(out, title->note, 0, NOTE_COLUMN, HELP_WIDTH);
        text_add_string(out, "\n");
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

static const char TITLE[] = "Attention over matrix files, with every step to be seen.\n\n";

void help_write_short(text *out)
{
    text_add_string(out, "Usage: selfattn [COMMAND] [OPTION]... [FILE]...\n");
    text_add_string(out, TITLE);
    write_commands(out);
    text_add_string(out, "Options of run, to begin with\n");
    for (size_t i = 0; i < sizeof FIRST_OPTIONS / sizeof FIRST_OPTIONS[0]; i++)
        write_option(out, option_by_name(FIRST_OPTIONS[i], strlen(FIRST_OPTIONS[i])));
    text_add_string(out, "\n");
    text_add_string(out, NEXT);
}

void help_write_all(text *out)
{
    for (size_t i = 0; i < COMMANDS.count; i++) {
        const command *row = (const command *)(const void *)named_row(&COMMANDS, i);
        text_add_format(out, "%s selfattn %s %s\n", i == 0 ? "Usage:" : "      ",
                        i == 0 ? "[run]" : row->named.name, row->usage);
    }
    text_add_string(out, TITLE);
    write_commands(out);
    write_groups(out, (GROUP_ANY_WORD - 1) | GROUP_CONVERT | GROUP_DIFF | GROUP_INIT |
                          GROUP_EXAMPLE | GROUP_STACK | GROUP_GENERATE);
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
                         "First thing to try:  selfattn example walkthrough | selfattn --trace\n"
                         "All options:         selfattn --help\n"
                         "About any word:      selfattn help softmax\n");
}

/* ---- looking a word up ---- */

/* Letters without their case; '-', '_' and ' ' are one, so that kv-heads finds the key and
 * "golden-file" the term. */
static char folded(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '_' || c == ' ' ? '-' : c;
}

static bool begins_with(const char *where, const char *word)
{
    while (*word != '\0' && folded(*where) == folded(*word)) {
        where++;
        word++;
    }
    return *word == '\0';
}

static bool same(const char *name, const char *word)
{
    return strlen(name) == strlen(word) && begins_with(name, word);
}

/* By the names of rows; else by what others call them: bahdanau is the additive score. */
static bool write_entries(text *out, const char *word)
{
    const char *bare = word + strspn(word, "-");
    size_t before = out->length;
    /* Of options by the letter, where the word is written as one: -x. */
    bool is_letter = bare == word + 1 && strlen(bare) == 1;
    const option_row *lettered = is_letter ? option_by_letter(*bare) : NULL;
    for (size_t i = 0; i < TOPIC_COUNT; i++) {
        for (size_t j = 0; j < named_count(TOPICS[i].table); j++) {
            const named *row = named_row(TOPICS[i].table, j);
            bool is_it = is_letter && TOPICS[i].table == &OPTIONS
                             ? lettered != NULL && row == &lettered->named
                             : same(row->name, bare);
            if (!is_it)
                continue;
            text_add_string(out, out->length > before ? "\n" : "");
            topic_write_entry(out, &TOPICS[i], row);
        }
    }
    bool is_found = out->length > before;
    for (size_t i = 0; i < TOPIC_COUNT && !is_found; i++) {
        const named *row = named_by_synonym(TOPICS[i].table, bare, strlen(bare));
        if (row == NULL)
            continue;
        text_add_string(out, out->length > before ? "\n" : "");
        topic_write_entry(out, &TOPICS[i], row);
    }
    return out->length > before;
}

/* What an entry would print is what it is searched in; want of memory is remembered in `out`. */
static bool write_mentions(text *out, const char *word)
{
    size_t before = out->length;
    for (size_t i = 0; i < TOPIC_COUNT; i++) {
        size_t start = out->length;
        for (size_t j = 0; j < named_count(TOPICS[i].table); j++) {
            const named *row = named_row(TOPICS[i].table, j);
            text all = {0};
            topic_write_entry(&all, &TOPICS[i], row);
            const char *at = text_string(&all);
            while (*at != '\0' && !begins_with(at, word))
                at++;
            bool is_mentioned = *at != '\0';
            text_close(&all, out);
            if (!is_mentioned)
                continue;
            if (out->length == start)
                text_add_format(out, "%s:\n", TOPICS[i].table->what);
            topic_write_line(out, TOPICS[i].table, row);
        }
    }
    return out->length > before;
}

bool help_write_word(text *out, const char *word, err *e)
{
    const char *bare = word + strspn(word, "-");
    /* The option whose key --no-KEY removes is what is meant by it. */
    const char *kept = bare > word && strncmp(bare, "no-", 3) == 0 ? bare + 3 : NULL;
    if (kept != NULL &&
        (option_by_name(kept, strlen(kept)) != NULL || option_by_key(kept, strlen(kept)) != NULL))
        word = bare = kept;
    if (*bare == '\0')
        return err_set(e, "help: '%s' is not a word to be looked up", word);
    /* "stages", "score functions": all of that table. */
    size_t before = out->length;
    for (size_t i = 0; i < TOPIC_COUNT; i++) {
        text plural = {0};
        text_add_format(&plural, "%ss", TOPICS[i].table->what);
        if (same(text_string(&plural), bare))
            topic_write_table(out, TOPICS[i].table);
        text_close(&plural, out);
    }
    if (out->length > before || write_entries(out, word) || write_mentions(out, bare) ||
        !text_ok(out, e))
        return text_ok(out, e);
    /* The nearest name of any table. */
    const named *near = NULL;
    size_t length = strlen(bare);
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        near = named_nearer(near, named_nearest(TOPICS[i].table, bare, length), bare, length);
    if (near == NULL)
        err_set(e, "help: nothing is known about '%s'", word);
    else
        err_set(e, "help: nothing is known about '%s'; did you mean '%s'?", word, near->name);
    return err_remedy(
        e, "selfattn help all lists commands and options, selfattn help terms all terms");
}

/* ---- the command ---- */

int command_help(const options *o, env *world, err *e)
{
    text out = {0}, phrase = {0};
    bool done = true;
    (void)world;
    /* The operands as one phrase: `help golden file`. */
    for (size_t i = 0; i < o->operands; i++)
        text_add_format(&phrase, "%s%s", i == 0 ? "" : " ", o->operand[i]);
    const char *words = text_string(&phrase);
    const char *name = o->completion;
    if (name == NULL && strcmp(words, "schema") == 0)
        name = "schema";
    if (name != NULL) {
        const named *found = named_find(&SHELLS, name, strlen(name));
        const shell *of = (const shell *)(const void *)found;
        of->write(&out, of);
    } else if (o->operands == 0) {
        help_write_short(&out);
    } else if (strcmp(words, "all") == 0) {
        help_write_all(&out);
    } else {
        done = text_ok(&phrase, e) && help_write_word(&out, words, e);
    }
    text_free(&phrase);
    return sink_write_text("-", &out, done, e) ? EXIT_DONE : EXIT_WRONG;
}
