/* Where a matrix of the trace lies in the maps. */
#include "trace/map.h"
#include "trace/map_parts.h"

#include <stdint.h>
#include <string.h>

tensor map_heads_of(const tensor *t)
{
    tensor heads = tensor_view_of(t);
    for (; heads.rank < 3; heads.rank++) {
        memmove(heads.size + 1, heads.size, (size_t)heads.rank * sizeof heads.size[0]);
        memmove(heads.stride + 1, heads.stride, (size_t)heads.rank * sizeof heads.stride[0]);
        heads.size[0] = 1;
        heads.stride[0] = 0;
    }
    return heads;
}

/* How many elements of a head lie before the matrix; false where it is elsewhere. */
static bool find_offset(const tensor *head, const tensor *matrix, size_t *offset)
{
    const char *first = head->data, *here = matrix->data;
    size_t bytes = dtype_size(head->type), most = 0;
    for (int axis = 0; axis < 2; axis++)
        most += (head->size[axis] - 1) * (size_t)head->stride[axis];
    *offset = (size_t)((uintptr_t)here - (uintptr_t)first) / bytes;
    return (uintptr_t)here >= (uintptr_t)first && *offset <= most;
}

static bool is_stepped_alike(const tensor *head, const tensor *matrix)
{
    bool rows = matrix->size[0] == 1 || matrix->stride[0] == head->stride[0];
    return rows && (matrix->size[1] == 1 || matrix->stride[1] == head->stride[1]);
}

/* Where the matrix begins in a head of which it is a part. */
static bool find_block(const tensor *head, const tensor *matrix, map_place *at)
{
    size_t offset, row_step = (size_t)head->stride[0], column_step = (size_t)head->stride[1];
    if (head->type != matrix->type || !is_stepped_alike(head, matrix) ||
        !find_offset(head, matrix, &offset))
        return false;
    if (row_step >= column_step) {
        at->row = row_step == 0 ? 0 : offset / row_step;
        offset -= at->row * row_step;
        at->column = column_step == 0 ? 0 : offset / column_step;
    } else {
        at->column = offset / column_step;
        offset -= at->column * column_step;
        at->row = row_step == 0 ? 0 : offset / row_step;
    }
    return at->row + matrix->size[0] <= head->size[0] &&
           at->column + matrix->size[1] <= head->size[1];
}

/* Whether it is all rows of the head, and all columns of those that are its own. */
static bool is_whole(const trace_map *map, const tensor *matrix, const map_place *at)
{
    const size_t *size = map->values.size;
    size_t width = size[2] / map->slices;
    return matrix->size[0] == size[1] &&
           (matrix->size[1] == size[2] || (matrix->size[1] == width && at->column % width == 0));
}

static const trace_map *find_holder(const trace *t, const tensor *matrix, bool whole, map_place *at)
{
    for (size_t i = 0; i < t->maps; i++) {
        const trace_map *map = &t->map[i];
        for (at->head = 0; at->head < map->values.size[0]; at->head++) {
            tensor head = tensor_at(&map->values, at->head);
            if (find_block(&head, matrix, at) && (!whole || is_whole(map, matrix, at)))
                return map;
        }
    }
    return NULL;
}

const trace_map *map_of(const trace *t, const tensor *matrix, map_place *at)
{
    tensor heads = map_heads_of(matrix);
    tensor plain = tensor_at(&heads, 0), turned = tensor_transposed(&plain);
    *at = (map_place){0};
    const trace_map *found = find_holder(t, &plain, true, at);
    if (found == NULL)
        found = find_holder(t, &plain, false, at);
    if (found != NULL)
        return found;
    at->is_turned = true;
    return find_holder(t, &turned, false, at);
}

size_t map_index(const trace *room, const trace_map *map)
{
    return room->first_map + (size_t)(map - room->map);
}

const trace_map *map_named(const trace *t, const char *name)
{
    for (size_t i = 0; i < t->maps; i++) {
        if (strcmp(t->map[i].name, name) == 0)
            return &t->map[i];
    }
    return NULL;
}
