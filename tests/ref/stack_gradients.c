#include "ref/stack_gradients.h"

#include "ref/dice.h"
#include "ref/ref_random.h"
#include "ref/ref_stack_back.h"
#include "ref/stack_subject.h"
#include "ref/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct trial {
    ref_stack stack; /* the caller's numbers, and what gradients begin with */
    dice dice;
    stack_subject whole;
    long double largest; /* of all gradients of inputs */
    verdict says;
} trial;

static double element(const tensor *t, size_t index)
{
    return t->type == DTYPE_F32 ? (double)((const float *)t->data)[index]
                                : ((const double *)t->data)[index];
}

/* ---- the loss ---- */

/* The rows of the ids, of the embedding as it is now. */
static void look_up(const ref_stack *s)
{
    size_t width = s->x.size[s->x.rank - 1];
    for (size_t i = 0; s->ids != NULL && i < ref_count_of(&s->x); i++)
        s->x.at[i] = s->embedding.at[s->ids[i / width] * width + i % width];
}

static long double output_loss(const ref_stack *s)
{
    ref_stack_result r;
    look_up(s);
    ref_stack_compute(s, &r);
    long double reached = ref_stack_loss(s, &r.stage[r.count - 1]);
    ref_stack_result_free(&r);
    return reached;
}

/* ---- inputs, by differences ---- */

/* Is told of each array of numbers that has a gradient. */
typedef bool visit_array(trial *t, const char *name, double *at, size_t count);

static bool visit(trial *t, visit_array *each, const char *way, const char *of_key, double *at,
                  size_t count)
{
    char name[2 * REF_STACK_NAME];
    snprintf(name, sizeof name, "%s%s_grad", way, of_key);
    return at == NULL || each(t, name, at, count);
}

static bool visit_ref_array(trial *t, visit_array *each, const char *way, const char *of_key,
                            const ref_array *a)
{
    return visit(t, each, way, of_key, a->at, a->at == NULL ? 0 : ref_count_of(a));
}

static bool visit_attention(trial *t, visit_array *each, const char *way, const ref_problem *p)
{
    for (ref_input which = REF_WQ; which <= REF_BO; which++) {
        if (!visit_ref_array(t, each, way, REF_INPUT_KEYS[which], &p->in[which]))
            return false;
    }
    return true;
}

static bool visit_norm_of(trial *t, visit_array *each, const char *way, const char *name,
                          const ref_norm *by, size_t width)
{
    char within[REF_STACK_NAME];
    snprintf(within, sizeof within, "%s%s.", way, name);
    return !by->is_there || (visit(t, each, within, "gain", by->gain, width) &&
                             visit(t, each, within, "bias", by->bias, width));
}

static bool visit_norm(trial *t, visit_array *each, const char *way, const char *name,
                       const ref_norm *by)
{
    return visit_norm_of(t, each, way, name, by, t->stack.x.size[t->stack.x.rank - 1]);
}

static bool visit_head(trial *t, visit_array *each, const ref_head *h)
{
    size_t width = h->w.at == NULL ? 0 : h->w.size[ref_word_is(t->stack.layout, "out-in") ? 0 : 1];
    return visit_ref_array(t, each, "head.", "w", &h->w) &&
           visit_ref_array(t, each, "head.", "b", &h->b) &&
           visit_norm_of(t, each, "head.", "norm", &h->norm, width);
}

static bool visit_feed_forward(trial *t, visit_array *each, const char *way,
                               const ref_feed_forward *f)
{
    return visit_ref_array(t, each, way, "w1", &f->w1) &&
           visit_ref_array(t, each, way, "b1", &f->b1) &&
           visit_ref_array(t, each, way, "w2", &f->w2) &&
           visit_ref_array(t, each, way, "b2", &f->b2) &&
           visit_ref_array(t, each, way, "w3", &f->w3) &&
           visit_ref_array(t, each, way, "b3", &f->b3);
}

static bool visit_layer(trial *t, visit_array *each, size_t number)
{
    static const char *const NORMS[] = {"ln1", "ln2", "ln3", "ln4"};
    const ref_layer *l = &t->stack.layer[number];
    char way[REF_STACK_NAME], within[REF_STACK_NAME];
    snprintf(way, sizeof way, "layer.%zu.", number);
    snprintf(within, sizeof within, "layer.%zu.attention.", number);
    bool done = visit_attention(t, each, within, &l->attention);
    snprintf(within, sizeof within, "layer.%zu.cross.", number);
    done = done && (!l->has_cross || visit_attention(t, each, within, &l->cross));
    for (size_t i = 0; done && i < REF_NORMS; i++)
        done = visit_norm(t, each, way, NORMS[i], &l->norm[i]);
    return done && visit_feed_forward(t, each, way, &l->feed_forward);
}

static bool visit_all(trial *t, visit_array *each)
{
    const ref_stack *s = &t->stack;
    bool done = true;
    for (size_t i = 0; done && i < s->layers; i++)
        done = visit_layer(t, each, i);
    return done && visit_feed_forward(t, each, "", &s->end) &&
           visit_norm(t, each, "", "ln_e", &s->first) &&
           visit_norm(t, each, "", "ln_f", &s->final) &&
           (s->ids != NULL ? visit_ref_array(t, each, "", "embedding", &s->embedding)
                           : visit_ref_array(t, each, "", "x", &s->x)) &&
           visit_ref_array(t, each, "", "position_embedding", &s->positions) &&
           visit_ref_array(t, each, "", "segment_embedding", &s->segment_rows) &&
           visit_ref_array(t, each, "", "memory", &s->memory) &&
           visit_ref_array(t, each, "", "unembedding", &s->unembedding) &&
           visit_ref_array(t, each, "", "unembedding_bias", &s->unembedding_bias) &&
           visit_head(t, each, &s->head);
}

static bool says(trial *t, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool says(trial *t, const char *name, const char *format, ...)
{
    char why[256];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return verdict_differs(&t->says, name, why);
}

static bool measure(trial *t, const char *name, double *at, size_t count)
{
    const tensor *got = bundle_tensor(&t->whole.result, name);
    (void)at;
    if (got == NULL || tensor_count(got) != count)
        return says(t, name, got == NULL ? "is missing" : "has another size");
    for (size_t i = 0; i < count; i++)
        t->largest = fmaxl(t->largest, fabsl((long double)element(got, i)));
    return true;
}

static const double STEP = 0x1p-16;

/* (loss(x + e) − loss(x − e)) / 2e, by the steps that x makes in float64 */
static long double slope_at(const trial *t, double *at, double e)
{
    double kept = *at, more = kept + e, less = kept - e;
    *at = more;
    long double rise = output_loss(&t->stack);
    *at = less;
    rise -= output_loss(&t->stack);
    *at = kept;
    look_up(&t->stack);
    return rise / ((long double)more - (long double)less);
}

/* Within 10⁻⁶ of the largest gradient of any input, in float32 within 10⁻²: a norm of nearly equal
 * numbers makes errors that large. Where halving the step changes the slope more than that, the
 * function bends within it, and says nothing. */
static bool compare(trial *t, const char *name, double *at, size_t count)
{
    const tensor *got = bundle_tensor(&t->whole.result, name);
    long double share = t->stack.is_float32 ? 1e-2L : 1e-6L;
    size_t n = dice_below(&t->dice, count);
    long double wide = slope_at(t, at + n, STEP), narrow = slope_at(t, at + n, STEP / 2);
    if (fabsl(narrow - wide) > share / 4 * t->largest)
        return true;
    t->says.runs++;
    return fabsl((long double)element(got, n) - narrow) <= share * t->largest + 1e-9L ||
           says(t, name, "[number %zu of %zu] is %.17g, by differences %.17Lg, the largest %.3Lg",
                n, count, element(got, n), narrow, t->largest);
}

/* No gradient is there that has no input. */
static bool inputs_are_right(trial *t)
{
    return visit_all(t, measure) && visit_all(t, compare);
}

/* ---- all stages, by the formulas ---- */

/* In proportion to the greatest gradient of all: sums that cancel are errors of others'. */
static bool stages_are_right(trial *t)
{
    const ref_stack *s = &t->stack;
    ref_stack_result r;
    bool is_right = true;
    long double share = s->is_float32 ? 1e-2L : 1e-9L;
    if (s->memory.at != NULL && s->memory.rank != s->x.rank)
        return true;
    ref_stack_compute_back(s, &r);
    long double most = 0;
    for (size_t i = 0; i < r.count; i++)
        for (size_t j = 0; strstr(r.stage[i].name, "_grad") != NULL && j < r.stage[i].count; j++)
            most = fmaxl(most, fabsl(r.stage[i].at[j]));
    for (size_t i = 0; is_right && i < r.count; i++) {
        const ref_stack_stage *one = &r.stage[i];
        const tensor *got = bundle_tensor(&t->whole.result, one->name);
        if (strstr(one->name, "_grad") == NULL)
            continue;
        t->says.runs++;
        if (got == NULL || tensor_count(got) != one->count)
            is_right = says(t, one->name, got == NULL ? "is missing" : "has another size");
        for (size_t j = 0; is_right && j < one->count; j++) {
            if (!(fabsl((long double)element(got, j) - one->at[j]) <= share * most))
                is_right =
                    says(t, one->name, "[number %zu] is %.17g, not %.17Lg, the largest %.3Lg", j,
                         element(got, j), one->at[j], most);
        }
    }
    ref_stack_result_free(&r);
    return is_right;
}

/* ---- bits ---- */

static bool same_run(trial *t, stack_way way)
{
    stack_subject other;
    way.document = &t->whole.document;
    t->says.runs++;
    bool is_same = stack_subject_open(&other, &t->stack, SIZE_MAX, &way) ||
                   verdict_differs(&t->says, "refused", other.failure.what);
    for (size_t i = 0; is_same && i < other.result.count; i++) {
        const entry *one = &other.result.entry[i];
        is_same = same_bytes(bundle_tensor(&t->whole.result, one->name), &one->tensor) ||
                  verdict_differs(&t->says, one->name, "other bytes");
    }
    stack_subject_free(&other);
    return is_same;
}

/* By threads, one stage alone, and by each instruction set. */
static bool bits_are_same(trial *t)
{
    const char *one;
    do
        one = t->whole.names.item[dice_below(&t->dice, t->whole.names.count)];
    while (strstr(one, "_grad") == NULL);
    bool is_same = same_run(t, (stack_way){.threads = 3}) &&
                   same_run(t, (stack_way){.threads = 2, .emits = one});
    for (size_t i = 0; is_same && i < ISAS.count; i++) {
        const isa *by = (const isa *)(const void *)named_row(&ISAS, i);
        is_same = !by->is_here() || same_run(t, (stack_way){.by = by});
    }
    return is_same;
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    bool (*holds)(trial *t);
} CLAIMS[] = {{"gradients of inputs", inputs_are_right},
              {"gradients of stages", stages_are_right},
              {"gradients' bits", bits_are_same}};

/* Of the numbers that a pass goes over: larger stacks would take minutes. */
enum { WORK = 4000 };

static size_t work_of(const stack_subject *of)
{
    size_t all = 0;
    for (size_t i = 0; i < of->result.count; i++)
        all += tensor_count(&of->result.entry[i].tensor);
    return all;
}

void stack_gradients_try(const ref_stack *s, const char *where, size_t *passed, size_t *failed)
{
    trial t = {.stack = *s, .dice = {s->layers}};
    for (size_t i = 0; i < ref_count_of(&s->x); i++)
        t.dice.state = t.dice.state * 31 + (uint64_t)(int64_t)(s->x.at[i] * 0x1p40);
    ref_random_goal(&t.stack, &t.dice);
    bool done = stack_subject_open(&t.whole, &t.stack, SIZE_MAX, &(stack_way){0});
    for (size_t i = 0; done && i < sizeof CLAIMS / sizeof CLAIMS[0]; i++) {
        t.says = (verdict){0};
        if (i == 0 && work_of(&t.whole) > WORK)
            continue;
        bool holds = CLAIMS[i].holds(&t);
        verdict_count(&t.says, holds, where, CLAIMS[i].name, passed, failed);
    }
    *failed += !done;
    if (!done)
        verdict_tell(where, "gradients refused", t.whole.failure.what);
    stack_subject_free(&t.whole);
    ref_goal_free(&t.stack);
}
