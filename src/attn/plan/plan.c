#include "attn/plan/plan_parts.h"

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

bool plan_vector(const plan *p, input which, size_t count, tensor *out, err *e)
{
    const tensor *given = p->asked->in[which];
    *out = (tensor){0};
    if (given == NULL)
        return true;
    if (given->rank > 2 || tensor_count(given) != count)
        return plan_wrong_shape(p, which, e, "it must hold %zu number%s", count,
                                count == 1 ? "" : "s");
    *out = tensor_view_of(given);
    out->rank = 1;
    out->size[0] = count;
    out->stride[0] = 1;
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

static bool check_names(const plan *p, const text_list *names, const char *of, size_t rows, err *e)
{
    if (names == NULL || names->count == rows)
        return true;
    place at = problem_place(p->asked, of);
    err_at(e, &at, "%s has %zu name%s, and the %s are %zu", of, names->count,
           names->count == 1 ? "" : "s", strcmp(of, "tokens") == 0 ? "queries" : "keys", rows);
    if (names->count == 1 && strchr(names->item[0], ' ') != NULL)
        err_remedy(e, "commas part names, not spaces: the,cat");
    return false;
}

static bool check_top(const plan *p, err *e)
{
    place at = problem_place(p->asked, "top");
    if (p->asked->cache != NULL)
        return true; /* the keys of later lines are still to come */
    return p->asked->top <= p->n_k || err_at(e, &at, "top is %zu keys, and there %s %zu",
                                             p->asked->top, p->n_k == 1 ? "is" : "are", p->n_k);
}

bool plan_make(plan *p, const problem *asked, const kernels *with, err *e)
{
    *p = (plan){.asked = asked, .type = asked->type, .with = with, .batches = 1, .heads = 1};
    bool fits = check_not_empty(p, e) && plan_find_batches(p, e) && plan_find_heads(p, e) &&
                plan_find_projections(p, e) && plan_find_gains(p, e) && plan_find_cache(p, e) &&
                plan_find_positions(p, e) && plan_find_rope(p, e) && plan_find_appended(p, e) &&
                plan_find_score(p, e) && plan_find_scale(p, e) && plan_find_causality(p, e) &&
                plan_find_key_lengths(p, e) && plan_find_masks(p, e) && plan_find_slopes(p, e) &&
                check_top(p, e) && plan_find_output(p, e) &&
                check_names(p, asked->tokens, "tokens", p->n_q, e) &&
                check_names(p, asked->key_tokens, "key_tokens", plan_own_keys(p), e);
    if (fits)
        plan_find_axes(p);
    return fits;
}

void plan_free(plan *p)
{
    tensor_free(&p->slopes);
    tensor_free(&p->ones);
    tensor_free(&p->zeros);
    text_list_free(&p->notes);
}
