#include "answer/ways.h"

#include "answer/problems.h"
#include "ref/ref_random.h"
#include "ref/ref_select.h"
#include "ref/spoil.h"

#include <stdlib.h>
#include <string.h>

/* Beyond this, `weighted` would be most of what is computed. */
enum { WEIGHTED_MOST = 1 << 22 };

static subject_way way_of(const trial *t, const kept_stages *wants)
{
    return (subject_way){.threads = t->threads,
                         .wants = wants,
                         .allows_nonfinite = t->allows_nonfinite,
                         .with = t->with};
}

static kept_stages stages_of(const trial *t)
{
    static const kept_stages OUTPUT = {.stage = {STAGE_OUTPUT}, .count = 1};
    ref_sizes s = ref_sizes_of(t->problem);
    kept_stages w = {0};
    if (t->wants_output_only)
        return OUTPUT;
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (id != STAGE_WEIGHTED || s.b * s.h * s.n_q * s.n_k * s.d_v <= WEIGHTED_MOST)
            kept_stages_add(&w, id);
    }
    return w;
}

static stage_id id_of(const entry *one)
{
    return stage_of(named_find(&STAGES, one->name, strlen(one->name)));
}

/* Adds a result's bytes after those that there are. */
static void hash_result(trial *t, const bundle *result)
{
    for (size_t i = 0; i < result->count; i++) {
        stage_id id = id_of(&result->entry[i]);
        t->hash[id] = hash_tensor(t->has[id] ? t->hash[id] : HASH_START, &result->entry[i].tensor);
        t->has[id] = true;
    }
}

static bool run_and_hash(trial *t, const ref_problem *p, const subject_way *how)
{
    subject s;
    bool done = subject_run(&s, p, how);
    if (done)
        hash_result(t, &s.result);
    t->failure = s.failure;
    subject_free(&s);
    return done;
}

/* ---- the ways ---- */

static bool compute_whole(trial *t)
{
    kept_stages w = stages_of(t);
    subject_way how = way_of(t, &w);
    return run_and_hash(t, t->problem, &how);
}

static bool compute_in_wrong_mode(trial *t)
{
    kept_stages w = stages_of(t);
    subject_way how = way_of(t, &w);
    how.before = float_mode_spoil;
    bool done = run_and_hash(t, t->problem, &how);
    float_mode_mend();
    return done;
}

static bool compute_batches(trial *t)
{
    ref_sizes sizes = ref_sizes_of(t->problem);
    kept_stages w = stages_of(t);
    subject_way how = way_of(t, &w);
    bool done = true;
    for (size_t batch = 0; done && sizes.has_batch && batch < sizes.b; batch++) {
        ref_problem alone = ref_problem_copy(t->problem);
        ref_select_batch(&alone, batch);
        done = run_and_hash(t, &alone, &how);
        ref_problem_free(&alone);
    }
    return done;
}

/* ---- one row at a time ---- */

/* Where a stage's axis of queries is; −1: it has none. The rows of x are not stage of theirs. */
static int query_axis(const entry *one)
{
    const char *found = one->name[0] == 'x' ? NULL : strchr(one->axes, 'q');
    return found == NULL ? -1 : (int)(found - one->axes);
}

/* Puts the row into its place in `whole`, which is made at the first row. */
static bool place_row(tensor *whole, const entry *row, size_t query, size_t queries, err *e)
{
    int axis = query_axis(row);
    size_t size[TENSOR_MAX_RANK];
    memcpy(size, row->tensor.size, sizeof size);
    size[axis] = queries;
    if (whole->data == NULL && !tensor_new(whole, row->tensor.type, row->tensor.rank, size, e))
        return false;
    tensor there = tensor_range(whole, axis, query, 1);
    tensor_copy(&row->tensor, &there);
    return true;
}

static bool add_query(const trial *t, const kept_stages *wants, size_t query, tensor *whole, err *e)
{
    ref_problem alone = ref_problem_copy(t->problem);
    subject_way how = way_of(t, wants);
    subject s = {0};
    size_t queries = ref_sizes_of(t->problem).n_q;
    bool done = ref_select_one_query(&alone, query) && subject_run(&s, &alone, &how);
    *e = s.failure;
    for (size_t i = 0; done && i < s.result.count; i++) {
        const entry *row = &s.result.entry[i];
        if (query_axis(row) >= 0)
            done = place_row(&whole[id_of(row)], row, query, queries, e);
    }
    subject_free(&s);
    ref_problem_free(&alone);
    return done;
}

/* Those of many rows are left out, they would take long; those whose first rows see no key: such a
 * row has no position; and those whose keys would have to be given without their own positions. */
static bool has_rows_of_their_own(const ref_problem *p)
{
    return ref_sizes_of(p).n_q <= PROBLEM_SIZES && ref_all_have_positions(p) &&
           !ref_sums_are_keys(p);
}

static bool compute_rows(trial *t)
{
    tensor whole[STAGE_COUNT] = {{0}};
    kept_stages w = stages_of(t);
    bool done = true, is_wanted = has_rows_of_their_own(t->problem);
    for (size_t i = 0; done && is_wanted && i < ref_sizes_of(t->problem).n_q; i++)
        done = add_query(t, &w, i, whole, &t->failure);
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        t->has[id] = done && whole[id].data != NULL;
        if (t->has[id])
            t->hash[id] = hash_tensor(HASH_START, &whole[id]);
        tensor_free(&whole[id]);
    }
    return done;
}

/* ---- another order, which must not give the same ---- */

static void turn_round(ref_array *a)
{
    size_t count = a->size[a->rank - 2], *index = ref_alloc(count, sizeof index[0]);
    for (size_t i = 0; i < count; i++)
        index[i] = count - 1 - i;
    ref_select_entries(a, a->rank - 2, index, count);
    free(index);
}

/* The last key first: the same sums, to a mathematician, whose terms come in another order. */
static bool compute_reversed(trial *t)
{
    static const kept_stages SUMS = {.stage = {STAGE_ROW_SUM, STAGE_OUTPUT}, .count = 2};
    const ref_array *in = t->problem->in;
    bool is_free = in[REF_K].at != NULL && in[REF_V].at != NULL && !ref_places_matter(t->problem) &&
                   in[REF_BIAS_K].at == NULL && !t->problem->adds_zero &&
                   t->problem->key_lengths == NULL && in[REF_MASK].at == NULL &&
                   in[REF_BIAS].at == NULL;
    if (!is_free)
        return true;
    ref_problem reversed = ref_problem_copy(t->problem);
    subject_way how = way_of(t, &SUMS);
    turn_round(&reversed.in[REF_K]);
    turn_round(&reversed.in[REF_V]);
    bool done = run_and_hash(t, &reversed, &how);
    ref_problem_free(&reversed);
    return done;
}

static const way ROWS[] = {
    {{"whole", "all of it at once"}, compute_whole},
    {{"rows", "one query at a time"}, compute_rows},
    {{"batch", "one batch entry at a time"}, compute_batches},
    {{"wrong-mode", "in a spoilt floating-point environment"}, compute_in_wrong_mode},
    {{"reversed", "the last key first: not the same answer"}, compute_reversed},
};

const named_table WAYS = NAMED_TABLE("mode", ROWS);
