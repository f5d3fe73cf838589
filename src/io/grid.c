#include "io/grid.h"

#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static const char *index_text(const grid *g, const size_t index[GRID_AXES], char out[INDEX_TEXT])
{
    size_t length = 0;
    out[0] = '\0';
    for (int axis = 0; axis < GRID_AXES; axis++) {
        if (g->has[axis])
            length += (size_t)snprintf(out + length, INDEX_TEXT - length, " %s=%zu",
                                       GRID_AXIS_NAMES[axis], index[axis]);
    }
    return out;
}

/* Piece `at` in order is not the one wanted there: it is missing, or the one before came twice. */
static bool refuse_piece(const grid *g, size_t at, const size_t wanted[GRID_AXES], const char *file,
                         const char *name, err *e)
{
    char here[INDEX_TEXT], missing[INDEX_TEXT];
    const grid_piece *found = &g->piece[at < g->count ? at : g->count - 1];
    place where = {.file = file, .line = found->line, .column = 1};
    index_text(g, found->index, here);
    if (at > 0 && at < g->count && compare_index(found[-1].index, found->index) == 0)
        return err_at(e, &where, "%s%s is here a second time, first in line %zu", name, here,
                      found[-1].line);
    return err_at(e, &where, "%s%s is here, but%s is nowhere", name, here,
                  index_text(g, wanted, missing));
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

static bool is_sorted(const grid *g)
{
    for (size_t i = 1; i < g->count; i++) {
        if (compare_pieces(&g->piece[i - 1], &g->piece[i]) > 0)
            return false;
    }
    return true;
}

/* As large as the greatest indices say: 1 on axes that are not there. */
static void find_sizes(const grid *g, size_t size[GRID_AXES])
{
    memset(size, 0, GRID_AXES * sizeof size[0]);
    for (size_t i = 0; i < g->count; i++) {
        for (int axis = 0; axis < GRID_AXES; axis++) {
            if (g->piece[i].index[axis] >= size[axis])
                size[axis] = g->piece[i].index[axis] + 1;
        }
    }
}

static bool check_pieces(const grid *g, const size_t size[GRID_AXES], const char *file,
                         const char *name, err *e)
{
    size_t wanted[GRID_AXES] = {0};
    bool more = true;
    for (size_t i = 0; i < g->count || more; i++) {
        if (i == g->count || !more || compare_index(g->piece[i].index, wanted) != 0)
            return refuse_piece(g, i, wanted, file, name, e);
        more = next_index(size, wanted);
    }
    return true;
}

bool grid_finish(grid *g, const char *file, const char *name, size_t size[GRID_AXES], int *rank,
                 err *e)
{
    size_t all[GRID_AXES];
    assert(g->count > 0);
    find_sizes(g, all);
    if (!is_sorted(g))
        qsort(g->piece, g->count, sizeof g->piece[0], compare_pieces);
    *rank = 0;
    for (int axis = 0; axis < GRID_AXES; axis++) {
        if (g->has[axis])
            size[(*rank)++] = all[axis];
    }
    return check_pieces(g, all, file, name, e);
}

void grid_free(grid *g)
{
    mem_free(g->piece);
    *g = (grid){0};
}

const char *grid_letters(const bool has[GRID_AXES])
{
    static const char *const letters[2][2][2] = {{{"qk", "qkd"}, {"hqk", "hqkd"}},
                                                 {{"bqk", "bqkd"}, {"bhqk", "bhqkd"}}};
    return letters[has[GRID_BATCH]][has[GRID_HEAD]][has[GRID_ROW]];
}
