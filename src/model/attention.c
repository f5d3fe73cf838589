#include "model/attention.h"
#include "attn/engine/rows.h"
#include "attn/engine/project.h"
#include "attn/spec/keys.h"
#include "base/mem.h"
#include "model/stack.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Settings that stand at the top for all layers, unless a layer says something else; and whether
 * they, and a layer's, are for cross-attention too, which has keys of its own. */
static const struct {
    const char *key;
    bool is_for_cross;
} SHARED[] = {
    {"heads", true},
    {"kv_heads", true},
    {"scale", true},
    {"score", true},
    {"softcap", true},
    {"qk_norm", true},
    {"qk_eps", true},
    {"latent_eps", true},
    {"layout", true},
    {"dtype", true},
    {"round", true},
    {"mask_true", true},
    {"causal", false},
    {"window", false},
    {"alibi", false},
    {"offset", false},
    {"rope", false},
    {"rope_width", false},
    {"rope_pairing", false},
    {"rope_positions", false},
    {"mask", false},
    {"bias", false},
    {"mask_axis", false},
    {"key_lengths", false},
    {"top", true},
    {"add_zero", true},
    {"relative_bias", false},
    {"key_bias", false},
    {"relative_distance", false},
    {"clip", true},
};

enum { SHARED_KEYS = sizeof SHARED / sizeof SHARED[0] };

bool attention_shares(const char *name)
{
    size_t i = 0;
    while (i < SHARED_KEYS && strcmp(SHARED[i].key, name) != 0)
        i++;
    return i < SHARED_KEYS;
}

/* What is said around the attention, where it says nothing itself. */
static bool borrow_shared(attention *a, const bundle *around, err *e)
{
    for (size_t i = 0; i < SHARED_KEYS; i++) {
        const entry *given = bundle_find(around, SHARED[i].key);
        if (given != NULL && (SHARED[i].is_for_cross || !a->sees_memory) &&
            bundle_find(&a->document, given->name) == NULL &&
            bundle_borrow(&a->document, given->name, given, e) == NULL)
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
    const entry *given = bundle_find_first(own, GIVEN, sizeof GIVEN / sizeof GIVEN[0]),
                *of_check = bundle_find_first(own, OF_CHECK, sizeof OF_CHECK / sizeof OF_CHECK[0]);
    if (given != NULL)
        return err_at(e, &given->at, "%s is given to a layer, whose rows come from the one before",
                      given->name);
    for (size_t i = 0; i < own->count; i++) {
        if (problem_key_goes_back(own->entry[i].name))
            return err_at(e, &own->entry[i].at,
                          "%s is in a layer, and what gradients begin with stands at the top",
                          own->entry[i].name);
    }
    if (of_check == NULL)
        return true;
    err_at(e, &of_check->at, "%s is in a layer, and check reads it at the top", of_check->name);
    return err_remedy(e, "there a layer's stages have names like layer.0.attention.weights");
}

/* Of a stack that goes on: refused before the first step, since later ones would fail or be of
 * other rows; what a stream refuses as well is for the plan of self-attention. */
static bool check_goes_on(const attention *a, err *e)
{
    static const input MASKS[] = {INPUT_MASK, INPUT_BIAS};
    const problem *asked = &a->asked;
    const entry *positions = asked->rope.positions;
    place at = problem_place(asked, "causal");
    if (positions != NULL)
        return err_at(
            e, &positions->at, "%s are given, and a generation counts its rows itself, from 0",
            strcmp(positions->name, "positions") == 0 ? "rope's positions" : positions->name);
    if (!a->sees_memory)
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

/* Of the stack's rows, which are new: what the document asks for, and what it does not say. */
static bool plan_rows(attention *a, err *e)
{
    const stack *in = a->in;
    problem *asked = &a->asked;
    const tensor *x = bundle_tensor(&a->document, "x");
    if (!problem_read(asked, &a->document, e))
        return false;
    /* A layer's rows are those of all layers: of another type they would be other numbers. */
    place at = problem_place(asked, "dtype");
    if (asked->type != x->type)
        return err_at(e, &at, "dtype is %s here, and the stack is computed in %s",
                      dtype_name(asked->type), dtype_name(x->type));
    if (asked->places != NULL)
        return err_at(e, &asked->places->at,
                      "offset is a list, and the rows of layers follow one another");
    asked->allow_nonfinite = in->how.allow_nonfinite;
    asked->cache = in->how.goes_on && !a->sees_memory ? &a->cache : NULL;
    asked->packed_weights = in->before == 0 ? in->how.packed_weights : NULL;
    asked->width_onward = x->size[x->rank - 1];
    asked->goes_back = in->goal.is_there;
    asked->in[INPUT_OUTPUT_GRAD] = in->goal.is_there ? &in->part_grad : NULL;
    if (in->how.goes_on && !check_goes_on(a, e))
        return false;
    /* A query of cross-attention stands where its row does, as in the whole sequence;
     * self-attention has this from its cache. */
    if (a->sees_memory && in->before > 0) {
        asked->has_offset = true;
        asked->offset += in->before;
    }
    return plan_make(&a->plan, asked, in->isa->table(asked->type), e);
}

bool memory_mask_borrow(bundle *to, const bundle *from, err *e)
{
    static const char BATCH[] = "batch";
    const entry *mask = bundle_find(from, "memory_mask");
    if (mask == NULL || bundle_find(to, "mask") != NULL)
        return true;
    bool is_batch = mask->kind == ENTRY_TENSOR && mask->tensor.rank == 2;
    return bundle_borrow(to, "mask", mask, e) != NULL &&
           (!is_batch || bundle_add_text(to, "mask_axis", BATCH, strlen(BATCH), mask->at, e));
}

bool attention_read(attention *a, const stack *in, const bundle *around, bool is_cross, err *e)
{
    static const char CAUSAL[] = "true";
    const bundle *own = is_cross ? bundle_find(around, "cross")->bundle : around;
    const entry *memory = bundle_find(in->document, "memory");
    tensor x = tensor_view_of(&in->input);
    bundle *document = &a->document;
    *a = (attention){.in = in, .sees_memory = is_cross};
    if (!check_own(own, e))
        return false;
    for (size_t i = 0; i < own->count; i++) {
        const entry *one = &own->entry[i];
        if (named_find(&KEYS, one->name, strlen(one->name)) != NULL &&
            bundle_borrow(document, one->name, one, e) == NULL)
            return false;
    }
    if (!borrow_shared(a, around, e) || !borrow_shared(a, in->document, e) ||
        !bundle_add_tensor(document, "x", &x, (place){0}, e))
        return false;
    if (in->how.is_decoder && !is_cross && bundle_find(document, "causal") == NULL &&
        !bundle_add_text(document, "causal", CAUSAL, strlen(CAUSAL), (place){0}, e))
        return false;
    if (is_cross && (bundle_borrow(document, "xk", memory, e) == NULL ||
                     !memory_mask_borrow(document, in->document, e)))
        return false;
    /* A layer's rows stay as many as they were, however many entries the memory has. */
    size_t batches = in->batches == 0 ? 1 : in->batches;
    return plan_rows(a, e) && (!is_cross || a->plan.batches == batches ||
                               err_at(e, &memory->at, "memory is a batch of %zu, and x is %zu",
                                      a->plan.batches, batches));
}

bool attention_go_on(attention *a, err *e)
{
    plan *p = &a->plan;
    plan_free(p);
    problem_free(&a->asked);
    *p = (plan){0};
    a->asked = (problem){0};
    bundle_find(&a->document, "x")->tensor = tensor_view_of(&a->in->input);
    if (!plan_rows(a, e))
        return false;
    if (a->memory_k.data != NULL) {
        p->k.given = plan_split_heads(&a->memory_k, p->k.heads);
        p->v.given = plan_split_heads(&a->memory_v, p->v.heads);
        a->asked.packed = a->cache.rows > 0 ? &a->cache : NULL;
    }
    return true;
}

void attention_free(attention *a)
{
    plan_free(&a->plan);
    problem_free(&a->asked);
    if (a->chosen != NULL)
        chosen_rows_free(a->chosen);
    mem_free(a->chosen);
    bundle_free(&a->document);
    kv_cache_free(&a->cache);
    tensor_free(&a->memory_k);
    tensor_free(&a->memory_v);
}

/* ---- stages ---- */

static const char MEAN[] = "mean_weights";

/* The first rows find a memory's keys and values for all rows to come, unless they go into the
 * result; a memory has no appended rows. */
static bool will_keep(const attention *a, const keeper *keep)
{
    return a->sees_memory && a->in->how.goes_on && a->memory_k.data == NULL &&
           a->plan.appended == 0 && !keeper_wants(keep, "k") && !keeper_wants(keep, "v");
}

static void want_named(const attention *a, const keeper *keep, bool are_backward, kept_stages *w)
{
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (stage_is_backward(id) == are_backward && plan_has_stage(&a->plan, id) &&
            keeper_wants(keep, stage_row(id)->key.named.name))
            kept_stages_add(w, id);
    }
}

static void want_stages(const attention *a, const keeper *keep, bool needs_mean, kept_stages *w)
{
    if (keep->one_row != NULL)
        *w = *keep->one_row;
    kept_stages_add(w, STAGE_OUTPUT);
    want_named(a, keep, false, w);
    if (needs_mean)
        kept_stages_add(w, STAGE_WEIGHTS);
    if (will_keep(a, keep)) {
        kept_stages_add(w, STAGE_K);
        kept_stages_add(w, STAGE_V);
    }
}

/* Those on the way back, which goes on to the rows, and of cross-attention to a memory. */
static void want_back(const attention *a, const keeper *keep, kept_stages *w)
{
    want_named(a, keep, true, w);
    kept_stages_add(w, STAGE_X_GRAD);
    if (a->sees_memory)
        kept_stages_add(w, STAGE_XK_GRAD);
}

/* What stays are stages that are wanted, a memory's rows, and what a cache grows by. A mean is made
 * of weights, and copied where it is wanted; so is the output, which goes on. */
bool attention_memory(const attention *a, const keeper *keep, bool needs_mean, size_t threads,
                      size_t *kept, size_t *working, err *e)
{
    const plan *p = &a->plan;
    bool wants_mean = keeper_wants(keep, MEAN), keeps_rows = will_keep(a, keep);
    kept_stages w = {0};
    size_t output = 0, of_panels = 0;
    want_stages(a, keep, needs_mean || wants_mean, &w);
    if (!cache_growth(p, kept) ||
        (keeps_rows && cache_can_pack(p) && !cache_bytes(p, p->n_k, &of_panels)))
        return err_no_memory(e, SIZE_MAX);
    if (!run_memory(p, &w, threads, working, e))
        return false;
    *kept = size_sum(*kept, of_panels);
    for (size_t i = 0; i < w.count; i++) { /* some of what the run takes, so that they fit */
        stage_id id = w.stage[i];
        size_t size[TENSOR_MAX_RANK];
        int rank;
        if (id != STAGE_OUTPUT && !keeper_wants(keep, stage_row(id)->key.named.name) &&
            !(keeps_rows && (id == STAGE_K || id == STAGE_V)))
            continue;
        kept_stages_shape(p, &w, id, &rank, size);
        size_t *to = id == STAGE_OUTPUT ? &output : kept;
        *to = size_sum(*to, tensor_bytes(p->type, rank, size));
    }
    *working -= *kept < *working ? *kept : *working;
    size_t mean = p->batches * p->n_q * p->n_k * dtype_size(p->type);
    *working += needs_mean || wants_mean ? mean : 0;
    *kept += wants_mean ? mean : 0;
    *kept += keeper_wants(keep, "output") ? output : 0;
    return true;
}

/* ---- the whole ---- */

static void take_rows(const attention *a, const projection *r, bundle *made, const char *name,
                      tensor *rows)
{
    tensor *found = &bundle_find(made, name)->tensor;
    tensor_own(rows, found->type, 3, (size_t[]){a->plan.batches, r->n, r->heads * r->width},
               found->data);
    *found = (tensor){0};
}

/* All that are wanted go to the result, but for `except`, which goes on. */
static bool keep_stages(const keeper *keep, const kept_stages *w, stage_id except, bundle *made,
                        err *e)
{
    bool done = true;
    for (size_t i = 0; i < w->count && done; i++) {
        const char *name = stage_row(w->stage[i])->key.named.name;
        entry *found = bundle_find(made, name);
        done = w->stage[i] == except || keeper_take(keep, name, &found->tensor, found->axes, e);
    }
    return done;
}

bool attention_run(attention *a, const keeper *keep, crew *by, tensor *out, tensor *mean,
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
    if (done && needs_mean) { /* over the heads, as rows */
        const tensor *weights = bundle_tensor(&made, "weights");
        of_heads = tensor_view_of(weights);
        done = p->has_heads ? tensor_average(&of_heads, p->has_batch ? 1 : 0, e)
                            : tensor_new_copy(&of_heads, weights, e);
        if (done)
            tensor_own(&of_heads, of_heads.type, 2, (size_t[]){p->batches * p->n_q, p->n_k},
                       of_heads.data);
    }
    done = done && keep_stages(keep, &w, STAGE_OUTPUT, &made, e);
    if (done) {
        tensor *output = &bundle_find(&made, "output")->tensor;
        size_t size[] = {p->batches * p->n_q, p->width_out};
        tensor_own(out, output->type, 2, size, output->data);
        *output = (tensor){0};
        done = keeper_keep(keep, "output", out, "bqO", e) &&
               (!needs_mean || keeper_keep(keep, MEAN, &of_heads, "bqk", e));
    }
    if (done && will_keep(a, keep)) {
        take_rows(a, &p->k, &made, "k", &a->memory_k);
        take_rows(a, &p->v, &made, "v", &a->memory_v);
        tensor k = plan_split_heads(&a->memory_k, p->k.heads),
               v = plan_split_heads(&a->memory_v, p->v.heads);
        /* Once; else each of the rows to come would pack what the memory has. */
        done = !cache_can_pack(p) || cache_pack(&a->cache, p, &k, &v, e);
    }
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

/* A gradient that goes on, as rows: a copy where it is wanted too. */
static bool take_rows_back(const keeper *keep, bundle *made, stage_id id, tensor *out, err *e)
{
    const char *name = stage_row(id)->key.named.name;
    tensor *found = &bundle_find(made, name)->tensor;
    size_t width = found->size[found->rank - 1];
    const size_t size[] = {tensor_count(found) / width, width};
    if (!keeper_wants(keep, name)) {
        *out = *found;
        *found = (tensor){0};
    } else if (!tensor_new_copy(out, found, e)) {
        return false;
    }
    tensor_own(out, out->type, 2, size, out->data);
    return true;
}

bool attention_run_back(attention *a, const keeper *keep, crew *by, tensor *rows, tensor *memory,
                        err *e)
{
    bundle made = {0};
    kept_stages w = {0};
    run_report unused = {0};
    *rows = *memory = (tensor){0};
    want_back(a, keep, &w);
    bool done = (a->otherwise != NULL ? a->otherwise(a->context, a, &w, by, &made, e)
                                      : run_plan_by(&a->plan, &w, by, &made, &unused, e)) &&
                take_rows_back(keep, &made, STAGE_X_GRAD, rows, e) &&
                (!a->sees_memory || take_rows_back(keep, &made, STAGE_XK_GRAD, memory, e)) &&
                keep_stages(keep, &w, STAGE_COUNT, &made, e);
    bundle_free(&made);
    return done;
}

bool attention_back_memory(const attention *a, const keeper *keep, size_t threads, size_t *kept,
                           size_t *working, err *e)
{
    kept_stages w = {0};
    want_back(a, keep, &w);
    *kept = 0;
    for (size_t i = 0; i < w.count; i++) {
        size_t size[TENSOR_MAX_RANK];
        int rank;
        plan_stage_shape(&a->plan, w.stage[i], &rank, size);
        const char *name = stage_row(w.stage[i])->key.named.name;
        if (keeper_wants(keep, name) && !keeper_adds_up(keep, name))
            *kept = size_sum(*kept, tensor_bytes(a->plan.type, rank, size));
    }
    if (!run_memory(&a->plan, &w, threads, working, e))
        return false;
    *working -= *kept < *working ? *kept : *working;
    return true;
}
