#include "io/json_array.h"

#include "io/json_lists.h"
#include "io/json_string.h"

#include <stdio.h>

/* The shape as far as it is known: the first list of each depth sets its size, the others are held
 * against it. */
typedef struct measure {
    json_text *text;
    bool is_truth; /* what the elements are, and no numbers */
    int rank;
    size_t size[TENSOR_MAX_RANK];  /* 0: not known yet */
    size_t index[TENSOR_MAX_RANK]; /* the entry that is looked at, in each of the open lists */
} measure;

/* What a message calls a part of a tensor that has `axes` axes itself. */
static const char *part_name(const measure *m, int axes, bool one)
{
    static const char *const ONE[] = {"number", "row", "matrix", "block", "batch"};
    static const char *const MANY[] = {"numbers", "rows", "matrices", "blocks", "batches"};
    if (axes == 0 && m->is_truth)
        return one ? "value" : "values";
    return one ? ONE[axes] : MANY[axes];
}

static bool measure_rank(measure *m, const char *at, int most, err *e)
{
    place where;
    for (m->rank = 0; *at == '['; m->rank++) {
        const char *first = json_first(m->text, at);
        if (first != NULL && m->rank < most) {
            at = first;
            continue;
        }
        where = json_place(m->text, at);
        return first == NULL
                   ? err_at(e, &where, "the list is empty; a matrix has at least one number")
                   : err_at(e, &where, "the lists are nested deeper than the %d axes that are read",
                            most);
    }
    return true;
}

/* "row 3 of matrix 2": the list at `depth` that is looked at, or the first one of that depth. */
static void list_name(const measure *m, int depth, bool first, char *out, size_t room)
{
    size_t length = 0;
    for (int axis = depth - 1; axis >= 0; axis--) {
        size_t number = first ? 1 : m->index[axis] + 1;
        length +=
            (size_t)snprintf(out + length, room - length, "%s%s %zu", length == 0 ? "" : " of ",
                             part_name(m, m->rank - axis - 1, true), number);
    }
}

static bool fail_ragged(measure *m, const char *list, int depth, size_t count, err *e)
{
    enum { NAME = 160 }; /* four times a word, a number and " of " */
    char this_list[NAME], first_list[NAME];
    list_name(m, depth, false, this_list, NAME);
    list_name(m, depth, true, first_list, NAME);
    place where = json_place(m->text, list);
    return err_at(e, &where, "%s has %zu %s, %s has %zu", this_list, count,
                  part_name(m, m->rank - depth - 1, count == 1), first_list, m->size[depth]);
}

/* An entry of a list at `depth` must be a list as long as the lists of the first entries went on,
 * and then none. */
static bool check_entry(measure *m, const char *entry, int depth, err *e)
{
    bool wants_list = depth + 1 < m->rank;
    if ((*entry == '[') == wants_list)
        return true;
    char found[JSON_FOUND];
    place where = json_place(m->text, entry);
    return err_at(e, &where, "expected a %s as in the first place of the list, found %s",
                  part_name(m, m->rank - depth - 1, true), json_found(m->text, entry, found));
}

/* The end of the list, or NULL with the error set. */
static const char *measure_list(measure *m, const char *list, int depth, err *e)
{
    size_t count = 0;
    const char *end = list + 1;
    for (const char *at = json_first(m->text, list); at != NULL; at = json_next(m->text, end)) {
        m->index[depth] = count++;
        if (!check_entry(m, at, depth, e))
            return NULL;
        end = depth + 1 < m->rank ? measure_list(m, at, depth + 1, e) : json_value_end(m->text, at);
        if (end == NULL)
            return NULL;
    }
    if (m->size[depth] == 0)
        m->size[depth] = count;
    if (m->size[depth] != count) {
        fail_ragged(m, list, depth, count, e);
        return NULL;
    }
    return json_close(m->text, end);
}

/* The shape is known, so brackets and commas say nothing any more. */
static const char *next_element(const json_text *t, const char *at)
{
    while (at < t->end && (*at == '[' || *at == ']' || *at == ',' || *at == ' ' || *at == '\n' ||
                           *at == '\t' || *at == '\r'))
        at++;
    return at;
}

static bool read_elements(json_text *t, const char *at, const element_rules *rules, tensor *out,
                          err *e)
{
    size_t count = tensor_count(out), size = dtype_size(out->type);
    char *to = out->data;
    for (size_t i = 0; i < count; i++) {
        at = next_element(t, at);
        if (at == t->end)
            return json_fail_changed(t, e);
        at = json_element_read(t, at, rules, to + i * size, e);
        if (at == NULL)
            return false;
    }
    return true;
}

/* A list of objects is what others make of a table. Returns false. */
static bool suggest_rows(const measure *m, const char *list, err *e)
{
    const char *first = m->rank == 1 ? json_first(m->text, list) : NULL;
    if (first != NULL && *first == '{')
        err_remedy(e, "a row is a list of numbers: jq 'map([.[]])' makes lists of objects");
    return false;
}

static dtype type_of(const element_rules *rules)
{
    return rules->kind == KEY_MASK || rules->kind == KEY_TRUTHS ? DTYPE_BOOL : rules->type;
}

/* A matrix of nothing but numbers, where the value is one: the scan has read it, or read it in
 * another type. */
static bool take_matrix(json_text *t, const char *at, dtype type, tensor *out, bool *taken, err *e)
{
    json_list *known = json_lists_find(t->lists, at);
    *taken = known != NULL && known->values.data != NULL && known->values.type == type;
    if (*taken) {
        *out = known->values;
        known->values = (tensor){0};
        return true;
    }
    const char *behind = NULL;
    if (t->lists != NULL && *at == '[' && type != DTYPE_BOOL &&
        !json_list_read(t->lists, at, t->end, type, out, &behind, e))
        return false;
    *taken = behind != NULL;
    return true;
}

bool json_array_read(json_text *t, const char *at, const element_rules *rules, tensor *out, err *e)
{
    element_rules typed = *rules;
    typed.type = type_of(rules);
    measure m = {.text = t, .is_truth = typed.type == DTYPE_BOOL};
    bool taken;
    if (!take_matrix(t, at, typed.type, out, &taken, e) || taken)
        return taken;
    if (!measure_rank(&m, at, rules->most_rank, e))
        return false;
    if ((m.rank > 0 && measure_list(&m, at, 0, e) == NULL) || !json_check_unchanged(t, e))
        return false;
    if (!tensor_new(out, typed.type, m.rank, m.size, e))
        return false;
    if (read_elements(t, at, &typed, out, e))
        return true;
    tensor_free(out);
    return suggest_rows(&m, at, e);
}

bool json_array_is_numbers(json_text *t, const char *at, int most_rank)
{
    measure m = {.text = t};
    err unsaid = {0};
    size_t count;
    if (*at != '[' || !measure_rank(&m, at, most_rank, &unsaid) ||
        measure_list(&m, at, 0, &unsaid) == NULL || !sizes_count(m.rank, m.size, &count))
        return false;
    for (; count > 0; count--) {
        double ignored;
        at = next_element(t, at);
        bool is_number = at < t->end && *at != 't' && *at != 'f' && *at != '{';
        if (!is_number || (*at == '"' && !json_nonfinite_read(t, at, &ignored)))
            return false;
        at = json_value_end(t, at);
    }
    return true;
}
