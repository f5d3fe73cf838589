#include "ref/ref_flow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const REF_STACK_MISTAKES[] = {"norm mean",
                                          "norm divisor",
                                          "norm eps",
                                          "norm deviation",
                                          "norm both",
                                          "rms mean",
                                          "gain",
                                          "gain one",
                                          "gain less one",
                                          "no ln",
                                          "no ln1",
                                          "no ln2",
                                          "no ln3",
                                          "ln1",
                                          "residual",
                                          "attention residual",
                                          "cross residual",
                                          "ffn residual",
                                          "layer residual",
                                          "parallel",
                                          "late positions",
                                          "batch first",
                                          "pre",
                                          "seed",
                                          "no attention",
                                          "no cross",
                                          "no ffn",
                                          "no layer",
                                          "first layer",
                                          "last layer",
                                          "gelu",
                                          "no activation",
                                          "gate",
                                          "memory",
                                          "cross weights",
                                          "position",
                                          "positions twice",
                                          "positions halves",
                                          "positions swapped",
                                          "rows scaled",
                                          "rows divided",
                                          "rows scaled late",
                                          "causal",
                                          "w1 layout",
                                          "segment",
                                          "choice bias in weights",
                                          "weights on rows"};
const size_t REF_STACK_MISTAKE_COUNT = sizeof REF_STACK_MISTAKES / sizeof REF_STACK_MISTAKES[0];

bool flow_makes(const flow *f, const char *mistake)
{
    const ref_stack *s = f->stack;
    return ref_word_is(s->mistake, mistake) && (s->mistake_in == 0 || s->mistake_in == f->layer);
}

/* "no cross", "cross residual" */
bool flow_makes_of(const flow *f, const char *before, const char *part, const char *after)
{
    char mistake[32];
    snprintf(mistake, sizeof mistake, "%s%s%s", before, part, after);
    return flow_makes(f, mistake);
}

long double flow_residual_scale(const flow *f)
{
    double own = ref_stack_layer(f->stack, f->layer - 1)->residual_scale;
    double scale = own != 0 ? own : f->stack->residual_scale;
    return scale != 0 ? scale : 1;
}

rows rows_new(size_t n, size_t width)
{
    return (rows){n, width, ref_alloc(n * width, sizeof(long double))};
}

rows rows_copy(const rows *of)
{
    rows copy = rows_new(of->n, of->width);
    memcpy(copy.at, of->at, of->n * of->width * sizeof copy.at[0]);
    return copy;
}

/* ---- stages ---- */

static ref_stack_stage *stage_add(const flow *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static ref_stack_stage *stage_add(const flow *f, const char *format, ...)
{
    ref_stack_result *r = f->result;
    if (r->count == r->capacity) {
        ref_stack_stage *old = r->stage;
        r->capacity = 2 * r->capacity + 64;
        r->stage = ref_alloc(r->capacity, sizeof r->stage[0]);
        if (old != NULL)
            memcpy(r->stage, old, r->count * sizeof old[0]);
        free(old);
    }
    ref_stack_stage *stage = &r->stage[r->count++];
    size_t length = (size_t)snprintf(stage->name, sizeof stage->name, "%s", f->way);
    va_list args;
    va_start(args, format);
    vsnprintf(stage->name + length, sizeof stage->name - length, format, args);
    va_end(args);
    return stage;
}

void flow_keep(const flow *f, const char *name, const rows *of)
{
    ref_stack_stage *stage = stage_add(f, "%s", name);
    size_t size[] = {f->batches, f->n, of->width};
    stage->rank = f->batches > 0 ? 3 : 2;
    memcpy(stage->size, f->batches > 0 ? size : size + 1, (size_t)stage->rank * sizeof size[0]);
    stage->count = of->n * of->width;
    stage->at = rows_copy(of).at;
}

void flow_keep_array(const flow *f, const char *name, int rank, const size_t *size,
                     const long double *at)
{
    ref_stack_stage *stage = stage_add(f, "%s", name);
    stage->rank = rank;
    stage->count = 1;
    for (int i = 0; i < rank; i++)
        stage->count *= stage->size[i] = size[i];
    stage->at = ref_alloc(stage->count, sizeof stage->at[0]);
    memcpy(stage->at, at, stage->count * sizeof at[0]);
}

void flow_keep_stage(const flow *f, const char *part, const ref_stage *one)
{
    if (one->at == NULL || one->is_not_made)
        return;
    ref_stack_stage *stage = stage_add(f, "%s.%s", part, one->name);
    stage->rank = one->rank;
    memcpy(stage->size, one->size, sizeof one->size);
    stage->count = one->count;
    stage->at = ref_alloc(one->count, sizeof stage->at[0]);
    for (size_t i = 0; i < one->count; i++)
        stage->at[i] = one->at[i].value;
}
