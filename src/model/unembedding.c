#include "model/unembedding.h"

#include "attn/engine/multiply.h"
#include "attn/engine/rows.h"
#include "attn/spec/setting.h"
#include "model/row_job.h"
#include "model/stack.h"
#include "model/walk.h"

#include <math.h>
#include <string.h>

static const char PRODUCT[] = "logits.product", TIMES[] = "logits.times";

static bool is_changed(const unembedding *u)
{
    return u->scale != 1 || u->softcap > 0;
}

static bool is_changed_twice(const unembedding *u)
{
    return u->scale != 1 && u->softcap > 0;
}

/* Of an embedding, or of a vocab's vectors, one below another. */
static bool find_weight(unembedding *u, const stack *s, err *e)
{
    const entry *own = bundle_find(s->document, "unembedding"),
                *tied = bundle_find(s->document, "embedding"),
                *vocab = bundle_find(s->document, "vocab");
    size_t width = s->has_head ? s->head.width : s->width;
    if (own == NULL && tied == NULL && vocab == NULL)
        return err_set(e, "there is nothing to choose from: neither an unembedding, nor an "
                          "embedding, nor a vocab");
    u->tied_to = own != NULL ? NULL : tied != NULL ? "embedding" : "vocab";
    if (own == NULL && width != s->table_width)
        return err_at(e, tied != NULL ? &tied->at : &vocab->at,
                      "rows of the %s are %zu wide, and those of the %s, which ids are compared "
                      "with, %zu: an unembedding of its own is needed",
                      s->has_head ? HEAD : "output", width, u->tied_to, s->table_width);
    if (own == NULL && tied != NULL) { /* a row for each id, whatever the layout, as wide as that */
        u->weight = tensor_transposed(&tied->tensor);
        return true;
    }
    if (own == NULL) {
        const bundle *words = vocab->bundle;
        if (!tensor_new(&u->words, s->type, 2, (size_t[]){words->count, width}, e))
            return false;
        for (size_t id = 0; id < words->count; id++) {
            tensor row = tensor_at(&u->words, id);
            tensor_copy(&words->entry[id].tensor, &row);
        }
        u->weight = tensor_transposed(&u->words);
        return true;
    }
    const tensor *t = &own->tensor;
    bool is_out_in = setting_is_out_in(bundle_find(s->document, "layout"));
    bool turns = t->rank == 2 && entry_is_out_in(own, is_out_in);
    u->weight = turns ? tensor_transposed(t) : tensor_view_of(t);
    if (t->rank == 2 && u->weight.size[0] == width)
        return true;
    char shape[SHAPE_TEXT];
    err_at(e, &own->at, "%s is %s, and the rows of the %s are %zu wide", own->name,
           tensor_shape_text(t, shape), s->has_head ? HEAD : "output", width);
    return t->rank == 2 && t->size[turns ? 0 : 1] == width &&
           err_remedy(e, "transposed it would fit: --layout %s", turns ? "in-out" : "out-in");
}

/* What a document says of logits, whether it has some or not. */
static bool read_settings(unembedding *u, const stack *s, err *e)
{
    const entry *said = bundle_find(s->document, "logits"),
                *scale = bundle_find(s->document, "logits_scale"),
                *cap = bundle_find(s->document, "logits_softcap");
    const named *word = said == NULL ? NULL : setting_word(said, &TRUTH_WORDS, "", e);
    if (said != NULL && word == NULL)
        return false;
    if (word != NULL && strcmp(word->name, "true") != 0) {
        err_at(e, &said->at,
               "logits are asked for, and logits is false: what makes them is not "
               "here, or not computed");
        return err_remedy(e, "where an unembedding alone makes them, \"logits\": true says so");
    }
    return (scale == NULL || setting_number(scale, -HUGE_VAL, &u->scale, e)) &&
           (cap == NULL ||
            (setting_number(cap, 0, &u->softcap, e) &&
             (u->softcap > 0 ||
              err_at(e, &cap->at, "%s is 0, it must be a number above 0", cap->name))));
}

bool unembedding_find(unembedding *u, const stack *s, err *e)
{
    *u = (unembedding){.scale = 1};
    bool is_read = read_settings(u, s, e);
    u->back_scale = u->scale;
    u->back_softcap = u->softcap;
    return is_read && find_weight(u, s, e) &&
           vector_read(s->document, "unembedding_bias", NULL, u->weight.size[1], &u->bias, e);
}

bool unembedding_run(const unembedding *u, const kernels *with, const tensor *rows, tensor *logits,
                     const keeper *keep, crew *by, err *e)
{
    if (!multiply(with, rows, &u->weight, &u->bias, logits, by, e) ||
        (is_changed(u) && !keeper_keep(keep, PRODUCT, logits, "bqO", e)))
        return false;
    rows_scale(with, logits, u->scale);
    if (is_changed_twice(u) && !keeper_keep(keep, TIMES, logits, "bqO", e))
        return false;
    for (size_t i = 0; u->softcap > 0 && i < logits->size[0]; i++) {
        void *row = row_at(logits, i);
        with->cap(row, logits->size[1], u->softcap, row);
    }
    return keeper_keep(keep, "logits", logits, "bqO", e);
}

const char *unembedding_product(const unembedding *u)
{
    return is_changed(u) ? PRODUCT : "logits";
}

bool unembedding_back(const unembedding *u, const way_back *g, const tensor *logits, tensor *grad,
                      const keeper *keep, err *e)
{
    for (size_t i = 0; u->back_softcap > 0 && i < grad->size[0]; i++) {
        void *row = row_at(grad, i);
        rows_uncap(g->type, u->back_softcap, row, row_at(logits, i), grad->size[1], row);
    }
    if (is_changed_twice(u) && !keeper_keep(keep, gradient_of(TIMES).text, grad, "bqO", e))
        return false;
    rows_scale(g->with, grad, u->back_scale);
    return !is_changed(u) || keeper_keep(keep, gradient_of(PRODUCT).text, grad, "bqO", e);
}

bool unembedding_tell(const unembedding *u, const struct walk *w)
{
    const stage_way top = {.text = ""};
    const size_t ids = u->weight.size[1];
    return (!is_changed(u) || walk_tell(w, &top, PRODUCT, ids)) &&
           (!is_changed_twice(u) || walk_tell(w, &top, TIMES, ids)) &&
           walk_tell(w, &top, "logits", ids);
}

bool unembedding_tell_back(const unembedding *u, const struct walk *w)
{
    const stage_way top = {.text = ""};
    const size_t ids = u->weight.size[1];
    return walk_tell(w, &top, "logits_grad", ids) &&
           (!is_changed_twice(u) || walk_tell(w, &top, gradient_of(TIMES).text, ids)) &&
           (!is_changed(u) || walk_tell(w, &top, gradient_of(PRODUCT).text, ids));
}

void unembedding_free(unembedding *u)
{
    tensor_free(&u->words);
}
