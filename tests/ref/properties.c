#include "ref/properties.h"

#include "ref/dice.h"
#include "ref/ref_random.h"
#include "ref/ref_select.h"
#include "ref/spoil.h"
#include "ref/streamed.h"
#include "ref/subject.h"
#include "ref/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const kept_stages OUTPUT_ONLY = {.stage = {STAGE_WEIGHTS, STAGE_OUTPUT}, .count = 2};

extern const kernels kernels_scalar_f32, kernels_scalar_f64;

/* A problem, computed whole, with all stages, in one thread. */
typedef struct trial {
    const ref_problem *problem;
    ref_sizes sizes;
    const bundle *whole;
    verdict says;
} trial;

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

/* All stages that the other way of computing gave are what the whole gave. */
static bool same_stages(trial *t, const bundle *other)
{
    for (size_t i = 0; i < other->count; i++) {
        const entry *one = &other->entry[i];
        if (!same_bytes(bundle_tensor(t->whole, one->name), &one->tensor))
            return verdict_differs(&t->says, one->name, "other bytes");
    }
    return true;
}

static bool same_run(trial *t, const subject_way *way)
{
    subject s;
    t->says.runs++;
    bool is_same = subject_run(&s, t->problem, way)
                       ? same_stages(t, &s.result)
                       : verdict_differs(&t->says, "refused", s.failure.what);
    subject_free(&s);
    return is_same;
}

/* The stages of a problem with other queries; keys, values and the rows of both are left as they
 * were. */
static bool same_queries(trial *t, const bundle *part, const size_t *index)
{
    for (size_t i = 0; i < part->count; i++) {
        const entry *one = &part->entry[i];
        bool is_row = one->name[0] == 'x',
             is_key = one->name[0] == 'k' || one->name[0] == 'v' ||
                      strncmp(one->name, "present", strlen("present")) == 0;
        const tensor *whole = bundle_tensor(t->whole, one->name);
        int axis = one->tensor.rank - (strcmp(one->name, "weighted") == 0 ? 3 : 2);
        if (is_row)
            continue;
        if (is_key ? !same_bytes(whole, &one->tensor)
                   : !same_selection(whole, &one->tensor, axis, index))
            return verdict_differs(&t->says, one->name, "other bytes");
    }
    return true;
}

static bool run_queries_by(trial *t, const ref_problem *p, const subject_way *way,
                           const size_t *index)
{
    subject s;
    t->says.runs++;
    bool is_same = subject_run(&s, p, way) ? same_queries(t, &s.result, index)
                                           : verdict_differs(&t->says, "refused", s.failure.what);
    subject_free(&s);
    return is_same;
}

static bool run_queries(trial *t, const ref_problem *p, const size_t *index)
{
    return run_queries_by(t, p, &(subject_way){.threads = 1}, index);
}

/* ---- the properties; each is true where it holds, and where it says nothing ---- */

static bool output_alone(trial *t)
{
    return same_run(t, &(subject_way){.threads = 1, .wants = &OUTPUT_ONLY});
}

static bool many_threads(trial *t)
{
    return same_run(t, &(subject_way){.threads = 2}) &&
           same_run(t, &(subject_way){.threads = 3, .wants = &OUTPUT_ONLY}) &&
           same_run(t, &(subject_way){.threads = 7});
}

/* Of a few keys each, whose ends are where the vectors' are not. */
static bool keys_in_parts(trial *t)
{
    return same_run(t, &(subject_way){.threads = 1, .part = 1}) &&
           same_run(t, &(subject_way){.threads = 2, .part = 5, .wants = &OUTPUT_ONLY});
}

static bool scalar_kernels(trial *t)
{
    const kernels *with = t->problem->is_float32 ? &kernels_scalar_f32 : &kernels_scalar_f64;
    return same_run(t, &(subject_way){.threads = 1, .with = with});
}

static bool batch_entry_alone(trial *t, size_t batch)
{
    ref_problem alone = ref_problem_copy(t->problem);
    subject s;
    t->says.runs++;
    ref_select_batch(&alone, batch);
    bool is_same = subject_run(&s, &alone, &(subject_way){.threads = 1}) ||
                   verdict_differs(&t->says, "refused", s.failure.what);
    for (size_t i = 0; is_same && i < s.result.count; i++) {
        const entry *one = &s.result.entry[i];
        is_same = same_selection(bundle_tensor(t->whole, one->name), &one->tensor, 0, &batch) ||
                  verdict_differs(&t->says, one->name, "other bytes");
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

static bool query_alone(trial *t, size_t query)
{
    if (ref_sums_are_keys(t->problem))
        return true;
    ref_problem alone = ref_problem_copy(t->problem);
    bool is_same = !ref_select_one_query(&alone, query) || run_queries(t, &alone, &query);
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

/* A range of the queries, and every other one. */
static bool queries_chosen(trial *t)
{
    size_t n = t->sizes.n_q, *index = ref_alloc(n, sizeof index[0]);
    dice throws = {n + 1};
    bool is_same = true;
    for (size_t step = 1; is_same && step <= 2; step++) {
        row_choice rows = {.row = index, .of = n};
        size_t first = dice_below(&throws, n), end = first + 1 + dice_below(&throws, n - first);
        for (size_t i = first; i < end; i += step)
            index[rows.count++] = i;
        is_same = run_queries_by(t, t->problem, &(subject_way){.threads = 1, .rows = &rows}, index);
    }
    free(index);
    return is_same;
}

/* A shuffle after Fisher and Yates. Not where what it sees ties a query to its place. */
static bool queries_shuffled(trial *t)
{
    ref_problem shuffled = ref_problem_copy(t->problem);
    bool is_tied = ref_places_matter(&shuffled) || shuffled.has_positions ||
                   (shuffled.has_rope && shuffled.rope_positions.at == NULL);
    size_t n = t->sizes.n_q, *index = ref_alloc(n, sizeof index[0]);
    dice throws = {n};
    for (size_t i = 0; i < n; i++) {
        size_t other = dice_below(&throws, i + 1);
        index[i] = index[other];
        index[other] = i;
    }
    ref_select_queries(&shuffled, index, n);
    bool is_same = is_tied || run_queries(t, &shuffled, index);
    free(index);
    ref_problem_free(&shuffled);
    return is_same;
}

/* The last form of keys or values, before a cache's go before them, or after them. */
static const tensor *last_form(const bundle *result, bool is_key)
{
    static const char *const KEYS_OF[] = {"present_k", "k_rope", "k_norm", "k"};
    static const char *const VALUES_OF[] = {"present_v", "v"};
    const char *const *name = is_key ? KEYS_OF : VALUES_OF;
    while (bundle_find(result, *name) == NULL)
        name++;
    return bundle_tensor(result, *name);
}

/* The first rows of a result as a cache. */
static void set_past(ref_problem *p, ref_input which, const tensor *rows, size_t count)
{
    ref_array *to = &p->in[which];
    tensor first = tensor_range(rows, rows->rank - 2, 0, count);
    size_t index[TENSOR_MAX_RANK] = {0};
    free(to->at);
    *to = (ref_array){.rank = first.rank, .at = ref_alloc(tensor_count(&first), sizeof(double))};
    memcpy(to->size, first.size, (size_t)first.rank * sizeof first.size[0]);
    double *at = to->at;
    do
        *at++ = tensor_get(&first, index);
    while (tensor_next(&first, index));
}

static bool has_apart(const trial *t, ref_input which)
{
    return t->problem->in[which].at != NULL && t->problem->in[which].rank == 4;
}

/* All but what is of the new keys alone, and their rows. The present values have the layout of the
 * keys, and those that no cache comes before their own. */
static bool same_but_new_keys(trial *t, const bundle *cached)
{
    static const char *const NEW[] = {"xk",    "xv", "kv_latent", "kv_latent_norm", "k_sum",
                                      "v_sum", "k",  "v",         "k_norm",         "k_rope"};
    for (size_t i = 0; i < cached->count; i++) {
        const entry *one = &cached->entry[i];
        const tensor *whole = bundle_tensor(t->whole, one->name);
        bool is_new = false;
        for (size_t j = 0; j < sizeof NEW / sizeof NEW[0]; j++)
            is_new = is_new || strcmp(one->name, NEW[j]) == 0;
        if (strncmp(one->name, "present", strlen("present")) == 0)
            whole = last_form(t->whole, strcmp(one->name, "present_k") == 0);
        is_new = is_new || (strcmp(one->name, "present_v") == 0 && t->sizes.past == 0 &&
                            has_apart(t, REF_K) != has_apart(t, REF_V));
        if (!is_new && memcmp(whole->data, one->tensor.data,
                              tensor_count(whole) * dtype_size(whole->type)) != 0)
            return verdict_differs(&t->says, one->name, "other bytes");
    }
    return true;
}

/* The first keys and values come out of a cache, which is what they were computed to be. */
static bool keys_cached(trial *t)
{
    size_t from = t->sizes.n_new / 2, past = t->sizes.past + from;
    if (from == 0 || t->sizes.own < t->sizes.n_k || ref_sums_are_keys(t->problem))
        return true;
    ref_problem cached = ref_problem_copy(t->problem);
    subject s;
    bool is_lower = ref_word_is(cached.causal, "lower-right");
    t->says.runs++;
    set_past(&cached, REF_PAST_K, last_form(t->whole, true), past);
    set_past(&cached, REF_PAST_V, last_form(t->whole, false), past);
    ref_select_new_keys(&cached, from);
    cached.heads = t->sizes.has_heads ? t->sizes.h : 0;
    cached.kv_heads = t->sizes.has_heads ? t->sizes.g : 0;
    cached.offset = cached.has_offset ? cached.offset : t->sizes.past;
    cached.has_offset = !is_lower;
    bool is_same = subject_run(&s, &cached, &(subject_way){.threads = 1})
                       ? same_but_new_keys(t, &s.result)
                       : verdict_differs(&t->says, "refused", s.failure.what);
    subject_free(&s);
    ref_problem_free(&cached);
    return is_same;
}

static bool rows_streamed(trial *t)
{
    return streamed_is_same(t->problem, &t->says);
}

/* Whatever the caller's mode is, the result is the same, and the mode is left as it was. */
static bool wrong_float_mode(trial *t)
{
    subject s;
    t->says.runs++;
    bool done =
        subject_run(&s, t->problem, &(subject_way){.threads = 2, .before = float_mode_spoil});
    bool is_kept = float_mode_is_spoilt();
    float_mode_mend();
    bool is_same =
        done ? same_stages(t, &s.result) : verdict_differs(&t->says, "refused", s.failure.what);
    subject_free(&s);
    return is_same &&
           (is_kept || verdict_differs(&t->says, "float mode", "not what it was before"));
}

static const struct {
    const char *name;
    bool (*holds)(trial *t);
} PROPERTIES[] = {
    {"output alone", output_alone},     {"threads", many_threads},
    {"scalar kernels", scalar_kernels}, {"batch entries alone", batch_entries_alone},
    {"queries alone", queries_alone},   {"queries shuffled", queries_shuffled},
    {"keys cached", keys_cached},       {"float mode", wrong_float_mode},
    {"rows streamed", rows_streamed},   {"queries chosen", queries_chosen},
    {"keys in parts", keys_in_parts},
};

void properties_try(const ref_problem *p, const char *where, size_t *passed, size_t *failed)
{
    subject whole;
    if (subject_run(&whole, p, &(subject_way){.threads = 1})) {
        for (size_t i = 0; i < sizeof PROPERTIES / sizeof PROPERTIES[0]; i++) {
            trial t = {.problem = p, .sizes = ref_sizes_of(p), .whole = &whole.result};
            bool holds = PROPERTIES[i].holds(&t);
            verdict_count(&t.says, holds, where, PROPERTIES[i].name, passed, failed);
        }
    } else {
        verdict_tell(where, "refused", whole.failure.what);
        ++*failed;
    }
    subject_free(&whole);
}
