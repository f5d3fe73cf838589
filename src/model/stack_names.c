/* What a stack can say before it is computed: the names of its stages, its memory and its work. */
#include "model/stack.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- names ---- */

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
    char step[32];
    snprintf(step, sizeof step, "layer.%zu", number);
    namer inner = within(n, step);
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

bool stack_stage_names(const stack *s, text_list *names, err *e)
{
    namer n = {.names = names, .e = e};
    namer end = within(&n, "ffn");
    bool done = add(&n, "embedded");
    for (size_t i = 0; i < s->layers && done; i++)
        done = add_layer(&n, &s->layer[i], i);
    return done && (!stack_has_rollout(s) || add(&n, "rollout")) &&
           (!s->has_end || add_feed_forward(&end, &s->end)) && (!s->has_final || add(&n, "ln_f")) &&
           add(&n, "output");
}

/* ---- memory ---- */

static bool part_memory(const stack *s, const layer_part *p, size_t threads, size_t *bytes, err *e)
{
    wanted output = {0};
    wanted_add(&output, STAGE_OUTPUT);
    if (p->as->kind != PART_FEED_FORWARD)
        return run_memory(&p->attention.plan, &output, threads, bytes, e);
    if (!feed_forward_memory(&p->feed_forward, s->type, s->embedded.size[0], bytes))
        *bytes = SIZE_MAX;
    return true;
}

/* The largest part, beside the rows that go from one to the next. */
bool stack_memory(const stack *s, size_t threads, size_t *bytes, err *e)
{
    enum { ROWS_AT_ONCE = 5 };
    size_t largest = 0, of_part;
    for (size_t i = 0; i < s->layers; i++) {
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            if (!part_memory(s, &s->layer[i].part[j], threads, &of_part, e))
                return false;
            largest = size_larger(largest, of_part);
        }
    }
    if (s->has_end && feed_forward_memory(&s->end, s->type, s->embedded.size[0], &of_part))
        largest = size_larger(largest, of_part);
    *bytes = largest;
    size_t rows = tensor_count(&s->embedded) * dtype_size(s->type);
    if (!size_add_product(bytes, ROWS_AT_ONCE, rows))
        *bytes = SIZE_MAX;
    return true;
}

/* ---- work ---- */

static double part_operations(const stack *s, const layer_part *p)
{
    double rows = (double)s->embedded.size[0], width = (double)s->width;
    if (p->as->kind == PART_FEED_FORWARD)
        return 2 * rows * width * (double)p->feed_forward.hidden;
    const plan *a = &p->attention.plan;
    return 4 * rows * width * width +
           2 * rows * (double)a->heads * (double)a->n_k * (double)a->v.width;
}

double stack_operations(const stack *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->layers; i++) {
        for (size_t j = 0; j < s->layer[i].parts; j++)
            sum += part_operations(s, &s->layer[i].part[j]);
    }
    return sum;
}
