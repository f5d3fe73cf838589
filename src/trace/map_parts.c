#include "trace/map_parts.h"

#include "trace/map.h"

#include <string.h>

/* `maps` where there is none. */
static size_t find(const builder *b, const char *name)
{
    const trace_map *found = map_named(b->trace, name);
    return found == NULL ? b->trace->maps : (size_t)(found - b->trace->map);
}

trace_map *map_add(builder *b, const char *name, step_id step, const tensor *values)
{
    size_t at = values->data == NULL ? TRACE_MAPS : find(b, name);
    if (at == TRACE_MAPS)
        return &b->spare_map;
    if (at < b->trace->maps)
        return &b->trace->map[at];
    trace_map *added = &b->trace->map[b->trace->maps++];
    *added = (trace_map){.name = name, .step = step, .values = map_heads_of(values), .slices = 1};
    return added;
}

trace_origin map_from(const builder *b, trace_part part, const char *name)
{
    size_t at = find(b, name);
    return at < b->trace->maps ? (trace_origin){part, b->trace->first_map + at} : (trace_origin){0};
}

void map_say(trace_map *m, const char *letters, operation op, trace_origin a, trace_origin second)
{
    m->letters = letters;
    m->has_origin = a.part != PART_NONE;
    m->op = op;
    m->a = a;
    m->b = second;
}

trace_map *map_add_number(builder *b, const char *name, step_id step, double value)
{
    tensor number = build_number(b, build_text(b, "the number of %s", name), value);
    return map_add(b, name, step, &number);
}

trace_map *map_add_made(builder *b, const char *name, step_id step, size_t heads, size_t rows,
                        size_t columns)
{
    tensor made = {0};
    b->failed =
        b->failed || !tensor_new(&made, DTYPE_F64, 3, (size_t[]){heads, rows, columns}, b->e);
    tensor view = build_keep(b, build_text(b, "the numbers of %s", name), &made);
    return map_add(b, name, step, &view);
}

const char *map_name_of(stage_id id)
{
    return stage_row(id)->key.named.name;
}

trace_map *map_add_stage(builder *b, stage_id id, step_id step, trace_labels rows,
                         trace_labels columns)
{
    tensor values = plan_has_stage(b->plan, id) ? build_stage_of_batch(b, id) : (tensor){0};
    trace_map *added = map_add(b, map_name_of(id), step, &values);
    const projection *role = plan_role(b->plan, id);
    added->rows = rows;
    added->columns = columns;
    added->is_of_queries = strchr(stage_row(id)->axes, 'q') != NULL;
    if (role != NULL && values.rank == 2)
        added->slices = role->heads;
    return added;
}
