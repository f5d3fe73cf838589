#include "ref/compare_stacks.h"

#include "ref/stack_gradients.h"
#include "ref/stack_properties.h"
#include "ref/stack_subject.h"
#include "ref/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Of each so manieth stack gradients are tried too: they take long. */
enum { WRONG = 512, GRADIENTS_OF = 4, ORDERS_OF = 5 };

/* And so many have experts, whose gradients tests/autograd tries. */
enum { MIXED_OF = 6 };

/* And of so many the layers come twice or three times. */
enum { REPEATED_OF = 7 };

static const long double ROUNDINGS = 0x1p13L;

/* ---- one stack ---- */

static bool says(char wrong[WRONG], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool says(char wrong[WRONG], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(wrong, WRONG, format, args);
    va_end(args);
    return false;
}

static double element(const tensor *t, size_t index)
{
    return t->type == DTYPE_F32 ? (double)((const float *)t->data)[index]
                                : ((const double *)t->data)[index];
}

static long double largest(const ref_stack_stage *of)
{
    long double most = 0;
    for (size_t i = 0; i < of->count; i++)
        most = isinf(of->at[i]) ? most : fmaxl(most, fabsl(of->at[i]));
    return most;
}

static bool same_shape(const ref_stack_stage *right, const tensor *got)
{
    bool is_same = got->rank == right->rank;
    for (int axis = 0; is_same && axis < got->rank; axis++)
        is_same = got->size[axis] == right->size[axis];
    return is_same;
}

static bool check_stage(const ref_stack_stage *right, const tensor *got, char wrong[WRONG])
{
    char shape[SHAPE_TEXT];
    if (got == NULL)
        return says(wrong, "%s is missing", right->name);
    if (!same_shape(right, got))
        return says(wrong, "%s is %s, the reference has other sizes", right->name,
                    tensor_shape_text(got, shape));
    long double unit = got->type == DTYPE_F32 ? FLOAT32.unit : FLOAT64.unit;
    long double most = ROUNDINGS * unit * largest(right);
    for (size_t i = 0; i < right->count; i++) {
        long double found = element(got, i), exact = right->at[i];
        if (isinf(exact) ? found != exact : !(fabsl(found - exact) <= most))
            return says(wrong, "%s[element %zu of %zu] is %.17Lg, the reference's %.17Lg ± %.3Lg",
                        right->name, i, right->count, found, exact, most);
    }
    return true;
}

static bool check_stages(const stack_subject *one, const ref_stack_result *r, char wrong[WRONG])
{
    for (size_t i = 0; i < r->count; i++) {
        if (!check_stage(&r->stage[i], bundle_tensor(&one->result, r->stage[i].name), wrong))
            return false;
    }
    if (one->names.count != r->count || one->result.count != r->count)
        return says(wrong, "%zu stages are named and %zu made, the reference has %zu",
                    one->names.count, one->result.count, r->count);
    return true;
}

static bool is_right(const ref_stack *s, char wrong[WRONG])
{
    stack_subject one;
    ref_stack_result right;
    bool done = stack_subject_open(&one, s, SIZE_MAX, &(stack_way){0}) ||
                says(wrong, "refused: %s", one.failure.what);
    if (done) {
        ref_stack_compute(s, &right);
        done = check_stages(&one, &right, wrong);
        ref_stack_result_free(&right);
    }
    stack_subject_free(&one);
    return done;
}

/* ---- all ---- */

/* A stack that fails is shown where it is tried alone. */
static void show(const ref_stack *s)
{
    text written = {0};
    stack_document(s, SIZE_MAX, 0, &written);
    printf("%s", text_string(&written));
    text_free(&written);
}

void compare_stacks(uint64_t seed, uint64_t first, uint64_t count, size_t *passed, size_t *failed)
{
    for (uint64_t i = first; i < first + count; i++) {
        ref_stack s;
        char wrong[WRONG], where[64];
        /* One of five has an order of norms that the others do not have: each of them in turn, also
         * among those whose gradients are tried. */
        uint64_t turn = i / ORDERS_OF + i / (ORDERS_OF * GRADIENTS_OF);
        ref_random_stack_in(&s, seed, i,
                            i % ORDERS_OF != 0 ? NULL
                                               : REF_STACK_ORDERS[turn % REF_STACK_ORDER_COUNT]);
        bool is_mixed = i % MIXED_OF == 1;
        if (is_mixed)
            ref_stack_mix(&s, seed, i);
        s.times = i % REPEATED_OF == 2 ? 2 + i / REPEATED_OF % (REF_TIMES_MOST - 1) : 0;
        s.mistake = getenv("REF_BREAK");
        snprintf(where, sizeof where, "compare stacks 1 %" PRIu64 ":%" PRIu64, seed, i);
        bool done = is_right(&s, wrong);
        *(done ? passed : failed) += 1;
        if (done)
            stack_properties_try(&s, where, passed, failed);
        else
            verdict_tell(where, "stages", wrong);
        if (done && i % GRADIENTS_OF == 0 && !is_mixed)
            stack_gradients_try(&s, where, passed, failed);
        if (!done && count == 1)
            show(&s);
        ref_stack_free(&s);
    }
    printf("compare: %" PRIu64 " random stacks of seed %" PRIu64 "\n", count, seed);
}

static bool notices(const char *mistake, uint64_t number)
{
    ref_stack s;
    char wrong[WRONG];
    ref_random_stack(&s, 1, number);
    if (number % MIXED_OF == 1)
        ref_stack_mix(&s, 1, number);
    s.mistake = mistake;
    bool is_noticed = !is_right(&s, wrong);
    ref_stack_free(&s);
    return is_noticed;
}

void compare_stacks_self_test(uint64_t count, size_t *passed, size_t *failed)
{
    for (size_t i = 0; i < REF_STACK_MISTAKE_COUNT; i++) {
        uint64_t number = 0;
        while (number < count && !notices(REF_STACK_MISTAKES[i], number))
            number++;
        *(number < count ? passed : failed) += 1;
        if (number == count)
            printf("FAIL compare stacks: nobody notices the mistake %s\n", REF_STACK_MISTAKES[i]);
    }
}
