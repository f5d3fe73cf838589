#include "render/answer.h"

#include "attn/spec/stage.h"
#include "base/mem.h"
#include "render/number_text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double answer_room(double computed, int digits)
{
    enum { MORE_DIGITS = 4 }; /* of a large number, which has an exponent, after the first one */
    static const double FLOAT32 = 8 * (double)FLT_EPSILON;
    char shown[NUMBER_FIXED_TEXT];
    /* The value of one unit of the last decimal. */
    double unit = pow(10, digits < 0 ? -NUMBER_TEXT_DECIMALS : -digits);
    number_text_write(computed, digits, shown);
    const char *exponent = strchr(shown, 'e');
    if (exponent != NULL)
        unit = fmax(unit, pow(10, atoi(exponent + 1) - MORE_DIGITS));
    return 0.5 * unit * (1 + 1e-6) + FLOAT32 * fabs(computed);
}

bool answer_is_right(double answer, double computed, int digits)
{
    if (tensor_is_hole(answer) || !isfinite(computed) || !isfinite(answer))
        return !tensor_is_hole(answer) && answer == computed;
    return fabs(answer - computed) <= answer_room(computed, digits);
}

int answer_decimals(double answer, double computed, int digits)
{
    int fewer = (digits < 0 ? NUMBER_TEXT_DECIMALS : digits) - 1;
    for (; fewer > 0; fewer--) {
        double units = pow(10, fewer);
        if (fabs(answer * units - nearbyint(computed * units)) <= 1e-6)
            break;
    }
    return fewer < 0 ? 0 : fewer;
}

typedef struct slip_search {
    answer_slip *to;
    const map_cell *at;
    double answer;
    int digits;
    bool are_several;
} slip_search;

/* Notes that the answer is this number, if it is. One kind of slip may give it at several cells:
 * the first one is said. */
static void try_number(slip_search *s, const char *sentence, double number, const map_cell *cell)
{
    answer_slip *to = s->to;
    if (!answer_is_right(s->answer, number, s->digits) || s->are_several)
        return;
    s->are_several = to->sentence != NULL && strcmp(to->sentence, sentence) != 0;
    if (to->sentence == NULL)
        *to = (answer_slip){.sentence = sentence, .cell = cell == NULL ? (map_cell){0} : *cell};
}

/* The same of a cell elsewhere: a number that its matrix has twice is no cell's own. */
static void try_cell(slip_search *s, const char *sentence, const map_cell *cell)
{
    const double number = map_number(cell);
    map_cell other = *cell;
    size_t same = 0;
    if (!answer_is_right(s->answer, number, s->digits))
        return;
    for (other.row = 0; other.row < cell->map->values.size[1]; other.row++) {
        for (other.column = 0; other.column < cell->map->values.size[2]; other.column++)
            same += map_number(&other) == number;
    }
    if (same == 1)
        try_number(s, sentence, number, cell);
}

/* Other cells of its row and of its column. */
static void try_neighbours(slip_search *s)
{
    const size_t *size = s->at->map->values.size;
    map_cell other = *s->at;
    for (other.row = 0; other.row < size[1]; other.row++) {
        if (other.row != s->at->row)
            try_cell(s, "slipRow", &other);
    }
    other.row = s->at->row;
    for (other.column = 0; other.column < size[2]; other.column++) {
        if (other.column != s->at->column)
            try_cell(s, "slipColumn", &other);
    }
}

/* The same row and column of other maps: those that it is made of, those that are made of it, and
 * others. Of the first two it is told what is done on the way, where that has a word. */
static bool try_stages(slip_search *s, err *e)
{
    enum { IS_BEFORE = 1, IS_AFTER = 2 };
    const trace_room *room = s->at->room;
    const trace_map *own = s->at->map;
    char *related = mem_alloc_zeroed(room->maps, sizeof related[0], e);
    if (related == NULL)
        return false;
    related[own->number] = IS_BEFORE | IS_AFTER;
    for (size_t i = own->number + 1; i-- > 0;) {
        const trace_origin *operand = room->map[i]->operand;
        for (size_t k = 0; k < TRACE_OPERANDS && (related[i] & IS_BEFORE) != 0; k++) {
            if (operand[k].map != NULL && operand[k].room == room)
                related[operand[k].map->number] |= IS_BEFORE;
        }
    }
    for (size_t i = own->number; i < room->maps; i++) {
        const trace_origin *operand = room->map[i]->operand;
        for (size_t k = 0; k < TRACE_OPERANDS; k++) {
            if (operand[k].map != NULL && operand[k].room == room)
                related[i] |= related[operand[k].map->number] & IS_AFTER;
        }
    }
    /* The nearest first: those before it from the last one on, then those after it. */
    for (size_t i = 0; i < room->maps; i++) {
        size_t number = i < own->number ? own->number - 1 - i : i;
        const trace_map *map = room->map[number];
        const map_cell cell = {room, map, s->at->head, s->at->row, s->at->column};
        if (map == own || map->is_of_focus || map->slices != own->slices ||
            !tensor_same_shape(&map->values, &own->values) ||
            strcmp(stage_axes_of(map->name), stage_axes_of(own->name)) != 0)
            continue;
        if ((related[number] & IS_BEFORE) != 0)
            try_number(s, "slipBefore", map_number(&cell), &cell);
        else if ((related[number] & IS_AFTER) != 0)
            try_number(s, "slipAfter", map_number(&cell), &cell);
        else
            try_cell(s, "slipOther", &cell);
    }
    answer_slip *found = s->to;
    if (found->sentence != NULL && strcmp(found->sentence, "slipAfter") == 0)
        found->done = found->cell.map->done;
    for (size_t i = 0;
         i < room->maps && found->sentence != NULL && strcmp(found->sentence, "slipBefore") == 0;
         i++) {
        if (room->map[i]->operand[0].map == found->cell.map && (related[i] & IS_BEFORE) != 0 &&
            room->map[i]->done != NULL)
            found->done = room->map[i]->done;
    }
    mem_free(related);
    return true;
}

/* What the softmax makes of scores that were not scaled. */
static void try_unscaled(slip_search *s)
{
    const trace_room *room = s->at->room;
    const trace_map *scores = map_named(room, "scores"), *masked = map_named(room, "masked");
    bool is_exp = strcmp(s->at->map->name, "exp") == 0;
    if (scores == NULL || map_named(room, "scaled") == NULL ||
        (!is_exp && strcmp(s->at->map->name, "weights") != 0) ||
        !tensor_same_shape(&scores->values, &s->at->map->values))
        return;
    map_cell cell = *s->at;
    double most = -INFINITY, sum = 0, own = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (cell.column = 0; cell.column < scores->values.size[2]; cell.column++) {
            cell.map = masked;
            if (masked != NULL && map_number(&cell) == -INFINITY)
                continue;
            cell.map = scores;
            double one = map_number(&cell), power = exp(one - most);
            if (pass == 0) {
                most = fmax(most, one);
            } else {
                sum += power;
                own = cell.column == s->at->column ? power : own;
            }
        }
    }
    try_number(s, "slipUnscaled", is_exp ? own : own / sum, NULL);
}

bool answer_slip_find(answer_slip *to, const map_cell *at, double answer, int digits, err *e)
{
    slip_search s = {.to = to, .at = at, .answer = answer, .digits = digits};
    const trace_map *map = at->map;
    const size_t *size = map->values.size;
    double right = map_number(at);
    *to = (answer_slip){0};
    if (answer_is_right(answer, 0, digits) || answer == 1 || !isfinite(answer))
        return true;
    try_number(&s, "slipSign", -right, NULL);
    if (map->is_share)
        try_number(&s, "slipPercent", answer_is_right(answer / 100, right, digits) ? answer : NAN,
                   NULL);
    const map_cell turned = {at->room, map, at->head, at->column, at->row};
    if (turned.row != at->row && turned.row < size[1] && turned.column < size[2] &&
        map->slices <= 1)
        try_cell(&s, "slipTurned", &turned);
    map_cell other = *at;
    for (other.head = 0; other.head < size[0]; other.head++) {
        if (other.head != at->head)
            try_cell(&s, "slipHead", &other);
    }
    if (!map->is_of_focus && !try_stages(&s, e))
        return false;
    if (map->slices <= 1)
        try_neighbours(&s);
    try_unscaled(&s);
    if (s.are_several || to->sentence == NULL) {
        to->sentence = NULL;
        return true;
    }
    to->meant = strcmp(to->sentence, "slipPercent") == 0 ? answer / 100 : -answer;
    if (to->done != NULL)
        to->sentence = strcmp(to->sentence, "slipBefore") == 0 ? "slipNotYet" : "slipLater";
    return true;
}
