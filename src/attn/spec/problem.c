#include "attn/spec/problem.h"

#include "attn/spec/keys.h"
#include "attn/spec/setting.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The first keys are those of matrices, in the order of `input`. */
const char *input_key(input which)
{
    return named_row(&KEYS, which)->name;
}

const char *input_label(input which)
{
    static const char *const LABELS[INPUT_COUNT] = {
        [INPUT_WQ] = "Wq", [INPUT_WK] = "Wk",           [INPUT_WV] = "Wv",
        [INPUT_WO] = "Wo", [INPUT_WS] = "Ws",           [INPUT_WA] = "Wa",
        [INPUT_UA] = "Ua", [INPUT_WQ_DOWN] = "Wq_down", [INPUT_WKV_DOWN] = "Wkv_down",
    };
    return LABELS[which] != NULL ? LABELS[which] : input_key(which);
}

bool input_learns(input which)
{
    return (which >= INPUT_WQ && which <= INPUT_BO) ||
           (which >= INPUT_Q_GAIN && which <= INPUT_KV_LATENT_GAIN) ||
           (which >= INPUT_WS && which <= INPUT_BIAS_V);
}

input input_of_key(const char *key_name)
{
    input which = INPUT_X;
    while (which < INPUT_COUNT && strcmp(input_key(which), key_name) != 0)
        which++;
    return which;
}

bool problem_key_goes_back(const char *key_name)
{
    input which = input_of_key(key_name);
    return strcmp(key_name, "loss") == 0 || (which >= INPUT_OUTPUT_GRAD && which <= INPUT_TARGET);
}

place problem_place(const problem *p, const char *key_name)
{
    const entry *found = bundle_find(p->document, key_name);
    return found == NULL ? (place){0} : found->at;
}

/* x[i] = vocab[tokens[i]] */
static bool look_up_tokens(problem *p, const entry *vocab, err *e)
{
    const bundle *words = vocab->bundle;
    char shape[SHAPE_TEXT], first_shape[SHAPE_TEXT];
    if (words->count == 0)
        return err_at(e, &vocab->at, "the vocab is empty");
    const tensor *first = &words->entry[0].tensor;
    size_t size[2] = {p->tokens->count, first->rank == 1 ? first->size[0] : 0};
    p->at[INPUT_X] = problem_place(p, "tokens");
    if (!tensor_new(&p->looked_up, first->type, 2, size, e))
        return false;
    for (size_t i = 0; i < size[0]; i++) {
        const char *word = p->tokens->item[i];
        const entry *found = bundle_find(words, word);
        if (found == NULL)
            return err_at(e, &p->at[INPUT_X], "the token \"%s\" is not in the vocab", word);
        if (found->tensor.rank != 1)
            return err_at(e, &found->at, "the vocab's \"%s\" is %s, it must be one vector", word,
                          tensor_shape_text(&found->tensor, shape));
        if (!tensor_same_shape(&found->tensor, first))
            return err_at(e, &found->at, "the vocab's \"%s\" is %s, and its \"%s\" %s", word,
                          tensor_shape_text(&found->tensor, shape), words->entry[0].name,
                          tensor_shape_text(first, first_shape));
        tensor row = tensor_at(&p->looked_up, i);
        memcpy(row.data, found->tensor.data, size[1] * dtype_size(row.type));
    }
    p->in[INPUT_X] = &p->looked_up;
    return true;
}

/* ---- settings ---- */

typedef enum setting_kind { OTHER, COUNT, NUMBER, WORD } setting_kind;

/* A setting, and how it is read: a count or a number from `least`, or one of words, of which `yes`
 * is true, into the field of the problem that lies there; others by a function. */
typedef struct setting_row {
    named named;
    setting_kind kind;
    size_t to;
    double least;
    size_t said; /* the field that is true where it is said; 0: none is */
    const named_table *words;
    const char *yes;
    bool (*read)(problem *p, const entry *setting, err *e);
} setting_row;

static bool word_is(const named *word, const char *name)
{
    return strcmp(word->name, name) == 0;
}

static bool read_causal(problem *p, const entry *setting, err *e)
{
    const named *word = setting_word(setting, &CAUSAL_WORDS, "", e);
    if (word == NULL)
        return false;
    bool is_off = word_is(word, "none") || word_is(word, "false");
    p->causal = word_is(word, "lower-right") ? CAUSAL_LOWER_RIGHT
                : is_off                     ? CAUSAL_NONE
                                             : CAUSAL_UPPER_LEFT;
    p->alignment_is_named = !is_off && !word_is(word, "true");
    return true;
}

/* The whole numbers from `least` of a setting that is one number or a list of them. */
static bool check_counts(const entry *setting, double least, const char *wanted, err *e)
{
    const tensor *numbers = &setting->tensor;
    char shape[SHAPE_TEXT];
    if (setting->kind != ENTRY_TENSOR)
        return err_at(e, &setting->at, "%s is \"%s\", it must be %s", setting->name, setting->text,
                      wanted);
    if (numbers->rank > 1)
        return err_at(e, &setting->at, "%s is %s, it must be %s", setting->name,
                      tensor_shape_text(numbers, shape), wanted);
    for (size_t i = 0; i < tensor_count(numbers); i++) {
        double number = tensor_get(numbers, &i);
        if (!(number >= least && number <= SETTING_MOST_COUNT && number == floor(number)))
            return err_at(e, &setting->at, "%s[%zu] is %g, it must be a whole number from %g%s",
                          setting->name, i + 1, number, least, setting_up_to(number));
    }
    return true;
}

static size_t window_side(const tensor *sides, size_t which)
{
    double side = tensor_get(sides, &which);
    return side < 0 ? SIZE_MAX : (size_t)side;
}

static bool read_window(problem *p, const entry *setting, err *e)
{
    static const char WANTED[] = "two counts of keys, before and after, -1 being all";
    if (!check_counts(setting, -1, WANTED, e))
        return false;
    size_t sides = tensor_count(&setting->tensor);
    if (sides != 2)
        return err_at(e, &setting->at, "window has %zu number%s, it must be %s", sides,
                      sides == 1 ? "" : "s", WANTED);
    p->has_window = true;
    p->window_left = window_side(&setting->tensor, 0);
    p->window_right = window_side(&setting->tensor, 1);
    return true;
}

static bool read_key_lengths(problem *p, const entry *setting, err *e)
{
    p->key_lengths = &setting->tensor;
    return check_counts(setting, 0, "a count, or one a batch entry", e);
}

/* Where the first query stands, or where each of them does: what may be said of many is for the
 * plan. */
static bool read_offset(problem *p, const entry *setting, err *e)
{
    bool are_many = setting->kind == ENTRY_TENSOR && setting->tensor.rank > 0;
    p->has_offset = true;
    p->places = are_many ? setting : NULL;
    return are_many || setting_count(setting, 0, &p->offset, e);
}

static bool read_matrix(const entry *setting, const char *of_heads, const tensor **to, err *e)
{
    char shape[SHAPE_TEXT];
    *to = &setting->tensor;
    return setting->tensor.rank == 2 ||
           err_at(e, &setting->at, "%s is %s, it must be a matrix, a %s a head", setting->name,
                  tensor_shape_text(&setting->tensor, shape), of_heads);
}

static bool read_relative(problem *p, const entry *setting, err *e)
{
    return read_matrix(setting, "column", &p->relative, e);
}

static bool read_key_bias(problem *p, const entry *setting, err *e)
{
    return read_matrix(setting, "row", &p->key_bias, e);
}

static bool read_alibi(problem *p, const entry *setting, err *e)
{
    static const char WANTED[] = "true, false, or a slope a head";
    char shape[SHAPE_TEXT];
    bool is_word = setting->kind == ENTRY_TEXT;
    bool is_true = is_word && strcmp(setting->text, "true") == 0;
    if (is_word && !is_true && strcmp(setting->text, "false") != 0)
        return err_at(e, &setting->at, "alibi is \"%s\", it must be %s", setting->text, WANTED);
    if (!is_word && setting->tensor.rank > 1)
        return err_at(e, &setting->at, "alibi is %s, it must be %s",
                      tensor_shape_text(&setting->tensor, shape), WANTED);
    p->has_alibi = is_true || !is_word;
    p->slopes = is_word ? NULL : &setting->tensor;
    return true;
}

static bool read_scale(problem *p, const entry *setting, err *e)
{
    if (setting_is_number(setting, &p->scale_number)) {
        p->scale_kind = SCALE_NUMBER;
        return true;
    }
    const named *word = setting_word(setting, &SCALE_WORDS, ", or a number", e);
    if (word == NULL)
        return err_remedy(e, "head is 1/√d_k; of 1/√3, say, the number is 0.57735");
    p->scale_kind = word_is(word, "none")    ? SCALE_NONE
                    : word_is(word, "embed") ? SCALE_EMBED
                                             : SCALE_HEAD;
    return true;
}

static bool read_qk_norm(problem *p, const entry *setting, err *e)
{
    const named *word = setting_word(setting, &QK_NORM_WORDS, "", e);
    p->normalizes = word != NULL && !word_is(word, "none");
    p->norms_together = word != NULL && word_is(word, "rms-all");
    return word != NULL;
}

static bool read_above_0(const entry *setting, double *to, const char *without, err *e)
{
    if (!setting_is_number(setting, to))
        return err_at(e, &setting->at, "%s is \"%s\", it must be a number above 0", setting->name,
                      setting->text);
    if (*to > 0)
        return true;
    err_at(e, &setting->at, "%s is %g, it must be a number above 0", setting->name, *to);
    return err_remedy(e, "%s", without);
}

static bool read_softcap(problem *p, const entry *setting, err *e)
{
    return read_above_0(setting, &p->softcap, "without a softcap, scores are not capped", e);
}

static bool read_clip(problem *p, const entry *setting, err *e)
{
    return read_above_0(setting, &p->clip, "without a clip, products stay as they are", e);
}

static bool read_score(problem *p, const entry *setting, err *e)
{
    p->score = (const score *)(const void *)setting_word(setting, &SCORES, "", e);
    return p->score != NULL;
}

/* ---- rope, one of them ---- */

/* What may be said of it is for the plan, which knows how many rows there are. */
static bool read_rope_positions(problem *p, const entry *setting, err *e)
{
    p->rope.positions = setting;
    return setting->kind == ENTRY_TENSOR ||
           err_at(e, &setting->at, "%s is \"%s\", it must be a list of whole numbers",
                  setting->name, setting->text);
}

static bool read_rope_attention_factor(problem *p, const entry *setting, err *e)
{
    return read_above_0(setting, &p->rope.attention_factor,
                        "without it cosines and sines stay as they are", e);
}

/* Of how many pairs is for the plan, which knows how wide a head is. */
static bool read_rope_frequencies(problem *p, const entry *setting, err *e)
{
    bool is_list = setting->kind == ENTRY_TENSOR && setting->tensor.rank == 1;
    p->rope.frequencies = setting;
    return is_list ||
           err_at(e, &setting->at, "%s must be a list of numbers, one a pair", setting->name);
}

static bool read_row(problem *p, const setting_row *row, const entry *setting, err *e)
{
    void *to = (char *)p + row->to;
    const named *word;
    if (row->said > 0)
        *(bool *)(void *)((char *)p + row->said) = true;
    switch (row->kind) {
    case COUNT:
        return setting_count(setting, row->least, to, e);
    case NUMBER:
        return setting_number(setting, row->least, to, e);
    case WORD:
        word = setting_word(setting, row->words, "", e);
        *(bool *)to = word != NULL && word_is(word, row->yes);
        return word != NULL;
    default:
        return row->read(p, setting, e);
    }
}

#define AT(field) .to = offsetof(problem, field)

static const setting_row ROPE_PARTS[] = {
    {{"base", ""}, NUMBER, AT(rope.base), .least = 1},
    {{"pairing", ""}, WORD, AT(rope.is_interleaved), .words = &PAIRING_WORDS, .yes = "interleaved"},
    {{"width", ""}, COUNT, AT(rope.width), .least = 2, .said = offsetof(problem, rope.has_width)},
    {{"positions", ""}, .read = read_rope_positions},
    {{"frequencies", ""}, .read = read_rope_frequencies},
    {{"factor", ""}, NUMBER, AT(rope.factor), .least = 1},
    {{"length", ""}, COUNT, AT(rope.length), .least = 1},
    {{"attention_factor", ""}, .read = read_rope_attention_factor},
};

/* Messages call a part "rope.width". */
static bool read_rope_object(problem *p, const bundle *object, err *e)
{
    static const named_table PARTS = NAMED_TABLE("part of rope", ROPE_PARTS);
    for (size_t i = 0; i < object->count; i++) {
        const entry *one = &object->entry[i];
        const named *row = named_find(&PARTS, one->name, strlen(one->name));
        if (row == NULL) {
            err_at(e, &one->at, "rope has no \"%s\"", one->name);
            return err_remedy(e, "it has base, pairing, width, positions, frequencies, factor, "
                                 "length and attention_factor");
        }
        char name[32];
        entry setting = *one;
        snprintf(name, sizeof name, "rope.%s", row->name);
        setting.name = name;
        if (!read_row(p, (const setting_row *)(const void *)row, &setting, e))
            return false;
        if (p->rope.positions == &setting)
            p->rope.positions = one; /* which outlives this call */
        if (p->rope.frequencies == &setting)
            p->rope.frequencies = one;
    }
    const entry *base = bundle_find(object, "base"), *factor = bundle_find(object, "factor"),
                *length = bundle_find(object, "length");
    if ((factor == NULL) != (length == NULL))
        return err_at(e, factor != NULL ? &factor->at : &length->at,
                      "rope has a %s and no %s: both say how its base grows with the rows",
                      factor != NULL ? "factor" : "length", factor != NULL ? "length" : "factor");
    if (factor != NULL && p->rope.frequencies != NULL)
        return err_at(e, &factor->at, "rope has frequencies, and a factor for its base");
    return base == NULL || p->rope.frequencies == NULL ||
           err_at(e, &base->at, "rope has a base, and frequencies that say the same");
}

/* 10000 is the base of Su et al., RoFormer, 2021, as of the sinusoids before it. */
static bool read_rope(problem *p, const entry *setting, err *e)
{
    bool is_word = setting->kind == ENTRY_TEXT;
    p->rope.base = 10000;
    p->rope.attention_factor = 1;
    p->rope.is_asked =
        !is_word || (strcmp(setting->text, "false") != 0 && strcmp(setting->text, "none") != 0);
    if (setting->kind == ENTRY_BUNDLE)
        return read_rope_object(p, setting->bundle, e);
    if (is_word && (!p->rope.is_asked || strcmp(setting->text, "true") == 0))
        return true;
    if (is_word)
        return err_at(e, &setting->at,
                      "rope is \"%s\", it must be a base from 1, true, false, or an object",
                      setting->text);
    return setting_number(setting, 1, &p->rope.base, e);
}

/* N or N:keep-sum. */
static bool read_round(problem *p, const entry *setting, err *e)
{
    static const char WANTED[] = "it must be a count of decimals, or N:keep-sum";
    double decimals = -1;
    if (!setting_is_number(setting, &decimals)) {
        size_t digits = strspn(setting->text, "0123456789");
        if (digits > 0 && digits <= 2 && strcmp(setting->text + digits, ":keep-sum") == 0) {
            p->round_keeps_sum = true;
            decimals = digits == 1 ? setting->text[0] - '0'
                                   : (setting->text[0] - '0') * 10 + (setting->text[1] - '0');
        }
    }
    if (!(decimals >= 0 && decimals <= 99 && decimals == floor(decimals)))
        return setting->kind == ENTRY_TEXT
                   ? err_at(e, &setting->at, "round is \"%s\", %s", setting->text, WANTED)
                   : err_at(e, &setting->at, "round is %g, %s", decimals, WANTED);
    p->round_decimals = (int)decimals;
    return true;
}

static bool read_mask_axis(problem *p, const entry *setting, err *e)
{
    const named *word = setting_word(setting, &MASK_AXIS_WORDS, "", e);
    if (word == NULL)
        return false;
    p->mask_axis = word_is(word, "batch") ? MASK_AXIS_BATCH : MASK_AXIS_HEAD;
    return true;
}

static bool read_loss(problem *p, const entry *setting, err *e)
{
    const named *word = setting_word(setting, &LOSS_WORDS, "", e);
    if (word == NULL)
        return false;
    p->loss = word_is(word, "sum")             ? LOSS_SUM
              : word_is(word, "mean")          ? LOSS_MEAN
              : word_is(word, "square")        ? LOSS_SQUARE
              : word_is(word, "cross-entropy") ? LOSS_CROSS_ENTROPY
                                               : LOSS_NONE;
    return true;
}

static bool read_dtype(problem *p, const entry *setting, err *e)
{
    const named *word = setting_word(setting, &DTYPE_WORDS, "", e);
    p->type = word != NULL && word_is(word, "f64") ? DTYPE_F64 : DTYPE_F32;
    return word != NULL;
}

/* clang-format off */
static const setting_row SETTINGS[] = {
    {{"heads", ""}, COUNT, AT(heads), .least = 1},
    {{"kv_heads", ""}, COUNT, AT(kv_heads), .least = 1},
    {{"causal", ""}, .read = read_causal},
    {{"offset", ""}, .read = read_offset},
    {{"scale", ""}, .read = read_scale},
    {{"score", ""}, .read = read_score},
    {{"window", ""}, .read = read_window},
    {{"key_lengths", ""}, .read = read_key_lengths},
    {{"alibi", ""}, .read = read_alibi},
    {{"relative_bias", ""}, .read = read_relative},
    {{"key_bias", ""}, .read = read_key_bias},
    {{"relative_distance", ""}, COUNT, AT(relative_distance), .least = 2},
    {{"clip", ""}, .read = read_clip},
    {{"softcap", ""}, .read = read_softcap},
    {{"round", ""}, .read = read_round},
    {{"top", ""}, COUNT, AT(top), .least = 1},
    {{"add_zero", ""}, WORD, AT(adds_zero), .words = &TRUTH_WORDS, .yes = "true"},
    {{"mask_true", ""}, WORD, AT(mask_true_is_masked), .words = &MASK_TRUE_WORDS, .yes = "masked"},
    {{"mask_axis", ""}, .read = read_mask_axis},
    {{"layout", ""}, WORD, AT(layout_is_out_in), .words = &LAYOUT_WORDS, .yes = "out-in"},
    {{"loss", ""}, .read = read_loss},
    {{"dtype", ""}, .read = read_dtype},
    {{"qk_norm", ""}, .read = read_qk_norm},
    {{"qk_eps", ""}, NUMBER, AT(qk_eps)},
    {{"latent_eps", ""}, NUMBER, AT(latent_eps)},
    {{"positions", ""}, WORD, AT(adds_positions), .words = &POSITIONS_WORDS, .yes = "sinusoidal"},
    {{"rope", ""}, .read = read_rope},
    {{"rope_pairing", ""}, WORD, AT(rope.is_interleaved), .words = &PAIRING_WORDS,
     .yes = "interleaved"},
    {{"rope_width", ""}, COUNT, AT(rope.width), .least = 2,
     .said = offsetof(problem, rope.has_width)},
    {{"rope_positions", ""}, .read = read_rope_positions},
};
/* clang-format on */

/* ---- the whole ---- */

bool problem_read(problem *p, const bundle *document, err *e)
{
    *p = (problem){.document = document,
                   .score = score_default(),
                   .round_decimals = -1,
                   .qk_eps = 1e-6,
                   .latent_eps = 1e-6,
                   .relative_distance = 128};
    /* What is not there keeps its default. */
    for (size_t i = 0; i < sizeof SETTINGS / sizeof SETTINGS[0]; i++) {
        const entry *setting = bundle_find(document, SETTINGS[i].named.name);
        if (setting != NULL && !read_row(p, &SETTINGS[i], setting, e))
            return false;
    }
    /* More decimals than the type resolves in a weight would round nothing. */
    int most = p->type == DTYPE_F64 ? 15 : 7;
    if (p->round_decimals > most) {
        place at = problem_place(p, "round");
        err_at(e, &at, "round is %d decimals, %s resolves %d", p->round_decimals,
               dtype_name(p->type), most);
        return p->type == DTYPE_F32 && err_remedy(e, "--dtype f64 resolves 15");
    }
    for (input which = INPUT_X; which < INPUT_COUNT; which++) {
        const entry *found = bundle_find(document, input_key(which));
        if (found == NULL)
            continue;
        p->in[which] = &found->tensor;
        p->at[which] = found->at;
        p->stays[which] = found->stays;
        /* What came with a layout of its own keeps it. */
        p->is_out_in[which] = entry_is_out_in(found, p->layout_is_out_in);
    }
    const entry *grad = bundle_find(document, input_key(INPUT_OUTPUT_GRAD));
    if (grad != NULL && grad->kind == ENTRY_TEXT) {
        p->in[INPUT_OUTPUT_GRAD] = NULL;
        p->begins_with_ones = true;
        if (setting_word(grad, &FILL_WORDS, ", or a matrix as output is", e) == NULL)
            return false;
    }
    p->goes_back = p->begins_with_ones || p->loss != LOSS_NONE ||
                   p->in[INPUT_OUTPUT_GRAD] != NULL || p->in[INPUT_LOGSUMEXP_GRAD] != NULL;
    p->tokens = bundle_list(document, "tokens");
    p->key_tokens = bundle_list(document, "key_tokens");
    p->rows = bundle_find(document, "rows"); /* which there are is known later */
    const entry *vocab = bundle_find(document, "vocab");
    bool looks_up = vocab != NULL && p->tokens != NULL && p->in[INPUT_X] == NULL;
    return !looks_up || look_up_tokens(p, vocab, e);
}

bool problem_check_loss(const problem *p, err *e)
{
    place at = problem_place(p, "loss");
    bool is_given = p->in[INPUT_OUTPUT_GRAD] != NULL || p->begins_with_ones;
    if (p->loss != LOSS_NONE && is_given)
        return err_at(e, &p->at[INPUT_OUTPUT_GRAD], "output_grad is given, and the loss makes one");
    if (p->loss == LOSS_SQUARE && p->in[INPUT_TARGET] == NULL) {
        err_at(e, &at, "the loss square compares the output with a target, and none is given");
        return err_remedy(e, "give it as \"target\" in the document, or by --target FILE");
    }
    if (p->loss != LOSS_SQUARE && p->in[INPUT_TARGET] != NULL)
        return err_at(e, &p->at[INPUT_TARGET],
                      "target is given, and only the loss square compares with one");
    return true;
}

void problem_go_forward(problem *p)
{
    p->goes_back = p->begins_with_ones = false;
    p->loss = LOSS_NONE;
    p->in[INPUT_OUTPUT_GRAD] = p->in[INPUT_LOGSUMEXP_GRAD] = p->in[INPUT_TARGET] = NULL;
}

bool problem_has_inputs(const problem *p)
{
    return p->in[INPUT_X] != NULL || p->in[INPUT_XK] != NULL || p->in[INPUT_XV] != NULL ||
           p->in[INPUT_Q] != NULL || p->in[INPUT_K] != NULL || p->in[INPUT_V] != NULL;
}

void problem_free(problem *p)
{
    tensor_free(&p->looked_up);
}
