#include "attn/engine/project.h"

#include "attn/engine/multiply.h"
#include "attn/engine/positions.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

/* ---- the last form of q, k and v ---- */

tensor projected_place(const projecting *with, stage_id id)
{
    tensor all = placed_at(with->at, id);
    return plan_heads_apart(&all, plan_role(with->plan, id)->heads);
}

/* Inputs were finite, so what is not has left the type's range. */
bool projected_check_range(const plan *p, const char *name, const tensor *t, err *e)
{
    size_t index[TENSOR_MAX_RANK] = {0};
    if (p->asked->allow_nonfinite || tensor_is_finite(t, index))
        return true;
    err_set(e, "%s[row %zu, column %zu] is beyond the range of %s", name, index[t->rank - 2] + 1,
            index[t->rank - 1] + 1, dtype_name(p->type));
    return err_remedy(e, p->type == DTYPE_F32 ? "--dtype f64 has more range"
                                              : "smaller inputs or weights would not be");
}

tensor projected_queries(const projected *made, size_t batch, size_t head)
{
    return plan_of_head(&made->queries, batch, head);
}

tensor projected_keys(const projected *made, const plan *p, size_t batch, size_t head)
{
    return plan_of_head(&made->keys, batch,
                        made->keys_have_all_heads ? head : plan_kv_head(p, head));
}

tensor projected_values(const projected *made, const plan *p, size_t batch, size_t head)
{
    return plan_of_head(&made->v, batch, plan_kv_head(p, head));
}

/* ---- projections ---- */

size_t projected_parts(const projection *r)
{
    return r->weight.rank == 3 || r->shared > 0 ? r->heads : 1;
}

tensor projected_part(const projection *r, const tensor *weight, size_t part)
{
    size_t width = weight->size[1] / projected_parts(r);
    return weight->rank == 3 ? tensor_at(weight, part)
                             : tensor_range(weight, 1, part * width, width);
}

/* out = rows·weight + bias for one entry of the batch: n × m, n × heads·width. *is_finite stays
 * true where all of it is. */
static bool project_rows(const plan *p, const projection *r, const tensor *rows, tensor *out,
                         bool *is_finite, crew *by, err *e)
{
    if (r->weight.data == NULL) {
        if (out->data != rows->data)
            tensor_copy(rows, out);
        if (r->bias.data != NULL) {
            p->with->add_to_rows(out, r->bias.data);
            *is_finite = *is_finite && p->with->is_finite(out);
        }
        return true;
    }
    /* Where the weights stay for documents to come, they stay packed too. */
    packed_weights *stay = p->asked->stays[r->weight_as] ? p->asked->packed_weights : NULL;
    for (size_t part = 0; part < projected_parts(r); part++) {
        tensor weight = projected_part(r, &r->weight, part), bias = r->bias;
        size_t width = weight.size[1];
        tensor columns = tensor_range(out, 1, part * (width + r->shared), width);
        if (bias.data != NULL)
            bias = tensor_range(&bias, 0, part * width, width);
        linear_map map = {&weight, &bias, stay};
        if (!linear_map_apply(&map, p->with, rows, &columns, is_finite, by, e))
            return false;
    }
    return true;
}

const tensor *projected_start(const projected *made, const projection *r)
{
    return r->rows_as == INPUT_X && made->x.data != NULL ? &made->x : &r->rows;
}

const tensor *projected_rows(const projected *made, const projection *r)
{
    const tensor *down = r->weight_as == INPUT_WQ ? &made->q_latent : &made->kv_latent;
    return down->data != NULL ? down : projected_start(made, r);
}

projection projected_down(const plan *p, const projection *r)
{
    const latent *l = plan_latent(p, r);
    return (projection){.rows_as = r->rows_as,
                        .rows = r->rows,
                        .weight_as = r == &p->q ? INPUT_WQ_DOWN : INPUT_WKV_DOWN,
                        .weight = l->weight,
                        .bias = l->bias,
                        .n = r->n,
                        .heads = 1,
                        .width = l->weight.size[1]};
}

/* What of the rows that are made the stage is a form of. */
static tensor *form_of(projected *made, stage_id id)
{
    if (id == STAGE_Q_SCORE || id == STAGE_K_SCORE)
        return id == STAGE_Q_SCORE ? &made->queries : &made->keys;
    char width = stage_row(id)->axes[2];
    return width == 'Q' ? &made->q : width == 'K' ? &made->k : width == 'V' ? &made->v : &made->x;
}

/* What is appended to keys or values, b × heads × n × width: after `first` rows of the sequence
 * `learned`, where it has data, then zeros. The same in all entries of the batch. */
static void append_rows(const tensor *all, size_t first, const tensor *learned)
{
    for (size_t j = first; j < all->size[2]; j++) {
        tensor to = tensor_range(all, 2, j, 1);
        size_t index[TENSOR_MAX_RANK] = {0};
        if (j == first && learned->data != NULL) {
            tensor from = to;
            from.type = learned->type;
            from.data = learned->data;
            memcpy(from.stride, (ptrdiff_t[]){0, (ptrdiff_t)to.size[3], 0, 1},
                   4 * sizeof from.stride[0]);
            tensor_copy(&from, &to);
            continue;
        }
        do
            tensor_set(&to, index, 0);
        while (tensor_next(&to, index));
    }
}

/* A role as it is given, or the rows that it would be projected from. */
static tensor as_given(const projected *made, const projection *r)
{
    return r->given.data != NULL ? r->given : plan_split_heads(projected_rows(made, r), r->heads);
}

tensor projected_form(const projecting *with, stage_id id)
{
    return with->at->where.of[id].home == HOME_INPUT
               ? as_given(with->made, plan_role(with->plan, id))
               : projected_place(with, id);
}

/* The numbers that all heads of keys end with. */
static void put_shared(const projection *r, const tensor *shared, const tensor *heads)
{
    for (size_t head = 0; head < r->heads; head++) {
        tensor of_head = tensor_range(heads, 1, head, 1);
        tensor to = tensor_range(&of_head, 3, r->width - r->shared, r->shared);
        tensor from = plan_split_heads(shared, 1);
        tensor_copy(&from, &to);
    }
}

/* What is not a number stays so. */
static void clip_rows(const plan *p, const tensor *sums, tensor *rows)
{
    double most = plan_clip(p);
    size_t index[TENSOR_MAX_RANK] = {0};
    do {
        double x = tensor_get(sums, index);
        tensor_set(rows, index, x > most ? most : x < -most ? -most : x);
    } while (tensor_next(rows, index));
}

/* What the latent's projections take of its rows, and what is shared. */
static void take_latent(const projecting *with, stage_id id, const tensor *rows)
{
    bool is_query = id == STAGE_Q_LATENT || id == STAGE_Q_LATENT_NORM;
    const latent *l = is_query ? &with->plan->q_latent : &with->plan->kv_latent;
    size_t rest = rows->size[2] - l->width;
    *(is_query ? &with->made->q_latent : &with->made->kv_latent) =
        tensor_range(rows, 2, 0, l->width);
    if (rest > 0)
        with->made->shared = tensor_range(rows, 2, l->width, rest);
}

/* rows·weight + bias. */
static bool bring_down(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    bool is_finite = true;
    const projection down = projected_down(p, id == STAGE_Q_LATENT ? &p->q : &p->k);
    tensor out = placed_at(with->at, id);
    for (size_t batch = 0; batch < p->batches; batch++) {
        tensor from = tensor_at(projected_start(with->made, &down), batch),
               to = tensor_at(&out, batch);
        if (!project_rows(p, &down, &from, &to, &is_finite, with->by, e))
            return false;
    }
    take_latent(with, id, &out);
    return is_finite || projected_check_range(p, stage_row(id)->key.named.name, &out, e);
}

/* By its root mean square, as queries and keys are. */
static bool normalize_latent(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    bool is_query = id == STAGE_Q_LATENT_NORM;
    const latent *l = is_query ? &p->q_latent : &p->kv_latent;
    const tensor *rows = is_query ? &with->made->q_latent : &with->made->kv_latent;
    tensor out = placed_at(with->at, id);
    for (size_t i = 0; i < p->batches * rows->size[1]; i++) {
        size_t batch = i / rows->size[1], row = i % rows->size[1];
        tensor of_rows = tensor_at(rows, batch), to_rows = tensor_at(&out, batch);
        tensor from = tensor_at(&of_rows, row), to = tensor_at(&to_rows, row);
        if (!p->with->row_rms_norm(from.data, l->width, l->gain.data, p->asked->latent_eps,
                                   to.data) &&
            !p->asked->allow_nonfinite)
            return err_set(e, "the squares of %s[row %zu] add up to more than float64 holds",
                           is_query ? "q_latent" : "kv_latent", row + 1);
    }
    take_latent(with, id, &out);
    return projected_check_range(p, stage_row(id)->key.named.name, &out, e);
}

/* q, k or v, with what is appended to it; where it is clipped, its sums before that. */
static bool project(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    const projection *r = plan_role(p, id);
    tensor *out = form_of(with->made, id);
    if (with->at->where.of[id].home == HOME_INPUT) {
        *out = as_given(with->made, r);
        if (with->at->written[id].data != NULL) {
            tensor into = plan_heads_apart(&with->at->written[id], r->heads);
            tensor_copy(out, &into);
        }
        return true;
    }
    tensor whole = placed_at(with->at, id), all = plan_heads_apart(&whole, r->heads);
    bool is_finite = true;
    if (r->weight.data == NULL && r->bias.data == NULL) {
        tensor given = as_given(with->made, r), of_sequence = tensor_range(&all, 2, 0, r->n);
        tensor_copy(&given, &of_sequence);
    } else if (p->asked->clip > 0 && id >= STAGE_Q) {
        tensor of_sequence = tensor_range(&all, 2, 0, r->n);
        clip_rows(p, out, &of_sequence);
    } else {
        tensor rows = tensor_range(&whole, 1, 0, r->n);
        for (size_t batch = 0; batch < p->batches; batch++) {
            tensor from = tensor_at(projected_rows(with->made, r), batch),
                   to = tensor_at(&rows, batch);
            if (!project_rows(p, r, &from, &to, &is_finite, with->by, e))
                return false;
        }
        if (!is_finite && !projected_check_range(p, input_label(r->given_as), &rows, e))
            return false;
        if (r->shared > 0) {
            tensor heads = plan_split_heads(&rows, r->heads);
            put_shared(r, &with->made->shared, &heads);
        }
    }
    if (id == STAGE_K || id == STAGE_V)
        append_rows(&all, r->n, id == STAGE_K ? &p->bias_k : &p->bias_v);
    *out = all;
    return true;
}

/* q′ or k′ of every head: rows·W. */
static bool transform(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    bool is_key = id == STAGE_K_SCORE;
    const tensor *rows = is_key ? &with->made->k : &with->made->q;
    const tensor *weight = is_key ? &p->of_score.for_key : &p->of_score.for_query;
    tensor all = placed_at(with->at, id);
    for (size_t unit = 0; unit < p->batches * p->heads; unit++) {
        size_t batch = unit / p->heads, head = unit % p->heads;
        tensor by_weight = tensor_at(weight, head);
        tensor from = plan_of_head(rows, batch, is_key ? plan_kv_head(p, head) : head);
        tensor to = plan_of_head(&all, batch, head);
        if (!multiply(p->with, &from, &by_weight, NULL, &to, with->by, e))
            return false;
    }
    *form_of(with->made, id) = all;
    return projected_check_range(p, stage_row(id)->key.named.name, &all, e);
}

/* ---- a cache ---- */

/* past, then rows: b × kv_heads × n_k × width */
static bool join(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    tensor *rows = form_of(with->made, id), apart = projected_place(with, id);
    tensor before = tensor_range(&apart, 2, 0, p->past);
    tensor after = tensor_range(&apart, 2, p->past, p->n_k - p->past);
    (void)e;
    tensor_copy(id == STAGE_PRESENT_K ? &p->past_k : &p->past_v, &before);
    tensor_copy(rows, &after);
    *rows = apart;
    return true;
}

/* A stream's cache before its first rows. */
static kv_cache cache_like(const plan *p)
{
    return (kv_cache){.keeps_rows = p->asked->cache != NULL && p->asked->cache->keeps_rows,
                      .keeps_all = p->asked->cache != NULL && p->asked->cache->keeps_all,
                      .type = p->type,
                      .with = p->with,
                      .batches = p->batches,
                      .heads = p->kv_heads,
                      .k_width = p->k.width,
                      .v_width = p->v.width};
}

/* Additive scores, values that may not be finite, and weighted values are computed of rows; stages
 * that have a number for each key, seen or not, of all keys. */
void cache_settle(const plan *p, const kept_stages *w)
{
    kv_cache *c = p->asked->cache;
    if (c == NULL || c->rows > 0)
        return;
    c->keeps_rows = !p->asked->score->is_product || p->asked->allow_nonfinite ||
                    kept_stages_has(w, STAGE_WEIGHTED);
    c->keeps_all = kept_stages_all_keys(w) || kept_stages_has(w, STAGE_WEIGHTED) ||
                   kept_stages_has(w, STAGE_K_SCORE);
}

size_t cache_first(const plan *p)
{
    return p->asked->cache == NULL ? 0 : p->asked->cache->first;
}

bool cache_growth(const plan *p, size_t *bytes)
{
    const kv_cache *c = p->asked->cache;
    *bytes = 0;
    if (c == NULL)
        return true;
    kv_cache like = cache_like(p);
    return kv_cache_growth(c->rows == 0 ? &like : c, visible_keys(p, 0, 0).first, p->n_k, bytes);
}

bool cache_bytes(const plan *p, size_t rows, size_t *bytes)
{
    kv_cache like = cache_like(p);
    size_t most = rows, left = p->asked->window_left;
    if (p->asked->has_window && !like.keeps_all && left < rows && rows - left > PACKED_STEP)
        most = size_larger(left + PACKED_STEP, p->n_k);
    return kv_cache_growth(&like, 0, most < rows ? most : rows, bytes);
}

/* What a row is computed of where products don't do: as cache_settle has it. */
bool cache_can_pack(const plan *p)
{
    assert(p->past == 0);
    return !plan_has_stage(p, STAGE_K_NORM) && !plan_has_stage(p, STAGE_K_ROPE) &&
           p->asked->score->is_product && !p->asked->allow_nonfinite;
}

bool cache_pack(kv_cache *c, const plan *p, const tensor *k, const tensor *v, err *e)
{
    kv_cache like = cache_like(p);
    kv_cache_begin(c, &like);
    if (!kv_cache_reserve(c, 0, p->n_k, e))
        return false;
    kv_cache_put(c, k, v);
    c->rows = p->n_k;
    return true;
}

/* In a stream the new keys and values come after those of earlier lines: then they stay alone in
 * `made`, unless the stream keeps rows. */
static bool cache_join(projected *made, const plan *p, err *e)
{
    kv_cache *c = p->asked->cache;
    if (c == NULL)
        return true;
    kv_cache like = cache_like(p);
    if (c->rows == 0)
        kv_cache_begin(c, &like);
    /* Of the keys stay the first that these rows see, and later ones: neither end moves back. */
    if (!kv_cache_reserve(c, visible_keys(p, 0, 0).first, p->n_k, e))
        return false;
    kv_cache_put(c, &made->k, &made->v);
    if (c->keeps_rows) {
        made->k = tensor_range(&c->k, 2, 0, p->n_k - c->first);
        made->v = tensor_range(&c->v, 2, 0, p->n_k - c->first);
    }
    return true;
}

/* ---- the whole ---- */

static bool write_rows(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    const tensor *rows = id == STAGE_X ? &p->q.rows : id == STAGE_XK ? &p->k.rows : &p->v.rows;
    tensor written = with->at->written[id];
    (void)e;
    if (written.data != NULL)
        tensor_copy(rows, &written);
    return true;
}

/* What makes the stages before the blocks. */
static bool (*const MAKE[STAGE_SCORES])(const projecting *with, stage_id id, err *e) = {
    [STAGE_X] = write_rows,
    [STAGE_XK] = write_rows,
    [STAGE_XV] = write_rows,
    [STAGE_X_POS] = sinusoid_add,
    [STAGE_Q_LATENT] = bring_down,
    [STAGE_Q_LATENT_NORM] = normalize_latent,
    [STAGE_KV_LATENT] = bring_down,
    [STAGE_KV_LATENT_NORM] = normalize_latent,
    [STAGE_Q_SUM] = project,
    [STAGE_K_SUM] = project,
    [STAGE_V_SUM] = project,
    [STAGE_Q] = project,
    [STAGE_K] = project,
    [STAGE_V] = project,
    [STAGE_Q_NORM] = normalize_heads,
    [STAGE_K_NORM] = normalize_heads,
    [STAGE_Q_ROPE] = rope_turn_both,
    [STAGE_K_ROPE] = rope_turn_both,
    [STAGE_PRESENT_K] = join,
    [STAGE_PRESENT_V] = join,
    [STAGE_Q_SCORE] = transform,
    [STAGE_K_SCORE] = transform,
};

static void take_given(const projecting *with, stage_id id)
{
    const projection *role = plan_role(with->plan, id);
    tensor all = placed_at(with->at, id);
    if (id >= STAGE_Q_LATENT && id <= STAGE_KV_LATENT_NORM)
        take_latent(with, id, &all);
    else
        *form_of(with->made, id) = role == NULL ? all : plan_heads_apart(&all, role->heads);
}

/* The stages from `first` to the one before `end`, in their order. */
static bool make_needed(const projecting *with, stage_id first, stage_id end, err *e)
{
    const stage_places *where = &with->at->where;
    for (size_t i = 0; i < where->count && where->needed[i] < end; i++) {
        stage_id id = where->needed[i];
        if (id < first)
            continue;
        if (where->of[id].is_given)
            take_given(with, id);
        else if (!MAKE[id](with, id, e))
            return false;
    }
    return true;
}

bool project_inputs(projected *made, const plan *p, const placed *at, crew *by, err *e)
{
    const projecting with = {p, at, made, by};
    size_t index[TENSOR_MAX_RANK] = {0};
    /* A stream's cache keeps the forms before those that scores compare. */
    if (!make_needed(&with, STAGE_X, STAGE_Q_SCORE, e) || !cache_join(made, p, e))
        return false;
    made->queries = made->q;
    made->keys = made->k;
    made->keys_have_all_heads = plan_has_stage(p, STAGE_K_SCORE);
    made->v_is_finite =
        !p->asked->allow_nonfinite || made->v.data == NULL || tensor_is_finite(&made->v, index);
    made->context_rows = placed_at(at, STAGE_CONTEXT);
    made->context = plan_split_heads(&made->context_rows, p->heads);
    return make_needed(&with, STAGE_Q_SCORE, STAGE_SCORES, e);
}

bool project_output(projected *made, const plan *p, const placed *at, crew *by, err *e)
{
    const tensor *output = &at->whole[STAGE_OUTPUT], *context = &at->written[STAGE_CONTEXT];
    if (!made->context_is_finite && !projected_check_range(p, "context", &made->context_rows, e))
        return false;
    if (context->data != NULL && context->rank == 4) {
        tensor into = tensor_view_of(context);
        tensor_copy(&made->context, &into);
    }
    if (output->data == NULL)
        return true;
    if (output->rank == 4) {
        /* The context keeps its heads apart, and without Wo so does the output. */
        tensor into = tensor_view_of(output);
        tensor_copy(&made->context, &into);
        for (size_t unit = 0; p->bo.data != NULL && unit < p->batches * p->heads; unit++) {
            size_t head = unit % p->heads;
            tensor rows = plan_of_head(output, unit / p->heads, head);
            tensor part = tensor_range(&p->bo, 0, head * p->v.width, p->v.width);
            p->with->add_to_rows(&rows, part.data);
        }
        return true;
    }
    const projection by_wo = {
        .weight_as = INPUT_WO, .weight = p->wo, .bias = p->bo, .heads = 1, .width = p->width_out};
    bool is_finite = true; /* as the context is */
    for (size_t batch = 0; batch < p->batches; batch++) {
        tensor from = tensor_at(&made->context_rows, batch), to = tensor_at(output, batch);
        if (!project_rows(p, &by_wo, &from, &to, &is_finite, by, e))
            return false;
    }
    return is_finite || projected_check_range(p, "output", output, e);
}

/* ---- memory ---- */

size_t project_product_memory(const plan *p, size_t threads)
{
    const score_parameters *of_score = &p->of_score;
    const struct {
        const tensor *weight;
        size_t rows;
    } products[] = {{&p->q.weight, p->q.n},        {&p->k.weight, p->k.n},
                    {&p->v.weight, p->v.n},        {&of_score->for_query, p->n_q},
                    {&of_score->for_key, p->n_k},  {&p->wo, p->n_q},
                    {&p->q_latent.weight, p->q.n}, {&p->kv_latent.weight, p->k.n}};
    size_t largest = 0;
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++) {
        const tensor *weight = products[i].weight;
        if (weight->data == NULL)
            continue;
        const size_t *size = &weight->size[weight->rank - 2];
        largest = size_larger(
            largest, multiply_memory(p->with, products[i].rows, size[0], size[1], threads));
    }
    return largest;
}

size_t project_memory(const plan *p)
{
    size_t of_cache, all = positions_memory(p);
    return size_sum(all, cache_growth(p, &of_cache) ? of_cache : SIZE_MAX);
}

/* ---- packed ---- */

/* A stream keeps its keys and values packed, and so may who gives them. */
static const kv_cache *packed_cache(const plan *p)
{
    const kv_cache *c = p->asked->cache != NULL ? p->asked->cache : p->asked->packed;
    return c != NULL && !c->keeps_rows ? c : NULL;
}

/* A head's keys and values beyond this are not packed for all blocks. A third-level cache no longer
 * holds them, so that parts are faster: by a tenth at 100,000 rows of 64 numbers, where at 20,000
 * they are slower by two fifths. */
enum { SHARED_MOST = 32 << 20 };

/* A part stays in a second-level cache while the block's rows meet it. */
enum { PART_BYTES = 512 * 1024 };

/* False where an address can't hold them. */
static bool shared_memory(const plan *p, size_t *bytes)
{
    size_t keys = p->n_k - cache_first(p);
    bool packs_keys = p->asked->score->is_product;
    return size_add(packs_keys ? p->with->packed_bytes(p->compared_width, keys) : 0,
                    p->with->packed_bytes(keys, p->v.width), bytes);
}

static size_t part_of(const plan *p)
{
    size_t bytes;
    if (packed_cache(p) != NULL)
        return 0;
    if (p->asked->part > 0)
        return p->asked->part;
    if (shared_memory(p, &bytes) && bytes <= SHARED_MOST)
        return 0;
    size_t a_key = size_larger(p->compared_width, p->v.width) * dtype_size(p->type);
    size_t steps = PART_BYTES / (a_key * PACKED_STEP + 1);
    return steps < 1 ? PACKED_STEP : steps * PACKED_STEP;
}

/* Bytes of what a slot has of each; one room of values serves both loops. */
typedef struct slot_bytes {
    size_t keys, values, key_rows;
} slot_bytes;

static slot_bytes slot_bytes_of(const plan *p)
{
    const kernels *with = p->with;
    size_t keys = p->n_k - cache_first(p);
    bool is_there = packed_cache(p) != NULL, goes_back = p->asked->goes_back;
    slot_bytes of = {0};
    if (!is_there && p->asked->score->is_product)
        of.keys = with->packed_bytes(p->compared_width, keys);
    if (!is_there || goes_back)
        of.values = with->packed_bytes(keys, p->v.width);
    if (goes_back)
        of.values = size_larger(of.values, with->packed_bytes(p->v.width, keys));
    if (goes_back && p->asked->score->back == BACK_BY_PRODUCT)
        of.key_rows = with->packed_bytes(keys, p->compared_width);
    return of;
}

static bool new_list(packed **list, bool is_needed, size_t slots, size_t bytes, err *e)
{
    if (is_needed && bytes > 0)
        *list = packed_list_new(slots, bytes, e);
    return !is_needed || bytes == 0 || *list != NULL;
}

bool panels_new(panels *all, const plan *p, const placed *at, const projected *made, size_t slots,
                err *e)
{
    const stage_places *where = &at->where;
    bool weighs = places_make(where, STAGE_ATTENDED) || places_make(where, STAGE_DELTA) ||
                  places_make(where, STAGE_WEIGHTS_GRAD);
    *all = (panels){.plan = p, .made = made, .slots = slots, .part = part_of(p)};
    if (all->part > 0)
        return true;
    const slot_bytes of = slot_bytes_of(p);
    return new_list(&all->keys, places_make(where, STAGE_SCORES), slots, of.keys, e) &&
           new_list(&all->values, weighs, slots, of.values, e) &&
           new_list(&all->key_rows, places_make(where, STAGE_SCORES_GRAD), slots, of.key_rows, e);
}

void panels_free(panels *all)
{
    packed_list_free(all->keys, all->slots);
    packed_list_free(all->values, all->slots);
    packed_list_free(all->key_rows, all->slots);
    *all = (panels){0};
}

size_t panels_memory(const plan *p)
{
    if (part_of(p) > 0)
        return 0; /* what an address can't hold has parts */
    const slot_bytes of = slot_bytes_of(p);
    return size_sum(of.keys, size_sum(of.values, of.key_rows));
}

size_t panels_room(const plan *p)
{
    const kernels *with = p->with;
    size_t part = part_of(p), compared = p->compared_width;
    size_t keys =
        size_larger(with->packed_bytes(compared, part), with->packed_bytes(part, compared));
    return size_larger(keys, size_larger(with->packed_bytes(p->v.width, part),
                                         with->packed_bytes(part, p->v.width)));
}

/* What a loop packs of a unit, a part each. */
typedef struct packing {
    packed *list; /* NULL: nothing */
    bool is_values, is_turned;
} packing;

enum { PACKINGS = 3 };

static void find_packings(const panels *all, packing *of)
{
    bool back = all->goes_back, is_there = packed_cache(all->plan) != NULL;
    of[0] = (packing){all->keys, false, true};
    of[1] = (packing){back || !is_there ? all->values : NULL, true, back};
    of[2] = (packing){back ? all->key_rows : NULL, false, false};
}

size_t panels_parts(const panels *all)
{
    packing of[PACKINGS];
    size_t parts = 0;
    find_packings(all, of);
    for (size_t i = 0; i < PACKINGS; i++)
        parts += of[i].list != NULL;
    return parts;
}

void panels_pack(const panels *all, size_t unit, size_t part)
{
    const plan *p = all->plan;
    size_t batch = unit / p->kv_heads, head = unit % p->kv_heads * (p->heads / p->kv_heads);
    packing of[PACKINGS];
    size_t i = 0;
    find_packings(all, of);
    for (size_t before = 0; of[i].list == NULL || before < part; i++)
        before += of[i].list != NULL;
    tensor rows = of[i].is_values ? projected_values(all->made, p, batch, head)
                                  : projected_keys(all->made, p, batch, head);
    if (of[i].is_turned)
        rows = tensor_transposed(&rows);
    p->with->pack(&rows, &of[i].list[unit % all->slots]);
}

static packed pack_part(const panels *all, const tensor *rows, size_t first, size_t count,
                        bool is_turned, void *room)
{
    packed part = {.data = room};
    tensor of_part = tensor_range(rows, 0, first - cache_first(all->plan), count);
    if (is_turned)
        of_part = tensor_transposed(&of_part);
    all->plan->with->pack(&of_part, &part);
    return part;
}

packed packed_from_column(const kernels *with, const packed *all, size_t first)
{
    packed part = *all;
    part.skipped = first % PACKED_STEP;
    part.columns -= first;
    part.data = (char *)all->data + with->packed_bytes(all->depth, first - part.skipped);
    return part;
}

packed packed_from_row(const kernels *with, const packed *all, size_t first)
{
    packed part = *all;
    part.data = (char *)all->data + with->packed_bytes(first, 1);
    return part;
}

/* Those of one query head's unit. */
static packed of_unit(const panels *all, packed *const in_cache, const packed *list, size_t batch,
                      size_t head)
{
    size_t unit = batch * all->plan->kv_heads + plan_kv_head(all->plan, head);
    return in_cache != NULL ? in_cache[unit] : list[unit % all->slots];
}

packed panels_keys(const panels *all, size_t batch, size_t head, size_t first, size_t count,
                   void *room)
{
    if (all->part > 0) {
        tensor k = projected_keys(all->made, all->plan, batch, head);
        return pack_part(all, &k, first, count, true, room);
    }
    const kv_cache *c = packed_cache(all->plan);
    packed keys = of_unit(all, c == NULL ? NULL : c->keys, all->keys, batch, head);
    return packed_from_column(all->plan->with, &keys, first - cache_first(all->plan));
}

packed panels_key_rows(const panels *all, size_t batch, size_t head, size_t first, size_t count,
                       void *room)
{
    if (all->part > 0) {
        tensor k = projected_keys(all->made, all->plan, batch, head);
        return pack_part(all, &k, first, count, false, room);
    }
    packed keys = of_unit(all, NULL, all->key_rows, batch, head);
    return packed_from_row(all->plan->with, &keys, first - cache_first(all->plan));
}

/* Keys are the rows of the values. */
packed panels_values(const panels *all, size_t batch, size_t head, size_t first, size_t count,
                     void *room)
{
    if (all->part > 0) {
        tensor v = projected_values(all->made, all->plan, batch, head);
        return pack_part(all, &v, first, count, false, room);
    }
    const kv_cache *c = packed_cache(all->plan);
    packed values = of_unit(all, c == NULL ? NULL : c->values, all->values, batch, head);
    return packed_from_row(all->plan->with, &values, first - cache_first(all->plan));
}

packed panels_turned_values(const panels *all, size_t batch, size_t head, size_t first,
                            size_t count, void *room)
{
    if (all->part > 0) {
        tensor v = projected_values(all->made, all->plan, batch, head);
        return pack_part(all, &v, first, count, true, room);
    }
    packed values = of_unit(all, NULL, all->values, batch, head);
    return packed_from_column(all->plan->with, &values, first - cache_first(all->plan));
}
