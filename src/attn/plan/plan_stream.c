/* One line of a stream, or a step of a generation: what can't be where rows keep coming, and how
 * they join those before them. */
#include "attn/plan/kv_cache.h"
#include "attn/plan/plan_parts.h"

#include <string.h>

/* What a document may say, and rows that keep coming can't have, with the reason. */
static const char NO_LAST_KEY[] = "there is no last key to put a row after";

static const struct {
    const char *key, *why;
} NOT_STREAMED[] = {
    {"offset", "they are counted, from 0"},
    {"mask", "there is no number of keys that one could be made for"},
    {"bias", "there is no number of keys that one could be made for"},
    {"key_lengths", "there is no last key that it could count to"},
    {"key_tokens", "keys come with them, and have their tokens"},
    {"bias_k", NO_LAST_KEY},
    {"bias_v", NO_LAST_KEY},
    {"past_k", "a cache is kept of them"},
    {"past_v", "a cache is kept of them"},
};

static bool check_settings(const problem *asked, err *e)
{
    for (size_t i = 0; i < sizeof NOT_STREAMED / sizeof NOT_STREAMED[0]; i++) {
        place at = problem_place(asked, NOT_STREAMED[i].key);
        if (bundle_find(asked->document, NOT_STREAMED[i].key) != NULL)
            return err_at(e, &at, "%s is given, and where rows keep coming, %s",
                          NOT_STREAMED[i].key, NOT_STREAMED[i].why);
    }
    place at = problem_place(asked, "add_zero");
    return !asked->adds_zero ||
           err_at(e, &at, "add_zero is asked for, and where rows keep coming, %s", NO_LAST_KEY);
}

/* A row that saw later ones would have to wait for them. */
static bool check_direction(const problem *asked, err *e)
{
    place at = problem_place(asked, "causal");
    if (asked->causal == CAUSAL_LOWER_RIGHT)
        return err_at(e, &at,
                      "causal is lower-right, and where rows keep coming, there is no last key to "
                      "count from");
    if (asked->causal != CAUSAL_NONE || (asked->has_window && asked->window_right == 0))
        return true;
    err_at(e, &at, "queries see keys of rows that are still to come");
    return err_remedy(e, "--causal lets a query see only keys at or before it");
}

static place place_of_keys(const plan *p)
{
    return p->asked->at[p->k.given.data != NULL ? p->k.given_as : p->k.rows_as];
}

static bool check_rows(const plan *p, err *e)
{
    place at = place_of_keys(p);
    return p->n_q == p->k.n ||
           err_at(e, &at,
                  "where rows keep coming, each is a query and a key, and there are %zu and %zu",
                  p->n_q, p->k.n);
}

/* Everything but the number of rows is what it was in the first line. */
static bool check_sizes(const plan *p, err *e)
{
    const kv_cache *c = p->asked->cache;
    const struct {
        const char *what;
        size_t here, before;
    } sizes[] = {
        {"batches", p->batches, c->batches},
        {"key/value heads", p->kv_heads, c->heads},
        {"numbers of a key", p->k.width, c->k_width},
        {"numbers of a value", p->v.width, c->v_width},
    };
    place at = place_of_keys(p);
    for (size_t i = 0; c->rows > 0 && i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].here != sizes[i].before)
            return err_at(e, &at, "the %s are %zu here, and %zu in the lines before", sizes[i].what,
                          sizes[i].here, sizes[i].before);
    }
    return true;
}

/* Rows that say where they stand, and rows that are counted, would be two sequences in one. */
static bool check_places(const plan *p, err *e)
{
    const kv_cache *c = p->asked->cache;
    const entry *here = p->asked->rope.positions;
    place at = here != NULL ? here->at : place_of_keys(p);
    if (here != NULL && strcmp(here->name, "positions") == 0) {
        err_at(e, &at, "rope is of all lines, and its positions would be those of one");
        return err_remedy(e, "rope_positions in each line says where its rows stand");
    }
    if (c->rows == 0 || c->has_places == (here != NULL))
        return true;
    return err_at(e, &at, "rope's positions are %s here, and were %s in the lines before",
                  here != NULL ? "given" : "counted", c->has_places ? "given" : "counted");
}

bool plan_find_stream(plan *p, err *e)
{
    if (!check_settings(p->asked, e) || !check_direction(p->asked, e) || !check_rows(p, e) ||
        !check_sizes(p, e) || !check_places(p, e))
        return false;
    p->past = p->offset = p->asked->cache->rows;
    p->n_k += p->past;
    return true;
}
