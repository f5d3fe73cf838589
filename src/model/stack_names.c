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

/* What a layer or a part makes has its name before a dot. */
bool stack_may_have_stage(const char *name, size_t length)
{
    static const char *const OF_THE_WHOLE[] = {"embedded", "ln_e", "rollout", "ln_f"};
    bool is_one = memchr(name, '.', length) != NULL;
    for (size_t i = 0; i < sizeof OF_THE_WHOLE / sizeof OF_THE_WHOLE[0]; i++)
        is_one = is_one ||
                 (strlen(OF_THE_WHOLE[i]) == length && memcmp(OF_THE_WHOLE[i], name, length) == 0);
    return is_one;
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
