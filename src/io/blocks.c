#include "io/blocks.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK_AXES = GRID_ROW + 1 }; /* batch, head and row can stand in front of a block */

/* How many of the first axes are batch and head, by letters or by rank. */
static void find_leading(const entry *of, bool has[GRID_AXES])
{
    const char *letters = of->axes;
    if (letters == NULL)
        letters = of->tensor.rank >= 4 ? "bh" : of->tensor.rank == 3 ? "h" : "";
    int left = of->tensor.rank - 2;
    has[GRID_BATCH] = left > 0 && *letters == 'b';
    letters += has[GRID_BATCH];
    left -= has[GRID_BATCH];
    has[GRID_HEAD] = left > 0 && *letters == 'h';
    left -= has[GRID_HEAD];
    has[GRID_ROW] = left > 0;
    assert(left <= 1);
}

static tensor as_matrix(const tensor *t)
{
    tensor view = tensor_view_of(t);
    if (view.rank == 2)
        return view;
    view.size[1] = t->rank == 0 ? 1 : t->size[0];
    view.stride[1] = t->rank == 0 ? 1 : t->stride[0];
    view.size[0] = 1;
    view.stride[0] = (ptrdiff_t)view.size[1];
    view.rank = 2;
    return view;
}

static void find_matrix(const entry *of, block *b)
{
    tensor t = tensor_view_of(&of->tensor);
    for (int axis = 0; axis < BLOCK_AXES; axis++) {
        if (b->has[axis])
            t = tensor_at(&t, b->index[axis]);
    }
    b->matrix = as_matrix(&t);
}

block block_first(const entry *of)
{
    block b = {0};
    find_leading(of, b.has);
    find_matrix(of, &b);
    return b;
}

bool block_next(const entry *of, block *b)
{
    int place_in_rank = b->has[GRID_BATCH] + b->has[GRID_HEAD] + b->has[GRID_ROW];
    for (int axis = BLOCK_AXES - 1; axis >= 0; axis--) {
        if (!b->has[axis])
            continue;
        if (++b->index[axis] < of->tensor.size[--place_in_rank]) {
            find_matrix(of, b);
            return true;
        }
        b->index[axis] = 0;
    }
    return false;
}

void block_comment_write(text *out, const char *name, const block *b)
{
    text_add_format(out, "# %s", name);
    for (int axis = 0; axis < BLOCK_AXES; axis++) {
        if (b->has[axis])
            text_add_format(out, " %s=%zu", GRID_AXIS_NAMES[axis], b->index[axis]);
    }
    text_add_format(out, " %zux%zu\n", b->matrix.size[0], b->matrix.size[1]);
}

/* Digits; where there are too many of them, they are remembered. */
static const char *read_size(const char *p, const char *end, size_t *size, block_comment *out)
{
    const char *first = p;
    bool fits = true;
    for (*size = 0; p < end && *p >= '0' && *p <= '9'; p++) {
        size_t digit = (size_t)(*p - '0'), largest = SIZE_MAX / 2;
        fits = fits && *size <= (largest - digit) / 10;
        *size = fits ? *size * 10 + digit : largest;
    }
    if (!fits && out->too_large == NULL) {
        out->too_large = first;
        out->too_large_length = (size_t)(p - first);
    }
    return p == first ? NULL : p;
}

static const char *read_word(const char *p, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - p) >= length && memcmp(p, word, length) == 0 ? p + length : NULL;
}

/* "head=1 ", where it is there; NULL where it is spoiled. */
static const char *read_index(const char *p, const char *end, grid_axis axis, block_comment *out)
{
    const char *behind = read_word(p, end, GRID_AXIS_NAMES[axis]);
    if (behind == NULL || (behind = read_word(behind, end, "=")) == NULL)
        return p;
    out->has[axis] = true;
    behind = read_size(behind, end, &out->index[axis], out);
    return behind == NULL ? NULL : read_word(behind, end, " ");
}

bool block_comment_read(const char *line, size_t length, block_comment *out)
{
    const char *end = line + length, *p = read_word(line, end, " ");
    *out = (block_comment){.name = p};
    if (p == NULL)
        return false;
    while (p < end && (unsigned char)*p > ' ')
        p++;
    out->name_length = (size_t)(p - out->name);
    if (out->name_length == 0 || (p = read_word(p, end, " ")) == NULL)
        return false;
    for (int axis = 0; axis < BLOCK_AXES; axis++) {
        if ((p = read_index(p, end, (grid_axis)axis, out)) == NULL)
            return false;
    }
    if ((p = read_size(p, end, &out->rows, out)) == NULL || (p = read_word(p, end, "x")) == NULL)
        return false;
    return read_size(p, end, &out->columns, out) == end;
}
