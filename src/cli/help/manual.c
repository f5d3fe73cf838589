#include "attn/spec/keys.h"

#include "attn/spec/operation.h"
#include "attn/spec/score.h"
#include "cli/help/help.h"
#include "io/format.h"
#include "kernels/kernels.h"
#include "model/experts.h"
#include "model/stack_keys.h"
#include "trace/trace.h"
#include "weights/config_keys.h"
#include "weights/conventions.h"
#include "weights/refused.h"
#include "weights/weights.h"
#include "why/why.h"

#include <assert.h>
#include <string.h>

/* roff would turn a plain hyphen into another sign. A backslash would need an escape too, but no
 * text has one. */
static void write_roff(text *out, const char *words, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        assert(words[i] != '\\');
        text_add_string(out, words[i] == '-' ? "\\" : "");
        text_add(out, words + i, 1);
    }
}

/* Plain text, a sentence a line, as roff likes it. Options and the program's name are bold wherever
 * they are written. */
static void write_words(text *out, const char *words, size_t length)
{
    const char *end = words + length;
    assert(*words != '\''); /* which begins one of roff's own lines, as a point does */
    if (*words == '.')
        text_add_string(out, "\\&");
    while (words < end) {
        size_t bytes = strcspn(words, " \n");
        bytes = bytes < (size_t)(end - words) ? bytes : (size_t)(end - words);
        assert(bytes > 0); /* there is one space between two words */
        bool ends_sentence = words[bytes - 1] == '.';
        size_t bare = bytes;
        while (bare > 0 && strchr(".,;:)", words[bare - 1]) != NULL)
            bare--;
        bool is_bold = (bare > 2 && strncmp(words, "--", 2) == 0) ||
                       (bare == strlen("selfattn") && strncmp(words, "selfattn", bare) == 0);
        text_add_string(out, is_bold ? "\\fB" : "");
        write_roff(out, words, bare);
        text_add_string(out, is_bold ? "\\fR" : "");
        write_roff(out, words + bare, bytes - bare);
        words += bytes;
        if (words < end) {
            text_add_string(out, ends_sentence ? "\n" : " ");
            words++;
        }
    }
    text_add_string(out, "\n");
}

static void write_paragraph(text *out, const char *words)
{
    write_words(out, words, strlen(words));
}

/* A paragraph of what stands above it. */
static void write_below(text *out, const char *words)
{
    text_add_string(out, ".br\n");
    write_paragraph(out, words);
}

static void write_option(text *out, const option_row *row)
{
    text_add_string(out, ".TP\n");
    if (row->letter != '\0')
        text_add_format(out, "\\fB\\-%c\\fR, ", row->letter);
    text_add_string(out, "\\fB\\-\\-");
    write_roff(out, row->named.name, strlen(row->named.name));
    text_add_string(out, "\\fR");
    if (row->metavar != NULL) {
        text_add_string(out, row->value_is_optional ? "[=\\fI" : " \\fI");
        write_roff(out, row->metavar, strlen(row->metavar));
        text_add_string(out, row->value_is_optional ? "\\fR]" : "\\fR");
    }
    text_add_string(out, "\n");
    write_paragraph(out, option_help(row));
    /* The words that it takes, a line each. Stages and formats have sections of their own, and
     * instruction sets are not the same on every machine. */
    const named_table *choices = row->choices;
    bool is_told_elsewhere = choices == &STAGES || choices == &FORMATS || choices == &ISAS;
    for (size_t i = 0; choices != NULL && !is_told_elsewhere && i < named_count(choices); i++) {
        const named *word = named_row(choices, i);
        text_add_string(out, ".br\n\\fB");
        write_roff(out, word->name, strlen(word->name));
        text_add_string(out, "\\fR: ");
        write_paragraph(out, word->help);
    }
    const char *words = topic_words(&OPTION_TEXTS, row->named.name);
    if (words != NULL)
        write_below(out, words);
}

/* Groups whose rows all stand below another heading have none here. */
static void write_all_options(text *out)
{
    for (size_t i = 0; i < OPTION_TITLE_COUNT; i++) {
        const option_title *title = &OPTION_TITLES[i];
        size_t rows = 0;
        for (size_t j = 0; j < OPTIONS.count; j++) {
            const option_row *row = option_row_at(j);
            if (row->group != title->group)
                continue;
            if (rows++ == 0) {
                text_add_format(out, ".SS %s\n", title->title);
                if (title->note != NULL)
                    write_paragraph(out, title->note);
            }
            write_option(out, row);
        }
    }
}

static void write_commands(text *out)
{
    for (size_t i = 0; i < COMMANDS.count; i++) {
        const command *of = command_at(i);
        bool is_default = i == 0;
        text_add_string(out, ".TP\n");
        text_add_string(out, is_default ? "\\fBselfattn\\fR [\\fB" : "\\fBselfattn ");
        text_add_string(out, of->named.name);
        text_add_string(out, is_default ? "\\fR] " : "\\fR ");
        write_roff(out, of->usage, strlen(of->usage));
        text_add_string(out, "\n");
        write_paragraph(out, of->named.help);
        write_below(out, topic_words(&COMMAND_TEXTS, of->named.name));
    }
}

/* A name, and below it its help. */
static void write_item(text *out, const char *name, const char *help, size_t indent)
{
    text_add_format(out, ".TP %zu\n\\fB", indent);
    write_roff(out, name, strlen(name));
    text_add_string(out, "\\fR\n");
    write_paragraph(out, help);
}

enum { ITEM_INDENT = 14, PEER_INDENT = 18 };

static void write_format(text *out, const format *of)
{
    static const struct {
        unsigned bit;
        const char *words;
    } HELD[] = {
        {HOLDS_VECTORS, "numbers and vectors"},
        {HOLDS_TRUTH, "true and false"},
        {HOLDS_HOLES, "holes (null)"},
        {HOLDS_LABELS, "the labels of the first one"},
        {HOLDS_TYPES, "float32 and float64 apart"},
        {HOLDS_METADATA, "the document's name and metadata"},
    };
    bool holds_all = (of->holds & HOLDS_ALL) != 0;
    text words = {0};
    text_add_format(&words, "%s: %s", of->endings,
                    holds_all                    ? "holds everything"
                    : of->holds & HOLDS_MATRICES ? "holds matrices by name"
                                                 : "holds one matrix, without its name");
    for (size_t j = 0; !holds_all && j < sizeof HELD / sizeof HELD[0]; j++) {
        if (of->holds & HELD[j].bit)
            text_add_format(&words, "; %s", HELD[j].words);
    }
    write_below(out, text_string(&words));
    text_close(&words, out);
    write_below(out, topic_words(&FORMAT_TEXTS, of->named.name));
}

/* Rows, and below each what else there is to say: of conventions the names that each has for our
 * keys. */
static void write_items(text *out, const named_table *of)
{
    text names = {0};
    for (size_t i = 0; i < named_count(of); i++) {
        const named *row = named_row(of, i);
        const char *help = of == &SCORES ? ((const score *)(const void *)row)->order : row->help;
        write_item(out, row->name, help, of == &PEERS ? PEER_INDENT : ITEM_INDENT);
        text_clear(&names);
        if (of == &STAGES) {
            const stage *made = (const stage *)(const void *)row;
            text_add_string(out, ".br\n");
            write_roff(out, made->formula, strlen(made->formula));
            text_add_string(out, "; ");
            topic_write_shape(out, made);
            text_add_string(out, "\n");
        } else if (of == &FORMATS)
            write_format(out, (const format *)(const void *)row);
        else if (of == &CONVENTIONS)
            convention_describe(&names, convention_at(i));
        else if (of == &LAYER_CONVENTIONS)
            layer_convention_describe(&names, layer_convention_at(i));
        else if (of == &MODEL_FAMILIES)
            model_family_describe(&names, (const model_family *)(const void *)row);
        if (names.length > 0)
            write_below(out, text_string(&names));
    }
    text_close(&names, out);
}

static void write_differences(text *out)
{
    for (size_t i = 0; i < DIFFERENCES.count; i++) {
        const named *row = named_row(&DIFFERENCES, i);
        text_add_format(out, ".SS %s: ", row->name);
        write_paragraph(out, row->help);
        for (size_t j = 0; j < PEERS.count; j++) {
            const peer *one = (const peer *)(const void *)named_row(&PEERS, j);
            write_item(out, one->named.name, one->cell[i].says, PEER_INDENT);
            if (one->cell[i].here == NULL)
                continue;
            text_add_string(out, ".br\n→ ");
            write_paragraph(out, one->cell[i].here);
        }
    }
}

static const slot ROWS[] = {
    {{"commands", NULL}, .write = write_commands},
    {{"options", NULL}, .write = write_all_options},
    {{"score functions", NULL}, &SCORES, write_items, NULL},
    {{"stages", NULL}, &STAGES, write_items, NULL},
    {{"keys", NULL}, &KEYS, write_items, NULL},
    {{"keys of a stack", NULL}, &STACK_KEYS, write_items, NULL},
    {{"keys of a layer", NULL}, &LAYER_KEYS, write_items, NULL},
    {{"keys of a norm", NULL}, &NORM_KEYS, write_items, NULL},
    {{"keys of embed", NULL}, &EMBED_KEYS, write_items, NULL},
    {{"keys of a head", NULL}, &HEAD_KEYS, write_items, NULL},
    {{"keys of an expert", NULL}, &FEED_FORWARD_KEYS, write_items, NULL},
    {{"routings", NULL}, &ROUTINGS, write_items, NULL},
    {{"orders of norms", NULL}, &NORM_ORDERS, write_items, NULL},
    {{"floors", NULL}, &FLOORS, write_items, NULL},
    {{"names", NULL}, &CONVENTIONS, write_items, NULL},
    {{"names of layers", NULL}, &LAYER_CONVENTIONS, write_items, NULL},
    {{"models", NULL}, &MODEL_FAMILIES, write_items, NULL},
    {{"operations", NULL}, &OPERATIONS, write_items, NULL},
    {{"formats", NULL}, &FORMATS, write_items, NULL},
    {{"programs", NULL}, &PEERS, write_items, NULL},
    {{"differences", NULL}, .write = write_differences},
    {{"mistakes", NULL}, &MISTAKES, write_items, NULL},
    {{"mistakes in a stack", NULL}, &STACK_MISTAKES, write_items, NULL},
    {{"arrangements", NULL}, &ARRANGEMENTS, write_items, NULL},
    {{"misprints", NULL}, &MISPRINTS, write_items, NULL},
};
const named_table MANUAL_SLOTS = NAMED_TABLE("slot", ROWS);

static void write_introduction(text *out)
{
    text_add_format(out, "%s\n", CONVENTIONS_TEXT);
}

/* Slots within sentences, which are filled before the sentences become roff. */
static const slot PHRASE_ROWS[] = {
    {{"introduction", NULL}, .write = write_introduction},
    {{"unfinished", NULL}, .write = unfinished_describe},
    {{"leftovers", NULL}, .write = leftovers_describe},
    {{"idle keys", NULL}, .write = config_keys_describe},
    {{"keys of models", NULL}, .write = config_keys_describe_all},
};
static const named_table PHRASES = NAMED_TABLE("slot", PHRASE_ROWS);

void manual_write(text *out, const shell *of)
{
    text plain = {0}, roff = {0};
    bool is_next = false;
    page_write(&plain, &(shell){.page = of->page, .slots = &PHRASES});
    /* A list has no lines between its items, and an end: a paragraph after it would be the last
     * item's. A paragraph that is not the first after a heading or a list begins with .PP. */
    for (const char *page = text_string(&plain); *page != '\0';) {
        const char *end = strstr(page, "\n\n");
        size_t length = end == NULL ? strlen(page) - 1 : (size_t)(end - page);
        bool is_list = strncmp(page, "- ", 2) == 0;
        bool is_words = *page != '#' && *page != '{' && !is_list;
        if (*page == '#') {
            text_add_format(&roff, ".SH %.*s\n", (int)length - 2, page + 2);
        } else if (is_words) {
            text_add_string(&roff, is_next ? ".PP\n" : "");
            write_words(&roff, page, length);
        } else {
            text_add_string(&roff, is_list ? ".PD 0\n" : "");
            for (const char *line = page; line < page + length; line += strcspn(line, "\n") + 1) {
                line += is_list ? 2 : 0;
                text_add_format(&roff, "%.*s\n", (int)strcspn(line, "\n"), line);
            }
            text_add_string(&roff, is_list ? ".PD\n.PP\n" : "");
        }
        is_next = is_words;
        page += end == NULL ? length + 1 : length + 2;
    }
    page_write(out, &(shell){.page = text_string(&roff), .slots = of->slots});
    text_close(&plain, out);
    text_close(&roff, out);
}
