/* The names of a stack's stages, which are known before it is computed. */
#include "model/stack.h"

#include <stdio.h>
#include <string.h>

typedef struct namer {
    text_list *names;
    stage_way way;
    err *e;
} namer;

static bool add(const namer *n, const char *name)
{
    char full[STAGE_NAME];
    stage_name_in_full(&n->way, name, full);
    return text_list_add(n->names, full, strlen(full), n->e);
}

static namer within(const namer *n, const char *step)
{
    namer inner = *n;
    inner.way = stage_way_on(&n->way, step);
    return inner;
}

static bool add_norm(const namer *n, size_t number)
{
    char name[16];
    snprintf(name, sizeof name, "ln%zu", number);
    return number == 0 || add(n, name);
}

static bool add_feed_forward(const namer *n, const feed_forward *f)
{
    return add(n, "hidden") && (f->w3.data == NULL || add(n, "gate")) && add(n, "activated") &&
           add(n, "output");
}

static bool add_attention(const namer *n, const plan *p)
{
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (plan_has_stage(p, id) && !add(n, stage_row(id)->key.named.name))
            return false;
    }
    return add(n, "mean_weights");
}

static bool add_part(const namer *n, const layer_part *p)
{
    const char *name = part_name(p->as->kind);
    namer inner = within(n, name);
    char sum[32];
    snprintf(sum, sizeof sum, "%s_sum", name);
    return add_norm(n, p->as->ln_before) &&
           (p->as->kind == PART_FEED_FORWARD ? add_feed_forward(&inner, &p->feed_forward)
                                             : add_attention(&inner, &p->attention.plan)) &&
           (p->as->adds == RESIDUAL_NONE || add(n, sum)) && add_norm(n, p->as->ln_after);
}

static bool add_layer(const namer *n, const layer *l, size_t number)
{
    namer inner = *n;
    inner.way = stage_way_of_layer(number);
    for (size_t i = 0; i < l->parts; i++) {
        if (!add_part(&inner, &l->part[i]))
            return false;
    }
    return add(&inner, "output");
}

static bool rolls_out(const layer_part *p)
{
    return p->as->kind != PART_ATTENTION ||
           (p->as->adds != RESIDUAL_NONE && p->attention.plan.n_q == p->attention.plan.n_k);
}

bool stack_has_rollout(const stack *s)
{
    for (size_t i = 0; i < s->layers; i++) {
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            if (!rolls_out(&s->layer[i].part[j]))
                return false;
        }
    }
    return true;
}

/* What is made outside of attention, in a stack or in each of its layers, with the axes that it has
 * where there is a batch. */
typedef struct rows_stage {
    const char *name, *axes;
    bool is_of_stack, is_of_layer;
} rows_stage;

static const rows_stage ROWS_STAGES[] = {
    {"embedded", "bqm", true, false},     {"ln_e", "bqm", true, false},
    {"rollout", "bqk", true, false},      {"ln_f", "bqm", true, false},
    {"ln1", "bqm", false, true},          {"ln2", "bqm", false, true},
    {"ln3", "bqm", false, true},          {"attention_sum", "bqm", false, true},
    {"cross_sum", "bqm", false, true},    {"ffn_sum", "bqm", false, true},
    {"ffn.hidden", "bqO", true, true},    {"ffn.gate", "bqO", true, true},
    {"ffn.activated", "bqO", true, true}, {"ffn.output", "bqO", true, true},
    {"output", "bqm", false, true}, /* a stack's has the name of attention's */
};

static const rows_stage *find_rows(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof ROWS_STAGES / sizeof ROWS_STAGES[0]; i++) {
        const rows_stage *one = &ROWS_STAGES[i];
        if (strlen(one->name) == length && memcmp(one->name, name, length) == 0)
            return one;
    }
    return NULL;
}

/* What a layer or a part makes has its name before a dot. */
bool stack_may_have_stage(const char *name, size_t length)
{
    const rows_stage *found = find_rows(name, length);
    return memchr(name, '.', length) != NULL || (found != NULL && found->is_of_stack);
}

/* What is behind "layer.0."; the name itself where that is not before it. */
static const char *name_in_layer(const char *name)
{
    static const char LAYER[] = "layer.";
    size_t word = sizeof LAYER - 1;
    if (strncmp(name, LAYER, word) != 0)
        return name;
    size_t digits = strspn(name + word, "0123456789");
    return digits > 0 && name[word + digits] == '.' ? name + word + digits + 1 : name;
}

const char *stack_axes_of(const char *name)
{
    const char *own = name_in_layer(name);
    const rows_stage *found = find_rows(own, strlen(own));
    bool is_one = found != NULL && (own == name ? found->is_of_stack : found->is_of_layer);
    return is_one ? found->axes : stage_axes_of(name);
}

bool stack_stage_names(const stack *s, text_list *names, err *e)
{
    namer n = {.names = names, .e = e};
    namer end = within(&n, "ffn");
    bool done = add(&n, "embedded") && (!s->has_first || add(&n, "ln_e"));
    for (size_t i = 0; i < s->layers && done; i++)
        done = add_layer(&n, &s->layer[i], i);
    return done && (!stack_has_rollout(s) || add(&n, "rollout")) &&
           (!s->has_end || add_feed_forward(&end, &s->end)) && (!s->has_final || add(&n, "ln_f")) &&
           add(&n, "output");
}
