#include "io/csv.h"

#include "base/mem.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- pieces in order ---- */

const char *const GRID_AXIS_NAMES[GRID_AXES] = {"batch", "head", "row", "col", "item"};

static int compare_index(const size_t a[GRID_AXES], const size_t b[GRID_AXES])
{
    for (int axis = 0; axis < GRID_AXES; axis++) {
        if (a[axis] != b[axis])
            return a[axis] < b[axis] ? -1 : 1;
    }
    return 0;
}

static int compare_pieces(const void *a, const void *b)
{
    const grid_piece *first = a, *second = b;
    int by_index = compare_index(first->index, second->index);
    return by_index != 0 ? by_index : first->order < second->order ? -1 : 1;
}

/* " batch=0 head=1": the indices on those axes that are there. */
enum { INDEX_TEXT = 160 };
static const char *index_text(const bool has[GRID_AXES], const size_t index[GRID_AXES],
                              char out[INDEX_TEXT])
{
    size_t length = 0;
    out[0] = '\0';
    for (int axis = 0; axis < GRID_AXES; axis++) {
        if (has[axis])
            length += (size_t)snprintf(out + length, INDEX_TEXT - length, " %s=%zu",
                                       GRID_AXIS_NAMES[axis], index[axis]);
    }
    return out;
}

static bool next_index(const size_t size[GRID_AXES], size_t index[GRID_AXES])
{
    for (int axis = GRID_AXES - 1; axis >= 0; axis--) {
        if (++index[axis] < size[axis])
            return true;
        index[axis] = 0;
    }
    return false;
}

bool grid_add(grid *g, const size_t index[GRID_AXES], size_t line, err *e)
{
    grid_piece *larger = mem_grow(g->piece, g->count, &g->capacity, sizeof larger[0], e);
    if (larger == NULL)
        return false;
    g->piece = larger;
    grid_piece *added = &g->piece[g->count];
    *added = (grid_piece){.order = g->count++, .line = line};
    memcpy(added->index, index, sizeof added->index);
    return true;
}

bool grid_finish(grid *g, const char *file, const char *name, size_t size[GRID_AXES], int *rank,
                 err *e)
{
    size_t all[GRID_AXES] = {0}; /* 1 on axes that are not there */
    assert(g->count > 0);
    g->was_in_order = true;
    for (size_t i = 0; i < g->count; i++) {
        const grid_piece *piece = &g->piece[i];
        g->was_in_order = g->was_in_order && (i == 0 || compare_pieces(piece - 1, piece) < 0);
        for (int axis = 0; axis < GRID_AXES; axis++)
            all[axis] = piece->index[axis] >= all[axis] ? piece->index[axis] + 1 : all[axis];
    }
    if (!g->was_in_order)
        qsort(g->piece, g->count, sizeof g->piece[0], compare_pieces);
    *rank = 0;
    for (int axis = 0; axis < GRID_AXES; axis++) {
        if (g->has[axis])
            size[(*rank)++] = all[axis];
    }
    size_t wanted[GRID_AXES] = {0}, at = 0;
    bool more = true;
    while (more && at < g->count && compare_index(g->piece[at].index, wanted) == 0) {
        more = next_index(all, wanted);
        at++;
    }
    if (at == g->count && !more)
        return true;
    /* The piece there is not the one wanted: that is missing, or the one before came twice. */
    char here[INDEX_TEXT], missing[INDEX_TEXT];
    const grid_piece *found = &g->piece[at < g->count ? at : g->count - 1];
    place where = {.file = file, .line = found->line, .column = 1};
    index_text(g->has, found->index, here);
    if (at > 0 && at < g->count && compare_index(found[-1].index, found->index) == 0)
        return err_at(e, &where, "%s%s is here a second time, first in line %zu", name, here,
                      found[-1].line);
    return err_at(e, &where, "%s%s is here, but%s is nowhere", name, here,
                  index_text(g->has, wanted, missing));
}

void grid_free(grid *g)
{
    mem_free(g->piece);
    *g = (grid){0};
}

const char *grid_letters(const grid *g)
{
    static const char *const letters[2][2][2] = {{{"qk", "qkd"}, {"hqk", "hqkd"}},
                                                 {{"bqk", "bqkd"}, {"bhqk", "bhqkd"}}};
    bool has_row = g->has[g->has[GRID_COL] ? GRID_ITEM : GRID_ROW];
    return letters[g->has[GRID_BATCH]][g->has[GRID_HEAD]][has_row];
}

/* ---- matrices of a tensor ---- */

enum { BLOCK_AXES = GRID_ROW + 1 }; /* batch, head and row can stand in front of a block */

static void find_matrix(const entry *of, block *b)
{
    tensor t = tensor_view_of(&of->tensor);
    for (int axis = 0; axis < BLOCK_AXES; axis++) {
        if (b->has[axis])
            t = tensor_at(&t, b->index[axis]);
    }
    if (t.rank < 2) {
        t.size[1] = t.rank == 0 ? 1 : t.size[0];
        t.stride[1] = t.rank == 0 ? 1 : t.stride[0];
        t.size[0] = 1;
        t.stride[0] = (ptrdiff_t)t.size[1];
        t.rank = 2;
    }
    b->matrix = t;
}

block block_first(const entry *of)
{
    block b = {0};
    /* How many of the first axes are batch and head, by letters or by rank. */
    const char *letters = of->axes;
    if (letters == NULL)
        letters = of->tensor.rank >= 4 ? "bh" : of->tensor.rank == 3 ? "h" : "";
    int left = of->tensor.rank - 2;
    for (int axis = GRID_BATCH; axis <= GRID_HEAD; axis++) {
        b.has[axis] = left > 0 && *letters == "bh"[axis];
        letters += b.has[axis];
        left -= b.has[axis];
    }
    b.has[GRID_ROW] = left > 0;
    assert(left <= 1);
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
    char index[INDEX_TEXT];
    text_add_format(out, "# %s%s %zux%zu\n", name, index_text(b->has, b->index, index),
                    b->matrix.size[0], b->matrix.size[1]);
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
    for (int axis = 0; axis < BLOCK_AXES; axis++) { /* "head=1 ", where it is there */
        const char *after = read_word(p, end, GRID_AXIS_NAMES[axis]);
        if (after == NULL || (after = read_word(after, end, "=")) == NULL)
            continue;
        out->has[axis] = true;
        after = read_size(after, end, &out->index[axis], out);
        if (after == NULL || (p = read_word(after, end, " ")) == NULL)
            return false;
    }
    if ((p = read_size(p, end, &out->rows, out)) == NULL || (p = read_word(p, end, "x")) == NULL)
        return false;
    return read_size(p, end, &out->columns, out) == end;
}
