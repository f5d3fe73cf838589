#include "trace/map.h"

#include "trace/map_parts.h"

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
    weighted->rows = build_value_labels(b, v);
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
