#include "attn/run.h"

#include "attn/project.h"
#include "attn/rounding.h"
#include "base/mem.h"
#include "base/threads.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* A block's scores of all keys should stay in a second-level cache while the softmax walks over
 * them. */
enum { BLOCK_BYTES = 256 * 1024, BLOCK_ROWS_MOST = 64 };

/* What one thread works in: one block of one stage, which the stages that nobody wants share. */
typedef struct scratch {
    void *block;   /* rows × n_k */
    void *maximum; /* rows */
    void *sum;     /* rows */
    share *shares; /* n_k, where weights are rounded by largest remainders */
    err failure;
} scratch;

typedef struct run {
    const plan *plan;
    const wanted *wanted;
    bool is_one_weighted_row;
    /* The places of wanted stages, with all their axes; no data: not wanted. */
    tensor kept[STAGE_COUNT];
    projected made;
    size_t block_rows, blocks, units;
    scratch *of_worker;
    atomic_size_t next_unit;
    atomic_size_t empty_rows;
} run;

/* One block: rows `first` to `first + rows` of a head. */
typedef struct block {
    size_t batch, head, first, rows;
} block;

bool wanted_has(const wanted *w, stage_id id)
{
    for (size_t i = 0; i < w->count; i++) {
        if (w->stage[i] == id)
            return true;
    }
    return false;
}

void wanted_add(wanted *w, stage_id id)
{
    if (!wanted_has(w, id))
        w->stage[w->count++] = id;
}

/* ---- places ---- */

static bool shape_of(const plan *p, const wanted *w, stage_id id, int *rank, size_t *size, err *e)
{
    if (!plan_stage_shape(p, id, rank, size, e))
        return false;
    if (id == STAGE_WEIGHTED && w->weighted_is_one_row) {
        *rank = 2;
        size[0] = p->n_k;
        size[1] = p->v.width;
    }
    return true;
}

static bool keep_wanted(run *r, bundle *result, err *e)
{
    for (size_t i = 0; i < r->wanted->count; i++) {
        stage_id id = r->wanted->stage[i];
        const char *name = stage_row(id)->key.named.name;
        size_t size[TENSOR_MAX_RANK];
        int rank;
        tensor kept;
        if (!shape_of(r->plan, r->wanted, id, &rank, size, e) ||
            !tensor_new(&kept, r->plan->type, rank, size, e) ||
            !bundle_add_tensor(result, name, &kept, (place){0}, e))
            return false;
        entry *added = bundle_find(result, name);
        added->axes = r->is_one_weighted_row && id == STAGE_WEIGHTED ? "ke" : r->plan->axes[id];
        r->kept[id] = id == STAGE_WEIGHTED && r->is_one_weighted_row
                          ? tensor_view_of(&added->tensor)
                          : plan_all_axes(r->plan, id, &added->tensor);
    }
    return true;
}

/* The block's rows of a stage, rows × n: in its place where it is wanted, else in scratch. */
static tensor rows_of(const run *r, const block *at, stage_id id, void *else_at, size_t columns)
{
    const tensor *kept = &r->kept[id];
    if (kept->data == NULL)
        return (tensor){.type = r->plan->type,
                        .rank = 2,
                        .size = {at->rows, columns},
                        .stride = {(ptrdiff_t)columns, 1},
                        .data = else_at};
    tensor of_batch = tensor_at(kept, at->batch), of_head = tensor_at(&of_batch, at->head);
    return tensor_range(&of_head, 0, at->first, at->rows);
}

static void *row_at(const tensor *t, size_t row)
{
    return tensor_at(t, row).data;
}

/* ---- the stages of a block, in order ---- */

static tensor compute_scores(const run *r, const block *at, scratch *in)
{
    const plan *p = r->plan;
    tensor q = projected_queries(&r->made, at->batch, at->head);
    tensor k = projected_keys(&r->made, p, at->batch, at->head);
    tensor scores = rows_of(r, at, STAGE_SCORES, in->block, p->n_k);
    score_parameters with = plan_score_parameters(p, at->head);
    q = tensor_range(&q, 0, at->first, at->rows);
    p->asked->score->compare(p->with, &with, &q, &k, &scores);
    return scores;
}

static tensor compute_scaled(const run *r, const block *at, scratch *in, const tensor *scores)
{
    tensor scaled = rows_of(r, at, STAGE_SCALED, in->block, r->plan->n_k);
    for (size_t i = 0; i < at->rows; i++)
        r->plan->with->multiply(row_at(scores, i), r->plan->n_k, r->plan->scale,
                                row_at(&scaled, i));
    return scaled;
}

/* One row of a mask or bias that is spread over b × h × n_q × n_k. */
static tensor spread_row(const tensor *all, const block *at, size_t query)
{
    tensor of_batch = tensor_at(all, at->batch), of_head = tensor_at(&of_batch, at->head);
    return tensor_at(&of_head, query);
}

static void hide(tensor *row, size_t j)
{
    tensor_set(row, &j, -INFINITY);
}

static bool is_hidden_by(const run *r, const tensor *mask, size_t j)
{
    bool is_true = ((const unsigned char *)mask->data)[mask->stride[0] * (ptrdiff_t)j] != 0;
    return is_true == r->plan->asked->mask_true_is_masked;
}

static void hide_masked(const run *r, const block *at, size_t query, tensor *row)
{
    size_t end = plan_visible_keys(r->plan, query);
    for (size_t j = end; j < r->plan->n_k; j++)
        hide(row, j);
    if (r->plan->mask.data == NULL)
        return;
    tensor mask = spread_row(&r->plan->mask, at, query);
    for (size_t j = 0; j < end; j++) {
        if (is_hidden_by(r, &mask, j))
            hide(row, j);
    }
}

static tensor compute_masked(const run *r, const block *at, scratch *in, const tensor *scaled)
{
    const plan *p = r->plan;
    tensor masked = rows_of(r, at, STAGE_MASKED, in->block, p->n_k);
    for (size_t i = 0; i < at->rows; i++) {
        tensor from = tensor_at(scaled, i), row = tensor_at(&masked, i);
        if (p->bias.data != NULL) {
            tensor bias = spread_row(&p->bias, at, at->first + i);
            p->with->add(from.data, p->n_k, bias.data, bias.stride[0], row.data);
        } else if (from.data != row.data) {
            tensor_copy(&from, &row);
        }
        hide_masked(r, at, at->first + i, &row);
    }
    return masked;
}

/* A key that may be attended to: then a sum of 0 does not come from masks and biases. */
static bool any_allowed(const run *r, const block *at, size_t query)
{
    const plan *p = r->plan;
    for (size_t j = 0; j < plan_visible_keys(p, query); j++) {
        tensor mask = {0}, bias = {0};
        if (p->mask.data != NULL)
            mask = spread_row(&p->mask, at, query);
        if (p->bias.data != NULL)
            bias = spread_row(&p->bias, at, query);
        bool is_masked = p->mask.data != NULL && is_hidden_by(r, &mask, j);
        bool is_biased = p->bias.data != NULL && isinf(tensor_get(&bias, &j));
        if (!is_masked && !is_biased)
            return true;
    }
    return false;
}

/* A row that left the type's range: an infinite or undefined sum, or all of its scores at −inf. */
static bool check_sum(const run *r, const block *at, size_t row, double sum, err *e)
{
    size_t query = at->first + row;
    bool is_in_range = isfinite(sum) && (sum > 0 || !any_allowed(r, at, query));
    if (r->plan->asked->allow_nonfinite || is_in_range)
        return true;
    err_set(e, "scores[head %zu, query %zu] are beyond the range of %s", at->head + 1, query + 1,
            dtype_name(r->plan->type));
    return err_remedy(e, r->plan->type == DTYPE_F32 ? "--dtype f64 has more range"
                                                    : "smaller inputs or a smaller --scale");
}

static bool compute_softmax(run *r, const block *at, scratch *in, const tensor *masked,
                            tensor *weights)
{
    const plan *p = r->plan;
    tensor maximum = rows_of(r, at, STAGE_ROW_MAX, in->maximum, 1);
    tensor exponent = rows_of(r, at, STAGE_EXP, in->block, p->n_k);
    tensor sum = rows_of(r, at, STAGE_ROW_SUM, in->sum, 1);
    size_t empty = 0;
    *weights = rows_of(r, at, STAGE_WEIGHTS, in->block, p->n_k);
    for (size_t i = 0; i < at->rows; i++) {
        p->with->row_max(row_at(masked, i), p->n_k, row_at(&maximum, i));
        p->with->row_exponent(row_at(masked, i), p->n_k, row_at(&maximum, i), row_at(&exponent, i));
        p->with->row_sum(row_at(&exponent, i), p->n_k, row_at(&sum, i));
        p->with->row_divide(row_at(&exponent, i), p->n_k, row_at(&sum, i), row_at(weights, i));
        double whole = tensor_get(&sum, (size_t[]){i, 0});
        empty += whole == 0;
        if (!check_sum(r, at, i, whole, &in->failure))
            return false;
    }
    atomic_fetch_add(&r->empty_rows, empty);
    return true;
}

static tensor compute_rounded(const run *r, const block *at, scratch *in, const tensor *weights)
{
    const problem *asked = r->plan->asked;
    if (asked->round_decimals < 0)
        return *weights;
    tensor rounded = rows_of(r, at, STAGE_ROUNDED, in->block, r->plan->n_k);
    if (asked->round_keeps_sum)
        rows_round_keep_sum(weights, asked->round_decimals, &rounded, in->shares);
    else
        rows_round(weights, asked->round_decimals, &rounded);
    return rounded;
}

/* Where row `first + row` of the block has its weighted values, n_k × d_v; no data: nowhere. */
static tensor weighted_place(const run *r, const block *at, size_t row)
{
    const wanted *w = r->wanted;
    const tensor *kept = &r->kept[STAGE_WEIGHTED];
    if (kept->data == NULL)
        return (tensor){0};
    if (r->is_one_weighted_row) {
        bool is_it = at->batch == w->batch && at->head == w->head && at->first + row == w->row;
        return is_it ? *kept : (tensor){0};
    }
    tensor of_batch = tensor_at(kept, at->batch), of_head = tensor_at(&of_batch, at->head);
    return tensor_at(&of_head, at->first + row);
}

static void compute_weighted(const run *r, const block *at, const tensor *weights, const tensor *v)
{
    const plan *p = r->plan;
    for (size_t i = 0; i < at->rows; i++) {
        tensor weighted = weighted_place(r, at, i);
        for (size_t j = 0; weighted.data != NULL && j < p->n_k; j++) {
            double weight = tensor_get(weights, (size_t[]){i, j});
            p->with->weigh(row_at(v, j), v->stride[1], p->v.width, weight, row_at(&weighted, j));
        }
    }
}

/* The head's columns of the block's rows of the context. */
static tensor context_of(const run *r, const block *at)
{
    tensor of_batch = tensor_at(&r->made.context, at->batch),
           of_head = tensor_at(&of_batch, at->head);
    return tensor_range(&of_head, 0, at->first, at->rows);
}

static void compute_attended(const run *r, const block *at, const tensor *weights, const tensor *v)
{
    const kernels *with = r->plan->with;
    tensor context = context_of(r, at);
    bool is_kept = r->kept[STAGE_ATTENDED].data != NULL;
    tensor attended = is_kept ? rows_of(r, at, STAGE_ATTENDED, NULL, 0) : context;
    (r->made.v_is_finite ? with->product : with->product_of_nonzero)(weights, v, &attended);
    if (is_kept)
        tensor_copy(&attended, &context);
}

static bool compute_block(run *r, const block *at, scratch *in)
{
    tensor v = projected_values(&r->made, r->plan, at->batch, at->head);
    tensor scores = compute_scores(r, at, in);
    tensor scaled = compute_scaled(r, at, in, &scores);
    tensor masked = compute_masked(r, at, in, &scaled);
    tensor weights;
    if (!compute_softmax(r, at, in, &masked, &weights))
        return false;
    tensor used = compute_rounded(r, at, in, &weights);
    compute_weighted(r, at, &used, &v);
    compute_attended(r, at, &used, &v);
    return true;
}

/* ---- the loop ---- */

static block block_of_unit(const run *r, size_t unit)
{
    const plan *p = r->plan;
    block at = {.first = unit % r->blocks * r->block_rows};
    at.head = unit / r->blocks % p->heads;
    at.batch = unit / r->blocks / p->heads;
    at.rows = p->n_q - at.first < r->block_rows ? p->n_q - at.first : r->block_rows;
    return at;
}

static void work(void *context, size_t worker)
{
    run *r = context;
    float_mode mode;
    float_mode_set(&mode);
    for (;;) {
        size_t unit = atomic_fetch_add(&r->next_unit, 1);
        if (unit >= r->units)
            break;
        block at = block_of_unit(r, unit);
        if (!compute_block(r, &at, &r->of_worker[worker]))
            break;
    }
    float_mode_restore(&mode);
}

static void size_blocks(run *r)
{
    const plan *p = r->plan;
    size_t rows = BLOCK_BYTES / dtype_size(p->type) / p->n_k;
    rows = rows > BLOCK_ROWS_MOST ? BLOCK_ROWS_MOST : rows;
    rows = rows > p->n_q ? p->n_q : rows;
    r->block_rows = rows == 0 ? 1 : rows;
    r->blocks = (p->n_q + r->block_rows - 1) / r->block_rows;
    r->units = p->batches * p->heads * r->blocks;
}

static bool scratch_new(scratch *s, const run *r, err *e)
{
    const plan *p = r->plan;
    size_t element = dtype_size(p->type);
    s->block = mem_alloc(r->block_rows * p->n_k, element, e);
    s->maximum = mem_alloc(r->block_rows, element, e);
    s->sum = mem_alloc(r->block_rows, element, e);
    s->shares = p->asked->round_keeps_sum ? mem_alloc(p->n_k, sizeof s->shares[0], e) : NULL;
    bool needs_shares = p->asked->round_keeps_sum && s->shares == NULL;
    return s->block != NULL && s->maximum != NULL && s->sum != NULL && !needs_shares;
}

static bool scratches_new(run *r, size_t threads, err *e)
{
    r->of_worker = mem_alloc_zeroed(threads, sizeof r->of_worker[0], e);
    if (r->of_worker == NULL)
        return false;
    for (size_t i = 0; i < threads; i++) {
        if (!scratch_new(&r->of_worker[i], r, e))
            return false;
    }
    return true;
}

static void scratches_free(run *r, size_t threads)
{
    for (size_t i = 0; r->of_worker != NULL && i < threads; i++) {
        mem_free(r->of_worker[i].block);
        mem_free(r->of_worker[i].maximum);
        mem_free(r->of_worker[i].sum);
        mem_free(r->of_worker[i].shares);
    }
    mem_free(r->of_worker);
}

static bool run_blocks(run *r, size_t threads, size_t *ran, err *e)
{
    bool done = scratches_new(r, threads, e);
    if (done) {
        *ran = threads_run(threads, work, r);
        for (size_t i = 0; i < threads && done; i++) {
            done = !r->of_worker[i].failure.is_set;
            if (!done)
                *e = r->of_worker[i].failure;
        }
    }
    scratches_free(r, threads);
    return done;
}

static size_t threads_for(const run *r, size_t threads)
{
    size_t most = r->units < THREADS_MOST ? r->units : THREADS_MOST;
    return threads < 1 ? 1 : threads > most ? most : threads;
}

/* ---- memory ---- */

static bool add_bytes(size_t *bytes, size_t count, size_t size)
{
    size_t more;
    return size_mul(count, size, &more) && size_add(*bytes, more, bytes);
}

bool run_memory(const plan *p, const wanted *w, size_t threads, size_t *bytes, err *e)
{
    run r = {.plan = p};
    size_t element = dtype_size(p->type);
    size_blocks(&r);
    size_t per_thread = r.block_rows * (p->n_k + 2) * element + p->n_k * sizeof(share);
    bool fits =
        projected_memory(p, bytes) && add_bytes(bytes, threads_for(&r, threads), per_thread);
    for (size_t i = 0; i < w->count; i++) {
        size_t size[TENSOR_MAX_RANK], count;
        int rank;
        if (!shape_of(p, w, w->stage[i], &rank, size, e))
            return false;
        fits = fits && sizes_count(rank, size, &count) && add_bytes(bytes, count, element);
    }
    return fits || err_set(e, "the stages asked for are larger than an address can hold");
}

bool run_plan(const plan *p, const wanted *w, size_t threads, bundle *result, run_report *report,
              err *e)
{
    run r = {.plan = p, .wanted = w, .is_one_weighted_row = w->weighted_is_one_row};
    float_mode mode;
    float_mode_set(&mode);
    size_blocks(&r);
    bool done = keep_wanted(&r, result, e) && project_inputs(&r.made, p, r.kept, e) &&
                run_blocks(&r, threads_for(&r, threads), &report->threads, e) &&
                project_output(&r.made, p, r.kept, e);
    report->empty_rows = atomic_load(&r.empty_rows);
    projected_free(&r.made);
    float_mode_restore(&mode);
    return done;
}
