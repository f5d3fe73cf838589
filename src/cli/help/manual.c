#include "cli/help/completion.h"

#include "attn/keys.h"
#include "attn/operation.h"
#include "attn/stage.h"
#include "cli/help/help_topics.h"
#include "cli/help/texts.h"
#include "io/format.h"
#include "kernels/kernels.h"
#include "model/keys.h"
#include "model/parts.h"
#include "trace/step.h"
#include "weights/conventions.h"
#include "weights/refused.h"
#include "weights/told.h"
#include "why/arrangement.h"
#include "why/misprint.h"
#include "why/mistake.h"
#include "why/why_stack.h"

#include <string.h>

/* Bytes that roff would take for something else: a hyphen that must stay a minus, a backslash,
 * quotes at a line's start. */
static void write_roff(text *out, const char *words, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (words[i] == '-')
            text_add_string(out, "\\-");
        else if (words[i] == '\\')
            text_add_string(out, "\\e");
        else
            text_add(out, words + i, 1);
    }
}

/* Options and the program's name are bold wherever they are written. */
static void write_word(text *out, const char *word, size_t length)
{
    size_t bare = length;
    while (bare > 0 && strchr(".,;:)", word[bare - 1]) != NULL)
        bare--;
    bool is_bold = (bare > 2 && strncmp(word, "--", 2) == 0) ||
                   (bare == strlen("selfattn") && strncmp(word, "selfattn", bare) == 0);
    text_add_string(out, is_bold ? "\\fB" : "");
    write_roff(out, word, bare);
    text_add_string(out, is_bold ? "\\fR" : "");
    write_roff(out, word + bare, length - bare);
}

/* A paragraph of plain text, a sentence a line, as roff likes it. */
static void write_paragraph(text *out, const char *words)
{
    if (*words == '.' || *words == '\'')
        text_add_string(out, "\\&");
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        bool ends_sentence = length > 0 && words[length - 1] == '.';
        write_word(out, words, length);
        words += length;
        if (*words == ' ') {
            text_add_string(out, ends_sentence ? "\n" : " ");
            words++;
        }
    }
    text_add_string(out, "\n");
}

static void write_option_name(text *out, const option_row *row)
{
    if (row->letter != '\0')
        text_add_format(out, "\\fB\\-%c\\fR, ", row->letter);
    text_add_string(out, "\\fB");
    write_roff(out, "--", 2);
    write_roff(out, row->named.name, strlen(row->named.name));
    text_add_string(out, "\\fR");
    if (row->metavar == NULL)
        return;
    text_add_string(out, row->value_is_optional ? "[=\\fI" : " \\fI");
    write_roff(out, row->metavar, strlen(row->metavar));
    text_add_string(out, row->value_is_optional ? "\\fR]" : "\\fR");
}

/* Stages and formats have sections of their own, and instruction sets are not the same on every
 * machine. */
static bool is_told_elsewhere(const named_table *words)
{
    return words == &STAGES || words == &FORMATS || words == &ISAS;
}

/* The words that an option takes, a line each. */
static void write_choices(text *out, const option_row *row)
{
    if (row->choices == NULL || is_told_elsewhere(row->choices))
        return;
    for (size_t i = 0; i < row->choices->count; i++) {
        const named *word = named_row(row->choices, i);
        text_add_string(out, ".br\n\\fB");
        write_roff(out, word->name, strlen(word->name));
        text_add_string(out, "\\fR: ");
        write_paragraph(out, word->help);
    }
}

static void write_option(text *out, const option_row *row)
{
    text_add_string(out, ".TP\n");
    write_option_name(out, row);
    text_add_string(out, "\n");
    write_paragraph(out, option_help(row));
    write_choices(out, row);
    const char *words = topic_words(&OPTION_TEXTS, row->named.name);
    if (words != NULL) {
        text_add_string(out, ".br\n");
        write_paragraph(out, words);
    }
}

/* Groups whose rows all stand below another heading have none here. */
static bool has_rows(const option_title *title)
{
    size_t index = 0;
    const option_row *row;
    while ((row = option_next(NULL, &index)) != NULL && row->group != title->group)
        ;
    return row != NULL;
}

static void write_group(text *out, const option_title *title)
{
    size_t index = 0;
    text_add_format(out, ".SS %s\n", title->title);
    if (title->note != NULL)
        write_paragraph(out, title->note);
    for (const option_row *row; (row = option_next(NULL, &index)) != NULL;) {
        if (row->group == title->group)
            write_option(out, row);
    }
}

static void write_usage(text *out, const command *of, bool is_default)
{
    text_add_string(out, ".TP\n");
    text_add_string(out, is_default ? "\\fBselfattn\\fR [\\fB" : "\\fBselfattn ");
    text_add_string(out, of->named.name);
    text_add_string(out, is_default ? "\\fR] " : "\\fR ");
    write_roff(out, of->usage, strlen(of->usage));
    text_add_string(out, "\n");
}

static void write_commands(text *out)
{
    text_add_string(out, ".SH COMMANDS\n");
    for (size_t i = 0; i < COMMANDS.count; i++) {
        write_usage(out, command_at(i), i == 0);
        write_paragraph(out, command_at(i)->named.help);
        text_add_string(out, ".br\n");
        write_paragraph(out, topic_words(&COMMAND_TEXTS, command_at(i)->named.name));
    }
}

static void write_item(text *out, const named *row)
{
    text_add_string(out, ".TP 14\n\\fB");
    write_roff(out, row->name, strlen(row->name));
    text_add_string(out, "\\fR\n");
    write_paragraph(out, row->help);
}

/* Items without lines between them, and an end: a paragraph behind it would be the last item's. */
static void begin_packed(text *out)
{
    text_add_string(out, ".PD 0\n");
}

static void end_packed(text *out)
{
    text_add_string(out, ".PD\n.PP\n");
}

/* One that is not the first behind a heading or a list. */
static void write_next_paragraph(text *out, const char *words)
{
    text_add_string(out, ".PP\n");
    write_paragraph(out, words);
}

static void write_items(text *out, const named_table *table)
{
    for (size_t i = 0; i < named_count(table); i++)
        write_item(out, named_row(table, i));
}

static void write_packed(text *out, const named_table *table)
{
    begin_packed(out);
    write_items(out, table);
    end_packed(out);
}

static void write_stages(text *out)
{
    text_add_string(out, ".SH STAGES\n");
    write_paragraph(out, "The names are the same for --emit, --write, --trace, in \"expected\", in "
                         "files and in messages. n_q, n_k: number of queries, of keys; m: width of "
                         "the input rows; h, g: heads, key/value heads; d_k, d_v: width of a key "
                         "and of a value per head; b: batch. The axis b is there only with a "
                         "batch, h only where heads were asked for; c is the width of what is "
                         "compared.");
    for (size_t i = 0; i < STAGES.count; i++) {
        const stage *row = (const stage *)(const void *)named_row(&STAGES, i);
        write_item(out, &row->key.named);
        text_add_string(out, ".br\n");
        write_roff(out, row->formula, strlen(row->formula));
        text_add_string(out, "; ");
        topic_write_shape(out, row);
        text_add_string(out, "\n");
    }
}

static void write_keys(text *out)
{
    text_add_string(out, ".SH DOCUMENTS\n");
    write_paragraph(out, "A problem document is a JSON object with the keys below. Matrices are "
                         "arrays of rows; where one matrix is wanted, a file may also be a bare "
                         "array. Unknown keys are errors, except those that begin with _. Options "
                         "override keys, and --no-KEY removes one.");
    write_packed(out, &KEYS);
}

/* What a document of layers is, and how its rows come about. */
static void write_layer_documents(text *out)
{
    write_paragraph(
        out,
        "A document of encode and decode is a problem document with layers, and "
        "the keys below. A layer is an object with the keys of its attention and "
        "of a layer; settings of either stand at the top for all layers, and a "
        "layer's own win, for its cross-attention too where cross says nothing "
        "else: heads, kv_heads, scale, score, softcap, qk_norm, qk_eps, layout, "
        "round, mask_true, top and add_zero. What says where rows stand, or what they see, is of "
        "self-attention alone. An option stands at the top too: a note says where a "
        "layer overrules it. A feed-forward part is there where its weights are. "
        "check computes such a document as decode does where it has a memory, "
        "else as encode does; a memory that no layer has a cross for is refused.");
    write_next_paragraph(out,
                         "generate counts its rows itself, from 0, and their keys become more with "
                         "each step; so it refuses what a stream refuses: offset, mask, bias, "
                         "key_lengths, bias_k, bias_v, add_zero, causal lower-right, and "
                         "self-attention that is not causal; and rope_positions. In "
                         "cross-attention, whose keys are there from the first step on, it "
                         "refuses a mask or a bias of each query, rope_positions and causal "
                         "lower-right. With --allow-nonfinite, a logit that "
                         "is NaN is less than any number; with --temperature there are no "
                         "probabilities then, nor with an infinite one, which is an error.");
    write_next_paragraph(out,
                         "Rows that are given as x are taken to have their segments and positions: "
                         "a segment_embedding or position_embedding that --bundle finds by itself "
                         "is added to rows that tokens or ids look up, and to x only where --map "
                         "or the document names it. The row of the segment is added first, then "
                         "the position's.");
}

static void write_layers(text *out)
{
    text_add_string(out, ".SH LAYERS\n");
    write_layer_documents(out);
    begin_packed(out);
    write_items(out, &STACK_KEYS);
    write_items(out, &LAYER_KEYS);
    end_packed(out);
    write_paragraph(out, "A norm is an object of its own:");
    write_packed(out, &NORM_KEYS);
    write_paragraph(out, "The orders of norms are these. Seed 003 leaves open what its masked "
                         "self-attention is, and it is read as causal self-attention of x without "
                         "a residual; its other attention is cross-attention over the memory, the "
                         "same for all layers.");
    write_packed(out, &NORM_ORDERS);
    write_paragraph(out,
                    "Stages are named by the way to them, counted from 0: embedded; "
                    "ln_e; layer.0.ln1; layer.0.attention.weights and every other stage of that "
                    "attention, and its mean_weights, the mean over the heads; "
                    "layer.0.attention_sum, with what the part was given added; "
                    "layer.0.cross.weights; layer.0.ffn.hidden, gate, activated and output; "
                    "layer.0.output; rollout; ln_f; output. "
                    "Attention rollout (Abnar and Zuidema, Quantifying attention flow in "
                    "transformers, 2020) is how much of each row behind the layers comes from "
                    "each row before them: the product A_L ... A_1 of A = 0.5 W + 0.5 I, "
                    "where W is a self-attention's mean_weights. It is there where each "
                    "self-attention is over the rows that go in, and has a residual.");
    write_next_paragraph(
        out, "--trace=STEP and --blank take the steps of attention, which are then those of every "
             "attention, and these:");
    write_packed(out, &FLOORS);
    write_paragraph(
        out,
        "They also take a part by its name, in all layers: ln1, attention, "
        "attention_sum, cross, ffn, ln_e, ln_f. And by the way to it: layer.0, "
        "layer.0.ln1, layer.0.attention, layer.0.attention.softmax or "
        "layer.0.attention.weights, where * stands for anything: "
        "layer.*.attention.mask. layer.0.output is the step that ends the layer, "
        "and mean_weights, named, stand with the softmax. Steps of generate go before it, from 0: "
        "step.1.layer.0.ln1, step.1.logits. --focus row=I is a row of the prompt, "
        "whose last one is the default; a step behind it has one row.");
}

static void write_conventions(text *out)
{
    text names = {0};
    text_add_string(out, ".SH BUNDLES\n");
    write_paragraph(out,
                    "The names under which --bundle finds Wq, Wk, Wv, Wo and their biases, each "
                    "behind the name of a layer, such as h.0.attn; in a file a / may stand for "
                    "each point, and :0 at the end. Biases may lack; weights may not, unless "
                    "--map, the document or --no-KEY says so. Weights of rank 3 with the names "
                    "of keras, keras-file, flax and bert-tf are m × h × d, and Wo is h × d × m: "
                    "they say how many heads there are; with other names --heads does. Where "
                    "q_gain and k_gain have names, queries and keys are normalized (--qk-norm "
                    "rms), unless it is said otherwise; a gain as long as all heads together is "
                    "of another norm, and refused. What is refused beside them takes part in the "
                    "attention and is not computed from there, unless --map, an option or the "
                    "document gives the key that says the same (q_gain, k_gain, bias), or "
                    "--no-KEY leaves it out.");
    text_add_string(&names,
                    "Weights are refused that are quantised or lack an adapter, as names beside "
                    "q_proj.weight or in its place show (q_proj.SCB): ");
    unfinished_describe(&names);
    text_add_string(&names, ". They are to be dequantised or merged first. "
                            "Of a model in several files --bundle takes the one that has the "
                            "layer; given their index, it says which that is.");
    write_paragraph(out, text_string(&names));
    begin_packed(out);
    for (size_t i = 0; i < CONVENTIONS.count; i++) {
        write_item(out, named_row(&CONVENTIONS, i));
        text_add_string(out, ".br\n");
        text_clear(&names);
        convention_describe(&names, convention_at(i));
        write_paragraph(out, text_string(&names));
    }
    end_packed(out);
    out->failed = out->failed || names.failed;
    text_free(&names);
}

static void write_layer_conventions(text *out)
{
    text names = {0};
    write_paragraph(
        out, "encode, decode and generate find layers 0, 1, 2, … as long as there are such names: "
             "--prefix h.{} says where, and without {} they are the only ones behind "
             "the prefix; one layer has no number, or is picked out of many by --prefix h.3. "
             "Attention has the names above, within the layer as said "
             "below; its matrices say which way those of the feed-forward part lie. "
             "Norms end with weight, gamma or scale, and bias or beta. Settings that "
             "the names imply are defaults, which options and the document go over; "
             "the document's layers, where it has any, are as many, and keep what they "
             "say. Positions are added where no x is given, from row 0 of a table that is given: "
             "those of BART and OPT begin with two rows that are no position's. "
             "Heads, rope, and an eps that is not said below are in no such file.");
    text_add_string(&names, "What one layer has all have, and what else a layer has is refused "
                            "unless --map says which key it is, or --map none=NAME leaves it out, "
                            "but for what ends with ");
    leftovers_describe(&names);
    text_add_string(&names, ", or is said below to be without a part.");
    write_paragraph(out, text_string(&names));
    begin_packed(out);
    for (size_t i = 0; i < LAYER_CONVENTIONS.count; i++) {
        write_item(out, named_row(&LAYER_CONVENTIONS, i));
        text_add_string(out, ".br\n");
        text_clear(&names);
        layer_convention_describe(&names, layer_convention_at(i));
        write_paragraph(out, text_string(&names));
    }
    end_packed(out);
    out->failed = out->failed || names.failed;
    text_free(&names);
}

static void write_cell(text *out, const peer *of, size_t which)
{
    const peer_cell *cell = &of->cell[which];
    text_add_string(out, ".TP 18\n\\fB");
    write_roff(out, of->named.name, strlen(of->named.name));
    text_add_string(out, "\\fR\n");
    write_paragraph(out, cell->says);
    if (cell->here == NULL)
        return;
    text_add_string(out, ".br\n→ ");
    write_paragraph(out, cell->here);
}

static void write_peers(text *out)
{
    text_add_string(out, ".SH CONVENTIONS\n");
    write_paragraph(out, CONVENTIONS_TEXT);
    begin_packed(out);
    for (size_t i = 0; i < PEERS.count; i++) {
        const named *row = named_row(&PEERS, i);
        text_add_string(out, ".TP 18\n\\fB");
        write_roff(out, row->name, strlen(row->name));
        text_add_string(out, "\\fR\n");
        write_paragraph(out, row->help);
    }
    for (size_t i = 0; i < DIFFERENCES.count; i++) {
        const named *row = named_row(&DIFFERENCES, i);
        text_add_format(out, ".SS %s: ", row->name);
        write_paragraph(out, row->help);
        for (size_t j = 0; j < PEERS.count; j++)
            write_cell(out, (const peer *)(const void *)named_row(&PEERS, j), i);
    }
    end_packed(out);
}

static void write_mistakes(text *out)
{
    text_add_string(out, ".SH MISTAKES\n");
    write_paragraph(out, "What check --why tries, in this order: of mistakes that explain numbers "
                         "equally well, the first is named first.");
    write_packed(out, &MISTAKES);
    write_paragraph(out, "Of a document of layers, first these, in the whole stack, then those "
                         "above, in all of its attentions; where "
                         "none gives the numbers, each of them in one layer alone. A generation is "
                         "computed again with each of them, and goes on with what it then "
                         "chooses:");
    write_packed(out, &STACK_MISTAKES);
    write_paragraph(out, "And where the numbers of a stage are of another shape than they "
                         "should be, alone or with one of these mistakes:");
    write_packed(out, &ARRANGEMENTS);
    write_paragraph(out,
                    "Where none gives the numbers, and those that differ are few, and no whole "
                    "row, column, head or stage:");
    write_packed(out, &MISPRINTS);
}

static void write_traces(text *out)
{
    text_add_string(out, ".SH TRACES AS DATA\n");
    write_paragraph(out, "--trace-format json writes an object. Its list steps has what the text "
                         "shows, with the numbers of each worked line; of says which node's cell "
                         "it works out, cell which head, row and column. Its list nodes has every "
                         "matrix of the run, in full precision, and what its cells are made of, so "
                         "that any program can compute the trace again.");
    write_next_paragraph(out,
                         "A node has its name, its shape (heads, rows, columns), its values, "
                         "and, where the run made it, the operation with its operands a, b, c "
                         "and d. An operand is a part of another node: of cell [i,j], row-i, "
                         "row-j or column-j, the cell itself, of-row [i,1], of-column [1,j], "
                         "the number, the partner of its pair of columns, or the number "
                         "of-pair; above and below are [i,j] where there are such rows; "
                         "of-heads is [i,j] of all heads, and of-focus is the weight that the "
                         "query in focus gives to key i. A letter j is the cell's column, counted "
                         "from 1. Heads may lie side by side, in slices. "
                         "The last rows may be appended, and the last columns untouched.");
    write_next_paragraph(out, "The operations:");
    write_packed(out, &OPERATIONS);
}

void manual_write(text *out)
{
    write_commands(out);
    text_add_string(out, ".SH OPTIONS\n");
    for (size_t i = 0; i < OPTION_TITLE_COUNT; i++) {
        if (has_rows(&OPTION_TITLES[i]))
            write_group(out, &OPTION_TITLES[i]);
    }
}

void manual_write_document(text *out)
{
    write_stages(out);
    write_keys(out);
    write_layers(out);
    write_conventions(out);
    write_layer_conventions(out);
    write_traces(out);
}

void manual_write_contract(text *out)
{
    write_peers(out);
    write_mistakes(out);
}
