#include "attn/engine/backward.h"

#include "attn/engine/loss.h"
#include "attn/engine/multiply.h"
#include "attn/engine/norms.h"
#include "attn/engine/positions.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

/* ---- what is needed ---- */

bool backward_is_needed(const stage_places *where)
{
    return where->count > 0 && stage_is_backward(where->needed[where->count - 1]);
}

bool backward_has_blocks(const plan *p, const stage_places *where)
{
    return places_make(where, STAGE_ATTENDED_GRAD) || places_make(where, plan_bias_gradient(p)) ||
           places_make(where, STAGE_SLOPES_GRAD);
}

/* What the stage is a gradient of a form of, that which is compared among them. */
static const projection *side_of(const plan *p, stage_id id)
{
    return id == STAGE_Q_SCORE_GRAD ? &p->q : id == STAGE_K_SCORE_GRAD ? &p->k : plan_role(p, id);
}

/* The stage of queries, keys or values that the second loop gathers: the form that they have in its
 * blocks; STAGE_COUNT: none is needed. */
static stage_id gathered_of(const plan *p, const stage_places *where, const projection *role)
{
    stage_id id = STAGE_LOSS;
    while (id < STAGE_COUNT && !(places_make(where, id) && side_of(p, id) == role &&
                                 places_gathers(p, id, plan_stand_in(p, stage_row(id)->takes[0]))))
        id++;
    return id;
}

/* c = a·b, or where chains go on c + a·b. */
static bool add_product(const projecting *with, const tensor *a, const tensor *b, bool goes_on,
                        tensor *c, err *e)
{
    const kernels *by = with->plan->with;
    return goes_on ? multiply_on(by, a, b, c, with->by, e)
                   : multiply(by, a, b, NULL, c, with->by, e);
}

/* ---- before the second loop ---- */

/* Entry by entry; both have the same axes. */
static void fill_with(const tensor *to, double value)
{
    size_t index[TENSOR_MAX_RANK] = {0};
    tensor all = *to;
    do
        tensor_set(&all, index, value);
    while (tensor_next(&all, index));
}

bool backward_begin(const projecting *with, err *e)
{
    const plan *p = with->plan;
    const placed *at = with->at;
    const loss by = {p->asked->loss, plan_given_like(p, INPUT_TARGET),
                     plan_given_like(p, INPUT_OUTPUT_GRAD), p->asked->begins_with_ones};
    if (places_make(&at->where, STAGE_LOSS)) {
        tensor number = placed_at(at, STAGE_LOSS), output = placed_at(at, STAGE_OUTPUT);
        tensor_set(&number, NULL, loss_of(&by, &output));
    }
    if (places_make(&at->where, STAGE_OUTPUT_GRAD)) {
        tensor output = placed_at(at, STAGE_OUTPUT), grad = placed_at(at, STAGE_OUTPUT_GRAD);
        loss_grad(&by, &output, &grad);
    }
    if (!places_make(&at->where, STAGE_CONTEXT_GRAD))
        return true;
    tensor grad = placed_at(at, STAGE_OUTPUT_GRAD), context = placed_at(at, STAGE_CONTEXT_GRAD);
    if (p->wo.data == NULL) {
        tensor from = plan_heads_apart(&grad, p->heads), to = plan_heads_apart(&context, p->heads);
        tensor_copy(&from, &to);
    }
    for (size_t batch = 0; p->wo.data != NULL && batch < p->batches; batch++) {
        tensor turned = tensor_transposed(&p->wo), rows = tensor_at(&grad, batch),
               to = tensor_at(&context, batch);
        if (!add_product(with, &rows, &turned, false, &to, e))
            return false;
    }
    return true;
}

/* ---- where it gathers ---- */

/* Heads of what is compared are apart already. */
static tensor place_of(const projecting *with, stage_id id)
{
    return plan_role(with->plan, id) == NULL ? placed_at(with->at, id) : projected_place(with, id);
}

static bool open_shared(const plan *p, const projection *role, tensor *all, tensor *own, err *e)
{
    const size_t size[] = {p->batches, p->heads, p->n_k, role->width};
    if (all->data == NULL || all->size[1] == p->heads)
        return true;
    if (!tensor_new(own, p->type, 4, size, e))
        return false;
    *all = tensor_view_of(own);
    return true;
}

static bool open_vector(const plan *p, const tensor *of, tensor *own, err *e)
{
    const size_t size[] = {p->batches, p->heads, 1, of->size[1]};
    return of->data == NULL || tensor_new(own, p->type, 4, size, e);
}

/* All blocks of all heads add to it. */
static void open_bias(gathered *to, const projecting *with)
{
    const plan *p = with->plan;
    const stage_id id = plan_bias_gradient(p);
    if (!places_make(&with->at->where, id))
        return;
    tensor grad = placed_at(with->at, id);
    fill_with(&grad, 0);
    if (p->bucket.data != NULL)
        to->buckets = grad;
    else
        to->bias = plan_seen_as_bias(p, &grad);
}

static bool open_slopes(gathered *to, const projecting *with, err *e)
{
    const size_t heads = with->plan->heads;
    if (!places_make(&with->at->where, STAGE_SLOPES_GRAD))
        return true;
    if (!tensor_new(&to->slopes, DTYPE_F64, 1, &heads, e))
        return false;
    fill_with(&to->slopes, 0);
    return true;
}

bool backward_open(gathered *to, const projecting *with, err *e)
{
    const plan *p = with->plan;
    const stage_places *where = &with->at->where;
    stage_id q = gathered_of(p, where, &p->q), k = gathered_of(p, where, &p->k),
             v = gathered_of(p, where, &p->v);
    *to = (gathered){0};
    if (q != STAGE_COUNT)
        to->q = place_of(with, q);
    if (k != STAGE_COUNT)
        to->k = place_of(with, k);
    if (v != STAGE_COUNT)
        to->v = projected_place(with, v);
    open_bias(to, with);
    return open_slopes(to, with, e) && open_shared(p, &p->k, &to->k, &to->own_k, e) &&
           open_shared(p, &p->v, &to->v, &to->own_v, e) &&
           open_vector(p, &p->of_score.vector, &to->vector, e) &&
           open_vector(p, &p->of_score.shift, &to->shift, e);
}

void backward_close(gathered *to)
{
    tensor_free(&to->own_k);
    tensor_free(&to->own_v);
    tensor_free(&to->vector);
    tensor_free(&to->shift);
    tensor_free(&to->slopes);
}

/* ---- after the second loop ---- */

static void add_rows(const plan *p, const tensor *from, const tensor *to)
{
    for (size_t i = 0; i < to->size[0]; i++) {
        void *row = block_row_at(to, i);
        p->with->add(row, to->size[1], block_row_at(from, i), from->stride[1], row);
    }
}

/* Heads that share keys: the first one's, then the others added in their order. */
static void sum_heads(const projecting *with, stage_id id, const tensor *of_heads)
{
    const plan *p = with->plan;
    size_t group = p->heads / p->kv_heads;
    if (of_heads->data == NULL)
        return;
    tensor all = projected_place(with, id);
    for (size_t unit = 0; unit < p->batches * p->heads; unit++) {
        size_t batch = unit / p->heads, head = unit % p->heads;
        tensor from = plan_of_head(of_heads, batch, head),
               to = plan_of_head(&all, batch, head / group);
        if (head % group == 0)
            tensor_copy(&from, &to);
        else
            add_rows(p, &from, &to);
    }
}

/* What a head compares is rows·W: of its gradient, that of the rows is grad·Wᵀ. Of heads that share
 * keys the chains go on, in their order. */
static bool transform_back(const projecting *with, stage_id id, stage_id taken, err *e)
{
    const plan *p = with->plan;
    bool is_key = taken == STAGE_K_SCORE_GRAD;
    const tensor *weight = is_key ? &p->of_score.for_key : &p->of_score.for_query;
    tensor from = placed_at(with->at, taken), to = projected_place(with, id);
    size_t group = is_key ? p->heads / p->kv_heads : 1;
    bool done = true;
    for (size_t unit = 0; unit < p->batches * p->heads && done; unit++) {
        size_t batch = unit / p->heads, head = unit % p->heads;
        tensor of_head = tensor_at(weight, head), turned = tensor_transposed(&of_head);
        tensor grad = plan_of_head(&from, batch, head),
               rows = plan_of_head(&to, batch, head / group);
        done = add_product(with, &grad, &turned, head % group > 0, &rows, e);
    }
    return done;
}

/* Gradients of queries, keys or values from those of their next form. */
static bool make_form(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    stage_id taken = plan_stand_in(p, stage_row(id)->takes[0]);
    if (places_gathers(p, id, taken))
        return true;
    if (taken == STAGE_Q_SCORE_GRAD || taken == STAGE_K_SCORE_GRAD)
        return transform_back(with, id, taken, e);
    tensor from = projected_place(with, taken), to = projected_place(with, id);
    if (taken == STAGE_Q_ROPE_GRAD || taken == STAGE_K_ROPE_GRAD)
        return rope_turn_back(with, id, &from, &to, e);
    if (taken == STAGE_Q_NORM_GRAD || taken == STAGE_K_NORM_GRAD) {
        tensor x = projected_form(with, id == STAGE_Q_GRAD ? STAGE_Q : STAGE_K);
        normalize_back(p, id, &x, &from, &to);
        return true;
    }
    from = tensor_range(&from, 2, p->past, to.size[2]);
    tensor_copy(&from, &to);
    return true;
}

/* Of q, k or v before it was clipped: what was cut gains nothing. */
static bool make_sums(const projecting *with, stage_id id, err *e)
{
    const double most = plan_clip(with->plan);
    tensor from = projected_place(with, stage_row(id)->takes[0]),
           sums = projected_place(with, stage_row(id)->takes[1]), to = projected_place(with, id);
    size_t index[TENSOR_MAX_RANK] = {0};
    (void)e;
    do {
        bool passes = fabs(tensor_get(&sums, index)) <= most;
        tensor_set(&to, index, passes ? tensor_get(&from, index) : 0);
    } while (tensor_next(&to, index));
    return true;
}

static bool make_past(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    tensor all = projected_place(with, stage_row(id)->takes[0]);
    tensor from = tensor_range(&all, 2, 0, p->past), grad = placed_at(with->at, id);
    (void)e;
    /* What all batch entries share gains from each of them. */
    tensor all_entries = grad.rank == 2 ? plan_shared(&grad, p->batches) : grad;
    tensor to = plan_heads_apart(&all_entries, p->kv_heads);
    fill_with(&grad, 0);
    for (size_t unit = 0; unit < p->batches * p->kv_heads; unit++) {
        tensor of = plan_of_head(&from, unit / p->kv_heads, unit % p->kv_heads),
               sum = plan_of_head(&to, unit / p->kv_heads, unit % p->kv_heads);
        add_rows(p, &of, &sum);
    }
    return true;
}

static bool make_gain(const projecting *with, stage_id id, err *e)
{
    bool is_query = id == STAGE_Q_GAIN_GRAD;
    tensor x = projected_form(with, is_query ? STAGE_Q : STAGE_K);
    tensor from = projected_place(with, is_query ? STAGE_Q_NORM_GRAD : STAGE_K_NORM_GRAD),
           to = placed_at(with->at, id);
    return normalize_gain_back(with->plan, is_query ? STAGE_Q_GRAD : STAGE_K_GRAD, &x, &from, &to,
                               e);
}

/* A row that is appended is the same in all batch entries: their sum. */
static bool make_appended(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    stage_id of = stage_row(id)->takes[0];
    const projection *role = plan_role(p, of);
    tensor all = projected_place(with, of), grad = placed_at(with->at, id);
    tensor to = {.type = p->type,
                 .rank = 2,
                 .size = {role->heads, role->width},
                 .stride = {(ptrdiff_t)role->width, 1},
                 .data = grad.data};
    (void)e;
    fill_with(&to, 0);
    for (size_t batch = 0; batch < p->batches; batch++) {
        tensor of_batch = tensor_at(&all, batch), row = tensor_range(&of_batch, 1, role->n, 1);
        for (size_t head = 0; head < role->heads; head++) {
            tensor from = tensor_at(&row, head), sum = tensor_range(&to, 0, head, 1);
            add_rows(p, &from, &sum);
        }
    }
    return true;
}

/* What the part has made of the columns of a role's gradient. */
static tensor part_of_grads(const projection *role, const tensor *grads, size_t part, size_t width)
{
    return tensor_range(grads, 1, part * (width + role->shared), width);
}

/* Of x·W the gradient of W, for one batch entry after the other: xᵀ·grad. */
static bool make_weight(const projecting *with, stage_id id, const projection *role,
                        const tensor *rows, const tensor *grads, err *e)
{
    const plan *p = with->plan;
    tensor grad = placed_at(with->at, id);
    tensor to = tensor_seen_as(&grad, &role->weight, p->asked->in[role->weight_as]);
    bool done = true;
    for (size_t part = 0; part < projected_parts(role) && done; part++) {
        tensor into = projected_part(role, &to, part), made;
        if (!tensor_new(&made, p->type, 2, into.size, e))
            return false;
        for (size_t batch = 0; batch < p->batches && done; batch++) {
            tensor x = tensor_at(rows, batch), turned = tensor_transposed(&x);
            tensor of_batch = tensor_at(grads, batch);
            tensor columns = part_of_grads(role, &of_batch, part, into.size[1]);
            columns = tensor_range(&columns, 0, 0, x.size[0]);
            done = add_product(with, &turned, &columns, batch > 0, &made, e);
        }
        tensor_copy(&made, &into);
        tensor_free(&made);
    }
    return done;
}

/* Of what a head compares, rows·W, the gradient of W: rowsᵀ·grad, of one for all heads head after
 * head, of each batch entry after batch entry. */
static bool make_transform(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    bool is_key = id == STAGE_UA_GRAD;
    const tensor *weight = is_key ? &p->of_score.for_key : &p->of_score.for_query,
                 *given = p->asked->in[input_of_key(stage_row(id)->of_input)];
    tensor grad = placed_at(with->at, id), to = tensor_seen_as(&grad, weight, given), made;
    tensor grads = placed_at(with->at, stage_row(id)->takes[0]);
    if (!tensor_new(&made, p->type, 2, to.size + 1, e))
        return false;
    bool done = true;
    for (size_t unit = 0; unit < p->batches * p->heads && done; unit++) {
        size_t batch = unit % p->batches, head = unit / p->batches;
        bool goes_on = batch > 0 || (head > 0 && to.stride[0] == 0);
        tensor x = plan_of_head(is_key ? &with->made->k : &with->made->q, batch,
                                is_key ? plan_kv_head(p, head) : head);
        tensor turned = tensor_transposed(&x), of_unit = plan_of_head(&grads, batch, head);
        tensor into = tensor_at(&to, head);
        done = add_product(with, &turned, &of_unit, goes_on, &made, e);
        if (done)
            tensor_copy(&made, &into);
    }
    tensor_free(&made);
    return done;
}

static bool make_weight_of_role(const projecting *with, stage_id id, err *e)
{
    stage_id taken = plan_stand_in(with->plan, stage_row(id)->takes[0]);
    const projection *role = plan_role(with->plan, taken);
    tensor grads = placed_at(with->at, taken);
    return make_weight(with, id, role, projected_rows(with->made, role), &grads, e);
}

static bool make_down(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    const projection down = projected_down(p, id == STAGE_WQ_DOWN_GRAD ? &p->q : &p->k);
    tensor grads = placed_at(with->at, stage_row(id)->takes[0]);
    return make_weight(with, id, &down, projected_start(with->made, &down), &grads, e);
}

static bool make_wo(const projecting *with, stage_id id, err *e)
{
    const projection by_wo = {.weight_as = INPUT_WO, .weight = with->plan->wo, .heads = 1};
    tensor grads = placed_at(with->at, STAGE_OUTPUT_GRAD);
    return make_weight(with, id, &by_wo, &with->made->context_rows, &grads, e);
}

/* The sum of rows of the sequence: batch entries, then rows. `apart` is b × heads × n × width. */
static void sum_rows(const plan *p, const tensor *apart, size_t rows, const tensor *grad)
{
    size_t heads = apart->size[1], width = apart->size[3];
    char *to = grad->data;
    p->with->fill(to, heads * width, 0);
    for (size_t batch = 0; batch < p->batches; batch++) {
        for (size_t i = 0; i < rows; i++) {
            for (size_t head = 0; head < heads; head++) {
                tensor of_head = plan_of_head(apart, batch, head);
                char *part = to + head * width * dtype_size(p->type);
                p->with->add(part, width, block_row_at(&of_head, i), of_head.stride[1], part);
            }
        }
    }
}

static bool make_bias_of_role(const projecting *with, stage_id id, err *e)
{
    stage_id taken = plan_stand_in(with->plan, stage_row(id)->takes[0]);
    const projection *role = plan_role(with->plan, taken);
    tensor apart = projected_place(with, taken), grad = placed_at(with->at, id);
    (void)e;
    apart = tensor_range(&apart, 3, 0, role->width - role->shared);
    sum_rows(with->plan, &apart, role->n, &grad);
    return true;
}

static bool make_bias_down(const projecting *with, stage_id id, err *e)
{
    tensor rows = placed_at(with->at, stage_row(id)->takes[0]), grad = placed_at(with->at, id);
    tensor apart = plan_heads_apart(&rows, 1);
    (void)e;
    sum_rows(with->plan, &apart, rows.size[1], &grad);
    return true;
}

static bool make_bo(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    tensor all = placed_at(with->at, STAGE_OUTPUT_GRAD), grad = placed_at(with->at, id);
    tensor apart = plan_heads_apart(&all, 1);
    (void)e;
    sum_rows(p, &apart, p->n_q, &grad);
    return true;
}

/* Of rows that were projected by role: grad·Wᵀ is added to theirs. */
static bool add_role(const projecting *with, const projection *role, stage_id of, const tensor *to,
                     err *e)
{
    const plan *p = with->plan;
    tensor grads = placed_at(with->at, of), made = {0};
    const size_t size[] = {role->n, to->size[2]};
    if (role->weight.data != NULL && !tensor_new(&made, p->type, 2, size, e))
        return false;
    bool done = true;
    for (size_t batch = 0; batch < p->batches && done; batch++) {
        tensor from = tensor_at(&grads, batch), into = tensor_at(to, batch);
        from = tensor_range(&from, 0, 0, role->n);
        for (size_t part = 0; part < projected_parts(role) && done && made.data != NULL; part++) {
            tensor weight = projected_part(role, &role->weight, part);
            tensor turned = tensor_transposed(&weight);
            tensor columns = part_of_grads(role, &from, part, weight.size[1]);
            done = add_product(with, &columns, &turned, part > 0, &made, e);
        }
        add_rows(p, made.data != NULL ? &made : &from, &into);
    }
    tensor_free(&made);
    return done;
}

/* What comes back to a latent by way of the roles that take it, added to +0. */
static bool add_takers(const projecting *with, const projection *first, const tensor *to, err *e)
{
    const plan *p = with->plan;
    fill_with(to, 0);
    if (first == &p->q)
        return add_role(with, first, plan_stand_in(p, STAGE_Q_SUM_GRAD), to, e);
    return add_role(with, first, plan_stand_in(p, STAGE_K_SUM_GRAD), to, e) &&
           add_role(with, &p->v, plan_stand_in(p, STAGE_V_SUM_GRAD), to, e);
}

static const projection *first_taker(const plan *p, stage_id of_latent)
{
    return stage_row(of_latent)->axes[1] == 'q' ? &p->q : &p->k;
}

static bool make_latent_norm(const projecting *with, stage_id id, err *e)
{
    tensor to = placed_at(with->at, id);
    return add_takers(with, first_taker(with->plan, id), &to, e);
}

/* Row i of all entries of the batch, its first numbers. */
static tensor latent_row(const tensor *all, size_t i, size_t width)
{
    tensor of_entry = tensor_at(all, i / all->size[1]);
    tensor row = tensor_at(&of_entry, i % all->size[1]);
    return tensor_range(&row, 0, 0, width);
}

static norm norm_of(const plan *p, const latent *l)
{
    return (norm){.is_rms = true, .eps = p->asked->latent_eps, .gain = l->gain};
}

static bool make_latent_gain(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    stage_id back = stage_row(id)->takes[0], of = stage_row(id)->takes[1];
    const latent *l = plan_latent(p, first_taker(p, of));
    const norm by = norm_of(p, l);
    tensor x = placed_at(with->at, of), dy = placed_at(with->at, back),
           grad = placed_at(with->at, id), flat = tensor_flat(&grad);
    double *sum = mem_alloc_zeroed(l->width, sizeof sum[0], e);
    if (sum == NULL)
        return false;
    for (size_t i = 0; i < p->batches * x.size[1]; i++) {
        tensor from = latent_row(&x, i, l->width), gained = latent_row(&dy, i, l->width);
        norm_gain_back(&by, &from, &gained, sum);
    }
    for (size_t i = 0; i < l->width; i++)
        tensor_set(&flat, &i, sum[i]);
    mem_free(sum);
    return true;
}

/* By way of its norm, where there is one; the numbers that keys share gain from each head. */
static bool make_latent(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    stage_id back = stage_row(id)->takes[0], of = stage_row(id)->of;
    const projection *role = first_taker(p, of);
    const latent *l = plan_latent(p, role);
    const norm by = norm_of(p, l);
    tensor to = placed_at(with->at, id), own = tensor_range(&to, 2, 0, l->width);
    if (l->gain.data == NULL && !add_takers(with, role, &own, e))
        return false;
    for (size_t i = 0; l->gain.data != NULL && i < p->batches * to.size[1]; i++) {
        tensor x = placed_at(with->at, of), dy = placed_at(with->at, back);
        tensor from = latent_row(&x, i, l->width), gained = latent_row(&dy, i, l->width),
               into = latent_row(&to, i, l->width);
        norm_back(&by, &from, &gained, &into);
    }
    if (role->shared == 0)
        return true;
    tensor rest = tensor_range(&to, 2, l->width, role->shared),
           heads = projected_place(with, plan_stand_in(p, STAGE_K_SUM_GRAD));
    heads = tensor_range(&heads, 3, role->width - role->shared, role->shared);
    fill_with(&rest, 0);
    for (size_t unit = 0; unit < p->batches * role->heads; unit++) {
        tensor from = plan_of_head(&heads, unit / role->heads, unit % role->heads),
               into = tensor_at(&rest, unit / role->heads);
        add_rows(p, &from, &into);
    }
    return true;
}

static bool make_rows(const projecting *with, stage_id id, err *e)
{
    static const stage_id OF[] = {STAGE_Q_LATENT_GRAD, STAGE_KV_LATENT_GRAD, STAGE_V_SUM_GRAD};
    const plan *p = with->plan;
    const projection *const roles[] = {&p->q, &p->k, &p->v};
    input which = input_of_key(stage_row(id)->of_input);
    tensor grad = placed_at(with->at, id);
    tensor to = grad.rank == 2 ? plan_shared(&grad, p->batches) : grad;
    fill_with(&grad, 0);
    for (size_t i = 0; i < sizeof OF / sizeof OF[0]; i++) {
        const projection *role = roles[i];
        bool is_of_these = role->rows_as == which && role->given.data == NULL,
             has_latent = plan_latent(p, role)->weight.data != NULL;
        /* Values have that of keys. */
        if (!is_of_these || (has_latent && role == &p->v))
            continue;
        const projection down = has_latent ? projected_down(p, role) : *role;
        if (!add_role(with, &down, plan_stand_in(p, OF[i]), &to, e))
            return false;
    }
    return true;
}

/* ---- what blocks have added up ---- */

/* A number a head, rounded once. */
static void round_slopes(const projecting *with, const tensor *from)
{
    if (from->data == NULL)
        return;
    tensor grad = placed_at(with->at, STAGE_SLOPES_GRAD);
    for (size_t head = 0; head < with->plan->heads; head++)
        tensor_set(&grad, &head, tensor_get(from, &head));
}

/* Of the score's vector or shift, from what blocks added up: batch entries, then heads where one is
 * for all of them. */
static void sum_vector(const projecting *with, stage_id id, const tensor *view, const tensor *from)
{
    const plan *p = with->plan;
    if (!places_make(&with->at->where, id))
        return;
    tensor grad = placed_at(with->at, id), all = *view;
    all.type = p->type;
    all.data = grad.data; /* they lie as the view's do, whatever their axes */
    fill_with(&grad, 0);
    for (size_t unit = 0; unit < p->batches * p->heads; unit++) {
        tensor of_unit = plan_of_head(from, unit % p->batches, unit / p->batches),
               to = tensor_range(&all, 0, unit / p->batches, 1);
        add_rows(p, &of_unit, &to);
    }
}

static bool make_sinks(const projecting *with, stage_id id, err *e)
{
    const plan *p = with->plan;
    tensor delta = placed_at(with->at, STAGE_DELTA), grad = placed_at(with->at, id);
    tensor maximum = placed_at(with->at, STAGE_ROW_MAX), sums = placed_at(with->at, STAGE_ROW_SUM);
    tensor flat = tensor_flat(&grad);
    (void)e;
    for (size_t head = 0; head < p->heads; head++) {
        double sum = 0;
        for (size_t n = 0; n < p->batches * p->n_q; n++) {
            size_t cell[] = {n / p->n_q, head, n % p->n_q, 0};
            double weight =
                extra_sink_term(p, head, tensor_get(&maximum, cell)) / tensor_get(&sums, cell);
            sum -= weight * tensor_get(&delta, cell);
        }
        tensor_set(&flat, &head, sum);
    }
    return true;
}

/* ---- the whole ---- */

/* In their order; those that are not needed are passed over. */
static const struct {
    stage_id id;
    bool (*make)(const projecting *with, stage_id id, err *e);
} RULES[] = {
    {STAGE_BO_GRAD, make_bo},
    {STAGE_WO_GRAD, make_wo},
    {STAGE_SINKS_GRAD, make_sinks},
    {STAGE_WS_GRAD, make_transform},
    {STAGE_WA_GRAD, make_transform},
    {STAGE_UA_GRAD, make_transform},
    {STAGE_PRESENT_K_GRAD, make_form},
    {STAGE_PRESENT_V_GRAD, make_form},
    {STAGE_PAST_K_GRAD, make_past},
    {STAGE_PAST_V_GRAD, make_past},
    {STAGE_Q_ROPE_GRAD, make_form},
    {STAGE_K_ROPE_GRAD, make_form},
    {STAGE_Q_NORM_GRAD, make_form},
    {STAGE_K_NORM_GRAD, make_form},
    {STAGE_Q_GAIN_GRAD, make_gain},
    {STAGE_K_GAIN_GRAD, make_gain},
    {STAGE_Q_GRAD, make_form},
    {STAGE_K_GRAD, make_form},
    {STAGE_V_GRAD, make_form},
    {STAGE_Q_SUM_GRAD, make_sums},
    {STAGE_K_SUM_GRAD, make_sums},
    {STAGE_V_SUM_GRAD, make_sums},
    {STAGE_BIAS_K_GRAD, make_appended},
    {STAGE_BIAS_V_GRAD, make_appended},
    {STAGE_WQ_GRAD, make_weight_of_role},
    {STAGE_WK_GRAD, make_weight_of_role},
    {STAGE_WV_GRAD, make_weight_of_role},
    {STAGE_BQ_GRAD, make_bias_of_role},
    {STAGE_BK_GRAD, make_bias_of_role},
    {STAGE_BV_GRAD, make_bias_of_role},
    {STAGE_Q_LATENT_NORM_GRAD, make_latent_norm},
    {STAGE_Q_LATENT_GAIN_GRAD, make_latent_gain},
    {STAGE_Q_LATENT_GRAD, make_latent},
    {STAGE_WQ_DOWN_GRAD, make_down},
    {STAGE_BQ_DOWN_GRAD, make_bias_down},
    {STAGE_KV_LATENT_NORM_GRAD, make_latent_norm},
    {STAGE_KV_LATENT_GAIN_GRAD, make_latent_gain},
    {STAGE_KV_LATENT_GRAD, make_latent},
    {STAGE_WKV_DOWN_GRAD, make_down},
    {STAGE_BKV_DOWN_GRAD, make_bias_down},
    {STAGE_X_GRAD, make_rows},
    {STAGE_XK_GRAD, make_rows},
    {STAGE_XV_GRAD, make_rows},
};

static bool check_range(const plan *p, stage_id id, const tensor *t, err *e)
{
    size_t index[TENSOR_MAX_RANK] = {0};
    if (p->asked->allow_nonfinite || tensor_is_finite(t, index))
        return true;
    err_set(e, "%s is beyond the range of %s", stage_row(id)->key.named.name, dtype_name(p->type));
    return err_remedy(e, p->type == DTYPE_F32 ? "--dtype f64 has more range"
                                              : "smaller inputs or weights would not be");
}

bool backward_end(const gathered *from, const projecting *with, err *e)
{
    const plan *p = with->plan;
    const placed *at = with->at;
    sum_heads(with, gathered_of(p, &at->where, &p->k), &from->own_k);
    sum_heads(with, gathered_of(p, &at->where, &p->v), &from->own_v);
    round_slopes(with, &from->slopes);
    sum_vector(with, STAGE_BS_GRAD, &p->of_score.shift, &from->shift);
    sum_vector(with, STAGE_VA_GRAD, &p->of_score.vector, &from->vector);
    sum_vector(with, STAGE_BA_GRAD, &p->of_score.shift, &from->shift);
    for (size_t i = 0; i < sizeof RULES / sizeof RULES[0]; i++) {
        if (places_make(&at->where, RULES[i].id) && !RULES[i].make(with, RULES[i].id, e))
            return false;
    }
    for (stage_id id = STAGE_LOSS; id < STAGE_COUNT; id++) {
        if (at->whole[id].data == NULL)
            continue;
        if (!check_range(p, id, &at->whole[id], e))
            return false;
        if (at->where.of[id].home == HOME_RUN && at->written[id].data != NULL) {
            tensor apart = plan_heads_apart(&at->whole[id], p->heads), into = at->written[id];
            tensor_copy(&apart, &into);
        }
    }
    return true;
}

/* A product of a weight or of its gradient, a matrix at a time: what is packed, and what comes
 * out. */
static size_t product_memory(const plan *p, size_t depth, size_t columns, size_t rows)
{
    size_t steps = (columns + PACKED_STEP - 1) / PACKED_STEP;
    return size_sum(p->with->packed_bytes(depth, steps * PACKED_STEP),
                    tensor_bytes(p->type, 2, (size_t[]){rows, columns}));
}

static size_t weight_memory(const plan *p, const tensor *weight, size_t rows)
{
    if (weight->data == NULL)
        return 0;
    size_t from = weight->size[weight->rank - 2], to = weight->size[weight->rank - 1];
    return size_larger(product_memory(p, rows, to, from), product_memory(p, to, from, rows));
}

size_t backward_memory(const plan *p, const stage_places *where)
{
    const projection *const roles[] = {&p->q, &p->k, &p->v};
    size_t of_heads[] = {p->batches, p->heads, p->n_k, p->k.width + p->v.width};
    size_t most = weight_memory(p, &p->wo, p->n_q);
    if (!backward_is_needed(where))
        return 0;
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        most = size_larger(most, weight_memory(p, &roles[i]->weight, roles[i]->n));
    most = size_larger(most, weight_memory(p, &p->q_latent.weight, p->q.n));
    most = size_larger(most, weight_memory(p, &p->kv_latent.weight, p->k.n));
    most = size_sum(most, (p->q_latent.width + p->kv_latent.width) * sizeof(double));
    const score_parameters *of_score = &p->of_score;
    most = size_larger(most, weight_memory(p, &of_score->for_query, p->n_q));
    most = size_larger(most, weight_memory(p, &of_score->for_key, p->n_k));
    size_t vectors = (of_score->vector.data == NULL ? 0 : of_score->vector.size[1]) +
                     (of_score->shift.data == NULL ? 0 : of_score->shift.size[1]);
    most = size_sum(most, tensor_bytes(p->type, 3, (size_t[]){p->batches, p->heads, vectors}));
    most = size_sum(most, positions_memory(p));
    most = size_sum(most, size_product(p->heads, sizeof(double)));
    return size_sum(most, p->heads == p->kv_heads ? 0 : tensor_bytes(p->type, 4, of_heads));
}
