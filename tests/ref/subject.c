#include "ref/subject.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the document ---- */

static bool add_matrix(bundle *to, const char *name, const ref_array *a, dtype type, err *e)
{
    tensor t;
    if (!tensor_new(&t, type, a->rank, a->size, e))
        return false;
    for (size_t i = 0; i < tensor_count(&t); i++) {
        if (type == DTYPE_F32)
            ((float *)t.data)[i] = (float)a->at[i];
        else if (type == DTYPE_F64)
            ((double *)t.data)[i] = a->at[i];
        else
            ((unsigned char *)t.data)[i] = a->at[i] != 0;
    }
    return bundle_add_tensor(to, name, &t, (place){0}, e);
}

static bool add_text(bundle *to, const char *name, const char *value, err *e)
{
    return value == NULL || bundle_add_text(to, name, value, strlen(value), (place){0}, e);
}

static bool add_number(bundle *to, bool is_said, const char *name, double value, err *e)
{
    return !is_said || bundle_add_number(to, name, value, (place){0}, e);
}

static bool add_rounding(bundle *to, const ref_problem *p, err *e)
{
    char decimals[32];
    if (!p->round_keeps_sum)
        return add_number(to, p->round_decimals >= 0, "round", p->round_decimals, e);
    snprintf(decimals, sizeof decimals, "%d:keep-sum", p->round_decimals);
    return add_text(to, "round", decimals, e);
}

/* A base, or with a factor an object. */
static bool add_angles(bundle *to, const ref_problem *p, err *e)
{
    if (p->rope_factor == 0)
        return add_text(to, "rope", p->has_rope && !p->has_rope_base ? "true" : NULL, e) &&
               add_number(to, p->has_rope_base, "rope", p->rope_base, e);
    entry *rope = bundle_add(to, "rope", strlen("rope"), (place){0}, e);
    if (rope == NULL)
        return false;
    rope->kind = ENTRY_BUNDLE;
    rope->bundle = mem_alloc_zeroed(1, sizeof *rope->bundle, e);
    return rope->bundle != NULL &&
           add_number(rope->bundle, p->has_rope_base, "base", p->rope_base, e) &&
           add_number(rope->bundle, true, "attention_factor", p->rope_factor, e);
}

static bool add_rope(bundle *to, const ref_problem *p, err *e)
{
    return add_angles(to, p, e) && add_text(to, "rope_pairing", p->pairing, e) &&
           add_number(to, p->rope_width > 0, "rope_width", (double)p->rope_width, e) &&
           (p->rope_positions.at == NULL ||
            add_matrix(to, "rope_positions", &p->rope_positions, DTYPE_F64, e));
}

static bool add_list(bundle *to, const char *name, size_t count, const double *numbers, err *e)
{
    tensor t;
    if (!tensor_new(&t, DTYPE_F64, 1, &count, e))
        return false;
    memcpy(t.data, numbers, count * sizeof numbers[0]);
    return bundle_add_tensor(to, name, &t, (place){0}, e);
}

static bool add_window(bundle *to, const ref_problem *p, err *e)
{
    double sides[] = {(double)p->window[0], (double)p->window[1]};
    return !p->has_window || add_list(to, "window", 2, sides, e);
}

/* One number where all entries have the same. */
static bool add_key_lengths(bundle *to, const ref_problem *p, err *e)
{
    size_t batches = ref_sizes_of(p).b;
    bool is_one = true, done = true;
    if (p->key_lengths == NULL)
        return true;
    double *lengths = ref_alloc(batches, sizeof lengths[0]);
    for (size_t i = 0; i < batches; i++) {
        lengths[i] = (double)p->key_lengths[i];
        is_one = is_one && p->key_lengths[i] == p->key_lengths[0];
    }
    done = is_one ? add_number(to, true, "key_lengths", lengths[0], e)
                  : add_list(to, "key_lengths", batches, lengths, e);
    free(lengths);
    return done;
}

static bool add_alibi(bundle *to, const ref_problem *p, err *e)
{
    if (p->slopes != NULL)
        return add_list(to, "alibi", ref_sizes_of(p).h, p->slopes, e);
    return add_text(to, "alibi", p->has_alibi ? "true" : NULL, e);
}

static bool add_settings(bundle *to, const ref_problem *p, err *e)
{
    return add_text(to, "dtype", p->is_float32 ? "f32" : "f64", e) &&
           add_text(to, "score", p->score, e) && add_text(to, "causal", p->causal, e) &&
           add_text(to, "scale", p->scale, e) && add_text(to, "mask_true", p->mask_true, e) &&
           add_text(to, "mask_axis", p->mask_axis, e) && add_text(to, "layout", p->layout, e) &&
           add_text(to, "loss", p->loss, e) &&
           add_number(to, p->scale_is_number, "scale", p->scale_number, e) &&
           add_number(to, p->has_offset, "offset", (double)p->offset, e) &&
           add_number(to, p->heads > 0, "heads", (double)p->heads, e) &&
           add_number(to, p->kv_heads > 0, "kv_heads", (double)p->kv_heads, e) &&
           add_text(to, "add_zero", p->adds_zero ? "true" : NULL, e) &&
           add_number(to, p->top > 0, "top", (double)p->top, e) &&
           add_text(to, "positions", p->has_positions ? "sinusoidal" : NULL, e) &&
           add_text(to, "qk_norm",
                    p->norms_all    ? "rms-all"
                    : p->normalizes ? "rms"
                                    : NULL,
                    e) &&
           add_rope(to, p, e) && add_number(to, p->has_eps, "qk_eps", p->eps, e) &&
           add_number(to, p->has_latent_eps, "latent_eps", p->latent_eps, e) &&
           add_number(to, p->clip > 0, "clip", p->clip, e) &&
           add_number(to, p->relative_distance > 0, "relative_distance",
                      (double)p->relative_distance, e) &&
           add_number(to, p->softcap > 0, "softcap", p->softcap, e) && add_window(to, p, e) &&
           add_key_lengths(to, p, e) && add_alibi(to, p, e) && add_rounding(to, p, e);
}

/* Token i is called wN, where N is its word in the vocabulary, or its number where there is
 * none. */
static bool add_names(bundle *to, const char *name, size_t count, const size_t *word, err *e)
{
    entry *list = bundle_add(to, name, strlen(name), (place){0}, e);
    bool done = list != NULL;
    if (done)
        list->kind = ENTRY_LIST;
    for (size_t i = 0; done && i < count; i++) {
        char item[32];
        snprintf(item, sizeof item, "w%zu", word == NULL ? i : word[i]);
        done = text_list_add(&list->list, item, strlen(item), e);
    }
    return done;
}

static bool add_vocab(bundle *to, const ref_problem *p, dtype type, err *e)
{
    entry *vocab = bundle_add(to, "vocab", 5, (place){0}, e);
    if (vocab == NULL || (vocab->bundle = mem_alloc_zeroed(1, sizeof(bundle), e)) == NULL)
        return false;
    vocab->kind = ENTRY_BUNDLE;
    for (size_t i = 0; i < p->vocab.size[0]; i++) {
        size_t width = p->vocab.size[1];
        ref_array vector = {1, {width, 0, 0, 0}, p->vocab.at + i * width};
        char name[32];
        snprintf(name, sizeof name, "w%zu", i);
        if (!add_matrix(vocab->bundle, name, &vector, type, e))
            return false;
    }
    return true;
}

static bool write_document(bundle *to, const ref_problem *p, err *e)
{
    dtype type = p->is_float32 ? DTYPE_F32 : DTYPE_F64;
    ref_sizes sizes = ref_sizes_of(p);
    bool has_vocab = p->vocab.at != NULL, done = true;
    for (ref_input which = REF_X; done && which < REF_INPUTS; which++) {
        bool is_there = p->in[which].at != NULL && !(which == REF_X && has_vocab);
        done = !is_there || add_matrix(to, REF_INPUT_KEYS[which], &p->in[which],
                                       which == REF_MASK ? DTYPE_BOOL : type, e);
    }
    return done && add_settings(to, p, e) && (!has_vocab || add_vocab(to, p, type, e)) &&
           (!p->has_tokens || add_names(to, "tokens", sizes.n_q, p->token_word, e)) &&
           (!p->has_key_tokens || add_names(to, "key_tokens", sizes.own, NULL, e));
}

/* ---- the run ---- */

static kept_stages wanted_of(const plan *p, const subject_way *way)
{
    kept_stages w = {0};
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (plan_has_stage(p, id) && (way->wants == NULL || kept_stages_has(way->wants, id)))
            kept_stages_add(&w, id);
    }
    return w;
}

bool subject_run(subject *s, const ref_problem *p, const subject_way *way)
{
    *s = (subject){0};
    err *e = &s->failure;
    const kernels *with =
        way->with != NULL ? way->with : isa_best()->table(p->is_float32 ? DTYPE_F32 : DTYPE_F64);
    if (!write_document(&s->document, p, e) || !problem_read(&s->asked, &s->document, e))
        return false;
    s->asked.allow_nonfinite = way->allows_nonfinite;
    s->asked.cache = way->cache;
    s->asked.part = way->part;
    if (!plan_make(&s->decided, &s->asked, with, e) ||
        (way->rows != NULL &&
         !chosen_rows_plan(&s->decided, &s->asked, &s->chosen, way->rows, NULL, e)))
        return false;
    kept_stages w = wanted_of(&s->decided, way);
    if (way->before != NULL)
        way->before();
    return run_plan(&s->decided, &w, way->threads, &s->result, &s->report, e);
}

void subject_free(subject *s)
{
    bundle_free(&s->result);
    plan_free(&s->decided);
    problem_free(&s->asked);
    chosen_rows_free(&s->chosen);
    bundle_free(&s->document);
}
