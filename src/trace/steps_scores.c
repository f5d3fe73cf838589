/* The steps up to the softmax: projections, scores, scale, mask. */
#include "trace/derivation.h"

#include <math.h>
#include <string.h>

/* The columns of W (m × heads·width, or one matrix a head) that make one head of a projection. */
static tensor weight_of_head(const projection *r, size_t head)
{
    if (r->weight.rank == 3)
        return tensor_at(&r->weight, head);
    return tensor_range(&r->weight, 1, head * r->width, r->width);
}

static bool has_positions(const builder *b, const projection *r)
{
    return r->rows_as == INPUT_X && plan_has_stage(b->plan, STAGE_X_POS);
}

/* The rows of the focus's batch that are projected: those of the first stage that has them, as in
 * the map of this name (map_roles.c). */
static tensor projected_rows(const builder *b, const projection *r)
{
    static const stage_id FORMS[] = {STAGE_X, STAGE_XK, STAGE_XV};
    size_t first = r->rows_as == INPUT_X ? 0 : r->rows_as == INPUT_XK ? 1 : 2;
    if (has_positions(b, r))
        return build_stage_of_batch(b, STAGE_X_POS);
    while (first < 2 && build_stage_of_batch(b, FORMS[first]).data == NULL)
        first++;
    return build_stage_of_batch(b, FORMS[first]);
}

static const char *projected_name(const builder *b, const projection *r)
{
    return has_positions(b, r) ? stage_row(STAGE_X_POS)->key.named.name : input_key(r->rows_as);
}

/* " in head 2", of the focus; keys and values are in the head that its query head shares. */
static const char *of_head(builder *b, stage_id id)
{
    size_t head = build_shown_head(b, id);
    return b->plan->has_heads ? build_text(b, " in head %zu", head + 1) : "";
}

/* q[2,1] = x[2]·Wq[·,1] = 1·0 + … = 4, then the whole row as row × matrix = row. */
static void show_projected_row(builder *b, const projection *r, stage_id id, size_t row,
                               const char *rows_name)
{
    const char *name = stage_row(id)->key.named.name;
    size_t head = build_shown_head(b, id);
    build_begin_head(b, head);
    derivation_line_of_head(b, name, row, 0, of_head(b, id));
    if (r->bias.data != NULL)
        return;
    tensor rows = projected_rows(b, r), result = build_stage(b, id);
    trace_item *whole = build_item(b, TRACE_ROW_PRODUCT);
    whole->left = build_text(b, "%s[%zu]", rows_name, row + 1);
    whole->letters = build_text(b, "%s%s", input_label(r->weight_as), of_head(b, id));
    whole->text = build_text(b, "%s[%zu]%s", name, row + 1, of_head(b, id));
    whole->a = build_row(&rows, row);
    whole->b = weight_of_head(r, head);
    whole->result = build_row(&result, row);
}

static void show_rows(builder *b, stage_id id, const char *name, trace_labels labels, size_t row)
{
    tensor all = build_stage_of_batch(b, id);
    build_matrix(b, name, &all, labels, build_numbers(), row + 1);
}

static void show_projection(builder *b, const projection *r, stage_id id, const char *role,
                            size_t row, trace_labels labels)
{
    const char *name = stage_row(id)->key.named.name;
    if (r->given.data != NULL)
        return;
    const char *rows_name = projected_name(b, r);
    if (r->weight.data == NULL && r->bias.data == NULL) {
        build_sentence(b, "Without %s, the rows of %s are the %s as they are.",
                       input_label(r->weight_as), rows_name, role);
        if (b->plan->appended > 0 && id != STAGE_Q)
            show_rows(b, id, name, labels, row);
        return;
    }
    bool has_weight = r->weight.data != NULL;
    build_sentence(b, "The %s: each row of %s%s%s%s.", role, rows_name, has_weight ? " times " : "",
                   has_weight ? input_label(r->weight_as) : "",
                   r->bias.data != NULL ? ", and the bias is added" : "");
    derivation_row_formula(b, name, 'i');
    show_projected_row(b, r, id, row, rows_name);
    build_end_head(b);
    show_rows(b, id, name, labels, row);
}

void make_projections(builder *b)
{
    const plan *p = b->plan;
    show_projection(b, &p->q, STAGE_Q, "queries", b->focus.row, build_query_labels(b, "q"));
    show_projection(b, &p->k, STAGE_K, "keys", build_key_row(b), build_new_key_labels(b, "k"));
    show_projection(b, &p->v, STAGE_V, "values", build_key_row(b), build_new_value_labels(b, "v"));
}

/* ---- scores ---- */

/* What is compared: q′ where the score function made one, else q; rows of the focus's head. */
static tensor compared(const builder *b, stage_id made, stage_id plain, const char **name)
{
    tensor found = build_stage(b, made);
    *name = stage_row(found.data != NULL ? made : plain)->key.named.name;
    return found.data != NULL ? found : build_stage(b, plain);
}

/* q′ = q·Ws, k′ = k·Ua: what some score functions turn queries and keys into first. */
static void show_transform(builder *b, stage_id id, const char *by, trace_labels labels)
{
    if (!plan_has_stage(b->plan, id))
        return;
    const char *name = stage_row(id)->key.named.name;
    bool is_query = id == STAGE_Q_SCORE,
         is_second = !is_query && plan_has_stage(b->plan, STAGE_Q_SCORE);
    build_sentence(b, "%s each %s is multiplied by %s.", is_second ? "Then" : "First",
                   is_query ? "query" : "key", input_label(input_of_key(by)));
    derivation_row_formula(b, name, is_query ? 'i' : 'j');
    derivation_line_of_head(b, name, is_query ? b->focus.row : 0, 0, build_head_name(b));
    build_matrices(b, id, labels, build_numbers());
}

static void show_score_row(builder *b, const tensor *q, const char *q_name, const tensor *k,
                           const char *k_name, const tensor *scores)
{
    trace_item *whole = build_item(b, TRACE_ROW_PRODUCT);
    const char *in_head = of_head(b, STAGE_Q);
    whole->left = build_text(b, "%s[%zu]%s", q_name, b->focus.row + 1, in_head);
    whole->letters = build_text(b, "%sᵀ%s", k_name, of_head(b, STAGE_K));
    whole->text = build_text(b, "scores[%zu]%s", b->focus.row + 1, in_head);
    whole->a = build_row(q, b->focus.row);
    whole->b = tensor_transposed(k);
    whole->result = build_row(scores, b->focus.row);
}

/* Parameters of the score function that were not given, and what serves for each. */
static void say_absent(builder *b)
{
    const problem *asked = b->plan->asked;
    const score *by = asked->score;
    const char *const keys[] = {by->for_query, by->for_key, by->vector, by->shift};
    static const char *const STAND_INS[] = {"the identity", "the identity", "ones", "zero"};
    const char *absent = "";
    for (size_t i = 0; i < 4; i++) {
        if (keys[i] != NULL && asked->in[input_of_key(keys[i])] == NULL)
            absent = build_text(b, "%s%s%s is %s", absent, *absent == '\0' ? "" : ", ",
                                input_label(input_of_key(keys[i])), STAND_INS[i]);
    }
    if (*absent != '\0')
        build_sentence(b, "What was not given changes nothing: %s.", absent);
}

/* Where the scale comes from: 1/√d_k, 1/√m, or a number that was given. */
static void show_scale(builder *b)
{
    const problem *asked = b->plan->asked;
    tensor scale = build_number(b, "scale", b->plan->scale);
    bool is_number = asked->scale_kind == SCALE_NUMBER, is_embed = asked->scale_kind == SCALE_EMBED;
    trace_item *line = build_line(b, is_number ? OP_COPY : OP_INVERSE_ROOT, "scale",
                                  is_number  ? NULL
                                  : is_embed ? "1/√m"
                                             : "1/√d_k");
    line->head = 0; /* one for all heads */
    const tensor *x = asked->in[INPUT_X];
    double width = is_embed ? (double)x->size[x->rank - 1] : (double)b->plan->k.width;
    line->a = is_number ? scale : build_number(b, "width", width);
    line->result = scale;
}

/* Scores that are scaled by 1 have no step of their own. */
static void show_scale_of_one(builder *b)
{
    const problem *asked = b->plan->asked;
    scale_kind kind = asked->scale_kind;
    if (b->plan->scale != 1 || kind == SCALE_NONE ||
        (kind == SCALE_DEFAULT && !asked->score->is_scaled))
        return;
    build_formula(b, "scaled = scores·scale = scores");
    show_scale(b);
}

/* The score function's formula, of the queries and keys as they are by then: q_rope, present_k. */
static void show_formula(builder *b, const score *by)
{
    const char *all = by->formula, *q = strstr(all, "q[i]"), *k = strstr(all, "k[j]");
    build_formula(b, "scores[i,j] = %.*s%s%.*s%s%s", (int)(q - all), all,
                  stage_row(build_queries(b))->key.named.name, (int)(k - q) - 1, q + 1,
                  stage_row(build_keys(b))->key.named.name, k + 1);
}

void make_scores(builder *b)
{
    const score *by = b->plan->asked->score;
    const char *q_name, *k_name;
    show_transform(b, STAGE_Q_SCORE, by->for_query, build_query_labels(b, "q"));
    show_transform(b, STAGE_K_SCORE, by->for_key, build_column_labels(b));
    tensor q = compared(b, STAGE_Q_SCORE, build_queries(b), &q_name),
           k = compared(b, STAGE_K_SCORE, build_keys(b), &k_name);
    tensor scores = build_stage(b, STAGE_SCORES);
    build_sentence(b,
                   "How much should %s attend to each key%s? The score function (%s) compares "
                   "them: a larger number, a "
                   "stronger relationship.",
                   build_query_name(b), build_head_name(b), by->named.name);
    build_sharing(b);
    say_absent(b);
    show_formula(b, by);
    size_t lines = build_lines(b);
    for (size_t j = 0; j < lines; j++)
        derivation_line(b, "scores", b->focus.row, j);
    build_rest(b);
    if (by->vector == NULL && by->shift == NULL)
        show_score_row(b, &q, q_name, &k, k_name, &scores);
    build_same_for_all(b);
    build_matrices(b, STAGE_SCORES, build_query_labels(b, "q"), build_column_labels(b));
    show_scale_of_one(b);
}

/* ---- scale ---- */

static double variance_of(const tensor *t)
{
    size_t index[TENSOR_MAX_RANK] = {0};
    double count = (double)tensor_count(t), mean = 0, sum = 0;
    do
        mean += tensor_get(t, index) / count;
    while (tensor_next(t, index));
    do
        sum += (tensor_get(t, index) - mean) * (tensor_get(t, index) - mean);
    while (tensor_next(t, index));
    return sum / count;
}

static void show_variance(builder *b, stage_id id)
{
    tensor of_head = build_stage(b, id);
    const char *name =
        build_text(b, "variance of %s%s", stage_row(id)->key.named.name, build_head_name(b));
    trace_item *line = build_line(b, OP_VARIANCE, name, NULL);
    line->a = of_head;
    line->result = build_number(b, name, variance_of(&of_head));
}

void make_scale(builder *b)
{
    if (b->plan->asked->scale_kind == SCALE_NUMBER)
        build_sentence(b, "Every score is multiplied by the scale that was given. A larger spread "
                          "of the scores makes a sharper softmax: compare the variances.");
    else
        build_sentence(b, "Dot products grow with the width of the vectors, and large ones push "
                          "the softmax to put all weight on one key. The scale brings the spread "
                          "of the scores back: compare the variances.");
    show_scale(b);
    derivation_formula(b, "scaled", "");
    for (size_t j = 0; j < build_lines(b); j++)
        derivation_line(b, "scaled", b->focus.row, j);
    build_rest(b);
    show_variance(b, STAGE_SCORES);
    show_variance(b, STAGE_SCALED);
    build_matrices(b, STAGE_SCALED, build_query_labels(b, "q"), build_column_labels(b));
}
