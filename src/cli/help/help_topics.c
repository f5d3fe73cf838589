#include "cli/help/help.h"

#include "attn/spec/keys.h"
#include "attn/spec/score.h"
#include "attn/spec/setting.h"
#include "cli/example/examples.h"
#include "cli/init/parts.h"
#include "io/format.h"
#include "kernels/kernels.h"
#include "model/keys.h"
#include "model/parts.h"
#include "render/display.h"
#include "render/renderer.h"
#include "trace/step.h"
#include "weights/conventions.h"
#include "why/why.h"
#include "why/mistake.h"

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
    text_add_string(out, ends ? "\n\n" : "\n");
}

void wrap_add_text(text *out, text *words, size_t column, size_t indent, size_t width)
{
    wrap_add(out, text_string(words), column, indent, width);
    text_close(words, out);
}

/* ---- what is said of a row ---- */

enum { INDENT = 2, FORMULA_INDENT = 6, CELL_COLUMN = 21, LIST_COLUMN = 28 };

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

void topic_write_line(text *out, const named_table *table, const named *row)
{
    text_add_format(out, "  %s", row->name);
    wrap_add(out, row_help(table, row), INDENT + wrap_columns(row->name), LIST_COLUMN, HELP_WIDTH);
}

static void write_rows(text *out, const named_table *table)
{
    for (size_t i = 0; i < named_count(table); i++)
        topic_write_line(out, table, named_row(table, i));
}

/* On one line or two: "true is masked out\n→ --mask-true masked". */
static void write_cell(text *out, const char *name, const peer_cell *cell)
{
    text words = {0};
    text_add_string(&words, cell->says);
    if (cell->here != NULL)
        text_add_format(&words, "\n→ %s", cell->here);
    text_add_format(out, "  %s", name);
    wrap_add_text(out, &words, INDENT + wrap_columns(name), CELL_COLUMN, HELP_WIDTH);
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
    const passage *first = (const passage *)(const void *)DIFFERENCES.first;
    ptrdiff_t which = (const passage *)(const void *)row - first;
    for (size_t i = 0; i < PEERS.count; i++) {
        const peer *one = (const peer *)(const void *)named_row(&PEERS, i);
        write_cell(out, one->named.name, &one->cell[which]);
    }
}

void topic_write_table(text *out, const named_table *table)
{
    if (table != &PEERS) {
        write_rows(out, table);
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
            write_rows(out, OTHERS[i]);
        }
    }
}

/* "n_q × n_k" from "qk"; stage.h says what the letters are. */
void topic_write_shape(text *out, const stage *of)
{
    const char *axes = of->axes;
    static const char LETTERS[] = "bhqk1tecQKVCOmMN";
    static const char *const NAMES[] = {"b",     "h",     "n_q",   "n_k",   "1", "top", "d_v", "c",
                                        "h·d_k", "g·d_k", "g·d_v", "h·d_v", "m", "m",   "m",   "m"};
    for (const char *p = axes; *p != '\0'; p++) {
        const char *letter = strchr(LETTERS, *p);
        text_add_format(out, "%s%s", p == axes ? "" : " × ",
                        letter == NULL ? "?" : NAMES[letter - LETTERS]);
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
    if (row->value_is_optional)
        text_add_format(out, "[=%s]", row->metavar);
    else if (row->metavar != NULL)
        text_add_format(out, " %s", row->metavar);
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
    if (o->choices != NULL)
        write_rows(out, o->choices);
    if (o->also != NULL)
        write_rows(out, o->also);
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
    const char *metavar = option == NULL || option->metavar == NULL ? "" : option->metavar;
    const named *value = named_find(&VALUES, metavar, strlen(metavar));
    text words = {0};
    if (value != NULL)
        text_add_string(&words, value->help);
    else if (option != NULL && option->choices != NULL)
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
    if (strchr(s->axes, 'b') != NULL)
        text_add_string(out, strchr(s->axes, 'h') == NULL
                                 ? " (b only with a batch)"
                                 : " (b only with a batch, h only with heads)");
    text_add_string(out, "\n");
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
    const isa *i = (const isa *)(const void *)row;
    write_paragraph(out, i->is_here() ? "this machine has it" : "this machine does not have it");
}

static void describe_convention(text *out, const named *row)
{
    text names = {0};
    convention_describe(&names, (const convention *)(const void *)row);
    wrap_add_text(out, &names, 0, INDENT, HELP_WIDTH);
}

static void describe_layer_convention(text *out, const named *row)
{
    text names = {0};
    layer_convention_describe(&names, (const layer_convention *)(const void *)row);
    wrap_add_text(out, &names, 0, INDENT, HELP_WIDTH);
}

static void describe_term(text *out, const named *row)
{
    const passage *p = (const passage *)(const void *)row;
    write_formula(out, p->formula);
    write_paragraph(out, p->words);
}

/* Its notes are read where it is printed. */
static void describe_example(text *out, const named *row)
{
    const example *one = (const example *)(const void *)row;
    const command *by = (const command *)(const void *)named_row(&COMMANDS, 0);
    for (size_t i = 1; i < COMMANDS.count && by->run != one->run; i++)
        by = (const command *)(const void *)named_row(&COMMANDS, i);
    text_add_format(out, "  selfattn example %s | selfattn %s --trace\n", one->named.name,
                    by->named.name);
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

void topic_write_entry(text *out, const topic *of, const named *row)
{
    text heading = {0};
    text_add_format(&heading, "%s%s (%s): %s", of->table == &OPTIONS ? "--" : "", row->name,
                    of->table->what, row_help(of->table, row));
    wrap_add_text(out, &heading, 0, 0, HELP_WIDTH);
    if (of->describe != NULL)
        of->describe(out, row);
}
