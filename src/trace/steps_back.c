/* The steps of the way back: from what the output is to gain to the inputs. */
#include "attn/engine/positions.h"
#include "trace/build.h"
#include "trace/derivation.h"
#include "trace/nodes.h"

void build_part_of_all(builder *b, const char *name, size_t batches, const shared_gains *shared)
{
    const char *one = build_text(b, "sequence %zu", b->focus.batch + 1),
               *all = build_text(b, "all %zu sequences", batches), *in = "", *and = "";
    bool is_shared = shared != NULL && shared->layers > 1;
    if (is_shared) {
        const char *own = build_text(b, "layer %zu", shared->nth + 1),
                   *layers = build_text(b, "the %zu layers that share its weight", shared->layers);
        in = batches > 1 ? build_text(b, " in %s", own) : "";
        and = batches > 1 ? build_text(b, " and over %s", layers) : "";
        one = batches > 1 ? one : own;
        all = batches > 1 ? all : layers;
    }
    if (batches > 1 || is_shared)
        build_sentence(b, "This is what %s adds%s to %s, which is the sum over %s%s.", one, in,
                       name, all, and);
}

static void say_summed(builder *b, stage_id id)
{
    build_part_of_all(b, map_name_of(id), b->plan->batches,
                      build_is_shared(b, id) ? b->comes.shared : NULL);
}

/* A gradient that is there, in the shape of an input: its formula, its first number, and all. */
static void show_summed(builder *b, stage_id id)
{
    const char *name = build_summed_name(b, id);
    const trace_map *map = map_named(b->room, name);
    if (map == NULL)
        return;
    size_t head =
        map->is_of_heads ? b->focus.head * map->values.size[0] * map->slices / b->plan->heads : 0;
    const char *in_head = map->is_of_heads ? build_in_head(b, head) : "";
    derivation_formula(b, name, "");
    if (map->is_of_heads)
        build_begin_head(b, head);
    derivation_line_of_head(b, name, 0, 0, in_head);
    b->head = 0;
    derivation_matrix(b, name, 0);
    say_summed(b, id);
}

void loss_show(builder *b, const loss_said *of)
{
    build_sentence(b,
                   "From here the way goes back. A gradient says how much the loss grows with a "
                   "number: by so much for each 1 that the number grows, while all others stay.");
    if (of->kind == LOSS_NONE && of->is_given) {
        build_sentence(b, "What the loss gains with each number of %s is given, as output_grad.",
                       of->output);
        derivation_matrix(b, "output_grad", b->focus.row + 1);
        return;
    }
    if (of->kind == LOSS_SQUARE) {
        build_sentence(b, "The output should have been the target. What it is off counts by half "
                          "its square.");
        derivation_matrix(b, "target", b->focus.row + 1);
    }
    if (of->kind != LOSS_NONE) {
        derivation_line(b, of->number, 0, 0);
        build_part_of_all(b, map_name_of(STAGE_LOSS), of->batches, NULL);
    }
    derivation_formula(b, "output_grad", "");
    if (of->kind != LOSS_SQUARE)
        build_formula(b, "each = %s", map_there(b, "each")->letters);
    derivation_line(b, "output_grad", b->focus.row, 0);
    derivation_matrix(b, "output_grad", b->focus.row + 1);
}

void make_loss(builder *b)
{
    if (b->comes.of[0].map == NULL) {
        const loss_said of = build_loss(b);
        loss_show(b, &of);
        return;
    }
    build_sentence(b, "What this part made gains what came back to the rows that it went into.");
    derivation_formula(b, "output_grad", "");
    derivation_matrix(b, "output_grad", b->focus.row + 1);
}

void make_join_back(builder *b)
{
    const plan *p = b->plan;
    bool has_wo = p->wo.data != NULL;
    if (has_wo) {
        build_sentence(b, "Each number of a head's result went into all numbers of its row of the "
                          "output, by a row of Wo: by the same row its gradient comes back.");
        derivation_row_formula(b, "context_grad", 'i');
        build_begin_head(b, b->focus.head);
        derivation_line_of_head(b, "context_grad", b->focus.row, 0, build_head_name(b));
        b->head = 0;
    }
    derivation_formula(b, "attended_grad", "");
    build_begin_head(b, b->focus.head);
    build_matrices(b, STAGE_ATTENDED_GRAD);
    b->head = 0;
    if (has_wo) {
        build_sentence(b, "Wo gains of every query: what it took times what came of it.");
        show_summed(b, STAGE_WO_GRAD);
    }
    if (p->bo.data != NULL) {
        build_sentence(b, "The bias bo is in every row, and gains what all of them do.");
        show_summed(b, STAGE_BO_GRAD);
    }
}

/* Keys or values: what all queries make of one, and of heads that share it all of theirs. */
static void show_gathered(builder *b, stage_id id)
{
    const char *name = map_name_of(id), *by_head = build_text(b, "%s_by_head", name);
    size_t row = build_key_row(b), head = build_shown_head(b, id);
    if (b->plan->heads != b->plan->kv_heads) {
        derivation_formula(b, by_head, "");
        build_begin_head(b, b->focus.head);
        derivation_line_of_head(b, by_head, row, 0, build_head_name(b));
        build_sharing(b);
    }
    derivation_formula(b, name, "");
    build_begin_head(b, head);
    derivation_line_of_head(b, name, row, 0, build_in_head(b, head));
    b->head = 0;
    derivation_matrix(b, name, row + 1);
}

void make_sum_back(builder *b)
{
    build_sentence(b,
                   "The result of %s%s was a sum of weights times values. A weight gains what its "
                   "value does along the gradient: the value says how loud the weight should be.",
                   build_query_name(b), build_head_name(b));
    derivation_show_lines(b, "weights_grad");
    derivation_product(b, "weights_grad", b->focus.row);
    build_same_for_all(b);
    build_matrices(b, STAGE_WEIGHTS_GRAD);
    build_sentence(b, "A value gains of every query, by the weight that it had there: the weight "
                      "says how much the value is told.");
    show_gathered(b, build_gradient_of(build_values(b)));
}

/* The slope of a weight w is w·(1 − w): of all but 0.0001 it is a 2500th of the steepest. */
static void say_saturated(builder *b)
{
    tensor weights = build_stage(b, STAGE_WEIGHTS);
    bool is_sure = false;
    for (size_t j = 0; weights.data != NULL && j < weights.size[1]; j++)
        is_sure = is_sure || tensor_get(&weights, (size_t[]){b->focus.row, j}) >= 0.9999;
    build_while(b, TRACE_WHILE_SURE, is_sure);
    build_sentence(b,
                   "This row is saturated: one key has at least 0.9999 of the weight, and the "
                   "scores of %s%s learn next to nothing.",
                   build_query_name(b), build_head_name(b));
    build_always(b);
}

void make_softmax_back(builder *b)
{
    const char *scores = build_gradient_name(build_masked(b));
    build_sentence(b,
                   "A row's weights sum to %s, so that what one gains, the others lose. First what "
                   "all weights of %s%s gain together, each by its share.",
                   b->plan->sinks.data == NULL ? "1" : "1 with the sink's", build_query_name(b),
                   build_head_name(b));
    derivation_formula(b, "delta", "");
    derivation_line(b, "delta", b->focus.row, 0);
    if (b->plan->asked->in[INPUT_LOGSUMEXP_GRAD] != NULL)
        build_sentence(b, "What comes back to logsumexp, logsumexp_grad, is for all scores of the "
                          "row, by their weights too, and is taken off.");
    build_sentence(b, "Then a score gains by how much its weight gains more than that. A weight of "
                      "0 or 1 moves no more, and nothing comes back through it.");
    derivation_show_lines(b, scores);
    say_saturated(b);
    build_same_for_all(b);
    build_matrices(b, build_gradient_of(build_masked(b)));
    if (map_named(b->room, build_summed_name(b, STAGE_SINKS_GRAD)) == NULL)
        return;
    build_sentence(b, "A sink takes its weight from all others, and gains what they lose by it.");
    derivation_line_of_head(b, build_summed_name(b, STAGE_SINKS_GRAD), 0, 0, build_head_name(b));
    say_summed(b, STAGE_SINKS_GRAD);
}

/* What is added gains what all scores do that it was added to; and of a table of buckets each what
 * the bias of its pairs does. */
static void show_bias_back(builder *b)
{
    const plan *p = b->plan;
    const stage_id id = plan_bias_gradient(p),
                   of_pairs = p->bucket.data != NULL ? STAGE_BIAS_GRAD : id;
    const bool is_part = build_is_shared(b, id) || (p->batches > 1 && p->bias.stride[0] == 0);
    const char *bias = map_name_of(of_pairs);
    if (is_part)
        bias = build_text(b, "%s_part", bias);
    const trace_map *map = map_named(b->room, bias);
    if (map == NULL)
        return;
    build_sentence(b, "The bias gains what all scores do that it was added to.");
    derivation_formula(b, bias, "");
    derivation_line(b, bias, map->is_of_queries ? b->focus.row : 0, 0);
    derivation_matrix(b, bias, map->is_of_queries ? b->focus.row + 1 : 0);
    if (of_pairs != id) {
        const size_t bucket = build_bucket(b, b->focus.row, 0);
        const char *table = build_summed_name(b, id);
        build_sentence(b,
                       "A bucket's number stands at all its pairs of a query and a key, and gains "
                       "what the bias there does.");
        derivation_matrix(b, "bucket", b->focus.row + 1);
        derivation_formula(b, table, "");
        derivation_line(b, table, bucket, 0);
        derivation_matrix(b, table, bucket + 1);
    }
    if (is_part)
        say_summed(b, id);
}

void make_mask_back(builder *b)
{
    const char *slopes = build_summed_name(b, STAGE_SLOPES_GRAD);
    build_sentence(b,
                   "A number that was added to a score lets its gradient through as it is. A key "
                   "that was taken out has a weight of 0, and its gradient is 0.");
    derivation_formula(b, build_gradient_name(build_unmasked(b)), "");
    build_matrices(b, build_gradient_of(build_unmasked(b)));
    show_bias_back(b);
    if (map_named(b->room, slopes) == NULL)
        return;
    build_sentence(b, "The head's slope lowered each score by its distance, and gains as much "
                      "less.");
    derivation_line_of_head(b, slopes, 0, 0, build_head_name(b));
    say_summed(b, STAGE_SLOPES_GRAD);
}

void make_cap_back(builder *b)
{
    stage_id before = b->plan->scale == 1 ? STAGE_SCORES_GRAD : STAGE_SCALED_GRAD;
    build_sentence(b, "The nearer a score came to the cap, the less it moves, and the less comes "
                      "back to it.");
    derivation_show_lines(b, map_name_of(before));
    build_same_for_all(b);
    build_matrices(b, before);
}

void make_scale_back(builder *b)
{
    build_sentence(b, "The scale that made scores small makes their gradients small too; but where "
                      "it kept weights away from 0 and 1, it kept these gradients alive.");
    derivation_show_lines(b, "scores_grad");
    build_same_for_all(b);
    build_matrices(b, STAGE_SCORES_GRAD);
}

/* What is compared: the formula of its gradient, and its first number. */
static void show_compared(builder *b, stage_id of, size_t row)
{
    bool is_product = b->plan->asked->score->back == BACK_BY_PRODUCT;
    const char *name = build_gradient_name(of);
    if (is_product)
        derivation_row_formula(b, name, 'i');
    else
        derivation_formula(b, name, "");
    build_begin_head(b, b->focus.head);
    derivation_line_of_head(b, name, row, 0, build_head_name(b));
    derivation_product(b, name, row);
    b->head = 0;
    derivation_matrix(b, name, row + 1);
}

/* The way back through q′ = q·W, and what W gains. */
static void show_transformed(builder *b, stage_id rows, stage_id weight_grad, size_t row)
{
    const char *name = build_gradient_name(rows), *weight = build_summed_name(b, weight_grad),
               *of = input_label(input_of_key(stage_row(weight_grad)->of_input));
    if (map_named(b->room, weight) == NULL)
        return;
    build_sentence(b, "What was compared is %s times %s, and by %sᵀ its gradient goes back.",
                   map_name_of(rows), of, of);
    derivation_row_formula(b, name, 'i');
    size_t head = build_shown_head(b, build_gradient_of(rows));
    build_begin_head(b, head);
    derivation_line_of_head(b, name, row, 0, build_in_head(b, head));
    b->head = 0;
    derivation_matrix(b, name, row + 1);
    build_sentence(b, "%s gains what it took times what came of it.", of);
    show_summed(b, weight_grad);
}

/* What is for a head, or for all of them: of those that share it, of the head in focus first. */
static void show_shared(builder *b, stage_id id)
{
    const char *by_head = build_text(b, "%s_by_head", map_name_of(id));
    if (map_named(b->room, by_head) != NULL) {
        derivation_formula(b, by_head, "");
        build_begin_head(b, b->focus.head);
        derivation_line_of_head(b, by_head, 0, 0, build_head_name(b));
        b->head = 0;
    }
    show_summed(b, id);
}

/* What an additive score's vector and bias gain. */
static void show_tanhs(builder *b)
{
    const char *sums = "va_grad_by_query";
    if (map_named(b->room, sums) != NULL) {
        build_sentence(b, "va gains the tanhs that it added up, each by what its score gains.");
        derivation_formula(b, sums, "");
        build_begin_head(b, b->focus.head);
        derivation_line_of_head(b, sums, b->focus.row, 0, build_head_name(b));
        b->head = 0;
        show_shared(b, STAGE_VA_GRAD);
    }
    if (map_named(b->room, build_summed_name(b, STAGE_BA_GRAD)) != NULL) {
        build_sentence(b, "ba is in every tanh, and gains what all of them do.");
        show_shared(b, STAGE_BA_GRAD);
    }
}

void make_scores_back(builder *b)
{
    stage_id queries = build_compared(b, STAGE_Q_SCORE), keys = build_compared(b, STAGE_K_SCORE);
    bool is_product = b->plan->asked->score->back == BACK_BY_PRODUCT;
    if (is_product)
        build_sentence(b, "A score is a product of a query and a key. So a query gains the keys, "
                          "each by the gradient of its score: towards those that should have more "
                          "weight.");
    else
        build_sentence(b, "A score is a sum of tanhs by va. The slope of a tanh is 1 − tanh²: "
                          "where it is close to −1 or 1 it is flat, and nothing comes back "
                          "through it.");
    show_compared(b, queries, b->focus.row);
    build_sentence(b, is_product ? "And a key gains the queries that were compared with it."
                                 : "And a key gains by the same tanhs, of all queries.");
    if (keys == STAGE_K_SCORE)
        show_compared(b, keys, build_key_row(b));
    else
        show_gathered(b, build_gradient_of(keys));
    show_transformed(b, build_queries(b), is_product ? STAGE_WS_GRAD : STAGE_WA_GRAD, b->focus.row);
    show_transformed(b, build_keys(b), STAGE_UA_GRAD, build_key_row(b));
    show_tanhs(b);
    if (map_named(b->room, build_summed_name(b, STAGE_BS_GRAD)) != NULL) {
        build_sentence(b, "bs is in every score, and gains what all of them do.");
        show_shared(b, STAGE_BS_GRAD);
    }
}

void make_cache_back(builder *b)
{
    static const stage_id MADE[] = {STAGE_PAST_K_GRAD, STAGE_PAST_V_GRAD};
    build_sentence(b, "The first rows are the cache's, the others those of the new keys and "
                      "values.");
    for (size_t i = 0; i < sizeof MADE / sizeof MADE[0]; i++) {
        const trace_map *past = map_named(b->room, map_name_of(MADE[i]));
        const char *name = past != NULL ? past->name : build_summed_name(b, MADE[i]);
        derivation_formula(b, name, "");
        derivation_matrix(b, name, 0);
        if (past == NULL)
            say_summed(b, MADE[i]);
    }
    derivation_row_formula(b, build_gradient_name(build_new_keys(b)), 'i');
    derivation_matrix(b, build_gradient_name(build_new_keys(b)), 0);
    derivation_row_formula(b, "v_grad", 'i');
    derivation_matrix(b, "v_grad", 0);
}

/* The pair that comes first, and that of the slower turns after it. */
static void show_turned_back(builder *b, stage_id id, size_t row)
{
    enum { PAIRS = 2 };
    const char *name = map_name_of(id);
    size_t head = build_shown_head(b, id);
    build_begin_head(b, head);
    derivation_formula(b, name, "");
    const size_t first = plan_rope_first(b->plan, plan_role(b->plan, id));
    for (size_t pair = 0; pair < PAIRS && pair < b->plan->rope_width / 2; pair++) {
        derivation_line(b, name, row, first + rope_pair_of(b->plan, pair).first);
        derivation_line(b, name, row, first + rope_pair_of(b->plan, pair).second);
    }
    derivation_matrix_by_head(b, name, row + 1);
    b->head = 0;
}

void make_rope_back(builder *b)
{
    const plan *p = b->plan;
    build_sentence(b, "What turned a pair of numbers by an angle turns their gradients back by the "
                      "same angle.");
    show_turned_back(b, build_gradient_of(plan_stand_in(p, STAGE_Q_NORM)), b->focus.row);
    show_turned_back(b, build_gradient_of(plan_stand_in(p, STAGE_K_NORM)), build_key_row(b));
    build_other_heads(b);
}

static void show_normalized_back(builder *b, stage_id of, stage_id gain_grad, size_t row)
{
    const char *name = map_name_of(of), *back = build_gradient_name(of),
               *gain = build_summed_name(b, gain_grad),
               *made[] = {build_text(b, "%s_gained", name), build_text(b, "%s_root", name),
                          build_text(b, "%s_share", name)};
    size_t head = build_shown_head(b, of);
    build_begin_head(b, head);
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        if (map_named(b->room, made[i]) == NULL)
            continue;
        derivation_formula(b, made[i], "");
        derivation_line(b, made[i], row, 0);
    }
    derivation_formula(b, back, "");
    derivation_line(b, back, row, 0);
    derivation_matrix_by_head(b, back, row + 1);
    b->head = 0;
    if (map_named(b->room, gain) == NULL)
        return;
    const char *terms = build_text(b, "%s_gain_terms", name);
    derivation_formula(b, terms, "");
    show_summed(b, gain_grad);
}

void make_normalize_back(builder *b)
{
    build_sentence(b, "A row was divided by its root mean square: to grow along itself changes "
                      "nothing, and that share of its gradient is taken off.");
    show_normalized_back(b, STAGE_Q, STAGE_Q_GAIN_GRAD, b->focus.row);
    show_normalized_back(b, STAGE_K, STAGE_K_GAIN_GRAD, build_key_row(b));
    build_other_heads(b);
}

/* Rows, and what they are made of. */
static void show_rows(builder *b, stage_id id)
{
    static const stage_id ROLES[] = {STAGE_Q_LATENT, STAGE_KV_LATENT, STAGE_Q, STAGE_K, STAGE_V};
    const trace_map *of_entry = map_named(b->room, map_name_of(id));
    const char *name = of_entry != NULL ? of_entry->name : build_summed_name(b, id);
    size_t row = id == STAGE_X_GRAD ? b->focus.row : build_key_row(b);
    if (map_named(b->room, name) == NULL)
        return;
    for (size_t i = 0; i < sizeof ROLES / sizeof ROLES[0]; i++) {
        const char *part = build_text(b, "%s_by_%s", map_name_of(id), map_name_of(ROLES[i]));
        if (map_named(b->room, part) == NULL)
            continue;
        derivation_formula(b, part, "");
        derivation_line(b, part, row, 0);
    }
    derivation_formula(b, name, "");
    derivation_line(b, name, row, 0);
    derivation_matrix(b, name, row + 1);
    if (of_entry == NULL)
        say_summed(b, id);
}

/* Of maps that are there, their formulas and first numbers. */
static void show_lines_of(builder *b, const char *const *names, size_t count, size_t row)
{
    for (size_t i = 0; i < count; i++) {
        if (map_named(b->room, names[i]) == NULL)
            continue;
        derivation_formula(b, names[i], "");
        derivation_line(b, names[i], row, 0);
    }
}

/* Back to a latent, and to what made it. */
static void show_latent_back(builder *b, bool is_query, size_t row)
{
    const plan *p = b->plan;
    const latent *l = is_query ? &p->q_latent : &p->kv_latent;
    const projection *role = is_query ? &p->q : &p->k;
    const char *name = is_query ? "q_latent" : "kv_latent",
               *normed = build_text(b, "%s_norm_grad", name),
               *own = build_text(b, "%s_own_grad", name), *grad = build_text(b, "%s_grad", name),
               *keys = map_name_of(plan_stand_in(p, STAGE_K_SUM_GRAD)),
               *sum = build_text(b, "%s_shared", keys),
               *taken = l->gain.data != NULL ? normed
                        : role->shared > 0   ? own
                                             : grad;
    if (l->weight.data == NULL)
        return;
    build_sentence(b, is_query ? "The latent of queries gains by what Wq made of it, as rows do."
                               : "The latent of keys and values gains by all that was made of it.");
    const char *const by[] = {build_text(b, "%s_by_k", taken), build_text(b, "%s_by_v", taken)};
    show_lines_of(b, by, sizeof by / sizeof by[0], row);
    if (l->gain.data != NULL) {
        derivation_formula(b, normed, "");
        derivation_line(b, normed, row, 0);
        derivation_matrix(b, normed, row + 1);
        build_sentence(b, "It was divided by its root mean square: to grow along itself changes "
                          "nothing, and that share of its gradient is taken off.");
        const char *const made[] = {build_text(b, "%s_gained", name),
                                    build_text(b, "%s_root", name),
                                    build_text(b, "%s_share", name)};
        show_lines_of(b, made, sizeof made / sizeof made[0], row);
    }
    if (role->shared > 0) {
        show_lines_of(b, &own, 1, row);
        build_sentence(b, "What the keys of all heads share gains what each of them does.");
        show_lines_of(b, &sum, 1, row);
    }
    derivation_formula(b, grad, "");
    derivation_line(b, grad, row, 0);
    derivation_matrix(b, grad, row + 1);
    if (l->gain.data != NULL) {
        derivation_formula(b, build_text(b, "%s_gain_terms", name), "");
        show_summed(b, is_query ? STAGE_Q_LATENT_GAIN_GRAD : STAGE_KV_LATENT_GAIN_GRAD);
    }
    show_summed(b, is_query ? STAGE_WQ_DOWN_GRAD : STAGE_WKV_DOWN_GRAD);
    show_summed(b, is_query ? STAGE_BQ_DOWN_GRAD : STAGE_BKV_DOWN_GRAD);
}

/* Of what was clipped: the first number that was cut, or the first. */
static void show_unclipped(builder *b, stage_id id)
{
    const char *name = map_name_of(id);
    size_t row = id == STAGE_Q_SUM_GRAD ? b->focus.row : build_key_row(b),
           head = build_shown_head(b, id);
    if (!plan_has_stage(b->plan, id))
        return;
    derivation_formula(b, name, "");
    build_begin_head(b, head);
    derivation_line_of_head(b, name, row, build_first_clipped(b, stage_row(id)->of, row),
                            build_in_head(b, head));
    b->head = 0;
    derivation_matrix(b, name, row + 1);
}

void make_projections_back(builder *b)
{
    static const stage_id PARAMETERS[] = {STAGE_WQ_GRAD, STAGE_BQ_GRAD,     STAGE_WK_GRAD,
                                          STAGE_BK_GRAD, STAGE_BIAS_K_GRAD, STAGE_WV_GRAD,
                                          STAGE_BV_GRAD, STAGE_BIAS_V_GRAD};
    static const stage_id ROWS[] = {STAGE_X_GRAD, STAGE_XK_GRAD, STAGE_XV_GRAD};
    static const stage_id SUMS[] = {STAGE_Q_SUM_GRAD, STAGE_K_SUM_GRAD, STAGE_V_SUM_GRAD};
    if (b->plan->asked->clip > 0)
        build_sentence(b, "What clip cut stays at clip, however its sum moves, and gains nothing: "
                          "what is in parentheses counts 1 where it is so, and else 0.");
    for (size_t i = 0; i < sizeof SUMS / sizeof SUMS[0]; i++)
        show_unclipped(b, SUMS[i]);
    build_sentence(b, "A weight gains of every row that it was used on: the number that it took, "
                      "times the gradient of what came of it. Every token has a say, and against "
                      "the sum a step of learning goes.");
    for (size_t i = 0; i < sizeof PARAMETERS / sizeof PARAMETERS[0]; i++)
        show_summed(b, PARAMETERS[i]);
    show_latent_back(b, true, b->focus.row);
    show_latent_back(b, false, build_key_row(b));
    build_sentence(b, "And the rows gain by all that was made of them.");
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        show_rows(b, ROWS[i]);
}
