/* Queries, keys, values and the output: what is projected by what, and whether it fits. */
#include "attn/plan/plan_parts.h"

static const char *layout_name(bool is_out_in)
{
    return is_out_in ? "out-in" : "in-out";
}

static bool refuse_rows(const plan *p, input which, err *e)
{
    plan_wrong_shape(p, which, e, "it must be n x m, or b x n x m with a batch");
    return tensor_suggest_row(p->asked->in[which], e);
}

/* Rows n × m or b × n × m as b × n × m. */
static bool view_rows(const plan *p, input which, tensor *out, err *e)
{
    const tensor *given = p->asked->in[which];
    if (given->rank != 2 && given->rank != 3)
        return refuse_rows(p, which, e);
    *out = tensor_view_of(given);
    if (given->rank == 3)
        return true;
    out->rank = 3;
    for (int axis = 2; axis > 0; axis--) {
        out->size[axis] = given->size[axis - 1];
        out->stride[axis] = given->stride[axis - 1];
    }
    out->size[0] = p->batches;
    out->stride[0] = 0;
    return true;
}

tensor plan_split_heads(const tensor *rows, size_t heads)
{
    size_t width = rows->size[2] / heads;
    tensor view = tensor_view_of(rows);
    view.rank = 4;
    view.size[1] = heads;
    view.stride[1] = rows->stride[2] * (ptrdiff_t)width;
    view.size[2] = rows->size[1];
    view.stride[2] = rows->stride[1];
    view.size[3] = width;
    view.stride[3] = rows->stride[2];
    return view;
}

tensor plan_heads_apart(const tensor *t, size_t heads)
{
    return t->rank == 4 ? tensor_view_of(t) : plan_split_heads(t, heads);
}

static bool check_divides(const plan *p, input which, size_t width, size_t heads, err *e)
{
    if (width % heads == 0)
        return true;
    return plan_wrong_shape(p, which, e, "its width %zu is not a multiple of the %zu heads", width,
                            heads);
}

bool plan_view_apart(const plan *p, input which, size_t heads, tensor *out, err *e)
{
    const tensor *given = p->asked->in[which];
    if (given->rank == 4) {
        *out = tensor_view_of(given);
        return true;
    }
    tensor rows;
    if (given->rank < 2) {
        plan_wrong_shape(p, which, e, "it must be n x d, b x n x d or b x h x n x d");
        return tensor_suggest_row(given, e);
    }
    if (!view_rows(p, which, &rows, e) || !check_divides(p, which, rows.size[2], heads, e))
        return false;
    *out = plan_split_heads(&rows, heads);
    return true;
}

/* The weight as it is used in x·W, its rows as many as x has columns. */
static bool view_weight(const plan *p, input weight_as, const char *rows_label, size_t rows_width,
                        tensor *out, err *e)
{
    const tensor *given = p->asked->in[weight_as];
    bool is_out_in = p->asked->is_out_in[weight_as];
    if (given->rank != 2 && given->rank != 3)
        return plan_wrong_shape(p, weight_as, e, "it must be a matrix, or one a head");
    *out = is_out_in ? tensor_transposed(given) : tensor_view_of(given);
    if (out->size[out->rank - 2] == rows_width)
        return true;
    size_t taken = out->size[out->rank - 2];
    plan_wrong_shape(p, weight_as, e, "which as %s takes rows of %zu number%s, and %s has %zu",
                     layout_name(is_out_in), taken, taken == 1 ? "" : "s", rows_label, rows_width);
    if (out->size[out->rank - 1] == rows_width)
        err_remedy(e, "transposed it would fit: --layout %s", layout_name(!is_out_in));
    return false;
}

static bool find_projected(const plan *p, projection *r, err *e)
{
    input weight_as = r->weight_as;
    if (!view_rows(p, r->rows_as, &r->rows, e))
        return false;
    r->n = r->rows.size[1];
    r->width = r->rows.size[2];
    if (p->asked->in[weight_as] != NULL) {
        if (!view_weight(p, weight_as, input_label(r->rows_as), r->rows.size[2], &r->weight, e))
            return false;
        r->width = r->weight.size[r->weight.rank - 1];
    }
    if (r->weight.rank != 3) {
        input whose = p->asked->in[weight_as] != NULL ? weight_as : r->rows_as;
        if (!check_divides(p, whose, r->width, r->heads, e))
            return false;
        r->width /= r->heads;
    }
    return plan_vector(p, r->bias_as, r->heads * r->width, &r->bias, e);
}

/* xv, else xk, else x; INPUT_COUNT: none of them. */
static input rows_of(const problem *asked, input role)
{
    static const input ROWS[] = {INPUT_XV, INPUT_XK, INPUT_X};
    for (size_t i = role == INPUT_Q ? 2 : role == INPUT_K ? 1 : 0; i < 3; i++) {
        if (asked->in[ROWS[i]] != NULL)
            return ROWS[i];
    }
    return INPUT_COUNT;
}

bool plan_uses_rows(const problem *asked, input rows)
{
    for (input role = INPUT_Q; role <= INPUT_V; role++) {
        if (asked->in[role] == NULL && rows_of(asked, role) == rows)
            return true;
    }
    return false;
}

static bool find_projection(const plan *p, projection *r, err *e)
{
    const problem *asked = p->asked;
    if (asked->in[r->given_as] == NULL && r->rows_as != INPUT_COUNT)
        return find_projected(p, r, e);
    if (asked->in[r->given_as] == NULL) {
        /* What is missing has no place of its own: that of the first input that is there. */
        input which = INPUT_X;
        while (which + 1 < INPUT_COUNT && asked->in[which] == NULL)
            which++;
        place at = asked->at[which];
        return err_at(e, &at, "there is no %s, and no x to make it of", input_label(r->given_as));
    }
    const input instead[] = {r->weight_as, r->bias_as};
    for (size_t i = 0; i < 2; i++) {
        if (asked->in[instead[i]] != NULL)
            return err_at(e, &asked->at[instead[i]],
                          "%s is given, and so is %s, which takes its place",
                          input_label(instead[i]), input_label(r->given_as));
    }
    if (!plan_view_apart(p, r->given_as, r->heads, &r->given, e))
        return false;
    r->n = r->given.size[2];
    r->width = r->given.size[3];
    return true;
}

bool plan_find_projections(plan *p, err *e)
{
    const problem *asked = p->asked;
    p->q = (projection){
        .given_as = INPUT_Q, .weight_as = INPUT_WQ, .bias_as = INPUT_BQ, .heads = p->heads};
    p->k = (projection){
        .given_as = INPUT_K, .weight_as = INPUT_WK, .bias_as = INPUT_BK, .heads = p->kv_heads};
    p->v = (projection){
        .given_as = INPUT_V, .weight_as = INPUT_WV, .bias_as = INPUT_BV, .heads = p->kv_heads};
    p->q.rows_as = rows_of(asked, INPUT_Q);
    p->k.rows_as = rows_of(asked, INPUT_K);
    p->v.rows_as = rows_of(asked, INPUT_V);
    if (!find_projection(p, &p->q, e) || !find_projection(p, &p->k, e) ||
        !find_projection(p, &p->v, e))
        return false;
    p->n_q = p->q.n;
    p->n_k = p->k.n;
    bool projects = p->q.weight.data != NULL || p->k.weight.data != NULL;
    bool takes_rows = p->v.weight.data == NULL && p->v.given.data == NULL;
    if (projects && takes_rows && asked->width_onward == 0 &&
        !plan_note(p, e, "there is no wv: the values are the rows of %s",
                   input_label(p->v.rows_as)))
        return false;
    if (p->k.n != p->v.n)
        return err_at(e, &asked->at[p->v.given.data != NULL ? p->v.given_as : p->v.rows_as],
                      "the numbers of values and keys differ: %zu and %zu", p->v.n, p->k.n);
    /* Rows next to the q, k or v that take their place (options do so, and results that hold all
     * stages) are let be, however many they are. */
    for (input rows = INPUT_X; rows <= INPUT_XV; rows++) {
        const tensor *given = asked->in[rows];
        if (given != NULL && given->rank != 2 && given->rank != 3)
            return refuse_rows(p, rows, e);
    }
    return true;
}

/* The rows of the context go through Wo, where there is one. */
bool plan_find_output(plan *p, err *e)
{
    const problem *asked = p->asked;
    const tensor *given = asked->in[INPUT_WO];
    tensor *wo = &p->wo;
    p->width_out = p->heads * p->v.width;
    if (given != NULL) {
        size_t taken = given->rank == 3 ? p->v.width : p->width_out;
        if (!view_weight(p, INPUT_WO, "the context", taken, wo, e))
            return false;
        if (given->rank != 2 && (asked->is_out_in[INPUT_WO] || given->size[0] != p->heads))
            return plan_wrong_shape(p, INPUT_WO, e,
                                    "it must be a matrix, or in-out one for each of the %zu heads",
                                    p->heads);
        if (given->rank != 2) {
            /* Wo h × d_v × m, one matrix a head, is (h·d_v) × m. */
            wo->rank = 2;
            wo->size[0] = given->size[0] * given->size[1];
            wo->size[1] = given->size[2];
            wo->stride[0] = given->stride[1];
            wo->stride[1] = given->stride[2];
        }
        p->width_out = wo->size[1];
    }
    /* A layer adds what its attention gives to what it was given: looked at before bo, which then
     * is as long as it has to be. */
    bool has_wo = wo->data != NULL;
    place at = problem_place(asked, has_wo ? "wo" : "wv");
    if (asked->width_onward != 0 && p->width_out != asked->width_onward)
        return err_at(e, &at, "%s gives rows %zu wide, and a layer %zu wide goes on with them",
                      has_wo ? "Wo" : "attention without Wo", p->width_out, asked->width_onward);
    return plan_vector(p, INPUT_BO, p->width_out, &p->bo, e);
}

/* ---- what normalized queries and keys are multiplied by ---- */

/* As many numbers as a head is wide for all heads, or for each. */
static bool find_gain(const plan *p, input which, const projection *of, tensor *out, err *e)
{
    const tensor *given = p->asked->in[which];
    if (given == NULL)
        return true;
    size_t count = tensor_count(given);
    if (given->rank > 2 || (count != of->width && count != of->heads * of->width))
        return plan_wrong_shape(p, which, e, "it must hold %zu number%s, or as many a head",
                                of->width, of->width == 1 ? "" : "s");
    bool is_shared = count == of->width;
    *out = (tensor){.type = given->type,
                    .rank = 2,
                    .size = {of->heads, of->width},
                    .stride = {is_shared ? 0 : (ptrdiff_t)of->width, 1},
                    .data = given->data};
    return true;
}

bool plan_find_gains(plan *p, err *e)
{
    static const char *const PARTS[] = {"q_gain", "k_gain", "qk_eps"};
    if (!p->asked->normalizes && !plan_refuse_parts(p->asked, PARTS, sizeof PARTS / sizeof PARTS[0],
                                                    "queries and keys are not normalized",
                                                    "--qk-norm rms normalizes them", e))
        return false;
    return find_gain(p, INPUT_Q_GAIN, &p->q, &p->q_gain, e) &&
           find_gain(p, INPUT_K_GAIN, &p->k, &p->k_gain, e);
}
