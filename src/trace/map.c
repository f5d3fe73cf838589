#include "trace/map.h"

#include "trace/map_parts.h"

#include <stdint.h>
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
    size_t at = values->data == NULL ? TRACE_MAPS : find(b, name);
    if (at == TRACE_MAPS)
        return &b->spare_map;
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
    map_say(attended, build_text(b, "%s[i]·%s[·,j]", weights, v), OP_DOT,
            map_from(b, PART_ROW_I, weights), map_from(b, PART_COLUMN_J, v));
    trace_map *context = map_add_stage(b, STAGE_CONTEXT, STEP_CONCAT, queries, build_numbers());
    context->slices = context->values.size[0] == 1 ? p->heads : 1;
    map_say(context, "attended, the heads side by side", OP_SUM, map_from(b, PART_CELL, "attended"),
            (trace_origin){0});
}

/* Of the query in focus only: its own row of the weights times the rows of v. */
static void add_weighted(builder *b)
{
    if (bundle_tensor(b->result, map_name_of(STAGE_WEIGHTED)) == NULL)
        return;
    const char *weights = plan_has_stage(b->plan, STAGE_ROUNDED) ? "rounded" : "weights";
    const char *v = map_name_of(build_values(b));
    tensor rows = build_weighted(b);
    trace_map *weighted = map_add(b, map_name_of(STAGE_WEIGHTED), STEP_WEIGHTED, &rows);
    weighted->rows = build_key_labels(b, "v");
    weighted->is_of_focus = true;
    map_say(weighted, build_text(b, "%s[%zu,i]·%s[i,j]", weights, b->focus.row + 1, v), OP_TIMES,
            map_from(b, PART_OF_FOCUS, weights), map_from(b, PART_CELL, v));
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
        map_say(output, "context[i,j] + bo[j]", OP_PLUS, map_from(b, PART_CELL, "context"), bias);
        return;
    }
    map_say(output, p->bo.data == NULL ? "context[i]·Wo[·,j]" : "context[i]·Wo[·,j] + bo[j]",
            OP_DOT, map_from(b, PART_ROW_I, "context"), map_from(b, PART_COLUMN_J, "Wo"));
    output->c = bias;
}

void map_make(builder *b)
{
    map_add_roles(b);
    map_add_scores(b);
    add_results(b);
    add_weighted(b);
    add_output(b);
}

/* ---- finding ---- */

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
    tensor heads = as_heads(matrix);
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

const trace_map *map_named(const trace *t, const char *name)
{
    size_t at = find_in(t, name);
    return at < t->maps ? &t->map[at] : NULL;
}
