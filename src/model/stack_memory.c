/* What computing a stack will cost: its memory and its work. */
#include "model/stack.h"

#include "attn/engine/multiply.h"
#include "base/mem.h"

#include <stdint.h>

/* ---- memory ---- */

/* What stays until the end, and the most that one part works in next to it. */
typedef struct total {
    const stack *stack;
    keeper keep;
    size_t threads, kept, largest;
    bool rolls_out, fits;
} total;

static void add_kept(total *t, size_t rows, size_t width)
{
    size_t count;
    t->fits = t->fits && size_mul(rows, width, &count) &&
              size_add_product(&t->kept, count, dtype_size(t->stack->type));
}

static bool add_stage(void *context, const char *name, size_t width, err *e)
{
    total *t = context;
    (void)e;
    if (keeper_wants(&t->keep, name))
        add_kept(t, t->stack->embedded.size[0], width);
    return true;
}

static void add_feed_forward(total *t, const feed_forward *f)
{
    const stack *s = t->stack;
    size_t bytes;
    t->fits = t->fits && feed_forward_memory(f, s->isa->table(s->type), s->type,
                                             s->embedded.size[0], t->threads, &bytes);
    if (t->fits)
        t->largest = size_larger(t->largest, bytes);
}

/* Of rollout: a mean and the next product; the one so far is the stage, and stays. */
static bool add_attention(total *t, const attention *a, const keeper *keep, bool is_rolled, err *e)
{
    const stack *s = t->stack;
    attention_bytes of;
    size_t rows = s->embedded.size[0], mean;
    if (!attention_memory(a, keep, is_rolled, t->threads, &of, e))
        return false;
    t->fits = t->fits && size_add(t->kept, of.kept, &t->kept);
    t->largest = size_larger(t->largest, of.working);
    t->fits = t->fits && size_mul(rows * dtype_size(s->type), a->plan.n_k, &mean);
    if (is_rolled && t->fits)
        t->largest = size_larger(t->largest,
                                 2 * mean + multiply_memory(s->isa->table(s->type), s->rows,
                                                            a->plan.n_k, a->plan.n_k, t->threads));
    return true;
}

static bool add_layer(total *t, const layer *l, const keeper *keep, err *e)
{
    for (size_t i = 0; i < l->parts; i++) {
        const layer_part *p = &l->part[i];
        keeper within = keeper_within(keep, part_name(p->as->kind));
        if (p->as->kind == PART_FEED_FORWARD)
            add_feed_forward(t, p->feed_forward);
        else if (!add_attention(t, p->attention, &within,
                                t->rolls_out && p->as->kind == PART_ATTENTION, e))
            return false;
    }
    return true;
}

static bool add_layers(total *t, err *e)
{
    for (size_t i = 0; i < t->stack->layers; i++) {
        keeper of_layer = keeper_of_layer(&t->keep, i);
        if (!add_layer(t, &t->stack->layer[i], &of_layer, e))
            return false;
    }
    return true;
}

/* The stages stay, and so do caches, where the stack goes on. */
static bool add_kept_and_parts(total *t, const text_list *emit, err *e)
{
    t->keep = keeper_of(emit);
    t->fits = true;
    t->rolls_out = stack_has_rollout(t->stack) && keeper_wants(&t->keep, "rollout");
    return stack_each_stage(t->stack, add_stage, t, e) && add_layers(t, e);
}

bool stack_memory(const stack *s, const text_list *emit, size_t threads, size_t *bytes, err *e)
{
    enum { ROWS_AT_ONCE = 5 }; /* that go from one part to the next */
    total t = {.stack = s, .threads = threads};
    if (!add_kept_and_parts(&t, emit, e))
        return false;
    if (s->has_end)
        add_feed_forward(&t, &s->end);
    add_kept(&t, ROWS_AT_ONCE * s->embedded.size[0], s->width);
    if (!t.fits || !size_add(t.kept, t.largest, bytes))
        *bytes = SIZE_MAX;
    return true;
}

bool stack_stages_memory(const stack *s, const text_list *emit, size_t *bytes, err *e)
{
    total t = {.stack = s, .threads = 1};
    bool done = add_kept_and_parts(&t, emit, e);
    *bytes = t.fits ? t.kept : SIZE_MAX;
    return done;
}

bool stack_cache_memory(const stack *s, size_t rows, size_t *bytes, err *e)
{
    *bytes = 0;
    for (size_t i = 0; i < s->layers; i++) {
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            const layer_part *p = &s->layer[i].part[j];
            size_t one = 0;
            if (p->as->kind == PART_ATTENTION &&
                !attention_cache_memory(p->attention, rows, &one, e))
                return false;
            if (!size_add(*bytes, one, bytes))
                *bytes = SIZE_MAX;
        }
    }
    return true;
}

/* ---- work ---- */

static double part_operations(const stack *s, const layer_part *p)
{
    double rows = (double)s->embedded.size[0], width = (double)s->width;
    if (p->as->kind == PART_FEED_FORWARD)
        return 2 * rows * width * (double)p->feed_forward->hidden;
    const plan *a = &p->attention->plan;
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
