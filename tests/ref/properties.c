#include "ref/properties.h"

#include "ref/ref_random.h"
#include "ref/subject.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

extern const kernels kernels_scalar_f32, kernels_scalar_f64;

/* A problem, computed whole, with all stages, in one thread. */
typedef struct trial {
    const ref_problem *problem;
    ref_sizes sizes;
    const bundle *whole;
    size_t runs; /* that a property took; none: it says nothing about this problem */
    char wrong[2304];
} trial;

static bool differs(trial *t, const char *name, const char *why)
{
    snprintf(t->wrong, sizeof t->wrong, "%s: %s", name, why);
    return false;
}

/* ---- comparing ---- */

/* Entry t of `part` along the axis is entry index[t] of `whole`, all others likewise. */
static bool same_selection(const tensor *whole, const tensor *part, int axis, const size_t *index)
{
    size_t outer = 1, inner = dtype_size(whole->type), count = part->size[axis];
    if (whole->rank != part->rank)
        return false;
    for (int i = 0; i < whole->rank; i++) {
        outer *= i < axis ? whole->size[i] : 1;
        inner *= i > axis ? whole->size[i] : 1;
        if (i != axis && whole->size[i] != part->size[i])
            return false;
    }
    for (size_t i = 0; i < outer * count; i++) {
        size_t from = i / count * whole->size[axis] + index[i % count];
        const char *a = (const char *)whole->data + from * inner;
        if (memcmp(a, (const char *)part->data + i * inner, inner) != 0)
            return false;
    }
    return true;
}

static bool same_bytes(const tensor *a, const tensor *b)
{
    return tensor_same_shape(a, b) &&
           memcmp(a->data, b->data, tensor_count(a) * dtype_size(a->type)) == 0;
}

/* All stages that the other way of computing gave are what the whole gave. */
static bool same_stages(trial *t, const bundle *other)
{
    for (size_t i = 0; i < other->count; i++) {
        const entry *one = &other->entry[i];
        if (!same_bytes(bundle_tensor(t->whole, one->name), &one->tensor))
            return differs(t, one->name, "other bytes");
    }
    return true;
}

static bool same_run(trial *t, const subject_way *way)
{
    subject s;
    t->runs++;
    bool is_same = subject_run(&s, t->problem, way) ? same_stages(t, &s.result)
                                                    : differs(t, "refused", s.failure.what);
    subject_free(&s);
    return is_same;
}

/* ---- problems made of others ---- */

static ref_array array_copy(const ref_array *a)
{
    ref_array copy = *a;
    if (a->at == NULL)
        return copy;
    copy.at = ref_alloc(ref_count_of(a), sizeof a->at[0]);
    memcpy(copy.at, a->at, ref_count_of(a) * sizeof a->at[0]);
    return copy;
}

/* Tokens and vocabularies are left behind: they name as many rows as there were. */
static ref_problem problem_copy(const ref_problem *p)
{
    ref_problem copy = *p;
    for (ref_input which = REF_X; which < REF_INPUTS; which++)
        copy.in[which] = array_copy(&p->in[which]);
    copy.has_tokens = copy.has_key_tokens = false;
    copy.vocab = (ref_array){0};
    copy.token_word = NULL;
    return copy;
}

/* Keeps the entries index[0 … count) of one axis, in this order. */
static void select_entries(ref_array *a, int axis, const size_t *index, size_t count)
{
    ref_array kept = *a;
    size_t outer = 1, inner = 1;
    kept.size[axis] = count;
    kept.at = ref_alloc(ref_count_of(&kept), sizeof a->at[0]);
    for (int i = 0; i < a->rank; i++) {
        outer *= i < axis ? a->size[i] : 1;
        inner *= i > axis ? a->size[i] : 1;
    }
    for (size_t i = 0; i < outer * count; i++)
        memcpy(kept.at + i * inner, a->at + (i / count * a->size[axis] + index[i % count]) * inner,
               inner * sizeof a->at[0]);
    free(a->at);
    *a = kept;
}

/* The axis of a mask or bias that counts batches, or queries; −1 where it has none, or one entry
 * for all. */
static int mask_axis_of(const ref_problem *p, const ref_array *a, bool of_batches)
{
    bool by_batch = ref_word_is(p->mask_axis, "batch");
    if (a->at == NULL || a->rank == 1)
        return -1;
    if (a->rank == 4) {
        int axis = of_batches ? 0 : 2;
        return a->size[axis] > 1 ? axis : -1;
    }
    if (of_batches)
        return by_batch ? 0 : -1;
    return a->rank == 3 ? 1 : by_batch ? -1 : 0;
}

static void select_in_masks(ref_problem *p, bool of_batches, const size_t *index, size_t count)
{
    for (ref_input which = REF_MASK; which <= REF_BIAS; which++) {
        int axis = mask_axis_of(p, &p->in[which], of_batches);
        if (axis >= 0)
            select_entries(&p->in[which], axis, index, count);
    }
}

static void select_batch(ref_problem *p, size_t batch)
{
    static const ref_input BATCHED[] = {REF_X, REF_XK, REF_XV, REF_Q, REF_K, REF_V};
    for (size_t i = 0; i < sizeof BATCHED / sizeof BATCHED[0]; i++) {
        ref_array *a = &p->in[BATCHED[i]];
        if (a->at != NULL && a->rank >= 3)
            select_entries(a, 0, &batch, 1);
    }
    select_in_masks(p, true, &batch, 1);
}

/* Other queries, the same keys: what keys and values were made of x is made of xk, a copy, from now
 * on. */
static void select_queries(ref_problem *p, const size_t *index, size_t count)
{
    ref_array *in = p->in;
    bool k_needs_x = in[REF_K].at == NULL && in[REF_XK].at == NULL;
    bool v_needs_x = in[REF_V].at == NULL && in[REF_XV].at == NULL && in[REF_XK].at == NULL;
    if (k_needs_x || v_needs_x)
        in[REF_XK] = array_copy(&in[REF_X]);
    ref_array *rows = &in[in[REF_Q].at != NULL ? REF_Q : REF_X];
    select_entries(rows, rows->rank - 2, index, count);
    select_in_masks(p, false, index, count);
}

/* The stages of a problem with other queries; keys, values and the rows of both are left as they
 * were. */
static bool same_queries(trial *t, const bundle *part, const size_t *index)
{
    for (size_t i = 0; i < part->count; i++) {
        const entry *one = &part->entry[i];
        bool is_row = one->name[0] == 'x',
             is_key = one->name[0] == 'k' || strcmp(one->name, "v") == 0;
        const tensor *whole = bundle_tensor(t->whole, one->name);
        int axis = one->tensor.rank - (strcmp(one->name, "weighted") == 0 ? 3 : 2);
        if (is_row)
            continue;
        if (is_key ? !same_bytes(whole, &one->tensor)
                   : !same_selection(whole, &one->tensor, axis, index))
            return differs(t, one->name, "other bytes");
    }
    return true;
}

static bool run_queries(trial *t, ref_problem *p, const size_t *index)
{
    subject s;
    t->runs++;
    bool is_same = subject_run(&s, p, &(subject_way){.threads = 1})
                       ? same_queries(t, &s.result, index)
                       : differs(t, "refused", s.failure.what);
    subject_free(&s);
    return is_same;
}

/* ---- the properties; each is true where it holds, and where it says nothing ---- */

static bool output_alone(trial *t)
{
    return same_run(t, &(subject_way){.threads = 1, .wants_output_only = true});
}

static bool many_threads(trial *t)
{
    return same_run(t, &(subject_way){.threads = 2}) &&
           same_run(t, &(subject_way){.threads = 3, .wants_output_only = true}) &&
           same_run(t, &(subject_way){.threads = 7});
}

static bool scalar_kernels(trial *t)
{
    const kernels *with = t->problem->is_float32 ? &kernels_scalar_f32 : &kernels_scalar_f64;
    return same_run(t, &(subject_way){.threads = 1, .with = with});
}

static bool batch_entry_alone(trial *t, size_t batch)
{
    ref_problem alone = problem_copy(t->problem);
    subject s;
    t->runs++;
    select_batch(&alone, batch);
    bool is_same = subject_run(&s, &alone, &(subject_way){.threads = 1}) ||
                   differs(t, "refused", s.failure.what);
    for (size_t i = 0; is_same && i < s.result.count; i++) {
        const entry *one = &s.result.entry[i];
        is_same = same_selection(bundle_tensor(t->whole, one->name), &one->tensor, 0, &batch) ||
                  differs(t, one->name, "other bytes");
    }
    subject_free(&s);
    ref_problem_free(&alone);
    return is_same;
}

static bool batch_entries_alone(trial *t)
{
    bool is_same = true;
    for (size_t batch = 0; is_same && t->sizes.has_batch && batch < t->sizes.b; batch++)
        is_same = batch_entry_alone(t, batch);
    return is_same;
}

/* One row is the query at position `offset`; lower-right is upper-left with the offset n_k − n_q. A
 * row before the first key has no such position. */
static bool query_alone(trial *t, size_t query)
{
    ref_problem alone = problem_copy(t->problem);
    bool is_lower = ref_word_is(alone.causal, "lower-right"), is_same = true;
    alone.offset = (alone.has_offset ? alone.offset : 0) + query;
    if (is_lower) {
        alone.offset = query + t->sizes.n_k - t->sizes.n_q;
        alone.causal = "upper-left";
    }
    alone.has_offset = true;
    select_queries(&alone, &query, 1);
    if (!is_lower || query + t->sizes.n_k >= t->sizes.n_q)
        is_same = run_queries(t, &alone, &query);
    ref_problem_free(&alone);
    return is_same;
}

static bool queries_alone(trial *t)
{
    bool is_same = true;
    for (size_t query = 0; is_same && query < t->sizes.n_q; query += 1 + t->sizes.n_q / 16)
        is_same = query_alone(t, query);
    return is_same;
}

/* A shuffle after Fisher and Yates. Causality ties a query to its place, so it is switched off. */
static bool queries_shuffled(trial *t)
{
    ref_problem shuffled = problem_copy(t->problem);
    bool is_tied = shuffled.causal != NULL && !ref_word_is(shuffled.causal, "none") &&
                   !ref_word_is(shuffled.causal, "false");
    size_t n = t->sizes.n_q, *index = ref_alloc(n, sizeof index[0]);
    uint64_t state = n;
    for (size_t i = 0; i < n; i++) {
        size_t other = (size_t)(ref_random_bits(&state) % (i + 1));
        index[i] = index[other];
        index[other] = i;
    }
    select_queries(&shuffled, index, n);
    bool is_same = is_tied || run_queries(t, &shuffled, index);
    free(index);
    ref_problem_free(&shuffled);
    return is_same;
}

/* Rounding upwards; on x86, subnormal numbers flushed to zero too. */
static void spoil_float_mode(void)
{
    fesetround(FE_UPWARD);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
}

static bool float_mode_is_spoilt(void)
{
    bool is_spoilt = fegetround() == FE_UPWARD;
#if defined(__x86_64__)
    is_spoilt = is_spoilt && (_mm_getcsr() & 0x8040) == 0x8040;
#endif
    return is_spoilt;
}

static void mend_float_mode(void)
{
    fesetenv(FE_DFL_ENV);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() & ~0x8040u);
#endif
}

/* Whatever the caller's mode is, the result is the same, and the mode is left as it was. */
static bool wrong_float_mode(trial *t)
{
    subject s;
    t->runs++;
    bool done =
        subject_run(&s, t->problem, &(subject_way){.threads = 2, .before = spoil_float_mode});
    bool is_kept = float_mode_is_spoilt();
    mend_float_mode();
    bool is_same = done ? same_stages(t, &s.result) : differs(t, "refused", s.failure.what);
    subject_free(&s);
    return is_same && (is_kept || differs(t, "float mode", "not what it was before"));
}

static const struct {
    const char *name;
    bool (*holds)(trial *t);
} PROPERTIES[] = {
    {"output alone", output_alone},     {"threads", many_threads},
    {"scalar kernels", scalar_kernels}, {"batch entries alone", batch_entries_alone},
    {"queries alone", queries_alone},   {"queries shuffled", queries_shuffled},
    {"float mode", wrong_float_mode},
};

void properties_try(const ref_problem *p, const char *where, size_t *passed, size_t *failed)
{
    subject whole;
    if (subject_run(&whole, p, &(subject_way){.threads = 1})) {
        for (size_t i = 0; i < sizeof PROPERTIES / sizeof PROPERTIES[0]; i++) {
            trial t = {.problem = p, .sizes = ref_sizes_of(p), .whole = &whole.result};
            bool holds = PROPERTIES[i].holds(&t);
            *passed += holds && t.runs > 0;
            *failed += !holds;
            if (!holds)
                printf("FAIL %s: %s: %s\n", where, PROPERTIES[i].name, t.wrong);
        }
    } else {
        printf("FAIL %s: refused: %s\n", where, whole.failure.what);
        ++*failed;
    }
    subject_free(&whole);
}
