
#include "trace/nodes.h"

#include "base/mem.h"
#include "trace/build.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

/* ---- finding ---- */

/* A tensor of rank 0 to 2 as one head's matrix. */
static tensor heads_of(const tensor *t)
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

/* Where the matrix begins in a head of which it is a part. */
static bool find_block(const tensor *head, const tensor *matrix, map_place *at)
{
    size_t row_step = (size_t)head->stride[0], column_step = (size_t)head->stride[1];
    uintptr_t first = (uintptr_t)head->data, here = (uintptr_t)matrix->data;
    bool steps_alike = (matrix->size[0] == 1 || matrix->stride[0] == head->stride[0]) &&
                       (matrix->size[1] == 1 || matrix->stride[1] == head->stride[1]);
    /* How many elements of the head lie before it, and how many may. */
    size_t offset = (size_t)(here - first) / dtype_size(head->type);
    size_t most = (head->size[0] - 1) * row_step + (head->size[1] - 1) * column_step;
    if (head->type != matrix->type || !steps_alike || here < first || offset > most)
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

/* The map with a head of which the matrix is a part; or is the whole: all rows of the head, and all
 * columns of those that are its own. */
static const trace_map *find_holder(const trace_room *room, const tensor *matrix, bool whole,
                                    map_place *at)
{
    for (size_t i = 0; i < room->maps; i++) {
        const trace_map *map = room->map[i];
        const size_t *size = map->values.size;
        size_t width = size[2] / map->slices;
        for (at->head = 0; at->head < size[0]; at->head++) {
            tensor head = tensor_at(&map->values, at->head);
            if (!find_block(&head, matrix, at))
                continue;
            bool has_columns = matrix->size[1] == size[2] || matrix->size[1] == width;
            if (!whole || (matrix->size[0] == size[1] && has_columns))
                return map;
        }
    }
    return NULL;
}

/* Whether the numbers lie one after the other. */
static bool is_dense(const tensor *t)
{
    size_t apart = 1;
    for (int axis = t->rank - 1; axis >= 0; axis--) {
        if (t->size[axis] > 1 && t->stride[axis] != (ptrdiff_t)apart)
            return false;
        apart *= t->size[axis];
    }
    return true;
}

/* The map that has the very numbers of the matrix, in other rows. */
static const trace_map *find_cut(const trace_room *room, const tensor *matrix)
{
    for (size_t i = 0; i < room->maps && is_dense(matrix); i++) {
        const tensor *values = &room->map[i]->values;
        if (values->data == matrix->data && values->type == matrix->type && is_dense(values) &&
            tensor_count(values) == tensor_count(matrix))
            return room->map[i];
    }
    return NULL;
}

const trace_map *map_of(const trace_room *room, const tensor *matrix, map_place *at)
{
    tensor heads = heads_of(matrix);
    tensor plain = tensor_at(&heads, 0), turned = tensor_transposed(&plain);
    *at = (map_place){0};
    const trace_map *found = find_holder(room, &plain, true, at);
    if (found == NULL)
        found = find_holder(room, &plain, false, at);
    if (found != NULL)
        return found;
    at->is_turned = true;
    found = find_holder(room, &turned, false, at);
    if (found != NULL)
        return found;
    *at = (map_place){.cut = plain.size[1]};
    return find_cut(room, &plain);
}

size_t map_index(const trace_room *room, const trace_map *map)
{
    return room->first_map + map->number;
}

const trace_map *map_named(const trace_room *room, const char *name)
{
    for (size_t i = 0; i < room->maps; i++) {
        if (strcmp(room->map[i]->name, name) == 0)
            return room->map[i];
    }
    return NULL;
}

/* ---- making ---- */

trace_map *map_add(builder *b, const char *name, step_id step, const tensor *values)
{
    trace_room *room = b->room;
    const trace_map *found = map_named(room, name);
    b->spare_map = (trace_map){.name = name, .slices = 1};
    if (values->data == NULL || b->failed)
        return &b->spare_map;
    if (found != NULL)
        return room->map[found->number];
    trace_map **maps = mem_grow(room->map, room->maps, &room->maps_capacity, sizeof maps[0], b->e);
    if (maps != NULL)
        room->map = maps;
    trace_map *added = maps == NULL ? NULL : mem_alloc(1, sizeof *added, b->e);
    if (added == NULL) {
        b->failed = true;
        return &b->spare_map;
    }
    *added = (trace_map){.name = name,
                         .number = room->maps,
                         .step = step,
                         .values = heads_of(values),
                         .slices = 1,
                         .is_apart = values->rank == 3};
    room->map[room->maps++] = added;
    return added;
}

trace_origin map_from(const builder *b, trace_part part, const char *name)
{
    const trace_room *room = b->room;
    const trace_map *found = map_named(room, name);
    if (found == NULL && room->there != NULL) {
        room = room->there;
        found = map_named(room, name);
    }
    return found == NULL ? (trace_origin){0} : (trace_origin){part, room, found, found->name};
}

const trace_map *map_there(const builder *b, const char *name)
{
    const trace_map *found = map_from(b, PART_WHOLE, name).map;
    assert(found != NULL || b->failed);
    return found != NULL ? found : &b->spare_map;
}

void map_say(builder *b, trace_map *m, operation op, const map_operand of[TRACE_OPERANDS])
{
    trace_origin from[TRACE_OPERANDS] = {0};
    for (size_t i = 0; i < TRACE_OPERANDS; i++) {
        if (of[i].name != NULL)
            from[i] = map_from(b, of[i].part, of[i].name);
    }
    map_say_origins(b, m, op, from);
}

trace_map *map_add_number(builder *b, const char *name, step_id step, double value)
{
    tensor number = build_number(b, build_text(b, "the number of %s", name), value);
    trace_map *added = map_add(b, name, step, &number);
    added->is_number = true;
    return added;
}

trace_map *map_add_made(builder *b, const char *name, step_id step, size_t heads, size_t rows,
                        size_t columns)
{
    tensor made = build_numbers_new(b, build_text(b, "the numbers of %s", name), DTYPE_F64, 3,
                                    (size_t[]){heads, rows, columns});
    trace_map *added = map_add(b, name, step, &made);
    added->is_made = true;
    added->is_apart = heads > 1;
    return added;
}

const char *map_name_of(stage_id id)
{
    return stage_row(id)->key.named.name;
}

trace_map *map_add_stage(builder *b, stage_id id, step_id step, trace_labels rows)
{
    tensor values = plan_has_stage(b->plan, id) ? build_stage_of_batch(b, id) : (tensor){0};
    trace_map *added = map_add(b, map_name_of(id), step, &values);
    const projection *role = plan_role(b->plan, id);
    added->rows = rows;
    added->is_of_queries = strchr(stage_row(id)->axes, 'q') != NULL;
    added->is_column = strchr(stage_row(id)->axes, '1') != NULL;
    added->is_of_heads = role != NULL || strchr(stage_row(id)->axes, 'h') != NULL;
    if (role != NULL && values.rank == 2)
        added->slices = role->heads;
    return added;
}

trace_map *map_add_square(builder *b, stage_id id, step_id step)
{
    trace_map *made = map_add_stage(b, id, step, build_query_labels(b, "q"));
    made->columns = build_column_labels(b);
    return made;
}

trace_map *map_add_number_a_head(builder *b, const char *name, step_id step, tensor numbers)
{
    numbers.rank = 3;
    numbers.size[1] = numbers.size[2] = 1;
    numbers.stride[1] = numbers.stride[2] = 0;
    return map_add(b, name, step, &numbers);
}

/* ---- parts and cells ---- */

double map_number(const map_cell *cell)
{
    return tensor_get(&cell->map->values, (size_t[]){cell->head, cell->row, cell->column});
}

map_pair map_pair_of(const trace_map *map, size_t column)
{
    size_t at = column % (map->values.size[2] / map->slices) - map->unpaired,
           half = map->paired / 2, step = map->is_interleaved ? 1 : half;
    bool is_first = map->is_interleaved ? at % 2 == 0 : at < half;
    assert(at < map->paired); /* lines are worked out of pairs alone */
    return (map_pair){.index = map->is_interleaved ? at / 2 : at % half,
                      .partner = is_first ? column + step : column - step,
                      .is_first = is_first};
}
