#include "weights/bundle_gains.h"

#include "weights/bundle_heads.h"

#include <string.h>

static const char SETTING[] = "qk_norm";

bool bundle_is_gain(input which)
{
    return which == INPUT_Q_GAIN || which == INPUT_K_GAIN;
}

static bool says_none(const bundle *in)
{
    const char *word = in == NULL ? NULL : bundle_text(in, SETTING);
    return word != NULL && strcmp(word, "none") == 0;
}

bool bundle_gains_are_wanted(const wishes *w, const bundle *in, const bundle *top)
{
    bool is_said_there = in != NULL && bundle_find(in, SETTING) != NULL;
    return !wishes_remove(w, SETTING) && !says_none(is_said_there ? in : top);
}

/* Whether the norm is each head's own. Of other lengths the plan says what is wrong. */
static bool check_heads(const cutting *how, const char *name, input which, const bundle *in,
                        const bundle *top, err *e)
{
    bool is_query = which == INPUT_Q_GAIN;
    const entry *gain = bundle_find(in, input_key(which));
    const entry *weight = bundle_find(in, input_key(is_query ? INPUT_WQ : INPUT_WK));
    size_t heads = is_query || how->kv_heads == 0 ? how->heads : how->kv_heads;
    size_t count = gain->kind == ENTRY_TENSOR ? tensor_count(&gain->tensor) : 0;
    if (heads <= 1 || count != bundle_columns(weight, top))
        return true;
    err_at(e, &gain->at,
           "%s has a number for each column of all %zu heads: a norm over all of them, as in OLMo "
           "2, where here each head has its own",
           name, heads);
    return err_remedy(e, "--map takes it for gains all the same, --no-qk-norm leaves norms out");
}

bool bundle_gain_settle(const cutting *how, const char *name, bool is_mapped, input which,
                        bundle *in, const bundle *top, err *e)
{
    static const char RMS[] = "rms";
    if (!bundle_is_gain(which) || how->by->q_gain == NULL)
        return true;
    if (!is_mapped && !check_heads(how, name, which, in, top, e))
        return false;
    place at = bundle_find(in, input_key(which))->at;
    return bundle_find(in, SETTING) != NULL || bundle_find(top, SETTING) != NULL ||
           bundle_add_text(in, SETTING, RMS, strlen(RMS), at, e);
}

bool bundle_gain_refuse(const char *file, const char *name, const char *beside, const char *key_way,
                        err *e)
{
    place at = {.file = file};
    err_at(e, &at, "%s is to have 1 added, as %s beside its layer shows: so it is in Gemma 3", name,
           beside);
    return err_remedy(e, "--map %s=%s takes it as it is, --no-qk-norm leaves norms out", key_way,
                      name);
}
