#include "model/stack.h"

#include "attn/spec/keys.h"
#include "attn/spec/setting.h"
#include "base/mem.h"
#include "model/embed.h"
#include "model/keys.h"

#include <string.h>

/* ---- settings ---- */

/* A layer's own, else the one at the top; NULL: the default. */
static const entry *setting_of(const stack *s, const bundle *own, const char *name)
{
    const entry *found = own == NULL ? NULL : bundle_find(own, name);
    return found != NULL ? found : bundle_find(s->document, name);
}

bool stack_find_kind(const bundle *document, const char *as, bool *is_decoder, err *e)
{
    static const named ROWS[] = {{"encoder", "rows see one another"},
                                 {"decoder", "rows see those before them"}};
    static const named_table KINDS = NAMED_TABLE("kind", ROWS);
    const entry *said = bundle_find(document, "kind");
    const named *word = said == NULL ? NULL : setting_word(said, &KINDS, "", e);
    if (said != NULL && word == NULL)
        return false;
    if (word != NULL && as != NULL && strcmp(word->name, as) != 0)
        return err_at(e, &said->at, "kind is \"%s\", and this command runs %ss", word->name, as);
    if (word != NULL)
        as = word->name;
    *is_decoder =
        as == NULL ? bundle_find(document, "memory") != NULL : strcmp(as, ROWS[1].name) == 0;
    return true;
}

/* The row of its word, the first one where nothing is said. */
static const named *word_of(const entry *setting, const named_table *words, err *e)
{
    return setting == NULL ? named_row(words, 0) : setting_word(setting, words, "", e);
}

static bool read_is_rms(const stack *s, const bundle *own, bool *is_rms, err *e)
{
    const named *kind = word_of(setting_of(s, own, "norm_kind"), &NORM_KINDS, e);
    *is_rms = kind != NULL && strcmp(kind->name, "rms") == 0;
    return kind != NULL;
}

static const norm_order *read_order(const stack *s, const bundle *own, err *e)
{
    return (const norm_order *)(const void *)word_of(setting_of(s, own, "norm"), &NORM_ORDERS, e);
}

/* ---- a layer ---- */

static const bundle *cross_of(const bundle *own)
{
    const entry *cross = bundle_find(own, "cross");
    return cross == NULL ? NULL : cross->bundle;
}

static bool read_norms(const stack *s, layer *l, const bundle *own, err *e)
{
    bool is_used[NORMS_MOST + 1] = {false}, is_rms;
    const entry *eps = setting_of(s, own, "norm_eps");
    for (size_t i = 0; i < l->parts; i++)
        is_used[l->part[i].as->ln_before] = is_used[l->part[i].as->ln_after] = true;
    if (!read_is_rms(s, own, &is_rms, e))
        return false;
    for (size_t i = 0; i < NORMS_MOST; i++) {
        const char *name = part_norm_name(i + 1);
        const entry *given = bundle_find(own, name);
        if (given != NULL && !is_used[i + 1])
            return err_at(e, &given->at, "%s is given, and such a layer has no norm of that number",
                          name);
        if (!norm_read(&l->norm[i], given, eps, is_rms, s->width, e))
            return false;
    }
    return true;
}

/* Also where there is no feed-forward part: a wrong word is one all the same. */
static bool check_activation(const bundle *in, err *e)
{
    return word_of(bundle_find(in, "activation"), &ACTIVATIONS, e) != NULL;
}

static bool read_feed_forward(const stack *s, feed_forward *f, const bundle *own, err *e)
{
    const named *by = word_of(setting_of(s, own, "activation"), &ACTIVATIONS, e);
    bool is_out_in = setting_is_out_in(setting_of(s, own, "layout"));
    return by != NULL && feed_forward_read(f, own, (const activation *)(const void *)by, is_out_in,
                                           s->width, s->how.packed_weights, e);
}

static bool read_attention(const stack *s, layer_part *p, const bundle *own, err *e)
{
    bool is_cross = p->as->kind == PART_CROSS;
    p->attention = mem_alloc_zeroed(1, sizeof *p->attention, e);
    if (s->how.goes_on && is_cross)
        p->seen = mem_alloc_zeroed(1, sizeof *p->seen, e);
    else if (s->how.goes_on)
        p->cache = mem_alloc_zeroed(1, sizeof *p->cache, e);
    if (e->is_set)
        return false;
    attention_source from = {.own = is_cross ? cross_of(own) : own,
                             .top = s->document,
                             .layer = is_cross ? own : NULL,
                             .x = &s->input,
                             .memory = is_cross ? bundle_find(s->document, "memory") : NULL,
                             .sees_no_later = s->how.is_decoder && !is_cross,
                             .cache = p->cache,
                             .seen = p->seen,
                             .packed_weights = s->how.packed_weights,
                             .allow_nonfinite = s->how.allow_nonfinite};
    return attention_read(p->attention, &from, s->isa, e);
}

/* A layer that says nothing has the stack's order. */
static bool check_parts(const stack *s, const norm_order *order, const entry *given, err *e)
{
    const entry *cross = bundle_find(given->bundle, "cross"),
                *own = bundle_find(given->bundle, "norm");
    const char *name = order->named.name, *other = s->order->named.name;
    if (cross != NULL && bundle_find(s->document, "memory") == NULL)
        return err_at(e, &cross->at, "cross-attention has nothing to look at: there is no memory");
    if (order->ends_with_feed_forward && feed_forward_is_in(given->bundle))
        return err_at(e, &given->at,
                      "a layer has w1 or its kin, and with norm seed there is one feed-forward "
                      "part, after the last layer");
    if (order->ends_with_feed_forward == s->order->ends_with_feed_forward)
        return true;
    if (bundle_find(s->document, "norm") != NULL)
        return err_at(e, &own->at,
                      "norm is %s here and %s at the top, and a stack of one has no place for the "
                      "other",
                      name, other);
    err_at(e, &own->at,
           "norm is %s here, and the stack's is %s, the default: a stack of one has no place for "
           "the other",
           name, other);
    return err_remedy(e, "\"norm\": \"%s\" at the top is for all layers", name);
}

static bool read_layer(const stack *s, layer *l, const entry *given, err *e)
{
    const bundle *own = given->bundle;
    const norm_order *order = read_order(s, own, e);
    if (order == NULL || !check_parts(s, order, given, e))
        return err_within(e, "layer %s", given->name);
    l->order = order;
    /* The parts in their order; a feed-forward one only where the layer has its weights. */
    bool is_crossed = cross_of(own) != NULL;
    const part_row *row = is_crossed ? order->crossed : order->plain;
    size_t count = is_crossed ? order->crossed_count : order->plain_count;
    for (size_t i = 0; i < count; i++) {
        if (row[i].kind != PART_FEED_FORWARD || feed_forward_is_in(own))
            l->part[l->parts++].as = &row[i];
    }
    for (size_t i = 0; i < l->parts; i++) {
        layer_part *p = &l->part[i];
        bool is_read;
        if (p->as->kind == PART_FEED_FORWARD) {
            p->feed_forward = mem_alloc_zeroed(1, sizeof *p->feed_forward, e);
            is_read = p->feed_forward != NULL && read_feed_forward(s, p->feed_forward, own, e);
        } else {
            is_read = read_attention(s, p, own, e);
        }
        if (!is_read)
            return err_within(e, "layer %s, %s", given->name, part_name(p->as->kind));
    }
    return (check_activation(own, e) && read_norms(s, l, own, e)) ||
           err_within(e, "layer %s", given->name);
}

/* ---- the stack ---- */

static bool read_layers(stack *s, err *e)
{
    const entry *layers = bundle_find(s->document, "layers");
    if (layers == NULL) {
        err_set(e, "there are no layers: \"layers\" is a list of objects");
        return err_remedy(e, "run computes one attention");
    }
    if (layers->bundle->count == 0)
        return err_at(e, &layers->at, "there are no layers: the list is empty");
    s->layer = mem_alloc_zeroed(layers->bundle->count, sizeof s->layer[0], e);
    if (s->layer == NULL)
        return false;
    for (s->layers = 0; s->layers < layers->bundle->count;) {
        layer *next = &s->layer[s->layers++];
        if (!read_layer(s, next, &layers->bundle->entry[s->layers - 1], e))
            return false;
    }
    return true;
}

bool stack_has_cross(const stack *s)
{
    for (size_t i = 0; i < s->layers; i++) {
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            if (s->layer[i].part[j].as->kind == PART_CROSS)
                return true;
        }
    }
    return false;
}

static bool refuse_at_top(const entry *given, const char *remedy, err *e)
{
    err_at(e, &given->at, "%s is at the top, and it is a layer's", given->name);
    return err_remedy(e, "%s", remedy);
}

/* What says something of a document, and nothing of what is computed. */
static bool is_about_document(key_kind kind)
{
    return kind == KEY_TEXT || kind == KEY_STEPS || kind == KEY_STAGES || kind == KEY_TOL ||
           kind == KEY_RECORDS;
}

static const key *row_in(const named_table *table, const char *name)
{
    return (const key *)(const void *)named_find(table, name, strlen(name));
}

static bool check_top(const stack *s, err *e)
{
    bool has_layers = bundle_find(s->document, "layers") != NULL;
    for (size_t i = 0; i < s->document->count; i++) {
        const entry *given = &s->document->entry[i];
        const char *name = given->name;
        const key *of_layer = row_in(&LAYER_KEYS, name), *of_attention = row_in(&KEYS, name);
        if (strcmp(name, input_key(INPUT_PAST_K)) == 0 ||
            strcmp(name, input_key(INPUT_PAST_V)) == 0)
            return err_at(e, &given->at, "%s is given, and a stack begins without a cache", name);
        /* A layer's object, or a key of attention that at the top is read by nothing. */
        bool is_of_layers = of_layer != NULL
                                ? of_layer->kind == KEY_OBJECT
                                : of_attention != NULL && !is_about_document(of_attention->kind) &&
                                      !attention_shares(name) && !stack_begins_with(name);
        if (is_of_layers)
            return refuse_at_top(given,
                                 has_layers
                                     ? "in \"layers\" each has its own"
                                     : "\"layers\" is a list of such; run computes one attention",
                                 e);
        /* The feed-forward part's, which at the top is seed's. */
        if (of_layer != NULL && of_layer->kind == KEY_MATRIX && !s->order->ends_with_feed_forward)
            return refuse_at_top(given,
                                 "--norm seed has one feed-forward part after the last layer", e);
    }
    return true;
}

static bool make_input(stack *s, err *e)
{
    size_t size[] = {s->batches, s->rows, s->width};
    bool has_batch = s->batches > 0;
    return tensor_new(&s->input, s->type, has_batch ? 3 : 2, has_batch ? size : size + 1, e);
}

bool stack_read(stack *s, const bundle *document, const stack_settings *how, const isa *by, err *e)
{
    *s = (stack){.document = document, .how = *how, .isa = by};
    s->order = read_order(s, NULL, e);
    if (s->order == NULL || !check_top(s, e) || !check_activation(document, e) ||
        !stack_embed(s, e) || !make_input(s, e) || !read_layers(s, e))
        return false;
    const entry *memory = bundle_find(document, "memory");
    if (memory != NULL && !stack_has_cross(s))
        return err_at(e, &memory->at, "memory is given, and no layer has a cross to use it");
    const entry *final = bundle_find(document, "ln_f"), *first = bundle_find(document, "ln_e"),
                *eps = setting_of(s, NULL, "norm_eps");
    bool is_rms;
    s->has_first = first != NULL;
    s->has_final = final != NULL;
    s->has_end = s->order->ends_with_feed_forward && feed_forward_is_in(document);
    return read_is_rms(s, NULL, &is_rms, e) &&
           norm_read(&s->first, first, eps, is_rms, s->width, e) &&
           norm_read(&s->final, final, eps, is_rms, s->width, e) &&
           (!s->has_end || read_feed_forward(s, &s->end, document, e));
}

/* What a plan owns stays where it is, and the stack has it from now on. */
static bool keep_plan(stack *s, attention *a, err *e)
{
    if (!s->how.keeps_plans)
        return true;
    plan *all = mem_grow(s->past_plan, s->past_plans, &s->past_room, sizeof all[0], e);
    if (all == NULL)
        return false;
    s->past_plan = all;
    all[s->past_plans++] = a->plan;
    a->plan = (plan){0};
    return true;
}

bool stack_go_on(stack *s, const size_t *ids, size_t count, err *e)
{
    s->before += s->rows;
    tensor_free(&s->embedded);
    tensor_free(&s->input);
    mem_free(s->ids);
    s->ids = mem_alloc(count, sizeof s->ids[0], e);
    if (s->ids == NULL)
        return false;
    memcpy(s->ids, ids, count * sizeof ids[0]);
    if (!stack_embed_ids(s, ids, count, e) || !make_input(s, e))
        return false;
    for (size_t i = 0; i < s->layers; i++) {
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            layer_part *p = &s->layer[i].part[j];
            if (p->as->kind == PART_FEED_FORWARD)
                continue;
            if (!keep_plan(s, p->attention, e) ||
                !attention_go_on(p->attention, &s->input, s->before, e))
                return err_within(e, "layer %zu, %s", i + 1, part_name(p->as->kind));
        }
    }
    return true;
}

void stack_free(stack *s)
{
    for (size_t i = 0; i < s->layers; i++) {
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            layer_part *p = &s->layer[i].part[j];
            if (p->attention != NULL)
                attention_free(p->attention);
            if (p->cache != NULL)
                kv_cache_free(p->cache);
            if (p->seen != NULL)
                memory_rows_free(p->seen);
            mem_free(p->attention);
            mem_free(p->cache);
            mem_free(p->seen);
            mem_free(p->feed_forward);
        }
    }
    for (size_t i = 0; i < s->past_plans; i++)
        plan_free(&s->past_plan[i]);
    mem_free(s->past_plan);
    mem_free(s->ids);
    mem_free(s->layer);
    tensor_free(&s->embedded);
    tensor_free(&s->input);
}
