/* What a document says by its shapes: heads, batches, widths; and room for each stage. */
#include "ref/ref_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
const char *const REF_INPUT_KEYS[REF_INPUTS] = {
    "x",  "xk", "xv", "wq", "wk",     "wv",     "wo",     "bq",     "bk",    "bv",
    "bo", "q",  "k",  "v",  "past_k", "past_v", "q_gain", "k_gain", "wq_down", "bq_down",
    "q_latent_gain", "wkv_down", "bkv_down", "kv_latent_gain", "mask",  "bias",
    "key_bias", "relative_bias",
    "ws", "bs", "wa", "ua", "va",     "ba",     "sinks",  "bias_k", "bias_v",
    "output_grad", "logsumexp_grad", "target"};

const char *const REF_MISTAKES[] = {
    "scale",     "causal", "alignment", "mask",    "mask-axis", "order",      "groups", "layout",
    "empty",     "concat", "tanh",      "exp",     "ties",      "remainders", "cap",    "window",
    "lengths",   "alibi",  "sink",      "entropy", "top",       "appended",   "rms",    "rope",
    "positions", "delta",  "uncapped",  "shared",  "turned",    "unclipped",
    "kv norm passed", "q norm passed", "shared first", "shared last", "shared mean",
    "latent of keys", "latent of values"};
/* clang-format on */
const size_t REF_MISTAKE_COUNT = sizeof REF_MISTAKES / sizeof REF_MISTAKES[0];

void *ref_alloc(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    if (block != NULL)
        return block;
    fprintf(stderr, "the reference needs %zu × %zu bytes\n", count, size);
    exit(2);
}

size_t ref_count_of(const ref_array *a)
{
    size_t count = 1;
    for (int axis = 0; axis < a->rank; axis++)
        count *= a->size[axis];
    return count;
}

bool ref_word_is(const char *said, const char *word)
{
    return said != NULL && strcmp(said, word) == 0;
}

bool ref_makes(const ref_problem *p, const char *mistake)
{
    return ref_word_is(p->mistake, mistake);
}

const precision *ref_precision(const ref_problem *p)
{
    return p->is_float32 ? &FLOAT32 : &FLOAT64;
}

/* ---- sizes ---- */

const ref_array *ref_rows_of_keys(const ref_problem *p)
{
    return &p->in[p->in[REF_XK].at != NULL ? REF_XK : REF_X];
}

const ref_array *ref_rows_of_values(const ref_problem *p)
{
    return p->in[REF_XV].at != NULL ? &p->in[REF_XV] : ref_rows_of_keys(p);
}

/* The heads that a setting, a 3-D weight or a given b × h × n × d names; 0 where none does. */
static size_t heads_named(size_t setting, const ref_array *weight, const ref_array *given)
{
    if (setting > 0)
        return setting;
    if (weight->at != NULL && weight->rank == 3)
        return weight->size[0];
    return given->at != NULL && given->rank == 4 ? given->size[1] : 0;
}

static void find_heads(const ref_problem *p, ref_sizes *s)
{
    const ref_array *in = p->in;
    s->h = heads_named(p->heads, &in[REF_WQ], &in[REF_Q]);
    if (s->h == 0)
        s->h = heads_named(0, &in[REF_WO], &in[REF_Q]);
    s->g = heads_named(p->kv_heads, &in[REF_WK], &in[REF_K]);
    if (s->g == 0)
        s->g = heads_named(0, &in[REF_WV], &in[REF_V]);
    if (s->g == 0)
        s->g = heads_named(0, &in[REF_WV], &in[REF_PAST_K]);
    if (s->g == 0)
        s->g = heads_named(0, &in[REF_WV], &in[REF_PAST_V]);
    s->has_heads = s->h > 0 || s->g > 0;
    if (s->h == 0)
        s->h = s->g > 0 ? s->g : 1;
    if (s->g == 0)
        s->g = s->h;
}

/* Rows next to the q, k or v that take their place are of no account. */
static bool is_used(const ref_problem *p, const ref_array *a)
{
    const ref_array *in = p->in;
    bool is_rows = a == &in[REF_X] || a == &in[REF_XK] || a == &in[REF_XV];
    return !is_rows || (in[REF_Q].at == NULL && a == &in[REF_X]) ||
           (in[REF_K].at == NULL && a == ref_rows_of_keys(p)) ||
           (in[REF_V].at == NULL && a == ref_rows_of_values(p));
}

static void find_batches(const ref_problem *p, ref_sizes *s)
{
    static const ref_input MAY_HAVE_BATCHES[] = {REF_X, REF_XK, REF_XV,     REF_Q,
                                                 REF_K, REF_V,  REF_PAST_K, REF_PAST_V};
    s->b = 1;
    for (size_t i = 0; i < sizeof MAY_HAVE_BATCHES / sizeof MAY_HAVE_BATCHES[0]; i++) {
        const ref_array *a = &p->in[MAY_HAVE_BATCHES[i]];
        if (a->at != NULL && a->rank >= 3 && is_used(p, a)) {
            s->has_batch = true;
            s->b = a->size[0];
        }
    }
}

/* Width per head of the weight's result, x·W, or y = W·x with the layout out-in. */
static size_t width_of_weight(const ref_problem *p, const ref_array *w, size_t heads)
{
    size_t columns = w->size[ref_word_is(p->layout, "out-in") ? w->rank - 2 : w->rank - 1];
    return w->rank == 3 ? columns : columns / heads;
}

size_t ref_rows_of_weight(const ref_problem *p, const ref_array *w)
{
    return w->size[ref_word_is(p->layout, "out-in") ? w->rank - 1 : w->rank - 2];
}

static size_t last_size(const ref_array *a)
{
    return a->at == NULL ? 0 : a->size[a->rank - 1];
}

static size_t width_per_head(const ref_problem *p, const ref_array *given, const ref_array *rows,
                             const ref_array *weight, size_t heads)
{
    if (given->at != NULL)
        return given->rank == 4 ? given->size[3] : given->size[given->rank - 1] / heads;
    if (weight->at != NULL)
        return width_of_weight(p, weight, heads);
    return last_size(rows) / heads;
}

/* 0 where neither is given: the program refuses such a problem. */
static size_t rows_of(const ref_array *given, const ref_array *rows)
{
    const ref_array *of = given->at != NULL ? given : rows;
    return of->at == NULL ? 0 : of->size[of->rank - 2];
}

/* The width of what a score function's transform gives: Ws and Wa of the query, Ua of the key. */
static size_t width_compared(const ref_problem *p, const ref_sizes *s)
{
    if (p->in[REF_WS].at != NULL)
        return s->d_k;
    for (ref_input w = REF_WA; w <= REF_UA; w++) {
        if (p->in[w].at != NULL)
            return p->in[w].size[p->in[w].rank - (ref_word_is(p->layout, "out-in") ? 2 : 1)];
    }
    return s->d_k;
}

ref_sizes ref_sizes_of(const ref_problem *p)
{
    const ref_array *in = p->in, *wo = &in[REF_WO];
    ref_sizes s = {0};
    find_heads(p, &s);
    find_batches(p, &s);
    s.n_q = rows_of(&in[REF_Q], &in[REF_X]);
    s.n_new = rows_of(&in[REF_K], ref_rows_of_keys(p));
    s.past = in[REF_PAST_K].at == NULL ? 0 : in[REF_PAST_K].size[in[REF_PAST_K].rank - 2];
    s.own = s.past + s.n_new;
    s.n_k = s.own + (in[REF_BIAS_K].at != NULL) + p->adds_zero;
    s.m = last_size(&in[REF_X]);
    s.m_k = last_size(ref_rows_of_keys(p));
    s.m_v = last_size(ref_rows_of_values(p));
    s.d_q = width_per_head(p, &in[REF_Q], &in[REF_X], &in[REF_WQ], s.h);
    s.d_k = width_per_head(p, &in[REF_K], ref_rows_of_keys(p), &in[REF_WK], s.g);
    if (in[REF_WKV_DOWN].at != NULL)
        s.shared = width_of_weight(p, &in[REF_WKV_DOWN], 1) - ref_rows_of_weight(p, &in[REF_WK]);
    s.d_k += s.shared;
    s.d_v = width_per_head(p, &in[REF_V], ref_rows_of_values(p), &in[REF_WV], s.g);
    s.c = width_compared(p, &s);
    s.m_out = wo->at == NULL ? s.h * s.d_v
                             : wo->size[ref_word_is(p->layout, "out-in") ? 0 : wo->rank - 1];
    return s;
}

/* ---- stages ---- */

static size_t size_of_letter(const ref_sizes *s, char letter)
{
    switch (letter) {
    case 'b':
        return s->b;
    case 'h':
        return s->h;
    case 'g':
        return s->g;
    case 'q':
        return s->n_q;
    case 'k':
        return s->n_k;
    case 'r':
        return s->n_new;
    case 'n':
        return s->n_new + s->n_k - s->own;
    case 'v':
        return s->d_v;
    default:
        return 1;
    }
}

ref_number *ref_stage_new(ref_result *r, ref_stage_id id, const char *name, const char *letters,
                          size_t width)
{
    ref_stage *stage = &r->stage[id];
    *stage = (ref_stage){.name = name, .count = width};
    for (; *letters != '\0'; letters++) {
        size_t size = size_of_letter(&r->sizes, *letters);
        stage->count *= size;
        if ((*letters == 'b' && !r->sizes.has_batch) ||
            ((*letters == 'h' || *letters == 'g') && !r->sizes.has_heads))
            continue;
        stage->size[stage->rank++] = size;
    }
    stage->size[stage->rank++] = width;
    return stage->at = ref_alloc(stage->count, sizeof(ref_number));
}
