#include "model/stack.h"

#include "attn/spec/keys.h"
#include "attn/spec/setting.h"
#include "base/mem.h"
#include "model/embed.h"
#include "model/experts.h"
#include "model/stack_keys.h"
#include "model/stack_run.h"

#include <math.h>
#include <stdio.h>
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

static const norm_order *read_order(const stack *s, const bundle *own, err *e)
{
    return (const norm_order *)(const void *)word_of(setting_of(s, own, "norm"), &NORM_ORDERS, e);
}

/* ---- norms and feed-forward parts ---- */

bool vector_read(const bundle *from, const char *name, const char *of, size_t count, tensor *out,
                 err *e)
{
    const entry *given = bundle_find(from, name);
    *out = (tensor){0};
    if (given == NULL)
        return true;
    if (given->tensor.rank > 2 || tensor_count(&given->tensor) != count) {
        char shape[SHAPE_TEXT];
        return err_at(e, &given->at, "%s%s%s%s is %s, it must hold %zu number%s",
                      of == NULL ? "" : "the ", given->name, of == NULL ? "" : " of ",
                      of == NULL ? "" : of, tensor_shape_text(&given->tensor, shape), count,
                      count == 1 ? "" : "s");
    }
    *out = tensor_flat(&given->tensor);
    return true;
}

/* What `from` says of it, which may be NULL; else the defaults, of which that of eps may be another
 * setting's. */
static bool read_norm(norm *n, const entry *from, size_t width, const entry *eps, const named *kind,
                      err *e)
{
    static const double DEFAULT_EPS = 1e-5;
    *n = (norm){.is_rms = strcmp(kind->name, "rms") == 0, .eps = DEFAULT_EPS};
    if (eps != NULL && !setting_number(eps, 0, &n->eps, e))
        return false;
    if (from == NULL)
        return true;
    const entry *own = bundle_find(from->bundle, "eps");
    if (!vector_read(from->bundle, "gain", from->name, width, &n->gain, e) ||
        !vector_read(from->bundle, "bias", from->name, width, &n->bias, e) ||
        (own != NULL && !setting_number(own, 0, &n->eps, e)))
        return false;
    return !n->is_rms || n->bias.data == NULL ||
           err_at(e, &bundle_find(from->bundle, "bias")->at,
                  "%s has a bias, and an RMSNorm adds none", from->name);
}

static bool read_norms(const stack *s, layer *l, const bundle *own, err *e)
{
    bool is_used[NORMS_MOST + 1] = {false};
    const named *kind = word_of(setting_of(s, own, "norm_kind"), &NORM_KINDS, e);
    const entry *eps = setting_of(s, own, "norm_eps");
    for (size_t i = 0; i < l->parts; i++)
        is_used[l->part[i].as->ln_before] = is_used[l->part[i].as->ln_made] =
            is_used[l->part[i].as->ln_after] = true;
    if (kind == NULL)
        return false;
    for (size_t i = 0; i < NORMS_MOST; i++) {
        const char *name = part_norm_name(i + 1);
        const entry *given = bundle_find(own, name);
        if (given != NULL && !is_used[i + 1])
            return err_at(e, &given->at, "%s is given, and such a layer has no norm of that number",
                          name);
        if (!read_norm(&l->norm[i], given, s->width, eps, kind, e))
            return false;
    }
    return true;
}

/* Also where there is no feed-forward part: a wrong word is one all the same. */
static bool check_activation(const bundle *in, err *e)
{
    return word_of(bundle_find(in, "activation"), &ACTIVATIONS, e) != NULL;
}

/* That of a feed-forward part; NULL: there is none. */
static const entry *first_weight(const bundle *from)
{
    static const char *const MATRICES[] = {"w1", "b1", "w2", "b2", "w3", "b3"};
    return bundle_find_first(from, MATRICES, sizeof MATRICES / sizeof MATRICES[0]);
}

/* rows × columns of x·W; columns 0: as many as it has. */
static bool fits(const tensor *weight, size_t rows, size_t columns)
{
    return weight->rank == 2 && weight->size[0] == rows &&
           (columns == 0 || weight->size[1] == columns);
}

bool weight_fit(const entry *given, bool is_out_in, size_t rows, size_t columns, tensor *out,
                err *e)
{
    bool turns = entry_is_out_in(given, is_out_in);
    const tensor *t = &given->tensor;
    tensor plain = tensor_view_of(t), turned = t->rank == 2 ? tensor_transposed(t) : plain;
    *out = turns ? turned : plain;
    if (fits(out, rows, columns))
        return true;
    char shape[SHAPE_TEXT];
    const char *layout = turns ? "out-in" : "in-out";
    if (columns == 0)
        err_at(e, &given->at, "%s is %s, which as %s does not take rows %zu wide", given->name,
               tensor_shape_text(t, shape), layout, rows);
    else
        err_at(e, &given->at, "%s is %s, which as %s does not lead from %zu numbers to %zu",
               given->name, tensor_shape_text(t, shape), layout, rows, columns);
    return fits(turns ? &plain : &turned, rows, columns) &&
           err_remedy(e, "transposed it would fit: --layout %s", turns ? "in-out" : "out-in");
}

static bool read_weight(feed_forward *f, const bundle *from, const char *name, bool is_out_in,
                        size_t rows, size_t columns, tensor *out, err *e)
{
    const entry *given = bundle_find(from, name);
    if (given == NULL)
        return err_at(e, &first_weight(from)->at,
                      "%s is given, and its feed-forward part has no %s", first_weight(from)->name,
                      name);
    if (!given->stays)
        f->kept = NULL;
    return weight_fit(given, is_out_in, rows, columns, out, e);
}

/* An activation with a limit is of experts that have a gate: traces have none of it. */
static bool check_limit(const activation *by, bool is_gated_expert, const place *at, err *e)
{
    return by->limit == 0 || is_gated_expert ||
           err_at(e, at, "the activation is %s, which only an expert with w3 has here",
                  by->named.name);
}

/* Its matrices are in `own`; what `settings`, the layer, does not say, the document does. */
static bool read_feed_forward(const stack *s, feed_forward *f, const bundle *settings,
                              const bundle *own, err *e)
{
    static const char *const OF_GATE[] = {"w3", "b3"};
    const named *by = word_of(setting_of(s, settings, "activation"), &ACTIVATIONS, e);
    bool is_out_in = setting_is_out_in(setting_of(s, settings, "layout"));
    *f = (feed_forward){.by = (const activation *)(const void *)by,
                        .width = s->width,
                        .kept = s->how.packed_weights};
    if (by == NULL || !read_weight(f, own, "w1", is_out_in, s->width, 0, &f->w1, e))
        return false;
    f->hidden = f->w1.size[1];
    return vector_read(own, "b1", NULL, f->hidden, &f->b1, e) &&
           read_weight(f, own, "w2", is_out_in, f->hidden, s->width, &f->w2, e) &&
           vector_read(own, "b2", NULL, s->width, &f->b2, e) &&
           (bundle_find_first(own, OF_GATE, 2) == NULL ||
            (read_weight(f, own, "w3", is_out_in, s->width, f->hidden, &f->w3, e) &&
             vector_read(own, "b3", NULL, f->hidden, &f->b3, e)));
}

/* ---- experts ---- */

/* What a layer has of experts besides settings; NULL: it has none. */
static const entry *first_of_experts(const bundle *own)
{
    static const char *const KEYS_OF_EXPERTS[] = {"router",  "router_bias", "choice_bias",
                                                  "experts", "shared",      "shared_gate"};
    return bundle_find_first(own, KEYS_OF_EXPERTS,
                             sizeof KEYS_OF_EXPERTS / sizeof *KEYS_OF_EXPERTS);
}

/* Settings that say something of experts alone. */
static bool check_without_experts(const bundle *in, err *e)
{
    static const char *const OF_ROUTING[] = {"top_experts",   "routing", "renormalize",
                                             "routing_scale", "groups",  "top_groups",
                                             "top_of_group"};
    const entry *given =
        bundle_find_first(in, OF_ROUTING, sizeof OF_ROUTING / sizeof OF_ROUTING[0]);
    return given == NULL ||
           err_at(e, &given->at, "%s is of experts, and there are none", given->name);
}

/* Its words, its counts and its factor. */
static bool read_routing(const stack *s, expert_mix *m, const bundle *own, const place *at, err *e)
{
    const entry *top = setting_of(s, own, "top_experts"), *groups = setting_of(s, own, "groups"),
                *top_groups = setting_of(s, own, "top_groups"),
                *of_group = setting_of(s, own, "top_of_group"),
                *divides = setting_of(s, own, "renormalize"),
                *scale = setting_of(s, own, "routing_scale");
    const named *by = word_of(setting_of(s, own, "routing"), &ROUTINGS, e),
                *word = divides == NULL ? NULL : setting_word(divides, &TRUTH_WORDS, "", e);
    m->by = (const routing *)(const void *)by;
    m->scale = 1;
    m->top_of_group = 2;
    if (by == NULL || (divides != NULL && word == NULL) ||
        (scale != NULL && !setting_number(scale, -HUGE_VAL, &m->scale, e)))
        return false;
    m->renormalizes =
        m->by->kind != ROUTED_BY_LOGITS && !(word != NULL && strcmp(word->name, "false") == 0);
    if (m->by->kind == ROUTED_BY_LOGITS && divides != NULL)
        return err_at(e, &divides->at,
                      "renormalize is given, and with routing %s weights add up to 1 already",
                      by->name);
    if (top == NULL)
        return err_at(e, at,
                      "a layer has experts, and no top_experts says how many of them a row "
                      "goes through");
    if (!setting_count(top, 1, &m->top, e))
        return false;
    if (m->top > m->count)
        return err_at(e, &top->at, "top_experts is %zu, and there %s %zu expert%s", m->top,
                      m->count == 1 ? "is" : "are", m->count, m->count == 1 ? "" : "s");
    if ((groups == NULL) != (top_groups == NULL))
        return err_at(
            e, groups != NULL ? &groups->at : &top_groups->at,
            "of groups and top_groups one is given alone, and experts are chosen by both");
    if (groups == NULL)
        return of_group == NULL ||
               err_at(e, &of_group->at, "top_of_group is given, and there are no groups");
    if (m->by->kind == ROUTED_BY_LOGITS)
        return err_at(e, &groups->at, "groups are of routing softmax and sigmoid, and it is %s",
                      by->name);
    if (!setting_count(groups, 1, &m->groups, e) ||
        !setting_count(top_groups, 1, &m->top_groups, e) ||
        (of_group != NULL && !setting_count(of_group, 1, &m->top_of_group, e)))
        return false;
    size_t each = m->count / m->groups;
    if (m->count % m->groups != 0 || each < m->top_of_group)
        return err_at(e, &groups->at,
                      "groups is %zu, and %zu experts are not that many groups of at least %zu",
                      m->groups, m->count, m->top_of_group);
    return (m->top_groups <= m->groups && m->top_groups * each >= m->top) ||
           err_at(e, &top_groups->at,
                  "top_groups is %zu, and %zu experts are to be chosen from so many of %zu groups "
                  "of %zu",
                  m->top_groups, m->top, m->groups, each);
}

/* An expert's matrices, of which it has some. */
static bool read_expert(const stack *s, feed_forward *f, const bundle *settings, const entry *given,
                        err *e)
{
    if (first_weight(given->bundle) == NULL)
        return err_at(e, &given->at, "an expert has no w1");
    return read_feed_forward(s, f, settings, given->bundle, e) &&
           check_limit(f->by, f->w3.data != NULL, &given->at, e);
}

static bool read_experts(const stack *s, expert_mix *m, const bundle *own, err *e)
{
    const entry *first = first_of_experts(own), *router = bundle_find(own, "router"),
                *list = bundle_find(own, "experts"), *shared = bundle_find(own, "shared"),
                *gate = bundle_find(own, "shared_gate"), *dense = first_weight(own);
    bool is_out_in = setting_is_out_in(setting_of(s, own, "layout"));
    *m = (expert_mix){.width = s->width, .kept = s->how.packed_weights};
    if (dense != NULL)
        return err_at(e, &dense->at,
                      "a layer has %s, and %s: its feed-forward part is one or has "
                      "experts",
                      dense->name, first->name);
    if (router == NULL || list == NULL || list->bundle->count == 0)
        return err_at(e, &first->at, "a layer has %s and no %s", first->name,
                      router == NULL ? "router" : "experts");
    m->count = list->bundle->count;
    m->expert = mem_alloc_zeroed(m->count, sizeof m->expert[0], e);
    if (m->expert == NULL || !read_routing(s, m, own, &list->at, e))
        return false;
    for (size_t i = 0; i < m->count; i++) {
        const entry *one = expert_given(list->bundle, i); /* names of a bundle may skip some */
        if (one == NULL)
            return err_at(e, &list->at, "there are %zu experts, and no experts.%zu", m->count, i);
        if (!read_expert(s, &m->expert[i], own, one, e))
            return err_within(e, "expert %zu", i + 1);
    }
    m->has_shared = shared != NULL;
    if (shared != NULL && !read_expert(s, &m->shared, own, shared, e))
        return err_within(e, "shared");
    if (gate != NULL && shared == NULL)
        return err_at(e, &gate->at, "shared_gate is given, and there is no shared expert");
    if (!router->stays || (gate != NULL && !gate->stays))
        m->kept = NULL;
    return weight_fit(router, is_out_in, s->width, m->count, &m->router, e) &&
           vector_read(own, "router_bias", NULL, m->count, &m->router_bias, e) &&
           vector_read(own, "choice_bias", NULL, m->count, &m->choice_bias, e) &&
           (gate == NULL || weight_fit(gate, is_out_in, s->width, 1, &m->shared_gate, e)) &&
           (m->choice_bias.data == NULL || m->by->kind != ROUTED_BY_LOGITS ||
            err_at(e, &bundle_find(own, "choice_bias")->at,
                   "choice_bias is of routing softmax and sigmoid, and it is %s",
                   m->by->named.name));
}

/* ---- the head ---- */

/* Its norm is of the kind and eps of all, as that after the last layer is. */
static bool read_head(stack *s, err *e)
{
    const entry *given = bundle_find(s->document, HEAD);
    const named *kind = word_of(setting_of(s, NULL, "norm_kind"), &NORM_KINDS, e);
    if (given == NULL || kind == NULL)
        return kind != NULL;
    const bundle *own = given->bundle;
    const entry *w = bundle_find(own, "w"), *of_norm = bundle_find(own, "norm");
    const entry *said = bundle_find(own, "activation");
    bool is_bare = said != NULL && said->kind == ENTRY_TEXT && strcmp(said->text, "none") == 0;
    const named *by = is_bare ? NULL : word_of(setting_of(s, own, "activation"), &ACTIVATIONS, e);
    logits_head *h = &s->head;
    s->has_head = true;
    h->has_norm = of_norm != NULL;
    h->by = (const activation *)(const void *)by;
    if (by == NULL && !is_bare)
        return false;
    if (w == NULL)
        return err_at(e, &given->at, "a head is given, and it has no w");
    if (!is_bare && !check_limit(h->by, false, &given->at, e))
        return false;
    if (!weight_fit(w, setting_is_out_in(bundle_find(s->document, "layout")), s->width, 0, &h->w,
                    e))
        return err_within(e, "head");
    h->width = h->w.size[1];
    return vector_read(own, "b", HEAD, h->width, &h->b, e) &&
           read_norm(&h->norm, of_norm, h->width, setting_of(s, NULL, "norm_eps"), kind, e);
}

/* ---- a layer ---- */

bool layer_part_failed(const layer_part *p, err *e)
{
    return err_within(e, "layer %zu, %s", p->layer + 1, part_name(p->as->kind));
}

static bool has_feed_forward(const bundle *own)
{
    return first_weight(own) != NULL || first_of_experts(own) != NULL;
}

/* A layer that says nothing has the stack's order. */
static bool check_parts(const stack *s, const norm_order *order, const entry *given, err *e)
{
    const entry *cross = bundle_find(given->bundle, "cross"),
                *own = bundle_find(given->bundle, "norm");
    const char *name = order->named.name, *other = s->order->named.name;
    if (cross != NULL && bundle_find(s->document, "memory") == NULL)
        return err_at(e, &cross->at,
                      "cross-attention has nothing to look at: there is no memory") ||
               err_remedy(e,
                          "--memory FILE gives one; of a bundle with an encoder --memory-ids makes "
                          "one");
    if (cross != NULL && order->crossed_count == 0)
        return err_at(e, &cross->at, "a layer has cross-attention, and norm %s has no place for it",
                      name);
    if (order->ends_with_feed_forward && has_feed_forward(given->bundle))
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

static bool read_layer(stack *s, layer *l, const entry *given, err *e)
{
    const bundle *own = given->bundle;
    const norm_order *order = read_order(s, own, e);
    const entry *scale = setting_of(s, own, "residual_scale");
    double factor = 1;
    if (order == NULL || !check_parts(s, order, given, e) ||
        (scale != NULL && !setting_number(scale, -HUGE_VAL, &factor, e)))
        return err_within(e, "layer %s", given->name);
    l->order = order;
    l->part = &s->part[s->parts];
    /* The parts in their order; a feed-forward one only where the layer has its weights. */
    bool is_crossed = bundle_find(own, "cross") != NULL;
    const part_row *row = is_crossed ? order->crossed : order->plain;
    size_t count = is_crossed ? order->crossed_count : order->plain_count;
    for (size_t i = 0; i < count; i++) {
        if (row[i].kind != PART_FEED_FORWARD || has_feed_forward(own))
            l->part[l->parts++] =
                (layer_part){.as = &row[i], .layer = s->layers - 1, .scale = factor};
    }
    s->parts += l->parts;
    for (size_t i = 0; i < l->parts; i++) {
        layer_part *p = &l->part[i];
        bool is_read;
        if (p->as->kind == PART_FEED_FORWARD && first_of_experts(own) != NULL) {
            p->experts = mem_alloc_zeroed(1, sizeof *p->experts, e);
            is_read = p->experts != NULL && read_experts(s, p->experts, own, e);
        } else if (p->as->kind == PART_FEED_FORWARD) {
            p->feed_forward = mem_alloc_zeroed(1, sizeof *p->feed_forward, e);
            is_read = p->feed_forward != NULL &&
                      read_feed_forward(s, p->feed_forward, own, own, e) &&
                      check_limit(p->feed_forward->by, false, &given->at, e);
        } else {
            p->attention = mem_alloc_zeroed(1, sizeof *p->attention, e);
            is_read = p->attention != NULL &&
                      attention_read(p->attention, s, own, p->as->kind == PART_CROSS, e);
        }
        if (!is_read)
            return layer_part_failed(p, e);
    }
    if (first_of_experts(own) == NULL && !check_without_experts(own, e))
        return err_within(e, "layer %s", given->name);
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
    const entry *said = bundle_find(s->document, "repeat");
    size_t times = 1, count;
    if (said != NULL && !setting_count(said, 1, &times, e))
        return false;
    s->own_layers = layers->bundle->count;
    count = size_product(s->own_layers, times);
    s->layer = mem_alloc_zeroed(count, sizeof s->layer[0], e);
    s->part = mem_alloc_zeroed(count, PARTS_MOST * sizeof s->part[0], e);
    while (!e->is_set && s->layers < count) {
        const entry *given = &layers->bundle->entry[s->layers++ % s->own_layers];
        read_layer(s, &s->layer[s->layers - 1], given, e);
    }
    return !e->is_set;
}

const bundle *stack_keys_of_layer(const bundle *document, size_t number)
{
    const bundle *layers = bundle_find(document, "layers")->bundle;
    return layers->entry[number % layers->count].bundle;
}

entry *stack_parameter(const bundle *document, const char *name)
{
    static const char ATTENTION[] = "attention.";
    const entry *layers = bundle_find(document, "layers");
    const bundle *in = document;
    size_t number;
    if (stack_stage_layer(name, &number)) {
        if (layers == NULL || number >= layers->bundle->count)
            return NULL;
        in = layers->bundle->entry[number].bundle;
        name = strchr(name + strlen("layer."), '.') + 1;
        if (strncmp(name, ATTENTION, sizeof ATTENTION - 1) == 0)
            name += sizeof ATTENTION - 1;
    }
    bool is_list = false;
    for (const char *dot; (dot = strchr(name, '.')) != NULL; name = dot + 1) {
        size_t nth;
        if (is_list && sscanf(name, "%zu.", &nth) != 1)
            return NULL;
        const entry *object =
            is_list ? expert_given(in, nth) : bundle_find_bytes(in, name, (size_t)(dot - name));
        if (object == NULL || object->kind != ENTRY_BUNDLE)
            return NULL;
        in = object->bundle;
        is_list = object->is_list;
    }
    bool are_slopes = strcmp(name, "slopes") == 0; /* which the document says under another key */
    return bundle_find(in, are_slopes ? "alibi" : name);
}

bool stack_shares_gradient(const stack *s, char name[STAGE_NAME])
{
    size_t number;
    char of[STAGE_NAME], own[STAGE_NAME];
    if (s->layers == s->own_layers || !stage_is_gradient(name, of) ||
        !stack_stage_layer(of, &number))
        return false;
    stage_way way = stage_way_of_layer(number % s->own_layers);
    stage_name_in_full(&way, strchr(of + strlen("layer."), '.') + 1, own);
    const entry *weight = stack_parameter(s->document, own);
    if (weight == NULL || weight->kind == ENTRY_BUNDLE) /* "ln1" is an object: its rows' gradient */
        return false;
    snprintf(name, STAGE_NAME, "%s", gradient_of(own).text);
    return true;
}

bool stack_own_gradient(const stack *s, char name[STAGE_NAME])
{
    size_t number;
    return s->layers > s->own_layers && stack_stage_layer(name, &number) &&
           number >= s->own_layers && stack_shares_gradient(s, name);
}

bool stack_makes_head(const stack *s)
{
    return s->has_head && (s->has_logits || s->how.goes_on || goal_has_logits(&s->goal));
}

bool stack_has_cross(const stack *s)
{
    size_t i = 0;
    while (i < s->parts && s->part[i].as->kind != PART_CROSS)
        i++;
    return i < s->parts;
}

bool stack_stage_layer(const char *name, size_t *number)
{
    return sscanf(name, "layer.%zu.", number) == 1;
}

const plan *stack_plan_of(const stack *s, const char *name, stage_id *id)
{
    size_t number;
    if (!stack_stage_layer(name, &number) || number >= s->layers)
        return NULL;
    const char *last = strrchr(name, '.'), *after = strchr(name + strlen("layer."), '.');
    const named *row = named_find(&STAGES, last + 1, strlen(last + 1));
    if (after == last || row == NULL)
        return NULL;
    *id = stage_of(row);
    for (size_t j = 0; j < s->layer[number].parts; j++) {
        const layer_part *p = &s->layer[number].part[j];
        const char *own = part_name(p->as->kind);
        if (p->as->kind != PART_FEED_FORWARD && strncmp(own, after + 1, strlen(own)) == 0)
            return &p->attention->plan;
    }
    return NULL;
}

static bool refuse_at_top(const entry *given, const char *remedy, err *e)
{
    err_at(e, &given->at, "%s is at the top, and it is a layer's", given->name);
    return err_remedy(e, "%s", remedy);
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
        const key_kind kind = of_attention == NULL ? KEY_TEXT : of_attention->kind;
        /* Which says something of a document, and nothing of what is computed. */
        bool is_about_document = kind == KEY_TEXT || kind == KEY_STEPS || kind == KEY_STAGES ||
                                 kind == KEY_TOL || kind == KEY_RECORDS;
        if (strcmp(name, input_key(INPUT_PAST_K)) == 0 ||
            strcmp(name, input_key(INPUT_PAST_V)) == 0)
            return err_at(e, &given->at, "%s is given, and a stack begins without a cache", name);
        /* A layer's object, or a key of attention that at the top is read by nothing. */
        bool is_of_layers = of_layer != NULL
                                ? of_layer->kind == KEY_OBJECT || of_layer->kind == KEY_OBJECTS
                                : !is_about_document && !attention_shares(name) &&
                                      !stack_begins_with(name) && !problem_key_goes_back(name);
        if (is_of_layers)
            return refuse_at_top(given,
                                 has_layers
                                     ? "in \"layers\" each has its own"
                                     : "\"layers\" is a list of such; run computes one attention",
                                 e);
        /* The feed-forward part's, which at the top is seed's. */
        bool is_of_end =
            s->order->ends_with_feed_forward && row_in(&FEED_FORWARD_KEYS, name) != NULL;
        if (of_layer != NULL && of_layer->kind == KEY_MATRIX && !is_of_end)
            return refuse_at_top(given,
                                 "--norm seed has one feed-forward part after the last layer", e);
    }
    return true;
}

static bool make_input(const stack *s, size_t rows, tensor *to, err *e)
{
    size_t size[] = {s->batches, rows, s->width};
    bool has_batch = s->batches > 0;
    return tensor_new(to, s->type, has_batch ? 3 : 2, has_batch ? size : size + 1, e);
}

/* Logits of all rows are a stage where the document says so, and a step of a generation or a loss
 * does not make them. */
static bool read_logits(stack *s, err *e)
{
    const entry *said = bundle_find(s->document, "logits");
    const named *word = said == NULL ? NULL : setting_word(said, &TRUTH_WORDS, "", e);
    if (said != NULL && word == NULL)
        return false;
    s->has_logits = word != NULL && strcmp(word->name, "true") == 0 && !s->how.goes_on &&
                    !goal_has_logits(&s->goal);
    return !s->has_logits || unembedding_find(&s->to_ids, s, e);
}

bool stack_read(stack *s, const bundle *document, const stack_settings *how, const isa *by, err *e)
{
    *s = (stack){.document = document, .how = *how, .isa = by};
    s->order = read_order(s, NULL, e);
    if (s->order == NULL || !check_top(s, e) || !check_activation(document, e) ||
        !stack_embed(s, e) || !make_input(s, s->rows, &s->input, e) || !read_head(s, e) ||
        !goal_read(s, e) || (s->goal.is_there && !make_input(s, s->rows, &s->part_grad, e)) ||
        !read_layers(s, e))
        return false;
    bool has_experts = false;
    for (size_t i = 0; i < s->parts; i++)
        has_experts = has_experts || s->part[i].experts != NULL;
    if (!has_experts && !check_without_experts(document, e))
        return false;
    static const char *const OF_CROSS[] = {"memory", "memory_mask"};
    const entry *seen = bundle_find_first(document, OF_CROSS, sizeof OF_CROSS / sizeof OF_CROSS[0]);
    if (seen != NULL && !stack_has_cross(s))
        return err_at(e, &seen->at, "%s is given, and no layer has a cross to use it", seen->name);
    const entry *final = bundle_find(document, "ln_f"), *first = bundle_find(document, "ln_e"),
                *eps = setting_of(s, NULL, "norm_eps");
    const named *kind = word_of(setting_of(s, NULL, "norm_kind"), &NORM_KINDS, e);
    s->has_first = first != NULL;
    s->has_final = final != NULL;
    s->has_end = s->order->ends_with_feed_forward && first_weight(document) != NULL;
    return kind != NULL && read_norm(&s->first, first, s->embedded.size[1], eps, kind, e) &&
           read_norm(&s->final, final, s->width, eps, kind, e) &&
           (!s->has_end || (read_feed_forward(s, &s->end, NULL, document, e) &&
                            check_limit(s->end.by, false, &first_weight(document)->at, e))) &&
           read_logits(s, e);
}

static void stack_free_rows(stack *s)
{
    tensor_free(&s->product.given);
    tensor_free(&s->product.made);
    tensor_free(&s->embedded);
    tensor_free(&s->input);
}

bool stack_go_on(stack *s, const size_t *ids, size_t count, err *e)
{
    s->before += s->rows;
    stack_free_rows(s);
    mem_free(s->ids);
    s->ids = mem_alloc(count, sizeof s->ids[0], e);
    if (s->ids == NULL)
        return false;
    memcpy(s->ids, ids, count * sizeof ids[0]);
    if (!stack_embed_ids(s, ids, count, e) || !make_input(s, s->rows, &s->input, e))
        return false;
    for (size_t i = 0; i < s->parts; i++) {
        attention *a = s->part[i].attention;
        if (a == NULL)
            continue;
        /* What a plan owns stays where it is, and the stack has it from now on. */
        if (s->how.keeps_plans) {
            plan *all = mem_grow(s->past_plan, s->past_plans, &s->past_room, sizeof all[0], e);
            if (all == NULL)
                return layer_part_failed(&s->part[i], e);
            s->past_plan = all;
            all[s->past_plans++] = a->plan;
            a->plan = (plan){0};
        }
        if (!attention_go_on(a, e))
            return layer_part_failed(&s->part[i], e);
    }
    return true;
}

/* From this part on; what attends has the chosen queries and all keys. */
static bool narrow_from(stack *s, size_t first, const row_choice *rows, err *e)
{
    if (!make_input(s, rows->count, &s->chosen_input, e))
        return false;
    s->chosen = rows;
    s->part[first].chooses = true;
    for (size_t i = first; i < s->parts; i++) {
        attention *a = s->part[i].attention;
        if (a == NULL)
            continue;
        a->chosen = mem_alloc_zeroed(1, sizeof a->chosen[0], e);
        if (a->chosen == NULL ||
            !chosen_rows_plan(&a->plan, &a->asked, a->chosen, rows, &s->chosen_input, e))
            return layer_part_failed(&s->part[i], e);
    }
    return true;
}

bool stack_narrow_after(stack *s, const row_choice *rows, err *e)
{
    size_t after = s->parts;
    while (after > 0 && s->part[after - 1].attention == NULL)
        after--;
    return after == s->parts || narrow_from(s, after, rows, e);
}

bool stack_narrow(stack *s, const row_choice *rows, const text_list *emit, err *e)
{
    keeper keep = keeper_of(emit);
    size_t first = s->parts - 1;
    while (s->part[first].as->kind != PART_ATTENTION) /* each layer has one */
        first--;
    /* Positions that a layer adds are in its keys, and rows that are computed have to be there
     * before those are planned. */
    bool needs_all = (stack_has_rollout(s) && keeper_wants(&keep, "rollout")) ||
                     s->part[first].attention->asked.adds_positions;
    return needs_all || narrow_from(s, first, rows, e);
}

void stack_free(stack *s)
{
    for (size_t i = 0; i < s->parts; i++) {
        if (s->part[i].attention != NULL)
            attention_free(s->part[i].attention);
        mem_free(s->part[i].attention);
        mem_free(s->part[i].feed_forward);
        expert_mix_free(s->part[i].experts);
        mem_free(s->part[i].experts);
    }
    for (size_t i = 0; i < s->past_plans; i++)
        plan_free(&s->past_plan[i]);
    mem_free(s->past_plan);
    mem_free(s->ids);
    mem_free(s->layer);
    mem_free(s->part);
    stack_free_rows(s);
    tensor_free(&s->chosen_input);
    tensor_free(&s->part_grad);
    goal_free(&s->goal);
    unembedding_free(&s->to_ids);
}
