/* Queries, keys, values and the output: what is projected by what, and whether it fits; the keys
 * and values that the document does not make of its rows, those of a cache, before the new ones,
 * and rows that are appended to them; and where rows stand for sinusoidal and rotary positions. */
#include "attn/plan/kv_cache.h"
#include "attn/plan/plan_parts.h"
#include "attn/spec/angle.h"
#include "attn/spec/setting.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- projections ---- */

/* Rows n × m or b × n × m as b × n × m. */
static tensor view_rows(const plan *p, input which)
{
    const tensor *given = p->asked->in[which];
    return given->rank == 3 ? tensor_view_of(given) : plan_shared(given, p->batches);
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

/* q, k or v, or what goes before them, with its heads apart: b × heads × n × width. */
static bool view_apart(const plan *p, input which, size_t heads, tensor *out, err *e)
{
    const tensor *given = p->asked->in[which];
    if (given->rank == 4) {
        *out = tensor_view_of(given);
        return true;
    }
    if (given->rank < 2) {
        plan_wrong_shape(p, which, e, "it must be n x d, b x n x d or b x h x n x d");
        return tensor_suggest_row(given, e);
    }
    tensor rows = view_rows(p, which);
    if (!check_divides(p, which, rows.size[2], heads, e))
        return false;
    *out = plan_split_heads(&rows, heads);
    return true;
}

bool plan_weight(const plan *p, input weight_as, const char *rows_label, size_t rows_width,
                 tensor *out, err *e)
{
    static const char *const LAYOUTS[] = {"in-out", "out-in"};
    const tensor *given = p->asked->in[weight_as];
    bool is_out_in = p->asked->is_out_in[weight_as], is_of_head = weight_as >= INPUT_WS;
    if (given->rank != 2 && given->rank != 3)
        return plan_wrong_shape(p, weight_as, e, "it must be a matrix, or one a head");
    *out = is_out_in ? tensor_transposed(given) : tensor_view_of(given);
    size_t taken = out->size[out->rank - 2];
    if (taken == rows_width)
        return true;
    plan_wrong_shape(p, weight_as, e, "which%s%s takes rows of %zu number%s, and %s has %zu%s",
                     is_of_head ? "" : " as ", is_of_head ? "" : LAYOUTS[is_out_in], taken,
                     taken == 1 ? "" : "s", rows_label, rows_width, is_of_head ? " per head" : "");
    if (out->size[out->rank - 1] == rows_width)
        err_remedy(e, "transposed it would fit: --layout %s", LAYOUTS[!is_out_in]);
    return false;
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

/* A latent's inputs, and which projections take it. */
static const struct {
    input weight_as, bias_as, gain_as, role[2];
    const char *missing;
} LATENTS[] = {
    {INPUT_WQ_DOWN,
     INPUT_BQ_DOWN,
     INPUT_Q_LATENT_GAIN,
     {INPUT_WQ, INPUT_WQ},
     "there is no wq_down"},
    {INPUT_WKV_DOWN,
     INPUT_BKV_DOWN,
     INPUT_KV_LATENT_GAIN,
     {INPUT_WK, INPUT_WV},
     "there is no wkv_down"},
};

/* A latent is as wide as the weights that take it have rows. What its own weights give beyond that,
 * all heads of keys share. */
static bool find_latent(plan *p, size_t which, err *e)
{
    const problem *asked = p->asked;
    latent *l = which == 0 ? &p->q_latent : &p->kv_latent;
    input rows_as = which == 0 ? p->q.rows_as : p->k.rows_as;
    const input as = LATENTS[which].weight_as, first = LATENTS[which].role[0];
    const char *const parts[] = {input_key(LATENTS[which].bias_as),
                                 input_key(LATENTS[which].gain_as)};
    if (asked->in[as] == NULL) {
        return plan_refuse_parts(asked, parts, 2, LATENTS[which].missing,
                                 "it is of the latent that this makes", e);
    }
    for (size_t i = 0; i < 2; i++) {
        input taker = LATENTS[which].role[i], given = INPUT_Q + (taker - INPUT_WQ);
        if (asked->in[given] != NULL)
            return err_at(e, &asked->at[as], "%s is given, and so is %s, which takes its place",
                          input_label(as), input_label(given));
        if (asked->in[taker] == NULL)
            return err_at(e, &asked->at[as], "%s is given without %s, which takes its latent",
                          input_label(as), input_label(taker));
    }
    if (which > 0 && asked->in[INPUT_XV] != NULL)
        return err_at(e, &asked->at[INPUT_XV],
                      "xv is given, and keys and values are made of one latent");
    if (rows_as == INPUT_COUNT)
        return true; /* refused with the projection */
    if (asked->in[as]->rank != 2)
        return plan_wrong_shape(p, as, e, "it must be a matrix");
    const tensor *rows = asked->in[rows_as];
    if (!plan_weight(p, as, input_label(rows_as), rows->size[rows->rank - 1], &l->weight, e))
        return false;
    const tensor *taken = asked->in[first];
    size_t all = l->weight.size[1];
    l->width = taken->rank < 2 ? all : taken->size[taken->rank - (asked->is_out_in[first] ? 1 : 2)];
    if (l->width > all || (which == 0 && l->width != all))
        return plan_wrong_shape(p, first, e, "which takes rows of %zu, and %s gives %zu", l->width,
                                input_label(as), all);
    p->k.shared = which > 0 ? all - l->width : 0;
    return plan_vector(p, LATENTS[which].bias_as, 2, 0, all, &l->bias, e) &&
           plan_vector(p, LATENTS[which].gain_as, 2, 0, l->width, &l->gain, e);
}

static bool find_projection(const plan *p, projection *r, err *e)
{
    const problem *asked = p->asked;
    if (asked->in[r->given_as] != NULL) {
        const input instead[] = {r->weight_as, r->bias_as};
        for (size_t i = 0; i < 2; i++) {
            if (asked->in[instead[i]] != NULL)
                return err_at(e, &asked->at[instead[i]],
                              "%s is given, and so is %s, which takes its place",
                              input_label(instead[i]), input_label(r->given_as));
        }
        if (!view_apart(p, r->given_as, r->heads, &r->given, e))
            return false;
        r->n = r->given.size[2];
        r->width = r->given.size[3];
        return true;
    }
    if (r->rows_as == INPUT_COUNT) {
        /* What is missing has no place of its own: that of the first input that is there. */
        input which = INPUT_X;
        while (which + 1 < INPUT_COUNT && asked->in[which] == NULL)
            which++;
        return err_at(e, &asked->at[which], "there is no %s, and no x to make it of",
                      input_label(r->given_as));
    }
    bool has_weight = asked->in[r->weight_as] != NULL;
    const latent *l = plan_latent(p, r);
    bool is_second = l->weight.data != NULL;
    r->rows = view_rows(p, r->rows_as);
    size_t taken = is_second ? l->width : r->rows.size[2];
    if (has_weight &&
        !plan_weight(p, r->weight_as, is_second ? "the latent" : input_label(r->rows_as), taken,
                     &r->weight, e))
        return false;
    r->n = r->rows.size[1];
    r->width = has_weight ? r->weight.size[r->weight.rank - 1] : r->rows.size[2];
    if (r->weight.rank != 3) {
        if (!check_divides(p, has_weight ? r->weight_as : r->rows_as, r->width, r->heads, e))
            return false;
        r->width /= r->heads;
    }
    if (!plan_vector(p, r->bias_as, 2, 0, r->heads * r->width, &r->bias, e))
        return false;
    r->width += r->shared;
    return true;
}

static bool find_projections(plan *p, err *e)
{
    const problem *asked = p->asked;
    projection *const roles[] = {&p->q, &p->k, &p->v};
    /* Rows next to the q, k or v that take their place (options do so, and results that hold all
     * stages) are let be, however many they are. */
    for (input rows = INPUT_X; rows <= INPUT_XV; rows++) {
        const tensor *given = asked->in[rows];
        if (given == NULL || given->rank == 2 || given->rank == 3)
            continue;
        plan_wrong_shape(p, rows, e, "it must be n x m, or b x n x m with a batch");
        return tensor_suggest_row(given, e);
    }
    for (input i = 0; i < 3; i++) {
        *roles[i] = (projection){.given_as = INPUT_Q + i,
                                 .rows_as = rows_of(asked, INPUT_Q + i),
                                 .weight_as = INPUT_WQ + i,
                                 .bias_as = INPUT_BQ + i,
                                 .heads = i == 0 ? p->heads : p->kv_heads};
        if ((i < 2 && !find_latent(p, i, e)) || !find_projection(p, roles[i], e))
            return false;
        place at = problem_place(asked, "clip");
        if (asked->clip > 0 && roles[i]->weight.data == NULL && roles[i]->bias.data == NULL)
            return err_at(e, &at, "clip is of what products make, and %s is as it came",
                          input_key(INPUT_Q + i));
    }
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
        if (!plan_weight(p, INPUT_WO, "the context", taken, wo, e))
            return false;
        if (given->rank == 3 && asked->is_out_in[INPUT_WO])
            return plan_wrong_shape(p, INPUT_WO, e,
                                    "it must be a matrix, or in-out one for each of the %zu heads",
                                    p->heads);
        if (given->rank == 3) {
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
    return plan_vector(p, INPUT_BO, 2, 0, p->width_out, &p->bo, e);
}

/* ---- sinusoidal and rotary positions alike ---- */

static bool check_last(const plan *p, const char *what, const char *from, err *e)
{
    place at = problem_place(p->asked, p->asked->has_offset ? "offset" : from);
    double last = (double)visible_position(p, 0, p->n_q - 1);
    return last <= ANGLE_POSITION_MOST ||
           err_at(e, &at, "the last query's position is %.0f, %s knows positions to %.0f", last,
                  what, ANGLE_POSITION_MOST);
}

static bool find_positions(plan *p, err *e)
{
    place at = problem_place(p->asked, "positions");
    if (!p->asked->adds_positions)
        return true;
    if (p->q.rows.data == NULL)
        return err_at(e, &at, "positions are added to the x that queries are made of, and there %s",
                      p->asked->in[INPUT_X] == NULL ? "is none" : "is a q in its place");
    const tensor *lengths = p->asked->key_lengths;
    if (p->asked->causal != CAUSAL_LOWER_RIGHT || lengths == NULL)
        return check_last(p, "a sinusoid", "positions", e);
    /* It would put the queries elsewhere in each batch entry, and keys, which are made of the same
     * rows, not. */
    at = problem_place(p->asked, "key_lengths");
    err_at(e, &at, "key_lengths with lower-right place queries by batch entry, positions by row");
    for (size_t k = 1, first = 0; k < tensor_count(lengths); k++) {
        if (tensor_get(lengths, &k) != tensor_get(lengths, &first))
            return false;
    }
    /* Then one offset is every entry's. */
    return err_remedy(e, "upper-left with an offset places them for both");
}

/* ---- rotary positions ---- */

static const char *const ROPE_PARTS[] = {"rope_pairing", "rope_width", "rope_positions"};

tensor plan_of_batch(const entry *of, size_t batch)
{
    return of->tensor.rank == 2 ? tensor_at(&of->tensor, batch) : tensor_view_of(&of->tensor);
}

/* rope's own positions, or the key that says the same. */
static const char *name_of(const entry *of)
{
    return strcmp(of->name, "positions") == 0 ? "rope.positions" : of->name;
}

static bool check_lists(const plan *p, const entry *of, err *e)
{
    char shape[SHAPE_TEXT];
    if (of->tensor.rank != 1 && of->tensor.rank != 2)
        return err_at(e, &of->at, "%s is %s, it must be a list, or a list for each batch entry",
                      name_of(of), tensor_shape_text(&of->tensor, shape));
    size_t lists = of->tensor.size[0];
    return of->tensor.rank == 1 || lists == p->batches ||
           err_at(e, &of->at, "%s has %zu list%s, and the batch %zu entr%s", name_of(of), lists,
                  lists == 1 ? "" : "s", p->batches, p->batches == 1 ? "y" : "ies");
}

/* One place a query, where offset is a list; none before the one before it. */
static bool check_places(const plan *p, err *e)
{
    const entry *of = p->asked->places;
    if (of == NULL)
        return true;
    if (!check_lists(p, of, e))
        return false;
    size_t count = of->tensor.size[of->tensor.rank - 1];
    if (count != p->n_q)
        return err_at(e, &of->at, "offset has %zu number%s, and there %s %zu quer%s", count,
                      count == 1 ? "" : "s", p->n_q == 1 ? "is" : "are", p->n_q,
                      p->n_q == 1 ? "y" : "ies");
    size_t lists = tensor_count(&of->tensor) / count;
    for (size_t i = 0; i < lists * count; i++) {
        tensor all = plan_of_batch(of, i / count);
        size_t query = i % count, before = query == 0 ? 0 : query - 1;
        double number = tensor_get(&all, &query);
        if (!(fabs(number) <= SETTING_MOST_COUNT && number == floor(number)))
            return err_at(e, &of->at, "offset[%zu] is %g, it must be a whole number", query + 1,
                          number);
        if (number < tensor_get(&all, &before))
            return err_at(e, &of->at, "offset[%zu] is %g, before %g, the place of the query before",
                          query + 1, number, tensor_get(&all, &before));
    }
    return true;
}

/* One position a row for queries and keys alike, or those of the queries and then of the keys. */
static bool check_positions(const plan *p, err *e)
{
    const entry *of = p->asked->rope.positions;
    if (of == NULL)
        return check_last(p, "rope", "rope", e);
    if (!check_lists(p, of, e))
        return false;
    bool has_lists = of->tensor.rank == 2;
    size_t lists = has_lists ? of->tensor.size[0] : 1, count = of->tensor.size[of->tensor.rank - 1];
    bool is_shared = p->n_q == p->k.n && count == p->n_q;
    if (!is_shared && count != p->n_q + p->k.n) {
        err_at(e, &of->at, "%s has %zu number%s, and there are %zu quer%s and %zu new key%s",
               name_of(of), count, count == 1 ? "" : "s", p->n_q, p->n_q == 1 ? "y" : "ies", p->k.n,
               p->k.n == 1 ? "" : "s");
        return err_remedy(e, "the queries' positions come first, then the keys'; equal ones once");
    }
    for (size_t i = 0; i < lists * count; i++) {
        size_t batch = i / count, row = i % count;
        tensor all = plan_of_batch(of, batch);
        double number = tensor_get(&all, &row);
        char batch_name[32] = "";
        if (number >= 0 && number <= ANGLE_POSITION_MOST && number == floor(number))
            continue;
        if (has_lists)
            snprintf(batch_name, sizeof batch_name, "batch %zu, ", batch + 1);
        return err_at(e, &of->at, "%s[%s%zu] is %.10g, it must be a whole number from 0 to %.0f",
                      name_of(of), batch_name, row + 1, number, ANGLE_POSITION_MOST);
    }
    return true;
}

static bool find_rope(plan *p, err *e)
{
    const bundle *document = p->asked->document;
    const rope_settings *rope = &p->asked->rope;
    const entry *given = bundle_find(document, "rope");
    if (!rope->is_asked)
        return plan_refuse_parts(p->asked, ROPE_PARTS, sizeof ROPE_PARTS / sizeof ROPE_PARTS[0],
                                 "there is no rope",
                                 "--rope turns queries and keys by their positions", e);
    /* rope's own parts, and the keys that say the same. An option goes over what a document
     * says. */
    bool has_parts = given != NULL && given->kind == ENTRY_BUNDLE;
    for (size_t i = 0; has_parts && i < sizeof ROPE_PARTS / sizeof ROPE_PARTS[0]; i++) {
        const entry *own = bundle_find(document, ROPE_PARTS[i]);
        const char *part = strchr(ROPE_PARTS[i], '_') + 1;
        if (own != NULL && !own->at.is_option && bundle_find(given->bundle, part) != NULL)
            return err_at(e, &own->at, "%s is given next to the %s of rope itself", ROPE_PARTS[i],
                          part);
    }
    bool is_own = bundle_find(document, "rope_width") != NULL;
    place at = problem_place(p->asked, is_own ? "rope_width" : "rope");
    size_t least = p->q.width < p->k.width ? p->q.width : p->k.width;
    size_t pairs = rope->frequencies == NULL ? 0 : rope->frequencies->tensor.size[0];
    p->rope_width = rope->has_width   ? rope->width
                    : pairs > 0       ? 2 * pairs
                    : p->k.shared > 0 ? p->k.shared
                                      : p->k.width;
    if (p->rope_width > least)
        return err_at(e, &at, "rope turns %zu numbers of a head, and a %s has %zu", p->rope_width,
                      p->q.width < p->k.width ? "query" : "key", least);
    if (p->rope_width % 2 != 0) {
        err_at(e, &at, "rope turns pairs of numbers, and its width is %zu", p->rope_width);
        return err_remedy(e, "--rope-width says how many numbers of a head are turned");
    }
    if (pairs > 0 && 2 * pairs != p->rope_width)
        return err_at(e, &rope->frequencies->at,
                      "rope has %zu frequencies, and it turns %zu numbers of a head: one a pair",
                      pairs, p->rope_width);
    return check_positions(p, e);
}

double plan_query_position(const plan *p, size_t batch, size_t query)
{
    const entry *of = p->asked->rope.positions;
    if (of == NULL)
        return (double)visible_position(p, batch, query);
    tensor all = plan_of_batch(of, batch);
    return tensor_get(&all, &query);
}

double plan_key_position(const plan *p, size_t batch, size_t index)
{
    const entry *of = p->asked->rope.positions;
    if (of == NULL)
        return (double)(p->past + index);
    tensor all = plan_of_batch(of, batch);
    index += all.size[0] == p->k.n ? 0 : p->n_q;
    return tensor_get(&all, &index);
}

/* ---- a line of a stream, or a step of a generation: what can't be where rows keep coming, and how
 * they join those before them ---- */

/* What a document may say, and rows that keep coming can't have, with the reason. */
static const char NO_LAST_KEY[] = "its row would stand after the last key, and no key is the last";

static const char COMES_BACK[] = "what comes back to a row is known once the last one has come";

static const struct {
    const char *key, *why;
} NOT_STREAMED[] = {
    {"offset", "they are counted, from 0"},
    {"mask", "the number of its columns is not known"},
    {"bias", "the number of its columns is not known"},
    {"key_lengths", "there is no last key that it could count to"},
    {"key_tokens", "keys come with them, and have their tokens"},
    {"bias_k", NO_LAST_KEY},
    {"bias_v", NO_LAST_KEY},
    {"past_k", "a cache is kept of them"},
    {"past_v", "a cache is kept of them"},
    {"output_grad", COMES_BACK},
    {"logsumexp_grad", COMES_BACK},
    {"loss", COMES_BACK},
};

static bool find_stream(plan *p, err *e)
{
    const problem *asked = p->asked;
    const kv_cache *c = asked->cache;
    place at = asked->at[p->k.given.data != NULL ? p->k.given_as : p->k.rows_as];
    place of_zero = problem_place(asked, "add_zero"), of_causal = problem_place(asked, "causal");
    for (size_t i = 0; i < sizeof NOT_STREAMED / sizeof NOT_STREAMED[0]; i++) {
        const entry *given = bundle_find(asked->document, NOT_STREAMED[i].key);
        if (given != NULL)
            return err_at(e, &given->at, "%s is given, and where rows keep coming, %s",
                          NOT_STREAMED[i].key, NOT_STREAMED[i].why);
    }
    if (asked->adds_zero)
        return err_at(e, &of_zero, "add_zero is asked for, and where rows keep coming, %s",
                      NO_LAST_KEY);
    if (asked->causal == CAUSAL_LOWER_RIGHT)
        return err_at(e, &of_causal,
                      "causal is lower-right, and where rows keep coming, there is no last key to "
                      "count from");
    /* A row that saw later ones would have to wait for them. */
    if (asked->causal == CAUSAL_NONE && (!asked->has_window || asked->window_right != 0)) {
        err_at(e, &of_causal, "queries see keys of rows that are still to come");
        return err_remedy(e, "--causal lets a query see only keys at or before it");
    }
    if (p->n_q != p->k.n)
        return err_at(
            e, &at, "where rows keep coming, each is a query and a key, and there are %zu and %zu",
            p->n_q, p->k.n);
    /* Everything but the number of rows is what it was in the first line. */
    const struct {
        const char *what;
        size_t here, before;
    } sizes[] = {
        {"batches", p->batches, c->batches},
        {"key/value heads", p->kv_heads, c->heads},
        {"numbers of a key", p->k.width, c->k_width},
        {"numbers of a value", p->v.width, c->v_width},
    };
    for (size_t i = 0; c->rows > 0 && i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].here != sizes[i].before)
            return err_at(e, &at, "the %s are %zu here, and %zu in the lines before", sizes[i].what,
                          sizes[i].here, sizes[i].before);
    }
    /* Rows that say where they stand, and rows that are counted, would be two sequences in one. */
    const entry *here = asked->rope.positions;
    if (here != NULL && strcmp(here->name, "positions") == 0) {
        err_at(e, &here->at, "rope is of all lines, and its positions would be those of one");
        return err_remedy(e, "rope_positions in each line says where its rows stand");
    }
    if (c->rows > 0 && c->has_places != (here != NULL))
        return err_at(e, here != NULL ? &here->at : &at,
                      "rope's positions are %s here, and were %s in the lines before",
                      here != NULL ? "given" : "counted", c->has_places ? "given" : "counted");
    p->past = p->offset = c->rows;
    p->n_k += p->past;
    return true;
}

/* ---- the cache ---- */

static bool find_past(const plan *p, input which, const projection *of, tensor *out, err *e)
{
    if (!view_apart(p, which, p->kv_heads, out, e))
        return false;
    if (out->size[3] == of->width)
        return true;
    return plan_wrong_shape(p, which, e, "%zu wide per head, and the new %s are %zu wide",
                            out->size[3], of == &p->k ? "keys" : "values", of->width);
}

static bool find_cache(plan *p, err *e)
{
    const problem *asked = p->asked;
    bool has_k = asked->in[INPUT_PAST_K] != NULL, has_v = asked->in[INPUT_PAST_V] != NULL;
    input there = has_k ? INPUT_PAST_K : INPUT_PAST_V;
    if (asked->cache != NULL)
        return find_stream(p, e);
    if (has_k != has_v)
        return err_at(e, &asked->at[there], "%s is given, and no %s: a cache is both",
                      input_label(there), has_k ? "past_v" : "past_k");
    if (has_k) {
        if (!find_past(p, INPUT_PAST_K, &p->k, &p->past_k, e) ||
            !find_past(p, INPUT_PAST_V, &p->v, &p->past_v, e))
            return false;
        p->past = p->past_k.size[2];
        if (p->past_v.size[2] != p->past)
            return plan_wrong_shape(p, INPUT_PAST_V, e, "it has %zu rows, and past_k %zu",
                                    p->past_v.size[2], p->past);
        p->n_k += p->past;
    }
    p->offset = asked->has_offset ? asked->offset : p->past;
    return check_places(p, e);
}

/* ---- rows after the keys and values of the sequence, as PyTorch's nn.MultiheadAttention has them
 * (add_bias_kv, add_zero_attn; torch/nn/functional.py, multi_head_attention_forward): first the
 * learned row, then zeros ---- */

static bool find_row(const plan *p, input which, const projection *after, tensor *out, err *e)
{
    const tensor *given = p->asked->in[which];
    size_t count = after->heads * after->width;
    if (tensor_count(given) != count)
        return plan_wrong_shape(p, which, e, "it must hold %zu number%s, one a column of %s", count,
                                count == 1 ? "" : "s", input_key(after->given_as));
    *out = (tensor){
        .type = given->type, .rank = 1, .size = {count}, .stride = {1}, .data = given->data};
    return true;
}

static bool find_appended(plan *p, err *e)
{
    const problem *asked = p->asked;
    bool has_k = asked->in[INPUT_BIAS_K] != NULL, has_v = asked->in[INPUT_BIAS_V] != NULL;
    input there = has_k ? INPUT_BIAS_K : INPUT_BIAS_V;
    if (has_k != has_v)
        return err_at(e, &asked->at[there], "%s is given without %s: a key needs a value",
                      input_key(there), input_key(has_k ? INPUT_BIAS_V : INPUT_BIAS_K));
    if (has_k && (!find_row(p, INPUT_BIAS_K, &p->k, &p->bias_k, e) ||
                  !find_row(p, INPUT_BIAS_V, &p->v, &p->bias_v, e)))
        return false;
    p->appended = (p->bias_k.data != NULL ? 1u : 0u) + (asked->adds_zero ? 1u : 0u);
    p->n_k += p->appended;
    /* What nothing says of an appended row. Zeros are zeros at each position, and normalized. */
    const char *name = has_k ? "bias_k" : "add_zero";
    const struct {
        bool is_open;
        const char *name, *what;
    } others[] = {
        {p->past > 0, "past_k", "whether an appended row is kept for the next step"},
        {has_k && asked->rope.is_asked, "rope", "by which position an appended row is turned"},
        {has_k && asked->normalizes, "qk_norm", "whether an appended row is normalized"}};
    place at = has_k ? asked->at[INPUT_BIAS_K] : problem_place(asked, name);
    for (size_t i = 0; p->appended > 0 && i < sizeof others / sizeof others[0]; i++) {
        if (others[i].is_open)
            return err_at(e, &at, "%s with %s: nothing says %s", name, others[i].name,
                          others[i].what);
    }
    return true;
}

/* heads × width; of a norm of all heads at once 1 × all their columns. */
static bool find_gain(const plan *p, input which, const projection *r, tensor *gain, err *e)
{
    if (!p->asked->norms_together)
        return plan_vector(p, which, 2, r->heads, r->width, gain, e);
    if (r->given.data != NULL && p->asked->in[r->given_as]->rank == 4)
        return plan_wrong_shape(p, r->given_as, e,
                                "its heads apart, and qk_norm rms-all is of rows that have them "
                                "side by side, n x d");
    if (!plan_vector(p, which, 2, 0, r->heads * r->width, gain, e))
        return false;
    if (gain->data != NULL)
        *gain = plan_shared(gain, 1);
    return true;
}

/* ---- all of them ---- */

bool plan_find_inputs(plan *p, err *e)
{
    static const char *const NORM_PARTS[] = {"q_gain", "k_gain", "qk_eps"};
    if (!find_projections(p, e) ||
        (!p->asked->normalizes &&
         !plan_refuse_parts(p->asked, NORM_PARTS, sizeof NORM_PARTS / sizeof NORM_PARTS[0],
                            "queries and keys are not normalized", "--qk-norm rms normalizes them",
                            e)))
        return false;
    return find_gain(p, INPUT_Q_GAIN, &p->q, &p->q_gain, e) &&
           find_gain(p, INPUT_K_GAIN, &p->k, &p->k_gain, e) && find_cache(p, e) &&
           find_positions(p, e) && find_rope(p, e) && find_appended(p, e);
}
