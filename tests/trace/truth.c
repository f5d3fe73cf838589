#include "truth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const tensor *truth_kept(const truth *t, const char *name)
{
    return bundle_tensor(&t->stages, name);
}

const tensor *truth_input(const truth *t, const char *name)
{
    return bundle_tensor(&t->document, name);
}

bool truth_has(const truth *t, const char *name)
{
    return bundle_find(&t->document, name) != NULL;
}

double number_at(const tensor *t, size_t row, size_t column)
{
    return tensor_get(t, (size_t[]){row, column});
}

double number_of(const tensor *t, size_t index)
{
    return tensor_get(t, &index);
}

/* ---- settings ---- */

const char *truth_word(const truth *t, const char *name)
{
    const char *word = bundle_text(&t->document, name);
    return word == NULL ? "" : word;
}

bool truth_number(const truth *t, const char *name, double *value)
{
    const tensor *number = truth_input(t, name);
    if (number == NULL || number->rank != 0)
        return false;
    *value = tensor_get(number, NULL);
    return true;
}

size_t truth_count(const truth *t, const char *name, size_t otherwise)
{
    double number;
    return truth_number(t, name, &number) ? (size_t)number : otherwise;
}

bool truth_is_causal(const truth *t)
{
    const char *word = truth_word(t, "causal");
    return *word != '\0' && strcmp(word, "none") != 0 && strcmp(word, "false") != 0;
}

size_t truth_length(const truth *t)
{
    const tensor *lengths = truth_input(t, "key_lengths");
    if (lengths == NULL)
        return t->own;
    size_t batch = t->how.batch;
    return (size_t)tensor_get(lengths, &batch);
}

long truth_window(const truth *t, size_t side)
{
    const tensor *window = truth_input(t, "window");
    return window == NULL ? -1 : (long)tensor_get(window, &side);
}

long truth_place(const truth *t)
{
    bool is_lower = strcmp(truth_word(t, "causal"), "lower-right") == 0;
    return (long)t->how.row + (is_lower ? (long)truth_length(t) - (long)t->n_q
                                        : (long)truth_count(t, "offset", t->n_k - t->n_new));
}

/* Counted key by key. */
size_t truth_visible(const truth *t)
{
    long own = truth_place(t), left = truth_window(t, 0), right = truth_window(t, 1);
    tensor masked = truth_stage(t, "masked", t->how.head);
    size_t seen = 0;
    for (long j = 0; j < (long)truth_length(t); j++) {
        bool is_late = (truth_is_causal(t) && j > own) || (right >= 0 && j > own + right);
        bool is_out = tensor_get(&masked, (size_t[]){t->how.row, (size_t)j}) == -INFINITY;
        seen += !is_late && !is_out && !(left >= 0 && j < own - left);
    }
    return seen;
}

/* Given, or published: 2^(−8i/h), for the heads beyond a power of two every second one of twice as
 * many. */
truth_power truth_slope_power(const truth *t)
{
    size_t head = t->how.head, below = 1;
    if (truth_input(t, "alibi") != NULL)
        return (truth_power){0};
    while (below * 2 <= t->heads)
        below *= 2;
    return head < below ? (truth_power){head + 1, below}
                        : (truth_power){2 * (head - below) + 1, 2 * below};
}

double truth_slope(const truth *t)
{
    const tensor *given = truth_input(t, "alibi");
    truth_power power = truth_slope_power(t);
    size_t head = t->how.head;
    return given != NULL ? tensor_get(given, &head)
                         : pow(2, -8.0 * (double)power.index / (double)power.count);
}

double truth_scale(const truth *t)
{
    const char *score = truth_word(t, "score"), *word = truth_word(t, "scale");
    double number;
    if (truth_number(t, "scale", &number))
        return number;
    bool is_scaled = *word == '\0' && (*score == '\0' || strcmp(score, "scaled") == 0);
    if (is_scaled || strcmp(word, "head") == 0)
        return 1 / sqrt((double)t->d_k);
    const tensor *x = truth_kept(t, "x");
    return strcmp(word, "embed") == 0 ? 1 / sqrt((double)x->size[x->rank - 1]) : 1;
}

const char *truth_unmasked(const truth *t)
{
    return truth_has(t, "softcap") ? "capped" : truth_scale(t) == 1 ? "scores" : "scaled";
}

/* Queries and new keys are made of the same rows, and have one name. */
static bool is_self(const truth *t)
{
    return truth_input(t, "q") == NULL && truth_input(t, "xk") == NULL &&
           truth_input(t, "k") == NULL;
}

const text_list *truth_tokens(const truth *t, bool of_keys)
{
    const entry *keys = bundle_find(&t->document, "key_tokens");
    const entry *own = bundle_find(&t->document, "tokens");
    if (of_keys && t->keys.count > 0)
        return &t->keys;
    bool is_named = is_self(t) && t->n_new == t->n_k;
    const entry *found = !of_keys ? own : keys != NULL ? keys : is_named ? own : NULL;
    return found == NULL ? NULL : &found->list;
}

const text_list *truth_value_tokens(const truth *t)
{
    return t->values.count > 0 ? &t->values : truth_tokens(t, true);
}

const text_list *truth_new_tokens(const truth *t)
{
    return t->n_new == t->n_k ? truth_tokens(t, true) : is_self(t) ? truth_tokens(t, false) : NULL;
}

const text_list *truth_new_value_tokens(const truth *t)
{
    return t->n_new == t->n_k ? truth_value_tokens(t) : truth_new_tokens(t);
}

const char *truth_last_form(const truth *t, char which)
{
    static const char *const FORMS[] = {"present_k", "k_rope", "k_norm", "k", "present_v",
                                        "v",         "q_rope", "q_norm", "q"};
    for (size_t i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++) {
        const char *name = FORMS[i];
        char of =
            strncmp(name, "present_", strlen("present_")) == 0 ? name[strlen("present_")] : name[0];
        if (of == which && truth_kept(t, name) != NULL)
            return name;
    }
    return "";
}

const char *truth_source(const truth *t, char which)
{
    char given[] = {which, '\0'};
    if (truth_input(t, given) != NULL)
        return NULL;
    if (which == 'v' && truth_input(t, "xv") != NULL)
        return "xv";
    if (which != 'q' && truth_input(t, "xk") != NULL)
        return "xk";
    return truth_kept(t, "x_pos") != NULL ? "x_pos" : "x";
}

size_t truth_kv_head(const truth *t, size_t head)
{
    return head / (t->heads / t->kv_heads);
}

size_t truth_key_row(const truth *t)
{
    return t->how.row < t->n_new - (t->n_k - t->own) ? t->how.row : 0;
}

/* ---- matrices ---- */

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (strcmp(name, *names) == 0)
            return true;
    }
    return false;
}

static bool has_head_axis(const char *name)
{
    static const char *const WITHOUT[] = {"x",      "x_pos",     "xk",        "xv",     "q",
                                          "k",      "past_k",    "past_v",    "v",      "context",
                                          "output", "present_k", "present_v", "q_norm", "k_norm",
                                          "q_rope", "k_rope",    NULL};
    return !is_one_of(name, WITHOUT);
}

static bool is_key_or_value(const char *name)
{
    static const char *const SHARED[] = {"k",      "v",         "wk",        "wv",     "bk",
                                         "bv",     "present_k", "present_v", "past_k", "past_v",
                                         "k_norm", "k_gain",    "k_rope",    NULL};
    return is_one_of(name, SHARED);
}

static tensor of_batch(const truth *t, const char *name)
{
    const tensor *found = truth_kept(t, name);
    bool is_past = strncmp(name, "past_", strlen("past_")) == 0;
    if (found == NULL && (*name == 'x' || is_past)) /* an x out of which no queries come */
        found = truth_input(t, name);
    if (found == NULL)
        return (tensor){0};
    int rank = strcmp(name, "weighted") == 0 ? 3 : 2; /* of one head */
    rank += t->has_heads && has_head_axis(name);
    bool has_axis = t->has_batch && found->rank > rank;
    return has_axis ? tensor_at(found, found->size[0] == 1 ? 0 : t->how.batch)
                    : tensor_view_of(found);
}

tensor truth_rows(const truth *t, const char *name)
{
    return of_batch(t, name);
}

tensor truth_joined(const truth *t, const char **name)
{
    *name = t->joined.data == NULL || t->heads == 1 ? "context" : "joined";
    return t->joined.data == NULL ? of_batch(t, "context") : tensor_view_of(&t->joined);
}

tensor truth_stage(const truth *t, const char *name, size_t head)
{
    tensor rows = of_batch(t, name);
    if (rows.data == NULL || !t->has_heads)
        return rows;
    size_t of = is_key_or_value(name) ? truth_kv_head(t, head) : head;
    if (has_head_axis(name) || rows.rank == 3)
        return tensor_at(&rows, of);
    size_t width = rows.size[1] / (is_key_or_value(name) ? t->kv_heads : t->heads);
    return tensor_range(&rows, 1, of * width, width);
}

tensor truth_weight(const truth *t, const char *name)
{
    const tensor *given = truth_input(t, name);
    if (given == NULL)
        return (tensor){0};
    tensor used = t->is_out_in ? tensor_transposed(given) : tensor_view_of(given);
    if (strcmp(name, "wo") == 0 && used.rank == 3) /* one a head: below each other */
        used = (tensor){.type = used.type,
                        .rank = 2,
                        .size = {used.size[0] * used.size[1], used.size[2]},
                        .stride = {used.stride[1], 1},
                        .data = used.data};
    return used;
}

tensor truth_weight_of_head(const truth *t, const char *name, size_t head)
{
    tensor all = truth_weight(t, name);
    size_t of = is_key_or_value(name) ? truth_kv_head(t, head) : head;
    if (all.data == NULL)
        return all;
    if (all.rank == 3)
        return tensor_at(&all, of);
    static const char *const CUT[] = {"wq", "wk", "wv", NULL};
    if (!is_one_of(name, CUT))
        return all;
    size_t width = all.size[1] / (is_key_or_value(name) ? t->kv_heads : t->heads);
    return tensor_range(&all, 1, of * width, width);
}

tensor truth_vector(const truth *t, const char *name, size_t count, size_t head)
{
    const tensor *given = truth_input(t, name);
    if (given == NULL)
        return (tensor){0};
    size_t of = is_key_or_value(name) ? truth_kv_head(t, head) : head;
    size_t first = tensor_count(given) > count ? of * count : 0;
    return (tensor){.type = given->type,
                    .rank = 1,
                    .size = {count},
                    .stride = {1},
                    .data = (char *)given->data + first * dtype_size(given->type)};
}

/* A part of rope: inside its object, or the key rope_NAME beside it. */
static const entry *rope_part(const truth *t, const char *name)
{
    char beside[32];
    const entry *rope = bundle_find(&t->document, "rope");
    snprintf(beside, sizeof beside, "rope_%s", name);
    const entry *own = bundle_find(&t->document, beside);
    bool is_object = rope != NULL && rope->kind == ENTRY_BUNDLE;
    return own != NULL || !is_object ? own : bundle_find(rope->bundle, name);
}

static double rope_number(const truth *t, const char *name, double otherwise)
{
    const entry *found = rope_part(t, name);
    return found == NULL ? otherwise : tensor_get(&found->tensor, NULL);
}

truth_turns truth_rope(const truth *t)
{
    const entry *pairing = rope_part(t, "pairing");
    truth_turns turns = {.base = rope_number(t, "base", 10000),
                         .width = (size_t)rope_number(t, "width", (double)t->d_k)};
    truth_number(t, "rope", &turns.base);
    turns.is_interleaved = pairing != NULL && strcmp(pairing->text, "interleaved") == 0;
    return turns;
}

double truth_position(const truth *t, bool is_key)
{
    const entry *said = rope_part(t, "positions");
    size_t row = is_key ? truth_key_row(t) : t->how.row, past = t->n_k - t->n_new;
    if (said == NULL)
        return is_key ? (double)(row + past) : (double)truth_place(t);
    size_t keys = t->n_new - (t->n_k - t->own);
    row += is_key && said->tensor.size[0] != keys ? t->n_q : 0;
    return number_of(&said->tensor, row);
}

tensor truth_gain(const truth *t, char which, size_t head)
{
    char name[] = {which, '_', 'g', 'a', 'i', 'n', '\0'};
    tensor rows = truth_stage(t, which == 'q' ? "q" : "k", head);
    return truth_vector(t, name, rows.size[1], head);
}

/* Its axes from the last one back: keys, queries, then heads and batch; an axis of 1 is for all. */
tensor truth_bias(const truth *t)
{
    const tensor *given = truth_input(t, "bias");
    if (given == NULL)
        return (tensor){0};
    bool by_batch = strcmp(truth_word(t, "mask_axis"), "batch") == 0;
    char axes[][5] = {"k", "qk", "hqk", "bhqk"}, by_batches[][5] = {"k", "bk", "bqk", "bhqk"};
    const char *axis = by_batch ? by_batches[given->rank - 1] : axes[given->rank - 1];
    tensor bias = {.type = given->type, .rank = 2, .size = {t->n_q, t->own}, .data = given->data};
    for (int i = 0; i < given->rank; i++) {
        ptrdiff_t stride = given->size[i] == 1 ? 0 : given->stride[i];
        size_t at = axis[i] == 'b' ? t->how.batch : axis[i] == 'h' ? t->how.head : 0;
        if (axis[i] == 'q' || axis[i] == 'k')
            bias.stride[axis[i] == 'k'] = stride;
        else
            bias.data =
                (char *)bias.data + (ptrdiff_t)at * stride * (ptrdiff_t)dtype_size(bias.type);
    }
    return bias;
}

bool truth_has_one_bias(const truth *t)
{
    tensor bias = truth_bias(t);
    return bias.data != NULL && bias.stride[0] == 0 && t->n_q > 1;
}
