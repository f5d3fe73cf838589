#include "trace/floors.h"

#include "base/mem.h"
#include "trace/stack_steps.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

trace *floors_next(floors *f)
{
    assert(f->out->parts < f->out->rooms); /* stack_trace_rooms counted them */
    return &f->out->part[f->out->parts++];
}

void floors_enter(floors *f, trace *room, const char *name, const char *way)
{
    f->b = (builder){
        .trace = room, .result = f->result, .focus = f->focus, .is_full = f->is_full, .e = f->e};
    room->first_map = f->maps;
    room->focus = f->focus;
    room->place.name = build_text(&f->b, "%s", name);
    room->place.floor = build_text(&f->b, "%s%s", f->step, f->floor);
    room->place.way = build_text(&f->b, "%s%s", f->step_way, way);
    room->place.way_in_step = build_text(&f->b, "%s", way);
    stack_place_find_more(&room->place, f->layer);
}

step_wish floors_wish(const floors *f, const char *way, const char *room, step_id id)
{
    char full[2 * STAGE_NAME];
    snprintf(full, sizeof full, "%s%s", f->step_way, way);
    trace_place at = {.name = room, .way = full, .way_in_step = way};
    stack_place_find_more(&at, f->layer);
    return stack_step_wish(f->asked, &at, id);
}

void floors_end(floors *f)
{
    f->maps += f->b.trace->maps;
}

const trace *floors_room(const floors *f, size_t rooms, const char *way, const char *name)
{
    while (rooms-- > 0) {
        const trace *room = &f->out->part[rooms];
        if (strcmp(room->place.name, name) == 0 && strcmp(room->place.way_in_step, way) == 0)
            return room;
    }
    return NULL;
}

bool floors_tells(const floors *f)
{
    return f->b.trace->steps > 0;
}

bool floors_begin(floors *f, step_id step, const char *name)
{
    trace *made = floors_next(f);
    floors_enter(f, made, name, f->way.text);
    made->heads = 1;
    made->focus.head = 0;
    made->step = mem_alloc_zeroed(1, sizeof made->step[0], f->e);
    if (made->step == NULL)
        return false;
    made->steps = f->asked == NULL || floors_wish(f, f->way.text, name, step) != STEP_UNWANTED;
    made->step->id = step;
    made->step->name = build_text(&f->b, "%s%s%s", f->step, f->place, name);
    f->b.step = made->step;
    return !f->b.failed;
}

floor_rows floors_rows(const floors *f, const char *name)
{
    char full[STAGE_NAME];
    stage_name_in_full(&f->way, name, full);
    const tensor *kept = bundle_tensor(f->result, full);
    assert(kept != NULL); /* whoever traces a stack has it keep every stage */
    tensor values = kept->rank == 3 ? tensor_at(kept, f->focus.batch) : tensor_view_of(kept);
    return (floor_rows){.name = name, .values = values};
}

void floors_show(floors *f, const floor_rows *rows)
{
    build_matrix(&f->b, build_text(&f->b, "%s", rows->name), &rows->values, f->labels,
                 build_numbers(), f->focus.row + 1);
}

double floors_sum_of(const tensor *row, double less, bool is_squared)
{
    double sum = 0;
    for (size_t i = 0; i < row->size[0]; i++) {
        double x = tensor_get(row, &i) - less;
        sum += is_squared ? x * x : x;
    }
    return sum;
}

tensor floors_first(const tensor *vector)
{
    tensor first = tensor_view_of(vector);
    while (first.rank > 0)
        first = tensor_at(&first, 0);
    return first;
}

tensor floors_number_line(floors *f, operation op, const char *left, const char *letters, tensor a,
                          tensor b, double value)
{
    trace_item *line = build_line(&f->b, op, left, letters);
    line->a = a;
    line->b = b;
    line->result = build_number(&f->b, left, value);
    return line->result;
}
