#include "attn/engine/multiply.h"
#include "ref/streamed.h"

#include "ref/dice.h"
#include "ref/ref_random.h"
#include "ref/ref_select.h"
#include "ref/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a stream's rows are, and what it takes away. */
static const ref_input ROWS[] = {REF_X, REF_XK, REF_XV, REF_Q, REF_K, REF_V};
static const ref_input REFUSED[] = {REF_MASK,   REF_BIAS,   REF_BIAS_K,
                                    REF_BIAS_V, REF_PAST_K, REF_PAST_V};

static void drop(ref_array *a)
{
    free(a->at);
    *a = (ref_array){0};
}

/* Every other problem is causal, the others have a window that ends where the query stands. */
static ref_problem streamable(const ref_problem *p)
{
    ref_sizes sizes = ref_sizes_of(p);
    ref_problem made = ref_problem_copy(p);
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++)
        drop(&made.in[REFUSED[i]]);
    drop(&made.rope_positions);
    free(made.key_lengths);
    made.key_lengths = NULL;
    made.heads = sizes.has_heads ? sizes.h : 0;
    made.kv_heads = sizes.has_heads ? sizes.g : 0;
    made.mask_true = made.mask_axis = NULL;
    made.has_offset = made.adds_zero = false;
    made.top = made.top > 0;
    bool is_causal = !made.has_window || sizes.n_q % 2 == 0;
    made.causal = is_causal ? "true" : "none";
    made.window[1] = is_causal ? made.window[1] : 0;
    return made;
}

static ref_problem line_of(const ref_problem *p, size_t first, size_t count)
{
    ref_problem line = ref_problem_copy(p);
    size_t *index = ref_alloc(count, sizeof index[0]);
    for (size_t i = 0; i < count; i++)
        index[i] = first + i;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        ref_array *a = &line.in[ROWS[i]];
        if (a->at != NULL)
            ref_select_entries(a, a->rank - 2, index, count);
    }
    free(index);
    return line;
}

static const char *different_stage(const bundle *whole, const bundle *part, size_t first)
{
    for (size_t i = 0; i < part->count; i++) {
        const entry *one = &part->entry[i];
        int axis = one->tensor.rank - (strcmp(one->name, "weighted") == 0 ? 3 : 2);
        bool is_of_all_keys = strcmp(one->name, "k_score") == 0;
        if (!same_part(bundle_tensor(whole, one->name), &one->tensor, axis,
                       is_of_all_keys ? 0 : first))
            return one->name;
    }
    return NULL;
}

static bool same_line(const bundle *whole, const ref_problem *line, const subject_way *way,
                      size_t first, verdict *says)
{
    subject s;
    bool done = subject_run(&s, line, way);
    const char *other = done ? different_stage(whole, &s.result, first) : NULL;
    if (!done)
        snprintf(says->wrong, sizeof says->wrong, "refused: %s", s.failure.what);
    else if (other != NULL)
        snprintf(says->wrong, sizeof says->wrong, "%s from row %zu: other bytes", other, first);
    subject_free(&s);
    return done && other == NULL;
}

/* Lines of one token and of several, so that blocks end anywhere. */
static bool same_lines(const ref_problem *p, const bundle *whole, subject_way way, verdict *says)
{
    kv_cache cache = {0};
    size_t n = ref_sizes_of(p).n_q, count;
    dice throws = {n};
    bool is_same = true;
    way.cache = &cache;
    for (size_t first = 0; first < n && is_same; first += count) {
        count = 1 + dice_below(&throws, 2) * dice_below(&throws, 1 + n / 3);
        count = count < n - first ? count : n - first;
        ref_problem line = line_of(p, first, count);
        is_same = same_line(whole, &line, &way, first, says);
        ref_problem_free(&line);
        says->runs++;
    }
    kv_cache_free(&cache);
    return is_same;
}

/* All stages but `weighted`, which needs a cache of rows. */
static kept_stages without_weighted(void)
{
    kept_stages w = {0};
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (id != STAGE_WEIGHTED)
            kept_stages_add(&w, id);
    }
    return w;
}

bool streamed_is_same(const ref_problem *p, verdict *says)
{
    ref_sizes sizes = ref_sizes_of(p);
    if (sizes.n_q != sizes.n_new)
        return true;
    ref_problem made = streamable(p);
    kept_stages others = without_weighted();
    subject whole;
    bool is_same = subject_run(&whole, &made, &(subject_way){.threads = 1});
    if (!is_same)
        snprintf(says->wrong, sizeof says->wrong, "refused: %s", whole.failure.what);
    subject_way ways[] = {{.threads = 1}, {.threads = 2, .wants = &others}};
    for (size_t i = 0; is_same && i < 2; i++)
        is_same = same_lines(&made, &whole.result, ways[i], says);
    subject_free(&whole);
    ref_problem_free(&made);
    return is_same;
}
