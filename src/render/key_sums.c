#include "render/number_text.h"
#include "render/key_sums.h"

#include "attn/spec/row_choice.h"
#include "base/mem.h"
#include "render/brackets.h"
#include "trace/nodes.h"

#include <string.h>

/* Whether the word means some of these keys, which are marked where `is_chosen` is not NULL; else
 * the error says why not. */
static bool choose(const char *word, const trace_map *weights, bool *is_chosen, err *e)
{
    const entry said = {
        .kind = ENTRY_TEXT, .text = (char *)word, .at = place_of_option("sum-keys")};
    size_t keys = weights->values.size[2];
    bool found = false;
    row_choice rows;
    for (size_t j = 0; j < keys; j++) {
        char room[LABEL_ROOM];
        bool is_named = strcmp(label_whole(&weights->columns, j, room), word) == 0;
        if (is_named && is_chosen != NULL)
            is_chosen[j] = true;
        found = found || is_named;
    }
    if (found)
        return true;
    if (word[strspn(word, "0123456789:-")] != '\0') {
        err_at(e, &said.at, "no key is called '%s'", word);
        return err_remedy(e, "a key is its name, or its number; 3:8, 3:, :8 and -16: are ranges");
    }
    found = row_choice_read(&rows, &said, "key", keys, e);
    for (size_t i = 0; found && is_chosen != NULL && i < rows.count; i++)
        is_chosen[rows.row[i]] = true;
    row_choice_free(&rows);
    return found;
}

bool key_sums_check(const text_list *words, const trace *t, err *e)
{
    for (size_t i = 0; i < words->count; i++) {
        err missed = {0};
        bool found = false;
        /* In the attentions of layers keys may be others. */
        for (size_t j = 0; j < trace_rooms(t) && !found && !missed.is_memory; j++) {
            const trace_map *weights = map_named(trace_room(t, j), "weights");
            err_clear(&missed);
            found = weights != NULL && choose(words->item[i], weights, NULL, &missed);
        }
        if (!found) {
            *e = missed;
            return false;
        }
    }
    return true;
}

void key_sums_free(key_sums *s)
{
    mem_free(s->is_chosen);
    *s = (key_sums){0};
}

bool key_sums_find(key_sums *s, const text_list *words, const trace_map *weights, err *e)
{
    size_t keys = weights->values.size[2];
    bool found = false;
    *s = (key_sums){0};
    if (words->count == 0)
        return true;
    *s = (key_sums){mem_alloc_zeroed(keys, sizeof s->is_chosen[0], e), keys};
    if (s->is_chosen == NULL)
        return false;
    for (size_t i = 0; i < words->count; i++) {
        err missed = {0};
        found = choose(words->item[i], weights, s->is_chosen, &missed) || found;
        if (missed.is_memory) {
            *e = missed;
            return false;
        }
    }
    if (!found)
        key_sums_free(s);
    return true;
}

double key_sums_at(const key_sums *s, const sampling *by, const tensor *head, size_t row)
{
    double greatest = 0;
    for (size_t i = row * by->tall; i < (row + 1) * by->tall && i < head->size[0]; i++) {
        double sum = 0;
        for (size_t j = 0; j < s->keys; j++)
            sum += s->is_chosen[j] ? matrix_at(head, i, j) : 0;
        greatest = sum > greatest ? sum : greatest;
    }
    return greatest;
}

void key_sums_explain(const text_list *words, text *out)
{
    for (size_t i = 0; i < words->count; i++)
        text_add_format(out, "%s%s", i == 0 ? "Σ is the sum of these keys: " : ", ",
                        words->item[i]);
}
