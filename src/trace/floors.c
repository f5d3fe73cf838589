#include "trace/floors.h"

#include "base/mem.h"

static const step_row ROWS[] = {
    [FLOOR_EMBEDDED] = {{"embedded", "the rows that go into the first layer"}, ""},
    [FLOOR_LAYER] = {{"layer", "what a layer does, one part after the other"}, ""},
    [FLOOR_NORM] = {{"norm", "each row brought to one mean and length"}, ""},
    [FLOOR_SUM] = {{"sum", "what a part was given added to what it made"}, ""},
    [FLOOR_FEED_FORWARD] = {{"ffn", "each row on its own through hidden numbers"}, ""},
    [FLOOR_ROLLOUT] = {{"rollout", "who looked at whom, through all layers"}, ""},
    [FLOOR_OUTPUT] = {{"output", "the rows that come out"}, ""},
};

bool floors_begin(floors *f, floor_step step, const char *name)
{
    trace *made = &f->out->part[f->out->parts++];
    made->step = mem_alloc_zeroed(1, sizeof made->step[0], f->e);
    if (made->step == NULL)
        return false;
    made->steps = 1;
    f->b = (builder){.trace = made,
                     .step = made->step,
                     .result = f->result,
                     .focus = f->focus,
                     .is_full = f->is_full,
                     .e = f->e};
    made->step->row = &ROWS[step];
    made->step->name = build_text(&f->b, "%s%s", f->place, name);
    return !f->b.failed;
}

floor_rows floors_rows(const floors *f, const char *name)
{
    char full[STAGE_NAME];
    stage_name_in_full(&f->way, name, full);
    const tensor *kept = bundle_tensor(f->result, full);
    return (floor_rows){name,
                        kept->rank == 3 ? tensor_at(kept, f->focus.batch) : tensor_view_of(kept)};
}

void floors_show(floors *f, const floor_rows *rows)
{
    build_matrix(&f->b, build_text(&f->b, "%s", rows->name), &rows->values, build_numbers(),
                 build_numbers(), f->focus.row + 1);
}

tensor floors_first(const tensor *vector)
{
    tensor first = tensor_view_of(vector);
    while (first.rank > 0)
        first = tensor_at(&first, 0);
    return first;
}
