#include "render/asked.h"

#include "base/mem.h"
#include "render/number_text.h"
#include "trace/stack_trace.h"

#include <string.h>

/* ---- which steps ---- */

bool asked_step(const text_list *words, const trace *whole, const trace *room, step_id step)
{
    if (whole->rooms != NULL)
        return stack_step_wish(words, &room->place, step) != STEP_UNWANTED;
    for (size_t i = 0; i < words->count; i++) {
        if (step_find(words->item[i], strlen(words->item[i])) == step_of(step))
            return true;
    }
    return false;
}

/* One of these maps, or, where `which` is NULL, one with arithmetic. */
static bool step_makes(const trace *room, step_id step, const bool *which)
{
    for (size_t i = 0; i < room->maps; i++) {
        const trace_map *map = &room->map[i];
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
        for (size_t j = 0; j < trace_rooms(whole); j++) {
            const trace *room = trace_room(whole, j);
            for (size_t k = 0; k < room->steps; k++) {
                step_id step = room->step[k].id;
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

/* ---- which maps ---- */

/* Whether more of them are, since they are made of hidden ones. */
static bool hide_more(asked *a)
{
    bool found = false;
    for (size_t i = 0; i < trace_rooms(a->whole); i++) {
        const trace *room = trace_room(a->whole, i);
        for (size_t j = 0; j < room->maps; j++) {
            const trace_map *map = &room->map[j];
            bool *is_it = &a->is_hidden[room->first_map + j];
            for (size_t k = 0; k < TRACE_OPERANDS && !*is_it; k++) {
                const trace_origin *from = &map->operand[k];
                *is_it = from->part != PART_NONE && a->is_hidden[map_index(from->room, from->map)];
                found = found || *is_it;
            }
        }
    }
    return found;
}

bool asked_begin(asked *a, const trace *whole, const render_options *how, err *e)
{
    size_t rooms = trace_rooms(whole);
    const trace *last = trace_room(whole, rooms - 1);
    size_t maps = last->first_map + last->maps;
    *a = (asked){.whole = whole, .digits = how->digits, .is_exam = how->is_exam};
    a->is_made = mem_alloc_zeroed(maps, 2 * sizeof a->is_made[0], e);
    if (a->is_made == NULL)
        return false;
    a->is_hidden = a->is_made + maps;
    for (size_t i = 0; i < rooms; i++) {
        const trace *room = trace_room(whole, i);
        for (size_t j = 0; j < room->maps; j++) {
            const trace_map *map = &room->map[j];
            bool is_of_other = map->is_of_focus && map->query != room->focus.row;
            a->is_made[room->first_map + j] =
                map->has_origin && !is_of_other && asked_step(how->blank, whole, room, map->step);
        }
    }
    memcpy(a->is_hidden, a->is_made, maps * sizeof a->is_made[0]);
    while (a->is_exam && hide_more(a))
        continue;
    return true;
}

void asked_end(asked *a)
{
    mem_free(a->is_made);
}

bool asked_makes(const asked *a, const trace_map *map)
{
    return a != NULL && map != NULL && a->is_made[map_index(trace_room(a->whole, a->room), map)];
}

bool asked_tells(const asked *a, const trace_map *map)
{
    return asked_makes(a, map) && !a->is_exam;
}

/* ---- which steps of an exam ---- */

bool asked_leaves_out(const asked *a, const trace *room, step_id step)
{
    if (a == NULL || !a->is_exam || step_makes(room, step, a->is_made))
        return false;
    for (size_t i = 0; i < room->maps; i++) {
        if (room->map[i].step == step)
            return step_makes(room, step, a->is_hidden);
    }
    /* It makes none: it comes after a step of the rooms before it, or of its own, that is asked
     * for. */
    for (size_t i = 0;; i++) {
        const trace *one = trace_room(a->whole, i);
        for (size_t j = 0; j < one->steps; j++) {
            if (one == room && one->step[j].id == step)
                return false;
            if (step_makes(one, one->step[j].id, a->is_made))
                return true;
        }
    }
}

/* ---- which numbers ---- */

/* What a room works with may be a room's before it. */
asked_numbers asked_find(const asked *a, const tensor *matrix)
{
    asked_numbers found = {.of = a};
    map_place at;
    for (size_t i = a == NULL ? 0 : a->room + 1; i > 0 && found.first.map == NULL; i--) {
        const trace *room = trace_room(a->whole, i - 1);
        const trace_map *map = map_of(room, matrix, &at);
        found.first = (map_cell){room, map, at.head, at.row, at.column};
        found.is_turned = at.is_turned;
    }
    return found;
}

asked_numbers asked_of_map(const asked *a, const trace_map *map, size_t head)
{
    asked_numbers found = {.of = a};
    if (a != NULL)
        found.first = (map_cell){trace_room(a->whole, a->room), map, head, 0, 0};
    return found;
}

static bool is_cell_asked(const asked *a, const map_cell *cell);

/* It is another number taken over, to the digits that are shown, and that one is asked for. Nobody
 * knows that a factor is 1 that is asked for itself. */
static bool is_taken(const asked *a, const map_cell *cell, bool is_second)
{
    char here[NUMBER_FIXED_TEXT], there[NUMBER_FIXED_TEXT];
    map_cell before, factor;
    if (!map_taken_from(cell, is_second, &before, &factor))
        return false;
    size_t length = number_text_write(map_number(cell), a->digits, here);
    return length == number_text_write(map_number(&before), a->digits, there) &&
           memcmp(here, there, length) == 0 && is_cell_asked(a, &before) &&
           (factor.map == NULL || !is_cell_asked(a, &factor));
}

/* By a step that is asked for, or it is a number of one, taken over; in an exam also made of
 * one. */
static bool is_cell_asked(const asked *a, const map_cell *cell)
{
    return a->is_hidden[map_index(cell->room, cell->map)] || is_taken(a, cell, false) ||
           is_taken(a, cell, true);
}

bool asked_hides(const asked_numbers *numbers, size_t row, size_t column)
{
    map_cell cell = numbers->first;
    if (cell.map == NULL)
        return false;
    cell.row += numbers->is_turned ? column : row;
    cell.column += numbers->is_turned ? row : column;
    return is_cell_asked(numbers->of, &cell);
}

bool asked_hides_any(const asked_numbers *numbers, size_t row, size_t columns)
{
    size_t column = 0;
    while (column < columns && !asked_hides(numbers, row, column))
        column++;
    return column < columns;
}
