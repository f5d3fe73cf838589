#include "trace/map.h"

#include "trace/map_parts.h"

static void add_results(builder *b)
{
    const plan *p = b->plan;
    trace_labels queries = build_query_labels(b, NULL);
    const char *weights = plan_has_stage(p, STAGE_ROUNDED) ? "rounded" : "weights";
    const char *v = map_name_of(build_values(b));
    trace_map *attended = map_add_stage(b, STAGE_ATTENDED, STEP_SUM, queries, build_numbers());
    map_say(b, attended, OP_DOT,
            (trace_origin[4]){map_from(b, PART_ROW_I, weights), map_from(b, PART_COLUMN_J, v)});
    trace_map *context = map_add_stage(b, STAGE_CONTEXT, STEP_CONCAT, queries, build_numbers());
    context->slices = context->values.size[0] == 1 ? p->heads : 1;
    map_say(b, context, OP_COPY, (trace_origin[4]){map_from(b, PART_CELL, "attended")});
    context->letters = "attended, the heads side by side";
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
    weighted->rows = build_value_labels(b, v);
    weighted->is_of_focus = true;
    map_say(b, weighted, OP_TIMES,
            (trace_origin[4]){map_from(b, PART_OF_FOCUS, weights), map_from(b, PART_CELL, v)});
}

/* The name of the map of the rows that Wo takes: the context's own, unless its heads are apart. */
static const char *add_joined(builder *b)
{
    const char *name;
    tensor rows = build_joined(b, &name);
    if (map_named(b->trace, name) != NULL)
        return name;
    trace_map *joined = map_add(b, name, STEP_UNIFY, &rows);
    joined->rows = build_query_labels(b, NULL);
    joined->slices = b->plan->heads;
    map_say(b, joined, OP_COPY, (trace_origin[4]){map_from(b, PART_CELL, "context")});
    joined->letters = "context, the heads side by side";
    return name;
}

static void add_output(builder *b)
{
    const plan *p = b->plan;
    if (p->wo.data == NULL && p->bo.data == NULL)
        return;
    map_add(b, "Wo", STEP_PARAMETERS, &p->wo);
    trace_map *bo = map_add(b, "bo", STEP_PARAMETERS, &p->bo);
    trace_map *output =
        map_add_stage(b, STAGE_OUTPUT, STEP_UNIFY, build_query_labels(b, NULL), build_numbers());
    trace_origin bias = map_from(b, PART_OF_COLUMN, "bo");
    if (p->wo.data == NULL) {
        bo->slices = plan_keeps_heads_apart(p) ? p->heads : 1; /* a part for each that came apart */
        map_say(b, output, OP_PLUS, (trace_origin[4]){map_from(b, PART_CELL, "context"), bias});
        return;
    }
    const char *rows = add_joined(b);
    map_say(
        b, output, OP_DOT,
        (trace_origin[4]){map_from(b, PART_ROW_I, rows), map_from(b, PART_COLUMN_J, "Wo"), bias});
}

void map_make(builder *b)
{
    map_add_roles(b);
    map_add_scores(b);
    add_results(b);
    add_weighted(b);
    add_output(b);
}
