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
    [STEP_PROJECTIONS] = {{"projections", "queries, keys and values out of the inputs"}, "q k v"},
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
    [FLOOR_EMBEDDED] = {{"embedded", "the rows that go into the first layer"}, "positions"},
    [FLOOR_LAYER] = {{"layer", "what a layer does, one part after the other"}, ""},
    [FLOOR_NORM] = {{"norm", "each row divided by its own spread"}, ""},
    [FLOOR_RESIDUAL] = {{"residual", "what a part was given added to what it made"}, ""},
    [FLOOR_FEED_FORWARD] = {{"ffn", "each row on its own through hidden numbers"},
                            "ffn.hidden ffn.gate ffn.activated ffn.output"},
    [FLOOR_ROLLOUT] = {{"rollout", "who looked at whom, through all layers"}, ""},
    [FLOOR_OUTPUT] = {{"output", "the rows that come out"}, ""},
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
};

void trace_wants(const plan *p, trace_focus focus, kept_stages *w)
{
    w->weighted_is_one_row = !kept_stages_has(w, STAGE_WEIGHTED);
    w->few = focus.is_by_default ? TRACE_FEW : 0;
    for (stage_id id = STAGE_X; id < STAGE_COUNT; id++) {
        if (plan_has_stage(p, id) && !stage_is_backward(id))
            kept_stages_add(w, id);
    }
    w->batch = focus.batch;
    w->head = focus.head;
    w->row = focus.row;
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

bool room_make(trace *t, trace_room *room, const plan *p, const bundle *result, trace_focus focus,
               bool is_full, const step_wish *wish, err *e)
{
    builder b = {.trace = t,
                 .room = room,
                 .plan = p,
                 .result = result,
                 .focus = focus,
                 .is_full = is_full,
                 .e = e};
    b.shows_all_rows = focus.is_by_default && p->n_q <= TRACE_FEW && p->n_k <= TRACE_FEW;
    room->focus = focus;
    room->heads = p->heads;
    const bool does_nothing[STEP_COUNT] = {
        [STEP_POSITIONS] = !p->asked->adds_positions,
        [STEP_PROJECTIONS] =
            p->q.rows.data == NULL && p->k.rows.data == NULL && p->v.rows.data == NULL,
        [STEP_NORMALIZE] = !p->asked->normalizes,
        [STEP_ROPE] = p->rope_width == 0,
        [STEP_CACHE] = p->past == 0,
        [STEP_SCALE] = p->scale == 1,
        [STEP_CAP] = !plan_has_stage(p, STAGE_CAPPED),
        [STEP_MASK] = !plan_masks(p),
        [STEP_ROUND] = !plan_has_stage(p, STAGE_ROUNDED),
        [STEP_CONCAT] = !p->has_heads,
        [STEP_JOIN] = p->wo.data == NULL && p->bo.data == NULL,
    };
    build_name_keys(&b);
    map_make(&b);
    for (step_id id = STEP_INPUTS; id < STEP_COUNT && !b.failed; id++) {
        step_wish of = wish == NULL ? STEP_IF_IT_WORKS : wish[id];
        bool works = !does_nothing[id];
        /* What nobody needs to follow the computation is shown when it is asked for. */
        bool is_needed = works && (id != STEP_STATISTICS || plan_has_stage(p, STAGE_TOP));
        if (of == STEP_UNWANTED || (of == STEP_IF_IT_WORKS && !is_needed))
            continue;
        build_step(&b, id, step_of(id)->named.name);
        if (!works) { /* it was named */
            build_sentence(&b, "There is nothing to do in this run: %s changes no number here.",
                           b.step->name);
            continue;
        }
        say_focus(&b, id);
        /* Worked out head by head, as the scores and all up to what each head finds. */
        if (id >= STEP_SCORES && id <= STEP_SUM)
            build_begin_head(&b, b.focus.head);
        MAKERS[id](&b);
        b.head = 0;
    }
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
