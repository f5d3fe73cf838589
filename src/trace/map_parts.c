#include "trace/map_parts.h"

#include "trace/derivation.h"

#include <string.h>

trace_map *map_add(builder *b, const char *name, step_id step, const tensor *values)
{
    const trace_map *found = map_named(b->trace, name);
    if (values->data == NULL || (found == NULL && b->trace->maps == TRACE_MAPS))
        return &b->spare_map;
    if (found != NULL)
        return &b->trace->map[found - b->trace->map];
    trace_map *added = &b->trace->map[b->trace->maps++];
    *added = (trace_map){.name = name, .step = step, .values = map_heads_of(values), .slices = 1};
    return added;
}

trace_origin map_from(const builder *b, trace_part part, const char *name)
{
    const trace_map *found = map_named(b->trace, name);
    return found == NULL ? (trace_origin){0} : (trace_origin){part, b->trace, found, found->name};
}

void map_say(builder *b, trace_map *m, operation op, const trace_origin of[TRACE_OPERANDS])
{
    memcpy(m->operand, of, sizeof m->operand);
    m->op = op;
    m->has_origin = of[0].part != PART_NONE;
    m->letters = m->has_origin ? derivation_letters(b, m) : NULL;
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
    added->is_column = strchr(stage_row(id)->axes, '1') != NULL;
    if (role != NULL && values.rank == 2)
        added->slices = role->heads;
    return added;
}
