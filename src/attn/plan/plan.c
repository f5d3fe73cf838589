#include "attn/plan/plan_parts.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what the parts of making a plan share ---- */

bool plan_check_range(const plan *p, const char *of, const char *name, double value, err *e)
{
    place at = problem_place(p->asked, of);
    if (p->type == DTYPE_F64 || isfinite((float)value))
        return true;
    err_at(e, &at, "%s is %g, beyond the range of float32", name, value);
    return err_remedy(e, "--dtype f64 has more range");
}

bool plan_note(plan *p, err *e, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return text_list_add(&p->notes, line, strlen(line), e);
}

bool plan_wrong_shape(const plan *p, input which, err *e, const char *format, ...)
{
    char shape[SHAPE_TEXT], wanted[512];
    va_list args;
    va_start(args, format);
    vsnprintf(wanted, sizeof wanted, format, args);
    va_end(args);
    return err_at(e, &p->asked->at[which], "%s is %s, %s", input_label(which),
                  tensor_shape_text(p->asked->in[which], shape), wanted);
}

bool plan_refuse_parts(const problem *asked, const char *const *keys, size_t count,
                       const char *missing, const char *remedy, err *e)
{
    for (size_t i = 0; i < count; i++) {
        place at = problem_place(asked, keys[i]);
        if (bundle_find(asked->document, keys[i]) == NULL)
            continue;
        err_at(e, &at, "%s is given, and %s", keys[i], missing);
        return err_remedy(e, "%s", remedy);
    }
    return true;
}

tensor plan_shared(const tensor *t, size_t count)
{
    return (tensor){.type = t->type,
                    .rank = t->rank + 1,
                    .size = {count, t->size[0], t->size[1]},
                    .stride = {0, t->stride[0], t->stride[1]},
                    .data = t->data};
}

bool plan_vector(const plan *p, input which, int most_rank, size_t heads, size_t count, tensor *out,
                 err *e)
{
    const tensor *given = p->asked->in[which];
    size_t numbers = given == NULL ? 0 : tensor_count(given);
    *out = (tensor){0};
    if (given == NULL)
        return true;
    if (given->rank > most_rank || (numbers != count && numbers != heads * count))
        return plan_wrong_shape(p, which, e, "it must hold %zu number%s%s", count,
                                count == 1 ? "" : "s", heads == 0 ? "" : ", or as many a head");
    *out = (tensor){
        .type = given->type, .rank = 1, .size = {count}, .stride = {1}, .data = given->data};
    if (heads > 0)
        *out = plan_shared(out, heads);
    if (numbers != count)
        out->stride[0] = (ptrdiff_t)count;
    return true;
}

/* ---- what others ask of a plan, also of one that is being made ---- */

double plan_operations(const plan *p)
{
    double pairs = (double)p->batches * (double)p->heads * (double)p->n_q * (double)p->n_k;
    return pairs * (double)(p->compared_width + p->v.width);
}

size_t plan_own_keys(const plan *p)
{
    return p->n_k - p->appended;
}

bool plan_is_causal(const plan *p)
{
    return p->asked->causal != CAUSAL_NONE;
}

bool plan_masks(const plan *p)
{
    return plan_is_causal(p) || p->asked->has_window || p->key_lengths.data != NULL ||
           p->mask.data != NULL || p->bias.data != NULL || p->asked->has_alibi;
}

size_t plan_row_number(const plan *p, size_t batch, size_t head, size_t query)
{
    return (batch * p->heads + head) * p->n_q + query;
}

void plan_name_row(const plan *p, size_t row, char name[ROW_NAME])
{
    char batch[32] = "", head[32] = "";
    size_t of_head = row / p->n_q, query = row % p->n_q;
    if (p->has_batch)
        snprintf(batch, sizeof batch, "batch %zu, ", of_head / p->heads + 1);
    if (p->has_heads)
        snprintf(head, sizeof head, "head %zu, ", of_head % p->heads + 1);
    snprintf(name, ROW_NAME, "%s%squery %zu", batch, head,
             (p->asked->number != NULL ? p->asked->number[query] : query) + 1);
}

size_t plan_kv_head(const plan *p, size_t head)
{
    return head / (p->heads / p->kv_heads);
}

/* ---- batches and heads ---- */

static bool find_batches(plan *p, err *e)
{
    /* From rank 3 on, their first axis counts batches. */
    static const input BATCHED[] = {INPUT_X, INPUT_XK, INPUT_XV,     INPUT_Q,
                                    INPUT_K, INPUT_V,  INPUT_PAST_K, INPUT_PAST_V};
    input first = INPUT_COUNT;
    for (size_t i = 0; i < sizeof BATCHED / sizeof BATCHED[0]; i++) {
        input which = BATCHED[i];
        const tensor *given = p->asked->in[which];
        if (given == NULL || given->rank < 3 ||
            (which <= INPUT_XV && !plan_uses_rows(p->asked, which)))
            continue;
        if (p->has_batch && given->size[0] != p->batches)
            return plan_wrong_shape(p, which, e, "its batches are %zu, those of %s %zu",
                                    given->size[0], input_label(first), p->batches);
        first = p->has_batch ? first : which;
        p->has_batch = true;
        p->batches = given->size[0];
    }
    return true;
}

/* Of queries and of keys, the first who names a number of heads: a setting, weights h × m × d or
 * rows b × h × n × d; all name the same. */
static bool find_heads(plan *p, err *e)
{
    enum { OF_QUERIES = 3 };
    static const input OF[] = {INPUT_WQ, INPUT_Q, INPUT_WO,     INPUT_WK,    INPUT_WV,
                               INPUT_K,  INPUT_V, INPUT_PAST_K, INPUT_PAST_V};
    const problem *asked = p->asked;
    struct {
        const char *who;
        place at;
        size_t heads; /* 0: nobody does */
    } said[] = {{"heads", problem_place(asked, "heads"), asked->heads},
                {"kv_heads", problem_place(asked, "kv_heads"), asked->kv_heads}};
    for (size_t i = 0; i < sizeof OF / sizeof OF[0]; i++) {
        const tensor *given = asked->in[OF[i]];
        int rank = OF[i] <= INPUT_WO ? 3 : 4, side = i < OF_QUERIES ? 0 : 1;
        if (given == NULL || given->rank != rank)
            continue;
        size_t heads = given->size[rank - 3];
        if (said[side].heads != 0 && heads != said[side].heads)
            return err_at(e, &asked->at[OF[i]], "%s says %zu head%s, %s says %zu",
                          input_label(OF[i]), heads, heads == 1 ? "" : "s", said[side].who,
                          said[side].heads);
        if (said[side].heads == 0) {
            said[side].who = input_label(OF[i]);
            said[side].at = asked->at[OF[i]];
            said[side].heads = heads;
        }
    }
    p->heads = said[0].heads;
    p->kv_heads = said[1].heads;
    p->has_heads = p->heads > 0 || p->kv_heads > 0;
    if (p->heads == 0)
        p->heads = p->kv_heads > 0 ? p->kv_heads : 1;
    if (p->kv_heads == 0)
        p->kv_heads = p->heads;
    if (p->heads % p->kv_heads == 0)
        return true;
    return err_at(e, &said[1].at, "%s says %zu heads, not a multiple of the %zu that %s says",
                  said[0].who, said[0].heads, said[1].heads, said[1].who);
}

/* ---- shapes of stages ---- */

/* Of the axes of its forms the last is the role's width. */
const projection *plan_role(const plan *p, stage_id id)
{
    const char *axes = stage_row(id)->axes;
    char width = strlen(axes) > 2 ? axes[2] : '\0';
    return width == 'Q' ? &p->q : width == 'K' ? &p->k : width == 'V' ? &p->v : NULL;
}

const latent *plan_latent(const plan *p, const projection *r)
{
    return r == &p->q ? &p->q_latent : &p->kv_latent;
}

size_t plan_rope_first(const plan *p, const projection *r)
{
    return p->k.shared > 0 ? r->width - p->rope_width : 0;
}

double plan_clip(const plan *p)
{
    return p->type == DTYPE_F32 ? (double)(float)p->asked->clip : p->asked->clip;
}

bool plan_keeps_heads_apart(const plan *p)
{
    const tensor *q = p->asked->in[INPUT_Q];
    return q != NULL && q->rank == 4;
}

/* The stage that a gradient has the shape of; any other its own. */
static stage_id like_stage(stage_id id)
{
    return stage_row(id)->of != STAGE_X ? stage_row(id)->of : id;
}

size_t plan_heads_joined(const plan *p, stage_id id)
{
    stage_id like = like_stage(id);
    const projection *role = plan_role(p, like);
    if (role != NULL)
        return role->heads;
    return like == STAGE_CONTEXT || (like == STAGE_OUTPUT && p->wo.data == NULL) ? p->heads : 1;
}

/* All axes that a forward stage can have, b and h among them. Those of a role that came with all of
 * its axes (rank 4) have its layout, present_v that of k. */
static const char *find_axes(const plan *p, stage_id id)
{
    const projection *role = plan_role(p, id), *like = id == STAGE_PRESENT_V ? &p->k : role;
    const tensor *given = like == NULL ? NULL : p->asked->in[like->given_as];
    bool is_context = id == STAGE_CONTEXT || (id == STAGE_OUTPUT && p->wo.data == NULL);
    if (given != NULL && given->rank == 4)
        return role == &p->q ? "bhqd" : role == &p->k ? "bhkd" : "bhke";
    return is_context && plan_keeps_heads_apart(p) ? "bhqe" : stage_row(id)->axes;
}

static const char *all_axes(const plan *p, stage_id id)
{
    stage_id like = like_stage(id);
    return stage_is_backward(like) ? stage_row(like)->axes : p->all_axes[like];
}

/* Of a stage that has so many keys and is a form of `of`, or of no role. */
static size_t axis_size(const plan *p, const projection *of, size_t keys, char letter)
{
    size_t heads = of == NULL ? p->heads : of->heads, width = of == NULL ? 0 : of->width;
    switch (letter) {
    case 'b':
        return p->batches;
    case 'h':
        return heads;
    case 'q':
        return p->n_q;
    case 'k':
        return keys;
    case 't':
        return p->asked->top;
    case 'd':
        return width;
    case 'e':
        return p->v.width;
    case 'Q':
    case 'K':
    case 'V':
        return heads * width;
    case 'c':
        return p->compared_width;
    case 'C':
        return p->heads * p->v.width;
    case 'O':
        return p->width_out;
    case 'm':
        return p->q.rows.size[2];
    case 'M':
        return p->k.rows.size[2];
    case 'N':
        return p->v.rows.size[2];
    case 'r':
        return p->q_latent.width;
    case 'R':
        return p->kv_latent.width;
    case 'S':
        return p->kv_latent.width + p->k.shared;
    default:
        return 1;
    }
}

static void shape_by_axes(const plan *p, stage_id gradient, const char *axes, int *rank,
                          size_t size[TENSOR_MAX_RANK])
{
    stage_id id = like_stage(gradient);
    const projection *of = plan_role(p, id);
    /* Keys and values of the sequence come first alone, then with what is appended to them; a
     * cache's come in last. */
    bool is_new = of != NULL && id != STAGE_PRESENT_K && id != STAGE_PRESENT_V;
    const char *last = stage_row(id)->axes;
    bool is_of_rows = *last != '\0' && strchr("MNRS", last[strlen(last) - 1]) != NULL;
    bool is_sum = id == STAGE_K_SUM || id == STAGE_V_SUM;
    size_t keys = is_of_rows || is_sum ? p->k.n : is_new ? p->k.n + p->appended : p->n_k;
    *rank = (int)strlen(axes);
    for (int axis = 0; axis < *rank; axis++)
        size[axis] = axis_size(p, of, keys, axes[axis]);
}

const tensor *plan_given_of(const plan *p, stage_id id)
{
    const stage *row = stage_row(id);
    if (row->of_input != NULL)
        return p->asked->in[input_of_key(row->of_input)];
    return row->of_setting == 0
               ? NULL
               : *(const tensor *const *)((const char *)p->asked + row->of_setting);
}

bool plan_has_stage(const plan *p, stage_id id)
{
    const stage *row = stage_row(id);
    return (row->is_there == NULL || row->is_there(p->asked)) &&
           (row->of == STAGE_X || plan_has_stage(p, row->of)) &&
           (!stage_is_of_given(id) || plan_given_of(p, id) != NULL);
}

stage_id plan_stand_in(const plan *p, stage_id id)
{
    while (id != STAGE_COUNT && !plan_has_stage(p, id))
        id = stage_row(id)->is_extra ? STAGE_COUNT : stage_row(id)->takes[0];
    return id;
}

bool plan_is_made_of(const plan *p, stage_id id, stage_id from)
{
    const stage_id *takes = stage_row(id)->takes;
    for (size_t i = 0; takes[i] != STAGE_COUNT; i++) {
        stage_id taken = plan_stand_in(p, takes[i]);
        if (taken == from || (taken != STAGE_COUNT && plan_is_made_of(p, taken, from)))
            return true;
    }
    return false;
}

bool plan_check_stage(const plan *p, stage_id id, err *e)
{
    const stage *row = stage_row(id);
    bool is_of_cache = id == STAGE_PRESENT_K || id == STAGE_PRESENT_V;
    if (plan_has_stage(p, id))
        return true;
    if (is_of_cache && p->asked->cache != NULL)
        return err_set(e, "there is no stage %s here: a stream keeps its cache itself",
                       row->key.named.name);
    return err_set(e, "there is no stage %s here: it needs %s", row->key.named.name, row->made_by);
}

const char *plan_axes(const plan *p, stage_id id)
{
    stage_id like = like_stage(id);
    return stage_is_backward(like) ? "" : p->axes[like];
}

void plan_stage_shape(const plan *p, stage_id id, int *rank, size_t size[TENSOR_MAX_RANK])
{
    const tensor *like = plan_given_of(p, id);
    if (like != NULL) {
        *rank = like->rank;
        memcpy(size, like->size, (size_t)like->rank * sizeof size[0]);
        return;
    }
    shape_by_axes(p, id, plan_axes(p, id), rank, size);
}

size_t plan_stage_numbers(const plan *p, stage_id id)
{
    size_t size[TENSOR_MAX_RANK], count = 1;
    int rank;
    plan_stage_shape(p, id, &rank, size);
    for (int axis = 0; axis < rank; axis++)
        count = size_product(count, size[axis]);
    return count;
}

void plan_whole_shape(const plan *p, stage_id id, int *rank, size_t size[TENSOR_MAX_RANK])
{
    const stage *row = stage_row(id);
    const projection *role = plan_role(p, id);
    const char *axes = like_stage(id) == STAGE_CONTEXT ? row->axes : all_axes(p, id);
    if (plan_given_of(p, id) != NULL) {
        plan_stage_shape(p, id, rank, size);
        return;
    }
    /* What is made of q, k or v by way of heads; a norm of all heads has them side by side. */
    bool is_of_all = p->asked->norms_together && (id == STAGE_Q_NORM || id == STAGE_K_NORM);
    if (role != NULL && row->by == STAGE_BY_PROJECTION && id > STAGE_V && !is_of_all)
        axes = role == &p->q ? "bhqd" : "bhkd";
    shape_by_axes(p, id, axes, rank, size);
}

tensor plan_all_axes(const plan *p, stage_id id, const tensor *of)
{
    const char *axes = all_axes(p, id), *own = plan_axes(p, id);
    tensor full = tensor_view_of(of);
    if (plan_given_of(p, id) != NULL)
        return full;
    full.rank = (int)strlen(axes);
    for (int axis = 0, from = 0; axis < full.rank; axis++) {
        bool is_here = own[from] == axes[axis];
        full.size[axis] = is_here ? of->size[from] : 1;
        full.stride[axis] = is_here ? of->stride[from] : 0;
        from += is_here;
    }
    return full;
}

tensor plan_of_head(const tensor *all, size_t batch, size_t head)
{
    tensor of_batch = tensor_at(all, batch);
    return tensor_at(&of_batch, head);
}

/* ---- stages that are kept ---- */

bool kept_stages_has(const kept_stages *w, stage_id id)
{
    for (size_t i = 0; i < w->count; i++) {
        if (w->stage[i] == id)
            return true;
    }
    return false;
}

void kept_stages_add(kept_stages *w, stage_id id)
{
    if (!kept_stages_has(w, id))
        w->stage[w->count++] = id;
}

bool kept_stages_is_given(const kept_stages *w, stage_id id)
{
    return w->given != NULL && w->given[id].data != NULL;
}

bool kept_stages_all_keys(const kept_stages *w)
{
    return kept_stages_is_given(w, STAGE_MASKED) || kept_stages_is_given(w, STAGE_WEIGHTS) ||
           kept_stages_has(w, STAGE_SCORES) || kept_stages_has(w, STAGE_SCALED) ||
           kept_stages_has(w, STAGE_CAPPED) || kept_stages_has(w, STAGE_WEIGHTS_GRAD);
}

bool kept_stages_is_one_row(const plan *p, const kept_stages *w, stage_id id)
{
    return id == STAGE_WEIGHTED && w->weighted_is_one_row && (p->n_q > w->few || p->n_k > w->few);
}

void kept_stages_shape(const plan *p, const kept_stages *w, stage_id id, int *rank,
                       size_t size[TENSOR_MAX_RANK])
{
    plan_stage_shape(p, id, rank, size);
    if (kept_stages_is_one_row(p, w, id)) {
        *rank = 2;
        size[0] = p->n_k;
        size[1] = p->v.width;
    }
}

/* ---- the whole ---- */

static bool check_not_empty(const plan *p, err *e)
{
    for (input which = INPUT_X; which < INPUT_COUNT; which++) {
        const tensor *given = p->asked->in[which];
        if (given != NULL && tensor_count(given) == 0)
            return plan_wrong_shape(p, which, e, "a size of 0 leaves nothing to attend to");
        if (given != NULL && given->rank > TENSOR_MAX_INPUT_RANK)
            return plan_wrong_shape(p, which, e, "a rank above %d is not read",
                                    TENSOR_MAX_INPUT_RANK);
    }
    return true;
}

bool plan_check_names(const problem *asked, const text_list *names, const char *of, size_t rows,
                      err *e)
{
    if (names == NULL || names->count == rows)
        return true;
    place at = problem_place(asked, of);
    err_at(e, &at, "%s has %zu name%s, and the %s are %zu", of, names->count,
           names->count == 1 ? "" : "s", strcmp(of, "tokens") == 0 ? "queries" : "keys", rows);
    if (names->count == 1 && strchr(names->item[0], ' ') != NULL)
        err_remedy(e, "commas part names, not spaces: the,cat");
    return false;
}

bool plan_make(plan *p, const problem *asked, const kernels *with, err *e)
{
    *p = (plan){.asked = asked, .type = asked->type, .with = with, .batches = 1, .heads = 1};
    float_mode mode;
    float_mode_set(&mode);
    bool fits = check_not_empty(p, e) && find_batches(p, e) && find_heads(p, e) &&
                plan_find_inputs(p, e) && plan_find_scores(p, e) && plan_find_output(p, e) &&
                plan_check_names(asked, asked->tokens, "tokens", p->n_q, e) &&
                plan_check_names(asked, asked->key_tokens, "key_tokens", plan_own_keys(p), e);
    /* q, k, v and what follows them keep the batch and the heads that q, k or v came with: then
     * these are not the axes of the table. */
    for (stage_id id = STAGE_X; !stage_is_backward(id) && fits; id++) {
        const char *axes = p->all_axes[id] = find_axes(p, id);
        bool came_with_all = axes != stage_row(id)->axes;
        char *to = p->axes[id];
        for (; *axes != '\0'; axes++) {
            bool is_absent = *axes == 'b' ? !p->has_batch : *axes == 'h' && !p->has_heads;
            if (came_with_all || !is_absent)
                *to++ = *axes;
        }
    }
    fits = fits && plan_find_gradients(p, e);
    float_mode_restore(&mode);
    return fits;
}

void plan_free(plan *p)
{
    tensor_free(&p->read);
    tensor_free(&p->buckets);
    tensor_free(&p->slopes);
    tensor_free(&p->of_score.vector);
    tensor_free(&p->of_score.shift);
    text_list_free(&p->notes);
}
