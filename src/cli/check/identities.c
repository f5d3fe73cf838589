#include "cli/check/identities.h"

#include "cli/out/said.h"

#include <math.h>

/* Two sums that should be one, and the sizes of their terms: of all places the worst two, and the
 * greatest sizes. */
typedef struct both_sums {
    double left, right, sizes;
} both_sums;

static const tensor *numbers_of(const bundle *in, stage_id id)
{
    return bundle_tensor(in, stage_row(id)->key.named.name);
}

/* With all axes. A result may have more or fewer leading axes of 1 than the stage. */
static tensor all_axes(const plan *p, const bundle *in, stage_id id)
{
    tensor given = tensor_view_of(numbers_of(in, id)), like = {.type = given.type};
    plan_stage_shape(p, id, &like.rank, like.size);
    like.data = given.data;
    for (int axis = like.rank - 1, from = given.rank - 1; axis >= 0 && from >= 0; axis--, from--)
        like.stride[axis] = given.stride[from];
    return plan_all_axes(p, id, &like);
}

/* b × heads × n × width */
static tensor apart(const plan *p, const bundle *in, stage_id id)
{
    tensor all = all_axes(p, in, id);
    return plan_heads_apart(&all, plan_heads_joined(p, id));
}

/* The line of one. */
static void report(checker *c, const document *one, const char *said, const both_sums *worst,
                   double tol)
{
    text *out = &c->file.lines;
    bool holds = fabs(worst->left - worst->right) <= tol * worst->sizes;
    c->file.failed += !holds;
    text_add_string(out, holds ? "ok    " : "FAIL  ");
    report_document(out, one);
    text_add_format(out, ": %s", said);
    if (!holds) {
        text_add_string(out, ": ");
        report_number(out, worst->left);
        text_add_string(out, " and ");
        report_number(out, worst->right);
    }
    text_add_string(out, "\n");
}

static void take_worse(both_sums *worst, const both_sums *one)
{
    double apart = fabs(one->left - one->right), most = fabs(worst->left - worst->right);
    double sizes = fmax(one->sizes, worst->sizes);
    if (isnan(apart) || apart > most)
        *worst = *one;
    worst->sizes = sizes;
}

/* Of a head, Σ number·grad; without numbers Σ grad, of one column. */
static void add_products(const tensor *numbers, const tensor *grads, size_t batch, size_t head,
                         size_t column, double *sum, double *sizes)
{
    tensor grad = plan_of_head(grads, batch, head), number = {0};
    size_t at[TENSOR_MAX_RANK] = {0};
    if (numbers != NULL)
        number = plan_of_head(numbers, batch, head);
    do {
        if (numbers == NULL && at[1] != column)
            continue;
        double one = tensor_get(&grad, at) * (numbers == NULL ? 1 : tensor_get(&number, at));
        *sum += one;
        *sizes += fabs(one);
    } while (tensor_next(&grad, at));
}

/* What the heads of a group have together next to what their keys or values have: of all numbers,
 * or with `numbers` NULL of each column. */
static both_sums worst_group(const plan *p, const tensor *const numbers[2], const tensor *heads,
                             const tensor *shared)
{
    size_t group = p->heads / p->kv_heads, columns = numbers == NULL ? shared->size[3] : 1;
    both_sums worst = {0};
    for (size_t n = 0; n < p->batches * p->kv_heads * columns; n++) {
        size_t column = n % columns, kv = n / columns % p->kv_heads,
               batch = n / columns / p->kv_heads;
        both_sums one = {0};
        for (size_t i = 0; i < group; i++)
            add_products(numbers == NULL ? NULL : numbers[0], heads, batch, kv * group + i, column,
                         &one.left, &one.sizes);
        add_products(numbers == NULL ? NULL : numbers[1], shared, batch, kv, column, &one.right,
                     &one.sizes);
        take_worse(&worst, &one);
    }
    return worst;
}

static both_sums worst_row(const tensor *all)
{
    both_sums worst = {0}, one = {0};
    size_t at[TENSOR_MAX_RANK] = {0}, last = all->size[all->rank - 1] - 1;
    do {
        double number = tensor_get(all, at);
        one.left += number;
        one.sizes += fabs(number);
        if (at[all->rank - 1] < last)
            continue;
        take_worse(&worst, &one);
        one = (both_sums){0};
    } while (tensor_next(all, at));
    return worst;
}

void check_identities(checker *c, const document *one, const identities *by)
{
    const plan *p = by->of;
    const bundle *in = by->gradients;
    const problem *asked = p->asked;
    bool sums_to_1 = asked->in[INPUT_SINKS] == NULL && asked->in[INPUT_LOGSUMEXP_GRAD] == NULL;
    bool has_masked = numbers_of(in, STAGE_MASKED_GRAD) != NULL;
    stage_id rows = has_masked ? STAGE_MASKED_GRAD : STAGE_SCORES_GRAD;
    /* A score that is a product grows alike with its query and its key. A cache's keys and values
     * gain a part, which q_grad counts and k_grad does not. */
    if (numbers_of(in, STAGE_Q_GRAD) != NULL && numbers_of(in, STAGE_K_GRAD) != NULL &&
        asked->score->is_product && !asked->normalizes && p->past == 0) {
        tensor q = apart(p, by->stages, STAGE_Q), k = apart(p, by->stages, STAGE_K);
        tensor of_q = apart(p, in, STAGE_Q_GRAD), of_k = apart(p, in, STAGE_K_GRAD);
        both_sums worst = worst_group(p, (const tensor *const[]){&q, &k}, &of_q, &of_k);
        report(c, one, "Σ q·q_grad = Σ k·k_grad", &worst, by->tol);
    }
    if (sums_to_1 && numbers_of(in, rows) != NULL && (has_masked || asked->softcap == 0)) {
        tensor all = all_axes(p, in, rows);
        both_sums worst = worst_row(&all);
        report(c, one, has_masked ? "rows of masked_grad sum to 0" : "rows of scores_grad sum to 0",
               &worst, by->tol);
    }
    if (asked->in[INPUT_SINKS] == NULL && !by->has_empty_rows && p->past == 0 &&
        numbers_of(in, STAGE_V_GRAD) != NULL) {
        tensor attended = apart(p, by->stages, STAGE_ATTENDED_GRAD),
               of_v = apart(p, in, STAGE_V_GRAD);
        both_sums worst = worst_group(p, NULL, &attended, &of_v);
        report(c, one, "Σ v_grad = Σ attended_grad", &worst, by->tol);
    }
}
