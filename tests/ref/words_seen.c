#include "ref/words_seen.h"

#include "attn/spec/score.h"

#include <stdio.h>
#include <string.h>

/* Every option of a problem document in every rank that it may have, but the score functions. */
static const char *const OPTIONS[] = {
    "f32",
    "f64",
    "x:2",
    "x:3",
    "xk:2",
    "xk:3",
    "xv:2",
    "xv:3",
    "wq:2",
    "wq:3",
    "wk:2",
    "wk:3",
    "wv:2",
    "wv:3",
    "wo:2",
    "wo:3",
    "bq:1",
    "bq:2",
    "bk:1",
    "bk:2",
    "bv:1",
    "bv:2",
    "bo:1",
    "bo:2",
    "q:2",
    "q:3",
    "q:4",
    "k:2",
    "k:3",
    "k:4",
    "v:2",
    "v:3",
    "v:4",
    "past_k:2",
    "past_k:3",
    "past_k:4",
    "past_v:2",
    "past_v:3",
    "past_v:4",
    "positions",
    "rope",
    "rope=base",
    "rope=factor",
    "key_bias:2",
    "relative_bias:2",
    "relative_distance",
    "pairing=half",
    "pairing=interleaved",
    "rope_width",
    "rope_positions",
    "qk_norm",
    "qk_eps",
    "q_gain:1",
    "q_gain:2",
    "k_gain:1",
    "k_gain:2",
    "wq_down:2",
    "bq_down:1",
    "bq_down:2",
    "q_latent_gain:1",
    "q_latent_gain:2",
    "wkv_down:2",
    "bkv_down:1",
    "bkv_down:2",
    "kv_latent_gain:1",
    "kv_latent_gain:2",
    "latent_eps",
    "mask:1",
    "mask:2",
    "mask:3",
    "mask:4",
    "bias:1",
    "bias:2",
    "bias:3",
    "bias:4",
    "bias=-inf",
    "ws:2",
    "ws:3",
    "bs:1",
    "bs:2",
    "wa:2",
    "wa:3",
    "ua:2",
    "ua:3",
    "va:1",
    "va:2",
    "ba:1",
    "ba:2",
    "add_zero",
    "bias_k:1",
    "bias_k:2",
    "bias_v:1",
    "bias_v:2",
    "sinks:1",
    "sinks:2",
    "heads",
    "kv_heads",
    "scale=none",
    "scale=head",
    "scale=embed",
    "scale=positive",
    "scale=negative",
    "scale=0",
    "softcap",
    "alibi",
    "alibi=list",
    "window",
    "window=open,R",
    "window=L,open",
    "key_lengths",
    "causal=true",
    "causal=upper-left",
    "causal=lower-right",
    "causal=none",
    "causal=false",
    "offset",
    "mask_true=attend",
    "mask_true=masked",
    "mask_axis=batch",
    "mask_axis=head",
    "layout=in-out",
    "layout=out-in",
    "top",
    "round",
    "round=keep-sum",
    "tokens",
    "key_tokens",
    "vocab",
};

static size_t find(const words_seen *seen, const char *word, size_t length)
{
    size_t i = 0;
    while (i < seen->count &&
           (strlen(seen->word[i]) != length || memcmp(seen->word[i], word, length) != 0))
        i++;
    return i;
}

static size_t find_or_add(words_seen *seen, const char *word, size_t length)
{
    size_t i = find(seen, word, length);
    if (i == seen->count && i < WORDS_MOST - 1 && length < WORD_MOST) {
        memcpy(seen->word[i], word, length);
        seen->count++;
    }
    return i;
}

void words_seen_add(words_seen *seen, const char *words)
{
    size_t of_problem[WORDS_MOST], count = 0;
    while (*words != '\0' && count < WORDS_MOST) {
        size_t length = strcspn(words, " ");
        of_problem[count++] = find_or_add(seen, words, length);
        words += length + strspn(words + length, " ");
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            seen->together[of_problem[i]][of_problem[j]] = true;
}

static bool is_seen(const words_seen *seen, const char *word)
{
    if (find(seen, word, strlen(word)) < seen->count)
        return true;
    printf("FAIL no problem had %s\n", word);
    return false;
}

bool words_seen_all(const words_seen *seen)
{
    bool all = true;
    for (size_t i = 0; i < sizeof OPTIONS / sizeof OPTIONS[0]; i++)
        all = is_seen(seen, OPTIONS[i]) && all;
    for (size_t i = 0; i < SCORES.count; i++) {
        char word[WORD_MOST];
        snprintf(word, sizeof word, "score=%s", named_row(&SCORES, i)->name);
        all = is_seen(seen, word) && all;
    }
    return all;
}

size_t words_seen_pairs(const words_seen *seen)
{
    size_t pairs = 0;
    for (size_t i = 0; i < seen->count; i++)
        for (size_t j = 0; j < i; j++)
            pairs += seen->together[i][j];
    return pairs;
}
