#include "io/json_lists.h"

#include "base/mem.h"
#include "io/number_list.h"
#include "io/number_read.h"
#include "io/rows_read.h"

#include <string.h>

static const uint64_t SPACES = (uint64_t)1 << ' ' | 1 << '\t' | 1 << '\n' | 1 << '\r';

enum {
    FEWEST = 64,        /* numbers: shorter lists are read again rather than remembered, */
    FIRST_ONES = 8,     /* but for the first ones: of a small document all */
    FIRST_ROOM = 960,   /* with which a block of memory is still small */
    LONG_LIST = 1 << 15 /* numbers: a list with so many may have enough for several threads */
};

/* A list half read: the first one of each depth sets the size there, others must be as long. */
typedef struct reading {
    json_lists *lists;
    number_list numbers; /* and where the reading is */
    const char *start;
    dtype type;
    int rank;
    size_t size[TENSOR_MAX_INPUT_RANK];
    size_t count; /* of numbers so far */
} reading;

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (unsigned char)*at <= ' ' && (SPACES >> *at & 1) != 0)
        at++;
    return at;
}

/* Goes over `c`, and the spaces around it, where it comes next. */
static bool take(reading *r, char c)
{
    const char *at = skip_space(r->numbers.at, r->numbers.end);
    if (at == r->numbers.end || *at != c)
        return false;
    r->numbers.at = skip_space(at + 1, r->numbers.end);
    return true;
}

/* As many more numbers as the rest of the text holds, if they are as long as those so far. */
static size_t numbers_left(const reading *r)
{
    double read = (double)(r->numbers.at - r->start),
           left = (double)(r->numbers.end - r->numbers.at);
    return (size_t)((double)r->count / read * left * 1.02);
}

/* There is room for so many more numbers in the scratch memory, at least. */
static bool find_room(reading *r, size_t count, err *e)
{
    json_lists *lists = r->lists;
    size_t size = dtype_size(r->type), used = r->count * size;
    if (used + count * size <= lists->room)
        return true;
    size_t room = (r->count + size_larger(count, numbers_left(r))) * size + FIRST_ROOM;
    char *larger = mem_alloc(room, 1, e);
    if (larger == NULL)
        return false;
    if (used > 0)
        memcpy(larger, lists->scratch, used);
    mem_free(lists->scratch);
    lists->scratch = larger;
    lists->room = room;
    return true;
}

/* A number of unusual form. */
static bool read_unusual(reading *r)
{
    number_list *l = &r->numbers;
    const char *at = skip_space(l->at, l->end), *behind = number_end_json(at, l->end);
    void *to = r->lists->scratch + r->count * dtype_size(r->type);
    if (behind == NULL || behind - at > NUMBER_MAX_TEXT)
        return false;
    if (!(r->type == DTYPE_F32 ? number_read_f32(at, behind, to) : number_read_f64(at, behind, to)))
        return false;
    r->count++;
    l->at = behind;
    l->due = take(r, ',');
    return true;
}

/* Reads up to a row's end. What is no row leaves the reading where no bracket stands. */
static bool read_numbers(reading *r, size_t *count, err *e)
{
    size_t before = r->count, size = dtype_size(r->type);
    bool going_on = true;
    r->numbers.due = true;
    while (r->numbers.due && going_on) {
        if (!find_room(r, 1, e))
            return false;
        size_t added = number_list_read(&r->numbers, r->type, r->lists->scratch + r->count * size,
                                        r->lists->room / size - r->count);
        r->count += added;
        going_on = added > 0 || read_unusual(r);
    }
    *count = r->count - before;
    return true;
}

/* ---- a long list of rows ---- */

static const char *find_row(const void *how, const char *from, const char *to)
{
    (void)how;
    return memchr(from, '[', (size_t)(to - from));
}

/* A row that another one follows. */
static const char *read_row(const void *how, const char *row, void *numbers)
{
    const reading *now = how;
    size_t columns = now->size[now->rank - 1];
    reading r = {.numbers = now->numbers};
    r.numbers.at = row;
    r.numbers.due = true;
    if (!take(&r, '[') || number_list_read(&r.numbers, now->type, numbers, columns) != columns ||
        r.numbers.due || !take(&r, ']') || !take(&r, ',') || r.numbers.at == r.numbers.end ||
        *r.numbers.at != '[')
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

/* Goes behind the rows that several threads read. */
static bool read_ahead(reading *r, size_t *rows, err *e)
{
    size_t before = r->count, columns = r->size[r->rank - 1];
    const rows_read all = {.at = r->numbers.at,
                           .end = r->numbers.end,
                           .columns = columns,
                           .size = dtype_size(r->type),
                           .find = find_row,
                           .read = read_row,
                           .format = r,
                           .take = take_rows,
                           .to = r};
    r->numbers.at = rows_read_ahead(&all, r->lists->threads, e);
    *rows += (r->count - before) / columns;
    return !e->is_set;
}

/* ---- lists in lists ---- */

static bool read_list(reading *r, int depth, bool *is_plain, err *e);

static bool read_entries(reading *r, int depth, size_t *count, bool *is_plain, err *e)
{
    size_t before = r->count;
    bool may_be_long = depth + 2 == r->rank && r->lists->threads > 1;
    *count = 0;
    do {
        if (may_be_long && r->count - before >= LONG_LIST) {
            may_be_long = false;
            if (!read_ahead(r, count, e))
                return false;
        }
        if (!read_list(r, depth + 1, is_plain, e))
            return false;
        ++*count;
    } while (*is_plain && take(r, ','));
    return true;
}

/* `is_plain` becomes false where something else comes than the lists before let expect. */
static bool read_list(reading *r, int depth, bool *is_plain, err *e)
{
    size_t count = 0;
    *is_plain = take(r, '[');
    if (!*is_plain)
        return true;
    if (!(depth + 1 == r->rank ? read_numbers(r, &count, e)
                               : read_entries(r, depth, &count, is_plain, e)))
        return false;
    if (r->size[depth] == 0)
        r->size[depth] = count;
    const char *bracket = skip_space(r->numbers.at, r->numbers.end);
    *is_plain = *is_plain && count == r->size[depth] && bracket < r->numbers.end &&
                *bracket == ']' && !r->numbers.due;
    r->numbers.at = bracket + *is_plain;
    return true;
}

static int rank_of(const char *at, const char *end)
{
    int rank = 0;
    for (; at < end && *at == '[' && rank <= TENSOR_MAX_INPUT_RANK; rank++)
        at = skip_space(at + 1, end);
    return rank;
}

/* A long list takes the scratch memory itself, a short one a copy. */
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

bool json_list_read(json_lists *lists, const char *at, const char *end, dtype type, tensor *values,
                    const char **behind, err *e)
{
    reading r = {.lists = lists, .start = at, .type = type, .rank = rank_of(at, end)};
    r.numbers = (number_list){.at = at, .end = end, .delimiter = ',', .spaces = SPACES};
    bool is_plain;
    *behind = NULL;
    if (r.rank > TENSOR_MAX_INPUT_RANK)
        return true;
    if (!read_list(&r, 0, &is_plain, e))
        return false;
    if (!is_plain)
        return true;
    *behind = r.numbers.at;
    return give_values(&r, values, e);
}

bool json_lists_add(json_lists *lists, const char *at, const char *end, const char **behind, err *e)
{
    json_list *larger = mem_grow(lists->list, lists->count, &lists->capacity, sizeof *larger, e);
    if (larger == NULL)
        return false;
    lists->list = larger;
    json_list *added = &larger[lists->count];
    *added = (json_list){.at = at};
    if (!json_list_read(lists, at, end, lists->type, &added->values, behind, e))
        return false;
    added->end = *behind;
    added->data = added->values.data;
    if (*behind == NULL)
        return true;
    if (tensor_count(&added->values) < FEWEST && lists->count >= FIRST_ONES)
        tensor_free(&added->values);
    else
        lists->count++;
    return true;
}

json_list *json_lists_find(const json_lists *lists, const char *at)
{
    size_t from = 0, to = lists == NULL ? 0 : lists->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (lists->list[middle].at < at)
            from = middle + 1;
        else
            to = middle;
    }
    return lists != NULL && from < lists->count && lists->list[from].at == at ? &lists->list[from]
                                                                              : NULL;
}

void json_lists_free(json_lists *lists)
{
    for (size_t i = 0; i < lists->count; i++)
        tensor_free(&lists->list[i].values);
    mem_free(lists->list);
    mem_free(lists->scratch);
    *lists = (json_lists){0};
}
