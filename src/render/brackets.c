#include "render/brackets.h"

#include "base/mem.h"

#include <assert.h>

/* ---- which rows and columns ---- */

/* A matrix of up to 12 rows is read at one look; a longer one is recognised by 8. */
enum { FEW_ROWS = 12, FIRST_ROWS = 8, LAST_ROWS = 3 };

/* [first, end) is left out. */
typedef struct hidden {
    size_t first, end;
} hidden;

/* Finds the one or two ranges between the front, the focus and the back; returns how many. */
static size_t hidden_ranges(const selection *s, hidden range[2])
{
    size_t first = s->front, end = s->total - s->back, count = 0;
    if (s->focus > first && s->focus <= end) {
        if (s->focus - 1 > first)
            range[count++] = (hidden){first, s->focus - 1};
        first = s->focus;
    }
    if (first < end)
        range[count++] = (hidden){first, end};
    return count;
}

selection selection_all(size_t total)
{
    return (selection){.total = total, .front = total};
}

selection selection_of_rows(size_t total, size_t focus, bool is_full)
{
    if (is_full || total <= FEW_ROWS)
        return selection_all(total);
    return (selection){.total = total, .front = FIRST_ROWS, .back = LAST_ROWS, .focus = focus};
}

selection selection_of_ends(size_t total, size_t shown)
{
    if (shown >= total)
        return selection_all(total);
    size_t back = (shown + 2) / 4;
    return (selection){.total = total, .front = shown - back, .back = back};
}

size_t selection_count(const selection *s)
{
    hidden range[2];
    size_t count = hidden_ranges(s, range), places = s->total + count;
    for (size_t i = 0; i < count; i++)
        places -= range[i].end - range[i].first;
    return places;
}

size_t selection_at(const selection *s, size_t slot)
{
    hidden range[2];
    size_t count = hidden_ranges(s, range), index = slot;
    for (size_t i = 0; i < count; i++) {
        if (index == range[i].first)
            return SELECTION_GAP;
        if (index > range[i].first)
            index += range[i].end - range[i].first - 1;
    }
    return index;
}

/* Adds " 9 to 29"; for ids, which count from 0, " 8 to 28". */
static void add_range(text *out, bool has_ids, size_t first, size_t end)
{
    size_t begin = has_ids ? 0 : 1;
    text_add_format(out, " %zu", begin + first);
    if (end - first > 1)
        text_add_format(out, " to %zu", begin + end - 1);
}

void selection_add_part(text *out, bool has_ids, size_t first, size_t end, size_t total)
{
    text_add_format(out, "%s%s", has_ids ? "id" : "column", end - first > 1 ? "s" : "");
    add_range(out, has_ids, first, end);
    text_add_format(out, " of %zu", total);
}

/* Adds "rows 9 to 29 and 31 to 61 of 64"; returns how many rows that are. */
static size_t add_hidden(text *out, const char *before, const selection *s, const char *what)
{
    hidden range[2];
    size_t count = hidden_ranges(s, range), sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += range[i].end - range[i].first;
    if (sum == 0)
        return 0;
    text_add_format(out, "%s%s%s", before, what, sum == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++) {
        text_add_string(out, i > 0 ? " and" : "");
        add_range(out, s->has_ids, range[i].first, range[i].end);
    }
    text_add_format(out, " of %zu", s->total);
    return sum;
}

void selection_add_left_out(text *out, const selection *rows, const selection *columns)
{
    size_t sum = add_hidden(out, "", rows, "row");
    sum += add_hidden(out, sum > 0 ? " and " : "", columns, columns->has_ids ? "id" : "column");
    if (sum > 0)
        text_add_format(out, " %s left out; --full shows %s", sum > 1 ? "are" : "is",
                        sum > 1 ? "them" : "it");
}

/* ---- what is drawn ---- */

tensor matrix_of(const tensor *t)
{
    assert(t->rank <= 2);
    tensor matrix = tensor_view_of(t);
    for (; matrix.rank < 2; matrix.rank++) {
        matrix.size[1] = matrix.rank == 0 ? 1 : matrix.size[0];
        matrix.stride[1] = matrix.rank == 0 ? 1 : matrix.stride[0];
        matrix.size[0] = 1;
        matrix.stride[0] = 0;
    }
    return matrix;
}

double matrix_at(const tensor *matrix, size_t row, size_t column)
{
    return tensor_get(matrix, (size_t[]){row, column});
}

column_source column_source_of(const trace_item *item, const render_options *how)
{
    column_source from = {
        .matrix = matrix_of(&item->a), .digits = how->digits, .has_ids = item->has_ids};
    from.rows = selection_of_rows(from.matrix.size[0], item->focus, how->is_full);
    if (item->kind == TRACE_STACK) {
        from.also = matrix_of(&item->result);
        from.row_labels = &item->rows;
    } else {
        from.labels = labels_that_say(&item->columns, from.matrix.size[1]);
        if (item->a.rank == 2)
            from.row_labels = labels_that_say(&item->rows, from.matrix.size[0]);
    }
    return from;
}

void matrix_add_shape(text *out, const tensor *t)
{
    if (t->rank == 2)
        text_add_format(out, " (%zu × %zu)", t->size[0], t->size[1]);
    else if (t->rank == 1)
        text_add_format(out, " (%zu long)", t->size[0]);
}

/* ---- widths ---- */

number_width column_number_width(const column_source *from, size_t column)
{
    number_width width = {0};
    for (size_t slot = 0; slot < selection_count(&from->rows); slot++) {
        size_t row = selection_at(&from->rows, slot);
        if (row != SELECTION_GAP)
            number_width_add(&width, matrix_at(&from->matrix, row, column), from->digits);
    }
    if (from->also.data != NULL)
        number_width_add(&width, matrix_at(&from->also, 0, column), from->digits);
    return width;
}

/* The column's width with its label, and that of its numbers alone. */
static size_t measure_column(const column_source *from, size_t column, number_width *number)
{
    *number = column_number_width(from, column);
    size_t label = from->labels == NULL ? 0 : label_columns(from->labels, column);
    return size_larger(label, number_width_columns(number));
}

void brackets_measure(brackets *b, const column_source *from, const selection *columns)
{
    b->from = from;
    b->columns = *columns;
    b->columns.has_ids = from->has_ids;
    for (size_t slot = 0; slot < selection_count(columns); slot++) {
        size_t column = selection_at(columns, slot);
        b->width[slot] =
            column == SELECTION_GAP ? 1 : measure_column(from, b->first + column, &b->number[slot]);
    }
}

/* ---- what fits ---- */

/* "[]", and ", " after each column but the last. */
static const size_t AROUND = 2, BETWEEN = 2;

bool brackets_next(brackets *b, const column_source *from, size_t budget, bool is_full)
{
    size_t begun = b->first + b->columns.total, shown = 0, used = AROUND;
    if (b->from != NULL && begun >= from->matrix.size[1])
        return false;
    b->first = begun;
    /* With --full, columns are added at the front, at least one. Else they are added at the front
     * and the back by turns, as long as they fit next to the … for the rest. */
    selection columns = {.total = from->matrix.size[1] - begun};
    while (shown < columns.total && shown + !is_full < BRACKETS_MOST) {
        number_width number;
        bool is_front = is_full || shown % 2 == 0, has_rest = shown + 1 < columns.total;
        size_t column = is_front ? begun + columns.front : columns.total - 1 - columns.back;
        used += measure_column(from, column, &number) + (shown > 0 ? BETWEEN : 0);
        if (shown > 0 && used + (has_rest && !is_full ? 1 + BETWEEN : 0) > budget)
            break;
        *(is_front ? &columns.front : &columns.back) += 1;
        shown++;
    }
    if (is_full)
        columns = selection_all(shown);
    brackets_measure(b, from, &columns);
    return true;
}

/* ---- drawing ---- */

void brackets_add_part(text *out, const brackets *b, size_t indent)
{
    size_t total = b->from->matrix.size[1];
    if (b->columns.total == total)
        return;
    text_add_string(out, b->first > 0 ? "\n" : "");
    text_add_repeated(out, " ", indent);
    selection_add_part(out, b->columns.has_ids, b->first, b->first + b->columns.total, total);
    text_add_string(out, "\n");
}

size_t brackets_columns(const brackets *b)
{
    size_t columns = AROUND, count = selection_count(&b->columns);
    for (size_t slot = 0; slot < count; slot++)
        columns += b->width[slot] + (slot > 0 ? BETWEEN : 0);
    return columns;
}

/* A label stands over the right end of its column, where its numbers end. */
void brackets_add_labels(text *out, const brackets *b)
{
    text_add_string(out, " ");
    for (size_t slot = 0; slot < selection_count(&b->columns); slot++) {
        size_t column = selection_at(&b->columns, slot);
        column += column == SELECTION_GAP ? 0 : b->first;
        text_add_repeated(out, " ", slot > 0 ? BETWEEN : 0);
        text_add_repeated(out, " ", b->width[slot] - label_columns(b->from->labels, column));
        label_add(out, b->from->labels, column);
    }
}

void brackets_add_row(text *out, const brackets *b, const tensor *matrix, size_t row)
{
    text_add_string(out, "[");
    for (size_t slot = 0; slot < selection_count(&b->columns); slot++) {
        size_t column = selection_at(&b->columns, slot);
        text_add_string(out, slot > 0 ? ", " : "");
        if (column == SELECTION_GAP) {
            text_add_string(out, "…");
            continue;
        }
        const number_width *number = &b->number[slot];
        text_add_repeated(out, " ", b->width[slot] - number_width_columns(number));
        number_text_add_aligned(out, matrix_at(matrix, row, b->first + column), b->from->digits,
                                number);
    }
    text_add_string(out, "]");
}
