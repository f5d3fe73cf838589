#include "render/selection.h"

/* A matrix of up to 12 rows is read at one look; a longer one is recognised by 8. */
enum { FEW_ROWS = 12, FIRST_ROWS = 8, LAST_ROWS = 3 };

/* [first, end) is left out. */
typedef struct hidden {
    size_t first, end;
} hidden;

/* The one or two ranges without the front, the focus and the back: how many. */
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

/* " 9 to 29" of what counts from 1, " 8 to 28" of ids. */
static void add_range(text *out, bool has_ids, size_t first, size_t end)
{
    size_t begin = has_ids ? 0 : 1;
    text_add_format(out, " %zu", begin + first);
    if (end - first > 1)
        text_add_format(out, " to %zu", begin + end - 1);
}

static const char *name_columns(bool has_ids)
{
    return has_ids ? "id" : "column";
}

void selection_add_part(text *out, bool has_ids, size_t first, size_t end, size_t total)
{
    text_add_format(out, "%s%s", name_columns(has_ids), end - first > 1 ? "s" : "");
    add_range(out, has_ids, first, end);
    text_add_format(out, " of %zu", total);
}

/* "rows 9 to 29 and 31 to 61 of 64" */
static void add_hidden(text *out, const selection *s, const char *what, bool is_one)
{
    hidden range[2];
    size_t count = hidden_ranges(s, range);
    text_add_format(out, "%s%s", what, is_one ? "" : "s");
    for (size_t i = 0; i < count; i++) {
        text_add_string(out, i > 0 ? " and" : "");
        add_range(out, s->has_ids, range[i].first, range[i].end);
    }
    text_add_format(out, " of %zu", s->total);
}

static size_t hidden_count(const selection *s)
{
    hidden range[2];
    size_t count = hidden_ranges(s, range), sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += range[i].end - range[i].first;
    return sum;
}

void selection_add_left_out(text *out, const selection *rows, const selection *columns)
{
    size_t of_rows = hidden_count(rows), of_columns = hidden_count(columns);
    if (of_rows > 0)
        add_hidden(out, rows, "row", of_rows == 1);
    text_add_string(out, of_rows > 0 && of_columns > 0 ? " and " : "");
    if (of_columns > 0)
        add_hidden(out, columns, name_columns(columns->has_ids), of_columns == 1);
    if (of_rows + of_columns > 0)
        text_add_format(out, " %s left out; --full shows %s",
                        of_rows + of_columns > 1 ? "are" : "is",
                        of_rows + of_columns > 1 ? "them" : "it");
}
