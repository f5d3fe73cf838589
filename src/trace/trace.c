#include "trace/build.h"

#include "base/mem.h"

#include <ctype.h>
#include <string.h>

/* ---- the steps and their names ---- */

static const step_row ROWS[FLOOR_CHOICE + 1] = {
    [STEP_INPUTS] = {{"inputs", "the rows that go in, their tokens and roles"}, "x xk xv"},
    [STEP_PARAMETERS] = {{"parameters", "the weights, and how heads cut them"}, ""},
    [STEP_DIMENSIONS] = {{"dimensions", "every letter with its size in this run"}, ""},
    [STEP_POSITIONS] = {{"positions", "sines and cosines of positions added to x"}, "x_pos"},
    [STEP_PROJECTIONS] = {{"projections", "queries, keys and values out of the inputs"},
                          "q k v q_sum k_sum v_sum q_latent q_latent_norm kv_latent "
                          "kv_latent_norm"},
    [STEP_NORMALIZE] = {{"normalize", "queries and keys brought to one length"}, "q_norm k_norm"},
    [STEP_ROPE] = {{"rope", "queries and keys turned by their positions"}, "q_rope k_rope"},
    [STEP_CACHE] = {{"cache", "earlier keys and values put before the new ones"},
                    "present_k present_v"},
    [STEP_SCORES] = {{"scores", "each query compared with each key"}, "q_score k_score scores"},
    [STEP_SCALE] = {{"scale", "scores brought to a size the softmax likes"}, "scaled"},
    [STEP_CAP] = {{"cap", "large scores softly held below a bound"}, "capped"},
    [STEP_MASK] = {{"mask", "biases added, keys that may not be seen taken out"}, "masked"},
    [STEP_SOFTMAX] = {{"softmax", "scores turned into weights that sum to 1"},
                      "row_max exp row_sum weights"},
    [STEP_STATISTICS] = {{"statistics",
                          "what the weights come to: shown when named, or with --top"},
                         "logsumexp entropy top"},
    [STEP_ROUND] = {{"round", "weights rounded by hand"}, "rounded"},
    [STEP_WEIGHTED] = {{"weighted", "each value times its weight"}, "weighted"},
    [STEP_SUM] = {{"sum", "the weighted values added up"}, "attended"},
    [STEP_CONCAT] = {{"concat", "the heads' results side by side"}, "context"},
    [STEP_JOIN] = {{"join", "the heads joined by Wo and bo"}, "output"},
    [STEP_LOSS] = {{"loss", "backward: what the output is to gain, where it begins"},
                   "loss output_grad"},
    [STEP_JOIN_BACK] = {{"join_back", "backward through Wo and bo to each head's result"},
                        "bo_grad wo_grad context_grad attended_grad"},
    [STEP_SUM_BACK] = {{"sum_back", "backward to each weight and each value"},
                       "weights_grad present_v_grad v_grad"},
    [STEP_SOFTMAX_BACK] = {{"softmax_back", "backward: what one weight gains, the others lose"},
                           "delta masked_grad sinks_grad"},
    [STEP_MASK_BACK] = {{"mask_back", "backward to biases and slopes"},
                        "bias_grad key_bias_grad relative_bias_grad slopes_grad"},
    [STEP_CAP_BACK] = {{"cap_back", "backward through the cap"}, "capped_grad"},
    [STEP_SCALE_BACK] = {{"scale_back", "backward through the scale"}, "scaled_grad"},
    [STEP_SCORES_BACK] = {{"scores_back", "backward to queries and keys as they are compared"},
                          "scores_grad q_score_grad k_score_grad ws_grad bs_grad wa_grad ua_grad "
                          "va_grad ba_grad q_rope_grad k_rope_grad present_k_grad q_grad k_grad"},
    [STEP_CACHE_BACK] = {{"cache_back", "backward to earlier and to new keys and values"},
                         "past_k_grad past_v_grad"},
    [STEP_ROPE_BACK] = {{"rope_back", "backward: queries and keys turned back"},
                        "q_norm_grad k_norm_grad"},
    [STEP_NORMALIZE_BACK] = {{"normalize_back", "backward through the norms of queries and keys"},
                             "q_gain_grad k_gain_grad"},
    [STEP_PROJECTIONS_BACK] = {{"projections_back", "backward to weights, biases and inputs"},
                               "bias_k_grad bias_v_grad q_sum_grad k_sum_grad v_sum_grad wq_grad "
                               "wk_grad wv_grad q_latent_norm_grad q_latent_gain_grad "
                               "q_latent_grad wq_down_grad bq_down_grad kv_latent_norm_grad "
                               "kv_latent_gain_grad kv_latent_grad wkv_down_grad bkv_down_grad "
                               "bq_grad bk_grad bv_grad x_grad xk_grad xv_grad"},
    [FLOOR_EMBEDDED] = {{"embedded", "the rows that go into the first layer"}, "positions"},
    [FLOOR_EMBED] = {{"embed", "these rows brought to the width of the layers"}, "embed.output"},
    [FLOOR_LAYER] = {{"layer", "what a layer does, one part after the other"}, ""},
    [FLOOR_NORM] = {{"norm", "each row divided by its own spread"}, ""},
    [FLOOR_RESIDUAL] = {{"residual", "what a part was given added to what it made"}, ""},
    [FLOOR_FEED_FORWARD] = {{"ffn", "each row on its own through hidden numbers"},
                            "ffn.hidden ffn.gate ffn.activated ffn.router ffn.scores ffn.choice "
                            "ffn.routing ffn.experts ffn.shared ffn.output"},
    [FLOOR_ROLLOUT] = {{"rollout", "who looked at whom, through all layers"}, ""},
    [FLOOR_OUTPUT] = {{"output", "the rows that come out"}, ""},
    [FLOOR_HEAD] = {{"head", "what is done to the output before the unembedding"},
                    "head.hidden head.activated"},
    [FLOOR_LOSS] = {{"loss", "backward: what the output is to gain, where it begins"},
                    "logits.product logits.times logits logits_grad logits.times_grad "
                    "logits.product_grad output_grad unembedding_grad unembedding_bias_grad"},
    [FLOOR_HEAD_BACK] = {{"head_back", "backward through the head to its weights"},
                         "head.activated_grad head.hidden_grad head.w_grad head.b_grad"},
    [FLOOR_LAYER_BACK] = {{"layer_back", "backward: what comes back to a layer, and what it hands "
                                         "on"},
                          ""},
    [FLOOR_NORM_BACK] = {{"norm_back", "backward through the spread of each row"}, ""},
    [FLOOR_RESIDUAL_BACK] = {{"residual_back", "backward to a part, and around it"}, ""},
    [FLOOR_FEED_FORWARD_BACK] = {{"ffn_back", "backward through hidden numbers to their weights"},
                                 "ffn.output_grad ffn.activated_grad ffn.gate_grad "
                                 "ffn.hidden_grad w1_grad b1_grad w2_grad b2_grad w3_grad"},
    [FLOOR_EMBED_BACK] = {{"embed_back", "backward through the product before the layers"},
                          "embed.output_grad embed.w_grad embed.b_grad"},
    [FLOOR_EMBEDDED_BACK] = {{"embedded_back", "backward to the rows that went in"},
                             "x_grad position_embedding_grad memory_grad"},
    [FLOOR_LOGITS] = {{"logits", "of generate: how well each id would come next"}, ""},
    [FLOOR_PROBABILITIES] = {{"probabilities", "of generate: the logits at a temperature"}, ""},
    [FLOOR_CHOICE] = {{"choice", "of generate: the id that comes next"}, ""},
};

static const synonym SYNONYMS[] = {{"unify", "join"}, {NULL, NULL}};

const named_table STEPS = {.what = "step",
                           .first = &ROWS[0].named,
                           .count = STEP_COUNT,
                           .row = sizeof ROWS[0],
                           .synonyms = SYNONYMS};
const named_table FLOORS = {.what = "floor",
                            .first = &ROWS[STEP_COUNT].named,
                            .count = FLOOR_CHOICE + 1 - STEP_COUNT,
                            .row = sizeof ROWS[0]};

const step_row *step_of(step_id id)
{
    return &ROWS[id];
}

const step_row *step_find(const char *name, size_t length)
{
    const named *found = named_find(&STEPS, name, length);
    for (size_t i = 0; i < STEP_COUNT; i++) {
        const char *stages = ROWS[i].stages;
        while (found == NULL && *stages != '\0') {
            size_t word = strcspn(stages, " ");
            if (word == length && memcmp(stages, name, length) == 0)
                found = &ROWS[i].named;
            stages += word + strspn(stages + word, " ");
        }
    }
    return (const step_row *)(const void *)found;
}

/* ---- making ---- */

static step_maker *const MAKERS[STEP_COUNT] = {
    [STEP_INPUTS] = make_inputs,
    [STEP_PARAMETERS] = make_parameters,
    [STEP_DIMENSIONS] = make_dimensions,
    [STEP_POSITIONS] = make_positions,
    [STEP_PROJECTIONS] = make_projections,
    [STEP_NORMALIZE] = make_normalize,
    [STEP_ROPE] = make_rope,
    [STEP_CACHE] = make_cache,
    [STEP_SCORES] = make_scores,
    [STEP_SCALE] = make_scale,
    [STEP_CAP] = make_cap,
    [STEP_MASK] = make_mask,
    [STEP_SOFTMAX] = make_softmax,
    [STEP_STATISTICS] = make_statistics,
    [STEP_ROUND] = make_round,
    [STEP_WEIGHTED] = make_weighted,
    [STEP_SUM] = make_sum,
    [STEP_CONCAT] = make_concat,
    [STEP_JOIN] = make_join,
    [STEP_LOSS] = make_loss,
    [STEP_JOIN_BACK] = make_join_back,
    [STEP_SUM_BACK] = make_sum_back,
    [STEP_SOFTMAX_BACK] = make_softmax_back,
    [STEP_MASK_BACK] = make_mask_back,
    [STEP_CAP_BACK] = make_cap_back,
    [STEP_SCALE_BACK] = make_scale_back,
    [STEP_SCORES_BACK] = make_scores_back,
    [STEP_CACHE_BACK] = make_cache_back,
    [STEP_ROPE_BACK] = make_rope_back,
    [STEP_NORMALIZE_BACK] = make_normalize_back,
    [STEP_PROJECTIONS_BACK] = make_projections_back,
};

void trace_wants(const plan *p, trace_focus focus, kept_stages *w)
{
    w->weighted_is_one_row = !kept_stages_has(w, STAGE_WEIGHTED);
    w->few = focus.is_by_default ? TRACE_FEW : 0;
    for (stage_id id = STAGE_X; id < STAGE_COUNT; id++) {
        if (plan_has_stage(p, id))
            kept_stages_add(w, id);
    }
    w->batch = focus.batch;
    w->head = focus.head;
    w->row = focus.row;
}

static bool step_works(const builder *b, step_id id)
{
    const plan *p = b->plan;
    switch (id) {
    case STEP_POSITIONS:
        return p->asked->adds_positions;
    case STEP_PROJECTIONS:
        return p->q.rows.data != NULL || p->k.rows.data != NULL || p->v.rows.data != NULL;
    case STEP_NORMALIZE:
        return p->asked->normalizes;
    case STEP_ROPE:
        return p->rope_width > 0;
    case STEP_CACHE:
        return p->past > 0;
    case STEP_SCALE:
        return p->scale != 1;
    case STEP_CAP:
        return plan_has_stage(p, STAGE_CAPPED);
    case STEP_MASK:
        return plan_masks(p);
    case STEP_ROUND:
        return plan_has_stage(p, STAGE_ROUNDED);
    case STEP_CONCAT:
        return p->has_heads;
    case STEP_JOIN:
        return p->wo.data != NULL || p->bo.data != NULL;
    default:
        return true;
    }
}

/* What a step goes back through has something to do too. */
static bool goes_back_through(const builder *b, step_id id)
{
    static const struct {
        step_id back, through;
    } WAYS[] = {{STEP_MASK_BACK, STEP_MASK},
                {STEP_CAP_BACK, STEP_CAP},
                {STEP_SCALE_BACK, STEP_SCALE},
                {STEP_CACHE_BACK, STEP_CACHE},
                {STEP_ROPE_BACK, STEP_ROPE},
                {STEP_NORMALIZE_BACK, STEP_NORMALIZE},
                {STEP_PROJECTIONS_BACK, STEP_PROJECTIONS}};
    bool works = id != STEP_JOIN_BACK || build_result_grad(b) == STAGE_ATTENDED_GRAD;
    for (size_t i = 0; i < sizeof WAYS / sizeof WAYS[0]; i++)
        works = works && (WAYS[i].back != id || step_works(b, WAYS[i].through));
    return works && b->plan->asked->goes_back;
}

/* Once, before the first step that shows the focus and not all. */
static void say_focus(builder *b, step_id id)
{
    const plan *p = b->plan;
    /* What there are several of, of which one is spelled out: words for the first, and its key of
     * --focus. */
    const struct {
        bool has_others;
        const char *first, *key;
    } of[] = {
        {p->n_q > 1, build_text(b, "query %zu", b->focus.row + 1), "row=I"},
        {p->heads > 1, "head 1", "head=H"},
        {p->batches > 1, build_text(b, "sequence 1 of %zu", p->batches), "batch=B"},
    };
    const char *what = "", *keys = "";
    /* One matrix a head is shown of a head alone. */
    bool is_of_all = id < STEP_POSITIONS &&
                     (id != STEP_PARAMETERS ||
                      !(p->q.weight.rank == 3 || p->k.weight.rank == 3 || p->v.weight.rank == 3));
    if (!b->focus.is_by_default || is_of_all)
        return;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        if (!of[i].has_others)
            continue;
        what = build_text(b, "%s%s%s", what, *what == '\0' ? "" : " of ", of[i].first);
        keys = build_text(b, "%s%s%s", keys, *keys == '\0' ? "" : ",", of[i].key);
    }
    if (*what == '\0')
        return;
    b->focus.is_by_default = false;
    build_sentence(b, "%c%s is spelled out; --focus %s takes another.",
                   toupper((unsigned char)*what), what + 1, keys);
}

static builder begin_room(trace *t, trace_room *room, const plan *p, const bundle *result,
                          trace_focus focus, bool is_full, err *e)
{
    builder b = {.trace = t,
                 .room = room,
                 .plan = p,
                 .with = p->with,
                 .result = result,
                 .focus = focus,
                 .is_full = is_full,
                 .e = e};
    b.shows_all_rows = focus.is_by_default && p->n_q <= TRACE_FEW && p->n_k <= TRACE_FEW;
    room->focus = focus;
    room->heads = p->heads;
    build_name_keys(&b);
    return b;
}

static void make_steps(builder *b, step_id first, const step_wish *wish)
{
    for (step_id id = first; id < STEP_COUNT && !b->failed; id++) {
        step_wish of = wish == NULL ? STEP_IF_IT_WORKS : wish[id];
        bool works = id < STEP_LOSS ? step_works(b, id) : goes_back_through(b, id);
        /* What nobody needs to follow the computation is shown when it is asked for. */
        bool is_needed = works && (id != STEP_STATISTICS || plan_has_stage(b->plan, STAGE_TOP));
        if (of == STEP_UNWANTED || (of == STEP_IF_IT_WORKS && !is_needed))
            continue;
        build_step(b, id, step_of(id)->named.name);
        if (!works) { /* it was named */
            build_sentence(b, "There is nothing to do in this run: %s changes no number here.",
                           b->step->name);
            continue;
        }
        say_focus(b, id);
        /* Worked out head by head, as the scores and all up to what each head finds. */
        if ((id >= STEP_SCORES && id <= STEP_SUM) || (id >= STEP_SUM_BACK && id <= STEP_SCALE_BACK))
            build_begin_head(b, b->focus.head);
        MAKERS[id](b);
        b->head = 0;
    }
}

bool room_make(trace *t, trace_room *room, const plan *p, const bundle *result, trace_focus focus,
               bool is_full, const step_wish *wish, err *e)
{
    builder b = begin_room(t, room, p, result, focus, is_full, e);
    map_make(&b);
    make_steps(&b, STEP_INPUTS, wish);
    return !b.failed;
}

bool room_make_back(trace *t, trace_room *room, const plan *p, const bundle *result,
                    trace_focus focus, bool is_full, const step_wish *wish, const coming *comes,
                    err *e)
{
    builder b = begin_room(t, room, p, result, focus, is_full, e);
    b.comes = *comes;
    room->run.appended = p->appended;
    room->run.shared = p->k.shared;
    map_make_back(&b);
    make_steps(&b, STEP_LOSS, wish);
    return !b.failed;
}

/* ---- the house ---- */

trace trace_begin(const bundle *document, trace_focus focus)
{
    return (trace){.name = bundle_text(document, "name"),
                   .title = bundle_text(document, "title"),
                   .notes = bundle_text(document, "notes"),
                   .exercise = bundle_list(document, "exercise"),
                   .focus = focus};
}

trace_room *trace_add_room(trace *t, err *e)
{
    trace_room **rooms = mem_grow(t->room, t->rooms, &t->rooms_capacity, sizeof rooms[0], e);
    if (rooms == NULL)
        return NULL;
    t->room = rooms;
    trace_room *added = mem_alloc(1, sizeof *added, e);
    if (added == NULL)
        return NULL;
    const trace_room *before = t->rooms == 0 ? NULL : t->room[t->rooms - 1];
    *added = (trace_room){.number = t->rooms,
                          .place = {.floor = "", .name = "", .way = "", .way_in_step = ""},
                          .first_map = before == NULL ? 0 : before->first_map + before->maps};
    t->room[t->rooms++] = added;
    return added;
}

bool trace_make(trace *t, const plan *p, const bundle *result, trace_focus focus, bool is_full,
                const step_wish *wish, err *e)
{
    const bundle *document = p->asked->document;
    *t = trace_begin(document, focus);
    t->document = document;
    t->type = p->type;
    t->batch = p->has_batch ? focus.batch + 1 : 0;
    t->batches = p->has_batch ? p->batches : 0;
    trace_room *only = trace_add_room(t, e);
    return only != NULL && room_make(t, only, p, result, focus, is_full, wish, e);
}

bool room_has_step(const trace_room *room, step_id step)
{
    size_t i = 0;
    while (i < room->steps && room->step[i]->id != step)
        i++;
    return i < room->steps;
}

bool trace_has_floors(const trace *t)
{
    return t->rooms > 1;
}

static void room_free(trace_room *room)
{
    for (size_t i = 0; i < room->steps; i++) {
        for (size_t j = 0; j < room->step[i]->count; j++)
            text_list_free(&room->step[i]->item[j].cells);
        mem_free(room->step[i]->item);
        mem_free(room->step[i]->waiting);
        mem_free(room->step[i]);
    }
    mem_free(room->step);
    for (size_t i = 0; i < room->maps; i++) {
        text_list_free(&room->map[i]->row_names);
        mem_free(room->map[i]);
    }
    mem_free(room->map);
    text_list_free(&room->words);
    text_list_free(&room->keys);
    text_list_free(&room->values);
    bundle_free(&room->statistics);
    mem_free(room);
}

void trace_free(trace *t)
{
    for (size_t i = 0; i < t->rooms; i++)
        room_free(t->room[i]);
    mem_free(t->room);
    mem_free(t->step);
    *t = (trace){0};
}
