#include "attn/spec/words.h"

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
    {"none", "queries and keys stay as they are"},
};

const named_table CAUSAL_WORDS = NAMED_TABLE("alignment", CAUSAL_ROWS);
const named_table LAYOUT_WORDS = NAMED_TABLE("layout", LAYOUT_ROWS);
const named_table SCALE_WORDS = NAMED_TABLE_ALSO("scale", SCALE_ROWS, SCALE_SYNONYMS);
const named_table MASK_TRUE_WORDS = NAMED_TABLE("meaning of true", MASK_TRUE_ROWS);
const named_table MASK_AXIS_WORDS = NAMED_TABLE("mask axis", MASK_AXIS_ROWS);
const named_table TRUTH_WORDS = NAMED_TABLE("truth", TRUTH_ROWS);
const named_table POSITIONS_WORDS =
    NAMED_TABLE_ALSO("kind of positions", POSITIONS_ROWS, POSITIONS_SYNONYMS);
const named_table PAIRING_WORDS = NAMED_TABLE_ALSO("pairing", PAIRING_ROWS, PAIRING_SYNONYMS);
const named_table QK_NORM_WORDS = NAMED_TABLE("normalization", QK_NORM_ROWS);
const named_table DTYPE_WORDS = NAMED_TABLE_ALSO("type", DTYPE_ROWS, DTYPE_SYNONYMS);
