#include "render/key_sums.h"

#include "attn/spec/row_choice.h"
#include "base/mem.h"
#include "render/brackets.h"
#include "render/label_text.h"
#include "trace/nodes.h"

#include <string.h>

static bool choose_named(key_sums *s, const char *word, const trace_labels *labels)
{
    bool found = false;
    for (size_t j = 0; j < s->keys; j++) {
        char room[LABEL_ROOM];
        if (strcmp(label_whole(labels, j, room), word) == 0)
            found = s->is_chosen[j] = true;
    }
    return found;
}

/* False where it means none of them, which the error says. */
static bool choose(key_sums *s, const char *word, const trace_labels *labels, err *e)
{
    const entry said = {
        .kind = ENTRY_TEXT, .text = (char *)word, .at = place_of_option("sum-keys")};
    row_choice rows;
    if (choose_named(s, word, labels))
        return true;
    if (word[strspn(word, "0123456789:-")] != '\0') {
        err_at(e, &said.at, "no key is called '%s'", word);
        return err_remedy(e, "a key is its name, or its number; 3:8, 3:, :8 and -16: are ranges");
    }
    bool done = row_choice_read(&rows, &said, "key", s->keys, e);
    for (size_t i = 0; done && i < rows.count; i++)
        s->is_chosen[rows.row[i]] = true;
    row_choice_free(&rows);
    return done;
}

static bool begin(key_sums *s, const trace_map *weights, err *e)
{
    *s = (key_sums){.keys = weights->values.size[2]};
    s->is_chosen = mem_alloc_zeroed(s->keys, sizeof s->is_chosen[0], e);
    return s->is_chosen != NULL;
}

/* In the attentions of layers keys may be others. */
static bool is_anywhere(const char *word, const trace *t, err *e)
{
    err missed = {0};
    bool found = false;
    for (size_t i = 0; i < trace_rooms(t) && !found && !missed.is_memory; i++) {
        const trace_map *weights = map_named(trace_room(t, i), "weights");
        key_sums s = {0};
        err_clear(&missed);
        found = weights != NULL && begin(&s, weights, &missed) &&
                choose(&s, word, &weights->columns, &missed);
        key_sums_free(&s);
    }
    if (!found)
        *e = missed;
    return found;
}

bool key_sums_check(const text_list *words, const trace *t, err *e)
{
    for (size_t i = 0; i < words->count; i++) {
        if (!is_anywhere(words->item[i], t, e))
            return false;
    }
    return true;
}

bool key_sums_find(key_sums *s, const text_list *words, const trace_map *weights, err *e)
{
    bool found = false;
    *s = (key_sums){0};
    if (words->count == 0)
        return true;
    if (!begin(s, weights, e))
        return false;
    for (size_t i = 0; i < words->count; i++) {
        err missed = {0};
        found = choose(s, words->item[i], &weights->columns, &missed) || found;
        if (missed.is_memory)
            return *e = missed, false;
    }
    if (!found)
        key_sums_free(s);
    return true;
}

void key_sums_free(key_sums *s)
{
    mem_free(s->is_chosen);
    *s = (key_sums){0};
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
