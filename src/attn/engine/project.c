#include "attn/engine/project.h"

#include "attn/engine/cache.h"
#include "attn/engine/multiply.h"
#include "attn/engine/rope.h"
#include "attn/engine/sinusoid.h"
#include "base/mem.h"

#include <string.h>

/* ---- the last form of q, k and v ---- */

/* Memory that belongs to no result. An earlier run of the same plan may have left it, in the same
 * order. */
static tensor *projected_own(projected *made, const plan *p, int rank, const size_t *size, err *e)
{
    tensor *added = &made->owned[made->owned_count];
    if (added->data == NULL && !tensor_new(added, p->type, rank, size, e))
        return NULL;
    made->owned_count++;
    return added;
}

bool projected_place(projected *made, const plan *p, const tensor *kept, const tensor *like,
                     size_t n, tensor *apart, err *e)
{
    size_t size[] = {like->size[0], like->size[1], n, like->size[3]};
    const tensor *all = kept->data != NULL ? kept : projected_own(made, p, 4, size, e);
    if (all != NULL)
        *apart = plan_heads_apart(all, like->size[1]);
    return all != NULL;
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

void projected_free(projected *made)
{
    for (size_t i = 0; i < PROJECTED_OWNED; i++)
        tensor_free(&made->owned[i]);
}

static tensor of_head(const tensor *all, size_t batch, size_t head)
{
    tensor of_batch = tensor_at(all, batch);
    return tensor_at(&of_batch, head);
}

tensor projected_queries(const projected *made, size_t batch, size_t head)
{
    return of_head(&made->queries, batch, head);
}

tensor projected_keys(const projected *made, const plan *p, size_t batch, size_t head)
{
    return of_head(&made->keys, batch, made->keys_have_all_heads ? head : plan_kv_head(p, head));
}

tensor projected_values(const projected *made, const plan *p, size_t batch, size_t head)
{
    return of_head(&made->v, batch, plan_kv_head(p, head));
}

/* ---- projections ---- */

/* The weights that were given as `which`, or a part of them: where they stay for documents to come,
 * they stay packed too. */
static linear_map map_of(const plan *p, input which, const tensor *weight, const tensor *bias)
{
    return (linear_map){weight, bias, p->asked->stays[which] ? p->asked->packed_weights : NULL};
}

/* out = rows·weight + bias for one entry of the batch: n × m, n × heads·width. *is_finite stays
 * true where all of it is. */
static bool project_rows(const plan *p, const projection *r, const tensor *rows, tensor *out,
                         bool *is_finite, crew *by, err *e)
{
    if (r->weight.data == NULL) {
        tensor_copy(rows, out);
        p->with->add_to_rows(out, r->bias.data);
        *is_finite = *is_finite && p->with->is_finite(out);
        return true;
    }
    if (r->weight.rank == 2) {
        linear_map map = map_of(p, r->weight_as, &r->weight, &r->bias);
        return linear_map_apply(&map, p->with, rows, out, is_finite, by, e);
    }
    for (size_t head = 0; head < r->heads; head++) {
        tensor weight = tensor_at(&r->weight, head), bias = r->bias;
        tensor columns = tensor_range(out, 1, head * r->width, r->width);
        if (bias.data != NULL)
            bias = tensor_range(&bias, 0, head * r->width, r->width);
        linear_map map = map_of(p, r->weight_as, &weight, &bias);
        if (!linear_map_apply(&map, p->with, rows, &columns, is_finite, by, e))
            return false;
    }
    return true;
}

/* What a projection starts from. */
static const tensor *rows_of(const projected *made, const projection *r)
{
    return r->rows_as == INPUT_X && made->x.data != NULL ? &made->x : &r->rows;
}

static bool project(projected *made, const plan *p, const projection *r, tensor *kept, tensor *out,
                    crew *by, err *e)
{
    if (r->given.data != NULL) {
        *out = r->given;
    } else if (r->weight.data == NULL && r->bias.data == NULL) {
        *out = plan_split_heads(rows_of(made, r), r->heads);
    } else {
        size_t size[] = {p->batches, r->n, r->heads * r->width};
        tensor *rows = kept->data != NULL ? kept : projected_own(made, p, 3, size, e);
        if (rows == NULL)
            return false;
        bool is_finite = true;
        for (size_t batch = 0; batch < p->batches; batch++) {
            tensor from = tensor_at(rows_of(made, r), batch), to = tensor_at(rows, batch);
            if (!project_rows(p, r, &from, &to, &is_finite, by, e))
                return false;
        }
        *out = plan_split_heads(rows, r->heads);
        return is_finite || projected_check_range(p, input_label(r->given_as), rows, e);
    }
    if (kept->data != NULL) {
        tensor into = plan_heads_apart(kept, r->heads);
        tensor_copy(out, &into);
    }
    return true;
}

/* Keys or values, with what is appended to them: after the rows of the sequence `learned`, where it
 * has data, then zeros. */
static bool project_keys(projected *made, const plan *p, const projection *r, const tensor *learned,
                         tensor *kept, tensor *out, crew *by, err *e)
{
    if (p->appended == 0)
        return project(made, p, r, kept, out, by, e);
    size_t size[] = {p->batches, p->n_k, r->heads * r->width};
    bool keeps_rows = kept->data != NULL && kept->rank == 3;
    tensor *rows = NULL;
    if (project(made, p, r, &(tensor){0}, out, by, e))
        rows = keeps_rows ? kept : projected_own(made, p, 3, size, e);
    if (rows == NULL)
        return false;
    tensor all = plan_split_heads(rows, r->heads), of_sequence = tensor_range(&all, 2, 0, r->n);
    tensor_copy(out, &of_sequence);
    for (size_t j = r->n; j < p->n_k; j++) {
        /* The same in all entries of the batch. */
        tensor to = tensor_range(rows, 1, j, 1);
        size_t index[TENSOR_MAX_RANK] = {0};
        if (j == r->n && learned->data != NULL) {
            tensor from = {
                .type = learned->type, .rank = 3, .stride = {0, 0, 1}, .data = learned->data};
            memcpy(from.size, to.size, sizeof from.size);
            tensor_copy(&from, &to);
            continue;
        }
        do
            tensor_set(&to, index, 0);
        while (tensor_next(&to, index));
    }
    if (kept->data != NULL && !keeps_rows)
        tensor_copy(&all, kept);
    *out = all;
    return true;
}

static void keep_rows(const projection *r, tensor *kept)
{
    if (kept->data != NULL)
        tensor_copy(&r->rows, kept);
}

/* q′ or k′ of every head: rows·W. */
static bool transform(projected *made, const plan *p, stage_id id, tensor *kept, tensor *out,
                      crew *by, err *e)
{
    bool is_key = id == STAGE_K_SCORE;
    const tensor *rows = is_key ? &made->k : &made->q;
    size_t size[] = {p->batches, p->heads, rows->size[2], p->compared_width};
    tensor *all = kept[id].data != NULL ? &kept[id] : projected_own(made, p, 4, size, e);
    if (all == NULL)
        return false;
    for (size_t unit = 0; unit < p->batches * p->heads; unit++) {
        size_t batch = unit / p->heads, head = unit % p->heads;
        score_parameters with = plan_score_parameters(p, head);
        tensor of_batch = tensor_at(rows, batch), into_batch = tensor_at(all, batch);
        tensor from = tensor_at(&of_batch, is_key ? plan_kv_head(p, head) : head);
        tensor to = tensor_at(&into_batch, head);
        if (!multiply(p->with, &from, is_key ? &with.for_key : &with.for_query, NULL, &to, by, e))
            return false;
    }
    *out = tensor_view_of(all);
    return projected_check_range(p, stage_row(id)->key.named.name, out, e);
}

bool project_inputs(projected *made, const plan *p, tensor *kept, crew *by, err *e)
{
    size_t index[TENSOR_MAX_RANK] = {0};
    made->owned_count = 0;
    keep_rows(&p->q, &kept[STAGE_X]);
    keep_rows(&p->k, &kept[STAGE_XK]);
    keep_rows(&p->v, &kept[STAGE_XV]);
    if (!sinusoid_add(made, p, kept, e) ||
        !project(made, p, &p->q, &kept[STAGE_Q], &made->q, by, e) ||
        !project_keys(made, p, &p->k, &p->bias_k, &kept[STAGE_K], &made->k, by, e) ||
        !project_keys(made, p, &p->v, &p->bias_v, &kept[STAGE_V], &made->v, by, e) ||
        !normalize_both(made, p, kept, e) || !rope_turn_both(made, p, kept, by, e) ||
        !cache_join(made, p, kept, e))
        return false;
    made->queries = made->q;
    made->keys = made->k;
    made->keys_have_all_heads = plan_has_stage(p, STAGE_K_SCORE);
    if ((plan_has_stage(p, STAGE_Q_SCORE) &&
         !transform(made, p, STAGE_Q_SCORE, kept, &made->queries, by, e)) ||
        (made->keys_have_all_heads && !transform(made, p, STAGE_K_SCORE, kept, &made->keys, by, e)))
        return false;
    made->v_is_finite = !p->asked->allow_nonfinite || tensor_is_finite(&made->v, index);
    /* The context is kept as itself, or as the output where that is the same, or not at all. */
    size_t size[] = {p->batches, p->n_q, p->heads * p->v.width};
    const tensor *rows = &kept[STAGE_CONTEXT];
    if (rows->data == NULL && p->wo.data == NULL)
        rows = &kept[STAGE_OUTPUT];
    if (rows->data == NULL || rows->rank != 3)
        rows = projected_own(made, p, 3, size, e);
    if (rows == NULL)
        return false;
    made->context_rows = tensor_view_of(rows);
    made->context = plan_split_heads(rows, p->heads);
    return true;
}

bool project_output(projected *made, const plan *p, tensor *kept, crew *by, err *e)
{
    tensor *output = &kept[STAGE_OUTPUT], *context = &kept[STAGE_CONTEXT];
    if (!made->context_is_finite && !projected_check_range(p, "context", &made->context_rows, e))
        return false;
    if (context->data != NULL && context->rank == 4)
        tensor_copy(&made->context, context);
    if (output->data == NULL)
        return true;
    if (output->rank == 4) {
        /* The context keeps its heads apart, and without Wo so does the output. */
        tensor_copy(&made->context, output);
        for (size_t unit = 0; p->bo.data != NULL && unit < p->batches * p->heads; unit++) {
            size_t head = unit % p->heads;
            tensor of_batch = tensor_at(output, unit / p->heads), rows = tensor_at(&of_batch, head);
            tensor part = tensor_range(&p->bo, 0, head * p->v.width, p->v.width);
            p->with->add_to_rows(&rows, part.data);
        }
        return true;
    }
    bool is_finite = p->wo.data != NULL || p->bo.data == NULL; /* as the context is */
    linear_map map = map_of(p, INPUT_WO, &p->wo, &p->bo);
    for (size_t batch = 0; batch < p->batches; batch++) {
        tensor from = tensor_at(&made->context_rows, batch), to = tensor_at(output, batch);
        if (p->wo.data != NULL) {
            if (!linear_map_apply(&map, p->with, &from, &to, &is_finite, by, e))
                return false;
            continue;
        }
        if (to.data != from.data)
            tensor_copy(&from, &to);
        if (p->bo.data != NULL)
            p->with->add_to_rows(&to, p->bo.data);
    }
    return is_finite || projected_check_range(p, "output", output, e);
}

/* ---- memory ---- */

/* The rows of q, k or v are made, and lie in no place of a wanted stage. */
static bool is_owned(const projection *r, bool is_kept)
{
    bool is_made = r->weight.data != NULL || r->bias.data != NULL;
    return r->given.data == NULL && is_made && !is_kept;
}

/* As project_keys has it. */
static bool owns_appended(const plan *p, const kept_stages *w, stage_id id)
{
    const tensor *given = p->asked->in[id == STAGE_K ? INPUT_K : INPUT_V];
    bool is_apart = given != NULL && given->rank == 4;
    return p->appended > 0 && (is_apart || !kept_stages_has(w, id));
}

/* As projected_place has it. */
static bool owns_form(const plan *p, const kept_stages *w, stage_id id)
{
    return plan_has_stage(p, id) && !kept_stages_has(w, id);
}

size_t project_product_memory(const plan *p, size_t threads)
{
    score_parameters of_score = plan_score_parameters(p, 0);
    const struct {
        const tensor *weight;
        size_t rows;
    } products[] = {{&p->q.weight, p->q.n},      {&p->k.weight, p->k.n},
                    {&p->v.weight, p->v.n},      {&of_score.for_query, p->n_q},
                    {&of_score.for_key, p->n_k}, {&p->wo, p->n_q}};
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

bool project_memory(const plan *p, const kept_stages *w, size_t *bytes)
{
    bool keeps_context = kept_stages_has(w, STAGE_CONTEXT) ||
                         (p->wo.data == NULL && kept_stages_has(w, STAGE_OUTPUT));
    bool owns_context = !keeps_context || plan_keeps_heads_apart(p); /* as project_inputs has it */
    const struct {
        bool is_owned;
        size_t rows, heads, width;
    } parts[] = {
        {is_owned(&p->q, kept_stages_has(w, STAGE_Q)), p->n_q, p->heads, p->q.width},
        {is_owned(&p->k, p->appended == 0 && kept_stages_has(w, STAGE_K)), p->k.n, p->kv_heads,
         p->k.width},
        {is_owned(&p->v, p->appended == 0 && kept_stages_has(w, STAGE_V)), p->v.n, p->kv_heads,
         p->v.width},
        {owns_appended(p, w, STAGE_K), p->n_k, p->kv_heads, p->k.width},
        {owns_appended(p, w, STAGE_V), p->n_k, p->kv_heads, p->v.width},
        {owns_form(p, w, STAGE_X_POS), p->n_q, 1, p->q.rows.size[2]},
        {owns_form(p, w, STAGE_Q_NORM), p->n_q, p->heads, p->q.width},
        {owns_form(p, w, STAGE_K_NORM), p->k.n + p->appended, p->kv_heads, p->k.width},
        {owns_form(p, w, STAGE_Q_ROPE), p->n_q, p->heads, p->q.width},
        {owns_form(p, w, STAGE_K_ROPE), p->k.n + p->appended, p->kv_heads, p->k.width},
        {owns_form(p, w, STAGE_PRESENT_K), p->n_k, p->kv_heads, p->k.width},
        {owns_form(p, w, STAGE_PRESENT_V), p->n_k, p->kv_heads, p->v.width},
        {plan_has_stage(p, STAGE_Q_SCORE) && !kept_stages_has(w, STAGE_Q_SCORE), p->n_q, p->heads,
         p->compared_width},
        {plan_has_stage(p, STAGE_K_SCORE) && !kept_stages_has(w, STAGE_K_SCORE), p->n_k, p->heads,
         p->compared_width},
        {owns_context, p->n_q, p->heads, p->v.width},
    };
    size_t of_cache;
    *bytes = sinusoid_memory(p) + rope_memory(p);
    if (!cache_growth(p, &of_cache) || !size_add(*bytes, of_cache, bytes))
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const size_t size[] = {p->batches, parts[i].rows, parts[i].heads, parts[i].width};
        size_t count;
        if (parts[i].is_owned &&
            !(sizes_count(4, size, &count) && size_add_product(bytes, count, dtype_size(p->type))))
            return false;
    }
    return true;
}
