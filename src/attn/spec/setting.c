#include "attn/spec/setting.h"

#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const double SETTING_MOST_COUNT = SIZE_MAX > UINT32_MAX ? 9007199254740992.0 : 4294967295.0;

bool setting_is_number(const entry *setting, double *value)
{
    if (setting->kind != ENTRY_TENSOR || setting->tensor.rank != 0)
        return false;
    *value = tensor_get(&setting->tensor, NULL);
    return true;
}

/* With its text, its number, or how long it is: parts of rope may be lists. */
static bool refuse(const entry *setting, const char *wanted, err *e)
{
    text shown = {0};
    char shape[SHAPE_TEXT];
    double number;
    if (setting->kind == ENTRY_TEXT)
        text_add_format(&shown, "\"%s\"", setting->text);
    else if (setting_is_number(setting, &number))
        text_add_format(&shown, "%g", number);
    else
        text_add_string(&shown, tensor_shape_text(&setting->tensor, shape));
    if (text_ok(&shown, e))
        err_at(e, &setting->at, "%s is %s, it must be %s", setting->name, text_string(&shown),
               wanted);
    text_free(&shown);
    return false;
}

enum { WANTED_TEXT = 96 }; /* words, and a number as %g has it */

bool setting_number(const entry *setting, double least, double *value, err *e)
{
    char wanted[WANTED_TEXT];
    if (setting_is_number(setting, value) && *value >= least)
        return true;
    snprintf(wanted, sizeof wanted, isinf(least) ? "a number" : "a number from %g", least);
    return refuse(setting, wanted, e);
}

const char *setting_up_to(double number)
{
    return number <= SETTING_MOST_COUNT ? ""
           : SIZE_MAX > UINT32_MAX      ? " to 9007199254740992"
                                        : " to 4294967295";
}

bool setting_count(const entry *setting, double least, size_t *value, err *e)
{
    char wanted[WANTED_TEXT];
    double number = 0;
    bool is_number = setting_is_number(setting, &number);
    if (is_number && number >= least && number <= SETTING_MOST_COUNT && number == floor(number)) {
        *value = (size_t)number;
        return true;
    }
    snprintf(wanted, sizeof wanted, "a whole number from %g%s", least, setting_up_to(number));
    return refuse(setting, wanted, e);
}

const named *setting_word(const entry *setting, const named_table *words, const char *or_else,
                          err *e)
{
    bool is_text = setting->kind == ENTRY_TEXT;
    const named *found = !is_text ? NULL : named_find(words, setting->text, strlen(setting->text));
    if (found != NULL)
        return found;
    text wanted = {0};
    named_list(words, &wanted);
    text_add_string(&wanted, or_else);
    bool is_told = text_ok(&wanted, e);
    if (is_told)
        refuse(setting, text_string(&wanted), e);
    text_free(&wanted);
    const named *near =
        !is_told || !is_text ? NULL : named_nearest(words, setting->text, strlen(setting->text));
    if (near != NULL)
        err_remedy(e, "did you mean \"%s\"?", near->name);
    return NULL;
}

bool setting_is_out_in(const entry *layout)
{
    return layout != NULL && layout->kind == ENTRY_TEXT && strcmp(layout->text, "out-in") == 0;
}

/* ---- words ---- */

/* The default, or what a bare `--causal` means, first. */
static const named CAUSAL_ROWS[] = {
    {"upper-left", "query i sees keys j ≤ i + offset"},
    {"lower-right", "query i sees keys j ≤ i + n_k − n_q"},
    {"none", "every query sees every key"},
    {"true", "upper-left"},
    {"false", "none"},
};

static const named LAYOUT_ROWS[] = {
    {"in-out", "weights are used as y = x·W: a row an input"},
    {"out-in", "weights are used as y = W·x: a row an output"},
};

static const named SCALE_ROWS[] = {
    {"none", "scores stay as they are"},
    {"head", "scores × 1/√d_k, d_k the width of a key per head"},
    {"embed", "scores × 1/√m, m the width of the input rows"},
};

/* As formulas and other programs write it. */
static const synonym SCALE_SYNONYMS[] = {
    {"sqrt", "head"},       {"1/sqrt", "head"},   {"1/sqrt(d_k)", "head"},
    {"1/√d_k", "head"},     {"sqrt_d_k", "head"}, {"1/sqrt(d)", "head"},
    {"1/sqrt(m)", "embed"}, {"1/√m", "embed"},    {"1/sqrt(d_model)", "embed"},
    {NULL, NULL},
};

static const named MASK_TRUE_ROWS[] = {
    {"attend", "true (or 1) in a mask: may attend"},
    {"masked", "true (or 1) in a mask: may not attend"},
};

static const named MASK_AXIS_ROWS[] = {
    {"batch", "the first axis of a mask counts batches"},
    {"head", "the first axis of a mask counts heads"},
};

static const named TRUTH_ROWS[] = {
    {"true", "do it"},
    {"false", "leave it"},
};

static const named DTYPE_ROWS[] = {
    {"f32", "float32, 24 bits: what run computes in"},
    {"f64", "float64, 53 bits: what check computes in"},
};

static const synonym DTYPE_SYNONYMS[] = {
    {"float32", "f32"}, {"float", "f32"},  {"single", "f32"}, {"fp32", "f32"}, {"<f4", "f32"},
    {"float64", "f64"}, {"double", "f64"}, {"fp64", "f64"},   {"<f8", "f64"},  {NULL, NULL},
};

static const named POSITIONS_ROWS[] = {
    {"sinusoidal", "sines and cosines of each row's position are added to x"},
    {"none", "x stays as it is"},
};

static const synonym POSITIONS_SYNONYMS[] = {
    {"sine", "sinusoidal"},
    {"sin", "sinusoidal"},
    {"true", "sinusoidal"},
    {NULL, NULL},
};

static const named PAIRING_ROWS[] = {
    {"half", "number p with number p + width/2"},
    {"interleaved", "number 2p + 1 with number 2p + 2, p from 0"},
};

/* After the models that have them, and as their code calls it. */
static const synonym PAIRING_SYNONYMS[] = {
    {"neox", "half"},        {"gpt-neox", "half"},     {"rotate_half", "half"},
    {"gptj", "interleaved"}, {"gpt-j", "interleaved"}, {NULL, NULL},
};

static const named QK_NORM_ROWS[] = {
    {"rms", "each head's vector / √(mean of its squares + qk_eps)"},
    {"rms-all", "the same of a row of all heads at once"},
    {"none", "queries and keys stay as they are"},
};

const named_table CAUSAL_WORDS = NAMED_TABLE("alignment", CAUSAL_ROWS);
const named_table LAYOUT_WORDS = NAMED_TABLE("layout", LAYOUT_ROWS);
const named_table SCALE_WORDS = NAMED_TABLE_ALSO("scale", SCALE_ROWS, SCALE_SYNONYMS);
const named_table MASK_TRUE_WORDS = NAMED_TABLE("meaning of true", MASK_TRUE_ROWS);
const named_table MASK_AXIS_WORDS = NAMED_TABLE("mask axis", MASK_AXIS_ROWS);
static const named FILL_ROWS[] = {{"ones", "1 for each number: what each adds to their sum"}};
static const named LOSS_ROWS[] = {
    {"sum", "the sum of all numbers of the output"},
    {"mean", "their mean"},
    {"square", "half the sum of the squares of output − target"},
    {"cross-entropy", "of layers: how far logits are from labels"},
    {"none", "no loss"},
};

const named_table FILL_WORDS = NAMED_TABLE("filling", FILL_ROWS);
const named_table LOSS_WORDS = NAMED_TABLE("loss", LOSS_ROWS);
const named_table TRUTH_WORDS = NAMED_TABLE("truth", TRUTH_ROWS);
const named_table POSITIONS_WORDS =
    NAMED_TABLE_ALSO("kind of positions", POSITIONS_ROWS, POSITIONS_SYNONYMS);
const named_table PAIRING_WORDS = NAMED_TABLE_ALSO("pairing", PAIRING_ROWS, PAIRING_SYNONYMS);
const named_table QK_NORM_WORDS = NAMED_TABLE("normalization", QK_NORM_ROWS);
const named_table DTYPE_WORDS = NAMED_TABLE_ALSO("type", DTYPE_ROWS, DTYPE_SYNONYMS);
