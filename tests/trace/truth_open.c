/* A document and the stages of its run, read, and the sizes and names that follow from them. */
#include "truth.h"

#include "attn/keys.h"
#include "io/json.h"
#include "io/source.h"

#include <string.h>

/* Heads × rows × columns as rows × heads·columns. */
static bool join_context(truth *t, err *e)
{
    tensor context = truth_rows(t, "context");
    if (context.rank != 3)
        return true;
    size_t at[TENSOR_MAX_RANK] = {0}, width = context.size[2];
    if (!tensor_new(&t->joined, context.type, 2,
                    (size_t[]){context.size[1], context.size[0] * width}, e))
        return false;
    do
        tensor_set(&t->joined, (size_t[]){at[1], at[0] * width + at[2]}, tensor_get(&context, at));
    while (tensor_next(&context, at));
    return true;
}

static bool read_bundle(const char *file, const read_options *how, bundle *b, err *e)
{
    source bytes;
    if (!source_open(&bytes, file, e))
        return false;
    bool done = json_read(bytes.bytes, bytes.length, how, b, e);
    source_close(&bytes);
    return done;
}

/* Stages are read as float64; the shortest digits of a float32 mean that float32. */
static void round_to_float32(bundle *stages)
{
    for (size_t i = 0; i < stages->count; i++) {
        tensor *t = &stages->entry[i].tensor;
        size_t index[TENSOR_MAX_RANK] = {0};
        if (stages->entry[i].kind != ENTRY_TENSOR)
            continue;
        do
            tensor_set(t, index, (float)tensor_get(t, index));
        while (tensor_next(t, index));
    }
}

static bool has_rank(const truth *t, const char *name, int rank)
{
    const tensor *given = truth_input(t, name);
    return given != NULL && given->rank == rank;
}

static void find_sizes(truth *t)
{
    const tensor *scores = truth_kept(t, "scores"), *k = truth_kept(t, "k"),
                 *wk = truth_input(t, "wk");
    bool apart = has_rank(t, "q", 4) || has_rank(t, "k", 4) || has_rank(t, "v", 4);
    t->has_heads = truth_has(t, "heads") || apart || has_rank(t, "wq", 3) || has_rank(t, "wk", 3) ||
                   has_rank(t, "wv", 3);
    t->has_batch = scores->rank == 3 + t->has_heads;
    t->batches = t->has_batch ? scores->size[0] : 1;
    t->heads = t->has_heads ? scores->size[scores->rank - 3] : 1;
    t->n_q = scores->size[scores->rank - 2];
    t->n_k = scores->size[scores->rank - 1];
    t->own = t->n_k - (truth_input(t, "bias_k") != NULL) -
             (strcmp(truth_word(t, "add_zero"), "true") == 0);
    t->n_new = k->size[k->rank - 2];
    size_t own = k->rank == 4 ? k->size[1] : wk != NULL && wk->rank == 3 ? wk->size[0] : t->heads;
    t->kv_heads = truth_count(t, "kv_heads", own);
    t->is_out_in = strcmp(truth_word(t, "layout"), "out-in") == 0;
    tensor keys = truth_stage(t, "k", 0), values = truth_stage(t, "v", 0);
    t->d_k = keys.size[1];
    t->d_v = values.size[1];
}

/* "" for a cache's rows, the new ones' names if they have any, and those of what is appended. */
static bool name_rows(const truth *t, const text_list *names, const char *learned, text_list *all,
                      err *e)
{
    size_t past = t->n_k - t->n_new;
    bool done = true;
    for (size_t j = 0; done && j < t->own; j++) {
        const char *name = names == NULL || j < past ? "" : names->item[j - past];
        done = text_list_add(all, name, strlen(name), e);
    }
    if (done && truth_input(t, learned) != NULL)
        done = text_list_add(all, learned, strlen(learned), e);
    if (done && all->count < t->n_k)
        done = text_list_add(all, "zero", 4, e);
    return done;
}

static bool name_keys(truth *t, err *e)
{
    const text_list *names = truth_new_tokens(t);
    bool is_named = bundle_find(&t->document, "key_tokens") != NULL;
    bool is_behind = t->n_new < t->n_k && names != NULL && !is_named;
    text_list keys = {0}, values = {0};
    if (t->own == t->n_k && !is_behind)
        return true;
    bool done =
        name_rows(t, names, "bias_k", &keys, e) && name_rows(t, names, "bias_v", &values, e);
    t->keys = keys;
    t->values = values;
    return done;
}

bool truth_open(truth *t, const char *document, const char *stages, const asked *how, err *e)
{
    read_options of_document = {
        .file = document, .keys = &KEYS, .type = how->type, .type_is_fixed = true};
    read_options of_stages = {
        .file = stages, .kind = KEY_EXPECTED, .type = how->type, .allow_nonfinite = true};
    *t = (truth){.how = *how};
    if (!read_bundle(document, &of_document, &t->document, e) ||
        !read_bundle(stages, &of_stages, &t->stages, e))
        return false;
    if (how->type == DTYPE_F32)
        round_to_float32(&t->stages);
    if (truth_kept(t, "scores") == NULL || truth_kept(t, "k") == NULL || truth_kept(t, "v") == NULL)
        return err_set(e, "%s: there are no scores, k or v", stages);
    find_sizes(t);
    if (!name_keys(t, e))
        return false;
    if (how->row == ROW_BY_DEFAULT)
        t->how.row = truth_is_causal(t) ? t->n_q - 1 : 0;
    if (t->how.row >= t->n_q || how->head >= t->heads || how->batch >= t->batches)
        return err_set(e, "%s: the focus is outside", stages);
    return join_context(t, e);
}

void truth_close(truth *t)
{
    bundle_free(&t->document);
    bundle_free(&t->stages);
    text_list_free(&t->keys);
    text_list_free(&t->values);
    tensor_free(&t->joined);
}
