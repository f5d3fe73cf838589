#include "model/attention.h"

#include "attn/engine/statistics.h"
#include "attn/engine/cache.h"
#include "attn/spec/keys.h"
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Settings that stand at the top for all layers, unless a layer says something else; and whether
 * they, and a layer's, are for cross-attention too, which has keys of its own. */
static const struct {
    const char *key;
    bool is_for_cross;
} SHARED[] = {
    {"heads", true},       {"kv_heads", true},      {"scale", true},           {"score", true},
    {"softcap", true},     {"qk_norm", true},       {"qk_eps", true},          {"layout", true},
    {"dtype", true},       {"round", true},         {"mask_true", true},       {"causal", false},
    {"window", false},     {"alibi", false},        {"offset", false},         {"rope", false},
    {"rope_width", false}, {"rope_pairing", false}, {"rope_positions", false}, {"mask", false},
    {"bias", false},       {"mask_axis", false},    {"key_lengths", false},    {"top", true},
    {"add_zero", true},
};

enum { SHARED_KEYS = sizeof SHARED / sizeof SHARED[0] };

bool attention_shares(const char *name)
{
    size_t i = 0;
    while (i < SHARED_KEYS && strcmp(SHARED[i].key, name) != 0)
        i++;
    return i < SHARED_KEYS;
}

static bool borrow_shared(attention *a, const attention_source *from, const bundle *around, err *e)
{
    for (size_t i = 0; i < SHARED_KEYS; i++) {
        const char *name = SHARED[i].key;
        const entry *given = around == NULL ? NULL : bundle_find(around, name);
        bool is_here = given != NULL && bundle_find(&a->document, name) == NULL;
        if (is_here && (from->memory == NULL || SHARED[i].is_for_cross) &&
            bundle_borrow(&a->document, name, given, e) == NULL)
            return false;
    }
    return true;
}

/* Rows come from the layer before, so none are given; and check reads what a document expects at
 * its top, of all layers. */
static bool check_own(const bundle *own, err *e)
{
    static const char *const GIVEN[] = {"x",      "xk",     "xv",    "q",      "k",   "v",
                                        "past_k", "past_v", "vocab", "tokens", "rows"};
    static const char *const OF_CHECK[] = {"expected", "tol", "errata"};
    for (size_t i = 0; i < sizeof GIVEN / sizeof GIVEN[0]; i++) {
        const entry *one = bundle_find(own, GIVEN[i]);
        if (one != NULL)
            return err_at(e, &one->at,
                          "%s is given to a layer, whose rows come from the one before", GIVEN[i]);
    }
    for (size_t i = 0; i < sizeof OF_CHECK / sizeof OF_CHECK[0]; i++) {
        const entry *one = bundle_find(own, OF_CHECK[i]);
        if (one == NULL)
            continue;
        err_at(e, &one->at, "%s is in a layer, and check reads it at the top", OF_CHECK[i]);
        return err_remedy(e, "there a layer's stages have names like layer.0.attention.weights");
    }
    return true;
}

/* What was asked, but for what its document does not say. */
static bool read_asked(attention *a, err *e)
{
    const problem before = a->asked;
    const tensor *x = bundle_tensor(&a->document, "x");
    if (!problem_read(&a->asked, &a->document, e))
        return false;
    /* A layer's rows are those of all layers: of another type they would be other numbers. */
    place at = problem_place(&a->asked, "dtype");
    if (a->asked.type != x->type)
        return err_at(e, &at, "dtype is %s here, and the stack is computed in %s",
                      dtype_name(a->asked.type), dtype_name(x->type));
    if (a->asked.places != NULL)
        return err_at(e, &a->asked.places->at,
                      "offset is a list, and the rows of layers follow one another");
    a->asked.allow_nonfinite = before.allow_nonfinite;
    a->asked.cache = before.cache;
    a->asked.packed_weights = before.packed_weights;
    a->asked.width_onward = x->size[x->rank - 1];
    return true;
}

static bool plan_it(attention *a, err *e)
{
    return plan_make(&a->plan, &a->asked, a->isa->table(a->asked.type), e);
}

/* ---- rows that come later ---- */

/* Refused before the first step, since later ones would fail or be of other rows; what a stream
 * refuses as well is for the plan of self-attention. */
static bool check_goes_on(const attention *a, err *e)
{
    static const input MASKS[] = {INPUT_MASK, INPUT_BIAS};
    const problem *asked = &a->asked;
    const entry *positions = asked->rope.positions;
    place at = problem_place(asked, "causal");
    if (asked->cache == NULL && a->seen == NULL)
        return true;
    if (positions != NULL)
        return err_at(
            e, &positions->at, "%s are given, and a generation counts its rows itself, from 0",
            strcmp(positions->name, "positions") == 0 ? "rope's positions" : positions->name);
    if (a->seen == NULL)
        return true;
    if (asked->causal == CAUSAL_LOWER_RIGHT)
        return err_at(e, &at,
                      "causal is lower-right, and a generation has no last query that "
                      "could stand at the last key");
    for (size_t i = 0; i < sizeof MASKS / sizeof MASKS[0]; i++) {
        const tensor *given = asked->in[MASKS[i]];
        char shape[SHAPE_TEXT];
        if (given == NULL || given->rank < 2)
            continue;
        /* Something of each query, whose number grows with each step. */
        bool is_of_queries = given->rank == 2 ? asked->mask_axis != MASK_AXIS_BATCH
                                              : given->rank == 3 || given->size[2] > 1;
        if (!is_of_queries)
            continue;
        err_at(e, &asked->at[MASKS[i]],
               "%s is %s, and a generation has no number of queries that one could be made for",
               input_key(MASKS[i]), tensor_shape_text(given, shape));
        return err_remedy(e, "a list, one a key, is for all queries");
    }
    return true;
}

/* ---- keys and values of a memory ---- */

void memory_rows_free(memory_rows *m)
{
    tensor_free(&m->k);
    tensor_free(&m->v);
    kv_cache_free(&m->packed);
}

/* The first rows find them, unless they go into the result; what is appended is no memory's. */
static bool will_keep(const attention *a, const keeper *keep)
{
    return a->seen != NULL && a->seen->k.data == NULL && a->plan.appended == 0 &&
           !keeper_wants(keep, "k") && !keeper_wants(keep, "v");
}

static void take_rows(const attention *a, const projection *r, bundle *made, const char *name,
                      tensor *rows)
{
    tensor *found = &bundle_find(made, name)->tensor;
    tensor_own(rows, found->type, 3, (size_t[]){a->plan.batches, r->n, r->heads * r->width},
               found->data);
    *found = (tensor){0};
}

/* For all rows to come; without it each of them would pack what the memory has. */
static bool keep_rows(const attention *a, bundle *made, err *e)
{
    memory_rows *seen = a->seen;
    take_rows(a, &a->plan.k, made, "k", &seen->k);
    take_rows(a, &a->plan.v, made, "v", &seen->v);
    if (!cache_can_pack(&a->plan))
        return true;
    tensor k = plan_split_heads(&seen->k, a->plan.k.heads),
           v = plan_split_heads(&seen->v, a->plan.v.heads);
    return cache_pack(&seen->packed, &a->plan, &k, &v, e);
}

/* ---- planning ---- */

bool attention_read(attention *a, const attention_source *from, const isa *by, err *e)
{
    static const char CAUSAL[] = "true";
    const tensor *rows = from->x;
    tensor x = tensor_view_of(rows);
    bundle *document = &a->document;
    *a = (attention){.isa = by, .seen = from->seen};
    if (!check_own(from->own, e))
        return false;
    for (size_t i = 0; i < from->own->count; i++) {
        const entry *one = &from->own->entry[i];
        if (named_find(&KEYS, one->name, strlen(one->name)) != NULL &&
            bundle_borrow(document, one->name, one, e) == NULL)
            return false;
    }
    if (!borrow_shared(a, from, from->layer, e) || !borrow_shared(a, from, from->top, e) ||
        !bundle_add_tensor(document, "x", &x, (place){0}, e))
        return false;
    if (from->sees_no_later && bundle_find(document, "causal") == NULL &&
        !bundle_add_text(document, "causal", CAUSAL, strlen(CAUSAL), (place){0}, e))
        return false;
    if (from->memory != NULL && bundle_borrow(document, "xk", from->memory, e) == NULL)
        return false;
    a->asked.allow_nonfinite = from->allow_nonfinite;
    a->asked.cache = from->cache;
    a->asked.packed_weights = from->packed_weights;
    if (!read_asked(a, e) || !check_goes_on(a, e) || !plan_it(a, e))
        return false;
    /* A layer's rows stay as many as they were, however many entries the memory has. */
    size_t batches = rows->rank == 3 ? rows->size[0] : 1;
    return from->memory == NULL || a->plan.batches == batches ||
           err_at(e, &from->memory->at, "memory is a batch of %zu, and x is %zu", a->plan.batches,
                  batches);
}

bool attention_go_on(attention *a, const tensor *x, size_t before, err *e)
{
    bool allows = a->asked.allow_nonfinite;
    kv_cache *cache = a->asked.cache;
    const memory_rows *seen = a->seen;
    plan *p = &a->plan;
    plan_free(p);
    problem_free(&a->asked);
    *p = (plan){0};
    a->asked = (problem){.allow_nonfinite = allows, .cache = cache};
    bundle_find(&a->document, "x")->tensor = tensor_view_of(x);
    if (!read_asked(a, e))
        return false;
    /* A query of cross-attention stands where its row does, as in the whole sequence;
     * self-attention has this from its cache. */
    if (seen != NULL) {
        a->asked.has_offset = true;
        a->asked.offset += before;
    }
    if (!plan_it(a, e))
        return false;
    if (seen != NULL && seen->k.data != NULL) {
        p->k.given = plan_split_heads(&seen->k, p->k.heads);
        p->v.given = plan_split_heads(&seen->v, p->v.heads);
        a->asked.packed = seen->packed.rows > 0 ? &a->seen->packed : NULL;
    }
    return true;
}

void attention_free(attention *a)
{
    plan_free(&a->plan);
    problem_free(&a->asked);
    bundle_free(&a->document);
}

static void want_stages(const attention *a, const keeper *keep, bool needs_mean, kept_stages *w)
{
    if (keep->one_row != NULL)
        *w = *keep->one_row;
    kept_stages_add(w, STAGE_OUTPUT);
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (plan_has_stage(&a->plan, id) && keeper_wants(keep, stage_row(id)->key.named.name))
            kept_stages_add(w, id);
    }
    if (needs_mean)
        kept_stages_add(w, STAGE_WEIGHTS);
    if (will_keep(a, keep)) {
        kept_stages_add(w, STAGE_K);
        kept_stages_add(w, STAGE_V);
    }
}

static const char MEAN[] = "mean_weights";

/* ---- memory ---- */

static bool stage_bytes(const plan *p, stage_id id, const kept_stages *w, size_t *bytes, err *e)
{
    size_t size[TENSOR_MAX_RANK], count;
    int rank;
    kept_stages_shape(p, w, id, &rank, size);
    return (sizes_count(rank, size, &count) && size_mul(count, dtype_size(p->type), bytes)) ||
           err_no_memory(e, SIZE_MAX);
}

/* Stages that are wanted, but the output, which goes on; a memory's rows; what a cache grows by. */
static bool kept_bytes(const attention *a, const keeper *keep, const kept_stages *w, size_t *kept,
                       err *e)
{
    bool keeps_rows = will_keep(a, keep);
    size_t of_panels = 0;
    if (!cache_growth(&a->plan, kept) ||
        (keeps_rows && cache_can_pack(&a->plan) &&
         (!cache_bytes(&a->plan, a->plan.n_k, &of_panels) || !size_add(*kept, of_panels, kept))))
        return err_no_memory(e, SIZE_MAX);
    for (size_t i = 0; i < w->count; i++) {
        stage_id id = w->stage[i];
        bool stays = keeper_wants(keep, stage_row(id)->key.named.name) ||
                     (keeps_rows && (id == STAGE_K || id == STAGE_V));
        size_t bytes;
        if (id == STAGE_OUTPUT || !stays)
            continue;
        if (!stage_bytes(&a->plan, id, w, &bytes, e))
            return false;
        if (!size_add(*kept, bytes, kept))
            return err_no_memory(e, SIZE_MAX);
    }
    return true;
}

/* A mean is made of weights, and copied where it is wanted; so is the output. */
bool attention_memory(const attention *a, const keeper *keep, bool needs_mean, size_t threads,
                      attention_bytes *bytes, err *e)
{
    const plan *p = &a->plan;
    bool wants_mean = keeper_wants(keep, MEAN);
    kept_stages w = {0};
    size_t mean, output;
    want_stages(a, keep, needs_mean || wants_mean, &w);
    if (!kept_bytes(a, keep, &w, &bytes->kept, e) ||
        !run_memory(p, &w, threads, &bytes->working, e) ||
        !stage_bytes(p, STAGE_OUTPUT, &w, &output, e))
        return false;
    bytes->working -= bytes->kept < bytes->working ? bytes->kept : bytes->working;
    mean = p->batches * p->n_q * p->n_k * dtype_size(p->type);
    bytes->working += needs_mean || wants_mean ? mean : 0;
    bytes->kept += wants_mean ? mean : 0;
    bytes->kept += keeper_wants(keep, "output") ? output : 0;
    return true;
}

bool attention_cache_memory(const attention *a, size_t rows, size_t *bytes, err *e)
{
    *bytes = 0;
    return a->asked.cache == NULL || cache_bytes(&a->plan, rows, bytes) ||
           err_no_memory(e, SIZE_MAX);
}

/* ---- the whole ---- */

/* The mean of the weights over the heads, as rows. */
static bool mean_weights(const attention *a, const bundle *made, tensor *mean, err *e)
{
    const plan *p = &a->plan;
    const tensor *weights = bundle_tensor(made, "weights");
    *mean = tensor_view_of(weights);
    if (p->has_heads ? !tensor_average(mean, p->has_batch ? 1 : 0, e)
                     : !tensor_new_copy(mean, weights, e))
        return false;
    tensor_own(mean, mean->type, 2, (size_t[]){p->batches * p->n_q, p->n_k}, mean->data);
    return true;
}

bool attention_run(const attention *a, const keeper *keep, crew *by, tensor *out, tensor *mean,
                   run_report *report, err *e)
{
    const plan *p = &a->plan;
    bundle made = {0};
    kept_stages w = {0};
    tensor of_heads = {0};
    run_report own = {0};
    bool needs_mean = mean != NULL || keeper_wants(keep, MEAN);
    want_stages(a, keep, needs_mean, &w);
    *out = (tensor){0};
    bool done = a->otherwise == NULL ? run_plan_by(p, &w, by, &made, &own, e)
                                     : a->otherwise(a->context, a, &w, by, &made, e);
    done = done && (!needs_mean || mean_weights(a, &made, &of_heads, e));
    for (size_t i = 0; i < w.count && done; i++) {
        const char *name = stage_row(w.stage[i])->key.named.name;
        if (keeper_wants(keep, name) && w.stage[i] != STAGE_OUTPUT)
            done = keeper_take(keep, name, bundle_find(&made, name), e);
    }
    if (done) {
        tensor *output = &bundle_find(&made, "output")->tensor;
        size_t size[] = {p->batches * p->n_q, p->width_out};
        tensor_own(out, output->type, 2, size, output->data);
        *output = (tensor){0};
        done = keeper_keep(keep, "output", out, "qO", e) &&
               (!needs_mean || keeper_keep(keep, MEAN, &of_heads, "qk", e));
    }
    if (done && will_keep(a, keep))
        done = keep_rows(a, &made, e);
    /* The first of all is named by the way to it. */
    if (report->empty_rows == 0 && own.empty_rows > 0) {
        snprintf(report->first_empty, sizeof report->first_empty, "%.*s%.*s", STAGE_NAME,
                 keep->way.text, ROW_NAME, own.first_empty);
        report->doubt = own.doubt;
    }
    report->empty_rows += own.empty_rows;
    bundle_free(&made);
    if (done && mean != NULL)
        *mean = of_heads;
    else
        tensor_free(&of_heads);
    return done;
}
