#include "ref/ref_random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void say(char *out, const char *word, const char *value)
{
    size_t length = strlen(out);
    if (value != NULL)
        snprintf(out + length, REF_DESCRIPTION - length, " %s%s", word, value);
}

static void say_if(char *out, bool holds, const char *word)
{
    say(out, word, holds ? "" : NULL);
}

static void describe_scale(const ref_problem *p, char *out)
{
    double number = p->scale_number;
    say(out, "scale=", p->scale);
    if (p->scale_is_number)
        say(out, "scale=", number > 0 ? "positive" : number < 0 ? "negative" : "0");
}

static bool has_infinity(const ref_array *a)
{
    bool has = false;
    for (size_t i = 0; a->at != NULL && i < ref_count_of(a); i++)
        has = has || isinf(a->at[i]);
    return has;
}

const char *ref_describe(const ref_problem *p, char out[REF_DESCRIPTION])
{
    snprintf(out, REF_DESCRIPTION, "%s", p->is_float32 ? "f32" : "f64");
    for (ref_input which = REF_X; which < REF_INPUTS; which++) {
        char rank[] = {':', (char)('0' + p->in[which].rank), '\0'};
        say(out, REF_INPUT_KEYS[which], p->in[which].at == NULL ? NULL : rank);
    }
    say_if(out, p->heads > 0, "heads");
    say_if(out, p->kv_heads > 0, "kv_heads");
    say(out, "score=", p->score);
    describe_scale(p, out);
    say_if(out, p->relative_distance > 0, "relative_distance");
    say_if(out, p->softcap > 0, "softcap");
    say_if(out, p->has_alibi && p->slopes == NULL, "alibi");
    say_if(out, p->slopes != NULL, "alibi=list");
    say_if(out, p->has_window, "window");
    say_if(out, p->has_window && p->window[0] < 0, "window=open,R");
    say_if(out, p->has_window && p->window[1] < 0, "window=L,open");
    say_if(out, p->key_lengths != NULL, "key_lengths");
    say(out, "causal=", p->causal);
    say_if(out, p->has_offset, "offset");
    say_if(out, has_infinity(&p->in[REF_BIAS]), "bias=-inf");
    say(out, "mask_true=", p->mask_true);
    say(out, "mask_axis=", p->mask_axis);
    say(out, "layout=", p->layout);
    say_if(out, p->has_positions, "positions");
    say_if(out, p->has_rope && !p->has_rope_base, "rope");
    say_if(out, p->has_rope_base, "rope=base");
    say_if(out, p->rope_factor > 0, "rope=factor");
    say(out, "pairing=", p->pairing);
    say_if(out, p->rope_width > 0, "rope_width");
    say_if(out, p->rope_positions.at != NULL, "rope_positions");
    say_if(out, p->clip > 0, "clip");
    say_if(out, p->normalizes && !p->norms_all, "qk_norm");
    say_if(out, p->norms_all, "qk_norm=all");
    say_if(out, p->has_eps, "qk_eps");
    say_if(out, p->has_latent_eps, "latent_eps");
    say_if(out, p->round_decimals >= 0 && !p->round_keeps_sum, "round");
    say_if(out, p->round_decimals >= 0 && p->round_keeps_sum, "round=keep-sum");
    say_if(out, p->top > 0, "top");
    say(out, "loss=", p->loss);
    say_if(out, p->adds_zero, "add_zero");
    say_if(out, p->has_tokens, "tokens");
    say_if(out, p->has_key_tokens, "key_tokens");
    say_if(out, p->vocab.at != NULL, "vocab");
    return out;
}
