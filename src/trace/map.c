#include "trace/map.h"

#include "trace/map_parts.h"

#include <string.h>

/* ---- adding ---- */

static size_t find_in(const trace *t, const char *name)
{
    size_t i = 0;
    while (i < t->maps && strcmp(t->map[i].name, name) != 0)
        i++;
    return i;
}

static size_t find(const builder *b, const char *name)
{
    return find_in(b->trace, name);
}

/* A tensor of rank 0 to 2 as one head's matrix. */
static tensor as_heads(const tensor *t)
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

trace_map *map_add(builder *b, const char *name, step_id step, const tensor *values)
{
    static trace_map spare;
    size_t at = values->data == NULL ? TRACE_MAPS : find(b, name);
    if (at == TRACE_MAPS)
        return &spare;
    if (at < b->trace->maps)
        return &b->trace->map[at];
    trace_map *added = &b->trace->map[b->trace->maps++];
    *added = (trace_map){.name = name, .step = step, .values = as_heads(values), .slices = 1};
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

/* ---- numbers that no stage holds ---- */

trace_map *map_add_number(builder *b, const char *name, step_id step, double value)
{
    tensor number = build_number(b, build_text(b, "the number of %s", name), value);
    return map_add(b, name, step, &number);
}

trace_map *map_add_made(builder *b, const char *name, step_id step, size_t heads, size_t rows,
                        size_t columns)
{
    const char *kept_as = build_text(b, "the numbers of %s", name);
    tensor made = {0};
    b->failed = b->failed ||
                !tensor_new(&made, DTYPE_F64, 3, (size_t[]){heads, rows, columns}, b->e) ||
                !bundle_add_tensor(&b->trace->statistics, kept_as, &made, (place){0}, b->e);
    tensor view =
        b->failed ? (tensor){0} : tensor_view_of(bundle_tensor(&b->trace->statistics, kept_as));
    return map_add(b, name, step, &view);
}

/* ---- stages ---- */

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

/* ---- weights to output ---- */

static void add_results(builder *b)
{
    const plan *p = b->plan;
    trace_labels queries = build_query_labels(b, NULL);
    const char *weights = plan_has_stage(p, STAGE_ROUNDED) ? "rounded" : "weights";
    const char *v = map_name_of(build_values(b));
    trace_map *attended = map_add_stage(b, STAGE_ATTENDED, STEP_SUM, queries, build_numbers());
    map_say(attended, build_text(b, "Σⱼ %s[i,j]·%s[j]", weights, v), OP_DOT,
            map_from(b, PART_ROW_I, weights), map_from(b, PART_COLUMN_J, v));
    trace_map *context = map_add_stage(b, STAGE_CONTEXT, STEP_CONCAT, queries, build_numbers());
    context->slices = context->values.size[0] == 1 ? p->heads : 1;
    map_say(context, "attended, the heads side by side", OP_SUM, map_from(b, PART_CELL, "attended"),
            (trace_origin){0});
}

static void add_output(builder *b)
{
    const plan *p = b->plan;
    if (p->wo.data == NULL && p->bo.data == NULL)
        return;
    map_add(b, "Wo", STEP_PARAMETERS, &p->wo);
    map_add(b, "bo", STEP_PARAMETERS, &p->bo);
    trace_map *output =
        map_add_stage(b, STAGE_OUTPUT, STEP_UNIFY, build_query_labels(b, NULL), build_numbers());
    trace_origin bias = map_from(b, PART_OF_COLUMN, "bo");
    if (p->wo.data == NULL) {
        map_say(output, "context[i] + bo", OP_PLUS, map_from(b, PART_CELL, "context"), bias);
        return;
    }
    map_say(output, p->bo.data == NULL ? "context[i]·Wo" : "context[i]·Wo + bo", OP_DOT,
            map_from(b, PART_ROW_I, "context"), map_from(b, PART_COLUMN_J, "Wo"));
    output->c = bias;
}

void map_make(builder *b)
{
    map_add_roles(b);
    map_add_scores(b);
    add_results(b);
    add_output(b);
}

/* ---- finding ---- */

static bool is_same(const tensor *head, const tensor *matrix)
{
    int last = matrix->rank - 1;
    size_t rows = matrix->rank == 2 ? matrix->size[0] : 1;
    return matrix->rank > 0 && head->data == matrix->data && head->size[0] == rows &&
           head->size[1] == matrix->size[last];
}

/* All of a head, or one of the parts that lie side by side in it. */
static bool find_part(const trace_map *map, const tensor *matrix, map_place *at)
{
    tensor head = tensor_at(&map->values, at->head);
    size_t width = head.size[1] / map->slices;
    at->column = 0;
    if (is_same(&head, matrix))
        return true;
    for (; width > 0 && at->column < head.size[1]; at->column += width) {
        tensor part = tensor_range(&head, 1, at->column, width);
        if (is_same(&part, matrix))
            return true;
    }
    return false;
}

const trace_map *map_of(const trace *t, const tensor *matrix, map_place *at)
{
    for (size_t i = 0; i < t->maps; i++) {
        for (at->head = 0; at->head < t->map[i].values.size[0]; at->head++) {
            if (find_part(&t->map[i], matrix, at))
                return &t->map[i];
        }
    }
    return NULL;
}

const trace_map *map_named(const trace *t, const char *name)
{
    size_t at = find_in(t, name);
    return at < t->maps ? &t->map[at] : NULL;
}
