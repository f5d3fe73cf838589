#include "cli/help/help.h"

#include "attn/spec/keys.h"
#include "attn/spec/score.h"
#include "attn/spec/setting.h"
#include "cli/example/examples.h"
#include "cli/init/init_parts.h"
#include "cli/version.h"
#include "io/format.h"
#include "io/sink.h"
#include "kernels/kernels.h"
#include "model/parts.h"
#include "model/stack_keys.h"
#include "render/display.h"
#include "render/renderer.h"
#include "trace/trace.h"
#include "weights/config_keys.h"
#include "weights/conventions.h"
#include "why/mistake.h"
#include "why/why.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* ---- lines ---- */

size_t wrap_columns(const char *line)
{
    return display_columns(line, strlen(line));
}

void wrap_add(text *out, const char *words, size_t column, size_t indent, size_t width)
{
    bool ends = column > 0 && column >= indent, is_fresh = true; /* until a word is on the line */
    for (; *words != '\0'; words += *words != '\0') {
        size_t length = strcspn(words, " \n"), wide = display_columns(words, length);
        if (ends || (!is_fresh && length > 0 && column + 1 + wide > width)) {
            text_add_string(out, "\n");
            column = 0;
            is_fresh = true;
        }
        if (length > 0) {
            size_t gap = is_fresh ? indent - column : 1;
            text_add_repeated(out, " ", gap);
            text_add(out, words, length);
            column += gap + wide;
            is_fresh = false;
        }
        words += length;
        ends = *words == '\n';
    }
    assert(!ends); /* no text ends with a newline */
    text_add_string(out, "\n");
}

/* The same for a text that was made for it: takes it, and with it its want of memory. */
static void wrap_add_text(text *out, text *words, size_t column, size_t indent)
{
    wrap_add(out, text_string(words), column, indent, HELP_WIDTH);
    text_close(words, out);
}

/* ---- what is said of a row ---- */

enum { INDENT = 2, FORMULA_INDENT = 6, CELL_COLUMN = 21, LIST_COLUMN = 28, COMMAND_COLUMN = 12 };

static void write_paragraph(text *out, const char *words)
{
    wrap_add(out, words, 0, INDENT, HELP_WIDTH);
}

static void write_formula(text *out, const char *formula)
{
    if (formula != NULL)
        wrap_add(out, formula, 0, FORMULA_INDENT, HELP_WIDTH);
}

/* A label and the rest of its line. */
static void write_fact(text *out, const char *label, const char *words)
{
    text_add_format(out, "  %s:", label);
    wrap_add(out, words, INDENT + wrap_columns(label) + 1, INDENT + wrap_columns(label) + 2,
             HELP_WIDTH);
}

/* An option's help may be its key's. */
static const char *row_help(const named_table *table, const named *row)
{
    return table == &OPTIONS ? option_help((const option_row *)(const void *)row) : row->help;
}

/* A row in one line: name and help in two columns. */
static void write_line(text *out, const named_table *table, const named *row, size_t column)
{
    text_add_format(out, "  %s", row->name);
    wrap_add(out, row_help(table, row), INDENT + wrap_columns(row->name), column, HELP_WIDTH);
}

static void write_rows(text *out, const named_table *table, size_t column)
{
    for (size_t i = 0; table != NULL && i < named_count(table); i++)
        write_line(out, table, named_row(table, i), column);
}

/* Writes one line or two: "true is masked out\n→ --mask-true masked". */
static void write_cell(text *out, const char *name, const peer_cell *cell)
{
    text words = {0};
    text_add_string(&words, cell->says);
    if (cell->here != NULL)
        text_add_format(&words, "\n→ %s", cell->here);
    text_add_format(out, "  %s", name);
    wrap_add_text(out, &words, INDENT + wrap_columns(name), CELL_COLUMN);
}

/* A program and what it sets, a difference a line. */
static void describe_peer(text *out, const named *row)
{
    for (size_t i = 0; i < DIFFERENCES.count; i++)
        write_cell(out, named_row(&DIFFERENCES, i)->name,
                   &((const peer *)(const void *)row)->cell[i]);
}

/* A difference and how each program has it, a program a line. */
static void describe_difference(text *out, const named *row)
{
    ptrdiff_t which =
        (const passage *)(const void *)row - (const passage *)(const void *)DIFFERENCES.first;
    for (size_t i = 0; i < PEERS.count; i++) {
        const peer *one = (const peer *)(const void *)named_row(&PEERS, i);
        write_cell(out, one->named.name, &one->cell[which]);
    }
}

/* What a table's plural shows: its rows, or for conventions all that they say. */
static void topic_write_table(text *out, const named_table *table)
{
    if (table != &PEERS) {
        write_rows(out, table, LIST_COLUMN);
    } else {
        wrap_add(out, CONVENTIONS_TEXT, 0, 0, HELP_WIDTH);
        for (size_t i = 0; i < DIFFERENCES.count; i++) {
            const named *row = named_row(&DIFFERENCES, i);
            text_add_format(out, "\n%s: %s\n", row->name, row->help);
            describe_difference(out, row);
        }
        text_add_string(out, "\n");
        wrap_add(out, "selfattn help NAME, of a program or of a difference, shows it alone.", 0, 0,
                 HELP_WIDTH);
    }
    if (table == &MISTAKES) {
        /* What check --why tries, or says, besides the mistakes of one attention. */
        const named_table *const OTHERS[] = {&STACK_MISTAKES, &ARRANGEMENTS, &MISPRINTS};
        for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
            text_add_format(out, "\n%ss:\n", OTHERS[i]->what);
            write_rows(out, OTHERS[i], LIST_COLUMN);
        }
    }
}

/* "n_q × n_k" from "qk"; stage.h says what the letters are. */
void topic_write_shape(text *out, const stage *of)
{
    const char *axes = of->axes;
    static const char LETTERS[] = "bhqk1tecQKVCOmMNrRS";
    static const char *const NAMES[] = {"b", "h",     "n_q",   "n_k",   "1",       "top", "d_v",
                                        "c", "h·d_k", "g·d_k", "g·d_v", "h·d_v",   "m",   "m",
                                        "m", "m",     "r_q",   "r_kv",  "r_kv + s"};
    for (const char *p = axes; *p != '\0'; p++) {
        const char *letter = strchr(LETTERS, *p);
        assert(letter != NULL);
        text_add_format(out, "%s%s", p == axes ? "" : " × ", NAMES[letter - LETTERS]);
    }
}

const char *topic_words(const named_table *texts, const char *name)
{
    const named *row = named_find(texts, name, strlen(name));
    return row == NULL ? NULL : ((const passage *)(const void *)row)->words;
}

static void describe_command(text *out, const named *row)
{
    const command *c = (const command *)(const void *)row;
    text_add_format(out, "  selfattn %s %s\n", c->named.name, c->usage);
    write_paragraph(out, topic_words(&COMMAND_TEXTS, c->named.name));
    text_add_format(out, "  selfattn %s --help lists its options.\n", c->named.name);
}

void topic_write_option_name(text *out, const option_row *row)
{
    if (row->letter != '\0')
        text_add_format(out, "  -%c, --%s", row->letter, row->named.name);
    else
        text_add_format(out, "      --%s", row->named.name);
    if (row->metavar != NULL)
        text_add_format(out, row->value_is_optional ? "[=%s]" : " %s", row->metavar);
}

static void describe_option(text *out, const named *row)
{
    const option_row *o = (const option_row *)(const void *)row;
    topic_write_option_name(out, o);
    text_add_string(out, "\n");
    const char *words = topic_words(&OPTION_TEXTS, o->named.name);
    if (words != NULL)
        write_paragraph(out, words);
    if (o->key != NULL)
        write_fact(out, "key of a document", o->key);
    write_rows(out, o->choices, LIST_COLUMN);
    write_rows(out, o->also, LIST_COLUMN);
}

/* What a placeholder says of a setting's value, which may be more than its kind does. */
static const named PLACEHOLDERS[] = {{"N", "a whole number"},
                                     {"K", "a whole number"},
                                     {"N,...", "a list of whole numbers, or one"},
                                     {"C", "a number"},
                                     {"E", "a number"},
                                     {"NUMBER", "a number"},
                                     {"S", "a number or a word"}};
static const named_table VALUES = NAMED_TABLE("placeholder", PLACEHOLDERS);

const key_kind_words KEY_KIND_WORDS[] = {
    [KEY_MATRIX] = {"numbers: a matrix, of rank up to 4", "matrix"},
    [KEY_BIAS] = {"numbers: a matrix, of rank up to 4; -inf is allowed", "matrix"},
    [KEY_FILLED] = {"numbers: a matrix; or a word that says what fills it", "numbers"},
    [KEY_MASK] = {"true and false, or 1 and 0: a matrix, of rank up to 4", "mask"},
    [KEY_TRUTHS] = {"true and false: a matrix", "mask"},
    [KEY_EXPECTED] = {"numbers: a matrix; null is a hole", "number or null"},
    [KEY_SETTING] = {"a number or a word", "setting"},
    [KEY_NUMBERS] = {"a number, a list of numbers, or a word", "numbers"},
    [KEY_SETTINGS] = {"a number, a word, or an object of numbers, words and lists", "numbers"},
    [KEY_TEXT] = {"a text", "text"},
    [KEY_LIST] = {"a list of texts", "list"},
    [KEY_STEPS] = {"a list of steps", "list"},
    [KEY_VOCAB] = {"an object from words to vectors", "vocab"},
    [KEY_STAGES] = {"an object from stages to matrices; null is a hole", "stages"},
    [KEY_TOL] = {"a number, or an object from stages to numbers", "tolerance"},
    [KEY_RECORDS] = {"a list of objects: stage, head, row, col, published, computed", "records"},
    [KEY_OBJECT] = {"an object", "gain and bias"},
    [KEY_OBJECTS] = {"a list of objects", "layers"},
};

static void describe_key(text *out, const named *row)
{
    const option_row *option = option_by_key(row->name, strlen(row->name));
    const char *metavar = option == NULL ? "" : option->metavar;
    const named *value = named_find(&VALUES, metavar, strlen(metavar));
    text words = {0};
    if (value != NULL)
        text_add_string(&words, value->help);
    else if (option != NULL && option->choices != NULL && option->kind != OPTION_KEY_FILE)
        named_list(option->choices, &words); /* "post, pre or seed" */
    else
        text_add_string(&words, KEY_KIND_WORDS[((const key *)(const void *)row)->kind].says);
    write_fact(out, "its value", text_string(&words));
    text_close(&words, out);
    if (option != NULL)
        text_add_format(out, "  set by the option: --%s\n", option->named.name);
}

static void describe_stage(text *out, const named *row)
{
    const stage *s = (const stage *)(const void *)row;
    write_formula(out, s->formula);
    text_add_string(out, "  shape: ");
    topic_write_shape(out, s);
    text_add_string(out, strchr(s->axes, 'h') == NULL
                             ? " (b only with a batch)\n"
                             : " (b only with a batch, h only with heads)\n");
    if (s->made_by != NULL)
        write_fact(out, "made by", s->made_by);
}

static void describe_step(text *out, const named *row)
{
    const step_row *s = (const step_row *)(const void *)row;
    text_add_format(out, "  shown alone by: --trace=%s\n", row->name);
    if (s->stages[0] != '\0')
        write_fact(out, "makes the stages", s->stages);
}

static void describe_format(text *out, const named *row)
{
    write_paragraph(out, topic_words(&FORMAT_TEXTS, row->name));
    write_fact(out, "endings", ((const format *)(const void *)row)->endings);
}

static void describe_renderer(text *out, const named *row)
{
    write_fact(out, "endings", ((const renderer *)(const void *)row)->endings);
}

static void describe_score(text *out, const named *row)
{
    const score *s = (const score *)(const void *)row;
    write_formula(out, s->formula);
    write_fact(out, "the order of its operations", s->order);
    write_fact(out, "its scale, unless --scale says otherwise",
               s->is_scaled ? "head, 1/√d_k" : "none");
}

static void describe_isa(text *out, const named *row)
{
    write_paragraph(out, ((const isa *)(const void *)row)->is_here()
                             ? "this machine has it"
                             : "this machine does not have it");
}

static void describe_convention(text *out, const named *row)
{
    text names = {0};
    convention_describe(&names, (const convention *)(const void *)row);
    wrap_add_text(out, &names, 0, INDENT);
}

static void describe_layer_convention(text *out, const named *row)
{
    text names = {0};
    layer_convention_describe(&names, (const layer_convention *)(const void *)row);
    wrap_add_text(out, &names, 0, INDENT);
}

static void describe_model(text *out, const named *row)
{
    text said = {0};
    model_family_describe(&said, (const model_family *)(const void *)row);
    wrap_add_text(out, &said, 0, INDENT);
}

static void describe_term(text *out, const named *row)
{
    const passage *p = (const passage *)(const void *)row;
    write_formula(out, p->formula);
    write_paragraph(out, p->words);
}

/* Shows no notes: they are read where the example is printed. */
static void describe_example(text *out, const named *row)
{
    const example *one = (const example *)(const void *)row;
    size_t by = 0;
    while (command_at(by)->run != one->run)
        by++;
    text_add_format(out, "  selfattn example %s | selfattn %s --trace\n", one->named.name,
                    command_at(by)->named.name);
}

const topic TOPICS[] = {
    {&COMMANDS, describe_command},
    {&OPTIONS, describe_option},
    {&KEYS, describe_key},
    {&LAYER_KEYS, describe_key},
    {&STACK_KEYS, describe_key},
    {&NORM_KEYS, describe_key},
    {&STAGES, describe_stage},
    {&STEPS, describe_step},
    {&FLOORS, describe_step},
    {&FORMATS, describe_format},
    {&SCORES, describe_score},
    {&ISAS, describe_isa},
    {&GENERATORS, NULL},
    {&DISTRIBUTIONS, NULL},
    {&PARTS, NULL},
    {&RENDERERS, describe_renderer},
    {&CAUSAL_WORDS, NULL},
    {&SCALE_WORDS, NULL},
    {&LAYOUT_WORDS, NULL},
    {&MASK_TRUE_WORDS, NULL},
    {&MASK_AXIS_WORDS, NULL},
    {&DTYPE_WORDS, NULL},
    {&QK_NORM_WORDS, NULL},
    {&POSITIONS_WORDS, NULL},
    {&PAIRING_WORDS, NULL},
    {&CONVENTIONS, describe_convention},
    {&LAYER_CONVENTIONS, describe_layer_convention},
    {&MODEL_FAMILIES, describe_model},
    {&PEERS, describe_peer},
    {&DIFFERENCES, describe_difference},
    {&NORM_ORDERS, NULL},
    {&NORM_KINDS, NULL},
    {&ACTIVATIONS, NULL},
    {&MISTAKES, NULL},
    {&STACK_MISTAKES, NULL},
    {&ARRANGEMENTS, NULL},
    {&MISPRINTS, NULL},
    {&TERMS, describe_term},
    {&EXAMPLES, describe_example},
};

const size_t TOPIC_COUNT = sizeof TOPICS / sizeof TOPICS[0];

/* "softmax (term): turns a row of …", and all that is known about it, after a free line where it is
 * not the first. */
static void topic_write_entry(text *out, const topic *of, const named *row)
{
    text heading = {0};
    text_add_string(out, out->length > 0 ? "\n" : "");
    text_add_format(&heading, "%s%s (%s): %s", of->table == &OPTIONS ? "--" : "", row->name,
                    of->table->what, row_help(of->table, row));
    wrap_add_text(out, &heading, 0, 0);
    if (of->describe != NULL)
        of->describe(out, row);
}

/* ---- options and commands ---- */

enum {
    HELP_COLUMN = 29, /* where an option's help begins */
    MOST_CHOICES = 6, /* as many words are listed next to an option; `help OPTION` lists all */
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
    "  selfattn help softmax                             an option, a stage, any term\n"
    "  selfattn help stages                              also conventions, mistakes\n"
    "  selfattn help lecture                             also exercise, golden,\n"
    "                                                    kernels, pipes, files\n"
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
    wrap_add_text(out, &help, column, HELP_COLUMN);
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
    text_add_string(out, "Attention over matrix files, with every step to be seen.\n\nCommands\n");
    write_rows(out, &COMMANDS, COMMAND_COLUMN);
    text_add_string(out, "\n");
}

void help_write_short(text *out)
{
    text_add_string(out, "Usage: selfattn [COMMAND] [OPTION]... [FILE]...\n");
    write_commands(out);
    text_add_string(out, "Options of run, to begin with\n");
    for (size_t i = 0; i < sizeof FIRST_OPTIONS / sizeof FIRST_OPTIONS[0]; i++)
        write_option(out, option_by_name(FIRST_OPTIONS[i], strlen(FIRST_OPTIONS[i])));
    text_add_format(out, "\n%s", NEXT);
}

void help_write_all(text *out)
{
    for (size_t i = 0; i < COMMANDS.count; i++) {
        const command *row = command_at(i);
        text_add_format(out, "%s selfattn %s %s\n", i == 0 ? "Usage:" : "      ",
                        i == 0 ? "[run]" : row->named.name, row->usage);
    }
    write_commands(out);
    write_groups(out, (GROUP_ANY_WORD - 1) | GROUP_CONVERT | GROUP_DIFF | GROUP_INIT |
                          GROUP_EXAMPLE | GROUP_STACK | GROUP_GENERATE | GROUP_TRAIN | GROUP_PORT);
    text_add_format(out, "%s\n%s", EXIT_STATUS, NEXT);
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
static void write_entries(text *out, const char *word)
{
    const char *bare = word + strspn(word, "-");
    /* Of options by the letter, where the word is written as one: -x. */
    bool is_letter = word[0] == '-' && strlen(word) == 2;
    const option_row *lettered = is_letter ? option_by_letter(*bare) : NULL;
    for (size_t i = 0; i < TOPIC_COUNT; i++) {
        for (size_t j = 0; j < named_count(TOPICS[i].table); j++) {
            const named *row = named_row(TOPICS[i].table, j);
            bool is_it = is_letter && TOPICS[i].table == &OPTIONS
                             ? (const option_row *)(const void *)row == lettered
                             : same(row->name, bare);
            if (is_it)
                topic_write_entry(out, &TOPICS[i], row);
        }
    }
    bool is_found = out->length > 0;
    for (size_t i = 0; i < TOPIC_COUNT && !is_found; i++) {
        const named *row = named_by_synonym(TOPICS[i].table, bare, strlen(bare));
        if (row != NULL)
            topic_write_entry(out, &TOPICS[i], row);
    }
}

/* A word is searched in what each entry would print. If memory runs out, `out` remembers it. */
static void write_mentions(text *out, const char *word)
{
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
            write_line(out, TOPICS[i].table, row, LIST_COLUMN);
        }
    }
}

bool help_write_word(text *out, const char *word, err *e)
{
    const char *bare = word + strspn(word, "-");
    /* --no-KEY means the option whose key it removes. */
    const char *kept = bare > word && strncmp(bare, "no-", 3) == 0 ? bare + 3 : NULL;
    if (kept != NULL &&
        (option_by_name(kept, strlen(kept)) != NULL || option_by_key(kept, strlen(kept)) != NULL))
        word = bare = kept;
    if (*bare == '\0')
        return err_set(e, "help: '%s' is not a word to be looked up", word);
    write_entries(out, word);
    /* "stages", "score functions": all of that table. */
    for (size_t i = 0; i < TOPIC_COUNT; i++) {
        text plural = {0};
        text_add_format(&plural, "%ss", TOPICS[i].table->what);
        if (same(text_string(&plural), bare))
            topic_write_table(out, TOPICS[i].table);
        text_close(&plural, out);
    }
    if (out->length == 0)
        write_mentions(out, bare);
    if (out->length > 0 || out->failed)
        return text_ok(out, e);
    /* The nearest name of any table. */
    const named *near = NULL;
    size_t length = strlen(bare);
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        near = named_nearer(near, named_nearest(TOPICS[i].table, bare, length), bare, length);
    err_set(e, "help: nothing is known about '%s'%s%s%s", word,
            near == NULL ? "" : "; did you mean '", near == NULL ? "" : near->name,
            near == NULL ? "" : "'?");
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
    const char *page =
        o->completion == NULL && strcmp(words, "schema") == 0 ? words : o->completion;
    if (page != NULL) {
        const named *found = named_find(&SHELLS, page, strlen(page));
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
