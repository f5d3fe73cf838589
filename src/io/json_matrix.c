#include "io/json_matrix.h"

#include "base/mem.h"
#include "io/in_order.h"
#include "io/json_scan.h"
#include "io/number_read.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- one element ---- */

static const char *fail_expected(json_text *t, const char *at, const char *wanted, err *e)
{
    json_expected(t, at, wanted, e);
    if (*at == '"' && json_begins_number(at[1]) &&
        number_end_json(at + 1, t->end) == json_value_end(t, at) - 1)
        err_remedy(e, "write the number without quotes");
    return NULL;
}

static bool read_typed(const char *at, const char *end, dtype type, void *to)
{
    return type == DTYPE_F32 ? number_read_f32(at, end, to) : number_read_f64(at, end, to);
}

static const char *read_number(json_text *t, const char *at, const json_matrix_rules *rules,
                               void *to, err *e)
{
    const char *end = number_end_json(at, t->end);
    if (end == NULL) { /* can't fail: the scan has passed it */
        json_fail_changed(t, e);
        return NULL;
    }
    bool fits = read_typed(at, end, rules->type, to);
    bool is_lost = fits && rules->is_setting && *(double *)to == 0 && !number_is_zero(at, end);
    if (!is_lost && (fits || rules->allow_too_large))
        return end;
    char found[JSON_FOUND];
    double as_double;
    bool is_narrow = rules->type == DTYPE_F32;
    place where = json_place(t, at);
    if (is_lost) {
        err_at(e, &where, "%s is too small for float64, which has nothing between 0 and 5e-324",
               json_found(t, at, found));
        return NULL;
    }
    err_at(e, &where, "%s is too large for %s, whose largest number is %s",
           json_found(t, at, found), is_narrow ? "float32" : "float64",
           is_narrow ? "3.4028235e38" : "1.7976931348623157e308");
    if (is_narrow && number_read_f64(at, end, &as_double))
        err_remedy(e, "dtype f64 holds it: --dtype f64, or \"dtype\": \"f64\" in the document");
    return NULL;
}

static const char *read_truth(json_text *t, const char *at, key_kind kind, unsigned char *to,
                              err *e)
{
    if (*at == 't' || *at == 'f') {
        *to = *at == 't';
        return json_value_end(t, at);
    }
    if (kind != KEY_MASK) {
        fail_expected(t, at, "true or false", e);
        if (*at == 'n')
            err_remedy(e, "holes (null) are for matrices of numbers");
        if (json_begins_number(*at))
            err_remedy(e, "a matrix is of numbers, or of true and false alone");
        return NULL;
    }
    double value;
    const char *end = number_end_json(at, t->end);
    if (end != NULL && number_read_f64(at, end, &value) &&
        (value == 1 || number_is_zero(at, end))) {
        *to = value == 1;
        return end;
    }
    /* A mask says which keys are seen. Numbers that are to be added to scores are a bias. */
    fail_expected(t, at, "true, false, 1 or 0", e);
    if (end != NULL || json_string_is(t, at, "-inf"))
        err_remedy(e, "numbers that are added to scores are a \"bias\"");
    return NULL;
}

static const char *read_element(json_text *t, const char *at, const json_matrix_rules *rules,
                                void *to, err *e)
{
    if (rules->type == DTYPE_BOOL)
        return read_truth(t, at, rules->kind, to, e);
    if (json_begins_number(*at))
        return read_number(t, at, rules, to, e);
    double value = tensor_hole();
    bool is_hole = *at == 'n' && rules->kind == KEY_EXPECTED;
    if (!is_hole && (*at != '"' || !json_nonfinite_read(t, at, &value)))
        return fail_expected(t, at, "a number", e);
    if (read_takes_nonfinite(rules->kind, rules->allow_nonfinite, value)) {
        if (rules->type == DTYPE_F32)
            *(float *)to = (float)value; /* infinities, NaN and holes: the cast rounds none */
        else
            *(double *)to = value;
        return json_value_end(t, at);
    }
    char found[JSON_FOUND];
    place where = json_place(t, at);
    err_at(e, &where, "%s is not a finite number%s", json_found(t, at, found),
           rules->kind == KEY_BIAS ? ", nor is it \"-inf\"" : "");
    err_remedy(e, "--allow-nonfinite lets it through");
    return NULL;
}

bool json_number_read(json_text *t, const char *at, double *value, err *e)
{
    static const json_matrix_rules NUMBER = {
        .kind = KEY_MATRIX, .type = DTYPE_F64, .is_setting = true};
    if (!json_begins_number(*at))
        return fail_expected(t, at, "a number", e) != NULL;
    return read_number(t, at, &NUMBER, value, e) != NULL;
}

/* ---- a list, half read ---- */

enum {
    FEWEST = 64,        /* numbers: shorter lists are read again and not remembered, */
    FIRST_ONES = 8,     /* except the first ones: all those of a small document */
    FIRST_ROOM = 960,   /* bytes more than seem needed: the block is still small */
    LONG_LIST = 1 << 15 /* numbers: a list with so many may have enough for several threads */
};

/* The first list of each depth sets the size there; the others must be as long. Without a text,
 * reading stops at the first element that is not a plain number, without an error. */
typedef struct reading {
    json_lists *lists;
    json_text *text;
    const json_matrix_rules *rules;
    number_list numbers; /* which also knows how far the reading has come */
    const char *start;
    dtype type;
    int rank;
    size_t size[TENSOR_MAX_RANK];  /* 0: not known yet */
    size_t index[TENSOR_MAX_RANK]; /* the entry that is looked at, in each of the open lists */
    size_t count;                  /* of numbers so far */
} reading;

/* Passes `c` and the spaces around it, if it comes next. */
static bool take(reading *r, char c)
{
    const char *at = json_space_end(r->numbers.at, r->numbers.end);
    if (at == r->numbers.end || *at != c)
        return false;
    r->numbers.at = json_space_end(at + 1, r->numbers.end);
    return true;
}

/* Makes room for at least `count` more numbers in the scratch memory. */
static bool find_room(reading *r, size_t count, err *e)
{
    json_lists *lists = r->lists;
    size_t size = dtype_size(r->type), used = r->count * size;
    if (used + count * size <= lists->room)
        return true;
    /* As many more as the rest of the text would hold at the length of those so far. */
    double read = (double)(r->numbers.at - r->start);
    double rest = (double)(r->numbers.end - r->numbers.at);
    size_t left = (size_t)((double)r->count / read * rest * 1.02);
    size_t room = (r->count + size_larger(count, left)) * size + FIRST_ROOM;
    char *larger = mem_resize(lists->scratch, room, 1, e);
    if (larger == NULL)
        return false;
    lists->scratch = larger;
    lists->room = room;
    return true;
}

/* ---- what is wrong with its shape ---- */

/* What a message calls a part with this number of axes: a row, a matrix, … */
static const char *part_name(const reading *r, int axes, bool one)
{
    static const char *const ONE[] = {"number", "row", "matrix", "block", "batch"};
    static const char *const MANY[] = {"numbers", "rows", "matrices", "blocks", "batches"};
    if (axes == 0 && r->type == DTYPE_BOOL)
        return one ? "value" : "values";
    return one ? ONE[axes] : MANY[axes];
}

/* "row 3 of matrix 2": names the list that is being read at `depth`, or the first one of that
 * depth. */
static void list_name(const reading *r, int depth, bool first, char *out, size_t room)
{
    size_t length = 0;
    for (int axis = depth - 1; axis >= 0; axis--) {
        size_t number = first ? 1 : r->index[axis] + 1;
        length +=
            (size_t)snprintf(out + length, room - length, "%s%s %zu", length == 0 ? "" : " of ",
                             part_name(r, r->rank - axis - 1, true), number);
    }
}

static bool fail_ragged(reading *r, const char *list, int depth, size_t count, err *e)
{
    enum { NAME = 160 }; /* four times a word, a number and " of " */
    char this_list[NAME], first_list[NAME];
    if (r->text == NULL)
        return false;
    list_name(r, depth, false, this_list, NAME);
    list_name(r, depth, true, first_list, NAME);
    place where = json_place(r->text, list);
    return err_at(e, &where, "%s has %zu %s, %s has %zu", this_list, count,
                  part_name(r, r->rank - depth - 1, count == 1), first_list, r->size[depth]);
}

/* Refuses an entry of a list at `depth`: it must be a list if the first entry there was one, and
 * else a number. */
static bool fail_entry(reading *r, const char *item, int depth, err *e)
{
    char found[JSON_FOUND];
    if (r->text == NULL)
        return false;
    place where = json_place(r->text, item);
    return err_at(e, &where, "expected a %s as in the first place of the list, found %s",
                  part_name(r, r->rank - depth - 1, true), json_found(r->text, item, found));
}

/* The scan has seen what should stand here, so the text changed since. */
static bool fail_changed(const reading *r, err *e)
{
    return r->text != NULL && json_fail_changed(r->text, e);
}

/* ---- lists of numbers ---- */

/* Reads what number_list can't: a number of unusual form, or another element. */
static bool read_unusual(reading *r, bool is_first, err *e)
{
    number_list *l = &r->numbers;
    const char *at = json_space_end(l->at, l->end), *after;
    void *to = r->lists->scratch + r->count * dtype_size(r->type);
    if (at == l->end)
        return fail_changed(r, e);
    if (*at == ']' && is_first) {
        l->due = false;
        return true;
    }
    if (*at == '[')
        return fail_entry(r, at, r->rank - 1, e);
    if (r->text == NULL) {
        after = number_end_json(at, l->end);
        if (after == NULL || after - at > NUMBER_MAX_TEXT || !read_typed(at, after, r->type, to))
            return false;
    } else {
        after = read_element(r->text, at, r->rules, to, e);
        if (after == NULL)
            /* Other programs write a table as a list of objects. */
            return r->rank == 1 && is_first && *at == '{' &&
                   err_remedy(e,
                              "a row is a list of numbers: jq 'map([.[]])' makes lists of objects");
    }
    r->count++;
    l->at = after;
    l->due = take(r, ',');
    return true;
}

/* ---- a long list of rows ---- */

/* A row and the comma after it. What follows may be anything. */
static const char *read_row(const void *how, const char *row, void *numbers)
{
    const reading *now = how;
    size_t columns = now->size[now->rank - 1];
    reading r = {.numbers = now->numbers};
    r.numbers.at = row;
    r.numbers.due = true;
    if (!take(&r, '[') || number_list_read(&r.numbers, now->type, numbers, columns) != columns ||
        r.numbers.due || !take(&r, ']') || !take(&r, ','))
        return NULL;
    return r.numbers.at;
}

static bool take_rows(void *to, const void *numbers, size_t rows, err *e)
{
    reading *r = to;
    size_t count = rows * r->size[r->rank - 1], size = dtype_size(r->type);
    if (!find_room(r, count, e))
        return false;
    memcpy(r->lists->scratch + r->count * size, numbers, count * size);
    r->count += count;
    return true;
}

/* Reads the next rows with several threads, and moves past them. */
static bool read_ahead(reading *r, size_t *rows, err *e)
{
    size_t before = r->count, columns = r->size[r->rank - 1];
    const rows_read all = {.at = r->numbers.at,
                           .end = r->numbers.end,
                           .columns = columns,
                           .size = dtype_size(r->type),
                           .mark = '[',
                           .read = read_row,
                           .take = take_rows,
                           .to = r};
    r->numbers.at = rows_read_ahead(&all, r->lists->threads, e);
    *rows += (r->count - before) / columns;
    return !e->is_set;
}

/* ---- lists in lists ---- */

/* Reads a list; fails if it has not the form of the lists before it. */
static bool read_list(reading *r, int depth, err *e)
{
    const char *list = json_space_end(r->numbers.at, r->numbers.end);
    size_t count = 0, before = r->count, size = dtype_size(r->type);
    bool is_row = depth + 1 == r->rank, goes_on = true;
    bool is_slow = r->type == DTYPE_BOOL || (r->rules != NULL && r->rules->is_setting);
    bool may_be_long = depth + 2 == r->rank && r->lists->threads > 1 && !is_slow;
    if (!take(r, '['))
        return fail_changed(r, e);
    r->numbers.due = is_row;
    while (is_row && r->numbers.due) {
        if (!find_room(r, 1, e))
            return false;
        size_t added =
            is_slow ? 0
                    : number_list_read(&r->numbers, r->type, r->lists->scratch + r->count * size,
                                       r->lists->room / size - r->count);
        r->count += added;
        if (added == 0 && !read_unusual(r, r->count == before, e))
            return false;
    }
    while (!is_row && goes_on) {
        if (may_be_long && r->count - before >= LONG_LIST) {
            may_be_long = false;
            if (!read_ahead(r, &count, e))
                return false;
        }
        const char *item = json_space_end(r->numbers.at, r->numbers.end);
        if (item == r->numbers.end)
            return fail_changed(r, e);
        if (*item == ']' && count == 0)
            break;
        if (*item != '[')
            return fail_entry(r, item, depth, e);
        r->index[depth] = count++;
        if (!read_list(r, depth + 1, e))
            return false;
        goes_on = take(r, ',');
    }
    count = is_row ? r->count - before : count;
    if (r->size[depth] == 0)
        r->size[depth] = count;
    const char *bracket = json_space_end(r->numbers.at, r->numbers.end);
    if (bracket == r->numbers.end || *bracket != ']')
        return fail_changed(r, e);
    r->numbers.at = bracket + 1;
    return count == r->size[depth] || fail_ragged(r, list, depth, count, e);
}

static bool read_lists(reading *r, json_lists *lists, const char *at, const char *end, int most,
                       err *e)
{
    r->lists = lists;
    r->start = at;
    r->numbers = (number_list){.at = at, .end = end, .delimiter = ',', .spaces = JSON_SPACES};
    for (r->rank = 0; at < end && *at == '['; r->rank++) {
        const char *first = json_space_end(at + 1, end);
        bool is_empty = first < end && *first == ']';
        if (is_empty || r->rank == most) {
            if (r->text == NULL)
                return false;
            place where = json_place(r->text, at);
            return is_empty
                       ? err_at(e, &where, "the list is empty; a matrix has at least one number")
                       : err_at(e, &where,
                                "the lists are nested deeper than the %d axes that are read", most);
        }
        at = first;
    }
    return read_list(r, 0, e);
}

/* Gives the values away: for a long list the scratch memory itself, for a short one a copy. */
static bool give_values(reading *r, tensor *values, err *e)
{
    size_t bytes = r->count * dtype_size(r->type);
    if (bytes >= r->lists->room / 2) {
        tensor_own(values, r->type, r->rank, r->size, r->lists->scratch);
        r->lists->scratch = NULL;
        r->lists->room = 0;
        return true;
    }
    if (!tensor_new(values, r->type, r->rank, r->size, e))
        return false;
    memcpy(values->data, r->lists->scratch, bytes);
    return true;
}

static json_list *find_list(const json_lists *lists, const char *at)
{
    size_t count = lists == NULL ? 0 : lists->count, from = 0, to = count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (lists->list[middle].at < at)
            from = middle + 1;
        else
            to = middle;
    }
    return from < count && lists->list[from].at == at ? &lists->list[from] : NULL;
}

bool json_list_read(json_lists *lists, const char *at, const char *end, dtype type, tensor *values,
                    const char **after, err *e)
{
    reading r = {.type = type};
    *after = NULL;
    if (!read_lists(&r, lists, at, end, TENSOR_MAX_INPUT_RANK, e))
        return !e->is_set;
    *after = r.numbers.at;
    return give_values(&r, values, e);
}

bool json_matrix_read(json_text *t, const char *at, const json_matrix_rules *rules, tensor *out,
                      err *e)
{
    json_list *known = find_list(t->lists, at);
    json_matrix_rules typed = *rules;
    if (rules->kind == KEY_MASK || rules->kind == KEY_TRUTHS)
        typed.type = DTYPE_BOOL;
    assert(known == NULL || known->values.data != NULL); /* each value is read once */
    if (known != NULL && known->values.type == typed.type) {
        *out = known->values;
        known->values = (tensor){0};
        return true;
    }
    reading r = {.text = t, .rules = &typed, .type = typed.type};
    if (*at == '[')
        return read_lists(&r, t->lists, at, t->end, typed.most_rank, e) && give_values(&r, out, e);
    if (!tensor_new(out, typed.type, 0, NULL, e))
        return false;
    if (read_element(t, at, &typed, out->data, e) != NULL)
        return true;
    tensor_free(out);
    return false;
}

bool json_is_numbers(json_text *t, const char *at, int most_rank)
{
    static const json_matrix_rules NUMBERS = {
        .kind = KEY_EXPECTED, .type = DTYPE_F64, .allow_too_large = true};
    reading r = {.text = t, .rules = &NUMBERS, .type = DTYPE_F64};
    err unsaid;
    err_clear(&unsaid);
    return *at == '[' && read_lists(&r, t->lists, at, t->end, most_rank, &unsaid);
}

/* ---- lists that the scan meets ---- */

bool json_lists_open(void *to, const char *at, size_t depth, bool in_list, const char **after,
                     err *e)
{
    json_lists *lists = to;
    if (*at != '[' || in_list || depth + TENSOR_MAX_INPUT_RANK > JSON_MAX_DEPTH)
        return true;
    json_list *larger = mem_grow(lists->list, lists->count, &lists->capacity, sizeof *larger, e);
    if (larger == NULL)
        return false;
    lists->list = larger;
    json_list *added = &larger[lists->count];
    *added = (json_list){.at = at};
    if (!json_list_read(lists, at, lists->end, lists->type, &added->values, after, e))
        return false;
    added->end = *after;
    added->data = added->values.data;
    bool is_kept =
        *after != NULL && (tensor_count(&added->values) >= FEWEST || lists->count < FIRST_ONES);
    lists->count += is_kept;
    if (!is_kept)
        tensor_free(&added->values);
    return true;
}

const char *json_lists_end(const json_lists *lists, const char *at)
{
    const json_list *known = find_list(lists, at);
    return known == NULL ? NULL : known->end;
}

void json_lists_free(json_lists *lists)
{
    for (size_t i = 0; i < lists->count; i++)
        tensor_free(&lists->list[i].values);
    mem_free(lists->list);
    mem_free(lists->scratch);
    *lists = (json_lists){0};
}
