#include "render/asked.h"

#include "base/mem.h"
#include "render/brackets.h"
#include "render/html.h"
#include "render/html_data.h"
#include "trace/stack_trace.h"

#include <string.h>

/* ---- which steps ---- */

bool asked_step(const text_list *words, const trace *whole, const trace_room *room, step_id step)
{
    if (trace_has_floors(whole))
        return stack_step_wish(words, &room->place, step) != STEP_UNWANTED;
    for (size_t i = 0; i < words->count; i++) {
        if (step_find(words->item[i], strlen(words->item[i])) == step_of(step))
            return true;
    }
    return false;
}

/* One of these maps, or, where `which` is NULL, one with arithmetic. */
static bool step_makes(const trace_room *room, step_id step, const bool *which)
{
    for (size_t i = 0; i < room->maps; i++) {
        const trace_map *map = room->map[i];
        if (map->step == step && (which == NULL ? map->has_origin : which[room->first_map + i]))
            return true;
    }
    return false;
}

bool asked_check(const text_list *words, const char *said_by, const trace *whole, err *e)
{
    for (size_t i = 0; i < words->count; i++) {
        const text_list word = {.item = &words->item[i], .count = 1};
        bool found = false, is_there[FLOOR_CHOICE + 1] = {false};
        step_id makers[FLOOR_CHOICE + 1]; /* where numbers are made, each kind once */
        size_t count = 0;
        for (size_t j = 0; j < whole->rooms; j++) {
            const trace_room *room = whole->room[j];
            for (size_t k = 0; k < room->steps; k++) {
                step_id step = room->step[k]->id;
                if (!step_makes(room, step, NULL))
                    continue;
                found = found || asked_step(&word, whole, room, step);
                if (!is_there[step])
                    makers[count++] = step;
                is_there[step] = true;
            }
        }
        if (found)
            continue;
        text steps = {0};
        for (size_t j = 0; j < count; j++)
            text_add_format(&steps, "%s%s", j > 0 ? ", " : "", step_of(makers[j])->named.name);
        err_set(e, "%s %s leaves nothing empty: no number of this page is made there", said_by,
                words->item[i]);
        if (count > 0)
            err_remedy(e, "numbers are made in %s", text_string(&steps));
        text_free(&steps);
        return false;
    }
    return true;
}

/* ---- what waits for which ---- */

enum { STEPS_A_ROOM = FLOOR_CHOICE + 1 };

static bool *waits_of(const asked *a, size_t room, step_id step)
{
    return a->waits + (room * STEPS_A_ROOM + step) * a->questions;
}

bool asked_waits(const asked *a, size_t room, step_id step, size_t question)
{
    return waits_of(a, room, step)[question];
}

static bool waits_for_any(const asked *a, size_t room, step_id step)
{
    size_t i = 0;
    while (i < a->questions && !asked_waits(a, room, step, i))
        i++;
    return i < a->questions;
}

static bool asks(const asked *a, size_t room, step_id step)
{
    return step_makes(a->whole->room[room], step, a->is_made);
}

/* The map that has these numbers, in this room or in one before it; NULL where none has. */
static const trace_map *map_that_has(const asked *a, size_t room, const tensor *matrix,
                                     size_t *found_in)
{
    const trace_map *map = NULL;
    map_place at;
    for (size_t i = room + 1; i > 0 && map == NULL && matrix->data != NULL; i--) {
        map = map_of(a->whole->room[i - 1], matrix, &at);
        *found_in = i - 1;
    }
    return map;
}

/* A step that asks for nothing is closed as a whole. One that asks for its numbers shows what else
 * it has, such as angles, unless that is made of hidden ones, or is the same of another query. */
static bool is_hidden(const asked *a, size_t room, const trace_map *map)
{
    bool is_it = a->is_made[map_index(a->whole->room[room], map)] ||
                 (map->is_of_focus && asks(a, room, map->step));
    if (is_it || !asks(a, room, map->step))
        return is_it || waits_for_any(a, room, map->step);
    for (size_t i = 0; i < TRACE_OPERANDS && !is_it; i++) {
        const trace_origin *from = &map->operand[i];
        is_it = from->map != NULL && is_hidden(a, from->room->number, from->map);
    }
    return is_it;
}

/* The step goes on with this map: it waits for what makes that, and for what that waits for. */
static bool wait_for(asked *a, size_t room, step_id step, size_t other, const trace_map *map)
{
    bool *to = waits_of(a, room, step), *from = waits_of(a, other, map->step), found = false;
    if (!is_hidden(a, other, map))
        return false;
    bool is_made = a->is_made[map_index(a->whole->room[other], map)];
    for (size_t i = 0; i < a->questions; i++) {
        const asked_question *one = &a->question[i];
        bool is_own = one->room == room && one->step == step;
        bool is_it = is_made && one->room == other && one->step == map->step;
        if (!to[i] && !is_own && (from[i] || is_it))
            found = to[i] = true;
    }
    return found;
}

static bool wait_for_operands(asked *a, size_t index)
{
    const trace_room *room = a->whole->room[index];
    bool found = false;
    for (size_t i = 0; i < room->maps; i++) {
        const trace_map *map = room->map[i];
        for (size_t j = 0; j <= TRACE_OPERANDS; j++) {
            const trace_origin *from = j < TRACE_OPERANDS ? &map->operand[j] : &map->learned;
            if (from->map != NULL && wait_for(a, index, map->step, from->room->number, from->map))
                found = true;
        }
    }
    return found;
}

/* A sum of rows shows these, whatever its own numbers are made of. */
static bool wait_for_shown(asked *a, size_t index, const trace_step *step)
{
    bool found = false;
    for (size_t i = 0; i < step->count; i++) {
        const trace_item *item = &step->item[i];
        const tensor *const shown[] = {&item->a, &item->b,      &item->c,
                                       &item->d, &item->result, &item->inner};
        for (size_t j = 0; j < sizeof shown / sizeof shown[0]; j++) {
            size_t other;
            const trace_map *map = map_that_has(a, index, shown[j], &other);
            if (map != NULL && wait_for(a, index, step->id, other, map))
                found = true;
        }
    }
    return found;
}

/* A word that was chosen goes into the next step of a generation, whose first room waits for it;
 * the others are made of that. */
static bool wait_for_choice(asked *a, size_t index)
{
    const trace_room *room = a->whole->room[index];
    const bool *from = index == 0 ? NULL : waits_of(a, index - 1, FLOOR_CHOICE);
    bool found = false;
    if (index == 0 || !room_has_step(a->whole->room[index - 1], FLOOR_CHOICE))
        return false;
    for (size_t i = 0; i < room->steps; i++) {
        bool *to = waits_of(a, index, room->step[i]->id);
        for (size_t j = 0; j < a->questions; j++) {
            if (!to[j] && from[j])
                found = to[j] = true;
        }
    }
    return found;
}

static bool has_map(const trace_room *room, step_id step)
{
    size_t i = 0;
    while (i < room->maps && room->map[i]->step != step)
        i++;
    return i < room->maps;
}

/* A step without maps does not say what it is made of: it waits for all that was asked before. */
static void wait_for_all_before(asked *a)
{
    size_t before = 0; /* questions are in the order of the page */
    for (size_t i = 0; i < a->whole->rooms; i++) {
        const trace_room *room = a->whole->room[i];
        for (size_t j = 0; j < room->steps; j++) {
            step_id step = room->step[j]->id;
            if (!has_map(room, step))
                memset(waits_of(a, i, step), true, before * sizeof a->waits[0]);
            before += before < a->questions && a->question[before].room == i &&
                      a->question[before].step == step;
        }
    }
}

static bool wait_for_more(asked *a)
{
    bool found = false;
    for (size_t i = 0; i < a->whole->rooms; i++) {
        const trace_room *room = a->whole->room[i];
        found = wait_for_choice(a, i) || found;
        found = wait_for_operands(a, i) || found;
        for (size_t j = 0; j < room->steps; j++)
            found = wait_for_shown(a, i, room->step[j]) || found;
    }
    return found;
}

bool asked_begin(asked *a, const trace *whole, const render_options *how, err *e)
{
    size_t rooms = whole->rooms, steps = rooms * STEPS_A_ROOM;
    const trace_room *last = whole->room[rooms - 1];
    *a = (asked){.whole = whole, .how = how};
    a->is_made = mem_alloc_zeroed(last->first_map + last->maps, sizeof a->is_made[0], e);
    a->question = mem_alloc(steps, sizeof a->question[0], e);
    if (a->is_made == NULL || a->question == NULL)
        return false;
    for (size_t i = 0; i < rooms; i++) {
        const trace_room *room = whole->room[i];
        for (size_t j = 0; j < room->maps; j++) {
            const trace_map *map = room->map[j];
            bool is_of_other = map->is_of_focus && map->query != room->focus.row;
            a->is_made[room->first_map + j] =
                map->has_origin && !is_of_other && asked_step(how->blank, whole, room, map->step);
        }
        for (size_t j = 0; j < room->steps; j++) {
            if (step_makes(room, room->step[j]->id, a->is_made))
                a->question[a->questions++] = (asked_question){i, room->step[j]->id};
        }
    }
    a->waits = mem_alloc_zeroed(steps, a->questions * sizeof a->waits[0], e);
    if (a->waits == NULL)
        return false;
    wait_for_all_before(a);
    while (wait_for_more(a))
        continue;
    return true;
}

void asked_end(asked *a)
{
    mem_free(a->is_made);
    mem_free(a->question);
    mem_free(a->waits);
}

bool asked_leaves_out(const asked *a, size_t room, step_id step)
{
    return a != NULL && !asks(a, room, step) && waits_for_any(a, room, step);
}

/* ---- which numbers ---- */

bool asked_makes(const asked *a, const trace_map *map)
{
    return a != NULL && map != NULL && a->is_made[map_index(a->whole->room[a->room], map)];
}

bool asked_hides(const asked *a, const trace_map *map)
{
    return a != NULL && is_hidden(a, a->room, map);
}

bool asked_tells(const asked *a, const trace_map *map)
{
    return asked_hides(a, map) && !a->how->is_exam;
}

bool asked_hides_matrix(const asked *a, const tensor *matrix)
{
    size_t room;
    const trace_map *map = a == NULL ? NULL : map_that_has(a, a->room, matrix, &room);
    return map != NULL && is_hidden(a, room, map);
}

/* ---- which cells ---- */

static bool has_index(const selection *of, size_t index)
{
    size_t slot = 0;
    while (slot < selection_count(of) && selection_at(of, slot) != index)
        slot++;
    return slot < selection_count(of);
}

/* In a table of the map: what html_items.c shows of it, and what of that has a place in the map. */
static bool table_has(const html_page *p, const trace_item *item, const trace_map *map,
                      const map_place *at, const size_t cell[3])
{
    const tensor matrix = matrix_of(&item->a);
    const size_t *size = matrix.size;
    html_kept kept = html_kept_of(p, map);
    bool is_full = p->how->is_full;
    size_t row = cell[1] - at->row, column = cell[2] - at->column;
    if (kept == KEPT_NOTHING || at->head != cell[0] || cell[1] < at->row || cell[2] < at->column)
        return false;
    selection rows = selection_of_rows(size[0], item->focus, is_full || size[0] <= HTML_MOST);
    selection columns = selection_of_rows(size[1], 0, is_full || size[1] <= HTML_MOST);
    bool is_row_whole = item->focus > 0 && at->head == html_focus_head(p, map) &&
                        selection_count(&columns) < size[1];
    return (kept == KEPT_ALL && has_index(&rows, row) && has_index(&columns, column)) ||
           (is_row_whole && row == item->focus - 1 && column < size[1]);
}

/* In a table that the script makes (tables.js, makeFigures), of the heads that others in the step,
 * whose cells it knows, are of. */
static bool script_has(const html_page *p, const trace_map *map, bool is_of_head,
                       const size_t cell[3])
{
    bool is_in_focus = cell[0] == html_focus_head(p, map) && cell[1] == p->room->focus.row;
    html_kept kept = html_kept_of(p, map);
    if (kept == KEPT_FOCUS)
        return is_in_focus;
    return kept == KEPT_ALL && is_of_head &&
           map->values.size[1] * map->values.size[2] <= HTML_MOST_MADE;
}

bool asked_has_cell(const asked *a, size_t room, const trace_map *map, const size_t cell[3])
{
    const trace_room *of = a->whole->room[room];
    const html_page p = {.room = of, .whole = a->whole, .how = a->how};
    bool has_table = false, is_there = false, says_heads = false, is_of_head = false;
    for (size_t i = 0; i < of->steps; i++) {
        const trace_step *step = of->step[i];
        for (size_t j = 0; j < step->count && step->id == map->step; j++) {
            const trace_item *item = &step->item[j];
            map_place at;
            const trace_map *shown = item->kind == TRACE_MATRIX ? map_of(of, &item->a, &at) : NULL;
            if (shown == NULL)
                continue;
            has_table = has_table || shown == map;
            is_there = is_there || (shown == map && table_has(&p, item, map, &at, cell));
            html_kept kept = html_kept_of(&p, shown);
            bool is_in_focus = item->focus > 0 && at.head == html_focus_head(&p, shown);
            if ((kept == KEPT_ALL || (kept == KEPT_FOCUS && is_in_focus)) &&
                shown->values.size[0] == map->values.size[0]) {
                says_heads = true;
                is_of_head = is_of_head || at.head == cell[0];
            }
        }
    }
    if (has_table)
        return is_there;
    return script_has(&p, map, says_heads ? is_of_head : cell[0] == html_focus_head(&p, map), cell);
}

bool asked_is_stage(const trace_room *room, const trace_map *map)
{
    size_t i = 0;
    if (map->step == FLOOR_LAYER)
        return false;
    while (i < room->statistics.count && room->statistics.entry[i].tensor.data != map->values.data)
        i++;
    return i == room->statistics.count;
}
